//! What the arrival tracker is asked: requests of threads that live and are awake, sections that end, CTAs that leave and come back.

use super::super::execution::Dice;
use super::{Accepted, Ports, TrackerJudge};
use heddle_hdl::barrier::operation::BarrierOperation as Operation;
use heddle_hdl::simulation::Frame;

/// What a span of some hundred cycles is like.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mood {
    /// Barriers keep what they were configured as, so that what they remember counts.
    settled: bool,
    /// Most configurations are impatient ones.
    impatient: bool,
    /// Many threads arrive and wait apart.
    split: bool,
    /// Everybody goes, whatever the barriers remember.
    pub exits: bool,
    /// A CTA begins to leave once in so many cycles, less one.
    leaves: u64,
    /// A section ends once in so many cycles, less one.
    pub ends: u128,
    /// The instructions at a barrier have the same flags.
    alike: bool,
}

/// Cycles of a mood.
const SPAN: u64 = 128;

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
    pub(super) fn now_and_then(&self, kind: u64, of: u64) -> bool {
        self.chance(self.cycle ^ kind << 32) & of == 0
    }

    /// Chance that depends on the first inputs of the episode and on `place`.
    fn chance(&self, place: u64) -> u64 {
        let mixed = (place ^ self.salt.unwrap_or(0).rotate_left(17)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 29).wrapping_mul(0x94d0_49bb_1331_11eb) >> 40
    }

    /// The mood of this cycle; some things stay as they are for two or four spans.
    fn mood(&self) -> Mood {
        let lot = |kind: u64, spans: u64| self.chance((self.cycle / (SPAN * spans)) ^ (kind << 40));
        let exits = lot(4, 1) & 7 == 0;
        Mood {
            settled: lot(1, 4) & 3 != 0,
            impatient: lot(2, 4) & 1 == 0,
            split: lot(3, 2) & 3 == 0,
            exits,
            leaves: [0xffff, 255, 63, 15][lot(5, 2) as usize & 3],
            // Where everybody goes, sections are left that nobody runs any more.
            ends: if exits { 127 } else { [31, 15, 7, 1][lot(7, 1) as usize & 3] },
            alike: self.chance(6 << 40) & 1 == 0,
        }
    }

    /// In every other episode what is asked has a purpose instead of being random bits: the threads of one block that can ask, often all of them.
    fn purpose(&self, pins: &mut Frame) -> bool {
        let salt = self.salt.unwrap_or(0);
        if salt >> 20 & 1 == 0 {
            return false;
        }
        let mut dice = Dice::new(salt ^ self.cycle.wrapping_mul(0xd6e8_feb8_6659_fd93));
        let Ports { request_valid, request_operation, request_cta, request_block, request_barrier, .. } = self.ports;
        let Ports { request_mask, request_participants, request_tag, request_data, .. } = self.ports;
        let able = |cta: usize| (0..self.blocks).filter(move |block| self.free(cta, *block) != 0);
        let ctas: Vec<usize> = (0..self.live.len()).filter(|cta| able(*cta).next().is_some()).collect();
        let cta = dice.pick(&ctas).filter(|_| !dice.one_in(8)).unwrap_or(dice.below(self.live.len()));
        let block = dice.pick(&able(cta).collect::<Vec<_>>());
        use Operation::{Arrive, Bottom, Complete, Configure, Exit, Expect, Reset, Retire, SplitArrive, SplitWait};
        let seldom = [Bottom, Configure, Exit, Expect, Reset, Complete, SplitArrive, SplitWait, Retire];
        let split = [Arrive, SplitArrive, SplitArrive, SplitArrive, SplitWait, SplitWait, Expect, Complete];
        let often: &[Operation] = if self.mood.split { &split } else { &[Arrive] };
        let choices = if dice.one_in(24) { &seldom } else { often };
        // Where nobody can ask, a reset helps, if no timeout or end of a section comes before.
        let operation = block.map_or(Reset, |_| dice.pick(choices).unwrap_or(Arrive));
        // Where nobody is left, what the barriers keep shows in what the core may still ask.
        let gone = self.live[cta].as_ref().is_some_and(|live| live.iter().all(|mask| *mask == 0));
        let operation = match gone {
            true => dice.pick(&[Retire, Retire, Expect, Configure, Complete, Reset]).unwrap_or(Retire),
            false if self.mood.impatient && dice.one_in(32) => Operation::Launch,
            false => operation,
        };
        let valid = if gone {
            dice.one_in(if self.mood.split { 2 } else { 8 })
        } else if block.is_some() || self.live[cta].is_none() {
            !dice.one_in(8)
        } else {
            dice.one_in(24)
        };
        let block = block.unwrap_or(0);
        // They meet at one barrier for a while, or they would wait for each other at all of them.
        let meeting = self.chance((self.cycle / (4 * SPAN)) ^ ((cta as u64) << 48)) as usize % self.ids;
        let barrier = if dice.one_in(16) { dice.below(self.ids) } else { meeting };
        let all = self.free(cta, block);
        let mask = if dice.one_in(4) { all } else { dice.some(all, 2) };
        let nobody = self.mood.impatient && dice.one_in(4);
        let participants = if nobody {
            0
        } else if dice.one_in(2) {
            mask
        } else {
            dice.some(mask, 3)
        };
        for (port, value) in [
            (request_valid, valid.into()),
            (request_operation, operation as u128),
            (request_cta, cta as u128),
            (request_block, block as u128),
            (request_barrier, barrier as u128),
            (request_mask, mask),
            (request_participants, participants),
            (request_tag, dice.below(4) as u128 * 4),
            (request_data, dice.roll().into()),
        ] {
            pins.write(port, value);
        }
        true
    }

    /// Now and then a thread has run its section, and may come again while others still wait for theirs.
    pub(super) fn run_sections(&mut self) {
        if !self.now_and_then(12, if self.mood.exits { 1 } else { 15 }) {
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
    pub(super) fn leave(&mut self, pins: &mut Frame) {
        let (cta, operation) = (pins.read(self.ports.request_cta) as usize, pins.read(self.ports.request_operation));
        let valid = pins.read(self.ports.request_valid) == 1;
        let ends = matches!(operation, 0 | 1);
        if self.leaving.stills(cta) || (ends && self.leaving.holds(cta)) {
            pins.write(self.ports.request_valid, 0);
        } else if self.leaving.is_still()
            && self.live[cta].is_some()
            && self.accepted.is_none()
            && !ends
            && self.now_and_then(
                3,
                if self.live[cta].iter().flatten().all(|mask| *mask == 0) { 15 } else { self.mood.leaves },
            )
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
        // Some run on, as there is no memory for their words, say.
        if self.now_and_then(6, 7) {
            self.leaving.give_up();
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

    /// The operand of a launch of so many threads.
    fn launch_of(&self, threads: u128) -> u128 {
        let bits = self.blocks.trailing_zeros() as usize;
        (0..self.blocks).fold(0, |map, block| map | (block as u128) << (16 + bits * block)) | threads
    }

    /// A configuration that is legal more often than random bits.
    fn word(&self, random: u128) -> u128 {
        let field = |at: u32, modulo: u128| (random >> at) % modulo;
        let threads = self.block_threads as u128;
        // Conditions 1 and 2 take threads that arrive and wait apart, 4 and 5 are impatient.
        let condition = match self.mood {
            Mood { split: true, .. } if field(6, 4) != 0 => 1 + field(0, 2),
            Mood { impatient: true, .. } if field(6, 4) != 0 => 4 + field(0, 2),
            _ => 1 + field(0, 5),
        };
        // References up to all threads, and more; an impatient barrier seldom waits for long.
        let reference = if self.mood.impatient { field(3, 2 * threads + 2) } else { 1 + field(3, threads) };
        let longest = if self.mood.impatient { 16 } else { 64 };
        let timeout = field(23, if field(29, 4) == 0 { 1024 } else { longest });
        let late = if self.mood.impatient { [2, 4, 3, 5, 7, 7, 7, 6][field(46, 8) as usize] } else { field(41, 8) };
        let event = if self.mood.impatient { [0, 1, 1, 2, 3, 3][field(39, 6) as usize] } else { field(39, 4) };
        condition | reference << 3 | field(11, 4) << 13 | timeout << 23 | event << 39 | late << 41 | field(50, 16) << 44
    }

    /// The request, such that its threads may make it.
    pub(super) fn request(&mut self, pins: &mut Frame) {
        let Ports { request_valid, request_operation, request_cta, request_block, request_barrier, .. } = self.ports;
        let Ports { request_mask, request_tag, request_after, request_data, .. } = self.ports;
        self.mood = self.mood();
        let (mood, purposeful) = (self.mood, self.purpose(pins));
        let (cta, block) = (pins.read(request_cta) as usize, pins.read(request_block) as usize);
        let (mut operation, random) = (pins.read(request_operation) % 11, pins.read(request_data));
        // Launches, retirements, exits and resets are rare; most requests are arrivals, at one barrier for a while.
        let rare = match operation {
            _ if purposeful => false,
            2 => mood.settled && random % 64 != 0,
            5 => !self.now_and_then(6, 1),
            0 | 1 | 6 => random % 16 != 0,
            _ => false,
        };
        if rare {
            operation = Operation::Arrive as u128;
        }
        if mood.split && !purposeful && operation == Operation::Arrive as u128 && !self.now_and_then(13, 3) {
            operation = if self.now_and_then(14, 1) { Operation::SplitArrive } else { Operation::SplitWait } as u128;
        }
        let stays = purposeful && self.now_and_then(15, 1);
        let leaves = mood.exits && !stays && matches!(operation, 3 | 7 | 8);
        if leaves {
            operation = Operation::Exit as u128;
        }
        let key = cta * self.ids + pins.read(request_barrier) as usize;
        let barrier = &self.barriers[key];
        let unused = self.live[cta].is_some() && !barrier.dynamic && barrier.asleep.iter().all(|mask| *mask == 0);
        if unused && barrier.configuration == 0 && self.now_and_then(10, 1) {
            operation = Operation::Configure as u128;
        } else if !purposeful && !self.now_and_then(7, 3) {
            let favourite = (self.cycle >> 8) as usize % self.ids;
            pins.write(request_barrier, favourite as u128);
        }
        // Where everybody leaves split phases, wake-ups wait: what ends while a release lasts is held off until nobody is left.
        if purposeful && mood.split && mood.exits && !self.now_and_then(16, 7) {
            pins.write(self.ports.release_busy, 1);
            pins.write(self.ports.release_busy_cta, 1);
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
            // Nobody of an earlier launch may sleep, and nothing of it be on its way; what is, of another CTA, may end as this one begins.
            let under_way = self.accepted.is_some_and(|accepted| match accepted {
                Accepted::Request([_, of, ..]) => of as usize == cta,
                Accepted::Finish(key) => key as usize / self.ids == cta,
            });
            if !quiet || under_way || launching {
                pins.write(request_valid, 0);
            }
        } else if operation == Operation::Configure as u128 {
            pins.write(request_data, self.word(random));
        } else if matches!(operation, 9 | 10) && random >> 16 & 3 != 0 {
            // Few at a time, so that all that were announced complete; with a purpose mostly none, which lets the phase end all the same.
            let none = purposeful && random >> 18 & 3 != 0;
            pins.write(request_data, random & if none { 1 } else { 7 });
        }
        let free = self.free(cta, block);
        // Where everybody goes, the last of a block go together: what is under way then ends without anybody.
        let together = leaves || operation != Operation::Exit as u128 && !purposeful;
        let whole = together && self.now_and_then(8, 1);
        let mask = if whole { free } else { pins.read(request_mask) & free };
        pins.write(request_mask, mask);
        if !purposeful && self.now_and_then(9, 3) {
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
        let alike = if mood.alike { tag / 16 * 16 } else { tag };
        // Half of what does not wait for all participants is no section.
        let mut known = *self.flags.entry(alike).or_insert(drawn);
        known[0] &= u128::from(!mood.impatient || tag & 1 == 0 && !mood.alike);
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
}
