//! Which core is given the next set of blocks: the first that asks, counted from the core after the one that took the last set.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `ready` | in | `CORES` | cores that have room for a set |
//! | `last` | in | `CORE_BITS` | the core that took the last set |
//! | `core` | out | `CORE_BITS` | the core chosen; core 0 if none asks |
//!
//! **Timing** combinational. **Invariants** 1. if any core asks, the one chosen asks. 2. a core that keeps asking is chosen after
//! at most `CORES` - 1 sets for others.
//! **Source** WD-09.

use crate::prelude::*;

block! {
    /// See the module's page.
    pub struct CoreSelector<const CORES: usize, const CORE_BITS: usize> {
        ports {
            /// Cores that have room for a set.
            pub ready: Signal<In, Bits<CORES>>,
            /// The core that took the last set.
            pub last: Signal<In, Bits<CORE_BITS>>,
            /// The core chosen.
            pub core: Signal<Out, Bits<CORE_BITS>>,
        }
        parts {
            later: Signal<Local, Bits<CORES>>,
            asking: Signal<Local, Bits<CORES>>,
            lowest: Signal<Local, Bits<CORES>>,
            number: [Constant<Bits<CORE_BITS>>; CORES] = std::array::from_fn(|at| Constant::new(bits(at as u64))),
        }
    }
}

impl<const CORES: usize, const CORE_BITS: usize> Logic for CoreSelector<CORES, CORE_BITS> {
    #[hdl_gen]
    fn update(&mut self) {
        // Those behind the last one come first; the lowest of them is marked, and marks become a number.
        self.later.next = self.ready.val() & (((!bits::<CORES>(0)) << self.last.val()) << 1);
        self.asking.next = self.ready.val();
        if self.later.val().any() {
            self.asking.next = self.later.val();
        }
        self.lowest.next = self.asking.val() & (!self.asking.val() + 1);
        self.core.next = 0.into();
        for i in 0..CORES {
            if self.lowest.val().get_bit(i) {
                self.core.next = self.number[i].val();
            }
        }
    }
}
