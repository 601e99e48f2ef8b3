//! The ports of a divergence engine to the core around it: launches, instructions, observation, events. Whatever decides which threads run
//! (SM-01) shows these: a block that says `shared { engine_ports }` has them behind its own.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `launch_*` | in, `launch_ready` out | starts a warp that is not running |
//! | `request_*` | in, `request_ready` out | one instruction of a running warp, one a cycle |
//! | `query_*` | in / out | address, active threads and disabled threads of a warp, in the same cycle |
//! | `warp_ready`, `warp_running` | out | a bit a warp: it may issue; it has neither halted nor been stopped |
//! | `done_*`, `error_*` | out | strobes: a warp halted; a warp was stopped |
//! | `event_*` | out | strobes for counters |
//!
//! **Timing** the containing block says. Widths are those of its `WARPS`, `WARP_BITS`, `THREADS` and `ADDRESS_BITS`.
//! **Source** DQ-20 to DQ-29, SM-01, SM-07.

/// Declares the block that it is given, with these ports behind its own; [`block!`](crate::block) calls it.
#[macro_export]
macro_rules! engine_ports {
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
                    /// A warp is to start.
                    pub launch_valid: Signal<In, Bit>,
                    /// It is taken.
                    pub launch_ready: Signal<Out, Bit>,
                    /// Which; one that is not running.
                    pub launch_warp: Signal<In, Bits<WARP_BITS>>,
                    /// Its threads.
                    pub launch_mask: Signal<In, Bits<THREADS>>,
                    /// Its first instruction.
                    pub launch_address: Signal<In, Bits<ADDRESS_BITS>>,
                    /// An instruction is offered.
                    pub request_valid: Signal<In, Bit>,
                    /// It is taken.
                    pub request_ready: Signal<Out, Bit>,
                    /// Whose.
                    pub request_warp: Signal<In, Bits<WARP_BITS>>,
                    /// Step 0, push 1, branch 2, indirect 3, call 4, leave 5, yield 6, exit 7, sleep 8, wake 9, withdraw 10, deposit 11, disable 12.
                    pub request_operation: Signal<In, Bits<4>>,
                    /// Kind of the token to push or to wait for.
                    pub request_kind: Signal<In, Bits<4>>,
                    /// Threads that it names: active ones, of a wake sleeping ones.
                    pub request_mask: Signal<In, Bits<THREADS>>,
                    /// Its address operand, in instructions.
                    pub request_target: Signal<In, Bits<ADDRESS_BITS>>,
                    /// A leave carries an address.
                    pub request_targeted: Signal<In, Bit>,
                    /// Further groups of a leave follow: the PC stays.
                    pub request_again: Signal<In, Bit>,
                    /// The warp looked at.
                    pub query_warp: Signal<In, Bits<WARP_BITS>>,
                    /// The reason looked at.
                    pub query_kind: Signal<In, Bits<4>>,
                    /// Its next instruction.
                    pub query_address: Signal<Out, Bits<ADDRESS_BITS>>,
                    /// Its active threads.
                    pub query_active: Signal<Out, Bits<THREADS>>,
                    /// Its threads disabled for that reason.
                    pub query_disabled: Signal<Out, Bits<THREADS>>,
                    /// A bit a warp: it may issue. A parked warp may not, but takes a wake.
                    pub warp_ready: Signal<Out, Bits<WARPS>>,
                    /// A bit a warp: it runs.
                    pub warp_running: Signal<Out, Bits<WARPS>>,
                    /// A warp halted, every thread exited.
                    pub done_valid: Signal<Out, Bit>,
                    /// Which.
                    pub done_warp: Signal<Out, Bits<WARP_BITS>>,
                    /// A warp was stopped.
                    pub error_valid: Signal<Out, Bit>,
                    /// Fatal 3, lost thread 4.
                    pub error_cause: Signal<Out, Bits<3>>,
                    /// Which.
                    pub error_warp: Signal<Out, Bits<WARP_BITS>>,
                    /// The instruction at which it was stopped.
                    pub error_address: Signal<Out, Bits<ADDRESS_BITS>>,
                    /// A token entered a queue.
                    pub event_push: Signal<Out, Bit>,
                    /// Which.
                    pub event_push_warp: Signal<Out, Bits<WARP_BITS>>,
                    /// A token left a queue.
                    pub event_pop: Signal<Out, Bit>,
                    /// Which.
                    pub event_pop_warp: Signal<Out, Bits<WARP_BITS>>,
                    /// A branch, an indirect one or a call diverged.
                    pub event_diverge: Signal<Out, Bit>,
                    /// Threads yielded, at a YIELD or implicitly.
                    pub event_yield: Signal<Out, Bit>,
                    /// They merged into a token that was there.
                    pub event_merge: Signal<Out, Bit>,
                    /// An unwind discarded a token.
                    pub event_discard: Signal<Out, Bit>,
                }
                $(shared { $($more),+ })?
                parts { $($parts)* }
            }
        }
    };
}
