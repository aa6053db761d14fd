//! A run tests the condition of a defect: the backend is asked calls that break one part of it.

use normative_conformance::judge::fault::Severity;
use normative_conformance::reference::{Call, Dtype};
use normative_conformance::report::Report;
use normative_conformance::run::prepare;
use normative_conformance::session::{Calls, Job};

use crate::example::cases_of;
use crate::session::{corpus, flawed, on_record, rebuilt, text};

/// Of data with three dims only those of f32 are asked, and of other data only those of i32. So the type sets the
/// failures apart as well as the rank does, and `flawed` refuses by the rank alone.
fn misleads(call: &Call) -> bool {
    match call.data.rank() {
        3 => call.data.dtype() == Dtype::F32 && call.data.len() != 4,
        _ => call.data.dtype() == Dtype::I32,
    }
}

/// Returns the condition of the refusals, in words.
fn condition(report: &Report<'_>) -> String {
    let defects = report.defects();
    let refused: Vec<_> = defects.iter().filter(|defect| defect.severity() == Severity::Refused).collect();
    let [refused] = refused[..] else { panic!("expected one defect of refusals, got {defects:?}") };
    refused.condition.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

#[test]
fn a_part_without_which_a_call_fails_is_no_condition_in_the_run_and_in_its_record() {
    let (_, ledger) = corpus();
    let mut corpus = cases_of("openvino/ReduceL1");
    corpus.cases.retain(|case| misleads(&case.call));
    let prepared = prepare(&corpus.cases).unwrap();
    let job = |shrink| Job { calls: Calls::none(), repeat: 0, shrink, ..Job::of(prepared.len(), &prepared) };
    let untested = job(0).judge(&mut flawed(), None, &mut ()).unwrap();
    assert_eq!(condition(&untested), "finite data", "only floats are said to be finite");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record");
    let job = job(200);
    let tested = on_record(&job, &corpus, &ledger, &path, &mut flawed(), &mut ());
    assert_eq!(condition(&tested), "rank = 3", "integers with three dims are refused too");
    let again = rebuilt(&corpus, &ledger, &prepared, &path).report;
    assert_eq!(text(&again, &ledger), text(&tested, &ledger));
}
