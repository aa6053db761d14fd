//! Writes scripts for runtimes whose users build one operator by hand: OpenVINO's `Model.evaluate`, ncnn's
//! layers and `LiteRT`'s models.

use normative_present::npy::npy;
use normative_reference::{Axes, Dtype, Norm, Operator};

use crate::arguments::{Arguments, Axis, tuple};
use crate::models::{no, openvino_pin};
use crate::script::{Script, array, filled, name, pin};
use crate::target::Kernels;
use crate::{NoRepro, ReproFile, Subject};

/// Writes a call of OpenVINO's own evaluation, which uses no plugin.
pub(crate) fn openvino_evaluate(subject: &Subject<'_>) -> Result<Script, NoRepro> {
    let call = subject.call;
    let (Operator::OpenVino { norm, keep_dims }, Axes::Given(axes)) = (&call.operator, &call.axes) else {
        return Err(no(subject, "the functions are OpenVINO's, and take axes".into()));
    };
    let named = normative_onnx::axes_tensor(axes).map_err(|why| no(subject, why.to_string()))?;
    let keep = match keep_dims {
        None => "",
        Some(true) => ", keep_dims=True",
        Some(false) => ", keep_dims=False",
    };
    let words = [
        ("DTYPE", call.data.dtype().to_string()),
        ("AXES_DTYPE", axes.dtype.to_string()),
        ("NORM", if *norm == Norm::L1 { "l1" } else { "l2" }.to_owned()),
        ("KEEP", keep.to_owned()),
    ];
    let words: Vec<(&str, &str)> = words.iter().map(|(word, with)| (*word, with.as_str())).collect();
    Ok(Script {
        packages: vec![openvino_pin(subject), "numpy".into()],
        standard: &[],
        imports: "import openvino as ov\nfrom openvino import opset4".into(),
        code: filled(include_str!("templates/openvino_evaluate.py"), &words),
        files: vec![
            ReproFile { path: "data.npy", bytes: npy(&call.data) },
            ReproFile { path: "axes.npy", bytes: npy(&named) },
        ],
    })
}

/// Writes a call of ncnn, through a network of one layer Reduction.
pub(crate) fn ncnn(subject: &Subject<'_>) -> Result<Script, NoRepro> {
    let call = subject.call;
    let arguments = Arguments::of(call)?;
    let operation = match arguments.norm {
        Norm::L1 => 7,
        Norm::L2 => 8,
        Norm::SumSquare => 2,
    };
    let named = arguments.axis.listed();
    let mut layer = format!("0={operation} 1={} 4={} 5=1", u8::from(named.is_none()), arguments.keepdims);
    if let Some(axes) = named {
        let list: Vec<String> = axes.iter().map(ToString::to_string).collect();
        layer = format!("{layer} -23303={},{}", axes.len(), list.join(","));
    }
    let rank = call.data.rank();
    let reduced = arguments.axis.counted(rank);
    let spans = (0..rank as i128).all(|axis| reduced.contains(&axis));
    // A Mat of one element stands for rank 0 if no dim is kept.
    let shape = if spans && arguments.keepdims == 0 {
        "shape = () if result.size == 1 else result.shape"
    } else {
        "shape = result.shape"
    };
    let (literal, file) = array(&call.data, "data.npy");
    Ok(Script {
        packages: vec![pin("ncnn", &subject.identity.version), "numpy".into()],
        standard: &[],
        imports: "import ncnn".into(),
        code: filled(
            include_str!("templates/ncnn.py"),
            &[("DATA", &literal), ("LAYER", &layer), ("SHAPE", shape)],
        ),
        files: file.into_iter().collect(),
    })
}

/// Writes a call of `LiteRT`, through a model from `TensorFlow`'s converter.
pub(crate) fn litert(subject: &Subject<'_>, kernels: Kernels) -> Result<Script, NoRepro> {
    let call = subject.call;
    let arguments = Arguments::of(call)?;
    let dtype = call.data.dtype();
    if dtype == Dtype::Bf16 {
        return Err(no(subject, "NumPy has no bfloat16".into()));
    }
    if !(0..=1).contains(&arguments.keepdims) {
        return Err(no(subject, format!("keep_dims is true or false, and cannot be {}", arguments.keepdims)));
    }
    let (axes, is_float) = match arguments.axis {
        Axis::All => (tuple(&(0..call.data.rank()).collect::<Vec<_>>()), false),
        Axis::Empty => ("()".to_owned(), false),
        Axis::Given(given) => {
            let is_float = !given.dtype.is_integer() && !given.values.is_empty();
            if !is_float && given.values.iter().any(|&axis| i32::try_from(axis).is_err()) {
                return Err(no(subject, "the axes of SUM are int32".into()));
            }
            (arguments.axis.in_python(), is_float)
        }
    };
    let operators = match arguments.norm {
        Norm::L1 => "(CODES.ABS, CODES.SUM)",
        Norm::L2 => "(CODES.SQUARE, CODES.SUM, CODES.SQRT)",
        Norm::SumSquare => "(CODES.SQUARE, CODES.SUM)",
    };
    let (literal, file) = array(&call.data, "data.npy");
    let (literal, comment) = literal.split_once("  # ").unwrap_or((&literal, ""));
    let words = [
        ("DATA", literal),
        ("COMMENT", &if comment.is_empty() { String::new() } else { format!("  # {comment}") }),
        ("AXES", &axes),
        ("AXES_TYPE", if is_float { "float32" } else { "int32" }),
        ("AXES_CODE", if is_float { "FLOAT32" } else { "INT32" }),
        ("TYPE", &name(dtype).to_uppercase()),
        ("OPERATORS", operators),
        ("KEEP", if arguments.keepdims == 1 { "True" } else { "False" }),
        (
            "KERNELS",
            match kernels {
                Kernels::Default => "AUTO",
                Kernels::Builtin => "BUILTIN_WITHOUT_DEFAULT_DELEGATES",
            },
        ),
    ];
    Ok(Script {
        packages: vec![pin("ai-edge-litert", &subject.identity.version), "numpy".into()],
        standard: &[],
        imports: "import flatbuffers\nfrom ai_edge_litert import schema_py_generated as schema\n\
                  from ai_edge_litert.interpreter import Interpreter, OpResolverType"
            .into(),
        code: filled(include_str!("templates/litert.py"), &words),
        files: file.into_iter().collect(),
    })
}
