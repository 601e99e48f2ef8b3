//! Reads a warp from a save area and brings it back into the divergence engine: launched with all its live threads, those that did not run disabled as
//! they were, its tokens deposited from the last to the first.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `start`, `done` | in, out | 1 | the warp on top of the save area; strobe: the engine has taken all of it |
//! | `pop_*` | | | the save area |
//! | `launching`, `launch_*` | out | | it is to be launched, on whichever warp; its number in its block, live threads, address, yield state and handle of its local memory |
//! | `launched`, `launched_warp` | in | 1, `WARP_BITS` | it is launched at this edge, on that one |
//! | `ready` | in | `WARPS` | warps that the engine lets issue |
//! | `offer_*` | out, `taken` in | | what the engine is offered |
//!
//! **Timing** 2 words and the launch; then for each reason and each token a word, and the cycle in which the engine takes it.
//! **Invariants** 1. a warp that was parked sleeps as a whole. 2. nothing is offered before the engine has launched the warp.
//! **Source** CX-09. **See also** `warp_saver`, [`save_area`](super::save_area).

use super::save_area::{
    ADDRESS_AT, GROUP_AT, HEADER_PARKED_AT, HEADER_PLACE_AT, HEADER_REASONS_AT, HEADER_TOKENS_AT, HEADER_YIELDS_AT,
    MASK_AT, TOKENS_BITS,
};
use crate::divergence::token::Operation;
use crate::prelude::*;

/// How far a warp is in.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum RestorerStep {
    /// No warp is in hand.
    Idle,
    /// Its header is read.
    Header,
    /// Its live threads are read.
    Live,
    /// It is launched.
    Launch,
    /// What is next is decided.
    Next,
    /// A reason is read.
    Reason,
    /// The engine is told.
    Disable,
    /// A token is read.
    Token,
    /// The engine is told.
    Deposit,
}

block! {
    /// At most 32 threads a warp. See the module's page.
    pub struct WarpRestorer<
        const WARPS: usize, const WARP_BITS: usize, const THREADS: usize, const ADDRESS_BITS: usize, const GROUP_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A warp is to be restored.
            pub start: Signal<In, Bit>,
            /// It is restored.
            pub done: Signal<Out, Bit>,
            /// A word of the save area is wanted.
            pub pop_valid: Signal<Out, Bit>,
            /// It is there.
            pub pop_ready: Signal<In, Bit>,
            /// The word.
            pub pop_data: Signal<In, Bits<64>>,
            /// The warp is to be launched.
            pub launching: Signal<Out, Bit>,
            /// It is.
            pub launched: Signal<In, Bit>,
            /// On that one.
            pub launched_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its number in its block.
            pub launch_place: Signal<Out, Bits<WARP_BITS>>,
            /// Its live threads.
            pub launch_threads: Signal<Out, Bits<THREADS>>,
            /// Where it goes on.
            pub launch_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// Its yield state.
            pub launch_yields: Signal<Out, Bits<16>>,
            /// The handle of its local memory.
            pub launch_group: Signal<Out, Bits<GROUP_BITS>>,
            /// Warps that the engine lets issue.
            pub ready: Signal<In, Bits<WARPS>>,
            /// The engine is offered something.
            pub offer_valid: Signal<Out, Bit>,
            /// It accepts.
            pub offer_taken: Signal<In, Bit>,
            /// For which warp.
            pub offer_warp: Signal<Out, Bits<WARP_BITS>>,
            /// What it does.
            pub offer_operation: Signal<Out, Bits<4>>,
            /// Kind of reason or token.
            pub offer_kind: Signal<Out, Bits<4>>,
            /// Its threads.
            pub offer_mask: Signal<Out, Bits<THREADS>>,
            /// Its address.
            pub offer_target: Signal<Out, Bits<ADDRESS_BITS>>,
        }
        parts {
            step: Register<RestorerStep>,
            word: Register<Bits<64>>,
            header: Register<Bits<64>>,
            live: Register<Bits<THREADS>>,
            group: Register<Bits<GROUP_BITS>>,
            warp: Register<Bits<WARP_BITS>>,
            reasons: Register<Bits<4>>,
            tokens: Register<Bits<TOKENS_BITS>>,
            able: Signal<Local, Bit>,
            operation_disable: Constant<Bits<4>> = Constant::new(bits(Operation::Disable as u64)),
            operation_sleep: Constant<Bits<4>> = Constant::new(bits(Operation::Sleep as u64)),
            operation_deposit: Constant<Bits<4>> = Constant::new(bits(Operation::Deposit as u64)),
            address_at: Constant<Bits<6>> = Constant::new(bits(ADDRESS_AT as u64)),
            mask_at: Constant<Bits<6>> = Constant::new(bits(MASK_AT as u64)),
            group_at: Constant<Bits<6>> = Constant::new(bits(GROUP_AT as u64)),
            yields_at: Constant<Bits<6>> = Constant::new(bits(HEADER_YIELDS_AT as u64)),
            place_at: Constant<Bits<6>> = Constant::new(bits(HEADER_PLACE_AT as u64)),
            parked_at: Constant<Bits<6>> = Constant::new(bits(HEADER_PARKED_AT as u64)),
            reasons_at: Constant<Bits<6>> = Constant::new(bits(HEADER_REASONS_AT as u64)),
            tokens_at: Constant<Bits<6>> = Constant::new(bits(HEADER_TOKENS_AT as u64)),
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const THREADS: usize,
        const ADDRESS_BITS: usize,
        const GROUP_BITS: usize,
    > Logic for WarpRestorer<WARPS, WARP_BITS, THREADS, ADDRESS_BITS, GROUP_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, word, header, live, group, warp, reasons, tokens);
        self.launch_place.next = self.header.q.val().get_bits::<WARP_BITS>(self.place_at.val());
        self.launch_threads.next = self.live.q.val();
        self.launch_address.next = self.header.q.val().get_bits::<ADDRESS_BITS>(0);
        self.launch_group.next = self.group.q.val();
        self.launch_yields.next = self.header.q.val().get_bits::<16>(self.yields_at.val());
        self.able.next = self.ready.val().get_bit(self.warp.q.val());
        self.offer_valid.next = false;
        self.offer_warp.next = self.warp.q.val();
        self.offer_operation.next = self.operation_deposit.val();
        self.offer_kind.next = self.word.q.val().get_bits::<4>(0);
        self.offer_mask.next = self.word.q.val().get_bits::<THREADS>(self.mask_at.val());
        self.offer_target.next = self.word.q.val().get_bits::<ADDRESS_BITS>(self.address_at.val());
        self.pop_valid.next = false;
        self.launching.next = false;
        self.done.next = false;
        if self.pop_ready.val() {
            self.word.d.next = self.pop_data.val();
        }

        match self.step.q.val() {
            RestorerStep::Idle => {
                if self.start.val() {
                    self.step.d.next = RestorerStep::Header;
                }
            }
            RestorerStep::Header => {
                self.pop_valid.next = true;
                if self.pop_ready.val() {
                    self.step.d.next = RestorerStep::Live;
                    self.header.d.next = self.pop_data.val();
                    self.reasons.d.next = self.pop_data.val().get_bits::<4>(self.reasons_at.val());
                    self.tokens.d.next = self.pop_data.val().get_bits::<TOKENS_BITS>(self.tokens_at.val());
                }
            }
            RestorerStep::Live => {
                self.pop_valid.next = true;
                if self.pop_ready.val() {
                    self.step.d.next = RestorerStep::Launch;
                    self.live.d.next = self.pop_data.val().get_bits::<THREADS>(0);
                    self.group.d.next = self.pop_data.val().get_bits::<GROUP_BITS>(self.group_at.val());
                }
            }
            RestorerStep::Launch => {
                self.launching.next = true;
                if self.launched.val() {
                    self.step.d.next = RestorerStep::Next;
                    self.warp.d.next = self.launched_warp.val();
                }
            }
            RestorerStep::Next => {
                if self.reasons.q.val().any() {
                    self.step.d.next = RestorerStep::Reason;
                } else if self.tokens.q.val().any() {
                    self.step.d.next = RestorerStep::Token;
                } else {
                    self.step.d.next = RestorerStep::Idle;
                    self.done.next = true;
                }
            }
            RestorerStep::Reason => {
                self.pop_valid.next = true;
                if self.pop_ready.val() {
                    self.step.d.next = RestorerStep::Disable;
                }
            }
            RestorerStep::Disable => {
                self.offer_valid.next = self.able.val();
                self.offer_operation.next = self.operation_disable.val();
                if self.header.q.val().get_bit(self.parked_at.val()) {
                    self.offer_operation.next = self.operation_sleep.val();
                }
                if self.offer_taken.val() {
                    self.step.d.next = RestorerStep::Next;
                    self.reasons.d.next = self.reasons.q.val() - 1;
                }
            }
            RestorerStep::Token => {
                self.pop_valid.next = true;
                if self.pop_ready.val() {
                    self.step.d.next = RestorerStep::Deposit;
                }
            }
            RestorerStep::Deposit => {
                self.offer_valid.next = self.able.val();
                if self.offer_taken.val() {
                    self.step.d.next = RestorerStep::Next;
                    self.tokens.d.next = self.tokens.q.val() - 1;
                }
            }
            _ => {
                self.step.d.next = RestorerStep::Idle;
            }
        }
    }
}
