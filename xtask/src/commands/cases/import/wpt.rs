//! WPT's conformance tests of WebNN, as JSON: an object with `tests`, each with a `graph` of one `reduceL1` or `reduceL2`.
//!
//! Numbers are read as f64 and then rounded to the type of their tensor. That is what the tests themselves do: they are
//! JavaScript, and put its numbers into typed arrays.

use std::collections::BTreeMap;

use normative_conformance::corpus::number;
use normative_conformance::reference::{Axes, Call, Dtype, Norm, Operator, Tensor};
use serde::Deserialize;
use serde_json::Value;

use super::{Vector, Vectors};

#[derive(Deserialize)]
struct File {
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    name: String,
    graph: Graph,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Graph {
    inputs: BTreeMap<String, Operand>,
    operators: Vec<Node>,
    expected_outputs: BTreeMap<String, Operand>,
}

#[derive(Deserialize)]
struct Operand {
    /// A list of numbers, or one; a number beyond 53 bits is a string.
    data: Value,
    descriptor: Descriptor,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    shape: Vec<usize>,
    data_type: String,
}

#[derive(Deserialize)]
struct Node {
    name: String,
    /// Objects of one field, each an argument by its name.
    arguments: Vec<BTreeMap<String, Value>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Options {
    axes: Option<Vec<i64>>,
    keep_dimensions: Option<bool>,
    /// A name for error messages, without a meaning.
    #[serde(rename = "label")]
    _label: Option<String>,
}

/// Reads a file.
///
/// # Errors
/// The first test of a norm that cannot be read, in words.
pub(super) fn read(text: &str) -> Result<Vectors, String> {
    let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut vectors = Vectors::default();
    for test in file.tests {
        let norm = match test.graph.operators.as_slice() {
            [node] if node.name == "reduceL1" => Norm::L1,
            [node] if node.name == "reduceL2" => Norm::L2,
            _ => {
                *vectors.others.entry("graphs of another operator, or of several".to_owned()).or_default() +=
                    1;
                continue;
            }
        };
        let of_test = |what: String| format!("{}: {what}", test.name);
        let (call, output) = call(norm, &test.graph).map_err(of_test)?;
        vectors.of_norms.push(Vector { words: words(&test.name), call, output });
    }
    Ok(vectors)
}

/// The name of a test without its operator, which ids begin with.
fn words(name: &str) -> String {
    name.split_whitespace().filter(|word| !word.starts_with("reduceL")).collect::<Vec<_>>().join(" ")
}

fn call(norm: Norm, graph: &Graph) -> Result<(Call, Tensor), String> {
    let mut options = Options::default();
    let mut data = None;
    for (name, value) in graph.operators.iter().flat_map(|node| node.arguments.iter().flatten()) {
        match (name.as_str(), value) {
            ("input", Value::String(input)) => data = graph.inputs.get(input),
            ("options", given) => {
                options = Options::deserialize(given).map_err(|error| error.to_string())?;
            }
            _ => return Err(format!("expected the arguments input and options, got {name}")),
        }
    }
    let output = match graph.expected_outputs.values().collect::<Vec<_>>().as_slice() {
        [only] => tensor(only)?,
        several => return Err(format!("expected one output, got {}", several.len())),
    };
    let call = Call::new(
        Operator::WebNn { norm, keep_dimensions: options.keep_dimensions },
        tensor(data.ok_or("expected an input that the graph has")?)?,
        options.axes.map_or(Axes::Absent, |axes| Axes::list(&axes)),
    );
    Ok((call, output))
}

fn tensor(Operand { data, descriptor: Descriptor { shape, data_type } }: &Operand) -> Result<Tensor, String> {
    let dtype = match data_type.as_str() {
        "float32" => Dtype::F32,
        "float16" => Dtype::F16,
        "int8" => Dtype::I8,
        "uint8" => Dtype::U8,
        "int32" => Dtype::I32,
        "uint32" => Dtype::U32,
        "int64" => Dtype::I64,
        "uint64" => Dtype::U64,
        other => return Err(format!("expected an element type of WebNN, got {other}")),
    };
    let number = |value: &Value| {
        let spelled = match value {
            Value::Number(number) if number.is_f64() => format!("{:e}", number.as_f64().unwrap_or(f64::NAN)),
            Value::Number(number) => number.to_string(),
            Value::String(text) => text.trim_end_matches('n').to_owned(),
            other => other.to_string(),
        };
        number::parse(&spelled, dtype).map_err(|error| format!("{spelled} {error}"))
    };
    let bits = match data {
        Value::Array(values) => values.iter().map(number).collect::<Result<Vec<_>, _>>()?,
        value => vec![number(value)?],
    };
    Tensor::from_bits(dtype, shape, &bits).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(operator: &str, arguments: &str, shape: &str) -> String {
        format!(
            r#"{{"tests": [{{"name": "reduceL1 float32 2D tensor", "graph": {{
                "inputs": {{"in": {{"data": [1, -0.5, 16777217.5, 4], "descriptor": {{"shape": [2, 2], "dataType": "float32"}}}}}},
                "operators": [{{"name": "{operator}", "arguments": [{{"input": "in"}}{arguments}], "outputs": "out"}}],
                "expectedOutputs": {{"out": {{"data": [1.5, 16777222], "descriptor": {{"shape": {shape}, "dataType": "float32"}}}}}}
            }}}}]}}"#
        )
    }

    #[test]
    fn a_graph_of_one_norm_is_a_call_with_its_options() {
        let arguments = r#", {"options": {"axes": [1], "keepDimensions": true}}"#;
        let Vectors { of_norms, others } = read(&file("reduceL1", arguments, "[2, 1]")).unwrap();
        let [Vector { words, call, output }] = of_norms.as_slice() else { panic!("{}", of_norms.len()) };
        assert_eq!(words, "float32 2D tensor");
        assert_eq!(call.operator, Operator::WebNn { norm: Norm::L1, keep_dimensions: Some(true) });
        assert_eq!(call.axes, Axes::list(&[1]));
        let bits = |values: &[f32]| values.iter().map(|value| u64::from(value.to_bits())).collect::<Vec<_>>();
        assert_eq!(call.data.bits(), bits(&[1.0, -0.5, 16_777_218.0, 4.0]));
        assert_eq!((output.shape(), output.bits()), (&[2, 1][..], bits(&[1.5, 16_777_222.0])));
        assert!(others.is_empty());
    }

    #[test]
    fn options_left_out_are_left_out() {
        let Vectors { of_norms, .. } = read(&file("reduceL2", "", "[2]")).unwrap();
        assert_eq!(of_norms[0].call.operator, Operator::WebNn { norm: Norm::L2, keep_dimensions: None });
        assert_eq!(of_norms[0].call.axes, Axes::Absent);
    }

    #[test]
    fn another_operator_is_counted_and_an_unknown_option_is_an_error() {
        let Vectors { of_norms, others } = read(&file("reduceSum", "", "[2]")).unwrap();
        assert!(of_norms.is_empty());
        assert_eq!(others.values().sum::<usize>(), 1);
        let arguments = r#", {"options": {"keepDims": true}}"#;
        let error = read(&file("reduceL1", arguments, "[2]")).map(|_| ()).unwrap_err();
        assert!(error.starts_with("reduceL1 float32 2D tensor: ") && error.contains("keepDims"), "{error}");
    }
}
