//! The calls that routes of one product answer differently: a line for each kind of each spec, which opens to
//! the smallest call.

use std::fmt;

use super::escape::{html, visible};
use crate::column::Column;
use crate::routes::TITLE;
use normative_conformance::report::routes::RouteDifference;

/// Writes the section of a page with several backends.
pub(super) fn write(
    out: &mut dyn fmt::Write,
    columns: &[Column<'_>],
    differences: &[RouteDifference],
) -> fmt::Result {
    if columns.len() < 2 {
        return Ok(());
    }
    writeln!(
        out,
        "<section id=\"routes\" tabindex=\"-1\" aria-labelledby=\"routes-title\">\n<h2 id=\"routes-title\">Routes</h2>\n\
         <p class=\"note\">{TITLE}. Backends of one release whose bugs go to one place are routes of one product. What a \
         route cannot express is not compared.</p>"
    )?;
    if differences.is_empty() {
        return out.write_str("<p>None do.</p>\n</section>\n");
    }
    out.write_str("<ol class=\"defects\">\n")?;
    for difference in differences {
        write!(
            out,
            "<li><details><summary><span class=\"cause\">{}</span></summary>\n<div class=\"detail\"><dl>",
            html(&visible(&difference.heading()))
        )?;
        for line in difference.lines() {
            write!(out, "<dt>{}</dt><dd class=\"value\">{}</dd>", line.label, html(&visible(&line.text)))?;
        }
        out.write_str("</dl></div></details></li>\n")?;
    }
    out.write_str("</ol>\n</section>\n")
}
