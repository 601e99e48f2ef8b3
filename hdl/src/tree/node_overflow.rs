//! Waiting nodes that lie in memory because the table held none but waiting nodes when they were opened: one of them at a time is
//! in registers, changed there, and written back before another takes its place.
//!
//! A warp's slots are handed out in ascending order; slots given back hang together by the links of their words.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `warp`, `clear_enable` | in | `WARP_BITS`, 1 | whose nodes; it starts: there are none |
//! | `limit` | in | 12 | slots that a warp may use, those of its deferred leaves included |
//! | `wanted_enable`, `wanted_slot` | in | 1, 12 | the node to be shown |
//! | `shown` | out | 1 | it is in the registers |
//! | `prepare_enable` | in | 1 | a new node is wanted, high until `prepared` |
//! | `prepared`, `exhausted` | out | 1 | the registers are free for it, `slot` says where it will lie; no slot is left |
//! | `slot` | out | 12 | slot of the registers |
//! | `arrived`, `resume`, `above`, `kind`, `children` | out | | the node in the registers |
//! | `write_enable`, `write_*` | in | | new contents |
//! | `vacate_enable` | in | 1 | the node in the registers is given back |
//! | `memory_*` | | | valid/ready requests by slot, answers to reads in order |
//!
//! **Timing** a node that is not in the registers takes a read, and a write before it if the present one was changed. It is wanted, or
//! prepared for, until it is there; the memory port is used for nothing else.
//! **Invariants** 1. a node is shown when it is the one that is wanted, and nothing is fetched. 2. what was changed is written before
//! another takes its place. 3. a slot that was never used lies at the mark, within `limit`, which goes on to the next. 4. a request to
//! memory stays until it is taken. 5. until room was made once nothing is held, and no slot was given back.
//! **Source** none: the source says nothing of a full table; TD-09.
//! **See also** `tree_divergence_table`, `node_table` for links.

use super::node_table::{CHILDREN_BITS, LINK_BITS};
use crate::prelude::*;

/// Width of a slot of a warp's memory.
pub const SLOT_BITS: usize = 12;

/// What the registers wait for.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum OverflowState {
    /// Nothing.
    Rest,
    /// The memory takes the changed node.
    Flush,
    /// The memory takes the question for another one.
    Read,
    /// Its answer comes.
    Answer,
}

block! {
    /// See the module's page.
    pub struct NodeOverflow<
        const WARP_BITS: usize, const SET_BITS: usize, const ADDRESS_BITS: usize, const WORD_BITS: usize,
        const RING_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Whose nodes.
            pub warp: Signal<In, Bits<WARP_BITS>>,
            /// The warp starts: it has none.
            pub clear_enable: Signal<In, Bit>,
            /// Slots that a warp may use.
            pub limit: Signal<In, Bits<SLOT_BITS>>,
            /// A node is to be shown.
            pub wanted_enable: Signal<In, Bit>,
            /// Which.
            pub wanted_slot: Signal<In, Bits<SLOT_BITS>>,
            /// It is in the registers.
            pub shown: Signal<Out, Bit>,
            /// A new node is wanted.
            pub prepare_enable: Signal<In, Bit>,
            /// The registers are free for it.
            pub prepared: Signal<Out, Bit>,
            /// No slot is left.
            pub exhausted: Signal<Out, Bit>,
            /// Slot of the registers.
            pub slot: Signal<Out, Bits<SLOT_BITS>>,
            /// Threads that have arrived.
            pub arrived: Signal<Out, Bits<SET_BITS>>,
            /// Where they go on.
            pub resume: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The node above.
            pub above: Signal<Out, Bits<LINK_BITS>>,
            /// Its kind.
            pub kind: Signal<Out, Bits<4>>,
            /// Nodes below it.
            pub children: Signal<Out, Bits<CHILDREN_BITS>>,
            /// New contents.
            pub write_enable: Signal<In, Bit>,
            /// Threads that have arrived.
            pub write_arrived: Signal<In, Bits<SET_BITS>>,
            /// Where they go on.
            pub write_resume: Signal<In, Bits<ADDRESS_BITS>>,
            /// The node above.
            pub write_above: Signal<In, Bits<LINK_BITS>>,
            /// Its kind.
            pub write_kind: Signal<In, Bits<4>>,
            /// Nodes below it.
            pub write_children: Signal<In, Bits<CHILDREN_BITS>>,
            /// The node in the registers is given back.
            pub vacate_enable: Signal<In, Bit>,
            /// A memory request.
            pub memory_request_valid: Signal<Out, Bit>,
            /// It is taken.
            pub memory_request_ready: Signal<In, Bit>,
            /// It writes.
            pub memory_request_write: Signal<Out, Bit>,
            /// Whose slot.
            pub memory_request_warp: Signal<Out, Bits<WARP_BITS>>,
            /// Which.
            pub memory_request_slot: Signal<Out, Bits<SLOT_BITS>>,
            /// The word to write.
            pub memory_request_data: Signal<Out, Bits<WORD_BITS>>,
            /// An answer to a read.
            pub memory_response_valid: Signal<In, Bit>,
            /// It is taken.
            pub memory_response_ready: Signal<Out, Bit>,
            /// The word read.
            pub memory_response_data: Signal<In, Bits<WORD_BITS>>,
        }
        parts {
            state: Register<OverflowState>,
            held: Register<Bit>,
            changed: Register<Bit>,
            blank: Register<Bit>,
            held_warp: Register<Bits<WARP_BITS>>,
            held_slot: Register<Bits<SLOT_BITS>>,
            next_warp: Register<Bits<WARP_BITS>>,
            next_slot: Register<Bits<SLOT_BITS>>,
            arrivals: Register<Bits<SET_BITS>>,
            resumption: Register<Bits<ADDRESS_BITS>>,
            upper: Register<Bits<LINK_BITS>>,
            sort: Register<Bits<4>>,
            count: Register<Bits<CHILDREN_BITS>>,
            vacated: RegisterFile<WARP_BITS, LINK_BITS>,
            marks: RegisterFile<WARP_BITS, SLOT_BITS>,
            reuse: Signal<Local, Bit>,
            target: Signal<Local, Bits<SLOT_BITS>>,
            hit: Signal<Local, Bit>,
            mine: Signal<Local, Bit>,
            #[reads(early)]
            asks: Signal<Local, Bit>,
            fetches: Signal<Local, Bit>,
            replaces: Signal<Local, Bit>,
            unlinks: Signal<Local, Bit>,
            enlarges: Signal<Local, Bit>,
            first_slot: Constant<Bits<SLOT_BITS>> = Constant::new(bits(1 << RING_BITS)),
            valid: Constant<Bits<LINK_BITS>> = Constant::new(bits(1 << 13)),
        }
    }
}

impl<
        const WARP_BITS: usize,
        const SET_BITS: usize,
        const ADDRESS_BITS: usize,
        const WORD_BITS: usize,
        const RING_BITS: usize,
    > Logic for NodeOverflow<WARP_BITS, SET_BITS, ADDRESS_BITS, WORD_BITS, RING_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, held, changed, blank, held_warp, held_slot, next_warp, next_slot);
        dff_setup!(self, clock, arrivals, resumption, upper, sort, count);
        clock!(self, clock, vacated, marks);
        self.vacated.read_address.next = self.warp.val();
        self.marks.read_address.next = self.warp.val();

        // A node that is wanted, else the slot given back last, else a slot never used since the launch.
        self.reuse.next = self.vacated.read_data.val().get_bit(13);
        self.target.next = bit_cast::<SLOT_BITS, LINK_BITS>(self.vacated.read_data.val());
        if self.wanted_enable.val() {
            self.target.next = self.wanted_slot.val();
        }
        self.mine.next = self.held.q.val()
            & (self.held_warp.q.val() == self.warp.val())
            & (self.state.q.val() == OverflowState::Rest);
        self.hit.next = self.mine.val() & (self.held_slot.q.val() == self.target.val()) & !self.blank.q.val();
        self.shown.next = self.hit.val() & self.wanted_enable.val();
        self.prepared.next = self.blank.q.val() & self.mine.val();
        self.exhausted.next = !self.reuse.val() & (self.marks.read_data.val() >= self.limit.val());
        self.fetches.next = (self.wanted_enable.val() | (self.asks.val() & self.reuse.val())) & !self.hit.val();
        self.asks.next = self.prepare_enable.val() & !self.wanted_enable.val() & !self.prepared.val();
        self.replaces.next = (self.fetches.val() | (self.asks.val() & !self.reuse.val() & !self.exhausted.val()))
            & (self.state.q.val() == OverflowState::Rest);
        self.unlinks.next =
            self.asks.val() & self.reuse.val() & self.hit.val() & (self.state.q.val() == OverflowState::Rest);
        self.enlarges.next = self.replaces.val() & !self.fetches.val() & !self.changed.q.val();

        match self.state.q.val() {
            OverflowState::Rest => {
                self.next_slot.d.next = self.target.val();
                self.next_warp.d.next = self.warp.val();
                if self.replaces.val() & self.fetches.val() {
                    self.state.d.next = OverflowState::Read;
                }
                if self.replaces.val() & self.changed.q.val() {
                    self.state.d.next = OverflowState::Flush;
                }
            }
            OverflowState::Flush => {
                if self.memory_request_ready.val() {
                    self.changed.d.next = false;
                    self.state.d.next = OverflowState::Rest;
                }
            }
            OverflowState::Read => {
                if self.memory_request_ready.val() {
                    self.state.d.next = OverflowState::Answer;
                }
            }
            OverflowState::Answer => {
                if self.memory_response_valid.val() {
                    self.state.d.next = OverflowState::Rest;
                }
            }
            _ => {
                self.state.d.next = OverflowState::Rest;
            }
        }

        // The registers.
        if (self.state.q.val() == OverflowState::Answer) & self.memory_response_valid.val() {
            self.held.d.next = true;
            self.blank.d.next = false;
            self.changed.d.next = false;
            self.held_warp.d.next = self.next_warp.q.val();
            self.held_slot.d.next = self.next_slot.q.val();
            self.upper.d.next = self.memory_response_data.val().get_bits::<LINK_BITS>(0);
            self.sort.d.next = self.memory_response_data.val().get_bits::<4>(14);
            self.count.d.next = self.memory_response_data.val().get_bits::<CHILDREN_BITS>(18);
            self.resumption.d.next = self.memory_response_data.val().get_bits::<ADDRESS_BITS>(32);
            self.arrivals.d.next = self.memory_response_data.val().get_bits::<SET_BITS>(54);
        }
        if self.enlarges.val() {
            self.held.d.next = true;
            self.blank.d.next = true;
            self.held_warp.d.next = self.warp.val();
            self.held_slot.d.next = self.marks.read_data.val();
        }
        if self.unlinks.val() {
            self.blank.d.next = true;
            self.changed.d.next = false;
        }
        if self.write_enable.val() {
            self.blank.d.next = false;
            self.changed.d.next = true;
            self.arrivals.d.next = self.write_arrived.val();
            self.resumption.d.next = self.write_resume.val();
            self.upper.d.next = self.write_above.val();
            self.sort.d.next = self.write_kind.val();
            self.count.d.next = self.write_children.val();
        }
        if self.vacate_enable.val() {
            self.changed.d.next = true;
            self.upper.d.next = self.vacated.read_data.val();
        }
        if self.clear_enable.val() & (self.held_warp.q.val() == self.warp.val()) {
            self.held.d.next = false;
            self.blank.d.next = false;
            self.changed.d.next = false;
        }

        // Slots that were given back, and the mark behind those ever used.
        self.vacated.write_enable.next = self.unlinks.val() | self.vacate_enable.val() | self.clear_enable.val();
        self.vacated.write_address.next = self.warp.val();
        self.vacated.write_data.next = self.upper.q.val();
        if self.vacate_enable.val() {
            self.vacated.write_data.next = bit_cast::<LINK_BITS, SLOT_BITS>(self.held_slot.q.val()) | self.valid.val();
        }
        self.marks.write_enable.next = self.enlarges.val() | self.clear_enable.val();
        self.marks.write_address.next = self.warp.val();
        self.marks.write_data.next = self.marks.read_data.val() + 1;
        if self.clear_enable.val() {
            self.vacated.write_data.next = 0.into();
            self.marks.write_data.next = self.first_slot.val();
        }

        self.slot.next = self.held_slot.q.val();
        self.arrived.next = self.arrivals.q.val();
        self.resume.next = self.resumption.q.val();
        self.above.next = self.upper.q.val();
        self.kind.next = self.sort.q.val();
        self.children.next = self.count.q.val();
        self.memory_request_valid.next =
            (self.state.q.val() == OverflowState::Flush) | (self.state.q.val() == OverflowState::Read);
        self.memory_request_write.next = self.state.q.val() == OverflowState::Flush;
        self.memory_request_warp.next = self.next_warp.q.val();
        self.memory_request_slot.next = self.next_slot.q.val();
        if self.state.q.val() == OverflowState::Flush {
            self.memory_request_warp.next = self.held_warp.q.val();
            self.memory_request_slot.next = self.held_slot.q.val();
        }
        self.memory_request_data.next = bit_cast::<WORD_BITS, LINK_BITS>(self.upper.q.val())
            | (bit_cast::<WORD_BITS, 4>(self.sort.q.val()) << 14)
            | (bit_cast::<WORD_BITS, CHILDREN_BITS>(self.count.q.val()) << 18)
            | (bit_cast::<WORD_BITS, ADDRESS_BITS>(self.resumption.q.val()) << 32)
            | (bit_cast::<WORD_BITS, SET_BITS>(self.arrivals.q.val()) << 54);
        self.memory_response_ready.next = self.state.q.val() == OverflowState::Answer;
    }
}
