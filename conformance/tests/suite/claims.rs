//! Tests that a case file that disagrees with the reference is caught, and its corrected twin is not. Each
//! pair differs only in the error.

use std::path::Path;

use ndarray::{ArrayD, IxDyn};
use normative_conformance::Sheet;
use normative_conformance::corpus::claim::{Disagreement, check};
use normative_conformance::corpus::{Case, CaseClaim, Statement, TensorStatement, load_text};
use normative_conformance::reference::{Axes, Choice, Question, Reading};
use normative_conformance::run::{PrepareError, prepare};
use rstest::rstest;

/// Returns the only expansion of an OpenVINO ReduceL1 case with these fields.
fn case(fields: &str) -> Case {
    case_of("openvino/ReduceL1-4", "openvino-l1-example", fields)
}

fn case_of(spec: &str, id: &str, fields: &str) -> Case {
    let indented = fields.lines().map(str::trim).collect::<Vec<_>>().join("\n    ");
    let text = format!(
        "topic: Examples\nspecs: [{spec}]\ncases:\n  - id: {id}\n    clauses: [norm]\n    why: It is an example.\n    {indented}\n"
    );
    let mut cases = load_text(Path::new("family/example.yaml"), &text).unwrap();
    assert_eq!(cases.len(), 1, "{text}");
    cases.remove(0)
}

fn disagreement(case: &Case) -> Option<Disagreement> {
    let error = check(case, &Sheet::of(&case.call).unwrap()).err()?;
    assert_eq!((error.file.as_path(), error.line), (case.file.as_path(), 4));
    assert_eq!(error.name, case.name);
    let shown = error.to_string();
    assert!(shown.starts_with(&format!("family/example.yaml:4: case {}: ", case.name)), "{shown}");
    Some(error.kind)
}

const PAIR: &str = "dtypes: [f32]\ndata: {shape: [2], values: [1, -2]}\n";

const SUM: &str = "{shape: [], values: [3]}";
const REFUSED: &str = "{rejected: axes-range}";

#[rstest]
// The reference expects a tensor of another shape.
#[case::shape("axes: [0]", "{shape: [1], values: [3]}", SUM)]
#[case::shape_of_another_size("axes: [0]", "{shape: [2], values: [3, 3]}", SUM)]
#[case::shape_left_to_the_reference(
    "axes: [0]",
    "{shape: [1], reference: true}",
    "{shape: [], reference: true}"
)]
#[case::shape_of_integers("dtypes: [i32]\naxes: [0]", "{shape: [1], values: [3]}", SUM)]
// The reference expects a tensor.
#[case::refused_though_valid("axes: [0]", REFUSED, SUM)]
// The reference expects a refusal.
#[case::answered_though_refused("axes: [1]", SUM, REFUSED)]
#[case::unchanged_though_refused("axes: [1]", "{unchanged: true}", REFUSED)]
#[case::refused_for_another_clause("axes: [1]", "{rejected: axes-unique}", REFUSED)]
#[case::unchanged_though_reduced("axes: [0]", "{unchanged: true}", SUM)]
fn another_kind_of_answer_is_a_disagreement(#[case] fields: &str, #[case] wrong: &str, #[case] right: &str) {
    let wants = if right == REFUSED { "rejected: axes-range" } else { "a tensor of shape []" };
    let fields =
        if fields.starts_with("dtypes") { fields.to_owned() } else { format!("dtypes: [f32]\n{fields}") };
    let of = |expect: &str| {
        disagreement(&case(&format!("data: {{shape: [2], values: [1, -2]}}\n{fields}\nexpect: {expect}")))
    };
    match of(wrong) {
        Some(Disagreement::Kind { ruled, .. }) => assert_eq!(ruled, wants),
        Some(Disagreement::Refused(_)) => assert_eq!((wrong, right), ("{unchanged: true}", SUM)),
        other => panic!("{other:?}"),
    }
    assert!(of(right).is_none(), "{:?}", of(right));
}

#[rstest]
#[case::float("f32", "values: [3, 8]", "values: [3, 7]", 1, "8", "7")]
#[case::integer("i8", "values: [4, 7]", "values: [3, 7]", 0, "4", "3")]
#[case::sign("f16", "values: [-3, 7]", "values: [3, 7]", 0, "-3", "3")]
#[case::one_ulp(
    "f64",
    "values: [3, 0x1.c000000000001p2]",
    "values: [3, 0x1.cp2]",
    1,
    "7.000000000000001",
    "7"
)]
#[case::repeated("i32", "repeat: 3", "values: [3, 7]", 1, "3", "7")]
#[case::one_of_those_spelled(
    "f32",
    "reference: true, at: {1: 6}",
    "reference: true, at: {1: 7}",
    1,
    "6",
    "7"
)]
fn a_literal_that_is_not_the_exact_value_is_a_disagreement(
    #[case] dtype: &str,
    #[case] wrong: &str,
    #[case] right: &str,
    #[case] at: usize,
    #[case] said: &str,
    #[case] truth: &str,
) {
    let of = |expect| {
        let data = "{shape: [2, 2], values: [1, -2, -3, 4]}";
        case(&format!("dtypes: [{dtype}]\ndata: {data}\naxes: [1]\nexpect: {{shape: [2], {expect}}}"))
    };
    match disagreement(&of(wrong)) {
        Some(Disagreement::Element { flat, stated, exact }) => {
            assert_eq!((flat, stated.as_str()), (at, said));
            // For a float, the nearest float follows the exact value.
            let near = format!("{truth}, the nearest {dtype} {truth}");
            assert_eq!(exact, if dtype.starts_with('f') { near } else { truth.to_owned() });
        }
        other => panic!("{other:?}"),
    }
    assert!(disagreement(&of(right)).is_none());
}

#[test]
fn a_root_that_is_not_the_exact_value_is_a_disagreement() {
    let of = |root: u32| {
        let fields = format!("{PAIR}axes: [0]\nexpect: {{shape: [], roots: [{root}]}}");
        case_of("openvino/ReduceL2-4", "openvino-l2-example", &fields)
    };
    let wrong = disagreement(&of(6));
    assert!(
        matches!(&wrong, Some(Disagreement::Element { exact, .. }) if exact.starts_with("√5 = ")),
        "{wrong:?}"
    );
    assert!(disagreement(&of(5)).is_none());
}

#[rstest]
#[case::at_the_edge("f32", "[1, -2]", "3.000002", false)]
#[case::beyond_the_edge("f32", "[1, -2]", "3.000004", true)]
#[case::below_the_edge("f32", "[1, -2]", "2.999996", true)]
#[case::integers_too("i32", "[1, -2]", "4", true)]
#[case::integers_alike("i32", "[1, -2]", "3", false)]
#[case::no_digits_are_near_infinity("f32", "[1, -.inf]", "3.4e38", true)]
#[case::no_digits_are_near_nan("f32", "[1, .nan]", "1", true)]
#[case::nothing_but_zero_is_near_zero("f32", "[0, 0]", "1e-9", true)]
#[case::zero_is("f32", "[0, 0]", "0", false)]
fn printed_digits_have_to_be_near(
    #[case] dtype: &str,
    #[case] values: &str,
    #[case] printed: &str,
    #[case] wrong: bool,
) {
    let case = case(&format!(
        "dtypes: [{dtype}]\ndata: {{shape: [2], values: {values}}}\naxes: [0]
         expect: {{shape: [], reference: true, printed: [{printed}]}}"
    ));
    match disagreement(&case) {
        None => assert!(!wrong),
        Some(Disagreement::Printed { flat: 0, .. }) => assert!(wrong),
        other => panic!("{other:?}"),
    }
}

#[rstest]
// Collapsing the two gives 3; refusing them is equally right.
#[case::form("f32", "[1, -2]", "[0, -1]", Question::DuplicateAxesMixedSign, Reading::Reject)]
// 100 + 100 is 200 exactly, -56 wrapped and 127 saturated.
#[case::values("i8", "[100, 100]", "[0]", Question::IntegerOverflow, Reading::Saturate)]
fn a_case_that_a_reading_refuses_has_to_be_declared_open(
    #[case] dtype: &str,
    #[case] values: &str,
    #[case] axes: &str,
    #[case] question: Question,
    #[case] reading: Reading,
) {
    let fields = format!(
        "dtypes: [{dtype}]\ndata: {{shape: [2], values: {values}}}\naxes: {axes}
         expect: {{shape: [], reference: true}}"
    );
    let determined = case(&fields);
    match disagreement(&determined) {
        Some(Disagreement::Undeclared { choice, .. }) => assert_eq!(choice, Choice { question, reading }),
        other => panic!("{other:?}"),
    }
    let CaseClaim::Determined(statement) = &determined.claim else { panic!("it was determined") };
    // The same case with its question declared, so that the reference supplies each reading's answer. No i8
    // call distinguishes x86's conversion from wrapping.
    let readings = question.readings().iter().filter(|reading| **reading != Reading::Indefinite);
    let readings = readings.map(|&reading| match reading {
        Reading::Reject => {
            let clause =
                if question == Question::DuplicateAxesMixedSign { "axes-unique" } else { "output-type" };
            (reading, Statement::Rejected { clause: clause.into() })
        }
        _ => (reading, statement.clone()),
    });
    let claim = CaseClaim::Open { question, readings: readings.collect() };
    let open = disagreement(&Case { claim, ..determined });
    assert!(open.is_none(), "{open:?}");
}

/// The shape of the right answer of [`duplicate`].
const SHAPE: &str = "shape: [], ";

/// Returns an OpenVINO case with these axes, open for the question of repeated axes.
fn duplicate(axes: &str, shape: &str, collapse: &str, reject: &str) -> Case {
    let readings = format!("{{collapse: {collapse}, reject: {reject}}}");
    case(&format!("{PAIR}axes: {axes}\nexpect: {{{shape}open: {{duplicate-axes-mixed-sign: {readings}}}}}"))
}

/// The expectation of the reading that refuses.
const REJECTED: &str = "{rejected: axes-unique}";

#[test]
fn a_reading_that_the_type_does_not_have_is_a_disagreement() {
    let case = case(
        "dtypes: [i8]\ndata: {shape: [2], values: [100, 100]}\naxes: [0]
         expect: {shape: [], open: {integer-overflow: {wrap: [-56], saturate: [127], reject: {rejected: output-type}, \
         indefinite: [-128]}}}",
    );
    let wrong = disagreement(&case);
    let indefinite = Choice { question: Question::IntegerOverflow, reading: Reading::Indefinite };
    assert!(matches!(wrong, Some(Disagreement::NotOfCall(choice)) if choice == indefinite), "{wrong:?}");
}

#[test]
fn a_question_that_the_call_does_not_raise_is_a_disagreement() {
    let of = |axes| duplicate(axes, SHAPE, "[3]", "{rejected: axes-unique}");
    let wrong = disagreement(&of("[0]"));
    assert!(matches!(wrong, Some(Disagreement::NotRaised(Question::DuplicateAxesMixedSign))), "{wrong:?}");
    assert!(disagreement(&of("[0, -1]")).is_none());
}

#[rstest]
#[case::wrong_value(SHAPE, "[4]", REJECTED, "=collapse: element 0: expected the exact value 3, ")]
#[case::wrong_digits(
    SHAPE,
    "{roots: [9], printed: [4]}",
    REJECTED,
    "=collapse: printed element 0: expected the exact value 3, got 4"
)]
#[case::wrong_shape("shape: [1], ", "[3]", REJECTED, "=collapse is not accepted under it: ")]
#[case::wrong_clause(SHAPE, "[3]", "{rejected: axes-range}", "=reject: expected rejected: axes-unique")]
#[case::any_answer(SHAPE, "[3]", "{outside: axes-unique}", "=reject: expected rejected: axes-unique")]
fn an_answer_that_no_reading_accepts_is_a_disagreement(
    #[case] shape: &str,
    #[case] collapse: &str,
    #[case] reject: &str,
    #[case] says: &str,
) {
    let wrong = disagreement(&duplicate("[0, -1]", shape, collapse, reject)).unwrap().to_string();
    assert!(wrong.contains(&format!("duplicate-axes-mixed-sign{says}")), "{wrong}");
    assert!(disagreement(&duplicate("[0, -1]", SHAPE, "[3]", REJECTED)).is_none());
}

#[test]
fn an_answer_stated_for_the_wrong_reading_is_a_disagreement() {
    let collapse = Choice { question: Question::DuplicateAxesMixedSign, reading: Reading::Collapse };
    let wrong = disagreement(&duplicate("[0, -1]", "", "{rejected: axes}", "{rejected: axes-unique}"));
    assert!(
        matches!(wrong, Some(Disagreement::NotAccepted { choice, .. }) if choice == collapse),
        "{wrong:?}"
    );
    let reject = Choice { reading: Reading::Reject, ..collapse };
    let value = "[3]";
    let wrong = disagreement(&duplicate("[0, -1]", SHAPE, value, value));
    assert!(matches!(wrong, Some(Disagreement::NotAccepted { choice, .. }) if choice == reject), "{wrong:?}");
    assert!(disagreement(&duplicate("[0, -1]", SHAPE, value, REJECTED)).is_none());
}

/// 100 + 100 is 200 exactly, -56 wrapped and 127 saturated.
#[rstest]
#[case::all("wrap: [-56], saturate: [127], reject: {rejected: output-type}", None)]
#[case::without_the_refusal("wrap: [-56], saturate: [127]", Some(Reading::Reject))]
fn a_reading_is_left_out_only_with_its_answer_stated(
    #[case] readings: &str,
    #[case] left_out: Option<Reading>,
) {
    let case = case(&format!(
        "dtypes: [i8]\ndata: {{shape: [2], values: [100, 100]}}\naxes: [0]
         expect: {{shape: [], open: {{integer-overflow: {{{readings}}}}}}}"
    ));
    match (disagreement(&case), left_out) {
        (None, None) => {}
        (Some(Disagreement::LeftOut(choice)), Some(reading)) => {
            assert_eq!(choice, Choice { question: Question::IntegerOverflow, reading });
        }
        (other, _) => panic!("{other:?}"),
    }
}

#[rstest]
#[case::no_negative_element("[1, 2]", Some(Reading::Unchanged))]
#[case::a_negative_element("[1, -2]", None)]
fn data_on_which_two_readings_agree_are_a_disagreement(
    #[case] values: &str,
    #[case] not_told: Option<Reading>,
) {
    let case = case(&format!(
        "dtypes: [f32]\ndata: {{shape: [2], values: {values}}}\naxes: []
         expect: {{shape: [2], open: {{empty-axes-identity: {{x: {{unchanged: true}}, norm-of-each-element: [1, 2]}}}}}}"
    ));
    let question = Question::EmptyAxesIdentity;
    match (disagreement(&case), not_told) {
        (None, None) => {}
        (Some(Disagreement::NotToldApart(choice, also)), Some(reading)) => {
            assert_eq!((choice, also), (Choice { question, reading }, Reading::NormOfEachElement));
        }
        (other, _) => panic!("{other:?}"),
    }
}

#[test]
fn literals_of_the_wrong_reading_of_values_are_a_disagreement() {
    let of = |saturate: i32| {
        case(&format!(
            "dtypes: [i8]\ndata: {{shape: [2], values: [100, 100]}}\naxes: [0]
             expect: {{shape: [], open: {{integer-overflow: {{wrap: [-56], saturate: [{saturate}], \
             reject: {{rejected: output-type}}}}}}}}"
        ))
    };
    let wrong = disagreement(&of(126));
    assert!(matches!(wrong, Some(Disagreement::OfReading { .. })), "{wrong:?}");
    assert!(disagreement(&of(127)).is_none());
}

#[test]
fn an_output_too_large_to_hold_is_an_error_that_names_the_case() {
    // No file can state this, because the loader has the same limit on data.
    let mut case = case(&format!("{PAIR}axes: [0]\nexpect: {{shape: [], values: [3]}}"));
    let shape = vec![0, 200_000_000];
    let stated = TensorStatement { shape: shape.clone(), elements: vec![], printed: vec![], unbiased: false };
    let too_large = Case { claim: CaseClaim::Determined(Statement::Tensor(stated)), ..case.clone() };
    let wrong = disagreement(&too_large);
    assert!(matches!(wrong, Some(Disagreement::TooLarge(_))), "{wrong:?}");

    case.call.data = ArrayD::<f32>::zeros(IxDyn(&shape)).into();
    case.call.axes = Axes::list(&[0]);
    let errors = prepare([&case]).unwrap_err();
    assert!(matches!(errors.as_slice(), [PrepareError::TooLarge { .. }]), "{errors:?}");
    let shown = errors[0].to_string();
    assert!(shown.starts_with("family/example.yaml:4: case openvino-l1-example/ReduceL1-4/f32: "), "{shown}");
}

#[test]
fn a_literal_beyond_the_output_is_an_error_and_no_panic() {
    let case = case(&format!("{PAIR}axes: [0]\nexpect: {{shape: [], values: [3]}}"));
    let stated =
        TensorStatement { shape: vec![], elements: vec![(7, 0)], printed: vec![3.0, 3.0], unbiased: false };
    let wrong = disagreement(&Case { claim: CaseClaim::Determined(Statement::Tensor(stated)), ..case });
    assert!(matches!(wrong, Some(Disagreement::Element { flat: 7, .. })), "{wrong:?}");
}

#[test]
fn every_wrong_case_is_reported_and_right_ones_do_not_hide_them() {
    let of = |value| case(&format!("{PAIR}axes: [0]\nexpect: {{shape: [], values: [{value}]}}"));
    let cases = [of(4), of(3), of(5)];
    let shown: Vec<String> = prepare(&cases).unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(shown.len(), 2);
    assert!(shown[0].ends_with("got 4") && shown[1].ends_with("got 5"), "{shown:?}");
    assert_eq!(prepare(&cases[1..2]).unwrap().len(), 1);
}
