//! `cargo xtask model FILE`: the reductions of a user's own model, in ONNX or as OpenVINO IR, and how a backend computes them.
//!
//! Finds every node of the operators, in the graph, in graphs within nodes and in functions, and prints them with what
//! is risky in them. With a backend, each node is asked at its own type, dims, axes and attributes. The weights are
//! never read, and nothing of the model but these nodes is run.

mod calls;
mod on_file;
mod table;

use std::io::{BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgMatches, Command};
use normative_conformance::display::shell::quoted;
use normative_conformance::outside;
use normative_conformance::session::{Calls, Job};
use normative_onnx::nodes::{self, FoundNode};
use normative_onnx::outline::outline;
use normative_openvino_ir::nodes as ir;
use normative_present::column::Column;

use crate::judging::Judging;
use crate::output::Output;
use crate::records::path_apart;
use crate::select::{self, Selection};
use crate::{demands, exit, home, interrupt, jobs, runner};

/// The most bytes of the XML of an IR. Its constants lie in another file.
const MOST_XML: usize = 256 << 20;

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("model")
        .about("Find the reductions of a model of ONNX or OpenVINO, and judge how a backend computes them")
        .after_help(
            "A dim that the file leaves open is asked as 1 and as 7. Of data of more than 1,048,576 elements the longest dims \
             are halved. Nodes of one call are asked once. Exit code 0: the backend computes all of them as the text says, \
             or none was named. 1: it does not. 2: the file is no model, or the run itself went wrong.",
        )
        .arg(
            Arg::new("model")
                .value_name("FILE")
                .required(true)
                .value_parser(clap::value_parser!(PathBuf))
                .help("The model, FILE.onnx, or FILE.xml of OpenVINO; of its weights and external data nothing is read"),
        )
        .arg(runner::option())
        .args(Selection::options())
        .arg(demands::timeout())
        .arg(jobs::option("Ask N workers at once, each a part of the calls"))
        .args(Output::options())
        .mut_args(|arg| match arg.get_id().as_str() {
            "model" | "backend" => arg,
            _ => arg.requires("backend"),
        })
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let path = matches.get_one::<PathBuf>("model").context("no model is named")?;
    let found = read(path).with_context(|| path.display().to_string())?;
    let output = Output::of(matches);
    let backend = matches.get_one::<String>("backend");
    if backend.is_none() || !output.is_for_others() {
        let mut text = String::new();
        table::write(&mut text, &path.display().to_string(), &found)?;
        std::io::stdout().lock().write_all(text.as_bytes())?;
    }
    backend.map_or(Ok(ExitCode::SUCCESS), |backend| judge(matches, path, backend, &found, &output))
}

/// Reads the reductions of an ONNX model, or of an OpenVINO IR, whose constants lie in a file beside it.
fn read(path: &Path) -> Result<Vec<FoundNode>> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xml")) {
        let constants = path.with_extension("bin");
        let read = |offset: u64, size: usize| {
            let mut file = outside::open(&constants).ok()?;
            let mut bytes = vec![0; size];
            file.seek(SeekFrom::Start(offset)).and_then(|_| file.read_exact(&mut bytes)).ok()?;
            Some(bytes)
        };
        return Ok(ir::find(&outside::text(path, MOST_XML)?, read)?);
    }
    let model = outline(BufReader::new(outside::open(path)?))?;
    Ok(nodes::find(&model)?)
}

/// Judges the backend by the calls of the nodes, or by those of them that `--case` names.
fn judge(
    matches: &ArgMatches,
    path: &Path,
    backend: &str,
    found: &[FoundNode],
    output: &Output,
) -> Result<ExitCode> {
    runner::check(backend)?;
    let selection = Selection::of(matches);
    // The cases of the corpus are not asked.
    let mut corpus = selection.load()?;
    corpus.cases.retain(|case| case.clauses.is_empty());
    corpus.cases.extend(calls::cases(found)?);
    if corpus.cases.is_empty() {
        bail!("no node of {} can be asked", path.display());
    }
    let ledger = selection.folder.ledger()?;
    let prepared = select::prepared(selection.select(&corpus)?)?;
    let limits = demands::limits(matches);
    let mut judging = Judging::of(&corpus, &ledger, &prepared, Calls::none(), limits);
    judging.jobs = jobs::of(matches);
    if output.shows_defects_alone() {
        judging.job = Job { few: 0, ..judging.job };
    }
    let program = runner::program(backend)?;
    interrupt::listen()?;
    let file = quoted(&path.display().to_string());
    let again = format!("{} model {file} --backend {}", home::program(), quoted(backend));
    // Models that are judged at the same time have a record each.
    let record = path_apart("models", &format!("{backend} {}", path.display()))?;
    let report = judging.run(backend, &program, again.clone(), record, false)?;
    let column = Column { repro: None, name: backend.to_owned(), report, again };
    output.write_one(&column, None, &corpus, &ledger)?;
    exit::code(&column.report, &[])
}
