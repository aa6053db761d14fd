//! Tests a worker that takes models: it gets one for every ONNX call, and no other calls.

use normative_conformance::drive::{Asking, Program};
use normative_conformance::{Claim, Death, Driver, Observed, Worker};
use normative_onnx::AxesAs;
use normative_reference::{Axes, Call, Family, Opset};
use rstest::rstest;

use super::languages::Language;
use super::{bad, good, limits, onnx};

fn models(language: Language, asking: Asking) -> Option<Worker> {
    let program = language.script("models", "")?;
    Some(Worker::start(Program { asking, ..program }, limits()).unwrap())
}

#[rstest]
#[case::axes_in_the_model(AxesAs::Initializer, "")]
#[case::axes_fed(AxesAs::Input, "; axes i64[1] ffffffffffffffff")]
fn a_runtime_that_takes_models_is_given_one_a_call(
    #[values(Language::Python, Language::JavaScript, Language::C)] language: Language,
    #[case] axes: AxesAs,
    #[case] fed: &str,
) {
    let Some(mut worker) = models(language, Asking::Models(axes)) else { return };
    assert_eq!(worker.capabilities().claims, Claim::in_full(&[Family::Onnx]));
    let call =
        Call { operator: onnx(Opset::V18, Some(0), None), axes: Axes::list(&[-1]), ..good(&[1.0, -2.0]) };
    let model = normative_onnx::model(&call, axes).unwrap().bytes;
    let hex: Vec<String> = model.iter().map(|byte| format!("{byte:02x}")).collect();
    let given = format!("{}; data f32[2] 0000803f000000c0{fed}", hex.concat());
    assert_eq!(worker.ask(&call), Observed::Rejected(given));
}

#[rstest]
#[case::of_another_family(good(&[1.0]), "expected an operator of ONNX, got openvino/ReduceL1-4")]
#[case::null_as_an_attribute(Call { operator: onnx(Opset::V13, None, None), ..bad() }, "an attribute cannot be null")]
fn what_no_model_says_is_not_asked(#[case] call: Call, #[case] why: &str) {
    let Some(mut worker) = models(Language::Python, Asking::Models(AxesAs::Initializer)) else { return };
    assert_eq!(worker.ask(&call), Observed::Unsupported(why.into()));
}

#[rstest]
fn a_runtime_that_takes_models_is_not_asked_calls(
    #[values(Language::Python, Language::JavaScript, Language::C)] language: Language,
) {
    let Some(mut worker) = models(language, Asking::Calls) else { return };
    let Observed::Died(Death::Crashed(how)) = worker.ask(&good(&[1.0])) else { panic!() };
    assert!(
        how.contains("expected frame tag 5, got 2: the worker takes models, which onnx-cmd: asks for"),
        "{how}"
    );
}
