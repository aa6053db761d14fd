//! Words of commands that users paste into a shell.

/// Quotes a word for a POSIX shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-@:+=".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// Returns the option that asks a call: the name of a case, `SEED:INDEX`, or a call in one line.
pub fn asking(name: &str) -> String {
    format!("--case {}", quoted(name))
}
