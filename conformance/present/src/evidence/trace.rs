//! Clauses with their tests, failures with the clauses they break, questions with the answers that decide them.

use std::collections::BTreeMap;
use std::fmt;

use super::table::Table;
use super::{EvidenceRun, names, text};
use normative_conformance::report::label;
use normative_conformance::report::tables;
use normative_conformance::report::trace::{Counts, Status, Traced};

/// The most failures listed on the page.
const LISTED: usize = 500;

/// Returns a status in words.
const fn in_words(status: Status) -> &'static str {
    match status {
        Status::Fails => "fails",
        Status::Conforms => "conforms",
        Status::Unsupported => "unsupported",
        Status::NotAsked => "not asked",
        Status::NoTest => "NO TEST",
        Status::Informative => "informative, no test",
    }
}

fn marked(status: Status) -> String {
    let class = match status {
        Status::Fails | Status::NoTest => "bad",
        Status::Conforms => "good",
        Status::Unsupported | Status::NotAsked | Status::Informative => "other",
    };
    format!("<span class=\"{class}\">{}</span>", in_words(status))
}

/// Lists the counts that are not zero.
fn counted(counts: &Counts) -> String {
    let Counts { conforms, fails, died, unsupported, not_asked } = *counts;
    let named = [
        (fails, "fail"),
        (died, "died"),
        (conforms, "conform"),
        (unsupported, "unsupported"),
        (not_asked, "not asked"),
    ];
    let some = named.into_iter().filter(|(count, _)| *count > 0);
    let some: Vec<String> = some.map(|(count, word)| format!("{count} {word}")).collect();
    if some.is_empty() { "none".to_owned() } else { some.join(", ") }
}

/// Formats names as code, one per line.
fn code(names: &[String]) -> String {
    names.iter().map(|name| format!("<code>{}</code>", text(name))).collect::<Vec<_>>().join("<br>")
}

/// Formats clauses as links to their rows.
fn linked(clauses: &[String], run: usize) -> String {
    let link =
        |clause: &String| format!("<a href=\"#{}\"><code>{1}</code></a>", anchor(run, clause), text(clause));
    clauses.iter().map(link).collect::<Vec<_>>().join("<br>")
}

/// Returns the anchor of a clause's row on the page.
fn anchor(run: usize, clause: &str) -> String {
    format!("r{run}-{}", text(&clause.replace(['/', '#'], "-")))
}

pub(super) fn clauses(out: &mut dyn fmt::Write, runs: &[EvidenceRun<'_>]) -> fmt::Result {
    out.write_str(
        "<section id=\"clauses\">\n<h2>Clauses</h2>\n<p>Every statement of every specification, in our words, with the cases that \
         cite it and the generated calls that are about it. A clause fails if anything that tests it fails; which clause a \
         failure breaks is said with the failure. calls.csv lists every case and call with its clauses.</p>\n",
    )?;
    for (at, (run, name)) in runs.iter().zip(names(runs)).enumerate() {
        let mut specs: BTreeMap<&str, Vec<&Traced>> = BTreeMap::new();
        for clause in &run.trace.clauses {
            let spec = clause.clause.split('#').next().unwrap_or_default();
            specs.entry(spec).or_default().push(clause);
        }
        for (spec, clauses) in specs {
            let mut counts: BTreeMap<Status, usize> = BTreeMap::new();
            for clause in &clauses {
                *counts.entry(clause.status).or_default() += 1;
            }
            let counts: Vec<String> =
                counts.into_iter().map(|(status, count)| format!("{count} {}", in_words(status))).collect();
            writeln!(
                out,
                "<h3>{}: {}</h3>\n<p>{} clauses: {}.</p>",
                text(&name),
                text(spec),
                clauses.len(),
                counts.join(", ")
            )?;
            // A spec without any asked clause is left out.
            let was_asked =
                |clause: &&&Traced| !matches!(clause.status, Status::NotAsked | Status::Informative);
            if clauses.iter().any(|clause| was_asked(&clause)) {
                of_spec(at, &clauses).write(out)?;
            }
        }
    }
    out.write_str("</section>\n")
}

fn of_spec(run: usize, clauses: &[&Traced]) -> Table {
    let mut table = Table::of(&["clause", "status", "cases", "generated calls", "such as"]);
    for clause in clauses {
        let (_, name) = clause.clause.split_once('#').unwrap_or_default();
        let examples = if clause.failing.is_empty() { &clause.conforming } else { &clause.failing };
        let at = if clause.place.is_empty() { String::new() } else { format!(" {}", text(&clause.place)) };
        table.row_of_markup(vec![
            format!(
                "<b id=\"{}\">{}</b> <small>{},{at}</small><br>{}",
                anchor(run, &clause.clause),
                text(name),
                clause.level,
                text(&clause.says)
            ),
            marked(clause.status),
            counted(&clause.cases),
            counted(&clause.calls),
            code(&examples[..examples.len().min(2)]),
        ]);
    }
    table
}

pub(super) fn failures(out: &mut dyn fmt::Write, runs: &[EvidenceRun<'_>]) -> fmt::Result {
    out.write_str(
        "<section id=\"failures\">\n<h2>Failures</h2>\n<p>Everything that speaks against a backend, with the clauses it breaks. \
         report.html groups failures by cause and shows each in full.</p>\n",
    )?;
    for (at, (run, name)) in runs.iter().zip(names(runs)).enumerate() {
        let failures = &run.trace.failures;
        writeln!(out, "<h3>{}: {}</h3>", text(&name), failures.len())?;
        let mut table = Table::of(&["kind", "case or call", "clauses", "what came"]);
        for failure in failures.iter().take(LISTED) {
            let told = [
                label::RESULT,
                label::CRASHED,
                label::NO_ANSWER,
                label::PROCESS,
                label::TOGETHER,
                label::THEN,
            ];
            let line = told.iter().find_map(|label| failure.lines.iter().find(|(name, _)| name == label));
            table.row_of_markup(vec![
                failure.kind.to_owned(),
                code(std::slice::from_ref(&failure.name)),
                linked(&failure.clauses, at),
                line.map_or_else(String::new, |(_, said)| text(said)),
            ]);
        }
        table.write(out)?;
        if failures.len() > LISTED {
            writeln!(out, "<p>{} more are in failures.csv.</p>", failures.len() - LISTED)?;
        }
    }
    out.write_str("</section>\n")
}

pub(super) fn questions(out: &mut dyn fmt::Write, runs: &[EvidenceRun<'_>]) -> fmt::Result {
    out.write_str(
        "<section id=\"questions\">\n<h2>Questions</h2>\n<p>Where a text is silent or contradicts itself, every honest reading \
         conforms. A reading is forced if no other explains the answers; the calls named leave no other, together. A question \
         that is not listed was left open by the answers.</p>\n",
    )?;
    for (at, (run, name)) in runs.iter().zip(names(runs)).enumerate() {
        writeln!(out, "<h3>{}</h3>", text(&name))?;
        let mut table = Table::of(&["question", "reading", "raised by", "shown by"]);
        for taken in &run.trace.questions {
            let of = taken.dtype.map_or_else(String::new, |dtype| format!(" for {dtype}"));
            let how = if taken.how == "forced" { String::new() } else { format!("{}: ", taken.how) };
            let shown = if taken.answers.is_empty() {
                "all answers together".to_owned()
            } else {
                let more = taken.alone.saturating_sub(1);
                let more = if more > 0 { format!("<br>and {more} more, each alone") } else { String::new() };
                code(&taken.answers) + &more
            };
            table.row_of_markup(vec![
                format!(
                    "<b>{}</b> <small>{}{of}</small><br>{}",
                    taken.question,
                    taken.spec,
                    text(taken.asks)
                ),
                format!("{how}{}", taken.readings.join(", ")),
                linked(&taken.clauses, at),
                shown,
            ]);
        }
        table.write(out)?;
    }
    out.write_str("</section>\n")
}

/// Lists the things that a run did not test, each with its count, as texts.
pub(super) fn left_out(run: &EvidenceRun<'_>) -> Vec<(String, String)> {
    let report = &run.column.report;
    let mut left_out = Vec::new();
    for family in &report.left_out {
        left_out.push((format!("the family {family}, which the backend does not claim"), String::new()));
    }
    for (what, count) in [
        ("cases left out by options", report.filtered()),
        ("cases that the run did not come to", report.missing.cases),
        ("generated calls that the run did not come to", report.missing.calls),
    ] {
        if count > 0 {
            left_out.push((what.to_owned(), count.to_string()));
        }
    }
    for (why, count) in tables::unsupported(report) {
        left_out.push((format!("unsupported: {why}"), count.to_string()));
    }
    let untested = |status| run.trace.clauses.iter().filter(move |clause| clause.status == status);
    for (status, what) in [
        (Status::NoTest, "clauses without a test"),
        (Status::NotAsked, "clauses whose tests were not asked"),
        (Status::Unsupported, "clauses whose tests were all declined"),
    ] {
        let count = untested(status).count();
        if count > 0 {
            left_out.push((what.to_owned(), count.to_string()));
        }
    }
    left_out
}
