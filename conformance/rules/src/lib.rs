//! Wrong rules: implementations with one simple mistake each, which failures of a backend are held against.
//!
//! Grouping asks each mutant for its answers to failing calls; if a failing backend gave the same answers, its defect is
//! named by the mutant's sentence. No verdict depends on it. A mutant with state answers as if each call were its first, so
//! it explains nothing.
//!
//! [`mod@steps`] is one plain implementation, [`mod@mutants`] a table of small edits that make it wrong. The zoo
//! (`xtask/zoo`) measures by the same mutants how many mistakes the cases catch.

#![allow(clippy::missing_errors_doc, reason = "the error of a step is the refusal that it makes")]

pub mod fault;
pub mod floats;
pub mod form;
pub mod integers;
pub mod mutants;
pub mod plan;
pub mod steps;

use std::sync::LazyLock;

use normative_conformance::Observed;
use normative_conformance::defect::rules::WrongRules;
use normative_conformance::reference::Call;

use crate::mutants::Mutant;
use crate::steps::PlainWork;

/// All mutants, as rules.
pub fn rules() -> &'static dyn WrongRules {
    static MUTANTS: LazyLock<Mutants> = LazyLock::new(|| Mutants(mutants::mutants()));
    &*MUTANTS
}

#[derive(Debug)]
struct Mutants(Vec<Mutant>);

impl WrongRules for Mutants {
    fn sentences(&self) -> Vec<&'static str> {
        self.0.iter().map(|mutant| mutant.wrong).collect()
    }

    fn answers(&self, call: &Call, wanted: &[usize]) -> Vec<Option<Observed>> {
        let known = PlainWork::of(call);
        let answer = |&at: &usize| {
            let answer = self.0.get(at)?.backend().answer_beside(call, &known);
            (answer != known.answer).then_some(answer)
        };
        wanted.iter().map(answer).collect()
    }
}
