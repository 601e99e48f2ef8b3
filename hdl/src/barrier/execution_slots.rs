//! The execution slots: barriers whose sections run, each with its next thread as soon as that is known.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `hand_valid`, `hand_*` | in | | a barrier moves into a free slot |
//! | `execute_key` | in | `KEY_BITS` | the barrier in the execute stage |
//! | `join_valid`, `reset_valid` | in | 1 each | a thread joins its running section; it is reset |
//! | `key_slots`, `key_blocking` | out | `SLOTS`, 1 | its slot, if it is in one; its bottom waits for all |
//! | `needing` | out | `SLOTS` | slots whose next thread is to be found |
//! | `serve_*` | in | | the slot that is searched in this cycle, and what was found |
//! | `serve_key`, `present_logical` | out | `KEY_BITS`, `BLOCK_BITS` | its barrier, and how far its pass has come |
//! | `class_conflicts`, `entered`, `staying` | in | 16, `SLOTS` ×2 | who is inside: [`inside_threads`](super::inside_threads) |
//! | `schedulable`, `priority_*` | out | `SLOTS` | for the arbiter |
//! | `start_slot`, `start_slots` | in | `SLOT_BITS`, `SLOTS` | the arbiter's choice; `start_slots` is empty unless it starts now |
//! | `start_key`, `start_block`, `start_offset`, `start_tag` | out | | the choice's thread |
//! | `finish_valid`, `finish_ready`, `finish_key` | | | the section in a slot has ended: held until taken |
//! | `finish_cancel` | out | 1 | in the cycle after that: a thread has joined meanwhile, the slot goes on |
//! | `other_slots`, `other_key`, `other_tag`, `other_first` | in, out | | what is in a slot, the lowest of these: for an error, and for a CTA that leaves |
//! | `held_valid`, `held_key`, `held_mask`, `remove_slots` | in | 1, `KEY_BITS` ×2, `SLOTS` | a CTA is held, by the bits of a key that name it; this slot of it is emptied |
//! | `frozen`, `finish_held` | out | `SLOTS`, 1 | its slots, whose sections must neither start nor end; the finish in the execute stage has no effect since it is theirs |
//! | `occupied`, `*_classes` | out | | for the queue |
//!
//! **Timing** a slot that is handed a section is searched at once, and can start a thread in the next cycle if its first block has one.
//! A finish is offered one cycle after the pass ended, and the slot is free in the third.
//! **Invariants** 1. a slot starts a thread only while none is inside (BR-31, BR-40) and the class gate lets it. 2. the flag `rescan` falls
//! when a rescan starts, and an arrival in that cycle wins; a slot ends only after a pass that found nobody, with the flag clear also in the
//! cycle of its finish (BR-33). 3. a slot that was reset starts nobody. 4. a slot of a held CTA does not end (CX-10). 5. a finish is offered
//! until it is taken, or its CTA leaves. 6. no two slots hold one barrier, and what starts and ends is of the barrier in the slot (BR-41).
//! **Source** US 9,448,803, the execution slots; BR-20, BR-30, BR-31, BR-33, BR-35, BR-37, CX-10.

use super::class_gate::ClassGate;
use super::operation::ADDRESS_BITS;
use super::slot_attributes::SlotAttributes;
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct ExecutionSlots<
        const SLOTS: usize,
        const SLOT_BITS: usize,
        const KEY_BITS: usize,
        const BLOCK_BITS: usize,
        const OFFSET_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A barrier moves into a slot.
            pub hand_valid: Signal<In, Bit>,
            /// The slot.
            pub hand_slot: Signal<In, Bits<SLOT_BITS>>,
            /// The slot as a mask.
            pub hand_slots: Signal<In, Bits<SLOTS>>,
            /// The barrier.
            pub hand_key: Signal<In, Bits<KEY_BITS>>,
            /// Address of its top.
            pub hand_tag: Signal<In, Bits<ADDRESS_BITS>>,
            /// It guards a section.
            pub hand_critical: Signal<In, Bit>,
            /// It runs alone.
            pub hand_exclusive: Signal<In, Bit>,
            /// Its bottom waits for all.
            pub hand_blocking: Signal<In, Bit>,
            /// Its priority.
            pub hand_priority: Signal<In, Bits<2>>,
            /// Its resource class.
            pub hand_class: Signal<In, Bits<2>>,
            /// It was reset in the queue.
            pub hand_discarded: Signal<In, Bit>,
            /// The barrier in the execute stage.
            pub execute_key: Signal<In, Bits<KEY_BITS>>,
            /// A thread joins its running section.
            pub join_valid: Signal<In, Bit>,
            /// It is reset while dynamic.
            pub reset_valid: Signal<In, Bit>,
            /// The slot that it is in.
            pub key_slots: Signal<Out, Bits<SLOTS>>,
            /// Its bottom waits for all.
            pub key_blocking: Signal<Out, Bit>,
            /// Slots whose next thread is to be found.
            pub needing: Signal<Out, Bits<SLOTS>>,
            /// A slot is searched.
            pub serve_valid: Signal<In, Bit>,
            /// Which.
            pub serve_slot: Signal<In, Bits<SLOT_BITS>>,
            /// Which, as a mask.
            pub serve_slots: Signal<In, Bits<SLOTS>>,
            /// Its barrier.
            pub serve_key: Signal<Out, Bits<KEY_BITS>>,
            /// How far its pass has come.
            pub present_logical: Signal<Out, Bits<BLOCK_BITS>>,
            /// A thread is found.
            pub serve_found: Signal<In, Bit>,
            /// Its physical block.
            pub serve_block: Signal<In, Bits<BLOCK_BITS>>,
            /// Its place in the block.
            pub serve_offset: Signal<In, Bits<OFFSET_BITS>>,
            /// Where the pass goes on.
            pub serve_next: Signal<In, Bits<BLOCK_BITS>>,
            /// The pass ends without a thread.
            pub serve_ends: Signal<In, Bit>,
            /// Bit 4 a + b: class a conflicts with class b.
            pub class_conflicts: Signal<In, Bits<16>>,
            /// Slots with a thread inside.
            pub entered: Signal<In, Bits<SLOTS>>,
            /// Those whose thread does not leave now.
            pub staying: Signal<In, Bits<SLOTS>>,
            /// Slots that can start a thread.
            pub schedulable: Signal<Out, Bits<SLOTS>>,
            /// High bit of their priorities.
            pub priority_high: Signal<Out, Bits<SLOTS>>,
            /// Low bit of their priorities.
            pub priority_low: Signal<Out, Bits<SLOTS>>,
            /// The arbiter's choice.
            pub start_slot: Signal<In, Bits<SLOT_BITS>>,
            /// It starts its thread now.
            pub start_slots: Signal<In, Bits<SLOTS>>,
            /// Its barrier.
            pub start_key: Signal<Out, Bits<KEY_BITS>>,
            /// Its thread's physical block.
            pub start_block: Signal<Out, Bits<BLOCK_BITS>>,
            /// The thread's place in the block.
            pub start_offset: Signal<Out, Bits<OFFSET_BITS>>,
            /// Address of the top.
            pub start_tag: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The section in a slot has ended.
            pub finish_valid: Signal<Out, Bit>,
            /// This is taken: its finish is in the execute stage in the next cycle.
            pub finish_ready: Signal<In, Bit>,
            /// Its barrier.
            pub finish_key: Signal<Out, Bits<KEY_BITS>>,
            /// A thread has joined meanwhile: the finish in the execute stage has no effect.
            pub finish_cancel: Signal<Out, Bit>,
            /// A slot that an error names.
            pub other_slots: Signal<In, Bits<SLOTS>>,
            /// Its barrier.
            pub other_key: Signal<Out, Bits<KEY_BITS>>,
            /// Address of its top.
            pub other_tag: Signal<Out, Bits<ADDRESS_BITS>>,
            /// The lowest of those slots.
            pub other_first: Signal<Out, Bits<SLOTS>>,
            /// A CTA is held.
            pub held_valid: Signal<In, Bit>,
            /// A key of it.
            pub held_key: Signal<In, Bits<KEY_BITS>>,
            /// The bits of a key that name a CTA.
            pub held_mask: Signal<In, Bits<KEY_BITS>>,
            /// A slot that is emptied.
            pub remove_slots: Signal<In, Bits<SLOTS>>,
            /// The slots of the held CTA.
            pub frozen: Signal<Out, Bits<SLOTS>>,
            /// The finish in the execute stage is one of theirs.
            pub finish_held: Signal<Out, Bit>,
            /// The slots that hold a barrier.
            pub occupied: Signal<Out, Bits<SLOTS>>,
            /// Classes with an occupied slot.
            pub occupied_classes: Signal<Out, Bits<4>>,
            /// Classes with an exclusive slot.
            pub exclusive_classes: Signal<Out, Bits<4>>,
            /// Classes with a thread inside.
            pub inside_classes: Signal<Out, Bits<4>>,
        }
        parts {
            held: Register<Bits<SLOTS>>,
            #[reads_back(d)]
            section: Register<Bits<SLOTS>>,
            attributes: SlotAttributes<SLOTS>,
            known: Register<Bits<SLOTS>>,
            searched: Register<Bits<SLOTS>>,
            rescan: Register<Bits<SLOTS>>,
            discarded: Register<Bits<SLOTS>>,
            key: [Register<Bits<KEY_BITS>>; SLOTS] = std::array::from_fn(|_| Register::default()),
            serve_keys: RegisterFile<SLOT_BITS, KEY_BITS>,
            start_keys: RegisterFile<SLOT_BITS, KEY_BITS>,
            finish_keys: RegisterFile<SLOT_BITS, KEY_BITS>,
            other_keys: RegisterFile<SLOT_BITS, KEY_BITS>,
            start_tags: RegisterFile<SLOT_BITS, ADDRESS_BITS>,
            other_tags: RegisterFile<SLOT_BITS, ADDRESS_BITS>,
            logical: RegisterFile<SLOT_BITS, BLOCK_BITS>,
            block: RegisterFile<SLOT_BITS, BLOCK_BITS>,
            offset: RegisterFile<SLOT_BITS, OFFSET_BITS>,
            offered: Register<Bit>,
            offer: Register<Bits<SLOTS>>,
            offer_slot: Register<Bits<SLOT_BITS>>,
            finishing: Register<Bit>,
            matching: MaskUnion<SLOTS, SLOTS>,
            belonging: MaskUnion<SLOTS, SLOTS>,
            ended: LowestBit<SLOTS, SLOT_BITS>,
            other: LowestBit<SLOTS, SLOT_BITS>,
            gate: ClassGate<SLOTS>,
            #[reads(early)]
            incoming: Signal<Local, Bits<SLOTS>>,
            hit: Signal<Local, Bits<SLOTS>>,
            discards: Signal<Local, Bits<SLOTS>>,
            found: Signal<Local, Bits<SLOTS>>,
            restarts: Signal<Local, Bits<SLOTS>>,
            ends: Signal<Local, Bits<SLOTS>>,
            again: Signal<Local, Bits<SLOTS>>,
            joins: Signal<Local, Bits<SLOTS>>,
            freed: Signal<Local, Bits<SLOTS>>,
            none: Constant<Bits<SLOTS>> = Constant::new(bits(0)),
        }
    }
}

impl<
        const SLOTS: usize,
        const SLOT_BITS: usize,
        const KEY_BITS: usize,
        const BLOCK_BITS: usize,
        const OFFSET_BITS: usize,
    > Logic for ExecutionSlots<SLOTS, SLOT_BITS, KEY_BITS, BLOCK_BITS, OFFSET_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, held, section, known, searched, rescan, discarded, offered, offer, offer_slot, finishing
        );
        self.attributes.reset.next = self.reset.val();
        clock!(self, clock, attributes, serve_keys, start_keys, finish_keys, other_keys, start_tags, other_tags);
        clock!(self, clock, logical, block, offset);

        // The barrier in the execute stage may be in a slot, or be handed one in this very cycle.
        for i in 0..SLOTS {
            self.key[i].clock.next = self.clock.val();
            self.key[i].reset.next = self.reset.val();
            self.key[i].d.next = self.key[i].q.val();
            if self.incoming.val().get_bit(i) {
                self.key[i].d.next = self.hand_key.val();
            }
            self.matching.masks[i].next = self.none.val().replace_bit(i, self.key[i].q.val() == self.execute_key.val());
            self.belonging.masks[i].next = self
                .none
                .val()
                .replace_bit(i, !((self.key[i].q.val() ^ self.held_key.val()) & self.held_mask.val()).any());
        }
        self.incoming.next = 0.into();
        if self.hand_valid.val() {
            self.incoming.next = self.hand_slots.val();
        }
        self.key_slots.next = self.held.q.val() & self.matching.result.val();
        self.key_blocking.next = (self.key_slots.val() & self.attributes.blocking.val()).any();
        self.hit.next = self.key_slots.val();
        if self.hand_key.val() == self.execute_key.val() {
            self.hit.next = self.key_slots.val() | self.incoming.val();
        }
        // Who joins a conditional barrier is woken with the others: no search.
        self.section.d.next = self.section.q.val() & !self.incoming.val();
        if self.hand_critical.val() {
            self.section.d.next = self.section.q.val() | self.incoming.val();
        }
        self.joins.next = 0.into();
        if self.join_valid.val() {
            self.joins.next = self.hit.val() & self.section.d.val();
        }
        self.discards.next = 0.into();
        if self.reset_valid.val() {
            self.discards.next = self.hit.val();
        }

        // What does not change while a barrier is in its slot.
        self.attributes.incoming.next = self.incoming.val();
        self.attributes.hand_exclusive.next = self.hand_exclusive.val();
        self.attributes.hand_blocking.next = self.hand_blocking.val();
        self.attributes.hand_priority.next = self.hand_priority.val();
        self.attributes.hand_class.next = self.hand_class.val();
        self.serve_keys.write_enable.next = self.hand_valid.val();
        self.serve_keys.write_address.next = self.hand_slot.val();
        self.serve_keys.write_data.next = self.hand_key.val();
        self.start_keys.write_enable.next = self.hand_valid.val();
        self.start_keys.write_address.next = self.hand_slot.val();
        self.start_keys.write_data.next = self.hand_key.val();
        self.finish_keys.write_enable.next = self.hand_valid.val();
        self.finish_keys.write_address.next = self.hand_slot.val();
        self.finish_keys.write_data.next = self.hand_key.val();
        self.other_keys.write_enable.next = self.hand_valid.val();
        self.other_keys.write_address.next = self.hand_slot.val();
        self.other_keys.write_data.next = self.hand_key.val();
        self.start_tags.write_enable.next = self.hand_valid.val();
        self.start_tags.write_address.next = self.hand_slot.val();
        self.start_tags.write_data.next = self.hand_tag.val();
        self.other_tags.write_enable.next = self.hand_valid.val();
        self.other_tags.write_address.next = self.hand_slot.val();
        self.other_tags.write_data.next = self.hand_tag.val();

        // The search. A slot that was searched to its end is searched again, from the first block, if a thread has joined.
        self.needing.next = self.held.q.val()
            & !self.known.q.val()
            & (!self.searched.q.val() | self.rescan.q.val())
            & !self.discarded.q.val();
        self.serve_keys.read_address.next = self.serve_slot.val();
        self.serve_key.next = self.serve_keys.read_data.val();
        if self.hand_valid.val() & self.hand_critical.val() & !self.hand_discarded.val() {
            self.serve_key.next = self.hand_key.val();
        }
        self.logical.read_address.next = self.serve_slot.val();
        self.present_logical.next = self.logical.read_data.val();
        self.logical.write_enable.next = self.serve_valid.val();
        self.logical.write_address.next = self.serve_slot.val();
        self.logical.write_data.next = self.serve_next.val();
        self.block.write_enable.next = self.serve_valid.val();
        self.block.write_address.next = self.serve_slot.val();
        self.block.write_data.next = self.serve_block.val();
        self.offset.write_enable.next = self.serve_valid.val();
        self.offset.write_address.next = self.serve_slot.val();
        self.offset.write_data.next = self.serve_offset.val();
        self.found.next = 0.into();
        self.ends.next = 0.into();
        if self.serve_valid.val() & self.serve_found.val() {
            self.found.next = self.serve_slots.val();
        }
        if self.serve_valid.val() & self.serve_ends.val() {
            self.ends.next = self.serve_slots.val();
        }
        self.restarts.next = 0.into();
        if self.serve_valid.val() {
            self.restarts.next = self.serve_slots.val() & self.searched.q.val() & !self.incoming.val();
        }
        self.again.next = self.ends.val() & self.rescan.q.val() & !self.restarts.val() & !self.incoming.val();
        self.rescan.d.next =
            (self.rescan.q.val() & !self.restarts.val() & !self.again.val() & !self.incoming.val()) | self.joins.val();
        self.known.d.next = (self.known.q.val() & !self.start_slots.val() & !self.incoming.val()) | self.found.val();
        self.searched.d.next = (self.searched.q.val() & !self.restarts.val() & !self.incoming.val())
            | (self.ends.val() & !self.again.val());
        if !self.hand_critical.val() {
            // Nobody runs a conditional barrier one by one: all are woken at its finish.
            self.searched.d.next = (self.searched.q.val() & !self.restarts.val())
                | (self.ends.val() & !self.again.val())
                | self.incoming.val();
        }
        self.discarded.d.next = (self.discarded.q.val() & !self.incoming.val()) | self.discards.val();
        if self.hand_discarded.val() {
            self.discarded.d.next = self.discarded.q.val() | self.incoming.val() | self.discards.val();
        }

        // Who can start a thread.
        self.gate.class_conflicts.next = self.class_conflicts.val();
        self.gate.occupied.next = self.held.q.val();
        self.gate.exclusive.next = self.attributes.exclusive.val();
        self.gate.class_high.next = self.attributes.class_high.val();
        self.gate.class_low.next = self.attributes.class_low.val();
        self.gate.entered.next = self.entered.val();
        self.gate.staying.next = self.staying.val();
        self.schedulable.next = self.held.q.val()
            & self.known.q.val()
            & !self.staying.val()
            & !self.discarded.q.val()
            & !self.discards.val()
            & !self.gate.blocked.val();
        self.priority_high.next = self.attributes.priority_high.val();
        self.priority_low.next = self.attributes.priority_low.val();
        self.start_keys.read_address.next = self.start_slot.val();
        self.start_key.next = self.start_keys.read_data.val();
        self.start_tags.read_address.next = self.start_slot.val();
        self.start_tag.next = self.start_tags.read_data.val();
        self.block.read_address.next = self.start_slot.val();
        self.start_block.next = self.block.read_data.val();
        self.offset.read_address.next = self.start_slot.val();
        self.start_offset.next = self.offset.read_data.val();

        // The end: offered, taken, and executed in the cycle after.
        self.frozen.next = 0.into();
        if self.held_valid.val() {
            self.frozen.next = self.held.q.val() & self.belonging.result.val();
        }
        self.ended.mask.next = self.held.q.val()
            & !self.frozen.val()
            & ((self.searched.q.val() & !self.known.q.val() & !self.entered.val() & !self.rescan.q.val())
                | self.discarded.q.val());
        self.finish_keys.read_address.next = self.offer_slot.q.val();
        self.finish_valid.next = self.offered.q.val();
        self.finish_key.next = self.finish_keys.read_data.val();
        self.finish_cancel.next = (self.offer.q.val()
            & (self.rescan.q.val() | self.known.q.val() | self.entered.val() | !self.searched.q.val())
            & !self.discarded.q.val())
        .any();
        self.finish_held.next = (self.offer.q.val() & self.frozen.val()).any();
        self.finishing.d.next = self.offered.q.val() & self.finish_ready.val();
        if self.offered.q.val() {
            self.offered.d.next = !self.finish_ready.val();
        } else if !self.finishing.q.val() {
            self.offered.d.next = self.ended.found.val();
            self.offer.d.next = self.ended.one_hot.val();
            self.offer_slot.d.next = self.ended.index.val();
        }
        self.freed.next = self.remove_slots.val();
        if (self.offer.q.val() & self.remove_slots.val()).any() {
            self.offered.d.next = false;
        }
        if self.finishing.q.val() & !self.finish_cancel.val() & !self.finish_held.val() {
            self.freed.next = self.offer.q.val();
        }
        self.held.d.next = (self.held.q.val() & !self.freed.val()) | self.incoming.val();

        self.other.mask.next = self.other_slots.val();
        self.other_first.next = self.other.one_hot.val();
        self.other_keys.read_address.next = self.other.index.val();
        self.other_key.next = self.other_keys.read_data.val();
        self.other_tags.read_address.next = self.other.index.val();
        self.other_tag.next = self.other_tags.read_data.val();
        self.occupied.next = self.held.q.val();
        self.occupied_classes.next = self.gate.occupied_classes.val();
        self.exclusive_classes.next = self.gate.exclusive_classes.val();
        self.inside_classes.next = self.gate.inside_classes.val();
    }
}
