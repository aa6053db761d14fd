//! `cargo xtask cases show ID`: prints a case in its canonical form, and the names of its expansions.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Arg, ArgMatches, Command};

use crate::cases::content::{File, Source};
use normative::select::{Folder, unknown_case};

/// Returns the command's options.
pub(super) fn command() -> Command {
    Command::new("show")
        .about("Print a case as `fmt` writes it, and the cases it expands to")
        .arg(Arg::new("id").value_name("ID").required(true).help("The case's id"))
        .arg(Folder::option())
}

/// Runs the command.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let folder = Folder::of(matches);
    let corpus = folder.load()?;
    let id = matches.get_one("id").map_or("", String::as_str);
    let expanded: Vec<_> = corpus.cases.iter().filter(|case| case.id == id).collect();
    let Some(case) = expanded.first() else { bail!(unknown_case(id, corpus.cases.iter())) };
    let text = Folder::text_of(&case.file)?;
    let file = File::read(Source::Cases, &case.file, &text)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}:{}", case.file.display(), case.line)?;
    for item in file.items.iter().filter(|item| item.name() == Some(id)) {
        write!(out, "{item}")?;
    }
    writeln!(out)?;
    for case in expanded {
        writeln!(out, "{}", case.name)?;
    }
    Ok(ExitCode::SUCCESS)
}
