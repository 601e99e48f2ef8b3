//! Exported Verilog as a simulation: Verilated, compiled into a shared library, loaded, and driven through the same
//! [`Simulation`] interface as the Rust kernels.

pub mod build;
pub mod memories;
mod shim;

pub use build::{library, Source};

use crate::error::{Error, Result};
use heddle_hdl::ports::Port;
use heddle_hdl::simulation::{Frame, Pins, Simulation};
use libloading::Library;
use std::ffi::{c_int, c_void, CString};
use std::path::Path;
use std::sync::Arc;

/// How a model is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// What Verilog leaves undefined starts as [`Start`] says, rather than as is fastest.
    pub random_state: bool,
    /// The model can write a waveform.
    pub trace: bool,
    /// The model counts the lines and toggles that were reached.
    pub coverage: bool,
    /// Compile quickly rather than for speed: for mutants, which run briefly.
    pub quick: bool,
}

impl Options {
    /// For correctness: undefined values are random.
    pub const CHECKING: Options = Options { random_state: true, trace: false, coverage: false, quick: false };

    /// Verilator's flags.
    fn verilator_flags(&self) -> Vec<&'static str> {
        let mut flags = vec!["-O3", "--no-timing"];
        let unknown = if self.random_state { "unique" } else { "fast" };
        flags.extend(["--x-assign", unknown, "--x-initial", unknown]);
        flags.extend(self.trace.then_some("--trace-vcd"));
        if self.coverage {
            flags.extend(["--coverage-line", "--coverage-toggle", "--coverage-max-width", "1024"]);
        }
        flags
    }

    /// The C++ compiler's flags for the model: it runs no faster with -O3, which takes a third longer.
    fn compiler_flags(&self) -> Vec<&'static str> {
        vec![if self.quick { "-O1" } else { "-O2" }]
    }

    /// The flags for model and runtime alike.
    fn runtime_flags(&self) -> Vec<&'static str> {
        let trace =
            if self.trace { ["-DVM_TRACE=1", "-DVM_TRACE_VCD=1"] } else { ["-DVM_TRACE=0", "-DVM_TRACE_VCD=0"] };
        let coverage = if self.coverage { "-DVM_COVERAGE=1" } else { "-DVM_COVERAGE=0" };
        vec![trace[0], trace[1], coverage, "-DVM_SC=0"]
    }
}

/// The functions of the shim, by value: the library stays loaded as long as they are used.
struct Functions {
    create: unsafe extern "C" fn(u64, c_int) -> *mut c_void,
    destroy: unsafe extern "C" fn(*mut c_void),
    eval: unsafe extern "C" fn(*mut c_void),
    /// Takes, and gives, whether the model has settled since an input changed last.
    tick: unsafe extern "C" fn(*mut c_void, c_int) -> c_int,
    /// Gives whether that changed the input.
    set: unsafe extern "C" fn(*mut c_void, u32, u64, u64) -> c_int,
    get: unsafe extern "C" fn(*mut c_void, u32, *mut u64, *mut u64),
    cycle: unsafe extern "C" fn(*mut c_void, *mut u64),
    trace_open: unsafe extern "C" fn(*mut c_void, *const i8) -> c_int,
    coverage_write: unsafe extern "C" fn(*mut c_void, *const i8) -> c_int,
    _library: Library,
}

/// A block's Verilated model, loaded; makes any number of simulations.
#[derive(Clone)]
pub struct Model {
    functions: Arc<Functions>,
    ports: Arc<[Port]>,
}

impl Model {
    /// Builds `source` (or finds it built) and loads it.
    ///
    /// # Errors
    /// A missing tool, Verilog that Verilator refuses, or a library that does not load.
    pub fn build(source: &Source, options: &Options) -> Result<Self> {
        Self::load(&build::library(source, options)?, &source.ports)
    }

    /// Loads a library that [`build::library`] made for `ports`.
    ///
    /// # Errors
    /// [`Error::Internal`] if it is not such a library.
    pub fn load(path: &Path, ports: &[Port]) -> Result<Self> {
        let broken = |cause: String| Error::Internal { place: path.display().to_string(), cause };
        // SAFETY: the library was compiled by us from our own shim; loading it runs Verilator's static
        // initialisers only, and every symbol has the type that the shim declares.
        let functions = unsafe {
            let library = Library::new(path).map_err(|error| broken(error.to_string()))?;
            macro_rules! symbol {
                ($name:literal) => {
                    *library.get($name).map_err(|error| broken(error.to_string()))?
                };
            }
            let count: unsafe extern "C" fn() -> u32 = symbol!(b"heddle_ports\0");
            if count() as usize != ports.len() {
                return Err(broken(format!("it has {} ports, not {}", count(), ports.len())));
            }
            Functions {
                create: symbol!(b"heddle_create\0"),
                destroy: symbol!(b"heddle_destroy\0"),
                eval: symbol!(b"heddle_eval\0"),
                tick: symbol!(b"heddle_tick\0"),
                set: symbol!(b"heddle_set\0"),
                get: symbol!(b"heddle_get\0"),
                cycle: symbol!(b"heddle_cycle\0"),
                trace_open: symbol!(b"heddle_trace_open\0"),
                coverage_write: symbol!(b"heddle_coverage_write\0"),
                _library: library,
            }
        };
        Ok(Self { functions: Arc::new(functions), ports: ports.into() })
    }

    /// A simulation of its own.
    pub fn simulation(&self, start: Start) -> Verilated {
        let (seed, random) = match start {
            Start::Pattern => (0, 0),
            Start::Random(seed) => (seed, 1),
        };
        // SAFETY: `heddle_create` takes any seed and returns a model that only this simulation knows.
        let handle = unsafe { (self.functions.create)(seed, random) };
        Verilated { handle, functions: self.functions.clone(), ports: self.ports.clone(), settled: false }
    }

    /// The same, with a waveform from its first cycle on, if `wave` names a file.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn traced(&self, start: Start, wave: Option<&Path>) -> Result<Verilated> {
        let mut simulation = self.simulation(start);
        match wave {
            Some(wave) if !simulation.trace_to(wave) => Err(Error::Input {
                place: wave.display().to_string(),
                cause: "the waveform cannot be written".into(),
                hint: "check that the folder exists and may be written".into(),
            }),
            _ => Ok(simulation),
        }
    }
}

/// What lies in registers and memories before the first reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// In memories the pattern that the Rust simulation starts from, so that every port can be compared in every cycle.
    Pattern,
    /// Random bits, so that whatever is used before it is written shows.
    Random(u64),
}

/// One simulation of a Verilated block.
pub struct Verilated {
    handle: *mut c_void,
    functions: Arc<Functions>,
    ports: Arc<[Port]>,
    settled: bool,
}

// SAFETY: a model shares no state with any other (each has its own VerilatedContext and our libraries export nothing else),
// and only its owner can call it.
unsafe impl Send for Verilated {}

impl Verilated {
    /// Starts a waveform. False if the model was not built for it or the file cannot be written.
    pub fn trace_to(&mut self, path: &Path) -> bool {
        let Ok(path) = CString::new(path.to_string_lossy().as_bytes()) else { return false };
        // SAFETY: the handle is live and the path ends with a zero.
        unsafe { (self.functions.trace_open)(self.handle, path.as_ptr().cast()) == 1 }
    }

    /// Writes what was covered so far. False if the model was not built for it.
    pub fn write_coverage(&mut self, path: &Path) -> bool {
        let Ok(path) = CString::new(path.to_string_lossy().as_bytes()) else { return false };
        // SAFETY: the handle is live and the path ends with a zero.
        unsafe { (self.functions.coverage_write)(self.handle, path.as_ptr().cast()) == 1 }
    }
}

impl Drop for Verilated {
    fn drop(&mut self) {
        // SAFETY: the handle came from `create` and is used by nobody else.
        unsafe { (self.functions.destroy)(self.handle) }
    }
}

impl Pins for Verilated {
    fn set(&mut self, port: usize, value: u128) {
        // SAFETY: the handle is live; the shim ignores ports that are not inputs.
        let changed = unsafe { (self.functions.set)(self.handle, port as u32, value as u64, (value >> 64) as u64) };
        self.settled &= changed == 0;
    }

    fn get(&mut self, port: usize) -> u128 {
        let (mut low, mut high) = (0, 0);
        // SAFETY: the handle is live and both words outlive the call.
        unsafe {
            if !self.settled {
                (self.functions.eval)(self.handle);
                self.settled = true;
            }
            (self.functions.get)(self.handle, port as u32, &mut low, &mut high);
        }
        u128::from(high) << 64 | u128::from(low)
    }
}

impl Simulation for Verilated {
    fn ports(&self) -> &[Port] {
        &self.ports
    }

    fn tick(&mut self) {
        // SAFETY: the handle is live.
        self.settled = unsafe { (self.functions.tick)(self.handle, self.settled.into()) } != 0;
    }

    fn cycle(&mut self, frame: &mut Frame) {
        debug_assert_eq!(frame.ports(), self.ports.len());
        // SAFETY: the handle is live and the frame has the words that the shim was written for: both come from the ports.
        unsafe { (self.functions.cycle)(self.handle, frame.words_mut().as_mut_ptr()) }
        self.settled = false;
    }
}
