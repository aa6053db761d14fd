//! Writes a crate: `Cargo.toml`, which depends only on the runtime at the judged version, and `src/main.rs`.
//!
//! Each runtime has a template, the few lines of its adapter in `backends/`; the call and the acceptable
//! answers are constants. The comparison is that of the scripts in Python.

use std::fmt::Write as _;

use normative_backend::bytes;
use normative_conformance::display;
use normative_onnx::{AxesAs, Model};
use normative_reference::{Axes, Call, Dtype, Norm, Tensor};

use crate::arguments::Arguments;
use crate::due::{Due, DueCondition, DueTensor};
use crate::python::said;
use crate::script::{filled, name};
use crate::target::Crate;
use crate::{NoRepro, ReproFile, Subject};

/// The most elements that are written as a list; more go into a file.
const IN_LINE: usize = 64;

/// The code that compares and prints results.
const CHECK: &str = include_str!("templates/check.rs.txt");

/// Returns the files of a crate.
///
/// # Errors
/// [`NoRepro`] if the runtime cannot express the call.
pub(crate) fn files(subject: &Subject<'_>, krate: Crate) -> Result<Vec<ReproFile>, NoRepro> {
    let Subject { identity, call, name, due, .. } = subject;
    let (model, axes) = model(subject, krate)?;
    let code = match krate {
        Crate::Rten(_) => rten(axes.as_ref()),
        Crate::Tract => include_str!("templates/tract.rs.txt").to_owned(),
        Crate::Candle => candle(call)?,
        Crate::Burn => burn(call)?,
        Crate::Faer => of_everything(call, include_str!("templates/faer.rs.txt"), faer)?,
        Crate::Nalgebra => of_everything(call, include_str!("templates/nalgebra.rs.txt"), nalgebra)?,
    };
    let mut text =
        format!("//! {} {}: one call of {}.\n//!\n", identity.name, identity.version, call.spec().name());
    let _ = write!(
        text,
        "//! From the conformance suite Normative, {name}.\n//! Run: cargo run --release\n//! Exit status: 0 where the \
         result is one that is due, 1 where it is not.\n\n#![allow(dead_code, unused_imports, clippy::all)]\n\n{code}\n"
    );
    let (constants, data) = data(&call.data, half_of(krate));
    let _ = writeln!(text, "const CALL: &str = {:?};\n\n{constants}", display::call(call));
    text += &due_text(due);
    text += CHECK;
    let mut files = vec![
        ReproFile::text("Cargo.toml", manifest(krate, &identity.version, call.data.dtype())),
        ReproFile::text("src/main.rs", text),
    ];
    files.extend(data);
    files.extend(model);
    Ok(files)
}

/// Returns the model for a runtime that reads one, and the axes to feed it.
fn model(subject: &Subject<'_>, krate: Crate) -> Result<(Option<ReproFile>, Option<Tensor>), NoRepro> {
    let axes = match krate {
        Crate::Rten(axes) => axes,
        Crate::Tract => AxesAs::Initializer,
        Crate::Candle | Crate::Burn | Crate::Faer | Crate::Nalgebra => return Ok((None, None)),
    };
    let call = subject.call;
    let model = normative_onnx::model(call, axes);
    let Model { bytes, axes } =
        model.map_err(|why| NoRepro::Call { spec: call.spec().name(), why: why.to_string() })?;
    Ok((Some(ReproFile { path: "model.onnx", bytes }), axes))
}

/// Writes a call of rten. Int64 axes are fed as i32, because rten also converts int64 in models to i32.
fn rten(axes: Option<&Tensor>) -> String {
    let fed = axes.map_or_else(String::new, |axes| {
        let values: Vec<String> =
            axes.bits().into_iter().map(|bits| display::element(axes.dtype(), bits)).collect();
        format!(
            "    let axes = model.node_id(\"axes\").map_err(|error| error.to_string())?;\n    \
             let named = Value::from_shape(&{:?}[..] as &[usize], vec![{}_i32]).map_err(|error| error.to_string())?;\n    \
             inputs.push((axes, named.into()));\n",
            axes.shape(),
            values.join("_i32, "),
        )
    });
    let fed =
        if axes.is_some_and(Tensor::is_empty) { fed.replace("vec![_i32]", "Vec::<i32>::new()") } else { fed };
    let inputs = if axes.is_some() { "let mut inputs" } else { "let inputs" };
    let template = include_str!("templates/rten.rs.txt");
    filled(template, &[("INPUTS", inputs), ("AXES", &fed)])
}

fn manifest(krate: Crate, version: &str, dtype: Dtype) -> String {
    let dependencies = match krate {
        Crate::Rten(_) => format!(
            "rten = {{ version = \"={version}\", default-features = false, features = [\"onnx_format\"] }}\n\
             rten-tensor = \"={version}\"\n"
        ),
        Crate::Tract => format!("tract-onnx = {{ version = \"={version}\", default-features = false }}\n"),
        Crate::Candle => format!("candle-core = {{ version = \"={version}\", default-features = false }}\n"),
        Crate::Burn => format!(
            "burn = {{ version = \"={version}\", default-features = false, features = [\"std\", \"flex\", \"linalg\", \
             \"rayon\", \"simd\"] }}\n"
        ),
        Crate::Faer => {
            format!("faer = {{ version = \"={version}\", default-features = false, features = [\"std\"] }}\n")
        }
        Crate::Nalgebra => {
            format!(
                "nalgebra = {{ version = \"={version}\", default-features = false, features = [\"std\"] }}\n"
            )
        }
    };
    let half = matches!((krate, dtype), (Crate::Candle, _));
    let half = if half { "half = \"2\"\n" } else { "" };
    format!(
        "[package]\nname = \"repro\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n[dependencies]\n\
         {dependencies}{half}\n# A workspace of its own, wherever the folder lies.\n[workspace]\n"
    )
}

/// Returns the path of the crate's 16-bit float types.
const fn half_of(krate: Crate) -> &'static str {
    match krate {
        Crate::Tract => "tract_onnx::prelude",
        Crate::Burn => "burn::tensor",
        Crate::Candle | Crate::Rten(_) | Crate::Faer | Crate::Nalgebra => "half",
    }
}

/// Returns the data: their shape, and the function `data` that makes a vector of them.
fn data(tensor: &Tensor, half: &str) -> (String, Option<ReproFile>) {
    let dtype = tensor.dtype();
    let word = 8 * dtype.size();
    let (element, from) = match dtype {
        Dtype::F16 => (format!("{half}::f16"), format!("{half}::f16::from_bits")),
        Dtype::Bf16 => (format!("{half}::bf16"), format!("{half}::bf16::from_bits")),
        Dtype::F32 | Dtype::F64 => (dtype.to_string(), format!("{dtype}::from_bits")),
        _ => (dtype.to_string(), format!("|bits: u{word}| bits as {dtype}")),
    };
    let mut text = format!("const SHAPE: [usize; {}] = {:?};\n", tensor.rank(), tensor.shape());
    let (words, file) = if tensor.len() <= IN_LINE {
        let bits: Vec<String> = tensor.bits().into_iter().map(|bits| display::bits(dtype, bits)).collect();
        let _ = writeln!(text, "/// {}", display::data(tensor));
        let _ = writeln!(text, "const DATA: [u{word}; {}] = [{}];", bits.len(), bits.join(", "));
        ("DATA.into_iter()".to_owned(), None)
    } else {
        let size = dtype.size();
        let _ = writeln!(text, "static DATA: &[u8] = include_bytes!(\"../data.bin\");");
        let words =
            format!("DATA.chunks_exact({size}).map(|word| u{word}::from_le_bytes(word.try_into().unwrap()))");
        (words, Some(ReproFile { path: "data.bin", bytes: bytes::of(tensor) }))
    };
    let _ = write!(text, "\nfn data() -> Vec<{element}> {{\n    {words}.map({from}).collect()\n}}\n");
    (text, file)
}

fn due_text(due: &Due) -> String {
    let mut text = String::from(
        "/// What is due: one of these. Of each element, the bits from the first number to the second are accepted, both\n\
         /// included; where there are several pairs, those of any.\n",
    );
    for question in due.open() {
        let _ = writeln!(text, "// Open: {question}");
    }
    text += "const DUE: &[Due] = &[\n";
    for answer in &due.answers {
        let condition = format!("{:?}", answer.readings);
        match &answer.is {
            DueCondition::Refused(clause) => {
                let _ = writeln!(text, "    Due::Refused {{ condition: {condition}, clause: {clause:?} }},");
            }
            DueCondition::Tensor(DueTensor { dtype, shape, elements, single }) => {
                let _ = writeln!(
                    text,
                    "    Due::Tensor {{\n        condition: {condition},\n        dtype: \"{}\",\n        shape: \
                     &{shape:?},\n        of_f32: {single},\n        elements: &[",
                    name(*dtype)
                );
                for element in elements {
                    let pairs: Vec<String> = element
                        .ranges
                        .iter()
                        .map(|(low, high)| {
                            format!("({}, {})", display::bits(*dtype, *low), display::bits(*dtype, *high))
                        })
                        .collect();
                    let comment = if elements.len() <= IN_LINE {
                        format!("  // {}", said(*dtype, element))
                    } else {
                        String::new()
                    };
                    let _ = writeln!(text, "            &[{}],{comment}", pairs.join(", "));
                }
                text += "        ],\n    },\n";
            }
        }
    }
    text + "];\n"
}

/// Returns the call's arguments for libraries whose axes are lists of integers.
fn arguments(call: &Call) -> Result<(Arguments<'_>, Vec<i128>), NoRepro> {
    let arguments = Arguments::of(call)?;
    if let Axes::Given(axes) = &call.axes
        && (!axes.dtype.is_integer() || axes.shape.len() > 1)
    {
        return Err(NoRepro::Call {
            spec: call.spec().name(),
            why: "axes that are no list of integers".into(),
        });
    }
    let axes =
        arguments.axis.listed().map_or_else(|| (0..call.data.rank() as i128).collect(), <[i128]>::to_vec);
    Ok((arguments, axes))
}

fn candle(call: &Call) -> Result<String, NoRepro> {
    let (Arguments { norm, keepdims, .. }, axes) = arguments(call)?;
    let dim = |axis: &i128| match axis {
        0.. => format!("{axis}_usize.to_index(shape, \"sum\")?"),
        _ => format!("D::Minus({}).to_index(shape, \"sum\")?", axis.unsigned_abs()),
    };
    let dims: Vec<String> = axes.iter().map(dim).collect();
    let sum = if keepdims == 0 { "sum" } else { "sum_keepdim" };
    let norm = match norm {
        Norm::L1 => format!("x.abs()?.{sum}(dims)"),
        Norm::L2 => format!("x.sqr()?.{sum}(dims)?.sqrt()"),
        Norm::SumSquare => format!("x.sqr()?.{sum}(dims)"),
    };
    Ok(include_str!("templates/candle.rs.txt").replace("DIMS", &dims.join(", ")).replace("NORM", &norm))
}

fn burn(call: &Call) -> Result<String, NoRepro> {
    let (arguments, axes) = arguments(call)?;
    let (rank, dtype) = (call.data.rank(), call.data.dtype());
    let mut reduced: Vec<i128> = arguments.axis.counted(rank);
    reduced.retain(|axis| (0..rank as i128).contains(axis));
    reduced.sort_unstable();
    reduced.dedup();
    let left = rank - reduced.len();
    let (result, dims) = match left {
        _ if arguments.keepdims != 0 || reduced.is_empty() => {
            ("norm".to_owned(), "result.shape().as_slice().to_vec()")
        }
        // burn has no tensor of rank 0, so the result is read as a scalar.
        0 => ("norm".to_owned(), "vec![]"),
        left => (format!("norm.squeeze_dims::<{left}>(&axes)"), "result.shape().as_slice().to_vec()"),
    };
    let kind = if dtype.is_integer() { ", Int" } else { "" };
    let norm = match arguments.norm {
        Norm::L1 => "l1_norm_dims",
        Norm::L2 => "l2_norm_dims",
        Norm::SumSquare => {
            return Err(NoRepro::Call { spec: call.spec().name(), why: "burn has no sum of squares".into() });
        }
    };
    let fill = [
        ("AXES", format!("{axes:?}")),
        ("KIND", kind.to_owned()),
        ("DTYPE", dtype.to_string().to_uppercase()),
        ("NORM_DIMS", norm.to_owned()),
        ("RESULT", result),
        ("LEFT", dims.to_owned()),
    ];
    let template = include_str!("templates/burn.rs.txt").to_owned();
    Ok(fill.iter().fold(template, |text, (word, with)| text.replace(word, with)))
}

/// Writes a call of libraries whose norms cover the whole tensor and return a number.
fn of_everything(
    call: &Call,
    template: &str,
    norm: fn(usize, Norm) -> Option<String>,
) -> Result<String, NoRepro> {
    let arguments = Arguments::of(call)?;
    let (rank, dtype) = (call.data.rank(), call.data.dtype());
    let why = || NoRepro::Call { spec: call.spec().name(), why: format!("this norm of data of rank {rank}") };
    let dims = if arguments.keepdims == 0 { "vec![]".to_owned() } else { format!("vec![1; {rank}]") };
    let norm = norm(rank, arguments.norm).ok_or_else(why)?;
    Ok(template.replace("NORM", &norm).replace("DIMS", &dims).replace("DTYPE", name(dtype)))
}

fn faer(rank: usize, norm: Norm) -> Option<String> {
    let which = match norm {
        Norm::L1 => "norm_l1",
        Norm::L2 => "norm_l2",
        Norm::SumSquare => return None,
    };
    match rank {
        1 => Some(format!("faer::ColRef::from_slice(&data).{which}()")),
        2 => Some(format!("faer::MatRef::from_row_major_slice(&data, SHAPE[0], SHAPE[1]).{which}()")),
        _ => None,
    }
}

fn nalgebra(rank: usize, norm: Norm) -> Option<String> {
    let which = match norm {
        Norm::L1 => "lp_norm(1)",
        Norm::L2 => "norm()",
        Norm::SumSquare => return None,
    };
    match rank {
        1 => Some(format!("nalgebra::DVector::from_column_slice(&data).{which}")),
        2 => Some(format!("nalgebra::DMatrix::from_row_slice(SHAPE[0], SHAPE[1], &data).{which}")),
        _ => None,
    }
}
