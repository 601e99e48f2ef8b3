//! What the arrival side asks of the execution side: a request or an internal step a cycle, as the whole scheduler could have it there.

use super::mood::{Attributes, Dice};
use super::{Ending, ExecutionJudge, Step};
use crate::lockstep::barrier_blocks::saving::Wish;
use heddle_hdl::barrier::operation::{BarrierOperation as Operation, SavedWord};
use heddle_hdl::simulation::Frame;

impl ExecutionJudge {
    /// The step of this cycle.
    pub(super) fn next_step(&mut self, dice: &mut Dice) -> Option<Step> {
        self.saving.wait();
        if let Some(mut step) = self.steps.pop_front() {
            if step.operation == Operation::Exit {
                step.ending = self.ending(step.key, false, dice);
            }
            return Some(step);
        }
        if let Some(key) = self.finishing {
            // The finish ends the phase, unless it is cancelled: that is known in this cycle only, so the judge foresees it.
            let barrier = &self.barriers[key];
            let unfinished =
                barrier.attributes.critical && !barrier.closed && (self.pending(key) || barrier.inside.is_some());
            let ending = if unfinished || self.is_held(key / self.ids) { Ending::None } else { Ending::Release };
            return Some(Step { request: false, ending, ..Step::of(Operation::Finish, key) });
        }
        if self.busy {
            return None;
        }
        if self.mood.orderly && self.offered.is_some() {
            let key = dice.pick(&self.mood.keys)?;
            return Some(Step { request: false, ..self.look(Operation::Attend, key, dice) });
        }
        if let Some(cta) = (0..self.ctas.len()).find(|cta| self.ctas[*cta].launch.is_none()) {
            if dice.one_in(4) {
                self.launch(cta, dice);
                return self.steps.pop_front();
            }
        }
        if let Some(hunger) = self.mood.starves {
            return self.starve(hunger, dice);
        }
        if let Some(step) = self.salvo(dice) {
            return Some(step);
        }
        self.leave(dice).or_else(|| {
            let asks = dice.below(8) < self.mood.pressure;
            asks.then(|| self.ask(dice)).flatten()
        })
    }

    /// What the core asks of a CTA that leaves or comes back.
    fn leave(&mut self, dice: &mut Dice) -> Option<Step> {
        // One with a release under way is held for longer, beside what others start meanwhile.
        let waking = (0..self.barriers.len()).find(|key| !self.barriers[*key].quiet).filter(|_| dice.one_in(2));
        let cta = waking.map_or_else(|| dice.below(self.ctas.len()), |key| key / self.ids);
        if dice.one_in(if waking.is_some() { self.mood.saves.min(8) } else { self.mood.saves }) {
            if self.saving.is_away() && dice.one_in(3) {
                // It never comes back: another takes its place, and finds its sleepers there.
                let gone = self.saving.forget();
                self.ctas[gone].launch = None;
            } else if self.ctas[cta].launch.is_some() && !self.ctas[cta].closing {
                // Its time is short now and then.
                let patience = if dice.one_in(2) { 1 + dice.below(8) } else { 0xffff };
                self.saving.begin(cta, patience as u64);
            }
        }
        let waits = self.draining.is_some() || self.offered.is_some_and(|key| key / self.ids == self.saving.cta());
        if waits || dice.one_in(2) {
            return None;
        }
        let given_up = dice.one_in(64);
        self.saving.wish(given_up).map(|wish| self.saves(wish))
    }

    /// A request of the core, in the execute stage.
    pub(super) fn saves(&self, wish: Wish) -> Step {
        let (word, barrier, block) = wish.place;
        let key = self.saving.cta() * self.ids + barrier;
        let deposits = |which| wish.operation == Operation::Deposit && word == which;
        let sleeps = if deposits(SavedWord::Waiting) || deposits(SavedWord::Finished) { wish.data } else { 0 };
        Step {
            request: wish.first,
            block,
            sleeps,
            mask: 0,
            done: deposits(SavedWord::Finished),
            ending: if deposits(SavedWord::Entry) { Ending::Dynamic } else { Ending::None },
            attributes: self.barriers[key].attributes,
            // One that was reset before it left is marked once more.
            reset: deposits(SavedWord::Entry) && self.barriers[key].closed,
            data: Some(wish.data),
            word: Some(word),
            act: Some(wish.act),
            saves: true,
            ..Step::of(wish.operation, key)
        }
    }

    /// What the threads ask for, or a barrier that completes without them.
    fn ask(&mut self, dice: &mut Dice) -> Option<Step> {
        let bare: Vec<usize> =
            self.mood.keys.iter().copied().filter(|key| self.mood.salvo > 0 && !self.pending(*key)).collect();
        let key = dice.pick(&bare).or_else(|| dice.pick(&self.mood.keys))?;
        if self.draining.is_some() && !dice.one_in(4) {
            return self.beside_withdraw(dice);
        }
        if let Some(step) = self.close(dice) {
            return Some(step);
        }
        let leaving: Vec<usize> = (0..self.barriers.len()).filter(|key| self.may_leave(*key)).collect();
        if dice.below(8) < self.mood.haste {
            if let Some(key) = dice.pick(&leaving) {
                let (block, bit) = self.barriers[key].inside?;
                let exits = dice.one_in(self.mood.exits) && !self.saving.concerns(key / self.ids);
                return if exits { self.exit(key / self.ids, block, bit) } else { self.bottom(key) };
            }
        }
        let (cta, block) = (key / self.ids, dice.below(self.blocks));
        if dice.one_in(self.mood.exits) {
            let mask = dice.some(self.awake(cta, block), 1);
            return self.exit(cta, block, mask);
        }
        if self.still(cta) {
            return None;
        }
        // Where nobody is held, while a wake-up is shown: a Withdraw reads in the place of the release that would be next.
        let intrudes = if self.saving.holds() { dice.one_in(4) } else { self.shown.is_some() && dice.one_in(12) };
        if intrudes {
            return self.intrude(key, dice);
        }
        if dice.one_in(self.mood.errors) {
            return self.mistake(key, block, dice);
        }
        if dice.one_in(self.mood.resets) {
            return self.reset(key);
        }
        match dice.below(16) {
            0 => {
                let operations = [Operation::Configure, Operation::Expect, Operation::Complete, Operation::SplitArrive];
                let step = self.look(dice.pick(&operations)?, key, dice);
                let ends = step.operation != Operation::Configure && step.ending != Ending::None;
                Some(Step { ending: if ends { Ending::Release } else { Ending::None }, ..step })
            }
            1 => Some(Step { request: false, ..self.look(Operation::Attend, key, dice) }),
            _ if self.ctas[cta].closing => None,
            _ => Some(self.arrive(key, block, dice)),
        }
    }

    /// What is asked behind the Withdraw that has slots and queue emptied is in the execute stage when that begins: of somebody
    /// who is inside, since then a section may end beside one that is taken out, or an error name one.
    fn beside_withdraw(&self, dice: &mut Dice) -> Option<Step> {
        let key = self.begun(dice)?;
        match dice.below(3) {
            0 => self.reset(key),
            1 => self.bottom(key),
            _ => self.nest(key, 0, dice),
        }
    }

    /// An operation without sleepers of its own, that may complete the barrier.
    pub(super) fn look(&self, operation: Operation, key: usize, dice: &mut Dice) -> Step {
        let ending = self.ending(key, false, dice);
        Step { block: dice.below(self.blocks), mask: self.any_mask(dice), ending, ..Step::of(operation, key) }
    }

    /// Who is held can do nothing; who is not, nothing about the saving of another: both are refused. So is a Withdraw where nobody is held.
    fn intrude(&self, key: usize, dice: &mut Dice) -> Option<Step> {
        if self.saving.concerns(key / self.ids) {
            return None;
        }
        let operation =
            dice.pick(&[Operation::Withdraw, Operation::Suspend][..1 + usize::from(self.saving.holds())])?;
        // 0 cycles give up what others hold: that changes nothing, and is not refused.
        let data = dice.pick(&[0, 1, 0xffff])?;
        let refused = operation == Operation::Withdraw || data != 0;
        let word = dice.pick(&[SavedWord::Launch, SavedWord::Order, SavedWord::Waiting, SavedWord::End]);
        let step = self.look(operation, key, dice);
        Some(Step { data: Some(data), word, act: Some(!refused), refused, ending: Ending::None, ..step })
    }

    /// Threads reach the top, or wait for a phase.
    pub(super) fn arrive(&self, key: usize, block: usize, dice: &mut Dice) -> Step {
        let barrier = &self.barriers[key];
        let cta = key / self.ids;
        let free = self.awake(cta, block) & !self.inside(cta, block);
        let mask = if dice.one_in(3) && self.mood.salvo == 0 { free } else { dice.some(free, self.mood.single) };
        let waits = !barrier.dynamic && dice.one_in(8);
        let step = Step { block, mask, ..Step::of(if waits { Operation::SplitWait } else { Operation::Arrive }, key) };
        if barrier.dynamic {
            let joins = !barrier.closed && dice.one_in(self.mood.joins);
            let done = barrier.attributes.critical && self.mood.starves.is_none() && dice.one_in(6);
            return Step { sleeps: if joins { mask } else { 0 }, done, rescan: !done, ..step };
        }
        let sleeps = if dice.one_in(4) { dice.some(mask, 0) } else { mask };
        let mut ending = self.ending(key, sleeps != 0, dice);
        if waits && ending == Ending::Dynamic {
            ending = Ending::Release;
        }
        Step { sleeps, ending, ..step }
    }

    /// Threads that are not inside reach a bottom, or one that is inside reaches a top.
    fn mistake(&self, key: usize, block: usize, dice: &mut Dice) -> Option<Step> {
        let cta = key / self.ids;
        let mask = dice.some(self.awake(cta, block), 2);
        if dice.one_in(2) {
            let alone = self.barriers[key].inside == Some((block, mask));
            return (!alone || self.may_leave(key)).then(|| Step { block, mask, ..Step::of(Operation::Bottom, key) });
        }
        self.nest(self.begun(dice)?, mask, dice)
    }

    /// A barrier with somebody inside, one of two that have threads of the same block inside if there are such.
    fn begun(&self, dice: &mut Dice) -> Option<usize> {
        let begun = |many: u32| -> Vec<usize> {
            let inside = |key: &usize| {
                let block = self.barriers[*key].inside.map(|(block, _)| block);
                block.is_some_and(|block| self.inside(key / self.ids, block).count_ones() >= many)
            };
            (0..self.barriers.len()).filter(inside).collect()
        };
        dice.pick(&begun(2)).or_else(|| dice.pick(&begun(1)))
    }

    /// Some of the block of the one inside `key` that are inside a section reach another top, with `others` if these may.
    fn nest(&self, key: usize, others: u128, dice: &mut Dice) -> Option<Step> {
        let (cta, (block, _)) = (key / self.ids, self.barriers[key].inside?);
        let inside = self.inside(cta, block) & self.awake(cta, block);
        let mask = others & self.awake(cta, block) | dice.some(inside, 2);
        (mask & inside != 0 && !self.still(cta)).then(|| Step { block, mask, ..Step::of(Operation::Arrive, key) })
    }

    /// A hung barrier turns idle: one that runs is marked, the sleepers of another go on.
    pub(super) fn reset(&self, key: usize) -> Option<Step> {
        let barrier = &self.barriers[key];
        let (held, step) = (self.is_held(key / self.ids), Step::of(Operation::Reset, key));
        if barrier.dynamic {
            return Some(Step { reset: !held, ..step });
        }
        let ends = barrier.quiet && !held && self.pending(key);
        Some(Step { ending: if ends { Ending::Release } else { Ending::None }, ..step })
    }

    /// Threads exit, a step a barrier.
    fn exit(&mut self, cta: usize, block: usize, mask: u128) -> Option<Step> {
        let stay = (cta * self.ids..(cta + 1) * self.ids).any(|key| {
            self.barriers[key].inside.is_some_and(|(at, bit)| at == block && bit & mask != 0) && !self.may_leave(key)
        });
        if stay || mask == 0 || self.still(cta) {
            return None;
        }
        self.ctas[cta].live[block] &= !mask;
        let exit = |barrier| Step {
            request: barrier == 0,
            block,
            mask,
            ..Step::of(Operation::Exit, cta * self.ids + barrier)
        };
        self.steps.extend((0..self.ids).map(exit));
        self.steps.pop_front()
    }

    /// A CTA that few threads are left of comes to its end: its barriers are reset, and it retires.
    fn close(&mut self, dice: &mut Dice) -> Option<Step> {
        let cta = dice.below(self.ctas.len());
        let threads = self.ctas[cta].launch.filter(|_| !self.saving.concerns(cta))?;
        let live: u32 = self.ctas[cta].live.iter().map(|mask| mask.count_ones()).sum();
        self.ctas[cta].closing |= 3 * live as usize <= threads || dice.one_in(2048);
        if !self.ctas[cta].closing || dice.one_in(4) {
            return None;
        }
        let mut keys = cta * self.ids..(cta + 1) * self.ids;
        if let Some(key) = keys.clone().find(|key| !self.barriers[*key].dynamic && self.pending(*key)) {
            return self.reset(key);
        }
        if let Some(key) = keys.clone().find(|key| !self.barriers[*key].quiet) {
            return Some(Step::of(Operation::Configure, key));
        }
        let waking = self.shown.is_some_and(|(row, _)| row / self.blocks == cta);
        if waking || keys.any(|key| self.barriers[key].dynamic) {
            return None;
        }
        self.ctas[cta].launch = None;
        self.ctas[cta].live.iter_mut().for_each(|mask| *mask = 0);
        Some(Step::of(Operation::Retire, cta * self.ids))
    }

    /// A CTA starts, with any map and any number of threads.
    fn launch(&mut self, cta: usize, dice: &mut Dice) {
        let (whole, bits) = (self.block_threads, self.blocks.trailing_zeros() as usize);
        let threads = if dice.one_in(2) { self.blocks * whole } else { 1 + dice.below(self.blocks * whole) };
        let mut map: Vec<usize> = (0..self.blocks).collect();
        for place in 0..self.blocks {
            map.swap(place, place + dice.below(self.blocks - place));
        }
        let fields = map.iter().enumerate().fold(0, |all, (logical, block)| all | (*block as u128) << (bits * logical));
        let one = &mut self.ctas[cta];
        (one.launch, one.saved) = (Some(threads), fields << 16 | (threads.div_ceil(whole) * whole) as u128);
        one.closing = false;
        for (logical, block) in map.into_iter().enumerate() {
            let own = threads.saturating_sub(logical * whole).min(whole);
            one.live[block] = (0..own).fold(0, |mask, thread| mask | 1 << thread);
        }
        let data = Some(fields << 16 | threads as u128);
        for barrier in 0..self.ids {
            let key = cta * self.ids + barrier;
            self.barriers[key] = super::Barrier { quiet: true, ..super::Barrier::default() };
            let (block, mask) = (dice.below(self.blocks), self.any_mask(dice));
            self.steps.push_back(Step { request: barrier == 0, block, mask, data, ..Step::of(Operation::Launch, key) });
        }
        for row in &mut self.threads[cta * self.blocks..(cta + 1) * self.blocks] {
            row.fill(None);
        }
    }

    /// The thread inside leaves, if it may.
    pub(super) fn bottom(&self, key: usize) -> Option<Step> {
        let (block, mask) = self.barriers[key].inside.filter(|_| self.may_leave(key))?;
        Some(Step { block, mask, ..Step::of(Operation::Bottom, key) })
    }

    /// Whether and how the barrier completes in this cycle: it must be static, with somebody who sleeps, and nothing of it under way.
    fn ending(&self, key: usize, sleeps: bool, dice: &mut Dice) -> Ending {
        let can = self.can_end(key) && (sleeps || self.pending(key)) && self.mood.salvo == 0;
        if !can || !dice.one_in(self.mood.completes) {
            return Ending::None;
        }
        if self.mood.starves.is_none() && dice.one_in(4) {
            Ending::Release
        } else {
            Ending::Dynamic
        }
    }

    /// Whether a phase of the barrier may end, as far as that does not depend on who sleeps.
    pub(super) fn can_end(&self, key: usize) -> bool {
        let (barrier, cta) = (&self.barriers[key], key / self.ids);
        !barrier.dynamic && barrier.quiet && !self.is_held(cta) && !self.still(cta)
    }

    /// The threads that may ask for something: live, awake, and not on their way to be.
    pub(super) fn awake(&self, cta: usize, block: usize) -> u128 {
        let row = cta * self.blocks + block;
        let waking = self.shown.filter(|(at, _)| *at == row).map_or(0, |(_, mask)| mask);
        self.ctas[cta].live[block] & self.mask(row, Option::is_none) & !waking
    }

    /// Whether the thread inside may leave. Who joined after the finish was offered stays until that is over: else the slot may cancel it though all are
    /// done again, which nobody foresees from here.
    fn may_leave(&self, key: usize) -> bool {
        let cta = key / self.ids;
        let awake = self.barriers[key].inside.is_some_and(|(block, bit)| self.awake(cta, block) & bit != 0);
        awake && self.offered != Some(key) && !self.still(cta)
    }

    /// Whether nothing may happen to the threads and barriers of a CTA: it leaves, is gone, or was never there.
    pub(super) fn still(&self, cta: usize) -> bool {
        self.saving.stills(cta) || self.ctas[cta].launch.is_none()
    }

    /// Whether nothing of a CTA completes or ends, for it is to leave.
    pub(super) fn is_held(&self, cta: usize) -> bool {
        self.saving.frozen() >> cta & 1 == 1
    }

    fn any_mask(&self, dice: &mut Dice) -> u128 {
        dice.some(u128::MAX >> (128 - self.block_threads), 0)
    }

    /// Writes a step, and what is said beside it whether it means something or not.
    pub(super) fn present(&self, pins: &mut Frame, step: &Step, dice: &mut Dice) {
        let (cta, barrier) = (step.key / self.ids, step.key % self.ids);
        let phase = self.barriers[step.key].phase;
        let Attributes { tag, critical, exclusive, blocking, priority, class } = step.attributes;
        let dynamic = step.ending == Ending::Dynamic;
        let ports = &self.ports;
        for (port, value) in [
            (ports.execute_valid, 1),
            (ports.execute_request, u128::from(step.request)),
            (ports.execute_operation, step.operation as u128),
            (ports.execute_cta, cta as u128),
            (ports.execute_barrier, barrier as u128),
            (ports.execute_key, step.key as u128),
            (ports.execute_block, step.block as u128),
            (ports.execute_mask, step.mask),
            (ports.execute_act, u128::from(step.act.unwrap_or_else(|| dice.one_in(2)))),
            (ports.execute_refused, u128::from(step.act.map_or_else(|| dice.one_in(2), |act| !act))),
            (ports.sleep_mask, step.sleeps),
            (ports.sleep_phase, phase),
            (ports.release_phase, phase),
            (ports.dynamic_valid, u128::from(dynamic)),
            (ports.release_valid, u128::from(step.ending == Ending::Release)),
            (ports.reset_valid, u128::from(step.reset)),
        ] {
            pins.write(port, value);
        }
        if step.sleeps != 0 {
            pins.write(ports.sleep_done, u128::from(step.done));
            pins.write(ports.sleep_rescan, u128::from(step.rescan));
        }
        if let Some(data) = step.data {
            pins.write(ports.execute_data, data);
        }
        if let Some(word) = step.word {
            pins.write(ports.execute_word, word as u128);
        }
        if dynamic {
            for (port, value) in [
                (ports.dynamic_tag, tag),
                (ports.dynamic_critical, u128::from(critical)),
                (ports.dynamic_exclusive, u128::from(exclusive)),
                (ports.dynamic_blocking, u128::from(blocking)),
                (ports.dynamic_priority, priority),
                (ports.dynamic_class, class),
            ] {
                pins.write(port, value);
            }
        }
    }
}
