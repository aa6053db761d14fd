//! Defects: failures that have one cause, and the call that shows them.
//!
//! [`defects`](super::defects) decides the grouping.

use std::collections::{BTreeMap, BTreeSet};

use crate::observed::Observed;
use normative_reference::{Call, Dtype, Spec};

use crate::corpus::line;
use crate::defect::traits::{Trait, VALID};
use crate::display;
use crate::judge::fault::{Fault, Severity};
use crate::judge::verdict::Verdict;
use crate::run::property::Id;
use crate::shrink::FailureErrors;

/// The most types that a defect's name lists.
const TYPES: usize = 4;

/// An answer, by the call that it belongs to. Cases sort before generated calls, because a person wrote them to
/// be read; otherwise earlier answers sort first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Witness<'a> {
    /// The answer to a case: its index among those that ran, and its name.
    Case(usize, &'a str),
    /// The answer to a generated call.
    Call(Id),
}

impl Witness<'_> {
    /// Returns the name of the call in reports.
    pub fn name(&self) -> String {
        match self {
            Self::Case(_, name) => (*name).to_owned(),
            Self::Call(id) => format!("generated-{id}"),
        }
    }

    /// Returns the name that asks it again, as the option `--case` takes it.
    pub fn asked_by(&self) -> String {
        match self {
            Self::Case(_, name) => (*name).to_owned(),
            Self::Call(id) => id.to_string(),
        }
    }
}

/// Failures that have one cause, as far as the calls of the run show.
#[derive(Clone, Debug)]
pub struct Defect<'a> {
    /// The faults, the most frequent first.
    pub faults: Vec<(Fault, usize)>,
    /// The failures, cases before generated calls, in order.
    pub failures: Vec<Witness<'a>>,
    /// The smallest of them.
    pub smallest: Witness<'a>,
    /// The smaller call made from that, if the backend was asked for it.
    pub shrunk: Option<Shrunk>,
    /// The common traits of the failing calls; empty if nothing sets them apart.
    pub condition: Vec<Trait>,
    /// The mistake of a wrong rule that gives these answers, and that almost no conforming call contradicts.
    pub rule: Option<&'static str>,
    /// The mistake of a wrong rule that gives nearly all of these answers, but fails on conforming calls as
    /// well. It describes the wrong answers under the condition.
    pub like: Option<&'static str>,
    /// The range of their errors: all, unless a grave error is told apart from mild ones.
    pub errors: FailureErrors,
    /// The number of conforming calls that meet the condition.
    pub conforming: usize,
    /// The conforming answers that it explains, and that readings of other answers do not: they tell no reading.
    pub also: Vec<Witness<'a>>,
    /// The number of failing calls of each spec.
    pub specs: BTreeMap<Spec, usize>,
    /// The types of their data.
    pub dtypes: BTreeSet<Dtype>,
    /// The special values that its wrong elements are; `None` for any other.
    pub gives: BTreeSet<Option<&'static str>>,
}

impl Defect<'_> {
    /// Returns the severity of its most frequent fault.
    pub fn severity(&self) -> Severity {
        self.faults.first().map_or(Severity::Readings, |(fault, _)| fault.severity())
    }

    /// Returns true if a call of this name is the smallest failure, or a part of it.
    pub fn is_shown_by(&self, name: &str) -> bool {
        name.strip_prefix(&self.smallest.name()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Returns what is wrong: its fault, or its severity if several faults of it occur.
    fn says(&self) -> &'static str {
        let severity = self.severity();
        let mut faults =
            self.faults.iter().map(|(fault, _)| fault).filter(|fault| fault.severity() == severity);
        match (faults.next(), faults.next()) {
            (Some(Fault::Crashed), None) => "crashes",
            (Some(alone), None) => alone.says(),
            _ => severity.says(),
        }
    }

    /// Returns its name in words: what is wrong, of which types, and the rule or the condition.
    pub fn name(&self) -> String {
        let is_of_type = |of_call: &Trait| matches!(of_call, Trait::Dtype(_));
        let types = self.dtypes.iter().map(|dtype| dtype.name()).collect::<Vec<_>>();
        let gives = match self.gives.first() {
            Some(Some(special)) if self.gives.len() == 1 => format!(" ({special})"),
            _ => String::new(),
        };
        let says = format!("{}{gives}", self.says());
        let says = match types.as_slice() {
            [] => says,
            few if few.len() <= TYPES => format!("{says} for {}", few.join(", ")),
            many => format!("{says} for {} types", many.len()),
        };
        // Only an invalid call is worth a word.
        let is_plain = |of_call: &Trait| is_of_type(of_call) || *of_call == VALID;
        let condition = self.condition.iter().filter(|of_call| !is_plain(of_call));
        let rule = self.rule.or(self.like).map(|rule| format!(", as if: {}", rule.trim_end_matches('.')));
        // A condition that conforming calls meet as often says nothing but the norm, and a rule of every answer says more. One
        // that conforming calls contradict is true under the condition alone.
        let says_more = self.like.is_some() || self.conforming < self.failures.len();
        let is_said = |of_call: &&Trait| self.rule.is_none() && (says_more || of_call.is_norm());
        let condition: Vec<String> = condition.filter(is_said).map(ToString::to_string).collect();
        let condition =
            if condition.is_empty() { String::new() } else { format!(": {}", condition.join(", ")) };
        format!("{says}{condition}{}", rule.unwrap_or_default())
    }

    /// Returns what sets its failures apart, in words. `None` if its rule does, and the condition only distracts from it,
    /// because more calls meet it and conform.
    pub(crate) fn sets_apart(&self) -> Option<String> {
        let condition: Vec<String> = self.condition.iter().map(ToString::to_string).collect();
        let (condition, failures) = (condition.join(", "), display::grouped(self.failures.len()));
        let conform = display::counted(self.conforming, "such call conforms", "such calls conform");
        match self.conforming {
            others if self.rule.is_some() && others > self.failures.len() => None,
            0 if condition.is_empty() => Some("every asked call fails".to_owned()),
            _ if condition.is_empty() => {
                Some("nothing sets these calls apart from others that conform".to_owned())
            }
            0 => Some(format!("{condition}; every such call fails")),
            _ => Some(format!("{condition}; these {failures} fail, {conform}")),
        }
    }

    /// Returns the name that asks its smallest call, as the option `--case` takes it: that call in a line, if it was
    /// made small and fits.
    pub fn asked_by(&self) -> String {
        let line = self.shrunk.as_ref().and_then(|shrunk| line::of(&shrunk.call));
        line.unwrap_or_else(|| self.smallest.asked_by())
    }

    /// Returns the numbers of cases and of generated calls that it explains.
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
    /// The small call.
    pub call: Call,
    /// The answer to it.
    pub answer: Observed,
    /// The verdict on the answer.
    pub verdict: Verdict,
}
