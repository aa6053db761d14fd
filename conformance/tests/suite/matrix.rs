//! Tests the look of a matrix: one snapshot with every kind of cell, and the rules of its layout.

use std::collections::BTreeMap;

use crate::example;
use crate::reference_backend::{Policy, otherwise};
use ndarray::arr1;
use normative_conformance::corpus::Case;
use normative_conformance::reference::{Axes, Call, Norm, Operator, Opset, Question, Reading, Spec, Tensor};
use normative_conformance::report::Report;
use normative_conformance::run::property::{self, Generated, Made};
use normative_conformance::run::{Judged, Run};
use normative_conformance::{Answer, Demands, Driver, Sheet, judge};
use normative_present::column::Column;
use normative_present::matrix::write;

/// Readings, and the calls that get another answer.
struct Twisted {
    policy: Policy,
    twist: fn(&Call) -> Option<Answer>,
}

fn case(name: &str, operator: Operator, data: &[f32], axes: Axes) -> Case {
    let call = Call::new(operator, arr1(data).into_dyn().into(), axes);
    example::case(name, call)
}

fn cases() -> Vec<Case> {
    let openvino = |norm| Operator::OpenVino { norm, keep_dims: None };
    let onnx = |opset| Operator::Onnx { norm: Norm::L1, opset, keepdims: None, noop_with_empty_axes: None };
    vec![
        case("sum", openvino(Norm::L1), &[1.0, -2.0], Axes::list(&[0])),
        case("nothing", openvino(Norm::L1), &[1.0, -2.0], Axes::list(&[])),
        case("nothing-again", openvino(Norm::L1), &[-3.0, -2.0], Axes::list(&[])),
        case("root", openvino(Norm::L2), &[1.0, -2.0], Axes::list(&[0])),
        case("range", openvino(Norm::L2), &[1e30, 1e30], Axes::list(&[0])),
        case("thirds", onnx(Opset::V13), &[0.1, -0.7], Axes::Absent),
    ]
}

fn report<'a>(cases: &'a [Case], generated: usize, backend: Twisted) -> Report<'a> {
    let mut backend = otherwise("example", backend.policy, backend.twist);
    let demands = Demands::default();
    let judged = |case: &'a Case, backend: &mut dyn Driver| {
        let sheet = Sheet::of(&case.call).unwrap();
        (case, judge(&sheet, &backend.ask(&case.call), &demands))
    };
    let results = cases.iter().map(|case| judged(case, &mut backend)).collect();
    let mut sum = Generated { seed: 1, ..Generated::default() };
    let specs = [Spec::OpenVino(Norm::L1), Spec::Onnx(Norm::L1, Opset::V13)];
    let row = property::row(1, &specs).take(generated).map(|id| Made::of(id).unwrap());
    Run::over(row, &mut backend, &demands).for_each(|judged: Judged<Made>| sum.count(&judged));
    Report { generated: (generated > 0).then_some(sum), ..Report::of(backend.identity, results, cases.len()) }
}

fn column<'a>(name: &str, report: Report<'a>) -> Column<'a> {
    Column { name: name.into(), report, again: format!("judge {name}"), repro: None }
}

fn is_openvino(call: &Call) -> bool {
    matches!(call.operator, Operator::OpenVino { .. })
}

#[test]
fn every_kind_of_cell_has_its_words() {
    let cases = cases();
    let columns = [
        column("right", report(&cases, 40, Twisted { policy: Policy::new(), twist: |_| None })),
        column(
            "other-readings",
            report(
                &cases,
                40,
                Twisted {
                    policy: BTreeMap::from([
                        (Question::EmptyAxesIdentity, Reading::NormOfEachElement),
                        (Question::FloatRange, Reading::Naive),
                    ]),
                    twist: |_| None,
                },
            ),
        ),
        column(
            "no-openvino",
            report(
                &cases,
                40,
                Twisted {
                    policy: Policy::new(),
                    twist: |call| is_openvino(call).then(|| Answer::Unsupported("no OpenVINO".into())),
                },
            ),
        ),
        column(
            "wrong",
            report(
                &cases,
                0,
                Twisted {
                    policy: Policy::new(),
                    twist: |call| match (is_openvino(call), call.spec().norm()) {
                        (true, Norm::L1) if call.axes == Axes::list(&[]) => Some(Answer::Tensor(
                            // Reads two calls with empty axes in two ways.
                            if call.data == Tensor::from(arr1(&[1.0_f32, -2.0]).into_dyn()) {
                                call.data.clone()
                            } else {
                                arr1(&[3.0_f32, 2.0]).into_dyn().into()
                            },
                        )),
                        (true, Norm::L2) => Some(Answer::Crashed("SIGSEGV".into())),
                        (false, _) => Some(Answer::Tensor(call.data.clone())),
                        _ => None,
                    },
                },
            ),
        ),
    ];
    let mut text = String::new();
    write(&mut text, &columns).unwrap();
    insta::assert_snapshot!(text);
}

#[test]
fn what_has_no_room_beside_the_others_stands_below_with_the_same_rows() {
    let cases = cases();
    let right = || report(&cases, 0, Twisted { policy: Policy::new(), twist: |_| None });
    let names: Vec<String> = (0..12).map(|at| format!("backend-with-a-long-name@{at}")).collect();
    let columns: Vec<Column<'_>> = names.iter().map(|name| column(name, right())).collect();
    let mut text = String::new();
    write(&mut text, &columns).unwrap();
    let (tables, lines) = text.split_once("N defects, M calls").unwrap();
    assert!(tables.lines().all(|line| line.chars().count() <= 110), "{tables}");
    for name in &names {
        let headers = tables.lines().filter(|line| line.split_whitespace().any(|word| word == name));
        assert_eq!(headers.count(), 3, "{name} has a column in each of three tables");
        assert_eq!(lines.lines().filter(|line| line.contains(&format!(": \"{name}\" (\""))).count(), 1);
    }
    let rows = tables.lines().filter(|line| line.starts_with("openvino/ReduceL1-4 "));
    assert_eq!(rows.count(), tables.lines().filter(|line| line.starts_with("spec ")).count());
}
