//! Writes scripts for runtimes that read models: ONNX Runtime, onnx's own evaluator, OpenVINO, TVM, IREE.
//!
//! The model is the one that the backend got, byte for byte, with the data beside it as `.npy`. Each script
//! sets up the runtime and recognises refusals as its adapter in `backends/` does.

use normative_onnx::{AXES, AxesAs, DATA, Imports, Model};
use normative_openvino_ir::{InputAs, Ir, ir};
use normative_present::npy::npy;
use normative_reference::{Dtype, Operator, Opset};

use crate::script::{Script, filled, pin};
use crate::target::{By, Compiler, Onnx, Optimised};
use crate::{NoRepro, ReproFile, Subject};

/// Writes a call of ONNX Runtime.
pub(crate) fn onnx_runtime(
    subject: &Subject<'_>,
    onnx: Onnx,
    optimised: Optimised,
) -> Result<Script, NoRepro> {
    let (feeds, files) = model(subject, onnx)?;
    if onnx.by == By::Body {
        return body_by_onnx_runtime(subject, &feeds, files);
    }
    // NumPy has no bfloat16, so the usual way to feed and fetch arrays does not work.
    let (template, standard) = if is_bfloat16(subject) {
        (include_str!("templates/onnxruntime_bfloat16.py"), &["import ctypes", "import math"][..])
    } else {
        (include_str!("templates/onnxruntime.py"), &[][..])
    };
    let (options, given) = match optimised {
        Optimised::Yes => ("", ""),
        Optimised::No => (
            "    options = ort.SessionOptions()\n    options.graph_optimization_level = \
             ort.GraphOptimizationLevel.ORT_DISABLE_ALL\n",
            "options, ",
        ),
    };
    Ok(Script {
        packages: vec![pin("onnxruntime", &subject.identity.version), "numpy".into()],
        standard,
        imports: "import onnxruntime as ort".into(),
        code: filled(template, &[("FEEDS", &feeds), ("OPTIONS", options), ("GIVEN", given)]),
        files,
    })
}

/// Writes a call of ONNX Runtime, with ONNX's own body of the operator as a function of the model.
fn body_by_onnx_runtime(
    subject: &Subject<'_>,
    feeds: &str,
    files: Vec<ReproFile>,
) -> Result<Script, NoRepro> {
    let (view, imports, half) = if is_bfloat16(subject) {
        (".view(ml_dtypes.bfloat16)", "import ml_dtypes\nimport onnx\nimport onnxruntime as ort", true)
    } else {
        ("", "import onnx\nimport onnxruntime as ort", false)
    };
    let mut packages = vec![pin("onnxruntime", &subject.identity.version), "onnx".into()];
    packages.extend(half.then(|| "ml_dtypes".to_owned()));
    packages.push("numpy".into());
    let template = include_str!("templates/onnxruntime_function.py");
    let code = filled(template, &[("VIEW", view), ("FEEDS", feeds), ("BODY", body(subject)?)]);
    Ok(Script { packages, standard: &[], imports: imports.into(), code, files })
}

/// Returns the function that adds ONNX's own body of the operator to a model.
fn body(subject: &Subject<'_>) -> Result<&'static str, NoRepro> {
    match subject.call.operator {
        Operator::Onnx { opset, .. } if opset >= Opset::V18 => Ok(include_str!("templates/with_body.py")),
        _ => Err(no(subject, "ONNX gives no body of the operator before opset 18".into())),
    }
}

/// Writes a call of onnx's `ReferenceEvaluator`.
pub(crate) fn onnx_reference(subject: &Subject<'_>, onnx: Onnx) -> Result<Script, NoRepro> {
    let (feeds, files) = model(subject, onnx)?;
    let (view, imports) = if is_bfloat16(subject) {
        (
            ".view(ml_dtypes.bfloat16)",
            "import ml_dtypes\nimport onnx\nfrom onnx.reference import ReferenceEvaluator",
        )
    } else {
        ("", "import onnx\nfrom onnx.reference import ReferenceEvaluator")
    };
    let (body, model) = match onnx.by {
        By::Kernel => ("", "onnx.load(HERE / \"model.onnx\")"),
        By::Body => (body(subject)?, "with_body(onnx.load(HERE / \"model.onnx\"))"),
    };
    Ok(Script {
        packages: vec![pin("onnx", &subject.identity.version), "numpy".into()],
        standard: &[],
        imports: imports.into(),
        code: filled(
            include_str!("templates/onnx_reference.py"),
            &[("VIEW", view), ("FEEDS", &feeds), ("BODY", body), ("MODEL", model)],
        ),
        files,
    })
}

/// Writes a call of OpenVINO, from IR.
pub(crate) fn openvino_ir(subject: &Subject<'_>, data: InputAs, axes: InputAs) -> Result<Script, NoRepro> {
    let Ir { xml, weights, axes } = ir(subject.call, data, axes).map_err(|why| no(subject, why))?;
    let mut files = vec![
        ReproFile { path: "model.xml", bytes: xml.into_bytes() },
        ReproFile { path: "model.bin", bytes: weights },
        ReproFile { path: "data.npy", bytes: npy(&subject.call.data) },
    ];
    let feeds = match (data, &axes) {
        (InputAs::Constant, _) => "{}".to_owned(),
        (InputAs::Parameter, axes) => feeds(axes.is_some()),
    };
    files.extend(axes.map(|axes| ReproFile { path: "axes.npy", bytes: npy(&axes) }));
    let model = "(HERE / \"model.xml\").read_bytes(), (HERE / \"model.bin\").read_bytes()";
    Ok(openvino(subject, model, &feeds, files))
}

/// Writes a call of OpenVINO, from ONNX.
pub(crate) fn openvino_onnx(subject: &Subject<'_>, axes: AxesAs) -> Result<Script, NoRepro> {
    let (feeds, files) = model(subject, plain(axes))?;
    Ok(openvino(subject, "(HERE / \"model.onnx\").read_bytes(), b\"\"", &feeds, files))
}

fn openvino(subject: &Subject<'_>, model: &str, feeds: &str, files: Vec<ReproFile>) -> Script {
    let view = if is_bfloat16(subject) { ".view(np.uint16)" } else { "" };
    Script {
        packages: vec![openvino_pin(subject), "numpy".into()],
        standard: &[],
        imports: "import openvino as ov".into(),
        code: filled(
            include_str!("templates/openvino.py"),
            &[("VIEW", view), ("FEEDS", feeds), ("MODEL", model)],
        ),
        files,
    }
}

/// Returns the package of `OpenVINO`: the part of the version before the build's number and branch.
pub(crate) fn openvino_pin(subject: &Subject<'_>) -> String {
    pin("openvino", subject.identity.version.split('-').next().unwrap_or_default())
}

/// Writes a call of a compiler of ONNX models.
pub(crate) fn compiled(subject: &Subject<'_>, compiler: Compiler) -> Result<Script, NoRepro> {
    let (_, files) = model(subject, plain(AxesAs::Initializer))?;
    let version = &subject.identity.version;
    let half = is_bfloat16(subject);
    let view = if half { ".view(ml_dtypes.bfloat16)" } else { "" };
    let (template, packages, imports) = match compiler {
        Compiler::Tvm => (
            include_str!("templates/tvm.py"),
            vec![pin("apache-tvm", version), "onnx".into()],
            "import onnx\nimport tvm\nfrom tvm import relax\nfrom tvm.relax.frontend.onnx import from_onnx",
        ),
        Compiler::Iree => (
            include_str!("templates/iree.py"),
            vec![pin("iree-base-compiler", version), pin("iree-base-runtime", version), "onnx".into()],
            "import iree.compiler as compiler\nimport iree.runtime as runtime\nimport onnx\n\
             from iree.compiler.extras.onnx_importer import ModelInfo, NodeImporter, OnnxImportError\n\
             from iree.compiler.ir import Context, MLIRError",
        ),
    };
    let imports = if half { format!("import ml_dtypes\n{imports}") } else { imports.to_owned() };
    let mut packages = packages;
    packages.extend(half.then(|| "ml_dtypes".to_owned()));
    packages.push("numpy".into());
    Ok(Script {
        packages,
        standard: &[],
        imports: imports.into(),
        code: filled(template, &[("VIEW", view)]),
        files,
    })
}

/// Returns the plain form of a model, with the operator's own opset.
const fn plain(axes: AxesAs) -> Onnx {
    Onnx { axes, imports: Imports::First, by: By::Kernel }
}

pub(crate) fn is_bfloat16(subject: &Subject<'_>) -> bool {
    subject.call.data.dtype() == Dtype::Bf16
}

/// Returns the inputs of a session, as a Python dictionary, and the files of the model and its inputs.
fn model(subject: &Subject<'_>, onnx: Onnx) -> Result<(String, Vec<ReproFile>), NoRepro> {
    let call = subject.call;
    let model = normative_onnx::model_importing(call, onnx.axes, onnx.imports);
    let Model { bytes, axes } = model.map_err(|why| no(subject, why.to_string()))?;
    let mut files =
        vec![ReproFile { path: "model.onnx", bytes }, ReproFile { path: "data.npy", bytes: npy(&call.data) }];
    let feeds = feeds(axes.is_some());
    files.extend(axes.map(|axes| ReproFile { path: "axes.npy", bytes: npy(&axes) }));
    Ok((feeds, files))
}

/// Returns the inputs; both formats use the same names.
fn feeds(axes: bool) -> String {
    let axes = if axes { format!(", \"{AXES}\": np.load(HERE / \"axes.npy\")") } else { String::new() };
    format!("{{\"{DATA}\": DATA{axes}}}")
}

pub(crate) fn no(subject: &Subject<'_>, why: String) -> NoRepro {
    NoRepro::Call { spec: subject.call.spec().name(), why }
}
