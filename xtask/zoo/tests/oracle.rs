//! Tests the oracle on the zoo: its verdict on an answer, which tests of other languages rely on, is the judge's.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::path::Path;

use normative_conformance::corpus::{Case, CaseClaim, Ledger, load, load_ledger};
use normative_conformance::parallel::each;
use normative_conformance::reference::Call;
use normative_conformance::report::record::{Written, write_call};
use normative_conformance::run::{Prepared, judge_call, prepare};
use normative_conformance::{Demands, Observed};
use normative_present::oracle::reply;
use normative_zoo::{Implementation, PlainWork, honest, mutants};
use serde_json::{Value, json};

/// The rows of each kind.
const ROWS: usize = 20;

/// Returns true if the oracle accepts an answer; a refusal of a type or form counts as accepted.
fn accepts(call: &Call, answer: &Observed, ledger: &Ledger) -> bool {
    let call = write_call(call, serde_json::value::Serializer).unwrap();
    let request = json!({"judge": {"call": call, "answer": Written::of(answer)}});
    let reply: Value = serde_json::from_str(&reply(request.to_string().as_bytes(), ledger).unwrap()).unwrap();
    assert!(reply["verdict"].is_object() || reply["verdict"].is_string(), "{reply:#}");
    reply["verdict"].get("fails").is_none()
}

fn is_asked(case: &Case) -> bool {
    let is_float = !case.call.data.dtype().is_integer();
    is_float && matches!(case.claim, CaseClaim::Determined(_))
}

#[test]
fn the_oracle_accepts_what_the_judge_accepts_over_all_determined_cases_of_floats() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let (corpus, ledger) = (load(&cases).unwrap(), load_ledger(&cases.join("clauses")).unwrap());
    let prepared = prepare(corpus.cases.iter().filter(|case| is_asked(case))).unwrap();
    // The errors of many elements together are a demand of a case, not of a call.
    let prepared: Vec<&Prepared<'_>> = prepared.iter().filter(|one| !one.sheet.whole).collect();
    assert!(prepared.len() > 4_000, "{}", prepared.len());
    let judged = |one: &Prepared<'_>, answer: &Observed| {
        let call = &one.case.call;
        let ours = accepts(call, answer, &ledger);
        let due = !judge_call(call, &one.sheet, answer, &Demands::default()).is_failure();
        assert_eq!(ours, due, "{}: {answer:?}", one.case.name);
        ours
    };
    let plain = each(&prepared, |one| {
        let known = PlainWork::of(&one.case.call);
        judged(one, &known.answer);
        known
    });
    let every = |count: usize| count / ROWS;
    let (mutants, honest) = (mutants(), honest());
    let refused = |mut backend: Implementation| {
        let wrong = prepared.iter().zip(&plain).filter(|(one, known)| {
            let answer = backend.answer_beside(&one.case.call, known);
            // An answer like the plain one's has its verdict.
            answer != known.answer && !judged(one, &answer)
        });
        wrong.count()
    };
    let wrong: Vec<_> = mutants.iter().step_by(every(mutants.len())).take(ROWS).collect();
    let right: Vec<_> = honest.iter().step_by(every(honest.len())).take(ROWS).collect();
    assert_eq!((wrong.len(), right.len()), (ROWS, ROWS));
    assert!(each(&wrong, |row| refused(row.backend())).iter().sum::<usize>() > 100);
    assert_eq!(each(&right, |row| refused(row.backend())), [0; ROWS]);
}
