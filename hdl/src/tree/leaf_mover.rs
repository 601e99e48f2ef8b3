//! Moves leaves between the table and memory, and lets the overflow of waiting nodes use the same port: at any time one of the two has
//! something to say.
//!
//! A leaf's word: link 13:0, address from bit 32, threads from bit 54.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `warp`, `clear_enable`, `interval`, `spill_base` | in | whose leaves; it starts; instructions between exchanges; where the spill areas begin |
//! | `held_warp` | in | whose leaf moves |
//! | `defer`, `evict`, `swap`, `take`, `answer` | in | a leaf goes: the one that found no node, the one that waits longest, the selected one; one is asked for, waited for |
//! | `counts` | in | the warp issued an instruction while leaves are in memory |
//! | `held_*`, `front_*`, `leaf_*` | in | those leaves |
//! | `deferred`, `due` | out | leaves are in memory; an exchange is due |
//! | `sent`, `returned`, `exception_cause` | out | a leaf went; one came back; the cause that tells it |
//! | `return_*` | out | the one that comes back |
//! | `overflow_*` | | the requests of `node_overflow` |
//! | `memory_*` | | the port |
//!
//! **Timing** combinational between the port and the rest; `deferred` and `due` follow a move by a cycle.
//! **Source** TD-09.
//! **See also** `deferred_leaves`, `node_overflow`, `tree_sequencer`.

use super::deferred_leaves::DeferredLeaves;
use super::node_overflow::SLOT_BITS;
use super::node_table::LINK_BITS;
use crate::divergence::token::Cause;
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct LeafMover<
        const WARP_BITS: usize, const SET_BITS: usize, const ADDRESS_BITS: usize, const WORD_BITS: usize,
        const RING_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Whose leaves.
            pub warp: Signal<In, Bits<WARP_BITS>>,
            /// The warp starts: none is in memory.
            pub clear_enable: Signal<In, Bit>,
            /// Instructions between two exchanges.
            pub interval: Signal<In, Bits<8>>,
            /// Where the spill areas begin.
            pub spill_base: Signal<In, Bits<32>>,
            /// Whose leaf moves.
            pub held_warp: Signal<In, Bits<WARP_BITS>>,
            /// A leaf that found no node goes.
            pub defer: Signal<In, Bit>,
            /// The leaf that waits longest goes.
            pub evict: Signal<In, Bit>,
            /// The selected leaf goes.
            pub swap: Signal<In, Bit>,
            /// A leaf is asked for.
            pub take: Signal<In, Bit>,
            /// It is waited for.
            pub answer: Signal<In, Bit>,
            /// The warp issued an instruction.
            pub counts: Signal<In, Bit>,
            /// The leaf that found no node: threads.
            pub held_mask: Signal<In, Bits<SET_BITS>>,
            /// Address.
            pub held_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub held_link: Signal<In, Bits<LINK_BITS>>,
            /// The leaf that waits longest: threads.
            pub front_mask: Signal<In, Bits<SET_BITS>>,
            /// Address.
            pub front_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub front_link: Signal<In, Bits<LINK_BITS>>,
            /// The selected leaf: threads.
            pub leaf_mask: Signal<In, Bits<SET_BITS>>,
            /// Address.
            pub leaf_address: Signal<In, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub leaf_link: Signal<In, Bits<LINK_BITS>>,
            /// Leaves are in memory.
            pub deferred: Signal<Out, Bit>,
            /// An exchange is due.
            pub due: Signal<Out, Bit>,
            /// A leaf went.
            pub sent: Signal<Out, Bit>,
            /// A leaf came back.
            pub returned: Signal<Out, Bit>,
            /// What is told of a leaf that moves: to memory 1, back 2.
            pub exception_cause: Signal<Out, Bits<2>>,
            /// Its threads.
            pub return_mask: Signal<Out, Bits<SET_BITS>>,
            /// Its address.
            pub return_address: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The node above it.
            pub return_link: Signal<Out, Bits<LINK_BITS>>,
            /// The overflow has a request.
            pub overflow_request_valid: Signal<In, Bit>,
            /// It writes.
            pub overflow_request_write: Signal<In, Bit>,
            /// Whose slot.
            pub overflow_request_warp: Signal<In, Bits<WARP_BITS>>,
            /// Which.
            pub overflow_request_slot: Signal<In, Bits<SLOT_BITS>>,
            /// The word to write.
            pub overflow_request_data: Signal<In, Bits<WORD_BITS>>,
            /// It takes an answer.
            pub overflow_response_ready: Signal<In, Bit>,
            /// A memory request.
            pub memory_request_valid: Signal<Out, Bit>,
            /// It is taken.
            pub memory_request_ready: Signal<In, Bit>,
            /// It writes.
            pub memory_request_write: Signal<Out, Bit>,
            /// Address, in words.
            pub memory_request_address: Signal<Out, Bits<32>>,
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
            ring: DeferredLeaves<WARP_BITS, RING_BITS>,
            goes: Signal<Local, Bit>,
            moving_mask: Signal<Local, Bits<SET_BITS>>,
            moving_address: Signal<Local, Bits<ADDRESS_BITS>>,
            moving_link: Signal<Local, Bits<LINK_BITS>>,
            area: Signal<Local, Bits<32>>,
            cause_spill: Constant<Bits<2>> = Constant::new(bits(Cause::Spill as u64)),
            cause_refill: Constant<Bits<2>> = Constant::new(bits(Cause::Refill as u64)),
        }
    }
}

impl<
        const WARP_BITS: usize,
        const SET_BITS: usize,
        const ADDRESS_BITS: usize,
        const WORD_BITS: usize,
        const RING_BITS: usize,
    > Logic for LeafMover<WARP_BITS, SET_BITS, ADDRESS_BITS, WORD_BITS, RING_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, ring);
        self.goes.next = self.defer.val() | self.evict.val() | self.swap.val();
        self.sent.next = self.goes.val() & self.memory_request_ready.val();
        self.returned.next = self.answer.val() & self.memory_response_valid.val();
        self.exception_cause.next = self.cause_spill.val();
        if self.returned.val() {
            self.exception_cause.next = self.cause_refill.val();
        }
        self.ring.warp.next = self.warp.val();
        self.ring.clear_enable.next = self.clear_enable.val();
        self.ring.interval.next = self.interval.val();
        self.ring.append_enable.next = self.sent.val();
        self.ring.take_enable.next = self.returned.val();
        self.ring.count_enable.next = self.counts.val();
        self.deferred.next = self.ring.present.val();
        self.due.next = self.ring.due.val();
        self.return_mask.next = self.memory_response_data.val().get_bits::<SET_BITS>(54);
        self.return_address.next = self.memory_response_data.val().get_bits::<ADDRESS_BITS>(32);
        self.return_link.next = self.memory_response_data.val().get_bits::<LINK_BITS>(0);

        // The leaf that goes.
        self.moving_mask.next = self.held_mask.val();
        self.moving_address.next = self.held_address.val();
        self.moving_link.next = self.held_link.val();
        if self.evict.val() {
            self.moving_mask.next = self.front_mask.val();
            self.moving_address.next = self.front_address.val();
            self.moving_link.next = self.front_link.val();
        }
        if self.swap.val() {
            self.moving_mask.next = self.leaf_mask.val();
            self.moving_address.next = self.leaf_address.val();
            self.moving_link.next = self.leaf_link.val();
        }

        // The port.
        self.area.next = self.spill_base.val() | (bit_cast::<32, WARP_BITS>(self.held_warp.val()) << 12);
        self.memory_request_valid.next = self.overflow_request_valid.val() | self.goes.val() | self.take.val();
        self.memory_request_write.next = self.overflow_request_write.val() | self.goes.val();
        self.memory_request_address.next = self.spill_base.val()
            | (bit_cast::<32, WARP_BITS>(self.overflow_request_warp.val()) << 12)
            | bit_cast::<32, SLOT_BITS>(self.overflow_request_slot.val());
        self.memory_request_data.next = self.overflow_request_data.val();
        if self.goes.val() {
            self.memory_request_address.next = self.area.val() | bit_cast::<32, RING_BITS>(self.ring.back_slot.val());
            self.memory_request_data.next = bit_cast::<WORD_BITS, LINK_BITS>(self.moving_link.val())
                | (bit_cast::<WORD_BITS, ADDRESS_BITS>(self.moving_address.val()) << 32)
                | (bit_cast::<WORD_BITS, SET_BITS>(self.moving_mask.val()) << 54);
        }
        if self.take.val() {
            self.memory_request_address.next = self.area.val() | bit_cast::<32, RING_BITS>(self.ring.front_slot.val());
        }
        self.memory_response_ready.next = self.overflow_response_ready.val() | self.answer.val();
    }
}
