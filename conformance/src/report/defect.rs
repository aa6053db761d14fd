//! What a defect is: failures that have one cause, and the call that shows them.
//!
//! How failures are put together is [`defects`](super::defects)' to decide.

use std::collections::{BTreeMap, BTreeSet};

use crate::observed::Observed;
use normative_reference::{Call, Dtype, Spec};

use crate::defect::traits;
use crate::judge::fault::{Fault, Severity};
use crate::judge::verdict::Verdict;
use crate::run::property::Id;

/// An answer that says something of a reading. Cases come before generated calls, because a person wrote them to
/// be read; otherwise earlier answers come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Witness<'a> {
    /// The answer to a case: its place among those that ran, and its name.
    Case(usize, &'a str),
    /// The answer to a generated call.
    Call(Id),
}

impl Witness<'_> {
    /// What the call is called in reports.
    pub fn name(&self) -> String {
        match self {
            Self::Case(_, name) => (*name).to_owned(),
            Self::Call(id) => format!("generated-{id}"),
        }
    }

    /// What asks it again, after the command that repeats the run.
    pub fn option(&self) -> String {
        match self {
            Self::Case(_, name) => format!("--case {name}"),
            Self::Call(id) => format!("--property-call {id}"),
        }
    }
}

/// Failures that have one cause, as far as the calls of the run tell.
#[derive(Clone, Debug)]
pub struct Defect<'a> {
    /// What is wrong, the most frequent first.
    pub faults: Vec<(Fault, usize)>,
    /// The failures, cases before generated calls, in order.
    pub failures: Vec<Witness<'a>>,
    /// The smallest of them.
    pub smallest: Witness<'a>,
    /// What is left of that, where the backend was asked about smaller ones.
    pub shrunk: Option<Shrunk>,
    /// What the failing calls have in common; empty where nothing sets them apart.
    pub condition: Vec<traits::Trait>,
    /// The mistake of a wrong rule that gives these answers, and that next to no conforming call contradicts.
    pub rule: Option<&'static str>,
    /// The mistake of a wrong rule that gives nearly all of these answers, and fails on conforming calls as well: it says how
    /// answers are wrong under the condition.
    pub like: Option<&'static str>,
    /// Calls that meet the condition and conform.
    pub conforming: usize,
    /// How many of the failing calls there are of each spec.
    pub specs: BTreeMap<Spec, usize>,
    /// The types of their data.
    pub dtypes: BTreeSet<Dtype>,
}

impl Defect<'_> {
    /// How much it matters: what it does most.
    pub fn severity(&self) -> Severity {
        self.faults.first().map_or(Severity::Readings, |(fault, _)| fault.severity())
    }

    /// Its name in words.
    pub fn name(&self) -> String {
        if let Some(rule) = self.rule {
            return format!("{}, as if: {}", self.severity().word(), rule.trim_end_matches('.'));
        }
        let says = self.severity().says();
        if self.condition.is_empty() {
            return says.to_owned();
        }
        let condition: Vec<String> = self.condition.iter().map(ToString::to_string).collect();
        format!("{says}: {}", condition.join(", "))
    }

    /// How many cases it explains, and how many generated calls.
    pub fn counts(&self) -> (usize, usize) {
        let cases = self.failures.iter().filter(|failure| matches!(failure, Witness::Case(..))).count();
        (cases, self.failures.len() - cases)
    }
}

/// A failing call that was made small by asking the backend about ever smaller ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Shrunk {
    /// The [name](Witness::name) of the call that it was made from.
    pub of: String,
    /// What is left of it.
    pub call: Call,
    /// The answer to that.
    pub answer: Observed,
    /// What is wrong with the answer.
    pub verdict: Verdict,
}
