//! Where the local memory of each thread group lies: a row a group, from its launch to its end, and the slot in which the group runs.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `bind_valid`, `bind_ready` | in, out | 1 | a group is launched or resumed in a slot |
//! | `bind_slot`, `bind_group`, `bind_fresh` | in | `GROUP_BITS` ×2, 1 | where, which; it is a launch |
//! | `bind_base`, `bind_limit` | in | 32, 16 | at a launch: its first word of local memory; words of a thread |
//! | `bind_hold` | in | 1 | nothing is launched or resumed yet |
//! | `bind_error` | out | 1 | strobe: the one taken in the last cycle made no sense, and nothing has changed |
//! | `release_valid`, `release_slot` | in | 1, `GROUP_BITS` | the slot's group stops running there; the row stays |
//! | `lookup_slot` | in | `GROUP_BITS` | a slot; `lookup_*`: the group in it, and its row |
//! | `work_group`, `row_group` | in | `GROUP_BITS` | two groups; `work_*`, `row_*`: their rows |
//! | `groups_remapped` | out | `GROUPS` | groups that are re-mapped |
//! | `remap_valid`, `remap_group`, `remap_pointer` | in | 1, `GROUP_BITS`, 32 | from now on the group's words begin there, in global memory |
//! | `clear_valid` | in | 1 | the row of `work_group` is free, and so is the group's slot |
//!
//! A row's *origin* is the address of its first word: in local memory until the group is re-mapped, in global memory from then on. What the
//! source calls pointer and what it calls base share these 32 bits, for the base is of no use once there is a pointer.
//!
//! **Timing** reads are combinational, changes show in the next cycle. `bind_ready` depends on `bind_hold`, `remap_valid`, `clear_valid`.
//! **Invariants** 1. bit and pointer change in one write. 2. a slot holds at most one group, a group is in at most one slot, and a group in a slot has a
//! row. 3. a launch needs a row that is free, a resume one that is re-mapped and in no slot, both a slot that is free; all as they were before the
//! releases of that cycle. 4. rows that are free read as zero through `row_*` (tested, not proven). 5. a look-up of a slot tells where its group lies,
//! and its limit.
//! **Source** US 2014/0165072, pointer table 402; CX-01, CX-03, CX-11.
//! **See also** the reference model `context::pointer_table` of the simulator.

use crate::prelude::*;

block! {
    /// `GROUPS` = 2^`GROUP_BITS` rows and as many slots; see the module's page.
    pub struct PointerTable<const GROUPS: usize, const GROUP_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A group is launched or resumed.
            pub bind_valid: Signal<In, Bit>,
            /// It is taken.
            pub bind_ready: Signal<Out, Bit>,
            /// The slot in which it will run.
            pub bind_slot: Signal<In, Bits<GROUP_BITS>>,
            /// The group.
            pub bind_group: Signal<In, Bits<GROUP_BITS>>,
            /// It is launched, not resumed.
            pub bind_fresh: Signal<In, Bit>,
            /// Its first word of local memory.
            pub bind_base: Signal<In, Bits<32>>,
            /// Words of each of its threads.
            pub bind_limit: Signal<In, Bits<16>>,
            /// Launches and resumes wait.
            pub bind_hold: Signal<In, Bit>,
            /// The launch or resume of the last cycle made no sense.
            pub bind_error: Signal<Out, Bit>,
            /// A group stops running in its slot.
            pub release_valid: Signal<In, Bit>,
            /// The slot.
            pub release_slot: Signal<In, Bits<GROUP_BITS>>,
            /// A slot to look up.
            pub lookup_slot: Signal<In, Bits<GROUP_BITS>>,
            /// A group runs there.
            pub lookup_bound: Signal<Out, Bit>,
            /// The group.
            pub lookup_group: Signal<Out, Bits<GROUP_BITS>>,
            /// It is re-mapped.
            pub lookup_remapped: Signal<Out, Bit>,
            /// Its first word.
            pub lookup_origin: Signal<Out, Bits<32>>,
            /// Words of each of its threads.
            pub lookup_limit: Signal<Out, Bits<16>>,
            /// The group that is worked on.
            pub work_group: Signal<In, Bits<GROUP_BITS>>,
            /// It has a row.
            pub work_used: Signal<Out, Bit>,
            /// It is re-mapped.
            pub work_remapped: Signal<Out, Bit>,
            /// Its first word.
            pub work_origin: Signal<Out, Bits<32>>,
            /// Words of each of its threads.
            pub work_limit: Signal<Out, Bits<16>>,
            /// A group to read.
            pub row_group: Signal<In, Bits<GROUP_BITS>>,
            /// It has a row.
            pub row_used: Signal<Out, Bit>,
            /// It is re-mapped.
            pub row_remapped: Signal<Out, Bit>,
            /// Its first word in global memory; 0 unless it is re-mapped.
            pub row_pointer: Signal<Out, Bits<32>>,
            /// Words of each of its threads; 0 without a row.
            pub row_limit: Signal<Out, Bits<16>>,
            /// Groups that are re-mapped.
            pub groups_remapped: Signal<Out, Bits<GROUPS>>,
            /// A group is re-mapped now.
            pub remap_valid: Signal<In, Bit>,
            /// The group.
            pub remap_group: Signal<In, Bits<GROUP_BITS>>,
            /// Its first word in global memory.
            pub remap_pointer: Signal<In, Bits<32>>,
            /// The group that is worked on is no more.
            pub clear_valid: Signal<In, Bit>,
        }
        parts {
            used: Register<Bits<GROUPS>>,
            remapped: Register<Bits<GROUPS>>,
            running: Register<Bits<GROUPS>>,
            occupied: Register<Bits<GROUPS>>,
            bind_failed: Register<Bit>,
            group_looked_up: RegisterFile<GROUP_BITS, GROUP_BITS>,
            group_released: RegisterFile<GROUP_BITS, GROUP_BITS>,
            slot_of: RegisterFile<GROUP_BITS, GROUP_BITS>,
            origin_looked_up: RegisterFile<GROUP_BITS, 32>,
            origin_worked_on: RegisterFile<GROUP_BITS, 32>,
            origin_shown: RegisterFile<GROUP_BITS, 32>,
            limit_looked_up: RegisterFile<GROUP_BITS, 16>,
            limit_worked_on: RegisterFile<GROUP_BITS, 16>,
            limit_shown: RegisterFile<GROUP_BITS, 16>,
            taken: Signal<Local, Bit>,
            sensible: Signal<Local, Bit>,
            bound_groups: Signal<Local, Bits<GROUPS>>,
            bound_slots: Signal<Local, Bits<GROUPS>>,
            remapped_groups: Signal<Local, Bits<GROUPS>>,
            left_groups: Signal<Local, Bits<GROUPS>>,
            left_slots: Signal<Local, Bits<GROUPS>>,
            cleared_groups: Signal<Local, Bits<GROUPS>>,
            cleared_slots: Signal<Local, Bits<GROUPS>>,
            launched: Signal<Local, Bit>,
            origin_write: Signal<Local, Bit>,
            origin_group: Signal<Local, Bits<GROUP_BITS>>,
            origin: Signal<Local, Bits<32>>,
            one: Constant<Bits<GROUPS>> = Constant::new(bits(1)),
        }
    }
}

impl<const GROUPS: usize, const GROUP_BITS: usize> Logic for PointerTable<GROUPS, GROUP_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, used, remapped, running, occupied, bind_failed);
        clock!(self, clock, group_looked_up, group_released, slot_of);
        clock!(self, clock, origin_looked_up, origin_worked_on, origin_shown);
        clock!(self, clock, limit_looked_up, limit_worked_on, limit_shown);

        // Launches and resumes: the write port of the origins is the re-mapping's first.
        self.bind_ready.next = !self.bind_hold.val() & !self.remap_valid.val() & !self.clear_valid.val();
        self.sensible.next = !self.occupied.q.val().get_bit(self.bind_slot.val())
            & self.remapped.q.val().get_bit(self.bind_group.val())
            & !self.running.q.val().get_bit(self.bind_group.val());
        if self.bind_fresh.val() {
            self.sensible.next = !self.occupied.q.val().get_bit(self.bind_slot.val())
                & !self.used.q.val().get_bit(self.bind_group.val());
        }
        self.taken.next = self.bind_valid.val() & self.bind_ready.val() & self.sensible.val();
        self.launched.next = self.taken.val() & self.bind_fresh.val();
        self.bind_failed.d.next = self.bind_valid.val() & self.bind_ready.val() & !self.sensible.val();
        self.bind_error.next = self.bind_failed.q.val();

        // Groups and slots that change, as masks.
        self.bound_groups.next = 0.into();
        self.bound_slots.next = 0.into();
        if self.taken.val() {
            self.bound_groups.next = self.one.val() << self.bind_group.val();
            self.bound_slots.next = self.one.val() << self.bind_slot.val();
        }
        self.left_groups.next = 0.into();
        self.left_slots.next = 0.into();
        if self.release_valid.val() & self.occupied.q.val().get_bit(self.release_slot.val()) {
            self.left_groups.next = self.one.val() << self.group_released.read_data.val();
            self.left_slots.next = self.one.val() << self.release_slot.val();
        }
        self.cleared_groups.next = 0.into();
        self.cleared_slots.next = 0.into();
        if self.clear_valid.val() {
            self.cleared_groups.next = self.one.val() << self.work_group.val();
            if self.running.q.val().get_bit(self.work_group.val()) {
                self.cleared_slots.next = self.one.val() << self.slot_of.read_data.val();
            }
        }
        self.remapped_groups.next = 0.into();
        if self.remap_valid.val() {
            self.remapped_groups.next = self.one.val() << self.remap_group.val();
        }
        self.used.d.next = (self.used.q.val() | self.bound_groups.val()) & !self.cleared_groups.val();
        self.remapped.d.next = (self.remapped.q.val() | self.remapped_groups.val()) & !self.cleared_groups.val();
        self.running.d.next =
            (self.running.q.val() | self.bound_groups.val()) & !(self.left_groups.val() | self.cleared_groups.val());
        self.occupied.d.next =
            (self.occupied.q.val() | self.bound_slots.val()) & !(self.left_slots.val() | self.cleared_slots.val());
        self.groups_remapped.next = self.remapped.q.val();

        // Which group is where.
        self.group_looked_up.write_enable.next = self.taken.val();
        self.group_looked_up.write_address.next = self.bind_slot.val();
        self.group_looked_up.write_data.next = self.bind_group.val();
        self.group_looked_up.read_address.next = self.lookup_slot.val();
        self.group_released.write_enable.next = self.taken.val();
        self.group_released.write_address.next = self.bind_slot.val();
        self.group_released.write_data.next = self.bind_group.val();
        self.group_released.read_address.next = self.release_slot.val();
        self.slot_of.write_enable.next = self.taken.val();
        self.slot_of.write_address.next = self.bind_group.val();
        self.slot_of.write_data.next = self.bind_slot.val();
        self.slot_of.read_address.next = self.work_group.val();

        // The rows: a copy for each reader.
        self.origin_write.next = self.launched.val() | self.remap_valid.val();
        self.origin_group.next = self.bind_group.val();
        self.origin.next = self.bind_base.val();
        if self.remap_valid.val() {
            self.origin_group.next = self.remap_group.val();
            self.origin.next = self.remap_pointer.val();
        }
        self.origin_looked_up.write_enable.next = self.origin_write.val();
        self.origin_looked_up.write_address.next = self.origin_group.val();
        self.origin_looked_up.write_data.next = self.origin.val();
        self.origin_looked_up.read_address.next = self.group_looked_up.read_data.val();
        self.origin_worked_on.write_enable.next = self.origin_write.val();
        self.origin_worked_on.write_address.next = self.origin_group.val();
        self.origin_worked_on.write_data.next = self.origin.val();
        self.origin_worked_on.read_address.next = self.work_group.val();
        self.origin_shown.write_enable.next = self.origin_write.val();
        self.origin_shown.write_address.next = self.origin_group.val();
        self.origin_shown.write_data.next = self.origin.val();
        self.origin_shown.read_address.next = self.row_group.val();
        self.limit_looked_up.write_enable.next = self.launched.val();
        self.limit_looked_up.write_address.next = self.bind_group.val();
        self.limit_looked_up.write_data.next = self.bind_limit.val();
        self.limit_looked_up.read_address.next = self.group_looked_up.read_data.val();
        self.limit_worked_on.write_enable.next = self.launched.val();
        self.limit_worked_on.write_address.next = self.bind_group.val();
        self.limit_worked_on.write_data.next = self.bind_limit.val();
        self.limit_worked_on.read_address.next = self.work_group.val();
        self.limit_shown.write_enable.next = self.launched.val();
        self.limit_shown.write_address.next = self.bind_group.val();
        self.limit_shown.write_data.next = self.bind_limit.val();
        self.limit_shown.read_address.next = self.row_group.val();

        self.lookup_bound.next = self.occupied.q.val().get_bit(self.lookup_slot.val());
        self.lookup_group.next = self.group_looked_up.read_data.val();
        self.lookup_remapped.next = self.remapped.q.val().get_bit(self.group_looked_up.read_data.val());
        self.lookup_origin.next = self.origin_looked_up.read_data.val();
        self.lookup_limit.next = self.limit_looked_up.read_data.val();
        self.work_used.next = self.used.q.val().get_bit(self.work_group.val());
        self.work_remapped.next = self.remapped.q.val().get_bit(self.work_group.val());
        self.work_origin.next = self.origin_worked_on.read_data.val();
        self.work_limit.next = self.limit_worked_on.read_data.val();
        self.row_used.next = self.used.q.val().get_bit(self.row_group.val());
        self.row_remapped.next = self.remapped.q.val().get_bit(self.row_group.val());
        self.row_pointer.next = 0.into();
        if self.remapped.q.val().get_bit(self.row_group.val()) {
            self.row_pointer.next = self.origin_shown.read_data.val();
        }
        self.row_limit.next = 0.into();
        if self.used.q.val().get_bit(self.row_group.val()) {
            self.row_limit.next = self.limit_shown.read_data.val();
        }
    }
}
