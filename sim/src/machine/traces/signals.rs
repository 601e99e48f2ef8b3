//! A run as signals that change: PCs, active masks, reasons and tokens of every warp, one time step a cycle (XV-09).

use std::io;

use crate::engine::{Configuration, Fetch, Kind, Mask};
use crate::machine::recorder::{Reasons, Trace};

/// A file of signals that change.
pub trait SignalDump {
    /// A signal in it.
    type Signal: Copy;

    /// Signals from here on are inside.
    fn open_scope(&mut self, name: &str) -> io::Result<()>;
    /// They are no more.
    fn close_scope(&mut self) -> io::Result<()>;
    /// Declares a signal.
    fn signal(&mut self, width: u32, name: &str) -> io::Result<Self::Signal>;
    /// All signals are declared.
    fn begin(&mut self) -> io::Result<()>;
    /// Changes from here on happen in this cycle, which is later than any before.
    fn time(&mut self, cycle: u64) -> io::Result<()>;
    /// A signal has another value, highest bit first.
    fn change(&mut self, signal: Self::Signal, bits: &[bool]) -> io::Result<()>;
    /// The run is over.
    fn end(&mut self) -> io::Result<()>;
}

/// Width of a PC in the dump: the widest that an engine has.
const ADDRESS_BITS: u32 = 32;
/// Width of a warp's number in the dump: 64 warps at most.
const WARP_BITS: u32 = 6;
/// Width of a number of tokens in the dump: more than a window and its spill area hold.
const TOKEN_BITS: u32 = 16;

/// A signal with its width and the value last written.
struct Wire<S> {
    signal: S,
    width: u32,
    last: Option<u64>,
}

/// The signals of a warp.
struct WarpWires<S> {
    running: Wire<S>,
    address: Wire<S>,
    active: Wire<S>,
    tokens: Wire<S>,
    disabled: Vec<Wire<S>>,
}

/// Writes a run into a dump.
pub struct SignalTrace<D: SignalDump> {
    dump: D,
    issue: Wire<D::Signal>,
    issue_warp: Wire<D::Signal>,
    warps: Vec<WarpWires<D::Signal>>,
    /// The time that was written last.
    now: Option<u64>,
    issued_in: Option<u64>,
}

impl<D: SignalDump> SignalTrace<D> {
    /// A trace of a core of this configuration in a dump that has no signals yet; declares them.
    pub(super) fn over(mut dump: D, configuration: &Configuration) -> io::Result<Self> {
        dump.open_scope("core")?;
        let issue = wire(&mut dump, 1, "issue")?;
        let issue_warp = wire(&mut dump, WARP_BITS, "issue_warp")?;
        let threads = configuration.threads as u32;
        let mut warps = Vec::new();
        for warp in 0..configuration.warps {
            dump.open_scope(&format!("warp_{warp}"))?;
            let running = wire(&mut dump, 1, "running")?;
            let address = wire(&mut dump, ADDRESS_BITS, "address")?;
            let active = wire(&mut dump, threads, "active")?;
            let tokens = wire(&mut dump, TOKEN_BITS, "tokens")?;
            let mut disabled = Vec::new();
            for kind in Kind::ALL {
                disabled.push(wire(&mut dump, threads, &format!("disabled_{}", kind.name().replace(' ', "_")))?);
            }
            dump.close_scope()?;
            warps.push(WarpWires { running, address, active, tokens, disabled });
        }
        dump.close_scope()?;
        dump.begin()?;
        let mut trace = Self { dump, issue, issue_warp, warps, now: None, issued_in: None };
        trace.at(0)?;
        change(&mut trace.dump, &mut trace.issue, 0)?;
        change(&mut trace.dump, &mut trace.issue_warp, 0)?;
        for warp in 0..trace.warps.len() {
            trace.idle(warp)?;
        }
        Ok(trace)
    }

    /// Moves on to a cycle; in the one after an instruction nothing is issued until the next one says so.
    fn at(&mut self, cycle: u64) -> io::Result<()> {
        if let Some(issued) = self.issued_in.filter(|issued| cycle > *issued + 1) {
            self.issued_in = None;
            self.stamp(issued + 1)?;
            change(&mut self.dump, &mut self.issue, 0)?;
        }
        self.stamp(cycle)
    }

    fn stamp(&mut self, cycle: u64) -> io::Result<()> {
        if self.now.is_none_or(|now| cycle > now) {
            self.now = Some(cycle);
            self.dump.time(cycle)?;
        }
        Ok(())
    }

    fn idle(&mut self, warp: usize) -> io::Result<()> {
        let wires = &mut self.warps[warp];
        let own = [&mut wires.running, &mut wires.address, &mut wires.active, &mut wires.tokens];
        for wire in own.into_iter().chain(&mut wires.disabled) {
            change(&mut self.dump, wire, 0)?;
        }
        Ok(())
    }
}

impl<D: SignalDump> Trace for SignalTrace<D> {
    fn issue(&mut self, cycle: u64, warp: usize, fetch: Fetch) -> io::Result<()> {
        self.at(cycle)?;
        self.issued_in = Some(cycle);
        change(&mut self.dump, &mut self.issue, 1)?;
        change(&mut self.dump, &mut self.issue_warp, warp as u64)?;
        let wires = &mut self.warps[warp];
        change(&mut self.dump, &mut wires.running, 1)?;
        change(&mut self.dump, &mut wires.address, fetch.address.into())?;
        change(&mut self.dump, &mut wires.active, fetch.active)
    }

    fn reasons(&mut self, cycle: u64, warp: usize, reasons: &Reasons) -> io::Result<()> {
        self.at(cycle)?;
        for (wire, (_, threads)) in self.warps[warp].disabled.iter_mut().zip(reasons) {
            change(&mut self.dump, wire, *threads)?;
        }
        Ok(())
    }

    fn tokens(&mut self, cycle: u64, warp: usize, tokens: u64) -> io::Result<()> {
        self.at(cycle)?;
        change(&mut self.dump, &mut self.warps[warp].tokens, tokens)
    }

    fn finish(&mut self, cycle: u64, warp: usize) -> io::Result<()> {
        self.at(cycle)?;
        self.idle(warp)
    }

    fn close(&mut self, cycle: u64) -> io::Result<()> {
        self.at(cycle)?;
        if self.issued_in != Some(cycle) {
            change(&mut self.dump, &mut self.issue, 0)?;
        }
        self.dump.end()
    }
}

fn wire<D: SignalDump>(dump: &mut D, width: u32, name: &str) -> io::Result<Wire<D::Signal>> {
    Ok(Wire { signal: dump.signal(width, name)?, width, last: None })
}

/// Writes a value if it is not the one that the signal has.
fn change<D: SignalDump>(dump: &mut D, wire: &mut Wire<D::Signal>, value: Mask) -> io::Result<()> {
    if wire.last == Some(value) {
        return Ok(());
    }
    wire.last = Some(value);
    let bits: Vec<bool> = (0..wire.width).rev().map(|index| value >> index & 1 == 1).collect();
    dump.change(wire.signal, &bits)
}
