//! What runs random programs: an engine, with [`run`](super::run) choosing who issues, or a whole control core, which chooses and decodes by itself.

use super::{core_runner, Astray, Job, Statistics, Wrong};
use crate::control_core::ControlCore;
use crate::engine::Engine;

/// See the module's page. At rest: nothing has run on it.
pub enum Subject {
    /// A divergence engine.
    Engine(Box<dyn Engine>),
    /// A core around one, set up as [`core_runner::setup`] says.
    Core(Box<dyn ControlCore>),
}

impl From<Box<dyn Engine>> for Subject {
    fn from(engine: Box<dyn Engine>) -> Self {
        Subject::Engine(engine)
    }
}

impl From<Box<dyn ControlCore>> for Subject {
    fn from(core: Box<dyn ControlCore>) -> Self {
        Subject::Core(core)
    }
}

impl Subject {
    /// What it calls itself.
    pub fn name(&self) -> String {
        match self {
            Subject::Engine(engine) => engine.name(),
            Subject::Core(core) => core.name(),
        }
    }

    /// Runs all jobs. An error carries the index of the job.
    ///
    /// # Errors
    /// The first job that goes wrong.
    pub fn run(&mut self, jobs: &[Job]) -> Result<Statistics, (usize, Wrong)> {
        self.run_watched(jobs, None).map_err(|(job, wrong, _)| (job, wrong))
    }

    /// The same; of a failing job the addresses that one thread visited, too.
    pub(super) fn run_watched(&mut self, jobs: &[Job], watched: Option<usize>) -> Result<Statistics, Astray> {
        match self {
            Subject::Engine(engine) => {
                super::run_watched(&mut **engine, jobs, watched).map(|(statistics, _)| statistics)
            }
            Subject::Core(core) => core_runner::run_watched(&mut **core, jobs, watched),
        }
    }
}
