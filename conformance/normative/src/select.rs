//! Selecting cases: the options that commands share, and the cases that they select.
//!
//! A command has only the options that it uses: those that select cases, or the folder alone. An option that matches
//! no case is an error, so a run is never empty.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Arg, ArgAction, ArgMatches};
use normative_conformance::corpus::{self, Case, CaseClaim, Corpus, Ledger, load_ledger, load_ledger_texts};
use normative_conformance::display;
use normative_conformance::nearest::did_you_mean;
use normative_conformance::outside;
use normative_conformance::reference::Spec;
use normative_conformance::run::property::Id;
use normative_conformance::run::{PrepareError, Prepared, prepare};

use crate::home;
use crate::named::{LAST_FAILED, Named};

/// The number of cases listed for an ambiguous name.
const AMBIGUOUS: usize = 3;

/// The name of the file with the expectations of all calls, in the folder of the cases.
pub const LOCK: &str = "expectations.lock";

/// Describes the claim of a case in a word.
pub fn kind(case: &Case) -> String {
    match &case.claim {
        CaseClaim::Determined(_) => "determined".into(),
        CaseClaim::Open { question, .. } => format!("open: {question}"),
    }
}

/// The place of the cases and the ledger.
#[derive(Clone)]
pub struct Folder {
    given: Option<PathBuf>,
}

/// The selected cases.
#[derive(Clone)]
pub struct Selection {
    /// The folder of the cases.
    pub folder: Folder,
    specs: Vec<String>,
    /// Selects cases that any of these names, or all cases if empty.
    wanted: Vec<Named>,
}

impl Folder {
    /// Returns the option.
    pub fn option() -> Arg {
        Arg::new("cases")
            .long("cases")
            .value_name("DIR")
            .value_parser(clap::value_parser!(PathBuf))
            .help("Read the cases from this folder; cases/large has those of up to twenty million elements")
    }

    /// Reads the options.
    pub fn of(matches: &ArgMatches) -> Self {
        Self { given: matches.get_one("cases").cloned() }
    }

    /// Returns the suite's own folder.
    pub const fn ours() -> Self {
        Self { given: None }
    }

    /// Returns the folder that the user named.
    pub fn given(&self) -> Option<&Path> {
        self.given.as_deref()
    }

    /// Returns the folder of the cases, for a command that changes files in it.
    ///
    /// # Errors
    /// Outside a checkout, the cases are built in and have no folder.
    pub fn path(&self) -> Result<PathBuf> {
        let built_in = "the cases that are built in have no folder; give one by --cases DIR";
        self.files().context(built_in)
    }

    /// Returns the folder that the user named, or that of the checkout.
    fn files(&self) -> Option<PathBuf> {
        self.given.clone().or_else(|| home::checkout().map(|root| root.join("cases")))
    }

    /// Reads the corpus. Every case must be well-formed.
    pub fn load(&self) -> Result<Corpus> {
        let (loaded, shown) = match self.files() {
            Some(path) => (corpus::load(&path), path.display().to_string()),
            None => (corpus::load_texts(&built_in::cases()), "the cases that are built in".into()),
        };
        match loaded {
            Ok(corpus) if corpus.cases.is_empty() => bail!("{shown}: expected cases, got none"),
            Ok(corpus) => Ok(corpus),
            Err(errors) => bail!("the cases cannot be used:\n{}", list(&errors)),
        }
    }

    /// Reads the clause ledger: in the folder of the cases, beside that folder, or else the suite's own.
    pub fn ledger(&self) -> Result<Ledger> {
        let ours = || home::checkout().map(|root| root.join("cases/clauses"));
        let ledger = match self.own_ledger().or_else(ours) {
            Some(folder) => load_ledger(&folder),
            None => load_ledger_texts(built_in::clauses()),
        };
        ledger.map_err(|errors| anyhow!("the clause ledger cannot be used:\n{}", list(&errors)))
    }

    /// Returns the folder of the clause ledger that comes with the cases, if any.
    pub fn own_ledger(&self) -> Option<PathBuf> {
        let files = self.files()?;
        let above = files.parent().map(|corpus| corpus.join("clauses"));
        [Some(files.join("clauses")), above].into_iter().flatten().find(|folder| folder.is_dir())
    }

    /// Returns the text of a file that a case or a clause was read from.
    pub fn text_of(file: &Path) -> Result<String> {
        let mut built_in = built_in::cases().into_iter().chain(built_in::clauses());
        let is_built_in = home::checkout().is_none() && file.is_relative();
        if let Some((_, text)) = built_in.find(|(path, _)| is_built_in && *path == file) {
            return Ok(text.to_owned());
        }
        outside::text(file, outside::WRITTEN).with_context(|| format!("cannot read {}", file.display()))
    }
}

/// The built-in files, each with its path.
#[cfg(feature = "built-in")]
mod built_in {
    use std::path::Path;

    pub(super) type Files = Vec<(&'static Path, &'static str)>;

    fn texts(files: &'static [normative_cases::CorpusFile]) -> Files {
        files.iter().map(|file| (Path::new(file.path), file.text)).collect()
    }

    pub(super) fn cases() -> Files {
        texts(normative_cases::cases())
    }

    pub(super) fn clauses() -> Files {
        texts(normative_cases::clauses())
    }
}

/// The empty list of built-in files, for a program that works in a checkout only.
#[cfg(not(feature = "built-in"))]
mod built_in {
    use std::path::Path;

    pub(super) type Files = Vec<(&'static Path, &'static str)>;

    pub(super) const fn cases() -> Files {
        Vec::new()
    }

    pub(super) const fn clauses() -> Files {
        Vec::new()
    }
}

impl Selection {
    /// Returns the options, for a command that takes some of the cases.
    pub fn options() -> [Arg; 3] {
        [
            Self::spec_option(),
            Arg::new("case")
                .long("case")
                .value_name("NAME|SEED:INDEX|CALL")
                .value_parser(Named::of)
                .action(ArgAction::Append)
                .help(
                    "Take only the case of exactly this name, as failures print it, or all cases of this id, or else all \
                     whose name contains this text; a command that judges also takes a generated call, or a call in one \
                     line, as the smallest call of a defect is printed (repeatable)",
                ),
            Folder::option(),
        ]
    }

    /// Returns the option that selects specs, for a command that asks no cases.
    pub fn spec_option() -> Arg {
        Arg::new("spec")
            .long("spec")
            .value_name("SPEC")
            .action(ArgAction::Append)
            .help("Take only this spec, such as openvino/ReduceL1-4, or a family, such as onnx (repeatable)")
    }

    /// Reads the options.
    pub fn of(matches: &ArgMatches) -> Self {
        let wanted = matches.get_many("case").into_iter().flatten().cloned().collect();
        Self { wanted, ..Self::of_specs(matches) }
    }

    /// Reads the options of a command that asks no cases.
    pub fn of_specs(matches: &ArgMatches) -> Self {
        let specs = matches.get_many("spec").into_iter().flatten().cloned().collect();
        Self { folder: Folder::of(matches), specs, wanted: Vec::new() }
    }

    /// Returns the specs of one name or family, or all without one.
    pub fn named(name: Option<String>) -> Result<Vec<Spec>> {
        Self { folder: Folder::ours(), specs: name.into_iter().collect(), wanted: Vec::new() }.specs()
    }

    /// Returns the specs that the options select.
    pub fn specs(&self) -> Result<Vec<Spec>> {
        for wanted in &self.specs {
            if !Spec::ALL.iter().any(|spec| matches(wanted, *spec)) {
                bail!(unknown_spec(wanted));
            }
        }
        let takes = |spec: &Spec| self.specs.is_empty() || self.specs.iter().any(|w| matches(w, *spec));
        Ok(Spec::ALL.into_iter().filter(takes).collect())
    }

    /// Returns true if the options name cases.
    pub const fn names_cases(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// Returns true if the options select the calls that failed last, and nothing else.
    pub fn is_last_failed(&self) -> bool {
        self.specs.is_empty() && matches!(self.wanted.as_slice(), [Named::Case(word)] if word == LAST_FAILED)
    }

    /// Returns true if the options select less than everything.
    pub const fn narrows(&self) -> bool {
        self.names_cases() || !self.specs.is_empty()
    }

    /// Reads the corpus, and adds the calls that the options state.
    ///
    /// # Errors
    /// A case is not well-formed.
    pub fn load(&self) -> Result<Corpus> {
        let mut corpus = self.folder.load()?;
        for wanted in &self.wanted {
            if let Named::Stated(stated) = wanted {
                corpus.cases.extend(stated.iter().cloned());
            }
        }
        Ok(corpus)
    }

    /// Returns the generated calls that the options name.
    pub fn generated(&self) -> Vec<Id> {
        let id = |wanted: &Named| if let Named::Generated(id) = wanted { Some(*id) } else { None };
        self.wanted.iter().filter_map(id).collect()
    }

    /// Returns the selected cases of a corpus, and none if generated calls alone are named.
    pub fn select_beside_generated<'a>(&self, corpus: &'a Corpus) -> Result<Vec<&'a Case>> {
        let mut cases = self.clone();
        cases.wanted.retain(|wanted| !matches!(wanted, Named::Generated(_)));
        if self.names_cases() && !cases.names_cases() { Ok(Vec::new()) } else { cases.select(corpus) }
    }

    /// Returns the selected cases of a corpus. Each option must match at least one.
    pub fn select<'a>(&self, corpus: &'a Corpus) -> Result<Vec<&'a Case>> {
        let specs = self.specs()?;
        let cases: Vec<&Case> =
            corpus.cases.iter().filter(|case| specs.contains(&case.call.spec())).collect();
        let none = |option: Option<String>| {
            let specs = self.specs.iter().map(|spec| format!("--spec {spec:?}"));
            let given: Vec<String> = specs.chain(option).collect();
            anyhow!("no case of {} matches {}", corpus.cases.len(), given.join(" "))
        };
        if !self.names_cases() {
            return if cases.is_empty() { Err(none(None)) } else { Ok(cases) };
        }
        // In the order named, because the answer to a call may depend on those before it.
        let (mut selected, mut seen): (Vec<&Case>, BTreeSet<&str>) = (Vec::new(), BTreeSet::new());
        for wanted in &self.wanted {
            let found = taken(wanted, &cases);
            if found.is_empty() {
                let all: Vec<&Case> = corpus.cases.iter().collect();
                return Err(match wanted {
                    Named::Case(word) if of_word(word, &all).is_empty() => {
                        anyhow!(unknown_case(word, &cases))
                    }
                    _ => none(Some(format!("--case {:?}", wanted.word()))),
                });
            }
            selected.extend(found.into_iter().filter(|case| seen.insert(&case.name)));
        }
        Ok(selected)
    }
}

/// Returns the cases that an option takes.
fn taken<'a>(wanted: &Named, cases: &[&'a Case]) -> Vec<&'a Case> {
    match wanted {
        Named::Case(word) => of_word(word, cases),
        Named::Stated(stated) => {
            let is_stated = |case: &&Case| stated.iter().any(|one| one.name == case.name);
            cases.iter().copied().filter(is_stated).collect()
        }
        Named::Generated(_) => Vec::new(),
    }
}

/// Returns the cases of exactly this name or id, or else those whose name contains the word.
fn of_word<'a>(word: &str, cases: &[&'a Case]) -> Vec<&'a Case> {
    let those = |takes: &dyn Fn(&Case) -> bool| cases.iter().copied().filter(|case| takes(case)).collect();
    let exact: Vec<&Case> = those(&|case| case.name == word || case.id == word);
    if exact.is_empty() { those(&|case| case.name.contains(word)) } else { exact }
}

/// Returns the message for an unknown spec or family.
pub fn unknown_spec(wanted: &str) -> String {
    let families: BTreeSet<&str> = Spec::ALL.into_iter().map(display::family).collect();
    let near = did_you_mean(wanted, Spec::ALL.iter().map(|spec| spec.name()).chain(families));
    if near.is_empty() {
        let known: Vec<&str> = Spec::ALL.iter().map(|spec| spec.name()).collect();
        return format!("no spec is named {wanted:?}; there are {}", known.join(", "));
    }
    format!("no spec is named {wanted:?}{near}")
}

/// Returns the message for an unknown case. It suggests ids, or names if the word has a `/` and so an expansion.
fn unknown_case<'a>(wanted: &str, cases: &[&'a Case]) -> String {
    let name = |case: &&'a Case| if wanted.contains('/') { case.name.as_str() } else { case.id.as_str() };
    let near = did_you_mean(wanted, cases.iter().map(name));
    let near = if near.is_empty() { "; `conformance --list` names all" } else { &near };
    format!("no case is named {wanted}{near}")
}

/// Returns true if the word is the spec's name or family.
fn matches(wanted: &str, spec: Spec) -> bool {
    spec.name() == wanted || display::family(spec) == wanted
}

/// Writes the names of cases, one a line.
pub fn write_names(out: &mut dyn Write, cases: &[&Case]) -> io::Result<()> {
    cases.iter().try_for_each(|case| writeln!(out, "{}", case.name))
}

/// Computes the expectations of the cases.
///
/// # Errors
/// The claims of a case and the reference disagree.
pub fn prepared<'a>(cases: impl IntoIterator<Item = &'a Case>) -> Result<Vec<Prepared<'a>>> {
    let disagree = |errors: Vec<PrepareError>| {
        anyhow!("cases and reference disagree; no backend is judged:\n{}", list(&errors))
    };
    prepare(cases).map_err(disagree)
}

/// Lists errors, one a line.
pub fn list<E: std::fmt::Display>(errors: &[E]) -> String {
    errors.iter().fold(String::new(), |mut text, error| {
        let _ = writeln!(text, "  {error}");
        text
    })
}

/// Returns the root of the checkout, or `.` outside one. Commands that need a checkout are refused earlier.
pub fn workspace_root() -> &'static Path {
    home::checkout().unwrap_or(Path::new("."))
}

/// Finds the case of this name or id, or the only one whose name contains it. An id means its first expansion.
pub fn find<'a>(cases: &[&'a Case], name: &str) -> Result<&'a Case> {
    let found = of_word(name, cases);
    match found.as_slice() {
        [] => bail!(unknown_case(name, cases)),
        [first, ..] if found.iter().all(|case| case.id == first.id) => Ok(first),
        several => {
            let mut ids: Vec<&str> = several.iter().map(|case| case.id.as_str()).collect();
            ids.dedup();
            let more = match ids.len().saturating_sub(AMBIGUOUS) {
                0 => String::new(),
                more => format!("  and {more} more"),
            };
            ids.truncate(AMBIGUOUS);
            bail!("{name} could be any of\n{}{more}", list(&ids))
        }
    }
}
