//! `cargo xtask report evidence` and `report verify`: a folder that shows what was judged, by what, and what came of it, and
//! that somebody else can check.
//!
//! The folder holds the records, and what follows from them: `made` makes every other file of the records and a short
//! statement of identity, so that checking is making it again. `tables` and `cells` write CSV, `requirements` reads the
//! reader's own scheme, `manifest` lists the SHA-256 of every file, and `signature` has it signed by a tool.

mod cells;
mod made;
mod manifest;
mod requirements;
mod signature;
mod tables;
mod verify;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::outside;

use self::made::{Identity, Input, Maker};
use crate::home::program;
use crate::output::{fresh_folder, output_folder};
use crate::select::Folder;
use crate::shell::quoted;

fn path(name: &'static str, value: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).value_parser(clap::value_parser!(PathBuf))
}

/// What `report evidence` takes.
pub(crate) fn command() -> Command {
    Command::new("evidence")
        .about("Write a folder that shows what was judged and what came of it, and that others can check")
        .after_help(
            "Exit code 0: it is written, whatever came of the runs. 2: it is not written, or not signed.",
        )
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
        .arg(path("requirements", "FILE").help(
            "Trace by your requirements: CSV with the header requirement,clause; a clause is SPEC#NAME",
        ))
        .arg(path("sign", "KEY").help("Sign the list of files with this SSH key, by ssh-keygen"))
        .args(Folder::options())
}

/// What `report verify` takes.
pub(crate) fn verify_command() -> Command {
    Command::new("verify")
        .about("Check an evidence folder: every file, the signature, and that the records give these tables")
        .after_help(
            "Exit code 0: it verifies. 1: it does not. 2: it cannot be checked, as when other cases judged it.",
        )
        .arg(
            Arg::new("folder")
                .value_name("DIR")
                .value_parser(clap::value_parser!(PathBuf))
                .required(true)
                .help("The folder"),
        )
        .arg(
            path("allowed-signers", "FILE")
                .requires("signer")
                .help("Demand a signature by a key that this file of ssh-keygen's lists"),
        )
        .arg(
            Arg::new("signer")
                .long("signer")
                .value_name("NAME")
                .requires("allowed-signers")
                .help("The signer, by the name that the file has"),
        )
        .arg(Folder::option())
}

/// Runs `report evidence`.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let folder = Folder::of(matches);
    let output: &PathBuf = matches.get_one("output").context("no folder")?;
    let records = matches.get_many::<PathBuf>("records").into_iter().flatten();
    let read =
        |path: &PathBuf| outside::bytes(path, manifest::LARGEST).with_context(|| path.display().to_string());
    let requirements: Option<&PathBuf> = matches.get_one("requirements");
    let input = Input {
        records: records.map(read).collect::<Result<_>>()?,
        requirements: requirements.map(read).transpose()?,
    };
    let maker = Maker::over(&folder)?;
    let identity = maker.identity(&folder, &input)?;
    let named = requirements.map_or_else(String::new, |path| path.display().to_string());
    let made = maker.made(&input, &identity, &named)?;
    fresh_folder(output)?;
    for (name, bytes) in &made.files {
        write(output, name, bytes)?;
    }
    write(output, manifest::NAME, manifest::of(&made.files).as_bytes())?;
    let key = matches.get_one::<PathBuf>("sign");
    if let Err(error) = key.map_or(Ok(()), |key| signature::sign(key, &output.join(manifest::NAME))) {
        // Or the next try would find a folder that is not empty.
        fs::remove_dir_all(output).with_context(|| output.display().to_string())?;
        return Err(error);
    }
    let mut out = std::io::stdout().lock();
    for finding in &made.findings {
        writeln!(out, "warning: {finding}")?;
    }
    let (files, folder) = (made.files.len() + 1, output.display().to_string());
    let (program, pasted) = (program(), quoted(&folder));
    writeln!(out, "wrote {files} files into {folder}; {program} report verify {pasted} checks them")?;
    Ok(ExitCode::SUCCESS)
}

/// Runs `report verify`.
pub(crate) fn verify(matches: &ArgMatches) -> Result<ExitCode> {
    let folder: &PathBuf = matches.get_one("folder").context("no folder")?;
    let signers = matches.get_one::<PathBuf>("allowed-signers").zip(matches.get_one::<String>("signer"));
    verify::main(folder, signers, matches.get_one("cases").cloned())
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let path = folder.join(name);
    let parent = path.parent().map_or(Ok(()), fs::create_dir_all);
    parent.and_then(|()| fs::write(&path, bytes)).with_context(|| path.display().to_string())
}

/// The statement of identity of a folder.
///
/// # Errors
/// Where it is not one that this version writes.
fn identity(bytes: &[u8]) -> Result<Identity> {
    serde_json::from_slice(bytes).context(made::IDENTITY)
}

/// The version of a folder's form, where it says one.
fn format_of(bytes: &[u8]) -> Option<u64> {
    serde_json::from_slice::<serde_json::Value>(bytes).ok()?.get("format")?.as_u64()
}
