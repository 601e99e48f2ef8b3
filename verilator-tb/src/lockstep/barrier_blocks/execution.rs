//! The judge of the execution side (BR-30, BR-32, BR-33, BR-40, BR-41): plays the arrival side, and watches every wake-up.
//!
//! Threads fall asleep, barriers turn dynamic or are released, inside threads reach their bottoms, late ones join, sections finish; CTAs leave and
//! come back. Exits and resets are left to the lockstep of the whole scheduler.

use super::super::bench::Counts;
use super::super::ports::Judge;
use super::saving::{Saving, Wish};
use super::{expect, size};
use heddle_hdl::barrier::operation::{BarrierOperation as Operation, SavedWord};
use heddle_hdl::pins;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;

pins! {
    struct Ports {
        exclusive_inside, class_conflicts, reserved_slots, execution_busy, execute_valid, execute_request, execute_operation,
        execute_cta, execute_block, execute_barrier, execute_key, execute_mask, execute_data, sleep_mask, sleep_done, sleep_phase,
        sleep_rescan, dynamic_valid, dynamic_critical, dynamic_blocking, release_valid, release_phase, reset_valid, release_busy,
        finish_valid, finish_ready, finish_key, finish_cancel, bottom_sleep, bottom_pass, error_valid, wake_valid, wake_ready,
        wake_cta, wake_block, wake_mask, wake_inside, execute_act, execute_refused, execute_word, saving_refused, frozen, saved_data
    }
}

/// Barriers that are busier than the others.
const FEW: usize = 4;

/// A barrier.
#[derive(Clone, Copy, Debug, Default)]
struct Barrier {
    phase: u128,
    dynamic: bool,
    critical: bool,
    blocking: bool,
    /// The thread inside: block and bit.
    inside: Option<(usize, u128)>,
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
    barriers: Vec<Barrier>,
    threads: Vec<Vec<Sleep>>,
    /// Steps of the launches, one a cycle after the sweep.
    launched: usize,
    busy: bool,
    /// The barrier of the cycle before, of which no release was under way.
    settled: Option<usize>,
    finishing: Option<usize>,
    /// A finish that is offered and not taken.
    offered: Option<usize>,
    /// A wake-up was shown and not taken.
    shown: bool,
    statics: Option<[u128; 3]>,
    saving: Saving,
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

    /// Whether a thread of this block is inside a section.
    fn inside(&self, row: usize) -> u128 {
        let of = |key: usize| key / self.ids * self.blocks;
        let barriers = self.barriers.iter().enumerate();
        let inside = barriers.filter_map(|(key, barrier)| barrier.inside.map(|(block, bit)| (of(key) + block, bit)));
        inside.filter(|(at, _)| *at == row).fold(0, |mask, (_, bit)| mask | bit)
    }

    /// The execute stage's request: an arrival, late or not, or a bottom.
    fn request(&self, pins: &mut Frame, key: usize, random: u128) {
        let Ports { execute_request, execute_operation, execute_block, execute_mask, sleep_mask, sleep_rescan, .. } =
            self.ports;
        let Ports { dynamic_valid, release_valid, .. } = self.ports;
        let barrier = self.barriers[key];
        pins.write(execute_request, 1);
        // Who joined after the finish was offered stays inside until that is over: else the slot may cancel it though all are done again, which
        // nobody foresees from here.
        let leaves = random.is_multiple_of(4) && self.offered != Some(key);
        if let (Some((block, bit)), true) = (barrier.inside, leaves) {
            pins.write(execute_operation, Operation::Bottom as u128);
            pins.write(execute_block, block as u128);
            return pins.write(execute_mask, bit);
        }
        pins.write(execute_operation, Operation::Arrive as u128);
        let row = key / self.ids * self.blocks + pins.read(execute_block) as usize;
        let mut mask = pins.read(execute_mask) & self.mask(row, Option::is_none) & !self.inside(row);
        // One thread, often, and rarely any if the section runs: or it never ends.
        if random >> 12 & 1 == 0 {
            mask &= mask.wrapping_neg();
        }
        if barrier.dynamic && self.offered != Some(key) && random >> 13 & 7 != 0 {
            mask = 0;
        }
        pins.write(execute_mask, mask);
        pins.write(sleep_mask, pins.read(execute_mask));
        pins.write(sleep_rescan, u128::from(barrier.dynamic));
        // Completed by this arrival, or not: a release waits for the one before it.
        let somebody = pins.read(sleep_mask) != 0 && !barrier.dynamic && self.settled == Some(key);
        pins.write(dynamic_valid, u128::from(somebody && random >> 4 & 3 == 0));
        pins.write(release_valid, u128::from(somebody && random >> 4 & 3 == 1));
    }
}

impl ExecutionJudge {
    /// The operand of a launch: all blocks, in the reverse order.
    fn launch(&self) -> u128 {
        let bits = self.blocks.trailing_zeros() as usize;
        let map = (0..self.blocks).fold(0, |map, block| map | ((self.blocks - 1 - block) as u128) << (bits * block));
        map << 16 | (self.blocks * self.threads[0].len()) as u128
    }

    /// Presents what the core asks of a CTA that leaves or comes back.
    fn save(&self, pins: &mut Frame, wish: Wish) {
        let (word, barrier, block) = wish.place;
        let cta = self.saving.cta();
        let key = cta * self.ids + barrier;
        let of = |which: SavedWord| u128::from(wish.operation == Operation::Deposit && word == which);
        let sleeps = if of(SavedWord::Waiting) + of(SavedWord::Finished) == 1 { wish.data } else { 0 };
        let Ports { execute_valid, execute_request, execute_operation, execute_cta, execute_barrier, .. } = self.ports;
        let Ports { execute_block, execute_key, execute_data, execute_word, execute_act, execute_refused, .. } =
            self.ports;
        let Ports { sleep_mask, sleep_done, sleep_phase, dynamic_valid, dynamic_critical, dynamic_blocking, .. } =
            self.ports;
        for (port, value) in [
            (execute_valid, 1),
            (execute_request, u128::from(wish.first)),
            (execute_operation, wish.operation as u128),
            (execute_cta, cta as u128),
            (execute_barrier, barrier as u128),
            (execute_block, block as u128),
            (execute_key, key as u128),
            (execute_data, wish.data),
            (execute_word, word as u128),
            (execute_act, u128::from(wish.act)),
            (execute_refused, u128::from(!wish.act)),
            (sleep_mask, sleeps),
            (sleep_done, of(SavedWord::Finished)),
            (sleep_phase, self.barriers[key].phase),
            (dynamic_valid, of(SavedWord::Entry)),
        ] {
            pins.write(port, value);
        }
        if of(SavedWord::Entry) == 1 {
            pins.write(dynamic_critical, u128::from(self.barriers[key].critical));
            pins.write(dynamic_blocking, u128::from(self.barriers[key].blocking));
        }
    }

    /// What became of it. True if slots and queues are being emptied from the next cycle on.
    fn saved(&mut self, pins: &Frame, counts: &mut Counts) -> Result<bool, String> {
        let cta = self.saving.cta();
        let (away, comes_back) = (self.saving.is_away(), self.saving.comes_back());
        let inside = (0..self.blocks).any(|block| self.inside(cta * self.blocks + block) != 0);
        let launch = self.launch();
        let (ids, blocks, threads) = (self.ids, self.blocks, &self.threads);
        let known = |(word, barrier, block): (SavedWord, usize, usize)| {
            let asleep = |done: bool| {
                let sleeps =
                    |sleep: &Sleep| sleep.is_some_and(|(of, _, over)| of == cta * ids + barrier && over == done);
                bits(&threads[cta * blocks + block], sleeps)
            };
            match word {
                SavedWord::Launch => Some(launch),
                SavedWord::Waiting => Some(asleep(false)),
                SavedWord::Finished => Some(asleep(true)),
                _ => None,
            }
        };
        let answer =
            [self.ports.saving_refused, self.ports.error_valid, self.ports.saved_data].map(|port| pins.read(port));
        let empties = self.saving.answered(self.cycle, answer, inside, known)?;
        if self.saving.is_away() && !away {
            let dynamic = |barrier: &usize| self.barriers[cta * self.ids + barrier].dynamic;
            let mut out = self.saving.taken_out().to_vec();
            out.sort_unstable();
            expect("the barriers that were taken out", out, (0..self.ids).filter(dynamic).collect())?;
            counts.add("leaves");
        }
        if comes_back && !self.saving.comes_back() {
            counts.add("comes back");
        }
        Ok(empties)
    }
}

impl Judge for ExecutionJudge {
    const EXPECTED: &'static [&'static str] = &[
        "thread enters a section",
        "bottom that passes",
        "bottom that sleeps",
        "wake-up by a release",
        "late arrival",
        "finish",
        "finish cancelled",
        "leaves",
        "comes back",
    ];

    fn new(entry: &Entry, ports: &[Port]) -> Self {
        let (ctas, ids, blocks) = (size(entry, "ctas"), size(entry, "barriers"), size(entry, "blocks"));
        Self {
            ports: Ports::of(ports),
            ids,
            blocks,
            barriers: vec![Barrier::default(); ctas * ids],
            threads: vec![vec![None; size(entry, "block_threads")]; ctas * blocks],
            launched: 0,
            busy: true,
            settled: None,
            finishing: None,
            offered: None,
            shown: false,
            statics: None,
            saving: Saving::new(ids, blocks),
            cycle: 0,
        }
    }

    fn allow(&mut self, pins: &mut Frame) {
        let Ports { execute_valid, execute_request, execute_operation, execute_cta, execute_barrier, .. } = self.ports;
        let Ports { execute_key, execute_data, sleep_mask, sleep_done, sleep_phase, sleep_rescan, .. } = self.ports;
        let Ports { dynamic_valid, release_valid, release_phase, reset_valid, finish_ready, .. } = self.ports;
        let statics = [self.ports.exclusive_inside, self.ports.class_conflicts, self.ports.reserved_slots];
        let first = [pins.read(statics[0]), u128::from(u16::MAX), 0];
        for (port, value) in statics.into_iter().zip(*self.statics.get_or_insert(first)) {
            pins.write(port, value);
        }
        pins.write(self.ports.execute_act, 0);
        pins.write(self.ports.execute_refused, 0);
        self.cycle += 1;
        let random = pins.read(execute_data);
        let wanted = pins.read(execute_valid) == 1;
        // The same barrier again, every other time: a release is only legal when the one before is known to be over.
        let mut key = pins.read(execute_key) as usize;
        if let (Some(settled), 1) = (self.settled, random >> 7 & 1) {
            key = settled;
        }
        // Of the many barriers of a large point, few at a time get somewhere; and who is inside has to come out again.
        if random >> 9 & 3 != 0 {
            key %= FEW;
            let inside = (0..FEW).map(|place| (key + place) % FEW).find(|key| self.barriers[*key].inside.is_some());
            key = inside.filter(|_| random >> 11 & 1 == 0).unwrap_or(key);
        }
        // And often the one whose finish is offered: a thread may still join it.
        if let (Some(offered), 0) = (self.offered, random >> 8 & 1) {
            key = offered;
        }
        for port in [execute_valid, execute_request, sleep_mask, sleep_done, sleep_rescan] {
            pins.write(port, 0);
        }
        for port in [dynamic_valid, release_valid, reset_valid] {
            pins.write(port, 0);
        }
        pins.write(finish_ready, pins.read(finish_ready) & u128::from(self.finishing.is_none()));
        let launches = self.launched < self.barriers.len();
        if launches || self.busy {
            pins.write(finish_ready, 0);
        }
        if let Some(finishing) = self.finishing {
            key = finishing;
        } else if launches {
            key = self.launched;
        }
        pins.write(execute_key, key as u128);
        pins.write(execute_cta, (key / self.ids) as u128);
        pins.write(execute_barrier, (key % self.ids) as u128);
        pins.write(sleep_phase, self.barriers[key].phase);
        pins.write(release_phase, self.barriers[key].phase);
        if self.busy && self.finishing.is_none() {
            return;
        }
        let all_launched = self.launched == self.barriers.len();
        if all_launched && random >> 20 & 127 == 0 {
            // Its time is short now and then.
            let patience = if random >> 27 & 1 == 0 { 1 + (random >> 28 & 7) } else { 0xffff };
            self.saving.begin((random >> 32) as usize % (self.barriers.len() / self.ids), patience as u64);
        }
        if self.finishing.is_some() {
            // The finish ends the phase, unless it is cancelled: that is known in this cycle only, so nobody joins and the judge foresees it.
            pins.write(execute_valid, 1);
            pins.write(execute_operation, Operation::Finish as u128);
            let unfinished = self.pending(key) || self.barriers[key].inside.is_some();
            // Of a CTA that is held nothing ends.
            let held = self.saving.frozen() >> (key / self.ids) & 1 == 1;
            let over = !held && (!unfinished || !self.barriers[key].critical);
            pins.write(release_valid, u128::from(over));
        } else if launches {
            pins.write(execute_valid, 1);
            pins.write(execute_request, u128::from(key.is_multiple_of(self.ids)));
            pins.write(execute_operation, Operation::Launch as u128);
            pins.write(execute_data, self.launch());
        } else if let Some(wish) = self.saving.wish(random >> 40 & 63 == 0).filter(|_| random >> 46 & 1 == 0) {
            self.save(pins, wish);
        } else {
            self.saving.wait();
            if wanted && !self.saving.stills(key / self.ids) {
                pins.write(execute_valid, 1);
                self.request(pins, key, random);
            }
        }
    }

    fn observe(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let read = |port| pins.read(port);
        let key = read(self.ports.execute_key) as usize;
        let valid = read(self.ports.execute_valid) == 1;
        self.busy = read(self.ports.execution_busy) == 1;
        expect("who is held", read(self.ports.frozen), self.saving.frozen())?;
        if valid && self.launched < self.barriers.len() {
            self.launched += 1;
            return Ok(());
        }
        let saving = self.saved(pins, counts)?;
        self.busy |= saving;
        // Wake-ups: sleeping threads only, each once; one at a time into a section.
        if read(self.ports.wake_valid) == 1 && !self.shown {
            let (cta, block, woken) =
                (read(self.ports.wake_cta) as usize, read(self.ports.wake_block) as usize, read(self.ports.wake_mask));
            let row = cta * self.blocks + block;
            expect("the woken threads that are awake", woken & self.mask(row, Option::is_none), 0)?;
            if read(self.ports.wake_inside) == 1 {
                expect("threads that enter at once", woken.count_ones(), 1)?;
                let sleep = self.threads[row][woken.trailing_zeros() as usize];
                let Some((of, _, done)) = sleep else { return Err("nobody sleeps there".into()) };
                let barrier = &mut self.barriers[of];
                expect("it has run the section already", done, false)?;
                expect("its barrier runs a section", barrier.dynamic && barrier.critical, true)?;
                expect("who is inside already", barrier.inside, None)?;
                barrier.inside = Some((block, woken));
                counts.add("thread enters a section");
            } else {
                counts.add("wake-up by a release");
            }
            for (thread, sleep) in self.threads[row].iter_mut().enumerate() {
                if woken >> thread & 1 == 1 {
                    let (barriers, inside) = (&self.barriers, read(self.ports.wake_inside) == 1);
                    let ended = sleep.is_some_and(|(of, phase, _)| barriers[of].phase != phase);
                    expect("the phase of the woken has ended", ended, !inside)?;
                    *sleep = None;
                }
            }
        }
        self.shown = read(self.ports.wake_valid) == 1 && read(self.ports.wake_ready) == 0;

        let row = key / self.ids * self.blocks + read(self.ports.execute_block) as usize;
        let request = valid && read(self.ports.execute_request) == 1;
        let barrier = self.barriers[key];
        let bottom = request && read(self.ports.execute_operation) == Operation::Bottom as u128;
        let mask = if bottom { read(self.ports.execute_mask) } else { 0 };
        let (sleeps, passes) = if barrier.blocking { (mask, 0) } else { (0, mask) };
        expect("bottom_sleep", read(self.ports.bottom_sleep), sleeps)?;
        expect("bottom_pass", read(self.ports.bottom_pass), passes)?;
        if bottom {
            self.barriers[key].inside = None;
            counts.add(if barrier.blocking { "bottom that sleeps" } else { "bottom that passes" });
        }
        if read(self.ports.sleep_rescan) == 1 && read(self.ports.sleep_mask) != 0 {
            counts.add("late arrival");
        }
        let asleep = sleeps | read(self.ports.sleep_mask);
        let done = bottom || read(self.ports.sleep_done) == 1;
        for (thread, sleep) in self.threads[row].iter_mut().enumerate() {
            if asleep >> thread & 1 == 1 {
                *sleep = Some((key, barrier.phase, done));
            }
        }
        if let Some(finished) = self.finishing.take() {
            let cancelled = read(self.ports.finish_cancel) == 1;
            let held = read(self.ports.frozen) >> (finished / self.ids) & 1 == 1;
            let unfinished = held || (barrier.critical && (self.pending(finished) || barrier.inside.is_some()));
            expect("the finish is cancelled", cancelled, unfinished)?;
            counts.add(if cancelled { "finish cancelled" } else { "finish" });
            self.barriers[finished].dynamic = cancelled;
        }
        let busy = read(self.ports.release_busy) == 1;
        let barrier = &mut self.barriers[key];
        if read(self.ports.dynamic_valid) == 1 {
            barrier.dynamic = true;
            barrier.critical = read(self.ports.dynamic_critical) == 1;
            barrier.blocking = read(self.ports.dynamic_blocking) == 1;
        }
        let releases = read(self.ports.release_valid) == 1;
        barrier.phase ^= u128::from(releases);
        self.settled = (!busy && !releases && self.launched == self.barriers.len()).then_some(key);
        let offered = (read(self.ports.finish_valid) == 1).then_some(read(self.ports.finish_key) as usize);
        let taken = read(self.ports.finish_ready) == 1;
        self.finishing = offered.filter(|_| taken);
        self.offered = offered.filter(|_| !taken);
        Ok(())
    }
}
