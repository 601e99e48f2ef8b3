//! Looks at a hanging machine for one more turn of its loop, and says who waits for whom (SM-04).

use std::collections::BTreeMap;

use crate::assembler::Kernel;
use crate::engine::{Kind, Mask, Operation, Request};
use crate::isa::Action;
use crate::lanes::{Lanes, MemoryAccess};

use super::barriers::{BarrierHang, Cta};
use super::blocks::Resident;
use super::hang::{Contended, Hang, Place, Spinning, Waiting, WarpHang};
use super::locks::{Locks, Word};
use super::state::Look;
use super::watchdog::Finding;

/// Words that a report names for each set of spinning threads.
const WORDS_NAMED: usize = 4;

/// The last control instruction of a thread: the one that disabled it, if it is disabled.
#[derive(Clone, Copy, Debug)]
pub struct LastControl {
    address: u32,
    operation: Operation,
    target: Option<u32>,
}

/// The last control instructions of all threads.
#[derive(Clone, Debug)]
pub struct ControlHistory {
    warps: Vec<Vec<Option<LastControl>>>,
}

impl ControlHistory {
    /// A history of `warps` warps of `threads` threads.
    pub fn new(warps: usize, threads: usize) -> Self {
        Self { warps: vec![vec![None; threads]; warps] }
    }

    /// Notes an instruction that was accepted.
    pub fn note(&mut self, request: &Request, address: u32, active: Mask) {
        if matches!(request.operation, Operation::Step | Operation::Push | Operation::Wake) {
            return;
        }
        let last =
            LastControl { address, operation: request.operation, target: request.targeted.then_some(request.target) };
        for (thread, entry) in self.warps[request.warp].iter_mut().enumerate() {
            if active >> thread & 1 == 1 {
                *entry = Some(last);
            }
        }
    }
}

/// What was seen since the watchdog's finding.
#[derive(Clone, Debug)]
pub struct Observer {
    finding: Finding,
    found_in: u64,
    /// Instructions still to be seen.
    remaining: u64,
    /// By warp and address: threads that ran it, and the first word it accessed.
    seen: BTreeMap<(usize, u32), (Mask, Option<Word>)>,
}

impl Observer {
    /// An observer that starts now.
    pub fn new(finding: Finding, cycle: u64, warps: usize) -> Self {
        let remaining = match finding {
            Finding::Loop { period } => period,
            Finding::Stuck { .. } => 0,
            // A few hundred instructions a warp show every thread of a yielding loop.
            Finding::Quiet { .. } => 512 * warps as u64,
        };
        Self { finding, found_in: cycle, remaining, seen: BTreeMap::new() }
    }

    /// Notes an instruction that was accepted.
    pub fn note(&mut self, warp: usize, resident: Resident, address: u32, active: Mask, access: Option<MemoryAccess>) {
        let entry = self.seen.entry((warp, address)).or_default();
        entry.0 |= active;
        entry.1 = entry.1.or_else(|| access.and_then(|access| Word::new(access.space, resident.block, access.address)));
        self.remaining = self.remaining.saturating_sub(1);
    }

    /// It has seen enough.
    pub fn complete(&self) -> bool {
        self.remaining == 0
    }

    /// Who waits for whom.
    pub fn report(&self, scene: &mut Scene<'_>) -> Hang {
        let residents = scene.residents.iter().enumerate();
        let warps = residents.filter_map(|(warp, resident)| Some(self.warp(scene, warp, (*resident)?))).collect();
        let barriers = BarrierHang::all(scene.ctas, scene.kernel);
        // Whoever still issues anything does nothing but present a barrier instruction again, longer than any timeout.
        let at_barriers = |address: &u32| {
            let instruction = scene.kernel.instructions.get(*address as usize);
            instruction.is_some_and(|instruction| matches!(instruction.action, Action::Barrier(_)))
        };
        let only_barriers = !barriers.is_empty() && self.seen.keys().all(|(_, address)| at_barriers(address));
        Hang::new(self.finding, self.found_in, warps, barriers, only_barriers)
    }

    fn warp(&self, scene: &mut Scene<'_>, warp: usize, resident: Resident) -> WarpHang {
        let seen: Vec<_> =
            self.seen.range((warp, 0)..=(warp, u32::MAX)).map(|((_, address), seen)| (*address, *seen)).collect();
        let ran = seen.iter().fold(0, |mask, (_, (threads, _))| mask | threads);
        let mut waiting = BTreeMap::<(Kind, u32, Option<u32>), Mask>::new();
        for kind in Kind::ALL {
            let disabled = scene.engine.disabled(warp, kind) & !ran;
            for thread in (0..Mask::BITS as usize).filter(|thread| disabled >> thread & 1 == 1) {
                let last = scene.history.warps[warp].get(thread).copied().flatten();
                let at = last.map_or(0, |last| last.address);
                let resume = last.and_then(|last| match last.operation {
                    Operation::Leave => last.target,
                    Operation::Yield => Some(last.address + 1),
                    _ => None,
                });
                *waiting.entry((kind, at, resume)).or_default() |= 1 << thread;
            }
        }
        let waits_for = if ran != 0 { ran } else { scene.engine.fetch(warp).active };
        WarpHang {
            warp,
            block: u64::from(resident.block),
            spinning: spinning_sets(&seen).into_iter().map(|threads| spinning(scene, threads, &seen)).collect(),
            waiting: waiting
                .into_iter()
                .map(|((reason, at, resume), threads)| Waiting {
                    threads,
                    reason,
                    at: place(scene.kernel, at),
                    resume: resume.map(|address| place(scene.kernel, address)),
                    waits_for,
                })
                .collect(),
        }
    }
}

/// What an observer needs for its report.
pub struct Scene<'a> {
    /// The program.
    pub kernel: &'a Kernel,
    /// The warps' divergence.
    pub engine: &'a mut dyn Look,
    /// The lanes.
    pub lanes: &'a Lanes,
    /// Which block runs where, by warp.
    pub residents: &'a [Option<Resident>],
    /// Who holds which lock.
    pub locks: &'a Locks,
    /// What disabled whom.
    pub history: &'a ControlHistory,
    /// The resident CTAs by slot, if there are barriers: who waits in which.
    pub ctas: &'a [Option<Cta>],
}

/// Threads that ran the same instructions, set by set.
fn spinning_sets(seen: &[(u32, (Mask, Option<Word>))]) -> Vec<Mask> {
    let mut sets = BTreeMap::<Vec<u32>, Mask>::new();
    for thread in 0..Mask::BITS {
        let ran: Vec<u32> =
            seen.iter().filter(|(_, (threads, _))| threads >> thread & 1 == 1).map(|(address, _)| *address).collect();
        if !ran.is_empty() {
            *sets.entry(ran).or_default() |= 1 << thread;
        }
    }
    let mut sets: Vec<Mask> = sets.into_values().collect();
    sets.sort_by_key(|threads| threads.trailing_zeros());
    sets
}

fn spinning(scene: &Scene<'_>, threads: Mask, seen: &[(u32, (Mask, Option<Word>))]) -> Spinning {
    let own: Vec<_> = seen.iter().filter(|(_, (ran, _))| ran & threads != 0).collect();
    let mut words: Vec<Contended> = Vec::new();
    for (address, (_, word)) in &own {
        let Some(word) = word else { continue };
        let known = words.iter().any(|known| known.address == word.address && known.space == word.space().name());
        if !known && words.len() < WORDS_NAMED && reads(scene.kernel, *address) {
            words.push(Contended {
                address: word.address,
                space: word.space().name(),
                value: word.value(scene.lanes).unwrap_or(0),
                place: place(scene.kernel, *address),
                holder: scene.locks.holder(*word),
            });
        }
    }
    let ends = (own.first().map_or(0, |(address, _)| *address), own.last().map_or(0, |(address, _)| *address));
    Spinning { threads, from: place(scene.kernel, ends.0), to: place(scene.kernel, ends.1), words }
}

fn reads(kernel: &Kernel, address: u32) -> bool {
    kernel
        .instructions
        .get(address as usize)
        .is_some_and(|instruction| matches!(instruction.action, Action::Load(..) | Action::Atomic(..)))
}

/// The place of an address in a kernel.
pub fn place(kernel: &Kernel, address: u32) -> Place {
    let label = kernel
        .labels
        .iter()
        .filter(|(_, label)| **label <= address)
        .max_by_key(|(_, label)| **label)
        .map(|(name, label)| (name.clone(), address - label));
    Place { address, line: kernel.lines.get(address as usize).copied(), label, text: instruction_text(kernel, address) }
}

/// An instruction as its author wrote it: with the label that it names, if there is one at its address.
fn instruction_text(kernel: &Kernel, address: u32) -> String {
    let Some(instruction) = kernel.instructions.get(address as usize) else { return "no instruction".to_string() };
    let text = instruction.to_string();
    if !matches!(instruction.action, Action::Control(_) | Action::Barrier(_)) {
        return text;
    }
    let target = instruction.immediate();
    match kernel.labels.iter().find(|(_, label)| **label == target) {
        Some((name, _)) => match text.strip_suffix(&format!("0x{target:x}")) {
            Some(head) => format!("{head}{name}"),
            None => text,
        },
        None => text,
    }
}
