//! Tests finding reductions in whole IR models.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use normative_backend::reference::{Axes, Dtype, Norm, Operator, Spec};
use normative_conformance::run::property::{Id, row};
use normative_onnx::nodes::{Dim, ElementType, FoundNode, NodeCall, Stated};
use normative_onnx::read::ReadError;
use normative_openvino_ir::nodes::{IrError, find};
use normative_openvino_ir::{InputAs, Ir, ir};
use rstest::rstest;

fn only(found: Vec<FoundNode>) -> FoundNode {
    let [one] = <[FoundNode; 1]>::try_from(found).unwrap();
    one
}

/// Reads constants from these bytes.
fn from(bytes: &[u8]) -> impl Fn(u64, usize) -> Option<Vec<u8>> {
    |offset, size| Some(bytes.get(offset as usize..)?.get(..size)?.to_vec())
}

#[test]
fn the_layer_of_every_call_is_found_with_all_but_its_elements() {
    let specs: Vec<Spec> = Spec::ALL.into_iter().filter(|spec| matches!(spec, Spec::OpenVino(_))).collect();
    let mut models = 0;
    for call in row(1, &specs).take(2000).map(Id::call) {
        for axes_as in [InputAs::Constant, InputAs::Parameter] {
            let Ok(Ir { xml, weights, axes }) = ir(&call, InputAs::Parameter, axes_as) else { continue };
            let found = only(find(&xml, from(&weights)).unwrap());
            let version = if call.spec().norm() == Norm::Sum { 1 } else { 4 };
            assert_eq!(
                (found.place.as_str(), found.norm, found.version),
                ("norm", call.spec().norm(), version)
            );
            let dims: Vec<Dim> = call.data.shape().iter().map(|&dim| Dim::Size(dim)).collect();
            let element_type = ElementType::Known(call.data.dtype());
            let data = Stated { element_type, dims: Some(dims) };
            let known = axes.is_none().then(|| call.axes.clone());
            assert_eq!(found.reduction, Ok(NodeCall { operator: call.operator.clone(), axes: known, data }));
            let without = only(find(&xml, |_, _| None).unwrap()).reduction;
            let is_unread = axes.is_none() && call.axes != Axes::Absent;
            assert_eq!(without.is_err(), is_unread, "{without:?}");
            models += 1;
        }
    }
    assert!(models > 3000, "{models}");
}

const PORTS: &str = r#"<input><port id="0" precision="FP16"><dim>-1</dim><dim>9</dim></port>
    <port id="1" precision="I64"><dim>1</dim></port></input>"#;

/// A net whose layer of this id, type and attributes reads axes from a constant that another graph has too.
fn net(layer: &str) -> String {
    let constant = |offset| {
        format!(
            r#"<layer id="1" type="Const"><data element_type="i64" shape="1" offset="{offset}" size="8"/></layer>"#
        )
    };
    let edges = r#"<edges><edge from-layer="1" from-port="0" to-layer="2" to-port="1"/></edges>"#;
    let body = format!("<layers>{}{layer}</layers>{edges}", constant(8));
    format!(
        r#"<net><layers>{}<layer id="2" name="loop" type="Loop"><body>{body}</body></layer></layers>{edges}</net>"#,
        constant(0)
    )
}

#[test]
fn a_layer_of_a_body_reads_the_constants_of_its_own_graph() {
    let text = net(&format!(
        r#"<layer id="2" name="inner" type="ReduceL2" version="opset4"><data keep_dims="true"/>{PORTS}</layer>"#
    ));
    let weights = [[0, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0]].concat();
    let found = only(find(&text, from(&weights)).unwrap());
    assert_eq!(found.place, "loop.body > inner");
    let dims = Some(vec![Dim::Symbol(String::new()), Dim::Size(9)]);
    let data = Stated { element_type: ElementType::Known(Dtype::F16), dims };
    let operator = Operator::OpenVino { norm: Norm::L2, keep_dims: Some(true) };
    assert_eq!(found.reduction, Ok(NodeCall { operator, axes: Some(Axes::list(&[1])), data }));
}

#[rstest]
#[case::another_version(
    r#"version="opset1""#,
    "<data/>",
    PORTS,
    "expected a layer of opset4, got \"opset1\""
)]
#[case::no_version("", "<data/>", PORTS, "expected a layer of opset4, got \"\"")]
#[case::another_attribute(V4, r#"<data mode="x"/>"#, PORTS, "the layer has mode=\"x\"")]
#[case::another_value(V4, r#"<data keep_dims="yes"/>"#, PORTS, "the layer has keep_dims=\"yes\"")]
#[case::no_input(V4, "", "", "expected one or two inputs, got 0")]
#[case::dim(V4, "", r#"<input><port id="0"><dim>1..5</dim></port></input>"#, "a dim is no number")]
#[case::negative_dim(V4, "", r#"<input><port id="0"><dim>-2</dim></port></input>"#, "a dim is no number")]
fn a_layer_that_no_call_can_be_is_found_with_the_reason(
    #[case] version: &str,
    #[case] data: &str,
    #[case] ports: &str,
    #[case] why: &str,
) {
    let text = net(&format!(r#"<layer id="2" name="inner" type="ReduceL1" {version}>{data}{ports}</layer>"#));
    let found = only(find(&text, |_, _| None).unwrap());
    assert_eq!(found.reduction, Err(ReadError::NoPlace(why.into())));
}

const V4: &str = r#"version="opset4""#;

#[test]
fn axes_that_are_no_constant_of_integers_are_not_known() {
    let layer = format!(r#"<layer id="2" name="inner" type="ReduceL1" version="opset4">{PORTS}</layer>"#);
    let text = net(&layer);
    let weights = [0; 16];
    for (from_text, to) in [
        (r#"type="Const""#, r#"type="Parameter""#),
        ("i64", "i63"),
        (r#"shape="1""#, r#"shape="18446744073709551615,2""#),
        (r#"shape="1""#, r#"shape="99999""#),
        (r#"shape="1""#, r#"shape="-1""#),
        (r#"offset="8""#, r#"offset="9""#),
        (r#"offset="8""#, ""),
        (r#"to-port="1""#, r#"to-port="0""#),
        (r#"from-layer="1""#, r#"from-layer="7""#),
    ] {
        let other = text.replace(from_text, to);
        let axes = only(find(&other, from(&weights)).unwrap()).reduction.map_or(None, |call| call.axes);
        assert_eq!((axes, other == text), (None, false), "{to}");
    }
    assert!(only(find(&text, from(&weights)).unwrap()).reduction.unwrap().axes.is_some());
}

#[test]
fn what_is_no_model_is_refused() {
    assert_eq!(find("<html/>", |_, _| None), Err(IrError::NoNet("html".into())));
    assert!(matches!(find("", |_, _| None), Err(IrError::Xml(_))));
    let bomb = r#"<!DOCTYPE net [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><net>&b;</net>"#;
    assert!(matches!(find(bomb, |_, _| None), Err(IrError::Xml(_))));
}

#[test]
fn damage_is_an_error_or_another_model() {
    let text =
        net(&format!(r#"<layer id="2" name="inner" type="ReduceL2" version="opset4">{PORTS}</layer>"#));
    for end in 0..text.len() {
        assert!(find(&text[..end], from(&[0; 16])).is_err(), "{end}");
        for other in ["", "<", "\"", "/", "9"] {
            let changed = format!("{}{other}{}", &text[..end], &text[end + 1..]);
            let _ = find(&changed, from(&[0; 16]));
        }
    }
    let (deep, end) = ("<body>".repeat(100_000), "</body>".repeat(100_000));
    let _ = find(&format!("<net>{deep}{end}</net>"), |_, _| None);
}
