//! From what a person typed to a kernel that is ready to run.

use std::collections::BTreeMap;
use std::path::Path;

use crate::assembler::{assemble, Kernel, Launch, Overrides};
use crate::kernels;

use super::error::CliError;
use super::files::read_text;
use super::memory_file;
use super::options::{DivergenceOptions, KernelOptions};
use crate::assembler::nearest;
use crate::divergence_pass::kernel::insert_divergence;
use crate::divergence_pass::mistakes::Mistakes;
use crate::divergence_pass::plain::strip;

/// A kernel with its sizes fixed and its memory filled.
pub struct Loaded {
    /// The program.
    pub kernel: Kernel,
    /// Sizes and initial memory.
    pub launch: Launch,
    /// Nothing that the kernel's own expectations rest on was changed.
    pub as_shipped: bool,
}

/// Assembles a kernel: a name that ships, or a file.
pub fn kernel(name: &str) -> Result<Kernel, CliError> {
    if name.is_empty() {
        return Err(CliError::input("KERNEL is missing", "name one; `cargo sim kernels` lists those that ship"));
    }
    if let Some(shipped) = kernels::find(name) {
        return assembled(shipped.text, shipped.file_name);
    }
    if Path::new(name).exists() && !Path::new(name).is_dir() {
        let text = read_text(Path::new(name), "kernel")?;
        return assembled(&text, name);
    }
    let names = kernels::ALL.iter().map(|kernel| kernel.name);
    // A file name's stem is worth a guess, too: `kernels/spin_lokc.s` was meant to be `spin_lock`.
    let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or(name);
    let hint = match nearest(stem, names) {
        Some(close) => format!("did you mean `{close}`? `cargo sim kernels` lists those that ship"),
        None => "`cargo sim kernels` lists those that ship; anything else must be the path of a file".to_string(),
    };
    Err(CliError::input(format!("KERNEL {name}: no kernel ships under this name, and there is no such file"), hint))
}

/// Assembles a text; its warnings go to the standard error and fail nothing.
fn assembled(text: &str, file_name: &str) -> Result<Kernel, CliError> {
    let kernel = assemble(text, file_name).map_err(|errors| CliError::Input(errors.into()))?;
    for warning in &kernel.warnings {
        eprintln!("{:?}", miette::Report::new(warning.clone()));
    }
    Ok(kernel)
}

/// A kernel with other regions than its own, if those are wanted.
pub fn with_regions(kernel: Kernel, options: DivergenceOptions) -> Result<Kernel, CliError> {
    let refused = |mistakes: Mistakes| CliError::Input(mistakes.into());
    let kernel = if options.strip_divergence { strip(&kernel).map_err(refused)? } else { kernel };
    if options.insert_divergence {
        insert_divergence(&kernel).map_err(refused)
    } else {
        Ok(kernel)
    }
}

/// The parameters of a size of a kernel; without a name, none.
fn size(kernel: &Kernel, name: Option<&str>) -> Result<BTreeMap<String, u32>, CliError> {
    let Some(name) = name else { return Ok(BTreeMap::new()) };
    let names = || kernel.sizes.iter().map(|size| size.name.as_str());
    let found = kernel.sizes.iter().find(|size| size.name == name);
    found.map(|size| size.parameters.clone()).ok_or_else(|| {
        let hint = match (nearest(name, names()), kernel.sizes.is_empty()) {
            (Some(close), _) => format!("did you mean `{close}`?"),
            (None, false) => format!("its sizes are: {}", names().collect::<Vec<_>>().join(", ")),
            (None, true) => "its file names none (`.size`); its parameters can be set with --param".to_string(),
        };
        CliError::input(format!("--size {name}: kernel {} has no such size", kernel.name), hint)
    })
}

/// Loads a kernel with a person's changes.
pub fn load(options: &KernelOptions) -> Result<Loaded, CliError> {
    let kernel = with_regions(kernel(&options.kernel)?, options.divergence)?;
    let mut parameters = size(&kernel, options.size.as_deref())?;
    for parameter in &options.param {
        if !kernel.parameters.iter().any(|known| known.name == parameter.name) {
            let known: Vec<&str> = kernel.parameters.iter().map(|known| known.name.as_str()).collect();
            let hint = match (nearest(&parameter.name, known.iter().copied()), known.is_empty()) {
                (Some(close), _) => format!("did you mean `{close}`? Its parameters are: {}", known.join(", ")),
                (None, false) => format!("its parameters are: {}", known.join(", ")),
                (None, true) => "it has no parameters".to_string(),
            };
            let name = &parameter.name;
            return Err(CliError::input(format!("--param {name}: kernel {} has no such parameter", kernel.name), hint));
        }
        parameters.insert(parameter.name.clone(), parameter.value);
    }
    let overrides = Overrides {
        parameters,
        grid: options.grid.map(|extent| extent.0),
        block: options.block.map(|extent| extent.0),
    };
    let own_regions = options.divergence == DivergenceOptions::default();
    let as_shipped = overrides == Overrides::default() && options.mem.is_none() && own_regions;
    let mut launch = kernel.launch(&overrides).map_err(|cause| {
        CliError::input(cause.to_string(), "check --param, --grid and --block; the kernel's file says what each means")
    })?;
    if let Some(path) = &options.mem {
        memory_file::load(path, &mut launch)?;
    }
    Ok(Loaded { kernel, launch, as_shipped })
}
