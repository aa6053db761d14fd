//! Where the records of runs are.

use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::runner::target_directory;

/// Where the record of a run of this backend goes, unless somebody says.
pub(crate) fn usual_path(backend: &str) -> Result<PathBuf> {
    let plain: String = backend
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || ".-_".contains(c) { c } else { '-' })
        .collect();
    let target = target_directory()?;
    Ok(target.join("normative-runs").join(format!("{}.ndjson", plain.trim_matches(['-', '.']))))
}

/// Where the record of a run that asks little goes: into a folder of its own, so that it never replaces that of a full run.
pub(crate) fn path_apart(folder: &str, backend: &str) -> Result<PathBuf> {
    let usual = usual_path(backend)?;
    let name = usual.file_name().context("a record without a name")?;
    Ok(usual.with_file_name(folder).join(name))
}
