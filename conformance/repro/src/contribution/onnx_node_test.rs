//! ONNX's backend node tests.
//!
//! The file is a module by itself, so that it can be run before its method is moved. Opsets before the newest are
//! imported by `opset_imports`.

use std::fmt::Write as _;

use normative_reference::spec::AxesForm;
use normative_reference::{Axes, AxesTensor, Dtype, Operator, Tensor};

use super::{Contribution, Test, operator};
use crate::script::{array_in_line, name};
use crate::{File, NoRepro};

pub(super) fn file(test: &Test<'_>) -> Result<File, NoRepro> {
    let call = test.call;
    let Operator::Onnx { opset, keepdims, noop_with_empty_axes, .. } = call.operator else {
        return Err(test.no("it is not an operator of ONNX"));
    };
    let reduced = test.tensor("backend node tests")?;
    let (operator, word) = (operator(call.spec()), test.word());
    let mut inputs = vec!["data"];
    let mut attributes = String::new();
    let mut axes = None;
    match &call.axes {
        Axes::Null if call.spec().rules().axes == AxesForm::OptionalInput => inputs.push(""),
        Axes::Given(given) if call.spec().rules().axes == AxesForm::OptionalInput => {
            inputs.push("axes");
            axes = Some(given);
        }
        _ => {
            if let Some(list) = test.list()? {
                let _ = writeln!(attributes, "            axes={list:?},");
            }
        }
    }
    for (attribute, value) in [("keepdims", keepdims), ("noop_with_empty_axes", noop_with_empty_axes)] {
        if let Some(value) = value {
            let _ = writeln!(attributes, "            {attribute}={value},");
        }
    }
    let mut values = format!("        data = {}\n", elements(&call.data));
    let mut fed = vec!["data"];
    if let Some(axes) = axes {
        let _ = writeln!(values, "        axes = {}", of_axes(axes));
        fed.push("axes");
    }
    let _ = writeln!(values, "        reduced = {}", elements(&reduced));
    let listed: Vec<String> = inputs.iter().map(|input| format!("\"{input}\"")).collect();
    let types = [call.data.dtype(), reduced.dtype()];
    let ml_dtypes = if types.contains(&Dtype::Bf16) { "import ml_dtypes\n" } else { "" };
    let text = format!(
        "# For {goes_to}.\n\
         from __future__ import annotations\n\n\
         {ml_dtypes}import numpy as np\n\n\
         import onnx\n\
         from onnx.backend.test.case.base import Base\n\
         from onnx.backend.test.case.node import expect\n\n\n\
         class {operator}(Base):\n    \
         @staticmethod\n    \
         def export_{word}() -> None:\n        \
         node = onnx.helper.make_node(\n            \
         \"{operator}\",\n            \
         inputs=[{inputs}],\n            \
         outputs=[\"reduced\"],\n\
         {attributes}        )\n\
         {values}        \
         expect(\n            \
         node,\n            \
         inputs=[{fed}],\n            \
         outputs=[reduced],\n            \
         name=\"test_{word}\",\n            \
         opset_imports=[onnx.helper.make_opsetid(\"\", {opset})],\n        \
         )\n",
        goes_to = Contribution::OnnxNodeTest.goes_to(),
        inputs = listed.join(", "),
        fed = fed.join(", "),
        opset = opset.number(),
    );
    Ok(File { path: "node_test.py", bytes: text.into_bytes() })
}

/// An array of these elements.
fn elements(tensor: &Tensor) -> String {
    let view = if tensor.dtype() == Dtype::Bf16 { ".view(ml_dtypes.bfloat16)" } else { "" };
    // A comment would stand before what is asked of the array.
    let text = array_in_line(tensor);
    let (array, comment) = text.split_once("  # ").map_or((text.as_str(), ""), |(array, said)| (array, said));
    let comment = if comment.is_empty() { String::new() } else { format!("  # {comment}") };
    format!("{array}{view}{comment}")
}

/// The axes, as they are typed.
fn of_axes(AxesTensor { dtype, shape, values }: &AxesTensor) -> String {
    let values: Vec<String> = values.iter().map(ToString::to_string).collect();
    let shape = crate::arguments::tuple(shape);
    format!("np.array([{}], np.{}).reshape({shape})", values.join(", "), name(*dtype))
}
