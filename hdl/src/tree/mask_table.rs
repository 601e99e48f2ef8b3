//! Thread masks of several warps by index: a row a warp, a column an index, equal masks of a warp stored once.
//!
//! A set of threads that spans warps is then an index for each warp. Column 0 of every row is the empty mask and is never stored. Every
//! other column counts its users; without users it is vacant and may hold another mask.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `clear_enable`, `clear_row` | in | 1, `ROW_BITS` | every column of the row is vacant |
//! | `read_row`, `read_column` | in | `ROW_BITS`, `COLUMN_BITS` | the mask that is looked at |
//! | `read_mask` | out | `THREADS` | it |
//! | `store_valid`, `store_ready`, `store_row`, `store_mask` | | | a mask that gains a user |
//! | `stored_valid`, `stored_column`, `stored_full` | out | 1, `COLUMN_BITS`, 1 | its column; or no column is vacant, and nothing has changed |
//! | `share_enable`, `drop_enable`, `user_row`, `user_column` | in | | a column gains a user, loses one |
//!
//! **Timing** reads are combinational. A mask is stored in 1 cycle + one for each column ever used in its row, up to the one that holds it; `stored_valid`
//! strobes in the last of them. Users come and go in one cycle each, only while `store_ready` is high.
//! **Invariants** 1. no two columns of a row with users hold one mask. 2. a column with users keeps its mask. 3. column 0 is the empty mask, and nothing
//! else goes there. 4. the mask that was offered goes to the column that holds it, or to one without users, and does not fit only if there is neither.
//! Contents are undefined until the row is cleared.
//! **Source** US 9,921,847 and US 2015/0205606, trees that span warps; TD-10.
//! **See also** `group_masks`, `group_divergence_table`.

use crate::prelude::*;

/// What the table is at.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum MaskState {
    /// It takes a mask.
    Rest,
    /// It looks for the mask, a column a cycle.
    Look,
}

block! {
    /// `ENTRY_BITS` = `ROW_BITS` + `COLUMN_BITS`; a column has up to 2^`USER_BITS` - 1 users. See the module's page.
    pub struct MaskTable<
        const ROW_BITS: usize, const COLUMN_BITS: usize, const ENTRY_BITS: usize, const USER_BITS: usize,
        const THREADS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// Every column of a row is vacant.
            pub clear_enable: Signal<In, Bit>,
            /// Which row; only while no mask is being stored.
            pub clear_row: Signal<In, Bits<ROW_BITS>>,
            /// Row looked at.
            pub read_row: Signal<In, Bits<ROW_BITS>>,
            /// Column looked at.
            pub read_column: Signal<In, Bits<COLUMN_BITS>>,
            /// Its mask.
            pub read_mask: Signal<Out, Bits<THREADS>>,
            /// A mask gains a user.
            pub store_valid: Signal<In, Bit>,
            /// It is taken.
            pub store_ready: Signal<Out, Bit>,
            /// Of which row.
            pub store_row: Signal<In, Bits<ROW_BITS>>,
            /// Which mask.
            pub store_mask: Signal<In, Bits<THREADS>>,
            /// The mask taken is in the table in the next cycle, or does not fit.
            pub stored_valid: Signal<Out, Bit>,
            /// Its column.
            pub stored_column: Signal<Out, Bits<COLUMN_BITS>>,
            /// No column is vacant: nothing has changed.
            pub stored_full: Signal<Out, Bit>,
            /// A column that has users gains one.
            pub share_enable: Signal<In, Bit>,
            /// A column loses a user; not together with a gain.
            pub drop_enable: Signal<In, Bit>,
            /// Whose row.
            pub user_row: Signal<In, Bits<ROW_BITS>>,
            /// Which column; those of column 0 are not counted.
            pub user_column: Signal<In, Bits<COLUMN_BITS>>,
        }
        parts {
            state: Register<MaskState>,
            row: Register<Bits<ROW_BITS>>,
            mask: Register<Bits<THREADS>>,
            cursor: Register<Bits<COLUMN_BITS>>,
            vacant: Register<Bits<COLUMN_BITS>>,
            #[reads_back(write_enable, write_address)]
            masks: RegisterFile<ENTRY_BITS, THREADS>,
            masks_look: RegisterFile<ENTRY_BITS, THREADS>,
            #[reads_back(write_enable, write_address, write_data)]
            users: RegisterFile<ENTRY_BITS, USER_BITS>,
            users_look: RegisterFile<ENTRY_BITS, USER_BITS>,
            marks: RegisterFile<ROW_BITS, COLUMN_BITS>,
            look_entry: Signal<Local, Bits<ENTRY_BITS>>,
            user_entry: Signal<Local, Bits<ENTRY_BITS>>,
            looking: Signal<Local, Bit>,
            beyond: Signal<Local, Bit>,
            found: Signal<Local, Bit>,
            idle_column: Signal<Local, Bit>,
            target: Signal<Local, Bits<COLUMN_BITS>>,
            writes: Signal<Local, Bit>,
            column_bits: Constant<Bits<4>> = Constant::new(bits(COLUMN_BITS as u64)),
        }
    }
}

impl<
        const ROW_BITS: usize,
        const COLUMN_BITS: usize,
        const ENTRY_BITS: usize,
        const USER_BITS: usize,
        const THREADS: usize,
    > Logic for MaskTable<ROW_BITS, COLUMN_BITS, ENTRY_BITS, USER_BITS, THREADS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, row, mask, cursor, vacant);
        clock!(self, clock, masks, masks_look, users, users_look, marks);
        self.looking.next = self.state.q.val() == MaskState::Look;
        self.store_ready.next = !self.looking.val();

        // The column under the cursor: beyond those ever used, the mask that is looked for, or one without users.
        self.look_entry.next = (bit_cast::<ENTRY_BITS, ROW_BITS>(self.row.q.val()) << self.column_bits.val())
            | bit_cast::<ENTRY_BITS, COLUMN_BITS>(self.cursor.q.val());
        self.masks_look.read_address.next = self.look_entry.val();
        self.users_look.read_address.next = self.look_entry.val();
        self.marks.read_address.next = self.row.q.val();
        self.beyond.next = self.cursor.q.val() == self.marks.read_data.val();
        self.idle_column.next = !self.users_look.read_data.val().any();
        self.found.next = !self.mask.q.val().any()
            | (!self.beyond.val() & !self.idle_column.val() & (self.masks_look.read_data.val() == self.mask.q.val()));

        // It goes where it is, else to the first vacant column, else to a new one: column 0 stands for none.
        self.target.next = self.cursor.q.val();
        if self.beyond.val() & self.vacant.q.val().any() {
            self.target.next = self.vacant.q.val();
        }
        if !self.mask.q.val().any() {
            self.target.next = 0.into();
        }
        self.stored_valid.next = self.looking.val() & (self.found.val() | self.beyond.val());
        self.stored_column.next = self.target.val();
        self.stored_full.next =
            !self.found.val() & self.beyond.val() & !self.cursor.q.val().any() & !self.vacant.q.val().any();
        self.writes.next = self.stored_valid.val() & self.mask.q.val().any() & !self.stored_full.val();
        if self.looking.val() {
            self.cursor.d.next = self.cursor.q.val() + 1;
            if self.idle_column.val() & !self.beyond.val() & !self.vacant.q.val().any() {
                self.vacant.d.next = self.cursor.q.val();
            }
            if self.stored_valid.val() {
                self.state.d.next = MaskState::Rest;
            }
        } else {
            self.row.d.next = self.store_row.val();
            self.mask.d.next = self.store_mask.val();
            self.cursor.d.next = 1.into();
            self.vacant.d.next = 0.into();
            if self.store_valid.val() {
                self.state.d.next = MaskState::Look;
            }
        }

        // Masks, and how many columns of a row were ever used; all of them, when the mark has come round to 0.
        self.masks.read_address.next = (bit_cast::<ENTRY_BITS, ROW_BITS>(self.read_row.val())
            << self.column_bits.val())
            | bit_cast::<ENTRY_BITS, COLUMN_BITS>(self.read_column.val());
        self.read_mask.next = 0.into();
        if self.read_column.val().any() {
            self.read_mask.next = self.masks.read_data.val();
        }
        self.masks.write_enable.next = self.writes.val() & self.beyond.val();
        self.masks.write_address.next = (bit_cast::<ENTRY_BITS, ROW_BITS>(self.row.q.val()) << self.column_bits.val())
            | bit_cast::<ENTRY_BITS, COLUMN_BITS>(self.target.val());
        self.masks.write_data.next = self.mask.q.val();
        self.masks_look.write_enable.next = self.masks.write_enable.val();
        self.masks_look.write_address.next = self.masks.write_address.val();
        self.masks_look.write_data.next = self.mask.q.val();
        self.marks.write_enable.next =
            (self.masks.write_enable.val() & (self.target.val() == self.cursor.q.val())) | self.clear_enable.val();
        self.marks.write_address.next = self.row.q.val();
        self.marks.write_data.next = self.cursor.q.val() + 1;
        if self.clear_enable.val() {
            self.marks.write_address.next = self.clear_row.val();
            self.marks.write_data.next = 1.into();
        }

        // Users: of the mask stored, or of a column that is shared or dropped.
        self.user_entry.next = (bit_cast::<ENTRY_BITS, ROW_BITS>(self.user_row.val()) << self.column_bits.val())
            | bit_cast::<ENTRY_BITS, COLUMN_BITS>(self.user_column.val());
        self.users.read_address.next = self.user_entry.val();
        self.users.write_enable.next =
            self.writes.val() | ((self.share_enable.val() | self.drop_enable.val()) & self.user_column.val().any());
        self.users.write_address.next = self.user_entry.val();
        self.users.write_data.next = self.users.read_data.val() + 1;
        if self.drop_enable.val() {
            self.users.write_data.next = self.users.read_data.val() - 1;
        }
        if self.writes.val() {
            self.users.write_address.next = self.masks.write_address.val();
            self.users.write_data.next = 1.into();
            if self.found.val() {
                self.users.write_data.next = self.users_look.read_data.val() + 1;
            }
        }
        self.users_look.write_enable.next = self.users.write_enable.val();
        self.users_look.write_address.next = self.users.write_address.val();
        self.users_look.write_data.next = self.users.write_data.val();
    }
}
