//! A register with a synchronous reset: `q` takes `d` at every rising edge.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `clock` | in | 1 | rising edge |
//! | `reset` | in | 1 | loads the reset value at the edge |
//! | `d` | in | of `T` | next value |
//! | `q` | out | of `T` | present value |
//!
//! **Timing** `q` shows `d` one cycle later.
//! **Simulation** a kernel that reads `d` back, as a wire, declares its register with `#[reads_back(d)]`: others are not settled again
//! when only `d` has changed.
//! **Invariants** 1. after an edge with `reset` high, `q` is the reset value.
//! **Export** the back end writes the clocked process into the parent: no module of its own.

use crate::prelude::*;

/// See the module's page; `T` is any signal type.
#[derive(Clone, Debug, LogicBlock)]
pub struct Register<T: Synth> {
    /// Rising-edge clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Next value.
    pub d: Signal<In, T>,
    /// Present value.
    pub q: Signal<Out, T>,
    reset_value: Constant<T>,
}

impl<T: Synth> Register<T> {
    /// A register that `reset` sets to `reset_value`.
    pub fn new(reset_value: T) -> Self {
        Self {
            clock: Signal::default(),
            reset: Signal::default(),
            d: Signal::default(),
            q: Signal::default(),
            reset_value: Constant::new(reset_value),
        }
    }
}

impl<T: Synth> Default for Register<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: Synth> Register<T> {
    /// With what was assigned last, taken over or not.
    fn sample(&mut self) {
        self.q.next = if self.reset.next { self.reset_value.val() } else { self.d.next };
    }
}

impl<T: Synth> Part for Register<T> {
    fn settle(&mut self) -> bool {
        false
    }

    fn edge(&mut self) -> bool {
        self.sample();
        self.q.settle()
    }
}

impl<T: Synth> Logic for Register<T> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.sample();
        }
    }

    fn connect(&mut self) {
        self.q.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "always @(posedge clock) begin\n  if (reset) q <= reset_value;\n  else q <= d;\nend\n".to_string(),
        )
    }
}
