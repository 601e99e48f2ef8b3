//! Resource classes and exclusivity among the occupied slots: which slots may not start a thread now.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `class_conflicts` | in | 16 | bit 4 a + b: class a conflicts with class b; symmetric |
//! | `occupied`, `exclusive` | in | `SLOTS` | slots that hold a barrier; those of them that run alone |
//! | `class_high`, `class_low` | in | `SLOTS` | the two bits of the slots' classes |
//! | `entered`, `staying` | in | `SLOTS` | slots with a thread inside; those whose thread does not leave in this cycle |
//! | `blocked` | out | `SLOTS` | slots that must not start a thread |
//! | `occupied_classes`, `exclusive_classes`, `inside_classes` | out | 4 | classes that have such a slot |
//!
//! **Timing** combinational.
//! **Invariants** 1. an exclusive slot is blocked while a conflicting one has a thread inside, any other while a conflicting exclusive one
//! is occupied: no two conflicting sections have a thread inside if one of them is exclusive (BR-40), also when an exclusive
//! barrier was handed over beside others.
//! **Source** US 9,448,803, exclusive sections and resource classes; BR-37, BR-40.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct ClassGate<const SLOTS: usize> {
        ports {
            /// Bit 4 a + b: class a conflicts with class b.
            pub class_conflicts: Signal<In, Bits<16>>,
            /// Slots that hold a barrier.
            pub occupied: Signal<In, Bits<SLOTS>>,
            /// Those whose barrier runs alone.
            pub exclusive: Signal<In, Bits<SLOTS>>,
            /// High bit of each slot's class.
            pub class_high: Signal<In, Bits<SLOTS>>,
            /// Low bit of each slot's class.
            pub class_low: Signal<In, Bits<SLOTS>>,
            /// Slots with a thread inside.
            pub entered: Signal<In, Bits<SLOTS>>,
            /// Those whose thread does not leave now.
            pub staying: Signal<In, Bits<SLOTS>>,
            /// Slots that must not start a thread.
            pub blocked: Signal<Out, Bits<SLOTS>>,
            /// Classes with an occupied slot.
            pub occupied_classes: Signal<Out, Bits<4>>,
            /// Classes with an exclusive slot.
            pub exclusive_classes: Signal<Out, Bits<4>>,
            /// Classes with a thread inside.
            pub inside_classes: Signal<Out, Bits<4>>,
        }
        parts {
            members: [Signal<Local, Bits<SLOTS>>; 4] = std::array::from_fn(|_| Signal::default()),
            stopped: MaskUnion<4, SLOTS>,
            occupied_union: MaskUnion<4, 4>,
            exclusive_union: MaskUnion<4, 4>,
            inside_union: MaskUnion<4, 4>,
            staying_union: MaskUnion<4, 4>,
            none: Constant<Bits<4>> = Constant::new(bits(0)),
        }
    }
}

impl<const SLOTS: usize> Logic for ClassGate<SLOTS> {
    #[hdl_gen]
    fn update(&mut self) {
        self.members[0].next = self.occupied.val() & !self.class_high.val() & !self.class_low.val();
        self.members[1].next = self.occupied.val() & !self.class_high.val() & self.class_low.val();
        self.members[2].next = self.occupied.val() & self.class_high.val() & !self.class_low.val();
        self.members[3].next = self.occupied.val() & self.class_high.val() & self.class_low.val();
        for i in 0..4 {
            self.occupied_union.masks[i].next = self.none.val().replace_bit(i, self.members[i].val().any());
            self.exclusive_union.masks[i].next =
                self.none.val().replace_bit(i, (self.members[i].val() & self.exclusive.val()).any());
            self.inside_union.masks[i].next =
                self.none.val().replace_bit(i, (self.members[i].val() & self.entered.val()).any());
            self.staying_union.masks[i].next =
                self.none.val().replace_bit(i, (self.members[i].val() & self.staying.val()).any());
            self.stopped.masks[i].next = 0.into();
            if (self.class_conflicts.val().get_bits::<4>(4 * i) & self.exclusive_union.result.val()).any() {
                if (self.class_conflicts.val().get_bits::<4>(4 * i) & self.staying_union.result.val()).any() {
                    self.stopped.masks[i].next = self.members[i].val();
                } else {
                    self.stopped.masks[i].next = self.members[i].val() & !self.exclusive.val();
                }
            } else if (self.class_conflicts.val().get_bits::<4>(4 * i) & self.staying_union.result.val()).any() {
                self.stopped.masks[i].next = self.members[i].val() & self.exclusive.val();
            }
        }
        self.blocked.next = self.stopped.result.val();
        self.occupied_classes.next = self.occupied_union.result.val();
        self.exclusive_classes.next = self.exclusive_union.result.val();
        self.inside_classes.next = self.inside_union.result.val();
    }
}
