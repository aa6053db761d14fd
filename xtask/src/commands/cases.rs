//! `cargo xtask cases …`: checks, measures and rewrites the corpus.
//!
//! `lint` and `coverage` fail if they find something, for CI: a case that disagrees with the reference, a clause
//! without a case, a cited clause that the ledger lacks, a clause that rests on nothing in its source.

mod adopt;
mod export;
mod fmt;
mod kernels;
mod lock;
mod page;
mod selfcheck;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::corpus::clauses::{Ledger, Level};
use normative_conformance::corpus::{Case, CaseClaim, ClauseRef, Corpus, Statement};
use normative_conformance::display::{counted, joined};
use normative_conformance::nearest::did_you_mean;
use normative_conformance::outside;
use normative_conformance::run::prepare;

use crate::cases::content::File;
use crate::cases::files::files;
use crate::spec::sources;
use normative::select::{Folder, Selection, list};

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("cases")
        .about("Look at the corpus, or check it")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("lint")
                .about("Check every case against the format, the reference and the clause ledger, and the ledger against its sources")
                .args(Selection::options()),
        )
        .subcommand(
            Command::new("coverage")
                .about("Show which cases test each clause; fail on a clause without one")
                .arg(
                    Arg::new("kernels")
                        .long("kernels")
                        .action(ArgAction::SetTrue)
                        .help("Show instead which kernels are met, by cases and by generated calls"),
                )
                .arg(Folder::option()),
        )
        .subcommand(adopt::command())
        .subcommand(export::command())
        .subcommand(fmt::command())
        .subcommand(lock::command())
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    match matches.subcommand() {
        Some(("lint", matches)) => lint(&Selection::of(matches)),
        Some(("coverage", matches)) if matches.get_flag("kernels") => kernels::main(&Folder::of(matches)),
        Some(("coverage", matches)) => coverage(&Folder::of(matches)),
        Some(("adopt", matches)) => adopt::main(matches),
        Some(("export", matches)) => export::main(matches),
        Some(("fmt", matches)) => fmt::main(matches),
        Some(("lock", matches)) => lock::main(matches),
        _ => Ok(ExitCode::from(2)),
    }
}

fn lint(selection: &Selection) -> Result<ExitCode> {
    let corpus = selection.folder.load()?;
    let selected = selection.select(&corpus)?;
    let ledger = selection.folder.ledger()?;
    let mut findings = unknown_clauses(&selected, &ledger);
    findings.extend(beside_the_point(&selected, &ledger));
    // YAML takes the end of a sentence behind ` #` for a comment; the canonical form has none there.
    if selection.folder.path().is_ok() {
        for (source, file) in files(&corpus, &Ledger::default()) {
            let text = outside::text(file, outside::WRITTEN).with_context(|| file.display().to_string())?;
            findings.extend(File::read(source, file, &text).err().map(|error| format!("{error:#}")));
        }
    }
    if let Err(errors) = prepare(selected.iter().copied()) {
        findings.extend(errors.iter().map(ToString::to_string));
    }
    // A narrowed check is of cases alone. Built-in cases have no folder, and so no sources.
    if let Some(path) = selection.folder.path().ok().filter(|_| !selection.narrows()) {
        let differences = sources::differences(&sources::load(&path)?, &ledger);
        findings.extend(differences.iter().map(ToString::to_string));
    }
    let mut out = std::io::stdout().lock();
    if findings.is_empty() {
        let ids: BTreeSet<&str> = selected.iter().map(|case| case.id.as_str()).collect();
        writeln!(
            out,
            "{}, {} expanded: nothing to mend",
            counted(ids.len(), "case", "cases"),
            selected.len()
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    write!(out, "{}", list(&findings))?;
    writeln!(out, "{} findings", findings.len())?;
    Ok(ExitCode::FAILURE)
}

/// Lists the clauses that cases cite and the ledger lacks.
fn unknown_clauses(cases: &[&Case], ledger: &Ledger) -> Vec<String> {
    let mut findings = BTreeSet::new();
    for case in cases {
        for clause in &case.clauses {
            if ledger.get(clause.spec, &clause.name).is_none() {
                let (file, Case { line, id, .. }) = (case.file.display(), case);
                let known = ledger.iter().filter(|entry| entry.clause.spec == clause.spec);
                let near = did_you_mean(&clause.name, known.map(|entry| entry.clause.name.as_str()));
                findings.insert(format!("{file}:{line}: case {id}: no clause {clause} in the ledger{near}"));
            }
        }
    }
    findings.into_iter().collect()
}

/// Lists the cases that cite no clause about their answer: one that raises the question of an open case, or the one that
/// an invalid call breaks.
fn beside_the_point(cases: &[&Case], ledger: &Ledger) -> Vec<String> {
    let mut findings = BTreeSet::new();
    for Case { id, file, line, claim, clauses, .. } in cases {
        let raises = |clause: &&ClauseRef, question| {
            ledger.get(clause.spec, &clause.name).is_some_and(|entry| entry.questions.contains(question))
        };
        let expected = match claim {
            CaseClaim::Open { question, .. } if !clauses.iter().any(|clause| raises(&clause, question)) => {
                format!("a clause that raises {question}")
            }
            CaseClaim::Determined(Statement::Rejected { clause } | Statement::Outside { clause })
                if !clauses.iter().any(|cited| cited.name == *clause) =>
            {
                format!("the clause {clause}, which the call breaks,")
            }
            CaseClaim::Open { .. } | CaseClaim::Determined(_) => continue,
        };
        let got = joined(clauses.iter().map(|clause| &clause.name));
        findings.insert(format!(
            "{}:{line}: case {id}: expected {expected} among its clauses, got {got}",
            file.display()
        ));
    }
    findings.into_iter().collect()
}

fn coverage(folder: &Folder) -> Result<ExitCode> {
    let corpus = folder.load()?;
    let ledger = folder.ledger()?;
    let cited = cited(&corpus);
    let mut text = String::new();
    let mut uncovered = 0_usize;
    let mut per_source: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for entry in ledger.iter() {
        let cases = cited.get(&entry.clause).map_or(0, BTreeSet::len);
        let counts = per_source.entry(&entry.source).or_default();
        counts[0] += 1;
        let note = match (entry.level, cases) {
            (Level::Informative, 0) => {
                counts[2] += 1;
                "informative".into()
            }
            (Level::Determined | Level::Open, 0) => {
                uncovered += 1;
                "NO CASE".into()
            }
            (_, 1) => "1 case".into(),
            (_, cases) => format!("{cases} cases"),
        };
        counts[1] += usize::from(cases > 0);
        writeln!(text, "{:<60} {note:<12} {}", entry.clause.to_string(), entry.place)?;
    }
    writeln!(text)?;
    for (source, [clauses, with_cases, informative]) in per_source {
        writeln!(text, "{source}: {clauses} clauses, {with_cases} with cases, {informative} informative")?;
    }
    let unknown = unknown_clauses(&corpus.cases.iter().collect::<Vec<_>>(), &ledger);
    text.push_str(&list(&unknown));
    writeln!(text, "{uncovered} clauses without a case, {} unknown clauses cited", unknown.len())?;
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::from(u8::from(uncovered + unknown.len() > 0)))
}

/// Returns the cases, by id, that cite each clause.
fn cited(corpus: &Corpus) -> BTreeMap<&ClauseRef, BTreeSet<&str>> {
    let mut cited: BTreeMap<&ClauseRef, BTreeSet<&str>> = BTreeMap::new();
    for case in &corpus.cases {
        for clause in &case.clauses {
            cited.entry(clause).or_default().insert(&case.id);
        }
    }
    cited
}
