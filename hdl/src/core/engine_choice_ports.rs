//! What an engine of the core has beside its `engine_ports`, whichever engine it is: a block that says `shared { engine_choice_ports }` has these
//! ports behind its own.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `path_policy`, `yield_*`, `stack_mode`, `exchange_interval`, `spill_*` | in | configuration, stable while a warp runs |
//! | `event_nodes`, `exception_*` | out | for counters |
//! | `memory_*` | | valid/ready requests for words that an engine keeps in memory; answers to reads, in order |
//!
//! **Timing** that of the engines. Widths are those of the containing block's `WARP_BITS`, `POINTER_BITS` and `WORD_BITS`.
//! **Source** SM-01.

/// Declares the block that it is given, with these ports behind its own; [`block!`](crate::block) calls it.
#[macro_export]
macro_rules! engine_choice_ports {
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
                    /// Which side of a diverging branch runs first: taken 0, not taken 1, smaller 2, larger 3.
                    pub path_policy: Signal<In, Bits<2>>,
                    /// When a YIELD yields: always 0, every Nth 1, at random 2. A tree does not look at it.
                    pub yield_policy: Signal<In, Bits<2>>,
                    /// N (0 means 256), or the threshold in 1/256.
                    pub yield_parameter: Signal<In, Bits<8>>,
                    /// Seed of each warp's generator (0 stands for 1).
                    pub yield_seed: Signal<In, Bits<16>>,
                    /// Plain convergence stack: YIELD does nothing. A tree does not look at it.
                    pub stack_mode: Signal<In, Bit>,
                    /// A deferred leaf is exchanged with a ready one every so many instructions (0 means 256). Only a tree looks at it.
                    pub exchange_interval: Signal<In, Bits<8>>,
                    /// Address of the spill areas, in words, aligned to warps × 4096.
                    pub spill_base: Signal<In, Bits<32>>,
                    /// Words that a warp may use there.
                    pub spill_limit: Signal<In, Bits<{ $crate::divergence::spill_engine::SPILL_BITS }>>,
                    /// Nodes in use by the warp of `event_push_warp`, before what happens in this cycle; 0 without a tree.
                    pub event_nodes: Signal<Out, Bits<POINTER_BITS>>,
                    /// A window met its end, or a leaf or a node moved: a strobe.
                    pub exception_valid: Signal<Out, Bit>,
                    /// Recenter 0, spill 1, refill 2, fatal 3.
                    pub exception_cause: Signal<Out, Bits<2>>,
                    /// Whose.
                    pub exception_warp: Signal<Out, Bits<WARP_BITS>>,
                    /// A memory request.
                    pub memory_request_valid: Signal<Out, Bit>,
                    /// It is taken.
                    pub memory_request_ready: Signal<In, Bit>,
                    /// It writes.
                    pub memory_request_write: Signal<Out, Bit>,
                    /// Address, in words.
                    pub memory_request_address: Signal<Out, Bits<32>>,
                    /// The word to write.
                    pub memory_request_data: Signal<Out, Bits<WORD_BITS>>,
                    /// An answer to a read.
                    pub memory_response_valid: Signal<In, Bit>,
                    /// It is taken.
                    pub memory_response_ready: Signal<Out, Bit>,
                    /// The word read.
                    pub memory_response_data: Signal<In, Bits<WORD_BITS>>,
                }
                $(shared { $($more),+ })?
                parts { $($parts)* }
            }
        }
    };
}
