//! What the execution side did in a cycle, and whether it may.

use super::{bits, Ending, ExecutionJudge, Ports, Sleep, Step};
use crate::lockstep::barrier_blocks::expect;
use crate::lockstep::bench::Counts;
use heddle_hdl::barrier::operation::{BarrierError, BarrierOperation as Operation, SavedWord, ADDRESS_BITS};
use heddle_hdl::simulation::Frame;

/// The bits of an address.
const ADDRESS: u128 = (1 << ADDRESS_BITS) - 1;

impl ExecutionJudge {
    /// What became of a request about a CTA that leaves or comes back.
    pub(super) fn saved(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let cta = self.saving.cta();
        let (away, comes_back) = (self.saving.is_away(), self.saving.comes_back());
        let inside = (0..self.blocks).any(|block| self.inside(cta, block) != 0);
        let (ids, blocks, threads, launch) = (self.ids, self.blocks, &self.threads, self.ctas[cta].saved);
        let known = |(word, barrier, block): (SavedWord, usize, usize)| {
            let asleep = |done: bool| {
                let sleeps =
                    |sleep: &Sleep| sleep.is_some_and(|(of, _, over)| of == cta * ids + barrier && over == done);
                bits(&threads[cta * blocks + block], sleeps)
            };
            match word {
                SavedWord::Launch => Some(launch),
                SavedWord::Order => None,
                SavedWord::Waiting => Some(asleep(false)),
                SavedWord::Finished => Some(asleep(true)),
                _ => Some(0),
            }
        };
        let Ports { saving_refused, error_valid, saved_data, error_other_key, error_other_address, .. } = self.ports;
        let answer = [saving_refused, error_valid, saved_data].map(|port| pins.read(port));
        if answer[1] == 1 {
            expect("why a Suspend fails", pins.read(self.ports.error_cause), BarrierError::NoBottom as u128)?;
            let (key, address) = (pins.read(error_other_key) as usize, pins.read(error_other_address));
            let named = self.barriers[key].inside.is_some() && key / ids == cta;
            expect("whether the section that lasts too long is named", named, inside)?;
            expect("its top", address, if inside { self.barriers[key].attributes.tag } else { 0 })?;
            counts.add("no bottom in time");
        }
        if self.saving.answered(self.cycle, answer, inside, known)? {
            self.draining = Some(cta);
        }
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
        Ok(())
    }

    /// Wake-ups: sleeping threads only, each once; one at a time into a section, and none beside a section that excludes it.
    pub(super) fn wakes(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let read = |port| pins.read(port);
        let (cta, block, woken) =
            (read(self.ports.wake_cta) as usize, read(self.ports.wake_block) as usize, read(self.ports.wake_mask));
        let (row, valid, inside) =
            (cta * self.blocks + block, read(self.ports.wake_valid) == 1, read(self.ports.wake_inside) == 1);
        let first = valid && self.shown.is_none();
        self.shown = (valid && read(self.ports.wake_ready) == 0).then_some((row, woken));
        if !first {
            return Ok(());
        }
        expect("the woken threads that are awake", woken & self.mask(row, Option::is_none), 0)?;
        let sleeps = self.threads[row].clone().into_iter().enumerate().filter(|(thread, _)| woken >> thread & 1 == 1);
        for (thread, sleep) in sleeps {
            let Some((of, phase, done)) = sleep else { return Err("nobody sleeps there".into()) };
            let barrier = self.barriers[of];
            expect("the phase of the woken has ended", barrier.phase != phase, !inside)?;
            let top = (barrier.attributes.tag + 1) & ADDRESS;
            let address = if inside { top } else { barrier.address };
            expect("where the woken continue", read(self.ports.wake_address), address)?;
            self.threads[row][thread] = None;
            if !inside {
                continue;
            }
            expect("it has run the section already", done, false)?;
            let runs = barrier.dynamic && barrier.attributes.critical;
            expect("its barrier runs a section", (runs, self.slots.contains(&Some(of))), (true, true))?;
            expect("who is inside already", barrier.inside, None)?;
            for (key, other) in self.barriers.iter().enumerate().filter(|(_, other)| other.inside.is_some()) {
                let (one, two) = (barrier.attributes, other.attributes);
                let conflict = self.mood.conflicts >> (4 * one.class + two.class) & 1 == 1;
                if conflict && (one.exclusive || two.exclusive) {
                    return Err(format!("a thread enters section {of} while one is inside {key}, which excludes it"));
                }
                counts.add("enters beside another section");
            }
            self.barriers[of].inside = Some((block, woken));
        }
        expect("threads that enter at once", inside && woken.count_ones() != 1, false)?;
        counts.add(if inside { "thread enters a section" } else { "wake-up by a release" });
        Ok(())
    }

    /// Barriers wait in the queue, then are in a slot.
    pub(super) fn places(&mut self, pins: &Frame, counts: &mut Counts) -> Result<(), String> {
        let read = |port| pins.read(port);
        if let (Some(cta), 0) = (self.draining, read(self.ports.execution_busy)) {
            // Emptying begins in the cycle behind the Withdraw that asks for it.
            if self.busy {
                let others = |key: &usize| *key / self.ids != cta;
                self.queue.retain(others);
                self.slots.iter_mut().for_each(|slot| *slot = slot.filter(others));
                self.draining = None;
            }
        }
        let handed = read(self.ports.handed_valid) == 1;
        let (key, slot) = (read(self.ports.handed_key) as usize, read(self.ports.handed_slot) as usize);
        if self.draining.is_none() {
            let held = |mask, (slot, key): (usize, &Option<usize>)| mask | u128::from(key.is_some()) << slot;
            expect("the slots that are taken", read(self.ports.occupied), self.slots.iter().enumerate().fold(0, held))?;
            expect("the barriers that wait", read(self.ports.waiting), self.queue.len() as u128)?;
        }
        if handed {
            let Some(place) = self.queue.iter().position(|waits| *waits == key) else {
                return Err(format!("barrier {key} moves into a slot and was not in the queue"));
            };
            self.queue.remove(place);
            expect("what is in the slot already", self.slots[slot].replace(key), None)?;
            if self.queue.len() > 1 {
                counts.add("others wait");
            }
        }
        Ok(())
    }

    /// The answers to the threads, and mistakes.
    pub(super) fn answers(&mut self, pins: &Frame, step: &Step, counts: &mut Counts) -> Result<(), String> {
        let (cta, read) = (step.key / self.ids, |port| pins.read(port));
        let here = self.barriers[step.key].inside.filter(|(block, _)| *block == step.block).map_or(0, |(_, bit)| bit);
        let nested = step.mask & self.inside(cta, step.block);
        let (mut error, mut leaves) = (None, 0);
        if step.request && step.operation == Operation::Bottom && step.mask != 0 {
            if step.mask == here {
                leaves = here;
            } else {
                error = Some((BarrierError::NotInside, step.mask & !here, (0, 0)));
                counts.add("bottom of others");
            }
        } else if step.request && step.operation == Operation::Arrive && nested != 0 {
            let mut sections = self.sections(cta, step.block);
            let lowest = sections.find(|(_, bit)| *bit == nested & nested.wrapping_neg());
            let other = lowest.map_or((0, 0), |(key, _)| (key as u128, self.barriers[key].attributes.tag));
            error = Some((BarrierError::Nested, nested, other));
            counts.add("top inside a section");
        }
        expect("whether it is in error", read(self.ports.error_valid) == 1, error.is_some())?;
        if let Some((cause, threads, other)) = error {
            let Ports { error_cause, error_threads, error_other_key, error_other_address, .. } = self.ports;
            let named = (read(error_other_key), read(error_other_address));
            let answer = (read(error_cause), read(error_threads), named);
            expect("the error", answer, (cause as u128, threads, other))?;
        }
        expect("a word that nobody asks for", read(self.ports.saved_data), 0)?;
        let refused = read(self.ports.saving_refused) == 1;
        expect("whether it is refused", refused, step.refused)?;
        if refused {
            counts.add(if self.saving.holds() {
                "refused while another leaves"
            } else {
                "refused while nobody leaves"
            });
        }
        let blocking = self.barriers[step.key].attributes.blocking;
        let (sleeps, passes) = if blocking { (leaves, 0) } else { (0, leaves) };
        let answer = (read(self.ports.bottom_sleep), read(self.ports.bottom_pass));
        expect("who sleeps and who passes at the bottom", answer, (sleeps, passes))?;
        if leaves != 0 {
            self.barriers[step.key].inside = None;
            counts.add(if blocking { "bottom that sleeps" } else { "bottom that passes" });
        }
        let row = cta * self.blocks + step.block;
        let done = leaves != 0 || step.done;
        let phase = self.barriers[step.key].phase;
        for (thread, sleep) in self.threads[row].iter_mut().enumerate() {
            if (sleeps | step.sleeps) >> thread & 1 == 1 {
                *sleep = Some((step.key, phase, done));
            }
        }
        if step.operation == Operation::Exit {
            for key in cta * self.ids..(cta + 1) * self.ids {
                let inside = &mut self.barriers[key].inside;
                if inside.is_some_and(|(block, bit)| block == step.block && bit & step.mask != 0) {
                    *inside = None;
                    counts.add("exit inside a section");
                }
            }
        }
        Ok(())
    }

    /// What becomes of the barrier.
    pub(super) fn ends(&mut self, pins: &Frame, step: &Step, counts: &mut Counts) -> Result<(), String> {
        let read = |port| pins.read(port);
        let ready = read(self.ports.release_busy) == 0;
        let pending = self.pending(step.key);
        let held = self.saving.frozen() >> (step.key / self.ids) & 1 == 1;
        let barrier = &mut self.barriers[step.key];
        barrier.quiet |= ready;
        if step.sleeps != 0 && barrier.dynamic && !step.saves {
            counts.add(if step.done { "late arrival that skips the section" } else { "late arrival" });
        }
        if step.operation == Operation::Finish {
            let cancelled = read(self.ports.finish_cancel) == 1;
            let runs = barrier.attributes.critical && !barrier.closed && (pending || barrier.inside.is_some());
            expect("the finish is cancelled", cancelled, held || runs)?;
            expect("the barrier that finishes is dynamic", barrier.dynamic, true)?;
            counts.add(if cancelled { "finish cancelled" } else { "finish" });
            barrier.dynamic = cancelled;
            barrier.closed &= cancelled;
            if !cancelled {
                let Some(slot) = self.slots.iter_mut().find(|slot| **slot == Some(step.key)) else {
                    return Err(format!("barrier {} finishes in no slot", step.key));
                };
                *slot = None;
            }
        }
        if step.ending == Ending::Dynamic {
            (barrier.dynamic, barrier.attributes) = (true, step.attributes);
            self.queue.push(step.key);
        }
        if step.ending == Ending::Release {
            barrier.phase ^= 1;
            barrier.quiet = false;
            barrier.address = read(self.ports.release_address);
        }
        if step.reset {
            barrier.closed = true;
            barrier.inside = None;
            counts.add("reset");
        }
        Ok(())
    }
}
