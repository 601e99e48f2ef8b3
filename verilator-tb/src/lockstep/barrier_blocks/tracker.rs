//! The judge of the arrival tracker (BR-10..BR-28, BR-39, BR-43, BR-50, BR-51): what its page calls timing and invariants. Which
//! barrier completes when is judged of the whole scheduler, whose lockstep follows the reference automaton.
//!
//! The judge plays the execution side: it finishes dynamic barriers, delays releases, lets only threads ask that live and are awake, and has CTAs
//! leave and come back.

use super::super::bench::Counts;
use super::super::ports::Judge;
use super::leaving::Leaving;
use super::{expect, size};
use heddle_hdl::barrier::operation::{BarrierOperation as Operation, SavedWord};
use heddle_hdl::pins;
use heddle_hdl::points::Entry;
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::Frame;
use std::collections::BTreeMap;

pins! {
    struct Ports {
        late_join_all, request_valid, request_ready, request_operation, request_cta, request_block, request_barrier, request_mask,
        request_participants, request_tag, request_after, request_critical, request_ordered, request_exclusive, request_blocking,
        request_impatient, request_data, execution_busy, finish_valid, finish_ready, finish_key, execute_valid, execute_request,
        execute_operation, execute_cta, execute_block, execute_barrier, execute_key, execute_mask, execute_tag, execute_data,
        inside_error, finish_cancel, sleep_mask, sleep_phase, pass_mask, skip_mask, wait_mask, refused, error_valid, dynamic_valid,
        release_valid, release_phase, reset_valid, idle_valid, timeout_valid, launched_valid, frozen, saving_refused, saved_data
    }
}

/// A barrier, as its events tell.
#[derive(Clone, Debug, Default)]
struct Barrier {
    dynamic: bool,
    /// As it was last configured; 0 for what a launch made of it.
    configuration: u128,
    /// Known from the last look at it, unless a reset or a launch came since.
    phase: Option<u128>,
    /// Who sleeps in it, by block.
    asleep: Vec<u128>,
}

/// What was accepted at the last edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Accepted {
    /// A request: operation, CTA, block, barrier, threads, address, operand.
    Request([u128; 7]),
    /// The finish of this barrier.
    Finish(u128),
}

/// What the outputs have told of all CTAs and barriers.
pub struct TrackerJudge {
    ports: Ports,
    ids: usize,
    blocks: usize,
    block_threads: usize,
    /// Live threads of each block of a launched CTA.
    live: Vec<Option<Vec<u128>>>,
    barriers: Vec<Barrier>,
    /// The flags of the instruction at each address.
    flags: BTreeMap<u128, [u128; 5]>,
    accepted: Option<Accepted>,
    finishing: Option<u128>,
    late_join_all: Option<u128>,
    /// Who leaves, and the live threads of who is gone.
    leaving: Leaving,
    kept: Option<Vec<u128>>,
    cycle: u64,
}

impl TrackerJudge {
    fn flag_ports(&self) -> [usize; 5] {
        let Ports { request_critical, request_ordered, request_exclusive, request_blocking, request_impatient, .. } =
            self.ports;
        [request_critical, request_ordered, request_exclusive, request_blocking, request_impatient]
    }

    /// Who may ask in a block: live, awake, and without a request that is still to be answered.
    fn free(&self, cta: usize, block: usize) -> u128 {
        let Some(live) = &self.live[cta] else { return 0 };
        let barriers = &self.barriers[cta * self.ids..(cta + 1) * self.ids];
        let asleep = barriers.iter().fold(0, |mask, barrier| mask | barrier.asleep[block]);
        let asked = match self.accepted {
            Some(Accepted::Request([_, of, at, _, mask, ..])) if (of, at) == (cta as u128, block as u128) => mask,
            _ => 0,
        };
        live[block] & !asleep & !asked
    }

    /// Whether something that is rare happens in this cycle: one of `of + 1` on average, of other cycles for each `kind`.
    fn now_and_then(&self, kind: u64, of: u64) -> bool {
        let mixed = (self.cycle ^ kind << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 29).wrapping_mul(0x94d0_49bb_1331_11eb) >> 40 & of == 0
    }

    /// Now and then a thread has run its section, and may come again while others still wait for theirs.
    fn run_sections(&mut self) {
        if !self.now_and_then(12, 15) {
            return;
        }
        let turn = self.cycle as usize;
        for key in 0..self.barriers.len() {
            let cta = key / self.ids;
            if self.barriers[key].dynamic && self.leaving.frozen() >> cta & 1 == 0 && !self.leaving.stills(cta) {
                let mask = &mut self.barriers[key].asleep[turn % self.blocks];
                *mask &= mask.wrapping_sub(1);
            }
        }
    }

    /// The core's request, if a CTA leaves or comes back, between those of the others.
    fn leave(&mut self, pins: &mut Frame) {
        let (cta, operation) = (pins.read(self.ports.request_cta) as usize, pins.read(self.ports.request_operation));
        let valid = pins.read(self.ports.request_valid) == 1;
        let ends = matches!(operation, 0 | 1);
        if self.leaving.stills(cta) || (ends && self.leaving.holds(cta)) {
            pins.write(self.ports.request_valid, 0);
        } else if self.leaving.is_still()
            && self.live[cta].is_some()
            && self.accepted.is_none()
            && !ends
            && self.now_and_then(3, 127)
        {
            self.leaving.begin(cta);
        } else if self.leaving.is_away() && valid && operation == Operation::Launch as u128 && self.live[cta].is_none()
        {
            self.leaving.come_back(cta);
            pins.write(self.ports.request_valid, 0);
        }
        // A request every other cycle, and more often none: what is under way shows in the next.
        if self.accepted.is_some() || self.now_and_then(4, 3) {
            return;
        }
        let Some(wish) = self.leaving.wish(1 + u128::from(self.cycle & 7)) else { return };
        let data = match wish.operation {
            Operation::Launch => self.launch_of((self.blocks * self.block_threads) as u128),
            _ => wish.data,
        };
        let Ports { request_valid, request_operation, request_cta, request_block, request_barrier, .. } = self.ports;
        let Ports { request_mask, request_participants, request_tag, request_data, .. } = self.ports;
        for (port, value) in [
            (request_valid, 1),
            (request_operation, wish.operation as u128),
            (request_cta, wish.cta as u128),
            (request_block, wish.block as u128),
            (request_barrier, wish.barrier as u128),
            (request_mask, 0),
            (request_participants, 0),
            (request_tag, wish.word),
            (request_data, data),
        ] {
            pins.write(port, value);
        }
    }

    /// What the execution side has of a word: of a static barrier all wait, of a dynamic one every other thread has finished.
    fn sleepers(&self, barrier: &Barrier, block: usize, word: usize) -> u128 {
        let finished = if barrier.dynamic { barrier.asleep[block] & (u128::MAX / 3) } else { 0 };
        match word {
            word if word == SavedWord::Waiting as usize => barrier.asleep[block] & !finished,
            word if word == SavedWord::Finished as usize => finished,
            _ => 0,
        }
    }

    /// The core's request that was in the execute stage, if `request` was one.
    fn moved(
        &mut self,
        request: [u128; 7],
        [saved, error, refused]: [u128; 3],
        counts: &mut Counts,
    ) -> Result<(), String> {
        let [operation, cta, block, barrier, _, word, _] = request.map(|field| field as usize);
        let own = matches!(operation, 11..=13) || (operation == 0 && self.leaving.stills(cta));
        if !own {
            return Ok(());
        }
        expect("an error of what the core asks", error, 0)?;
        let mut other = 0;
        if operation == Operation::Withdraw as usize && refused == 0 {
            let key = cta * self.ids + barrier;
            other = self.sleepers(&self.barriers[key], block, word);
            if word == SavedWord::Live as usize {
                let live = self.live[cta].iter().flatten().map(|mask| u128::from(mask.count_ones())).sum();
                expect("the number of live threads that leaves", saved, live)?;
            } else if word == SavedWord::State as usize {
                let dynamic = u128::from(self.barriers[key].dynamic);
                expect("whether the barrier that leaves is dynamic", saved >> 1 & 1, dynamic)?;
            } else if other != 0 {
                expect("what the arrival side has of sleepers", saved, 0)?;
            }
        }
        let saves = self.leaving.stills(cta);
        if self.leaving.answered(saved, other) {
            self.live[cta] = self.kept.take();
            counts.add("comes back");
        } else if saves && self.leaving.is_away() {
            self.kept = self.live[cta].take();
            for barrier in &mut self.barriers[cta * self.ids..(cta + 1) * self.ids] {
                *barrier = Barrier { asleep: vec![0; self.blocks], ..Barrier::default() };
            }
            counts.add("leaves");
        }
        Ok(())
    }

    /// The operand of a launch of so many threads.
    fn launch_of(&self, threads: u128) -> u128 {
        let bits = self.blocks.trailing_zeros() as usize;
        (0..self.blocks).fold(0, |map, block| map | (block as u128) << (16 + bits * block)) | threads
    }

    /// A configuration that is legal more often than random bits.
    fn word(&self, random: u128) -> u128 {
        let field = |at: u32, modulo: u128| (random >> at) % modulo;
        let threads = self.block_threads as u128;
        (1 + field(0, 5))
            | (1 + field(3, threads)) << 3
            | field(11, 4) << 13
            | field(23, 64) << 23
            | (random >> 39 & 0x1ff) << 39
    }

    /// The request, such that its threads may make it.
    fn request(&mut self, pins: &mut Frame) {
        let Ports { request_valid, request_operation, request_cta, request_block, request_barrier, .. } = self.ports;
        let Ports { request_mask, request_tag, request_after, request_data, .. } = self.ports;
        let (cta, block) = (pins.read(request_cta) as usize, pins.read(request_block) as usize);
        let (mut operation, random) = (pins.read(request_operation) % 11, pins.read(request_data));
        // Launches, retirements, exits and resets are rare; most requests are arrivals, at one barrier for a while.
        let rare = match operation {
            5 => !self.now_and_then(6, 1),
            0 | 1 | 6 => random % 16 != 0,
            _ => false,
        };
        if rare {
            operation = Operation::Arrive as u128;
        }
        // From time to time everybody goes, whatever the barriers remember.
        let leaves = self.cycle >> 7 & 7 == 7 && operation == Operation::Arrive as u128;
        if leaves {
            operation = Operation::Exit as u128;
        }
        let key = cta * self.ids + pins.read(request_barrier) as usize;
        let barrier = &self.barriers[key];
        let unused = self.live[cta].is_some() && !barrier.dynamic && barrier.asleep.iter().all(|mask| *mask == 0);
        if unused && barrier.configuration == 0 && self.now_and_then(10, 1) {
            operation = Operation::Configure as u128;
        } else if !self.now_and_then(7, 3) {
            let favourite = (self.cycle >> 8) as usize % self.ids;
            pins.write(request_barrier, favourite as u128);
        }
        let launching = matches!(self.accepted, Some(Accepted::Request([0, ..])));
        let sleepers = self.barriers[cta * self.ids..(cta + 1) * self.ids].iter();
        let quiet = sleepers.clone().all(|barrier| !barrier.dynamic && barrier.asleep.iter().all(|mask| *mask == 0));
        if self.live[cta].is_none() && random % 8 != 0 {
            operation = Operation::Launch as u128;
        }
        if operation == Operation::Launch as u128 {
            let threads = random % (self.blocks * self.block_threads) as u128 + 1;
            pins.write(request_data, self.launch_of(threads));
            // Nobody of an earlier launch may sleep, and nothing of it be on its way.
            if !quiet || self.accepted.is_some() || launching {
                pins.write(request_valid, 0);
            }
        } else if operation == Operation::Configure as u128 {
            pins.write(request_data, self.word(random));
        } else if matches!(operation, 9 | 10) && random >> 16 & 3 != 0 {
            // Few at a time, so that all that were announced complete.
            pins.write(request_data, random & 7);
        }
        let free = self.free(cta, block);
        let whole = (leaves || operation != Operation::Exit as u128) && self.now_and_then(8, 1);
        let mask = if whole { free } else { pins.read(request_mask) & free };
        pins.write(request_mask, mask);
        if self.now_and_then(9, 3) {
            pins.write(self.ports.request_participants, mask);
        }
        if matches!(operation, 3 | 4 | 5 | 7 | 8) && mask == 0 {
            // Where nobody is awake to ask, a reset may help.
            operation = Operation::Reset as u128;
            if !self.now_and_then(11, 3) {
                pins.write(request_valid, 0);
            }
            if self.live[cta].as_ref().is_some_and(|live| live.iter().all(|mask| *mask == 0)) {
                operation = Operation::Retire as u128;
            }
        }
        pins.write(request_operation, operation);
        pins.write(self.ports.request_participants, pins.read(self.ports.request_participants) & mask);
        // A few addresses, each with flags of its own; the tops of a barrier have one bottom.
        let tag = pins.read(request_barrier) * 16 + u128::from(pins.read(request_tag).is_multiple_of(16));
        pins.write(request_tag, tag);
        let flags = self.flag_ports();
        let drawn = flags.map(|port| pins.read(port));
        let mut known = *self.flags.entry(tag).or_insert(drawn);
        // Conditions 4 and 5 are impatient.
        let key = cta * self.ids + pins.read(request_barrier) as usize;
        known[4] = self.barriers[key].configuration >> 2 & 1;
        // And rarely others, or another end, which is an error while the barrier is used.
        let known = if self.now_and_then(1, 31) { drawn } else { known };
        pins.write(request_after, tag / 16 * 16 + 5 + u128::from(self.now_and_then(2, 63)));
        for (port, flag) in flags.into_iter().zip(known) {
            pins.write(port, flag);
        }
    }

    /// The execute stage holds what was accepted.
    fn held(&self, pins: &Frame) -> Result<(), String> {
        let read = |port| pins.read(port);
        let request = match self.accepted {
            Some(Accepted::Request(request)) => Some(request),
            _ => None,
        };
        expect("execute_request", read(self.ports.execute_request) == 1, request.is_some())?;
        if let Some(mut request) = request {
            if matches!(request[0], 0 | 5) {
                request[3] = 0;
            }
            let Ports { execute_operation, execute_cta, execute_block, execute_barrier, execute_mask, .. } = self.ports;
            let Ports { execute_tag, execute_data, .. } = self.ports;
            let ports = [
                execute_operation,
                execute_cta,
                execute_block,
                execute_barrier,
                execute_mask,
                execute_tag,
                execute_data,
            ];
            expect("what is in the execute stage", ports.map(read), request)?;
        }
        if let Some(Accepted::Finish(key)) = self.accepted {
            let here = [self.ports.execute_operation, self.ports.execute_key].map(read);
            expect("the finish in the execute stage", here, [Operation::Finish as u128, key])?;
        }
        Ok(())
    }

    /// Every thread at a top or a split wait has one answer, nobody else has any, and none has one in error (invariants 1, 4).
    fn answered(&self, pins: &Frame, counts: &mut Counts) -> Result<bool, String> {
        let read = |port| pins.read(port);
        let Ports { sleep_mask, pass_mask, skip_mask, wait_mask, .. } = self.ports;
        let masks = [sleep_mask, pass_mask, skip_mask, wait_mask].map(read);
        let stopped = [self.ports.error_valid, self.ports.refused, self.ports.inside_error].map(read);
        let stopped = stopped.contains(&1);
        let asks = read(self.ports.execute_request) == 1 && matches!(read(self.ports.execute_operation), 3 | 8);
        let mut promised = if asks && !stopped { read(self.ports.execute_mask) } else { 0 };
        if let Some(Accepted::Request([13, .., word, data])) = self.accepted {
            // Who slept sleeps again.
            let sleeps = [SavedWord::Waiting, SavedWord::Finished].map(|word| word as u128).contains(&word);
            promised = if sleeps { data } else { 0 };
        }
        expect("the union of the answers", masks.iter().fold(0, |all, mask| all | mask), promised)?;
        let answers: u32 = masks.iter().map(|mask| mask.count_ones()).sum();
        expect("the number of answers", answers, promised.count_ones())?;
        for (mask, name) in masks.into_iter().zip(["sleeps", "passes", "skips", "waits"]) {
            if mask != 0 {
                counts.add(name);
            }
        }
        if stopped {
            counts.add(if read(self.ports.refused) == 1 { "refused" } else { "error" });
        }
        Ok(stopped)
    }

    /// The events of the barrier in the execute stage fit its state (invariants 3 and 4).
    fn events(&mut self, pins: &Frame, stopped: bool, counts: &mut Counts) -> Result<(), String> {
        let read = |port| pins.read(port);
        let Ports { dynamic_valid, release_valid, reset_valid, idle_valid, timeout_valid, launched_valid, .. } =
            self.ports;
        let happens = |port| pins.read(port) == 1;
        let all = [dynamic_valid, release_valid, reset_valid, idle_valid, timeout_valid, launched_valid];
        let quiet = stopped || !happens(self.ports.execute_valid);
        if quiet && all.into_iter().any(happens) {
            return Err("something happens without a request, or by one in error or refused".into());
        }
        let key = read(self.ports.execute_key) as usize;
        let (operation, block) = (read(self.ports.execute_operation), read(self.ports.execute_block) as usize);
        if !happens(self.ports.execute_valid) {
            return Ok(());
        }
        let barrier = &mut self.barriers[key];
        let phase = read(self.ports.sleep_phase);
        if let (Some(known), true) = (barrier.phase, operation != 0) {
            expect("the phase", phase, known)?;
        }
        let deposited = operation == Operation::Deposit as u128;
        barrier.phase = (operation != 0 && operation != 6 && !deposited).then_some(phase);
        barrier.asleep[block] |= read(self.ports.sleep_mask);
        let finishes = operation == Operation::Finish as u128;
        expect("idle_valid", happens(idle_valid), finishes && !happens(self.ports.finish_cancel))?;
        if happens(timeout_valid) {
            expect("a timeout's operation", operation, Operation::Attend as u128)?;
            counts.add("timeout");
        }
        if happens(launched_valid) {
            expect("a launch's last step", (operation, key % self.ids), (0, self.ids - 1))?;
            counts.add("launch");
        }
        if happens(reset_valid) {
            // A barrier that was reset before it left is reset once more when it enters the queue.
            expect("a reset barrier is dynamic", barrier.dynamic || deposited, true)?;
            counts.add("reset while dynamic");
        }
        if happens(dynamic_valid) {
            expect("a barrier that turns dynamic is dynamic", barrier.dynamic, false)?;
            expect("it is released as well", happens(release_valid), false)?;
            // One that comes back may have seen all of its threads through.
            expect("somebody sleeps in it", deposited || barrier.asleep.iter().any(|mask| *mask != 0), true)?;
            barrier.dynamic = true;
            counts.add("turns dynamic");
        }
        if happens(release_valid) {
            expect("release_phase", read(self.ports.release_phase), phase)?;
            expect("a released barrier is dynamic", barrier.dynamic, finishes)?;
            counts.add(if finishes { "section ends" } else { "released at once" });
            barrier.asleep.fill(0);
            barrier.phase = Some(phase ^ 1).filter(|_| operation != 6);
        }
        barrier.dynamic &= !happens(idle_valid);
        if operation == Operation::Launch as u128 {
            *barrier = Barrier { asleep: vec![0; self.blocks], ..Barrier::default() };
        }
        Ok(())
    }
}

impl Judge for TrackerJudge {
    const EXPECTED: &'static [&'static str] = &[
        "launch",
        "sleeps",
        "passes",
        "skips",
        "waits",
        "refused",
        "error",
        "turns dynamic",
        "section ends",
        "released at once",
        "reset while dynamic",
        "timeout",
        "exit",
        "leaves",
        "comes back",
    ];

    fn new(entry: &Entry, ports: &[Port]) -> Self {
        let (ctas, ids, blocks) = (size(entry, "ctas"), size(entry, "barriers"), size(entry, "blocks"));
        let barrier = Barrier { asleep: vec![0; blocks], ..Barrier::default() };
        Self {
            ports: Ports::of(ports),
            ids,
            blocks,
            block_threads: size(entry, "block_threads"),
            live: vec![None; ctas],
            barriers: vec![barrier; ctas * ids],
            flags: BTreeMap::new(),
            accepted: None,
            finishing: None,
            late_join_all: None,
            leaving: Leaving::new(ids, blocks),
            kept: None,
            cycle: 0,
        }
    }

    fn allow(&mut self, pins: &mut Frame) {
        let Ports { late_join_all, execution_busy, finish_valid, finish_key, inside_error, finish_cancel, .. } =
            self.ports;
        let always = *self.late_join_all.get_or_insert(pins.read(late_join_all));
        pins.write(late_join_all, always);
        self.cycle += 1;
        self.run_sections();
        let random = pins.read(self.ports.request_data);
        pins.write(execution_busy, pins.read(execution_busy) & u128::from(random.is_multiple_of(8)));
        self.request(pins);
        self.leave(pins);
        pins.write(self.ports.frozen, self.leaving.frozen());
        let mut refuses = false;
        if let Some(Accepted::Request([operation, cta, ..])) = self.accepted {
            let calm = self.finishing.is_none_or(|key| key as usize / self.ids != cta as usize);
            refuses = self.leaving.refuses(operation, calm, self.now_and_then(5, 1));
        }
        pins.write(self.ports.saving_refused, u128::from(refuses));
        // A section that has ended: offered until it is taken, and not again while that is in the execute stage.
        let executing = matches!(self.accepted, Some(Accepted::Finish(_)));
        if self.finishing.is_none() && !executing && pins.read(finish_valid) == 1 && random >> 8 & 31 == 0 {
            let ends = |(key, barrier): &(usize, &Barrier)| barrier.dynamic && !self.leaving.stills(key / self.ids);
            let dynamic = self.barriers.iter().enumerate().filter(ends);
            self.finishing = dynamic.map(|(key, _)| key as u128).max_by_key(|key| key ^ (random >> 16 & 127));
        }
        pins.write(finish_valid, u128::from(self.finishing.is_some()));
        pins.write(finish_key, self.finishing.unwrap_or(0));
        let blamed = matches!(self.accepted, Some(Accepted::Request([3 | 4, ..]))) && random >> 32 & 15 == 0;
        pins.write(inside_error, pins.read(inside_error) & u128::from(blamed));
        pins.write(finish_cancel, pins.read(finish_cancel) & u128::from(executing));
    }

    fn observe(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let read = |port| pins.read(port);
        self.held(pins)?;
        let stopped = self.answered(pins, counts)?;
        self.events(pins, stopped, counts)?;
        let ready = read(self.ports.request_ready) == 1;
        if ready && (read(self.ports.execution_busy) == 1 || self.finishing.is_some()) {
            return Err("a request is taken although the execution side is busy, or a finish comes first".into());
        }
        // What a request in the execute stage made of its CTA.
        if let (Some(Accepted::Request([operation, cta, block, _, mask, tag, data])), false) = (self.accepted, stopped)
        {
            let live = &mut self.live[cta as usize];
            match (operation, live) {
                (0, live) => {
                    let threads = |block: usize| (data as usize & 0xffff).saturating_sub(block * self.block_threads);
                    let mask = |block| (1 << threads(block).min(self.block_threads)) - 1;
                    *live = Some((0..self.blocks).map(mask).collect());
                }
                (1, live) => *live = None,
                (2 | 13, _) if operation == 2 || tag == SavedWord::Configuration as u128 => {
                    self.barriers[pins.read(self.ports.execute_key) as usize].configuration = data;
                }
                (5, Some(live)) => {
                    live[block as usize] &= !mask;
                    counts.add("exit");
                }
                _ => {}
            }
        }
        if let Some(Accepted::Request(request)) = self.accepted {
            self.moved(request, [self.ports.saved_data, self.ports.error_valid, self.ports.refused].map(read), counts)?;
        }
        self.accepted = None;
        if read(self.ports.finish_ready) == 1 {
            self.accepted = self.finishing.take().map(Accepted::Finish);
        }
        if ready && read(self.ports.request_valid) == 1 {
            let Ports { request_operation, request_cta, request_block, request_barrier, request_mask, .. } = self.ports;
            let Ports { request_tag, request_data, .. } = self.ports;
            let ports = [
                request_operation,
                request_cta,
                request_block,
                request_barrier,
                request_mask,
                request_tag,
                request_data,
            ];
            self.accepted = Some(Accepted::Request(ports.map(read)));
        }
        Ok(())
    }
}
