//! The grids that a core runs, and the tables of flags that say which of their blocks: a block that says `shared { grid_ports }` has these ports
//! behind its own.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `warp_enable`, `greedy`, `block_threads` | in | configuration, stable until every grid is done |
//! | `grid_*` | in, `grid_ready`, `grid_done*`, `grid_busy` out | a grid, as at the request port of the work distributor |
//! | `table_*` | | words of the table of flags: valid/ready requests, answers in order |
//!
//! **Timing** that of `work_distributor`. **Source** SM-03, WD-01.

/// Declares the block that it is given, with these ports behind its own; [`block!`](crate::block) calls it.
#[macro_export]
macro_rules! grid_ports {
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
                    /// Warps, and slots of the same number, that may hold a block.
                    pub warp_enable: Signal<In, Bits<WARPS>>,
                    /// Which ready warp issues: each in turn 0; the one that issued last, else the oldest 1.
                    pub greedy: Signal<In, Bit>,
                    /// Threads of a block, at least 1.
                    pub block_threads: Signal<In, Bits<12>>,
                    /// A grid is offered.
                    pub grid_valid: Signal<In, Bit>,
                    /// The queue of grids has room for it.
                    pub grid_ready: Signal<Out, Bit>,
                    /// Where its program begins, in instructions.
                    pub grid_program: Signal<In, Bits<ADDRESS_BITS>>,
                    /// Priority of its warps: a larger one issues first.
                    pub grid_priority: Signal<In, Bits<PRIORITY_BITS>>,
                    /// Its id.
                    pub grid_number: Signal<In, Bits<8>>,
                    /// It has a table of flags; without one every block is launched.
                    pub grid_predicated: Signal<In, Bit>,
                    /// The table's first word, counted in words of 64 flags.
                    pub grid_table: Signal<In, Bits<32>>,
                    /// Range of x; 0 is an empty grid.
                    pub grid_x: Signal<In, Bits<16>>,
                    /// Range of y; 1 if unused.
                    pub grid_y: Signal<In, Bits<16>>,
                    /// Range of z; 1 if unused.
                    pub grid_z: Signal<In, Bits<16>>,
                    /// It is cut into clusters.
                    pub grid_clustered: Signal<In, Bit>,
                    /// Size of a cluster in x; 0 does not cut.
                    pub grid_cluster_x: Signal<In, Bits<16>>,
                    /// Size of a cluster in y; 0 does not cut.
                    pub grid_cluster_y: Signal<In, Bits<16>>,
                    /// Size of a cluster in z; 0 does not cut.
                    pub grid_cluster_z: Signal<In, Bits<16>>,
                    /// It goes before the grids that wait.
                    pub grid_head: Signal<In, Bit>,
                    /// All blocks of a grid were taken by the core: a strobe.
                    pub grid_done: Signal<Out, Bit>,
                    /// Its id.
                    pub grid_done_number: Signal<Out, Bits<8>>,
                    /// A grid is in service or waits.
                    pub grid_busy: Signal<Out, Bit>,
                    /// A word of flags is asked for.
                    pub table_request_valid: Signal<Out, Bit>,
                    /// The memory takes the request.
                    pub table_request_ready: Signal<In, Bit>,
                    /// Address, in words of 64 flags.
                    pub table_request_address: Signal<Out, Bits<32>>,
                    /// The memory answers.
                    pub table_response_valid: Signal<In, Bit>,
                    /// The answer is taken.
                    pub table_response_ready: Signal<Out, Bit>,
                    /// The word, lowest x in bit 0.
                    pub table_response_data: Signal<In, Bits<64>>,
                }
                $(shared { $($more),+ })?
                parts { $($parts)* }
            }
        }
    };
}
