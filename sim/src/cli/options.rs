//! The options that running commands share (UX-03), and their checks.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::engine::{Configuration, PathPolicy, YieldPolicy};
use crate::machine::SchedulerPolicy;

use super::error::CliError;

/// Which divergence engine the core holds (SM-01).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineChoice {
    /// The plain convergence stack, the baseline.
    Stack,
    /// The double-ended token queue.
    Deque,
    /// The tree divergence table.
    Tree,
}

impl EngineChoice {
    /// What `--engine` calls it.
    pub const fn name(self) -> &'static str {
        match self {
            EngineChoice::Stack => "stack",
            EngineChoice::Deque => "deque",
            EngineChoice::Tree => "tree",
        }
    }
}

/// Which side of a diverging branch runs first (DQ-22).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PathChoice {
    /// The threads that take the branch.
    Taken,
    /// The threads that fall through.
    NotTaken,
    /// The smaller set.
    Smaller,
    /// The larger set.
    Larger,
}

impl PathChoice {
    /// The engine's word for it.
    pub const fn policy(self) -> PathPolicy {
        match self {
            PathChoice::Taken => PathPolicy::Taken,
            PathChoice::NotTaken => PathPolicy::NotTaken,
            PathChoice::Smaller => PathPolicy::Smaller,
            PathChoice::Larger => PathPolicy::Larger,
        }
    }

    /// What `--path-policy` calls it.
    pub const fn name(self) -> &'static str {
        match self {
            PathChoice::Taken => "taken",
            PathChoice::NotTaken => "not-taken",
            PathChoice::Smaller => "smaller",
            PathChoice::Larger => "larger",
        }
    }
}

/// Threads of a thread block of the barrier scheduler (SM-07).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BarrierBlock {
    /// 16: a CTA has 128 threads at most.
    #[value(name = "16")]
    Small,
    /// 64: a CTA has 512 threads at most.
    #[value(name = "64")]
    Large,
}

impl BarrierBlock {
    /// The number.
    pub const fn threads(self) -> usize {
        match self {
            BarrierBlock::Small => 16,
            BarrierBlock::Large => 64,
        }
    }
}

/// When a YIELD yields (DQ-30), as written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct YieldChoice {
    /// The policy.
    pub policy: YieldPolicy,
    /// Its number.
    pub parameter: u8,
}

impl std::str::FromStr for YieldChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let hint = "write always, every:N with N from 1 to 256, or random:T with T from 1 to 255 (chance T/256)";
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => (name, Some(number)),
            None => (text, None),
        };
        let number = |low: u16, high: u16| {
            number
                .and_then(|number| number.parse::<u16>().ok())
                .filter(|number| (low..=high).contains(number))
                .ok_or_else(|| format!("`{text}` lacks a number from {low} to {high}: {hint}"))
        };
        match name {
            "always" if text == "always" => Ok(Self { policy: YieldPolicy::Always, parameter: 0 }),
            // 256 is the code 0 in the 8-bit parameter.
            "every" => Ok(Self { policy: YieldPolicy::EveryNth, parameter: (number(1, 256)? & 0xff) as u8 }),
            "random" => Ok(Self { policy: YieldPolicy::Random, parameter: number(1, 255)? as u8 }),
            _ => Err(format!("no yield policy `{text}`: {hint}")),
        }
    }
}

impl std::fmt::Display for YieldChoice {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.policy {
            YieldPolicy::Always => write!(formatter, "always"),
            YieldPolicy::EveryNth => {
                write!(formatter, "every:{}", if self.parameter == 0 { 256 } else { u16::from(self.parameter) })
            }
            YieldPolicy::Random => write!(formatter, "random:{}", self.parameter),
        }
    }
}

/// Up to three sizes, `X[,Y[,Z]]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent(pub [u32; 3]);

impl std::str::FromStr for Extent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut sizes = [1; 3];
        let parts: Vec<&str> = text.split(',').collect();
        if parts.len() > 3 {
            return Err(format!("`{text}` has {} sizes: write X, X,Y or X,Y,Z", parts.len()));
        }
        for (size, part) in sizes.iter_mut().zip(&parts) {
            *size = part
                .trim()
                .parse()
                .ok()
                .filter(|size| (1..=1 << 20).contains(size))
                .ok_or_else(|| format!("`{part}` is not a size from 1 to 1048576: write X, X,Y or X,Y,Z"))?;
        }
        Ok(Self(sizes))
    }
}

/// A kernel parameter, `NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterValue {
    /// Its name.
    pub name: String,
    /// Its 32 bits.
    pub value: u32,
}

impl std::str::FromStr for ParameterValue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or_else(|| format!("`{text}` has no `=`: write NAME=VALUE"))?;
        let value = parse_word(value)
            .ok_or_else(|| format!("`{value}` is not a 32-bit number: write 12, -3, 0x1f or a float such as 0.5"))?;
        Ok(Self { name: name.to_string(), value })
    }
}

/// A 32-bit word: unsigned, negative, hexadecimal, or a float with a decimal point.
pub fn parse_word(text: &str) -> Option<u32> {
    if let Some(digits) = text.strip_prefix("0x") {
        return u32::from_str_radix(digits, 16).ok();
    }
    if text.contains('.') {
        return text.parse::<f32>().ok().map(f32::to_bits);
    }
    text.parse::<u32>().ok().or_else(|| text.parse::<i32>().ok().map(|number| number as u32))
}

/// The core: its size and its policies.
#[derive(Clone, Debug, Args)]
pub struct CoreOptions {
    /// Warps that are resident at once
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub warps: u8,
    /// Threads of a warp
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub threads: u8,
    /// Tokens of a warp that the on-chip window holds, or nodes that the tree's table holds: a power of two
    #[arg(long, value_name = "D", default_value_t = 32)]
    pub depth: usize,
    /// Which side of a diverging branch runs first
    #[arg(long, value_name = "P", value_enum, default_value = "taken")]
    pub path_policy: PathChoice,
    /// When a YIELD yields: always, every:N or random:T
    #[arg(long, value_name = "P", default_value = "always")]
    pub yield_policy: YieldChoice,
    /// Which ready warp issues
    #[arg(long, value_name = "S", value_enum, default_value = "round-robin")]
    pub scheduler: SchedulerPolicy,
    /// Cycles from a spill-memory request to its answer
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub mem_latency: u32,
    /// Seed of the yield generators
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u16,
    /// Exceptions of the window go to the software driver instead of the hardware engines
    #[arg(long)]
    pub software_handler: bool,
    /// Tokens that a warp may spill to memory
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub spill_limit: u16,
    /// Threads that the barrier scheduler takes at once; by default 16 if a CTA fits into 8 such blocks
    #[arg(long, value_name = "N", value_enum)]
    pub barrier_block: Option<BarrierBlock>,
}

impl Default for CoreOptions {
    /// What the command line has without options.
    fn default() -> Self {
        let engine = Configuration::default();
        Self {
            warps: 4,
            threads: 32,
            depth: engine.depth,
            path_policy: PathChoice::Taken,
            yield_policy: YieldChoice { policy: engine.yield_policy, parameter: engine.yield_parameter },
            scheduler: SchedulerPolicy::default(),
            mem_latency: engine.memory_latency,
            seed: engine.yield_seed,
            software_handler: engine.software_handler,
            spill_limit: engine.spill_limit,
            barrier_block: None,
        }
    }
}

impl CoreOptions {
    /// The engine's configuration, if the numbers make sense together.
    pub fn configuration(&self, engine: EngineChoice) -> Result<Configuration, CliError> {
        if !self.depth.is_power_of_two() || !(4..=1024).contains(&self.depth) {
            let below = (self.depth.clamp(4, 1024) + 1).next_power_of_two() / 2;
            let above = (below * 2).min(1024);
            return Err(CliError::input(
                format!("--depth {}: the depth of the window must be a power of two from 4 to 1024", self.depth),
                if below == above { format!("try {below}") } else { format!("try {below} or {above}") },
            ));
        }
        Ok(Configuration {
            warps: usize::from(self.warps),
            threads: usize::from(self.threads),
            depth: self.depth,
            tree: engine == EngineChoice::Tree,
            path_policy: self.path_policy.policy(),
            yield_policy: self.yield_policy.policy,
            yield_parameter: self.yield_policy.parameter,
            yield_seed: self.seed,
            stack_mode: engine == EngineChoice::Stack,
            software_handler: self.software_handler,
            spill_limit: self.spill_limit,
            memory_latency: self.mem_latency,
        })
    }
}

/// The kernel and what it starts with.
#[derive(Clone, Debug, Args)]
pub struct KernelOptions {
    /// A kernel that ships (see `kernels`) or the path of an assembler file
    #[arg(value_name = "KERNEL", default_value = "", hide_default_value = true)]
    pub kernel: String,
    /// Thread blocks of the grid
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub grid: Option<Extent>,
    /// Threads of a block
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub block: Option<Extent>,
    /// Value of a kernel parameter; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub param: Vec<ParameterValue>,
    /// A size that the kernel's file names: values for its parameters, which --param may change again
    #[arg(long, value_name = "NAME")]
    pub size: Option<String>,
    /// Initial global memory, a JSON file as `--dump` writes it
    #[arg(long, value_name = "FILE")]
    pub mem: Option<PathBuf>,
    /// Stop after so many cycles
    #[arg(long, value_name = "N", default_value_t = MAX_CYCLES, value_parser = clap::value_parser!(u64).range(1..))]
    pub max_cycles: u64,
    /// Cycles without progress, per resident warp, after which a run that repeats itself counts as a livelock
    #[arg(long, value_name = "N", default_value_t = WATCHDOG, value_parser = clap::value_parser!(u64).range(1..))]
    pub watchdog: u64,
    /// The divergence pass
    #[command(flatten)]
    pub divergence: DivergenceOptions,
    /// Print one JSON document (docs/json.md) instead of text
    #[arg(long)]
    pub json: bool,
}

/// Cycles after which a run is stopped, unless the command line says otherwise.
const MAX_CYCLES: u64 = 50_000_000;
/// The same for cycles without progress.
const WATCHDOG: u64 = 100_000;

impl KernelOptions {
    /// A kernel with nothing changed, as a command line with its name alone has it.
    pub fn of(kernel: &str) -> Self {
        Self {
            kernel: kernel.to_string(),
            grid: None,
            block: None,
            param: Vec::new(),
            size: None,
            mem: None,
            max_cycles: MAX_CYCLES,
            watchdog: WATCHDOG,
            divergence: DivergenceOptions::default(),
            json: false,
        }
    }
}

/// What is done to a kernel's regions and YIELDs before it runs (IS-06).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
pub struct DivergenceOptions {
    /// Take the kernel's regions and YIELDs out: plain branches take their place
    #[arg(long)]
    pub strip_divergence: bool,
    /// Put regions and YIELDs in by the divergence pass; the kernel must have plain branches only
    #[arg(long)]
    pub insert_divergence: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// UX-03: every written form of a yield policy comes back as it was written.
    #[test]
    fn yield_policies() {
        for text in ["always", "every:1", "every:256", "random:128"] {
            assert_eq!(text.parse::<YieldChoice>().expect(text).to_string(), text);
        }
        for text in ["", "sometimes", "every", "every:0", "every:257", "random:0", "random:256", "always:1"] {
            let message = text.parse::<YieldChoice>().expect_err(text);
            assert!(message.contains("every:N"), "{message}");
        }
    }

    /// UX-03: the options' defaults are those of the engine, and the same on the command line.
    #[test]
    fn defaults_agree() {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            core: CoreOptions,
        }
        let line: Line = clap::Parser::parse_from(["x"]);
        let parsed = line.core.configuration(EngineChoice::Deque).map_err(|_| ()).expect("a configuration");
        let default = CoreOptions::default().configuration(EngineChoice::Deque).map_err(|_| ()).expect("another");
        assert_eq!(parsed, default);
        assert_eq!(parsed, Configuration::default());
    }

    /// UX-03: sizes with one, two, three and too many parts.
    #[test]
    fn extents() {
        assert_eq!("7".parse(), Ok(Extent([7, 1, 1])));
        assert_eq!("7,2,3".parse(), Ok(Extent([7, 2, 3])));
        for text in ["", "0", "1,2,3,4", "x", "1,,2", "4294967296"] {
            assert!(text.parse::<Extent>().is_err(), "{text}");
        }
    }

    /// UX-03: parameters are 32-bit words in any of the usual notations.
    #[test]
    fn parameters() {
        let value = |text: &str| text.parse::<ParameterValue>().map(|parameter| parameter.value);
        assert_eq!(value("n=12"), Ok(12));
        assert_eq!(value("n=-1"), Ok(u32::MAX));
        assert_eq!(value("n=0x10"), Ok(16));
        assert_eq!(value("n=1.0"), Ok(1.0_f32.to_bits()));
        for text in ["n", "n=", "n=4294967296", "n=x", "n=0x"] {
            assert!(value(text).is_err(), "{text}");
        }
    }
}
