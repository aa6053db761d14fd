//! A report as text for a terminal: failures first, one block each, then the tables.
//!
//! A pure function of the report: the same report gives the same bytes on any machine. No colour,
//! no time, nothing that depends on where it is printed.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use comfy_table::{CellAlignment, Table, presets};
use normative_reference::{Choice, Dtype, Question, Spec, Value};

use crate::cases::{Case, clauses::Ledger};
use crate::compare::{ElementMismatch, Mismatch};
use crate::display;
use crate::report::{Report, Tally};
use crate::verdict::{Miss, Verdict};

/// Writes the whole report. `again` is the command that repeats this run; a case's own command is
/// that with `--case NAME`.
///
/// # Errors
/// Whatever `out` returns.
pub fn write(out: &mut dyn fmt::Write, report: &Report<'_>, ledger: &Ledger, again: &str) -> fmt::Result {
    for (case, verdict) in report.failures() {
        write_failure(out, case, verdict, ledger, again)?;
    }
    write_inconsistencies(out, report, again)?;
    writeln!(out, "{}", tallies(report))?;
    let precision = precision(report);
    if !precision.is_empty() {
        writeln!(out, "\n{precision}")?;
    }
    let profile = profile(report);
    if !profile.is_empty() {
        writeln!(out, "\n{profile}")?;
    }
    write_unsupported(out, report)?;
    write_summary(out, report)
}

/// One failure: what was asked, which clause, what came, and how to see it again.
///
/// # Errors
/// Whatever `out` returns.
pub fn write_failure(
    out: &mut dyn fmt::Write,
    case: &Case,
    verdict: &Verdict,
    ledger: &Ledger,
    again: &str,
) -> fmt::Result {
    let what = match verdict {
        Verdict::Fails(_) => "FAIL",
        Verdict::Crashed(_) => "CRASH",
        Verdict::TimedOut(_) => "TIMEOUT",
        Verdict::Conforms { .. } => "ok",
        Verdict::Unsupported(_) => "unsupported",
    };
    writeln!(out, "{what} {}", case.name)?;
    for clause in &case.clauses {
        let says = ledger.get(clause.spec, &clause.name).map_or("", |entry| entry.says.as_str());
        line(out, "clause", &format!("{clause}: {says}"))?;
    }
    line(out, "catches", &case.why)?;
    line(out, "call", &display::call(&case.call))?;
    match verdict {
        Verdict::Fails(misses) => {
            for miss in misses {
                write_miss(out, miss, misses.len() > 1)?;
            }
        }
        Verdict::Crashed(how) => line(out, "crashed", how)?,
        Verdict::TimedOut(after) => line(out, "no answer", &format!("within {} s", after.as_secs_f64()))?,
        Verdict::Unsupported(why) => line(out, "because", why)?,
        Verdict::Conforms { readings, .. } => line(out, "reading", &choices(readings))?,
    }
    line(out, "again", &format!("{again} --case {}", case.name))?;
    writeln!(out)
}

fn write_miss(out: &mut dyn fmt::Write, miss: &Miss, several: bool) -> fmt::Result {
    if several {
        line(out, "under", &choices(&miss.readings))?;
    }
    line(out, "result", &miss.mismatch.to_string())?;
    match &miss.mismatch {
        Mismatch::Element(element) => write_element(out, element),
        _ => Ok(()),
    }
}

fn write_element(out: &mut dyn fmt::Write, element: &ElementMismatch) -> fmt::Result {
    let show = |bits| display::in_full(element.dtype, bits);
    if let Some(exact @ Value::Finite(_)) = &element.exact {
        line(out, "exact", &display::exact(exact))?;
    }
    line(out, "expected", &show(element.expected))?;
    line(out, "got", &show(element.got))?;
    match element.error {
        Some((error, bound)) => {
            line(out, "error", &format!("{} ulp, allowed {} ulp", ulps(error), ulps(bound)))
        }
        None => Ok(()),
    }
}

fn line(out: &mut dyn fmt::Write, label: &str, text: &str) -> fmt::Result {
    let mut lines = text.lines().map(plain);
    writeln!(out, "  {label:<9} {}", lines.next().unwrap_or_default())?;
    lines.try_for_each(|more| writeln!(out, "  {:<9} {more}", ""))
}

/// Text without control characters: a backend's words may neither move the cursor nor start a line
/// that looks like ours.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Three significant digits.
fn ulps(error: f64) -> String {
    match error {
        _ if error == 0.0 => "0".into(),
        _ if (0.01..1000.0).contains(&error) => format!("{error:.3}"),
        _ => format!("{error:.2e}"),
    }
}

fn choices(choices: &[Choice]) -> String {
    if choices.is_empty() {
        return "no open question".into();
    }
    choices.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn table(header: &[&str], left: usize) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header.iter().copied());
    for (at, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        column.set_cell_alignment(if at < left { CellAlignment::Left } else { CellAlignment::Right });
    }
    table
}

fn tallies(report: &Report<'_>) -> String {
    let mut table = table(&["spec", "run", "conforms", "fails", "died", "unsupported", "open"], 1);
    let mut add = |name: &str, tally: &Tally| {
        let counts = [tally.run, tally.conforms, tally.fails, tally.died, tally.unsupported, tally.open];
        table.add_row(std::iter::once(name.to_owned()).chain(counts.map(|count| count.to_string())));
    };
    let tallies = report.tallies();
    for (spec, tally) in &tallies {
        add(spec.name(), tally);
    }
    if tallies.len() > 1 {
        add("all", &report.total());
    }
    trimmed(&table)
}

fn precision(report: &Report<'_>) -> String {
    let by_dtype = report.precision();
    if by_dtype.is_empty() {
        return String::new();
    }
    let mut table = table(&["type", "class", "elements", "worst ulp", "mean ulp"], 2);
    for (dtype, precision) in by_dtype {
        table.add_row([
            dtype.name().to_owned(),
            precision.class.name().to_owned(),
            precision.elements.to_string(),
            ulps(precision.worst),
            ulps(precision.mean),
        ]);
    }
    trimmed(&table)
}

fn profile(report: &Report<'_>) -> String {
    let profile = report.profile();
    if profile.is_empty() {
        return String::new();
    }
    let mut table = table(&["spec", "question", "reading", "types"], 4);
    // Types that read a question alike share a row.
    let mut rows: BTreeMap<(Spec, Question), BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    for (place, readings) in profile {
        let names: Vec<&str> = readings.keys().map(|reading| reading.name()).collect();
        let inconsistent = if names.len() > 1 { "INCONSISTENT: " } else { "" };
        let reading = format!("{inconsistent}{}", names.join(" and "));
        let types = rows.entry((place.spec, place.question)).or_default().entry(reading).or_default();
        types.extend(place.dtype.map(Dtype::name));
    }
    for ((spec, question), readings) in rows {
        for (reading, types) in readings {
            table.add_row([spec.name(), question.entry().name, &reading, &types.join(" ")]);
        }
    }
    trimmed(&table)
}

/// A table without the blanks that pad its last column.
fn trimmed(table: &Table) -> String {
    table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

fn write_inconsistencies(out: &mut dyn fmt::Write, report: &Report<'_>, again: &str) -> fmt::Result {
    for (place, readings) in report.profile() {
        if readings.len() < 2 {
            continue;
        }
        let dtype = place.dtype.map_or_else(String::new, |dtype| format!(" for {dtype}"));
        writeln!(out, "INCONSISTENT {}{dtype}: {}", place.spec, place.question)?;
        line(out, "asks", place.question.entry().asks)?;
        for (reading, cases) in readings {
            let more = if cases.len() > 1 { format!(" and {} more", cases.len() - 1) } else { String::new() };
            line(out, "reads", &format!("{reading} in {}{more}", cases[0]))?;
            line(out, "again", &format!("{again} --case {}", cases[0]))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Why calls were declined, each reason once with its count.
fn write_unsupported(out: &mut dyn fmt::Write, report: &Report<'_>) -> fmt::Result {
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for (_, verdict) in &report.results {
        if let Verdict::Unsupported(why) = verdict {
            *reasons.entry(plain(why)).or_default() += 1;
        }
    }
    if reasons.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nunsupported, in the backend's words:")?;
    reasons.into_iter().try_for_each(|(why, count)| writeln!(out, "{count:>6}  {why}"))
}

fn write_summary(out: &mut dyn fmt::Write, report: &Report<'_>) -> fmt::Result {
    let total = report.total();
    let mut counts = String::new();
    for (count, what) in [
        (total.conforms, "conform"),
        (total.fails, "fail"),
        (total.died, "died"),
        (total.unsupported, "unsupported"),
        (report.filtered(), "filtered out"),
    ] {
        if count > 0 {
            let comma = if counts.is_empty() { "" } else { ", " };
            write!(counts, "{comma}{count} {what}")?;
        }
    }
    let identity = &report.identity;
    let outcome = match report.executed() {
        0 => "shows nothing",
        _ if report.conforms() => "conforms",
        _ => "does not conform",
    };
    let who = plain(&format!("{} {}", identity.name, identity.version));
    writeln!(out, "\n{who} {outcome}: {counts} of {} cases", report.corpus)
}
