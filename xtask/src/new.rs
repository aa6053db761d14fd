//! `cargo xtask new-backend PATH` and `cargo xtask new-case ID`: something that works, to be filled in.
//!
//! A new backend compiles and passes `smoke`, and says that it supports nothing. A new case loads, agrees with the
//! reference and waits outside the corpus until `cargo xtask cases adopt` takes it.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Arg, ArgMatches, Command};
use normative_conformance::corpus::prefix;
use normative_conformance::reference::{Axes, Call, Dtype, Norm, Operator, Spec, Tensor};

use crate::cases::found::{stated, text_of};
use crate::home::program;
use crate::hunt::shown;
use crate::runner::of_path;
use crate::select::{Folder, unknown_spec, workspace_root};

const BACKEND: &str = include_str!("../templates/backend.rs");

/// What `new-backend` takes.
pub(crate) fn backend_command() -> Command {
    Command::new("new-backend").about("Make the crate of a new backend, which compiles and passes smoke").arg(
        Arg::new("path")
            .value_name("PATH")
            .required(true)
            .value_parser(clap::value_parser!(PathBuf))
            .help("Where to; the folder's name is the backend's, and it must not be there"),
    )
}

/// Runs `new-backend`.
pub(crate) fn backend(matches: &ArgMatches) -> Result<ExitCode> {
    let path = matches.get_one::<PathBuf>("path").context("no path is given")?;
    let name = path.file_name().and_then(|name| name.to_str()).context("the path ends in no name")?;
    if !is_crate_name(name) {
        bail!("{name}: a crate's name is letters, digits, '-' and '_', and begins with a letter");
    }
    let shown = || path.display().to_string();
    fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).with_context(shown)?;
    fs::create_dir(path).with_context(shown)?;
    fs::create_dir(path.join("src")).with_context(shown)?;
    // A JSON string is a TOML string, whatever is in the path.
    let backend = serde_json::to_string(&workspace_root().join("conformance/backend"))?;
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\nnormative-backend = {{ path = {backend} }}\n\n\
         # Of no other workspace, wherever it lies.\n[workspace]\n"
    );
    fs::write(path.join("Cargo.toml"), manifest).with_context(shown)?;
    fs::write(path.join("src/lib.rs"), BACKEND.replace("@NAME@", name)).with_context(shown)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "made {}; fill in src/lib.rs, and then", shown())?;
    for command in ["smoke", "conformance"] {
        writeln!(out, "  {} {command} --backend {}", program(), of_path(path))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn is_crate_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// What `new-case` takes.
pub(crate) fn case_command() -> Command {
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
pub(crate) fn case(matches: &ArgMatches) -> Result<ExitCode> {
    let folder = Folder::of(matches);
    let spec = *matches.get_one::<Spec>("spec").context("no spec is given")?;
    let words = matches.get_one::<String>("id").map_or("", String::as_str);
    let id = format!("{}{}", prefix(spec), words.strip_prefix(prefix(spec)).unwrap_or(words));
    if folder.load()?.cases.iter().any(|case| case.id == id) {
        bail!("the corpus already has a case {id}");
    }
    let call = example(spec)?;
    let found = folder.found()?;
    let why = "Say here which wrong implementation it catches.";
    let case = stated(call, found.join(format!("{id}.yaml")), id, why, &folder.ledger()?)
        .ok_or_else(|| anyhow!("{spec} has no example"))?;
    let text = text_of(&case.file, "Say here what its cases have in common", std::slice::from_ref(&case))?;
    fs::create_dir_all(&found)?;
    // Not over somebody's draft.
    let mut file = fs::File::create_new(&case.file).with_context(|| case.file.display().to_string())?;
    file.write_all(text.as_bytes())?;
    let mut out = std::io::stdout().lock();
    let option = folder.given().map_or_else(String::new, |path| format!(" --cases {}", path.display()));
    writeln!(out, "made {}; fill it in, and then", shown(&case.file))?;
    writeln!(out, "  {} cases adopt {}{option} --into TOPIC", program(), shown(&case.file))?;
    Ok(ExitCode::SUCCESS)
}

/// The rows 3, -4 and 5, 12, of which each spec sums the last.
fn example(spec: Spec) -> Result<Call> {
    let operator = match spec {
        Spec::OpenVino(norm) => Operator::OpenVino { norm, keep_dims: Some(false) },
        Spec::Onnx(norm, opset) => {
            Operator::Onnx { norm, opset, keepdims: Some(0), noop_with_empty_axes: None }
        }
        Spec::Bnns => Operator::Bnns { output_shape: vec![2] },
        Spec::ArrayApi(norm) => {
            Operator::ArrayApi { ord: (norm == Norm::L1).then_some(norm), keepdims: None }
        }
    };
    // BNNS counts axes from the fastest.
    let axis = i64::from(spec != Spec::Bnns);
    let bits = [3.0_f32, -4.0, 5.0, 12.0].map(|x| u64::from(x.to_bits()));
    let data = Tensor::from_bits(Dtype::F32, &[2, 2], &bits)?;
    Ok(Call { operator, data, axes: Axes::list(&[axis]) })
}
