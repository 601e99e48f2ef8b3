//! Where a core meets its instructions and its lanes: a block that says `shared { lane_ports }` has these ports behind its own.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `fetch_*` | out, in | the instruction of the warp whose turn it is; in the same cycle, or it is missing |
//! | `lane_valid` to `lane_place` | out | the instruction that the lanes look at, whose it is, who runs it |
//! | `lane_named` to `lane_reference` | in | what of it depends on registers and predicates; in the same cycle |
//! | `lane_busy` | in | warps whose data is missing: they do not issue |
//! | `lane_issue`, `lane_present`, `lane_illegal` | out | what becomes of it |
//!
//! The lanes do the work of an instruction at the edge at which `lane_issue` is high, and only then. An instruction that the engine
//! refuses is looked at again, unchanged, until it accepts.
//!
//! **Timing** `fetch_*` does not depend on `lane_*`, `lane_valid` to `lane_place` do not depend on the lanes' answers.
//! **Source** IS-01, SM-02.

/// Declares the block that it is given, with these ports behind its own; [`block!`](crate::block) calls it.
#[macro_export]
macro_rules! lane_ports {
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
                    /// An instruction is looked for.
                    pub fetch_valid: Signal<Out, Bit>,
                    /// Whose.
                    pub fetch_warp: Signal<Out, Bits<WARP_BITS>>,
                    /// Where, in instructions.
                    pub fetch_address: Signal<Out, Bits<ADDRESS_BITS>>,
                    /// The instruction.
                    pub fetch_word: Signal<In, Bits<64>>,
                    /// It is there; else the warp is out of the race until it has come.
                    pub fetch_hit: Signal<In, Bit>,
                    /// Warps whose missing instruction has come.
                    pub fetch_filled: Signal<In, Bits<WARPS>>,
                    /// The lanes look at an instruction.
                    pub lane_valid: Signal<Out, Bit>,
                    /// Whose.
                    pub lane_warp: Signal<Out, Bits<WARP_BITS>>,
                    /// Where it is.
                    pub lane_address: Signal<Out, Bits<ADDRESS_BITS>>,
                    /// The instruction.
                    pub lane_word: Signal<Out, Bits<64>>,
                    /// Threads that issue it.
                    pub lane_active: Signal<Out, Bits<THREADS>>,
                    /// The slot of their block.
                    pub lane_slot: Signal<Out, Bits<WARP_BITS>>,
                    /// The number of their warp in their block.
                    pub lane_place: Signal<Out, Bits<WARP_BITS>>,
                    /// Those of them in which its guard holds.
                    pub lane_named: Signal<In, Bits<THREADS>>,
                    /// Of BRX, JMX, and RET and LONGJMP by register: the named threads whose address is that of the first of them.
                    pub lane_agreeing: Signal<In, Bits<THREADS>>,
                    /// That address.
                    pub lane_target: Signal<In, Bits<ADDRESS_BITS>>,
                    /// Of WAIT, EXPECT and COMPLETE: threads whose parity is odd.
                    pub lane_parity: Signal<In, Bits<THREADS>>,
                    /// Of EXPECT and COMPLETE: sum of the counts of the named threads whose parity is even.
                    pub lane_even: Signal<In, Bits<12>>,
                    /// The same where it is odd.
                    pub lane_odd: Signal<In, Bits<12>>,
                    /// Of BARRIER.CONF with the reference in a register: that of the first named thread.
                    pub lane_reference: Signal<In, Bits<10>>,
                    /// Warps whose data is missing.
                    pub lane_busy: Signal<In, Bits<WARPS>>,
                    /// The engine accepts it: the lanes do its work.
                    pub lane_issue: Signal<Out, Bit>,
                    /// It goes to the barrier scheduler: the lanes have nothing to do.
                    pub lane_present: Signal<Out, Bit>,
                    /// It is a barrier form, and the barrier scheduler is switched off: nothing happens.
                    pub lane_illegal: Signal<Out, Bit>,
                }
                $(shared { $($more),+ })?
                parts { $($parts)* }
            }
        }
    };
}
