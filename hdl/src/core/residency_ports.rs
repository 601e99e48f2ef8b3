//! What comes and goes on the warps of a core: a block that says `shared { residency_ports }` has these ports behind its own.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `block_*` | out | strobe: a thread block of the grid is taken into a slot |
//! | `launch_*` | out | strobe: a warp of it is launched; its lanes start from zero |
//! | `finish_*` | out | strobe: all threads of a warp have exited |
//! | `retire_*` | out | strobe: a slot is free again |
//! | `warp_occupied`, `slot_taken`, `warp_ready`, `warp_running`, `warp_presenting` | out | state, a bit each |
//!
//! **Timing** `cta_slots` says. **Source** SM-03, SM-06.

/// Declares the block that it is given, with these ports behind its own; [`block!`](crate::block) calls it.
#[macro_export]
macro_rules! residency_ports {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident $(<$(const $generic:ident : usize),+>)? {
            ports { $($ports:tt)* }
            $(shared { $($more:ident),+ })?
            parts { $($parts:tt)* }
        }
    ) => {
        $crate::block! {
            $(#[$attribute])*
            pub struct $name $(<$(const $generic: usize),+>)? {
                ports {
                    $($ports)*
                    /// A thread block is taken.
                    pub block_valid: Signal<Out, Bit>,
                    /// Its x.
                    pub block_x: Signal<Out, Bits<16>>,
                    /// Its y.
                    pub block_y: Signal<Out, Bits<16>>,
                    /// Its z.
                    pub block_z: Signal<Out, Bits<16>>,
                    /// A thread block waits for room: a level.
                    pub block_waiting: Signal<Out, Bit>,
                    /// A warp is launched.
                    pub launch_valid: Signal<Out, Bit>,
                    /// Which.
                    pub launch_warp: Signal<Out, Bits<WARP_BITS>>,
                    /// The slot of its block.
                    pub launch_slot: Signal<Out, Bits<WARP_BITS>>,
                    /// Its number in its block.
                    pub launch_place: Signal<Out, Bits<WARP_BITS>>,
                    /// Its threads.
                    pub launch_threads: Signal<Out, Bits<THREADS>>,
                    /// Its block's x.
                    pub launch_x: Signal<Out, Bits<16>>,
                    /// Its block's y.
                    pub launch_y: Signal<Out, Bits<16>>,
                    /// Its block's z.
                    pub launch_z: Signal<Out, Bits<16>>,
                    /// Its block's grid.
                    pub launch_grid: Signal<Out, Bits<8>>,
                    /// Its block's grid's priority.
                    pub launch_priority: Signal<Out, Bits<PRIORITY_BITS>>,
                    /// A warp has ended.
                    pub finish_valid: Signal<Out, Bit>,
                    /// Which.
                    pub finish_warp: Signal<Out, Bits<WARP_BITS>>,
                    /// The slot of its block.
                    pub finish_slot: Signal<Out, Bits<WARP_BITS>>,
                    /// It is the last one of its block.
                    pub finish_last: Signal<Out, Bit>,
                    /// A slot is free again.
                    pub retire_valid: Signal<Out, Bit>,
                    /// Which.
                    pub retire_slot: Signal<Out, Bits<WARP_BITS>>,
                    /// Warps that have a block.
                    pub warp_occupied: Signal<Out, Bits<WARPS>>,
                    /// Slots that hold one.
                    pub slot_taken: Signal<Out, Bits<WARPS>>,
                    /// Warps that the engine lets issue.
                    pub warp_ready: Signal<Out, Bits<WARPS>>,
                    /// Warps that were launched and have neither ended nor been stopped.
                    pub warp_running: Signal<Out, Bits<WARPS>>,
                    /// Warps whose instruction the barrier scheduler has not answered.
                    pub warp_presenting: Signal<Out, Bits<WARPS>>,
                }
                $(shared { $($more),+ })?
                parts { $($parts)* }
            }
        }
    };
}
