//! `cargo xtask spec drift`: lists the changes of a source since its clauses were written, and the clauses affected.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Arg, ArgMatches, Command};
use normative_conformance::corpus::{Corpus, Ledger};
use normative_conformance::display;
use normative_conformance::reference::Spec;

use crate::spec::compare::{Change, Comparison, How, compare};
use crate::spec::document::Document;
use crate::spec::locked::level;
use crate::spec::now::{Against, Found};
use crate::spec::outline::{Pages, Text};
use crate::spec::sources::{self, Source, Stored, StoredText, of_spec};
use crate::spec::words::{Fingerprint, Mark};
use normative::select::{Folder, Selection};

/// A page must contain one in this many of the stored sentences to be accepted as the source.
const FEWEST: usize = 4;

/// The maximum number of characters shown of a sentence.
const SHOWN: usize = 240;

/// Returns the command's options.
pub(super) fn command() -> Command {
    Command::new("drift")
        .about("Compare a source as it is now with the one that the clauses were written from")
        .after_help(
            "A page is HTML, Markdown, reStructuredText or plain text, by the ending of its name. A release of onnx is installed\n\
             under the target directory where it is not there. Exit code 0: nothing changed. 1: something did. 2: what was\n\
             given is not that source, or cannot be read.",
        )
        .arg(spec_argument())
        .arg(against_option())
        .arg(Folder::option())
}

/// Returns the argument that selects specs.
pub(super) fn spec_argument() -> Arg {
    Arg::new("spec")
        .value_name("SPEC")
        .help("Look at this spec, such as onnx/ReduceL1-18, or at a family, such as onnx")
}

/// Returns the option for the place of the source.
pub(super) fn against_option() -> Arg {
    Arg::new("against").long("against").value_name("FILE|DIR|PACKAGE[@VERSION]").help(
        "The source as it is now: a page, a folder with pages below it, or a release of onnx, such as onnx@1.23.2 or \
             onnx@latest [default: onnx]",
    )
}

/// Runs the command.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let folder = Folder::of(matches);
    let (corpus, ledger, sources) = (folder.load()?, folder.ledger()?, sources::load(&folder.path()?)?);
    let wanted = Wanted::of(matches, &ledger, &sources)?;
    let mut out = std::io::stdout().lock();
    for spec in &wanted.unwatched {
        writeln!(out, "{}: no source is on file; it is not watched", spec.name())?;
    }
    let now = wanted.against.look(&wanted.specs, &|found| is_that_source(found, &sources))?;
    let (mut changed, mut same) = (0, 0);
    for found in &now.found {
        let Some((source, stored)) = stored(&sources, found.spec, found.document) else { continue };
        let (spec, judged) = (found.document.named(found.spec), &source.revision);
        let Some(text) = &found.text else {
            changed += 1;
            writeln!(out, "{spec}: {} does not define it; judged was {judged}", found.at)?;
            continue;
        };
        let comparison = compare(&stored.sections, &text.sections);
        if comparison.changes.is_empty() {
            same += 1;
            writeln!(
                out,
                "{spec}: unchanged in {}, {} sentences; judged was {judged}",
                found.at, comparison.unchanged
            )?;
            continue;
        }
        changed += 1;
        writeln!(out, "{spec}: changed in {}; judged was {judged}", found.at)?;
        writeln!(out, "  {}", counts(&comparison))?;
        for change in &comparison.changes {
            write_change(&mut out, change, found.spec, text, &ledger, &corpus)?;
        }
    }
    for version in &now.others {
        changed += 1;
        writeln!(out, "{version}: a version that is not among the specs here")?;
    }
    for (source, text) in wanted.specs.iter().flat_map(|&spec| of_spec(&sources, spec)) {
        let is_it = |found: &Found| (found.spec, found.document) == (text.spec, source.document);
        if !now.found.iter().any(is_it) {
            let (name, obtain) = (source.document.named(text.spec), &source.obtain);
            writeln!(out, "{name}: not looked at; to get it: {obtain}")?;
        }
    }
    writeln!(out, "{changed} changed, {same} unchanged")?;
    Ok(ExitCode::from(u8::from(changed > 0)))
}

/// The specs and the source that the options select.
pub(super) struct Wanted {
    /// The specs that have a source on file.
    pub(super) specs: Vec<Spec>,
    unwatched: Vec<Spec>,
    pub(super) against: Against,
}

impl Wanted {
    /// Reads the options.
    ///
    /// # Errors
    /// An unknown spec, a spec without a source on file, or no `--against` for a source that has no package.
    pub(super) fn of(matches: &ArgMatches, ledger: &Ledger, sources: &[Source]) -> Result<Self> {
        let named = matches.get_one::<String>("spec");
        let picked = Selection::named(named.cloned())?;
        let in_ledger: BTreeSet<Spec> = ledger.iter().map(|clause| clause.clause.spec).collect();
        let (specs, unwatched): (Vec<Spec>, Vec<Spec>) = picked
            .into_iter()
            .filter(|spec| in_ledger.contains(spec))
            .partition(|&spec| of_spec(sources, spec).next().is_some());
        let Some(&first) = specs.first() else {
            bail!("no source is on file of {}", named.map_or("any spec", String::as_str));
        };
        let against = match matches.get_one::<String>("against") {
            Some(argument) => Against::of(argument)?,
            None if specs.iter().any(|&spec| Pages::of(spec) == Pages::Onnx) => Against::Package(None),
            None => {
                let obtain = of_spec(sources, first).next().map_or("", |(source, _)| &source.obtain);
                bail!("{}: expected --against with its page; to get it: {obtain}", first.name());
            }
        };
        Ok(Self { specs, unwatched, against })
    }
}

/// Returns the stored text of a spec's document.
pub(super) fn stored(sources: &[Source], spec: Spec, document: Document) -> Option<(&Source, &StoredText)> {
    of_spec(sources, spec).find(|(source, _)| source.document == document)
}

/// Refuses a page of another source.
///
/// # Errors
/// The page has too few of the stored sentences.
pub(super) fn is_that_source(found: &Found, sources: &[Source]) -> Result<()> {
    let Some(text) = &found.text else { return Ok(()) };
    let name = found.document.named(found.spec);
    let Some((_, stored)) = stored(sources, found.spec, found.document) else {
        bail!("{}: the text of {name} is not on file", found.at)
    };
    let on_page: BTreeSet<Fingerprint> = text
        .sections
        .iter()
        .flat_map(|section| &section.sentences)
        .map(|sentence| Mark::of(sentence).fingerprint)
        .collect();
    let sentences: Vec<&Stored> = stored.sections.iter().flat_map(|section| &section.sentences).collect();
    let there = sentences.iter().filter(|sentence| on_page.contains(&sentence.mark.fingerprint)).count();
    let all = sentences.len();
    if there * FEWEST < all {
        bail!("{}: expected the text of {}, got {there} of its {all} sentences", found.at, name);
    }
    Ok(())
}

/// Returns the number of sentences for each kind of change.
pub(super) fn counts(comparison: &Comparison) -> String {
    let mut counts: BTreeMap<How, usize> = BTreeMap::new();
    comparison.changes.iter().for_each(|change| *counts.entry(change.how).or_default() += 1);
    let changes = counts.iter().map(|(how, count)| format!(", {count} {}", how.name()));
    format!("{} unchanged{}", comparison.unchanged, changes.collect::<String>())
}

fn write_change(
    out: &mut dyn Write,
    change: &Change,
    spec: Spec,
    text: &Text,
    ledger: &Ledger,
    corpus: &Corpus,
) -> Result<()> {
    let sentence = change.now.map(|at| text.sections[at.section].sentences[at.sentence].as_str());
    let shown = sentence.map(|sentence| sentence.split_whitespace().collect::<Vec<_>>().join(" "));
    let by = sentence.map_or_else(String::new, |sentence| format!("  {}", Mark::of(sentence).fingerprint));
    writeln!(out, "  {:<8}  {}, sentence {}{by}", change.how.name(), change.section, change.number)?;
    if let Some(shown) = shown {
        writeln!(out, "            now: {}", display::cut(&shown, SHOWN))?;
    }
    if change.touched().next().is_none() {
        writeln!(out, "            no clause rests on it")?;
    }
    for name in &change.clauses {
        writeln!(out, "            {}", resting(name, spec, ledger, corpus))?;
    }
    if !change.silent.is_empty() {
        writeln!(out, "            may end a silence that these rest on: {}", change.silent.join(", "))?;
    }
    Ok(())
}

/// Returns a clause with its level, questions and cases.
fn resting(name: &str, spec: Spec, ledger: &Ledger, corpus: &Corpus) -> String {
    let Some(clause) = ledger.get(spec, name) else {
        return format!("clause {name}, which the ledger lacks");
    };
    let citing = corpus.cases.iter().filter(|case| case.clauses.contains(&clause.clause));
    let cases: BTreeSet<&str> = citing.map(|case| case.id.as_str()).collect();
    let questions: Vec<&str> = clause.questions.iter().map(|question| question.name()).collect();
    let questions =
        if questions.is_empty() { String::new() } else { format!("; questions {}", questions.join(", ")) };
    let cases = match (cases.len(), cases.first()) {
        (1, Some(case)) => format!("case {case}"),
        (many, Some(first)) => format!("{many} cases, the first {first}"),
        (_, None) => "no case".to_owned(),
    };
    format!("clause {name}: {}{questions}; {cases}", level(clause.level))
}
