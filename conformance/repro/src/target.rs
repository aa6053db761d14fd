//! Which backends a stand-alone reproduction can be written for, and what is asked of each.
//!
//! A table from the names that `--backend` takes to a way of asking the runtime; how that way is written is in the
//! module of its language.

use normative_onnx::AxesAs;
use normative_openvino_ir::InputAs;

/// A runtime, and the way in which it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// ONNX Runtime, from Python.
    OnnxRuntime(AxesAs),
    /// onnx's `ReferenceEvaluator`.
    OnnxReference(AxesAs),
    /// OpenVINO from an IR model, from Python.
    OpenVinoIr(InputAs),
    /// OpenVINO from an ONNX model, from Python.
    OpenVinoOnnx,
    /// An array library of Python's.
    Array(Library, Way),
    /// A crate.
    Crate(Crate),
}

/// An array library of Python's.
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
}

/// How a norm is spelled there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As a sum of magnitudes, or a root of a sum of squares.
    Sum,
    /// By the function that is called a norm.
    Norm,
}

/// A crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crate {
    /// `rten`.
    Rten,
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

impl Target {
    /// What is asked of the backend of this name; `None` where nothing stand-alone can be written yet.
    pub fn of(backend: &str) -> Option<Self> {
        Some(match backend {
            "onnxruntime" => Self::OnnxRuntime(AxesAs::Initializer),
            "onnxruntime-axes-input" => Self::OnnxRuntime(AxesAs::Input),
            "onnx-reference" => Self::OnnxReference(AxesAs::Initializer),
            "onnx-reference-axes-input" => Self::OnnxReference(AxesAs::Input),
            "openvino" => Self::OpenVinoIr(InputAs::Parameter),
            "openvino-constant" => Self::OpenVinoIr(InputAs::Constant),
            "openvino-onnx" => Self::OpenVinoOnnx,
            "numpy" => Self::Array(Library::Numpy, Way::Sum),
            "numpy-norm" => Self::Array(Library::Numpy, Way::Norm),
            "torch" => Self::Array(Library::Torch, Way::Sum),
            "torch-norm" => Self::Array(Library::Torch, Way::Norm),
            "jax" => Self::Array(Library::Jax, Way::Sum),
            "jax-norm" => Self::Array(Library::Jax, Way::Norm),
            "tensorflow" => Self::Array(Library::TensorFlow, Way::Sum),
            "tensorflow-norm" => Self::Array(Library::TensorFlow, Way::Norm),
            "rten" => Self::Crate(Crate::Rten),
            "tract" => Self::Crate(Crate::Tract),
            "candle" => Self::Crate(Crate::Candle),
            "burn" => Self::Crate(Crate::Burn),
            "faer" => Self::Crate(Crate::Faer),
            "nalgebra" => Self::Crate(Crate::Nalgebra),
            _ => return None,
        })
    }

    /// Whether the reproduction is in Python.
    pub const fn is_python(self) -> bool {
        !matches!(self, Self::Crate(_))
    }
}
