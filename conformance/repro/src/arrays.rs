//! Writes scripts for Python's array libraries: the few lines of the adapter in `backends/python`, with the
//! arguments of one call.

use normative_reference::{Axes, Call, Dtype, Finish, Layout, Norm, Operator, Term};

use crate::arguments::{Arguments, Axis, tuple};
use crate::script::{Script, array, name, pin};
use crate::target::{Library, Way};
use crate::{NoRepro, Subject};

/// The last line of every call of `NumPy`, and of libraries whose results become `NumPy` arrays.
const RETURN: &str = "    return result.dtype.name, result.shape, result.tobytes()\n";

/// Returns the script.
pub(crate) fn script(subject: &Subject<'_>, library: Library, way: Way) -> Result<Script, NoRepro> {
    let (call, version) = (subject.call, subject.identity.version.as_str());
    let dtype = call.data.dtype();
    let (literal, file) = array(&call.data, "data.npy");
    let (literal, comment) = match literal.split_once("  # ") {
        Some((literal, comment)) => (literal.to_owned(), format!("  # {comment}")),
        None => (literal, String::new()),
    };
    let half = dtype == Dtype::Bf16;
    // JAX has 64-bit types only with this flag.
    let x64 = way == Way::Sum;
    // The array API defines one function of this name, so its calls always use that.
    let way = if matches!(call.operator, Operator::ArrayApi { .. }) { Way::Norm } else { way };
    let (imports, packages, body, refusals) = match library {
        Library::Numpy => (
            "",
            vec![pin("numpy", version)],
            numpy(call, way)?,
            "(ValueError, TypeError, OverflowError)  # an AxisError is a ValueError",
        ),
        Library::Torch => (
            "import torch",
            // The part after a + names the build.
            vec![pin("torch", version.split('+').next().unwrap_or_default()), "numpy".into()],
            torch(call, way)?,
            "(ValueError, TypeError, IndexError, OverflowError, RuntimeError)",
        ),
        Library::Jax => (
            if half {
                "import jax\nimport jax.numpy as jnp\nimport ml_dtypes"
            } else {
                "import jax\nimport jax.numpy as jnp"
            },
            vec![pin("jax", version), "numpy".into()],
            jax(call, way, x64)?,
            "(ValueError, TypeError, OverflowError)",
        ),
        Library::TensorFlow => (
            if half { "import ml_dtypes\nimport tensorflow as tf" } else { "import tensorflow as tf" },
            vec![pin("tensorflow-cpu", version), "numpy".into()],
            tensorflow(call, way)?,
            "(ValueError, TypeError, OverflowError, tf.errors.OpError)",
        ),
        Library::Paddle => (
            "import paddle",
            vec![pin("paddlepaddle", version), "numpy".into(), "setuptools".into()],
            paddle(call, way)?,
            "(ValueError, TypeError, IndexError, OverflowError, RuntimeError, OSError)",
        ),
        Library::Mlx => (
            if half { "import ml_dtypes\nimport mlx.core as mx" } else { "import mlx.core as mx" },
            vec![pin("mlx[cpu]", version), "numpy".into()],
            mlx(call, way)?,
            "(ValueError, TypeError, IndexError, OverflowError, RuntimeError)",
        ),
        Library::Dask => (
            "import dask\nimport dask.array as da",
            vec![pin("dask", version), "numpy".into()],
            dask(call, way)?,
            "(ValueError, TypeError, IndexError, OverflowError, NotImplementedError)",
        ),
        Library::Tinygrad => (
            "from tinygrad import Tensor, dtypes",
            vec![pin("tinygrad", version), "numpy".into()],
            tinygrad(call)?,
            "(ValueError, TypeError, IndexError, OverflowError, RuntimeError)",
        ),
        Library::Mnn => (
            "import MNN.expr as F",
            vec![pin("mnn", version), "numpy".into()],
            mnn(call)?,
            "(ValueError, TypeError, OverflowError, SystemError)",
        ),
    };
    let view = match library {
        Library::Jax | Library::TensorFlow | Library::Mlx if half => ".view(ml_dtypes.bfloat16)",
        _ => "",
    };
    let laid_out = laid_out(call);
    let code = format!(
        "DATA = {literal}{view}{comment}\n{laid_out}\n\ndef call():\n{body}\n\nREFUSALS = {refusals}"
    );
    Ok(Script { packages, standard: &[], imports: imports.into(), code, files: file.into_iter().collect() })
}

/// Returns the lines that move `DATA` into the call's layout.
fn laid_out(call: &Call) -> String {
    let rank = call.data.rank();
    let index = |at: &dyn Fn(usize) -> bool, some: &str| -> String {
        (0..rank).map(|axis| if at(axis) { some } else { ":" }).collect::<Vec<_>>().join(", ")
    };
    match call.layout {
        Layout::RowMajor => String::new(),
        Layout::Transposed => "DATA = DATA.copy(order=\"F\")\n".into(),
        Layout::Reversed => "DATA = np.flip(np.flip(DATA).copy())\n".into(),
        Layout::Sliced => {
            let is_cut = |axis| axis == 0 || axis + 1 == rank;
            let dims = call.data.shape().iter().enumerate();
            let dims: Vec<usize> =
                dims.map(|(axis, &dim)| if is_cut(axis) { 2 * dim + 1 } else { dim }).collect();
            let cut = index(&is_cut, "1::2");
            format!(
                "LARGER = np.empty({}, DATA.dtype)\nLARGER.reshape(-1).view(np.uint8)[...] = 0xFF\n\
                 LARGER[{cut}] = DATA\nDATA = LARGER[{cut}]\n",
                tuple(&dims)
            )
        }
        Layout::Broadcast => {
            let once = index(&|axis| repeats(call, axis), ":1");
            format!("DATA = np.broadcast_to(DATA[{once}].copy(), DATA.shape)\n")
        }
        Layout::Unaligned => {
            "DATA = np.frombuffer(bytes(1) + DATA.tobytes(), DATA.dtype, offset=1).reshape(DATA.shape)\n"
                .into()
        }
    }
}

/// Returns true if all elements along an axis are the same.
fn repeats(call: &Call, axis: usize) -> bool {
    let shape = call.data.shape();
    let (dim, step) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    let bits = call.data.bits();
    (0..bits.len()).all(|at| bits[at] == bits[at - at / step % dim * step])
}

fn numpy(call: &Call, way: Way) -> Result<String, NoRepro> {
    let quiet = "    np.seterr(all=\"ignore\")\n";
    if let Operator::Bnns { output_shape } = &call.operator {
        return Ok(format!("{quiet}{}{RETURN}", numpy_bnns(call, output_shape)));
    }
    let arguments = Arguments::of(call)?;
    let (axis, keepdims) = (arguments.axis.in_python(), arguments.keepdims_in_python());
    let to = format!("axis={axis}, keepdims={keepdims}");
    let body = match (way, arguments.norm) {
        (_, norm) if matches!(call.operator, Operator::ArrayApi { .. }) => {
            format!("    result = np.asarray(np.linalg.vector_norm(DATA, ord={}, {to}))\n", norm.order())
        }
        (Way::Sum, norm) | (Way::Norm, norm @ Norm::SumSquare) => {
            sums(norm, "DATA", &to, &arguments.result_shape(call.data.shape()))
        }
        (Way::Norm, Norm::L1) => format!("    result = np.asarray(np.linalg.norm(DATA, 1, {to}))\n"),
        (Way::Norm, Norm::L2) => format!("    result = np.asarray(np.linalg.norm(DATA, {to}))\n"),
    };
    Ok(format!("{quiet}{body}{RETURN}"))
}

/// Sums into an output of the data's type, because `NumPy` then computes a result of that type.
fn sums(norm: Norm, data: &str, to: &str, shape: &[usize]) -> String {
    let out = format!("out=np.empty({}, DATA.dtype)", tuple(shape));
    let sum = sum_in("np", "sum", norm.term(), data, &format!("{to}, {out}"));
    match norm.finish() {
        Finish::Nothing => format!("    result = {sum}\n"),
        Finish::Root => format!("    total = {sum}\n    result = np.sqrt(total, {out})\n"),
    }
}

/// Writes a sum of terms of `data`, in a module's functions.
fn sum_in(module: &str, sum: &str, term: Term, data: &str, to: &str) -> String {
    let term = match term {
        Term::Magnitude => "abs",
        Term::Square => "square",
    };
    format!("{module}.{sum}({module}.{term}({data}), {to})")
}

/// Writes a norm of `x` as the steps of its formula, in a module's functions.
pub(crate) fn steps_in(module: &str, sum: &str, norm: Norm, to: &str) -> String {
    let sum = sum_in(module, sum, norm.term(), "x", to);
    match norm.finish() {
        Finish::Nothing => sum,
        Finish::Root => format!("{module}.sqrt({sum})"),
    }
}

/// Writes a BNNS call. BNNS counts axes from the fastest, as `NumPy` does on `DATA.T`; an output of one
/// element stands for rank 0.
fn numpy_bnns(call: &Call, output: &[usize]) -> String {
    let axis = match &call.axes {
        Axes::Given(axes) => Axis::of(axes),
        // BNNS has only one form of axes.
        Axes::Absent | Axes::Null | Axes::OtherForm(_) => Axis::All,
    };
    let rank = call.data.rank();
    let spans = (0..rank as i128).all(|at| axis.counted(rank).contains(&at));
    let shape = if spans && output == [1] { &[][..] } else { output };
    let back: Vec<usize> = output.iter().rev().copied().collect();
    let sums = sums(Norm::L2, "DATA.T", &format!("axis={}, keepdims=False", axis.in_python()), shape);
    format!("{sums}    result = result.T.reshape({})\n", tuple(&back))
}

fn torch(call: &Call, way: Way) -> Result<String, NoRepro> {
    let arguments = Arguments::of(call)?;
    let (dim, keepdim) = (arguments.axis.in_python(), arguments.keepdims_in_python());
    let to = format!("dim={dim}, keepdim={keepdim}");
    let view = if call.data.dtype() == Dtype::Bf16 { ".view(torch.bfloat16)" } else { "" };
    let norm = match (way, arguments.norm) {
        (Way::Sum, norm) | (Way::Norm, norm @ Norm::SumSquare) => {
            steps_in("torch", "sum", norm, &format!("{to}, dtype=x.dtype"))
        }
        (Way::Norm, norm) => format!("torch.linalg.vector_norm(x, ord={}, {to})", norm.order()),
    };
    Ok(format!(
        "    x = torch.from_numpy(DATA){view}\n    result = {norm}\n    raw = \
         result.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()\n    \
         return str(result.dtype).partition(\".\")[2], result.shape, raw\n"
    ))
}

fn jax(call: &Call, way: Way, x64: bool) -> Result<String, NoRepro> {
    let arguments = Arguments::of(call)?;
    let (axis, keepdims) = (arguments.axis.in_python(), arguments.keepdims_in_python());
    let to = format!("axis={axis}, keepdims={keepdims}");
    let norm = match (way, arguments.norm) {
        (Way::Sum, norm) | (Way::Norm, norm @ Norm::SumSquare) => {
            steps_in("jnp", "sum", norm, &format!("{to}, dtype=x.dtype"))
        }
        (Way::Norm, norm) => format!("jnp.linalg.vector_norm(x, ord={}, {to})", norm.order()),
    };
    let x64 = if x64 { "    jax.config.update(\"jax_enable_x64\", True)\n" } else { "" };
    Ok(format!(
        "    jax.config.update(\"jax_platforms\", \"cpu\")\n{x64}    x = jnp.asarray(DATA)\n    result = np.asarray({norm})\n{RETURN}"
    ))
}

fn tensorflow(call: &Call, way: Way) -> Result<String, NoRepro> {
    let arguments = Arguments::of(call)?;
    let to = format!("axis={}, keepdims={}", arguments.axis.in_python(), arguments.keepdims_in_python());
    let norm = match (way, arguments.norm) {
        (Way::Sum, norm) | (Way::Norm, norm @ Norm::SumSquare) => steps_in("tf", "reduce_sum", norm, &to),
        (Way::Norm, Norm::L1) => format!("tf.norm(x, ord=1, {to})"),
        (Way::Norm, Norm::L2) => format!("tf.norm(x, ord=\"euclidean\", {to})"),
    };
    Ok(format!("    x = tf.constant(DATA)\n    result = np.asarray({norm}.numpy())\n{RETURN}"))
}

fn paddle(call: &Call, way: Way) -> Result<String, NoRepro> {
    let arguments = Arguments::of(call)?;
    let to = format!("axis={}, keepdim={}", arguments.axis.in_python(), arguments.keepdims_in_python());
    let norm = match (way, arguments.norm) {
        (Way::Sum, norm) | (Way::Norm, norm @ Norm::SumSquare) => {
            steps_in("paddle", "sum", norm, &format!("{to}, dtype=x.dtype"))
        }
        (Way::Norm, norm) => format!("paddle.linalg.vector_norm(x, p={}.0, {to})", norm.order()),
    };
    // Paddle takes an array of uint16 as the bits of bfloat16.
    Ok(format!(
        "    x = paddle.to_tensor(DATA)\n    result = {norm}\n    return str(result.dtype).rpartition(\".\")[2], \
         tuple(result.shape), result.numpy().tobytes()\n"
    ))
}

fn mlx(call: &Call, way: Way) -> Result<String, NoRepro> {
    let arguments = Arguments::of(call)?;
    let to = format!("axis={}, keepdims={}", arguments.axis.in_python(), arguments.keepdims_in_python());
    let norm = match (way, arguments.norm) {
        (Way::Sum, norm) | (Way::Norm, norm @ Norm::SumSquare) => steps_in("mx", "sum", norm, &to),
        (Way::Norm, Norm::L1) => format!("mx.linalg.norm(x, ord=1, {to})"),
        (Way::Norm, Norm::L2) => format!("mx.linalg.norm(x, {to})"),
    };
    // Without an explicit type, MLX turns f64 into f32.
    let dtype = name(call.data.dtype());
    Ok(format!(
        "    mx.set_default_device(mx.cpu)\n    x = mx.array(DATA, mx.{dtype})\n    result = {norm}\n    \
         mx.eval(result)\n    return str(result.dtype).rpartition(\".\")[2], tuple(result.shape), \
         memoryview(result).tobytes()\n"
    ))
}

fn dask(call: &Call, way: Way) -> Result<String, NoRepro> {
    let arguments = Arguments::of(call)?;
    let to = format!("axis={}, keepdims={}", arguments.axis.in_python(), arguments.keepdims_in_python());
    let norm = match (way, arguments.norm) {
        (Way::Sum, norm) | (Way::Norm, norm @ Norm::SumSquare) => {
            steps_in("da", "sum", norm, &format!("{to}, dtype=x.dtype"))
        }
        (Way::Norm, Norm::L1) => format!("da.linalg.norm(x, 1, {to})"),
        (Way::Norm, Norm::L2) => format!("da.linalg.norm(x, {to})"),
    };
    let chunks: Vec<usize> = call.data.shape().iter().map(|dim| dim.div_ceil(2)).collect();
    Ok(format!(
        "    dask.config.set(scheduler=\"synchronous\")\n    np.seterr(all=\"ignore\")\n    \
         x = da.from_array(DATA, chunks={})\n    result = np.asarray({norm}.compute())\n{RETURN}",
        tuple(&chunks)
    ))
}

fn tinygrad(call: &Call) -> Result<String, NoRepro> {
    let arguments = Arguments::of(call)?;
    let to = format!(
        "axis={}, keepdim={}, dtype=x.dtype",
        arguments.axis.in_python(),
        arguments.keepdims_in_python()
    );
    let norm = match arguments.norm {
        Norm::L1 => format!("x.abs().sum({to})"),
        Norm::L2 => format!("x.square().sum({to}).sqrt()"),
        Norm::SumSquare => format!("x.square().sum({to})"),
    };
    let dtype = name(call.data.dtype());
    let shape = tuple(call.data.shape());
    // tinygrad makes no tensor from an empty buffer.
    let x = if call.data.is_empty() {
        format!("Tensor.empty(*{shape}, dtype=dtypes.{dtype}, device=\"CPU\")")
    } else {
        format!(
            "Tensor(DATA.tobytes(), dtype=dtypes.uint8, device=\"CPU\").bitcast(dtypes.{dtype}).reshape({shape})"
        )
    };
    let types = "(\"float16\", \"bfloat16\", \"float32\", \"float64\", \"int8\", \"int16\", \"int32\", \"int64\", \"uint8\", \
                 \"uint16\", \"uint32\", \"uint64\")";
    Ok(format!(
        "    x = {x}\n    result = {norm}\n    names = {{getattr(dtypes, name): name for name in {types}}}\n    \
         name = names[result.dtype]\n    # What it reads of a tensor has no floats of 16 bits.\n    raw = \
         result.bitcast(dtypes.uint16) if name in (\"float16\", \"bfloat16\") else result\n    \
         return name, result.shape, raw.data().tobytes()\n"
    ))
}

/// Writes a call of MNN, whose `axis` has no `None`: an empty list means every axis.
fn mnn(call: &Call) -> Result<String, NoRepro> {
    let arguments = Arguments::of(call)?;
    let axis = match arguments.axis {
        Axis::All => "[]".to_owned(),
        axis @ (Axis::Empty | Axis::Given(_)) => axis.in_python(),
    };
    let to = format!("{axis}, {}", arguments.keepdims_in_python());
    let whole = call.data.dtype().is_integer();
    let norm = steps_in("F", "reduce_sum", arguments.norm, &to);
    let dtype = if whole { "F.int" } else { "F.float" };
    Ok(format!(
        "    x = F.const(DATA, list(DATA.shape), F.NCHW, {dtype})\n    var = {norm}\n    result = \
         np.ascontiguousarray(var.read()).reshape(var.shape)\n{RETURN}"
    ))
}
