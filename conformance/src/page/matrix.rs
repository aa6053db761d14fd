//! The first things to be read: what came of it all in a sentence, and the table of backends by specs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use normative_reference::Spec;

use super::escape::{html, visible};
use super::model::{Counts, Kind};
use super::{counted, grouped, names};
use crate::matrix::Column;
use crate::report::{Report, Tally};
use crate::terminal;

/// The mark of a question read in two ways; the legends say what it stands for.
pub(super) const INCONSISTENT: &str =
    "<span aria-hidden=\"true\">≠</span><span class=\"unseen\">inconsistent</span>";

/// The page's name.
pub(super) fn title(columns: &[Column<'_>]) -> String {
    match columns {
        [column] => visible(&terminal::who(&column.report)),
        columns => format!("Norm reductions, {}", counted(columns.len(), "backend", "backends")),
    }
}

/// What came of it, and what was asked.
pub(super) fn lead(out: &mut dyn fmt::Write, columns: &[Column<'_>], counts: &Counts) -> fmt::Result {
    let conforming = columns.iter().filter(|column| column.report.conforms()).count();
    let outcome = match (columns, conforming) {
        ([_], 1) => "It conforms.".to_owned(),
        ([_], _) => "It does not conform.".to_owned(),
        (columns, 0) => format!("None of {} backends conforms.", columns.len()),
        (columns, 1) => format!("One of {} backends conforms.", columns.len()),
        (columns, some) => format!("{some} of {} backends conform.", columns.len()),
    };
    let partial = columns.iter().filter(|column| !column.report.is_complete()).count();
    let partial = match partial {
        0 => String::new(),
        some => {
            format!(" <strong>Partial: {}.</strong>", counted(some, "run was stopped", "runs were stopped"))
        }
    };
    writeln!(out, "<p class=\"outcome\">{outcome}{partial}</p>")?;
    let cases = columns.iter().map(|column| column.report.corpus).max().unwrap_or(0);
    let calls = columns.iter().filter_map(|column| column.report.generated.as_ref());
    let calls = calls.map(|generated| (generated.total().run, generated.seed)).max();
    let calls = calls.map_or_else(String::new, |(calls, seed)| {
        format!(" and {} of seed {seed}", counted(calls, "generated call", "generated calls"))
    });
    let found = counted(counts.values().sum(), "failure", "failures");
    writeln!(
        out,
        "<p class=\"asked\">{} of {}{calls}. <a href=\"#failures\">{found}</a>.</p>",
        counted(cases, "case", "cases"),
        counted(specs(columns).len(), "specification", "specifications"),
    )
}

/// The table.
pub(super) fn write(out: &mut dyn fmt::Write, columns: &[Column<'_>], counts: &Counts) -> fmt::Result {
    let specs = specs(columns);
    let mut families: Vec<(&str, usize)> = Vec::new();
    for spec in &specs {
        match families.last_mut() {
            Some((family, width)) if *family == spec.family() => *width += 1,
            _ => families.push((spec.family(), 1)),
        }
    }
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
    for (at, (column, name)) in columns.iter().zip(names(columns)).enumerate() {
        row(out, (at, &name), &column.report, &specs, counts)?;
    }
    out.write_str("</tbody></table>\n")
}

fn row(
    out: &mut dyn fmt::Write,
    (at, name): (usize, &str),
    report: &Report<'_>,
    specs: &BTreeSet<Spec>,
    counts: &Counts,
) -> fmt::Result {
    write!(
        out,
        "<tr data-backend=\"{at}\"><th scope=\"row\"><b>{}</b><small>{}</small></th>",
        html(name),
        html(&visible(&terminal::who(report)))
    )?;
    let tallies = tallies(report);
    for spec in specs {
        let tally = tallies.get(spec).copied().unwrap_or_default();
        let of = |kinds: fn(Kind) -> bool| -> usize {
            counts.iter().filter(|((b, s, k), _)| *b == at && s == spec && kinds(*k)).map(|(_, n)| n).sum()
        };
        let parts = [
            (of(|kind| Outcome::of(kind) == Outcome::Fails), "fail"),
            (of(|kind| Outcome::of(kind) == Outcome::Died), "died"),
            (of(|kind| kind == Kind::Nondeterministic), "unstable"),
            (of(|kind| kind == Kind::Inconsistent), INCONSISTENT),
        ];
        cell(out, name, *spec, tally, &parts)?;
    }
    let total = Tally::sum(tallies.values());
    let (conform, tried) = (grouped(total.conforms), grouped(total.executed()));
    writeln!(out, "<td class=\"count\"><b>{conform}</b> / {tried}</td></tr>")
}

/// What a kind is counted as in a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Fails,
    Died,
    Otherwise,
}

impl Outcome {
    const fn of(kind: Kind) -> Self {
        match kind {
            Kind::Crashed | Kind::TimedOut => Self::Died,
            Kind::Nondeterministic | Kind::Inconsistent => Self::Otherwise,
            Kind::Value
            | Kind::Shape
            | Kind::Type
            | Kind::Refused
            | Kind::Answered
            | Kind::Accuracy
            | Kind::Reading
            | Kind::ChangedData => Self::Fails,
        }
    }
}

fn cell(
    out: &mut dyn fmt::Write,
    name: &str,
    spec: Spec,
    tally: Tally,
    parts: &[(usize, &str)],
) -> fmt::Result {
    let against: usize = parts.iter().map(|(count, _)| count).sum();
    if tally.run == 0 {
        return out.write_str("<td class=\"none\"><span class=\"unseen\">not asked</span></td>");
    }
    if tally.executed() == 0 {
        return out.write_str(
            "<td class=\"none\"><span aria-hidden=\"true\">–</span><span class=\"unseen\">unsupported</span></td>",
        );
    }
    if against == 0 {
        return out.write_str("<td class=\"right\">conforms</td>");
    }
    let bad = tally.fails + tally.died;
    let shade = match bad as f64 / tally.executed() as f64 {
        0.0 => 0,
        share if share < 0.05 => 1,
        share if share < 0.15 => 2,
        share if share < 0.4 => 3,
        _ => 4,
    };
    write!(
        out,
        "<td class=\"wrong shade-{shade}\"><a href=\"#backend={}&amp;spec={}\">",
        percent(name),
        percent(spec.name())
    )?;
    for (count, what) in parts.iter().filter(|(count, _)| *count > 0) {
        write!(out, "<span><b>{}</b> {what}</span> ", grouped(*count))?;
    }
    out.write_str("</a></td>")
}

/// Cases and generated calls together.
fn tallies(report: &Report<'_>) -> BTreeMap<Spec, Tally> {
    let mut sum = report.tallies();
    for (spec, tally) in report.generated.iter().flat_map(|generated| &generated.tallies) {
        let cases = sum.entry(*spec).or_default();
        *cases = Tally::sum([&*cases, tally]);
    }
    sum
}

/// Those that somebody was asked about.
fn specs(columns: &[Column<'_>]) -> BTreeSet<Spec> {
    columns.iter().flat_map(|column| tallies(&column.report).into_keys()).collect()
}

/// The name of a spec without its family, as far as it tells specs of a family apart.
pub(super) fn short(spec: Spec) -> &'static str {
    let name = spec.name().split_once('/').map_or(spec.name(), |(_, name)| name);
    name.strip_prefix("Reduce").unwrap_or(name)
}

/// A value of a fragment.
fn percent(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/@".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
