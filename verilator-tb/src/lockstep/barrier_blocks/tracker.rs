//! The judge of the arrival tracker (BR-10..BR-28, BR-39, BR-43, BR-50, BR-51): what its page calls timing and invariants. Which
//! barrier completes when is judged of the whole scheduler, whose lockstep follows the reference automaton.
//!
//! The judge plays the execution side: it finishes dynamic barriers, delays releases, and lets only threads ask that live and are awake.

use super::super::bench::Counts;
use super::super::ports::Judge;
use super::{expect, size};
use heddle_hdl::barrier::operation::BarrierOperation as Operation;
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
        release_valid, release_phase, reset_valid, idle_valid, timeout_valid, launched_valid, frozen, saving_refused
    }
}

/// A barrier, as its events tell.
#[derive(Clone, Debug, Default)]
struct Barrier {
    dynamic: bool,
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

    /// A configuration that is legal more often than random bits.
    fn word(&self, random: u128) -> u128 {
        let field = |at: u32, modulo: u128| (random >> at) % modulo;
        let threads = self.block_threads as u128;
        (1 + field(0, 5)) | (1 + field(3, threads)) << 3 | 1 << 13 | field(23, 64) << 23 | (random >> 39 & 0x1ff) << 39
    }

    /// The request, such that its threads may make it.
    fn request(&mut self, pins: &mut Frame) {
        let Ports { request_valid, request_operation, request_cta, request_block, request_barrier, .. } = self.ports;
        let Ports { request_mask, request_tag, request_after, request_data, .. } = self.ports;
        let (cta, block) = (pins.read(request_cta) as usize, pins.read(request_block) as usize);
        let (mut operation, random) = (pins.read(request_operation) % 11, pins.read(request_data));
        // Launches, retirements, exits and resets are rare; most requests are arrivals.
        let rare = matches!(operation, 0 | 1 | 5 | 6);
        if rare && random % 16 != 0 {
            operation = Operation::Arrive as u128;
        }
        let launching = matches!(self.accepted, Some(Accepted::Request([0, ..])));
        let sleepers = self.barriers[cta * self.ids..(cta + 1) * self.ids].iter();
        let quiet = sleepers.clone().all(|barrier| !barrier.dynamic && barrier.asleep.iter().all(|mask| *mask == 0));
        if self.live[cta].is_none() && random % 8 != 0 {
            operation = Operation::Launch as u128;
        }
        if operation == Operation::Launch as u128 {
            let threads = random % (self.blocks * self.block_threads) as u128 + 1;
            let bits = self.blocks.trailing_zeros() as usize;
            let map = (0..self.blocks).fold(0, |map, block| map | (block as u128) << (16 + bits * block));
            pins.write(request_data, map | threads);
            // Nobody of an earlier launch may sleep, and nothing of it be on its way.
            if !quiet || self.accepted.is_some() || launching {
                pins.write(request_valid, 0);
            }
        } else if operation == Operation::Configure as u128 {
            pins.write(request_data, self.word(random));
        }
        let mask = pins.read(request_mask) & self.free(cta, block);
        pins.write(request_mask, mask);
        if matches!(operation, 3 | 4 | 5 | 7 | 8) && mask == 0 {
            // Where nobody is awake to ask, a reset may help.
            operation = Operation::Reset as u128;
            if random % 4 != 0 {
                pins.write(request_valid, 0);
            }
        }
        pins.write(request_operation, operation);
        pins.write(self.ports.request_participants, pins.read(self.ports.request_participants) & mask);
        // A few addresses, each with flags of its own.
        let tag = pins.read(request_barrier) * 16 + u128::from(pins.read(request_tag).is_multiple_of(16));
        pins.write(request_tag, tag);
        pins.write(request_after, tag + 5);
        let flags = self.flag_ports();
        let known = *self.flags.entry(tag).or_insert_with(|| flags.map(|port| pins.read(port)));
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
        let promised = if asks && !stopped { read(self.ports.execute_mask) } else { 0 };
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
        barrier.phase = (operation != 0 && operation != 6).then_some(phase);
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
            expect("a reset barrier is dynamic", barrier.dynamic, true)?;
            counts.add("reset while dynamic");
        }
        if happens(dynamic_valid) {
            expect("a barrier that turns dynamic is dynamic", barrier.dynamic, false)?;
            expect("it is released as well", happens(release_valid), false)?;
            expect("somebody sleeps in it", barrier.asleep.iter().any(|mask| *mask != 0), true)?;
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
        }
    }

    fn allow(&mut self, pins: &mut Frame) {
        let Ports { late_join_all, execution_busy, finish_valid, finish_key, inside_error, finish_cancel, .. } =
            self.ports;
        let always = *self.late_join_all.get_or_insert(pins.read(late_join_all));
        pins.write(late_join_all, always);
        // No CTA leaves: that needs the execution side.
        pins.write(self.ports.frozen, 0);
        pins.write(self.ports.saving_refused, 0);
        let random = pins.read(self.ports.request_data);
        pins.write(execution_busy, pins.read(execution_busy) & u128::from(random.is_multiple_of(8)));
        self.request(pins);
        // A section that has ended: offered until it is taken, and not again while that is in the execute stage.
        let executing = matches!(self.accepted, Some(Accepted::Finish(_)));
        if self.finishing.is_none() && !executing && pins.read(finish_valid) == 1 && random >> 8 & 31 == 0 {
            let dynamic = self.barriers.iter().enumerate().filter(|(_, barrier)| barrier.dynamic);
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
        if let (Some(Accepted::Request([operation, cta, block, _, mask, _, data])), false) = (self.accepted, stopped) {
            let live = &mut self.live[cta as usize];
            match (operation, live) {
                (0, live) => {
                    let threads = |block: usize| (data as usize & 0xffff).saturating_sub(block * self.block_threads);
                    let mask = |block| (1 << threads(block).min(self.block_threads)) - 1;
                    *live = Some((0..self.blocks).map(mask).collect());
                }
                (1, live) => *live = None,
                (5, Some(live)) => {
                    live[block as usize] &= !mask;
                    counts.add("exit");
                }
                _ => {}
            }
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
