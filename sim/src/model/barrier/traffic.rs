//! Random legal traffic for any barrier scheduler, with the contract watching it.
//!
//! A [`Scenario`] is drawn from a seed, before anything runs: static inputs, and for each CTA its launches, each with a configuration for
//! each id and a program that all its threads run at their own pace. [`run`] drives a scheduler with it; the same scenario on the same scheduler
//! gives the same run, so a seed is a replay. [`shrink`] makes a failing one smaller.
//!
//! Legal means that every program ends whatever the scheduler does within its promises (BR-42): the threads of a CTA meet the barriers that need them
//! all in one order; impatient ones anywhere; counts below the number of threads only at the end, where BR-39 frees who is left.

mod driver;
mod plan;
mod shrink;

use super::contract::{Breach, Limits};
use crate::barrier::{BarrierScheduler, Configuration, Size, Statics};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use plan::scenario;
pub use shrink::shrink;

/// A top in a program, or the barrier of a split phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// Barrier id.
    pub barrier: usize,
    /// PC of the top; a WAIT's as well.
    pub tag: u32,
    /// PC after the bottom.
    pub after: u32,
    /// Critical section.
    pub critical: bool,
    /// In logical order.
    pub ordered: bool,
    /// Alone.
    pub exclusive: bool,
    /// Blocking bottom.
    pub blocking: bool,
    /// Condition 4 or 5.
    pub impatient: bool,
    /// Who takes part.
    pub participation: Participation,
}

/// Whose predicate holds at a top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Participation {
    /// Everybody's.
    All,
    /// Of so many threads out of a hundred, drawn anew each time.
    Percent(u64),
    /// Of threads whose logical id leaves this rest when divided.
    Every {
        /// The divisor.
        divisor: usize,
        /// The rest.
        rest: usize,
    },
}

/// A step of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// Through the barrier of a site, section and bottom included.
    Top(usize),
    /// ARRIVE at the barrier of a site, in its so-manieth phase.
    SplitArrive(usize, usize),
    /// WAIT for that phase.
    SplitWait(usize, usize),
}

impl Action {
    /// Its site.
    pub const fn site(self) -> usize {
        match self {
            Action::Top(site) | Action::SplitArrive(site, _) | Action::SplitWait(site, _) => site,
        }
    }
}

/// One launch of a CTA.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CtaPlan {
    /// Threads.
    pub threads: usize,
    /// Physical block of each logical block.
    pub map: Vec<usize>,
    /// One configuration an id.
    pub configurations: Vec<Configuration>,
    /// Ids that the host may reset at any time.
    pub resettable: Vec<usize>,
    /// Ids that hang until the host resets them.
    pub hung: Vec<usize>,
    /// The tops and split barriers.
    pub sites: Vec<Site>,
    /// What every thread does.
    pub steps: Vec<Action>,
    /// Out of a hundred threads so many exit before their end, some of them inside a section.
    pub exits: u64,
}

/// How the traffic behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Knobs {
    /// Cycles out of a hundred in which a request is offered, if there is one.
    pub offer: u32,
    /// Cycles out of a hundred in which no wake-up is taken, or from which on for a while none is.
    pub wake_stall: u32,
    /// How long none is taken then, at most, in cycles beyond the first.
    pub wake_burst: u64,
    /// Arrivals out of a hundred that come with part of a block's threads.
    pub partial: u32,
    /// Longest pause of a thread between steps, in cycles.
    pub pause: u64,
    /// Longest stay in a section, in cycles.
    pub stay: u64,
    /// Requests out of a thousand that are wrong on purpose, or have to be refused.
    pub probes: u32,
    /// Requests out of a thousand that are resets by the host.
    pub resets: u32,
    /// The first section to start stays this long: what comes behind it piles up.
    pub first_stay: u64,
    /// No thread makes a request before this cycle: CTAs can be launched until then.
    pub begin: u64,
    /// No wake-up is taken before this cycle.
    #[serde(default)]
    pub hush: u64,
    /// Requests out of a thousand with which a CTA begins to be suspended.
    #[serde(default)]
    pub suspends: u32,
    /// The section of one CTA is passed over whenever it could start a thread, by that of another with a higher priority (BR-36).
    #[serde(default)]
    pub passes: bool,
}

/// Everything about a run but the scheduler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scenario {
    /// From where it was drawn, and its own randomness.
    pub seed: u64,
    /// Size of the scheduler.
    pub size: Size,
    /// Its static inputs.
    pub statics: Statics,
    /// The launches of each CTA, one after another.
    pub ctas: Vec<Vec<CtaPlan>>,
    /// How it behaves.
    pub knobs: Knobs,
}

/// What a run met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How long it took.
    pub cycles: u64,
    /// Requests that were accepted.
    pub requests: u64,
    /// What happened, by name.
    pub met: BTreeMap<&'static str, u64>,
}

impl Report {
    /// Adds another run.
    pub fn add(&mut self, other: &Report) {
        self.cycles += other.cycles;
        self.requests += other.requests;
        for (name, count) in &other.met {
            *self.met.entry(name).or_default() += count;
        }
    }
}

/// How a run failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The scheduler broke its contract.
    #[error(transparent)]
    Contract(#[from] Breach),
    /// BR-42: threads are left for which nothing happens any more.
    #[error("BR-42 broken in cycle {cycle}: {detail}")]
    Hang {
        /// When that was found.
        cycle: u64,
        /// Who is left.
        detail: String,
    },
    /// A wake-up or an answer made no sense to the program.
    #[error("a program went astray in cycle {cycle}: {detail}")]
    Astray {
        /// When.
        cycle: u64,
        /// What.
        detail: String,
    },
}

/// Runs a scenario on a scheduler that was just reset; `limits` of the contract.
pub fn run(
    scenario: &Scenario,
    scheduler: &mut (impl BarrierScheduler + ?Sized),
    limits: Limits,
) -> Result<Report, Failure> {
    driver::Driver::new(scenario, scheduler, limits).run()
}

/// A draw that depends on its place only, so that it comes out the same when asked again.
fn draw(seed: u64, place: [usize; 4]) -> u64 {
    place.iter().fold(seed, |state, &part| {
        let mut mixed = state.wrapping_add(part as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    })
}

#[cfg(test)]
mod tests;
