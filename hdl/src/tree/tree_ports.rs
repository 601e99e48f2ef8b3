//! The ports of a tree divergence table that have nothing to do with threads: how leaves and nodes go to memory and come back. A block that
//! says `shared { tree_ports }` has them behind its own.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `exchange_interval`, `spill_*` | in | configuration, stable while a warp runs |
//! | `memory_*` | | valid/ready requests for words of deferred leaves and nodes; answers to reads, in order |
//! | `exception_*`, `event_nodes` | out | a leaf or a node moved; nodes in use |
//!
//! **Timing** the containing block says. Widths are those of its `WARP_BITS`, `COUNT_BITS` and `WORD_BITS`.
//! **Source** TD-09.

/// Declares the block that it is given, with these ports behind its own; [`block!`](crate::block) calls it.
#[macro_export]
macro_rules! tree_ports {
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
                    /// A deferred leaf is exchanged with a ready one every so many instructions (0 means 256).
                    pub exchange_interval: Signal<In, Bits<8>>,
                    /// Nodes in use by the warp of `event_push_warp`, before what happens in this cycle.
                    pub event_nodes: Signal<Out, Bits<COUNT_BITS>>,
                    /// A leaf or a node moved: a strobe.
                    pub exception_valid: Signal<Out, Bit>,
                    /// To memory 1, back 2.
                    pub exception_cause: Signal<Out, Bits<2>>,
                    /// Whose.
                    pub exception_warp: Signal<Out, Bits<WARP_BITS>>,
                    /// Address of the spill areas, in words, aligned to warps × 4096.
                    pub spill_base: Signal<In, Bits<32>>,
                    /// Words that a warp may use, one for each thread of a tree, but at least 64, for deferred leaves among them.
                    pub spill_limit: Signal<In, Bits<SLOT_BITS>>,
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
