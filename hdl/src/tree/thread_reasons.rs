//! Which threads of each warp live, and which wait for what: those that arrived at the end of a region, by its kind, and those asleep.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `warp`, `kind` | in | `WARP_BITS`, 4 | the set that is read and changed |
//! | `waiting` | out | `THREADS` | threads of the warp that wait for that kind |
//! | `add`, `remove` | in | `THREADS` | threads that wait from now on, threads that no longer do (`remove` wins) |
//! | `change_enable` | in | 1 | do so |
//! | `live` | out | `THREADS` | threads of the warp that have not exited |
//! | `exit_enable`, `exits` | in | 1, `THREADS` | threads that exit |
//! | `clear_enable`, `launched` | in | 1, `THREADS` | the warp starts: these live, none waits |
//! | `query_warp`, `query_kind`, `query_active` | in | | what an observer looks at, and the selected leaf's threads |
//! | `query_waiting` | out | `THREADS` | threads that wait for that kind; for `Divergence`, those that run in other leaves |
//!
//! **Timing** reads are combinational, changes show in the next cycle. Contents are undefined until the warp's launch.
//! **Invariants** 1. a thread waits for at most one kind. 2. a set that was not changed since the launch is empty, without a sweep.
//! **See also** `tree_divergence_table`.

use crate::divergence::token::Kind;
use crate::prelude::*;

block! {
    /// `KEY_BITS` = `WARP_BITS` + 4; see the module's page.
    pub struct ThreadReasons<const WARP_BITS: usize, const THREADS: usize, const KEY_BITS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Whose threads.
            pub warp: Signal<In, Bits<WARP_BITS>>,
            /// Which of its sets.
            pub kind: Signal<In, Bits<4>>,
            /// Threads that wait for that kind.
            pub waiting: Signal<Out, Bits<THREADS>>,
            /// Threads that wait from now on.
            pub add: Signal<In, Bits<THREADS>>,
            /// Threads that no longer do.
            pub remove: Signal<In, Bits<THREADS>>,
            /// Change the set.
            pub change_enable: Signal<In, Bit>,
            /// Threads that have not exited.
            pub live: Signal<Out, Bits<THREADS>>,
            /// Threads exit.
            pub exit_enable: Signal<In, Bit>,
            /// Which.
            pub exits: Signal<In, Bits<THREADS>>,
            /// The warp starts.
            pub clear_enable: Signal<In, Bit>,
            /// Its threads.
            pub launched: Signal<In, Bits<THREADS>>,
            /// The warp that an observer looks at.
            pub query_warp: Signal<In, Bits<WARP_BITS>>,
            /// The kind that it looks at.
            pub query_kind: Signal<In, Bits<4>>,
            /// Threads of that warp's selected leaf.
            pub query_active: Signal<In, Bits<THREADS>>,
            /// Threads that wait for that kind.
            pub query_waiting: Signal<Out, Bits<THREADS>>,
        }
        parts {
            #[reads_back(read_address, write_enable, write_address, write_data)]
            sets: RegisterFile<KEY_BITS, THREADS>,
            sets_query: RegisterFile<KEY_BITS, THREADS>,
            #[reads_back(write_enable, write_data)]
            used: RegisterFile<WARP_BITS, 16>,
            used_query: RegisterFile<WARP_BITS, 16>,
            #[reads_back(write_enable, write_data)]
            any: RegisterFile<WARP_BITS, THREADS>,
            any_query: RegisterFile<WARP_BITS, THREADS>,
            #[reads_back(write_enable, write_data)]
            lives: RegisterFile<WARP_BITS, THREADS>,
            lives_query: RegisterFile<WARP_BITS, THREADS>,
            one: Constant<Bits<16>> = Constant::new(bits(1)),
            kind_divergence: Constant<Bits<4>> = Constant::new(bits(Kind::Divergence as u64)),
        }
    }
}

impl<const WARP_BITS: usize, const THREADS: usize, const KEY_BITS: usize> Logic
    for ThreadReasons<WARP_BITS, THREADS, KEY_BITS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, sets, sets_query, used, used_query, any, any_query, lives, lives_query);
        self.sets.read_address.next =
            (bit_cast::<KEY_BITS, WARP_BITS>(self.warp.val()) << 4) | bit_cast::<KEY_BITS, 4>(self.kind.val());
        self.used.read_address.next = self.warp.val();
        self.any.read_address.next = self.warp.val();
        self.lives.read_address.next = self.warp.val();
        self.live.next = self.lives.read_data.val();
        self.waiting.next = 0.into();
        if self.used.read_data.val().get_bit(self.kind.val()) {
            self.waiting.next = self.sets.read_data.val();
        }

        self.sets.write_enable.next = self.change_enable.val();
        self.sets.write_address.next = self.sets.read_address.val();
        self.sets.write_data.next = (self.waiting.val() | self.add.val()) & !self.remove.val();
        self.used.write_enable.next = self.change_enable.val() | self.clear_enable.val();
        self.used.write_address.next = self.warp.val();
        self.used.write_data.next = self.used.read_data.val() | (self.one.val() << self.kind.val());
        self.any.write_enable.next = self.used.write_enable.val();
        self.any.write_address.next = self.warp.val();
        self.any.write_data.next = (self.any.read_data.val() | self.add.val()) & !self.remove.val();
        self.lives.write_enable.next = self.exit_enable.val() | self.clear_enable.val();
        self.lives.write_address.next = self.warp.val();
        self.lives.write_data.next = self.live.val() & !self.exits.val();
        if self.clear_enable.val() {
            self.used.write_data.next = 0.into();
            self.any.write_data.next = 0.into();
            self.lives.write_data.next = self.launched.val();
        }

        // The second copies exist for the observer.
        self.sets_query.write_enable.next = self.sets.write_enable.val();
        self.sets_query.write_address.next = self.sets.write_address.val();
        self.sets_query.write_data.next = self.sets.write_data.val();
        self.used_query.write_enable.next = self.used.write_enable.val();
        self.used_query.write_address.next = self.warp.val();
        self.used_query.write_data.next = self.used.write_data.val();
        self.any_query.write_enable.next = self.any.write_enable.val();
        self.any_query.write_address.next = self.warp.val();
        self.any_query.write_data.next = self.any.write_data.val();
        self.lives_query.write_enable.next = self.lives.write_enable.val();
        self.lives_query.write_address.next = self.warp.val();
        self.lives_query.write_data.next = self.lives.write_data.val();
        self.sets_query.read_address.next = (bit_cast::<KEY_BITS, WARP_BITS>(self.query_warp.val()) << 4)
            | bit_cast::<KEY_BITS, 4>(self.query_kind.val());
        self.used_query.read_address.next = self.query_warp.val();
        self.any_query.read_address.next = self.query_warp.val();
        self.lives_query.read_address.next = self.query_warp.val();
        self.query_waiting.next = 0.into();
        if self.used_query.read_data.val().get_bit(self.query_kind.val()) {
            self.query_waiting.next = self.sets_query.read_data.val();
        }
        if self.query_kind.val() == self.kind_divergence.val() {
            self.query_waiting.next =
                self.lives_query.read_data.val() & !self.any_query.read_data.val() & !self.query_active.val();
        }
    }
}
