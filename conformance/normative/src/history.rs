//! The history of a runtime: what each of its releases answered, as `cargo xtask history` writes it to a file of
//! `history/` beside this crate's sources. The program holds these files, so `ask` needs neither a run nor a checkout.
//!
//! In the file, everything that releases answered is listed as its changes: `1.19.0 hazard, 1.27.0 conforms` holds from
//! 1.19.0 on, and from 1.27.0 on something else does, in the order of `runs`.
//!
//! - `runs`: the judged releases; `suite` and `digest` name the judge and its cases.
//! - `absent`: releases that could not be asked, and the reason.
//! - `types`: of each spec and type `answered/valid wrong died`: the answered calls among those that no reading refuses,
//!   the wrong answers to all calls, and the calls that ended the process.
//! - `readings`: the readings that the answers force, by question, specs and types. Several readings of a question about
//!   the form of calls are `INCONSISTENT`, which is a defect.
//! - `defects`, `hazards`: each with its releases, its extent (calls by spec and type) and its smallest call.
//! - `calls`: the smallest calls of all releases and of `docs/findings`, each for every version of all operators and every
//!   type, asked of every release. Since and until come from here.

mod changes;
mod file;
pub mod matters;
pub mod model;
pub mod spans;
pub mod words;

use std::sync::OnceLock;

use anyhow::{Context as _, Result};
use normative_conformance::corpus::{Case, line};
use normative_conformance::display;
use normative_conformance::reference::{Call, Spec};
use normative_conformance::run::property::Id;

pub use self::file::{Place, split};
use self::model::History;

/// The files, by backend.
const FILES: &[(&str, &str)] = &[
    ("burn", include_str!("../history/burn.yaml")),
    ("candle", include_str!("../history/candle.yaml")),
    ("jax", include_str!("../history/jax.yaml")),
    ("jax-norm", include_str!("../history/jax-norm.yaml")),
    ("numpy", include_str!("../history/numpy.yaml")),
    ("numpy-norm", include_str!("../history/numpy-norm.yaml")),
    ("onnx-reference", include_str!("../history/onnx-reference.yaml")),
    ("onnxruntime", include_str!("../history/onnxruntime.yaml")),
    ("openvino", include_str!("../history/openvino.yaml")),
    ("rten", include_str!("../history/rten.yaml")),
    ("scipy-blas", include_str!("../history/scipy-blas.yaml")),
    ("torch", include_str!("../history/torch.yaml")),
    ("torch-norm", include_str!("../history/torch-norm.yaml")),
    ("tract", include_str!("../history/tract.yaml")),
];

/// Returns the history of a backend, if the program holds it. Each is read once.
///
/// # Errors
/// The file is not one of a history.
pub fn of(backend: &str) -> Result<Option<&'static History>> {
    static READ: [OnceLock<History>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];
    let Some(((_, text), read)) = FILES.iter().zip(&READ).find(|((name, _), _)| *name == backend) else {
        return Ok(None);
    };
    if let Some(history) = read.get() {
        return Ok(Some(history));
    }
    let history = of_text(text).with_context(|| format!("the history of {backend}"))?;
    Ok(Some(read.get_or_init(|| history)))
}

/// Returns the name that a call has in a history: a generated call is a line, if one can say it.
pub fn call(named: &str) -> String {
    let line = named.parse::<Id>().ok().and_then(|id| line::of(&id.call()));
    line.unwrap_or_else(|| named.to_owned())
}

/// Returns a followed call that a line says, as a case.
pub(crate) fn stated(call: &str) -> Option<Case> {
    line::is_one(call).then(|| line::cases(call).ok()?.pop()).flatten()
}

/// Returns a followed call. Of a case that no line can say, only the corpus has it.
pub(crate) fn asked(call: &str) -> Option<Call> {
    let generated = call.parse::<Id>().ok().map(Id::call);
    generated.or_else(|| stated(call).map(|case| case.call))
}

/// Returns what a followed call shares with others, and the names of its spec and type.
pub fn place(call: &str) -> Option<Place> {
    let (rest, spec, dtype) = match split(call) {
        // The name of a case with several types of axes has a part more.
        (_, spec, _) if spec.is_empty() && call.contains('/') => split(call.rsplit_once('/')?.0),
        parts => parts,
    };
    let of_case = || Spec::ALL.into_iter().find(|of| display::unique_version(*of) == spec);
    let spec = match Spec::from_name(&spec).or_else(of_case) {
        Some(spec) => spec,
        None => asked(call)?.spec(),
    };
    let dtype = if dtype.is_empty() { asked(call)?.data.dtype().to_string() } else { dtype };
    Some((rest, spec.name().to_owned(), dtype))
}

/// Returns the backends with a history.
pub fn backends() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// Reads a file.
///
/// # Errors
/// The text is not that of a history.
pub fn of_text(text: &str) -> Result<History> {
    file::unpack(serde_yaml::from_str(text)?)
}

/// Writes a file.
///
/// # Errors
/// The history cannot be written as YAML.
pub fn text(history: &History) -> Result<String> {
    let head =
        "# Written by `cargo xtask history`; conformance/normative/src/history.rs explains the fields.\n";
    Ok(format!("{head}{}", serde_yaml::to_string(&file::pack(history))?))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::select::workspace_root;

    #[test]
    fn every_file_is_held_and_reads_back_as_it_is_written() {
        for (backend, file) in FILES {
            let history = of(backend).unwrap().unwrap();
            assert_eq!((history.backend.as_str(), text(history).unwrap().as_str()), (*backend, *file));
            assert!(crate::backends::find(backend).unwrap().is_some() && !history.results.is_empty());
        }
        let folder = workspace_root().join("conformance/normative/history");
        let files = std::fs::read_dir(folder).unwrap().flatten();
        let names: BTreeSet<String> =
            files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
        assert_eq!(names, backends().map(|backend| format!("{backend}.yaml")).collect());
    }

    #[test]
    fn the_files_stay_small_within_the_program() {
        assert!(FILES.iter().map(|(_, text)| text.len()).sum::<usize>() < 300_000);
    }

    #[test]
    fn every_release_was_asked_every_followed_call() {
        for backend in backends() {
            let history = of(backend).unwrap().unwrap();
            // A crate is asked in its newest version alone.
            let has_releases = crate::backends::find(backend).unwrap().unwrap().has_releases();
            let asked = if has_releases { history.results.len() } else { 1 };
            for (call, verdicts) in &history.calls {
                let newest = history.results.keys().rev().take(asked);
                assert!(newest.eq(verdicts.keys().rev().take(asked)), "{backend}: {call}");
            }
        }
    }
}
