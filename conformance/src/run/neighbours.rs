//! Lists calls that a backend calls unsupported although it answers their neighbours, or although they are invalid.
//!
//! *Unsupported* never counts against a backend, so wrong answers and missing refusals could hide behind it.
//! Neighbours are calls of one spec and element type whose axes and attributes are written in the same form. They
//! differ only in data, dims, layout and the axes named, so support for one suggests support for all. If a backend
//! answers some of them, the others are listed by the reason that it gave. Nothing here is a verdict.

use std::collections::BTreeMap;

use normative_reference::{Axes, Call, Dtype, Outcome, Spec, rule};

use crate::display::plain;
use crate::judge::verdict::Verdict;

/// The number of call names listed for each reason.
const NAMED: usize = 3;

/// The answers to calls, by neighbourhood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    groups: BTreeMap<Form, Group>,
    /// Invalid calls that the backend calls unsupported, by the reason given.
    invalid: BTreeMap<String, Listed>,
}

/// The properties that neighbours share, as [`form`] returns them.
type Form = (Spec, Dtype, u8, Option<(Dtype, usize, bool)>, [Option<i64>; 2]);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Group {
    /// The number of calls answered with a tensor or a refusal.
    answered: usize,
    /// The unsupported calls, by the reason given.
    unsupported: BTreeMap<String, Listed>,
}

/// Calls that are listed together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// The number of calls.
    pub calls: usize,
    /// The names of the first.
    pub first: Vec<String>,
}

impl Neighbours {
    /// Counts the verdict on a call.
    pub fn count(&mut self, name: &str, call: &Call, verdict: &Verdict) {
        match verdict {
            Verdict::Unsupported(why) => {
                let why = plain(why);
                if is_invalid(call) {
                    self.invalid.entry(why).or_default().add(name);
                } else {
                    let group = self.groups.entry(form(call)).or_default();
                    group.unsupported.entry(why).or_default().add(name);
                }
            }
            Verdict::Conforms { .. } | Verdict::Fails(_) => {
                self.groups.entry(form(call)).or_default().answered += 1;
            }
            Verdict::Crashed(_) | Verdict::TimedOut(_) => {}
        }
    }

    /// Adds the answers to later calls.
    pub fn extend(&mut self, others: &Self) {
        for (form, other) in &others.groups {
            let group = self.groups.entry(*form).or_default();
            group.answered += other.answered;
            extend(&mut group.unsupported, &other.unsupported);
        }
        extend(&mut self.invalid, &others.invalid);
    }

    /// Returns the valid unsupported calls that have answered neighbours, by the reason given.
    pub fn unsupported(&self) -> BTreeMap<String, Listed> {
        let mut listed = BTreeMap::new();
        for group in self.groups.values().filter(|group| group.answered > 0) {
            extend(&mut listed, &group.unsupported);
        }
        listed
    }

    /// Returns the invalid unsupported calls, by the reason given.
    pub const fn invalid(&self) -> &BTreeMap<String, Listed> {
        &self.invalid
    }
}

impl Listed {
    fn add(&mut self, name: &str) {
        self.calls += 1;
        if self.first.len() < NAMED {
            self.first.push(name.to_owned());
        }
    }
}

/// Returns the spec and element type of a call, the form of its axes, their type, rank and emptiness, and the attributes
/// `keep_dims` and `noop_with_empty_axes`, where 2 stands for all values but 0 and 1.
fn form(call: &Call) -> Form {
    let form = match call.axes {
        Axes::Absent => 0,
        Axes::Null => 1,
        Axes::Given(_) => 2,
        Axes::OtherForm(_) => 3,
    };
    let axes = call.axes.written().map(|axes| (axes.dtype, axes.shape.len(), axes.values.is_empty()));
    let attribute = |value| if (0..=1).contains(&value) { value } else { 2 };
    let attributes = [call.operator.keep_dims(), call.operator.noop_with_empty_axes()];
    (call.spec(), call.data.dtype(), form, axes, attributes.map(|value| value.map(attribute)))
}

/// Returns true if every reading rejects the call or puts it out of scope.
fn is_invalid(call: &Call) -> bool {
    let invalid = |outcome: &Outcome| matches!(outcome, Outcome::Rejected(_) | Outcome::OutOfScope(_));
    rule(call).alternatives.iter().all(|alternative| invalid(&alternative.outcome))
}

fn extend(to: &mut BTreeMap<String, Listed>, from: &BTreeMap<String, Listed>) {
    for (why, other) in from {
        let listed = to.entry(why.clone()).or_default();
        listed.calls += other.calls;
        let room = NAMED.saturating_sub(listed.first.len());
        listed.first.extend(other.first.iter().take(room).cloned());
    }
}
