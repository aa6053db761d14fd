//! Lists the backends with standalone reproductions: a template for each runtime, and the input of each backend.
//!
//! A template below `runtimes/` begins with a head, up to `---`: lines `needs PACKAGE`, `no WHY` where the runtime cannot express the
//! call, `std IMPORT` of the standard library, and other imports. The few lines of the runtime's adapter follow: in
//! Python `DATA`, `call` and `REFUSALS`. `words` has its conditions and holes.

use normative_onnx::{AxesAs, Imports};
use normative_openvino_ir::InputAs;

/// A backend that has a reproduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its name, as `--backend` has it; of a program, the part before the colon.
    pub(crate) name: &'static str,
    pub(crate) row: &'static Row,
}

/// Backends of one runtime that get the same input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row {
    names: &'static [&'static str],
    /// The input beside the data.
    pub(crate) input: Input,
    /// The language of the script.
    pub(crate) language: Language,
    /// The template of the script's own part.
    pub(crate) code: &'static str,
    /// The template of `ISSUE.md`: the form of the runtime's upstream.
    pub(crate) form: &'static str,
}

/// The form in which a runtime gets a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// The data, and the rest as arguments.
    Data,
    /// The data and the axes as tensors.
    Axes,
    /// A model of ONNX.
    Onnx(AxesAs, Imports),
    /// A model of OpenVINO; the form of its data, and of its axes.
    Ir(InputAs, InputAs),
}

/// The language of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    /// For Node.
    JavaScript,
    Rust,
}

/// The judged commit of webnn-baseline: no registry has it, and its version does not identify a commit.
pub const WEBNN_BASELINE: &str = "b7a6aae7abb247376496aca93a7bdcfa692fa38f";

const SHORT: &str = include_str!("forms/short.md");
const OF_OPENVINO: &str = include_str!("forms/openvino.md");

const ONNX: Input = Input::Onnx(AxesAs::Initializer, Imports::First);
const AXES_FED: Input = Input::Onnx(AxesAs::Input, Imports::First);
const LATER: Input = Input::Onnx(AxesAs::Initializer, Imports::Last);

const fn python(names: &'static [&'static str], input: Input, code: &'static str) -> Row {
    Row { names, input, language: Language::Python, code, form: SHORT }
}

const fn javascript(names: &'static [&'static str], code: &'static str) -> Row {
    Row { names, input: Input::Data, language: Language::JavaScript, code, form: SHORT }
}

const fn rust(names: &'static [&'static str], input: Input, code: &'static str) -> Row {
    Row { names, input, language: Language::Rust, code, form: SHORT }
}

const fn onnxruntime(names: &'static [&'static str], input: Input, code: &'static str) -> Row {
    Row { form: include_str!("forms/onnxruntime.md"), ..python(names, input, code) }
}

const fn openvino(names: &'static [&'static str], input: Input) -> Row {
    Row { form: OF_OPENVINO, ..python(names, input, include_str!("runtimes/openvino.py")) }
}

const ONNXRUNTIME: &str = include_str!("runtimes/onnxruntime.py");
const ONNX_REFERENCE: &str = include_str!("runtimes/onnx_reference.py");
const OWN_MODEL: &str = include_str!("runtimes/own_model.py");
const RTEN: &str = include_str!("runtimes/rten.rs.txt");

pub(crate) static ROWS: &[Row] = &[
    onnxruntime(&["onnxruntime", "onnxruntime-unoptimised"], ONNX, ONNXRUNTIME),
    onnxruntime(&["onnxruntime-axes-input"], AXES_FED, ONNXRUNTIME),
    onnxruntime(&["onnxruntime-later-opset"], LATER, ONNXRUNTIME),
    onnxruntime(&["onnxruntime-function"], ONNX, include_str!("runtimes/onnxruntime_function.py")),
    python(&["onnx-reference", "onnx-reference-function"], ONNX, ONNX_REFERENCE),
    python(&["onnx-reference-axes-input"], AXES_FED, ONNX_REFERENCE),
    python(&["onnx-reference-later-opset"], LATER, ONNX_REFERENCE),
    openvino(&["openvino"], Input::Ir(InputAs::Parameter, InputAs::Constant)),
    openvino(&["openvino-constant"], Input::Ir(InputAs::Constant, InputAs::Constant)),
    openvino(&["openvino-axes-input"], Input::Ir(InputAs::Parameter, InputAs::Parameter)),
    openvino(&["openvino-onnx"], ONNX),
    openvino(&["openvino-onnx-axes-input"], AXES_FED),
    Row {
        form: OF_OPENVINO,
        ..python(&["openvino-evaluate"], Input::Axes, include_str!("runtimes/openvino_evaluate.py"))
    },
    python(&["tvm"], ONNX, include_str!("runtimes/tvm.py")),
    python(&["iree"], ONNX, include_str!("runtimes/iree.py")),
    python(&["ncnn"], Input::Data, include_str!("runtimes/ncnn.py")),
    python(&["litert", "litert-builtin"], Input::Data, include_str!("runtimes/litert.py")),
    python(&["numpy", "numpy-norm"], Input::Data, include_str!("runtimes/numpy.py")),
    python(&["torch", "torch-norm"], Input::Data, include_str!("runtimes/torch.py")),
    python(&["jax", "jax-norm"], Input::Data, include_str!("runtimes/jax.py")),
    python(&["tensorflow", "tensorflow-norm"], Input::Data, include_str!("runtimes/tensorflow.py")),
    python(&["paddle", "paddle-norm"], Input::Data, include_str!("runtimes/paddle.py")),
    python(&["mlx", "mlx-norm"], Input::Data, include_str!("runtimes/mlx.py")),
    python(&["dask", "dask-norm"], Input::Data, include_str!("runtimes/dask.py")),
    python(&["tinygrad"], Input::Data, include_str!("runtimes/tinygrad.py")),
    python(&["mnn"], Input::Data, include_str!("runtimes/mnn.py")),
    python(&["openblas", "system-blas", "blis"], Input::Data, include_str!("runtimes/blas_ctypes.py")),
    python(&["scipy-blas"], Input::Data, include_str!("runtimes/blas_scipy.py")),
    // Programs of users, by what stands before the colon.
    python(&["cmd"], Input::Data, include_str!("runtimes/own.py")),
    python(&["onnx-cmd"], ONNX, OWN_MODEL),
    python(&["onnx-axes-input-cmd"], AXES_FED, OWN_MODEL),
    javascript(&["tfjs", "tfjs-norm"], include_str!("runtimes/tfjs.mjs")),
    javascript(&["webnn-baseline"], include_str!("runtimes/webnn_baseline.mjs")),
    javascript(&["stdlib-blas"], include_str!("runtimes/stdlib_blas.mjs")),
    rust(&["rten"], ONNX, RTEN),
    rust(&["rten-axes-input"], AXES_FED, RTEN),
    rust(&["tract"], ONNX, include_str!("runtimes/tract.rs.txt")),
    rust(&["candle"], Input::Data, include_str!("runtimes/candle.rs.txt")),
    rust(&["burn"], Input::Data, include_str!("runtimes/burn.rs.txt")),
    rust(&["faer"], Input::Data, include_str!("runtimes/faer.rs.txt")),
    rust(&["nalgebra"], Input::Data, include_str!("runtimes/nalgebra.rs.txt")),
];

impl Target {
    /// Returns every target.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().flat_map(|row| row.names.iter().map(move |name| Self { name, row }))
    }

    /// Returns the target for the backend of this name; `None` if no standalone reproduction exists yet.
    pub fn of(backend: &str) -> Option<Self> {
        Self::all().find(|target| target.name == backend)
    }

    /// Returns true if the user has to fill in the call of the function first.
    pub fn is_filled_in(self) -> bool {
        self.name.ends_with("cmd")
    }

    /// Returns the command that runs the reproduction, in its folder.
    pub const fn command(self) -> &'static str {
        match self.row.language {
            Language::Python => "python repro.py",
            Language::JavaScript => "node repro.mjs",
            Language::Rust => "cargo run --release",
        }
    }
}
