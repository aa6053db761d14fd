//! New case files: their ids, and their canonical text, which loads as cases of the very same calls or is not written.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use normative::keep::checked;
use normative_conformance::corpus::{Case, Corpus, prefix, write};
use normative_conformance::reference::Spec;

use super::files::canonical;

/// Makes the id of a new case from some words, with the operator as prefix.
///
/// # Errors
/// The corpus has a case of that id.
pub(crate) fn new_id(spec: Spec, words: &str, corpus: &Corpus) -> Result<String> {
    let id = format!("{}{}", prefix(spec), words.strip_prefix(prefix(spec)).unwrap_or(words));
    if let Some(known) = corpus.cases.iter().find(|case| case.id == id) {
        bail!("{}:{}: the corpus already has a case {id}", known.file.display(), known.line);
    }
    Ok(id)
}

/// Writes a draft to a new file. An existing file may be another draft, so it is not overwritten.
///
/// # Errors
/// The file exists, or cannot be written.
pub(crate) fn write_draft(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let written = File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.with_context(|| path.display().to_string())
}

/// Returns the canonical text of a file with these cases.
///
/// # Errors
/// The text would not load, or not as the same calls bit for bit.
pub(crate) fn text_of(file: &Path, topic: &str, cases: &[Case]) -> Result<String> {
    checked(file, canonical(file, &write::file(topic, cases))?, cases)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use normative::select::workspace_root;
    use normative_conformance::corpus::{load_ledger, stated};
    use normative_conformance::reference::Spec;
    use normative_conformance::run::property::row;

    use super::*;

    #[test]
    fn most_generated_calls_can_be_written_as_a_case_that_is_the_same_call() {
        let ledger = load_ledger(&workspace_root().join("cases/clauses")).unwrap();
        let (mut written, mut specs) = (0, BTreeSet::new());
        for id in row(5, &Spec::ALL).take(1100) {
            let call = id.call();
            let spec = call.spec();
            if let Some(case) = stated::case(call, format!("{}found", prefix(spec)), "It was found.", &ledger)
            {
                let text = text_of(Path::new("found.yaml"), "Found", std::slice::from_ref(&case)).unwrap();
                assert!(text.contains(&case.id));
                written += 1;
                specs.insert(spec);
            }
        }
        assert_eq!(specs.len(), Spec::ALL.len());
        assert!(written > 800, "{written} of 1100");
    }
}
