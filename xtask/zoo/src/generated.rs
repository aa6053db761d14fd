//! Runs implementations over one row of generated calls: how many does it take to find a mutant?
//!
//! The calls, what they may be answered and the plain implementation's verdicts are made once. As in
//! [`crate::bench`], an answer that equals the plain one has its verdict.

use std::convert::Infallible;

use normative_conformance::Capabilities;
use normative_conformance::reference::{Call, Layout, Spec, TensorError};
use normative_conformance::run::probe::settle_alone;
use normative_conformance::run::property::row;
use normative_conformance::run::readings::Watch;
use normative_conformance::{Demands, Driver as _, Sheet, Verdict, judge};

use crate::bench::verdict_beside;
use normative_rules::steps::{Implementation, Known};

/// Calls of a row, ready to be put.
pub struct Row(Vec<Prepared>);

struct Prepared {
    call: Call,
    sheet: Sheet,
    known: Known,
    verdict: Verdict,
}

impl Row {
    /// The first `calls` calls of these specs in the row of this seed.
    ///
    /// # Errors
    /// [`TensorError`] where the reference cannot hold a result, which no call that is generated asks for.
    pub fn new(seed: u64, calls: usize, specs: &[Spec]) -> Result<Self, TensorError> {
        let takes_all = Capabilities { layouts: Layout::UNUSUAL.to_vec(), ..Capabilities::default() };
        let prepared = row(seed, specs).take(calls).map(|id| {
            let call = id.call_for(&takes_all);
            let (sheet, known) = (Sheet::of(&call)?, Known::of(&call));
            let verdict = judge(&sheet, &known.answer, &Demands::default());
            Ok(Prepared { call, sheet, known, verdict })
        });
        prepared.collect::<Result<_, _>>().map(Self)
    }

    /// How many calls there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no call.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many calls it takes until one fails, or no readings explain it and all before; `None` where all of them do
    /// not show that anything is wrong.
    pub fn calls_until_found(&self, backend: &mut Implementation) -> Option<usize> {
        let mut watch = Watch::default();
        self.0
            .iter()
            .position(|one| {
                let answer = backend.answer_beside(&one.call, &one.known);
                let verdict = verdict_beside(&one.sheet, &answer, (&one.known, &one.verdict));
                let verdict = settle_alone(&one.call, &answer, verdict, &Capabilities::default(), |calls| {
                    Ok::<_, Infallible>(backend.ask_all(calls))
                });
                let verdict = verdict.unwrap_or_else(|never| match never {});
                let Verdict::Conforms { accepting, .. } = &verdict else { return verdict.is_failure() };
                watch.contradicts(&one.call, accepting)
            })
            .map(|at| at + 1)
    }
}
