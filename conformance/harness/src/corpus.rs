//! Reads the compiled-in corpus file by file, each at most once and only when needed.

use std::path::Path;
use std::sync::{LazyLock, OnceLock};

use normative_cases::CorpusFile;
use normative_conformance::corpus::{Case, Ledger, load_ledger_text, load_ledger_texts, load_text};
use normative_conformance::reference::Spec;

type Loaded = OnceLock<Result<Vec<Case>, String>>;

static LOADED: LazyLock<Vec<Loaded>> =
    LazyLock::new(|| normative_cases::cases().iter().map(|_| OnceLock::new()).collect());

/// Returns the topics: the files' paths without the ending.
pub(crate) fn topics() -> impl Iterator<Item = &'static str> {
    normative_cases::cases().iter().map(topic)
}

fn topic(file: &CorpusFile) -> &'static str {
    file.path.strip_suffix(".yaml").unwrap_or(file.path)
}

/// Returns the family whose cases a topic has: the first folder. A topic outside the folders has cases of several.
pub(crate) fn folder(topic: &str) -> Option<&str> {
    topic.split_once('/').map(|(family, _)| family)
}

/// Returns the cases of a file, in its order.
pub(crate) fn file(wanted: &str) -> Result<&'static [Case], String> {
    let files = normative_cases::cases().iter().zip(LOADED.iter());
    let (file, loaded) = files
        .into_iter()
        .find(|(file, _)| topic(file) == wanted)
        .ok_or_else(|| format!("the corpus has no file {wanted}"))?;
    let load = || load_text(Path::new(file.path), file.text).map_err(|errors| lines(&errors));
    loaded.get_or_init(load).as_deref().map_err(Clone::clone)
}

/// Returns the cases of a spec.
pub(crate) fn of_spec(spec: Spec) -> Result<Vec<&'static Case>, String> {
    let mut cases = Vec::new();
    for topic in topics().filter(|topic| folder(topic).is_none_or(|folder| folder == spec.family().name())) {
        cases.extend(file(topic)?.iter().filter(|case| case.call.spec() == spec));
    }
    Ok(cases)
}

/// Returns the clauses of a spec, which are in one file.
pub(crate) fn ledger(spec: Spec) -> Result<Ledger, String> {
    for CorpusFile { path, text } in normative_cases::clauses() {
        let ledger = load_ledger_text(Path::new(path), text).map_err(|errors| lines(&errors))?;
        if ledger.iter().any(|entry| entry.clause.spec == spec) {
            return Ok(ledger);
        }
    }
    Ok(Ledger::default())
}

/// Returns the clauses of all specs.
pub(crate) fn whole_ledger() -> Result<Ledger, String> {
    let files = normative_cases::clauses().iter().map(|file| (Path::new(file.path), file.text));
    load_ledger_texts(files).map_err(|errors| lines(&errors))
}

pub(crate) fn lines(errors: &[impl ToString]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use normative_conformance::corpus::{load, load_ledger};

    use super::*;

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")
    }

    #[test]
    fn the_crate_holds_the_cases_of_the_folder_all_of_them() {
        let in_folder = load(&folder()).unwrap().cases;
        let compiled_in: Vec<Case> = topics().flat_map(|topic| file(topic).unwrap().to_vec()).collect();
        assert_eq!(compiled_in.len(), in_folder.len());
        for (ours, theirs) in compiled_in.into_iter().zip(in_folder) {
            assert_eq!(Case { file: folder().join(&ours.file), ..ours }, theirs);
        }
    }

    #[test]
    fn the_cases_of_a_spec_are_all_there_are() {
        let all: Vec<&Case> = topics().flat_map(|topic| file(topic).unwrap()).collect();
        for spec in Spec::ALL {
            let names = |cases: &[&Case]| -> Vec<String> {
                cases.iter().filter(|case| case.call.spec() == spec).map(|case| case.name.clone()).collect()
            };
            assert_eq!(names(&of_spec(spec).unwrap()), names(&all), "{spec}");
        }
    }

    #[test]
    fn the_clauses_of_a_spec_are_all_that_the_ledger_has() {
        let whole = load_ledger(&folder().join("clauses")).unwrap();
        for spec in Spec::ALL {
            let ledger = ledger(spec).unwrap();
            for entry in whole.iter().filter(|entry| entry.clause.spec == spec) {
                let ours = ledger.get(spec, &entry.clause.name).unwrap();
                assert_eq!(ours.says, entry.says);
            }
        }
    }
}
