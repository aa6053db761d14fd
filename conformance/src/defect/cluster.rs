//! Clusters of failures, and the conforming calls that they are set apart from.

use std::cmp::Reverse;

use super::bits::Bits;
use super::learn::Condition;
use crate::judge::fault::Fault;
use crate::shrink::FailureErrors;

/// The conforming calls, by their validity: a failure is set apart from those that could have failed in the same way.
#[derive(Clone, Debug)]
pub(super) struct Conforming {
    pub(super) invalid: Bits,
    pub(super) valid: Bits,
    pub(super) others: Bits,
}

impl Conforming {
    /// Returns the calls that could have failed so: only invalid ones can be accepted, only valid ones refused wrongly. A
    /// call that some reading refuses speaks neither for nor against a refusal.
    pub(super) fn beside(&self, fault: Fault) -> &Bits {
        match fault {
            Fault::AcceptedInvalid => &self.invalid,
            Fault::RefusedValid => &self.valid,
            _ => &self.others,
        }
    }
}

/// Failures, and the condition that covers most of them.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    /// Their fault; the most frequent one if a rule explains several.
    pub(super) fault: Fault,
    pub(super) failing: Bits,
    pub(super) condition: Condition,
    /// The wrong rule that gives the same answers.
    pub(super) rule: Option<&'static str>,
    /// The wrong rule that gives nearly all of these answers, but also fails on conforming calls.
    pub(super) like: Option<&'static str>,
    /// The groups that were joined to make it, by their earlier indices.
    pub(super) parts: Vec<usize>,
    /// The range of its errors.
    pub(super) errors: FailureErrors,
}

impl Cluster {
    pub(super) const fn of(fault: Fault, failing: Bits, condition: Condition) -> Self {
        let errors = FailureErrors::ALL;
        Self { fault, failing, condition, rule: None, like: None, parts: Vec::new(), errors }
    }

    /// Returns true if it has a condition for this fault.
    pub(super) fn sets_apart(&self, fault: Fault) -> bool {
        self.fault == fault && !self.condition.traits.is_empty()
    }
}

pub(super) fn largest_first(clusters: &mut [Cluster]) {
    clusters.sort_by_key(|cluster| Reverse(cluster.failing.count()));
}
