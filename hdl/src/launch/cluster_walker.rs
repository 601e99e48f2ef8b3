//! Walks a grid in segments, each the part of one word of flags that belongs to one row of one cluster: x fastest, then y, then z, inside
//! a cluster; clusters in the same order. A grid that is not cut is one cluster.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `start`, `start_empty`, `start_clustered`, `start_x` | in | 1, 1, 1, 16 | a grid begins; a range of it is 0; it is cut; its x range |
//! | `clustered`, `range_*`, `cluster_*` | in | 1, 16 ×6 | the grid, from the cycle after `start` on; a cluster size of 0 does not cut |
//! | `segment_valid`, `segment_step` | out, in | 1 | a segment is shown; it is taken |
//! | `word`, `low`, `high` | out | 10, 6, 6 | word of the row; first and last of the flags that count |
//! | `y`, `z` | out | 16 | its row and plane |
//! | `opens` | out | 1 | it is the first of its cluster |
//! | `turning`, `turn`, `turn_word` | out | 1, 2, 10 | the place of the next row is computed, see [`Turn`]; its first word |
//! | `turn_hold` | in | 1 | not yet |
//! | `notes` | out | 1 | the row that is being left is the last before the next cluster in y, or in z |
//! | `walking` | out | 1 | the grid has further segments |
//!
//! **Timing** a segment a cycle; in a grid that is cut, a cycle more after each row of a cluster and at the start.
//! **Invariants** 1. each index within the ranges is in one segment, no other in any, and none is empty. 2. every grid ends, whatever the
//! sizes: a cluster is clipped to the ranges, and its bounds are met by counting, never by passing them (tested, not proven). 3. segments
//! come in order: in a cluster x fastest, then y, then z, and so do clusters.
//! **Source** US 8,413,151, iterating over the dimensions; WD-02, WD-10.
//! **See also** [`TableAddress`](super::table_address::TableAddress), which follows the turns.

use crate::prelude::*;

/// What the walker is doing.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum WalkState {
    /// No grid, or nothing of it is left.
    Idle,
    /// A segment is shown.
    Walking,
    /// Between two rows of a grid that is cut.
    Turning,
}

/// Where the walk goes on after a row of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum Turn {
    /// With the cluster's next row.
    Row,
    /// With the first row of its next plane.
    Plane,
    /// With the next cluster in x, or the first one.
    Column,
    /// With the first cluster in x, one further in y, or in z.
    Wrap,
}

block! {
    /// See the module's page.
    pub struct ClusterWalker {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A grid begins.
            pub start: Signal<In, Bit>,
            /// One of its ranges is 0.
            pub start_empty: Signal<In, Bit>,
            /// It is cut into clusters.
            pub start_clustered: Signal<In, Bit>,
            /// Its range of x.
            pub start_x: Signal<In, Bits<16>>,
            /// The grid is cut into clusters.
            pub clustered: Signal<In, Bit>,
            /// Range of x.
            pub range_x: Signal<In, Bits<16>>,
            /// Range of y.
            pub range_y: Signal<In, Bits<16>>,
            /// Range of z.
            pub range_z: Signal<In, Bits<16>>,
            /// Size of a cluster in x; 0 does not cut.
            pub cluster_x: Signal<In, Bits<16>>,
            /// Size of a cluster in y; 0 does not cut.
            pub cluster_y: Signal<In, Bits<16>>,
            /// Size of a cluster in z; 0 does not cut.
            pub cluster_z: Signal<In, Bits<16>>,
            /// A segment is shown.
            pub segment_valid: Signal<Out, Bit>,
            /// It is taken.
            pub segment_step: Signal<In, Bit>,
            /// Its word, counted from the row's first.
            pub word: Signal<Out, Bits<10>>,
            /// Its first flag.
            pub low: Signal<Out, Bits<6>>,
            /// Its last flag.
            pub high: Signal<Out, Bits<6>>,
            /// Its row.
            pub y: Signal<Out, Bits<16>>,
            /// Its plane.
            pub z: Signal<Out, Bits<16>>,
            /// It is the first of its cluster.
            pub opens: Signal<Out, Bit>,
            /// The place of the next row is computed.
            pub turning: Signal<Out, Bit>,
            /// Row 0, plane 1, column 2, wrap 3.
            pub turn: Signal<Out, Bits<2>>,
            /// First word of the next row.
            pub turn_word: Signal<Out, Bits<10>>,
            /// It cannot be computed yet.
            pub turn_hold: Signal<In, Bit>,
            /// The next cluster in y or z begins after the row that is being left.
            pub notes: Signal<Out, Bit>,
            /// The grid has further segments.
            pub walking: Signal<Out, Bit>,
        }
        parts {
            state: Register<WalkState>,
            turn_kind: Register<Turn>,
            word_at: Register<Bits<10>>,
            x_first: Register<Bits<16>>,
            x_end: Register<Bits<16>>,
            y_at: Register<Bits<16>>,
            y_first: Register<Bits<16>>,
            y_count: Register<Bits<16>> = Register::new(bits(1)),
            z_at: Register<Bits<16>>,
            z_first: Register<Bits<16>>,
            z_count: Register<Bits<16>> = Register::new(bits(1)),
            row_opens: Register<Bit>,
            cluster_opens: Register<Bit>,
            first_column: Register<Bit>,
            first_plane: Register<Bit>,
            end_word: Signal<Local, Bits<10>>,
            end_flag: Signal<Local, Bits<6>>,
            word_before: Signal<Local, Bit>,
            word_last: Signal<Local, Bit>,
            y_last: Signal<Local, Bit>,
            z_last: Signal<Local, Bit>,
            row_last: Signal<Local, Bit>,
            plane_last: Signal<Local, Bit>,
            column_last: Signal<Local, Bit>,
            ends_plane: Signal<Local, Bit>,
            ends_cluster: Signal<Local, Bit>,
            wraps: Signal<Local, Bit>,
            y_next: Signal<Local, Bits<16>>,
            z_next: Signal<Local, Bits<16>>,
            x_reach: Signal<Local, Bits<17>>,
        }
    }
}

impl Logic for ClusterWalker {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, turn_kind, word_at, x_first, x_end, y_at, y_first, y_count, z_at, z_first);
        dff_setup!(self, clock, z_count, row_opens, cluster_opens, first_column, first_plane);

        // Whether this segment, row, plane, cluster is the last. `a` is the number before `b` if and only if the bits in which
        // they differ are those that counting from `a` to `b` turns over; that takes no carry.
        self.end_word.next = bit_cast::<10, 16>(self.x_end.q.val() >> 6);
        self.end_flag.next = bit_cast::<6, 16>(self.x_end.q.val());
        self.word_before.next =
            (self.word_at.q.val() ^ self.end_word.val()) == (((self.word_at.q.val() & !self.end_word.val()) << 1) | 1);
        self.word_last.next = self.word_before.val();
        if self.end_flag.val().any() {
            self.word_last.next = self.word_at.q.val() == self.end_word.val();
        }
        self.y_last.next =
            (self.y_at.q.val() ^ self.range_y.val()) == (((self.y_at.q.val() & !self.range_y.val()) << 1) | 1);
        self.z_last.next =
            (self.z_at.q.val() ^ self.range_z.val()) == (((self.z_at.q.val() & !self.range_z.val()) << 1) | 1);
        self.row_last.next =
            self.y_last.val() | (self.clustered.val() & (self.y_count.q.val() == self.cluster_y.val()));
        self.plane_last.next =
            self.z_last.val() | (self.clustered.val() & (self.z_count.q.val() == self.cluster_z.val()));
        self.column_last.next = self.x_end.q.val() == self.range_x.val();

        self.ends_plane.next = self.word_last.val() & self.row_last.val();
        self.ends_cluster.next = self.ends_plane.val() & self.plane_last.val();
        self.wraps.next = self.ends_cluster.val() & self.column_last.val();

        // A segment is left.
        self.y_next.next = self.y_at.q.val() + 1;
        self.z_next.next = self.z_at.q.val() + 1;
        if self.segment_step.val() {
            self.word_at.d.next = self.word_at.q.val() + 1;
            self.row_opens.d.next = false;
            self.cluster_opens.d.next = false;
            if self.word_last.val() {
                self.row_opens.d.next = true;
                self.turn_kind.d.next = Turn::Row;
                self.y_at.d.next = self.y_next.val();
                self.y_count.d.next = self.y_count.q.val() + 1;
                if self.clustered.val() {
                    self.state.d.next = WalkState::Turning;
                }
            }
            if self.ends_plane.val() {
                self.turn_kind.d.next = Turn::Plane;
                self.first_plane.d.next = false;
                self.y_at.d.next = self.y_first.q.val();
                self.z_at.d.next = self.z_next.val();
                self.z_count.d.next = self.z_count.q.val() + 1;
            }
            if self.ends_cluster.val() {
                self.turn_kind.d.next = Turn::Column;
                self.cluster_opens.d.next = true;
                self.first_column.d.next = false;
                self.first_plane.d.next = true;
                self.x_first.d.next = self.x_end.q.val();
                self.z_at.d.next = self.z_first.q.val();
            }
            if self.wraps.val() {
                self.turn_kind.d.next = Turn::Wrap;
                self.first_column.d.next = true;
                self.y_at.d.next = self.y_next.val();
                self.y_first.d.next = self.y_next.val();
                if self.y_last.val() {
                    self.z_at.d.next = self.z_next.val();
                    self.z_first.d.next = self.z_next.val();
                    if self.z_last.val() {
                        self.state.d.next = WalkState::Idle;
                    }
                }
            }
        }
        // What begins anew: said last, so that it becomes a reset and not a choice.
        if self.segment_step.val() & self.word_last.val() {
            self.word_at.d.next = 0.into();
        }
        if self.segment_step.val() & self.ends_plane.val() {
            self.y_count.d.next = 1.into();
        }
        if self.segment_step.val() & self.ends_cluster.val() {
            self.z_count.d.next = 1.into();
        }
        if self.segment_step.val() & self.wraps.val() {
            self.x_first.d.next = 0.into();
        }
        if self.segment_step.val() & self.wraps.val() & self.y_last.val() {
            self.y_at.d.next = 0.into();
            self.y_first.d.next = 0.into();
        }

        // The next row of a grid that is cut: where it begins and ends.
        self.x_reach.next = bit_cast::<17, 16>(self.x_first.q.val()) + bit_cast::<17, 16>(self.cluster_x.val());
        if self.state.q.val() == WalkState::Turning {
            self.word_at.d.next = bit_cast::<10, 16>(self.x_first.q.val() >> 6);
            self.x_end.d.next = bit_cast::<16, 17>(self.x_reach.val());
            if (self.x_reach.val() > bit_cast::<17, 16>(self.range_x.val())) | !self.cluster_x.val().any() {
                self.x_end.d.next = self.range_x.val();
            }
            if !self.turn_hold.val() {
                self.state.d.next = WalkState::Walking;
            }
        }

        // A grid begins.
        if self.start.val() {
            self.state.d.next = WalkState::Walking;
            if self.start_clustered.val() {
                self.state.d.next = WalkState::Turning;
            }
            if self.start_empty.val() {
                self.state.d.next = WalkState::Idle;
            }
            self.turn_kind.d.next = Turn::Column;
            self.word_at.d.next = 0.into();
            self.x_first.d.next = 0.into();
            self.x_end.d.next = self.start_x.val();
            self.y_at.d.next = 0.into();
            self.y_first.d.next = 0.into();
            self.y_count.d.next = 1.into();
            self.z_at.d.next = 0.into();
            self.z_first.d.next = 0.into();
            self.z_count.d.next = 1.into();
            self.row_opens.d.next = true;
            self.cluster_opens.d.next = true;
            self.first_column.d.next = true;
            self.first_plane.d.next = true;
        }

        self.segment_valid.next = self.state.q.val() == WalkState::Walking;
        self.walking.next = self.state.q.val() != WalkState::Idle;
        self.turning.next = (self.state.q.val() == WalkState::Turning) & !self.turn_hold.val();
        self.turn_word.next = bit_cast::<10, 16>(self.x_first.q.val() >> 6);
        self.turn.next = 0.into();
        match self.turn_kind.q.val() {
            Turn::Row => {
                self.turn.next = 0.into();
            }
            Turn::Plane => {
                self.turn.next = 1.into();
            }
            Turn::Column => {
                self.turn.next = 2.into();
            }
            Turn::Wrap => {
                self.turn.next = 3.into();
            }
            _ => {
                self.turn.next = 0.into();
            }
        }
        self.notes.next = self.segment_step.val()
            & self.ends_plane.val()
            & self.first_column.q.val()
            & (self.first_plane.q.val() | self.y_last.val());
        self.word.next = self.word_at.q.val();
        self.low.next = 0.into();
        if self.row_opens.q.val() {
            self.low.next = bit_cast::<6, 16>(self.x_first.q.val());
        }
        self.high.next = 63.into();
        if self.word_last.val() {
            self.high.next = self.end_flag.val() - 1;
        }
        self.y.next = self.y_at.q.val();
        self.z.next = self.z_at.q.val();
        self.opens.next = self.cluster_opens.q.val();
    }
}
