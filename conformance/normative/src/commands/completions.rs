//! `cargo xtask completions SHELL`: a shell's completion script, generated from the commands.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::builder::StyledStr;
use clap::{Arg, ArgMatches, Command};
use clap_complete::{Shell, generate};

use crate::home::{self, INSTALLED, is_installed};
use crate::output::print;

/// The place of the script for each shell, for the installed program.
const INSTALL: &str = "\
  bash  source <(normative completions bash), in ~/.bashrc
  zsh   into a file _normative in a folder of $fpath
  fish  into a file normative.fish in ~/.config/fish/completions";

/// The same for the program in a checkout.
const INSTALL_IN_A_CHECKOUT: &str = "\
After `cargo xtask`, and beside cargo's own completions:
  bash  source <(cargo xtask completions bash), in ~/.bashrc
  zsh   into a file _cargo-xtask in a folder of $fpath
  fish  into a file in ~/.config/fish/conf.d
elvish and powershell complete the built program alone, target/release/xtask: there, cargo's arguments are cargo's.";

/// Appended to clap's own script, which completes `xtask`. It passes the words after `cargo` to that script, and all
/// other command lines to cargo's own completions.
const BASH: &str = r#"
if ! declare -F _cargo >/dev/null; then
    __cargo_own="$(rustc --print sysroot 2>/dev/null)/etc/bash_completion.d/cargo"
    [[ -r $__cargo_own ]] && source "$__cargo_own"
    unset __cargo_own
fi

_cargo_or_xtask() {
    if [[ ${COMP_WORDS[1]-} == xtask && $COMP_CWORD -gt 1 ]]; then
        COMP_WORDS=("${COMP_WORDS[@]:1}")
        COMP_CWORD=$((COMP_CWORD - 1))
        _xtask xtask "$2" "$3"
    elif declare -F _cargo >/dev/null; then
        _cargo "$@"
    fi
}

complete -F _cargo_or_xtask -o bashdefault -o default cargo
"#;

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("completions")
        .about("Print what a shell needs to complete `cargo xtask`")
        .after_help(if is_installed() { INSTALL } else { INSTALL_IN_A_CHECKOUT })
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .required(true)
                .value_parser(clap::value_parser!(Shell))
                .help("Which"),
        )
}

/// Replaces `cargo xtask` in a command's help by the program's name as the user runs it.
pub(crate) fn as_called(command: Command) -> Command {
    if !is_installed() {
        return command;
    }
    let called = |text: Option<&StyledStr>| text.map(|text| home::as_called(&text.to_string()));
    let (about, after) = (called(command.get_about()), called(command.get_after_help()));
    let command = match about {
        Some(about) => command.about(about),
        None => command,
    };
    let command = match after {
        Some(after) => command.after_help(after),
        None => command,
    };
    let command = command.mut_args(|arg| match called(arg.get_help()) {
        Some(help) => arg.help(help),
        None => arg,
    });
    command.mut_subcommands(as_called)
}

/// Prints completions for `all`.
pub(crate) fn main(matches: &ArgMatches, mut all: Command) -> Result<ExitCode> {
    let shell: Shell = *matches.get_one("shell").context("no shell")?;
    let mut text = Vec::new();
    match shell {
        // The installed program is a command of its own, without `cargo` before it.
        _ if is_installed() => generate(shell, &mut all, INSTALLED, &mut text),
        Shell::Bash => {
            generate(shell, &mut all, "xtask", &mut text);
            text.extend(BASH.as_bytes());
        }
        // The completions of zsh for cargo call this function after `cargo xtask`.
        Shell::Zsh => generate(shell, &mut all, "cargo-xtask", &mut text),
        // Fish merges several completions of one program.
        Shell::Fish => {
            let xtask = all.name("xtask");
            let mut cargo = Command::new("cargo").disable_help_subcommand(true).subcommand(xtask);
            generate(shell, &mut cargo, "cargo", &mut text);
        }
        _ => generate(shell, &mut all, "xtask", &mut text),
    }
    print(&String::from_utf8(text)?)?;
    Ok(ExitCode::SUCCESS)
}
