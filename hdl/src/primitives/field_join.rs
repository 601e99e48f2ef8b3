//! A word of fields, the first one lowest, combinationally.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `fields` | in | `COUNT` × `WIDTH` | the fields |
//! | `word` | out | `TOTAL` | the word; `TOTAL` = `COUNT` × `WIDTH` |
//!
//! **Timing** combinational. `hdl_gen` cannot say an offset that depends on a parameter.

use crate::prelude::*;

/// See the module's page.
#[derive(Clone, Debug, LogicBlock)]
pub struct FieldJoin<const COUNT: usize, const WIDTH: usize, const TOTAL: usize> {
    /// The fields.
    pub fields: [Signal<In, Bits<WIDTH>>; COUNT],
    /// The word.
    pub word: Signal<Out, Bits<TOTAL>>,
}

impl<const COUNT: usize, const WIDTH: usize, const TOTAL: usize> Default for FieldJoin<COUNT, WIDTH, TOTAL> {
    fn default() -> Self {
        Self { fields: std::array::from_fn(|_| Signal::default()), word: Signal::default() }
    }
}

impl<const COUNT: usize, const WIDTH: usize, const TOTAL: usize> Part for FieldJoin<COUNT, WIDTH, TOTAL> {
    fn settle(&mut self) -> bool {
        if !self.fields.settle() {
            return false;
        }
        self.update();
        self.word.settle()
    }

    fn edge(&mut self) -> bool {
        false
    }
}

impl<const COUNT: usize, const WIDTH: usize, const TOTAL: usize> Logic for FieldJoin<COUNT, WIDTH, TOTAL> {
    fn update(&mut self) {
        let fields = self.fields.iter().enumerate();
        self.word.next =
            Bits::new(fields.fold(0, |word, (place, field)| word | field.val().value() << (place * WIDTH)));
    }

    fn connect(&mut self) {
        self.word.connect();
    }

    fn hdl(&self) -> Verilog {
        let fields: Vec<String> = (0..COUNT).rev().map(|place| format!("fields_{place}")).collect();
        Verilog::Custom(format!("assign word = {{{}}};\n", fields.join(", ")))
    }
}
