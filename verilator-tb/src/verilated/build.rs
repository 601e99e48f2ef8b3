//! From a folder of Verilog to a shared library, once: the library is kept under the hash of everything that went into it.

use super::memories;
use super::shim;
use super::Options;
use crate::error::{Error, Result};
use crate::tools::{self, Verilator};
use heddle_gen::export::package::Package;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Verilog that is to be Verilated.
#[derive(Clone, Debug)]
pub struct Source {
    /// The top module.
    pub top: String,
    /// The files: name and text.
    pub files: Vec<(String, String)>,
    /// The ports of the top module, `clock` and `reset` first.
    pub ports: Vec<Port>,
}

impl Source {
    /// The export of a block at a point.
    ///
    /// # Errors
    /// [`Error::Internal`] if our own back end refuses our own block.
    pub fn of(entry: &Entry) -> Result<Self> {
        let package = Package::build(entry)
            .map_err(|error| Error::Internal { place: entry.module(), cause: error.to_string() })?;
        let files = package.files.into_iter().filter(|(name, _)| name.ends_with(".v")).collect();
        Ok(Self { top: package.name, files, ports: (entry.ports)() })
    }
}

/// Parts of Verilator's runtime that a model may need; each is compiled once and linked into every model.
const RUNTIME: [&str; 2] = ["verilated.cpp", "verilated_threads.cpp"];
const RUNTIME_TRACE: [&str; 1] = ["verilated_vcd_c.cpp"];
const RUNTIME_COVERAGE: [&str; 1] = ["verilated_cov.cpp"];

/// Every symbol stays inside its library: several models live in one process.
const COMPILER_FLAGS: [&str; 6] =
    ["-std=c++17", "-fPIC", "-fvisibility=hidden", "-fvisibility-inlines-hidden", "-fno-gnu-unique", "-w"];

/// Where built models are kept: `HEDDLE_BUILD`, or `build/verilated` of the workspace.
pub fn cache_folder() -> PathBuf {
    match std::env::var_os("HEDDLE_BUILD") {
        Some(folder) => PathBuf::from(folder).join("verilated"),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../build/verilated"),
    }
}

/// The shared library of `source`, built if it is not there yet.
///
/// # Errors
/// A missing tool, a file that cannot be read, or Verilog that Verilator refuses.
pub fn library(source: &Source, options: &Options) -> Result<PathBuf> {
    let verilator = tools::verilator()?;
    let shim = shim::text(&source.ports, options);
    let hash = content_hash(source, options, &verilator, &shim)?;
    let cache = cache_folder();
    let folder = cache.join(&hash[..24]);
    let library = folder.join("model.so");
    if library.is_file() {
        return Ok(library);
    }
    fs::create_dir_all(&cache).map_err(Error::file(&cache))?;
    let _lock = Lock::take(&cache.join(format!("{}.lock", &hash[..24])))?;
    if library.is_file() {
        return Ok(library);
    }
    // Built aside and renamed, so that a killed build leaves nothing that looks finished.
    let aside = tempfile::Builder::new().prefix("building-").tempdir_in(&cache).map_err(Error::file(&cache))?;
    verilate(source, options, &verilator, aside.path())?;
    compile(source, options, &verilator, aside.path(), &shim)?;
    let finished = aside.keep();
    fs::rename(&finished, &folder).map_err(Error::file(&folder))?;
    Ok(library)
}

/// The hash of all that determines the library.
fn content_hash(source: &Source, options: &Options, verilator: &Verilator, shim: &str) -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    let mut add = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    add(verilator.version.as_bytes());
    add(source.top.as_bytes());
    add(shim.as_bytes());
    for flag in options.verilator_flags().iter().chain(&options.compiler_flags()).copied().chain(COMPILER_FLAGS) {
        add(flag.as_bytes());
    }
    for (name, text) in &source.files {
        add(name.as_bytes());
        add(text.as_bytes());
    }
    Ok(hasher.finalize().to_hex().to_string())
}

/// Runs Verilator: C++ sources in `folder`.
fn verilate(source: &Source, options: &Options, verilator: &Verilator, folder: &Path) -> Result<()> {
    let sources = folder.join("source");
    fs::create_dir(&sources).map_err(Error::file(&sources))?;
    let mut command = Command::new(&verilator.program);
    command
        .env("VERILATOR_ROOT", &verilator.root)
        // Not the place for style: the export is linted by scripts/lint, and what else is built here is
        // mutants and foreign Verilog, whose warnings are no news.
        .args(["--cc", "--prefix", "Model", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--quiet-stats"])
        .args(["--top-module", &source.top])
        .arg("-Mdir")
        .arg(folder)
        .args(options.verilator_flags());
    for (name, text) in &source.files {
        let file = sources.join(name);
        let text = if options.random_state { memories::started(text) } else { text.clone() };
        fs::write(&file, text).map_err(Error::file(&file))?;
        command.arg(file);
    }
    let hint = "the export is wrong: `cargo export` and Verilator's --lint-only -Wall show where";
    run("verilator", command, Path::new(&source.top), hint)
}

/// Compiles the C++ of `folder`, as one unit with the shim, and links it with the runtime. What Verilator calls slow, since it runs when a model
/// is made and never again, is a unit of its own, compiled with less effort: it is more than half of the text.
fn compile(source: &Source, options: &Options, verilator: &Verilator, folder: &Path, shim: &str) -> Result<()> {
    let mut sources: Vec<String> = fs::read_dir(folder)
        .map_err(Error::file(folder))?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".cpp"))
        .collect();
    sources.sort();
    let (mut unit, mut slow) = (String::new(), String::new());
    let mut phases = [false; shim::PHASES.len()];
    for name in &sources {
        let apart = !options.quick && name.ends_with("__Slow.cpp");
        let _ = writeln!(if apart { &mut slow } else { &mut unit }, "#include \"{name}\"");
        let path = folder.join(name);
        let text = fs::read_to_string(&path).map_err(Error::file(&path))?;
        for (found, phase) in phases.iter_mut().zip(shim::PHASES) {
            *found |= text.contains(phase);
        }
    }
    let _ = writeln!(unit, "#define HEDDLE_PHASES {}", u8::from(phases.iter().all(|found| *found)));
    unit.push_str("#include \"Model.h\"\n");
    unit.push_str(shim);
    let mut objects = vec![compile_unit(source, options, verilator, &folder.join("unit.cc"), &unit)?];
    if !slow.is_empty() {
        let quick = Options { quick: true, ..*options };
        objects.push(compile_unit(source, &quick, verilator, &folder.join("slow.cc"), &slow)?);
    }
    let mut command = Command::new(tools::compiler()?);
    command.args(["-shared", "-Wl,-Bsymbolic", "-o"]).arg(folder.join("model.so")).args(&objects);
    for part in runtime_parts(options) {
        command.arg(runtime_object(part, options, verilator)?);
    }
    run("g++", command, folder, &format!("the Verilated model of {} does not link", source.top))?;
    for object in objects {
        fs::remove_file(&object).map_err(Error::file(&object))?;
    }
    Ok(())
}

/// Compiles one text to the object beside it.
fn compile_unit(source: &Source, options: &Options, verilator: &Verilator, path: &Path, text: &str) -> Result<PathBuf> {
    fs::write(path, text).map_err(Error::file(path))?;
    let object = path.with_extension("o");
    let mut command = compiler(verilator, options)?;
    command.arg("-include").arg(precompiled_header(options, verilator)?);
    command.arg("-I").arg(path.parent().unwrap_or(Path::new("."))).arg("-c").arg(path).arg("-o").arg(&object);
    run("g++", command, path, &format!("the Verilated model of {} does not compile", source.top))?;
    Ok(object)
}

/// The runtime sources that `options` ask for.
fn runtime_parts(options: &Options) -> Vec<&'static str> {
    let trace: &[&str] = if options.trace { &RUNTIME_TRACE } else { &[] };
    let coverage: &[&str] = if options.coverage { &RUNTIME_COVERAGE } else { &[] };
    RUNTIME.iter().chain(trace).chain(coverage).copied().collect()
}

/// The object of one runtime source, compiled if it is not there yet.
fn runtime_object(part: &str, options: &Options, verilator: &Verilator) -> Result<PathBuf> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(verilator.version.as_bytes());
    for flag in COMPILER_FLAGS.into_iter().chain(options.runtime_flags()) {
        hasher.update(flag.as_bytes());
    }
    let name = format!("{}-{}", part.trim_end_matches(".cpp"), &hasher.finalize().to_hex()[..16]);
    let cache = cache_folder();
    let object = cache.join(format!("{name}.o"));
    let _lock = Lock::take(&cache.join(format!("{name}.lock")))?;
    if object.is_file() {
        return Ok(object);
    }
    let aside = cache.join(format!("{name}.part"));
    let file = verilator.root.join("include").join(part);
    let mut command = Command::new(tools::compiler()?);
    includes(&mut command, verilator);
    command.args(COMPILER_FLAGS).args(options.runtime_flags()).arg("-O3").arg("-c").arg(&file).arg("-o").arg(&aside);
    run("g++", command, &file, "Verilator's runtime does not compile; run scripts/setup")?;
    fs::rename(&aside, &object).map_err(Error::file(&object))?;
    Ok(object)
}

/// Verilator's own header, which stands beside its precompiled form: parsing it takes longer than most models.
fn precompiled_header(options: &Options, verilator: &Verilator) -> Result<PathBuf> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(verilator.version.as_bytes());
    for flag in COMPILER_FLAGS.into_iter().chain(options.runtime_flags()).chain(options.compiler_flags()) {
        hasher.update(flag.as_bytes());
    }
    let cache = cache_folder();
    let name = format!("header-{}", &hasher.finalize().to_hex()[..16]);
    let header = cache.join(format!("{name}.h"));
    let finished = cache.join(format!("{name}.h.gch"));
    let _lock = Lock::take(&cache.join(format!("{name}.lock")))?;
    if !finished.is_file() {
        fs::write(&header, "#include \"verilated.h\"\n").map_err(Error::file(&header))?;
        let aside = cache.join(format!("{name}.part"));
        let mut command = compiler(verilator, options)?;
        command.args(["-x", "c++-header"]).arg(&header).arg("-o").arg(&aside);
        run("g++", command, &header, "Verilator's header does not compile; run scripts/setup")?;
        fs::rename(&aside, &finished).map_err(Error::file(&finished))?;
    }
    Ok(header)
}

/// The compiler with the flags for a model.
fn compiler(verilator: &Verilator, options: &Options) -> Result<Command> {
    let mut command = Command::new(tools::compiler()?);
    includes(&mut command, verilator);
    command.args(COMPILER_FLAGS).args(options.runtime_flags()).args(options.compiler_flags());
    Ok(command)
}

fn includes(command: &mut Command, verilator: &Verilator) {
    let include = verilator.root.join("include");
    command.arg("-I").arg(&include).arg("-I").arg(include.join("vltstd"));
}

/// Runs `command` to its end.
fn run(tool: &'static str, mut command: Command, place: &Path, hint: &str) -> Result<()> {
    let Output { status, stdout, stderr } =
        command.output().map_err(Error::file(command.get_program().to_string_lossy().into_owned()))?;
    if status.success() {
        return Ok(());
    }
    let text = [String::from_utf8_lossy(&stderr), String::from_utf8_lossy(&stdout)].concat();
    let message = text.lines().filter(|line| !line.trim().is_empty()).take(8).collect::<Vec<_>>().join("\n");
    Err(Error::ToolFailed { tool, place: place.to_path_buf(), message, hint: hint.to_string() })
}

/// A file that one builder holds locked while it builds; the system unlocks it when the builder ends, however it ends.
struct Lock(#[expect(dead_code, reason = "held for its lock, which ends when it is closed")] File);

impl Lock {
    fn take(path: &Path) -> Result<Self> {
        let file = File::create(path).map_err(Error::file(path))?;
        file.lock().map_err(Error::file(path))?;
        Ok(Lock(file))
    }
}
