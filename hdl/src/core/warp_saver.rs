//! Takes a warp out of the divergence engine and writes it into a save area: its tokens as they leave, then what the engine shows of it.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `start`, `warp` | in | 1, `WARP_BITS` | a warp that issues nothing more and has neither ended nor is about to; `warp` is stable until `done` |
//! | `done` | out | 1 | strobe: it is written, and the engine no longer runs it |
//! | `offer_valid`, `offer_taken` | out, in | 1 | a Withdraw of the warp, and its acceptance |
//! | `saved_*` | in | | what the engine gives away |
//! | `look`, `look_kind`, `look_ready` | out, in | 1, 4, 1 | the engine's query port has to show this warp and this reason; in this cycle it does, and not what an observer looks at |
//! | `place`, `query_*`, `group` | in | | that, the warp's number in its block, and the handle of its local memory |
//! | `push_*` | | | the save area |
//!
//! **Timing** a token every 3 cycles and what the engine and the memory take; then a cycle for each of the 9 kinds, one more for each reason there is, and 2; those in which an
//! observer looks instead come on top.
//! **Invariants** 1. the words are those of [`save_area`](super::save_area), in this order. 2. only the cycles of `look` keep other warps from
//! issuing, and those in which a Withdraw is offered.
//! **Source** CX-09. **See also** `warp_restorer`.

use super::save_area::{
    ADDRESS_AT, GROUP_AT, HEADER_PARKED_AT, HEADER_PLACE_AT, HEADER_REASONS_AT, HEADER_TOKENS_AT, HEADER_YIELDS_AT,
    MASK_AT, TOKENS_BITS,
};
use crate::divergence::token::Kind;
use crate::prelude::*;

/// How far a warp is out.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum SaverStep {
    /// No warp is in hand.
    Idle,
    /// The next token is asked for.
    Ask,
    /// It is on its way.
    Await,
    /// It is written.
    Token,
    /// A reason is looked at.
    Look,
    /// It is written.
    Reason,
    /// The live threads are written.
    Live,
    /// The header is written.
    Header,
}

block! {
    /// At most 32 threads a warp. See the module's page.
    pub struct WarpSaver<const WARP_BITS: usize, const THREADS: usize, const ADDRESS_BITS: usize, const GROUP_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A warp is to be saved.
            pub start: Signal<In, Bit>,
            /// It is saved.
            pub done: Signal<Out, Bit>,
            /// The engine is offered a Withdraw.
            pub offer_valid: Signal<Out, Bit>,
            /// It accepts.
            pub offer_taken: Signal<In, Bit>,
            /// A token leaves.
            pub saved_valid: Signal<In, Bit>,
            /// No token was left.
            pub saved_last: Signal<In, Bit>,
            /// The token's kind.
            pub saved_kind: Signal<In, Bits<4>>,
            /// Its threads.
            pub saved_mask: Signal<In, Bits<THREADS>>,
            /// Its address.
            pub saved_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// The query port is needed.
            pub look: Signal<Out, Bit>,
            /// The reason to look at.
            pub look_kind: Signal<Out, Bits<4>>,
            /// The query port shows it.
            pub look_ready: Signal<In, Bit>,
            /// The warp's number in its block.
            pub place: Signal<In, Bits<WARP_BITS>>,
            /// Its address.
            pub query_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// Its active threads.
            pub query_active: Signal<In, Bits<THREADS>>,
            /// Its threads disabled for the reason.
            pub query_disabled: Signal<In, Bits<THREADS>>,
            /// Its yield state.
            pub query_yields: Signal<In, Bits<16>>,
            /// The handle of its local memory.
            pub group: Signal<In, Bits<GROUP_BITS>>,
            /// A word for the save area.
            pub push_valid: Signal<Out, Bit>,
            /// It is taken.
            pub push_ready: Signal<In, Bit>,
            /// The word.
            pub push_data: Signal<Out, Bits<64>>,
        }
        parts {
            step: Register<SaverStep>,
            word: Register<Bits<64>>,
            kind: Register<Bits<4>>,
            live: Register<Bits<THREADS>>,
            header: Register<Bits<64>>,
            reasons: Register<Bits<4>>,
            tokens: Register<Bits<TOKENS_BITS>>,
            parked: Signal<Local, Bits<1>>,
            first_kind: Constant<Bits<4>> = Constant::new(bits(Kind::ALL[0] as u64)),
            last_kind: Constant<Bits<4>> = Constant::new(bits(Kind::ALL[Kind::ALL.len() - 1] as u64)),
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

impl<const WARP_BITS: usize, const THREADS: usize, const ADDRESS_BITS: usize, const GROUP_BITS: usize> Logic
    for WarpSaver<WARP_BITS, THREADS, ADDRESS_BITS, GROUP_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, word, kind, live, header, reasons, tokens);
        self.offer_valid.next = self.step.q.val() == SaverStep::Ask;
        self.look.next = self.step.q.val() == SaverStep::Look;
        self.look_kind.next = self.kind.q.val();
        self.done.next = false;
        self.push_valid.next = false;
        self.push_data.next = self.word.q.val();
        self.parked.next = 0.into();
        if !self.query_active.val().any() {
            self.parked.next = 1.into();
        }

        match self.step.q.val() {
            SaverStep::Idle => {
                if self.start.val() {
                    self.step.d.next = SaverStep::Ask;
                    self.kind.d.next = self.first_kind.val();
                    self.live.d.next = 0.into();
                    self.reasons.d.next = 0.into();
                    self.tokens.d.next = 0.into();
                }
            }
            SaverStep::Ask => {
                if self.offer_taken.val() {
                    self.step.d.next = SaverStep::Await;
                }
            }
            SaverStep::Await => {
                if self.saved_valid.val() {
                    self.step.d.next = SaverStep::Token;
                    self.word.d.next = bit_cast::<64, 4>(self.saved_kind.val())
                        | (bit_cast::<64, ADDRESS_BITS>(self.saved_address.val()) << self.address_at.val())
                        | (bit_cast::<64, THREADS>(self.saved_mask.val()) << self.mask_at.val());
                } else if self.saved_last.val() {
                    self.step.d.next = SaverStep::Look;
                }
            }
            SaverStep::Token => {
                self.push_valid.next = true;
                if self.push_ready.val() {
                    self.step.d.next = SaverStep::Ask;
                    self.tokens.d.next = self.tokens.q.val() + 1;
                }
            }
            SaverStep::Look => {
                if self.look_ready.val() {
                    self.live.d.next = self.live.q.val() | self.query_disabled.val() | self.query_active.val();
                    self.header.d.next = bit_cast::<64, ADDRESS_BITS>(self.query_address.val())
                        | (bit_cast::<64, 16>(self.query_yields.val()) << self.yields_at.val())
                        | (bit_cast::<64, WARP_BITS>(self.place.val()) << self.place_at.val())
                        | (bit_cast::<64, 1>(self.parked.val()) << self.parked_at.val());
                    self.word.d.next = bit_cast::<64, 4>(self.kind.q.val())
                        | (bit_cast::<64, THREADS>(self.query_disabled.val()) << self.mask_at.val());
                    self.kind.d.next = self.kind.q.val() + 1;
                    if self.query_disabled.val().any() {
                        self.step.d.next = SaverStep::Reason;
                    } else if self.kind.q.val() == self.last_kind.val() {
                        self.step.d.next = SaverStep::Live;
                    }
                }
            }
            SaverStep::Reason => {
                self.push_valid.next = true;
                if self.push_ready.val() {
                    self.reasons.d.next = self.reasons.q.val() + 1;
                    self.step.d.next = SaverStep::Look;
                    if self.kind.q.val() > self.last_kind.val() {
                        self.step.d.next = SaverStep::Live;
                    }
                }
            }
            SaverStep::Live => {
                self.push_valid.next = true;
                self.push_data.next = bit_cast::<64, THREADS>(self.live.q.val())
                    | (bit_cast::<64, GROUP_BITS>(self.group.val()) << self.group_at.val());
                if self.push_ready.val() {
                    self.step.d.next = SaverStep::Header;
                }
            }
            SaverStep::Header => {
                self.push_valid.next = true;
                self.push_data.next = self.header.q.val()
                    | (bit_cast::<64, 4>(self.reasons.q.val()) << self.reasons_at.val())
                    | (bit_cast::<64, TOKENS_BITS>(self.tokens.q.val()) << self.tokens_at.val());
                if self.push_ready.val() {
                    self.step.d.next = SaverStep::Idle;
                    self.done.next = true;
                }
            }
            _ => {
                self.step.d.next = SaverStep::Idle;
            }
        }
    }
}
