//! Brings a block back into the core from a save area, on any slot and warps that are free and may be used.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `start`, `start_warps` | in | 1, `WARPS` | the block on top of the save area is to come back; the slots and warps that it may have; only while `busy` is low |
//! | `busy`, `done` | out | 1 | one is coming back; strobe: it is there |
//! | `enter_*` | out, `ready`, `slot` in | | it asks for a slot and warps |
//! | `hold_slot` | out | `WARP_BITS` | the slot that it has |
//! | `freezes` | out | 1 | the warps of that slot must issue nothing |
//! | `restore_*` | | | the next warp comes back |
//! | `barrier_*` | | | the barriers come back |
//! | `load_*`, `pop_*`, `upward` | | | the save area |
//!
//! The two words of the block are popped. When it has a slot and its warps, these come back one after the other, the last one that left
//! first; then the barriers' words, upwards from where they begin. Its warps go on together.
//!
//! **Timing** the sum of its parts; it waits for room without end. **Invariants** 1. no warp of the block issues before all of it is back.
//! **Source** SM-05, CX-09. **See also** `block_saver`, `suspension_unit`.

use super::save_area::{BARRIERS_AT, PLACE_BITS};
use crate::prelude::*;

/// How far a block is in.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum BlockRestorerStep {
    /// Nothing is to be done.
    Idle,
    /// The place in the grid is read.
    Place,
    /// The program, and where the barriers' words begin, are read.
    Program,
    /// It waits for a slot and warps.
    Enter,
    /// The next warp is chosen.
    Next,
    /// It comes back.
    Restore,
    /// The barriers come back.
    Deposit,
    /// Everything is there.
    Back,
}

block! {
    /// `COUNT_BITS` = `WARP_BITS` + 1, `BLOCK_BITS` = 56 + `PROGRAM_BITS`, which is at most 32. See the module's page.
    pub struct BlockRestorer<
        const WARPS: usize, const WARP_BITS: usize, const COUNT_BITS: usize, const PROGRAM_BITS: usize, const BLOCK_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A block is to come back.
            pub start: Signal<In, Bit>,
            /// Warps and slots that it may have.
            pub start_warps: Signal<In, Bits<WARPS>>,
            /// One is coming back.
            pub busy: Signal<Out, Bit>,
            /// It is there.
            pub done: Signal<Out, Bit>,
            /// The core has barriers.
            pub barriers_enable: Signal<In, Bit>,
            /// It asks for room.
            pub enter_valid: Signal<Out, Bit>,
            /// There is.
            pub enter_ready: Signal<In, Bit>,
            /// In this slot.
            pub enter_slot: Signal<In, Bits<WARP_BITS>>,
            /// Warps and slots that it may have.
            pub enter_warps: Signal<Out, Bits<WARPS>>,
            /// How many warps it needs.
            pub enter_count: Signal<Out, Bits<COUNT_BITS>>,
            /// The block.
            pub enter_record: Signal<Out, Bits<BLOCK_BITS>>,
            /// The slot that it has.
            pub hold_slot: Signal<Out, Bits<WARP_BITS>>,
            /// The warps there issue nothing.
            pub freezes: Signal<Out, Bit>,
            /// A warp is to come back.
            pub restore_start: Signal<Out, Bit>,
            /// It has.
            pub restore_done: Signal<In, Bit>,
            /// The barriers are to come back.
            pub barrier_start: Signal<Out, Bit>,
            /// They have.
            pub barrier_done: Signal<In, Bit>,
            /// The pointer of the save area is set.
            pub load_valid: Signal<Out, Bit>,
            /// To where the barriers' words begin.
            pub load_address: Signal<Out, Bits<32>>,
            /// A word is wanted.
            pub pop_valid: Signal<Out, Bit>,
            /// It is there.
            pub pop_ready: Signal<In, Bit>,
            /// The word.
            pub pop_data: Signal<In, Bits<64>>,
            /// Words are read upwards.
            pub upward: Signal<Out, Bit>,
        }
        parts {
            step: Register<BlockRestorerStep>,
            slot: Register<Bits<WARP_BITS>>,
            allowed: Register<Bits<WARPS>>,
            count: Register<Bits<COUNT_BITS>>,
            barriers_at: Register<Bits<32>>,
            record: Register<Bits<BLOCK_BITS>>,
            place_bits: Constant<Bits<7>> = Constant::new(bits(PLACE_BITS as u64)),
            barriers_word_at: Constant<Bits<6>> = Constant::new(bits(BARRIERS_AT as u64)),
            place_mask: Constant<Bits<64>> = Constant::new(bits((1 << PLACE_BITS) - 1)),
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const COUNT_BITS: usize,
        const PROGRAM_BITS: usize,
        const BLOCK_BITS: usize,
    > Logic for BlockRestorer<WARPS, WARP_BITS, COUNT_BITS, PROGRAM_BITS, BLOCK_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, slot, allowed, count, barriers_at, record);
        self.busy.next = self.step.q.val() != BlockRestorerStep::Idle;
        self.done.next = self.step.q.val() == BlockRestorerStep::Back;
        self.freezes.next = (self.step.q.val() == BlockRestorerStep::Next)
            | (self.step.q.val() == BlockRestorerStep::Restore)
            | (self.step.q.val() == BlockRestorerStep::Deposit);
        self.hold_slot.next = self.slot.q.val();
        self.enter_valid.next = self.step.q.val() == BlockRestorerStep::Enter;
        self.enter_warps.next = self.allowed.q.val();
        self.enter_count.next = self.count.q.val();
        self.enter_record.next = self.record.q.val();
        self.restore_start.next = self.step.q.val() == BlockRestorerStep::Restore;
        self.barrier_start.next = (self.step.q.val() == BlockRestorerStep::Deposit) & self.barriers_enable.val();
        self.load_valid.next = false;
        self.load_address.next = self.barriers_at.q.val();
        self.pop_valid.next = false;
        self.upward.next = self.step.q.val() == BlockRestorerStep::Deposit;

        match self.step.q.val() {
            BlockRestorerStep::Idle => {
                self.allowed.d.next = self.start_warps.val();
                if self.start.val() {
                    self.step.d.next = BlockRestorerStep::Place;
                }
            }
            BlockRestorerStep::Place => {
                self.pop_valid.next = true;
                self.record.d.next = bit_cast::<BLOCK_BITS, 64>(self.pop_data.val() & self.place_mask.val());
                if self.pop_ready.val() {
                    self.count.d.next = self.pop_data.val().get_bits::<COUNT_BITS>(self.place_bits.val());
                    self.step.d.next = BlockRestorerStep::Program;
                }
            }
            BlockRestorerStep::Program => {
                self.pop_valid.next = true;
                if self.pop_ready.val() {
                    self.record.d.next = self.record.q.val()
                        | (bit_cast::<BLOCK_BITS, PROGRAM_BITS>(self.pop_data.val().get_bits::<PROGRAM_BITS>(0))
                            << self.place_bits.val());
                    self.barriers_at.d.next = self.pop_data.val().get_bits::<32>(self.barriers_word_at.val());
                    self.step.d.next = BlockRestorerStep::Enter;
                }
            }
            BlockRestorerStep::Enter => {
                self.load_valid.next = true;
                self.slot.d.next = self.enter_slot.val();
                if self.enter_ready.val() {
                    self.step.d.next = BlockRestorerStep::Next;
                }
            }
            BlockRestorerStep::Next => {
                self.count.d.next = self.count.q.val() - 1;
                self.step.d.next = BlockRestorerStep::Restore;
                if !self.count.q.val().any() {
                    self.load_valid.next = true;
                    self.step.d.next = BlockRestorerStep::Deposit;
                }
            }
            BlockRestorerStep::Restore => {
                if self.restore_done.val() {
                    self.step.d.next = BlockRestorerStep::Next;
                }
            }
            BlockRestorerStep::Deposit => {
                if self.barrier_done.val() | !self.barriers_enable.val() {
                    self.step.d.next = BlockRestorerStep::Back;
                }
            }
            _ => {
                self.step.d.next = BlockRestorerStep::Idle;
            }
        }
    }
}
