//! Reduces a Fortran source to lines: the comment before a routine, as Doxygen reads it, and then its code.
//!
//! The first character of a comment tells fixed form from free form. Code is kept line by line, with its comments,
//! under a heading of its own: it shows what the routine does if its comment is silent. This module knows no routine.

use super::python::LABEL;
use super::sentences::BREAK;

/// The heading above the code.
const CODE: &str = "Code";

/// Returns the lines of a source.
pub(super) fn lines(source: &str) -> String {
    let mut text = String::new();
    let mut in_code = false;
    for line in source.lines() {
        let comment = comment(line);
        if comment.is_none() && !line.trim().is_empty() && !in_code {
            in_code = true;
            text.push_str(CODE);
            text.push('\n');
        }
        let said = comment.unwrap_or(line).trim();
        if is_ornament(said) {
            // In code, every line is a sentence.
            text.extend((!in_code).then_some(BREAK));
        } else if in_code {
            text.push_str(said);
        } else {
            text.extend(documented(said));
        }
        text.push('\n');
    }
    text
}

/// Returns the text of a comment. In fixed form it begins in the first column; `>` marks it for Doxygen.
fn comment(line: &str) -> Option<&str> {
    let said = line.strip_prefix(['*', '!']).or_else(|| line.trim_start().strip_prefix('!'))?;
    Some(said.strip_prefix('>').unwrap_or(said))
}

/// Returns true for rulers, dots, lines of dashes and links to the site, and for an empty line.
fn is_ornament(said: &str) -> bool {
    said.is_empty()
        || said == ".."
        || said.starts_with("--")
        || said.contains("=====")
        || said.contains("://www.netlib.org")
        || said.starts_with("Online html")
}

/// Returns a line of documentation without its command, or `None` for a command alone.
fn documented(said: &str) -> Option<String> {
    let Some((command, rest)) =
        said.strip_prefix('\\').map(|said| said.split_once(' ').unwrap_or((said, "")))
    else {
        return Some(said.to_owned());
    };
    match command {
        "brief" => Some(rest.trim_start_matches("\\b ").to_owned()),
        "par" => Some(rest.to_owned()),
        "author" | "date" => Some(format!("{rest}{BREAK}")),
        _ if command.starts_with("param") => Some(format!("{LABEL}{rest}")),
        // The end of a verbatim part ends a sentence without a full stop.
        "endverbatim" => Some(BREAK.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FIXED: &str = "*> \\brief \\b DTWICE\n*\n*  =========== DOCUMENTATION ===========\n*\n*> \\par Purpose:\n*> \\verbatim\n*>\n\
        *>    DTWICE doubles x.\n*> \\endverbatim\n*\n*  Arguments:\n*  ==========\n*\n*> \\param[in] N\n*> \\verbatim\n\
        *>          N is INTEGER\n*> \\endverbatim\n      FUNCTION DTWICE(N)\n*     .. Locals ..\n*     a remark\n      END\n";
    const FREE: &str = "!> \\brief \\b DTWICE\n!> \\par Purpose:\n!> \\verbatim\n!> DTWICE doubles x.\n!> \\endverbatim\n!  Arguments:\n\
        !> \\param[in] N\n!> \\verbatim\n!> N is INTEGER\n!> \\endverbatim\nfunction DTWICE(n)\n!  .. Locals ..\n   ! a remark\nend\n";

    fn said(source: &str) -> Vec<String> {
        let lines = lines(source).replace(LABEL, "#").replace(BREAK, "");
        lines.lines().filter(|line| !line.is_empty()).map(str::to_lowercase).collect()
    }

    #[test]
    fn both_forms_say_the_same() {
        let due = ["dtwice", "purpose:", "dtwice doubles x.", "arguments:", "#n", "n is integer", "code"];
        let code = ["function dtwice(n)", ".. locals ..", "a remark", "end"];
        assert_eq!(said(FIXED), [due.as_slice(), &code].concat());
        assert_eq!(said(FREE), said(FIXED));
    }

    proptest! {
        #[test]
        fn no_source_is_too_odd(source: String, comments in "[*!<>a-z\\\\ =.:\n-]{0,200}") {
            lines(&source);
            lines(&comments);
        }
    }
}
