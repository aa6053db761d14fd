//! `--keep DIR`: the smallest call of each defect that a generated call showed, as a case file.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Arg;
use normative_conformance::corpus::{Case, Ledger, load_text, stated, write};
use normative_conformance::reference::Call;
use normative_conformance::report::Report;
use normative_conformance::report::defect::Witness;

use crate::home::shown;
use crate::note::note;
use crate::select::list;

/// The most calls asked of a backend to make one kept call small.
pub(crate) const SHRINK: usize = 1000;

/// The option.
pub(crate) fn option() -> Arg {
    Arg::new("keep")
        .long("keep")
        .value_name("DIR")
        .value_parser(clap::value_parser!(PathBuf))
        .conflicts_with("list")
        .help(
            "Write the smallest call of each defect that generated calls showed into this folder, as a case",
        )
}

/// Writes the cases, a file each. A file that is there stays as it is.
///
/// # Errors
/// If a file cannot be written, or would not load as the same call.
pub(crate) fn keep(report: &Report<'_>, ledger: &Ledger, folder: &Path) -> Result<()> {
    let finds: Vec<_> = report.finds().collect();
    for defect in report.defects() {
        let Witness::Call(id) = defect.smallest else { continue };
        let Some(find) = finds.iter().find(|find| find.id == id) else { continue };
        let call = defect.shrunk.as_ref().map_or(&find.call, |shrunk| &shrunk.call);
        let why = format!("A generated call showed it: {}.", defect.name());
        let Some(case) = stated::case(call.clone(), stated::id(call), &why, ledger) else {
            note(format_args!("not kept: no case can state {id}, whose layout or readings data do not show"));
            continue;
        };
        let file = folder.join(format!("{}.yaml", case.id));
        if !file.exists() {
            let text = write::file("Calls that a run found", std::slice::from_ref(&case));
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
            std::fs::write(&file, checked(&file, text, &[case])?)
                .with_context(|| file.display().to_string())?;
        }
        note(format_args!("kept {}: {}", shown(&file), defect.name()));
    }
    Ok(())
}

/// The text of a file with these cases, as it was given.
///
/// # Errors
/// If it would not load, or not as the same calls, bit for bit.
fn checked(file: &Path, text: String, cases: &[Case]) -> Result<String> {
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

    use normative_conformance::corpus::load_ledger;
    use normative_conformance::reference::Spec;
    use normative_conformance::run::property::row;

    use super::*;
    use crate::select::workspace_root;

    #[test]
    fn most_generated_calls_can_be_written_as_a_case_that_is_the_same_call() {
        let ledger = load_ledger(&workspace_root().join("cases/clauses")).unwrap();
        let (mut written, mut specs) = (0, BTreeSet::new());
        for id in row(5, &Spec::ALL).take(1100) {
            let call = id.call();
            let spec = call.spec();
            let id = stated::id(&call);
            if let Some(case) = stated::case(call, id, "It was found.", &ledger) {
                let cases = std::slice::from_ref(&case);
                let text = checked(Path::new("found.yaml"), write::file("Found", cases), cases).unwrap();
                assert!(text.contains(&case.id));
                written += 1;
                specs.insert(spec);
            }
        }
        assert_eq!(specs.len(), Spec::ALL.len());
        assert!(written > 800, "{written} of 1100");
    }
}
