//! What is said of a command line that cannot be read: clap's words, close together, and what it has no tip for.

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The most lines that are said.
const LINES: usize = 5;

/// The error, and what to do about it. `judges`: the command takes a backend.
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

/// A word that no option stands before, where a command takes none.
fn stray_word(error: &Error) -> Option<&str> {
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) if error.kind() == ErrorKind::UnknownArgument => {
            Some(word.as_str()).filter(|word| !word.starts_with('-'))
        }
        _ => None,
    }
}
