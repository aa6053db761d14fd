//! Which cases a command is about: the options commands share, and what they leave of the corpus.
//!
//! A command offers only what it heeds: the options that pick cases, or the folder alone. An option
//! that matches nothing is an error, never an empty run.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::{Arg, ArgAction, ArgMatches};
use normative_conformance::corpus::{self, Case, Corpus, Ledger, load_ledger};
use normative_conformance::display;
use normative_conformance::reference::Spec;
use normative_conformance::run::{PrepareError, Prepared, prepare};

/// Where the cases and the ledger are.
pub(crate) struct Folder {
    given: Option<PathBuf>,
    /// Whether the folder's large cases are taken too.
    large: bool,
}

/// Which cases to take.
pub(crate) struct Selection {
    /// Where from.
    pub(crate) folder: Folder,
    specs: Vec<String>,
    /// Any of them; all cases where there is none.
    wanted: Vec<Wanted>,
}

/// What picks cases.
#[derive(Clone, Debug)]
enum Wanted {
    /// `--filter`: a text in their names.
    Text(String),
    /// `--case`: a name, or an id.
    Case(String),
}

impl Wanted {
    fn takes(&self, case: &Case) -> bool {
        match self {
            Self::Text(text) => case.name.contains(text),
            Self::Case(name) => case.name == *name || case.id == *name,
        }
    }

    /// As it was given.
    fn option(&self) -> String {
        match self {
            Self::Text(text) => format!("--filter {text:?}"),
            Self::Case(name) => format!("--case {name:?}"),
        }
    }
}

impl Folder {
    /// The options, for a command that judges, or that reads what a run left.
    pub(crate) fn options() -> [Arg; 2] {
        let large = Arg::new("large").long("large").action(ArgAction::SetTrue);
        [
            Self::option(),
            large.help("Take the cases of up to twenty million elements as well, in `large` among the cases"),
        ]
    }

    /// The option, for a command that is about the corpus as a whole.
    pub(crate) fn option() -> Arg {
        Arg::new("cases")
            .long("cases")
            .value_name("DIR")
            .value_parser(clap::value_parser!(PathBuf))
            .help("Read the cases from this folder")
    }

    /// What the option was set to.
    pub(crate) fn of(matches: &ArgMatches) -> Self {
        let large = matches.try_get_one("large").ok().flatten().copied().unwrap_or_default();
        Self { given: matches.get_one("cases").cloned(), large }
    }

    /// The folder that was asked for, if not our own.
    pub(crate) fn given(&self) -> Option<&Path> {
        self.given.as_deref()
    }

    /// Whether the large cases are taken too.
    pub(crate) const fn is_with_large(&self) -> bool {
        self.large
    }

    /// Where the cases are.
    pub(crate) fn path(&self) -> PathBuf {
        self.given.clone().unwrap_or_else(|| workspace_root().join("cases"))
    }

    /// Reads the corpus; every case of it has to be well-formed.
    pub(crate) fn load(&self) -> Result<Corpus> {
        let path = self.path();
        let loaded = if self.large { corpus::load_with_large(&path) } else { corpus::load(&path) };
        match loaded {
            Ok(corpus) if corpus.cases.is_empty() => bail!("{}: no cases", path.display()),
            Ok(corpus) => Ok(corpus),
            Err(errors) => bail!("the cases cannot be used:\n{}", list(&errors)),
        }
    }

    /// Reads the clause ledger beside the cases, or, for a folder within the corpus, beside that.
    pub(crate) fn ledger(&self) -> Result<Ledger> {
        let own = self.path().join("clauses");
        let above = self.path().parent().map(|corpus| corpus.join("clauses"));
        let ledger = above.filter(|above| !own.is_dir() && above.is_dir()).unwrap_or(own);
        load_ledger(&ledger).map_err(|errors| anyhow!("the clause ledger cannot be used:\n{}", list(&errors)))
    }
}

impl Selection {
    /// The options, for any command that takes some of the cases.
    pub(crate) fn options() -> [Arg; 5] {
        let [cases, large] = Folder::options();
        [
            Self::spec_option(),
            Arg::new("filter")
                .long("filter")
                .value_name("TEXT")
                .action(ArgAction::Append)
                .help("Take only cases whose name contains this text, or that --case names (repeatable)"),
            Arg::new("case")
                .long("case")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help(
                    "Take only the case of exactly this name, as failures print it, or all cases of this id, or what \
                     --filter takes (repeatable)",
                ),
            cases,
            large,
        ]
    }

    /// The option that picks specs, for a command that asks no cases.
    pub(crate) fn spec_option() -> Arg {
        Arg::new("spec")
            .long("spec")
            .value_name("SPEC")
            .action(ArgAction::Append)
            .help("Take only this spec, such as openvino/ReduceL1-4, or a family, such as onnx (repeatable)")
    }

    /// What the options were set to.
    pub(crate) fn of(matches: &ArgMatches) -> Self {
        let all = |option| matches.get_many::<String>(option).into_iter().flatten().cloned();
        let wanted = all("filter").map(Wanted::Text).chain(all("case").map(Wanted::Case)).collect();
        Self { wanted, ..Self::of_specs(matches) }
    }

    /// What the options were set to, of a command that asks no cases.
    pub(crate) fn of_specs(matches: &ArgMatches) -> Self {
        let specs = matches.get_many("spec").into_iter().flatten().cloned().collect();
        Self { folder: Folder::of(matches), specs, wanted: Vec::new() }
    }

    /// The specs of one name or family; all without one.
    pub(crate) fn named(name: Option<String>) -> Result<Vec<Spec>> {
        let folder = Folder { given: None, large: false };
        Self { folder, specs: name.into_iter().collect(), wanted: Vec::new() }.specs()
    }

    /// The specs that the options leave.
    pub(crate) fn specs(&self) -> Result<Vec<Spec>> {
        for wanted in &self.specs {
            if !Spec::ALL.iter().any(|spec| matches(wanted, *spec)) {
                let known: Vec<&str> = Spec::ALL.iter().map(|spec| spec.name()).collect();
                bail!("no spec is named {wanted:?}; there are {}", known.join(", "));
            }
        }
        let takes = |spec: &Spec| self.specs.is_empty() || self.specs.iter().any(|w| matches(w, *spec));
        Ok(Spec::ALL.into_iter().filter(takes).collect())
    }

    /// Whether the options name cases, rather than specs or nothing.
    pub(crate) const fn names_cases(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// Whether the options leave less than everything.
    pub(crate) const fn narrows(&self) -> bool {
        self.names_cases() || !self.specs.is_empty()
    }

    /// The cases of a corpus that the options leave. Each option has to leave some.
    pub(crate) fn select<'a>(&self, corpus: &'a Corpus) -> Result<Vec<&'a Case>> {
        let specs = self.specs()?;
        let mut cases: Vec<&Case> =
            corpus.cases.iter().filter(|case| specs.contains(&case.call.spec())).collect();
        let none = |option: Option<String>| {
            let specs = self.specs.iter().map(|spec| format!("--spec {spec:?}"));
            let given: Vec<String> = specs.chain(option).collect();
            anyhow!("no case of {} matches {}", corpus.cases.len(), given.join(" "))
        };
        if let Some(wanted) = self.wanted.iter().find(|wanted| !cases.iter().any(|case| wanted.takes(case))) {
            return Err(none(Some(wanted.option())));
        }
        cases.retain(|case| !self.names_cases() || self.wanted.iter().any(|wanted| wanted.takes(case)));
        if cases.is_empty() { Err(none(None)) } else { Ok(cases) }
    }
}

/// A whole spec name, or its family.
fn matches(wanted: &str, spec: Spec) -> bool {
    spec.name() == wanted || display::family(spec) == wanted
}

/// Writes the names of cases, one a line.
pub(crate) fn write_names(out: &mut dyn Write, cases: &[&Case]) -> io::Result<()> {
    cases.iter().try_for_each(|case| writeln!(out, "{}", case.name))
}

/// The cases, ruled on.
///
/// # Errors
/// Where their files and the reference disagree: then nobody is judged.
pub(crate) fn prepared<'a>(cases: impl IntoIterator<Item = &'a Case>) -> Result<Vec<Prepared<'a>>> {
    let disagree = |errors: Vec<PrepareError>| {
        anyhow!("cases and reference disagree; nobody is judged:\n{}", list(&errors))
    };
    prepare(cases).map_err(disagree)
}

/// One error a line.
pub(crate) fn list<E: std::fmt::Display>(errors: &[E]) -> String {
    errors.iter().fold(String::new(), |mut text, error| {
        let _ = writeln!(text, "  {error}");
        text
    })
}

/// The root of this repository.
pub(crate) fn workspace_root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}
