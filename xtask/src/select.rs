//! Which cases a command is about: the options every command shares, and what they leave of the
//! corpus. An option that matches nothing is an error, never an empty run.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use normative_conformance::cases::{self, Case, Corpus};
use normative_conformance::reference::Spec;

/// Which cases to take.
#[derive(clap::Args)]
pub(crate) struct Selection {
    /// Take only this spec, such as openvino/ReduceL1-4, or a family, such as onnx (repeatable)
    #[arg(long, value_name = "SPEC")]
    spec: Vec<String>,
    /// Take only cases whose name contains this text
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Take only the case of exactly this name, as failures print it
    #[arg(long, value_name = "NAME")]
    case: Option<String>,
    /// Read the cases from this folder
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
}

impl Selection {
    /// The folder the cases come from.
    pub(crate) fn folder(&self) -> PathBuf {
        self.cases.clone().unwrap_or_else(|| workspace_root().join("cases"))
    }

    /// Reads the corpus; every case of it has to be well-formed.
    pub(crate) fn load(&self) -> Result<Corpus> {
        let folder = self.folder();
        match cases::load(&folder) {
            Ok(corpus) if corpus.cases.is_empty() => bail!("{}: no cases", folder.display()),
            Ok(corpus) => Ok(corpus),
            Err(errors) => bail!("the cases cannot be used:\n{}", list(&errors)),
        }
    }

    /// The cases of a corpus that the options leave.
    pub(crate) fn select<'a>(&self, corpus: &'a Corpus) -> Result<Vec<&'a Case>> {
        for wanted in &self.spec {
            if !Spec::ALL.iter().any(|spec| matches(wanted, spec.name())) {
                let known: Vec<&str> = Spec::ALL.iter().map(|spec| spec.name()).collect();
                bail!("no spec is named {wanted:?}; there are {}", known.join(", "));
            }
        }
        let selected: Vec<&Case> = corpus.cases.iter().filter(|case| self.takes(case)).collect();
        if selected.is_empty() {
            bail!("no case of {} matches {}", corpus.cases.len(), self.narrowing());
        }
        Ok(selected)
    }

    fn takes(&self, case: &Case) -> bool {
        let spec = case.call.spec().name();
        (self.spec.is_empty() || self.spec.iter().any(|wanted| matches(wanted, spec)))
            && self.filter.as_ref().is_none_or(|text| case.name.contains(text))
            && self.case.as_ref().is_none_or(|name| case.name == *name)
    }

    /// The options that narrow the corpus, as they were given.
    fn narrowing(&self) -> String {
        let specs = self.spec.iter().map(|spec| ("spec", spec));
        let filter = self.filter.iter().map(|text| ("filter", text));
        let case = self.case.iter().map(|name| ("case", name));
        let options = specs.chain(filter).chain(case);
        options.map(|(option, value)| format!("--{option} {value:?}")).collect::<Vec<_>>().join(" ")
    }

    /// The options that change what the cases are, as they were given.
    pub(crate) fn source_options(&self) -> String {
        self.cases.as_ref().map(|dir| format!(" --cases {}", dir.display())).unwrap_or_default()
    }
}

/// A whole spec name, or its family.
fn matches(wanted: &str, spec: &str) -> bool {
    spec == wanted || spec.split_once('/').is_some_and(|(family, _)| family == wanted)
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
