//! A run as a value change dump: PCs, active masks and reasons of every warp, one time step a cycle (XV-09).

use std::io;

use vcd::{IdCode, TimescaleUnit, Value, Writer};

use crate::engine::{Configuration, Fetch, Kind, Mask};

use super::recorder::{Reasons, Trace};

/// Width of a PC in the dump: the widest that an engine has.
const ADDRESS_BITS: u32 = 32;
/// Width of a warp's number in the dump: 64 warps at most.
const WARP_BITS: u32 = 6;

/// A signal with its width and the value last written.
struct Wire {
    code: IdCode,
    width: u32,
    last: Option<u64>,
}

/// The signals of a warp.
struct WarpWires {
    running: Wire,
    address: Wire,
    active: Wire,
    disabled: Vec<Wire>,
}

/// Writes the dump.
pub struct VcdTrace<W: io::Write> {
    writer: Writer<W>,
    issue: Wire,
    issue_warp: Wire,
    warps: Vec<WarpWires>,
    /// The time that was written last.
    now: Option<u64>,
    issued_in: Option<u64>,
}

impl<W: io::Write> VcdTrace<W> {
    /// A dump of a core of this configuration; writes the header.
    pub fn new(output: W, configuration: &Configuration) -> io::Result<Self> {
        let mut writer = Writer::new(output);
        writer.comment("one time step is one clock cycle")?;
        writer.timescale(1, TimescaleUnit::NS)?;
        writer.add_module("core")?;
        let issue = wire(&mut writer, 1, "issue")?;
        let issue_warp = wire(&mut writer, WARP_BITS, "issue_warp")?;
        let threads = configuration.threads as u32;
        let mut warps = Vec::new();
        for warp in 0..configuration.warps {
            writer.add_module(&format!("warp_{warp}"))?;
            let running = wire(&mut writer, 1, "running")?;
            let address = wire(&mut writer, ADDRESS_BITS, "address")?;
            let active = wire(&mut writer, threads, "active")?;
            let mut disabled = Vec::new();
            for kind in Kind::ALL {
                disabled.push(wire(&mut writer, threads, &format!("disabled_{}", kind.name().replace(' ', "_")))?);
            }
            writer.upscope()?;
            warps.push(WarpWires { running, address, active, disabled });
        }
        writer.upscope()?;
        writer.enddefinitions()?;
        let mut trace = Self { writer, issue, issue_warp, warps, now: None, issued_in: None };
        trace.at(0)?;
        change(&mut trace.writer, &mut trace.issue, 0)?;
        change(&mut trace.writer, &mut trace.issue_warp, 0)?;
        for warp in 0..trace.warps.len() {
            trace.idle(warp)?;
        }
        Ok(trace)
    }

    /// Moves on to a cycle; in the one after an instruction nothing is issued until the next one says so.
    fn at(&mut self, cycle: u64) -> io::Result<()> {
        if let Some(issued) = self.issued_in.filter(|issued| cycle > *issued) {
            self.issued_in = None;
            if cycle > issued + 1 {
                self.stamp(issued + 1)?;
                change(&mut self.writer, &mut self.issue, 0)?;
            }
        }
        self.stamp(cycle)
    }

    fn stamp(&mut self, cycle: u64) -> io::Result<()> {
        if self.now.is_none_or(|now| cycle > now) {
            self.now = Some(cycle);
            self.writer.timestamp(cycle)?;
        }
        Ok(())
    }

    fn idle(&mut self, warp: usize) -> io::Result<()> {
        let wires = &mut self.warps[warp];
        for wire in [&mut wires.running, &mut wires.address, &mut wires.active].into_iter().chain(&mut wires.disabled) {
            change(&mut self.writer, wire, 0)?;
        }
        Ok(())
    }
}

impl<W: io::Write> Trace for VcdTrace<W> {
    fn issue(&mut self, cycle: u64, warp: usize, fetch: Fetch) -> io::Result<()> {
        self.at(cycle)?;
        self.issued_in = Some(cycle);
        change(&mut self.writer, &mut self.issue, 1)?;
        change(&mut self.writer, &mut self.issue_warp, warp as u64)?;
        let wires = &mut self.warps[warp];
        change(&mut self.writer, &mut wires.running, 1)?;
        change(&mut self.writer, &mut wires.address, fetch.address.into())?;
        change(&mut self.writer, &mut wires.active, fetch.active)
    }

    fn reasons(&mut self, cycle: u64, warp: usize, reasons: &Reasons) -> io::Result<()> {
        self.at(cycle)?;
        for (wire, (_, threads)) in self.warps[warp].disabled.iter_mut().zip(reasons) {
            change(&mut self.writer, wire, *threads)?;
        }
        Ok(())
    }

    fn finish(&mut self, cycle: u64, warp: usize) -> io::Result<()> {
        self.at(cycle)?;
        self.idle(warp)
    }

    fn close(&mut self, cycle: u64) -> io::Result<()> {
        self.at(cycle)?;
        match self.issued_in {
            Some(issued) if issued == cycle => Ok(()),
            _ => change(&mut self.writer, &mut self.issue, 0),
        }
    }
}

fn wire<W: io::Write>(writer: &mut Writer<W>, width: u32, name: &str) -> io::Result<Wire> {
    Ok(Wire { code: writer.add_wire(width, name)?, width, last: None })
}

/// Writes a value if it is not the one that the signal has.
fn change<W: io::Write>(writer: &mut Writer<W>, wire: &mut Wire, value: Mask) -> io::Result<()> {
    if wire.last == Some(value) {
        return Ok(());
    }
    wire.last = Some(value);
    let bit = |index: u32| if value >> index & 1 == 1 { Value::V1 } else { Value::V0 };
    if wire.width == 1 {
        writer.change_scalar(wire.code, bit(0))
    } else {
        let bits: Vec<Value> = (0..wire.width).rev().map(bit).collect();
        writer.change_vector(wire.code, &bits)
    }
}
