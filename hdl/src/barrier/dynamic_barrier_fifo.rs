//! Barriers that are complete wait here, in order, until an execution slot is free and exclusivity lets them have it.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `enter_valid`, `enter_*` | in | | a barrier turns dynamic: key, address, attributes |
//! | `reset_valid` | in | 1 | a dynamic barrier (`key`) is reset: wherever it is, its section will not run |
//! | `key` | in | `KEY_BITS` | the barrier of `enter_valid` and `reset_valid`: {CTA, barrier} |
//! | `class_conflicts`, `exclusive_inside`, `reserved_slots` | in | 16, 1, `SLOT_COUNT_BITS` | static choices |
//! | `occupied` | in | `SLOTS` | the slots that hold a barrier |
//! | `occupied_classes`, `exclusive_classes`, `inside_classes` | in | 4 each | classes with an occupied slot, with one that is exclusive, with a thread inside |
//! | `hand_valid`, `hand_*` | out | | a barrier moves into a slot at this edge |
//! | `count`, `common_count`, `own_count` | out | `COUNT_BITS` | barriers that wait: in all, in each queue |
//! | `stop` | in | 1 | nothing is handed over |
//! | `turn_common`, `turn_own` | in | 1 | with `stop`: the head of that queue leaves and, unless it is `turn_mine`, enters again at the back |
//! | `held_key`, `held_mask`, `turn_mine`, `turn_key` | in, out | `KEY_BITS` ×2, 1, `KEY_BITS` | a CTA by the bits of a key that name it; the head is of this CTA; its barrier |
//!
//! **Timing** a barrier that enters an empty queue is handed over in the next cycle if a slot may take it; one barrier a cycle.
//! **Invariants** 1. order is kept; entries are distinct, since a barrier enters once in an execution: `2^KEY_BITS` entries never overflow.
//! 2. an exclusive barrier is handed over only while no slot with a conflicting class is occupied (`exclusive_inside`: while no such
//! section has a thread inside), and none is handed over while a conflicting exclusive one occupies a slot. 3. a barrier that was reset
//! while it waited is handed over as such and needs a free slot only: it runs nothing. 4. a barrier moves into one slot, which is free;
//! with `reserved_slots` > 0, class 3 has a queue of its own, the lowest slots are its own, and it may use the others too. An exclusive
//! head that waits holds back the other queue's conflicting heads, unless it is the other queue's turn; the turn passes with every
//! hand-over. 5. what entered with a barrier leaves with it. 6. of a queue that turns, barriers of the CTA that leaves are taken out, and
//! no others. 7. neither queue waits for ever (tested, not proven).
//! **Source** US 9,448,803, the queue of dynamic barriers; BR-14, BR-35, BR-37, BR-41, CX-10.

use super::fall_through_queue::FallThroughQueue;
use super::operation::ADDRESS_BITS;
use crate::prelude::*;

/// Where the address begins in an entry: after the attributes.
const TAG_AT: u64 = 7;
/// Where the key begins: at the top.
const KEY_AT: u64 = TAG_AT + ADDRESS_BITS as u64;

block! {
    /// `ENTRY_BITS` = `KEY_BITS` + 29, `COUNT_BITS` = `KEY_BITS` + 1; see the module's page.
    pub struct DynamicBarrierFifo<
        const KEY_BITS: usize,
        const SLOTS: usize,
        const SLOT_BITS: usize,
        const SLOT_COUNT_BITS: usize,
        const ENTRY_BITS: usize,
        const COUNT_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Bit 4 a + b: class a conflicts with class b; symmetric.
            pub class_conflicts: Signal<In, Bits<16>>,
            /// Exclusive barriers wait for threads inside only, not for occupied slots.
            pub exclusive_inside: Signal<In, Bit>,
            /// How many slots, the lowest ones, only class 3 may use.
            pub reserved_slots: Signal<In, Bits<SLOT_COUNT_BITS>>,
            /// The barrier that enters or is reset.
            pub key: Signal<In, Bits<KEY_BITS>>,
            /// A barrier turns dynamic.
            pub enter_valid: Signal<In, Bit>,
            /// Address of its top.
            pub enter_tag: Signal<In, Bits<ADDRESS_BITS>>,
            /// It guards a section.
            pub enter_critical: Signal<In, Bit>,
            /// It runs alone.
            pub enter_exclusive: Signal<In, Bit>,
            /// Its bottom waits for all.
            pub enter_blocking: Signal<In, Bit>,
            /// Its priority, 3 the highest.
            pub enter_priority: Signal<In, Bits<2>>,
            /// Its resource class.
            pub enter_class: Signal<In, Bits<2>>,
            /// A dynamic barrier is reset.
            pub reset_valid: Signal<In, Bit>,
            /// The slots that hold a barrier.
            pub occupied: Signal<In, Bits<SLOTS>>,
            /// Classes with an occupied slot.
            pub occupied_classes: Signal<In, Bits<4>>,
            /// Classes with a slot whose barrier is exclusive.
            pub exclusive_classes: Signal<In, Bits<4>>,
            /// Classes with a thread inside a section.
            pub inside_classes: Signal<In, Bits<4>>,
            /// A barrier moves into a slot.
            pub hand_valid: Signal<Out, Bit>,
            /// The slot.
            pub hand_slot: Signal<Out, Bits<SLOT_BITS>>,
            /// The slot, as a mask.
            pub hand_slots: Signal<Out, Bits<SLOTS>>,
            /// The barrier.
            pub hand_key: Signal<Out, Bits<KEY_BITS>>,
            /// Address of its top.
            pub hand_tag: Signal<Out, Bits<ADDRESS_BITS>>,
            /// It guards a section.
            pub hand_critical: Signal<Out, Bit>,
            /// It runs alone.
            pub hand_exclusive: Signal<Out, Bit>,
            /// Its bottom waits for all.
            pub hand_blocking: Signal<Out, Bit>,
            /// Its priority.
            pub hand_priority: Signal<Out, Bits<2>>,
            /// Its resource class.
            pub hand_class: Signal<Out, Bits<2>>,
            /// It was reset: its section does not run.
            pub hand_discarded: Signal<Out, Bit>,
            /// Barriers that wait.
            pub count: Signal<Out, Bits<COUNT_BITS>>,
            /// Those in the common queue.
            pub common_count: Signal<Out, Bits<COUNT_BITS>>,
            /// Those in class 3's own queue.
            pub own_count: Signal<Out, Bits<COUNT_BITS>>,
            /// Nothing is handed over.
            pub stop: Signal<In, Bit>,
            /// The common queue turns by an entry.
            pub turn_common: Signal<In, Bit>,
            /// The own queue turns by an entry.
            pub turn_own: Signal<In, Bit>,
            /// A key of the CTA that leaves.
            pub held_key: Signal<In, Bits<KEY_BITS>>,
            /// The bits of a key that name a CTA.
            pub held_mask: Signal<In, Bits<KEY_BITS>>,
            /// The head that is turned belongs to this CTA.
            #[reads(early)]
            pub turn_mine: Signal<Out, Bit>,
            /// Its barrier.
            pub turn_key: Signal<Out, Bits<KEY_BITS>>,
        }
        parts {
            common: FallThroughQueue<KEY_BITS, COUNT_BITS, ENTRY_BITS>,
            own: FallThroughQueue<KEY_BITS, COUNT_BITS, ENTRY_BITS>,
            #[reads_back(read_address)]
            common_marks: RegisterFile<KEY_BITS, 1>,
            #[reads_back(read_address)]
            own_marks: RegisterFile<KEY_BITS, 1>,
            own_turn: Register<Bit>,
            slot: LowestBit<SLOTS, SLOT_BITS>,
            entry: Signal<Local, Bits<ENTRY_BITS>>,
            to_own: Signal<Local, Bit>,
            free: Signal<Local, Bits<SLOTS>>,
            common_free: Signal<Local, Bits<SLOTS>>,
            others: Signal<Local, Bits<4>>,
            common_class: Signal<Local, Bits<2>>,
            common_row: Signal<Local, Bits<4>>,
            common_discarded: Signal<Local, Bit>,
            common_open: Signal<Local, Bit>,
            common_waits: Signal<Local, Bit>,
            common_goes: Signal<Local, Bit>,
            own_row: Signal<Local, Bits<4>>,
            own_discarded: Signal<Local, Bit>,
            own_open: Signal<Local, Bit>,
            own_waits: Signal<Local, Bit>,
            own_goes: Signal<Local, Bit>,
            meet: Signal<Local, Bit>,
            head: Signal<Local, Bits<ENTRY_BITS>>,
            tag_at: Constant<Bits<8>> = Constant::new(bits(TAG_AT)),
            key_at: Constant<Bits<8>> = Constant::new(bits(KEY_AT)),
        }
    }
}

impl<
        const KEY_BITS: usize,
        const SLOTS: usize,
        const SLOT_BITS: usize,
        const SLOT_COUNT_BITS: usize,
        const ENTRY_BITS: usize,
        const COUNT_BITS: usize,
    > Logic for DynamicBarrierFifo<KEY_BITS, SLOTS, SLOT_BITS, SLOT_COUNT_BITS, ENTRY_BITS, COUNT_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, own_turn);
        clock!(self, clock, common, own, common_marks, own_marks);
        self.common.reset.next = self.reset.val();
        self.own.reset.next = self.reset.val();

        // What enters. A barrier enters unmarked; a reset marks it.
        self.entry.next = bit_cast::<ENTRY_BITS, 1>(self.enter_critical.val().into())
            | (bit_cast::<ENTRY_BITS, 1>(self.enter_exclusive.val().into()) << 1)
            | (bit_cast::<ENTRY_BITS, 1>(self.enter_blocking.val().into()) << 2)
            | (bit_cast::<ENTRY_BITS, 2>(self.enter_priority.val()) << 3)
            | (bit_cast::<ENTRY_BITS, 2>(self.enter_class.val()) << 5)
            | (bit_cast::<ENTRY_BITS, ADDRESS_BITS>(self.enter_tag.val()) << self.tag_at.val())
            | (bit_cast::<ENTRY_BITS, KEY_BITS>(self.key.val()) << self.key_at.val());
        self.to_own.next = self.reserved_slots.val().any() & (self.enter_class.val() == 3);
        self.common.enter_valid.next =
            (self.enter_valid.val() & !self.to_own.val()) | (self.turn_common.val() & !self.turn_mine.val());
        self.common.enter_data.next = self.entry.val();
        self.own.enter_valid.next =
            (self.enter_valid.val() & self.to_own.val()) | (self.turn_own.val() & !self.turn_mine.val());
        self.own.enter_data.next = self.entry.val();
        // A queue that turns: the heads of a CTA that leaves fall out.
        self.turn_key.next = self.common.head_data.val().get_bits::<KEY_BITS>(self.key_at.val());
        if self.turn_common.val() {
            self.common.enter_data.next = self.common.head_data.val();
        }
        if self.turn_own.val() {
            self.turn_key.next = self.own.head_data.val().get_bits::<KEY_BITS>(self.key_at.val());
            self.own.enter_data.next = self.own.head_data.val();
        }
        self.turn_mine.next = !((self.turn_key.val() ^ self.held_key.val()) & self.held_mask.val()).any();
        self.common_marks.write_enable.next = self.enter_valid.val() | self.reset_valid.val();
        self.common_marks.write_address.next = self.key.val();
        self.common_marks.write_data.next = self.reset_valid.val().into();
        self.own_marks.write_enable.next = self.enter_valid.val() | self.reset_valid.val();
        self.own_marks.write_address.next = self.key.val();
        self.own_marks.write_data.next = self.reset_valid.val().into();
        self.common_marks.read_address.next = self.common.head_data.val().get_bits::<KEY_BITS>(self.key_at.val());
        self.own_marks.read_address.next = self.own.head_data.val().get_bits::<KEY_BITS>(self.key_at.val());
        self.common_discarded.next = self.common_marks.read_data.val().any()
            | (self.reset_valid.val() & (self.key.val() == self.common_marks.read_address.val()));
        self.own_discarded.next = self.own_marks.read_data.val().any()
            | (self.reset_valid.val() & (self.key.val() == self.own_marks.read_address.val()));

        // Which heads may go: a slot is free, and no conflicting slot stands against it.
        self.free.next = !self.occupied.val();
        self.common_free.next = self.free.val() & (!bits::<SLOTS>(0) << self.reserved_slots.val());
        self.others.next = self.occupied_classes.val();
        if self.exclusive_inside.val() {
            self.others.next = self.inside_classes.val();
        }
        self.common_class.next = self.common.head_data.val().get_bits::<2>(5);
        self.common_row.next =
            (self.class_conflicts.val() >> (bit_cast::<4, 2>(self.common_class.val()) << 2)).get_bits::<4>(0);
        self.own_row.next = self.class_conflicts.val().get_bits::<4>(12);
        self.common_open.next = self.common.head_valid.val()
            & !self.stop.val()
            & self.common_free.val().any()
            & (self.common_discarded.val()
                | (!(self.common_row.val() & self.exclusive_classes.val()).any()
                    & !(self.common.head_data.val().get_bit(1) & (self.common_row.val() & self.others.val()).any())));
        self.own_open.next = self.own.head_valid.val()
            & !self.stop.val()
            & self.free.val().any()
            & (self.own_discarded.val()
                | (!(self.own_row.val() & self.exclusive_classes.val()).any()
                    & !(self.own.head_data.val().get_bit(1) & (self.own_row.val() & self.others.val()).any())));

        // Between the queues: an exclusive head that waits holds the other's conflicting head, and the turn breaks ties.
        self.meet.next = self.own_row.val().get_bit(self.common_class.val());
        self.common_waits.next = self.common.head_valid.val()
            & self.common.head_data.val().get_bit(1)
            & !self.common_open.val()
            & !self.own_turn.q.val();
        self.own_waits.next = self.own.head_valid.val()
            & self.own.head_data.val().get_bit(1)
            & !self.own_open.val()
            & self.own_turn.q.val();
        self.common_goes.next = self.common_open.val()
            & !(self.own_waits.val() & self.meet.val() & !self.common_discarded.val())
            & !(self.own_open.val() & self.own_turn.q.val());
        self.own_goes.next = self.own_open.val()
            & !(self.common_waits.val() & self.meet.val() & !self.own_discarded.val())
            & !self.common_goes.val();
        if self.common_goes.val() {
            self.own_turn.d.next = true;
        }
        if self.own_goes.val() {
            self.own_turn.d.next = false;
        }
        self.common.leave_enable.next = self.common_goes.val() | self.turn_common.val();
        self.own.leave_enable.next = self.own_goes.val() | self.turn_own.val();

        self.slot.mask.next = self.common_free.val();
        self.head.next = self.common.head_data.val();
        self.hand_discarded.next = self.common_discarded.val();
        if self.own_goes.val() {
            self.slot.mask.next = self.free.val();
            self.head.next = self.own.head_data.val();
            self.hand_discarded.next = self.own_discarded.val();
        }
        self.hand_valid.next = self.common_goes.val() | self.own_goes.val();
        self.hand_slot.next = self.slot.index.val();
        self.hand_slots.next = self.slot.one_hot.val();
        self.hand_critical.next = self.head.val().get_bit(0);
        self.hand_exclusive.next = self.head.val().get_bit(1);
        self.hand_blocking.next = self.head.val().get_bit(2);
        self.hand_priority.next = self.head.val().get_bits::<2>(3);
        self.hand_class.next = self.head.val().get_bits::<2>(5);
        self.hand_tag.next = self.head.val().get_bits::<ADDRESS_BITS>(self.tag_at.val());
        self.hand_key.next = self.head.val().get_bits::<KEY_BITS>(self.key_at.val());
        self.common_count.next = self.common.count.val();
        self.own_count.next = self.own.count.val();
        self.count.next = self.common.count.val() + self.own.count.val();
    }
}
