//! Signals as an FST file, compressed: what waveform viewers read fastest.

use std::io;

use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType, FstVarDirection,
    FstVarType,
};

use super::signals::{SignalDump, SignalTrace};
use crate::engine::Configuration;

/// A run as an FST file, a nanosecond a cycle.
pub type FstTrace<W> = SignalTrace<FstDump<W>>;

/// Bytes of changes after which a block of them is compressed and written.
const BLOCK: usize = 1 << 22;

/// The file: first its hierarchy, then its changes.
enum Stage<W: io::Write + io::Seek> {
    Header(FstHeaderWriter<W>),
    Body(FstBodyWriter<W>),
    Closed,
}

/// The file.
pub struct FstDump<W: io::Write + io::Seek> {
    stage: Stage<W>,
}

impl<W: io::Write + io::Seek> FstTrace<W> {
    /// A file of a core of this configuration; writes the header.
    ///
    /// # Errors
    /// If the output fails.
    pub fn new(output: W, configuration: &Configuration) -> io::Result<Self> {
        let info = FstInfo {
            start_time: 0,
            timescale_exponent: -9,
            version: concat!("heddle ", env!("CARGO_PKG_VERSION")).to_string(),
            // No date: equal runs give equal files.
            date: String::new(),
            file_type: FstFileType::Verilog,
        };
        let header = FstHeaderWriter::new(output, &info).map_err(failed)?;
        SignalTrace::over(FstDump { stage: Stage::Header(header) }, configuration)
    }
}

fn failed(cause: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::other(cause)
}

fn out_of_order() -> io::Error {
    io::Error::other("signals are declared before the first change, and nothing follows the end")
}

impl<W: io::Write + io::Seek> FstDump<W> {
    fn header(&mut self) -> io::Result<&mut FstHeaderWriter<W>> {
        match &mut self.stage {
            Stage::Header(header) => Ok(header),
            _ => Err(out_of_order()),
        }
    }

    fn body(&mut self) -> io::Result<&mut FstBodyWriter<W>> {
        match &mut self.stage {
            Stage::Body(body) => Ok(body),
            _ => Err(out_of_order()),
        }
    }
}

impl<W: io::Write + io::Seek> SignalDump for FstDump<W> {
    type Signal = FstSignalId;

    fn open_scope(&mut self, name: &str) -> io::Result<()> {
        self.header()?.scope(name, "", FstScopeType::Module).map_err(failed)
    }

    fn close_scope(&mut self) -> io::Result<()> {
        self.header()?.up_scope().map_err(failed)
    }

    fn signal(&mut self, width: u32, name: &str) -> io::Result<FstSignalId> {
        let kind = FstSignalType::bit_vec(width);
        self.header()?.var(name, kind, FstVarType::Wire, FstVarDirection::Implicit, None).map_err(failed)
    }

    fn begin(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.stage, Stage::Closed) {
            Stage::Header(header) => {
                self.stage = Stage::Body(header.finish().map_err(failed)?);
                Ok(())
            }
            _ => Err(out_of_order()),
        }
    }

    fn time(&mut self, cycle: u64) -> io::Result<()> {
        let body = self.body()?;
        if body.size() > BLOCK {
            body.flush().map_err(failed)?;
        }
        body.time_change(cycle).map_err(failed)
    }

    fn change(&mut self, signal: FstSignalId, bits: &[bool]) -> io::Result<()> {
        let text: Vec<u8> = bits.iter().map(|bit| if *bit { b'1' } else { b'0' }).collect();
        self.body()?.signal_change(signal, &text).map_err(failed)
    }

    fn end(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.stage, Stage::Closed) {
            Stage::Body(body) => body.finish().map(|_| ()).map_err(failed),
            _ => Err(out_of_order()),
        }
    }
}
