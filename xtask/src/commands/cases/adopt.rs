//! `cargo xtask cases adopt FILE`: moves a hunt's finds into the corpus.
//!
//! The file's cases go into a topic of their family, in canonical form, after all checks of `lint`; the file is
//! removed. Cases whose id or call the corpus already has are refused.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Arg, ArgMatches, Command};
use normative_conformance::corpus::guard::MAX_BYTES;
use normative_conformance::corpus::{Case, Corpus, Ledger, load_text};
use normative_conformance::outside;
use normative_conformance::run::prepare;

use super::unknown_clauses;
use crate::cases::content::{File, Item, Node, Source};
use normative::home::program;
use normative::home::shown;
use normative::select::{Folder, list};

/// The default topic.
const TOPIC: &str = "regressions";

/// Returns the command's options.
pub(super) fn command() -> Command {
    Command::new("adopt")
        .about("Take the cases of a file that a run kept (conformance --keep) into the corpus")
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .value_parser(clap::value_parser!(PathBuf))
                .help("The file, such as cases/found/NAME.yaml"),
        )
        .arg(
            Arg::new("into").long("into").value_name("TOPIC").default_value(TOPIC).help(
                "File them under this topic, a file's name without its ending; there may be one or not",
            ),
        )
        .arg(Folder::option())
}

/// Runs the command.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let folder = Folder::of(matches);
    let file = matches.get_one::<PathBuf>("file").context("no file is given")?;
    let topic = matches.get_one::<String>("into").map_or(TOPIC, String::as_str);
    if topic.is_empty() || !topic.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-') {
        bail!("--into {topic}: a topic's name is lower-case words joined by '-'");
    }
    let text = outside::text(file, MAX_BYTES).with_context(|| file.display().to_string())?;
    let cases =
        load_text(file, &text).map_err(|errors| anyhow!("the file does not load:\n{}", list(&errors)))?;
    lint(&cases, &folder.ledger()?)?;
    refuse_known(&cases, &folder.load()?)?;

    let target = folder.path()?.join(folder_of(&cases)?).join(format!("{topic}.yaml"));
    let new = File::read(Source::Cases, file, &text)?;
    let before = outside::text_if_there(&target, MAX_BYTES).with_context(|| target.display().to_string())?;
    let after = match &before {
        Some(before) => joined(File::read(Source::Cases, &target, before)?, new),
        None => titled(new, &topic.replace('-', " ")),
    };
    let after = after.to_string();
    let loaded =
        load_text(&target, &after).map_err(|errors| anyhow!("would not load:\n{}", list(&errors)))?;
    let calls =
        |cases: &[Case]| cases.iter().map(|case| (case.name.clone(), case.call.clone())).collect::<Vec<_>>();
    if !calls(&loaded).ends_with(&calls(&cases)) {
        bail!("{}: would say something else; nothing is written", target.display());
    }
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
    }
    fs::write(&target, after).with_context(|| target.display().to_string())?;
    fs::remove_file(file).with_context(|| file.display().to_string())?;

    let mut out = std::io::stdout().lock();
    let place = if before.is_some() { "" } else { " (new)" };
    for case in &cases {
        writeln!(out, "adopted {} into {}{place}", case.name, shown(&target))?;
    }
    let cases_option = folder.given().map_or_else(String::new, |path| format!(" --cases {}", path.display()));
    for case in &cases {
        writeln!(out, "  {} conformance --backend ndarray{cases_option} --case {}", program(), case.name)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn lint(cases: &[Case], ledger: &Ledger) -> Result<()> {
    let mut findings = unknown_clauses(&cases.iter().collect::<Vec<_>>(), ledger);
    if let Err(errors) = prepare(cases) {
        findings.extend(errors.iter().map(ToString::to_string));
    }
    if findings.is_empty() { Ok(()) } else { bail!("the file is not in order:\n{}", list(&findings)) }
}

/// Refuses known ids, and a file whose calls are all known. Known calls beside new ones may belong to them.
fn refuse_known(cases: &[Case], corpus: &Corpus) -> Result<()> {
    for case in cases {
        if let Some(known) = corpus.cases.iter().find(|known| known.id == case.id) {
            bail!("{}:{}: the corpus already has a case {}", known.file.display(), known.line, case.id);
        }
    }
    let twin = |case: &Case| corpus.cases.iter().find(|known| known.call == case.call);
    let twins: Vec<&Case> = cases.iter().filter_map(twin).collect();
    match twins.last() {
        Some(known) if twins.len() == cases.len() => {
            bail!(
                "{}:{}: the corpus makes this call already, as {}",
                known.file.display(),
                known.line,
                known.name
            )
        }
        _ => Ok(()),
    }
}

/// Returns the folder of the family, which all cases must share.
fn folder_of(cases: &[Case]) -> Result<&'static str> {
    let family = |case: &Case| case.call.spec().family();
    let first = cases.first().map(family).context("there is no case")?;
    match cases.iter().find(|case| family(case) != first) {
        Some(other) => bail!("{} is of another family than the rest: adopt one family at a time", other.name),
        None => Ok(first.name()),
    }
}

/// Appends the other file's cases. If its specs differ from this file's, each case gets its own.
fn joined(mut file: File, new: File) -> File {
    let specs =
        |file: &File| file.head.iter().find(|(name, _)| name == "specs").map(|(_, specs)| specs.clone());
    let (ours, theirs) = (specs(&file), specs(&new));
    file.items.extend(new.items.into_iter().map(|mut item| {
        if let Some(theirs) = theirs.clone().filter(|theirs| Some(theirs) != ours.as_ref()) {
            say_specs(&mut item, theirs);
        }
        item
    }));
    file
}

fn say_specs(item: &mut Item, specs: Node) {
    if item.fields.iter().any(|(name, _)| name == "specs") {
        return;
    }
    let after_why = item.fields.iter().position(|(name, _)| name == "why").map_or(0, |at| at + 1);
    item.fields.insert(after_why, ("specs".to_owned(), specs));
}

fn titled(mut file: File, topic: &str) -> File {
    let mut title = topic.to_owned();
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    for (name, value) in &mut file.head {
        if name == "topic" {
            *value = Node::Text(title.clone());
        }
    }
    file
}
