//! Which warp stands at each position of a group, and which of its threads live and which sleep.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `turn_position`, `turn_warp` | in, out | `WARP_BITS` | a position, and the warp there: the warp-mapping table |
//! | `position`, `hot` | in | `WARP_BITS`, `WARPS` | the position that the rest is about; the same, a bit a position |
//! | `launches`, `first`, `launch_warp`, `launch_mask` | in | | it gets a warp, with these threads; as the first one of its group |
//! | `reports`, `request_operation`, `named` | in | 1, 4, `THREADS` | its warp reports an instruction that names these threads |
//! | `wakes`, `request_mask` | in | 1, `THREADS` | those of its sleeping threads wake |
//! | `warp` | out | `WARP_BITS` | the warp there |
//! | `woken` | out | `THREADS` | the threads that would wake |
//! | `outlives` | out | 1 | threads of the group live |
//!
//! **Timing** answers are combinational; what is launched, reported or woken shows in the next cycle.
//! **Invariants** 1. sleeping threads live. 2. a position that the group does not have has no threads. Contents of a position are undefined until
//! it is launched.
//! **Source** US 9,921,847, positions of a group; TD-10, SM-07.
//! **See also** `group_divergence_table`; `thread_reasons` for warps with trees of their own.

use crate::divergence::token::Operation;
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct GroupThreads<const WARPS: usize, const WARP_BITS: usize, const THREADS: usize> {
        ports {
            /// Rising-edge clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous reset, active high.
            pub reset: Signal<In, Bit>,
            /// A position.
            pub turn_position: Signal<In, Bits<WARP_BITS>>,
            /// The warp there.
            pub turn_warp: Signal<Out, Bits<WARP_BITS>>,
            /// The position that the rest is about.
            pub position: Signal<In, Bits<WARP_BITS>>,
            /// The same, a bit a position.
            pub hot: Signal<In, Bits<WARPS>>,
            /// It gets a warp.
            pub launches: Signal<In, Bit>,
            /// As the first one of its group.
            pub first: Signal<In, Bit>,
            /// Which warp.
            pub launch_warp: Signal<In, Bits<WARP_BITS>>,
            /// Its threads.
            pub launch_mask: Signal<In, Bits<THREADS>>,
            /// Its warp reports.
            pub reports: Signal<In, Bit>,
            /// What the instruction does.
            pub request_operation: Signal<In, Bits<4>>,
            /// The threads that it names.
            pub named: Signal<In, Bits<THREADS>>,
            /// Sleeping threads wake.
            pub wakes: Signal<In, Bit>,
            /// Those of these.
            pub request_mask: Signal<In, Bits<THREADS>>,
            /// The warp there; of a launch, the new one.
            pub warp: Signal<Out, Bits<WARP_BITS>>,
            /// The threads that would wake.
            pub woken: Signal<Out, Bits<THREADS>>,
            /// Threads of the group live.
            pub outlives: Signal<Out, Bit>,
        }
        parts {
            mapping: RegisterFile<WARP_BITS, WARP_BITS>,
            turn_mapping: RegisterFile<WARP_BITS, WARP_BITS>,
            sleepers: RegisterFile<WARP_BITS, THREADS>,
            #[reads_back(write_enable)]
            lives: RegisterFile<WARP_BITS, THREADS>,
            alive: Register<Bits<WARPS>>,
            others: Signal<Local, Bits<WARPS>>,
            living: Signal<Local, Bits<THREADS>>,
            operation_exit: Constant<Bits<4>> = Constant::new(bits(Operation::Exit as u64)),
            operation_sleep: Constant<Bits<4>> = Constant::new(bits(Operation::Sleep as u64)),
        }
    }
}

impl<const WARPS: usize, const WARP_BITS: usize, const THREADS: usize> Logic
    for GroupThreads<WARPS, WARP_BITS, THREADS>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, alive);
        clock!(self, clock, mapping, turn_mapping, sleepers, lives);
        self.mapping.read_address.next = self.position.val();
        self.mapping.write_enable.next = self.launches.val();
        self.mapping.write_address.next = self.position.val();
        self.mapping.write_data.next = self.launch_warp.val();
        self.turn_mapping.read_address.next = self.turn_position.val();
        self.turn_mapping.write_enable.next = self.launches.val();
        self.turn_mapping.write_address.next = self.position.val();
        self.turn_mapping.write_data.next = self.launch_warp.val();
        self.turn_warp.next = self.turn_mapping.read_data.val();
        self.warp.next = self.mapping.read_data.val();
        if self.launches.val() {
            self.warp.next = self.launch_warp.val();
        }

        // Who sleeps. Where nobody lives the memory may say anything.
        self.sleepers.read_address.next = self.position.val();
        self.woken.next = 0.into();
        if (self.alive.q.val() & self.hot.val()).any() {
            self.woken.next = self.sleepers.read_data.val() & self.request_mask.val();
        }
        self.sleepers.write_enable.next = self.launches.val()
            | self.wakes.val()
            | (self.reports.val() & (self.request_operation.val() == self.operation_sleep.val()));
        self.sleepers.write_address.next = self.position.val();
        self.sleepers.write_data.next = self.sleepers.read_data.val() | self.named.val();
        if self.wakes.val() {
            self.sleepers.write_data.next = self.sleepers.read_data.val() & !self.request_mask.val();
        }

        // Who lives. Positions of an earlier group are forgotten with the first one of the next.
        self.lives.read_address.next = self.position.val();
        self.living.next = self.lives.read_data.val() & !self.named.val();
        self.others.next = self.alive.q.val() & !self.hot.val();
        if self.launches.val() {
            self.sleepers.write_data.next = 0.into();
            self.living.next = self.launch_mask.val();
        }
        if self.first.val() {
            self.others.next = 0.into();
        }
        self.lives.write_enable.next =
            self.launches.val() | (self.reports.val() & (self.request_operation.val() == self.operation_exit.val()));
        self.lives.write_address.next = self.position.val();
        self.lives.write_data.next = self.living.val();
        if self.lives.write_enable.val() {
            self.alive.d.next = self.others.val();
            if self.living.val().any() {
                self.alive.d.next = self.others.val() | self.hot.val();
            }
        }
        self.outlives.next = self.alive.q.val().any();
    }
}
