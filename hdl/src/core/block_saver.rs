//! Takes the block in a slot out of the core and into a save area: what leaves, in which order, and when it is over.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `start`, `start_slot` | in | 1, `WARP_BITS` | the block in this slot is to leave; only while `busy` is low |
//! | `busy` | out | 1 | one is leaving |
//! | `done`, `failure` | out | 1, 2 | strobe: it is over; [why not](Failure) |
//! | `hold_*` | | | the slot in hand, its warps, its block; strobe: they are free |
//! | `freezes` | out | 1 | the warps of the slot in hand must issue nothing but steps |
//! | `busy_warps`, `unsettled` | in | `WARPS`, 1 | warps for which something is under way at barriers or memory; an offer or a launch is under way |
//! | `warp_ready`, `look*` | | | the engine: is it at work for a warp that is not ready, or do all its threads sleep? `look_ready` (in): it shows that warp, and not what an observer looks at |
//! | `local_*` | | | local memory: is copied, or finds no room |
//! | `barrier_*` | | | the barriers: hold still, run on, leave |
//! | `save_*` | | | a warp leaves |
//! | `push_*`, `pointer` | | | the save area |
//!
//! The barriers hold still; the warps are frozen, and what is under way for them is waited for; local memory is copied. Then warp after warp
//! leaves, from the lowest; then the barriers' words; last two words of the block itself: its program with where the barriers' words begin, and its place in the
//! grid with the number of warps.
//!
//! **Timing** the sum of its parts. **Invariants** 1. until local memory was copied nothing of the block has changed, so a suspension that fails
//! leaves no trace. 2. a warp leaves only when the engine does nothing for it, and can then no longer end. 3. no warp of the block issues an
//! instruction between its freezing and its end here. 4. a word that is pushed stays until it is taken, whatever is launched meanwhile.
//! **Source** SM-05, CX-09, CX-10, CX-11. **See also** `block_restorer`, `suspension_unit`.

use super::barrier_mover::Command;
use super::save_area::{BARRIERS_AT, PLACE_BITS};
use crate::divergence::token::Kind;
use crate::prelude::*;

/// Why a suspension did not happen: the code of `failure`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Failure {
    /// It did happen.
    None = 0,
    /// There was no room for its local memory (CX-05).
    Memory = 1,
    /// A thread did not reach the bottom of its section in time (CX-10).
    Bottom = 2,
    /// The block has ended meanwhile, or there was none.
    Ended = 3,
}

/// How far a block is out.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum BlockSaverStep {
    /// Nothing is to be done.
    Idle,
    /// Its last warp is launched.
    Begin,
    /// The barriers of the block hold still as soon as nobody is inside a section.
    Close,
    /// Its warps are frozen; what is under way for them is waited for.
    Freeze,
    /// The engine is done with each of them.
    Settle,
    /// Its local memory is copied.
    Local,
    /// The next warp is chosen.
    Next,
    /// It leaves.
    Save,
    /// The barriers leave.
    Withdraw,
    /// Its program and its place are read as soon as no launch has them shown of another block.
    Record,
    /// The program, and where the barriers' words begin, are written.
    Program,
    /// The place in the grid is written.
    Place,
    /// It is gone.
    Gone,
    /// It failed: the barriers run on.
    Open,
    /// It failed: the warps go on.
    Fail,
}

block! {
    /// `COUNT_BITS` = `WARP_BITS` + 1, `BLOCK_BITS` = 56 + bits of a program, 32 at most. See the module's page.
    pub struct BlockSaver<
        const WARPS: usize, const WARP_BITS: usize, const COUNT_BITS: usize, const THREADS: usize, const BLOCK_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A block is to leave.
            pub start: Signal<In, Bit>,
            /// The one in this slot.
            pub start_slot: Signal<In, Bits<WARP_BITS>>,
            /// One is leaving.
            pub busy: Signal<Out, Bit>,
            /// It is over.
            pub done: Signal<Out, Bit>,
            /// Gone 0, no memory 1, no bottom 2, no block 3.
            pub failure: Signal<Out, Bits<2>>,
            /// The core has barriers.
            pub barriers_enable: Signal<In, Bit>,
            /// The slot in hand.
            pub hold_slot: Signal<Out, Bits<WARP_BITS>>,
            /// Its warps.
            pub hold_warps: Signal<In, Bits<WARPS>>,
            /// Some of them are not launched yet.
            pub hold_pending: Signal<In, Bit>,
            /// Its block.
            pub hold_record: Signal<In, Bits<BLOCK_BITS>>,
            /// That is shown.
            pub hold_clear: Signal<In, Bit>,
            /// The block leaves its slot.
            pub hold_leaves: Signal<Out, Bit>,
            /// Its warps issue nothing but steps.
            pub freezes: Signal<Out, Bit>,
            /// Warps for which something is under way at barriers or memory.
            pub busy_warps: Signal<In, Bits<WARPS>>,
            /// An offer or a launch is under way.
            pub unsettled: Signal<In, Bit>,
            /// Warps that the engine lets issue.
            pub warp_ready: Signal<In, Bits<WARPS>>,
            /// The query port is needed.
            pub look: Signal<Out, Bit>,
            /// For this warp.
            pub look_warp: Signal<Out, Bits<WARP_BITS>>,
            /// And this reason.
            pub look_kind: Signal<Out, Bits<4>>,
            /// It shows that.
            pub look_ready: Signal<In, Bit>,
            /// Its active threads.
            pub query_active: Signal<In, Bits<THREADS>>,
            /// Its threads disabled for the reason.
            pub query_disabled: Signal<In, Bits<THREADS>>,
            /// Local memory of these warps is to be copied.
            pub local_valid: Signal<Out, Bit>,
            /// Which.
            pub local_warps: Signal<Out, Bits<WARPS>>,
            /// It is, or not.
            pub local_done: Signal<In, Bit>,
            /// Not: there was no room.
            pub local_failed: Signal<In, Bit>,
            /// The barriers are to do something.
            pub barrier_start: Signal<Out, Bit>,
            /// Hold still 0, run on 1, leave 2.
            pub barrier_command: Signal<Out, Bits<2>>,
            /// They have.
            pub barrier_done: Signal<In, Bit>,
            /// Not: a thread did not leave its section.
            pub barrier_failed: Signal<In, Bit>,
            /// A warp is to leave.
            pub save_start: Signal<Out, Bit>,
            /// Which.
            pub save_warp: Signal<Out, Bits<WARP_BITS>>,
            /// It has.
            pub save_done: Signal<In, Bit>,
            /// A word for the save area.
            pub push_valid: Signal<Out, Bit>,
            /// It is taken.
            pub push_ready: Signal<In, Bit>,
            /// The word.
            pub push_data: Signal<Out, Bits<64>>,
            /// Behind the last word of the save area.
            pub pointer: Signal<In, Bits<32>>,
        }
        parts {
            step: Register<BlockSaverStep>,
            slot: Register<Bits<WARP_BITS>>,
            settled: Register<Bits<WARPS>>,
            left: Register<Bits<WARPS>>,
            count: Register<Bits<COUNT_BITS>>,
            barriers_at: Register<Bits<32>>,
            reason: Register<Bits<2>>,
            warp: Register<Bits<WARP_BITS>>,
            record: Register<Bits<BLOCK_BITS>>,
            lowest: LowestBit<WARPS, WARP_BITS>,
            place_bits: Constant<Bits<7>> = Constant::new(bits(PLACE_BITS as u64)),
            barriers_word_at: Constant<Bits<6>> = Constant::new(bits(BARRIERS_AT as u64)),
            place_mask: Constant<Bits<64>> = Constant::new(bits((1 << PLACE_BITS) - 1)),
            kind_barrier: Constant<Bits<4>> = Constant::new(bits(Kind::Barrier as u64)),
            command_close: Constant<Bits<2>> = Constant::new(bits(Command::Close as u64)),
            command_open: Constant<Bits<2>> = Constant::new(bits(Command::Open as u64)),
            command_save: Constant<Bits<2>> = Constant::new(bits(Command::Save as u64)),
            failure_memory: Constant<Bits<2>> = Constant::new(bits(Failure::Memory as u64)),
            failure_bottom: Constant<Bits<2>> = Constant::new(bits(Failure::Bottom as u64)),
            failure_ended: Constant<Bits<2>> = Constant::new(bits(Failure::Ended as u64)),
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const COUNT_BITS: usize,
        const THREADS: usize,
        const BLOCK_BITS: usize,
    > Logic for BlockSaver<WARPS, WARP_BITS, COUNT_BITS, THREADS, BLOCK_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, slot, settled, left, count, barriers_at, reason, warp, record);
        self.busy.next = self.step.q.val() != BlockSaverStep::Idle;
        self.freezes.next = (self.step.q.val() != BlockSaverStep::Idle)
            & (self.step.q.val() != BlockSaverStep::Begin)
            & (self.step.q.val() != BlockSaverStep::Close)
            & (self.step.q.val() != BlockSaverStep::Fail);
        self.hold_slot.next = self.slot.q.val();
        self.failure.next = self.reason.q.val();
        self.hold_leaves.next = self.step.q.val() == BlockSaverStep::Gone;
        self.done.next = (self.step.q.val() == BlockSaverStep::Gone) | (self.step.q.val() == BlockSaverStep::Fail);

        // The warp in hand: the next that leaves, or one that is not known to be at rest.
        self.lowest.mask.next = self.left.q.val();
        if self.step.q.val() == BlockSaverStep::Settle {
            self.lowest.mask.next = self.hold_warps.val() & !self.warp_ready.val() & !self.settled.q.val();
        }
        self.look.next = (self.step.q.val() == BlockSaverStep::Settle) & self.lowest.found.val();
        self.look_warp.next = self.lowest.index.val();
        self.look_kind.next = self.kind_barrier.val();
        self.local_valid.next = self.step.q.val() == BlockSaverStep::Local;
        self.local_warps.next = self.hold_warps.val();
        self.save_start.next = self.step.q.val() == BlockSaverStep::Save;
        self.save_warp.next = self.warp.q.val();
        self.barrier_start.next = ((self.step.q.val() == BlockSaverStep::Close)
            | (self.step.q.val() == BlockSaverStep::Open)
            | (self.step.q.val() == BlockSaverStep::Withdraw))
            & self.barriers_enable.val();
        self.barrier_command.next = self.command_close.val();
        if self.step.q.val() == BlockSaverStep::Open {
            self.barrier_command.next = self.command_open.val();
        } else if self.step.q.val() == BlockSaverStep::Withdraw {
            self.barrier_command.next = self.command_save.val();
        }
        self.push_valid.next = false;
        self.push_data.next = bit_cast::<64, BLOCK_BITS>(self.record.q.val() >> self.place_bits.val())
            | (bit_cast::<64, 32>(self.barriers_at.q.val()) << self.barriers_word_at.val());

        match self.step.q.val() {
            BlockSaverStep::Idle => {
                self.slot.d.next = self.start_slot.val();
                self.settled.d.next = 0.into();
                self.count.d.next = 0.into();
                self.reason.d.next = 0.into();
                if self.start.val() {
                    self.step.d.next = BlockSaverStep::Begin;
                }
            }
            BlockSaverStep::Begin => {
                if !self.hold_warps.val().any() {
                    self.step.d.next = BlockSaverStep::Fail;
                    self.reason.d.next = self.failure_ended.val();
                } else if !self.hold_pending.val() {
                    self.step.d.next = BlockSaverStep::Close;
                }
            }
            BlockSaverStep::Close => {
                if self.barrier_done.val() | !self.barriers_enable.val() {
                    self.step.d.next = BlockSaverStep::Freeze;
                    if self.barrier_failed.val() {
                        self.step.d.next = BlockSaverStep::Fail;
                        self.reason.d.next = self.failure_bottom.val();
                        if !self.hold_warps.val().any() {
                            self.reason.d.next = self.failure_ended.val();
                        }
                    }
                }
            }
            BlockSaverStep::Freeze => {
                if !self.unsettled.val() & !(self.busy_warps.val() & self.hold_warps.val()).any() {
                    self.step.d.next = BlockSaverStep::Settle;
                }
            }
            BlockSaverStep::Settle => {
                if !self.hold_warps.val().any() {
                    self.step.d.next = BlockSaverStep::Open;
                    self.reason.d.next = self.failure_ended.val();
                } else if !self.lowest.found.val() {
                    self.step.d.next = BlockSaverStep::Local;
                } else if self.look_ready.val() & !self.query_active.val().any() & self.query_disabled.val().any() {
                    // All its threads sleep, or wait with some that do: it can no longer end.
                    self.settled.d.next = self.settled.q.val() | self.lowest.one_hot.val();
                }
            }
            BlockSaverStep::Local => {
                self.left.d.next = self.hold_warps.val();
                if self.local_done.val() {
                    self.step.d.next = BlockSaverStep::Next;
                    if self.local_failed.val() {
                        self.step.d.next = BlockSaverStep::Open;
                        self.reason.d.next = self.failure_memory.val();
                    }
                }
            }
            BlockSaverStep::Next => {
                self.warp.d.next = self.lowest.index.val();
                self.left.d.next = self.left.q.val() & !self.lowest.one_hot.val();
                self.step.d.next = BlockSaverStep::Save;
                if !self.lowest.found.val() {
                    self.barriers_at.d.next = self.pointer.val();
                    self.step.d.next = BlockSaverStep::Withdraw;
                }
            }
            BlockSaverStep::Save => {
                if self.save_done.val() {
                    self.count.d.next = self.count.q.val() + 1;
                    self.step.d.next = BlockSaverStep::Next;
                }
            }
            BlockSaverStep::Withdraw => {
                if self.barrier_done.val() | !self.barriers_enable.val() {
                    self.step.d.next = BlockSaverStep::Record;
                }
            }
            BlockSaverStep::Record => {
                self.record.d.next = self.hold_record.val();
                if self.hold_clear.val() {
                    self.step.d.next = BlockSaverStep::Program;
                }
            }
            BlockSaverStep::Program => {
                self.push_valid.next = true;
                if self.push_ready.val() {
                    self.step.d.next = BlockSaverStep::Place;
                }
            }
            BlockSaverStep::Place => {
                self.push_valid.next = true;
                self.push_data.next = (bit_cast::<64, BLOCK_BITS>(self.record.q.val()) & self.place_mask.val())
                    | (bit_cast::<64, COUNT_BITS>(self.count.q.val()) << self.place_bits.val());
                if self.push_ready.val() {
                    self.step.d.next = BlockSaverStep::Gone;
                }
            }
            BlockSaverStep::Open => {
                if self.barrier_done.val() | !self.barriers_enable.val() {
                    self.step.d.next = BlockSaverStep::Fail;
                }
            }
            _ => {
                self.step.d.next = BlockSaverStep::Idle;
            }
        }
    }
}
