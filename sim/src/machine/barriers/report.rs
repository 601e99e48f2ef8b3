//! Barriers in messages: what a program did wrong, and who waits in a barrier that never completes (SM-04, BR-18, BR-19, BR-39).

use std::fmt;

use serde::Serialize;

use crate::assembler::Kernel;
use crate::barrier::{ErrorCause, ErrorReport};
use crate::lanes;
use crate::machine::hang::Place;
use crate::machine::observer::place;

use super::ledger::{ranks_text, Cta, Record, Standing, Top};
use super::mapping::Mapping;

/// An instruction that the scheduler refused as an error; it had no effect.
#[derive(Clone, Debug, PartialEq)]
pub struct BarrierFault {
    /// Why.
    pub cause: ErrorCause,
    /// The thread, the lowest of several.
    pub thread: lanes::Place,
    /// The barrier that the instruction names.
    pub barrier: usize,
    /// The section that the thread is inside, and its top.
    pub section: Option<(usize, Place)>,
}

impl BarrierFault {
    /// The fault that a report of the scheduler tells of, with the resident CTAs by slot.
    pub fn new(ctas: &[Option<Cta>], mapping: &Mapping, kernel: &Kernel, slot: usize, report: &ErrorReport) -> Self {
        let (warp_of_cta, threads) = mapping.warps(report.block, 1 << report.offset)[0];
        let cta = ctas[slot].as_ref();
        let warp = cta.and_then(|cta| cta.warps.get(warp_of_cta).copied()).unwrap_or(0);
        let thread = lanes::Place {
            cta: cta.map_or(0, |cta| cta.block),
            rank: mapping.rank(report.block, report.offset) as u32,
            warp,
            thread: threads.trailing_zeros() as usize,
            pc: report.address,
        };
        let section = report.other.filter(|_| report.cause == ErrorCause::Nested);
        let section = section.map(|(id, address)| (id, place(kernel, address)));
        Self { cause: report.cause, thread, barrier: report.barrier, section }
    }
}

impl fmt::Display for BarrierFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.barrier;
        write!(formatter, "{}: ", self.thread)?;
        match self.cause {
            ErrorCause::NotInside => write!(formatter, "the bottom of barrier {id} by a thread that is not inside its section"),
            ErrorCause::Nested => {
                write!(formatter, "the top of barrier {id} inside a section")?;
                match &self.section {
                    Some((other, top)) => write!(formatter, " of barrier {other}, entered at PC 0x{:x}, {top}", top.address),
                    None => Ok(()),
                }
            }
            ErrorCause::Differs => {
                write!(formatter, "the top of barrier {id} was changed while its barrier is in use: other flags, or another bottom")
            }
            ErrorCause::Illegal => write!(
                formatter,
                "barrier {id} is configured as it must not be: a condition of 4 or 5 needs `.IMPATIENT` and no other one \
                 has it, condition 5 needs a minimum, and under condition 2 a section needs all threads"
            ),
            ErrorCause::NoBottom => write!(formatter, "its block was to be suspended, but does not leave the section of barrier {id}"),
            ErrorCause::Overflow => write!(formatter, "the transactions of barrier {id} leave the range -63 to 63"),
        }
    }
}

/// Threads that met a barrier at one instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gathering {
    /// The instruction.
    pub at: Place,
    /// Ranks of those that sleep.
    pub asleep: Vec<usize>,
    /// Ranks of those that present it again and again.
    pub waiting: Vec<usize>,
}

/// A barrier of a CTA in which threads wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BarrierHang {
    /// The CTA's number in the grid.
    pub block: u32,
    /// The barrier's id.
    pub barrier: usize,
    /// Its condition, 1 to 5.
    pub condition: u8,
    /// Its reference count.
    pub reference: u16,
    /// Who waits in it, by instruction: more than one for an id with several tops.
    pub gatherings: Vec<Gathering>,
    /// The thread inside its section, by its rank.
    pub inside: Option<usize>,
    /// Ranks of threads of the CTA that have exited.
    pub exited: Vec<usize>,
    /// Threads of the CTA that live.
    pub live: usize,
}

impl BarrierHang {
    /// Every barrier of these CTAs in which threads wait, by CTA and id.
    pub fn all(ctas: &[Option<Cta>], kernel: &Kernel) -> Vec<Self> {
        let mut hangs = Vec::new();
        for cta in ctas.iter().flatten() {
            let tops = cta.threads.iter().filter_map(top_of);
            let mut tops: Vec<Top> = tops.collect();
            tops.sort_unstable();
            tops.dedup();
            let mut ids: Vec<usize> = tops.iter().map(|top| top.barrier).collect();
            ids.dedup();
            for barrier in ids {
                let gatherings = tops.iter().filter(|top| top.barrier == barrier).map(|top| Gathering {
                    at: place(kernel, top.address),
                    asleep: cta.ranks(|record| record.standing == Standing::Asleep(*top)),
                    waiting: cta.ranks(|record| record.standing == Standing::Waits(*top)),
                });
                let exited = cta.ranks(|record| record.standing == Standing::Exited);
                hangs.push(Self {
                    block: cta.block,
                    barrier,
                    condition: cta.configurations[barrier].condition,
                    reference: cta.configurations[barrier].reference,
                    gatherings: gatherings.collect(),
                    inside: cta
                        .threads
                        .iter()
                        .position(|record| record.inside.is_some_and(|top| top.barrier == barrier)),
                    live: cta.threads.len() - exited.len(),
                    exited,
                });
            }
        }
        hangs
    }
}

fn top_of(record: &Record) -> Option<Top> {
    match record.standing {
        Standing::Asleep(top) | Standing::Waits(top) => Some(top),
        Standing::Runs | Standing::Exited => None,
    }
}

impl fmt::Display for BarrierHang {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { block, barrier, condition, reference, .. } = self;
        let needs = match condition {
            1 => format!("all {} live threads of the block", self.live),
            2 => format!("{reference} threads"),
            _ => format!("{reference} participating threads"),
        };
        writeln!(formatter, "  barrier {barrier} of block {block}: condition {condition}, it waits for {needs}")?;
        for gathering in &self.gatherings {
            for (ranks, verb) in [(&gathering.asleep, "asleep in it"), (&gathering.waiting, "kept waiting")] {
                if !ranks.is_empty() {
                    let text = ranks_text(ranks);
                    writeln!(formatter, "    {} threads {verb} since {}: {text}", ranks.len(), gathering.at)?;
                }
            }
        }
        if let [first, second, ..] = self.gatherings.as_slice() {
            writeln!(
                formatter,
                "    one id, two tops (PC 0x{:x} and PC 0x{:x}): no order is guaranteed between them",
                first.at.address, second.at.address
            )?;
        }
        if let Some(thread) = self.inside {
            writeln!(formatter, "    thread {thread} is inside its section")?;
        }
        if !self.exited.is_empty() && *condition != 1 {
            let (count, text) = (self.exited.len(), ranks_text(&self.exited));
            writeln!(formatter, "    {count} threads of the block have exited and never arrive: {text}")?;
        }
        Ok(())
    }
}
