//! Scripts for array libraries of Python's: the same few lines that the adapter in `backends/python` is, with the
//! arguments of the one call filled in.

use normative_reference::{Axes, Call, Dtype, Norm, Operator};

use crate::arguments::{Arguments, Axis, tuple};
use crate::script::{Script, array, pin};
use crate::target::{Library, Way};
use crate::{NoRepro, Subject};

/// What ends every call to `NumPy`, and to what makes a `NumPy` array of its results.
const RETURN: &str = "    return result.dtype.name, result.shape, result.tobytes()\n";

/// The script.
pub(crate) fn script(subject: &Subject<'_>, library: Library, way: Way) -> Result<Script, NoRepro> {
    let (call, version) = (subject.call, subject.identity.version.as_str());
    let dtype = call.data.dtype();
    let (literal, file) = array(&call.data, "data.npy");
    let (literal, comment) = match literal.split_once("  # ") {
        Some((literal, comment)) => (literal.to_owned(), format!("  # {comment}")),
        None => (literal, String::new()),
    };
    let half = dtype == Dtype::Bf16;
    let (imports, packages, body, refusals) = match library {
        Library::Numpy => (
            "",
            vec![pin("numpy", version)],
            numpy(call, way)?,
            "(ValueError, TypeError, OverflowError)  # an AxisError is a ValueError",
        ),
        Library::Torch => (
            "import torch",
            // What follows a + is the kind of build.
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
            jax(call, way)?,
            "(ValueError, TypeError, OverflowError)",
        ),
        Library::TensorFlow => (
            if half { "import ml_dtypes\nimport tensorflow as tf" } else { "import tensorflow as tf" },
            vec![pin("tensorflow-cpu", version), "numpy".into()],
            tensorflow(call, way)?,
            "(ValueError, TypeError, OverflowError, tf.errors.OpError)",
        ),
    };
    let view = match library {
        Library::Jax | Library::TensorFlow if half => ".view(ml_dtypes.bfloat16)",
        _ => "",
    };
    let code = format!("DATA = {literal}{view}{comment}\n\n\ndef call():\n{body}\n\nREFUSALS = {refusals}");
    Ok(Script { packages, standard: &[], imports, code, files: file.into_iter().collect() })
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
        (Way::Sum, norm) => sums(norm, "DATA", &to, &arguments.result_shape(call.data.shape())),
        (Way::Norm, Norm::L1) => format!("    result = np.asarray(np.linalg.norm(DATA, 1, {to}))\n"),
        (Way::Norm, Norm::L2) => format!("    result = np.asarray(np.linalg.norm(DATA, {to}))\n"),
    };
    Ok(format!("{quiet}{body}{RETURN}"))
}

/// Sums into an output of the data's type, which is how `NumPy` is asked for a result of that type.
fn sums(norm: Norm, data: &str, to: &str, shape: &[usize]) -> String {
    let out = format!("out=np.empty({}, DATA.dtype)", tuple(shape));
    match norm {
        Norm::L1 => format!("    result = np.sum(np.abs({data}), {to}, {out})\n"),
        Norm::L2 => format!(
            "    total = np.sum(np.square({data}), {to}, {out})\n    result = np.sqrt(total, {out}, casting=\"unsafe\")\n"
        ),
    }
}

/// BNNS counts axes from the fastest, which is what `NumPy` does on `DATA.T`; its output of one element stands for
/// rank 0.
fn numpy_bnns(call: &Call, output: &[usize]) -> String {
    let axis = match &call.axes {
        Axes::Given(axes) => Axis::of(axes),
        Axes::Absent | Axes::Null => Axis::All,
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
        (Way::Sum, Norm::L1) => format!("torch.sum(torch.abs(x), {to}, dtype=x.dtype)"),
        (Way::Sum, Norm::L2) => {
            format!("torch.sqrt(torch.sum(torch.square(x), {to}, dtype=x.dtype)).to(x.dtype)")
        }
        (Way::Norm, norm) => format!("torch.linalg.vector_norm(x, ord={}, {to})", order(norm)),
    };
    Ok(format!(
        "    x = torch.from_numpy(DATA){view}\n    result = {norm}\n    raw = \
         result.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()\n    \
         return str(result.dtype).partition(\".\")[2], result.shape, raw\n"
    ))
}

const fn order(norm: Norm) -> u8 {
    match norm {
        Norm::L1 => 1,
        Norm::L2 => 2,
    }
}

fn jax(call: &Call, way: Way) -> Result<String, NoRepro> {
    let arguments = Arguments::of(call)?;
    let (axis, keepdims) = (arguments.axis.in_python(), arguments.keepdims_in_python());
    let to = format!("axis={axis}, keepdims={keepdims}");
    // Without it, JAX has no type of 64 bits.
    let x64 = way == Way::Sum;
    let norm = match (way, arguments.norm) {
        (Way::Sum, Norm::L1) => format!("jnp.sum(jnp.abs(x), {to}, dtype=x.dtype)"),
        (Way::Sum, Norm::L2) => {
            format!("jnp.sqrt(jnp.sum(jnp.square(x), {to}, dtype=x.dtype)).astype(x.dtype)")
        }
        (Way::Norm, norm) => format!("jnp.linalg.vector_norm(x, ord={}, {to})", order(norm)),
    };
    let x64 = if x64 { "    jax.config.update(\"jax_enable_x64\", True)\n" } else { "" };
    Ok(format!(
        "    jax.config.update(\"jax_platforms\", \"cpu\")\n{x64}    x = jnp.asarray(DATA)\n    result = np.asarray({norm})\n{RETURN}"
    ))
}

fn tensorflow(call: &Call, way: Way) -> Result<String, NoRepro> {
    let arguments = Arguments::of(call)?;
    let keepdims = arguments.keepdims_in_python();
    let mut axis = arguments.axis.in_python();
    if way == Way::Norm
        && let Axis::Given(axes) = arguments.axis
        && axes.shape == [1]
    {
        // One axis is a number to tf.norm, never a list of one.
        axis = axis.trim_start_matches('(').trim_end_matches(",)").to_owned();
    }
    let to = format!("axis={axis}, keepdims={keepdims}");
    let norm = match (way, arguments.norm) {
        (Way::Sum, Norm::L1) => format!("tf.reduce_sum(tf.abs(x), {to})"),
        (Way::Sum, Norm::L2) => format!("tf.sqrt(tf.reduce_sum(tf.square(x), {to}))"),
        (Way::Norm, Norm::L1) => format!("tf.norm(x, ord=1, {to})"),
        (Way::Norm, Norm::L2) => format!("tf.norm(x, ord=\"euclidean\", {to})"),
    };
    Ok(format!("    x = tf.constant(DATA)\n    result = np.asarray({norm}.numpy())\n{RETURN}"))
}
