//! The ports by which a warp of a tree leaves for its saved context. A block that says `shared { saved_ports }` has them behind its own.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `saved_valid`, `saved_*` | out | a node or a leaf leaves: its kind, where its threads go on, its name, that of the node above |
//! | `saved_last` | out | the warp left |
//!
//! **Timing** strobes; one node or leaf a cycle. Widths are those of the block's `ADDRESS_BITS`.
//! **Source** CX-09.

/// Declares the block that it is given, with these ports behind its own; [`block!`](crate::block) calls it.
#[macro_export]
macro_rules! saved_ports {
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
                    /// A node or a leaf leaves with a warp that is being saved.
                    pub saved_valid: Signal<Out, Bit>,
                    /// The warp left; it no longer runs, and did not halt.
                    pub saved_last: Signal<Out, Bit>,
                    /// The node's kind; `Divergence` of a leaf.
                    pub saved_kind: Signal<Out, Bits<4>>,
                    /// Where they go on.
                    pub saved_address: Signal<Out, Bits<ADDRESS_BITS>>,
                    /// What the nodes and leaves below it call it; 0 of a leaf.
                    pub saved_node: Signal<Out, Bits<LINK_BITS>>,
                    /// The node above it; 0: none.
                    pub saved_above: Signal<Out, Bits<LINK_BITS>>,
                }
                $(shared { $($more),+ })?
                parts { $($parts)* }
            }
        }
    };
}
