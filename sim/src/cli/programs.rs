//! `asm`, `disasm` and `kernels`: programs as text, as words, and those that ship (IS-04, UX-03).

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::assembler::{disassemble, listing};
use crate::isa::PROGRAM_LIMIT;
use crate::kernels;

use super::error::CliError;
use super::files::{read_text, write_atomically};
use super::json::{path_policy_name, Document};
use super::load::{kernel, with_regions};
use super::options::DivergenceOptions;
use super::output::{print, print_json, table};
use super::run::sizes;

/// The options of `asm`.
#[derive(Clone, Debug, Args)]
pub struct AssembleArguments {
    /// A kernel that ships or the path of an assembler file
    #[arg(value_name = "KERNEL")]
    pub kernel: String,
    /// Write to a file instead of the standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Labels, text and words side by side instead of words alone
    #[arg(long)]
    pub listing: bool,
    /// The divergence pass
    #[command(flatten)]
    pub divergence: DivergenceOptions,
}

/// Assembles a kernel to words, one a line.
pub fn assemble(arguments: &AssembleArguments) -> Result<(), CliError> {
    let kernel = with_regions(kernel(&arguments.kernel)?, arguments.divergence)?;
    let text = if arguments.listing {
        listing(&kernel)
    } else {
        kernel.words.iter().map(|word| format!("{word:016x}\n")).collect()
    };
    deliver(arguments.out.as_deref(), &text)
}

/// The options of `disasm`.
#[derive(Clone, Debug, Args)]
pub struct DisassembleArguments {
    /// A file of words as `asm` writes it: 16 hexadecimal digits a line, comments after //
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Write to a file instead of the standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Turns words into text that assembles to them.
pub fn disassemble_file(arguments: &DisassembleArguments) -> Result<(), CliError> {
    let name = arguments.file.display().to_string();
    let words = parse_words(&name, &read_text(&arguments.file, "word file")?)?;
    let numbers: Vec<u64> = words.iter().map(|(_, word)| *word).collect();
    let text = disassemble(&numbers).map_err(|(address, cause)| {
        let line = words.get(address as usize).map_or(0, |(line, _)| *line);
        CliError::input(format!("{name}:{line}: {cause}"), "is this file what `cargo sim asm` wrote?")
    })?;
    deliver(arguments.out.as_deref(), &text)
}

/// The words of a file with their lines.
fn parse_words(name: &str, text: &str) -> Result<Vec<(usize, u64)>, CliError> {
    let mut words = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let digits = line.split("//").next().unwrap_or_default().trim();
        if digits.is_empty() {
            continue;
        }
        let digits = digits.strip_prefix("0x").unwrap_or(digits);
        let word = u64::from_str_radix(digits, 16).map_err(|cause| {
            CliError::input(
                format!("{name}:{}: `{digits}` is not a 64-bit hexadecimal word: {cause}", index + 1),
                "write one word of 16 hexadecimal digits a line, as `cargo sim asm` does",
            )
        })?;
        words.push((index + 1, word));
    }
    if words.len() > PROGRAM_LIMIT {
        return Err(CliError::input(
            format!("{name}: {} words are more than the {PROGRAM_LIMIT} that a 22-bit PC reaches", words.len()),
            "split the program",
        ));
    }
    Ok(words)
}

fn deliver(out: Option<&Path>, text: &str) -> Result<(), CliError> {
    match out {
        Some(path) => write_atomically(path, text.as_bytes()),
        None => print(text),
    }
}

/// The options of `kernels`.
#[derive(Clone, Debug, Args)]
pub struct KernelsArguments {
    /// Print one JSON document (docs/json.md) instead of text
    #[arg(long)]
    pub json: bool,
}

/// A kernel that ships, as JSON.
#[derive(Serialize)]
struct KernelEntry {
    name: String,
    summary: String,
    instructions: usize,
    grid: [u32; 3],
    block: [u32; 3],
    parameters: Vec<ParameterEntry>,
    sizes: Vec<String>,
    stack_hangs_under: Vec<&'static str>,
}

/// A parameter of it.
#[derive(Serialize)]
struct ParameterEntry {
    name: String,
    default: u32,
    summary: String,
}

/// All of them.
#[derive(Serialize)]
struct KernelList {
    kernels: Vec<KernelEntry>,
}

/// Lists the kernels that ship.
pub fn list(arguments: &KernelsArguments) -> Result<(), CliError> {
    let mut list = Vec::new();
    for shipped in kernels::ALL {
        let kernel = kernel(shipped.name)?;
        list.push(KernelEntry {
            name: kernel.name,
            summary: kernel.summary,
            instructions: kernel.words.len(),
            grid: kernel.grid,
            block: kernel.block,
            parameters: kernel
                .parameters
                .into_iter()
                .map(|parameter| ParameterEntry {
                    name: parameter.name,
                    default: parameter.default,
                    summary: parameter.summary,
                })
                .collect(),
            sizes: kernel.sizes.into_iter().map(|size| size.name).collect(),
            stack_hangs_under: kernel.stack_hangs.into_iter().map(path_policy_name).collect(),
        });
    }
    if arguments.json {
        return print_json(&Document::new("heddle.kernels", KernelList { kernels: list }));
    }
    let mut rows = table(&["kernel", "what it shows", "grid", "block", "the plain stack hangs under"], 5);
    for kernel in list {
        let hangs = match kernel.stack_hangs_under.len() {
            0 => "-".to_string(),
            4 => "every path policy".to_string(),
            _ => kernel.stack_hangs_under.join(", "),
        };
        rows.add_row([kernel.name, kernel.summary, sizes(kernel.grid), sizes(kernel.block), hangs]);
    }
    print(&format!("{rows}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// IS-04: comments, blank lines and the 0x prefix are read over; anything else names its line.
    #[test]
    fn words_with_comments() {
        let words = parse_words("x", "// head\n\n0x10 // one\nffffffffffffffff\n").map_err(|_| ()).expect("words");
        assert_eq!(words, [(3, 0x10), (4, u64::MAX)]);
        let Err(CliError::Input(report)) = parse_words("x", "10\nzz\n") else { panic!("zz was taken") };
        assert!(report.to_string().contains("x:2"), "{report}");
    }
}
