//! The address of the word that is fetched next, by one adder and without a product: the words of a table lie row after row, so a grid that is not
//! cut counts up, and a turn in one that is adds a row or a plane to an address that was kept.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `start`, `start_table` | in | 1, 32 | a grid begins; the first word of its table |
//! | `row_words`, `plane_words` | in | 11, 26 | words of a row and of a plane |
//! | `step` | in | 1 | the word is taken, the next one follows |
//! | `turning`, `turn`, `turn_word` | in | 1, 2, 10 | a turn of the [`ClusterWalker`](super::cluster_walker::ClusterWalker); first word of the row |
//! | `notes` | in | 1 | with `step`: keep the row that is being left |
//! | `address` | out | 32 | address of the word, counted in words |
//!
//! **Timing** the new address is shown from the next cycle on.
//! **Invariants** 1. `address` = table + (z·Y + y)·`row_words` + word, for the segment that the walker shows. Kept for it are the first words of the
//! present row, of the first row in this plane of the cluster, of the row at x = 0 where this cluster begins, and of
//! the row at x = 0 before the one where the clusters further in y or z begin.
//! **Source** WD-05, WD-10.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct TableAddress {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A grid begins.
            pub start: Signal<In, Bit>,
            /// First word of its table.
            pub start_table: Signal<In, Bits<32>>,
            /// Words of a row.
            pub row_words: Signal<In, Bits<11>>,
            /// Words of a plane.
            pub plane_words: Signal<In, Bits<26>>,
            /// The word is taken.
            pub step: Signal<In, Bit>,
            /// The next row's address is computed.
            pub turning: Signal<In, Bit>,
            /// Row 0, plane 1, column 2, wrap 3.
            pub turn: Signal<In, Bits<2>>,
            /// First word of the row.
            pub turn_word: Signal<In, Bits<10>>,
            /// Keep the row that is being left.
            pub notes: Signal<In, Bit>,
            /// Address of the word.
            pub address: Signal<Out, Bits<32>>,
        }
        parts {
            present: Register<Bits<32>>,
            row: Register<Bits<32>>,
            plane: Register<Bits<32>>,
            origin: Register<Bits<32>>,
            noted: Register<Bits<32>>,
            left: Signal<Local, Bits<32>>,
            right: Signal<Local, Bits<26>>,
            sum: Signal<Local, Bits<32>>,
        }
    }
}

impl Logic for TableAddress {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, present, row, plane, origin, noted);

        self.left.next = self.present.q.val();
        self.right.next = 1.into();
        if self.turning.val() {
            self.left.next = self.row.q.val();
            self.right.next = bit_cast::<26, 11>(self.row_words.val());
            if self.turn.val() == 1 {
                self.left.next = self.plane.q.val();
                self.right.next = self.plane_words.val();
            }
            if self.turn.val() == 2 {
                self.left.next = self.origin.q.val();
                self.right.next = bit_cast::<26, 10>(self.turn_word.val());
            }
            if self.turn.val() == 3 {
                self.left.next = self.noted.q.val();
            }
        }
        self.sum.next = self.left.val() + bit_cast::<32, 26>(self.right.val());

        if self.step.val() | self.turning.val() {
            self.present.d.next = self.sum.val();
        }
        if self.turning.val() {
            self.row.d.next = self.sum.val();
            if self.turn.val() != 0 {
                self.plane.d.next = self.sum.val();
            }
            if self.turn.val() == 3 {
                self.origin.d.next = self.sum.val();
            }
        }
        if self.notes.val() {
            self.noted.d.next = self.row.q.val();
        }
        if self.start.val() {
            self.present.d.next = self.start_table.val();
            self.origin.d.next = self.start_table.val();
        }
        self.address.next = self.present.q.val();
    }
}
