//! A report as text for a terminal: failures first, one block each, then the tables; cases before
//! generated calls.
//!
//! A pure function of the report: the same report gives the same bytes on any machine. No colour,
//! no time, nothing that depends on where it is printed.

use std::collections::BTreeMap;
use std::fmt;

use comfy_table::{CellAlignment, Table, presets};
use normative_reference::{Call, Choice, Dtype, Question, Reading, Spec, Value};

use crate::cases::{Case, ClauseRef, Ledger};
use crate::compare::{ElementMismatch, Mismatch};
use crate::display;
use crate::property::Find;
use crate::repeat::Unstable;
use crate::report::{Decade, Missing, NoAxes, Precision, Report, Tally, Witnesses};
use crate::verdict::{Miss, Verdict};
use crate::worker::Conduct;

/// Writes the whole report. `again` is the command that repeats this run; a case's own command is
/// that with `--case NAME`, a generated call's with `--property-call SEED:INDEX`.
///
/// # Errors
/// Whatever `out` returns.
pub fn write(out: &mut dyn fmt::Write, report: &Report<'_>, ledger: &Ledger, again: &str) -> fmt::Result {
    for (case, verdict) in report.failures() {
        write_failure(out, case, verdict, ledger, again)?;
    }
    for find in report.generated.iter().flat_map(|generated| &generated.finds) {
        write_find(out, find, ledger, again)?;
    }
    for unstable in &report.unstable {
        write_unstable(out, unstable, again)?;
    }
    write_inconsistencies(out, report, again)?;
    let mut tables = vec![tallies("spec", &report.tallies()), precision("type", report.precision())];
    if let Some(generated) = &report.generated {
        tables.push(tallies(&format!("generated, seed {}", generated.seed), &generated.tallies));
        tables.push(precision("type, generated", generated.measured.precision()));
    }
    tables.push(profile(report));
    tables.retain(|table| !table.is_empty());
    writeln!(out, "{}", tables.join("\n\n"))?;
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
    writeln!(out, "{} {}", what(verdict), case.name)?;
    for clause in &case.clauses {
        write_clause(out, clause, ledger)?;
    }
    line(out, "catches", &case.why)?;
    line(out, "call", &display::call(&case.call))?;
    write_verdict(out, verdict)?;
    line(out, "again", &format!("{again} --case {}", case.name))?;
    writeln!(out)
}

/// One generated call that failed, with its data: no file has them.
///
/// # Errors
/// Whatever `out` returns.
pub fn write_find(out: &mut dyn fmt::Write, find: &Find, ledger: &Ledger, again: &str) -> fmt::Result {
    writeln!(out, "{} {}", what(&find.verdict), find.name())?;
    write_clause(out, &find.clause(ledger), ledger)?;
    write_call(out, &find.call, &find.verdict)?;
    line(out, "again", &format!("{again} --property-call {}", find.id))?;
    writeln!(out)
}

/// A call that failed, with its data, and what is wrong.
///
/// # Errors
/// Whatever `out` returns.
pub fn write_call(out: &mut dyn fmt::Write, call: &Call, verdict: &Verdict) -> fmt::Result {
    line(out, "call", &display::call(call))?;
    line(out, "data", &display::data(&call.data))?;
    write_verdict(out, verdict)
}

const fn what(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Fails(_) => "FAIL",
        Verdict::Crashed(_) => "CRASH",
        Verdict::TimedOut(_) => "TIMEOUT",
        Verdict::Conforms { .. } => "ok",
        Verdict::Unsupported(_) => "unsupported",
    }
}

fn write_clause(out: &mut dyn fmt::Write, clause: &ClauseRef, ledger: &Ledger) -> fmt::Result {
    let says = ledger.get(clause.spec, &clause.name).map_or("", |entry| entry.says.as_str());
    line(out, "clause", &format!("{clause}: {says}"))
}

pub(crate) fn write_verdict(out: &mut dyn fmt::Write, verdict: &Verdict) -> fmt::Result {
    match verdict {
        Verdict::Fails(misses) => {
            for miss in misses {
                write_miss(out, miss, misses.len() > 1)?;
            }
            Ok(())
        }
        Verdict::Crashed(how) => line(out, "crashed", how),
        Verdict::TimedOut(after) => line(out, "no answer", &format!("within {} s", after.as_secs_f64())),
        Verdict::Unsupported(why) => line(out, "because", why),
        Verdict::Conforms { readings, .. } => line(out, "reading", &choices(readings)),
    }
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

pub(crate) fn line(out: &mut dyn fmt::Write, label: &str, text: &str) -> fmt::Result {
    let mut lines = text.lines().map(plain);
    writeln!(out, "  {label:<9} {}", lines.next().unwrap_or_default())?;
    lines.try_for_each(|more| writeln!(out, "  {:<9} {more}", ""))
}

/// Text without control characters: a backend's words may neither move the cursor nor start a line
/// that looks like ours.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Three significant digits.
pub(crate) fn ulps(error: f64) -> String {
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

fn tallies(title: &str, tallies: &BTreeMap<Spec, Tally>) -> String {
    if tallies.is_empty() {
        return String::new();
    }
    let mut table = table(&[title, "run", "conforms", "fails", "died", "unsupported", "open"], 1);
    let mut add = |name: &str, tally: &Tally| {
        let counts = [tally.run, tally.conforms, tally.fails, tally.died, tally.unsupported, tally.open];
        table.add_row(std::iter::once(name.to_owned()).chain(counts.map(|count| count.to_string())));
    };
    for (spec, tally) in tallies {
        add(spec.name(), tally);
    }
    if tallies.len() > 1 {
        add("all", &Tally::sum(tallies.values()));
    }
    trimmed(&table)
}

fn precision(title: &str, rows: BTreeMap<(Dtype, Decade), Precision>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut table = table(&[title, "terms", "class", "elements", "worst ulp", "mean ulp"], 3);
    for ((dtype, decade), precision) in rows {
        let (least, most) = decade.bounds();
        table.add_row([
            dtype.name().to_owned(),
            format!("{least}..{most}"),
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
    let mut table = table(&["spec", "question", "reading", "of"], 4);
    // Types that read a question alike share a row.
    let mut rows: BTreeMap<(Spec, Question), BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    for (place, readings) in profile {
        let names: Vec<&str> = readings.keys().map(|reading| reading.name()).collect();
        let inconsistent = if names.len() > 1 { "INCONSISTENT: " } else { "" };
        let reading = format!("{inconsistent}{}", names.join(" and "));
        let types = rows.entry((place.spec, place.question)).or_default().entry(reading).or_default();
        types.extend(place.dtype.map(Dtype::name));
        types.extend(place.axes.map(NoAxes::name));
    }
    for ((spec, question), readings) in rows {
        for (reading, types) in readings {
            table.add_row([spec.name(), question.entry().name, &reading, &types.join(" ")]);
        }
    }
    trimmed(&table)
}

/// A call that was answered in two ways. Alone it may well be answered in one, so the whole run is to be
/// repeated.
fn write_unstable(out: &mut dyn fmt::Write, unstable: &Unstable, again: &str) -> fmt::Result {
    let Unstable { sample, then } = unstable;
    writeln!(out, "NONDETERMINISTIC {}", sample.name)?;
    line(out, "call", &display::call(&sample.call))?;
    line(out, "first", &display::answer(&sample.first))?;
    line(out, "then", &display::answer(then))?;
    line(out, "again", again)?;
    writeln!(out)
}

/// A table without the blanks that pad its last column.
pub(crate) fn trimmed(table: &Table) -> String {
    table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

fn write_inconsistencies(out: &mut dyn fmt::Write, report: &Report<'_>, again: &str) -> fmt::Result {
    for (place, readings) in report.profile() {
        if readings.len() < 2 {
            continue;
        }
        let of = place.dtype.map(Dtype::name).or(place.axes.map(NoAxes::name));
        let of = of.map_or_else(String::new, |of| format!(" for {of}"));
        writeln!(out, "INCONSISTENT {}{of}: {}", place.spec, place.question)?;
        line(out, "asks", place.question.entry().asks)?;
        for (reading, witnesses) in readings {
            write_witnesses(out, reading, &witnesses, again)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// A case before a generated call, because somebody wrote it to be read.
fn write_witnesses(
    out: &mut dyn fmt::Write,
    reading: Reading,
    Witnesses { cases, call, calls }: &Witnesses<'_>,
    again: &str,
) -> fmt::Result {
    let (first, option) = match (cases.first(), call) {
        (Some(name), _) => ((*name).to_owned(), format!("--case {name}")),
        (None, Some(id)) => (format!("generated-{id}"), format!("--property-call {id}")),
        (None, None) => return Ok(()),
    };
    let more = match cases.len() + calls - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    line(out, "reads", &format!("{reading} in {first}{more}"))?;
    line(out, "again", &format!("{again} {option}"))
}

/// Why calls were declined, each reason once with its count.
fn write_unsupported(out: &mut dyn fmt::Write, report: &Report<'_>) -> fmt::Result {
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for (_, verdict) in &report.results {
        if let Verdict::Unsupported(why) = verdict {
            *reasons.entry(plain(why)).or_default() += 1;
        }
    }
    for (why, count) in report.generated.iter().flat_map(|generated| &generated.unsupported) {
        *reasons.entry(plain(why)).or_default() += count;
    }
    if reasons.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nunsupported, in the backend's words:")?;
    reasons.into_iter().try_for_each(|(why, count)| writeln!(out, "{count:>6}  {why}"))
}

fn write_summary(out: &mut dyn fmt::Write, report: &Report<'_>) -> fmt::Result {
    let Conduct { restarts, unrepeated } = report.conduct;
    if restarts > 0 {
        writeln!(out, "\nThe worker was started again {restarts} times.")?;
    }
    if unrepeated > 0 {
        writeln!(
            out,
            "{unrepeated} faults were put down to no call: none of the suspects repeats them alone."
        )?;
    }
    writeln!(out, "\n{}", outcome(report))
}

/// Who was judged, what came of it, and the counts that say so, in a line.
pub(crate) fn outcome(report: &Report<'_>) -> String {
    let Missing { cases, calls } = report.missing;
    let mut parts =
        vec![format!("{} of {} cases", counts(&report.total(), report.filtered(), cases), report.corpus)];
    if let Some(generated) = &report.generated {
        let total = generated.total();
        parts.push(format!("{} of {} generated calls", counts(&total, 0, calls), total.run + calls));
    }
    if !report.unstable.is_empty() {
        parts.push(format!("{} nondeterministic", report.unstable.len()));
    }
    let outcome = match report.executed() {
        0 => "shows nothing",
        _ if !report.is_clean() => "does not conform",
        _ if !report.is_complete() => "conforms as far as it was asked",
        _ => "conforms",
    };
    let partial = if report.is_complete() { "" } else { "PARTIAL: the run was stopped. " };
    let identity = &report.identity;
    let who = plain(&format!("{} {}", identity.name, identity.version));
    format!("{partial}{who} {outcome}: {}", parts.join("; "))
}

/// What there is of each verdict, in words.
fn counts(total: &Tally, filtered: usize, missing: usize) -> String {
    let counts = [
        (total.conforms, "conform"),
        (total.fails, "fail"),
        (total.died, "died"),
        (total.unsupported, "unsupported"),
        (filtered, "filtered out"),
        (missing, "missing"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
    if counts.is_empty() { "0".into() } else { counts.join(", ") }
}
