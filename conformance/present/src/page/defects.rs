//! The defects of each backend, the worst first, each with its smallest call and a link to its failures. Only
//! the failures need a script.

use std::fmt;

use super::escape::{html, visible};
use super::matrix::percent;
use super::names;
use crate::column::Column;
use crate::terminal::{explained, of_defect};
use normative_conformance::corpus::Ledger;
use normative_conformance::display::counted;
use normative_conformance::report::defect::Defect;
use normative_conformance::report::finding::Line;

/// The most defects of a backend that are shown: the rest are in the list of failures.
const SHOWN: usize = 50;

/// Writes a section for each backend with defects.
pub(super) fn write(
    out: &mut dyn fmt::Write,
    columns: &[Column<'_>],
    defects: &[Vec<Defect<'_>>],
    ledger: &Ledger,
) -> fmt::Result {
    if defects.iter().all(Vec::is_empty) {
        return out.write_str("<p>No call fails.</p>\n");
    }
    for ((column, name), defects) in columns.iter().zip(names(columns)).zip(defects) {
        if defects.is_empty() {
            continue;
        }
        let explained = html(&explained(&column.report, defects));
        writeln!(
            out,
            "<h3>{}</h3>\n<p class=\"explained\">{explained}</p>\n<ol class=\"defects\">",
            html(&name)
        )?;
        for (at, defect) in defects.iter().take(SHOWN).enumerate() {
            one(out, (at + 1, defect), &name, &of_defect(defect, column, ledger))?;
        }
        out.write_str("</ol>\n")?;
        if defects.len() > SHOWN {
            let more = counted(defects.len() - SHOWN, "more defect is", "more defects are");
            writeln!(out, "<p class=\"note\">{more} in the list of failures alone.</p>")?;
        }
    }
    Ok(())
}

fn one(
    out: &mut dyn fmt::Write,
    (nth, defect): (usize, &Defect<'_>),
    backend: &str,
    lines: &[Line],
) -> fmt::Result {
    let (name, failures) =
        (html(&visible(&defect.name())), counted(defect.failures.len(), "failure", "failures"));
    write!(
        out,
        "<li><details><summary><span class=\"cause\">{name}</span> <span class=\"count\">{failures}</span></summary>\n\
         <div class=\"detail\"><dl>"
    )?;
    for line in lines {
        write!(out, "<dt>{}</dt><dd class=\"value\">{}</dd>", line.label, html(&visible(&line.text)))?;
    }
    let to = percent(&format!("{backend} {nth}"));
    writeln!(
        out,
        "</dl>\n<p><a href=\"#backend={}&amp;defect={to}\">{failures} of this defect</a></p></div></details></li>",
        percent(backend)
    )
}
