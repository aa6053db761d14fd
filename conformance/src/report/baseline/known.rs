//! What is known to fail, by name or by cause, and how a run agrees with that.

use std::collections::{BTreeMap, BTreeSet};

use crate::judge::fault::Fault;
use crate::judge::verdict::Verdict;
use crate::run::property::Id;

/// What is known of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// How it fails.
    pub reason: Fault,
    /// Where it is being dealt with.
    pub issue: Option<String>,
    /// Whatever somebody wants to say of it.
    pub comment: Option<String>,
}

/// What fails, by the name that reports give it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    /// A case.
    Case(String),
    /// A generated call: its place in the row, and its whole name.
    Call(Id, String),
    /// A question, and where no one reading of it explains the answers.
    Place(String),
    /// A known defect.
    Defect(String),
}

impl Name {
    /// The name that is written so.
    pub fn of(text: &str) -> Self {
        let id = text.strip_prefix("generated-").and_then(|rest| rest.split('/').next()?.parse().ok());
        match id {
            Some(id) => Self::Call(id, text.to_owned()),
            // No name of a case has a blank.
            None if text.contains(": ") => Self::Place(text.to_owned()),
            None => Self::Case(text.to_owned()),
        }
    }

    /// As it is written.
    pub fn text(&self) -> &str {
        match self {
            Self::Case(text) | Self::Call(_, text) | Self::Place(text) | Self::Defect(text) => text,
        }
    }

    /// What asks it again, after the command that repeats the run.
    pub(super) fn option(&self) -> String {
        match self {
            Self::Case(name) => format!(" --case {name}"),
            Self::Call(id, _) => format!(" --property-call {id}"),
            Self::Place(_) | Self::Defect(_) => String::new(),
        }
    }
}

/// A known defect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownDefect {
    /// The ways in which calls fail, as [`way`](super::way) says them.
    pub reasons: BTreeSet<String>,
    /// What is so of all these calls, in the words of reports.
    pub conditions: Vec<String>,
    /// How many calls fail so, of all cases and the generated calls that the file was made with.
    pub failures: usize,
    /// Where it is being dealt with.
    pub issue: Option<String>,
    /// Whatever somebody wants to say of it.
    pub comment: Option<String>,
}

/// What a second asking came to.
pub type Again = BTreeMap<Name, Verdict>;

/// How a run and a baseline agree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What failed as it is known to.
    pub expected: BTreeSet<Name>,
    /// What did not. A failure that the baseline does not know is none of these: reports show it as they always do.
    pub deviations: BTreeMap<Name, Deviation>,
}

/// How something that the baseline knows, or that was asked twice, deviates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// It is known to fail, and does not.
    Passes(Known),
    /// It is known to fail, and fails for another reason.
    FailsOtherwise(Known, Fault),
    /// It is known to fail, and there is no such thing.
    Stale(Known),
    /// It is known to fail, and was not asked; why.
    Missing(Known, String),
    /// So many calls fail as the defect says, and not as many as are known to.
    Counts(KnownDefect, usize),
    /// It was asked twice and fails once, or in two ways.
    Flaky(Option<Fault>, Option<Fault>),
}
