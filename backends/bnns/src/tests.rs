//! Tests the marshalling with the double, which refuses calls outside its contract; so an accepted call was
//! described as C expects. Only a run on macOS shows that Accelerate keeps the same contract.

use std::ffi::{c_int, c_void};
use std::mem::{align_of, offset_of, size_of};
use std::path::Path;

use normative_backend::reference::{Axes, AxesTensor, Call, Dtype, Norm, Operator, Opset, Spec, Tensor};
use normative_backend::{Answer, Backend};
use normative_bnns_double::{double_compute_norm, double_layout_of_descriptor};
use normative_conformance::drive::smoke;
use normative_conformance::run::property;
use normative_conformance::run::{prepare, run};
use normative_conformance::{Demands, Verdict, corpus, display};
use rstest::rstest;

use crate::Bnns;
use crate::descriptor::{ComputeNorm, Descriptor, L2_NORM};

unsafe extern "C" fn double(dest: *mut Descriptor, src: *const Descriptor, norm: u32, flags: u32) -> c_int {
    // SAFETY: the double's descriptor has our layout, which a test checks.
    unsafe { double_compute_norm(dest.cast(), src.cast(), norm, flags) }
}

fn backend_of(compute_norm: ComputeNorm) -> Bnns {
    Bnns { compute_norm, version: "double".into() }
}

fn answer(call: &Call) -> Answer {
    backend_of(double).answer(call)
}

/// Returns a call with the data 1, 2, 3, … in memory order; all dims fastest first.
fn call(dims: &[usize], axes: Axes, output: &[usize]) -> Call {
    let shape: Vec<usize> = dims.iter().rev().copied().collect();
    let values: Vec<u64> =
        (0..dims.iter().product::<usize>()).map(|n| (n as f32 + 1.0).to_bits().into()).collect();
    let data = Tensor::from_bits(Dtype::F32, &shape, &values).unwrap();
    Call::new(Operator::Bnns { output_shape: output.to_vec() }, data, axes)
}

fn floats(shape: &[usize], values: &[f32]) -> Answer {
    let bits: Vec<u64> = values.iter().map(|value| value.to_bits().into()).collect();
    Answer::Tensor(Tensor::from_bits(Dtype::F32, shape, &bits).unwrap())
}

fn root(squares: f32) -> f32 {
    squares.sqrt()
}

#[test]
fn the_descriptor_lies_in_memory_as_c_lays_it_out() {
    let mut c = [0; 12];
    // SAFETY: it writes only the twelve numbers.
    unsafe { double_layout_of_descriptor(&raw mut c) };
    let ours = [
        size_of::<Descriptor>(),
        align_of::<Descriptor>(),
        offset_of!(Descriptor, flags),
        offset_of!(Descriptor, layout),
        offset_of!(Descriptor, size),
        offset_of!(Descriptor, stride),
        offset_of!(Descriptor, data),
        offset_of!(Descriptor, data_type),
        offset_of!(Descriptor, table_data),
        offset_of!(Descriptor, table_data_type),
        offset_of!(Descriptor, data_scale),
        offset_of!(Descriptor, data_bias),
    ];
    assert_eq!(ours, c);
}

#[rstest]
#[case::fastest(&[0], &[2], floats(&[2], &[root(14.0), root(77.0)]))]
#[case::slowest(&[1], &[3], floats(&[3], &[root(17.0), root(29.0), root(45.0)]))]
#[case::all(&[0, 1], &[1], floats(&[1], &[root(91.0)]))]
#[case::none_is_all(&[], &[1], floats(&[1], &[root(91.0)]))]
#[case::once_for_twice(&[1, 1], &[3], floats(&[3], &[root(17.0), root(29.0), root(45.0)]))]
fn a_flag_stands_for_an_axis_from_the_fastest(
    #[case] axes: &[i64],
    #[case] output: &[usize],
    #[case] expected: Answer,
) {
    assert_eq!(answer(&call(&[3, 2], Axes::list(axes), output)), expected);
}

#[rstest]
#[case::absent(Axes::Absent)]
#[case::nil(Axes::Null)]
fn axes_that_are_not_given_are_no_flag(#[case] axes: Axes) {
    assert_eq!(answer(&call(&[3, 2], axes, &[1])), floats(&[1], &[root(91.0)]));
}

#[test]
fn an_output_of_two_dims_keeps_their_order() {
    let expected = floats(&[2, 1], &[root(1.0 + 9.0 + 25.0), root(4.0 + 16.0 + 36.0)]);
    assert_eq!(answer(&call(&[1, 2, 3], Axes::list(&[2]), &[1, 2])), expected);
}

#[test]
fn every_rank_has_a_layout() {
    for rank in 1..=8 {
        let dims: Vec<usize> = (0..rank).map(|axis| 1 + axis % 2).collect();
        let last = Axes::list(&(1..rank as i64).collect::<Vec<_>>());
        let (axes, output) = if rank == 1 { (Axes::Absent, vec![1]) } else { (last, vec![1]) };
        assert!(matches!(answer(&call(&dims, axes, &output)), Answer::Tensor(_)), "rank {rank}");
    }
}

fn typed(dtype: Dtype) -> Call {
    let data = Tensor::from_bits(dtype, &[2], &[0, 0]).unwrap();
    Call { data, ..call(&[2], Axes::Absent, &[1]) }
}

#[rstest]
#[case::an_axis_beyond_the_rank(call(&[3, 2], Axes::list(&[2]), &[3]))]
#[case::the_last_flag(call(&[3, 2], Axes::list(&[31]), &[3]))]
#[case::room_for_too_much(call(&[3, 2], Axes::list(&[0]), &[3]))]
#[case::room_for_too_little(call(&[3, 2], Axes::list(&[0]), &[1]))]
#[case::dims_kept(call(&[3, 2], Axes::list(&[0]), &[1, 2]))]
#[case::nothing_left_but_a_matrix(call(&[3, 2], Axes::Absent, &[1, 1]))]
#[case::half(typed(Dtype::F16))]
#[case::brain(typed(Dtype::Bf16))]
#[case::integers(typed(Dtype::I32))]
#[case::wide_integers(typed(Dtype::U64))]
fn what_the_function_refuses_is_rejected(#[case] call: Call) {
    assert_eq!(answer(&call), Answer::Rejected("BNNSComputeNorm returned -1".into()));
}

fn axes(dtype: Dtype, shape: &[usize], values: &[i128]) -> Axes {
    Axes::Given(AxesTensor { dtype, shape: shape.to_vec(), values: values.to_vec() })
}

fn of(operator: Operator) -> Call {
    Call { operator, ..call(&[3], Axes::Absent, &[1]) }
}

#[rstest]
#[case::negative(call(&[3, 2], Axes::list(&[-1]), &[2]), "no flag stands for axis -1")]
#[case::without_a_flag(call(&[3, 2], Axes::list(&[32]), &[2]), "no flag stands for axis 32")]
#[case::beyond_every_integer(call(&[3], axes(Dtype::I64, &[1], &[i128::MAX]), &[1]), "no flag stands for axis ")]
#[case::a_number(call(&[3], Axes::scalar(0), &[1]), "flags are no i64 of 0 dims")]
#[case::a_matrix(call(&[3], axes(Dtype::I64, &[1, 1], &[0]), &[1]), "flags are no i64 of 2 dims")]
#[case::another_type(call(&[3], axes(Dtype::F32, &[1], &[0]), &[1]), "flags are no f32 of 1 dims")]
#[case::rank_0(call(&[], Axes::Absent, &[1]), "no layout has 0 dims")]
#[case::rank_9(call(&[1; 9], Axes::Absent, &[1]), "no layout has 9 dims")]
#[case::an_output_of_rank_0(call(&[2], Axes::Absent, &[]), "no layout has 0 dims")]
#[case::f64(typed(Dtype::F64), "no data type is f64")]
#[case::an_endless_output(call(&[2], Axes::Absent, &[usize::MAX, 2]), "expected at most 100000000 elements, got shape [")]
#[case::a_huge_output(call(&[2], Axes::Absent, &[usize::MAX / 8]), "expected at most 100000000 elements, got shape [")]
#[case::openvino(of(Operator::OpenVino { norm: Norm::L2, keep_dims: None }), "BNNS has one operator")]
#[case::onnx(
    of(Operator::Onnx { norm: Norm::L2, opset: Opset::V18, keepdims: None, noop_with_empty_axes: None }),
    "BNNS has one operator"
)]
fn what_has_no_spelling_is_unsupported(#[case] call: Call, #[case] why: &str) {
    let answer = answer(&call);
    assert!(matches!(&answer, Answer::Unsupported(text) if text.starts_with(why)), "{answer:?}");
}

#[test]
fn strides_are_steps_between_elements_and_zero_is_packed() {
    let mut data: Vec<f32> = (1_u8..=6).map(f32::from).collect();
    let mut norms = [0.0_f32; 2];
    let described = |dims: &[usize], data: *mut c_void| Descriptor::packed(Dtype::F32, dims, data).unwrap();
    // The two columns of a matrix of three rows, as an array whose fastest axis steps over rows.
    let mut src = described(&[3, 2], data.as_mut_ptr().cast());
    let mut dest = described(&[2], norms.as_mut_ptr().cast());
    assert_eq!((src.stride, dest.stride), ([0; 8], [0; 8]));
    (src.stride[0], src.stride[1]) = (2, 1);
    // SAFETY: the strides stay within the six elements, and both arrays live across the call.
    let status = unsafe { double(&raw mut dest, &raw const src, L2_NORM, 1) };
    assert_eq!((status, norms), (0, [root(35.0), root(56.0)]));
}

unsafe extern "C" fn writes_nothing(_: *mut Descriptor, _: *const Descriptor, _: u32, _: u32) -> c_int {
    0
}

unsafe extern "C" fn writes_all_the_same(
    dest: *mut Descriptor,
    src: *const Descriptor,
    _: u32,
    _: u32,
) -> c_int {
    // SAFETY: the descriptors are ours, and the memory behind the output has room for as much as the data take.
    unsafe { (*dest).data.cast::<f32>().write_bytes(0, (&(*src).size)[0]) };
    0
}

unsafe extern "C" fn changes_the_data(_: *mut Descriptor, src: *const Descriptor, _: u32, _: u32) -> c_int {
    // SAFETY: the data have an element.
    unsafe { (*src).data.cast::<f32>().write(-1.0) };
    0
}

#[test]
fn memory_that_was_not_written_shows() {
    let poison = f32::from_bits(0xa5a5_a5a5);
    let answer = backend_of(writes_nothing).answer(&call(&[3], Axes::Absent, &[1]));
    assert_eq!(answer, floats(&[1], &[poison]));
}

#[test]
fn what_was_written_beyond_the_output_is_a_crash() {
    let answer = backend_of(writes_all_the_same).answer(&call(&[3], Axes::Absent, &[1]));
    assert_eq!(answer, Answer::Crashed("it wrote beyond the output it was given".into()));
}

#[test]
fn data_that_were_changed_are_a_crash() {
    let answer = backend_of(changes_the_data).answer(&call(&[3], Axes::Absent, &[1]));
    assert_eq!(answer, Answer::Crashed("it wrote over its input".into()));
}

#[cfg(not(target_os = "macos"))]
#[test]
fn elsewhere_it_is_unavailable() {
    let why = crate::backend().err().unwrap().to_string();
    assert!(why.starts_with("unavailable: BNNS is a part of macOS, and this is "), "{why}");
}

#[test]
fn every_case_conforms_or_has_no_spelling() {
    let corpus = corpus::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")).unwrap();
    let prepared = prepare(corpus.cases.iter().filter(|case| case.call.spec() == Spec::Bnns)).unwrap();
    let verdicts = run(&prepared, &mut backend_of(double), &Demands::default());
    let mut conforming = 0;
    for (one, verdict) in prepared.iter().zip(&verdicts) {
        match verdict {
            Verdict::Conforms { .. } => conforming += 1,
            Verdict::Unsupported(_) => {}
            verdict => panic!("{}: {verdict:?}", one.case.name),
        }
    }
    assert!(conforming > verdicts.len() * 3 / 4, "{conforming} of {}", verdicts.len());
}

#[test]
fn every_generated_call_conforms_or_has_no_spelling() {
    let calls = 3_000;
    let double = &mut backend_of(double);
    let generated = property::run(8, calls, &[Spec::Bnns], double, &Demands::default()).unwrap();
    if let Some(find) = generated.finds.first() {
        let shown = (display::call(&find.call), display::data(&find.call.data));
        panic!("{} of {calls}: {} {shown:?}: {:?}", generated.finds.len(), find.id, find.verdict);
    }
    assert!(generated.total().conforms > calls / 2, "{:?}", generated.total());
}

#[test]
fn smoke_finds_nothing_wrong() {
    let lines = smoke::backend(&mut backend_of(double), |_| {}).unwrap();
    assert!(smoke::passes(&lines) && smoke::checked_anything(&lines), "{lines:#?}");
}
