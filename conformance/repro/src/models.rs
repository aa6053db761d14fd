//! Scripts for runtimes that read models: ONNX Runtime, onnx's own evaluator, OpenVINO.
//!
//! The model is the very one that the backend was asked with, byte for byte, and the data lie beside it as `.npy`. How
//! the runtime is set up, and what it says to refuse a call, is what its adapter in `backends/` does.

use normative_onnx::{AXES, AxesAs, DATA, Model};
use normative_openvino_ir::{InputAs, Ir, ir};
use normative_present::npy::npy;
use normative_reference::Dtype;

use crate::script::{Script, filled, pin};
use crate::{File, NoRepro, Subject};

/// ONNX Runtime.
pub(crate) fn onnx_runtime(subject: &Subject<'_>, axes: AxesAs) -> Result<Script, NoRepro> {
    let (feeds, files) = model(subject, axes)?;
    // NumPy has no bfloat16, so neither has the short way to feed and to fetch.
    let (template, standard) = if is_bfloat16(subject) {
        (include_str!("templates/onnxruntime_bfloat16.py"), &["import ctypes", "import math"][..])
    } else {
        (include_str!("templates/onnxruntime.py"), &[][..])
    };
    Ok(Script {
        packages: vec![pin("onnxruntime", &subject.identity.version), "numpy".into()],
        standard,
        imports: "import onnxruntime as ort",
        code: filled(template, &[("FEEDS", &feeds)]),
        files,
    })
}

/// onnx's `ReferenceEvaluator`.
pub(crate) fn onnx_reference(subject: &Subject<'_>, axes: AxesAs) -> Result<Script, NoRepro> {
    let (feeds, files) = model(subject, axes)?;
    let (view, imports) = if is_bfloat16(subject) {
        (
            ".view(ml_dtypes.bfloat16)",
            "import ml_dtypes\nimport onnx\nfrom onnx.reference import ReferenceEvaluator",
        )
    } else {
        ("", "import onnx\nfrom onnx.reference import ReferenceEvaluator")
    };
    Ok(Script {
        packages: vec![pin("onnx", &subject.identity.version), "numpy".into()],
        standard: &[],
        imports,
        code: filled(include_str!("templates/onnx_reference.py"), &[("VIEW", view), ("FEEDS", &feeds)]),
        files,
    })
}

/// OpenVINO, from IR.
pub(crate) fn openvino_ir(subject: &Subject<'_>, data: InputAs) -> Result<Script, NoRepro> {
    let Ir { xml, weights, .. } =
        ir(subject.call, data, InputAs::Constant).map_err(|why| no(subject, why))?;
    let files = vec![
        File { path: "model.xml", bytes: xml.into_bytes() },
        File { path: "model.bin", bytes: weights },
        File { path: "data.npy", bytes: npy(&subject.call.data) },
    ];
    let model = "(HERE / \"model.xml\").read_bytes(), (HERE / \"model.bin\").read_bytes()";
    Ok(openvino(subject, model, data == InputAs::Parameter, files))
}

/// OpenVINO, from ONNX.
pub(crate) fn openvino_onnx(subject: &Subject<'_>) -> Result<Script, NoRepro> {
    let (_, files) = model(subject, AxesAs::Initializer)?;
    Ok(openvino(subject, "(HERE / \"model.onnx\").read_bytes(), b\"\"", true, files))
}

fn openvino(subject: &Subject<'_>, model: &str, feeds: bool, files: Vec<File>) -> Script {
    let view = if is_bfloat16(subject) { ".view(np.uint16)" } else { "" };
    let feeds = if feeds { "True" } else { "False" };
    // The build's number and branch follow the version.
    let version = subject.identity.version.split('-').next().unwrap_or_default();
    Script {
        packages: vec![pin("openvino", version), "numpy".into()],
        standard: &[],
        imports: "import openvino as ov",
        code: filled(
            include_str!("templates/openvino.py"),
            &[("VIEW", view), ("FEEDS", feeds), ("MODEL", model)],
        ),
        files,
    }
}

fn is_bfloat16(subject: &Subject<'_>) -> bool {
    subject.call.data.dtype() == Dtype::Bf16
}

/// What a session is fed with, as a dictionary of Python's, and the files that hold the model and its inputs.
fn model(subject: &Subject<'_>, axes: AxesAs) -> Result<(String, Vec<File>), NoRepro> {
    let call = subject.call;
    let Model { bytes, axes } =
        normative_onnx::model(call, axes).map_err(|why| no(subject, why.to_string()))?;
    let mut files =
        vec![File { path: "model.onnx", bytes }, File { path: "data.npy", bytes: npy(&call.data) }];
    let Some(axes) = axes else { return Ok((format!("{{\"{DATA}\": DATA}}"), files)) };
    files.push(File { path: "axes.npy", bytes: npy(&axes) });
    Ok((format!("{{\"{DATA}\": DATA, \"{AXES}\": np.load(HERE / \"axes.npy\")}}"), files))
}

fn no(subject: &Subject<'_>, why: String) -> NoRepro {
    NoRepro::Call { spec: subject.call.spec().name(), why }
}
