//! The tables: the backends of this repository, the sets of packages that some of them need, and our own tools.

use std::path::PathBuf;

use normative_conformance::drive::Asking;
use normative_onnx::AxesAs;
use normative_repro::target::WEBNN_BASELINE;

use crate::select::workspace_root;

/// A backend of this repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownBackend {
    /// The name that `--backend` takes.
    pub name: &'static str,
    /// A description of the library and of the functions that are judged.
    pub what: &'static str,
    pub(super) way: Way,
    /// The name of the set it needs.
    pub(super) set: Option<&'static str>,
    /// The only system it is for, as `std::env::consts::OS` names it.
    pub(super) only_on: Option<&'static str>,
}

/// The kind of worker: a crate, a Python file or a Node file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// The crate in this folder of `backends/`, with this word on the command line.
    Crate(&'static str, Option<&'static str>),
    /// A file in `backends/python`, with these words on the command line.
    Python(&'static str, &'static [&'static str]),
    /// A file in `backends/javascript`, words on its command line, the kind of requests that it takes, and the folder
    /// inside its set that follows those words.
    Node(&'static str, &'static [&'static str], Asking, &'static str),
}

/// Backends that compile every call, which takes half a second or more.
pub(super) const COMPILING: [&str; 2] = ["iree", "tvm"];

/// The registry that a set's packages come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Registry {
    /// The index of Python: pip installs from a lock.
    Pip,
    /// npm, which also chooses the versions of the dependencies.
    Npm,
}

/// Packages that are installed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Set {
    pub(super) name: &'static str,
    pub(super) registry: Registry,
    /// Name and version. The first package is the runtime itself, and `@VERSION` sets its version.
    pub(super) packages: &'static [(&'static str, &'static str)],
    /// The shared library that the backend loads.
    pub(super) library: Option<Library>,
    /// Environment variables, each with the folder inside the environment that it is set to.
    pub(super) folders: &'static [(&'static str, &'static str)],
    /// The first release of the runtime that works with version 2 of `numpy` on every system. Older releases do not
    /// declare this limit: they install beside numpy 2, and calls fail.
    pub(super) numpy_2_from: Option<&'static str>,
}

impl Set {
    /// Returns the path of the lock, which names every package of the set by its digest.
    pub(super) fn lock(&self) -> PathBuf {
        workspace_root().join("backends/locks").join(format!("{}.txt", self.name))
    }
}

/// A shared library among the installed packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Library {
    /// The environment variable that hands its path to the worker.
    pub(super) variable: &'static str,
    pub(super) folder: &'static str,
    /// The start of the file name; the rest depends on version and system.
    pub(super) begins: &'static str,
}

const fn of_crate(name: &'static str, what: &'static str) -> KnownBackend {
    KnownBackend { name, what, way: Way::Crate(name, None), set: None, only_on: None }
}

const fn loads(
    name: &'static str,
    set: &'static str,
    word: Option<&'static str>,
    what: &'static str,
) -> KnownBackend {
    KnownBackend { name, what, way: Way::Crate(set, word), set: Some(set), only_on: None }
}

const fn python(
    name: &'static str,
    set: &'static str,
    file: &'static str,
    words: &'static [&'static str],
    what: &'static str,
) -> KnownBackend {
    KnownBackend { name, what, way: Way::Python(file, words), set: Some(set), only_on: None }
}

/// Makes the row of a Python file that loads a system library, and reports unavailable without it.
const fn on_system(
    name: &'static str,
    file: &'static str,
    words: &'static [&'static str],
    what: &'static str,
) -> KnownBackend {
    KnownBackend { name, what, way: Way::Python(file, words), set: None, only_on: Some("linux") }
}

const fn of_packages(name: &'static str, packages: &'static [(&'static str, &'static str)]) -> Set {
    Set { name, registry: Registry::Pip, packages, library: None, folders: &[], numpy_2_from: None }
}

const fn of_npm(name: &'static str, packages: &'static [(&'static str, &'static str)]) -> Set {
    Set { registry: Registry::Npm, ..of_packages(name, packages) }
}

const fn node(
    name: &'static str,
    file: &'static str,
    asking: Asking,
    folder: &'static str,
    what: &'static str,
) -> KnownBackend {
    KnownBackend { name, what, way: Way::Node(file, &[], asking, folder), set: Some(name), only_on: None }
}

/// Makes a row of TensorFlow.js; `words` name the formula.
const fn tfjs(name: &'static str, words: &'static [&'static str], what: &'static str) -> KnownBackend {
    let way = Way::Node("tfjs_backend.mjs", words, Asking::Calls, "");
    KnownBackend { name, what, way, set: Some("tfjs"), only_on: None }
}

/// Every backend, in the order of the columns of a matrix.
#[rustfmt::skip]
pub(super) const KNOWN: &[KnownBackend] = &[
    loads("onnxruntime", "onnxruntime", None, "ONNX Runtime on the CPU, axes as a constant"),
    loads("onnxruntime-axes-input", "onnxruntime", Some("axes-input"), "the same, axes fed with the data"),
    loads("onnxruntime-later-opset", "onnxruntime", Some("later-opset"), "the same, models that import a later opset with the same operators"),
    loads("onnxruntime-unoptimised", "onnxruntime", Some("unoptimised"), "the same, graph optimisation off"),
    loads("openvino", "openvino", None, "OpenVINO's CPU plugin, from IR"),
    loads("openvino-constant", "openvino", Some("constant"), "the same with constant data, which it folds"),
    loads("openvino-axes-input", "openvino", Some("axes-input"), "the same, axes fed with the data"),
    loads("openvino-onnx", "openvino", Some("onnx"), "OpenVINO's CPU plugin, from ONNX"),
    loads("openvino-onnx-axes-input", "openvino", Some("onnx-axes-input"), "the same, axes fed with the data"),
    python("openvino-evaluate", "openvino-evaluate", "openvino_evaluate_backend.py", &[], "OpenVINO's Model.evaluate, which no plugin runs"),
    of_crate("rten", "rten, from ONNX"),
    KnownBackend { way: Way::Crate("rten", Some("axes-input")), ..of_crate("rten-axes-input", "the same, axes fed with the data") },
    of_crate("tract", "tract, from ONNX"),
    python("onnx-reference", "onnx", "onnx_reference_backend.py", &["initializer"], "onnx's ReferenceEvaluator"),
    python("onnx-reference-axes-input", "onnx", "onnx_reference_backend.py", &["input"], "the same, axes fed with the data"),
    python("onnx-reference-later-opset", "onnx", "onnx_reference_backend.py", &["later-opset"], "the same, models that import a later opset with the same operators"),
    python("onnx-reference-function", "onnx", "onnx_reference_backend.py", &["function"], "the same, the body that ONNX gives of the operator"),
    python("onnxruntime-function", "onnxruntime-function", "onnxruntime_function_backend.py", &[], "ONNX Runtime, with the body that ONNX gives of the operator"),
    KnownBackend { only_on: Some("linux"), ..python("onnxruntime-cuda", "onnxruntime-cuda", "onnxruntime_cuda_backend.py", &[], "ONNX Runtime on a CUDA device") },
    python("tvm", "tvm", "tvm_backend.py", &[], "Apache TVM, from ONNX by Relax"),
    python("iree", "iree", "iree_backend.py", &[], "IREE on the CPU, from ONNX"),
    of_crate("burn", "burn: linalg::l1_norm_dims and l2_norm_dims"),
    of_crate("candle", "candle: sums of abs and sqr"),
    of_crate("ndarray", "ndarray: sum_axis over mapped values"),
    of_crate("ndarray-fold", "ndarray: fold_axis over the data"),
    of_crate("faer", "faer: norms of a vector or of a whole matrix"),
    of_crate("nalgebra", "nalgebra: norms of a vector or of a whole matrix"),
    python("numpy", "numpy", "numpy_backend.py", &["sum"], "NumPy: sums of abs and square"),
    python("numpy-norm", "numpy", "numpy_backend.py", &["norm"], "NumPy: linalg.norm"),
    python("torch", "torch", "torch_backend.py", &["sum"], "PyTorch: sums of abs and square"),
    python("torch-norm", "torch", "torch_backend.py", &["vector_norm"], "PyTorch: linalg.vector_norm"),
    python("torch-cuda", "torch", "torch_backend.py", &["sum", "cuda"], "PyTorch on a CUDA device: sums of abs and square"),
    python("torch-cuda-norm", "torch", "torch_backend.py", &["vector_norm", "cuda"], "PyTorch on a CUDA device: linalg.vector_norm"),
    python("jax", "jax", "jax_backend.py", &["sum", "x64"], "JAX with 64-bit types: sums of abs and square"),
    python("jax-norm", "jax", "jax_backend.py", &["vector_norm"], "JAX as it comes: linalg.vector_norm"),
    KnownBackend { only_on: Some("linux"), ..python("jax-cuda", "jax-cuda", "jax_backend.py", &["sum", "x64", "cuda"], "JAX on a CUDA device with 64-bit types: sums of abs and square") },
    KnownBackend { only_on: Some("linux"), ..python("jax-cuda-norm", "jax-cuda", "jax_backend.py", &["vector_norm", "cuda"], "JAX on a CUDA device: linalg.vector_norm") },
    KnownBackend { only_on: Some("linux"), ..python("cupy", "cupy", "cupy_backend.py", &["sum"], "CuPy on a CUDA device: sums of abs and square") },
    KnownBackend { only_on: Some("linux"), ..python("cupy-norm", "cupy", "cupy_backend.py", &["norm"], "CuPy on a CUDA device: linalg.norm") },
    python("tensorflow", "tensorflow", "tensorflow_backend.py", &["sum"], "TensorFlow: reduce_sum of abs and square"),
    python("tensorflow-norm", "tensorflow", "tensorflow_backend.py", &["norm"], "TensorFlow: tf.norm"),
    python("paddle", "paddle", "paddle_backend.py", &["sum"], "PaddlePaddle: sums of abs and square"),
    python("paddle-norm", "paddle", "paddle_backend.py", &["vector_norm"], "PaddlePaddle: linalg.vector_norm"),
    KnownBackend { only_on: Some("linux"), ..python("mlx", "mlx", "mlx_backend.py", &["sum"], "MLX on the CPU: sums of abs and square") },
    KnownBackend { only_on: Some("linux"), ..python("mlx-norm", "mlx", "mlx_backend.py", &["norm"], "MLX on the CPU: linalg.norm") },
    python("dask", "dask", "dask_backend.py", &["sum"], "Dask: sums of abs and square, in chunks"),
    python("dask-norm", "dask", "dask_backend.py", &["norm"], "Dask: linalg.norm, in chunks"),
    python("tinygrad", "tinygrad", "tinygrad_backend.py", &[], "tinygrad on the CPU, which needs clang: sums of abs and square"),
    python("mnn", "mnn", "mnn_backend.py", &[], "MNN's expressions: reduce_sum of abs and square"),
    python("litert", "litert", "litert_backend.py", &["default"], "LiteRT: ABS or SQUARE and SUM, by XNNPACK where it can"),
    python("litert-builtin", "litert", "litert_backend.py", &["builtin"], "the same by LiteRT's own kernels"),
    python("ncnn", "ncnn", "ncnn_backend.py", &[], "ncnn's layer Reduction"),
    node("onnxruntime-web", "onnxruntime_web_backend.mjs", Asking::Models(AxesAs::Initializer), "", "onnxruntime-web on WebAssembly, in Node"),
    node("webnn-baseline", "webnn_baseline_backend.mjs", Asking::Calls, "node_modules/webnn-baseline", "webnn-baseline, the W3C group's own implementation, in Node"),
    tfjs("tfjs", &["sum"], "TensorFlow.js in Node, in plain JavaScript: sums of abs and square"),
    tfjs("tfjs-norm", &["norm"], "TensorFlow.js in Node, in plain JavaScript: tf.norm"),
    python("openblas", "openblas", "blas_backend.py", &[], "OpenBLAS: asum and nrm2 of its interface for Fortran"),
    python("scipy-blas", "scipy", "scipy_blas_backend.py", &[], "SciPy: linalg.blas, which is the OpenBLAS of its wheel"),
    on_system("system-blas", "blas_backend.py", &["libblas.so.3"], "the system's libblas.so.3, such as Debian's libblas3: asum and nrm2"),
    on_system("blis", "blas_backend.py", &["libblis.so.4"], "the system's BLIS, such as Debian's libblis4: asum and nrm2"),
    node("stdlib-blas", "stdlib_blas_backend.mjs", Asking::Calls, "", "@stdlib/blas-base in Node: asum and nrm2"),
    KnownBackend {
        name: "bnns", what: "Apple's BNNSComputeNorm", way: Way::Crate("bnns", None), set: None, only_on: Some("macos"),
    },
];

/// The tools that install sets and write [locks](super::lock).
pub(super) const TOOLS: [Set; 2] =
    [of_packages("pip", &[("pip", "26.3")]), of_packages("uv", &[("uv", "0.13.9")])];

/// Every set.
#[rustfmt::skip]
pub(super) const SETS: &[Set] = &[
    Set {
        library: Some(Library {
            variable: "NORMATIVE_ONNXRUNTIME", folder: "onnxruntime/capi", begins: "libonnxruntime.",
        }),
        ..of_packages("onnxruntime", &[("onnxruntime", "1.31.1")])
    },
    Set {
        library: Some(Library { variable: "NORMATIVE_OPENVINO", folder: "openvino/libs", begins: "libopenvino_c." }),
        ..of_packages("openvino", &[("openvino", "2026.4.1")])
    },
    of_packages("openvino-evaluate", &[("openvino", "2026.4.1"), ("ml_dtypes", "0.6.0"), ("numpy", "2.4.6")]),
    of_packages("numpy", &[("numpy", "2.4.6")]),
    of_packages("onnx", &[("onnx", "1.23.2"), ("ml_dtypes", "0.6.0"), ("numpy", "2.4.6"), ("protobuf", "7.36.2")]),
    Set {
        // pytorch/pytorch#107302 and, for Windows, #131668.
        numpy_2_from: Some("2.4.1"),
        ..of_packages("torch", &[("torch", "2.15.0"), ("numpy", "2.4.6")])
    },
    Set {
        // JAX compiles for every shape, which takes most of its time; this cache keeps the result.
        folders: &[("JAX_COMPILATION_CACHE_DIR", "compiled")],
        ..of_packages(
            "jax",
            &[("jax", "0.10.2"), ("jaxlib", "0.10.2"), ("ml_dtypes", "0.6.0"), ("numpy", "2.4.6"), ("scipy", "1.17.1")],
        )
    },
    Set {
        folders: &[("JAX_COMPILATION_CACHE_DIR", "compiled")],
        ..of_packages(
            "jax-cuda",
            &[
                ("jax[cuda13]", "0.10.2"), ("jaxlib", "0.10.2"), ("ml_dtypes", "0.6.0"), ("numpy", "2.4.6"),
                ("scipy", "1.17.1"),
            ],
        )
    },
    // Includes the CUDA libraries that it loads.
    of_packages("cupy", &[("cupy-cuda13x[ctk]", "14.2.0"), ("numpy", "2.4.6")]),
    of_packages(
        "tensorflow",
        &[("tensorflow-cpu", "2.21.0"), ("keras", "3.15.1"), ("ml_dtypes", "0.6.0"), ("numpy", "2.4.6"), ("protobuf", "7.36.2")],
    ),
    // It imports setuptools without declaring the dependency.
    of_packages("paddle", &[("paddlepaddle", "3.3.1"), ("numpy", "2.4.6"), ("setuptools", "84.2.1")]),
    // The packages that `mlx[cpu]` installs on Linux.
    of_packages("mlx", &[("mlx", "0.32.4"), ("mlx-cpu", "0.32.4"), ("ml_dtypes", "0.6.0"), ("numpy", "2.4.6")]),
    of_packages("dask", &[("dask", "2026.8.0"), ("numpy", "2.4.6")]),
    Set {
        // tinygrad compiles a kernel for every shape; this cache keeps them.
        folders: &[("XDG_CACHE_HOME", "compiled")],
        ..of_packages("tinygrad", &[("tinygrad", "0.14.0")])
    },
    of_packages("mnn", &[("mnn", "3.6.1"), ("numpy", "2.4.6")]),
    // The newest backports.strenum only supports Python before 3.11.
    of_packages("litert", &[("ai-edge-litert", "2.3.0"), ("backports-strenum", "1.2.8"), ("numpy", "2.4.6")]),
    of_packages(
        "onnxruntime-function",
        &[("onnxruntime", "1.31.1"), ("onnx", "1.23.2"), ("ml_dtypes", "0.6.0"), ("numpy", "2.4.6"), ("protobuf", "7.36.2")],
    ),
    // Includes the CUDA libraries that it loads.
    of_packages(
        "onnxruntime-cuda",
        &[
            ("onnxruntime-gpu[cuda,cudnn]", "1.31.1"), ("onnx", "1.23.2"), ("ml_dtypes", "0.6.0"), ("numpy", "2.4.6"),
            ("protobuf", "7.36.2"),
        ],
    ),
    of_packages(
        "tvm",
        &[("apache-tvm", "0.27.0.post1"), ("onnx", "1.23.2"), ("ml_dtypes", "0.6.0"), ("numpy", "2.4.6"), ("protobuf", "7.36.2")],
    ),
    of_packages(
        "iree",
        &[("iree-base-compiler", "3.13.0"), ("iree-base-runtime", "3.13.0"), ("onnx", "1.23.2"), ("ml_dtypes", "0.6.0"), ("numpy", "2.4.6"), ("protobuf", "7.36.2")],
    ),
    of_npm("onnxruntime-web", &[("onnxruntime-web", "1.30.0")]),
    of_npm("tfjs", &[("@tensorflow/tfjs-core", "4.22.0"), ("@tensorflow/tfjs-backend-cpu", "4.22.0")]),
    // It is not in a registry: this is a commit of its repository.
    of_npm(
        "webnn-baseline",
        &[("github:webmachinelearning/webnn-baseline", WEBNN_BASELINE)],
    ),
    of_packages("ncnn", &[("ncnn", "1.0.20261020"), ("numpy", "2.4.6")]),
    Set {
        library: Some(Library {
            variable: "NORMATIVE_OPENBLAS", folder: "scipy_openblas32/lib", begins: "libscipy_openblas.",
        }),
        ..of_packages("openblas", &[("scipy-openblas32", "0.3.34.481.3")])
    },
    of_packages("scipy", &[("scipy", "1.17.1"), ("numpy", "2.4.6")]),
    of_npm(
        "stdlib-blas",
        &[
            ("@stdlib/blas-base-dnrm2", "0.4.1"), ("@stdlib/blas-base-dasum", "0.4.1"),
            ("@stdlib/blas-base-snrm2", "0.3.1"), ("@stdlib/blas-base-sasum", "0.3.1"),
        ],
    ),
];
