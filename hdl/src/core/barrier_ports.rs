//! How the barriers of a core are set up, and what happens at them, for observers and counters: a block that says `shared { barrier_ports }` has
//! these ports behind its own.
//!
//! | port group | direction | meaning |
//! | --- | --- | --- |
//! | `barriers_enable`, `late_join_all`, `exclusive_inside`, `class_conflicts`, `reserved_slots` | in | configuration, stable until every grid is done |
//! | `answer_*` | out | strobe: an instruction is answered completely |
//! | `barrier_request_*`, `barrier_response_*`, `barrier_error_*`, `barrier_wake_*` | out | the traffic at the scheduler's ports |
//! | `event_dynamic` to `event_timeout` | out | as at the scheduler |
//! | `barriers_still`, `barriers_occupied` | out | state |
//!
//! **Timing** that of `barrier_scheduler`. **Source** SM-06, SM-07, BR-01.

/// Declares the block that it is given, with these ports behind its own; [`block!`](crate::block) calls it.
#[macro_export]
macro_rules! barrier_ports {
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
                    /// The barrier scheduler runs barrier forms, and sees exits first.
                    pub barriers_enable: Signal<In, Bit>,
                    /// Every barrier takes late arrivals into its running execution.
                    pub late_join_all: Signal<In, Bit>,
                    /// An exclusive section waits until no other has a thread inside, instead of until no slot is occupied.
                    pub exclusive_inside: Signal<In, Bit>,
                    /// Bit 4 a + b: resource class a conflicts with class b.
                    pub class_conflicts: Signal<In, Bits<16>>,
                    /// How many slots, the lowest ones, only class 3 may use.
                    pub reserved_slots: Signal<In, Bits<5>>,
                    /// An instruction is answered.
                    pub answer_valid: Signal<Out, Bit>,
                    /// Whose.
                    pub answer_warp: Signal<Out, Bits<WARP_BITS>>,
                    /// It is an EXIT.
                    pub answer_exit: Signal<Out, Bit>,
                    /// Threads that issued it.
                    pub answer_active: Signal<Out, Bits<THREADS>>,
                    /// Those that sleep now.
                    pub answer_sleep: Signal<Out, Bits<THREADS>>,
                    /// Those that go on behind the bottom.
                    pub answer_skip: Signal<Out, Bits<THREADS>>,
                    /// Those that present it again.
                    pub answer_wait: Signal<Out, Bits<THREADS>>,
                    /// The instruction that is presented in this cycle asks nothing: its warp goes on.
                    pub answer_none: Signal<Out, Bit>,
                    /// A request.
                    pub barrier_request_valid: Signal<Out, Bit>,
                    /// It is accepted.
                    pub barrier_request_ready: Signal<Out, Bit>,
                    /// What is asked for, as at the scheduler's request port.
                    pub barrier_request_operation: Signal<Out, Bits<4>>,
                    /// For the block in that slot.
                    pub barrier_request_slot: Signal<Out, Bits<WARP_BITS>>,
                    /// The scheduler's block of threads.
                    pub barrier_request_block: Signal<Out, Bits<3>>,
                    /// The barrier.
                    pub barrier_request_barrier: Signal<Out, Bits<3>>,
                    /// Threads that do it.
                    pub barrier_request_mask: Signal<Out, Bits<BLOCK_THREADS>>,
                    /// Configuration, launch parameters, phase and count.
                    pub barrier_request_data: Signal<Out, Bits<64>>,
                    /// The answer to the request before.
                    pub barrier_response_valid: Signal<Out, Bit>,
                    /// It is to be presented again as a whole.
                    pub barrier_response_refused: Signal<Out, Bit>,
                    /// It was wrong: its warp stays where it is.
                    pub barrier_error: Signal<Out, Bit>,
                    /// Why: not inside 1, nested 2, other attributes 3, illegal configuration 4, overflow 5.
                    pub barrier_error_cause: Signal<Out, Bits<3>>,
                    /// The slot of its block.
                    pub barrier_error_slot: Signal<Out, Bits<WARP_BITS>>,
                    /// The scheduler's block of the thread that is to blame.
                    pub barrier_error_block: Signal<Out, Bits<3>>,
                    /// Its offset there.
                    pub barrier_error_offset: Signal<Out, Bits<OFFSET_BITS>>,
                    /// The barrier of the request.
                    pub barrier_error_barrier: Signal<Out, Bits<3>>,
                    /// The address of the request.
                    pub barrier_error_address: Signal<Out, Bits<ADDRESS_BITS>>,
                    /// The barrier whose section the thread is inside.
                    pub barrier_error_other_barrier: Signal<Out, Bits<3>>,
                    /// The address of that section's top.
                    pub barrier_error_other_address: Signal<Out, Bits<ADDRESS_BITS>>,
                    /// Threads of a warp are woken: they are on their way to the engine.
                    pub barrier_wake_valid: Signal<Out, Bit>,
                    /// Whose.
                    pub barrier_wake_warp: Signal<Out, Bits<WARP_BITS>>,
                    /// Which.
                    pub barrier_wake_mask: Signal<Out, Bits<THREADS>>,
                    /// Where they go on.
                    pub barrier_wake_address: Signal<Out, Bits<ADDRESS_BITS>>,
                    /// One thread enters a section.
                    pub barrier_wake_inside: Signal<Out, Bit>,
                    /// A barrier turned dynamic.
                    pub event_dynamic: Signal<Out, Bit>,
                    /// A barrier moved into a slot.
                    pub event_handed: Signal<Out, Bit>,
                    /// A barrier left its slot and turned idle.
                    pub event_idle: Signal<Out, Bit>,
                    /// A phase of a barrier ended: its sleepers wake.
                    pub event_released: Signal<Out, Bit>,
                    /// A timeout took effect.
                    pub event_timeout: Signal<Out, Bit>,
                    /// The scheduler has taken a block in.
                    pub event_launched: Signal<Out, Bit>,
                    /// Nothing is under way between core and scheduler.
                    pub barriers_still: Signal<Out, Bit>,
                    /// Slots of the scheduler that hold a barrier.
                    pub barriers_occupied: Signal<Out, Bits<16>>,
                }
                $(shared { $($more),+ })?
                parts { $($parts)* }
            }
        }
    };
}
