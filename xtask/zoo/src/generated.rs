//! Runs implementations over one row of generated calls, and counts the calls until a mutant is found.
//!
//! The calls, their sheets and the plain implementation's verdicts are computed once. As in [`crate::bench`],
//! an answer equal to the plain one has its verdict.

use std::convert::Infallible;

use normative_conformance::Capabilities;
use normative_conformance::reference::{Call, Layout, Spec, TensorError};
use normative_conformance::run::probe::settle_alone;
use normative_conformance::run::property::row;
use normative_conformance::run::readings::Answers;
use normative_conformance::{Demands, Driver as _, Sheet, Verdict, judge};

use crate::bench::verdict_beside;
use normative_rules::steps::{Implementation, PlainWork};

/// The prepared calls of a row.
pub struct PreparedRow(Vec<Prepared>);

struct Prepared {
    call: Call,
    sheet: Sheet,
    known: PlainWork,
    verdict: Verdict,
}

impl PreparedRow {
    /// Returns the first `calls` calls of these specs in the row of this seed.
    ///
    /// # Errors
    /// [`TensorError`] if the reference cannot hold a result, which never happens with generated calls.
    pub fn new(seed: u64, calls: usize, specs: &[Spec]) -> Result<Self, TensorError> {
        let takes_all = Capabilities { layouts: Layout::UNUSUAL.to_vec(), ..Capabilities::default() };
        let prepared = row(seed, specs).take(calls).map(|id| {
            let call = id.call_for(&takes_all);
            let (sheet, known) = (Sheet::of(&call)?, PlainWork::of(&call));
            let verdict = judge(&sheet, &known.answer, &Demands::default());
            Ok(Prepared { call, sheet, known, verdict })
        });
        prepared.collect::<Result<_, _>>().map(Self)
    }

    /// Returns the number of calls.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no calls.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of calls until one fails, or no readings explain all answers so far; `None` if the
    /// row shows no mistake.
    pub fn calls_until_found(&self, backend: &mut Implementation) -> Option<usize> {
        let mut accepted = Vec::new();
        let failing = self.0.iter().enumerate().position(|(at, one)| {
            let answer = backend.answer_beside(&one.call, &one.known);
            let verdict = verdict_beside(&one.sheet, &answer, (&one.known, &one.verdict));
            let verdict = settle_alone(&one.call, &answer, verdict, &Capabilities::default(), |calls| {
                Ok::<_, Infallible>(backend.ask_all(calls))
            });
            match verdict.unwrap_or_else(|never| match never {}) {
                Verdict::Conforms { accepting, .. } => {
                    accepted.push((at, accepting));
                    false
                }
                verdict => verdict.is_failure(),
            }
        });
        let contradict = |last: usize| {
            let mut answers = Answers::default();
            for (at, accepting) in accepted.iter().take_while(|(at, _)| *at <= last) {
                answers.add(&self.0[*at].call, accepting, *at);
            }
            answers.profile().iter().any(|(place, row)| row.inconsistent(place).is_some())
        };
        // More answers stay contradictory, so the first contradicting one is found by halving.
        let contradicting = accepted.last().filter(|(at, _)| contradict(*at));
        let contradicting =
            contradicting.map(|_| accepted[accepted.partition_point(|(at, _)| !contradict(*at))].0);
        contradicting.or(failing).map(|at| at + 1)
    }
}
