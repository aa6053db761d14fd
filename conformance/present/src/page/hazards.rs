//! The hazards of each backend and its mixed questions, which a user should know before relying on it.

use std::fmt;

use super::escape::{html, visible};
use super::names;
use crate::column::Column;
use crate::safety;

/// The most sections of a backend that are shown.
const SHOWN: usize = 50;

/// Writes a list for each backend with hazards or mixed questions.
pub(super) fn write(out: &mut dyn fmt::Write, columns: &[Column<'_>]) -> fmt::Result {
    let mut any = false;
    for (column, name) in columns.iter().zip(names(columns)) {
        let sections = safety::sections(column);
        if sections.is_empty() {
            continue;
        }
        any = true;
        writeln!(out, "<h3>{}</h3>\n<ol class=\"defects\">", html(&name))?;
        for (heading, lines) in sections.iter().take(SHOWN) {
            write!(
                out,
                "<li><details><summary><span class=\"cause\">{}</span></summary>\n<div class=\"detail\"><dl>",
                html(&visible(heading))
            )?;
            for line in lines {
                write!(
                    out,
                    "<dt>{}</dt><dd class=\"value\">{}</dd>",
                    line.label,
                    html(&visible(&line.text))
                )?;
            }
            out.write_str("</dl></div></details></li>\n")?;
        }
        out.write_str("</ol>\n")?;
        if sections.len() > SHOWN {
            writeln!(out, "<p class=\"note\">{} more are left out.</p>", sections.len() - SHOWN)?;
        }
    }
    if any { Ok(()) } else { out.write_str("<p>None was met.</p>\n") }
}
