//! The judge of the arrival tracker (BR-10..BR-28, BR-39, BR-43, BR-50, BR-51): what its page calls timing and invariants. Which
//! barrier completes when is judged of the whole scheduler, whose lockstep follows the reference automaton.
//!
//! The judge plays the execution side: it finishes dynamic barriers, delays releases, lets only threads ask that live and are awake, and has CTAs
//! leave and come back.

mod traffic;

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
        request_impatient, request_data, release_busy, release_busy_cta, execution_busy, finish_valid, finish_ready, finish_key, execute_valid, execute_request,
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
    /// What sets this episode apart.
    salt: Option<u64>,
    mood: traffic::Mood,
}

impl TrackerJudge {
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
        let held = self.leaving.frozen();
        if self.leaving.answered(saved, other) {
            self.live[cta] = self.kept.take();
            counts.add("comes back");
        } else if saves && self.leaving.is_away() {
            self.kept = self.live[cta].take();
            for barrier in &mut self.barriers[cta * self.ids..(cta + 1) * self.ids] {
                *barrier = Barrier { asleep: vec![0; self.blocks], ..Barrier::default() };
            }
            counts.add("leaves");
        } else if held != 0 && self.leaving.is_still() {
            counts.add("runs on");
        }
        Ok(())
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
        "runs on",
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
            salt: None,
            mood: traffic::Mood::default(),
        }
    }

    fn allow(&mut self, pins: &mut Frame) {
        let Ports { late_join_all, execution_busy, finish_valid, finish_key, inside_error, finish_cancel, .. } =
            self.ports;
        let always = *self.late_join_all.get_or_insert(pins.read(late_join_all));
        pins.write(late_join_all, always);
        self.cycle += 1;
        let random = pins.read(self.ports.request_data);
        self.salt.get_or_insert(random as u64);
        self.run_sections();
        pins.write(execution_busy, pins.read(execution_busy) & u128::from(random.is_multiple_of(8)));
        self.request(pins);
        self.leave(pins);
        pins.write(self.ports.frozen, self.leaving.frozen());
        let mut refuses = false;
        if let Some(Accepted::Request([operation, cta, ..])) = self.accepted {
            let calm = self.finishing.is_none_or(|key| key as usize / self.ids != cta as usize);
            // Where everybody goes, who is held may go as well before it leaves.
            let patient = if self.mood.exits { !self.now_and_then(5, 15) } else { self.now_and_then(5, 1) };
            refuses = self.leaving.refuses(operation, calm, patient);
        }
        pins.write(self.ports.saving_refused, u128::from(refuses));
        // A section that has ended: offered until it is taken, and not again while that is in the execute stage.
        let executing = matches!(self.accepted, Some(Accepted::Finish(_)));
        if self.finishing.is_none() && !executing && pins.read(finish_valid) == 1 && random >> 8 & self.mood.ends == 0 {
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
