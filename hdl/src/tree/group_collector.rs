//! What the warps of the selected leaf report, one after the other: whose turn it is, which threads each names, and the instruction that
//! their reports come to.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `leaf` | in | the leaf: an index for each position |
//! | `found`, `position`, `hot`, `index` | out | a warp is to report: where it stands, and its index |
//! | `complete` | out | all have |
//! | `active` | in | the threads that its index stands for |
//! | `report_valid`, `request_*`, `path_policy` | in | its report |
//! | `along` | out | it goes where the others go; else it meets the instruction again |
//! | `parted`, `gone`, `named_mask`, `rest_mask` | out | its threads part, and need indices; those named are in no node afterwards; the parts |
//! | `put_valid`, `put_hot`, `put_rest`, `put_index` | in | the index of a part |
//! | `clear`, `wipe` | in | the reports are done with; nobody is named |
//! | `operation`, …, `again`, `named`, `rest`, `taken_first` | out | the instruction, as `tree_core` takes it |
//!
//! **Timing** combinational between leaf, report and answers; what is reported or put shows in the next cycle.
//! **Invariants** 1. every warp of the leaf reports once.
//! **Source** US 9,921,847, one tree for several warps; TD-10.
//! **See also** `group_divergence_table`.

use crate::divergence::token::{Operation, PathPolicy};
use crate::prelude::*;

block! {
    /// `SET_BITS` = `WARPS` × `INDEX_BITS`, `TALLY_BITS` holds the number of all threads; see the module's page.
    pub struct GroupCollector<
        const WARPS: usize, const WARP_BITS: usize, const THREADS: usize, const ADDRESS_BITS: usize,
        const INDEX_BITS: usize, const SET_BITS: usize, const TALLY_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Which side of a branch goes first.
            pub path_policy: Signal<In, Bits<2>>,
            /// An index for each position.
            pub leaf: Signal<In, Bits<SET_BITS>>,
            /// A warp is to report.
            pub found: Signal<Out, Bit>,
            /// Where it stands.
            pub position: Signal<Out, Bits<WARP_BITS>>,
            /// The same, a bit a position.
            pub hot: Signal<Out, Bits<WARPS>>,
            /// Its index.
            pub index: Signal<Out, Bits<INDEX_BITS>>,
            /// All have reported.
            pub complete: Signal<Out, Bit>,
            /// The threads that the index stands for.
            pub active: Signal<In, Bits<THREADS>>,
            /// It reports.
            pub report_valid: Signal<In, Bit>,
            /// What the instruction does.
            pub request_operation: Signal<In, Bits<4>>,
            /// Its kind.
            pub request_kind: Signal<In, Bits<4>>,
            /// Threads of the warp that it names.
            pub request_mask: Signal<In, Bits<THREADS>>,
            /// Its address operand.
            pub request_target: Signal<In, Bits<ADDRESS_BITS>>,
            /// A leave carries an address.
            pub request_targeted: Signal<In, Bit>,
            /// Further groups of a leave follow.
            pub request_again: Signal<In, Bit>,
            /// The warp goes along.
            pub along: Signal<Out, Bit>,
            /// Its threads part.
            pub parted: Signal<Out, Bit>,
            /// Those named are in no node afterwards.
            pub gone: Signal<Out, Bit>,
            /// Those named.
            pub named_mask: Signal<Out, Bits<THREADS>>,
            /// The others.
            pub rest_mask: Signal<Out, Bits<THREADS>>,
            /// A part has an index.
            pub put_valid: Signal<In, Bit>,
            /// At this position.
            pub put_hot: Signal<In, Bits<WARPS>>,
            /// It is the rest.
            pub put_rest: Signal<In, Bit>,
            /// The index.
            pub put_index: Signal<In, Bits<INDEX_BITS>>,
            /// The reports are done with.
            pub clear: Signal<In, Bit>,
            /// Nobody is named.
            pub wipe: Signal<In, Bit>,
            /// What the instruction does.
            pub operation: Signal<Out, Bits<4>>,
            /// Its kind.
            pub kind: Signal<Out, Bits<4>>,
            /// Its address operand.
            pub target: Signal<Out, Bits<ADDRESS_BITS>>,
            /// It carries an address.
            pub targeted: Signal<Out, Bit>,
            /// Those not named meet it again.
            pub again: Signal<Out, Bit>,
            /// Those that it names: an index for each position.
            pub named: Signal<Out, Bits<SET_BITS>>,
            /// The others.
            pub rest: Signal<Out, Bits<SET_BITS>>,
            /// The side of a branch that takes it goes first.
            pub taken_first: Signal<Out, Bit>,
        }
        parts {
            named_index: [Register<Bits<INDEX_BITS>>; WARPS] = std::array::from_fn(|_| Register::default()),
            rest_index: [Register<Bits<INDEX_BITS>>; WARPS] = std::array::from_fn(|_| Register::default()),
            reported: Register<Bits<WARPS>>,
            led: Register<Bit>,
            lead_operation: Register<Bits<4>>,
            lead_kind: Register<Bits<4>>,
            lead_target: Register<Bits<ADDRESS_BITS>>,
            lead_targeted: Register<Bit>,
            repeats: Register<Bit>,
            named_tally: Register<Bits<TALLY_BITS>>,
            rest_tally: Register<Bits<TALLY_BITS>>,
            split: FieldSplit<WARPS, INDEX_BITS, SET_BITS>,
            named_join: FieldJoin<WARPS, INDEX_BITS, SET_BITS>,
            rest_join: FieldJoin<WARPS, INDEX_BITS, SET_BITS>,
            occupied: MaskUnion<WARPS, WARPS>,
            chosen: MaskUnion<WARPS, INDEX_BITS>,
            picker: LowestBit<WARPS, WARP_BITS>,
            named_count: PopulationCount<THREADS, TALLY_BITS>,
            rest_count: PopulationCount<THREADS, TALLY_BITS>,
            called: Signal<Local, Bits<THREADS>>,
            by_register: Signal<Local, Bit>,
            known: Signal<Local, Bit>,
            divides: Signal<Local, Bit>,
            none: Constant<Bits<WARPS>> = Constant::new(bits(0)),
            operation_indirect: Constant<Bits<4>> = Constant::new(bits(Operation::Indirect as u64)),
            operation_leave: Constant<Bits<4>> = Constant::new(bits(Operation::Leave as u64)),
            operation_exit: Constant<Bits<4>> = Constant::new(bits(Operation::Exit as u64)),
            operation_sleep: Constant<Bits<4>> = Constant::new(bits(Operation::Sleep as u64)),
            policy_taken: Constant<Bits<2>> = Constant::new(bits(PathPolicy::Taken as u64)),
            policy_smaller: Constant<Bits<2>> = Constant::new(bits(PathPolicy::Smaller as u64)),
            policy_larger: Constant<Bits<2>> = Constant::new(bits(PathPolicy::Larger as u64)),
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const THREADS: usize,
        const ADDRESS_BITS: usize,
        const INDEX_BITS: usize,
        const SET_BITS: usize,
        const TALLY_BITS: usize,
    > Logic for GroupCollector<WARPS, WARP_BITS, THREADS, ADDRESS_BITS, INDEX_BITS, SET_BITS, TALLY_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, reported, led, lead_operation, lead_kind, lead_target, lead_targeted, repeats);
        dff_setup!(self, clock, named_tally, rest_tally);
        // Whose turn it is: the lowest position with threads in the leaf that has not reported.
        self.split.word.next = self.leaf.val();
        for i in 0..WARPS {
            self.occupied.masks[i].next = self.none.val().replace_bit(i, self.split.fields[i].val().any());
        }
        self.picker.mask.next = self.occupied.result.val() & !self.reported.q.val();
        self.found.next = self.picker.found.val();
        self.position.next = self.picker.index.val();
        self.hot.next = self.picker.one_hot.val();
        self.complete.next = !self.picker.found.val() & self.reported.q.val().any();
        for i in 0..WARPS {
            self.chosen.masks[i].next = 0.into();
            if self.picker.one_hot.val().get_bit(i) {
                self.chosen.masks[i].next = self.split.fields[i].val();
            }
        }
        self.index.next = self.chosen.result.val();

        // Its threads part. A target from a register may differ from that of the first warp that named somebody.
        self.called.next = self.active.val() & self.request_mask.val();
        self.by_register.next = (self.request_operation.val() == self.operation_indirect.val())
            | (self.request_operation.val() == self.operation_leave.val());
        self.along.next = !(self.by_register.val()
            & self.led.q.val()
            & self.called.val().any()
            & (self.request_target.val() != self.lead_target.q.val()));
        self.named_mask.next = 0.into();
        if self.along.val() {
            self.named_mask.next = self.called.val();
        }
        self.rest_mask.next = self.active.val() & !self.named_mask.val();
        self.known.next = self.request_operation.val() < 9;
        self.divides.next = self.known.val() & (self.request_operation.val() > 1);
        self.parted.next = self.divides.val() & self.named_mask.val().any() & self.rest_mask.val().any();
        self.gone.next = self.named_mask.val().any()
            & ((self.request_operation.val() == self.operation_exit.val())
                | (self.request_operation.val() == self.operation_sleep.val()));
        self.named_count.mask.next = self.named_mask.val();
        self.rest_count.mask.next = self.rest_mask.val();
        if self.report_valid.val() {
            self.reported.d.next = self.reported.q.val() | self.picker.one_hot.val();
            self.led.d.next = self.led.q.val() | self.named_mask.val().any();
            self.repeats.d.next = self.repeats.q.val() | self.request_again.val() | !self.along.val();
            self.named_tally.d.next = self.named_tally.q.val() + self.named_count.count.val();
            self.rest_tally.d.next = self.rest_tally.q.val() + self.rest_count.count.val();
            if !self.led.q.val() {
                self.lead_operation.d.next = 0.into();
                if self.known.val() {
                    self.lead_operation.d.next = self.request_operation.val();
                }
                self.lead_kind.d.next = self.request_kind.val();
                self.lead_target.d.next = self.request_target.val();
                self.lead_targeted.d.next = self.request_targeted.val();
            }
        }
        if self.clear.val() {
            self.reported.d.next = 0.into();
            self.led.d.next = false;
            self.repeats.d.next = false;
            self.named_tally.d.next = 0.into();
            self.rest_tally.d.next = 0.into();
        }

        // An index that does not part stays what it is; those of parts are put here.
        for i in 0..WARPS {
            self.named_index[i].clock.next = self.clock.val();
            self.named_index[i].reset.next = self.reset.val();
            self.named_index[i].d.next = self.named_index[i].q.val();
            self.rest_index[i].clock.next = self.clock.val();
            self.rest_index[i].reset.next = self.reset.val();
            self.rest_index[i].d.next = self.rest_index[i].q.val();
            if self.clear.val() & self.wipe.val() {
                self.named_index[i].d.next = 0.into();
            }
            if self.report_valid.val() {
                if !self.reported.q.val().any() {
                    self.named_index[i].d.next = 0.into();
                    self.rest_index[i].d.next = 0.into();
                }
                if self.picker.one_hot.val().get_bit(i) {
                    self.named_index[i].d.next = 0.into();
                    self.rest_index[i].d.next = self.index.val();
                    if self.named_mask.val().any() {
                        self.named_index[i].d.next = self.index.val();
                        self.rest_index[i].d.next = 0.into();
                    }
                }
            }
            if self.put_valid.val() & self.put_hot.val().get_bit(i) {
                if self.put_rest.val() {
                    self.rest_index[i].d.next = self.put_index.val();
                } else {
                    self.named_index[i].d.next = self.put_index.val();
                }
            }
            self.named_join.fields[i].next = self.named_index[i].q.val();
            self.rest_join.fields[i].next = self.rest_index[i].q.val();
        }
        self.named.next = self.named_join.word.val();
        self.rest.next = self.rest_join.word.val();
        self.operation.next = self.lead_operation.q.val();
        self.kind.next = self.lead_kind.q.val();
        self.target.next = self.lead_target.q.val();
        self.targeted.next = self.lead_targeted.q.val();
        self.again.next = self.repeats.q.val();
        self.taken_first.next = (self.path_policy.val() == self.policy_taken.val())
            | ((self.path_policy.val() == self.policy_smaller.val())
                & (self.named_tally.q.val() <= self.rest_tally.q.val()))
            | ((self.path_policy.val() == self.policy_larger.val())
                & (self.named_tally.q.val() >= self.rest_tally.q.val()));
    }
}
