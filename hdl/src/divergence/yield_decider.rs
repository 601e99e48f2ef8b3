//! Whether a YIELD yields: always, every Nth of the warp, or at random with a threshold.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `policy`, `amount` | in | 2, 8 | always 0, every Nth 1 (N = amount, 0 means 256), random 2 (threshold in 1/256) |
//! | `present` | in | 16 | the warp's state: YIELDs counted, or its generator |
//! | `fires` | out | 1 | this YIELD yields |
//! | `following` | out | 16 | the state after it |
//! | `seed` | in | 16 | seed of the generators |
//! | `first_state` | out | 16 | the state of a warp that is launched |
//!
//! **Timing** combinational. **Invariants** 1. the counter is the warp's, whatever threads yield: a counter for "the same
//! set" livelocks. 2. the generator never stands at zero.
//! **Source** US 9,459,876, YIELD that disables the threads every N iterations or by a random number; DQ-30.

use super::token::{YieldPolicy, YIELD_GENERATOR_TAPS};
use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct YieldDecider {
        ports {
            /// Always 0, every Nth 1, random 2.
            pub policy: Signal<In, Bits<2>>,
            /// N, or the threshold.
            pub amount: Signal<In, Bits<8>>,
            /// The warp's state.
            pub present: Signal<In, Bits<16>>,
            /// This YIELD yields.
            pub fires: Signal<Out, Bit>,
            /// The warp's state afterwards.
            pub following: Signal<Out, Bits<16>>,
            /// Seed of the generators.
            pub seed: Signal<In, Bits<16>>,
            /// The state of a warp that is launched.
            pub first_state: Signal<Out, Bits<16>>,
        }
        parts {
            counted: Signal<Local, Bits<8>>,
            generated: Signal<Local, Bits<16>>,
            taps: Constant<Bits<16>> = Constant::new(bits(YIELD_GENERATOR_TAPS as u64)),
            every_nth: Constant<Bits<2>> = Constant::new(bits(YieldPolicy::EveryNth as u64)),
            random: Constant<Bits<2>> = Constant::new(bits(YieldPolicy::Random as u64)),
        }
    }
}

impl Logic for YieldDecider {
    #[hdl_gen]
    fn update(&mut self) {
        self.counted.next = self.present.val().get_bits::<8>(0) + 1;
        self.generated.next = self.present.val() >> 1;
        if self.present.val().get_bit(0) {
            self.generated.next = (self.present.val() >> 1) ^ self.taps.val();
        }

        self.fires.next = true;
        self.following.next = self.present.val();
        self.first_state.next = 0.into();
        if self.policy.val() == self.every_nth.val() {
            self.fires.next = self.counted.val() == self.amount.val();
            self.following.next = bit_cast::<16, 8>(self.counted.val());
            if self.counted.val() == self.amount.val() {
                self.following.next = 0.into();
            }
        }
        if self.policy.val() == self.random.val() {
            self.fires.next = self.generated.val().get_bits::<8>(0) < self.amount.val();
            self.following.next = self.generated.val();
            self.first_state.next = self.seed.val();
            if !self.seed.val().any() {
                self.first_state.next = 1.into();
            }
        }
    }
}
