//! The ports of an instruction on a tree whose sets of threads its owner parts and unites. A block that says `shared { instruction_ports }` has
//! them behind its own.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `request_*` | in, `request_ready` out | the instruction, one a cycle |
//! | `idle`, `mask`, `waking`, `sleeping`, `joining` | out | what its owner has to know of the one at work |
//! | `named`, `rest`, `taken_first`, `joined_ready`, `unites`, `outlives` | in | what its owner says of the sets of threads |
//! | `joins`, `sleeps`, `wakes`, `exits` | out | strobes: what becomes of those named |
//!
//! **Timing** combinational between instruction and answer. Widths are those of the block's `SET_BITS` and `ADDRESS_BITS`.
//! **Source** TD-02 to TD-06.

/// Declares the block that it is given, with these ports behind its own; [`block!`](crate::block) calls it.
#[macro_export]
macro_rules! instruction_ports {
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
                    /// An instruction is offered.
                    pub request_valid: Signal<In, Bit>,
                    /// It is taken.
                    pub request_ready: Signal<Out, Bit>,
                    /// What it does.
                    pub request_operation: Signal<In, Bits<4>>,
                    /// Its kind.
                    pub request_kind: Signal<In, Bits<4>>,
                    /// The set that it names.
                    pub request_mask: Signal<In, Bits<SET_BITS>>,
                    /// Its address operand.
                    pub request_target: Signal<In, Bits<ADDRESS_BITS>>,
                    /// A leave carries an address.
                    pub request_targeted: Signal<In, Bit>,
                    /// Further groups of a leave follow.
                    pub request_again: Signal<In, Bit>,
                    /// The leaf's threads that the instruction names; of a wake-up, those that wake.
                    pub named: Signal<In, Bits<SET_BITS>>,
                    /// The others of the leaf.
                    pub rest: Signal<In, Bits<SET_BITS>>,
                    /// The taken side of a branch stays selected.
                    pub taken_first: Signal<In, Bit>,
                    /// The union of those named with those who have arrived is settled.
                    pub joined_ready: Signal<In, Bit>,
                    /// Leaves may merge.
                    pub unites: Signal<In, Bit>,
                    /// Somebody lives on after an exit of those named.
                    pub outlives: Signal<In, Bit>,
                    /// The instruction's own cycle: the next one can be taken.
                    pub idle: Signal<Out, Bit>,
                    /// The set that it names, while it is at work.
                    pub mask: Signal<Out, Bits<SET_BITS>>,
                    /// A warp may be woken in this cycle.
                    pub waking: Signal<Out, Bit>,
                    /// The instruction sends threads to sleep.
                    pub sleeping: Signal<Out, Bit>,
                    /// Those named will arrive once their union is settled.
                    pub joining: Signal<Out, Bit>,
                    /// They arrive.
                    pub joins: Signal<Out, Bit>,
                    /// They fall asleep.
                    pub sleeps: Signal<Out, Bit>,
                    /// They wake.
                    pub wakes: Signal<Out, Bit>,
                    /// They exit.
                    pub exits: Signal<Out, Bit>,
                }
                $(shared { $($more),+ })?
                parts { $($parts)* }
            }
        }
    };
}
