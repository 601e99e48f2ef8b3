//! What a core does, for observers and counters: a block that says `shared { offer_ports }` has these ports behind its own.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `offer_*` | out | the request at the engine's port, where it comes from, and whether it is accepted |
//! | `error_*`, `event_*` | out | as at the engine |
//! | `observe_*` | in, out | address, active and disabled threads of any warp, in the same cycle; while it looks, nothing is offered, and a warp that is being saved waits |
//!
//! **Timing** combinational; strobes hold for the cycle in which something happens. **Source** SM-06.

/// Declares the block that it is given, with these ports behind its own; [`block!`](crate::block) calls it.
#[macro_export]
macro_rules! offer_ports {
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
                    /// The engine is offered something.
                    pub offer_valid: Signal<Out, Bit>,
                    /// It accepts.
                    pub offer_ready: Signal<Out, Bit>,
                    /// Instruction 0, part of a barrier's answer 1, wake-up 2.
                    pub offer_origin: Signal<Out, Bits<2>>,
                    /// Whose.
                    pub offer_warp: Signal<Out, Bits<WARP_BITS>>,
                    /// What it does, as at the engine's request port.
                    pub offer_operation: Signal<Out, Bits<4>>,
                    /// Kind of token that it pushes or waits for.
                    pub offer_kind: Signal<Out, Bits<4>>,
                    /// Threads that it names.
                    pub offer_mask: Signal<Out, Bits<THREADS>>,
                    /// Its address operand.
                    pub offer_target: Signal<Out, Bits<ADDRESS_BITS>>,
                    /// A leave carries an address.
                    pub offer_targeted: Signal<Out, Bit>,
                    /// Further groups of a leave follow.
                    pub offer_again: Signal<Out, Bit>,
                    /// The engine stopped a warp.
                    pub error_valid: Signal<Out, Bit>,
                    /// Fatal 3, lost thread 4.
                    pub error_cause: Signal<Out, Bits<3>>,
                    /// Which.
                    pub error_warp: Signal<Out, Bits<WARP_BITS>>,
                    /// The instruction at which it was stopped.
                    pub error_address: Signal<Out, Bits<ADDRESS_BITS>>,
                    /// A token entered a queue, or a node came into use.
                    pub event_push: Signal<Out, Bit>,
                    /// Whose.
                    pub event_push_warp: Signal<Out, Bits<WARP_BITS>>,
                    /// A token left a queue, or a node was freed.
                    pub event_pop: Signal<Out, Bit>,
                    /// Whose.
                    pub event_pop_warp: Signal<Out, Bits<WARP_BITS>>,
                    /// A branch, an indirect one or a call diverged.
                    pub event_diverge: Signal<Out, Bit>,
                    /// Threads yielded, at a YIELD or implicitly.
                    pub event_yield: Signal<Out, Bit>,
                    /// They merged into a token that was there.
                    pub event_merge: Signal<Out, Bit>,
                    /// An unwind discarded a token.
                    pub event_discard: Signal<Out, Bit>,
                    /// An observer looks at a warp.
                    pub observe_valid: Signal<In, Bit>,
                    /// Which.
                    pub observe_warp: Signal<In, Bits<WARP_BITS>>,
                    /// The reason looked at.
                    pub observe_kind: Signal<In, Bits<4>>,
                    /// The next instruction of the warp looked at.
                    pub observe_address: Signal<Out, Bits<ADDRESS_BITS>>,
                    /// Its active threads.
                    pub observe_active: Signal<Out, Bits<THREADS>>,
                    /// Its threads disabled for that reason.
                    pub observe_disabled: Signal<Out, Bits<THREADS>>,
                }
                $(shared { $($more),+ })?
                parts { $($parts)* }
            }
        }
    };
}
