//! `cargo xtask spec since`: finds the releases of a source's package that changed its text, after the judged release.
//!
//! It compares sentences of sections, as drift does, and halves the range of releases. It tries none between two
//! releases with the same text, so it misses a change that was reverted in between.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{ArgMatches, Command};
use normative_conformance::reference::Spec;

use super::drift::spec_argument;
use crate::spec::now::{Against, releases};
use crate::spec::outline::{Pages, Section, Text};
use crate::spec::sources::{self, Source, of_spec};
use crate::spec::words::Mark;
use normative::note::note;
use normative::search::{Tell, Tried, changes, search};
use normative::select::{Folder, Selection};

/// Returns the command's options.
pub(super) fn command() -> Command {
    Command::new("since")
        .about("Find the releases of onnx that changed a source since the one that the clauses were written from")
        .after_help(
            "Releases are installed under the target directory, about one in each halving. Exit code 0: no release changed \
             anything. 1: one did. 2: they cannot be read.",
        )
        .arg(spec_argument())
        .arg(Folder::option())
}

/// Runs the command.
pub(super) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let folder = Folder::of(matches);
    let sources = sources::load(&folder.path()?)?;
    let named = matches.get_one::<String>("spec");
    let mut specs = Selection::named(named.cloned())?;
    specs.retain(|&spec| of_spec(&sources, spec).next().is_some());
    if specs.is_empty() {
        bail!("no source is on file of {}", named.map_or("any spec", String::as_str));
    }
    let (of_package, others): (Vec<Spec>, Vec<Spec>) =
        specs.into_iter().partition(|&spec| Pages::of(spec) == Pages::Onnx);
    let mut out = std::io::stdout().lock();
    let mut texts = Texts { specs: of_package.clone(), of: BTreeMap::new() };
    let (mut changed, mut row) = (0, None);
    for spec in of_package {
        let Some((source, _)) = of_spec(&sources, spec).next() else { continue };
        let row: &Vec<String> = match &mut row {
            Some(row) => row,
            none => none.insert(releases()?),
        };
        let from = since(row, source).with_context(|| spec.name())?;
        let mut tried = Tried::new();
        search(from.len(), 0, &mut tried, &mut |at| texts.of(&from[at], spec))?;
        let found = changes(&tried);
        let unchanged = found.first().map_or(from.len() - 1, |first| first.before);
        write!(
            out,
            "{}: judged was {}; last seen unchanged in onnx {}",
            spec.name(),
            source.revision,
            from[unchanged]
        )?;
        for change in &found {
            write!(out, "; changed in onnx {}", from[change.after])?;
        }
        writeln!(out)?;
        changed += usize::from(!found.is_empty());
    }
    for (source, text) in others.into_iter().flat_map(|spec| of_spec(&sources, spec)) {
        let (name, revision) = (source.document.named(text.spec), &source.revision);
        writeln!(out, "{name}: judged was {revision}; its source has no releases")?;
    }
    Ok(ExitCode::from(u8::from(changed > 0)))
}

/// Returns the releases from the judged one to the newest, oldest first.
///
/// # Errors
/// The judged release is not among them.
fn since(newest_first: &[String], source: &Source) -> Result<Vec<String>> {
    let judged = source.revision.split_whitespace().next_back().unwrap_or_default();
    let at = newest_first.iter().position(|release| release == judged).with_context(|| {
        format!(
            "expected the release that was judged, {judged:?}, among those for this Python, got {}; PYTHON names another",
            newest_first.join(", ")
        )
    })?;
    Ok(newest_first[..=at].iter().rev().cloned().collect())
}

/// The text of a spec in a release: its sections, with the marks of their sentences. `None` if the release does not define
/// the spec.
#[derive(Clone)]
struct Defined(Option<Vec<(String, Vec<Mark>)>>);

impl Tell for Defined {
    type Verdict = Option<Vec<(String, Vec<Mark>)>>;

    fn verdict(&self) -> Option<Self::Verdict> {
        Some(self.0.clone())
    }
}

/// The texts of releases, each read once.
struct Texts {
    specs: Vec<Spec>,
    of: BTreeMap<String, BTreeMap<Spec, Defined>>,
}

impl Texts {
    fn of(&mut self, release: &str, spec: Spec) -> Result<Defined> {
        if !self.of.contains_key(release) {
            note(format_args!("reading onnx {release}"));
            let now = Against::Package(Some(release.to_owned())).look(&self.specs, &|_| Ok(()))?;
            let marks = |section: Section| {
                let sentences = section.sentences.iter().map(|sentence| Mark::of(sentence)).collect();
                (section.name, sentences)
            };
            let text = |text: Text| text.sections.into_iter().map(marks).collect();
            let texts = now.found.into_iter().map(|found| (found.spec, Defined(found.text.map(text))));
            self.of.insert(release.to_owned(), texts.collect());
        }
        let known = self.of.get(release).and_then(|texts| texts.get(&spec));
        Ok(known.cloned().unwrap_or(Defined(None)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_begins_with_the_release_that_was_judged() {
        let source = |revision: &str| Source {
            file: "a.yaml".into(),
            document: crate::spec::document::Document::English,
            title: "A".into(),
            address: "a".into(),
            revision: revision.into(),
            obtain: "a".into(),
            texts: Vec::new(),
        };
        let releases = ["1.3.0", "1.2.1", "1.2.0", "1.1.0"].map(str::to_owned);
        assert_eq!(since(&releases, &source("onnx 1.2.0")).unwrap(), ["1.2.0", "1.2.1", "1.3.0"]);
        let error = since(&releases, &source("onnx 1.0.0")).unwrap_err().to_string();
        assert!(error.starts_with("expected the release that was judged, \"1.0.0\""), "{error}");
    }
}
