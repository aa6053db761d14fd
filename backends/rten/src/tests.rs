use normative_backend::reference::{Axes, Dtype, Norm, Opset};
use normative_trial::{f32s, is_unsupported, onnx, openvino, zero};
use rstest::rstest;

use super::*;

#[rstest]
#[case::axes_in_the_model(AxesAs::Initializer)]
#[case::axes_fed(AxesAs::Input)]
fn the_model_says_what_the_call_says(#[case] axes: AxesAs) {
    normative_trial::of_models(&mut Rten(axes));
}

#[test]
fn an_axis_out_of_range_is_refused_in_its_own_words() {
    let call = onnx(Norm::L1, Opset::V18, None, f32s(&[1], &[1.0]), Axes::list(&[2]));
    let answer = Rten(AxesAs::Initializer).answer(&call);
    assert!(
        matches!(&answer, Answer::Rejected(words) if words.contains("Axis 2 is out of range")),
        "{answer:?}"
    );
}

#[rstest]
#[case::i64(onnx(Norm::L1, Opset::V13, None, zero(Dtype::I64), Axes::list(&[0])))]
#[case::f64(onnx(Norm::L1, Opset::V13, None, zero(Dtype::F64), Axes::list(&[0])))]
#[case::another_standard(openvino(Norm::L1, zero(Dtype::F32), Axes::list(&[0]), false))]
fn what_has_no_place_is_unsupported(#[case] call: Call) {
    is_unsupported(&mut Rten(AxesAs::Initializer), &call);
}

#[test]
fn the_version_is_the_one_the_lock_file_pins() {
    assert!(normative_trial::pins(include_str!("../../Cargo.lock"), "rten", VERSION));
}
