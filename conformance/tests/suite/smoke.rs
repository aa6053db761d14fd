//! Tests smoke: it names every mistake of an adapter, and an honest adapter of any range passes.
//!
//! The runtime behind each broken adapter is the reference, so every mistake is the adapter's.

#![allow(clippy::unnecessary_wraps, reason = "a translation may also answer at once")]

use std::time::Duration;

use crate::reference_backend::{Policy, Reference, otherwise};
use normative_backend::bytes;
use normative_backend::{Stub, serve};
use normative_conformance::drive::smoke::{self, Form, Found, Line, Probe};
use normative_conformance::drive::{Limits, Program};
use normative_conformance::{Answer, Backend, Capabilities, Death, Driver, Identity, Observed};
use normative_reference::textbook::to_f64;
use normative_reference::{Axes, AxesTensor, Call, Dtype, Norm, Operator, Opset, Spec, Tensor};
use rstest::rstest;

/// Returns an adapter around an honest runtime, with a mistake in the call as the runtime gets it (or in an answer
/// without asking it), or in the answer as the judge gets it.
fn adapter(
    translate: fn(&Call) -> Result<Call, Answer>,
    hand_back: fn(&Call, Tensor) -> Tensor,
) -> Stub<impl FnMut(&Call) -> Answer> {
    Stub::new("adapter", move |call| {
        let translated = match translate(call) {
            Ok(translated) => translated,
            Err(answer) => return answer,
        };
        match Reference(Policy::new()).answer(&translated) {
            Answer::Tensor(tensor) => Answer::Tensor(hand_back(call, tensor)),
            answer => answer,
        }
    })
}

/// Returns an adapter without a mistake.
fn honest() -> Stub<impl FnMut(&Call) -> Answer> {
    otherwise("adapter", Policy::new(), |_| None)
}

fn probe(backend: &mut dyn Driver) -> Vec<Line> {
    let mut heard = Vec::new();
    let lines = smoke::backend(backend, |line| heard.push(line.clone())).unwrap();
    assert_eq!(lines, heard);
    lines
}

/// Asserts a line's text; it starts with `doubtful: ` for a mistake that runtimes make too.
#[track_caller]
fn assert_told(lines: &[Line], probe: Probe, text: &str) {
    let line = lines.iter().find(|line| line.probe == probe).unwrap();
    assert!(!smoke::is_clear(lines));
    if let Some(text) = text.strip_prefix("doubtful: ") {
        let told = matches!(&line.found, Found::Doubtful(what) if what.contains(text));
        assert!(told, "{text:?} is not in {line}");
        return;
    }
    assert!(matches!(&line.found, Found::Wrong(what) if what.contains(text)), "{text:?} is not in {line}");
    assert!(!smoke::passes(lines));
}

fn swapped(tensor: &Tensor) -> Tensor {
    let size = tensor.dtype().size();
    let mut bytes = bytes::of(tensor);
    bytes.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    bytes::tensor(tensor.dtype(), tensor.shape(), &bytes).unwrap()
}

fn taken_for(tensor: &Tensor, from: Dtype, to: Dtype) -> Tensor {
    if tensor.dtype() == from {
        Tensor::from_bits(to, tensor.shape(), &tensor.bits()).unwrap()
    } else {
        tensor.clone()
    }
}

/// Returns integers after a conversion through a narrower float.
fn through(tensor: &Tensor, float: fn(f64) -> f64) -> Tensor {
    let dtype = tensor.dtype();
    let values = tensor.bits().into_iter().map(|bits| float(to_f64(dtype, bits)));
    let bits: Vec<u64> = match dtype {
        Dtype::F64 => values.map(f64::to_bits).collect(),
        Dtype::U32 | Dtype::U64 => values.map(|value| value as u64).collect(),
        Dtype::I32 | Dtype::I64 => values.map(|value| value as i64 as u64).collect(),
        _ => return tensor.clone(),
    };
    Tensor::from_bits(dtype, tensor.shape(), &bits).unwrap()
}

fn reversed(tensor: &Tensor) -> Tensor {
    let shape: Vec<usize> = tensor.shape().iter().rev().copied().collect();
    Tensor::from_bits(tensor.dtype(), &shape, &tensor.bits()).unwrap()
}

fn column_major(tensor: &Tensor) -> Tensor {
    let order: Vec<usize> = (0..tensor.rank()).rev().collect();
    Tensor::from_bits(tensor.dtype(), tensor.shape(), &reversed(tensor).bits_by(&order)).unwrap()
}

/// Returns a row-major reading of elements that were written with the first axis fastest.
fn written_column_major(tensor: &Tensor) -> Tensor {
    let order: Vec<usize> = (0..tensor.rank()).rev().collect();
    Tensor::from_bits(tensor.dtype(), tensor.shape(), &tensor.bits_by(&order)).unwrap()
}

fn with_data(call: &Call, data: Tensor) -> Result<Call, Answer> {
    Ok(Call { data, ..call.clone() })
}

/// Returns the call with these axes instead, as a call of OpenVINO.
fn reduced_by(call: &Call, axes: &[i64]) -> Result<Call, Answer> {
    let operator = Operator::OpenVino { norm: call.spec().norm(), keep_dims: Some(false) };
    Ok(Call::new(operator, call.data.clone(), Axes::list(axes)))
}

fn operator(call: &Call, operator: Operator) -> Result<Call, Answer> {
    Ok(Call { operator, ..call.clone() })
}

#[rstest]
#[case::big_endian_both_ways(|call: &Call| with_data(call, swapped(&call.data)), |_: &Call, got: Tensor| swapped(&got),
    Probe::Elements(Dtype::F32), "wrong order (they are little-endian) in the data and in the answer")]
#[case::big_endian_halves(|call: &Call| with_data(call, swapped(&call.data)), |_: &Call, got: Tensor| swapped(&got),
    Probe::Elements(Dtype::Bf16), "wrong order (they are little-endian) in the data and in the answer")]
#[case::big_endian_integers(|call: &Call| with_data(call, swapped(&call.data)), |_: &Call, got: Tensor| got,
    Probe::Elements(Dtype::I16), "wrong order (they are little-endian) in the data;")]
#[case::big_endian_answers(|call: &Call| Ok(call.clone()), |_: &Call, got: Tensor| swapped(&got),
    Probe::Elements(Dtype::U64), "wrong order (they are little-endian) in the answer")]
#[case::signs_lost(|call: &Call| with_data(call, taken_for(&call.data, Dtype::I8, Dtype::U8)),
    |_: &Call, got: Tensor| taken_for(&got, Dtype::U8, Dtype::I8),
    Probe::Elements(Dtype::I8), "doubtful: i8 elements are taken for u8 (the sign bit is lost or made)")]
#[case::signs_made(|call: &Call| with_data(call, taken_for(&call.data, Dtype::U32, Dtype::I32)),
    |call: &Call, got: Tensor| if call.data.dtype() == Dtype::U32 { taken_for(&got, Dtype::I32, Dtype::U32) } else { got },
    Probe::Elements(Dtype::U32), "doubtful: u32 elements are taken for i32 (the sign bit is lost or made)")]
#[case::f16_as_bf16(|call: &Call| with_data(call, taken_for(&call.data, Dtype::F16, Dtype::Bf16)),
    |call: &Call, got: Tensor| if call.data.dtype() == Dtype::F16 { taken_for(&got, Dtype::Bf16, Dtype::F16) } else { got },
    Probe::Elements(Dtype::F16), "doubtful: f16 elements are taken for bf16 in the data and in the answer")]
#[case::bf16_as_f16(|call: &Call| with_data(call, taken_for(&call.data, Dtype::Bf16, Dtype::F16)),
    |_: &Call, got: Tensor| got, Probe::Elements(Dtype::Bf16), "doubtful: bf16 elements are taken for f16 in the data")]
#[case::i32_through_f32(|call: &Call| with_data(call, through(&call.data, |x| f64::from(x as f32))), |_: &Call, got: Tensor| got,
    Probe::Elements(Dtype::I32), "doubtful: i32 elements pass through f32")]
#[case::u64_through_f64(|call: &Call| with_data(call, through(&call.data, |x| x)), |_: &Call, got: Tensor| through(&got, |x| x),
    Probe::Elements(Dtype::U64), "doubtful: u64 elements pass through f64")]
#[case::i64_through_f32(|call: &Call| with_data(call, through(&call.data, |x| f64::from(x as f32))), |_: &Call, got: Tensor| got,
    Probe::Elements(Dtype::I64), "doubtful: i64 elements pass through f32")]
#[case::f64_through_f32(|call: &Call| with_data(call, through(&call.data, |x| f64::from(x as f32))), |_: &Call, got: Tensor| through(&got, |x| f64::from(x as f32)),
    Probe::Elements(Dtype::F64), "doubtful: f64 elements pass through f32")]
#[case::merely_wrong(|call: &Call| Ok(call.clone()), |_: &Call, got: Tensor| {
        let bits: Vec<u64> = got.bits().into_iter().map(|bits| bits ^ 1 << 4).collect();
        Tensor::from_bits(got.dtype(), got.shape(), &bits).unwrap()
    }, Probe::Elements(Dtype::I32), "doubtful: 3 of 3 elements wrong, first at [0]; no mistake known")]
#[case::dims_reversed(|call: &Call| with_data(call, reversed(&call.data)), |_: &Call, got: Tensor| reversed(&got),
    Probe::Dims, "the dims are in reverse order in the data and in the answer")]
#[case::dims_of_the_data_reversed(|call: &Call| with_data(call, reversed(&call.data)), |_: &Call, got: Tensor| got,
    Probe::Dims, "the dims are in reverse order in the data;")]
#[case::dims_of_the_answer_reversed(|call: &Call| Ok(call.clone()), |_: &Call, got: Tensor| reversed(&got),
    Probe::Dims, "the dims are in reverse order in the answer")]
#[case::column_major(|call: &Call| with_data(call, column_major(&call.data)), |_: &Call, got: Tensor| written_column_major(&got),
    Probe::Dims, "the elements are column-major (row-major is due: axis 0 the slowest) in the data and in the answer")]
#[case::axes_from_the_fastest(|call: &Call| match &call.axes {
        Axes::Given(axes) => Ok(Call { axes: Axes::list(&axes.values.iter().map(|axis| call.data.rank() as i64 - 1 - *axis as i64).collect::<Vec<_>>()), ..call.clone() }),
        _ => Ok(call.clone()),
    }, |_: &Call, got: Tensor| got, Probe::Dims, "axes are counted from the other end")]
#[case::axes_not_heeded(|call: &Call| match &call.axes {
        Axes::Given(_) => Ok(Call { axes: Axes::list(&(0..call.data.rank() as i64).collect::<Vec<_>>()), ..call.clone() }),
        _ => Ok(call.clone()),
    }, |_: &Call, got: Tensor| got, Probe::Dims, "the axes are ignored: all are reduced")]
#[case::another_default(|call: &Call| match call.operator {
        Operator::OpenVino { norm, keep_dims: None } => operator(call, Operator::OpenVino { norm, keep_dims: Some(true) }),
        _ => Ok(call.clone()),
    }, |_: &Call, got: Tensor| got, Probe::Operator(Spec::OpenVino(Norm::L2)), "the reduced dims are kept where they are to be dropped")]
#[case::an_attribute_ignored(|call: &Call| match call.operator {
        Operator::Onnx { norm, opset, noop_with_empty_axes, .. } => operator(call, Operator::Onnx { norm, opset, keepdims: Some(0), noop_with_empty_axes }),
        _ => Ok(call.clone()),
    }, |_: &Call, got: Tensor| got, Probe::Operator(Spec::Onnx(Norm::L1, Opset::V13)), "the reduced dims are dropped where they are to be kept")]
#[case::another_default_of_onnx(|call: &Call| match call.operator {
        Operator::Onnx { norm, opset, keepdims: None, noop_with_empty_axes } => operator(call, Operator::Onnx { norm, opset, keepdims: Some(0), noop_with_empty_axes }),
        _ => Ok(call.clone()),
    }, |_: &Call, got: Tensor| got, Probe::Operator(Spec::Onnx(Norm::L1, Opset::V13)), "the reduced dims are dropped where they are to be kept")]
#[case::the_other_norm(|call: &Call| match call.operator {
        Operator::OpenVino { keep_dims, .. } => operator(call, Operator::OpenVino { norm: Norm::L2, keep_dims }),
        _ => Ok(call.clone()),
    }, |_: &Call, got: Tensor| got, Probe::Operator(Spec::OpenVino(Norm::L1)), "doubtful: it is L2 of the data where L1 was asked")]
#[case::no_rank_0(|call: &Call| Ok(call.clone()), |_: &Call, got: Tensor| if got.rank() == 0 { Tensor::from_bits(got.dtype(), &[1], &got.bits()).unwrap() } else { got },
    Probe::RankZero, "doubtful: the elements are right, but the shape is [1] where [] is due")]
#[case::another_type(|call: &Call| Ok(call.clone()), |_: &Call, got: Tensor| match &got {
        Tensor::I32(array) => array.mapv(i64::from).into(),
        _ => got,
    }, Probe::Elements(Dtype::I32), "doubtful: the values are right, but of type i64 where i32 is due")]
#[case::cut(|call: &Call| Ok(call.clone()), |_: &Call, got: Tensor| {
        let bits: Vec<u64> = got.bits().into_iter().enumerate().map(|(at, bits)| if at < 1 << 14 { bits } else { 0 }).collect();
        Tensor::from_bits(got.dtype(), got.shape(), &bits).unwrap()
    }, Probe::Large, "elements wrong, first at [16384]")]
#[case::a_refusal_raised(|call: &Call| match &call.axes {
        Axes::Given(axes) if axes.values.contains(&1000) => Err(Answer::Crashed("IndexError".into())),
        _ => Ok(call.clone()),
    }, |_: &Call, got: Tensor| got, Probe::Refusal, "doubtful: crashed: IndexError, over axes from 1000 to 1000 of data of rank 2; what the runtime raises")]
#[case::a_refusal_hidden(|call: &Call| match &call.axes {
        Axes::Given(axes) if axes.values.contains(&1000) => Ok(Call { axes: Axes::list(&[0]), ..call.clone() }),
        _ => Ok(call.clone()),
    }, |_: &Call, got: Tensor| got, Probe::Refusal, "doubtful: a refusal is hidden, or there is none")]
#[case::a_refusal_without_a_word(|call: &Call| match &call.axes {
        Axes::Given(axes) if axes.values.contains(&1000) => Err(Answer::Rejected(" ".into())),
        _ => Ok(call.clone()),
    }, |_: &Call, got: Tensor| got, Probe::Refusal, "refuses without a word")]
#[case::rejected_for_unsupported(|call: &Call| match call.operator {
        Operator::Bnns { .. } => Err(Answer::Rejected("no such operator".into())),
        _ => Ok(call.clone()),
    }, |_: &Call, got: Tensor| got, Probe::Operator(Spec::Bnns), "expected a tensor, got a refusal: no such operator")]
#[case::a_crash(|call: &Call| if call.data.is_empty() { Err(Answer::Crashed("SIGFPE".into())) } else { Ok(call.clone()) },
    |_: &Call, got: Tensor| got, Probe::NoElements, "doubtful: crashed: SIGFPE; asked was openvino/ReduceL1-4 data f32[2, 0, 3]")]
#[case::integers_of_results_through_f32(|call: &Call| Ok(call.clone()), |_: &Call, got: Tensor| through(&got, |x| f64::from(x as f32)),
    Probe::Elements(Dtype::I32), "doubtful: i32 elements pass through f32")]
#[case::null_taken_for_none(|call: &Call| if call.axes == Axes::Null { reduced_by(call, &[]) } else { Ok(call.clone()) },
    |_: &Call, got: Tensor| got, Probe::Form(Form::Null), "doubtful: the axes are ignored: none is reduced")]
#[case::an_empty_list_taken_for_all(|call: &Call| match &call.axes {
        Axes::Given(axes) if axes.values.is_empty() => reduced_by(call, &[0, 1]),
        _ => Ok(call.clone()),
    }, |_: &Call, got: Tensor| got, Probe::Form(Form::EmptyList), "doubtful: the axes are ignored: all are reduced")]
#[case::noop_dropped(|call: &Call| match call.operator {
        Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes: Some(_) } =>
            operator(call, Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes: None }),
        _ => Ok(call.clone()),
    }, |_: &Call, got: Tensor| got, Probe::Form(Form::Noop), "doubtful: the axes are ignored: all are reduced")]
#[case::the_type_of_axes_dropped(|call: &Call| match &call.axes {
        Axes::Given(axes) => Ok(Call { axes: Axes::Given(AxesTensor { dtype: Dtype::I64, ..axes.clone() }), ..call.clone() }),
        _ => Ok(call.clone()),
    }, |_: &Call, got: Tensor| got, Probe::Form(Form::AxesType), "doubtful: axes of a type that the operator does not take")]
#[case::results_repaired(|call: &Call| Ok(call.clone()), |_: &Call, got: Tensor| match &got {
        Tensor::F32(array) => array.mapv(|x| if x.is_finite() { x } else { 0.0 }).into(),
        _ => got,
    }, Probe::Form(Form::NotFinite), "doubtful: elements that are infinite or NaN")]
#[case::the_spacing_ignored(|call: &Call| match call.operator {
        Operator::Blas { norm, n, .. } => operator(call, Operator::Blas { norm, n, incx: 1 }),
        _ => Ok(call.clone()),
    }, |_: &Call, got: Tensor| got, Probe::Spacing, "the spacing is ignored: elements that lie side by side are taken")]
#[case::the_length_ignored(|call: &Call| match call.operator {
        Operator::Blas { norm, incx: 2, .. } => operator(call, Operator::Blas { norm, n: 7, incx: 1 }),
        _ => Ok(call.clone()),
    }, |_: &Call, got: Tensor| got, Probe::Spacing, "the number of elements is ignored: all are taken")]
#[case::the_first_axis_alone(|call: &Call| match &call.axes {
        Axes::Given(axes) if axes.values.len() > 1 => Ok(Call { axes: Axes::list(&[axes.values[0] as i64]), ..call.clone() }),
        _ => Ok(call.clone()),
    }, |_: &Call, got: Tensor| got, Probe::Dims, "only the first axis is reduced")]
#[case::one_dim_kept(|call: &Call| if call.data.rank() == 1 { Err(Answer::Tensor(call.data.clone())) } else { Ok(call.clone()) },
    |_: &Call, got: Tensor| got, Probe::Dims, "the axes are ignored: none is reduced")]
#[case::the_order_filled_in(|call: &Call| match call.operator {
        Operator::ArrayApi { ord: None, keepdims } => operator(call, Operator::ArrayApi { ord: Some(Norm::L1), keepdims }),
        _ => Ok(call.clone()),
    }, |_: &Call, got: Tensor| got, Probe::Operator(Spec::ArrayApi(Norm::L2)), "doubtful: it is L1 of the data where L2 was asked")]
#[case::a_refusal_is_unsupported(|call: &Call| match &call.axes {
        Axes::Given(axes) if axes.values.contains(&1000) => Err(Answer::Unsupported("axis 1000 of rank 2".into())),
        _ => Ok(call.clone()),
    }, |_: &Call, got: Tensor| got, Probe::Refusal, "are called unsupported, where axis 1 is answered: axis 1000 of rank 2")]
fn a_mistake_is_told_by_its_name(
    #[case] translate: fn(&Call) -> Result<Call, Answer>,
    #[case] hand_back: fn(&Call, Tensor) -> Tensor,
    #[case] at: Probe,
    #[case] text: &str,
) {
    assert_told(&probe(&mut adapter(translate, hand_back)), at, text);
}

/// Answers no large call in time.
struct Late(Reference);

impl Driver for Late {
    fn identity(&self) -> Identity {
        Backend::identity(&self.0)
    }

    fn capabilities(&self) -> Capabilities {
        Backend::capabilities(&self.0)
    }

    fn ask(&mut self, call: &Call) -> Observed {
        let late = call.data.len() > 1 << 19;
        if late { Observed::Died(Death::TimedOut(Duration::from_secs(3))) } else { self.0.ask(call) }
    }
}

#[test]
fn an_answer_that_does_not_come_in_time_is_told() {
    let due = "doubtful: by the adapter or by the runtime: no answer within 3 s; asked was ";
    assert_told(&probe(&mut Late(Reference(Policy::new()))), Probe::Large, due);
}

#[rstest]
#[case::integer_sums(&[(Dtype::F32, Dtype::I64)], "sums of f32 are said to be held in i64")]
#[case::integer_data(&[(Dtype::I32, Dtype::F64)], "sums of i32 are said to be held in f64")]
#[case::twice(&[(Dtype::F16, Dtype::F32), (Dtype::F32, Dtype::F32), (Dtype::F16, Dtype::F16)], "sums of f16 are held in is said twice")]
fn what_is_declared_must_make_sense(#[case] declared: &[(Dtype, Dtype)], #[case] text: &str) {
    let mut adapter = honest();
    adapter.capabilities.accumulation = declared.to_vec();
    assert_told(&probe(&mut adapter), Probe::Capabilities, text);
}

#[test]
fn a_blank_identity_is_told() {
    let mut adapter = honest();
    adapter.identity.name = " \n".into();
    assert_told(&probe(&mut adapter), Probe::Identity, "the name is blank");
}

#[rstest]
#[case::the_result_before(
    // A repeated call, as at the start of the probe, triggers it.
    |before: &[Answer], answer: Answer| match before {
        [.., one, other] if one == other => one.clone(),
        _ => answer,
    },
    "a second call is answered with the result of the first"
)]
#[case::a_sum_kept(
    |before: &[Answer], answer: Answer| match (before, answer) {
        ([.., one, _], Answer::Tensor(Tensor::F32(got))) if *one == Answer::Tensor(Tensor::F32(got.clone())) => {
            Answer::Tensor((got * 2.0_f32).into())
        }
        (_, answer) => answer,
    },
    "a call asked again gets another answer"
)]
fn what_a_call_leaves_behind_is_told(#[case] answers: fn(&[Answer], Answer) -> Answer, #[case] text: &str) {
    let mut before = Vec::new();
    let mut stateful = Stub::new("stateful", |call| {
        let answer = answers(&before, Reference(Policy::new()).answer(call));
        before.push(answer.clone());
        answer
    });
    assert_told(&probe(&mut stateful), Probe::Repeat, text);
}

#[rstest]
#[case::everything(|_: &Call| true)]
#[case::bnns_alone(|call: &Call| call.spec() == Spec::Bnns)]
#[case::one_operator_of_f32(|call: &Call| call.spec() == Spec::Onnx(Norm::L2, Opset::V13) && call.data.dtype() == Dtype::F32)]
#[case::no_long_rows(|call: &Call| call.data.len() < 1000)]
fn an_honest_adapter_of_any_range_passes(#[case] supports: fn(&Call) -> bool) {
    let declines = |call: &Call| (!supports(call)).then(|| Answer::Unsupported("not that".into()));
    let lines = probe(&mut otherwise("partial", Policy::new(), declines));
    assert!(smoke::passes(&lines) && smoke::checked_anything(&lines), "{lines:#?}");
}

#[test]
fn whoever_supports_nothing_passes_and_was_not_checked() {
    let translate = |_: &Call| Err(Answer::Unsupported("not yet".into()));
    let lines = probe(&mut adapter(translate, |_, tensor| tensor));
    assert!(smoke::passes(&lines) && !smoke::checked_anything(&lines), "{lines:#?}");
    let declined = lines.iter().filter(|line| line.found == Found::Unsupported("not yet".into())).count();
    assert_eq!(declined, lines.len() - 2, "{lines:#?}");
}

/// The environment variable that holds the role of the child.
const ROLE: &str = "NORMATIVE_SMOKE_ROLE";

/// The child process runs this. Without a role it does nothing.
#[test]
fn the_child_plays_the_role_it_was_given() {
    let Ok(role) = std::env::var(ROLE) else { return };
    match role.as_str() {
        "silent" => std::thread::sleep(Duration::from_secs(60)),
        "leaves" => std::process::exit(3),
        role => {
            serve(honest());
            match role {
                "fails-at-the-end" => std::process::exit(4),
                "stays" => std::thread::sleep(Duration::from_secs(60)),
                _ => {}
            }
        }
    }
}

fn program(role: &str, limits: Limits) -> Vec<Line> {
    let mut program = Program::new(std::env::current_exe().unwrap());
    program.args =
        ["--exact", "smoke::the_child_plays_the_role_it_was_given", "--nocapture"].map(Into::into).into();
    program.env = vec![(ROLE.into(), role.into())];
    smoke::program(program, limits, |_| {}).unwrap()
}

#[test]
fn an_honest_program_passes_from_its_hello_to_its_end() {
    let lines = program("honest", Limits::default());
    assert!(smoke::passes(&lines), "{lines:#?}");
    // It lists the operators that it has, so one line about that list comes last.
    let probes = |at: usize| lines[at].probe;
    assert_eq!(probes(0), Probe::Hello);
    assert_eq!((probes(lines.len() - 2), probes(lines.len() - 1)), (Probe::End, Probe::Declared));
}

#[rstest]
#[case::no_hello("silent", Probe::Hello, "no hello within 0.5 s")]
#[case::gone("leaves", Probe::Hello, "ended with exit status: 3")]
#[case::a_status("fails-at-the-end", Probe::End, "hung up it ended with exit status: 4, 0 is due")]
#[case::no_end("stays", Probe::End, "it ran on after the judge hung up")]
fn what_is_wrong_with_a_process_is_told(#[case] role: &str, #[case] at: Probe, #[case] text: &str) {
    let hello = Duration::from_millis(if role == "silent" { 500 } else { 20_000 });
    let lines = program(role, Limits { hello, ..Limits::default() });
    assert_told(&lines, at, text);
    assert_eq!(lines.len() == 1, at == Probe::Hello);
}

#[test]
fn a_program_that_is_not_there_cannot_be_probed() {
    let error =
        smoke::program(Program::new("/no/such/program"), Limits::default(), |_| {}).unwrap_err().to_string();
    assert!(error.contains("/no/such/program"), "{error}");
}
