//! A call that broke something, as a case file: `cases/found/ID.yaml`.
//!
//! A hunt writes its own finds with more details; this module is for calls from elsewhere. The file is canonical, and
//! it is written only if it loads as a case of that very call. A maintainer has to add the reason: `why`.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use normative_conformance::Verdict;
use normative_conformance::corpus::{Case, Corpus, Ledger, load_text, name, prefix, write};
use normative_conformance::reference::{Call, Layout, Spec};
use normative_conformance::run::property::{Find, Id};
use normative_hunt::found::claim_of;

use super::files::canonical;
use normative::select::list;

/// Makes a case with the reference's expectation, about the clause that a wrong answer would break. Returns `None` if
/// a case cannot state it, for example for data that are not row-major.
pub(crate) fn stated(call: Call, file: PathBuf, id: String, why: &str, ledger: &Ledger) -> Option<Case> {
    let claim = claim_of(&call, None).filter(|_| call.layout == Layout::RowMajor)?;
    let unanswered =
        Find { id: Id::first(0, 0), call: call.clone(), verdict: Verdict::Crashed(String::new()) };
    Some(Case {
        name: name(&id, call.spec(), call.data.dtype()),
        id,
        file,
        line: 0,
        clauses: vec![unanswered.clause(ledger)],
        why: why.to_owned(),
        call,
        random: None,
        claim,
    })
}

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
    let text = canonical(file, &write::file(topic, cases))?;
    let loaded =
        load_text(file, &text).map_err(|errors| anyhow!("a case that does not load:\n{}", list(&errors)))?;
    let calls = |cases: &[Case]| -> Vec<(Call, Vec<u64>)> {
        cases.iter().map(|case| (case.call.clone(), case.call.data.bits())).collect()
    };
    if calls(&loaded) != calls(cases) {
        bail!("{}: would say something else; nothing is written", file.display());
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use normative::select::workspace_root;
    use normative_conformance::corpus::load_ledger;
    use normative_conformance::reference::Spec;
    use normative_conformance::run::property::row;

    use super::*;

    #[test]
    fn most_generated_calls_can_be_written_as_a_case_that_is_the_same_call() {
        let ledger = load_ledger(&workspace_root().join("cases/clauses")).unwrap();
        let (mut written, mut specs) = (0, BTreeSet::new());
        for call in row(5, &Spec::ALL).map(Id::call).take(1100) {
            let spec = call.spec();
            let id = format!("{}found", prefix(spec));
            if let Some(case) = stated(call, "found.yaml".into(), id, "It was found.", &ledger) {
                let text = text_of(&case.file, "What was found", std::slice::from_ref(&case)).unwrap();
                assert!(text.contains(&case.id));
                written += 1;
                specs.insert(spec);
            }
        }
        assert_eq!(specs.len(), Spec::ALL.len());
        assert!(written > 800, "{written} of 1100");
    }
}
