//! An example case, for tests where its content does not matter, and the corpus's own cases of an operator.

use std::path::Path;
use std::sync::LazyLock;

use normative_conformance::corpus::{Case, CaseClaim, Corpus, Statement, load};
use normative_conformance::reference::Call;

static CORPUS: LazyLock<Corpus> =
    LazyLock::new(|| load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases")).unwrap());

/// Returns the corpus's cases of the specs whose names begin so, such as `onnx/ReduceL1`, those of the family alone first.
pub(crate) fn cases_of(operator: &str) -> Corpus {
    let cases = CORPUS.cases.iter().filter(|case| case.call.spec().name().starts_with(operator));
    let mut cases: Vec<Case> = cases.cloned().collect();
    cases.sort_by_key(|case| std::cmp::Reverse(case.file.iter().count()));
    Corpus { cases }
}

pub(crate) fn case(name: &str, call: Call) -> Case {
    Case {
        name: name.into(),
        id: name.into(),
        file: "example.yaml".into(),
        line: 1,
        clauses: vec![],
        why: "An example.".into(),
        call,
        random: None,
        claim: CaseClaim::Determined(Statement::Unchanged),
    }
}
