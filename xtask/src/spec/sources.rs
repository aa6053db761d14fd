//! The sources of the clause ledger, at the time its clauses were written: `cases/sources`, one file for each ledger.
//!
//! A file names a source's address, its document, and the judged revision. Each sentence has a
//! [mark](super::words::Mark) and the clauses that rest on it. Each section has the clauses that rest on its silence
//! (`silent`). The wording of a source is not stored. A fingerprint covers all sentences, so reading notices
//! a lost line. A section that several texts share stands once, with `specs` unless it is in all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use normative_conformance::corpus::{Ledger, LedgerClause};
use normative_conformance::outside;
use normative_conformance::reference::{Family, Spec};
use serde::Deserialize;

use super::document::Document;
use super::standard;
use super::words::{Fingerprint, Mark};

/// The greatest number of sentences on a line of a file.
const MARKS: usize = 3;

/// A file of `cases/sources`.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) file: PathBuf,
    pub(crate) document: Document,
    /// Its title, its address, the judged revision, and the way to obtain it.
    pub(crate) title: String,
    pub(crate) address: String,
    pub(crate) revision: String,
    pub(crate) obtain: String,
    pub(crate) texts: Vec<StoredText>,
}

/// The stored form of a spec's text.
#[derive(Clone, Debug)]
pub(crate) struct StoredText {
    pub(crate) spec: Spec,
    pub(crate) sections: Vec<StoredSection>,
}

/// The stored form of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredSection {
    pub(crate) name: String,
    /// Clauses that rest on the silence of the section and of those below it.
    pub(crate) silent: Vec<String>,
    pub(crate) sentences: Vec<Stored>,
}

/// The stored form of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) mark: Mark,
    /// Clauses that rest on the sentence.
    pub(crate) clauses: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSource {
    source: String,
    #[serde(default)]
    document: Option<String>,
    address: String,
    revision: String,
    obtain: String,
    specs: Vec<String>,
    /// The fingerprint of all sentences; absent if there are none.
    #[serde(default)]
    fingerprint: Option<String>,
    sections: Vec<RawSection>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSection {
    name: String,
    #[serde(default)]
    specs: Option<Vec<String>>,
    #[serde(default)]
    silent: Vec<String>,
    #[serde(default)]
    sentences: Vec<RawSentences>,
}

/// Sentences in a row on which the same clauses rest, each as `FINGERPRINT LENGTH`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSentences {
    marks: Vec<String>,
    #[serde(default)]
    clauses: Vec<String>,
}

impl StoredSection {
    /// Returns the fingerprint of its sentences.
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of_all(self.sentences.iter().map(|sentence| sentence.mark.fingerprint))
    }
}

/// Loads the sources beside the cases in this folder, sorted by file. Other projects' corpora may lack them.
///
/// # Errors
/// A file cannot be read, or contradicts itself.
pub(crate) fn load(cases: &Path) -> Result<Vec<Source>> {
    let folder = cases.join("sources");
    let entries = match outside::entries(&folder, outside::ENTRIES) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| folder.display().to_string()),
    };
    let mut files = Vec::new();
    for path in entries {
        if path.extension().is_some_and(|ending| ending == "yaml") {
            files.push(path);
        }
    }
    let sources = files.iter().map(|file| {
        let text = outside::text(file, outside::WRITTEN).with_context(|| file.display().to_string())?;
        parse(file, &text).with_context(|| file.display().to_string())
    });
    sources.collect()
}

/// Parses one file, given as text.
fn parse(file: &Path, text: &str) -> Result<Source> {
    let raw: RawSource = serde_yaml::from_str(text)?;
    let spec = |name: &String| {
        Spec::from_name(name).with_context(|| format!("expected the name of a spec, got {name:?}"))
    };
    let specs: Vec<Spec> = raw.specs.iter().map(spec).collect::<Result<_>>()?;
    let mut texts: Vec<_> = specs.iter().map(|&spec| StoredText { spec, sections: Vec::new() }).collect();
    let mut all = Vec::new();
    for section in raw.sections {
        let of = match &section.specs {
            Some(names) => names.iter().map(spec).collect::<Result<_>>()?,
            None => specs.clone(),
        };
        let section = self::section(section)?;
        all.extend(section.sentences.iter().map(|sentence| sentence.mark.fingerprint));
        if let Some(other) = of.iter().find(|spec| !specs.contains(spec)) {
            bail!("section {}: expected a spec of the file, got {other}", section.name);
        }
        for text in texts.iter_mut().filter(|text| of.contains(&text.spec)) {
            text.sections.push(section.clone());
        }
    }
    let written = raw.fingerprint.as_deref().map(str::parse).transpose()?;
    if !all.is_empty() {
        let got = written.map_or_else(|| "none".to_owned(), |written: Fingerprint| written.to_string());
        let expected = Fingerprint::of_all(all).to_string();
        if expected != got {
            bail!("expected the fingerprint of its sentences, {expected}, got {got}");
        }
    }
    let RawSource { source: title, document, address, revision, obtain, .. } = raw;
    let document = document.map_or(Ok(Document::default()), |document| document.parse())?;
    Ok(Source { file: file.to_owned(), document, title, address, revision, obtain, texts })
}

fn section(raw: RawSection) -> Result<StoredSection> {
    let mut sentences = Vec::new();
    for RawSentences { marks, clauses } in raw.sentences {
        for text in marks {
            sentences.push(Stored { mark: mark(&text)?, clauses: clauses.clone() });
        }
    }
    Ok(StoredSection { name: raw.name, silent: raw.silent, sentences })
}

/// Reads `FINGERPRINT LENGTH`.
fn mark(text: &str) -> Result<Mark> {
    let parts = text.split_once(' ');
    let (fingerprint, length) =
        parts.with_context(|| format!("expected FINGERPRINT LENGTH, got {text:?}"))?;
    let wanted = || format!("expected a length in characters, got {length:?}");
    Ok(Mark { length: length.parse().with_context(wanted)?, fingerprint: fingerprint.parse()? })
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text: &str| serde_json::to_string(text).map_err(|_| fmt::Error);
        writeln!(
            f,
            "# What the clauses rest on, as fingerprints. cargo xtask spec update writes the fingerprints;"
        )?;
        writeln!(
            f,
            "# people write which clauses rest on a sentence, or on what a section does not say (silent)."
        )?;
        writeln!(f, "source: {}", quoted(&self.title)?)?;
        if self.document != Document::default() {
            writeln!(f, "document: {}", self.document)?;
        }
        writeln!(f, "address: {}", quoted(&self.address)?)?;
        writeln!(f, "revision: {}", quoted(&self.revision)?)?;
        writeln!(f, "obtain: {}", quoted(&self.obtain)?)?;
        let specs = |specs: &[Spec]| specs.iter().map(|spec| spec.name()).collect::<Vec<_>>().join(", ");
        let all: Vec<Spec> = self.texts.iter().map(|text| text.spec).collect();
        writeln!(f, "specs: [{}]", specs(&all))?;
        let sections = self.sections();
        let sentences = sections.iter().flat_map(|(section, _)| &section.sentences);
        let marks: Vec<Fingerprint> = sentences.map(|sentence| sentence.mark.fingerprint).collect();
        if !marks.is_empty() {
            writeln!(f, "fingerprint: \"{}\"", Fingerprint::of_all(marks))?;
        }
        writeln!(f, "sections:{}", if sections.is_empty() { " []" } else { "" })?;
        for (section, of) in sections {
            writeln!(f, "  - name: {}", section.name)?;
            if of.len() < all.len() {
                writeln!(f, "    specs: [{}]", specs(&of))?;
            }
            write!(f, "{section}")?;
        }
        Ok(())
    }
}

/// Writes all but the name, below it.
impl fmt::Display for StoredSection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.silent.is_empty() {
            writeln!(f, "    silent: [{}]", self.silent.join(", "))?;
        }
        if !self.sentences.is_empty() {
            writeln!(f, "    sentences:")?;
        }
        for alike in self.sentences.chunk_by(|one, next| one.clauses == next.clauses) {
            let clauses = alike.first().map_or_else(String::new, |one| one.clauses.join(", "));
            for row in alike.chunks(MARKS) {
                let marks =
                    row.iter().map(|Stored { mark, .. }| format!("{} {}", mark.fingerprint, mark.length));
                let marks = marks.collect::<Vec<_>>().join(", ");
                writeln!(f, "      - {{marks: [{marks}], clauses: [{clauses}]}}")?;
            }
        }
        Ok(())
    }
}

/// Lists the differences between the sources and the ledger, one a line.
pub(crate) fn differences(sources: &[Source], ledger: &Ledger) -> Vec<String> {
    let mut found = Vec::new();
    let mut specs: BTreeMap<(Spec, Document), &Path> = BTreeMap::new();
    for source in sources {
        for text in &source.texts {
            let file = source.file.display();
            if let Some(first) = specs.insert((text.spec, source.document), &source.file) {
                let text = source.document.named(text.spec);
                found.push(format!("{file}: {text} is in {} already", first.display()));
            }
            for name in rests(text).into_keys() {
                let said = ledger.get(text.spec, name).map(|clause| stands_in(clause, source.document));
                match said {
                    Some(true) => {}
                    Some(false) => found.push(format!(
                        "{file}: clause {}#{name} rests on this text, and has no {} in the ledger",
                        text.spec.name(),
                        citation(source.document)
                    )),
                    None => {
                        found.push(format!("{file}: no clause {}#{name} in the ledger", text.spec.name()));
                    }
                }
            }
        }
    }
    for clause in ledger.iter() {
        // A spec without a source is not watched; `spec drift` reports it.
        let texts =
            of_spec(sources, clause.clause.spec).filter(|(source, _)| stands_in(clause, source.document));
        for (source, text) in texts {
            if !rests(text).contains_key(clause.clause.name.as_str()) {
                let (file, of) = (clause.file.display(), source.file.display());
                found.push(format!(
                    "{file}:{}: clause {} rests on no sentence of {of}",
                    clause.line, clause.clause
                ));
            }
        }
    }
    found
}

/// Returns true if a clause cites a document.
fn stands_in(clause: &LedgerClause, document: Document) -> bool {
    let of_all = standard::is_cited(&clause.place);
    match document {
        // A clause may cite only the pages on all functions.
        Document::English if clause.clause.spec.family() == Family::ArrayApi => {
            !of_all || clause.place.contains(standard::FUNCTION)
        }
        Document::English => true,
        Document::Japanese => clause.place_ja.is_some(),
        Document::Standard => of_all,
    }
}

/// Returns the part of the ledger by which a clause cites a document.
const fn citation(document: Document) -> &'static str {
    match document {
        Document::English => "name of the function in `where`",
        Document::Japanese => "where_ja",
        Document::Standard => "title of its page in `where`",
    }
}

/// Returns the stored texts of a spec, one for each of its documents.
pub(crate) fn of_spec(sources: &[Source], spec: Spec) -> impl Iterator<Item = (&Source, &StoredText)> {
    let texts = sources.iter().flat_map(|source| source.texts.iter().map(move |text| (source, text)));
    texts.filter(move |(_, text)| text.spec == spec)
}

/// Returns the fingerprints that each clause rests on: those of sentences, and of silent sections.
pub(crate) fn rests(text: &StoredText) -> BTreeMap<&str, BTreeSet<Fingerprint>> {
    let mut rests: BTreeMap<&str, BTreeSet<Fingerprint>> = BTreeMap::new();
    for section in &text.sections {
        for clause in &section.silent {
            rests.entry(clause).or_default().insert(section.fingerprint());
        }
        for sentence in &section.sentences {
            for clause in &sentence.clauses {
                rests.entry(clause).or_default().insert(sentence.mark.fingerprint);
            }
        }
    }
    rests
}

impl Source {
    /// Returns every section once, with the specs whose texts have it, so that each text's sections keep their order.
    fn sections(&self) -> Vec<(&StoredSection, Vec<Spec>)> {
        let mut sections: Vec<(&StoredSection, Vec<Spec>)> = Vec::new();
        for text in &self.texts {
            let mut next = 0;
            for section in &text.sections {
                let known = sections.iter().skip(next).position(|(known, _)| *known == section);
                let at = known.map_or(next, |from_next| next + from_next);
                if known.is_none() {
                    sections.insert(at, (section, Vec::new()));
                }
                sections[at].1.push(text.spec);
                next = at + 1;
            }
        }
        sections
    }

    /// Writes the file.
    ///
    /// # Errors
    /// The file cannot be written, or would not read back.
    pub(crate) fn save(&self) -> Result<()> {
        let mut text = String::new();
        write!(text, "{self}")?;
        parse(&self.file, &text).context("the file would not read back; nothing is written")?;
        fs::write(&self.file, text).with_context(|| self.file.display().to_string())
    }
}
