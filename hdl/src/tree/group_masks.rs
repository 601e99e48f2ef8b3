//! The masks of a group, and what they have to go through before the tree can take an instruction: parts, unions, woken and launched threads are
//! stored one after the other, and columns that nobody names any more are given back.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `turn_row`, `column` | in | the warp whose turn it is, and its index; of a union the first index |
//! | `row`, `hot` | in | the warp that is united, woken or launched, or whose turn it is; where it stands |
//! | `active` | out | the threads that this index stands for |
//! | `reports`, `parted`, `gone`, `named_mask`, `rest_mask` | in | its warp reports: its threads part, those named are in no node afterwards; the parts |
//! | `unites`, `second_column` | in | this index and the other one are to become one |
//! | `wakes`, `woken` | in | these threads of the warp wake |
//! | `launches`, `launch_mask`, `launch_last` | in | the warp is launched with these; it is the last one |
//! | `collecting`, `first` | out | something of that may be asked; the warp launched is the first one of its group |
//! | `waking`, `woken_index`, `taken` | out, in | the tree has to take the woken threads; it does |
//! | `starting`, `started` | out, in | the tree has to start; it does |
//! | `put_named`, `put_rest`, `put_union`, `put_hot`, `put_index` | out | strobes: what was stored has this index |
//!
//! **Timing** a mask is stored in 2 cycles + one for each mask ever used by the warp that `mask_table` looks at; a union takes 2 more, woken threads
//! and a group's start one more.
//! **Invariants** 1. masks of one warp that are in use are disjoint and not empty, so a column is named by one node or by none, and a bit counts
//! its users. 2. there are no more of them than the warp has threads: a row of `THREADS` + 1 columns is never full.
//! **Source** US 9,921,847, the warp-divergence-mask table; TD-10.
//! **See also** `group_divergence_table`, `mask_table`.

use super::mask_table::MaskTable;
use crate::prelude::*;

/// What the masks are at.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum GroupState {
    /// Warps report, or the tree works.
    Collect,
    /// The threads that a warp names are stored.
    StoreNamed,
    /// Its other threads are.
    StoreRest,
    /// The second mask of a union is read.
    Unite,
    /// The union is stored.
    StoreUnion,
    /// Woken threads are stored.
    StoreWoken,
    /// The tree takes them.
    Wake,
    /// The threads of a position are stored at the launch.
    StoreLaunch,
    /// The tree starts.
    Launch,
}

block! {
    /// `ROW_BITS` = `WARP_BITS` + `INDEX_BITS`; see the module's page.
    pub struct GroupMasks<
        const WARPS: usize, const WARP_BITS: usize, const THREADS: usize, const INDEX_BITS: usize, const ROW_BITS: usize,
    > {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// The warp whose turn it is.
            pub turn_row: Signal<In, Bits<WARP_BITS>>,
            /// The warp that something happens to.
            pub row: Signal<In, Bits<WARP_BITS>>,
            /// Where it stands, a bit a position.
            pub hot: Signal<In, Bits<WARPS>>,
            /// Its index, or the first one of a union.
            pub column: Signal<In, Bits<INDEX_BITS>>,
            /// The threads that the index stands for.
            pub active: Signal<Out, Bits<THREADS>>,
            /// The warp reports.
            pub reports: Signal<In, Bit>,
            /// Its threads part.
            pub parted: Signal<In, Bit>,
            /// Those named are in no node afterwards.
            pub gone: Signal<In, Bit>,
            /// Those named.
            pub named_mask: Signal<In, Bits<THREADS>>,
            /// The others.
            pub rest_mask: Signal<In, Bits<THREADS>>,
            /// Two indices of the warp become one.
            pub unites: Signal<In, Bit>,
            /// The second one.
            pub second_column: Signal<In, Bits<INDEX_BITS>>,
            /// Threads of the warp wake.
            pub wakes: Signal<In, Bit>,
            /// These.
            pub woken: Signal<In, Bits<THREADS>>,
            /// The warp is launched.
            pub launches: Signal<In, Bit>,
            /// With these threads.
            pub launch_mask: Signal<In, Bits<THREADS>>,
            /// It is the last one of its group.
            pub launch_last: Signal<In, Bit>,
            /// Something may be asked.
            pub collecting: Signal<Out, Bit>,
            /// The warp launched is the first one of its group.
            pub first: Signal<Out, Bit>,
            /// The tree has to take the woken threads.
            pub waking: Signal<Out, Bit>,
            /// Their index.
            pub woken_index: Signal<Out, Bits<INDEX_BITS>>,
            /// It takes them.
            pub taken: Signal<In, Bit>,
            /// The tree has to start.
            pub starting: Signal<Out, Bit>,
            /// It does.
            pub started: Signal<In, Bit>,
            /// Those named, or launched, have an index.
            pub put_named: Signal<Out, Bit>,
            /// The others have.
            pub put_rest: Signal<Out, Bit>,
            /// A union has.
            pub put_union: Signal<Out, Bit>,
            /// At this position.
            pub put_hot: Signal<Out, Bits<WARPS>>,
            /// Which.
            pub put_index: Signal<Out, Bits<INDEX_BITS>>,
        }
        parts {
            state: Register<GroupState>,
            #[reads_back(read_row, read_column)]
            masks: MaskTable<WARP_BITS, INDEX_BITS, ROW_BITS, 1, THREADS>,
            launching: Register<Bit>,
            last: Register<Bit>,
            place: Register<Bits<WARPS>>,
            warp: Register<Bits<WARP_BITS>>,
            first_mask: Register<Bits<THREADS>>,
            second_mask: Register<Bits<THREADS>>,
            second_index: Register<Bits<INDEX_BITS>>,
            index: Register<Bits<INDEX_BITS>>,
            storing: Signal<Local, Bit>,
        }
    }
}

impl<
        const WARPS: usize,
        const WARP_BITS: usize,
        const THREADS: usize,
        const INDEX_BITS: usize,
        const ROW_BITS: usize,
    > Logic for GroupMasks<WARPS, WARP_BITS, THREADS, INDEX_BITS, ROW_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, launching, last, place, warp, first_mask, second_mask, second_index, index);
        clock!(self, clock, masks);
        self.masks.reset.next = self.reset.val();
        self.collecting.next = self.state.q.val() == GroupState::Collect;
        self.waking.next = self.state.q.val() == GroupState::Wake;
        self.starting.next = self.state.q.val() == GroupState::Launch;
        self.first.next = self.launches.val() & !self.launching.q.val();
        self.woken_index.next = self.index.q.val();

        // Columns that are read, and that lose a user.
        self.masks.clear_enable.next = self.launches.val();
        self.masks.clear_row.next = self.row.val();
        self.masks.read_row.next = self.turn_row.val();
        if self.unites.val() {
            self.masks.read_row.next = self.row.val();
        }
        self.masks.read_column.next = self.column.val();
        self.masks.share_enable.next = false;
        self.masks.drop_enable.next = (self.reports.val() & (self.parted.val() | self.gone.val())) | self.unites.val();
        if self.state.q.val() == GroupState::Unite {
            self.masks.read_row.next = self.warp.q.val();
            self.masks.read_column.next = self.second_index.q.val();
            self.masks.drop_enable.next = true;
        }
        self.masks.user_row.next = self.masks.read_row.val();
        self.masks.user_column.next = self.masks.read_column.val();
        self.active.next = self.masks.read_mask.val();

        // Masks that gain one.
        self.storing.next = !self.collecting.val()
            & !self.waking.val()
            & !self.starting.val()
            & (self.state.q.val() != GroupState::Unite);
        self.masks.store_valid.next = self.storing.val();
        self.masks.store_row.next = self.warp.q.val();
        self.masks.store_mask.next = self.first_mask.q.val();
        if self.state.q.val() == GroupState::StoreRest {
            self.masks.store_mask.next = self.second_mask.q.val();
        }
        self.put_named.next = self.masks.stored_valid.val()
            & ((self.state.q.val() == GroupState::StoreNamed) | (self.state.q.val() == GroupState::StoreLaunch));
        self.put_rest.next = self.masks.stored_valid.val() & (self.state.q.val() == GroupState::StoreRest);
        self.put_union.next = self.masks.stored_valid.val() & (self.state.q.val() == GroupState::StoreUnion);
        self.put_hot.next = self.place.q.val();
        self.put_index.next = self.masks.stored_column.val();

        // The order of steps.
        if self.collecting.val() {
            self.place.d.next = self.hot.val();
            self.warp.d.next = self.row.val();
            self.first_mask.d.next = self.named_mask.val();
            self.second_mask.d.next = self.rest_mask.val();
            self.second_index.d.next = self.second_column.val();
        }
        match self.state.q.val() {
            GroupState::Collect => {
                if self.reports.val() & self.parted.val() {
                    self.state.d.next = GroupState::StoreNamed;
                    if self.gone.val() {
                        self.state.d.next = GroupState::StoreRest;
                    }
                }
                if self.unites.val() {
                    self.first_mask.d.next = self.masks.read_mask.val();
                    self.state.d.next = GroupState::Unite;
                }
                if self.wakes.val() & self.woken.val().any() {
                    self.first_mask.d.next = self.woken.val();
                    self.state.d.next = GroupState::StoreWoken;
                }
                if self.launches.val() {
                    self.first_mask.d.next = self.launch_mask.val();
                    self.last.d.next = self.launch_last.val();
                    self.launching.d.next = true;
                    self.state.d.next = GroupState::StoreLaunch;
                }
            }
            GroupState::StoreNamed => {
                if self.masks.stored_valid.val() {
                    self.state.d.next = GroupState::StoreRest;
                }
            }
            GroupState::Unite => {
                self.first_mask.d.next = self.first_mask.q.val() | self.masks.read_mask.val();
                self.state.d.next = GroupState::StoreUnion;
            }
            GroupState::StoreWoken => {
                self.index.d.next = self.masks.stored_column.val();
                if self.masks.stored_valid.val() {
                    self.state.d.next = GroupState::Wake;
                }
            }
            GroupState::Wake => {
                if self.taken.val() {
                    self.state.d.next = GroupState::Collect;
                }
            }
            GroupState::StoreLaunch => {
                if self.masks.stored_valid.val() {
                    self.state.d.next = GroupState::Collect;
                    if self.last.q.val() {
                        self.state.d.next = GroupState::Launch;
                    }
                }
            }
            GroupState::Launch => {
                self.launching.d.next = false;
                if self.started.val() {
                    self.state.d.next = GroupState::Collect;
                }
            }
            _ => {
                if self.masks.stored_valid.val() {
                    self.state.d.next = GroupState::Collect;
                }
            }
        }
    }
}
