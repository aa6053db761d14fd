//! A call that something broke on, as a case file: `cases/found/ID.yaml`.
//!
//! The file is canonical, loads, agrees with the reference and expands to that very call, or it is not
//! written. What a person has to add is the reason: `why`.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use normative_conformance::cases::{Case, load_ledger, load_text};
use normative_conformance::property::{Find, Id};
use normative_conformance::reference::dtype::Magnitude;
use normative_conformance::reference::{
    Axes, AxesTensor, Call, Dtype, Kind, Norm, Operator, Outcome, Ruling, Spec, rule,
};
use normative_conformance::run::prepare;
use normative_conformance::{Verdict, display};

use super::content::{Fields, File, Item, Node};
use crate::select::workspace_root;

/// Writes the call as a case; nothing where no case can be about it, because it raises several questions.
///
/// # Errors
/// When the ledger cannot be read or the file not written.
pub(crate) fn write(call: &Call) -> Result<Option<Case>> {
    let cases = workspace_root().join("cases");
    let ledger = load_ledger(&cases.join("clauses")).ok().context("the clause ledger cannot be read")?;
    let find =
        Find { id: Id { seed: 0, index: 0 }, call: call.clone(), verdict: Verdict::Crashed(String::new()) };
    let Some((id, text, mut case)) = case_of(call, &find.clause(&ledger).name) else { return Ok(None) };
    let folder = cases.join("found");
    std::fs::create_dir_all(&folder)?;
    case.file = folder.join(id + ".yaml");
    std::fs::write(&case.file, text).with_context(|| case.file.display().to_string())?;
    Ok(Some(case))
}

/// The id, the text and the case it expands to.
fn case_of(call: &Call, clause: &str) -> Option<(String, String, Case)> {
    let ruling = rule(call);
    expectations(call, &ruling).into_iter().find_map(|expect| {
        let id = id(call);
        let text = file(&id, call, clause, expect).to_string();
        let path = PathBuf::from("found.yaml");
        let [case] = load_text(&path, &text).ok()?.try_into().ok()?;
        let sound = same(&case.call, call) && prepare([&case]).is_ok();
        sound.then_some((id, text, case))
    })
}

/// Bit for bit.
fn same(a: &Call, b: &Call) -> bool {
    a == b && a.data.bits() == b.data.bits()
}

fn text(text: impl Into<String>) -> Node {
    Node::Text(text.into())
}

fn bare(value: &(impl ToString + ?Sized)) -> Node {
    Node::Bare(value.to_string())
}

fn bares<T: ToString>(values: impl IntoIterator<Item = T>) -> Node {
    Node::List(values.into_iter().map(|value| bare(&value)).collect())
}

fn field(name: &str, value: Node) -> (String, Node) {
    (name.to_owned(), value)
}

fn file(id: &str, call: &Call, clause: &str, expect: Node) -> File {
    let mut fields = vec![
        field("id", text(id)),
        field("clauses", Node::List(vec![text(clause)])),
        field("why", text("Something was found to break on it; say here what kind of implementation does.")),
        field("dtypes", Node::List(vec![text(call.data.dtype().name())])),
        field("data", Node::Map(data(call))),
    ];
    match &call.axes {
        Axes::Absent => {}
        Axes::Null => fields.push(field("axes", bare("null"))),
        Axes::Given(axes) => fields.push(field("axes", self::axes(axes))),
    }
    match &call.operator {
        Operator::OpenVino { keep_dims, .. } => {
            fields.extend(keep_dims.map(|keep| field("keep_dims", bare(&keep))));
        }
        Operator::Onnx { keepdims, noop_with_empty_axes, .. } => {
            fields.extend(keepdims.map(|keep| field("keepdims", bare(&keep))));
            fields.extend(noop_with_empty_axes.map(|noop| field("noop_with_empty_axes", bare(&noop))));
        }
        Operator::Bnns { output_shape } => fields.push(field("output_shape", bares(output_shape))),
    }
    fields.push(field("expect", expect));
    File {
        comments: Vec::new(),
        head: vec![
            field("topic", text("A call that something was found to break on")),
            field("specs", Node::List(vec![text(call.spec().name())])),
        ],
        list: "cases".to_owned(),
        items: vec![Item { comments: Vec::new(), fields }],
    }
}

/// The dims as the case's operator writes them.
fn dims(call: &Call, shape: &[usize]) -> Node {
    match call.spec() {
        Spec::Bnns => bares(shape.iter().rev()),
        Spec::OpenVino(_) | Spec::Onnx(..) => bares(shape),
    }
}

fn data(call: &Call) -> Fields {
    let values = call.data.bits().into_iter().map(|bits| bare(&number(call.data.dtype(), bits)));
    vec![field("shape", dims(call, call.data.shape())), field("values", Node::List(values.collect()))]
}

fn number(dtype: Dtype, bits: u64) -> String {
    let Kind::Float(format) = dtype.kind() else { return display::element(dtype, bits) };
    let sign = if bits & format.sign() == 0 { "" } else { "-" };
    match format.magnitude(bits) {
        Magnitude::Nan => format!("bits:{}", display::bits(dtype, bits)),
        Magnitude::Infinite => format!("{sign}.inf"),
        Magnitude::Finite { .. } => display::element(dtype, bits),
    }
}

fn axes(axes: &AxesTensor) -> Node {
    let values = bares(&axes.values);
    if axes.dtype == Dtype::I64 && axes.shape.len() == 1 {
        return values;
    }
    Node::Map(vec![
        field("dtypes", Node::List(vec![text(axes.dtype.name())])),
        field("shape", bares(&axes.shape)),
        field("values", values),
    ])
}

/// What a case may expect of the call: that which every reading accepts, or one question's readings.
fn expectations(call: &Call, ruling: &Ruling) -> Vec<Node> {
    let whole =
        ruling.alternatives.iter().map(|alternative| Node::Map(statement(call, &alternative.outcome)));
    let questions = ruling.questions().into_iter().map(|question| {
        let readings = question.entry().readings.iter().filter_map(|&reading| {
            let taken = ruling.under(|other| (other == question).then_some(reading))?;
            Some(field(reading.name(), Node::Map(statement(call, &taken.outcome))))
        });
        Node::Map(vec![
            field("open", text(question.entry().name)),
            field("readings", Node::Map(readings.collect())),
        ])
    });
    whole.take(1).chain(questions).collect()
}

fn statement(call: &Call, outcome: &Outcome) -> Fields {
    match outcome {
        Outcome::Rejected(clause) => vec![field("rejected", text(clause.name))],
        Outcome::Unchanged => vec![field("unchanged", bare(&true))],
        Outcome::Reduce(reduction, _) => {
            let shape = reduction.output_shape(call.data.shape());
            vec![field("shape", dims(call, &shape)), field("reference", bare(&true))]
        }
    }
}

/// A name that says the operator and is the same for the same call.
fn id(call: &Call) -> String {
    let operator = match call.spec() {
        Spec::OpenVino(Norm::L1) => "openvino-l1",
        Spec::OpenVino(Norm::L2) => "openvino-l2",
        Spec::Onnx(Norm::L1, _) => "onnx-l1",
        Spec::Onnx(Norm::L2, _) => "onnx-l2",
        Spec::Bnns => "bnns",
    };
    let spelled = normative_conformance::worker::wire::encode_call(0, call);
    // FNV-1a.
    let hash = spelled.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{operator}-found-{hash:016x}")
}

#[cfg(test)]
mod tests {
    use normative_conformance::property::row;
    use normative_conformance::reference::Tensor;

    use super::*;

    #[test]
    fn most_generated_calls_can_be_written_as_a_case_that_is_the_same_call() {
        let (mut written, mut specs) = (0, std::collections::BTreeSet::new());
        for id in row(5, &Spec::ALL).take(1100) {
            let call = id.call();
            if let Some((name, text, case)) = case_of(&call, "norm") {
                assert!(same(&case.call, &call), "{text}");
                assert!(text.contains(&name));
                written += 1;
                specs.insert(call.spec());
            }
        }
        assert_eq!(specs.len(), Spec::ALL.len());
        assert!(written > 800, "{written} of 1100");
    }

    #[test]
    fn elements_are_written_so_that_every_bit_comes_back() {
        let bits = [0x7fc0_0001, 0xff80_0000, 0x8000_0000, 1, 0x7f7f_ffff, 0x3dcc_cccd];
        let call = Call {
            operator: Operator::Bnns { output_shape: vec![2] },
            data: Tensor::from_bits(Dtype::F32, &[2, 3], &bits).unwrap(),
            axes: Axes::list(&[0]),
        };
        let (_, text, case) = case_of(&call, "norm").unwrap();
        assert!(text.contains("[bits:0x7fc00001, -.inf, -0, 1e-45, 3.4028235e38, 0.1]"), "{text}");
        assert!(text.contains("{shape: [3, 2], values"), "BNNS has the fastest axis first: {text}");
        assert_eq!(case.call.data.bits(), bits);
    }
}
