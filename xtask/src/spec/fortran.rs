//! Reduces a source of Fortran to lines: the comment in front of a routine, as Doxygen reads it, then its code.
//!
//! Fixed and free form are told apart by what begins a comment. Code is kept line by line under a heading of its own, with the
//! comments in it: what a routine does where its comment is silent is said there. Nothing here knows what a routine is for.

use super::python::LABEL;
use super::sentences::BREAK;

/// The heading below which the code stands.
const CODE: &str = "Code";

/// The lines of a source.
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
            // Of code every line ends by itself.
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

/// What a comment says. In fixed form it begins in the first column; `>` marks what Doxygen reads.
fn comment(line: &str) -> Option<&str> {
    let said = line.strip_prefix(['*', '!']).or_else(|| line.trim_start().strip_prefix('!'))?;
    Some(said.strip_prefix('>').unwrap_or(said))
}

/// Rulers, dots and names of institutions between lines of dashes; and nothing at all.
fn is_ornament(said: &str) -> bool {
    said.is_empty()
        || said == ".."
        || said.starts_with("--")
        || said.contains("=====")
        || said.contains("://www.netlib.org")
        || said.starts_with("Online html")
}

/// A line of documentation without its command; a line that is only a command says nothing.
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
        // Where a verbatim part ends, so does a sentence that has no full stop.
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
