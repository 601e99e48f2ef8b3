//! Signals as a value change dump.

use std::io;

use vcd::{IdCode, TimescaleUnit, Value, Writer};

use super::signals::{SignalDump, SignalTrace};
use crate::engine::Configuration;

/// A run as a value change dump, a nanosecond a cycle.
pub type VcdTrace<W> = SignalTrace<VcdDump<W>>;

/// The file.
pub struct VcdDump<W: io::Write> {
    writer: Writer<W>,
}

impl<W: io::Write> VcdTrace<W> {
    /// A dump of a core of this configuration; writes the header.
    ///
    /// # Errors
    /// If the output fails.
    pub fn new(output: W, configuration: &Configuration) -> io::Result<Self> {
        let mut writer = Writer::new(output);
        writer.comment("one time step is one clock cycle")?;
        writer.timescale(1, TimescaleUnit::NS)?;
        SignalTrace::over(VcdDump { writer }, configuration)
    }
}

impl<W: io::Write> SignalDump for VcdDump<W> {
    type Signal = IdCode;

    fn open_scope(&mut self, name: &str) -> io::Result<()> {
        self.writer.add_module(name)
    }

    fn close_scope(&mut self) -> io::Result<()> {
        self.writer.upscope()
    }

    fn signal(&mut self, width: u32, name: &str) -> io::Result<IdCode> {
        self.writer.add_wire(width, name)
    }

    fn begin(&mut self) -> io::Result<()> {
        self.writer.enddefinitions()
    }

    fn time(&mut self, cycle: u64) -> io::Result<()> {
        self.writer.timestamp(cycle)
    }

    fn change(&mut self, signal: IdCode, bits: &[bool]) -> io::Result<()> {
        let value = |bit: bool| if bit { Value::V1 } else { Value::V0 };
        match bits {
            [bit] => self.writer.change_scalar(signal, value(*bit)),
            _ => {
                let bits: Vec<Value> = bits.iter().map(|bit| value(*bit)).collect();
                self.writer.change_vector(signal, &bits)
            }
        }
    }

    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}
