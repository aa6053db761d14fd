//! Tests calls with another opset's form of axes, or another layout: which workers get them, and how.

use normative_conformance::drive::{Asking, Program};
use normative_conformance::{Capabilities, Driver, Observed, Worker};
use normative_onnx::AxesAs;
use normative_reference::{Axes, AxesTensor, Call, Dtype, Layout, Opset};
use rstest::rstest;

use super::languages::Language;
use super::{good, limits, onnx};

fn other_form(opset: Opset) -> Call {
    let axes = AxesTensor { dtype: Dtype::I64, shape: vec![1], values: vec![-1] };
    Call { operator: onnx(opset, None, None), axes: Axes::OtherForm(axes), ..good(&[1.0, -2.0]) }
}

#[rstest]
fn the_worker_in_python_reads_which_form_axes_have(#[values(Opset::V13, Opset::V18)] opset: Opset) {
    let Some(program) = Language::Python.script("forms", "") else { return };
    let mut worker = Worker::start(program, limits()).unwrap();
    let layouts = vec![Layout::Transposed, Layout::Unaligned];
    let says_so = Capabilities { other_forms: true, layouts, ..Capabilities::default() };
    assert_eq!(worker.capabilities(), says_so);
    let call = other_form(opset);
    let given = "Axes(dtype='i64', shape=(1,), values=(-1,))";
    assert_eq!(worker.ask(&call), Observed::Rejected(format!("OtherForm(axes={given})")));
    let own = Call { axes: Axes::list(&[-1]), ..call };
    assert_eq!(worker.ask(&own), Observed::Rejected(given.into()));
}

#[test]
fn the_worker_in_python_reads_how_data_are_to_lie() {
    let Some(program) = Language::Python.script("forms", "") else { return };
    let mut worker = Worker::start(program, limits()).unwrap();
    for layout in [Layout::Transposed, Layout::Unaligned] {
        let answer = worker.ask(&Call { layout, ..good(&[1.0]) });
        assert_eq!(answer, Observed::Rejected(layout.to_string()));
    }
    assert_eq!(worker.restarts(), 0);
}

/// These workers cannot decode such a call, so sending it would crash them.
#[rstest]
fn a_worker_that_does_not_say_so_is_not_sent_it(
    #[values(Language::Python, Language::JavaScript, Language::C)] language: Language,
) {
    let Some(program) = language.sums("echoes") else { return };
    let mut worker = Worker::start(program, limits()).unwrap();
    let why = "the backend does not say that it takes axes in the form of another opset";
    let calls = [good(&[3.0, -4.0]), other_form(Opset::V13), good(&[1.0])];
    let answers = worker.ask_all(&calls.iter().collect::<Vec<_>>());
    let expected = [super::scalar(7.0), Observed::Unsupported(why.into()), super::scalar(1.0)];
    assert_eq!(answers, expected);
    assert_eq!(worker.restarts(), 0);
}

#[rstest]
#[case::an_input(Opset::V13, "; axes i64[1] ffffffffffffffff")]
#[case::an_attribute(Opset::V18, "")]
fn a_worker_that_takes_models_need_not_say_so(#[case] opset: Opset, #[case] fed: &str) {
    let Some(program) = Language::Python.script("models", "") else { return };
    let program = Program { asking: Asking::Models(AxesAs::Input), ..program };
    let mut worker = Worker::start(program, limits()).unwrap();
    let call = other_form(opset);
    let model = normative_onnx::model(&call, AxesAs::Input).unwrap().bytes;
    let hex: Vec<String> = model.iter().map(|byte| format!("{byte:02x}")).collect();
    let given = format!("{}; data f32[2] 0000803f000000c0{fed}", hex.concat());
    assert_eq!(worker.ask(&call), Observed::Rejected(given));
}
