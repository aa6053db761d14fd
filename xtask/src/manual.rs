//! `cargo xtask completions SHELL` and `cargo xtask man`: what shells and readers of manuals want to know, made from
//! the commands themselves.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Arg, ArgMatches, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::output::print;

/// The name of the built program: completions are by the program that is typed.
const PROGRAM: &str = "xtask";

/// What `completions` takes.
pub(crate) fn completions_command() -> Command {
    Command::new("completions").about("Print what a shell needs to complete the built program, xtask").arg(
        Arg::new("shell")
            .value_name("SHELL")
            .required(true)
            .value_parser(clap::value_parser!(Shell))
            .help("Which"),
    )
}

/// What `man` takes.
pub(crate) fn man_command() -> Command {
    Command::new("man")
        .about("Print a manual page, for man -l -")
        .arg(Arg::new("command").value_name("COMMAND").help("Of this command instead of all of them"))
}

/// Prints completions for `all`.
pub(crate) fn completions(matches: &ArgMatches, mut all: Command) -> Result<ExitCode> {
    let shell: Shell = *matches.get_one("shell").context("no shell")?;
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut all, PROGRAM, &mut text);
    print(&String::from_utf8(text)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the manual page of `all`, or of one command of it.
pub(crate) fn man(matches: &ArgMatches, mut all: Command) -> Result<ExitCode> {
    // Gives the commands their full names.
    all.build();
    let page = match matches.get_one::<String>("command") {
        Some(name) => {
            let found = all.find_subcommand(name).with_context(|| format!("no command is named {name:?}"))?;
            Man::new(found.clone())
        }
        None => Man::new(all),
    };
    let mut text = Vec::new();
    page.render(&mut text)?;
    print(&String::from_utf8(text)?)?;
    Ok(ExitCode::SUCCESS)
}
