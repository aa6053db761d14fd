//! The inputs of campaigns that tests have: where they are, and what they hold.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow};
use normative_conformance::generate::kept as inputs;

use super::Target;
use normative::select::workspace_root;

/// The file of a target's kept inputs, which those have that read what somebody else wrote.
pub(super) fn file(target: Target) -> Option<PathBuf> {
    match target {
        Target::Differential | Target::Exact => None,
        Target::CaseLoader
        | Target::FrameDecoder
        | Target::RecordReader
        | Target::BaselineLoader
        | Target::OnnxReader => {
            Some(workspace_root().join("fuzz/kept").join(target.name()).with_extension("txt"))
        }
    }
}

/// The inputs that were kept of a target.
///
/// # Errors
/// Where their file cannot be read, or a line of it is no input.
pub(super) fn kept(target: Target) -> Result<Vec<Vec<u8>>> {
    let Some(file) = file(target) else { return Ok(Vec::new()) };
    let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    inputs::inputs(&text).map_err(|line| anyhow!("{}: not an input: {line}", file.display()))
}
