//! Tests finding reductions in whole models, and reading models without their weights.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::io::Cursor;

use normative_conformance::run::property::{Id, row};
use normative_onnx::nodes::{Dim, ElementType, FoundNode, NodeCall, Stated, find};
use normative_onnx::outline::outline;
use normative_onnx::read::ReadError;
use normative_onnx::{AxesAs, Model, model, tensor};
use normative_reference::{Axes, Call, Dtype, Norm, Operator, Opset, Spec, Tensor};
use rstest::rstest;

/// A field of a message.
enum Field<'a> {
    Number(u64, u64),
    Bytes(u64, &'a [u8]),
}
use Field::{Bytes, Number};

fn message(parts: &[Field<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let varint = |bytes: &mut Vec<u8>, mut value: u64| {
        while value >= 0x80 {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
    };
    for part in parts {
        match part {
            Number(field, value) => {
                varint(&mut bytes, field << 3);
                varint(&mut bytes, *value);
            }
            Bytes(field, inner) => {
                varint(&mut bytes, field << 3 | 2);
                varint(&mut bytes, inner.len() as u64);
                bytes.extend(*inner);
            }
        }
    }
    bytes
}

fn node(op_type: &str, name: &str, inputs: &[&str], output: &str, attributes: &[Vec<u8>]) -> Vec<u8> {
    let mut parts: Vec<Field<'_>> = inputs.iter().map(|input| Bytes(1, input.as_bytes())).collect();
    parts.extend([Bytes(2, output.as_bytes()), Bytes(3, name.as_bytes()), Bytes(4, op_type.as_bytes())]);
    parts.extend(attributes.iter().map(|attribute| Bytes(5, attribute)));
    message(&parts)
}

/// An attribute with a graph.
fn of_graph(name: &str, graph: &[u8]) -> Vec<u8> {
    message(&[Bytes(1, name.as_bytes()), Bytes(6, graph), Number(20, 5)])
}

/// A value of f32 with these dims; `None` is a symbol.
fn value(name: &str, dims: &[Option<u64>]) -> Vec<u8> {
    let dims: Vec<Vec<u8>> = dims
        .iter()
        .map(|dim| dim.map_or_else(|| message(&[Bytes(2, b"batch")]), |dim| message(&[Number(1, dim)])))
        .collect();
    let shape = message(&dims.iter().map(|dim| Bytes(1, dim)).collect::<Vec<_>>());
    let kind = message(&[Bytes(1, &message(&[Number(1, 1), Bytes(2, &shape)]))]);
    message(&[Bytes(1, name.as_bytes()), Bytes(2, &kind)])
}

fn file(graph: &[u8], version: u64, functions: &[Vec<u8>]) -> Vec<u8> {
    let import = message(&[Number(2, version)]);
    let mut parts = vec![Number(1, 8), Bytes(7, graph), Bytes(8, &import)];
    parts.extend(functions.iter().map(|function| Bytes(25, function)));
    message(&parts)
}

fn axes(values: &[i64]) -> Tensor {
    let bits: Vec<u64> = values.iter().map(|&axis| axis as u64).collect();
    Tensor::from_bits(Dtype::I64, &[values.len()], &bits).unwrap()
}

fn only(found: Vec<FoundNode>) -> FoundNode {
    let [one] = <[FoundNode; 1]>::try_from(found).unwrap();
    one
}

#[test]
fn the_node_of_every_call_is_found_with_all_but_its_elements() {
    let specs: Vec<Spec> = Spec::ALL.into_iter().filter(|spec| matches!(spec, Spec::Onnx(..))).collect();
    let mut models = 0;
    for call in row(1, &specs).take(3000).map(Id::call) {
        for axes_as in [AxesAs::Initializer, AxesAs::Input] {
            let Ok(Model { bytes, axes }) = model(&call, axes_as) else { continue };
            let outlined = outline(Cursor::new(&bytes)).unwrap();
            assert_eq!(find(&outlined), find(&bytes));
            let found = only(find(&bytes).unwrap());
            let NodeCall { operator, axes: known, data } = found.reduction.unwrap();
            assert_eq!((found.norm, operator), (call.spec().norm(), call.operator.clone()));
            let dims = call.data.shape().iter().map(|&dim| Dim::Size(dim)).collect();
            let element_type = ElementType::Known(call.data.dtype());
            assert_eq!(data, Stated { element_type, dims: Some(dims) });
            let fed = axes_as == AxesAs::Input && axes.is_some();
            assert_eq!(known, (!fed).then_some(call.axes.clone()), "{call:?}");
            models += 1;
        }
    }
    assert!(models > 4000, "{models}");
}

/// Graphs with a reduction of `x`, and the graph around them: an If with those graphs as branches; the axes of one are a
/// constant of the graph around.
fn nested() -> Vec<u8> {
    let branch = message(&[Bytes(1, &node("ReduceL1", "inner", &["x", "c"], "t", &[]))]);
    let constant = message(&[Bytes(1, b"value"), Bytes(5, &tensor("", &axes(&[1]))), Number(20, 4)]);
    let other = message(&[Bytes(1, &node("ReduceL1", "inner", &["x"], "t", &[]))]);
    let branches = [of_graph("then_branch", &branch), of_graph("else_branch", &other)];
    let choice = node("If", "choice", &["b"], "z", &branches);
    message(&[
        Bytes(1, &node("Constant", "", &[], "c", &[constant])),
        Bytes(1, &choice),
        Bytes(1, &node("ReduceL2", "", &["x"], "y", &[])),
        Bytes(11, &value("x", &[None, Some(8)])),
    ])
}

#[test]
fn graphs_within_nodes_see_the_names_around_them() {
    let found = find(&file(&nested(), 18, &[])).unwrap();
    let places: Vec<&str> = found.iter().map(|one| one.place.as_str()).collect();
    assert_eq!(places, ["choice.then_branch > inner", "choice.else_branch > inner", "ReduceL2 2"]);
    let inner = found[0].reduction.as_ref().unwrap();
    assert_eq!(inner.axes, Some(Axes::list(&[1])));
    let dims = vec![Dim::Symbol("batch".into()), Dim::Size(8)];
    assert_eq!(inner.data, Stated { element_type: ElementType::Known(Dtype::F32), dims: Some(dims) });
    assert_eq!(found[2].reduction.as_ref().unwrap().axes, Some(Axes::Absent));
}

#[test]
fn graphs_of_the_training_are_looked_through() {
    let graph = |name| message(&[Bytes(1, &node("ReduceL2", name, &["x"], "y", &[]))]);
    let training = message(&[Bytes(1, &graph("first")), Bytes(2, &graph("loss"))]);
    let model = [file(&graph("own"), 18, &[]), message(&[Bytes(20, &training)])].concat();
    let found = find(&outline(Cursor::new(model)).unwrap()).unwrap();
    let places: Vec<&str> = found.iter().map(|one| one.place.as_str()).collect();
    assert_eq!(places, ["own", "training > first", "training > loss"]);
}

#[test]
fn a_type_that_no_call_has_is_named_as_onnx_does() {
    let kind = message(&[Bytes(1, &message(&[Number(1, 9)]))]);
    let info = message(&[Bytes(1, b"x"), Bytes(2, &kind)]);
    let graph = message(&[Bytes(1, &node("ReduceSum", "", &["x"], "y", &[])), Bytes(11, &info)]);
    let data = only(find(&file(&graph, 18, &[])).unwrap()).reduction.unwrap().data;
    assert_eq!(data.element_type, ElementType::Other("bool".into()));
}

#[test]
fn an_input_of_a_graph_hides_a_constant_around_it() {
    let branch = message(&[
        Bytes(1, &node("ReduceL1", "inner", &["x", "c"], "t", &[])),
        Bytes(11, &value("c", &[Some(1)])),
    ]);
    let graph = message(&[
        Bytes(1, &node("Scan", "scan", &["x"], "z", &[of_graph("body", &branch)])),
        Bytes(5, &tensor("c", &axes(&[1]))),
    ]);
    let found = only(find(&file(&graph, 18, &[])).unwrap());
    assert_eq!(found.reduction.unwrap().axes, None);
}

#[test]
fn a_constant_that_a_caller_of_the_function_gives_is_not_known() {
    let refers = message(&[Bytes(1, b"value_ints"), Bytes(21, b"axes"), Number(20, 7)]);
    let function = message(&[
        Bytes(1, b"Normalize"),
        Bytes(7, &node("Constant", "", &[], "c", &[refers])),
        Bytes(7, &node("ReduceL2", "", &["x", "c"], "y", &[])),
        Bytes(9, &message(&[Number(2, 18)])),
    ]);
    let found = only(find(&file(&[], 18, &[function])).unwrap());
    assert_eq!(found.reduction.unwrap().axes, None);
}

#[test]
fn a_function_has_its_own_opset_and_no_stated_data() {
    let import = message(&[Number(2, 13)]);
    let refers = message(&[Bytes(1, b"keepdims"), Bytes(21, b"keep"), Number(20, 2)]);
    let function = message(&[
        Bytes(1, b"Normalize"),
        Bytes(7, &node("ReduceL2", "plain", &["x"], "y", &[])),
        Bytes(7, &node("ReduceL2", "refers", &["x"], "y", &[refers])),
        Bytes(9, &import),
    ]);
    let found = find(&file(&[], 18, &[function])).unwrap();
    assert_eq!(found[0].place, "function Normalize > plain");
    assert_eq!(found[0].version, 13);
    let reduction = found[0].reduction.as_ref().unwrap();
    let spec = Spec::Onnx(Norm::L2, Opset::V13);
    assert_eq!((reduction.operator.spec(), &reduction.data), (spec, &Stated::default()));
    let why = found[1].reduction.as_ref().unwrap_err().to_string();
    assert_eq!(why, "the attribute keepdims is one of the function, which callers give");
}

#[test]
fn a_node_of_a_model_that_imports_no_opset_is_no_call() {
    let graph = message(&[Bytes(1, &node("ReduceL1", "", &["x"], "y", &[]))]);
    let found = only(find(&message(&[Bytes(7, &graph)])).unwrap());
    assert_eq!(found.reduction, Err(ReadError::Opset(0)));
}

#[test]
fn operators_of_other_domains_are_no_reductions() {
    let other = [node("ReduceL1", "", &["x"], "y", &[]), message(&[Bytes(7, b"com.example")])].concat();
    assert_eq!(find(&file(&message(&[Bytes(1, &other)]), 18, &[])), Ok(Vec::new()));
}

#[test]
fn of_weights_their_dims_stay() {
    let weights = Tensor::from_bits(Dtype::F16, &[300, 1000], &vec![0; 300_000]).unwrap();
    let graph = message(&[
        Bytes(1, &node("ReduceL2", "", &["w", "a"], "y", &[])),
        Bytes(5, &tensor("w", &weights)),
        Bytes(5, &tensor("a", &axes(&[-1]))),
    ]);
    let whole = file(&graph, 18, &[]);
    let outlined = outline(Cursor::new(&whole)).unwrap();
    assert!(whole.len() > 600_000 && outlined.len() < 200, "{}", outlined.len());
    let found = only(find(&outlined).unwrap());
    let NodeCall { axes, data, .. } = found.reduction.unwrap();
    let dims = vec![Dim::Size(300), Dim::Size(1000)];
    assert_eq!(data, Stated { element_type: ElementType::Known(Dtype::F16), dims: Some(dims) });
    assert_eq!(axes, Some(Axes::list(&[-1])));
}

#[test]
fn a_file_that_ends_early_or_is_damaged_is_an_error_or_another_model() {
    let whole = file(&nested(), 18, &[]);
    for end in 0..whole.len() {
        let outlined = outline(Cursor::new(&whole[..end])).and_then(|bytes| find(&bytes));
        assert!(outlined.is_err() || outlined.is_ok_and(|found| found.len() <= 3));
        let _ = find(&whole[..end]);
        for bit in 0..8 {
            let mut damaged = whole.clone();
            damaged[end] ^= 1 << bit;
            let _ = outline(Cursor::new(&damaged)).and_then(|bytes| find(&bytes));
            let _ = find(&damaged);
        }
    }
}

#[rstest]
#[case::a_length_beyond_the_file(&[0x3a, 0xff, 0xff, 0xff, 0xff, 0x7f], ReadError::Truncated)]
#[case::a_length_of_all_bits(&[0x3a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], ReadError::Truncated)]
#[case::a_field_without_a_number(&[0, 0], ReadError::NoField)]
#[case::a_group(&[0x3b], ReadError::WireType(3))]
#[case::no_graph(&[8, 8], ReadError::NoGraph)]
fn bytes_that_are_no_model_have_a_reason(#[case] bytes: &[u8], #[case] due: ReadError) {
    assert_eq!(outline(Cursor::new(bytes)).and_then(|outlined| find(&outlined)), Err(due));
}

#[test]
fn graphs_within_each_other_without_end_are_refused() {
    let mut graph = Vec::new();
    for _ in 0..40 {
        graph = message(&[Bytes(1, &node("If", "", &[], "", &[of_graph("then_branch", &graph)]))]);
    }
    let error = find(&file(&graph, 18, &[])).unwrap_err();
    assert_eq!(error.to_string(), "graphs lie more than 32 deep");
}

/// The call of a model says the same as the model's only node.
#[test]
fn axes_of_a_form_of_another_opset_are_found_as_such() {
    let operator =
        Operator::Onnx { norm: Norm::L2, opset: Opset::V13, keepdims: None, noop_with_empty_axes: None };
    let data = Tensor::from_bits(Dtype::F32, &[2], &[0, 1]).unwrap();
    let Axes::Given(list) = Axes::list(&[0]) else { panic!() };
    let call = Call::new(operator, data, Axes::OtherForm(list));
    let Model { bytes, .. } = model(&call, AxesAs::Initializer).unwrap();
    assert_eq!(only(find(&bytes).unwrap()).reduction.unwrap().axes, Some(call.axes));
}
