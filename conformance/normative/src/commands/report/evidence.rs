//! `cargo xtask report evidence`: writes a folder with the judged backend, the suite and the results, which others can
//! check.
//!
//! The folder holds the records, and files that `made` derives from the records alone. So a reader checks it by making
//! it again. `tables` and `cells` write CSV, and `manifest` lists the SHA-256 of every file.

mod cells;
mod made;
mod manifest;
mod tables;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::outside;

use crate::output::{fresh_folder, output_folder, write_file};
use crate::select::Folder;
use normative_conformance::display::shell::quoted;

/// The maximum size of a record in bytes.
const LARGEST: usize = 1 << 31;

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("evidence")
        .about("Write a folder that shows what was judged and what came of it, and that others can check")
        .after_help("Exit code 0: it is written, whatever came of the runs. 2: it is not written.")
        .arg(
            Arg::new("records")
                .value_name("RECORD")
                .value_parser(clap::value_parser!(PathBuf))
                .required(true)
                .action(ArgAction::Append)
                .num_args(1..)
                .help("The record of a run, or of a matrix"),
        )
        .arg(output_folder())
        .arg(Folder::option())
}

/// Runs `report evidence`.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let output: &PathBuf = matches.get_one("output").context("no folder")?;
    let records = matches.get_many::<PathBuf>("records").into_iter().flatten();
    let read = |path: &PathBuf| outside::bytes(path, LARGEST).with_context(|| path.display().to_string());
    let records: Vec<Vec<u8>> = records.map(read).collect::<Result<_>>()?;
    let files = made::files(&Folder::of(matches), &records)?;
    fresh_folder(output)?;
    for (name, bytes) in &files {
        write_file(&output.join(name), bytes)?;
    }
    write_file(&output.join(manifest::NAME), manifest::of(&files))?;
    let mut out = std::io::stdout().lock();
    let (count, folder, list) = (files.len() + 1, output.display().to_string(), manifest::NAME);
    let pasted = quoted(&folder);
    writeln!(out, "wrote {count} files into {folder}; (cd {pasted} && sha256sum -c {list}) checks them")?;
    Ok(ExitCode::SUCCESS)
}
