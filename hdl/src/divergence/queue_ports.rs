//! The ports of a token queue to memory and to a software handler, which whoever contains a queue passes on unchanged: a block
//! that says `shared { queue_ports }` has them behind its own.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `exception_*` | out | a window met its end, or a spill area is full |
//! | `handler_*`, `window_*`, `queue_*`, `spill_*` | in / out | where exceptions go, and what a software handler sees and writes |
//! | `memory_*` | | spilled tokens: valid/ready requests, answers to reads in order |
//!
//! **Timing** `token_deque` says. Widths are those of the containing block's `POINTER_BITS` and `TOKEN_BITS`.
//! **Source** DQ-09 to DQ-13.

/// Declares the block that it is given, with these ports behind its own; [`block!`](crate::block) calls it.
#[macro_export]
macro_rules! queue_ports {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident $(<$(const $generic:ident : usize),+>)? {
            ports { $($ports:tt)* }
            parts { $($parts:tt)* }
        }
    ) => {
        $crate::block! {
            $(#[$attribute])*
            pub struct $name $(<$(const $generic: usize),+>)? {
                ports {
                    $($ports)*
                    /// An exception: a strobe, or high until the software handler is done.
                    pub exception_valid: Signal<Out, Bit>,
                    /// Recenter 0, spill 1, refill 2, fatal 3.
                    pub exception_cause: Signal<Out, Bits<2>>,
                    /// Whose queue.
                    pub exception_warp: Signal<Out, Bits<WARP_BITS>>,
                    /// Exceptions go to software.
                    pub handler_software: Signal<In, Bit>,
                    /// The software handler is done.
                    pub handler_done: Signal<In, Bit>,
                    /// Software writes the pointers of the warp in the exception.
                    pub handler_pointer_write: Signal<In, Bit>,
                    /// New head.
                    pub handler_head: Signal<In, Bits<POINTER_BITS>>,
                    /// New tail.
                    pub handler_tail: Signal<In, Bits<POINTER_BITS>>,
                    /// New first spill slot.
                    pub handler_spill_first: Signal<In, Bits<{ $crate::divergence::spill_engine::SPILL_BITS }>>,
                    /// New slot after the last spilled token.
                    pub handler_spill_end: Signal<In, Bits<{ $crate::divergence::spill_engine::SPILL_BITS }>>,
                    /// New number of spilled tokens.
                    pub handler_spill_count: Signal<In, Bits<{ $crate::divergence::spill_engine::SPILL_BITS }>>,
                    /// Software writes an entry of the window.
                    pub window_write: Signal<In, Bit>,
                    /// The entry that software reads or writes.
                    pub window_index: Signal<In, Bits<8>>,
                    /// What it writes.
                    pub window_data: Signal<In, Bits<TOKEN_BITS>>,
                    /// What it reads, one cycle after the index.
                    pub window_read_data: Signal<Out, Bits<TOKEN_BITS>>,
                    /// Head of the operation's warp.
                    pub queue_head: Signal<Out, Bits<POINTER_BITS>>,
                    /// Tail of the operation's warp.
                    pub queue_tail: Signal<Out, Bits<POINTER_BITS>>,
                    /// First spill slot of the operation's warp.
                    pub spill_first: Signal<Out, Bits<{ $crate::divergence::spill_engine::SPILL_BITS }>>,
                    /// Slot after the last spilled token of the operation's warp.
                    pub spill_end: Signal<Out, Bits<{ $crate::divergence::spill_engine::SPILL_BITS }>>,
                    /// Spilled tokens of the operation's warp.
                    pub spill_count: Signal<Out, Bits<{ $crate::divergence::spill_engine::SPILL_BITS }>>,
                    /// Address of the spill areas, in tokens, aligned to warps × 4096.
                    pub spill_base: Signal<In, Bits<32>>,
                    /// Tokens that a warp may spill.
                    pub spill_limit: Signal<In, Bits<{ $crate::divergence::spill_engine::SPILL_BITS }>>,
                    /// A memory request.
                    pub memory_request_valid: Signal<Out, Bit>,
                    /// It is taken.
                    pub memory_request_ready: Signal<In, Bit>,
                    /// It writes.
                    pub memory_request_write: Signal<Out, Bit>,
                    /// Address, in tokens.
                    pub memory_request_address: Signal<Out, Bits<32>>,
                    /// The token to write.
                    pub memory_request_data: Signal<Out, Bits<TOKEN_BITS>>,
                    /// An answer to a read.
                    pub memory_response_valid: Signal<In, Bit>,
                    /// It is taken.
                    pub memory_response_ready: Signal<Out, Bit>,
                    /// The token read.
                    pub memory_response_data: Signal<In, Bits<TOKEN_BITS>>,
                }
                parts { $($parts)* }
            }
        }
    };
}
