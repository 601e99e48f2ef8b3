//! Exports on disk: each folder appears whole or not at all, and the manifest above lists the folders that are there.

use super::manifest::{Manifest, Record};
use super::package::Package;
use heddle_sim::cli::error::CliError;
use heddle_sim::cli::files::write_atomically;
use heddle_sim::cli::interrupt::check_interrupt;
use std::fs;
use std::io;
use std::path::Path;

/// Writes the packages below `folder`, in place of exports of the same names, and the manifest of all that is there.
///
/// # Errors
/// A folder that cannot be written or that is something else than an export; Ctrl-C, as long as nothing was replaced.
pub fn write(folder: &Path, packages: &[Package]) -> Result<Manifest, CliError> {
    fs::create_dir_all(folder).map_err(|cause| refused(folder, &cause))?;
    for package in packages {
        let place = folder.join(&package.name);
        let empty = fs::read_dir(&place).map_or(true, |mut files| files.next().is_none());
        if !empty && !place.join(format!("{}.f", package.name)).is_file() {
            return Err(CliError::input(
                format!("{} is there already and is no export", place.display()),
                "name another folder with --out, or move it away",
            ));
        }
    }
    // Everything is written beside its place first; then renamed, which cannot be half done.
    let workshop = tempfile::Builder::new().prefix(".heddle-export-").tempdir_in(folder);
    let workshop = workshop.map_err(|cause| refused(folder, &cause))?;
    for package in packages {
        check_interrupt()?;
        let place = workshop.path().join(&package.name);
        fs::create_dir(&place).map_err(|cause| refused(&place, &cause))?;
        for (name, text) in &package.files {
            fs::write(place.join(name), text).map_err(|cause| refused(&place.join(name), &cause))?;
        }
    }
    check_interrupt()?;
    for package in packages {
        let place = folder.join(&package.name);
        if place.exists() {
            let old = workshop.path().join(format!("{}.old", package.name));
            fs::rename(&place, old).map_err(|cause| refused(&place, &cause))?;
        }
        fs::rename(workshop.path().join(&package.name), &place).map_err(|cause| refused(&place, &cause))?;
    }
    let manifest = Manifest::new(present(folder)?);
    write_atomically(&folder.join("manifest.json"), manifest.to_text().as_bytes())?;
    Ok(manifest)
}

/// The records of all exports in `folder`, by name.
fn present(folder: &Path) -> Result<Vec<Record>, CliError> {
    let mut records = Vec::new();
    for entry in fs::read_dir(folder).map_err(|cause| refused(folder, &cause))?.flatten() {
        let text = fs::read_to_string(entry.path().join("manifest.json")).unwrap_or_default();
        if let Ok(manifest) = serde_json::from_str::<Manifest>(&text) {
            let name = entry.file_name();
            records.extend(manifest.exports.into_iter().filter(|record| name == record.module.as_str()));
        }
    }
    records.sort_by(|one, other| one.module.cmp(&other.module));
    Ok(records)
}

fn refused(path: &Path, cause: &io::Error) -> CliError {
    CliError::input(format!("cannot write {}: {cause}", path.display()), "may you write there, and is there room?")
}
