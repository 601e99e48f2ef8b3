//! What an engine of the core shows and takes of warps that are saved and restored, whichever engine it is: a block that says
//! `shared { engine_context_ports }` has these ports behind its own.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `launch_resumes`, `launch_yields`, `query_yields` | in, in, out | a warp's yield state, saved and restored |
//! | `saved_*` | out | a token that leaves for a saved context; the end of them |
//!
//! **Timing** that of the engine. **Source** CX-09.

/// Declares the block that it is given, with these ports behind its own; [`block!`](crate::block) calls it.
#[macro_export]
macro_rules! engine_context_ports {
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
                    /// The warp that is launched was saved: it goes on with the yield state that it had.
                    pub launch_resumes: Signal<In, Bit>,
                    /// That. A tree does not look at it.
                    pub launch_yields: Signal<In, Bits<16>>,
                    /// The yield state of the warp looked at; 0 of a tree.
                    pub query_yields: Signal<Out, Bits<16>>,
                    /// A token, or a leaf or a node, leaves.
                    pub saved_valid: Signal<Out, Bit>,
                    /// Nothing was left: the warp no longer runs.
                    pub saved_last: Signal<Out, Bit>,
                    /// Its kind.
                    pub saved_kind: Signal<Out, Bits<4>>,
                    /// Its threads.
                    pub saved_mask: Signal<Out, Bits<THREADS>>,
                    /// Its address.
                    pub saved_address: Signal<Out, Bits<ADDRESS_BITS>>,
                }
                $(shared { $($more),+ })?
                parts { $($parts)* }
            }
        }
    };
}
