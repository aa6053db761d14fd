//! Reduces a Python module to lines: each function's signature and its docstring in the layout of numpydoc.
//!
//! [`pages`](super::pages) removes reStructuredText from these lines. Code other than signatures is not read. No
//! Python runs, and this module knows no function.

use super::sentences::BREAK;

/// A mark before a line that names a parameter or a result, which only its indentation shows.
pub(super) const LABEL: char = '\u{1d}';

/// The quotes around a docstring.
const QUOTES: &str = "\"\"\"";

/// Returns the lines of a module: for each function `def NAME`, `Signature`, the signature, `Summary`, the docstring.
pub(super) fn lines(module: &str) -> String {
    let mut text = String::new();
    let mut rest = module.lines();
    while let Some(line) = rest.next() {
        let Some((name, _)) = line.strip_prefix("def ").and_then(|after| after.split_once('(')) else {
            continue;
        };
        text.extend(["def ", name, "\nSignature\n"]);
        let mut line = Some(line);
        while let Some(part) = line {
            text.push_str(part.trim());
            text.push(' ');
            let ended = part.trim_end().ends_with(':') && !part.starts_with("    ");
            line = if ended { None } else { rest.next() };
        }
        text.push(BREAK);
        text.push_str("\nSummary\n");
        if let Some(first) = rest.next().and_then(docstring) {
            if let Some(whole) = first.strip_suffix(QUOTES) {
                text.push_str(whole);
                text.push('\n');
                continue;
            }
            text.push_str(first);
            text.push('\n');
            let body = rest.by_ref().take_while(|line| line.trim() != QUOTES);
            text.push_str(&numpydoc(body));
        }
    }
    text
}

/// Returns the text after the quotes on the first line of a docstring, raw or not.
fn docstring(line: &str) -> Option<&str> {
    let line = line.trim();
    line.strip_prefix('r').unwrap_or(line).strip_prefix(QUOTES)
}

/// Returns a docstring's lines: labels marked, rows of tables as sentences, rulers removed.
fn numpydoc<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    let mut text = String::new();
    let mut labelled = false;
    for line in lines {
        let (said, indent) = (line.trim(), line.len() - line.trim_start().len());
        if is_ruler(said) {
            continue;
        }
        if let Some(row) = row(said) {
            text.push_str(&row);
            text.push('\n');
            continue;
        }
        if indent == BASE && !said.is_empty() {
            let is_heading = ["Parameters", "Returns", "Raises", "Notes"].contains(&said);
            if is_heading {
                labelled = said == "Parameters" || said == "Returns";
            } else if labelled && said.contains(':') && !said.starts_with("..") {
                text.push(LABEL);
            }
        }
        // A directive must begin the line to be recognised.
        let inner = if indent >= BASE { line.get(BASE..).unwrap_or_default() } else { said };
        text.push_str(if inner.trim_start().starts_with("..") { inner.trim_start() } else { inner });
        text.push('\n');
    }
    text
}

/// Returns true if a trimmed line separates rows of a table, or underlines a heading.
pub(super) fn is_ruler(line: &str) -> bool {
    line.len() > 2 && line.chars().all(|c| "+-=".contains(c))
}

/// Returns the cells of a table's row as a sentence of their own.
pub(super) fn row(line: &str) -> Option<String> {
    let cells = line.strip_prefix('|')?.split('|').map(str::trim).filter(|cell| !cell.is_empty());
    Some(format!("{BREAK}{}{BREAK}", cells.collect::<Vec<_>>().join(" ")))
}

/// The indentation of a function's body.
const BASE: usize = 4;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MODULE: &str = "import a\n\ndef one(x: array, /) -> array:\n    \"\"\"It is one.\"\"\"\n\n\ndef two(\n    x: array,\n    *,\n    axis: int = 0,\n) -> array:\n    r\"\"\"\n    It is two.\n\n    Parameters\n    ----------\n    x: array\n        an input: any.\n\n        +---+---+\n        | a | b |\n        +===+===+\n        | 1 | c |\n        +---+---+\n\n    Returns\n    -------\n    out: array\n        an output.\n    \"\"\"\n    return x\n";

    #[test]
    fn a_module_is_its_signatures_and_docstrings() {
        let lines = lines(MODULE).replace(BREAK, "^").replace(LABEL, "@");
        let said: Vec<&str> = lines.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let due = [
            "def one",
            "Signature",
            "def one(x: array, /) -> array: ^",
            "Summary",
            "It is one.",
            "def two",
            "Signature",
            "def two( x: array, *, axis: int = 0, ) -> array: ^",
            "Summary",
            "It is two.",
            "Parameters",
            "@x: array",
            "an input: any.",
            "^a b^",
            "^1 c^",
            "Returns",
            "@out: array",
            "an output.",
        ];
        assert_eq!(said, due);
    }

    proptest! {
        #[test]
        fn no_module_is_too_odd(module: String, code in "(def [a-z]?\\(|\\):\n|\n    |r?\"\"\"|[|+:. -]|a){0,60}") {
            lines(&module);
            lines(&code);
        }
    }
}
