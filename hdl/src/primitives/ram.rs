//! A memory with one write port and one synchronous read port: block RAM.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `clock` | in | 1 | rising edge |
//! | `reset` | in | 1 | clears `read_data` (not the contents) |
//! | `write_enable` | in | 1 | write at this edge |
//! | `write_address` | in | `ADDRESS_BITS` | entry to write |
//! | `write_data` | in | `WIDTH` | value to write |
//! | `read_enable` | in | 1 | read at this edge; otherwise `read_data` keeps its value |
//! | `read_address` | in | `ADDRESS_BITS` | entry to read |
//! | `read_data` | out | `WIDTH` | the entry read last |
//!
//! **Timing** `read_data` follows `read_enable` by one cycle. Reading and writing one entry at
//! the same edge reads the old value.
//! **Invariants** 1. a read gives the last value written before its edge. 2. without `read_enable` the output holds.
//! **Contents** are undefined until written; the simulation starts them from a pattern that is not zero.

use super::register_file::unwritten;
use crate::prelude::*;

/// `2^ADDRESS_BITS` entries of `WIDTH` bits; see the module's page.
#[derive(Clone, Debug, LogicBlock)]
pub struct Ram<const ADDRESS_BITS: usize, const WIDTH: usize> {
    /// Rising-edge clock.
    pub clock: Signal<In, Clock>,
    /// Clears `read_data`, synchronously.
    pub reset: Signal<In, Bit>,
    /// Write at this edge.
    pub write_enable: Signal<In, Bit>,
    /// Entry to write.
    pub write_address: Signal<In, Bits<ADDRESS_BITS>>,
    /// Value to write.
    pub write_data: Signal<In, Bits<WIDTH>>,
    /// Read at this edge.
    pub read_enable: Signal<In, Bit>,
    /// Entry to read.
    pub read_address: Signal<In, Bits<ADDRESS_BITS>>,
    /// The entry read last.
    pub read_data: Signal<Out, Bits<WIDTH>>,
    _memory: Vec<Bits<WIDTH>>,
}

impl<const ADDRESS_BITS: usize, const WIDTH: usize> Default for Ram<ADDRESS_BITS, WIDTH> {
    fn default() -> Self {
        Self {
            clock: Signal::default(),
            reset: Signal::default(),
            write_enable: Signal::default(),
            write_address: Signal::default(),
            write_data: Signal::default(),
            read_enable: Signal::default(),
            read_address: Signal::default(),
            read_data: Signal::default(),
            _memory: (0..1 << ADDRESS_BITS).map(unwritten).collect(),
        }
    }
}

impl<const ADDRESS_BITS: usize, const WIDTH: usize> Ram<ADDRESS_BITS, WIDTH> {
    /// With what was assigned last, taken over or not.
    fn sample(&mut self) {
        if self.reset.next {
            self.read_data.next = Bits::default();
        } else if self.read_enable.next {
            self.read_data.next = self._memory[self.read_address.next.index()];
        }
        if self.write_enable.next {
            self._memory[self.write_address.next.index()] = self.write_data.next;
        }
    }
}

impl<const ADDRESS_BITS: usize, const WIDTH: usize> Part for Ram<ADDRESS_BITS, WIDTH> {
    fn settle(&mut self) -> bool {
        false
    }

    fn edge(&mut self) -> bool {
        self.sample();
        self.read_data.settle()
    }
}

impl<const ADDRESS_BITS: usize, const WIDTH: usize> Logic for Ram<ADDRESS_BITS, WIDTH> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.sample();
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "reg [{}:0] memory [0:{}];\n\
             always @(posedge clock) begin\n  if (write_enable) memory[write_address] <= write_data;\nend\n\
             always @(posedge clock) begin\n  if (reset) read_data <= {}'d0;\n  \
             else if (read_enable) read_data <= memory[read_address];\nend\n",
            WIDTH - 1,
            (1_usize << ADDRESS_BITS) - 1,
            WIDTH
        ))
    }
}
