//! Lists the backends with standalone reproductions, and the way of calling each.
//!
//! This is a table from the names of `--backend` to a way of calling the runtime; the module of each language
//! writes it.

use normative_onnx::{AxesAs, Imports};
use normative_openvino_ir::InputAs;

/// A runtime, and the way of calling it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// ONNX Runtime, from Python, with graph optimisation or without.
    OnnxRuntime(Onnx, Optimised),
    /// onnx's `ReferenceEvaluator`.
    OnnxReference(Onnx),
    /// OpenVINO from an IR model whose data and axes are inputs or constants, from Python.
    OpenVinoIr {
        /// The data.
        data: InputAs,
        /// The axes.
        axes: InputAs,
    },
    /// OpenVINO from an ONNX model, from Python.
    OpenVinoOnnx(AxesAs),
    /// OpenVINO's `Model.evaluate`, from Python.
    OpenVinoEvaluate,
    /// A compiler of ONNX models, from Python.
    Compiler(Compiler),
    /// ncnn's layer Reduction, from Python.
    Ncnn,
    /// A model of `LiteRT`, from Python.
    LiteRt(Kernels),
    /// A Python array library.
    Array(Library, Way),
    /// A BLAS, from Python.
    Blas(Blas),
    /// A JavaScript package, in Node.
    Package(Package),
    /// A crate.
    Crate(Crate),
}

/// The form of a call as a model of ONNX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Onnx {
    /// The place of its axes.
    pub axes: AxesAs,
    /// The opset that it imports.
    pub imports: Imports,
    /// The code that computes the operator.
    pub by: By,
}

/// The code that computes an operator of ONNX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The runtime's kernel for it.
    Kernel,
    /// ONNX's own body of the operator, as a function of the model.
    Body,
}

/// The kernels that `LiteRT` uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernels {
    /// XNNPACK's where it has one: the default.
    Default,
    /// Its own.
    Builtin,
}

/// The graph optimisation of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimised {
    /// The default level.
    Yes,
    /// Not at all.
    No,
}

/// A compiler that reads ONNX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// Apache TVM, through Relax.
    Tvm,
    /// IREE.
    Iree,
}

/// A Python array library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// `NumPy`.
    Numpy,
    /// `PyTorch`.
    Torch,
    /// JAX.
    Jax,
    /// `TensorFlow`.
    TensorFlow,
    /// `PaddlePaddle`.
    Paddle,
    /// MLX, on the CPU.
    Mlx,
    /// Dask's arrays, with two chunks per dim.
    Dask,
    /// tinygrad, on the CPU.
    Tinygrad,
    /// MNN's expressions.
    Mnn,
}

/// A BLAS, and its interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blas {
    /// `OpenBLAS` from the package scipy-openblas32, through its Fortran interface.
    OpenBlas,
    /// A library that the system's loader finds by this name, through its Fortran interface.
    System(&'static str),
    /// `SciPy`'s wrappers.
    Scipy,
}

/// A JavaScript package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Package {
    /// TensorFlow.js, on its plain JavaScript backend.
    Tfjs(Way),
    /// webnn-baseline.
    WebNnBaseline,
    /// @stdlib's BLAS routine.
    StdlibBlas,
}

/// The spelling of a norm in a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As a sum of magnitudes, or the root of a sum of squares.
    Sum,
    /// With the library's norm function.
    Norm,
}

/// A crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crate {
    /// `rten`.
    Rten(AxesAs),
    /// `tract-onnx`.
    Tract,
    /// `candle-core`.
    Candle,
    /// `burn`.
    Burn,
    /// `faer`.
    Faer,
    /// `nalgebra`.
    Nalgebra,
}

/// The judged commit of webnn-baseline: no registry has it, and its version does not identify a commit.
pub const WEBNN_BASELINE: &str = "b7a6aae7abb247376496aca93a7bdcfa692fa38f";

const CONSTANT: Onnx = Onnx { axes: AxesAs::Initializer, imports: Imports::First, by: By::Kernel };
const FED: Onnx = Onnx { axes: AxesAs::Input, ..CONSTANT };
const LATER: Onnx = Onnx { imports: Imports::Last, ..CONSTANT };
const BODY: Onnx = Onnx { by: By::Body, ..CONSTANT };

impl Target {
    /// Returns the target for the backend of this name; `None` if no standalone reproduction exists yet.
    pub fn of(backend: &str) -> Option<Self> {
        Some(match backend {
            "onnxruntime" => Self::OnnxRuntime(CONSTANT, Optimised::Yes),
            "onnxruntime-axes-input" => Self::OnnxRuntime(FED, Optimised::Yes),
            "onnxruntime-later-opset" => Self::OnnxRuntime(LATER, Optimised::Yes),
            "onnxruntime-unoptimised" => Self::OnnxRuntime(CONSTANT, Optimised::No),
            "onnxruntime-function" => Self::OnnxRuntime(BODY, Optimised::Yes),
            "onnx-reference" => Self::OnnxReference(CONSTANT),
            "onnx-reference-axes-input" => Self::OnnxReference(FED),
            "onnx-reference-later-opset" => Self::OnnxReference(LATER),
            "onnx-reference-function" => Self::OnnxReference(BODY),
            "openvino" => Self::OpenVinoIr { data: InputAs::Parameter, axes: InputAs::Constant },
            "openvino-constant" => Self::OpenVinoIr { data: InputAs::Constant, axes: InputAs::Constant },
            "openvino-axes-input" => Self::OpenVinoIr { data: InputAs::Parameter, axes: InputAs::Parameter },
            "openvino-onnx" => Self::OpenVinoOnnx(AxesAs::Initializer),
            "openvino-onnx-axes-input" => Self::OpenVinoOnnx(AxesAs::Input),
            "openvino-evaluate" => Self::OpenVinoEvaluate,
            "tvm" => Self::Compiler(Compiler::Tvm),
            "iree" => Self::Compiler(Compiler::Iree),
            "ncnn" => Self::Ncnn,
            "litert" => Self::LiteRt(Kernels::Default),
            "litert-builtin" => Self::LiteRt(Kernels::Builtin),
            "numpy" => Self::Array(Library::Numpy, Way::Sum),
            "numpy-norm" => Self::Array(Library::Numpy, Way::Norm),
            "torch" => Self::Array(Library::Torch, Way::Sum),
            "torch-norm" => Self::Array(Library::Torch, Way::Norm),
            "jax" => Self::Array(Library::Jax, Way::Sum),
            "jax-norm" => Self::Array(Library::Jax, Way::Norm),
            "tensorflow" => Self::Array(Library::TensorFlow, Way::Sum),
            "tensorflow-norm" => Self::Array(Library::TensorFlow, Way::Norm),
            "paddle" => Self::Array(Library::Paddle, Way::Sum),
            "paddle-norm" => Self::Array(Library::Paddle, Way::Norm),
            "mlx" => Self::Array(Library::Mlx, Way::Sum),
            "mlx-norm" => Self::Array(Library::Mlx, Way::Norm),
            "dask" => Self::Array(Library::Dask, Way::Sum),
            "dask-norm" => Self::Array(Library::Dask, Way::Norm),
            "tinygrad" => Self::Array(Library::Tinygrad, Way::Sum),
            "mnn" => Self::Array(Library::Mnn, Way::Sum),
            "tfjs" => Self::Package(Package::Tfjs(Way::Sum)),
            "tfjs-norm" => Self::Package(Package::Tfjs(Way::Norm)),
            "webnn-baseline" => Self::Package(Package::WebNnBaseline),
            "stdlib-blas" => Self::Package(Package::StdlibBlas),
            "openblas" => Self::Blas(Blas::OpenBlas),
            "system-blas" => Self::Blas(Blas::System("libblas.so.3")),
            "blis" => Self::Blas(Blas::System("libblis.so.4")),
            "scipy-blas" => Self::Blas(Blas::Scipy),
            "rten" => Self::Crate(Crate::Rten(AxesAs::Initializer)),
            "rten-axes-input" => Self::Crate(Crate::Rten(AxesAs::Input)),
            "tract" => Self::Crate(Crate::Tract),
            "candle" => Self::Crate(Crate::Candle),
            "burn" => Self::Crate(Crate::Burn),
            "faer" => Self::Crate(Crate::Faer),
            "nalgebra" => Self::Crate(Crate::Nalgebra),
            _ => return None,
        })
    }

    /// Returns the command that runs the reproduction, in its folder.
    pub const fn command(self) -> &'static str {
        match self {
            Self::Crate(_) => "cargo run --release",
            Self::Package(_) => "node repro.mjs",
            Self::OnnxRuntime(..)
            | Self::OnnxReference(_)
            | Self::OpenVinoIr { .. }
            | Self::OpenVinoOnnx(_)
            | Self::OpenVinoEvaluate
            | Self::Compiler(_)
            | Self::Ncnn
            | Self::LiteRt(_)
            | Self::Array(..)
            | Self::Blas(_) => "python repro.py",
        }
    }
}
