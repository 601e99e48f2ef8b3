//! What traffic has to meet, or a campaign says little; and how full the scheduler is.

use super::Contract;
use crate::barrier::Key;

/// Everything that a campaign over sizes up to [`Size::MEDIUM`](crate::barrier::Size::MEDIUM) has to meet at least once.
pub const REACH: &[&str] = &[
    // Membership (BR-12, BR-39) and clocks (BR-13).
    "completed by condition 1",
    "completed by condition 2",
    "completed by condition 3",
    "completed by condition 4",
    "completed by condition 5",
    "completed by the minimum of condition 5",
    "completed by timeout under condition 4",
    "completed by timeout under condition 5",
    "completed since all that live sleep",
    "completed by an exit",
    "completion without participants",
    "timeout from first participating",
    "timeout from first of any",
    "timeout from latest participating",
    "timeout from latest of any",
    "timeout of an idle barrier",
    // Arrivals (BR-11, BR-15, BR-16, BR-53).
    "idle to static",
    "static arrival",
    "second arrival waited",
    "waited for another tag",
    "arrivals of two CTAs at one id in turn",
    "two barriers complete in adjacent cycles",
    "barrier turns idle as its last arrival exits",
    // Late arrivals (BR-20 to BR-24, BR-33).
    "late arrival, mode wait",
    "late arrival, mode join",
    "late arrival, mode pass",
    "late arrival, mode pass_at_end",
    "late arrival, mode pass_if_short",
    "late arrival, mode pass_at_end_if_short",
    "late arrival, mode skip",
    "late arrival, mode count",
    "late: joins since all may",
    "late: joins when all others are done",
    "late: joins in the cycle after a thread behind it",
    "late: passes a dynamic barrier",
    "late: waits, having arrived before",
    "late thread runs an ordered section out of order",
    "rescan found a late thread",
    "counting went on through idle",
    // Invalidation (BR-22).
    "invalidated by mode pass",
    "invalidated by mode pass_at_end",
    "invalidated by mode pass_if_short",
    "invalidated by mode pass_at_end_if_short",
    "passed an invalidated barrier",
    "plain impatient barrier ended short",
    "invalidation ended by another tag",
    "invalidation ended by a second arrival",
    "invalidation ended by a reset",
    "invalidation ended by a launch",
    // Execution (BR-30 to BR-37, BR-45).
    "wake-up into a section",
    "wake-up after a release",
    "wake-up waits to be taken",
    "completion waits for the last release",
    "bottom, blocking",
    "bottom, non-blocking",
    "exclusive handed out",
    "exclusive handed out beside sections with nobody inside",
    "exclusive barrier waits for the slots",
    "barrier waits for an exclusive one",
    "reserved slot handed out",
    "barrier waits beside a free reserved slot",
    "all slots occupied",
    "all 16 slots occupied",
    "every barrier dynamic at once",
    "all 128 barriers dynamic at once",
    "all barriers but one in the FIFO",
    // Life and death (BR-05, BR-25, BR-26).
    "launch",
    "retire",
    "configure",
    "exit",
    "exit inside a section",
    "partial last block",
    "physical blocks differ from logical ones",
    "every thread of every CTA lives at once",
    "reset of a dynamic barrier",
    "reset of a static barrier",
    "reset of an idle barrier",
    "reset with a thread inside",
    "refused: retire",
    "refused: configure",
    "refused: reset",
    "refused: arrive of a split phase",
    "error: differs",
    "error: illegal",
    "error: nested",
    "error: not inside",
    "error: overflow",
    // CTAs that leave and come back (CX-09, CX-10).
    "suspended",
    "suspended with a barrier in a slot",
    "suspended with a barrier in the FIFO",
    "suspended from between others in the FIFO",
    "suspended with threads that are done",
    "suspended with a timeout running",
    "suspended with a completion held off",
    "suspension waited for a bottom",
    "suspension failed",
    "suspension given up",
    "resumed in another slot",
    "resumed in its own slot",
    // Split phases (BR-50, BR-51).
    "split arrive",
    "split arrive a second time",
    "split phase",
    "split wait passed",
    "split wait slept or waited",
    "transaction",
    "transactions hold a split phase open",
];

impl Contract {
    /// Counts how full slots and FIFO are, and why the head of the FIFO waits.
    pub(super) fn fill(&mut self, occupied: usize, queued: usize) {
        let (slots, keys) = (self.size.slots, self.size.keys());
        if occupied == slots {
            self.count("all slots occupied");
            if slots == 16 {
                self.count("all 16 slots occupied");
            }
        }
        if occupied + queued == keys {
            self.count("every barrier dynamic at once");
            if keys == 128 {
                self.count("all 128 barriers dynamic at once");
            }
            if occupied == 1 {
                self.count("all barriers but one in the FIFO");
            }
        }
        for queue in 0..2 {
            if let Some(&head) = self.queues[queue].front() {
                self.count_wait(queue, head);
            }
        }
    }

    /// Why a head of the FIFO waits, if it is not for a free slot.
    fn count_wait(&mut self, queue: usize, head: Key) {
        let reserved = self.statics.reserved_slots;
        let own = if queue == 1 { 0 } else { reserved };
        if self.slots[own..].iter().all(Option::is_some) {
            if self.slots[..own].iter().any(Option::is_none) {
                self.count("barrier waits beside a free reserved slot");
            }
            return;
        }
        let others = self.slots.iter().flatten().copied();
        let conflicting: Vec<Key> = others.filter(|other| self.conflict(head, *other)).collect();
        if conflicting.iter().any(|other| self.excludes(*other)) {
            self.count("barrier waits for an exclusive one");
        } else if self.excludes(head) && !conflicting.is_empty() {
            self.count("exclusive barrier waits for the slots");
        }
    }
}
