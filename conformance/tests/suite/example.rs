//! An example case, for tests where its content does not matter, the corpus and its ledger, and numbers drawn.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use normative_conformance::corpus::{Case, CaseClaim, Corpus, Ledger, Statement, load, load_ledger};
use normative_conformance::random::splitmix64;
use normative_conformance::reference::Call;

/// The corpus, loaded once.
pub(crate) static CORPUS: LazyLock<Corpus> = LazyLock::new(|| load(&folder()).unwrap());

/// The clauses, loaded once.
pub(crate) static LEDGER: LazyLock<Ledger> =
    LazyLock::new(|| load_ledger(&folder().join("clauses")).unwrap());

/// Returns the folder of the corpus.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("cases")
}

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

/// Numbers determined by a seed, and the count of those drawn.
pub(crate) struct Draw(u64, u64);

impl Draw {
    pub(crate) fn from(seed: u64) -> Self {
        Self(seed, 0)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.1 += 1;
        (splitmix64(self.0, self.1 - 1) % limit as u64) as usize
    }

    pub(crate) fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}
