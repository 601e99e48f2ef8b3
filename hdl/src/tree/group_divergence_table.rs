//! Runs the divergent paths of a group of warps side by side, as the leaves of one tree: a node holds an index for each warp, and each mask
//! of a warp is stored once.
//!
//! A group has a place, a *position*, for each of its warps; the warp-mapping table says which warp stands there. A leaf is issued
//! for each of its warps in turn, the lowest position first: `turn_*` shows the warp, and its request says which of its threads the instruction
//! names. With the last warp's request the tree changes as one leaf's would. The target of an indirect branch and of a leave may differ
//! from warp to warp: who does not go where the first one goes meets the instruction again (`request_along` is low).
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `path_policy`, `exchange_interval`, `spill_*` | in | configuration, stable while the group runs |
//! | `launch_*` | in, `launch_ready` out | starts a group that does not run, position after position; `launch_last` with the last one |
//! | `turn_*` | out | the warp whose request is next: position, warp, index, threads, address |
//! | `request_*` | in, `request_ready`, `request_along` out | the request of the warp shown; or a wake-up of threads of any position |
//! | `running`, `done_valid`, `error_*` | out | the group runs; strobes: it halted; it was stopped |
//! | `changed` | out | strobe: all warps have reported, and the tree takes the instruction |
//! | `event_*`, `exception_*` | out | strobes for counters; a leaf or a node went to memory or came back |
//! | `memory_*` | | valid/ready requests for words of deferred leaves and nodes; answers to reads, in order |
//!
//! A thread sleeps from its report on: it may be woken while other warps of its leaf are still to report.
//!
//! **Timing** a request whose warp's threads stay together takes one cycle. If they part, each part takes 2 cycles + one for each mask ever
//! used by the warp that `mask_table` looks at; of threads that exit or sleep only the others are stored. The tree takes the instruction in the
//! cycle after the last warp, and then the cycles of `tree_divergence_table`; a join first unites the masks of each warp that has
//! threads on both sides, in 4 cycles + the masks looked at. A launch takes 3 cycles a position and one more; a wake-up 2 + the masks looked at, and
//! then one of the tree's, and is taken whenever a report might be. Leaves do not merge.
//! **Invariants** 1. leaves, arrived threads, sleeping and exited ones partition the launch masks, so an index in use is named by one node
//! (tested, not proven). 2. an index stands for just the threads that were stored under it, parts, unions, those that wake or are launched, and
//! stays the same as long as its mask does. 3. who sleeps lives, a report parts the threads of its warp, and the group lives on as long as one of
//! its threads does. 4. masks in use of a warp are disjoint, awake and not empty: one that is stored is never there already, and finds a column.
//! 5. the tree is asked for what all warps of its leaf have reported, waits while masks are stored, and rests while no group runs. 6. what it is
//! offered stays until it is taken; a group is launched while none runs.
//! **Source** US 9,921,847, the granted claims of the family of US 2015/0205606; TD-10.
//! **See also** `tree_core`, `group_threads`, `group_masks`, `group_collector`, `group_joiner`.

use super::group_collector::GroupCollector;
use super::group_joiner::GroupJoiner;
use super::group_masks::GroupMasks;
use super::group_threads::GroupThreads;
use super::node_overflow::SLOT_BITS;
use super::tree_core::TreeCore;
use crate::divergence::token::Operation;
use crate::prelude::*;

block! {
    /// `SET_BITS` = `WARPS` × `INDEX_BITS`, `ROW_BITS` = `WARP_BITS` + `INDEX_BITS`, `TALLY_BITS` holds the number of all threads, 2^`RING_BITS`
    /// is at least that; see the module's page.
    pub struct GroupDivergenceTable<
        const WARPS: usize, const WARP_BITS: usize, const THREADS: usize, const ADDRESS_BITS: usize,
        const NODE_BITS: usize, const COUNT_BITS: usize, const INDEX_BITS: usize, const SET_BITS: usize,
        const ROW_BITS: usize, const TALLY_BITS: usize, const WORD_BITS: usize, const RING_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Which side of a diverging branch runs first: taken 0, not taken 1, smaller 2, larger 3.
            pub path_policy: Signal<In, Bits<2>>,
            /// A warp of the group that is to start.
            pub launch_valid: Signal<In, Bit>,
            /// It is taken.
            pub launch_ready: Signal<Out, Bit>,
            /// Where it stands.
            pub launch_position: Signal<In, Bits<WARP_BITS>>,
            /// Which warp.
            pub launch_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its threads.
            pub launch_mask: Signal<In, Bits<THREADS>>,
            /// It is the last one: the group starts.
            pub launch_last: Signal<In, Bit>,
            /// The group's first instruction.
            pub launch_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// A warp is to issue.
            pub turn_valid: Signal<Out, Bit>,
            /// Where it stands.
            pub turn_position: Signal<Out, Bits<WARP_BITS>>,
            /// Which warp.
            pub turn_warp: Signal<Out, Bits<WARP_BITS>>,
            /// The index of its threads.
            pub turn_index: Signal<Out, Bits<INDEX_BITS>>,
            /// Its threads.
            pub turn_active: Signal<Out, Bits<THREADS>>,
            /// Their instruction.
            pub turn_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// A request is offered.
            pub request_valid: Signal<In, Bit>,
            /// It is taken.
            pub request_ready: Signal<Out, Bit>,
            /// Step 0, push 1, branch 2, indirect 3, call 4, leave 5, yield 6, exit 7, sleep 8, wake 9.
            pub request_operation: Signal<In, Bits<4>>,
            /// Its kind.
            pub request_kind: Signal<In, Bits<4>>,
            /// Threads that it names: of the warp shown, of a wake sleeping ones of `request_position`.
            pub request_mask: Signal<In, Bits<THREADS>>,
            /// Its address operand.
            pub request_target: Signal<In, Bits<ADDRESS_BITS>>,
            /// A leave carries an address.
            pub request_targeted: Signal<In, Bit>,
            /// Further groups of a leave follow.
            pub request_again: Signal<In, Bit>,
            /// Whose threads wake.
            pub request_position: Signal<In, Bits<WARP_BITS>>,
            /// The warp goes along; else it meets the instruction again.
            pub request_along: Signal<Out, Bit>,
            /// The tree takes the instruction.
            pub changed: Signal<Out, Bit>,
            /// The group runs.
            pub running: Signal<Out, Bit>,
            /// It halted: every thread exited.
            pub done_valid: Signal<Out, Bit>,
            /// It was stopped.
            pub error_valid: Signal<Out, Bit>,
            /// Fatal 3, lost thread 4.
            pub error_cause: Signal<Out, Bits<3>>,
            /// The instruction at which it was.
            pub error_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// A waiting node was opened.
            pub event_push: Signal<Out, Bit>,
            /// A waiting node went.
            pub event_pop: Signal<Out, Bit>,
            /// A leaf parted in two.
            pub event_diverge: Signal<Out, Bit>,
            /// Threads became a tree of their own.
            pub event_yield: Signal<Out, Bit>,
            /// A waiting node went with nobody arrived.
            pub event_discard: Signal<Out, Bit>,
        }
        shared { tree_ports }
        parts {
            core: TreeCore<1, 1, SET_BITS, ADDRESS_BITS, NODE_BITS, COUNT_BITS, NODE_BITS, WORD_BITS, RING_BITS>,
            #[reads_back(wipe)]
            collector: GroupCollector<WARPS, WARP_BITS, THREADS, ADDRESS_BITS, INDEX_BITS, SET_BITS, TALLY_BITS>,
            joiner: GroupJoiner<WARPS, WARP_BITS, INDEX_BITS, SET_BITS>,
            threads: GroupThreads<WARPS, WARP_BITS, THREADS>,
            masks: GroupMasks<WARPS, WARP_BITS, THREADS, INDEX_BITS, ROW_BITS>,
            origin: Register<Bits<ADDRESS_BITS>>,
            woken_set: FieldJoin<WARPS, INDEX_BITS, SET_BITS>,
            uniting: Signal<Local, Bit>,
            waking: Signal<Local, Bit>,
            wakes: Signal<Local, Bit>,
            reports: Signal<Local, Bit>,
            launches: Signal<Local, Bit>,
            ends: Signal<Local, Bit>,
            position: Signal<Local, Bits<WARP_BITS>>,
            hot: Signal<Local, Bits<WARPS>>,
            one: Constant<Bits<WARPS>> = Constant::new(bits(1)),
            operation_wake: Constant<Bits<4>> = Constant::new(bits(Operation::Wake as u64)),
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const THREADS: usize,
        const ADDRESS_BITS: usize,
        const NODE_BITS: usize,
        const COUNT_BITS: usize,
        const INDEX_BITS: usize,
        const SET_BITS: usize,
        const ROW_BITS: usize,
        const TALLY_BITS: usize,
        const WORD_BITS: usize,
        const RING_BITS: usize,
    > Logic
    for GroupDivergenceTable<
        WARPS,
        WARP_BITS,
        THREADS,
        ADDRESS_BITS,
        NODE_BITS,
        COUNT_BITS,
        INDEX_BITS,
        SET_BITS,
        ROW_BITS,
        TALLY_BITS,
        WORD_BITS,
        RING_BITS,
    >
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, origin);
        clock!(self, clock, core, collector, joiner, threads, masks);
        self.core.reset.next = self.reset.val();
        self.collector.reset.next = self.reset.val();
        self.joiner.reset.next = self.reset.val();
        self.threads.reset.next = self.reset.val();
        self.masks.reset.next = self.reset.val();

        // What may happen in this cycle: a union, the report of the warp whose turn it is, a wake-up, a launch.
        self.running.next = self.core.warp_running.val().any();
        self.uniting.next = self.masks.collecting.val() & self.core.joining.val() & self.joiner.pending.val();
        self.turn_valid.next =
            self.masks.collecting.val() & self.core.warp_ready.val().any() & self.collector.found.val();
        self.waking.next = self.request_operation.val() == self.operation_wake.val();
        self.reports.next = self.turn_valid.val() & self.request_valid.val() & !self.waking.val();
        self.wakes.next = self.masks.collecting.val()
            & self.running.val()
            & self.core.idle.val()
            & !self.collector.complete.val()
            & self.request_valid.val()
            & self.waking.val();
        self.request_ready.next = self.reports.val() | self.wakes.val();
        self.request_along.next = self.collector.along.val();
        self.launch_ready.next = self.masks.collecting.val() & !self.running.val();
        self.launches.next = self.launch_ready.val() & self.launch_valid.val();

        // Whose row of the tables it is about.
        self.position.next = self.collector.position.val();
        self.hot.next = self.collector.hot.val();
        if self.uniting.val() {
            self.position.next = self.joiner.position.val();
            self.hot.next = self.joiner.hot.val();
        } else if self.wakes.val() {
            self.position.next = self.request_position.val();
            self.hot.next = self.one.val() << self.request_position.val();
        } else if self.launches.val() {
            self.position.next = self.launch_position.val();
            self.hot.next = self.one.val() << self.launch_position.val();
        }
        self.turn_position.next = self.collector.position.val();
        self.turn_warp.next = self.threads.turn_warp.val();
        self.turn_index.next = self.collector.index.val();
        self.turn_active.next = 0.into();
        self.turn_address.next = 0.into();
        if self.turn_valid.val() {
            self.turn_active.next = self.masks.active.val();
            self.turn_address.next = self.core.query_address.val();
        }

        // The reports.
        self.collector.path_policy.next = self.path_policy.val();
        self.collector.leaf.next = self.core.query_mask.val();
        self.collector.active.next = self.masks.active.val();
        self.collector.report_valid.next = self.reports.val();
        self.collector.request_operation.next = self.request_operation.val();
        self.collector.request_kind.next = self.request_kind.val();
        self.collector.request_mask.next = self.request_mask.val();
        self.collector.request_target.next = self.request_target.val();
        self.collector.request_targeted.next = self.request_targeted.val();
        self.collector.request_again.next = self.request_again.val();
        self.ends.next = self.core.done_valid.val() | self.core.error_valid.val();
        self.changed.next = self.masks.collecting.val() & self.core.request_ready.val();
        self.collector.wipe.next = self.masks.first.val();
        self.collector.clear.next = self.changed.val() | self.ends.val() | self.collector.wipe.val();

        // The threads of each position.
        self.threads.turn_position.next = self.collector.position.val();
        self.threads.position.next = self.position.val();
        self.threads.hot.next = self.hot.val();
        self.threads.launches.next = self.launches.val();
        self.threads.first.next = self.masks.first.val();
        self.threads.launch_warp.next = self.launch_warp.val();
        self.threads.launch_mask.next = self.launch_mask.val();
        self.threads.reports.next = self.reports.val();
        self.threads.request_operation.next = self.request_operation.val();
        self.threads.named.next = self.collector.named_mask.val();
        self.threads.wakes.next = self.wakes.val();
        self.threads.request_mask.next = self.request_mask.val();
        self.core.outlives.next = self.threads.outlives.val();

        // Their masks.
        self.masks.turn_row.next = self.threads.turn_warp.val();
        self.masks.row.next = self.threads.warp.val();
        self.masks.hot.next = self.hot.val();
        self.masks.column.next = self.collector.index.val();
        if self.uniting.val() {
            self.masks.column.next = self.joiner.arrived_index.val();
        }
        self.masks.reports.next = self.reports.val();
        self.masks.parted.next = self.collector.parted.val();
        self.masks.gone.next = self.collector.gone.val();
        self.masks.named_mask.next = self.collector.named_mask.val();
        self.masks.rest_mask.next = self.collector.rest_mask.val();
        self.masks.unites.next = self.uniting.val();
        self.masks.second_column.next = self.joiner.named_index.val();
        self.masks.wakes.next = self.wakes.val();
        self.masks.woken.next = self.threads.woken.val();
        self.masks.launches.next = self.launches.val();
        self.masks.launch_mask.next = self.launch_mask.val();
        self.masks.launch_last.next = self.launch_last.val();
        self.masks.taken.next = self.core.request_ready.val();
        self.masks.started.next = self.core.launch_ready.val();
        self.collector.put_valid.next = self.masks.put_named.val() | self.masks.put_rest.val();
        self.collector.put_hot.next = self.masks.put_hot.val();
        self.collector.put_rest.next = self.masks.put_rest.val();
        self.collector.put_index.next = self.masks.put_index.val();
        self.joiner.arrived.next = self.core.arrived.val();
        self.joiner.named.next = self.collector.named.val();
        self.joiner.put_valid.next = self.masks.put_union.val();
        self.joiner.put_hot.next = self.masks.put_hot.val();
        self.joiner.put_index.next = self.masks.put_index.val();
        self.joiner.clear.next = self.core.joins.val() | self.ends.val();

        // The tree.
        for i in 0..WARPS {
            self.woken_set.fields[i].next = 0.into();
            if self.masks.put_hot.val().get_bit(i) {
                self.woken_set.fields[i].next = self.masks.woken_index.val();
            }
        }
        if self.wakes.val() {
            self.origin.d.next = self.request_target.val();
        }
        if self.launches.val() {
            self.origin.d.next = self.launch_address.val();
        }
        self.core.launch_valid.next = self.masks.starting.val();
        self.core.launch_warp.next = 0.into();
        self.core.launch_mask.next = self.collector.named.val();
        self.core.launch_address.next = self.origin.q.val();
        self.core.request_valid.next = self.masks.collecting.val() & self.collector.complete.val();
        self.core.request_warp.next = 0.into();
        self.core.request_operation.next = self.collector.operation.val();
        self.core.request_kind.next = self.collector.kind.val();
        self.core.request_mask.next = 0.into();
        self.core.request_target.next = self.collector.target.val();
        self.core.request_targeted.next = self.collector.targeted.val();
        self.core.request_again.next = self.collector.again.val();
        self.core.named.next = self.collector.named.val();
        self.core.rest.next = self.collector.rest.val();
        if self.masks.waking.val() {
            self.core.request_valid.next = true;
            self.core.request_operation.next = self.operation_wake.val();
            self.core.request_target.next = self.origin.q.val();
            self.core.named.next = self.woken_set.word.val();
        }
        self.core.taken_first.next = self.collector.taken_first.val();
        self.core.joined.next = self.joiner.joined.val();
        self.core.joined_ready.next = !self.joiner.pending.val();
        self.core.unites.next = false;
        self.core.query_warp.next = 0.into();
        self.core.exchange_interval.next = self.exchange_interval.val();
        self.core.spill_base.next = self.spill_base.val();
        self.core.spill_limit.next = self.spill_limit.val();
        self.core.memory_request_ready.next = self.memory_request_ready.val();
        self.core.memory_response_valid.next = self.memory_response_valid.val();
        self.core.memory_response_data.next = self.memory_response_data.val();
        self.memory_request_valid.next = self.core.memory_request_valid.val();
        self.memory_request_write.next = self.core.memory_request_write.val();
        self.memory_request_address.next = self.core.memory_request_address.val();
        self.memory_request_data.next = self.core.memory_request_data.val();
        self.memory_response_ready.next = self.core.memory_response_ready.val();
        self.exception_valid.next = self.core.exception_valid.val();
        self.exception_cause.next = self.core.exception_cause.val();
        self.done_valid.next = self.core.done_valid.val();
        self.error_valid.next = self.core.error_valid.val();
        self.error_cause.next = self.core.error_cause.val();
        self.error_address.next = self.core.error_address.val();
        self.event_push.next = self.core.event_push.val();
        self.event_pop.next = self.core.event_pop.val();
        self.event_nodes.next = self.core.event_nodes.val();
        self.event_diverge.next = self.core.event_diverge.val();
        self.event_yield.next = self.core.event_yield.val();
        self.event_discard.next = self.core.event_discard.val();
        self.exception_warp.next = 0.into();
    }
}
