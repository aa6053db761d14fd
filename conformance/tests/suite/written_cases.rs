//! Tests that written cases read back: every case of the corpus, spelled out anew, is the same case.

use std::path::Path;

use normative_conformance::corpus::{Case, CaseClaim, Statement, load_text, write};
use normative_conformance::reference::Axes;

use crate::example::CORPUS;

/// Returns the case as text, without its place and without results that were not spelled out one by one.
fn said(case: &Case) -> String {
    let Case { name, id, clauses, why, call, claim, .. } = case;
    // Text, because a NaN is not equal to itself.
    format!("{name} {id} {clauses:?} {why} {call:?} {:x?} {claim:?}", call.data.bits())
}

/// Returns true if the case came from a list of several axes types.
fn named_for_its_axes(case: &Case) -> bool {
    case.name.matches('/').count() > 2
}

#[test]
fn every_case_of_the_corpus_reads_back_as_it_was_written() {
    // Only random data are judged as a whole, but a written case spells its data out.
    let small = |case: &&Case| case.call.data.len() <= 2000 && !case.claim.is_of_the_whole();
    let mut tried = 0;
    for case in CORPUS.cases.iter().filter(small) {
        let text = write::file("Written", std::slice::from_ref(case));
        let read =
            load_text(Path::new("written.yaml"), &text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        let [read] = &read[..] else { panic!("{} cases\n{text}", read.len()) };
        let name = if named_for_its_axes(case) { read.name.clone() } else { case.name.clone() };
        assert_eq!(said(read), said(&Case { name, ..case.clone() }), "{text}");
        tried += 1;
    }
    assert!(tried > 4000, "{tried}");
}

#[test]
fn axes_in_the_form_of_another_opset_read_back_as_such() {
    let case = CORPUS.cases.iter().find(|case| matches!(case.call.axes, Axes::OtherForm(_))).unwrap();
    let text = write::file("Written", std::slice::from_ref(case));
    let read = |text: &str| load_text(Path::new("written.yaml"), text).unwrap().remove(0).call.axes;
    assert_eq!(read(&text), case.call.axes);
    let given = case.call.axes.written().cloned().map(Axes::Given);
    for own in [", other_form: false", ""] {
        assert_eq!(Some(read(&text.replace(", other_form: true", own))), given, "{own}");
    }
}

#[test]
fn a_file_keeps_its_cases_in_order_and_each_its_spec() {
    let of = |spec: &str| {
        let case =
            CORPUS.cases.iter().find(|case| case.call.spec().name() == spec && case.call.data.len() < 9);
        case.unwrap().clone()
    };
    let cases = ["onnx/ReduceL2-13", "openvino/ReduceL1-4", "bnns/computeNorm"].map(of);
    let read = load_text(Path::new("written.yaml"), &write::file("Three \"operators\"", &cases)).unwrap();
    assert_eq!(read.iter().map(said).collect::<Vec<_>>(), cases.iter().map(said).collect::<Vec<_>>());
}

#[test]
fn large_results_are_left_to_the_reference() {
    let left = |case: &&Case| match &case.claim {
        CaseClaim::Determined(Statement::Tensor(stated)) => {
            !stated.unbiased && stated.elements.len() < stated.shape.iter().product()
        }
        _ => false,
    };
    let case = CORPUS.cases.iter().find(left).unwrap();
    assert!(write::file("Written", std::slice::from_ref(case)).contains("reference: true"));
}
