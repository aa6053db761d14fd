//! Scripts for runtimes whose users write one operator by hand: OpenVINO's `Model.evaluate` and ncnn's layers.

use normative_present::npy::npy;
use normative_reference::{Axes, Norm, Operator};

use crate::arguments::Arguments;
use crate::models::{no, openvino_pin};
use crate::script::{Script, array, filled, pin};
use crate::{File, NoRepro, Subject};

/// OpenVINO's own evaluation, which no plugin runs.
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
            File { path: "data.npy", bytes: npy(&call.data) },
            File { path: "axes.npy", bytes: npy(&named) },
        ],
    })
}

/// ncnn, of a network that is its layer Reduction.
pub(crate) fn ncnn(subject: &Subject<'_>) -> Result<Script, NoRepro> {
    let call = subject.call;
    let arguments = Arguments::of(call)?;
    let operation = if arguments.norm == Norm::L1 { 7 } else { 8 };
    let named = arguments.axis.listed();
    let mut layer = format!("0={operation} 1={} 4={} 5=1", u8::from(named.is_none()), arguments.keepdims);
    if let Some(axes) = named {
        let list: Vec<String> = axes.iter().map(ToString::to_string).collect();
        layer = format!("{layer} -23303={},{}", axes.len(), list.join(","));
    }
    let rank = call.data.rank();
    let reduced = arguments.axis.counted(rank);
    let spans = (0..rank as i128).all(|axis| reduced.contains(&axis));
    // A Mat of one element stands for rank 0 where nothing is kept.
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
