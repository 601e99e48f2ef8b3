//! Which backends are linked into a door, by name.
//!
//! `cargo sim` links the models and the RTL; `cargo tb` adds the Verilated RTL and reuses the same commands.

use crate::barrier::{BarrierScheduler, Size, Statics};
use crate::control_core::{ControlCore, Setup};
use crate::engine::{Configuration, Engine};
use crate::launch::{Shape, WorkDistributor};
use crate::model::barrier::backend::ModelScheduler;
use crate::model::context::ports::{ContextPorts, Shape as ContextShape};
use crate::model::context::sequencer::Sequencer;
use crate::model::work_distributor::walker::Walker;

use super::error::CliError;
use crate::assembler::nearest;

/// Builds an engine of a configuration, or says why it cannot.
pub type EngineFactory = fn(&Configuration) -> miette::Result<Box<dyn Engine>>;

/// Builds a barrier scheduler of a size with its static inputs, or says why it cannot.
pub type BarrierFactory = fn(Size, Statics) -> miette::Result<Box<dyn BarrierScheduler>>;

/// Builds a whole control core, set up and after reset, or says why it cannot.
pub type CoreFactory = fn(&Setup) -> miette::Result<Box<dyn ControlCore>>;

/// Builds a work distributor of a shape, after reset, or says why it cannot.
pub type DistributorFactory = fn(Shape) -> miette::Result<Box<dyn WorkDistributor>>;

/// Builds a context unit for so many warps of so many threads, after reset, with its sizes; none if there is none for such warps.
pub type ContextFactory = fn(usize, usize) -> miette::Result<Option<(ContextShape, Box<dyn ContextPorts>)>>;

/// The reference model of the context unit: rows for as many suspended warps as resident ones.
pub fn model_context(warps: usize, threads: usize) -> miette::Result<Option<(ContextShape, Box<dyn ContextPorts>)>> {
    let shape = ContextShape {
        groups: (2 * warps).next_power_of_two(),
        thread_bits: threads.next_power_of_two().trailing_zeros(),
        engines: 1,
    };
    Ok((shape.groups <= 64).then(|| (shape, Box::new(Sequencer::new(shape)) as Box<dyn ContextPorts>)))
}

/// The reference model of the work distributor.
pub fn model_distributor(shape: Shape) -> miette::Result<Box<dyn WorkDistributor>> {
    Ok(Box::new(Walker::new(shape)))
}

/// The reference model of the barrier scheduler: beside any engine, as long as the hardware's is not linked.
pub fn model_barriers(size: Size, statics: Statics) -> miette::Result<Box<dyn BarrierScheduler>> {
    Ok(Box::new(ModelScheduler::new(size, statics)))
}

/// One way to have an engine run.
#[derive(Clone, Copy)]
pub struct Backend {
    /// What `--backend` calls it.
    pub name: &'static str,
    /// What it is, for help and tables.
    pub about: &'static str,
    /// Builds one.
    pub build: EngineFactory,
    /// Builds the barrier scheduler beside it, for programs with barriers.
    pub barriers: BarrierFactory,
    /// Builds the work distributor in front of it.
    pub distributor: DistributorFactory,
    /// Builds the context unit beside it, for programs with local memory.
    pub context: ContextFactory,
    /// Builds the whole control core; then that alone decides what runs, and of the other parts only the context unit stands beside one that has none inside.
    pub core: Option<CoreFactory>,
}

impl Backend {
    /// Whether it has hardware, or a model, for what a core is to be set up for.
    ///
    /// # Errors
    /// What it lacks.
    pub fn supports(&self, setup: &Setup) -> miette::Result<()> {
        match self.core {
            None => (self.build)(&setup.configuration).map(|_| ()),
            Some(build) => build(setup).map(|_| ()),
        }
    }
}

/// The backends of a door, in the order in which tables show them.
#[derive(Clone)]
pub struct Backends {
    all: Vec<Backend>,
    default: &'static str,
    showcase: &'static str,
    bounded: &'static str,
    oracle: &'static str,
}

impl Backends {
    /// Backends of a door whose first is the default of `run` and of `demo`.
    pub fn new(first: Backend) -> Self {
        let name = first.name;
        Self { default: name, showcase: name, bounded: name, oracle: name, all: vec![first] }
    }

    /// Adds a backend; one of the same name is replaced.
    #[must_use]
    pub fn with(mut self, backend: Backend) -> Self {
        self.all.retain(|other| other.name != backend.name);
        self.all.push(backend);
        self
    }

    /// Adds a backend that `demo` shows instead of the first: the hardware itself.
    #[must_use]
    pub fn with_showcase(self, backend: Backend) -> Self {
        Self { showcase: backend.name, ..self.with(backend) }
    }

    /// Adds the model whose windows overflow: `oracle` takes it unless told otherwise, and tables of figures leave it out.
    #[must_use]
    pub fn with_bounded(self, backend: Backend) -> Self {
        Self { bounded: backend.name, ..self.with_oracle(backend) }
    }

    /// Adds a backend that `oracle` takes unless told otherwise.
    #[must_use]
    pub fn with_oracle(self, backend: Backend) -> Self {
        Self { oracle: backend.name, ..self.with(backend) }
    }

    /// Adds a backend that `run` takes unless told otherwise.
    #[must_use]
    pub fn with_default(self, backend: Backend) -> Self {
        Self { default: backend.name, ..self.with(backend) }
    }

    /// Lists the backends in the help of every command of a door that has `--backend`, with the one that it takes unless told otherwise.
    #[must_use]
    pub fn describe(&self, door: clap::Command) -> clap::Command {
        let list: Vec<String> =
            self.all.iter().map(|backend| format!("  {:<14} {}", backend.name, backend.about)).collect();
        let list = format!("Backends:\n{}", list.join("\n"));
        door.mut_subcommands(|command| {
            let argument = command.get_arguments().find(|argument| argument.get_id() == "backend");
            let Some(argument) = argument else { return command };
            let default = match command.get_name() {
                // The argument itself says it.
                _ if !argument.get_default_values().is_empty() => return command.after_help(list.clone()),
                "oracle" => self.oracle,
                "demo" | "divergence-law" => self.showcase,
                _ => self.default,
            };
            command.after_help(format!("{list}\nWithout --backend: {default}."))
        })
    }

    /// Every backend.
    pub fn all(&self) -> &[Backend] {
        &self.all
    }

    /// The one that `demo` shows.
    pub fn showcase(&self) -> Backend {
        self.named(self.showcase)
    }

    /// Name of the model whose windows overflow.
    pub fn bounded(&self) -> &'static str {
        self.bounded
    }

    /// Name of the one that `oracle` takes unless told otherwise.
    pub fn oracle(&self) -> &'static str {
        self.oracle
    }

    /// The backend that a person named, or the default.
    pub fn find(&self, name: Option<&str>) -> Result<Backend, CliError> {
        let Some(name) = name else { return Ok(self.named(self.default)) };
        if let Some(backend) = self.all.iter().find(|backend| backend.name == name) {
            return Ok(*backend);
        }
        let names: Vec<&str> = self.all.iter().map(|backend| backend.name).collect();
        let hint = match nearest(name, names.iter().copied()) {
            Some(close) => format!("did you mean `{close}`? Backends of this command: {}", names.join(", ")),
            None => format!("backends of this command: {}", names.join(", ")),
        };
        Err(CliError::input(format!("--backend {name}: there is no such backend"), hint))
    }

    fn named(&self, name: &str) -> Backend {
        *self.all.iter().find(|backend| backend.name == name).unwrap_or(&self.all[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: EngineFactory = |_| Err(miette::miette!("no engine in this test"));
    const MODEL: Backend = Backend {
        name: "model",
        about: "",
        build: NONE,
        barriers: model_barriers,
        distributor: model_distributor,
        context: model_context,
        core: None,
    };
    const RTL: Backend = Backend { name: "rtl", ..MODEL };

    /// UX-08: an unknown backend is bad input, and the message has the nearest name.
    #[test]
    fn unknown_backend_is_named_with_its_nearest() {
        let backends = Backends::new(MODEL).with_showcase(RTL);
        let Err(CliError::Input(report)) = backends.find(Some("modle")).map(|_| ()) else {
            panic!("must be bad input")
        };
        let hint = report.help().expect("a hint").to_string();
        assert!(hint.contains("`model`"), "{hint}");
    }

    /// UX-02: the demo shows the hardware as soon as it is linked, while `run` keeps its default.
    #[test]
    fn showcase_and_default_differ() {
        let backends = Backends::new(MODEL).with_showcase(RTL);
        assert_eq!(backends.showcase().name, "rtl");
        assert_eq!(backends.find(None).expect("a default").name, "model");
    }
}
