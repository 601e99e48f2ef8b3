//! The fields of a word, the lowest first, combinationally.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `word` | in | `TOTAL` | the word; `TOTAL` = `COUNT` × `WIDTH` |
//! | `fields` | out | `COUNT` × `WIDTH` | its fields |
//!
//! **Timing** combinational. `hdl_gen` cannot say an offset that depends on a parameter.

use crate::prelude::*;

/// See the module's page.
#[derive(Clone, Debug, LogicBlock)]
pub struct FieldSplit<const COUNT: usize, const WIDTH: usize, const TOTAL: usize> {
    /// The word.
    pub word: Signal<In, Bits<TOTAL>>,
    /// Its fields.
    pub fields: [Signal<Out, Bits<WIDTH>>; COUNT],
}

impl<const COUNT: usize, const WIDTH: usize, const TOTAL: usize> Default for FieldSplit<COUNT, WIDTH, TOTAL> {
    fn default() -> Self {
        Self { word: Signal::default(), fields: std::array::from_fn(|_| Signal::default()) }
    }
}

impl<const COUNT: usize, const WIDTH: usize, const TOTAL: usize> Part for FieldSplit<COUNT, WIDTH, TOTAL> {
    fn settle(&mut self) -> bool {
        if !self.word.settle() {
            return false;
        }
        self.update();
        self.fields.settle()
    }

    fn edge(&mut self) -> bool {
        false
    }
}

impl<const COUNT: usize, const WIDTH: usize, const TOTAL: usize> Logic for FieldSplit<COUNT, WIDTH, TOTAL> {
    fn update(&mut self) {
        let word = self.word.val().value();
        for (place, field) in self.fields.iter_mut().enumerate() {
            field.next = Bits::new(word >> (place * WIDTH) & (u128::MAX >> (128 - WIDTH)));
        }
    }

    fn connect(&mut self) {
        self.fields.iter_mut().for_each(|field| field.connect());
    }

    fn hdl(&self) -> Verilog {
        let lines = (0..COUNT)
            .map(|place| format!("assign fields_{place} = word[{}:{}];\n", (place + 1) * WIDTH - 1, place * WIDTH));
        Verilog::Custom(lines.collect())
    }
}
