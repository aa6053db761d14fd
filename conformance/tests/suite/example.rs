//! An example case, for tests where its content does not matter.

use normative_conformance::corpus::{Case, CaseClaim, Statement};
use normative_conformance::reference::Call;

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
