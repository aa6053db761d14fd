//! `cargo xtask spec update`: accepts one reviewed change of a source.
//!
//! Every clause that the change touches must be edited in the ledger, as the lock shows, or confirmed by name. So one
//! commit has the new fingerprint and the review of its clauses.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::outside;
use normative_conformance::reference::Spec;

use super::drift::{Wanted, against_option, is_that_source, name_of, spec_argument, stored};
use crate::spec::compare::{Change, Comparison, Place, compare};
use crate::spec::document::Document;
use crate::spec::locked::says_something_new;
use crate::spec::now::Found;
use crate::spec::outline::Text;
use crate::spec::sources::{self, Source, Stored, StoredSection, StoredText};
use crate::spec::words::Mark;
use normative::home::program;
use normative::select::Folder;
use normative::select::LOCK;

/// Returns the command's options.
pub(super) fn command() -> Command {
    Command::new("update")
        .about("Accept one reviewed change of a source")
        .after_help(
            "spec drift prints the fingerprint of each change. Every clause that a change touches has to be edited in the\n\
             ledger first, or confirmed. Afterwards: cargo xtask cases lock, and commit both.",
        )
        .arg(spec_argument().required(true))
        .arg(
            Arg::new("change")
                .value_name("FINGERPRINT")
                .help("The sentence as drift names it, or its first digits; of one that is gone, as the source file has it"),
        )
        .arg(against_option())
        .arg(
            Arg::new("confirm")
                .long("confirm")
                .value_name("CLAUSE")
                .action(ArgAction::Append)
                .help("This clause still says what the text says (repeatable)"),
        )
        .arg(
            Arg::new("clause")
                .long("clause")
                .value_name("CLAUSE")
                .action(ArgAction::Append)
                .help("This clause rests on the sentence, which is new (repeatable)"),
        )
        .arg(
            Arg::new("first")
                .long("first")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["change", "confirm", "clause"])
                .help("Write down all sentences of a spec that the source file names, but has no section of"),
        )
        .arg(Folder::option())
}

/// Runs the command.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let folder = Folder::of(matches);
    let (ledger, mut sources) = (folder.ledger()?, sources::load(&folder.path()?)?);
    let wanted = Wanted::of(matches, &ledger, &sources)?;
    let &[spec] = wanted.specs.as_slice() else {
        bail!("expected one spec, such as onnx/ReduceL1-18, got several")
    };
    let now = wanted.against.look(&[spec], &|found| is_that_source(found, &sources))?;
    let found = meant(matches, &now.found, &sources).context("nothing was found")?;
    let text =
        found.text.as_ref().with_context(|| format!("{} does not define {}", found.at, spec.name()))?;
    let named = found.document.named(spec);
    let (_, kept) =
        stored(&sources, spec, found.document).with_context(|| format!("{named}: no source is on file"))?;
    let comparison = compare(&kept.sections, &text.sections);
    let mut out = std::io::stdout().lock();
    if matches.get_flag("first") {
        if !kept.sections.is_empty() {
            bail!("{}: expected a source file without its sentences, got one with them", spec.name());
        }
        let sections = written_down(text);
        save(&mut sources, (spec, found.document), |stored| stored.sections = sections)?;
        writeln!(out, "{}: wrote down {} sections of {}", named, text.sections.len(), found.at)?;
        return Ok(ExitCode::SUCCESS);
    }
    let change = chosen(matches, kept, text, &comparison)?;
    let all =
        |name: &str| matches.get_many::<String>(name).into_iter().flatten().cloned().collect::<Vec<_>>();
    let (confirmed, resting) = (all("confirm"), all("clause"));
    for name in confirmed.iter().chain(&resting) {
        if ledger.get(spec, name).is_none() {
            bail!("expected a clause of {}, got {name}", spec.name());
        }
    }
    let lock = outside::text(&folder.path()?.join(LOCK), outside::WRITTEN).unwrap_or_default();
    let untouched = change.touched().filter(|name| !confirmed.contains(name));
    let untouched: Vec<&str> = untouched
        .filter(|name| ledger.get(spec, name).is_some_and(|clause| !says_something_new(clause, &lock)))
        .map(String::as_str)
        .collect();
    if !untouched.is_empty() {
        let (clauses, confirm) = (untouched.join(", "), untouched.join(" --confirm "));
        bail!(
            "expected these clauses edited or confirmed: {clauses}\neither edit them in the ledger, or: --confirm {confirm}"
        );
    }
    let (change, text) = (change.clone(), text.clone());
    save(&mut sources, (spec, found.document), |stored| {
        apply(stored, &text, &comparison, &change, &resting);
    })?;
    writeln!(
        out,
        "{}: accepted: {}, sentence {} is {}",
        named,
        change.section,
        change.number,
        change.how.name()
    )?;
    let left = comparison.changes.len() - 1;
    if left == 0 {
        writeln!(out, "nothing else differs from {}: name it as the revision in the source file", found.at)?;
    } else {
        writeln!(out, "{left} other changes are left")?;
    }
    writeln!(out, "{} cases lock writes it down for reviewers", program())?;
    Ok(ExitCode::SUCCESS)
}

/// Selects the found document that has the named change, or with `--first` the one that is not written down yet.
fn meant<'a>(matches: &ArgMatches, found: &'a [Found], sources: &[Source]) -> Option<&'a Found> {
    let is_it = |one: &&Found| {
        let (Some(text), Some((_, kept))) = (&one.text, stored(sources, one.spec, one.document)) else {
            return false;
        };
        if matches.get_flag("first") {
            return kept.sections.is_empty();
        }
        chosen(matches, kept, text, &compare(&kept.sections, &text.sections)).is_ok()
    };
    found.iter().find(is_it).or_else(|| found.first())
}

/// Returns the named change.
fn chosen<'a>(
    matches: &ArgMatches,
    kept: &StoredText,
    text: &Text,
    comparison: &'a Comparison,
) -> Result<&'a Change> {
    let wanted = matches
        .get_one::<String>("change")
        .context("expected the fingerprint of a change, as drift prints it")?;
    let is_it = |change: &&Change| name_of(change, kept, text).starts_with(wanted.as_str());
    let named: Vec<&Change> = comparison.changes.iter().filter(is_it).collect();
    match named.as_slice() {
        [change] => Ok(change),
        [] => bail!("no change has a fingerprint that begins with {wanted}"),
        several => bail!("{} changes have a fingerprint that begins with {wanted}", several.len()),
    }
}

/// Returns all sections of a text, without clauses.
fn written_down(text: &Text) -> Vec<StoredSection> {
    let section = |section: &crate::spec::outline::Section| StoredSection {
        name: section.name.clone(),
        silent: Vec::new(),
        sentences: section
            .sentences
            .iter()
            .map(|said| Stored { mark: Mark::of(said), clauses: Vec::new() })
            .collect(),
    };
    text.sections.iter().map(section).collect()
}

/// Applies one change to the stored text, and leaves the rest unchanged.
fn apply(stored: &mut StoredText, text: &Text, comparison: &Comparison, change: &Change, resting: &[String]) {
    let mut clauses: Vec<String> = resting.to_vec();
    let taken = match (change.was, change.now) {
        (Some(was), Some(now)) if comparison.pairs.contains(&(was, now)) => {
            stored.sections[was.section].sentences[was.sentence].mark = mark(text, now);
            return;
        }
        (Some(was), _) => {
            clauses.extend(stored.sections[was.section].sentences.remove(was.sentence).clauses);
            Some(was)
        }
        (None, _) => None,
    };
    let Some(now) = change.now else { return };
    let name = &text.sections[now.section].name;
    let there = stored.sections.iter().position(|section| section.name == *name);
    let section = there.unwrap_or(stored.sections.len());
    if there.is_none() {
        let empty = StoredSection { name: name.clone(), silent: Vec::new(), sentences: Vec::new() };
        stored.sections.push(empty);
    }
    // Insert after the last sentence that precedes it in both texts. Correct for a sentence removed above.
    let before = comparison
        .pairs
        .iter()
        .filter(|(was, at)| was.section == section && at.section == now.section && at < &now);
    let after = before.map(|(was, _)| was.sentence).max();
    let shift = usize::from(
        taken.is_some_and(|t| t.section == section && after.is_some_and(|after| t.sentence < after)),
    );
    let place = after.map_or(0, |after| after + 1 - shift);
    let sentences = &mut stored.sections[section].sentences;
    sentences.insert(place.min(sentences.len()), Stored { mark: mark(text, now), clauses });
}

fn mark(text: &Text, at: Place) -> Mark {
    Mark::of(&text.sections[at.section].sentences[at.sentence])
}

/// Changes the stored text of a spec, and writes its file.
fn save(
    sources: &mut [Source],
    (spec, document): (Spec, Document),
    change: impl FnOnce(&mut StoredText),
) -> Result<()> {
    for source in sources.iter_mut().filter(|source| source.document == document) {
        if let Some(text) = source.texts.iter_mut().find(|text| text.spec == spec) {
            change(text);
            return source.save();
        }
    }
    bail!("{}: no source is on file", document.named(spec))
}
