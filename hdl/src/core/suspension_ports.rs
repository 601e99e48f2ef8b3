//! Suspensions at the ports of a core: a block that says `shared { suspension_ports }` has these ports behind its own.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `suspend_valid`, `suspend_ready`, `suspend_*` | in, out, in | the block in a slot is to leave for a save area, or a block is to come back from one |
//! | `suspend_done`, `suspend_failure`, `suspend_end`, `suspend_held` | out | strobe: it is over; why not; behind the last word of the area; in which slot |
//! | `save_*` | | the memory of the save areas, valid/ready, answers to reads only |
//!
//! **Timing** `suspend_done` is high in the last cycle in which the block is in its slot, or in the first in which a block that came back may issue;
//! `suspend_end` and `suspend_held` are valid with it. **Source** SM-05, CX-09.

/// Declares the block that it is given, with these ports behind its own; [`block!`](crate::block) calls it.
#[macro_export]
macro_rules! suspension_ports {
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
                    /// A block is to leave, or to come back.
                    pub suspend_valid: Signal<In, Bit>,
                    /// That is begun; no other is at work.
                    pub suspend_ready: Signal<Out, Bit>,
                    /// It is to come back.
                    pub suspend_resumes: Signal<In, Bit>,
                    /// The slot of the block that is to leave.
                    pub suspend_slot: Signal<In, Bits<WARP_BITS>>,
                    /// Where its save area begins, in words of 64 bits; of a block that comes back, behind its last word.
                    pub suspend_address: Signal<In, Bits<32>>,
                    /// The slots and the warps that a block may come back to.
                    pub suspend_warps: Signal<In, Bits<WARPS>>,
                    /// Cycles in which a thread must have left the section that it is inside, at least 1.
                    pub suspend_patience: Signal<In, Bits<16>>,
                    /// It is over.
                    pub suspend_done: Signal<Out, Bit>,
                    /// Done 0, no room for local memory 1, a thread did not leave its section 2, the slot holds no block 3.
                    pub suspend_failure: Signal<Out, Bits<2>>,
                    /// Behind the last word of the save area.
                    pub suspend_end: Signal<Out, Bits<32>>,
                    /// The slot that the block was in, or is in now.
                    pub suspend_held: Signal<Out, Bits<WARP_BITS>>,
                    /// A request to the memory of the save areas.
                    pub save_request_valid: Signal<Out, Bit>,
                    /// It is taken.
                    pub save_request_ready: Signal<In, Bit>,
                    /// It writes.
                    pub save_request_write: Signal<Out, Bit>,
                    /// Address, in words of 64 bits.
                    pub save_request_address: Signal<Out, Bits<32>>,
                    /// The word to write.
                    pub save_request_data: Signal<Out, Bits<64>>,
                    /// An answer to a read.
                    pub save_response_valid: Signal<In, Bit>,
                    /// It is taken.
                    pub save_response_ready: Signal<Out, Bit>,
                    /// The word read.
                    pub save_response_data: Signal<In, Bits<64>>,
                }
                $(shared { $($more),+ })?
                parts { $($parts)* }
            }
        }
    };
}
