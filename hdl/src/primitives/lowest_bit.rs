//! The lowest bit that is set in a mask, combinationally.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `mask` | in | `WIDTH` | the bits to choose from |
//! | `found` | out | 1 | one is set |
//! | `index` | out | `INDEX_BITS` | which one is the lowest; 0 if none is set. `WIDTH` ≤ 2^`INDEX_BITS` |
//! | `one_hot` | out | `WIDTH` | that bit alone |
//!
//! **Timing** combinational. A chain of signals would say the same in `hdl_gen`, but would cost the simulation one
//! pass for each bit.
//! **Invariants** 1. a bit is `found` if any is set, and `index` is the lowest. 2. `one_hot` has that bit and no other.

use crate::prelude::*;

/// See the module's page.
#[derive(Clone, Debug, Default, LogicBlock)]
pub struct LowestBit<const WIDTH: usize, const INDEX_BITS: usize> {
    /// The bits to choose from.
    pub mask: Signal<In, Bits<WIDTH>>,
    /// One is set.
    pub found: Signal<Out, Bit>,
    /// Which one is the lowest.
    pub index: Signal<Out, Bits<INDEX_BITS>>,
    /// That bit alone.
    pub one_hot: Signal<Out, Bits<WIDTH>>,
}

impl<const WIDTH: usize, const INDEX_BITS: usize> Part for LowestBit<WIDTH, INDEX_BITS> {
    fn settle(&mut self) -> bool {
        if !self.mask.settle() {
            return false;
        }
        self.update();
        self.found.settle() | self.index.settle() | self.one_hot.settle()
    }

    fn edge(&mut self) -> bool {
        false
    }
}

impl<const WIDTH: usize, const INDEX_BITS: usize> Logic for LowestBit<WIDTH, INDEX_BITS> {
    fn update(&mut self) {
        let mask = self.mask.val().value();
        self.found.next = mask != 0;
        self.index.next = bits(if mask == 0 { 0 } else { u64::from(mask.trailing_zeros()) });
        self.one_hot.next = Bits::new(mask & mask.wrapping_neg());
    }

    fn connect(&mut self) {
        self.found.connect();
        self.index.connect();
        self.one_hot.connect();
    }

    fn hdl(&self) -> Verilog {
        let lowest = format!("(mask & (~mask + {WIDTH}'d1))");
        // A bit of the index is set if the lowest bit is one of those whose number has it.
        let index: Vec<String> = (0..INDEX_BITS)
            .rev()
            .map(|bit| {
                let members =
                    (0..WIDTH).filter(|place| place >> bit & 1 == 1).fold(0, |all, place| all | 1_u128 << place);
                format!("  |({lowest} & {WIDTH}'h{members:x})")
            })
            .collect();
        Verilog::Custom(format!(
            "assign found = |mask;\nassign one_hot = {lowest};\nassign index = {{\n{}\n}};\n",
            index.join(",\n")
        ))
    }
}
