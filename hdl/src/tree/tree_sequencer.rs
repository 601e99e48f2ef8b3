//! The order of steps of an instruction that needs more than its own cycle: looking for a node further up, freeing a chain, moving
//! leaves to memory and back, the end of a warp.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `launch_empty`, `looks`, `crowded`, `accepted`, `searched` | in | a warp starts without a thread; an instruction is looked at; it needs room first; it is taken; a node further up is looked at |
//! | `searches`, `lost`, `acts`, `frees`, `removes_later`, `counts_later`, `halts`, `vanishes` | in | what the instruction comes to in this cycle |
//! | `climbing`, `counting`, `spills` | in | a node is looked at that lost, or gains, a child; a leaf found no node |
//! | `focus_*`, `leaf_link`, `spilled_link` | in | the node in focus; what is above the selected leaf; above the second leaf, or the one that found no node |
//! | `ring_empty`, `prepared`, `exhausted` | in | no leaf can be sent away; memory has room for a node; it has none |
//! | `deferred`, `room`, `due` | in | leaves are in memory; a node is free; an exchange is due |
//! | `memory_taken`, `memory_answers` | in | the memory takes a request; it answers |
//! | `idle`, `search`, `climb`, `count`, `defer`, `evict`, `prepare`, `maintain`, `swap`, `take`, `answer`, `stop` | out | the state, a bit each |
//! | `cursor`, `gone`, `gone_valid`, `cause` | out | the node in focus next; a node to be given back; why a warp is stopped (0: it halts, 7: it was saved) |
//!
//! **Timing** one cycle a state; memory makes `defer`, `evict`, `swap`, `take` and `answer` longer, the overflow `prepare`.
//! **See also** `tree_divergence_table`.

use super::node_table::LINK_BITS;
use crate::divergence::token::Cause;
use crate::prelude::*;

/// In place of the cause for which a warp is stopped: it was saved.
pub const WITHDRAWN: u64 = 7;

/// What the table is at.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum TreeState {
    /// It takes requests.
    Idle,
    /// Looking for the node that leaving threads go to.
    Search,
    /// A node lost a child; it may have to go as well.
    Climb,
    /// The node above a call that diverged gains a child.
    Count,
    /// A leaf that found no node goes to memory.
    Defer,
    /// A ready leaf goes to memory, to make room for a node.
    Evict,
    /// Making room in memory for a node.
    Prepare,
    /// Shall a deferred leaf come back?
    Maintain,
    /// The selected leaf goes to memory, in exchange.
    Swap,
    /// Asking the memory for a deferred leaf.
    Take,
    /// Waiting for it.
    Answer,
    /// A warp halts or is stopped.
    Stop,
}

block! {
    /// See the module's page.
    pub struct TreeSequencer<const NODE_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A warp starts without a thread.
            pub launch_empty: Signal<In, Bit>,
            /// An instruction is looked at.
            pub looks: Signal<In, Bit>,
            /// It needs a node, and there is none.
            pub crowded: Signal<In, Bit>,
            /// It is taken.
            pub accepted: Signal<In, Bit>,
            /// A node further up is looked at.
            pub searched: Signal<In, Bit>,
            /// The next one above must be looked at.
            pub searches: Signal<In, Bit>,
            /// Threads leave and there is no node to go to.
            pub lost: Signal<In, Bit>,
            /// The instruction acts.
            pub acts: Signal<In, Bit>,
            /// A node loses its last child with nobody arrived.
            pub frees: Signal<In, Bit>,
            /// The node above the leaf loses a child in the next cycles.
            pub removes_later: Signal<In, Bit>,
            /// It gains one in the next cycle.
            pub counts_later: Signal<In, Bit>,
            /// The last thread exits.
            pub halts: Signal<In, Bit>,
            /// A warp that is being saved leaves.
            pub vanishes: Signal<In, Bit>,
            /// A node that lost a child is looked at.
            pub climbing: Signal<In, Bit>,
            /// A node that gains a child is looked at.
            pub counting: Signal<In, Bit>,
            /// There is a second leaf.
            pub creates: Signal<In, Bit>,
            /// A leaf finds no node in this cycle.
            pub spills: Signal<In, Bit>,
            /// There is a node in focus.
            pub focus_valid: Signal<In, Bit>,
            /// It lies in memory.
            pub focus_memory: Signal<In, Bit>,
            /// Where it lies in the table.
            pub focus_node: Signal<In, Bits<NODE_BITS>>,
            /// The node above it.
            pub focus_above: Signal<In, Bits<LINK_BITS>>,
            /// The node above the selected leaf.
            pub leaf_link: Signal<In, Bits<LINK_BITS>>,
            /// The node above the second leaf.
            pub second_link: Signal<In, Bits<LINK_BITS>>,
            /// No ready leaf can be sent away.
            pub ring_empty: Signal<In, Bit>,
            /// Memory has room for a node.
            pub prepared: Signal<In, Bit>,
            /// It has none.
            pub exhausted: Signal<In, Bit>,
            /// Leaves are in memory, and one may come back.
            pub deferred: Signal<In, Bit>,
            /// A node is free.
            pub room: Signal<In, Bit>,
            /// An exchange is due.
            pub due: Signal<In, Bit>,
            /// The memory takes a request.
            pub memory_taken: Signal<In, Bit>,
            /// It answers.
            pub memory_answers: Signal<In, Bit>,
            /// The table takes requests.
            pub idle: Signal<Out, Bit>,
            /// It looks for a node.
            pub search: Signal<Out, Bit>,
            /// A node lost a child.
            pub climb: Signal<Out, Bit>,
            /// A node gains a child.
            pub count: Signal<Out, Bit>,
            /// A leaf that found no node goes to memory.
            pub defer: Signal<Out, Bit>,
            /// A ready leaf goes to memory.
            pub evict: Signal<Out, Bit>,
            /// Room is made in memory for a node.
            pub prepare: Signal<Out, Bit>,
            /// Shall a deferred leaf come back?
            pub maintain: Signal<Out, Bit>,
            /// The selected leaf goes to memory.
            pub swap: Signal<Out, Bit>,
            /// A deferred leaf is asked for.
            pub take: Signal<Out, Bit>,
            /// It is waited for.
            pub answer: Signal<Out, Bit>,
            /// A warp halts or is stopped.
            pub stop: Signal<Out, Bit>,
            /// The node in focus while the table is not idle; above a leaf that goes to memory.
            pub cursor: Signal<Out, Bits<LINK_BITS>>,
            /// A node to be given back.
            pub gone: Signal<Out, Bits<NODE_BITS>>,
            /// There is one.
            pub gone_valid: Signal<Out, Bit>,
            /// A leaf of this instruction found no node in the cycle before.
            pub spilling: Signal<Out, Bit>,
            /// Why the warp is stopped.
            pub cause: Signal<Out, Bits<3>>,
        }
        parts {
            state: Register<TreeState>,
            position: Register<Bits<LINK_BITS>>,
            leaving: Register<Bits<NODE_BITS>>,
            leaving_valid: Register<Bit>,
            homeless: Register<Bit>,
            reason: Register<Bits<3>>,
            settles: Signal<Local, Bit>,
            cause_fatal: Constant<Bits<3>> = Constant::new(bits(Cause::Fatal as u64)),
            withdrawn: Constant<Bits<3>> = Constant::new(bits(WITHDRAWN)),
            cause_lost: Constant<Bits<3>> = Constant::new(bits(Cause::LostThread as u64)),
        }
    }
}

impl<const NODE_BITS: usize> Logic for TreeSequencer<NODE_BITS> {
    #[hdl_gen]
    // A guard on a `match` arm would collapse these, but hdl_gen drops guards.
    #[allow(clippy::collapsible_match)]
    fn update(&mut self) {
        dff_setup!(self, clock, state, position, leaving, leaving_valid, homeless, reason);
        self.idle.next = self.state.q.val() == TreeState::Idle;
        self.search.next = self.state.q.val() == TreeState::Search;
        self.climb.next = self.state.q.val() == TreeState::Climb;
        self.count.next = self.state.q.val() == TreeState::Count;
        self.defer.next = self.state.q.val() == TreeState::Defer;
        self.evict.next = self.state.q.val() == TreeState::Evict;
        self.prepare.next = self.state.q.val() == TreeState::Prepare;
        self.maintain.next = self.state.q.val() == TreeState::Maintain;
        self.swap.next = self.state.q.val() == TreeState::Swap;
        self.take.next = self.state.q.val() == TreeState::Take;
        self.answer.next = self.state.q.val() == TreeState::Answer;
        self.stop.next = self.state.q.val() == TreeState::Stop;
        self.cursor.next = self.position.q.val();
        self.gone.next = self.leaving.q.val();
        self.gone_valid.next = self.leaving_valid.q.val();
        self.spilling.next = self.homeless.q.val();
        self.cause.next = self.reason.q.val();

        self.homeless.d.next = self.spills.val();
        self.settles.next = false;
        match self.state.q.val() {
            TreeState::Idle => {
                self.reason.d.next = 0.into();
                if self.launch_empty.val() {
                    self.state.d.next = TreeState::Stop;
                }
                if self.looks.val() & self.crowded.val() {
                    self.state.d.next = TreeState::Evict;
                    if self.ring_empty.val() {
                        self.state.d.next = TreeState::Prepare;
                    }
                }
            }
            TreeState::Climb => {
                if !self.focus_valid.val() {
                    self.settles.next = true;
                }
                if self.climbing.val() {
                    self.position.d.next = self.focus_above.val();
                    self.leaving.d.next = self.focus_node.val();
                    self.leaving_valid.d.next = !self.focus_memory.val();
                    self.settles.next = !self.frees.val();
                }
            }
            TreeState::Count => {
                self.settles.next = self.counting.val();
            }
            TreeState::Defer => {
                if self.memory_taken.val() {
                    self.state.d.next = TreeState::Maintain;
                }
            }
            TreeState::Evict => {
                if self.memory_taken.val() {
                    self.state.d.next = TreeState::Idle;
                }
            }
            TreeState::Prepare => {
                if self.prepared.val() {
                    self.state.d.next = TreeState::Idle;
                } else if self.exhausted.val() {
                    self.state.d.next = TreeState::Stop;
                    self.reason.d.next = self.cause_fatal.val();
                }
            }
            TreeState::Maintain => {
                self.state.d.next = TreeState::Idle;
                if self.deferred.val() {
                    if self.room.val() {
                        self.state.d.next = TreeState::Take;
                    } else if self.due.val() {
                        self.state.d.next = TreeState::Swap;
                    }
                }
            }
            TreeState::Swap => {
                if self.memory_taken.val() {
                    self.state.d.next = TreeState::Take;
                }
            }
            TreeState::Take => {
                if self.memory_taken.val() {
                    self.state.d.next = TreeState::Answer;
                }
            }
            TreeState::Answer => {
                // What came back runs before anything else does, or it might be sent away again and again.
                if self.memory_answers.val() {
                    self.state.d.next = TreeState::Idle;
                }
            }
            TreeState::Stop => {
                self.state.d.next = TreeState::Idle;
            }
            _ => {}
        }
        if self.accepted.val() | self.searched.val() {
            if self.searches.val() {
                self.state.d.next = TreeState::Search;
                self.position.d.next = self.focus_above.val();
            }
            if self.lost.val() {
                self.state.d.next = TreeState::Stop;
                self.reason.d.next = self.cause_lost.val();
            }
        }
        if self.acts.val() {
            self.leaving.d.next = self.focus_node.val();
            self.leaving_valid.d.next = self.frees.val();
            self.position.d.next = self.leaf_link.val();
            if self.frees.val() {
                self.position.d.next = self.focus_above.val();
            }
            if self.creates.val() {
                self.position.d.next = self.second_link.val();
            }
            self.settles.next = true;
            if self.removes_later.val() | self.frees.val() {
                self.settles.next = false;
                self.state.d.next = TreeState::Climb;
            }
            if self.counts_later.val() {
                self.settles.next = false;
                self.state.d.next = TreeState::Count;
            }
        }
        if self.settles.val() {
            self.state.d.next = TreeState::Idle;
            if self.deferred.val() {
                self.state.d.next = TreeState::Maintain;
            }
            if self.spills.val() {
                self.state.d.next = TreeState::Defer;
            }
        }
        if self.halts.val() {
            self.state.d.next = TreeState::Stop;
        }
        if self.vanishes.val() {
            self.state.d.next = TreeState::Stop;
            self.reason.d.next = self.withdrawn.val();
        }
    }
}
