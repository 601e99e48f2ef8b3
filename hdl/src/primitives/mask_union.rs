//! The union of several masks, combinationally: a bit is set if it is set in one of them.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `masks` | in | `COUNT` × `WIDTH` | the masks |
//! | `result` | out | `WIDTH` | their union |
//!
//! **Timing** combinational. With all masks but one empty it is a multiplexer. A chain of signals would say the same in `hdl_gen`,
//! but would cost the simulation one pass for each mask.

use crate::prelude::*;

/// See the module's page.
#[derive(Clone, Debug, LogicBlock)]
pub struct MaskUnion<const COUNT: usize, const WIDTH: usize> {
    /// The masks.
    pub masks: [Signal<In, Bits<WIDTH>>; COUNT],
    /// Their union.
    pub result: Signal<Out, Bits<WIDTH>>,
}

impl<const COUNT: usize, const WIDTH: usize> Default for MaskUnion<COUNT, WIDTH> {
    fn default() -> Self {
        Self { masks: std::array::from_fn(|_| Signal::default()), result: Signal::default() }
    }
}

impl<const COUNT: usize, const WIDTH: usize> Part for MaskUnion<COUNT, WIDTH> {
    fn settle(&mut self) -> bool {
        if !self.masks.settle() {
            return false;
        }
        self.update();
        self.result.settle()
    }

    fn edge(&mut self) -> bool {
        false
    }
}

impl<const COUNT: usize, const WIDTH: usize> Logic for MaskUnion<COUNT, WIDTH> {
    fn update(&mut self) {
        self.result.next = self.masks.iter().fold(Bits::default(), |all, mask| all | mask.val());
    }

    fn connect(&mut self) {
        self.result.connect();
    }

    fn hdl(&self) -> Verilog {
        let masks: Vec<String> = (0..COUNT).map(|mask| format!("masks_{mask}")).collect();
        Verilog::Custom(format!("assign result =\n  {};\n", masks.join("\n  | ")))
    }
}
