//! The default paths of records.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use normative_conformance::session::Part;

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

/// Returns the default path of a run's record. Narrowed runs and parts have folders of their own, so that they do not
/// replace other records.
pub fn path_of_run(backend: &str, narrowed: bool, part: Option<Part>) -> Result<PathBuf> {
    let part = part.map(|Part { index, of }| format!("part-{}-of-{of}", index + 1));
    match (narrowed, part) {
        (false, None) => usual_path(backend),
        (true, None) => path_apart("narrowed", backend),
        (false, Some(part)) => path_apart(&part, backend),
        (true, Some(part)) => path_apart(&format!("narrowed-{part}"), backend),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_run_replaces_the_record_of_a_run_over_other_calls() {
        let parts = [None, Some(Part { index: 0, of: 2 }), Some(Part { index: 1, of: 2 })];
        let paths: Vec<PathBuf> = [false, true]
            .into_iter()
            .flat_map(|narrowed| parts.map(|part| path_of_run("numpy", narrowed, part).unwrap()))
            .collect();
        assert_eq!(paths[0], usual_path("numpy").unwrap());
        assert_eq!(paths.iter().collect::<BTreeSet<_>>().len(), paths.len(), "{paths:?}");
        assert!(paths[5].ends_with("normative-runs/narrowed-part-2-of-2/numpy.ndjson"), "{paths:?}");
    }
}
