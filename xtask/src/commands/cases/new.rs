//! `cargo xtask cases new ID --like CASE`: makes a file of one case, a copy of another, for editing.
//!
//! The file is complete: `--cases` takes its folder.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Arg, ArgMatches, Command};
use normative_conformance::corpus::load_text;

use crate::cases::content::{File, Item, Node, Source};
use crate::cases::found::{new_id, write_draft};
use normative::home::program;
use normative::home::shown;
use normative::select::{Folder, list, unknown_case};
use normative_conformance::display::shell::quoted;

/// Returns the command's options.
pub(super) fn command() -> Command {
    Command::new("new")
        .about("Make a file of one case, a copy of another, to be changed")
        .arg(Arg::new("id").value_name("ID").required(true).help(
            "Its id, with or without the operator: words that state the rule, such as trailing-axis-of-size-one",
        ))
        .arg(
            Arg::new("like")
                .long("like")
                .value_name("CASE")
                .required(true)
                .help("The case to copy: its id, or its name"),
        )
        .arg(
            Arg::new("output")
                .long("output")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .help("Write this file, which must not be there [default: found/ID.yaml among the cases]"),
        )
        .arg(Folder::option())
}

/// Runs the command.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let folder = Folder::of(matches);
    let corpus = folder.load()?;
    let word = |name| matches.get_one::<String>(name).map_or("", String::as_str);
    let (id, like) = (word("id"), word("like"));
    let model = corpus.cases.iter().find(|case| case.id == like || case.name == like);
    let Some(model) = model else { bail!(unknown_case(like, corpus.cases.iter())) };
    let id = new_id(model.call.spec(), id, &corpus)?;
    let file = File::read(Source::Cases, &model.file, &Folder::text_of(&model.file)?)?;
    let text = copied(file, &model.id, &id).with_context(|| format!("{like} cannot be copied"))?.to_string();
    let output = matches.get_one::<PathBuf>("output").cloned();
    let output =
        output.map_or_else(|| Ok::<_, anyhow::Error>(folder.found()?.join(format!("{id}.yaml"))), Ok)?;
    load_text(&output, &text).map_err(|errors| anyhow!("{id} cannot be a case:\n{}", list(&errors)))?;
    write_draft(&output, &text)?;
    let parent = output.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (program, cases) = (program(), quoted(&shown(parent)));
    let mut out = std::io::stdout().lock();
    writeln!(out, "made {}; change it, and then", shown(&output))?;
    writeln!(out, "  {program} cases lint --cases {cases}")?;
    writeln!(out, "  {program} conformance --backend YOURS --cases {cases} --case {id}")?;
    Ok(ExitCode::SUCCESS)
}

/// Makes a file with a copy of one case under another id.
fn copied(file: File, model: &str, id: &str) -> Option<File> {
    let head = file.head.into_iter().map(|(name, value)| match name.as_str() {
        "topic" => (name, Node::Text("Say here what its cases have in common".into())),
        _ => (name, value),
    });
    let item = file.items.into_iter().find(|item| item.name() == Some(model))?;
    let fields = item.fields.into_iter().map(|(name, value)| match name.as_str() {
        "id" => (name, Node::Text(id.to_owned())),
        "why" => (name, Node::Text("Say here which wrong implementation it catches.".into())),
        _ => (name, value),
    });
    let item = Item { comments: Vec::new(), fields: fields.collect() };
    Some(File { comments: Vec::new(), head: head.collect(), list: file.list, items: vec![item] })
}
