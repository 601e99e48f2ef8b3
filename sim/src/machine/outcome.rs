//! How a run ended.

use crate::engine::{Cause, Fault};
use crate::lanes::LaneFault;

use crate::control_core::CoreFault;

use super::barriers::BarrierFault;
use super::counters::Counters;
use super::hang::{Hang, Place};
use super::local_unit::ContextFault;
use super::suspension::FailedSuspension;
use super::timeline::Timeline;

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Every thread of the grid exited.
    Completed,
    /// The watchdog stopped it: deadlock or livelock.
    Hang(Hang),
    /// An engine stopped a warp.
    EngineFault {
        /// What it said.
        fault: Fault,
        /// Where.
        place: Place,
    },
    /// A thread did what it must not, such as an access out of bounds.
    LaneFault {
        /// What it did.
        fault: LaneFault,
        /// Where.
        place: Place,
    },
    /// The control core did what it must not; a fault of the hardware.
    CoreFault(CoreFault),
    /// The context unit did what it must not; a fault of the hardware.
    ContextFault(ContextFault),
    /// A thread did what it must not at a barrier.
    BarrierFault {
        /// What it did.
        fault: BarrierFault,
        /// Where.
        place: Place,
    },
    /// A warp left the program.
    OutsideProgram {
        /// The warp.
        warp: usize,
        /// Its PC.
        address: u32,
    },
    /// The limit of cycles was met.
    CycleLimit,
    /// Somebody asked to stop.
    Interrupted,
}

impl Verdict {
    /// One word for tables and JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Completed => "completed",
            Verdict::Hang(hang) => hang.name(),
            Verdict::EngineFault { .. }
            | Verdict::LaneFault { .. }
            | Verdict::CoreFault(_)
            | Verdict::ContextFault(_)
            | Verdict::BarrierFault { .. }
            | Verdict::OutsideProgram { .. } => "fault",
            Verdict::CycleLimit => "cycle-limit",
            Verdict::Interrupted => "interrupted",
        }
    }

    /// What happened, for a person; empty if all went well.
    pub fn explain(&self) -> String {
        match self {
            Verdict::Completed => String::new(),
            Verdict::Hang(hang) => hang.to_string(),
            Verdict::EngineFault { fault, place } => {
                let cause = match fault.cause {
                    Cause::LostThread => "threads wait for a token that does not exist",
                    Cause::Fatal => "its spill area is full (a larger --spill-limit may help)",
                    Cause::Recenter | Cause::Spill | Cause::Refill => "its queue needs a handler that did not come",
                };
                format!("warp {} was stopped at {place}: {cause}\n", fault.warp)
            }
            Verdict::CoreFault(fault) => format!("{fault}; that is a fault of the hardware\n"),
            Verdict::ContextFault(fault) => format!("{fault}; that is a fault of the hardware\n"),
            Verdict::LaneFault { fault, place } => format!("{fault}\n  at {place}\n"),
            Verdict::BarrierFault { fault, place } => format!("{fault}\n  at {place}\n"),
            Verdict::OutsideProgram { warp, address } => {
                format!("warp {warp} ran to address {address}, where there is no instruction: is an EXIT missing?\n")
            }
            Verdict::CycleLimit => "the limit of cycles was met before the end (--max-cycles)\n".to_string(),
            Verdict::Interrupted => "interrupted\n".to_string(),
        }
    }
}

/// A run that ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How.
    pub verdict: Verdict,
    /// What it counted.
    pub counters: Counters,
    /// Global memory at the end.
    pub global: Vec<u8>,
    /// Timelines of the first warps, if they were asked for.
    pub timelines: Vec<Timeline>,
    /// Suspensions that failed; the blocks ran on.
    pub failed_suspensions: Vec<FailedSuspension>,
    /// Why the trace is incomplete, if it is.
    pub trace_failure: Option<String>,
}
