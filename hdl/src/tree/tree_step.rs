//! What an instruction does to the leaf that issues it: the leaf afterwards, a second leaf beside it, a node opened above
//! it, threads that arrive at the node looked at. Pure logic; the tables and the order of steps are `tree_divergence_table`'s.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `operation`, `kind`, `target`, `targeted`, `again` | in | the instruction, as at the table's ports |
//! | `named`, `rest`, `taken_first`, `unites` | in | whom it names, and the others; which side of a branch goes first; sets are masks |
//! | `leaf_*` | in | the selected leaf; `leaf_present` low: the warp has none |
//! | `node_*` | in | the waiting node looked at: first the one above the leaf, in a search the ones above that |
//! | `opened_link`, `opening` | in | the node that would be opened; it was decided earlier that one is |
//! | `opens`, `creates`, `empties`, `detaches`, `joins`, `searches`, `lost` | out | what happens; see each port |
//! | `stay_*`, `second_*`, `opened_*` | out | the leaf, the second leaf, the node opened |
//!
//! **Timing** combinational.
//! **Invariants** 1. the leaf and the second leaf are disjoint and hold the leaf's threads but for those that arrive, exit or sleep.
//! **Source** US 2015/0205606, claim 1; TD-02 to TD-07, and DQ-20 to DQ-31 for the instructions.
//! **See also** `tree_divergence_table`, `tree_core`.

use super::node_table::{LINK_BITS, LINK_VALID};
use crate::divergence::token::{Kind, Operation};
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct TreeStep<const SET_BITS: usize, const ADDRESS_BITS: usize> {
        ports {
            /// What the instruction does.
            pub operation: Signal<In, Bits<4>>,
            /// Its kind.
            pub kind: Signal<In, Bits<4>>,
            /// The threads that it names: of the leaf, or asleep.
            pub named: Signal<In, Bits<SET_BITS>>,
            /// The others of the leaf.
            pub rest: Signal<In, Bits<SET_BITS>>,
            /// The side of a branch that takes it runs first.
            pub taken_first: Signal<In, Bit>,
            /// Two sets of threads can become one in a cycle: they are masks.
            pub unites: Signal<In, Bit>,
            /// Its address operand.
            pub target: Signal<In, Bits<ADDRESS_BITS>>,
            /// A leave carries an address.
            pub targeted: Signal<In, Bit>,
            /// Further groups of a leave follow.
            pub again: Signal<In, Bit>,
            /// The warp has a selected leaf.
            pub leaf_present: Signal<In, Bit>,
            /// Its threads.
            pub leaf_mask: Signal<In, Bits<SET_BITS>>,
            /// Its address.
            pub leaf_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub leaf_link: Signal<In, Bits<LINK_BITS>>,
            /// There is a waiting node to look at.
            pub node_valid: Signal<In, Bit>,
            /// Its kind.
            pub node_kind: Signal<In, Bits<4>>,
            /// Where its threads go on.
            pub node_resume: Signal<In, Bits<ADDRESS_BITS>>,
            /// The node that would be opened.
            pub opened_link: Signal<In, Bits<LINK_BITS>>,
            /// The instruction is known to open a node; none need be looked at.
            pub opening: Signal<In, Bit>,
            /// A node is opened above the leaf.
            pub opens: Signal<Out, Bit>,
            /// There is a second leaf.
            pub creates: Signal<Out, Bit>,
            /// No thread stays in the leaf; or the leaf is saved.
            pub empties: Signal<Out, Bit>,
            /// The whole leaf becomes a tree of its own.
            pub detaches: Signal<Out, Bit>,
            /// The named threads arrive at the node looked at.
            pub joins: Signal<Out, Bit>,
            /// The next node above must be looked at.
            pub searches: Signal<Out, Bit>,
            /// Threads leave and there is no node to go to.
            pub lost: Signal<Out, Bit>,
            /// The leaf's threads part: the second leaf is a sibling.
            pub diverges: Signal<Out, Bit>,
            /// Threads become a tree of their own.
            pub departs: Signal<Out, Bit>,
            /// Threads go to sleep.
            pub sleeps: Signal<Out, Bit>,
            /// Threads exit for good.
            pub exits: Signal<Out, Bit>,
            /// Threads are woken.
            pub wakes: Signal<Out, Bit>,
            /// They simply go on with the selected leaf.
            pub wakes_here: Signal<Out, Bit>,
            /// The leaf afterwards: threads.
            pub stay_mask: Signal<Out, Bits<SET_BITS>>,
            /// Address.
            pub stay_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub stay_link: Signal<Out, Bits<LINK_BITS>>,
            /// The second leaf: threads.
            pub second_mask: Signal<Out, Bits<SET_BITS>>,
            /// Address.
            pub second_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub second_link: Signal<Out, Bits<LINK_BITS>>,
            /// The node opened: its kind.
            pub opened_kind: Signal<Out, Bits<4>>,
            /// Where its threads go on.
            pub opened_resume: Signal<Out, Bits<ADDRESS_BITS>>,
        }
        parts {
            push: Signal<Local, Bit>,
            branch: Signal<Local, Bit>,
            indirect: Signal<Local, Bit>,
            call: Signal<Local, Bit>,
            leave: Signal<Local, Bit>,
            yielding: Signal<Local, Bit>,
            exit: Signal<Local, Bit>,
            sleep: Signal<Local, Bit>,
            wake: Signal<Local, Bit>,
            withdraw: Signal<Local, Bit>,
            none: Signal<Local, Bit>,
            all: Signal<Local, Bit>,
            next: Signal<Local, Bits<ADDRESS_BITS>>,
            rooted: Signal<Local, Bit>,
            same_kind: Signal<Local, Bit>,
            same_resume: Signal<Local, Bit>,
            leaves: Signal<Local, Bit>,
            met: Signal<Local, Bit>,
            astray: Signal<Local, Bit>,
            compacts: Signal<Local, Bit>,
            named_first: Signal<Local, Bit>,
            operation_push: Constant<Bits<4>> = Constant::new(bits(Operation::Push as u64)),
            operation_branch: Constant<Bits<4>> = Constant::new(bits(Operation::Branch as u64)),
            operation_indirect: Constant<Bits<4>> = Constant::new(bits(Operation::Indirect as u64)),
            operation_call: Constant<Bits<4>> = Constant::new(bits(Operation::Call as u64)),
            operation_leave: Constant<Bits<4>> = Constant::new(bits(Operation::Leave as u64)),
            operation_yield: Constant<Bits<4>> = Constant::new(bits(Operation::Yield as u64)),
            operation_exit: Constant<Bits<4>> = Constant::new(bits(Operation::Exit as u64)),
            operation_sleep: Constant<Bits<4>> = Constant::new(bits(Operation::Sleep as u64)),
            operation_wake: Constant<Bits<4>> = Constant::new(bits(Operation::Wake as u64)),
            operation_withdraw: Constant<Bits<4>> = Constant::new(bits(Operation::Withdraw as u64)),
            kind_sync: Constant<Bits<4>> = Constant::new(bits(Kind::Sync as u64)),
            kind_break: Constant<Bits<4>> = Constant::new(bits(Kind::Break as u64)),
            kind_continue: Constant<Bits<4>> = Constant::new(bits(Kind::Continue as u64)),
            kind_call: Constant<Bits<4>> = Constant::new(bits(Kind::Call as u64)),
            link_valid: Constant<Bits<4>> = Constant::new(bits(LINK_VALID as u64)),
        }
    }
}

impl<const SET_BITS: usize, const ADDRESS_BITS: usize> Logic for TreeStep<SET_BITS, ADDRESS_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        self.push.next = self.operation.val() == self.operation_push.val();
        self.branch.next = self.operation.val() == self.operation_branch.val();
        self.indirect.next = self.operation.val() == self.operation_indirect.val();
        self.call.next = self.operation.val() == self.operation_call.val();
        self.leave.next = self.operation.val() == self.operation_leave.val();
        self.yielding.next = self.operation.val() == self.operation_yield.val();
        self.exit.next = self.operation.val() == self.operation_exit.val();
        self.sleep.next = self.operation.val() == self.operation_sleep.val();
        self.wake.next = self.operation.val() == self.operation_wake.val();
        self.withdraw.next = (self.operation.val() == self.operation_withdraw.val()) & self.leaf_present.val();
        self.none.next = !self.named.val().any();
        self.all.next = !self.rest.val().any();
        self.next.next = self.leaf_address.val() + 1;
        self.rooted.next = self.leaf_link.val().get_bit(self.link_valid.val());

        // The node looked at: the nearest one of the kind decides, and only if it goes on at the address named.
        self.same_kind.next = self.node_valid.val() & (self.node_kind.val() == self.kind.val());
        self.same_resume.next = self.node_resume.val() == self.target.val();
        self.leaves.next = self.leave.val() & !self.none.val();
        self.met.next = self.same_kind.val() & (self.same_resume.val() | !self.targeted.val());
        self.joins.next = self.leaves.val() & self.met.val();
        self.searches.next = self.leaves.val() & self.node_valid.val() & !self.same_kind.val();
        self.astray.next = self.leaves.val() & !self.met.val() & (self.same_kind.val() | !self.node_valid.val());
        self.lost.next = self.astray.val() & !self.targeted.val();

        // A region of the kind and end of the node above needs no node of its own.
        self.compacts.next = self.same_kind.val()
            & self.same_resume.val()
            & !self.opening.val()
            & ((self.kind.val() == self.kind_sync.val())
                | (self.kind.val() == self.kind_break.val())
                | (self.kind.val() == self.kind_continue.val()));
        self.opens.next = (self.push.val() & !self.compacts.val()) | (self.call.val() & !self.none.val());
        self.diverges.next =
            (self.branch.val() | self.indirect.val() | self.call.val()) & !self.none.val() & !self.all.val();
        // A tree that is a leaf alone has nothing to be detached from: its YIELD is a step, unless the parts have been taken apart already.
        self.departs.next = (self.astray.val() & self.targeted.val())
            | (self.yielding.val() & !self.none.val() & (self.rooted.val() | !self.unites.val()));
        self.detaches.next = self.departs.val() & self.all.val();
        self.sleeps.next = self.sleep.val() & !self.none.val();
        self.exits.next = self.exit.val() & !self.none.val();
        self.empties.next =
            ((self.joins.val() | self.sleeps.val() | self.exits.val()) & self.all.val()) | self.withdraw.val();
        self.wakes.next = self.wake.val() & !self.none.val();
        self.wakes_here.next = self.wakes.val()
            & self.unites.val()
            & self.leaf_present.val()
            & !self.rooted.val()
            & (self.leaf_address.val() == self.target.val());
        self.creates.next =
            self.diverges.val() | (self.departs.val() & !self.all.val()) | (self.wakes.val() & !self.wakes_here.val());

        // The side of a branch that runs first keeps the leaf; of other partings, the threads that go where the instruction says.
        self.named_first.next = self.taken_first.val() | !self.branch.val();

        self.stay_mask.next = self.leaf_mask.val();
        self.stay_address.next = self.next.val();
        self.stay_link.next = self.leaf_link.val();
        self.second_mask.next = self.named.val();
        self.second_address.next = self.next.val();
        self.second_link.next = 0.into();
        if self.joins.val() | self.sleeps.val() | self.exits.val() | (self.departs.val() & !self.all.val()) {
            self.stay_mask.next = self.rest.val();
        }
        if (self.branch.val() | self.indirect.val() | self.call.val()) & !self.none.val() {
            self.stay_address.next = self.target.val();
        }
        if self.diverges.val() {
            self.second_link.next = self.leaf_link.val();
            if self.named_first.val() {
                self.stay_mask.next = self.named.val();
                self.second_mask.next = self.rest.val();
                if self.indirect.val() {
                    self.second_address.next = self.leaf_address.val();
                }
            } else {
                self.stay_mask.next = self.rest.val();
                self.stay_address.next = self.next.val();
                self.second_address.next = self.target.val();
            }
        }
        if self.leaves.val() {
            if self.again.val() {
                self.stay_address.next = self.leaf_address.val();
            }
            if self.detaches.val() {
                self.stay_address.next = self.target.val();
            }
            self.second_address.next = self.target.val();
        }
        if self.detaches.val() {
            self.stay_link.next = 0.into();
        }
        if self.wake.val() {
            self.stay_mask.next = self.leaf_mask.val() | self.named.val();
            self.stay_address.next = self.leaf_address.val();
            self.second_address.next = self.target.val();
        }
        if self.opens.val() {
            self.stay_link.next = self.opened_link.val();
        }
        self.opened_kind.next = self.kind.val();
        self.opened_resume.next = self.target.val();
        if self.call.val() {
            self.opened_kind.next = self.kind_call.val();
            self.opened_resume.next = self.next.val();
        }
    }
}
