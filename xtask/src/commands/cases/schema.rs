//! `cargo xtask cases schema`: writes the JSON Schemas of the corpus's files, for completion and checks in editors,
//! that of a record, for programs, and the page that explains cases. All are generated from the types that read the
//! files, so they are not edited by hand.

mod markdown;

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::corpus::schema::{case_file, kernel_file, ledger_file};
use normative_conformance::outside;
use normative_conformance::report::record::schema::line;

use normative::home;
use normative::select::workspace_root;

/// Returns the command's options.
pub(super) fn command() -> Command {
    Command::new("schema")
        .about("Write the JSON Schemas of case files, clause ledgers and records, and the page about cases")
        .arg(
            Arg::new("check")
                .long("check")
                .action(ArgAction::SetTrue)
                .help("Write nothing; fail if a file is not what the types say"),
        )
}

/// Runs the command.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    home::checkout_for("`cargo xtask cases schema`")?;
    let mut out = std::io::stdout().lock();
    let mut stale = 0_u8;
    for (name, text) in made()? {
        let file = workspace_root().join(name);
        if written(&file)?.as_deref() == Some(text.as_str()) {
            continue;
        }
        stale = 1;
        if matches.get_flag("check") {
            writeln!(
                out,
                "{}: is not what the types say; run {} cases schema",
                file.display(),
                home::program()
            )?;
        } else {
            fs::write(&file, text).context(name)?;
            writeln!(out, "wrote {}", file.display())?;
        }
    }
    Ok(ExitCode::from(if matches.get_flag("check") { stale } else { 0 }))
}

/// Returns the files, by their paths from the root of this repository, and their texts.
fn made() -> Result<[(&'static str, String); 5]> {
    let text = |schema| -> Result<String> { Ok(serde_json::to_string_pretty(&schema)? + "\n") };
    Ok([
        ("cases/schema/case.schema.json", text(case_file())?),
        ("cases/schema/kernels.schema.json", text(kernel_file())?),
        ("cases/schema/clauses.schema.json", text(ledger_file())?),
        ("conformance/record.schema.json", text(line())?),
        ("docs/case-format.md", markdown::page(&workspace_root().join("cases"))?),
    ])
}

/// Returns the text of a file, or `None` if it does not exist.
fn written(file: &Path) -> Result<Option<String>> {
    match outside::text(file, outside::WRITTEN) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| file.display().to_string()),
    }
}

#[cfg(test)]
mod tests;
