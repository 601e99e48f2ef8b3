//! Which kinds of tokens each warp's queue holds, spilled ones included: whether a search has anything to find, and what the next token
//! is to remember about the tokens behind it.
//!
//! No count is kept. Each token takes along whether another of its own kind is behind it, so the flag of a kind is set by a
//! token that enters and falls back to what the token that leaves remembers. A flag is the difference of two bits in
//! memory, one written by tokens that enter and one by tokens that leave, because both may come in one cycle.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `push_warp`, `push_kind` | in | `WARP_BITS`, 4 | the token at the push port |
//! | `query_warp`, `query_kind` | in | `WARP_BITS`, 4 | the one at the operation port, or what it asks for |
//! | `present`, `yield_present` | out | 1, 1 | that warp holds a token of that kind; a yield token |
//! | `enter_valid`, `enter_pushed`, `enter_back` | in | 1 each | a token enters, from the push port or the other; there at the back |
//! | `enter_warp`, `enter_kind` | in | `WARP_BITS`, 4 | which |
//! | `enter_summary` | out | 4 | kinds behind it: sync, divergence, call, and its own kind |
//! | `leave_valid`, `leave_warp` | in | 1, `WARP_BITS` | a token leaves at the front |
//! | `shown_kind`, `shown_summary`, `shown_alone` | in | 4, 4, 1 | the token that leaves or is shown; nothing is behind it |
//! | `shown_yield` | out | 1 | a yield token is behind it |
//! | `empties` | in | 1 | the queue of the operation port's warp empties in this cycle |
//! | `clear_enable`, `clear_key` | in | 1, `KEY_BITS` | forget {warp, kind} |
//!
//! **Timing** outputs are combinational and count a token that leaves in this cycle (its kind is known a cycle after
//! the pop was accepted); one that enters shows from the next cycle on.
//! **Invariants** 1. a flag is set if and only if the queue holds a token of its kind. Yield tokens lie together at the back, so theirs
//! falls when the queue empties by one. 2. a token that enters is told which kinds of the summary are behind it; at the back none is.
//! **Source** US 9,459,876, bits 58 to 61 of the token, which tell what is below; DQ-04.

use super::token::Kind;
use crate::prelude::*;

block! {
    /// `KEY_BITS` = `WARP_BITS` + 4; see the module's page.
    pub struct KindFlags<const WARPS: usize, const WARP_BITS: usize, const KEY_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// The warp at the push port.
            pub push_warp: Signal<In, Bits<WARP_BITS>>,
            /// The kind there.
            pub push_kind: Signal<In, Bits<4>>,
            /// A token enters.
            pub enter_valid: Signal<In, Bit>,
            /// It enters from the push port.
            pub enter_pushed: Signal<In, Bit>,
            /// If not, it enters at the back.
            pub enter_back: Signal<In, Bit>,
            /// Its warp.
            pub enter_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its kind.
            pub enter_kind: Signal<In, Bits<4>>,
            /// Kinds behind it: sync, divergence, call, its own.
            pub enter_summary: Signal<Out, Bits<4>>,
            /// A token leaves at the front: the one shown.
            pub leave_valid: Signal<In, Bit>,
            /// The warp of the token shown.
            pub leave_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its kind.
            pub shown_kind: Signal<In, Bits<4>>,
            /// What it remembers: sync, divergence, call, its own kind are behind it.
            pub shown_summary: Signal<In, Bits<4>>,
            /// Nothing is behind it.
            pub shown_alone: Signal<In, Bit>,
            /// A yield token is behind it.
            pub shown_yield: Signal<Out, Bit>,
            /// The warp at the operation port.
            pub query_warp: Signal<In, Bits<WARP_BITS>>,
            /// The kind there.
            pub query_kind: Signal<In, Bits<4>>,
            /// It holds a token of that kind.
            pub present: Signal<Out, Bit>,
            /// It holds a yield token.
            #[reads(early)]
            pub yield_present: Signal<Out, Bit>,
            /// The queue at the operation port empties.
            pub empties: Signal<In, Bit>,
            /// Forget a kind.
            pub clear_enable: Signal<In, Bit>,
            /// Which: warp and kind.
            pub clear_key: Signal<In, Bits<KEY_BITS>>,
        }
        parts {
            sync: Register<Bits<WARPS>>,
            divergence: Register<Bits<WARPS>>,
            call: Register<Bits<WARPS>>,
            yielded: Register<Bits<WARPS>>,
            #[reads_back(write_enable, write_address, write_data)]
            entered_push: RegisterFile<KEY_BITS, 1>,
            entered_leave: RegisterFile<KEY_BITS, 1>,
            entered_query: RegisterFile<KEY_BITS, 1>,
            #[reads_back(write_enable, write_address, write_data)]
            left_push: RegisterFile<KEY_BITS, 1>,
            left_query: RegisterFile<KEY_BITS, 1>,
            push_key: Signal<Local, Bits<KEY_BITS>>,
            enter_key: Signal<Local, Bits<KEY_BITS>>,
            leave_key: Signal<Local, Bits<KEY_BITS>>,
            query_key: Signal<Local, Bits<KEY_BITS>>,
            pushing: Signal<Local, Bits<WARPS>>,
            entering: Signal<Local, Bits<WARPS>>,
            staying: Signal<Local, Bits<WARPS>>,
            kept: Signal<Local, Bits<WARPS>>,
            sync_left: Signal<Local, Bits<WARPS>>,
            divergence_left: Signal<Local, Bits<WARPS>>,
            call_left: Signal<Local, Bits<WARPS>>,
            yielded_left: Signal<Local, Bits<WARPS>>,
            behind: Signal<Local, Bit>,
            push_same: Signal<Local, Bit>,
            query_same: Signal<Local, Bit>,
            left_data: Signal<Local, Bits<1>>,
            left_now: Signal<Local, Bits<1>>,
            own: Signal<Local, Bit>,
            own_kind: Constant<Bits<4>> = Constant::new(bits(8)),
            one: Constant<Bits<WARPS>> = Constant::new(bits(1)),
            kind_sync: Constant<Bits<4>> = Constant::new(bits(Kind::Sync as u64)),
            kind_divergence: Constant<Bits<4>> = Constant::new(bits(Kind::Divergence as u64)),
            kind_call: Constant<Bits<4>> = Constant::new(bits(Kind::Call as u64)),
            kind_yield: Constant<Bits<4>> = Constant::new(bits(Kind::Yield as u64)),
        }
    }
}

impl<const WARPS: usize, const WARP_BITS: usize, const KEY_BITS: usize> Logic
    for KindFlags<WARPS, WARP_BITS, KEY_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, sync, divergence, call, yielded);
        clock!(self, clock, entered_push, entered_leave, entered_query, left_push, left_query);
        self.push_key.next = (bit_cast::<KEY_BITS, WARP_BITS>(self.push_warp.val()) << 4)
            | bit_cast::<KEY_BITS, 4>(self.push_kind.val());
        self.enter_key.next = (bit_cast::<KEY_BITS, WARP_BITS>(self.enter_warp.val()) << 4)
            | bit_cast::<KEY_BITS, 4>(self.enter_kind.val());
        self.leave_key.next = (bit_cast::<KEY_BITS, WARP_BITS>(self.leave_warp.val()) << 4)
            | bit_cast::<KEY_BITS, 4>(self.shown_kind.val());
        self.query_key.next = (bit_cast::<KEY_BITS, WARP_BITS>(self.query_warp.val()) << 4)
            | bit_cast::<KEY_BITS, 4>(self.query_kind.val());
        self.entered_push.read_address.next = self.push_key.val();
        self.left_push.read_address.next = self.push_key.val();
        self.entered_leave.read_address.next = self.leave_key.val();
        self.entered_query.read_address.next = self.query_key.val();
        self.left_query.read_address.next = self.query_key.val();

        // What the token that leaves has left behind: of its own kind, and whether the same cycle asks for just that.
        self.behind.next = self.shown_summary.val().get_bit(3) & !self.shown_alone.val();
        self.push_same.next = self.leave_valid.val() & (self.push_key.val() == self.leave_key.val());
        self.query_same.next = self.leave_valid.val() & (self.query_key.val() == self.leave_key.val());
        self.present.next = self.entered_query.read_data.val() != self.left_query.read_data.val();
        if self.query_same.val() {
            self.present.next = self.behind.val();
        }
        if self.query_kind.val() == self.kind_yield.val() {
            self.present.next = self.yield_present.val();
        }
        self.own.next = self.entered_push.read_data.val() != self.left_push.read_data.val();
        if self.push_same.val() {
            self.own.next = self.behind.val();
        }

        if !self.enter_pushed.val() {
            self.own.next = self.present.val();
        }

        // The flag is 1 after a token entered: its bit differs from the other, as that will be. (Yield tokens have
        // a flag of their own below; what is kept for them here is not looked at.)
        self.left_data.next = self.entered_leave.read_data.val() ^ bit_cast::<1, 1>(self.behind.val().into());
        self.left_now.next = self.left_query.read_data.val();
        if self.enter_pushed.val() {
            self.left_now.next = self.left_push.read_data.val();
        }
        if (self.enter_pushed.val() & self.push_same.val()) | (!self.enter_pushed.val() & self.query_same.val()) {
            self.left_now.next = self.left_data.val();
        }
        self.entered_push.write_enable.next = self.enter_valid.val() | self.clear_enable.val();
        self.entered_push.write_address.next = self.enter_key.val();
        self.entered_push.write_data.next = !self.left_now.val();
        self.left_push.write_enable.next = self.leave_valid.val() | self.clear_enable.val();
        self.left_push.write_address.next = self.leave_key.val();
        self.left_push.write_data.next = self.left_data.val();
        if self.clear_enable.val() {
            self.entered_push.write_address.next = self.clear_key.val();
            self.entered_push.write_data.next = 0.into();
            self.left_push.write_address.next = self.clear_key.val();
            self.left_push.write_data.next = 0.into();
        }
        // The other copies exist for their read ports.
        self.entered_leave.write_enable.next = self.entered_push.write_enable.val();
        self.entered_leave.write_address.next = self.entered_push.write_address.val();
        self.entered_leave.write_data.next = self.entered_push.write_data.val();
        self.entered_query.write_enable.next = self.entered_push.write_enable.val();
        self.entered_query.write_address.next = self.entered_push.write_address.val();
        self.entered_query.write_data.next = self.entered_push.write_data.val();
        self.left_query.write_enable.next = self.left_push.write_enable.val();
        self.left_query.write_address.next = self.left_push.write_address.val();
        self.left_query.write_data.next = self.left_push.write_data.val();

        // The kinds of the summary, a flag a warp: what a token that leaves does not remember is not there any more.
        self.staying.next = !bits::<WARPS>(0);
        if self.leave_valid.val() {
            self.staying.next = !(self.one.val() << self.leave_warp.val());
        }
        self.entering.next = 0.into();
        if self.enter_valid.val() {
            self.entering.next = self.one.val() << self.enter_warp.val();
        }
        self.kept.next = !bits::<WARPS>(0);
        if self.clear_enable.val() {
            self.kept.next = !(self.one.val() << bit_cast::<WARP_BITS, KEY_BITS>(self.clear_key.val() >> 4));
        }
        self.sync_left.next = self.sync.q.val();
        if !self.shown_summary.val().get_bit(0) {
            self.sync_left.next = self.sync.q.val() & self.staying.val();
        }
        self.divergence_left.next = self.divergence.q.val();
        if !self.shown_summary.val().get_bit(1) {
            self.divergence_left.next = self.divergence.q.val() & self.staying.val();
        }
        self.call_left.next = self.call.q.val();
        if !self.shown_summary.val().get_bit(2) {
            self.call_left.next = self.call.q.val() & self.staying.val();
        }
        self.yielded_left.next = self.yielded.q.val();
        if self.empties.val() {
            self.yielded_left.next = self.yielded.q.val() & !(self.one.val() << self.query_warp.val());
        }
        self.sync.d.next = self.sync_left.val() & self.kept.val();
        self.divergence.d.next = self.divergence_left.val() & self.kept.val();
        self.call.d.next = self.call_left.val() & self.kept.val();
        self.yielded.d.next = self.yielded_left.val() & self.kept.val();
        if self.enter_kind.val() == self.kind_sync.val() {
            self.sync.d.next = (self.sync_left.val() & self.kept.val()) | self.entering.val();
        }
        if self.enter_kind.val() == self.kind_divergence.val() {
            self.divergence.d.next = (self.divergence_left.val() & self.kept.val()) | self.entering.val();
        }
        if self.enter_kind.val() == self.kind_call.val() {
            self.call.d.next = (self.call_left.val() & self.kept.val()) | self.entering.val();
        }
        if self.enter_kind.val() == self.kind_yield.val() {
            self.yielded.d.next = (self.yielded_left.val() & self.kept.val()) | self.entering.val();
        }

        self.enter_summary.next = (bit_cast::<4, 1>(self.own.val().into()) << 3)
            | (bit_cast::<4, 1>(self.call_left.val().get_bit(self.query_warp.val()).into()) << 2)
            | (bit_cast::<4, 1>(self.divergence_left.val().get_bit(self.query_warp.val()).into()) << 1)
            | bit_cast::<4, 1>(self.sync_left.val().get_bit(self.query_warp.val()).into());
        // Masks, not selections: a tool that shared the two would put the choice of the port in front of both.
        self.pushing.next = self.one.val() << self.push_warp.val();
        if self.enter_pushed.val() {
            self.enter_summary.next = (bit_cast::<4, 1>(self.own.val().into()) << 3)
                | (bit_cast::<4, 1>((self.call_left.val() & self.pushing.val()).any().into()) << 2)
                | (bit_cast::<4, 1>((self.divergence_left.val() & self.pushing.val()).any().into()) << 1)
                | bit_cast::<4, 1>((self.sync_left.val() & self.pushing.val()).any().into());
        }
        // Behind a yield token there are none but those; that it is the last one is told by the queue that empties.
        if !self.enter_pushed.val() & self.enter_back.val() {
            self.enter_summary.next = self.own_kind.val();
        }
        self.yield_present.next = self.yielded.q.val().get_bit(self.query_warp.val());
        self.shown_yield.next = self.yielded.q.val().get_bit(self.leave_warp.val());
        if self.shown_kind.val() == self.kind_yield.val() {
            self.shown_yield.next = !self.shown_alone.val();
        }
    }
}
