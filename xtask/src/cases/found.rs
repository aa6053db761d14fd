//! A call that something broke on, as a case file: `cases/found/ID.yaml`.
//!
//! Of a hunt's finds more is known, and they are written there; this is for a call that comes from elsewhere.
//! The file is canonical and loads as a case of that very call, or it is not written. What a person has to
//! add is the reason: `why`.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use normative_conformance::Verdict;
use normative_conformance::cases::{Case, Ledger, load_ledger, load_text, prefix, write as text_of};
use normative_conformance::hunt::found::claim_of;
use normative_conformance::property::{Find, Id};
use normative_conformance::reference::Call;
use normative_conformance::worker::wire::encode_call;

use super::canonical;
use crate::select::{list, workspace_root};

/// Writes the call as a case; nothing where no case can be about it, because it raises several questions.
///
/// # Errors
/// When the ledger cannot be read or the file not written.
pub(crate) fn write(call: &Call) -> Result<Option<Case>> {
    let cases = workspace_root().join("cases");
    let ledger = load_ledger(&cases.join("clauses"))
        .map_err(|errors| anyhow!("the clause ledger cannot be read:\n{}", list(&errors)))?;
    let folder = cases.join("found");
    let Some(case) = case_of(call, &folder, &ledger) else { return Ok(None) };
    let text = text_of_case(&case)?;
    std::fs::create_dir_all(&folder)?;
    std::fs::write(&case.file, text).with_context(|| case.file.display().to_string())?;
    Ok(Some(case))
}

fn case_of(call: &Call, folder: &Path, ledger: &Ledger) -> Option<Case> {
    let claim = claim_of(call, None)?;
    let find =
        Find { id: Id { seed: 0, index: 0 }, call: call.clone(), verdict: Verdict::Crashed(String::new()) };
    let id = id(call);
    let version = call.spec().name();
    let version = version.split_once('/').map_or(version, |(_, version)| version);
    Some(Case {
        name: format!("{id}/{version}/{}", call.data.dtype()),
        file: folder.join(format!("{id}.yaml")),
        id,
        line: 0,
        clauses: vec![find.clause(ledger)],
        why: "Something was found to break on it; say here what kind of implementation does.".to_owned(),
        call: call.clone(),
        claim,
    })
}

fn text_of_case(case: &Case) -> Result<String> {
    let file: &PathBuf = &case.file;
    let plain = text_of::file("A call that something was found to break on", std::slice::from_ref(case));
    let text = canonical(file, &plain)?;
    let loaded = load_text(file, &text).map_err(|errors| anyhow!("it does not load:\n{}", list(&errors)))?;
    let [loaded] = &loaded[..] else { bail!("{}: would be several cases", file.display()) };
    if loaded.call != case.call || loaded.call.data.bits() != case.call.data.bits() {
        bail!("{}: would say something else; nothing is written", file.display());
    }
    Ok(text)
}

/// A name that says the operator and is the same for the same call.
fn id(call: &Call) -> String {
    // FNV-1a.
    let hash = encode_call(0, call).iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{}found-{hash:016x}", prefix(call.spec()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use normative_conformance::property::row;
    use normative_conformance::reference::Spec;

    use super::*;

    #[test]
    fn most_generated_calls_can_be_written_as_a_case_that_is_the_same_call() {
        let ledger = load_ledger(&workspace_root().join("cases/clauses")).unwrap();
        let (mut written, mut specs) = (0, BTreeSet::new());
        for id in row(5, &Spec::ALL).take(1100) {
            let call = id.call();
            if let Some(case) = case_of(&call, Path::new("found"), &ledger) {
                let text = text_of_case(&case).unwrap();
                assert!(text.contains(&case.id));
                written += 1;
                specs.insert(call.spec());
            }
        }
        assert_eq!(specs.len(), Spec::ALL.len());
        assert!(written > 800, "{written} of 1100");
    }
}
