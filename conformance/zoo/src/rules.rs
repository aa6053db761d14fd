//! The mutants as the simple wrong rules that failures of a backend are held against.
//!
//! Whoever groups failures asks each mutant what it would have answered. One that keeps something from call to call is asked
//! as if each call were its first, so it explains nothing.

use std::sync::LazyLock;

use normative_conformance::Observed;
use normative_conformance::defect::rules::WrongRules;
use normative_conformance::reference::Call;

use crate::mutants::{self, Mutant};
use crate::steps::Known;

/// All mutants.
pub fn mutants() -> &'static dyn WrongRules {
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
        let known = Known::of(call);
        let answer = |&at: &usize| {
            let answer = self.0.get(at)?.backend().answer_beside(call, &known);
            (answer != known.answer).then_some(answer)
        };
        wanted.iter().map(answer).collect()
    }
}
