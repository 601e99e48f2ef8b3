//! Two sets of a group as one: at a position where one of them is empty the other's index will do; where both have threads, their masks are
//! united elsewhere and the index of the union is put here.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `arrived`, `named` | in | `SET_BITS` | the sets: an index for each position |
//! | `pending`, `position`, `hot` | out | 1, `WARP_BITS`, `WARPS` | a union is needed, at this position |
//! | `arrived_index`, `named_index` | out | `INDEX_BITS` | the indices there |
//! | `put_valid`, `put_hot`, `put_index` | in | | the index of a union |
//! | `clear` | in | 1 | the sets are others from the next cycle on |
//! | `joined` | out | `SET_BITS` | both as one, unless something is `pending` |
//!
//! **Timing** combinational, but for what is put, which shows in the next cycle.
//! **See also** `group_divergence_table`.

use crate::prelude::*;

block! {
    /// `SET_BITS` = `WARPS` × `INDEX_BITS`; see the module's page.
    pub struct GroupJoiner<
        const WARPS: usize, const WARP_BITS: usize, const INDEX_BITS: usize, const SET_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// One set.
            pub arrived: Signal<In, Bits<SET_BITS>>,
            /// The other.
            pub named: Signal<In, Bits<SET_BITS>>,
            /// A union is needed.
            pub pending: Signal<Out, Bit>,
            /// At this position.
            pub position: Signal<Out, Bits<WARP_BITS>>,
            /// The same, a bit a position.
            pub hot: Signal<Out, Bits<WARPS>>,
            /// The first set's index there.
            pub arrived_index: Signal<Out, Bits<INDEX_BITS>>,
            /// The other's.
            pub named_index: Signal<Out, Bits<INDEX_BITS>>,
            /// A union has an index.
            pub put_valid: Signal<In, Bit>,
            /// At this position.
            pub put_hot: Signal<In, Bits<WARPS>>,
            /// Which.
            pub put_index: Signal<In, Bits<INDEX_BITS>>,
            /// The sets change.
            pub clear: Signal<In, Bit>,
            /// Both as one.
            pub joined: Signal<Out, Bits<SET_BITS>>,
        }
        parts {
            united: Register<Bits<WARPS>>,
            unions: [Register<Bits<INDEX_BITS>>; WARPS] = std::array::from_fn(|_| Register::default()),
            first: FieldSplit<WARPS, INDEX_BITS, SET_BITS>,
            second: FieldSplit<WARPS, INDEX_BITS, SET_BITS>,
            result: FieldJoin<WARPS, INDEX_BITS, SET_BITS>,
            both: MaskUnion<WARPS, WARPS>,
            first_chosen: MaskUnion<WARPS, INDEX_BITS>,
            second_chosen: MaskUnion<WARPS, INDEX_BITS>,
            picker: LowestBit<WARPS, WARP_BITS>,
            none: Constant<Bits<WARPS>> = Constant::new(bits(0)),
        }
    }
}

impl<const WARPS: usize, const WARP_BITS: usize, const INDEX_BITS: usize, const SET_BITS: usize> Logic
    for GroupJoiner<WARPS, WARP_BITS, INDEX_BITS, SET_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, united);
        self.first.word.next = self.arrived.val();
        self.second.word.next = self.named.val();
        for i in 0..WARPS {
            self.both.masks[i].next =
                self.none.val().replace_bit(i, self.first.fields[i].val().any() & self.second.fields[i].val().any());
        }
        self.picker.mask.next = self.both.result.val() & !self.united.q.val();
        self.pending.next = self.picker.found.val();
        self.position.next = self.picker.index.val();
        self.hot.next = self.picker.one_hot.val();
        for i in 0..WARPS {
            self.first_chosen.masks[i].next = 0.into();
            self.second_chosen.masks[i].next = 0.into();
            if self.picker.one_hot.val().get_bit(i) {
                self.first_chosen.masks[i].next = self.first.fields[i].val();
                self.second_chosen.masks[i].next = self.second.fields[i].val();
            }
            self.unions[i].clock.next = self.clock.val();
            self.unions[i].reset.next = self.reset.val();
            self.unions[i].d.next = self.unions[i].q.val();
            if self.put_valid.val() & self.put_hot.val().get_bit(i) {
                self.unions[i].d.next = self.put_index.val();
            }
            self.result.fields[i].next = self.first.fields[i].val() | self.second.fields[i].val();
            if self.united.q.val().get_bit(i) {
                self.result.fields[i].next = self.unions[i].q.val();
            }
        }
        self.arrived_index.next = self.first_chosen.result.val();
        self.named_index.next = self.second_chosen.result.val();
        self.joined.next = self.result.word.val();
        if self.put_valid.val() {
            self.united.d.next = self.united.q.val() | self.put_hot.val();
        }
        if self.clear.val() {
            self.united.d.next = 0.into();
        }
    }
}
