//! Runs control instructions on the warps of a core: which threads of each run now, where, and which wait for what.
//! Divergent paths, regions, calls and yielding threads wait as tokens in the warp's double-ended queue.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `path_policy`, `yield_*`, `stack_mode` | in | configuration, stable while a warp runs |
//! | `launch_*` | in, `launch_ready` out | starts a warp that is not running |
//! | `request_*` | in, `request_ready` out | one instruction of a running warp, one a cycle |
//! | `query_*` | in / out | address, active threads and disabled threads of a warp, in the same cycle |
//! | `warp_ready`, `warp_running` | out | a bit a warp: it may issue; it has neither halted nor been stopped |
//! | `done_*`, `error_*` | out | strobes: a warp halted; a warp was stopped |
//! | `event_*` | out | strobes for counters |
//! | `exception_*`, `handler_*`, `window_*`, `queue_*`, `spill_*`, `memory_*` | | those of `token_deque` |
//!
//! **Timing** a step, a push, a uniform branch or call and an exit with survivors free their warp for the next cycle. A mixed
//! branch stalls it for 2 cycles, a YIELD for 1 + the yield tokens of its queue, SYNC and its like for 1 + the
//! tokens scanned, an unwind for 1 + the tokens discarded; sums when combined. Multi-cycle work is done by one sequencer;
//! instructions of other warps that need it, or the port it writes through in that cycle, wait (`request_ready`).
//! `request_ready` depends on the request's warp, operation and mask. After reset the tables are swept, 16 cycles a warp, before
//! the first launch is taken.
//! A sleep with survivors does not stall; without, it unwinds. A wake needs the sequencer for 1 cycle, 2 + the yield tokens if there are
//! any, and is taken from any running warp, ready or not, as soon as the sequencer is free.
//! **Invariants** 1. the active threads, the disabled ones and the exited ones of a warp are disjoint and together its launch mask. 2. a token is
//! discarded only by an unwind that finds none of its threads waiting for it. 3. a warp halts only if every thread
//! exited; if all that have not are asleep it is parked; else it is stopped with an error.
//! **Source** US 9,459,876, "YIELD" and the method of pushing and popping tokens; DQ-20 to DQ-32, which
//! tell where and why this unit departs from it. SM-07 for sleep and wake.
//! **See also** the reference model `divergence_unit` of the simulator.

use super::path_chooser::PathChooser;
use super::token::{Cause, Kind, Operation, QueueOperation};
use super::token_deque::TokenDeque;
use super::warp_table::WarpTable;
use super::yield_decider::YieldDecider;
use crate::prelude::*;

/// What the sequencer does with the warp that it holds.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum UnitState {
    /// It holds no warp.
    Idle,
    /// A branch diverged: choosing the side that runs first.
    Decide,
    /// Pushing the divergence token of the other side.
    Defer,
    /// Pushing the token of a region or a call.
    Place,
    /// Looking for the token that threads are to wait for.
    Find,
    /// Pushing or merging a yield token.
    Back,
    /// Popping tokens until one has threads that wait for it.
    Unwind,
    /// Clearing a warp's state before its first instruction.
    Launch,
}

block! {
    /// Parameters as for `token_deque`; see the module's page.
    pub struct DivergenceUnit<
        const WARPS: usize, const WARP_BITS: usize, const THREADS: usize, const ADDRESS_BITS: usize,
        const POINTER_BITS: usize, const ENTRY_BITS: usize, const TOKEN_BITS: usize, const KEY_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Which side of a diverging branch runs first: taken 0, not taken 1, smaller 2, larger 3.
            pub path_policy: Signal<In, Bits<2>>,
            /// When a YIELD yields: always 0, every Nth 1, at random 2.
            pub yield_policy: Signal<In, Bits<2>>,
            /// N (0 means 256), or the threshold in 1/256.
            pub yield_parameter: Signal<In, Bits<8>>,
            /// Seed of each warp's generator (0 stands for 1).
            pub yield_seed: Signal<In, Bits<16>>,
            /// Plain convergence stack: YIELD does nothing.
            pub stack_mode: Signal<In, Bit>,
            /// A warp is to start.
            pub launch_valid: Signal<In, Bit>,
            /// It is taken.
            pub launch_ready: Signal<Out, Bit>,
            /// Which; one that is not running.
            pub launch_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its threads.
            pub launch_mask: Signal<In, Bits<THREADS>>,
            /// Its first instruction.
            pub launch_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// An instruction is offered.
            pub request_valid: Signal<In, Bit>,
            /// It is taken.
            pub request_ready: Signal<Out, Bit>,
            /// Whose.
            pub request_warp: Signal<In, Bits<WARP_BITS>>,
            /// Step 0, push 1, branch 2, indirect 3, call 4, leave 5, yield 6, exit 7, sleep 8, wake 9.
            pub request_operation: Signal<In, Bits<4>>,
            /// Kind of the token to push or to wait for.
            pub request_kind: Signal<In, Bits<4>>,
            /// Threads that it names: active ones, of a wake sleeping ones.
            pub request_mask: Signal<In, Bits<THREADS>>,
            /// Its address operand, in instructions.
            pub request_target: Signal<In, Bits<ADDRESS_BITS>>,
            /// A leave carries an address.
            pub request_targeted: Signal<In, Bit>,
            /// Further groups of a leave follow: the PC stays.
            pub request_again: Signal<In, Bit>,
            /// The warp looked at.
            pub query_warp: Signal<In, Bits<WARP_BITS>>,
            /// The reason looked at.
            pub query_kind: Signal<In, Bits<4>>,
            /// Its next instruction.
            pub query_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// Its active threads.
            pub query_active: Signal<Out, Bits<THREADS>>,
            /// Its threads disabled for that reason.
            pub query_disabled: Signal<Out, Bits<THREADS>>,
            /// A bit a warp: it may issue. A parked warp may not, but takes a wake.
            pub warp_ready: Signal<Out, Bits<WARPS>>,
            /// A bit a warp: it runs.
            pub warp_running: Signal<Out, Bits<WARPS>>,
            /// A warp halted, every thread exited.
            pub done_valid: Signal<Out, Bit>,
            /// Which.
            pub done_warp: Signal<Out, Bits<WARP_BITS>>,
            /// A warp was stopped.
            pub error_valid: Signal<Out, Bit>,
            /// Fatal 3, lost thread 4.
            pub error_cause: Signal<Out, Bits<3>>,
            /// Which.
            pub error_warp: Signal<Out, Bits<WARP_BITS>>,
            /// The instruction at which it was stopped.
            pub error_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// A token entered a queue.
            pub event_push: Signal<Out, Bit>,
            /// Which.
            pub event_push_warp: Signal<Out, Bits<WARP_BITS>>,
            /// A token left a queue.
            pub event_pop: Signal<Out, Bit>,
            /// Which.
            pub event_pop_warp: Signal<Out, Bits<WARP_BITS>>,
            /// A branch, an indirect one or a call diverged.
            pub event_diverge: Signal<Out, Bit>,
            /// Threads yielded, at a YIELD or implicitly.
            pub event_yield: Signal<Out, Bit>,
            /// They merged into a token that was there.
            pub event_merge: Signal<Out, Bit>,
            /// An unwind discarded a token.
            pub event_discard: Signal<Out, Bit>,
        }
        shared { queue_ports }
        parts {
            state: Register<UnitState>,
            running: Register<Bits<WARPS>>,
            parked: Register<Bits<WARPS>>,
            hold_warp: Register<Bits<WARP_BITS>>,
            hold_operation: Register<Bits<4>>,
            hold_kind: Register<Bits<4>>,
            hold_mask: Register<Bits<THREADS>>,
            hold_target: Register<Bits<ADDRESS_BITS>>,
            hold_targeted: Register<Bit>,
            hold_again: Register<Bit>,
            taken_first: Register<Bit>,
            queue: TokenDeque<
                WARPS, WARP_BITS, THREADS, ADDRESS_BITS, POINTER_BITS, ENTRY_BITS, TOKEN_BITS, KEY_BITS,
            >,
            active: WarpTable<WARP_BITS, THREADS>,
            live: WarpTable<WARP_BITS, THREADS>,
            address: WarpTable<WARP_BITS, ADDRESS_BITS>,
            yields: RegisterFile<WARP_BITS, 16>,
            disabled: RegisterFile<KEY_BITS, THREADS>,
            disabled_query: RegisterFile<KEY_BITS, THREADS>,
            decider: YieldDecider,
            chooser: PathChooser<THREADS>,
            idle: Signal<Local, Bit>,
            request: Signal<Local, Bit>,
            named: Signal<Local, Bits<THREADS>>,
            unnamed: Signal<Local, Bits<THREADS>>,
            none: Signal<Local, Bit>,
            all: Signal<Local, Bit>,
            next_address: Signal<Local, Bits<ADDRESS_BITS>>,
            push: Signal<Local, Bit>,
            branch: Signal<Local, Bit>,
            indirect: Signal<Local, Bit>,
            call: Signal<Local, Bit>,
            leave: Signal<Local, Bit>,
            yielding: Signal<Local, Bit>,
            exit: Signal<Local, Bit>,
            sleep: Signal<Local, Bit>,
            wake: Signal<Local, Bit>,
            counts: Signal<Local, Bit>,
            mixed: Signal<Local, Bit>,
            pushes: Signal<Local, Bit>,
            yields_now: Signal<Local, Bit>,
            unwinds: Signal<Local, Bit>,
            sequenced: Signal<Local, Bit>,
            accepted: Signal<Local, Bit>,
            launched: Signal<Local, Bit>,
            resetting: Signal<Local, Bit>,
            sequencer_writes: Signal<Local, Bit>,
            held_active: Signal<Local, Bits<THREADS>>,
            held_next: Signal<Local, Bits<ADDRESS_BITS>>,
            rest: Signal<Local, Bits<THREADS>>,
            survivors: Signal<Local, Bit>,
            deferred: Signal<Local, Bits<THREADS>>,
            chosen: Signal<Local, Bits<THREADS>>,
            waiters: Signal<Local, Bits<THREADS>>,
            others: Signal<Local, Bits<THREADS>>,
            operation_done: Signal<Local, Bit>,
            operation_lost: Signal<Local, Bit>,
            found_error: Signal<Local, Bit>,
            popped: Signal<Local, Bit>,
            revived: Signal<Local, Bits<THREADS>>,
            associated: Signal<Local, Bit>,
            queue_ended: Signal<Local, Bit>,
            discards: Signal<Local, Bit>,
            parks: Signal<Local, Bit>,
            stopped: Signal<Local, Bit>,
            one: Constant<Bits<WARPS>> = Constant::new(bits(1)),
            operation_push: Constant<Bits<4>> = Constant::new(bits(Operation::Push as u64)),
            operation_branch: Constant<Bits<4>> = Constant::new(bits(Operation::Branch as u64)),
            operation_indirect: Constant<Bits<4>> = Constant::new(bits(Operation::Indirect as u64)),
            operation_call: Constant<Bits<4>> = Constant::new(bits(Operation::Call as u64)),
            operation_leave: Constant<Bits<4>> = Constant::new(bits(Operation::Leave as u64)),
            operation_yield: Constant<Bits<4>> = Constant::new(bits(Operation::Yield as u64)),
            operation_exit: Constant<Bits<4>> = Constant::new(bits(Operation::Exit as u64)),
            operation_sleep: Constant<Bits<4>> = Constant::new(bits(Operation::Sleep as u64)),
            operation_wake: Constant<Bits<4>> = Constant::new(bits(Operation::Wake as u64)),
            queue_pop: Constant<Bits<3>> = Constant::new(bits(QueueOperation::PopFront as u64)),
            queue_push_front: Constant<Bits<3>> = Constant::new(bits(QueueOperation::PushFront as u64)),
            queue_push_back: Constant<Bits<3>> = Constant::new(bits(QueueOperation::PushBack as u64)),
            queue_yield: Constant<Bits<3>> = Constant::new(bits(QueueOperation::Yield as u64)),
            queue_find: Constant<Bits<3>> = Constant::new(bits(QueueOperation::Find as u64)),
            queue_clear: Constant<Bits<3>> = Constant::new(bits(QueueOperation::Clear as u64)),
            kind_divergence: Constant<Bits<4>> = Constant::new(bits(Kind::Divergence as u64)),
            kind_call: Constant<Bits<4>> = Constant::new(bits(Kind::Call as u64)),
            kind_yield: Constant<Bits<4>> = Constant::new(bits(Kind::Yield as u64)),
            kind_barrier: Constant<Bits<4>> = Constant::new(bits(Kind::Barrier as u64)),
            cause_fatal: Constant<Bits<3>> = Constant::new(bits(Cause::Fatal as u64)),
            cause_lost_thread: Constant<Bits<3>> = Constant::new(bits(Cause::LostThread as u64)),
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const THREADS: usize,
        const ADDRESS_BITS: usize,
        const POINTER_BITS: usize,
        const ENTRY_BITS: usize,
        const TOKEN_BITS: usize,
        const KEY_BITS: usize,
    > Logic
    for DivergenceUnit<WARPS, WARP_BITS, THREADS, ADDRESS_BITS, POINTER_BITS, ENTRY_BITS, TOKEN_BITS, KEY_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, running, parked, hold_warp, hold_operation, hold_kind, hold_mask, hold_target);
        dff_setup!(self, clock, hold_targeted, hold_again, taken_first);
        clock!(self, clock, queue, active, live, address, yields, disabled, disabled_query);
        self.queue.reset.next = self.reset.val();

        // Decode: what the request does to the threads that it names.
        self.idle.next = self.state.q.val() == UnitState::Idle;
        self.active.request_warp.next = self.request_warp.val();
        self.live.request_warp.next = self.request_warp.val();
        self.address.request_warp.next = self.request_warp.val();
        self.yields.read_address.next = self.request_warp.val();
        self.named.next = self.active.request_value.val() & self.request_mask.val();
        if self.wake.val() {
            self.named.next = self.disabled.read_data.val() & self.request_mask.val();
        }
        self.unnamed.next = self.active.request_value.val() & !self.request_mask.val();
        self.none.next = !self.named.val().any();
        self.all.next = !self.unnamed.val().any();
        self.next_address.next = self.address.request_value.val() + 1;
        self.push.next = self.request_operation.val() == self.operation_push.val();
        self.branch.next = self.request_operation.val() == self.operation_branch.val();
        self.indirect.next = self.request_operation.val() == self.operation_indirect.val();
        self.call.next = self.request_operation.val() == self.operation_call.val();
        self.leave.next = self.request_operation.val() == self.operation_leave.val();
        self.yielding.next = self.request_operation.val() == self.operation_yield.val();
        self.exit.next = self.request_operation.val() == self.operation_exit.val();
        self.sleep.next = self.request_operation.val() == self.operation_sleep.val();
        self.wake.next = self.request_operation.val() == self.operation_wake.val();

        self.decider.policy.next = self.yield_policy.val();
        self.decider.amount.next = self.yield_parameter.val();
        self.decider.present.next = self.yields.read_data.val();
        self.decider.seed.next = self.yield_seed.val();
        self.counts.next = self.yielding.val() & !self.none.val() & !self.stack_mode.val();
        self.yields_now.next = self.counts.val()
            & self.decider.fires.val()
            & (self.active.request_value.val() != self.live.request_value.val());
        self.mixed.next =
            (self.branch.val() | self.indirect.val() | self.call.val()) & !self.none.val() & !self.all.val();
        self.pushes.next = self.push.val() | (self.call.val() & self.all.val());
        self.unwinds.next = (self.exit.val() | self.sleep.val()) & self.all.val();
        self.sequenced.next = self.mixed.val()
            | (self.leave.val() & !self.none.val())
            | self.yields_now.val()
            | self.unwinds.val()
            | self.sleep.val()
            | self.wake.val();

        // Acceptance: while the sequencer holds a warp, others pass it if they need neither it nor its write port.
        self.request.next = self.request_valid.val()
            & self.running.q.val().get_bit(self.request_warp.val())
            & (self.wake.val() | !self.parked.q.val().get_bit(self.request_warp.val()))
            & !(self.idle.val() & self.launch_valid.val());
        self.launch_ready.next =
            self.idle.val() & !self.queue.sweep_enable.val() & !self.running.q.val().get_bit(self.launch_warp.val());
        self.launched.next = self.launch_ready.val() & self.launch_valid.val();
        self.request_ready.next = self.request.val()
            & (self.idle.val()
                | ((self.request_warp.val() != self.hold_warp.q.val())
                    & !self.sequenced.val()
                    & !self.sequencer_writes.val()
                    & (!self.pushes.val() | self.queue.push_ready.val())));
        self.accepted.next = self.request_ready.val();

        // The push port takes what needs one cycle; a push that meets the window's end goes through the sequencer.
        self.queue.push_valid.next = self.request.val()
            & self.pushes.val()
            & (self.idle.val() | ((self.request_warp.val() != self.hold_warp.q.val()) & !self.sequencer_writes.val()));
        self.queue.push_warp.next = self.request_warp.val();
        self.queue.push_mask.next = self.active.request_value.val();
        self.queue.push_kind.next = self.request_kind.val();
        self.queue.push_address.next = self.request_target.val();
        if self.call.val() {
            self.queue.push_kind.next = self.kind_call.val();
            self.queue.push_address.next = self.next_address.val();
        }

        // The warp that the sequencer holds.
        self.active.sequencer_warp.next = self.hold_warp.q.val();
        self.live.sequencer_warp.next = self.hold_warp.q.val();
        self.address.sequencer_warp.next = self.hold_warp.q.val();
        self.held_active.next = self.active.sequencer_value.val();
        self.held_next.next = self.address.sequencer_value.val() + 1;
        self.rest.next = self.held_active.val() & !self.hold_mask.q.val();
        self.survivors.next = self.rest.val().any();
        self.chooser.policy.next = self.path_policy.val();
        self.chooser.taken.next = self.hold_mask.q.val();
        self.chooser.not_taken.next = self.rest.val();
        if self.taken_first.q.val() {
            self.chosen.next = self.hold_mask.q.val();
            self.deferred.next = self.rest.val();
        } else {
            self.chosen.next = self.rest.val();
            self.deferred.next = self.hold_mask.q.val();
        }
        self.operation_done.next = self.queue.operation_ready.val() & !self.queue.operation_failed.val();
        self.operation_lost.next =
            self.queue.operation_ready.val() & self.queue.operation_failed.val() & !self.idle.val();

        // A leave: the threads whose token was found wait for it, the others yield to the address.
        self.waiters.next = 0.into();
        if self.queue.operation_found.val()
            & (!self.hold_targeted.q.val() | (self.queue.response_address.val() == self.hold_target.q.val()))
        {
            self.waiters.next = self.hold_mask.q.val() & self.queue.response_mask.val();
        }
        self.others.next = self.hold_mask.q.val() & !self.waiters.val();
        self.found_error.next = (self.state.q.val() == UnitState::Find)
            & self.operation_done.val()
            & !self.hold_targeted.q.val()
            & self.others.val().any();

        // An unwind: the token just popped is associated if a thread of it waits for its kind.
        self.popped.next = (self.state.q.val() == UnitState::Unwind)
            & self.queue.response_valid.val()
            & ((self.queue.response_code.val() == self.queue_pop.val())
                | (self.queue.response_code.val() == self.queue_yield.val()));
        self.revived.next = self.queue.response_mask.val() & self.disabled.read_data.val();
        self.associated.next = self.popped.val() & self.queue.response_found.val() & self.revived.val().any();
        self.discards.next = self.popped.val() & self.queue.response_found.val() & !self.revived.val().any();
        self.queue_ended.next = self.popped.val() & !self.queue.response_found.val();
        self.parks.next = self.queue_ended.val()
            & self.live.sequencer_value.val().any()
            & (self.disabled.read_data.val() == self.live.sequencer_value.val());
        self.stopped.next =
            (self.queue_ended.val() & !self.parks.val()) | self.found_error.val() | self.operation_lost.val();

        // The sequencer.
        match self.state.q.val() {
            UnitState::Idle => {
                self.hold_warp.d.next = self.request_warp.val();
                self.hold_operation.d.next = self.request_operation.val();
                self.hold_kind.d.next = self.queue.push_kind.val();
                self.hold_mask.d.next = self.named.val();
                self.hold_target.d.next = self.request_target.val();
                self.hold_targeted.d.next = self.request_targeted.val();
                self.hold_again.d.next = self.request_again.val();
                self.taken_first.d.next = true;
                if self.launched.val() {
                    self.hold_warp.d.next = self.launch_warp.val();
                    self.hold_mask.d.next = self.launch_mask.val();
                    self.hold_target.d.next = self.launch_address.val();
                    self.state.d.next = UnitState::Launch;
                }
                if self.accepted.val() {
                    if self.mixed.val() {
                        self.state.d.next = UnitState::Defer;
                        if self.branch.val() {
                            self.state.d.next = UnitState::Decide;
                        }
                    }
                    if self.leave.val() & !self.none.val() {
                        self.state.d.next = UnitState::Find;
                    }
                    if self.yielding.val() {
                        self.hold_target.d.next = self.next_address.val();
                    }
                    if self.yields_now.val() {
                        self.state.d.next = UnitState::Back;
                    }
                    if self.unwinds.val() {
                        self.state.d.next = UnitState::Unwind;
                    }
                    if self.wake.val() & !self.none.val() {
                        self.state.d.next = UnitState::Back;
                        self.parked.d.next = self.parked.q.val() & !(self.one.val() << self.request_warp.val());
                    }
                    if self.pushes.val() & !self.queue.push_ready.val() {
                        self.state.d.next = UnitState::Place;
                    }
                }
            }
            UnitState::Decide => {
                self.taken_first.d.next = self.chooser.taken_first.val();
                self.state.d.next = UnitState::Defer;
            }
            UnitState::Defer => {
                if self.operation_done.val() {
                    self.state.d.next = UnitState::Idle;
                    if self.hold_operation.q.val() == self.operation_call.val() {
                        self.state.d.next = UnitState::Place;
                    }
                }
            }
            UnitState::Place => {
                if self.operation_done.val() {
                    self.state.d.next = UnitState::Idle;
                }
            }
            UnitState::Find => {
                if self.operation_done.val() {
                    self.hold_mask.d.next = self.others.val();
                    self.state.d.next = UnitState::Unwind;
                    if self.survivors.val() {
                        self.state.d.next = UnitState::Idle;
                    }
                    if self.others.val().any() {
                        self.state.d.next = UnitState::Back;
                    }
                }
            }
            UnitState::Back => {
                if self.operation_done.val() {
                    self.state.d.next = UnitState::Unwind;
                    if self.held_active.val().any() {
                        self.state.d.next = UnitState::Idle;
                    }
                }
            }
            UnitState::Unwind => {
                if self.associated.val() {
                    self.state.d.next = UnitState::Idle;
                }
                if self.parks.val() {
                    self.state.d.next = UnitState::Idle;
                    self.parked.d.next = self.parked.q.val() | (self.one.val() << self.hold_warp.q.val());
                }
            }
            UnitState::Launch => {
                if self.operation_done.val() {
                    self.state.d.next = UnitState::Unwind;
                    if self.hold_mask.q.val().any() {
                        self.state.d.next = UnitState::Idle;
                    }
                }
            }
            _ => {
                self.state.d.next = UnitState::Idle;
            }
        }
        if self.stopped.val() {
            self.state.d.next = UnitState::Idle;
            self.running.d.next = self.running.q.val() & !(self.one.val() << self.hold_warp.q.val());
        }
        if (self.state.q.val() == UnitState::Launch) & self.operation_done.val() {
            self.running.d.next = self.running.q.val() | (self.one.val() << self.hold_warp.q.val());
        }

        // The queue's operation port: a leave or a YIELD announces its search, and the last exit pops, in the cycle of the request.
        self.queue.operation_warp.next = self.hold_warp.q.val();
        self.queue.operation_kind.next = self.hold_kind.q.val();
        self.queue.operation_mask.next = self.hold_mask.q.val();
        self.queue.operation_address.next = self.hold_target.q.val();
        self.queue.operation_code.next = self.queue_pop.val();
        self.queue.operation_announce.next = false;
        self.queue.operation_valid.next = false;
        match self.state.q.val() {
            UnitState::Idle => {
                self.queue.operation_warp.next = self.request_warp.val();
                self.queue.operation_kind.next = self.request_kind.val();
                self.queue.operation_announce.next =
                    self.request.val() & ((self.leave.val() & !self.none.val()) | self.yields_now.val());
                self.queue.operation_valid.next = self.request.val() & self.unwinds.val();
                if self.leave.val() {
                    self.queue.operation_code.next = self.queue_find.val();
                }
                if self.yielding.val() {
                    self.queue.operation_code.next = self.queue_yield.val();
                }
            }
            UnitState::Defer => {
                self.queue.operation_valid.next = true;
                self.queue.operation_code.next = self.queue_push_front.val();
                self.queue.operation_kind.next = self.kind_divergence.val();
                self.queue.operation_mask.next = self.deferred.val();
                if self.taken_first.q.val() {
                    self.queue.operation_address.next = self.held_next.val();
                }
                if self.hold_operation.q.val() == self.operation_indirect.val() {
                    self.queue.operation_address.next = self.address.sequencer_value.val();
                }
            }
            UnitState::Place => {
                self.queue.operation_valid.next = true;
                self.queue.operation_code.next = self.queue_push_front.val();
                self.queue.operation_mask.next = self.held_active.val();
                if self.hold_operation.q.val() == self.operation_call.val() {
                    self.queue.operation_kind.next = self.kind_call.val();
                    self.queue.operation_address.next = self.held_next.val();
                }
            }
            UnitState::Find => {
                self.queue.operation_valid.next = true;
                self.queue.operation_code.next = self.queue_find.val();
            }
            UnitState::Back => {
                self.queue.operation_valid.next = true;
                self.queue.operation_code.next = self.queue_yield.val();
                if self.held_active.val().any() {
                    self.queue.operation_code.next = self.queue_push_back.val();
                }
            }
            UnitState::Unwind => {
                self.queue.operation_valid.next = !self.associated.val() & !self.queue_ended.val();
            }
            UnitState::Launch => {
                self.queue.operation_valid.next = true;
                self.queue.operation_code.next = self.queue_clear.val();
            }
            _ => {}
        }

        // Active threads and address: the request's write, or the sequencer's, which goes first.
        self.sequencer_writes.next = self.popped.val()
            | (!self.idle.val() & self.queue.operation_ready.val() & (self.state.q.val() != UnitState::Back));
        self.active.write_warp.next = self.request_warp.val();
        self.active.write_value.next = self.unnamed.val();
        self.active.write_enable.next =
            self.accepted.val() & (self.exit.val() | self.sleep.val() | self.yields_now.val());
        self.address.write_value.next = self.next_address.val();
        if (self.branch.val() | self.indirect.val() | self.call.val()) & !self.none.val() {
            self.address.write_value.next = self.request_target.val();
        }
        self.address.write_enable.next = self.accepted.val()
            & !self.mixed.val()
            & !self.wake.val()
            & (self.none.val() | !self.leave.val())
            & !self.unwinds.val()
            & !(self.yields_now.val() & self.all.val())
            & (!self.pushes.val() | self.queue.push_ready.val());
        if !self.idle.val() {
            if self.sequencer_writes.val() {
                self.active.write_warp.next = self.hold_warp.q.val();
                self.active.write_enable.next = false;
                self.address.write_enable.next = false;
            }
            if self.operation_done.val() {
                if self.state.q.val() == UnitState::Defer {
                    self.active.write_enable.next = true;
                    self.active.write_value.next = self.chosen.val();
                    self.address.write_enable.next = self.hold_operation.q.val() != self.operation_call.val();
                    self.address.write_value.next = self.held_next.val();
                    if self.taken_first.q.val() {
                        self.address.write_value.next = self.hold_target.q.val();
                    }
                }
                if self.state.q.val() == UnitState::Place {
                    self.address.write_enable.next = true;
                    self.address.write_value.next = self.held_next.val();
                    if self.hold_operation.q.val() == self.operation_call.val() {
                        self.address.write_value.next = self.hold_target.q.val();
                    }
                }
                if self.state.q.val() == UnitState::Find {
                    self.active.write_enable.next = !self.found_error.val();
                    self.active.write_value.next = self.rest.val();
                    self.address.write_enable.next =
                        self.survivors.val() & !self.hold_again.q.val() & !self.found_error.val();
                    self.address.write_value.next = self.held_next.val();
                }
                if self.state.q.val() == UnitState::Launch {
                    self.active.write_enable.next = true;
                    self.active.write_value.next = self.hold_mask.q.val();
                    self.address.write_enable.next = true;
                    self.address.write_value.next = self.hold_target.q.val();
                }
            }
            if self.associated.val() {
                self.active.write_enable.next = true;
                self.active.write_value.next = self.revived.val();
                self.address.write_enable.next = true;
                self.address.write_value.next = self.queue.response_address.val();
            }
        }

        // Live threads and the yield state: an exit, a YIELD, a launch.
        self.live.write_warp.next = self.request_warp.val();
        self.live.write_value.next = self.live.request_value.val() & !self.named.val();
        self.live.write_enable.next = self.accepted.val() & self.exit.val();
        self.yields.write_address.next = self.request_warp.val();
        self.yields.write_data.next = self.decider.following.val();
        self.yields.write_enable.next = self.accepted.val() & self.counts.val();
        if (self.state.q.val() == UnitState::Launch) & self.operation_done.val() {
            self.live.write_warp.next = self.hold_warp.q.val();
            self.live.write_value.next = self.hold_mask.q.val();
            self.live.write_enable.next = true;
            self.yields.write_address.next = self.hold_warp.q.val();
            self.yields.write_data.next = self.decider.first_state.val();
            self.yields.write_enable.next = true;
        }

        // The sweep after reset, when nothing runs yet, gives every warp's tables a defined value.
        self.resetting.next = self.idle.val() & self.queue.sweep_enable.val();
        if self.resetting.val() {
            self.active.write_warp.next = bit_cast::<WARP_BITS, KEY_BITS>(self.queue.sweep_key.val() >> 4);
            self.active.write_value.next = 0.into();
            self.active.write_enable.next = true;
            self.address.write_value.next = 0.into();
            self.address.write_enable.next = true;
            self.live.write_warp.next = self.active.write_warp.val();
            self.live.write_value.next = 0.into();
            self.live.write_enable.next = true;
            self.yields.write_address.next = self.active.write_warp.val();
            self.yields.write_data.next = 0.into();
            self.yields.write_enable.next = true;
        }
        self.address.write_warp.next = self.active.write_warp.val();

        // Disabled threads, by reason: set where the sequencer disables, cleared where an unwind revives.
        self.disabled.read_address.next = (bit_cast::<KEY_BITS, WARP_BITS>(self.hold_warp.q.val()) << 4)
            | bit_cast::<KEY_BITS, 4>(self.queue.response_kind.val());
        self.disabled.write_data.next = self.disabled.read_data.val() & !self.queue.response_mask.val();
        self.disabled.write_enable.next = self.associated.val();
        // Sleepers have no token: their reason is set and cleared in the cycle of the request, and looked at when a queue ends.
        if self.queue_ended.val() {
            self.disabled.read_address.next = (bit_cast::<KEY_BITS, WARP_BITS>(self.hold_warp.q.val()) << 4)
                | bit_cast::<KEY_BITS, 4>(self.kind_barrier.val());
        }
        if self.idle.val() {
            self.disabled.read_address.next = (bit_cast::<KEY_BITS, WARP_BITS>(self.request_warp.val()) << 4)
                | bit_cast::<KEY_BITS, 4>(self.kind_barrier.val());
            self.disabled.write_data.next = self.disabled.read_data.val() | self.named.val();
            self.disabled.write_enable.next = self.accepted.val() & (self.sleep.val() | self.wake.val());
            if self.wake.val() {
                self.disabled.write_data.next = self.disabled.read_data.val() & !self.named.val();
            }
        }
        if self.state.q.val() == UnitState::Defer {
            self.disabled.read_address.next = (bit_cast::<KEY_BITS, WARP_BITS>(self.hold_warp.q.val()) << 4)
                | bit_cast::<KEY_BITS, 4>(self.kind_divergence.val());
            self.disabled.write_data.next = self.disabled.read_data.val() | self.deferred.val();
            self.disabled.write_enable.next = self.operation_done.val();
        }
        if self.state.q.val() == UnitState::Find {
            self.disabled.read_address.next = (bit_cast::<KEY_BITS, WARP_BITS>(self.hold_warp.q.val()) << 4)
                | bit_cast::<KEY_BITS, 4>(self.hold_kind.q.val());
            self.disabled.write_data.next = self.disabled.read_data.val() | self.waiters.val();
            self.disabled.write_enable.next = self.operation_done.val() & !self.found_error.val();
        }
        if self.state.q.val() == UnitState::Back {
            self.disabled.read_address.next = (bit_cast::<KEY_BITS, WARP_BITS>(self.hold_warp.q.val()) << 4)
                | bit_cast::<KEY_BITS, 4>(self.kind_yield.val());
            self.disabled.write_data.next = self.disabled.read_data.val() | self.hold_mask.q.val();
            self.disabled.write_enable.next = self.operation_done.val();
        }
        self.disabled.write_address.next = self.disabled.read_address.val();
        if self.queue.sweep_enable.val() {
            self.disabled.write_address.next = self.queue.sweep_key.val();
            self.disabled.write_data.next = 0.into();
            self.disabled.write_enable.next = true;
        }
        self.disabled_query.write_address.next = self.disabled.write_address.val();
        self.disabled_query.write_data.next = self.disabled.write_data.val();
        self.disabled_query.write_enable.next = self.disabled.write_enable.val();
        self.disabled_query.read_address.next = (bit_cast::<KEY_BITS, WARP_BITS>(self.query_warp.val()) << 4)
            | bit_cast::<KEY_BITS, 4>(self.query_kind.val());

        // What the world sees.
        self.active.query_warp.next = self.query_warp.val();
        self.live.query_warp.next = self.query_warp.val();
        self.address.query_warp.next = self.query_warp.val();
        self.query_address.next = self.address.query_value.val();
        self.query_active.next = self.active.query_value.val();
        self.query_disabled.next = self.disabled_query.read_data.val();
        self.warp_running.next = self.running.q.val();
        self.warp_ready.next = self.running.q.val() & !self.parked.q.val();
        if !self.idle.val() {
            self.warp_ready.next =
                self.running.q.val() & !self.parked.q.val() & !(self.one.val() << self.hold_warp.q.val());
        }
        self.done_valid.next = self.queue_ended.val() & !self.live.sequencer_value.val().any();
        self.done_warp.next = self.hold_warp.q.val();
        self.error_valid.next = self.stopped.val() & !self.done_valid.val();
        self.error_cause.next = self.cause_lost_thread.val();
        if self.operation_lost.val() {
            self.error_cause.next = self.cause_fatal.val();
        }
        self.error_warp.next = self.hold_warp.q.val();
        self.error_address.next = self.address.sequencer_value.val();
        // The survivors of a yield were sent on before the queue turned out to be full.
        if (self.state.q.val() == UnitState::Back)
            & self.held_active.val().any()
            & (self.hold_operation.q.val() != self.operation_wake.val())
            & !((self.hold_operation.q.val() == self.operation_leave.val()) & self.hold_again.q.val())
        {
            self.error_address.next = self.address.sequencer_value.val() - 1;
        }
        self.event_push.next = self.queue.token_entered.val();
        self.event_push_warp.next = self.queue.token_entered_warp.val();
        self.event_pop.next = self.queue.token_left.val();
        self.event_pop_warp.next = self.queue.operation_warp.val();
        self.event_diverge.next = (self.state.q.val() == UnitState::Defer) & self.operation_done.val();
        self.event_yield.next = (self.state.q.val() == UnitState::Back) & self.operation_done.val();
        self.event_merge.next = self.queue.response_valid.val() & self.queue.response_merged.val();
        self.event_discard.next = self.discards.val();

        // The queue's ports to memory and to a software handler go straight through.
        self.exception_valid.next = self.queue.exception_valid.val();
        self.exception_cause.next = self.queue.exception_cause.val();
        self.exception_warp.next = self.queue.exception_warp.val();
        self.queue.handler_software.next = self.handler_software.val();
        self.queue.handler_done.next = self.handler_done.val();
        self.queue.handler_pointer_write.next = self.handler_pointer_write.val();
        self.queue.handler_head.next = self.handler_head.val();
        self.queue.handler_tail.next = self.handler_tail.val();
        self.queue.handler_spill_first.next = self.handler_spill_first.val();
        self.queue.handler_spill_end.next = self.handler_spill_end.val();
        self.queue.handler_spill_count.next = self.handler_spill_count.val();
        self.queue.window_write.next = self.window_write.val();
        self.queue.window_index.next = self.window_index.val();
        self.queue.window_data.next = self.window_data.val();
        self.window_read_data.next = self.queue.window_read_data.val();
        self.queue_head.next = self.queue.queue_head.val();
        self.queue_tail.next = self.queue.queue_tail.val();
        self.spill_first.next = self.queue.spill_first.val();
        self.spill_end.next = self.queue.spill_end.val();
        self.spill_count.next = self.queue.spill_count.val();
        self.queue.spill_base.next = self.spill_base.val();
        self.queue.spill_limit.next = self.spill_limit.val();
        self.memory_request_valid.next = self.queue.memory_request_valid.val();
        self.queue.memory_request_ready.next = self.memory_request_ready.val();
        self.memory_request_write.next = self.queue.memory_request_write.val();
        self.memory_request_address.next = self.queue.memory_request_address.val();
        self.memory_request_data.next = self.queue.memory_request_data.val();
        self.queue.memory_response_valid.next = self.memory_response_valid.val();
        self.memory_response_ready.next = self.queue.memory_response_ready.val();
        self.queue.memory_response_data.next = self.memory_response_data.val();
    }
}
