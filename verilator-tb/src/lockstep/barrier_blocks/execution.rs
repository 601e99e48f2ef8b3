//! The judge of the execution side (BR-30 to BR-33, BR-37, BR-40, BR-41): plays the arrival side, and watches every wake-up.
//!
//! Threads fall asleep, barriers turn dynamic or are released, inside threads reach their bottoms or exit, late ones join, sections finish or are
//! reset; mistakes are made; CTAs retire and others start, leave and come back.

mod mood;
mod plays;
mod traffic;
mod watch;

use super::super::bench::Counts;
use super::super::ports::Judge;
use super::saving::Saving;
use super::{expect, size};
use heddle_hdl::barrier::operation::{BarrierOperation as Operation, SavedWord};
use heddle_hdl::pins;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;
pub(super) use mood::Dice;
use mood::{Attributes, Mood};
use plays::Turn;
use std::collections::VecDeque;

pins! {
    struct Ports {
        exclusive_inside, class_conflicts, reserved_slots, execution_busy, execute_valid, execute_request, execute_operation,
        execute_cta, execute_block, execute_barrier, execute_key, execute_mask, execute_data, sleep_mask, sleep_done, sleep_phase,
        sleep_rescan, dynamic_valid, dynamic_tag, dynamic_critical, dynamic_exclusive, dynamic_blocking, dynamic_priority,
        dynamic_class, release_valid, release_phase, release_address, reset_valid, release_busy, release_busy_cta, finish_valid,
        finish_ready, finish_key, finish_cancel, bottom_sleep, bottom_pass, error_valid, error_cause, error_threads,
        error_other_key, error_other_address, wake_valid, wake_ready, wake_cta, wake_block, wake_mask, wake_address, wake_inside,
        handed_valid, handed_key, handed_slot, occupied, waiting, execute_act, execute_refused, execute_word, saving_refused,
        frozen, saved_data
    }
}

/// Cycles that a mood lasts.
const MOOD: u64 = 400;

/// How a step ends a phase of its barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    /// It does not.
    None,
    /// The barrier turns dynamic.
    Dynamic,
    /// Its sleepers are released.
    Release,
}

/// What is in the execute stage, and what the arrival side makes of it.
#[derive(Clone, Copy, Debug)]
struct Step {
    operation: Operation,
    request: bool,
    key: usize,
    block: usize,
    mask: u128,
    sleeps: u128,
    done: bool,
    rescan: bool,
    ending: Ending,
    attributes: Attributes,
    reset: bool,
    data: Option<u128>,
    word: Option<SavedWord>,
    /// Whether it takes effect, where this side looks at that.
    act: Option<bool>,
    /// It is about a CTA that leaves or comes back.
    saves: bool,
    /// This side refuses it, though nobody that it is about leaves.
    refused: bool,
}

impl Step {
    /// A request about a barrier, without threads.
    fn of(operation: Operation, key: usize) -> Self {
        Self {
            operation,
            request: true,
            key,
            block: 0,
            mask: 0,
            sleeps: 0,
            done: false,
            rescan: false,
            ending: Ending::None,
            attributes: Attributes::default(),
            reset: false,
            data: None,
            word: None,
            act: None,
            saves: false,
            refused: false,
        }
    }
}

/// A barrier.
#[derive(Clone, Copy, Debug, Default)]
struct Barrier {
    phase: u128,
    /// Its last release is known to be over.
    quiet: bool,
    /// Where the sleepers of the phase that has ended continue.
    address: u128,
    dynamic: bool,
    /// It was reset.
    closed: bool,
    attributes: Attributes,
    /// The thread inside: block and bit.
    inside: Option<(usize, u128)>,
}

/// A CTA.
#[derive(Clone, Debug, Default)]
struct Cta {
    /// Its threads, if there is one.
    launch: Option<usize>,
    /// The operand that launches it again.
    saved: u128,
    /// By block: those that have not exited.
    live: Vec<u128>,
    closing: bool,
}

/// Where a thread sleeps: barrier and phase, and whether it is done there.
type Sleep = Option<(usize, u128, bool)>;

/// The threads of a row of which `which` is true.
fn bits(row: &[Sleep], which: impl Fn(&Sleep) -> bool) -> u128 {
    let threads = row.iter().enumerate().filter(|(_, sleep)| which(sleep));
    threads.fold(0, |mask, (thread, _)| mask | 1 << thread)
}

/// All barriers and threads.
pub struct ExecutionJudge {
    ports: Ports,
    ids: usize,
    blocks: usize,
    block_threads: usize,
    ctas: Vec<Cta>,
    barriers: Vec<Barrier>,
    threads: Vec<Vec<Sleep>>,
    /// The barriers in the slots, and those that wait for one.
    slots: Vec<Option<usize>>,
    queue: Vec<usize>,
    mood: Mood,
    turn: Turn,
    since: u64,
    /// Barriers end, one behind the other, until none is left that can.
    fires: bool,
    /// No wake-up is taken before this cycle.
    stalled: u64,
    /// Further steps of a launch or an exit.
    steps: VecDeque<Step>,
    /// What is in the execute stage in this cycle.
    executes: Option<Step>,
    busy: bool,
    finishing: Option<usize>,
    /// A finish that is offered and not taken.
    offered: Option<usize>,
    /// A wake-up that was shown and not taken: its row and threads.
    shown: Option<(usize, u128)>,
    saving: Saving,
    /// Slots and queue are being emptied of this CTA.
    draining: Option<usize>,
    cycle: u64,
}

impl ExecutionJudge {
    fn mask(&self, row: usize, which: impl Fn(&Sleep) -> bool) -> u128 {
        bits(&self.threads[row], which)
    }

    /// Whether somebody of a barrier sleeps and has still to run its section.
    fn pending(&self, key: usize) -> bool {
        let cta = key / self.ids;
        self.threads[cta * self.blocks..(cta + 1) * self.blocks]
            .iter()
            .flatten()
            .any(|sleep| sleep.is_some_and(|(of, phase, done)| of == key && phase == self.barriers[key].phase && !done))
    }

    /// The barriers of a CTA with a thread of this block inside.
    fn sections(&self, cta: usize, block: usize) -> impl Iterator<Item = (usize, u128)> + '_ {
        (cta * self.ids..(cta + 1) * self.ids)
            .filter_map(move |key| self.barriers[key].inside.filter(|(at, _)| *at == block).map(|(_, bit)| (key, bit)))
    }

    /// The threads of this block that are inside a section.
    fn inside(&self, cta: usize, block: usize) -> u128 {
        self.sections(cta, block).fold(0, |mask, (_, bit)| mask | bit)
    }
}

impl Judge for ExecutionJudge {
    const EXPECTED: &'static [&'static str] = &[
        "thread enters a section",
        "enters beside another section",
        "others wait",
        "bottom that passes",
        "bottom that sleeps",
        "bottom of others",
        "top inside a section",
        "exit inside a section",
        "reset",
        "wake-up by a release",
        "late arrival",
        "late arrival that skips the section",
        "finish",
        "finish cancelled",
        "leaves",
        "comes back",
        "no bottom in time",
        "refused while another leaves",
        "refused while nobody leaves",
    ];

    fn new(entry: &Entry, ports: &[Port]) -> Self {
        let (ctas, ids, blocks) = (size(entry, "ctas"), size(entry, "barriers"), size(entry, "blocks"));
        let (block_threads, slots) = (size(entry, "block_threads"), size(entry, "slots"));
        Self {
            ports: Ports::of(ports),
            ids,
            blocks,
            block_threads,
            ctas: vec![Cta { live: vec![0; blocks], ..Cta::default() }; ctas],
            barriers: vec![Barrier { quiet: true, ..Barrier::default() }; ctas * ids],
            threads: vec![vec![None; block_threads]; ctas * blocks],
            slots: vec![None; slots],
            queue: Vec::new(),
            mood: Mood::new(&mut Dice::new(0), [ctas, ids, slots]),
            turn: Turn::default(),
            since: 0,
            fires: false,
            stalled: 0,
            steps: VecDeque::new(),
            executes: None,
            busy: true,
            finishing: None,
            offered: None,
            shown: None,
            saving: Saving::new(ids, blocks),
            draining: None,
            cycle: 0,
        }
    }

    fn allow(&mut self, pins: &mut Frame) {
        let ports = self.ports;
        let words = [ports.execute_data, ports.dynamic_tag, ports.release_address].map(|port| pins.read(port) as u64);
        let mut dice = Dice::new(words.iter().fold(self.cycle, |seed, word| Dice::new(seed ^ word).roll()));
        let sizes = [self.ctas.len(), self.ids, self.slots.len()];
        if self.cycle == 0 {
            self.mood = Mood::new(&mut dice, sizes);
        } else if self.cycle.is_multiple_of(MOOD) {
            self.mood = self.mood.changed(&mut dice, sizes);
        }
        self.cycle += 1;
        // What means nothing stays as it is: random.
        for port in [ports.execute_valid, ports.execute_request, ports.execute_act, ports.execute_refused] {
            pins.write(port, 0);
        }
        for port in [ports.sleep_mask, ports.dynamic_valid, ports.release_valid, ports.reset_valid] {
            pins.write(port, 0);
        }
        let key = pins.read(ports.execute_key) as usize;
        for (port, value) in [
            (ports.exclusive_inside, self.mood.exclusive_inside),
            (ports.class_conflicts, self.mood.conflicts),
            (ports.reserved_slots, self.mood.reserved),
            (ports.execute_cta, (key / self.ids) as u128),
            (ports.execute_barrier, (key % self.ids) as u128),
        ] {
            pins.write(port, value);
        }
        let mut step = self.next_step(&mut dice);
        if let Some(step) = step.as_mut().filter(|step| step.ending == Ending::Dynamic && !step.saves) {
            step.attributes = self.mood.attributes(&mut dice, step.key, pins.read(ports.dynamic_tag));
        }
        if let Some(step) = &step {
            self.present(pins, step, &mut dice);
        }
        if self.mood.starves.is_some() {
            // The port is not free in the cycle in which a CTA is to be held.
            pins.write(ports.wake_ready, u128::from(step.is_none_or(|step| step.operation != Operation::Suspend)));
        }
        if self.cycle < self.stalled {
            pins.write(ports.wake_ready, 0);
        }
        self.executes = step;
        // A finish is taken unless something else goes before it.
        let taken = if self.mood.orderly { !dice.one_in(8) } else { pins.read(ports.finish_ready) == 1 };
        let free = self.finishing.is_none() || self.mood.orderly;
        let able = free && self.steps.is_empty() && !self.busy && self.draining.is_none();
        pins.write(ports.finish_ready, u128::from(taken && able));
    }

    fn observe(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let read = |port| pins.read(port);
        expect("who is held", read(self.ports.frozen), self.saving.frozen())?;
        self.wakes(pins, counts)?;
        self.places(pins, counts)?;
        self.busy = read(self.ports.execution_busy) == 1;
        self.finishing = None;
        let step = self.executes.take();
        match &step {
            Some(step) if step.saves => {
                self.saved(pins, counts)?;
                let row = step.key / self.ids * self.blocks + step.block;
                let phase = self.barriers[step.key].phase;
                for (thread, sleep) in self.threads[row].iter_mut().enumerate() {
                    if step.sleeps >> thread & 1 == 1 {
                        *sleep = Some((step.key, phase, step.done));
                    }
                }
                self.ends(pins, step, counts)?;
            }
            Some(step) => {
                self.answers(pins, step, counts)?;
                self.ends(pins, step, counts)?;
            }
            None => {
                let Ports { error_valid, bottom_sleep, bottom_pass, saving_refused, .. } = self.ports;
                let answer = [error_valid, bottom_sleep, bottom_pass, saving_refused].map(read);
                expect("the answer to nobody", answer, [0; 4])?;
                let key = read(self.ports.execute_key) as usize;
                self.barriers[key].quiet |= read(self.ports.release_busy) == 0;
            }
        }
        if read(self.ports.release_busy_cta) == 0 && step.is_none() {
            let cta = read(self.ports.execute_cta) as usize;
            self.barriers[cta * self.ids..(cta + 1) * self.ids].iter_mut().for_each(|barrier| barrier.quiet = true);
        }
        let offered = (read(self.ports.finish_valid) == 1).then_some(read(self.ports.finish_key) as usize);
        let taken = read(self.ports.finish_ready) == 1;
        self.finishing = offered.filter(|_| taken);
        self.offered = offered.filter(|_| !taken);
        Ok(())
    }
}
