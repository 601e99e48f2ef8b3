//! Local memory at the ports of a core: a block that says `shared { local_memory_ports }` has these ports behind its own.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `local_words` | in | words of each thread; 0: there is no local memory. Stable from reset until all is done |
//! | `access_*` | in, `ready` out | the lanes: an access of a thread to its local memory |
//! | `location_*`, `access_error_*` | out | strobes in the next cycle: where the access goes, or that it goes nowhere |
//! | `complete_*` | in | strobe: an access that had a location was carried out |
//! | `allocate_*`, `allocated_*`, `free_*` | | the allocator, which is software: a request, its answer, memory given back |
//! | `copy_read_*`, `copy_data_*` | | the hardware's local memory: reads, and their answers in order |
//! | `copy_write_*`, `copy_acknowledge_valid` | | global memory: writes, and a strobe for each in order |
//! | `local_freeing` | out | memory of warps that have ended is still to be given back |
//! | `bind_error` | out | strobe: a warp has come back with a handle that is not its own; it goes on without local memory |
//!
//! Addresses count words of 32 bits; local and global memory are two spaces. The words of warp w of the core begin at w × `local_words` × threads of a warp in
//! local memory, wherever their group was before.
//!
//! **Timing** that of [`context_sequencer`](crate::context::context_sequencer). **Source** CX-01 to CX-08, CX-11.

/// Declares the block that it is given, with these ports behind its own; [`block!`](crate::block) calls it.
#[macro_export]
macro_rules! local_memory_ports {
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
                    /// Words of local memory of each thread.
                    pub local_words: Signal<In, Bits<16>>,
                    /// An access.
                    pub access_valid: Signal<In, Bit>,
                    /// It is taken.
                    pub access_ready: Signal<Out, Bit>,
                    /// Whose.
                    pub access_warp: Signal<In, Bits<WARP_BITS>>,
                    /// Thread of the warp.
                    pub access_thread: Signal<In, Bits<THREAD_BITS>>,
                    /// Word of the thread.
                    pub access_word: Signal<In, Bits<16>>,
                    /// The access of the last cycle has a place.
                    pub location_valid: Signal<Out, Bit>,
                    /// Its group.
                    pub location_group: Signal<Out, Bits<GROUP_BITS>>,
                    /// The place is in global memory, else in local memory.
                    pub location_global: Signal<Out, Bit>,
                    /// Which word of it.
                    pub location_address: Signal<Out, Bits<32>>,
                    /// The access of the last cycle has no place.
                    pub access_error_valid: Signal<Out, Bit>,
                    /// It was a group's.
                    pub access_error_bound: Signal<Out, Bit>,
                    /// The group; 0 if there is none.
                    pub access_error_group: Signal<Out, Bits<GROUP_BITS>>,
                    /// The warp.
                    pub access_error_warp: Signal<Out, Bits<WARP_BITS>>,
                    /// The thread.
                    pub access_error_thread: Signal<Out, Bits<THREAD_BITS>>,
                    /// The word.
                    pub access_error_word: Signal<Out, Bits<16>>,
                    /// An access was carried out.
                    pub complete_valid: Signal<In, Bit>,
                    /// Its group.
                    pub complete_group: Signal<In, Bits<GROUP_BITS>>,
                    /// Memory is asked for.
                    pub allocate_valid: Signal<Out, Bit>,
                    /// The allocator takes the request.
                    pub allocate_ready: Signal<In, Bit>,
                    /// The group that it is for.
                    pub allocate_group: Signal<Out, Bits<GROUP_BITS>>,
                    /// How many words.
                    pub allocate_words: Signal<Out, Bits<32>>,
                    /// The allocator answers.
                    pub allocated_valid: Signal<In, Bit>,
                    /// The answer is taken.
                    pub allocated_ready: Signal<Out, Bit>,
                    /// There is no memory.
                    pub allocated_failed: Signal<In, Bit>,
                    /// First word of the memory.
                    pub allocated_pointer: Signal<In, Bits<32>>,
                    /// Memory is given back.
                    pub free_valid: Signal<Out, Bit>,
                    /// The allocator takes it.
                    pub free_ready: Signal<In, Bit>,
                    /// The group that had it.
                    pub free_group: Signal<Out, Bits<GROUP_BITS>>,
                    /// Its first word.
                    pub free_pointer: Signal<Out, Bits<32>>,
                    /// A word of local memory is asked for.
                    pub copy_read_valid: Signal<Out, Bit>,
                    /// Local memory takes the request.
                    pub copy_read_ready: Signal<In, Bit>,
                    /// Which word.
                    pub copy_read_address: Signal<Out, Bits<32>>,
                    /// Local memory answers.
                    pub copy_data_valid: Signal<In, Bit>,
                    /// The answer is taken.
                    pub copy_data_ready: Signal<Out, Bit>,
                    /// The word.
                    pub copy_data: Signal<In, Bits<32>>,
                    /// A word for global memory.
                    pub copy_write_valid: Signal<Out, Bit>,
                    /// Global memory takes it.
                    pub copy_write_ready: Signal<In, Bit>,
                    /// Where it goes.
                    pub copy_write_address: Signal<Out, Bits<32>>,
                    /// The word.
                    pub copy_write_data: Signal<Out, Bits<32>>,
                    /// The oldest write was carried out.
                    pub copy_acknowledge_valid: Signal<In, Bit>,
                    /// Memory of warps that have ended is still to be given back.
                    pub local_freeing: Signal<Out, Bit>,
                    /// A warp has come back with a handle that is not its own.
                    pub bind_error: Signal<Out, Bit>,
                }
                $(shared { $($more),+ })?
                parts { $($parts)* }
            }
        }
    };
}
