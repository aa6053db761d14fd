//! ONNX Runtime's own tests in C++.

use std::fmt::Write as _;

use normative_reference::spec::AxesForm;
use normative_reference::{Axes, Dtype, Operator, Tensor};

use super::numbers::{cpp, cpp_type};
use super::{Contribution, Test, operator};
use crate::due::Is;
use crate::{File, NoRepro};

pub(super) fn file(test: &Test<'_>) -> Result<File, NoRepro> {
    let call = test.call;
    let Operator::Onnx { opset, keepdims, noop_with_empty_axes, .. } = call.operator else {
        return Err(test.no("it is not an operator of ONNX"));
    };
    let mut lines = String::new();
    for (attribute, value) in [("keepdims", keepdims), ("noop_with_empty_axes", noop_with_empty_axes)] {
        if let Some(value) = value {
            let _ = writeln!(lines, "  test.AddAttribute(\"{attribute}\", static_cast<int64_t>({value}));");
        }
    }
    let by_input = call.spec().rules().axes == AxesForm::OptionalInput;
    let mut input = String::new();
    match &call.axes {
        Axes::Null if by_input => input += "  test.AddOptionalInputEdge<int64_t>();\n",
        Axes::Given(axes) if by_input => {
            let values = axes.values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let dims = dims(&axes.shape);
            let _ = writeln!(
                input,
                "  test.AddInput<{}>(\"axes\", {dims}, {{{values}}}, true /* is_initializer */);",
                cpp_type(axes.dtype)
            );
        }
        _ => {
            if let Some(list) = test.list()? {
                let list = list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                let _ = writeln!(lines, "  test.AddAttribute(\"axes\", std::vector<int64_t>{{{list}}});");
            }
        }
    }
    let _ = writeln!(lines, "  test.AddInput{};", tensor("data", &call.data));
    lines += &input;
    let run = match test.answer {
        Is::Tensor(_) => {
            let _ = writeln!(lines, "  test.AddOutput{};", tensor("reduced", &test.tensor("OpTester")?));
            "test.Run();".to_owned()
        }
        // The output has to be there, and is not looked at.
        Is::Refused(clause) => {
            let dtype = cpp_type(call.data.dtype());
            let _ = writeln!(lines, "  test.AddOutput<{dtype}>(\"reduced\", {{0}}, {{}});");
            format!("test.Run(OpTester::ExpectResult::kExpectFailure, \"\");  // {clause}")
        }
    };
    let text = format!(
        "// For {goes_to}.\n\
         TEST(ReductionOpTest, {operator}_{word}) {{\n  \
         OpTester test(\"{operator}\", {opset});\n\
         {lines}  \
         {run}\n\
         }}\n",
        goes_to = Contribution::OpTester.goes_to(),
        operator = operator(call.spec()),
        word = test.word(),
        opset = opset.number(),
    );
    Ok(File { path: "op_tester.cc", bytes: text.into_bytes() })
}

/// `<type>("name", {dims}, {elements})`.
fn tensor(name: &str, tensor: &Tensor) -> String {
    let dtype: Dtype = tensor.dtype();
    let elements: Vec<String> = tensor.bits().into_iter().map(|bits| cpp(dtype, bits)).collect();
    format!("<{}>(\"{name}\", {}, {{{}}})", cpp_type(dtype), dims(tensor.shape()), elements.join(", "))
}

fn dims(shape: &[usize]) -> String {
    let dims: Vec<String> = shape.iter().map(ToString::to_string).collect();
    format!("{{{}}}", dims.join(", "))
}
