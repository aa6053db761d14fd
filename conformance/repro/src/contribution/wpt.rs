//! The web platform tests of `WebNN`: an object of JavaScript, as the lists of its conformance tests have them.

use normative_reference::{Axes, Dtype, Norm, Operator, Tensor};

use super::numbers::javascript;
use super::{Contribution, Test};
use crate::script::name;
use crate::{File, NoRepro};

pub(super) fn file(test: &Test<'_>) -> Result<File, NoRepro> {
    let call = test.call;
    let Operator::WebNn { norm, keep_dimensions } = call.operator else {
        return Err(test.no("it is not an operator of WebNN"));
    };
    let result = test.tensor("conformance tests of WebNN")?;
    let operator = match norm {
        Norm::L1 => "reduceL1",
        Norm::L2 => "reduceL2",
    };
    let mut options: Vec<String> = Vec::new();
    match &call.axes {
        Axes::Absent => {}
        _ => options.extend(test.list()?.map(|axes| format!("'axes': {axes:?}"))),
    }
    options.extend(keep_dimensions.map(|keep| format!("'keepDimensions': {keep}")));
    let options = if options.is_empty() {
        String::new()
    } else {
        format!(", {{'options': {{{}}}}}", options.join(", "))
    };
    let text = format!(
        "// For {goes_to}.\n\
         {{\n  \
         'name': '{operator} {dtype} {rank}D {word}',\n  \
         'graph': {{\n    \
         'inputs': {{\n      \
         '{operator}Input': {data}\n    \
         }},\n    \
         'operators': [{{\n      \
         'name': '{operator}',\n      \
         'arguments': [{{'input': '{operator}Input'}}{options}],\n      \
         'outputs': '{operator}Output'\n    \
         }}],\n    \
         'expectedOutputs': {{\n      \
         '{operator}Output': {result}\n    \
         }}\n  \
         }}\n\
         }}\n",
        goes_to = Contribution::Wpt.goes_to(),
        dtype = name(call.data.dtype()),
        rank = call.data.rank(),
        word = test.word().replace('_', " "),
        data = operand(&call.data),
        result = operand(&result),
    );
    Ok(File { path: "test.js", bytes: text.into_bytes() })
}

/// Data with their descriptor.
fn operand(tensor: &Tensor) -> String {
    let dtype: Dtype = tensor.dtype();
    let data: Vec<String> = tensor.bits().into_iter().map(|bits| javascript(dtype, bits)).collect();
    format!(
        "{{\n        'data': [{}],\n        'descriptor': {{shape: {:?}, dataType: '{}'}}\n      }}",
        data.join(", "),
        tensor.shape(),
        name(dtype)
    )
}
