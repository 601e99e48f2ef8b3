//! How many bits of a mask are set, combinationally.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `mask` | in | `WIDTH` | the bits to count |
//! | `count` | out | `COUNT_BITS` | how many are set; `COUNT_BITS` ≥ log2(`WIDTH`) + 1 |
//!
//! **Timing** combinational. A chain of signals would say the same in `hdl_gen`, but would cost the simulation one
//! pass for each bit.
//! **Invariants** 1. `count` is the number of bits that are set.

use crate::prelude::*;

/// See the module's page.
#[derive(Clone, Debug, Default, LogicBlock)]
pub struct PopulationCount<const WIDTH: usize, const COUNT_BITS: usize> {
    /// The bits to count.
    pub mask: Signal<In, Bits<WIDTH>>,
    /// How many are set.
    pub count: Signal<Out, Bits<COUNT_BITS>>,
}

impl<const WIDTH: usize, const COUNT_BITS: usize> Part for PopulationCount<WIDTH, COUNT_BITS> {
    fn settle(&mut self) -> bool {
        if !self.mask.settle() {
            return false;
        }
        self.update();
        self.count.settle()
    }

    fn edge(&mut self) -> bool {
        false
    }
}

impl<const WIDTH: usize, const COUNT_BITS: usize> Logic for PopulationCount<WIDTH, COUNT_BITS> {
    fn update(&mut self) {
        self.count.next = bits(u64::from(self.mask.val().value().count_ones()));
    }

    fn connect(&mut self) {
        self.count.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "integer index;\nalways @(*) begin\n  count = {COUNT_BITS}'d0;\n  \
             for (index = 0; index < {WIDTH}; index = index + 1)\n    \
             count = count + {{{{{}{{1'b0}}}}, mask[index]}};\nend\n",
            COUNT_BITS - 1
        ))
    }
}
