//! Writes a call of OpenVINO `ReduceL1-4` or `ReduceL2-4` as an IR model: XML, and the bytes of its
//! constants.
//!
//! A missing part stays missing, even the axes. Dims of the result are not stated: to compute them is the
//! runtime's task.

pub mod nodes;

use std::fmt::Write as _;

use normative_backend::bytes;
use normative_backend::reference::{Axes, Call, Dtype, Norm, Operator, Tensor};

/// A model.
#[derive(Clone, Debug, PartialEq)]
pub struct Ir {
    /// The layers and the edges between them.
    pub xml: String,
    /// The constants, one after another.
    pub weights: Vec<u8>,
    /// The axes to feed under the name [`AXES`]; `None` if they are a constant of the model, or left out.
    pub axes: Option<Tensor>,
}

/// The name of the tensor that takes the data, if they are a parameter.
pub const DATA: &str = "data";
/// The name of the tensor that takes the axes, if they are a parameter.
pub const AXES: &str = "axes";

/// The form in which the model takes an input of the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputAs {
    /// A parameter, given with each inference.
    Parameter,
    /// A constant of the model, which a runtime may fold before inference.
    Constant,
}

/// Returns the model of a call.
///
/// # Errors
/// The reason why IR cannot express the call.
pub fn ir(call: &Call, data: InputAs, axes_as: InputAs) -> Result<Ir, String> {
    let Operator::OpenVino { norm, keep_dims } = call.operator else {
        return Err(format!("{} is no OpenVINO operator", call.spec()));
    };
    let axes = match &call.axes {
        Axes::Absent => None,
        Axes::Null => return Err("an input is there or it is not; IR has no null".into()),
        Axes::OtherForm(_) => return Err("axes of this operator have one form".into()),
        Axes::Given(axes) => Some(normative_onnx::axes_tensor(axes).map_err(|error| error.to_string())?),
    };
    let mut layers = String::new();
    // A constant without elements still needs a buffer.
    let mut weights = vec![0];
    let mut ports = port(0, &call.data);
    let mut edges = edge(0, 0, 2, 0);
    layers += &input(0, DATA, &call.data, data, &mut weights);
    if let Some(axes) = &axes {
        layers += &input(1, AXES, axes, axes_as, &mut weights);
        ports += &port(1, axes);
        edges += &edge(1, 0, 2, 1);
    }
    let kind = match norm {
        Norm::L1 => "ReduceL1",
        Norm::L2 => "ReduceL2",
        Norm::SumSquare => "ReduceSumSquare",
        Norm::Sum => "ReduceSum",
    };
    let version = opset(norm);
    let attribute = keep_dims.map_or_else(String::new, |keep| format!("<data keep_dims=\"{keep}\"/>"));
    let result = precision(call.data.dtype());
    let _ = write!(
        layers,
        "<layer id=\"2\" name=\"norm\" type=\"{kind}\" version=\"opset{version}\">{attribute}<input>{ports}</input>\
         <output><port id=\"2\" precision=\"{result}\"/></output></layer>\
         <layer id=\"3\" name=\"result\" type=\"Result\" version=\"opset1\">\
         <input><port id=\"0\" precision=\"{result}\"/></input></layer>"
    );
    edges += &edge(2, 2, 3, 0);
    let xml = format!(
        "<?xml version=\"1.0\"?><net name=\"{kind}\" version=\"11\"><layers>{layers}</layers>\
         <edges>{edges}</edges></net>"
    );
    Ok(Ir { xml, weights, axes: axes.filter(|_| axes_as == InputAs::Parameter) })
}

fn input(id: usize, name: &str, tensor: &Tensor, from: InputAs, weights: &mut Vec<u8>) -> String {
    match from {
        InputAs::Parameter => source(id, name, "Parameter", tensor, ""),
        InputAs::Constant => constant(id, name, tensor, weights),
    }
}

fn constant(id: usize, name: &str, tensor: &Tensor, weights: &mut Vec<u8>) -> String {
    let bytes = bytes::of(tensor);
    let place = format!(" offset=\"{}\" size=\"{}\"", weights.len(), bytes.len());
    weights.extend(bytes);
    source(id, name, "Const", tensor, &place)
}

/// Returns a layer without inputs.
fn source(id: usize, name: &str, kind: &str, tensor: &Tensor, place: &str) -> String {
    let (dtype, shape) = (tensor.dtype(), tensor.shape());
    let shape: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let (shape, port) = (shape.join(","), named_port(0, tensor, name));
    format!(
        "<layer id=\"{id}\" name=\"{name}\" type=\"{kind}\" version=\"opset1\">\
         <data element_type=\"{dtype}\" shape=\"{shape}\"{place}/><output>{port}</output></layer>"
    )
}

fn port(id: usize, tensor: &Tensor) -> String {
    let dims: Vec<String> = tensor.shape().iter().map(|dim| format!("<dim>{dim}</dim>")).collect();
    let dims = dims.concat();
    format!("<port id=\"{id}\" precision=\"{}\">{dims}</port>", precision(tensor.dtype()))
}

/// Returns the port of a tensor with a name.
fn named_port(id: usize, tensor: &Tensor, name: &str) -> String {
    port(id, tensor).replacen('>', &format!(" names=\"{name}\">"), 1)
}

fn edge(from: usize, from_port: usize, to: usize, to_port: usize) -> String {
    format!("<edge from-layer=\"{from}\" from-port=\"{from_port}\" to-layer=\"{to}\" to-port=\"{to_port}\"/>")
}

/// Returns the name of an element type in a port; `element_type` uses our own name.
const fn precision(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::F16 => "FP16",
        Dtype::Bf16 => "BF16",
        Dtype::F32 => "FP32",
        Dtype::F64 => "FP64",
        Dtype::I8 => "I8",
        Dtype::I16 => "I16",
        Dtype::I32 => "I32",
        Dtype::I64 => "I64",
        Dtype::U8 => "U8",
        Dtype::U16 => "U16",
        Dtype::U32 => "U32",
        Dtype::U64 => "U64",
    }
}

/// Returns the operation set in which an operator stands.
const fn opset(norm: Norm) -> i64 {
    match norm {
        Norm::Sum => 1,
        Norm::L1 | Norm::L2 | Norm::SumSquare => 4,
    }
}

#[cfg(test)]
mod tests {
    use normative_backend::reference::AxesTensor;
    use rstest::rstest;

    use super::*;

    fn call(keep_dims: Option<bool>, axes: Axes) -> Call {
        let data = Tensor::from_bits(Dtype::I8, &[2, 1], &[3, 0xfc]).unwrap();
        Call::new(Operator::OpenVino { norm: Norm::L1, keep_dims }, data, axes)
    }

    #[test]
    fn a_whole_model_is_this_text() {
        let axes = AxesTensor { dtype: Dtype::I32, shape: vec![], values: vec![-1] };
        let ir = ir(&call(Some(true), Axes::Given(axes)), InputAs::Parameter, InputAs::Constant).unwrap();
        let expected = [
            r#"<?xml version="1.0"?><net name="ReduceL1" version="11"><layers>"#,
            r#"<layer id="0" name="data" type="Parameter" version="opset1"><data element_type="i8" shape="2,1"/>"#,
            r#"<output><port id="0" precision="I8" names="data"><dim>2</dim><dim>1</dim></port></output></layer>"#,
            r#"<layer id="1" name="axes" type="Const" version="opset1">"#,
            r#"<data element_type="i32" shape="" offset="1" size="4"/>"#,
            r#"<output><port id="0" precision="I32" names="axes"></port></output></layer>"#,
            r#"<layer id="2" name="norm" type="ReduceL1" version="opset4"><data keep_dims="true"/>"#,
            r#"<input><port id="0" precision="I8"><dim>2</dim><dim>1</dim></port>"#,
            r#"<port id="1" precision="I32"></port></input>"#,
            r#"<output><port id="2" precision="I8"/></output></layer>"#,
            r#"<layer id="3" name="result" type="Result" version="opset1">"#,
            r#"<input><port id="0" precision="I8"/></input></layer></layers>"#,
            r#"<edges><edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>"#,
            r#"<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>"#,
            r#"<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/></edges></net>"#,
        ];
        assert_eq!(ir.xml, expected.concat());
        assert_eq!(ir.weights, [0, 0xff, 0xff, 0xff, 0xff]);
    }

    #[test]
    fn constant_data_lie_before_the_axes() {
        let ir = ir(&call(None, Axes::list(&[0])), InputAs::Constant, InputAs::Constant).unwrap();
        assert!(ir.xml.contains(
            r#"type="Const" version="opset1"><data element_type="i8" shape="2,1" offset="1" size="2"/>"#
        ));
        assert!(ir.xml.contains(r#"<data element_type="i64" shape="1" offset="3" size="8"/>"#));
        assert_eq!(ir.weights, [0, 3, 0xfc, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert!(!ir.xml.contains("keep_dims") && !ir.xml.contains("Parameter"));
    }

    #[test]
    fn axes_that_are_a_parameter_are_fed_and_in_no_constant() {
        let ir = ir(&call(None, Axes::list(&[-1])), InputAs::Parameter, InputAs::Parameter).unwrap();
        assert!(ir.xml.contains(
            r#"<layer id="1" name="axes" type="Parameter" version="opset1"><data element_type="i64" shape="1"/>"#
        ));
        assert_eq!(ir.weights, [0]);
        assert_eq!(ir.axes, Tensor::from_bits(Dtype::I64, &[1], &[u64::MAX]).ok());
    }

    #[rstest]
    #[case::absent(Axes::Absent, true)]
    #[case::null(Axes::Null, false)]
    #[case::empty(Axes::list(&[]), true)]
    fn absent_axes_are_left_out_and_null_has_no_place(#[case] axes: Axes, #[case] expressible: bool) {
        let ir = ir(&call(None, axes.clone()), InputAs::Parameter, InputAs::Constant);
        assert_eq!(ir.is_ok(), expressible);
        assert_eq!(ir.is_ok_and(|ir| ir.xml.contains("name=\"axes\"")), axes == Axes::list(&[]));
    }

    #[test]
    fn an_axis_beyond_its_type_has_no_place() {
        let axes = AxesTensor { dtype: Dtype::U8, shape: vec![1], values: vec![-1] };
        assert_eq!(
            ir(&call(None, Axes::Given(axes)), InputAs::Parameter, InputAs::Constant),
            Err("axis -1 does not fit u8".into())
        );
    }
}
