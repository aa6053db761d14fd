//! A case for tests of what is made of cases, where it does not matter what it is about.

use normative_conformance::corpus::{Case, Claim, Statement};
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
        claim: Claim::Determined(Statement::Unchanged),
    }
}
