//! Who waits for whom in a run that hangs (SM-04, UX-02).

use std::fmt;

use serde::Serialize;

use crate::engine::{Kind, Mask};

use super::barriers::BarrierHang;
use super::watchdog::Finding;

/// A place in the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Address in instructions.
    pub address: u32,
    /// Line of the source, from 1, if known.
    pub line: Option<usize>,
    /// The nearest label at or before it, and the distance.
    pub label: Option<(String, u32)>,
    /// The instruction.
    pub text: String,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "line {line}")?,
            None => write!(formatter, "address {}", self.address)?,
        }
        match &self.label {
            Some((label, 0)) => write!(formatter, " ({label}: {})", self.text),
            Some((label, distance)) => write!(formatter, " ({label}+{distance}: {})", self.text),
            None => write!(formatter, " ({})", self.text),
        }
    }
}

/// A thread of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct ThreadName {
    /// Its warp.
    pub warp: usize,
    /// Its lane.
    pub thread: usize,
}

/// A memory word that spinning threads look at again and again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Contended {
    /// Byte address.
    pub address: u32,
    /// Name of its space.
    pub space: &'static str,
    /// What it holds.
    pub value: u32,
    /// Where it is read.
    pub place: Place,
    /// The thread whose atomic changed it last: if it is a lock, its holder.
    pub holder: Option<ThreadName>,
}

/// Threads that run for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Spinning {
    /// The threads.
    pub threads: Mask,
    /// First and last instruction of the loop.
    pub from: Place,
    /// Last instruction of the loop.
    pub to: Place,
    /// What they wait for.
    pub words: Vec<Contended>,
}

/// Threads that cannot run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// The threads.
    pub threads: Mask,
    /// Why they are disabled.
    #[serde(serialize_with = "kind_name")]
    pub reason: Kind,
    /// The instruction that disabled them.
    pub at: Place,
    /// Where they would go on, if known.
    pub resume: Option<Place>,
    /// The threads that they wait for.
    pub waits_for: Mask,
}

fn kind_name<S: serde::Serializer>(kind: &Kind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}

/// One warp of a run that hangs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WarpHang {
    /// The warp.
    pub warp: usize,
    /// The thread block that it belongs to.
    pub block: u64,
    /// Threads that spin.
    pub spinning: Vec<Spinning>,
    /// Threads that wait.
    pub waiting: Vec<Waiting>,
}

impl WarpHang {
    /// Waiting threads that own a word which others of this warp spin on: each closes a circle.
    fn circle(&self) -> impl Iterator<Item = (&Contended, usize)> {
        let waiting: Mask = self.waiting.iter().fold(0, |mask, waiting| mask | waiting.threads);
        self.spinning.iter().flat_map(|spinning| &spinning.words).filter_map(move |word| {
            let holder = word.holder.filter(|holder| holder.warp == self.warp && waiting >> holder.thread & 1 == 1)?;
            Some((word, holder.thread))
        })
    }
}

/// A run that hangs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hang {
    /// Live threads exist that can never be issued again (deadlock); else all of them run and get nowhere (livelock).
    pub deadlock: bool,
    /// The cycle in which the watchdog was sure.
    pub cycle: u64,
    /// Length of the loop in instructions, if the hang is proven by the recurrence of the complete state.
    pub period: Option<u64>,
    /// Cycles without progress, if it is not proven but the limit was met.
    pub quiet_cycles: Option<u64>,
    /// Warps that hang.
    pub warps: Vec<WarpHang>,
    /// Barriers in which threads wait.
    pub barriers: Vec<BarrierHang>,
}

impl Hang {
    /// A hang from what the watchdog found. `at_barriers`: nobody does anything but wait in them.
    pub fn new(
        finding: Finding,
        cycle: u64,
        warps: Vec<WarpHang>,
        barriers: Vec<BarrierHang>,
        at_barriers: bool,
    ) -> Self {
        let starved = warps.iter().any(|warp| !warp.waiting.is_empty());
        let (deadlock, period, quiet_cycles) = match finding {
            Finding::Loop { period } => (starved, Some(period), None),
            Finding::Stuck { cycles } => (true, None, Some(cycles)),
            // Without a proof nobody knows that the waiting threads wait for ever, unless all of them wait.
            Finding::Quiet { cycles } => (at_barriers, None, Some(cycles)),
        };
        Self { deadlock, cycle, period, quiet_cycles, warps, barriers }
    }

    /// `deadlock` or `livelock`.
    pub fn name(&self) -> &'static str {
        if self.deadlock {
            "deadlock"
        } else {
            "livelock"
        }
    }
}

impl fmt::Display for Hang {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} in cycle {}: ", self.name(), self.cycle)?;
        match (self.period, self.quiet_cycles) {
            (Some(period), _) => writeln!(
                formatter,
                "the complete state of the machine recurs every {period} instructions, so it does for ever"
            )?,
            (None, Some(quiet)) => writeln!(formatter, "no progress for {quiet} cycles")?,
            (None, None) => writeln!(formatter, "no progress")?,
        }
        for barrier in &self.barriers {
            barrier.fmt(formatter)?;
        }
        for warp in &self.warps {
            writeln!(formatter, "  warp {} (block {})", warp.warp, warp.block)?;
            for spinning in &warp.spinning {
                write!(formatter, "    {} from {}", describe(spinning.threads, "spins", "spin"), spinning.from)?;
                if spinning.to != spinning.from {
                    write!(formatter, " to {}", spinning.to)?;
                }
                writeln!(formatter)?;
                for word in &spinning.words {
                    write!(
                        formatter,
                        "      on {} word 0x{:x}, which holds {} and is read at {}",
                        word.space, word.address, word.value, word.place
                    )?;
                    match word.holder {
                        Some(holder) if holder.warp == warp.warp => {
                            writeln!(formatter, "; thread {} took it last", holder.thread)?
                        }
                        Some(holder) => {
                            writeln!(formatter, "; thread {} of warp {} took it last", holder.thread, holder.warp)?
                        }
                        None => writeln!(formatter, "; no atomic has changed it")?,
                    }
                }
            }
            for waiting in &warp.waiting {
                write!(
                    formatter,
                    "    {} disabled ({}) since {}",
                    describe(waiting.threads, "is", "are"),
                    waiting.reason.name(),
                    waiting.at
                )?;
                if let Some(resume) = &waiting.resume {
                    write!(formatter, ", to go on at {resume}")?;
                }
                if waiting.waits_for != 0 {
                    write!(
                        formatter,
                        ": waits for {} to get there or leave",
                        describe(waiting.waits_for, "", "").trim_end()
                    )?;
                }
                writeln!(formatter)?;
            }
            for (word, thread) in warp.circle() {
                writeln!(
                    formatter,
                    "    a circle: the spinning threads wait for thread {thread} to release 0x{:x}, and thread {thread} waits for them",
                    word.address
                )?;
            }
        }
        Ok(())
    }
}

/// `thread 3 spins`, `threads 1-31 spin`.
fn describe(threads: Mask, one: &str, many: &str) -> String {
    let (noun, verb) = if threads.count_ones() == 1 { ("thread", one) } else { ("threads", many) };
    format!("{noun} {} {verb}", ranges(threads))
}

/// The threads of a mask: `0`, `1-31`, `0,2-4`.
pub fn ranges(threads: Mask) -> String {
    let mut parts = Vec::new();
    let mut thread = 0;
    while thread < Mask::BITS {
        let run = (threads >> thread).trailing_ones();
        match run {
            0 => thread += 1,
            1 => parts.push(format!("{thread}")),
            _ => parts.push(format!("{thread}-{}", thread + run - 1)),
        }
        thread += run;
    }
    if parts.is_empty() {
        "none".to_string()
    } else {
        parts.join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SM-04: masks read as ranges, the ends of the mask included.
    #[test]
    fn masks_read_as_ranges() {
        assert_eq!(ranges(0), "none");
        assert_eq!(ranges(1), "0");
        assert_eq!(ranges(0xffff_fffe), "1-31");
        assert_eq!(ranges(0b11101), "0,2-4");
        assert_eq!(ranges(Mask::MAX), "0-63");
        assert_eq!(ranges(1 << 63), "63");
    }
}
