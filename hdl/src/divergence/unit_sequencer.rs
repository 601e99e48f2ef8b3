//! Takes one warp at a time through what needs more than a cycle, and asks the queue for it; knows which warps run and which are parked.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `accepted`, `request_*` | in | the request that is taken in this cycle, and what the decoder says about it |
//! | `launched`, `launch_*` | in | a launch that is taken |
//! | `queue_*` | in | the queue's answers |
//! | `operation_*` | out | what the queue is asked to do |
//! | `idle`, `decides`, `defers`, `places`, `finds`, `backs`, `unwinding` | out | what it is doing |
//! | `done` | out | the queue has done it in this cycle |
//! | `held_*` | out | the warp that it holds, and of what kind its instruction is |
//! | `found_error`, `stopped` | out | threads are lost at a leave; the warp is stopped or halts |
//! | `running`, `ready` | out | a bit a warp |
//!
//! **Timing** one state a cycle; it waits for the queue in `defers`, `places`, `finds`, `backs`.
//! **Invariants** 1. a warp that it holds is not ready.
//! **Source** DQ-24 to DQ-29, DQ-40, SM-07.

use super::token::{Kind, QueueOperation};
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
    /// Clearing a warp's queue and reasons before its first instruction.
    Launch,
}

block! {
    /// See the module's page.
    pub struct UnitSequencer<const WARPS: usize, const WARP_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A request is offered by a warp that may issue it.
            pub request: Signal<In, Bit>,
            /// It is taken in this cycle.
            pub accepted: Signal<In, Bit>,
            /// Its warp.
            pub request_warp: Signal<In, Bits<WARP_BITS>>,
            /// Kind of the token to push or to find.
            pub request_kind: Signal<In, Bits<4>>,
            /// A leave carries an address.
            pub request_targeted: Signal<In, Bit>,
            /// Further groups of a leave follow.
            pub request_again: Signal<In, Bit>,
            /// It names no thread.
            pub request_none: Signal<In, Bit>,
            /// It names every active thread.
            pub request_all: Signal<In, Bit>,
            /// A call.
            pub request_call: Signal<In, Bit>,
            /// A branch.
            pub request_branch: Signal<In, Bit>,
            /// An indirect branch.
            pub request_indirect: Signal<In, Bit>,
            /// A YIELD.
            pub request_yielding: Signal<In, Bit>,
            /// A leave.
            pub request_leave: Signal<In, Bit>,
            /// A wake.
            pub request_wake: Signal<In, Bit>,
            /// A token leaves for a saved context.
            pub request_withdraw: Signal<In, Bit>,
            /// A token of a saved context comes back.
            pub request_deposit: Signal<In, Bit>,
            /// It diverges.
            pub request_mixed: Signal<In, Bit>,
            /// It looks for a token.
            pub request_seeks: Signal<In, Bit>,
            /// It yields.
            pub request_yields: Signal<In, Bit>,
            /// It leaves nobody active.
            pub request_unwinds: Signal<In, Bit>,
            /// It pushes, and the push port does not take it.
            pub request_waits: Signal<In, Bit>,
            /// A warp is launched.
            pub launched: Signal<In, Bit>,
            /// Which.
            pub launch_warp: Signal<In, Bits<WARP_BITS>>,
            /// With a thread at least.
            pub launch_any: Signal<In, Bit>,
            /// The queue has done what it was asked.
            pub queue_ready: Signal<In, Bit>,
            /// It holds a token of the kind to find.
            pub queue_found: Signal<In, Bit>,
            /// It had no room for it.
            pub queue_failed: Signal<In, Bit>,
            /// The taken side of a branch runs first.
            pub choice: Signal<In, Bit>,
            /// Named threads of a leave have no token to wait for.
            pub others_any: Signal<In, Bit>,
            /// The token popped in the cycle before has threads that wait for it, or is the one to save.
            pub associated: Signal<In, Bit>,
            /// There was no token to pop.
            pub queue_ended: Signal<In, Bit>,
            /// And all live threads are asleep.
            pub parks: Signal<In, Bit>,
            /// It holds no warp.
            pub idle: Signal<Out, Bit>,
            /// It chooses a side.
            pub decides: Signal<Out, Bit>,
            /// It pushes a divergence token.
            pub defers: Signal<Out, Bit>,
            /// It pushes the token of a region or call.
            pub places: Signal<Out, Bit>,
            /// It looks for a token.
            pub finds: Signal<Out, Bit>,
            /// It pushes or merges a yield token.
            pub backs: Signal<Out, Bit>,
            /// It pops tokens.
            pub unwinding: Signal<Out, Bit>,
            /// The queue has done what it was asked, and had room.
            pub done: Signal<Out, Bit>,
            /// The queue had no room.
            pub lost: Signal<Out, Bit>,
            /// The warp that it holds.
            pub held_warp: Signal<Out, Bits<WARP_BITS>>,
            /// Kind of the token to push or to find.
            pub held_kind: Signal<Out, Bits<4>>,
            /// The instruction is a call.
            pub held_call: Signal<Out, Bit>,
            /// An indirect branch.
            pub held_indirect: Signal<Out, Bit>,
            /// A YIELD.
            pub held_yield: Signal<Out, Bit>,
            /// A token leaves for a saved context.
            pub held_withdraw: Signal<Out, Bit>,
            /// A leave with an address.
            pub held_targeted: Signal<Out, Bit>,
            /// The address does not advance.
            pub held_stays: Signal<Out, Bit>,
            /// The taken side runs first.
            pub held_taken_first: Signal<Out, Bit>,
            /// Threads stay active.
            pub held_survivors: Signal<Out, Bit>,
            /// The queue is asked for something.
            pub operation_valid: Signal<Out, Bit>,
            /// It will be in the next cycle.
            pub operation_announce: Signal<Out, Bit>,
            /// What for.
            pub operation_code: Signal<Out, Bits<3>>,
            /// Threads are lost at a leave.
            pub found_error: Signal<Out, Bit>,
            /// The warp is stopped, or halts.
            pub stopped: Signal<Out, Bit>,
            /// A bit a warp: it runs.
            pub running: Signal<Out, Bits<WARPS>>,
            /// A bit a warp: all its live threads are asleep.
            pub parked: Signal<Out, Bits<WARPS>>,
            /// A bit a warp: it may issue.
            pub ready: Signal<Out, Bits<WARPS>>,
        }
        parts {
            state: Register<UnitState>,
            runs: Register<Bits<WARPS>>,
            sleeps: Register<Bits<WARPS>>,
            hold_warp: Register<Bits<WARP_BITS>>,
            hold_kind: Register<Bits<4>>,
            hold_call: Register<Bit>,
            hold_indirect: Register<Bit>,
            hold_yield: Register<Bit>,
            hold_withdraw: Register<Bit>,
            hold_targeted: Register<Bit>,
            hold_stays: Register<Bit>,
            taken_first: Register<Bit>,
            survivors: Register<Bit>,
            held: Signal<Local, Bits<WARPS>>,
            one: Constant<Bits<WARPS>> = Constant::new(bits(1)),
            code_pop: Constant<Bits<3>> = Constant::new(bits(QueueOperation::PopFront as u64)),
            code_push_front: Constant<Bits<3>> = Constant::new(bits(QueueOperation::PushFront as u64)),
            code_push_back: Constant<Bits<3>> = Constant::new(bits(QueueOperation::PushBack as u64)),
            code_yield: Constant<Bits<3>> = Constant::new(bits(QueueOperation::Yield as u64)),
            code_find: Constant<Bits<3>> = Constant::new(bits(QueueOperation::Find as u64)),
            code_clear: Constant<Bits<3>> = Constant::new(bits(QueueOperation::Clear as u64)),
            kind_divergence: Constant<Bits<4>> = Constant::new(bits(Kind::Divergence as u64)),
            kind_call: Constant<Bits<4>> = Constant::new(bits(Kind::Call as u64)),
            kind_yield: Constant<Bits<4>> = Constant::new(bits(Kind::Yield as u64)),
        }
    }
}

impl<const WARPS: usize, const WARP_BITS: usize> Logic for UnitSequencer<WARPS, WARP_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, runs, sleeps, hold_warp, hold_kind, hold_call, hold_indirect, hold_yield);
        dff_setup!(self, clock, hold_withdraw, hold_targeted, hold_stays, taken_first, survivors);
        self.idle.next = self.state.q.val() == UnitState::Idle;
        self.decides.next = self.state.q.val() == UnitState::Decide;
        self.defers.next = self.state.q.val() == UnitState::Defer;
        self.places.next = self.state.q.val() == UnitState::Place;
        self.finds.next = self.state.q.val() == UnitState::Find;
        self.backs.next = self.state.q.val() == UnitState::Back;
        self.unwinding.next = self.state.q.val() == UnitState::Unwind;
        self.done.next = self.queue_ready.val() & !self.queue_failed.val();
        self.lost.next = self.queue_ready.val() & self.queue_failed.val() & !self.idle.val();
        self.found_error.next =
            self.finds.val() & self.done.val() & !self.hold_targeted.q.val() & self.others_any.val();
        self.stopped.next = (self.queue_ended.val() & !self.parks.val()) | self.found_error.val() | self.lost.val();

        match self.state.q.val() {
            UnitState::Idle => {
                self.hold_warp.d.next = self.request_warp.val();
                self.hold_kind.d.next = self.request_kind.val();
                self.hold_call.d.next = self.request_call.val();
                self.hold_indirect.d.next = self.request_indirect.val();
                self.hold_yield.d.next = self.request_yielding.val();
                self.hold_withdraw.d.next = self.request_withdraw.val() & self.accepted.val();
                self.hold_targeted.d.next = self.request_targeted.val();
                self.hold_stays.d.next = self.request_wake.val()
                    | self.request_deposit.val()
                    | (self.request_again.val() & self.request_leave.val());
                self.taken_first.d.next = true;
                // Who is still active once the named threads are gone: a wake takes nobody away.
                self.survivors.d.next = !self.request_all.val();
                if self.request_wake.val() {
                    self.survivors.d.next = !self.sleeps.q.val().get_bit(self.request_warp.val());
                }
                if self.launched.val() {
                    self.hold_warp.d.next = self.launch_warp.val();
                    self.survivors.d.next = self.launch_any.val();
                    self.state.d.next = UnitState::Launch;
                }
                if self.accepted.val() {
                    if self.request_waits.val() {
                        self.state.d.next = UnitState::Place;
                        if self.request_call.val() {
                            self.hold_kind.d.next = self.kind_call.val();
                        }
                    }
                    if self.request_mixed.val() {
                        self.hold_kind.d.next = self.kind_divergence.val();
                        self.state.d.next = UnitState::Defer;
                        if self.request_branch.val() {
                            self.state.d.next = UnitState::Decide;
                        }
                    }
                    if self.request_seeks.val() {
                        self.state.d.next = UnitState::Find;
                        // With no token to wait for, all of them yield to the address at once.
                        if self.request_targeted.val() & !self.queue_found.val() {
                            self.hold_kind.d.next = self.kind_yield.val();
                            self.state.d.next = UnitState::Back;
                        }
                    }
                    if self.request_unwinds.val() {
                        self.state.d.next = UnitState::Unwind;
                    }
                    if self.request_yields.val() | (self.request_wake.val() & !self.request_none.val()) {
                        self.hold_kind.d.next = self.kind_yield.val();
                        self.state.d.next = UnitState::Back;
                    }
                    if self.request_wake.val() & !self.request_none.val() {
                        self.sleeps.d.next = self.sleeps.q.val() & !(self.one.val() << self.request_warp.val());
                    }
                }
            }
            UnitState::Decide => {
                self.taken_first.d.next = self.choice.val();
                self.state.d.next = UnitState::Defer;
            }
            UnitState::Defer => {
                if self.done.val() {
                    self.hold_kind.d.next = self.kind_call.val();
                    self.state.d.next = UnitState::Idle;
                    if self.hold_call.q.val() {
                        self.state.d.next = UnitState::Place;
                    }
                }
            }
            UnitState::Place => {
                if self.done.val() {
                    self.state.d.next = UnitState::Idle;
                }
            }
            UnitState::Find => {
                if self.done.val() {
                    self.hold_kind.d.next = self.kind_yield.val();
                    self.state.d.next = UnitState::Unwind;
                    if self.survivors.q.val() {
                        self.state.d.next = UnitState::Idle;
                    }
                    if self.others_any.val() {
                        self.state.d.next = UnitState::Back;
                    }
                }
            }
            UnitState::Back => {
                if self.done.val() {
                    self.state.d.next = UnitState::Unwind;
                    if self.survivors.q.val() {
                        self.state.d.next = UnitState::Idle;
                    }
                }
            }
            UnitState::Unwind => {
                if self.associated.val() | self.parks.val() {
                    self.state.d.next = UnitState::Idle;
                }
                if self.parks.val() {
                    self.sleeps.d.next = self.sleeps.q.val() | (self.one.val() << self.hold_warp.q.val());
                }
            }
            UnitState::Launch => {
                if self.done.val() {
                    self.runs.d.next = self.runs.q.val() | (self.one.val() << self.hold_warp.q.val());
                    self.state.d.next = UnitState::Unwind;
                    if self.survivors.q.val() {
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
            self.runs.d.next = self.runs.q.val() & !(self.one.val() << self.hold_warp.q.val());
            self.sleeps.d.next = self.sleeps.q.val() & !(self.one.val() << self.hold_warp.q.val());
        }

        // The queue's operation port: a leave or a YIELD announces its search, and the last exit pops, in the cycle of the request.
        self.operation_announce.next =
            self.idle.val() & self.request.val() & (self.request_seeks.val() | self.request_yields.val());
        self.operation_valid.next = true;
        self.operation_code.next = self.code_pop.val();
        match self.state.q.val() {
            UnitState::Idle => {
                self.operation_valid.next = self.request.val() & self.request_unwinds.val();
                if self.request_leave.val() {
                    self.operation_code.next = self.code_find.val();
                }
                if self.request_yielding.val() {
                    self.operation_code.next = self.code_yield.val();
                }
            }
            UnitState::Decide => {
                self.operation_valid.next = false;
            }
            UnitState::Defer => {
                self.operation_code.next = self.code_push_front.val();
            }
            UnitState::Place => {
                self.operation_code.next = self.code_push_front.val();
            }
            UnitState::Find => {
                self.operation_code.next = self.code_find.val();
            }
            UnitState::Back => {
                self.operation_code.next = self.code_yield.val();
                if self.survivors.q.val() {
                    self.operation_code.next = self.code_push_back.val();
                }
            }
            UnitState::Unwind => {
                self.operation_valid.next = !self.associated.val() & !self.queue_ended.val();
            }
            UnitState::Launch => {
                self.operation_code.next = self.code_clear.val();
            }
            _ => {}
        }

        self.held_warp.next = self.hold_warp.q.val();
        self.held_kind.next = self.hold_kind.q.val();
        self.held_call.next = self.hold_call.q.val();
        self.held_indirect.next = self.hold_indirect.q.val();
        self.held_yield.next = self.hold_yield.q.val();
        self.held_withdraw.next = self.hold_withdraw.q.val();
        self.held_targeted.next = self.hold_targeted.q.val();
        self.held_stays.next = self.hold_stays.q.val();
        self.held_taken_first.next = self.taken_first.q.val();
        self.held_survivors.next = self.survivors.q.val();
        self.running.next = self.runs.q.val();
        self.parked.next = self.sleeps.q.val();
        self.held.next = 0.into();
        if !self.idle.val() {
            self.held.next = self.one.val() << self.hold_warp.q.val();
        }
        self.ready.next = self.runs.q.val() & !self.sleeps.q.val() & !self.held.val();
    }
}
