//! The default paths of records.

use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::runner::target_directory;

/// Returns the default path of a backend's record.
pub fn usual_path(backend: &str) -> Result<PathBuf> {
    let plain: String = backend
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || ".-_".contains(c) { c } else { '-' })
        .collect();
    let target = target_directory()?;
    Ok(target.join("normative-runs").join(format!("{}.ndjson", plain.trim_matches(['-', '.']))))
}

/// Returns the path of a record in this subfolder, so that a smaller run does not replace the record of a full run.
pub fn path_apart(folder: &str, backend: &str) -> Result<PathBuf> {
    let usual = usual_path(backend)?;
    let name = usual.file_name().context("a record without a name")?;
    Ok(usual.with_file_name(folder).join(name))
}

/// Returns the default path of a run's record. Narrowed runs have a folder of their own, so that they do not replace
/// other records.
pub fn path_of_run(backend: &str, narrowed: bool) -> Result<PathBuf> {
    if narrowed { path_apart("narrowed", backend) } else { usual_path(backend) }
}
