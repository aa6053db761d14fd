//! The message for a command line that does not parse: clap's text without blank lines, and one more tip.

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The maximum number of lines.
const LINES: usize = 5;

/// Returns the error with a tip. `judges` is set if the command takes a backend.
pub(crate) fn text(error: &Error, judges: bool) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return error.to_string();
    }
    let said = error.to_string();
    let mut lines: Vec<String> =
        said.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
    if let Some(word) = stray_word(error).filter(|_| judges) {
        lines.insert(1, format!("  tip: a backend is given by an option: --backend {word}"));
    }
    lines.truncate(LINES);
    lines.join("\n")
}

/// Returns a positional word that the command does not take.
fn stray_word(error: &Error) -> Option<&str> {
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) if error.kind() == ErrorKind::UnknownArgument => {
            Some(word.as_str()).filter(|word| !word.starts_with('-'))
        }
        _ => None,
    }
}
