//! The page of findings, as Markdown: a pure function of the files.
//!
//! Each runtime has a section with a table for each backend. First come the defects of the newest release, newest
//! first, then the mended ones, latest first. Above each table is the command that asks its rows.

use std::cmp::Reverse;
use std::fmt::{self, Write};

use super::finding::{Finding, Route, Runtime, State, Upstream, Witness};
use super::release::Bound;

/// The text above the sections.
const HEAD: &str = "\
<!-- `cargo xtask findings` writes this page from the files in docs/findings. -->

# Findings

What the suite found in runtimes that other people wrote: one row a defect, with the clause it breaks, the smallest
case of the corpus that shows it, what is due and what came. The command above a table, with the case put in,
repeats a row alone, and exits with 1 while the defect is there. `cargo xtask setup NAME` first makes the runtime ready;
`cargo xtask setup NAME@VERSION` does so in the version that a heading names.

Only what our own runs show is listed. A question that a text leaves open is not a finding; which reading a runtime
takes is in the matrix (`cargo xtask matrix`), and so is where it computes now in one way and now in another (`mixed`).
A runtime that reads one question about the form of calls in two ways is listed, because its users cannot rely on either.
So is a *hazard*: an answer that the text allows and that is not the norm, although its type holds the norm.

*Since* is the first release that has the defect, *until* the first one that no longer has it; `cargo xtask bisect` finds
both, and *or before* names the oldest release it could ask. *State* is of the release in the heading: `reported` means that
upstream has a report of the defect. *Upstream* is a report that seems to be about the same thing; a dash says that one
search found none. Run on x86-64 Linux.
";

/// Writes the page.
///
/// # Errors
/// The error of `out`.
pub(super) fn write(out: &mut dyn Write, runtimes: &[Runtime]) -> fmt::Result {
    out.write_str(HEAD)?;
    for runtime in runtimes {
        let part = runtime.part.iter().fold(String::new(), |_, part| format!(", {part}"));
        write!(out, "\n## {} {}{part}\n", runtime.name, runtime.checked)?;
        for route in &runtime.routes {
            write_route(out, runtime, route)?;
        }
    }
    Ok(())
}

fn write_route(out: &mut dyn Write, runtime: &Runtime, route: &Route) -> fmt::Result {
    let own = runtime.findings.iter().filter(|finding| finding.backend == route.name);
    let (mut mended, mut left): (Vec<&Finding>, Vec<&Finding>) =
        own.partition(|finding| finding.state == State::Mended);
    // Unknown releases come last.
    let place = |bound: Option<&Bound>| Reverse(bound.and_then(Bound::release).cloned());
    left.sort_by_key(|finding| place(Some(&finding.life.since)));
    mended.sort_by_key(|finding| place(finding.life.until.as_ref()));
    if let Some(heading) = &route.heading {
        write!(out, "\n{heading}:\n")?;
    }
    if !left.is_empty() {
        write_commands(out, &route.name, &left)?;
        write!(out, "\n| defect | clause | due | came | since | state | upstream |\n{}", rule(7))?;
        for finding in left {
            let cells = [finding.life.since.to_string(), finding.state.word().to_owned()];
            write_row(out, finding, &cells)?;
        }
    }
    if !mended.is_empty() {
        write!(out, "\nMended, and seen last in RELEASE:\n")?;
        write_commands(out, &format!("{}@RELEASE", route.name), &mended)?;
        write!(out, "\n| defect | clause | due | came | since | until | RELEASE | upstream |\n{}", rule(8))?;
        for finding in mended {
            let until = finding.life.until.iter().fold(String::new(), |_, until| until.to_string());
            let cells = [finding.life.since.to_string(), until, finding.life.seen.to_string()];
            write_row(out, finding, &cells)?;
        }
    }
    route.note.iter().try_for_each(|note| write!(out, "\n{note}\n"))
}

/// Writes the command that asks a case, and one for each generated call.
fn write_commands(out: &mut dyn Write, backend: &str, findings: &[&Finding]) -> fmt::Result {
    let command = format!("    cargo xtask conformance --backend {backend}");
    writeln!(out)?;
    if findings.iter().any(|finding| matches!(finding.witness, Witness::Case(_))) {
        writeln!(out, "{command} --case CASE")?;
    }
    let calls = findings.iter().filter(|finding| matches!(finding.witness, Witness::Call(_)));
    calls.map(|finding| &finding.witness).try_for_each(|call| writeln!(out, "{command} {}", call.option()))
}

fn rule(columns: usize) -> String {
    format!("|{}\n", "---|".repeat(columns))
}

fn write_row(out: &mut dyn Write, finding: &Finding, cells: &[String]) -> fmt::Result {
    let Finding { defect, witness, hazard, clause, due, came, .. } = finding;
    let hazard = if *hazard { "hazard: " } else { "" };
    let (cells, upstream) = (cells.join(" | "), upstream(finding.upstream.as_ref()));
    writeln!(out, "| {hazard}{defect}<br>`{witness}` | {clause} | {due} | {came} | {cells} | {upstream} |")
}

/// Returns the link of a report, with its number as text.
fn upstream(upstream: Option<&Upstream>) -> String {
    let Some(Upstream { link, of }) = upstream else { return "–".to_owned() };
    let number = link.rsplit('/').next().unwrap_or_default();
    let of = of.iter().fold(String::new(), |_, of| format!(", of {of}"));
    format!("[#{number}]({link}){of}")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::finding::State;
    use super::super::release::Life;
    use super::*;

    fn finding(defect: &str, witness: Witness, since: &str, until: Option<&str>) -> Finding {
        let release = |text: &str| text.parse().unwrap();
        let until: Option<Bound> = until.map(|until| until.parse().unwrap());
        Finding {
            line: 1,
            defect: defect.to_owned(),
            backend: "numpy".to_owned(),
            witness,
            hazard: false,
            clause: "norm".to_owned(),
            due: "1".to_owned(),
            came: "2".to_owned(),
            state: if until.is_some() { State::Mended } else { State::Open },
            life: Life {
                since: since.parse().unwrap(),
                seen: release("1.0.0"),
                until,
                gone: release("3.0.0"),
            },
            upstream: None,
        }
    }

    fn page(findings: Vec<Finding>) -> String {
        let route = Route { name: "numpy".to_owned(), heading: None, note: Some("And more.".to_owned()) };
        let runtime = Runtime {
            file: PathBuf::new(),
            name: "NumPy".to_owned(),
            part: Some("sums".to_owned()),
            checked: "3.0.0".parse().unwrap(),
            routes: vec![route],
            findings,
        };
        let mut text = String::new();
        write(&mut text, &[runtime]).unwrap();
        text.strip_prefix(HEAD).unwrap().to_owned()
    }

    fn case(name: &str) -> Witness {
        Witness::Case(name.to_owned())
    }

    #[test]
    fn what_is_left_comes_first_and_of_that_the_newest() {
        let call = Witness::Call("1:2".parse().unwrap());
        let text = page(vec![
            finding("gone", case("d"), "unknown", Some("2.0.0")),
            finding("of old", case("c"), "unknown", None),
            finding("early", case("b"), "1.9.0", None),
            finding("late", call, "1.10.0", None),
        ]);
        let expected = "
## NumPy 3.0.0, sums

    cargo xtask conformance --backend numpy --case CASE
    cargo xtask conformance --backend numpy --case 1:2

| defect | clause | due | came | since | state | upstream |
|---|---|---|---|---|---|---|
| late<br>`1:2` | norm | 1 | 2 | 1.10.0 | open | – |
| early<br>`b` | norm | 1 | 2 | 1.9.0 | open | – |
| of old<br>`c` | norm | 1 | 2 | unknown | open | – |

Mended, and seen last in RELEASE:

    cargo xtask conformance --backend numpy@RELEASE --case CASE

| defect | clause | due | came | since | until | RELEASE | upstream |
|---|---|---|---|---|---|---|---|
| gone<br>`d` | norm | 1 | 2 | unknown | 2.0.0 | 1.0.0 | – |

And more.
";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_report_is_linked_by_its_number() {
        let link = "https://github.com/a/b/issues/7".to_owned();
        let of = Some("another operator".to_owned());
        assert_eq!(
            upstream(Some(&Upstream { link: link.clone(), of })),
            format!("[#7]({link}), of another operator")
        );
    }
}
