//! Reports for the tests of the page, with a backend for every kind of finding.

use crate::example::{self, LEDGER};
use ndarray::{arr1, arr2};
use normative_conformance::corpus::{Case, ClauseRef};
use normative_conformance::reference::{Axes, Call, Dtype, Norm, Operator, Opset, Spec, Tensor};
use normative_conformance::report::Report;
use normative_conformance::run::property::{self, Generated, Made};
use normative_conformance::run::repeat::{Sample, Unstable};
use normative_conformance::run::{Judged, Run};
use normative_conformance::{Answer, Backend, Demands, Driver, Identity, Observed, Sheet, Stub, judge};
use normative_present::column::Column;
use normative_present::page;

use crate::reference_backend::{Policy, Reference, otherwise};

/// Returns a hostile backend's text: it closes elements and strings, reverses writing, and is over a megabyte.
pub(crate) fn hostile() -> String {
    let words = "</script><script>window.broken = 1</script><img src=x onerror=\"window.broken = 2\">\
                 <!-- \" ' &quot; \\u0022 {{data}} \u{202e}desrever\u{2028}window.broken = 3";
    format!("{words}{}", "ä".repeat(1 << 20))
}

fn case(name: &str, operator: Operator, data: Tensor, axes: Axes, clause: &str) -> Case {
    let call = Call::new(operator, data, axes);
    let clause = ClauseRef { spec: call.spec(), name: clause.into() };
    Case {
        clauses: vec![clause],
        why: format!("One that takes {name} for something else."),
        ..example::case(name, call)
    }
}

/// Returns two cases for each norm, two that raise one question, and one that must be refused.
pub(crate) fn cases() -> Vec<Case> {
    let openvino = |norm| Operator::OpenVino { norm, keep_dims: None };
    let onnx =
        Operator::Onnx { norm: Norm::L1, opset: Opset::V13, keepdims: None, noop_with_empty_axes: None };
    let thirds = || Tensor::from(arr2(&[[0.1_f32, -0.7, 0.3], [1.0, 2.0, -3.0]]).into_dyn());
    let floats = |values: &[f32]| Tensor::from(arr1(values).into_dyn());
    vec![
        case("sum", openvino(Norm::L1), thirds(), Axes::list(&[1]), "norm"),
        case(
            "sum-of-doubles",
            openvino(Norm::L1),
            arr1(&[0.1_f64, -0.7]).into_dyn().into(),
            Axes::list(&[0]),
            "norm",
        ),
        case("nothing", openvino(Norm::L1), floats(&[1.0, -2.0]), Axes::list(&[]), "norm"),
        case("nothing-again", openvino(Norm::L1), floats(&[-3.0, -2.0]), Axes::list(&[]), "norm"),
        case("root", openvino(Norm::L2), thirds(), Axes::list(&[1]), "norm"),
        case("no-such-axis", openvino(Norm::L2), thirds(), Axes::list(&[7]), "axes-range"),
        case("thirds", onnx, thirds(), Axes::Absent, "norm"),
    ]
}

fn report<'a>(cases: &'a [Case], generated: usize, backend: &mut dyn Driver) -> Report<'a> {
    let demands = Demands::default();
    let judged = |case: &'a Case| {
        let sheet = Sheet::of(&case.call).unwrap();
        (case, judge(&sheet, &backend.ask(&case.call), &demands))
    };
    let results = cases.iter().map(judged).collect();
    let mut sum = Generated { seed: 1, ..Generated::default() };
    let row = property::row(1, &Spec::ALL).take(generated).map(|id| Made::of(id).unwrap());
    Run::over(row, backend, &demands).for_each(|judged: Judged<Made>| sum.count(&judged));
    let generated = (generated > 0).then_some(sum);
    Report { generated, ..Report::of(backend.identity(), results, cases.len()) }
}

/// Returns the right answer, doubled.
fn doubled(call: &Call) -> Option<Answer> {
    let Answer::Tensor(right) = Reference(Policy::new()).answer(call) else { return None };
    let step = match right.dtype() {
        Dtype::F32 => 1 << 23,
        Dtype::F64 => 1 << 52,
        _ => 1,
    };
    let bits: Vec<u64> = right.bits().iter().map(|bits| bits.wrapping_add(step)).collect();
    Tensor::from_bits(right.dtype(), right.shape(), &bits).ok().map(Answer::Tensor)
}

fn twisted(name: &str, twist: fn(&Call) -> Option<Answer>) -> impl Backend {
    let who = Identity { name: name.into(), version: "1.0".into(), report_bugs_to: "nobody".into() };
    Stub { identity: who, ..otherwise(name, Policy::new(), twist) }
}

fn column<'a>(
    cases: &'a [Case],
    generated: usize,
    name: &str,
    twist: fn(&Call) -> Option<Answer>,
) -> Column<'a> {
    let report = report(cases, generated, &mut twisted(name, twist));
    Column { name: name.into(), report, again: format!("judge --backend {name}"), repro: None }
}

/// Returns a backend that is wrong in every way.
pub(crate) fn wrong(cases: &[Case], generated: usize) -> Column<'_> {
    let mut wrong = column(cases, generated, "wrong", |call| match (&call.operator, call.spec().norm()) {
        // Reads two calls with empty axes in two ways.
        (Operator::OpenVino { .. }, Norm::L1) if call.axes == Axes::list(&[]) => {
            let is_first = call.data == Tensor::from(arr1(&[1.0_f32, -2.0]).into_dyn());
            Some(Answer::Tensor(if is_first {
                call.data.clone()
            } else {
                arr1(&[3.0_f32, 2.0]).into_dyn().into()
            }))
        }
        (Operator::OpenVino { .. }, Norm::L1) => doubled(call),
        (Operator::OpenVino { .. }, Norm::L2) => Some(Answer::Crashed("SIGSEGV".into())),
        (Operator::Onnx { .. }, Norm::L1) => Some(Answer::Tensor(call.data.clone())),
        _ => None,
    });
    let (call, first) = (cases[6].call.clone(), Observed::Tensor(cases[6].call.data.clone()));
    let then = Observed::Rejected("not today".into());
    wrong.report.unstable =
        vec![Unstable { sample: Sample { name: cases[6].name.clone(), call, first }, then, row: None }];
    wrong
}

/// Returns a right backend, one that is wrong in every way, one that does little, and a hostile one.
pub(crate) fn columns(cases: &[Case], generated: usize) -> Vec<Column<'_>> {
    // Each answer has a megabyte, so few calls are enough.
    let mut hostile =
        column(cases, generated.min(20), "hostile", |_| Some(Answer::Rejected(self::hostile())));
    (hostile.name, hostile.report.identity.version) = (self::hostile(), self::hostile());
    let little = |call: &Call| {
        let is_l1 = call.spec().norm() == Norm::L1;
        (!is_l1).then(|| Answer::Unsupported("no roots".into()))
    };
    vec![
        column(cases, generated, "right", |_| None),
        wrong(cases, generated),
        column(cases, generated, "little", little),
        hostile,
    ]
}

pub(crate) fn written(columns: &[Column<'_>]) -> String {
    let mut text = String::new();
    page::write(&mut text, columns, &LEDGER, "this suite").unwrap();
    text
}
