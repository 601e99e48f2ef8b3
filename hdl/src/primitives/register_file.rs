//! A small memory with one write port and one asynchronous read port: distributed RAM, one entry a warp or the like.
//!
//! | port | direction | width | meaning |
//! | --- | --- | --- | --- |
//! | `clock` | in | 1 | rising edge |
//! | `write_enable` | in | 1 | write at this edge |
//! | `write_address` | in | `ADDRESS_BITS` | entry to write |
//! | `write_data` | in | `WIDTH` | value to write |
//! | `read_address` | in | `ADDRESS_BITS` | entry to read |
//! | `read_data` | out | `WIDTH` | its value, in the same cycle |
//!
//! **Timing** a write is visible to reads from the next cycle on; reads are combinational.
//! **Invariants** 1. a read gives the last value written to its entry.
//! **Contents** are undefined until written (there is no reset): whoever owns one clears it after reset.
//! The simulation starts it from a pattern that is not zero, so that an owner who forgets is found out.

use crate::prelude::*;

/// `2^ADDRESS_BITS` entries of `WIDTH` bits; see the module's page.
#[derive(Clone, Debug, LogicBlock)]
pub struct RegisterFile<const ADDRESS_BITS: usize, const WIDTH: usize> {
    /// Rising-edge clock.
    pub clock: Signal<In, Clock>,
    /// Write at this edge.
    pub write_enable: Signal<In, Bit>,
    /// Entry to write.
    pub write_address: Signal<In, Bits<ADDRESS_BITS>>,
    /// Value to write.
    pub write_data: Signal<In, Bits<WIDTH>>,
    /// Entry to read.
    pub read_address: Signal<In, Bits<ADDRESS_BITS>>,
    /// Value of that entry, in the same cycle.
    pub read_data: Signal<Out, Bits<WIDTH>>,
    _memory: Vec<Bits<WIDTH>>,
}

/// What an entry holds before its first write: anything but zero.
pub(crate) fn unwritten<const WIDTH: usize>(entry: usize) -> Bits<WIDTH> {
    Bits::new(0x5a5a_a5a5_c33c_3cc3_5a5a_a5a5_c33c_3cc3_u128.rotate_left(entry as u32))
}

impl<const ADDRESS_BITS: usize, const WIDTH: usize> Default for RegisterFile<ADDRESS_BITS, WIDTH> {
    fn default() -> Self {
        let mut file = Self {
            clock: Signal::default(),
            write_enable: Signal::default(),
            write_address: Signal::default(),
            write_data: Signal::default(),
            read_address: Signal::default(),
            read_data: Signal::default(),
            _memory: (0..1 << ADDRESS_BITS).map(unwritten).collect(),
        };
        file.show();
        file
    }
}

impl<const ADDRESS_BITS: usize, const WIDTH: usize> RegisterFile<ADDRESS_BITS, WIDTH> {
    /// With what was assigned last, taken over or not.
    fn sample(&mut self) {
        if self.write_enable.next {
            self._memory[self.write_address.next.index()] = self.write_data.next;
        }
    }

    fn show(&mut self) {
        self.read_data.next = self._memory[self.read_address.val().index()];
    }
}

impl<const ADDRESS_BITS: usize, const WIDTH: usize> Part for RegisterFile<ADDRESS_BITS, WIDTH> {
    fn settle(&mut self) -> bool {
        if self.read_address.settle() {
            self.show();
        }
        self.read_data.settle()
    }

    fn edge(&mut self) -> bool {
        if !self.write_enable.next {
            return false;
        }
        self.sample();
        self.show();
        self.read_data.settle()
    }
}

impl<const ADDRESS_BITS: usize, const WIDTH: usize> Logic for RegisterFile<ADDRESS_BITS, WIDTH> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.sample();
        }
        self.show();
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "reg [{}:0] memory [0:{}];\n\
             always @(posedge clock) begin\n  if (write_enable) memory[write_address] <= write_data;\nend\n\
             assign read_data = memory[read_address];\n",
            WIDTH - 1,
            (1_usize << ADDRESS_BITS) - 1
        ))
    }
}
