//! Checks that the folders of `conformance/src` use only those before them.
//!
//! ARCHITECTURE.md describes the folders.

use std::path::Path;

use super::names::{module, named};

/// The crate.
const SOURCE: &str = "conformance/src";

/// Its folders, and the files that all of them use, in the order of a call's way.
const ORDER: [&str; 11] = [
    "outside", "digest", "parallel", "corpus", "drive", "shrink", "run", "law", "defect", "report", "session",
];

/// Returns the findings in a file: `:LINE: what`, or `: what`.
pub(super) fn against(file: &Path, text: &str) -> Vec<String> {
    let Ok(file) = file.strip_prefix(SOURCE) else { return Vec::new() };
    let first = file.iter().next().and_then(|name| name.to_str()).unwrap_or_default();
    let folder = first.strip_suffix(".rs").unwrap_or(first);
    if folder == "lib" || file.extension().is_none_or(|extension| extension != "rs") {
        return Vec::new();
    }
    let Some(place) = place(folder) else {
        return vec![format!(": {folder} is none of the folders {}", ORDER.join(", "))];
    };
    let is_later = |name: &&str| self::place(name).is_some_and(|other| other > place);
    let findings = named(&module(Path::new(""), file), text).into_iter().filter_map(|(line, path)| {
        let name = path.first().map(String::as_str).filter(is_later)?;
        Some(format!(":{line}: {folder} comes before {name}, and names it"))
    });
    findings.collect()
}

fn place(folder: &str) -> Option<usize> {
    ORDER.iter().position(|name| *name == folder)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::before("run/probe.rs", "use crate::corpus::Case;\n", &[])]
    #[case::its_own("run.rs", "use crate::run::probe;\n", &[])]
    #[case::after("run/probe.rs", "\nuse crate::report::Report;\n", &[":2: run comes before report, and names it"])]
    #[case::in_a_group("corpus.rs", "use crate::{digest, session::Job};\n", &[":1: corpus comes before session, and names it"])]
    #[case::in_a_path("digest.rs", "    let a = crate::parallel::of(crate::outside::b);\n", &[":1: digest comes before parallel, and names it"])]
    #[case::in_words("corpus.rs", "/// As [`crate::session`] has it.\n", &[])]
    #[case::in_a_test("corpus.rs", "#[cfg(test)]\nmod tests {\n    use crate::session;\n}\n", &[])]
    #[case::nowhere("new/a.rs", "", &[": new is none of the folders outside, digest, parallel, corpus, drive, shrink, run, law, defect, report, session"])]
    #[case::the_crate("lib.rs", "pub use crate::session;\n", &[])]
    fn a_folder_names_none_after_it(#[case] file: &str, #[case] text: &str, #[case] findings: &[&str]) {
        assert_eq!(against(&Path::new(SOURCE).join(file), text), findings);
    }

    #[test]
    fn other_crates_have_no_order() {
        assert_eq!(against(Path::new("xtask/src/lib.rs"), "use crate::session;\n"), [""; 0]);
    }
}
