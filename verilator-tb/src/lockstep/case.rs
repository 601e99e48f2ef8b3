//! A failing episode in a file: everything that is needed to see it again (XV-02).

use super::bench::Stimulus;
use crate::error::{Error, Result};
use crate::verilated::Start;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::files;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Name of the file's schema.
const SCHEMA: &str = "heddle.lockstep-case";

/// Its version; a change that breaks a reader raises it.
const VERSION: u32 = 1;

/// See the module's page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Case<Settings, Operation> {
    schema: String,
    version: u32,
    /// The block.
    pub block: String,
    /// Its point.
    pub point: String,
    /// Seed of the run that found it.
    pub seed: u64,
    /// Which episode of that run it was.
    pub episode: u64,
    /// Seed of the random start, if the export ran alone from one; else it ran beside the Rust simulation.
    pub random_start: Option<u64>,
    /// What differed.
    pub failure: String,
    /// What it takes.
    #[serde(flatten)]
    pub stimulus: Stimulus<Settings, Operation>,
}

/// The part of a case that says what it is about.
#[derive(Debug, Deserialize)]
pub struct Subject {
    schema: String,
    version: u32,
    /// The block.
    pub block: String,
    /// Its point.
    pub point: String,
}

impl<Settings, Operation> Case<Settings, Operation>
where
    Settings: Serialize + DeserializeOwned,
    Operation: Serialize + DeserializeOwned,
{
    /// A case that was just found.
    pub fn new(
        block: &str,
        point: &str,
        found: (u64, u64),
        failure: String,
        stimulus: Stimulus<Settings, Operation>,
    ) -> Self {
        let (block, point) = (block.to_string(), point.to_string());
        let (seed, episode) = found;
        Self {
            schema: SCHEMA.into(),
            version: VERSION,
            block,
            point,
            seed,
            episode,
            random_start: None,
            failure,
            stimulus,
        }
    }

    /// What lies in the export before reset.
    pub fn start(&self) -> Start {
        self.random_start.map_or(Start::Pattern, Start::Random)
    }

    /// Writes it into `folder`, all of it or nothing, and says where.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn save(&self, folder: &Path) -> std::result::Result<PathBuf, CliError> {
        std::fs::create_dir_all(folder).map_err(|cause| files::unwritable(folder, &cause))?;
        let path = folder.join(format!("{}_{}_seed{}_{}.json", self.block, self.point, self.seed, self.episode));
        let text = serde_json::to_string_pretty(self).map_err(|cause| CliError::Internal(cause.to_string()))?;
        files::write_atomically(&path, text.as_bytes())?;
        Ok(path)
    }

    /// Reads a case of this block.
    ///
    /// # Errors
    /// Text that is no such case.
    pub fn parse(text: &str, path: &Path) -> Result<Self> {
        serde_json::from_str(text).map_err(|cause| bad(path, &cause.to_string()))
    }
}

impl Subject {
    /// Reads what a case is about.
    ///
    /// # Errors
    /// Text that is no case, or one of another version.
    pub fn parse(text: &str, path: &Path) -> Result<Self> {
        let subject: Subject = serde_json::from_str(text).map_err(|cause| bad(path, &cause.to_string()))?;
        if (subject.schema.as_str(), subject.version) != (SCHEMA, VERSION) {
            return Err(bad(
                path,
                &format!("it is {} version {}, not {SCHEMA} version {VERSION}", subject.schema, subject.version),
            ));
        }
        Ok(subject)
    }
}

fn bad(path: &Path, cause: &str) -> Error {
    let hint = "give a file that `cargo tb lockstep` wrote when it found a mismatch".to_string();
    Error::Input { place: path.display().to_string(), cause: cause.to_string(), hint }
}
