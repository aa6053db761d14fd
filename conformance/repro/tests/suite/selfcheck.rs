//! Tests that a model's own number is the judge's verdict. A small interpreter runs the graph, and a backend answers for
//! the node that reduces.

use std::collections::HashMap;
use std::path::Path;

use normative_conformance::corpus::load;
use normative_conformance::judge::verdict::{Sheet, Verdict, judge};
use normative_conformance::{Answer, Backend, Demands, Observed};
use normative_onnx::graph::{Attribute, Graph, Node};
use normative_onnx::nodes;
use normative_reference::textbook::to_f64;
use normative_reference::{Axes, Call, Dtype, Kind, Norm, Opset, Tensor};
use normative_repro::Due;
use normative_repro::due::{DueCondition, DueTensor};
use normative_repro::selfcheck::{Check, DataAs, INPUT, MOST_ANSWERS, OUTPUT, controls, graph};
use normative_rules::mutants::{Mutant, mutants};
use rstest::rstest;

use crate::{f32s, onnx};

/// Elements in a type wide enough; booleans are 0 and 1.
#[derive(Clone, Debug)]
struct Value {
    dtype: Option<Dtype>,
    shape: Vec<usize>,
    elements: Vec<Number>,
}

#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
enum Number {
    Integer(i128),
    Float(f64),
}

use Number::{Float, Integer};

fn value(tensor: &Tensor) -> Value {
    let number = |bits: u64| match tensor.dtype().kind() {
        Kind::Integer(range) => Integer(range.decode(bits)),
        Kind::Float(_) => Float(to_f64(tensor.dtype(), bits)),
    };
    let elements = tensor.bits().into_iter().map(number).collect();
    Value { dtype: Some(tensor.dtype()), shape: tensor.shape().to_vec(), elements }
}

/// Runs a graph. Of every node that reduces, the call is given, and its answer.
fn run(graph: &Graph, answered: Option<(&Call, &Tensor)>) -> Vec<u32> {
    let mut values: HashMap<&str, Value> = HashMap::new();
    for (name, tensor) in &graph.constants {
        assert!(values.insert(name, value(tensor)).is_none(), "two values have the name {name}");
    }
    for (name, ..) in &graph.inputs {
        let zero = Value { dtype: Some(Dtype::I64), shape: Vec::new(), elements: vec![Integer(0)] };
        values.insert(name, zero);
    }
    for node in &graph.nodes {
        let result = match node.op_type {
            "ReduceL1" | "ReduceL2" | "ReduceSumSquare" | "ReduceSum" => {
                let (call, answer) = answered.unwrap();
                let (data, due) = (&values[node.inputs[0].as_str()], value(&call.data));
                // As text, in which a NaN equals a NaN.
                assert_eq!(format!("{data:?}"), format!("{due:?}"), "the node reads the call's data");
                value(answer)
            }
            _ => step(node, &node.inputs.iter().map(|name| &values[name.as_str()]).collect::<Vec<_>>()),
        };
        assert!(values.insert(&node.output, result).is_none(), "two values have the name {}", node.output);
    }
    let number = |number: &Number| match number {
        Float(number) => *number as u32,
        Integer(_) => panic!("expected floats"),
    };
    values[OUTPUT].elements.iter().map(number).collect()
}

fn step(node: &Node, inputs: &[&Value]) -> Value {
    let x = inputs[0];
    let elementwise = |dtype: Option<Dtype>, of: &dyn Fn(Number, Number) -> Number| {
        let y = inputs[1];
        assert_eq!(x.dtype, y.dtype, "{}: an operator takes one type", node.op_type);
        let (few, many) = if x.elements.len() == 1 { (x, y) } else { (y, x) };
        assert!(few.elements.len() == 1 || few.shape == many.shape, "{}: {x:?} {y:?}", node.op_type);
        let at = |value: &Value, at: usize| value.elements[if value.elements.len() == 1 { 0 } else { at }];
        let elements = (0..many.elements.len()).map(|n| of(at(x, n), at(y, n))).collect();
        Value { dtype, shape: many.shape.clone(), elements }
    };
    let truth = |is_so: bool| Integer(is_so.into());
    let float = |of: &dyn Fn(f64, f64) -> f64| {
        elementwise(x.dtype, &|a, b| match (a, b) {
            (Float(a), Float(b)) => Float(of(a, b)),
            _ => panic!("{}: expected floats", node.op_type),
        })
    };
    let integers = |value: &Value| -> Vec<i128> {
        let integer = |number: &Number| match number {
            Integer(number) => *number,
            Float(_) => panic!("{}: expected integers", node.op_type),
        };
        value.elements.iter().map(integer).collect()
    };
    match node.op_type {
        "Gather" => {
            assert_eq!((x.shape[0], &inputs[1].elements[..]), (1, &[Integer(0)][..]));
            Value { shape: x.shape[1..].to_vec(), ..x.clone() }
        }
        "Reshape" => {
            let to = integers(inputs[1]);
            let shape: Vec<usize> = to.iter().map(|&dim| dim as usize).collect();
            Value { shape: if to == [-1] { vec![x.elements.len()] } else { shape }, ..x.clone() }
        }
        "Tile" => {
            let elements = x.elements.repeat(integers(inputs[1])[0] as usize);
            Value { dtype: x.dtype, shape: vec![elements.len()], elements }
        }
        "Expand" => {
            let count = integers(inputs[1])[0] as usize;
            Value { dtype: x.dtype, shape: vec![count], elements: vec![x.elements[0]; count] }
        }
        "Shape" => {
            let elements = x.shape.iter().map(|&dim| Integer(dim as i128)).collect();
            Value { dtype: Some(Dtype::I64), shape: vec![x.shape.len()], elements }
        }
        "Concat" => {
            assert!(inputs.iter().all(|one| one.shape.len() == 1 && one.dtype == x.dtype));
            let elements: Vec<Number> = inputs.iter().flat_map(|one| one.elements.clone()).collect();
            Value { dtype: x.dtype, shape: vec![elements.len()], elements }
        }
        "Slice" => {
            let [from, to] = [inputs[1], inputs[2]].map(|end| integers(end)[0] as usize);
            Value { dtype: x.dtype, shape: vec![to - from], elements: x.elements[from..to].to_vec() }
        }
        "Cast" => {
            let [("to", Attribute::Integer(to))] = node.attributes[..] else { panic!("{node:?}") };
            let (dtype, narrow) = match to {
                1 => (Dtype::F32, true),
                11 => (Dtype::F64, false),
                6 => (Dtype::I32, false),
                7 => (Dtype::I64, false),
                _ => panic!("{node:?}"),
            };
            let cast = |number: &Number| match (number, dtype.is_integer()) {
                (Float(number), false) if narrow => Float(f64::from(*number as f32)),
                (Integer(number), false) => Float(*number as f64),
                (number, _) => *number,
            };
            let elements = x.elements.iter().map(cast).collect();
            Value { dtype: Some(dtype), shape: x.shape.clone(), elements }
        }
        "Less" => elementwise(None, &|a, b| truth(a < b)),
        "Greater" => elementwise(None, &|a, b| truth(a > b)),
        "Or" => elementwise(None, &|a, b| truth(a == Integer(1) || b == Integer(1))),
        "And" => elementwise(None, &|a, b| truth(a == Integer(1) && b == Integer(1))),
        "IsNaN" => {
            let is_nan = |number: &Number| truth(matches!(number, Float(number) if number.is_nan()));
            Value { dtype: None, shape: x.shape.clone(), elements: x.elements.iter().map(is_nan).collect() }
        }
        "Div" => float(&|a, b| a / b),
        "Sub" => float(&|a, b| a - b),
        "Mul" => float(&|a, b| a * b),
        "Add" => float(&|a, b| a + b),
        "ReduceMax" => {
            let most = x.elements.iter().copied().reduce(|a, b| if b > a { b } else { a });
            Value { dtype: x.dtype, shape: vec![1], elements: vec![most.unwrap()] }
        }
        other => panic!("no model uses {other}"),
    }
}

#[rstest]
fn a_control_is_met_where_it_says_so(
    #[values(DataAs::Constant, DataAs::Picked)] data_as: DataAs,
    #[values(Opset::V1, Opset::V18)] opset: Opset,
) {
    for &dtype in &Dtype::ALL {
        let controls = controls(opset, dtype).unwrap();
        let checks: Vec<Check<'_>> = controls.iter().map(Check::of_control).collect();
        let numbers = run(&graph(&checks, opset, data_as).unwrap(), None);
        for (control, number) in controls.iter().zip(numbers) {
            assert_eq!(number, u32::from(control.is_met), "{}", control.name);
        }
    }
}

/// Every comparison that a graph makes is needed: a runtime that answers it wrongly fails a control.
#[rstest]
#[case::less("Less")]
#[case::greater("Greater")]
#[case::is_nan("IsNaN")]
#[case::or("Or")]
#[case::div("Div")]
fn a_broken_comparison_fails_a_control(#[case] broken: &str) {
    let controls = controls(Opset::V18, Dtype::F32).unwrap();
    let checks: Vec<Check<'_>> = controls.iter().map(Check::of_control).collect();
    let mut graph = graph(&checks, Opset::V18, DataAs::Constant).unwrap();
    for node in graph.nodes.iter_mut().filter(|node| node.op_type == broken) {
        // The first input twice: never less, never greater, no reciprocal.
        match node.inputs.as_mut_slice() {
            [first, second] => *second = first.clone(),
            _ => node.op_type = "Less",
        }
        if node.op_type == "Less" && node.inputs.len() == 1 {
            node.inputs.push(node.inputs[0].clone());
        }
    }
    let numbers = run(&graph, None);
    assert!(controls.iter().zip(numbers).any(|(control, number)| number != u32::from(control.is_met)));
}

/// Returns the judge's verdict, and that of the graph: the answers that the number stands for.
fn assert_same(call: &Call, sheet: &Sheet, due: &Due, answer: &Tensor) -> bool {
    let is_right = matches!(
        judge(sheet, &Observed::Tensor(answer.clone()), &Demands::default()),
        Verdict::Conforms { .. }
    );
    let opset = if call.spec().name().ends_with("-1") { Opset::V1 } else { Opset::V18 };
    let graph = graph(&[Check::of_call(call, due).unwrap()], opset, DataAs::Constant).unwrap();
    let number = run(&graph, Some((call, answer)))[0];
    assert_eq!(number != 0, is_right, "{call:?}\n{answer:?}");
    for (bit, due) in due.answers.iter().enumerate() {
        let accepts = matches!(&due.is, DueCondition::Tensor(due) if due.accepts(answer));
        assert_eq!(number >> bit & 1 == 1, accepts, "answer {bit} of {call:?}\n{answer:?}");
    }
    is_right
}

#[test]
fn a_number_is_the_verdict_on_every_case_and_on_wrong_implementations() {
    let corpus = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")).unwrap();
    let mut backends: Vec<_> = mutants().iter().step_by(40).map(Mutant::backend).collect();
    let (mut right, mut wrong) = (0, 0);
    let cases =
        corpus.cases.iter().filter(|case| case.name.contains("/Reduce") && case.call.data.len() <= 200);
    for (nth, case) in cases.enumerate() {
        let call = &case.call;
        let sheet = Sheet::of(call).unwrap();
        let Ok(due) = Due::of(&sheet, call.spec(), &Demands::default()) else { continue };
        if sheet.whole || Check::of_call(call, &due).is_err() {
            continue;
        }
        assert!(due.answers.len() <= MOST_ANSWERS, "{}", case.name);
        let count = backends.len();
        for backend in &mut backends[nth % 3 * count / 3..(nth % 3 + 1) * count / 3] {
            let Answer::Tensor(answer) = backend.answer(call) else { continue };
            // A graph has no way to see another type.
            if answer.dtype() == call.data.dtype() {
                *if assert_same(call, &sheet, &due, &answer) { &mut right } else { &mut wrong } += 1;
            }
        }
    }
    assert!(right > 9_000 && wrong > 300, "{right} right, {wrong} wrong");
}

#[rstest]
fn data_that_repeat_reach_the_reduction_whole(
    #[values(DataAs::Constant, DataAs::Picked)] data_as: DataAs,
    #[values(1, 3, 100)] period: usize,
) {
    let bits: Vec<u64> = (0..700).map(|at| (at % period) as u64).collect();
    let data = Tensor::from_bits(Dtype::I64, &[2, 350], &bits).unwrap();
    let call = onnx(Norm::L1, data, Axes::Absent);
    let sum = bits.iter().sum::<u64>();
    let answer = Tensor::from_bits(Dtype::I64, &[], &[sum]).unwrap();
    let due = Due::of(&Sheet::of(&call).unwrap(), call.spec(), &Demands::default()).unwrap();
    let graph = graph(&[Check::of_call(&call, &due).unwrap()], Opset::V18, data_as).unwrap();
    assert!(graph.constants.iter().all(|(_, constant)| constant.len() <= 100));
    assert_eq!(run(&graph, Some((&call, &answer))), [1]);
}

#[test]
fn a_root_held_in_f32_is_seen() {
    let data = Tensor::from_bits(Dtype::F64, &[3], &[1_f64.to_bits(); 3]).unwrap();
    let call = onnx(Norm::L2, data, Axes::list(&[0]));
    let (sheet, root) = (Sheet::of(&call).unwrap(), 3_f64.sqrt());
    let due = Due::of(&sheet, call.spec(), &Demands::default()).unwrap();
    let singles = |answer: &&normative_repro::due::DueAnswer| {
        matches!(&answer.is, DueCondition::Tensor(DueTensor { single: true, .. }))
    };
    assert!(due.answers.iter().any(|answer| singles(&answer)));
    for (value, is_right) in [(root, true), (f64::from(root as f32), true), (root + 1e-9, false)] {
        let answer = Tensor::from_bits(Dtype::F64, &[], &[value.to_bits()]).unwrap();
        assert_eq!(assert_same(&call, &sheet, &due, &answer), is_right, "{value}");
    }
}

#[test]
fn data_that_are_picked_are_no_constant_of_the_reduction() {
    let call = onnx(Norm::L1, f32s(&[2, 3], &[1.0; 6]), Axes::list(&[0]));
    let due = Due::of(&Sheet::of(&call).unwrap(), call.spec(), &Demands::default()).unwrap();
    let checks = [Check::of_call(&call, &due).unwrap(), Check::of_call(&call, &due).unwrap()];
    let constants = |data_as| {
        let graph = graph(&checks, Opset::V18, data_as).unwrap();
        let is_constant = |name: &str| graph.constants.iter().any(|(constant, _)| constant == name);
        let reduced = graph.nodes.iter().filter(|node| node.op_type == "ReduceL1");
        let constant = reduced.filter(|node| is_constant(&node.inputs[0])).count();
        (graph.inputs.iter().map(|input| input.0.clone()).collect::<Vec<_>>(), constant)
    };
    assert_eq!(constants(DataAs::Constant), (vec![], 2));
    assert_eq!(constants(DataAs::Picked), (vec![INPUT.to_owned()], 0));
}

#[test]
fn the_bytes_are_a_model_with_every_node() {
    let call = onnx(Norm::L2, f32s(&[2, 3], &[1.0; 6]), Axes::list(&[1]));
    let due = Due::of(&Sheet::of(&call).unwrap(), call.spec(), &Demands::default()).unwrap();
    let checks = vec![Check::of_call(&call, &due).unwrap(); 5];
    let bytes = graph(&checks, Opset::V18, DataAs::Picked).unwrap().into_model();
    assert_eq!(nodes::find(&bytes).unwrap().len(), 5);
}
