//! `cargo xtask spec update`: accepts the reviewed changes of a source.
//!
//! Every clause that a change touches must be edited in the ledger, as the lock shows, or confirmed by name. So one
//! commit has the new fingerprints and the review of their clauses.

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::outside;
use normative_conformance::reference::Spec;

use super::drift::{Wanted, against_option, counts, is_that_source, spec_argument, stored};
use crate::spec::compare::{Change, Comparison, Place, compare};
use crate::spec::document::Document;
use crate::spec::locked::says_something_new;
use crate::spec::now::Found;
use crate::spec::outline::Text;
use crate::spec::sources::{self, Source, Stored, StoredSection, StoredText};
use crate::spec::words::Mark;
use normative::home::program;
use normative::output;
use normative::select::Folder;
use normative::select::LOCK;

/// Returns the command's options.
pub(super) fn command() -> Command {
    Command::new("update")
        .about("Accept the reviewed changes of a source, or write down a new one")
        .after_help(
            "spec drift lists the changes. Every clause that one touches has to be edited in the ledger first, or confirmed.\n\
             A sentence that is new rests on no clause until the source file names some. Afterwards: cargo xtask cases lock,\n\
             and commit both.",
        )
        .arg(spec_argument().required(true))
        .arg(against_option())
        .arg(
            Arg::new("confirm")
                .long("confirm")
                .value_name("CLAUSE")
                .action(ArgAction::Append)
                .help("This clause still says what the text says (repeatable)"),
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
    let differs = |found: &&Found| compared(found, &sources).is_ok_and(|(.., it)| !it.changes.is_empty());
    let found = now.found.iter().find(differs).or(now.found.first()).context("nothing was found")?;
    let (text, kept, comparison) = compared(found, &sources)?;
    let confirmed: Vec<&String> = matches.get_many("confirm").into_iter().flatten().collect();
    if let Some(name) = confirmed.iter().find(|name| ledger.get(spec, name).is_none()) {
        bail!("expected a clause of {}, got {name}", spec.name());
    }
    let lock = outside::text(&folder.path()?.join(LOCK), outside::WRITTEN).unwrap_or_default();
    let is_left = |name: &&String| {
        !confirmed.contains(name)
            && ledger.get(spec, name).is_some_and(|clause| !says_something_new(clause, &lock))
    };
    let mut untouched: Vec<&str> = Vec::new();
    for name in comparison.changes.iter().flat_map(Change::touched).filter(is_left) {
        if !untouched.contains(&name.as_str()) {
            untouched.push(name);
        }
    }
    if !untouched.is_empty() {
        let (clauses, confirm) = (untouched.join(", "), untouched.join(" --confirm "));
        bail!(
            "expected these clauses edited or confirmed: {clauses}\neither edit them in the ledger, or: --confirm {confirm}"
        );
    }
    let (sections, counts) = (accepted(kept, text, &comparison), counts(&comparison));
    save(&mut sources, (spec, found.document), sections)?;
    let (named, at) = (found.document.named(spec), &found.at);
    output::print(&format!(
        "{named}: accepted: {counts}\nname {at} as the revision in the source file, and the clauses that rest on new sentences\n\
         {} cases lock writes it down for reviewers\n",
        program()
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Compares a text that was found with the one on file.
fn compared<'a>(found: &'a Found, sources: &'a [Source]) -> Result<(&'a Text, &'a StoredText, Comparison)> {
    let spec = found.spec.name();
    let text = found.text.as_ref().with_context(|| format!("{} does not define {spec}", found.at))?;
    let kept = stored(sources, found.spec, found.document);
    let (_, kept) = kept.with_context(|| format!("{spec}: no source is on file"))?;
    Ok((text, kept, compare(&kept.sections, &text.sections)))
}

/// Returns the sections of a text. A sentence that was there before, in other words or elsewhere, keeps its clauses.
fn accepted(kept: &StoredText, text: &Text, comparison: &Comparison) -> Vec<StoredSection> {
    let stored = |place: Place| &kept.sections[place.section].sentences[place.sentence];
    let sentence = |at: Place, said: &String| {
        let mark = Mark::of(said);
        let paired = comparison.pairs.iter().find(|(_, to)| *to == at).map(|(from, _)| stored(*from));
        let elsewhere = || {
            let gone = comparison.changes.iter().filter(|change| change.now.is_none());
            gone.filter_map(|change| change.was).map(stored).find(|one| one.mark == mark)
        };
        let clauses = paired.or_else(elsewhere).map(|one| one.clauses.clone()).unwrap_or_default();
        Stored { mark, clauses }
    };
    let sections = text.sections.iter().enumerate();
    let section = sections.map(|(at, section)| {
        let was = kept.sections.iter().find(|was| was.name == section.name);
        let sentences = section.sentences.iter().enumerate();
        StoredSection {
            name: section.name.clone(),
            silent: was.map(|was| was.silent.clone()).unwrap_or_default(),
            sentences: sentences
                .map(|(nth, said)| sentence(Place { section: at, sentence: nth }, said))
                .collect(),
        }
    });
    section.collect()
}

/// Replaces the stored sections of a spec, and writes its file.
fn save(
    sources: &mut [Source],
    (spec, document): (Spec, Document),
    sections: Vec<StoredSection>,
) -> Result<()> {
    for source in sources.iter_mut().filter(|source| source.document == document) {
        if let Some(text) = source.texts.iter_mut().find(|text| text.spec == spec) {
            text.sections = sections;
            return source.save();
        }
    }
    bail!("{}: no source is on file", document.named(spec))
}
