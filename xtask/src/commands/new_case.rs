//! `cargo xtask new-case ID`: makes a valid case, for editing.
//!
//! It loads, agrees with the reference, and stays outside the corpus until `cargo xtask cases adopt` moves it there.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use clap::{Arg, ArgMatches, Command};
use normative_conformance::corpus::stated;
use normative_conformance::reference::{Axes, Call, Dtype, Operator, Spec, Tensor};

use crate::cases::found::{new_id, text_of, write_draft};
use normative::home::program;
use normative::home::shown;
use normative::select::{Folder, unknown_spec};

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("new-case")
        .about("Make a case to be filled in, outside the corpus until cases adopt takes it")
        .arg(Arg::new("id").value_name("ID").required(true).help(
            "Its id, without the operator: words that state the rule, such as trailing-axis-of-size-one",
        ))
        .arg(
            Arg::new("spec")
                .long("spec")
                .value_name("SPEC")
                .required(true)
                .value_parser(spec)
                .help("The spec it is about, such as onnx/ReduceL2-18"),
        )
        .arg(Folder::option())
}

fn spec(name: &str) -> Result<Spec, String> {
    Spec::from_name(name).ok_or_else(|| unknown_spec(name))
}

/// Runs `new-case`.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let folder = Folder::of(matches);
    let spec = *matches.get_one::<Spec>("spec").context("no spec is given")?;
    let words = matches.get_one::<String>("id").map_or("", String::as_str);
    let id = new_id(spec, words, &folder.load()?)?;
    let call = example(spec)?;
    let found = folder.found()?;
    let why = "Say here which wrong implementation it catches.";
    let file = found.join(format!("{id}.yaml"));
    let case =
        stated::case(call, id, why, &folder.ledger()?).ok_or_else(|| anyhow!("{spec} has no example"))?;
    write_draft(&file, &text_of(&file, "Say here what its cases have in common", &[case])?)?;
    let mut out = std::io::stdout().lock();
    let option = folder.given().map_or_else(String::new, |path| format!(" --cases {}", path.display()));
    writeln!(out, "made {}; fill it in, and then", shown(&file))?;
    writeln!(out, "  {} cases adopt {}{option} --into TOPIC", program(), shown(&file))?;
    Ok(ExitCode::SUCCESS)
}

/// Makes a call on the rows 3, -4 and 5, 12. It reduces the last axis; BLAS, with a stride of 2, the first column.
fn example(spec: Spec) -> Result<Call> {
    let bits = [3.0_f32, -4.0, 5.0, 12.0].map(|x| u64::from(x.to_bits()));
    let operator = match spec.operator() {
        operator @ (Operator::OpenVino { .. } | Operator::Onnx { .. }) => operator.with_keep_dims(Some(0)),
        Operator::Bnns { .. } => Operator::Bnns { output_shape: vec![2] },
        Operator::Blas { norm, .. } => {
            let data = Tensor::from_bits(Dtype::F32, &[4], &bits)?;
            return Ok(Call::new(Operator::Blas { norm, n: 2, incx: 2 }, data, Axes::Absent));
        }
        operator => operator,
    };
    // BNNS counts axes from the fastest.
    let axis = i64::from(spec != Spec::Bnns);
    let data = Tensor::from_bits(Dtype::F32, &[2, 2], &bits)?;
    Ok(Call::new(operator, data, Axes::list(&[axis])))
}
