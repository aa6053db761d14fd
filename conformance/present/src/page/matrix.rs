//! The head of the page: the outcome in a sentence, and the table of backends by specs.

use std::fmt;

use normative_reference::Spec;

use super::cells::{Cell, Matrix, Matter, Row, short, specs};
use super::escape::{html, visible};
use super::model::Counts;
use crate::column::Column;
use crate::outcome::{verdict, who};
use crate::{safety, terminal};
use normative_conformance::display::{counted, grouped};
use normative_conformance::report::defect::Defect;

/// The mark of a question that no single reading explains; the legend explains it.
pub(super) const INCONSISTENT: &str =
    "<span aria-hidden=\"true\">≠</span><span class=\"unseen\">inconsistent</span>";

/// Returns the page's title.
pub(super) fn title(columns: &[Column<'_>]) -> String {
    match columns {
        [column] => format!("{}: {}", verdict(&column.report), who(&column.report)),
        columns => format!("Norm reductions, {}", counted(columns.len(), "backend", "backends")),
    }
}

/// Writes the outcome, and the number of cases and calls.
pub(super) fn lead(
    out: &mut dyn fmt::Write,
    columns: &[Column<'_>],
    defects: &[Vec<Defect<'_>>],
    counts: &Counts,
) -> fmt::Result {
    let partial = partial(columns).map_or_else(String::new, |partial| format!(" <strong>{partial}</strong>"));
    writeln!(out, "<p class=\"outcome\">{}{partial}</p>", outcome(columns))?;
    for Column { report, .. } in columns.iter().filter(|_| columns.len() == 1) {
        let lines = safety::named(report);
        if !lines.is_empty() {
            let items = lines.iter().map(|line| format!("<li>{}</li>\n", html(&visible(line))));
            writeln!(out, "<ul class=\"hazards\">\n{}</ul>", items.collect::<String>())?;
        }
    }
    let found = counted(counts.values().sum(), "failure", "failures");
    let causes = counted(defects.iter().map(Vec::len).sum(), "defect", "defects");
    let (asked, severities) = (
        asked(columns),
        match columns {
            [column] if !column.report.severities().is_empty() => {
                format!(": {}", terminal::severities(&column.report))
            }
            _ => String::new(),
        },
    );
    writeln!(
        out,
        "<p class=\"asked\">{asked}. <a href=\"#defects\">{causes}</a>, <a href=\"#failures\">{found}</a>{severities}.</p>"
    )
}

/// Returns the number of conforming backends in a sentence.
pub(super) fn outcome(columns: &[Column<'_>]) -> String {
    let conforming = columns.iter().filter(|column| column.report.conforms()).count();
    match (columns, conforming) {
        ([_], 1) => "It conforms.".to_owned(),
        ([one], _) if one.report.is_clean() && one.report.is_flaky() => {
            "It is flaky: no answer is wrong, but its process failed over no call in particular.".to_owned()
        }
        ([_], _) => "It does not conform.".to_owned(),
        (columns, 0) => format!("None of {} backends conforms.", columns.len()),
        (columns, 1) => format!("One of {} backends conforms.", columns.len()),
        (columns, some) => format!("{some} of {} backends conform.", columns.len()),
    }
}

/// Returns the number of runs that were stopped early, if any.
pub(super) fn partial(columns: &[Column<'_>]) -> Option<String> {
    match columns.iter().filter(|column| !column.report.is_complete()).count() {
        0 => None,
        some => Some(format!("Partial: {}.", counted(some, "run was stopped", "runs were stopped"))),
    }
}

/// Returns the number of cases, specs and generated calls.
pub(super) fn asked(columns: &[Column<'_>]) -> String {
    let cases = columns.iter().map(|column| column.report.corpus).max().unwrap_or(0);
    let calls = columns.iter().filter_map(|column| column.report.generated.as_ref());
    let calls = calls.map(|generated| (generated.total().run, generated.seed)).max();
    let calls = calls.map_or_else(String::new, |(calls, seed)| {
        format!(" and {} of seed {seed}", counted(calls, "generated call", "generated calls"))
    });
    let specs = counted(specs(columns).len(), "specification", "specifications");
    format!("{} of {specs}{calls}", counted(cases, "case", "cases"))
}

/// Writes the table.
pub(super) fn write(
    out: &mut dyn fmt::Write,
    columns: &[Column<'_>],
    defects: &[Vec<Defect<'_>>],
    counts: &Counts,
) -> fmt::Result {
    let Matrix { specs, families, rows } = Matrix::of(columns, counts);
    out.write_str(
        "<table class=\"matrix\"><caption class=\"unseen\">What each backend makes of each specification</caption>\n\
         <thead><tr><th rowspan=\"2\" scope=\"col\">backend</th>",
    )?;
    for (family, width) in families {
        write!(out, "<th scope=\"colgroup\" colspan=\"{width}\">{family}</th>")?;
    }
    out.write_str("<th rowspan=\"2\" scope=\"col\" class=\"count\">conform<br>/ tried</th></tr>\n<tr>")?;
    for spec in &specs {
        write!(out, "<th scope=\"col\">{}</th>", short(*spec))?;
    }
    out.write_str("</tr></thead>\n<tbody>\n")?;
    for (at, Row { name, who, cells, total }) in rows.iter().enumerate() {
        let (escaped, who) = (html(name), html(who));
        write!(out, "<tr data-backend=\"{at}\"><th scope=\"row\"><b>{escaped}</b><small>{who}</small></th>")?;
        for (spec, cell) in specs.iter().zip(cells) {
            let of_row = defects.get(at).into_iter().flatten();
            let causes = of_row.filter(|defect| defect.specs.contains_key(spec)).count();
            self::cell(out, name, *spec, cell, causes)?;
        }
        let (conform, tried) = (grouped(total.conforms), grouped(total.executed()));
        writeln!(out, "<td class=\"count\"><b>{conform}</b> / {tried}</td></tr>")?;
    }
    out.write_str("</tbody></table>\n")
}

fn cell(out: &mut dyn fmt::Write, name: &str, spec: Spec, cell: &Cell, causes: usize) -> fmt::Result {
    let (shade, parts) = match cell {
        Cell::NotAsked => {
            return out.write_str("<td class=\"none\"><span class=\"unseen\">not asked</span></td>");
        }
        Cell::Unsupported => {
            return out.write_str(
                "<td class=\"none\"><span aria-hidden=\"true\">–</span><span class=\"unseen\">unsupported</span></td>",
            );
        }
        Cell::Conforms => return out.write_str("<td class=\"right\">conforms</td>"),
        Cell::Against { shade, parts } => (shade, parts),
    };
    write!(
        out,
        "<td class=\"wrong shade-{shade}\"><a href=\"#backend={}&amp;spec={}\">",
        percent(name),
        percent(spec.name())
    )?;
    if causes > 0 {
        write!(out, "<span>{}</span> ", counted(causes, "defect", "defects"))?;
    }
    for (count, matter) in parts {
        let what = if *matter == Matter::Inconsistent { INCONSISTENT } else { matter.word() };
        write!(out, "<span><b>{}</b> {what}</span> ", grouped(*count))?;
    }
    out.write_str("</a></td>")
}

/// Percent-encodes a value of a fragment.
pub(super) fn percent(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/@".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
