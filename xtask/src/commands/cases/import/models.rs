//! Directories of ONNX's backend tests: a `model.onnx`, and beside it a `test_data_set_*` for each call.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use normative_conformance::corpus::Ledger;
use normative_conformance::outside;
use normative_conformance::reference::{Call, Tensor};
use normative_onnx::read::{self, ReadError};

use super::{MAX_FILE, Outcome, case_of};

/// The maximum number of inputs of a model. A reduction has two.
const MAX_INPUTS: usize = 64;

/// Lists the folders with a model, sorted by name.
pub(super) fn models(directory: &Path) -> Result<Vec<PathBuf>> {
    if directory.join("model.onnx").exists() {
        return Ok(vec![directory.to_path_buf()]);
    }
    folders(directory, |path| path.join("model.onnx").exists())
}

pub(super) fn data_sets(model: &Path) -> Result<Vec<PathBuf>> {
    folders(model, |path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("test_data_set_"))
    })
}

fn folders(directory: &Path, wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in outside::entries(directory, outside::ENTRIES)? {
        if path.is_dir() && wanted(&path) {
            found.push(path);
        }
    }
    Ok(found)
}

/// Returns the outcome of a data set.
pub(super) fn outcome(model: &Path, set: &Path, words: &str, ledger: &Ledger) -> Outcome {
    match read_set(model, set) {
        Ok((call, output)) => case_of(call, output, words, ledger),
        Err(error) => match error.downcast_ref::<ReadError>() {
            Some(ReadError::Operator(_) | ReadError::Nodes(_)) => {
                Outcome::LeftOut("models of another operator, or of several".into())
            }
            Some(ReadError::ElementType(_)) => {
                Outcome::LeftOut("tensors of a type that no spec here has".into())
            }
            _ => Outcome::Wrong(format!("{error:#}")),
        },
    }
}

fn read_set(model: &Path, set: &Path) -> Result<(Call, Tensor)> {
    let bytes = |path: &Path| outside::bytes(path, MAX_FILE).with_context(|| path.display().to_string());
    let tensor = |path: &Path| -> Result<Tensor> {
        let (_, tensor) = read::tensor(&bytes(path)?).with_context(|| path.display().to_string())?;
        Ok(tensor)
    };
    let inputs =
        (0..MAX_INPUTS).map(|at| set.join(format!("input_{at}.pb"))).take_while(|path| path.exists());
    let model = bytes(&model.join("model.onnx"))?;
    // Read the model first: the tensors of another operator may be anything.
    read::norm(&model)?;
    let inputs = inputs.map(|path| tensor(&path)).collect::<Result<Vec<_>>>()?;
    let call = read::call(&model, &inputs)?;
    Ok((call, tensor(&set.join("output_0.pb"))?))
}
