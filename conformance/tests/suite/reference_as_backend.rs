//! Tests the reference as a backend with given readings: it conforms everywhere, and its profile has these
//! readings, for every reading of every question.

use std::collections::BTreeSet;

use crate::example::CORPUS;
use crate::reference_backend::{Policy, Reference, make_coherent};
use normative_conformance::corpus::CaseClaim;
use normative_conformance::reference::{Question, Reading, rule};
use normative_conformance::report::Report;
use normative_conformance::run::{Prepared, prepare, run};
use normative_conformance::{Backend, Demands};

/// Checks the reference under a policy, and its profile against the policy. Returns the questions that its
/// answers show.
fn conforms_under(policy: &Policy, prepared: &[Prepared<'_>]) -> BTreeSet<Question> {
    let mut backend = Reference(policy.clone());
    let verdicts = run(prepared, &mut backend, &Demands::default());
    let results: Vec<_> = prepared.iter().map(|one| one.case).zip(verdicts).collect();
    let report = Report { corpus: results.len(), ..Report::of(backend.identity(), results, 0) };
    if let Some((case, verdict)) = report.failures().next() {
        panic!("{policy:?}: {}: {verdict:?}", case.name);
    }
    let mut told = BTreeSet::new();
    for (place, row) in report.profile() {
        let wanted = policy.get(&place.question).copied().unwrap_or(place.question.readings()[0]);
        // For types in which this means the same as another reading, no answer shows it.
        let left_out = wanted == Reading::Indefinite && row.readings() == [place.question.readings()[0]];
        assert!(left_out || row.readings() == [wanted], "{place:?}: {row:?}");
        told.insert(place.question);
    }
    told
}

/// Readings that no answer shows, because another reading accepts all their answers: one of a
/// [nested](Question::is_nested) question, or a sum in f64, which may be exact too.
const HIDDEN: [(Question, Reading); 6] = [
    (Question::IntegerL2Wider, Reading::Exact),
    (Question::FloatRange, Reading::Scaled),
    (Question::HalfAccumulation, Reading::Wide),
    (Question::HalfAccumulation, Reading::ByOperator),
    (Question::Subnormals, Reading::Flushed),
    (Question::ResultRounding, Reading::Nearest),
];

#[test]
#[ignore = "weekly: it judges a run for every reading"]
fn each_reading_of_each_question_conforms_and_shows_in_the_profile() {
    let prepared = prepare(&CORPUS.cases).unwrap();
    let asked: BTreeSet<Question> = CORPUS
        .cases
        .iter()
        .filter_map(|case| match case.claim {
            CaseClaim::Open { question, .. } => Some(question),
            CaseClaim::Determined(_) => None,
        })
        .collect();
    assert_eq!(asked.len(), Question::ALL.len(), "every question is asked");
    conforms_under(&Policy::new(), &prepared);
    let mut hidden = Vec::new();
    for question in Question::ALL {
        for &reading in question.readings() {
            let mut policy = Policy::from([(question, reading)]);
            make_coherent(&mut policy);
            // Elsewhere this policy answers as the default does. Answers about another question may show this
            // reading, so all cases are asked if the few do not show it.
            let touched = prepared.iter().filter(|one| {
                rule(&one.case.call).questions().iter().any(|asked| policy.contains_key(asked))
            });
            let touched: Vec<_> = touched.cloned().collect();
            let shows = |over: &[Prepared<'_>]| conforms_under(&policy, over).contains(&question);
            if !shows(&touched) && !shows(&prepared) {
                hidden.push((question, reading));
            }
        }
    }
    assert_eq!(hidden, HIDDEN);
}
