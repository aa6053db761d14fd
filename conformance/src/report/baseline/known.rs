//! Known failures: the calls, the way in which each fails, and its distance from right.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use normative_reference::Call;

use crate::corpus::Case;
use crate::digest::Digest;
use crate::display::shell::asking;
use crate::judge::compare::Mismatch;
use crate::judge::fault::Fault;
use crate::judge::verdict::Verdict;
use crate::run::property::Id;
use crate::shrink::{ClassDetail, FailureClass, Sort};

/// A 32-bit hash of a call: the same call has the same hash in every run. A new failure collides with one of
/// 5,000 known failures once in 900,000 times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(u32);

impl Key {
    /// Returns the hash of a call, with its data.
    pub fn of_call(call: &Call) -> Self {
        Self::of(Digest::of_call(call))
    }

    /// Returns the hash of a case. It differs from that of the call if all errors are judged together as well.
    pub fn of_case(case: &Case) -> Self {
        let mut digest = Digest::of_call(&case.call);
        if case.claim.is_of_the_whole() {
            digest.add(b"whole");
        }
        Self::of(digest)
    }

    /// Returns the hash of a place that no single reading explains.
    pub fn of_place(place: &str) -> Self {
        Self::of(Digest::of(place.as_bytes()))
    }

    const fn of(digest: Digest) -> Self {
        Self((digest.number() >> 32) as u32)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

impl FromStr for Key {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let is_ours = text.len() == 8 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if is_ours { u32::from_str_radix(text, 16).map(Self).map_err(drop) } else { Err(()) }
    }
}

/// The way in which a call fails.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct How {
    /// The word of a [`Fault`], and after a colon further details. The same on every machine.
    pub way: String,
    /// The summed distance of all wrong elements from right: 2 to this power, in ulp. `None` if no element is wrong.
    pub far: Option<u8>,
}

/// The factor, as a power of two, by which an answer may be further from right and still be the known failure.
/// Processors sum in other orders, which changes an error by less. No verdict depends on it.
const FURTHER: u8 = 3;

impl How {
    /// Returns the way in which a verdict speaks against the backend, if it does.
    pub fn of(verdict: &Verdict) -> Option<Self> {
        let FailureClass { fault, detail } = FailureClass::of(verdict)?;
        let more = match detail {
            ClassDetail::Clause(clause) => Some(clause.to_owned()),
            ClassDetail::Element { due, got } if (due, got) != (Sort::Number, Sort::Number) => {
                Some(format!("{} for {}", sort(got), sort(due)))
            }
            ClassDetail::Question(question) => Some(question.name().to_owned()),
            ClassDetail::Nothing | ClassDetail::Element { .. } => verdict.mismatch().and_then(form),
        };
        let far = match verdict.mismatch() {
            // At most 2^64 for each element, so the logarithm is at most 255.
            Some(Mismatch::Element(wrong)) => Some(wrong.far.max(1.0).log2().ceil() as u8),
            _ => None,
        };
        let way = more.map_or_else(|| fault.word().to_owned(), |more| format!("{fault}: {more}"));
        Some(Self { way, far })
    }

    /// Returns the failure of a place that no single reading explains.
    pub fn inconsistent() -> Self {
        Self { way: Fault::Inconsistent.word().to_owned(), far: None }
    }

    /// Returns true if `now` is this failure: the same way, and not much further from right.
    pub fn covers(&self, now: &Self) -> bool {
        let near = |known: u8, now: u8| now <= known.saturating_add(FURTHER);
        self.way == now.way
            && match (self.far, now.far) {
                (Some(known), Some(now)) => near(known, now),
                (known, now) => known == now,
            }
    }

    /// Returns the recorded failure, or `now` if that comes much nearer to right.
    pub(super) fn lowered<'a>(&'a self, now: &'a Self) -> &'a Self {
        if now.covers(self) { self } else { now }
    }
}

impl fmt::Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { way, far } = self;
        match far {
            Some(far) => write!(f, "{way}, 2^{far} ulp from right in all"),
            None => f.write_str(way),
        }
    }
}

const fn sort(sort: Sort) -> &'static str {
    match sort {
        Sort::Number => "number",
        Sort::Infinite => "infinity",
        Sort::Nan => "NaN",
    }
}

/// Returns the details of a wrong form of an output.
fn form(mismatch: &Mismatch) -> Option<String> {
    match mismatch {
        Mismatch::Dtype { expected, got } => Some(format!("{got} for {expected}")),
        Mismatch::Shape { expected, got } if expected.len() == got.len() => Some("other dims".to_owned()),
        Mismatch::Shape { expected, got } => Some(format!("rank {} for {}", got.len(), expected.len())),
        _ => None,
    }
}

/// The known failures with one cause, as grouped in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownEntry {
    /// The calls, and the way in which each fails.
    pub calls: BTreeMap<Key, How>,
    /// A reference to an issue.
    pub issue: Option<String>,
    /// A comment.
    pub comment: Option<String>,
}

/// A failure or an entry, by its name in reports.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    /// A case, by its name.
    Case(String),
    /// A generated call: its place in the row, and its whole name.
    Call(Id, String),
    /// A place that no single reading explains.
    Place(String),
    /// An entry of the baseline.
    Entry(String),
}

impl Name {
    /// Parses the name of a failure.
    pub fn of(text: &str) -> Self {
        let id = text.strip_prefix("generated-").and_then(|rest| rest.split('/').next()?.parse().ok());
        match id {
            Some(id) => Self::Call(id, text.to_owned()),
            // Names of cases have no blanks.
            None if text.contains(": ") => Self::Place(text.to_owned()),
            None => Self::Case(text.to_owned()),
        }
    }

    /// Returns the name as text.
    pub fn text(&self) -> &str {
        match self {
            Self::Case(text) | Self::Call(_, text) | Self::Place(text) | Self::Entry(text) => text,
        }
    }

    /// Returns the option that asks it again, to append to the command that repeats the run.
    pub(super) fn option(&self) -> String {
        match self {
            Self::Case(name) => format!(" {}", asking(name)),
            Self::Call(id, _) => format!(" {}", asking(&id.to_string())),
            Self::Place(_) | Self::Entry(_) => String::new(),
        }
    }
}

/// The verdicts from asking calls a second time.
pub type Again = BTreeMap<Name, Verdict>;

/// The comparison of a run with a baseline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BaselineOutcome {
    /// The failures that are known and failed in the known way.
    pub expected: BTreeSet<Name>,
    /// The deviations. Failures that the baseline does not know are left out: reports show them as usual.
    pub deviations: BTreeMap<Name, Deviation>,
}

/// A deviation of something that the baseline knows, or that was asked twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// A known call fails in another way, or is much further from right.
    Otherwise {
        /// The entry that knows it.
        known: Known,
        /// The new failure.
        now: How,
    },
    /// Known calls of an entry do not fail.
    Gone {
        /// The entry.
        known: Known,
        /// The calls that conform.
        passes: Vec<Name>,
        /// The calls that were not asked, and the reason.
        missing: Vec<(Name, String)>,
        /// The number of calls that runs of this kind cannot ask.
        stale: usize,
    },
    /// A call was asked twice and failed once, or in two ways.
    Flaky(Option<Fault>, Option<Fault>),
}

/// The details of a known failure, or of a whole entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The number of calls.
    pub calls: usize,
    /// The ways in which they fail.
    pub how: BTreeSet<How>,
    /// A reference to an issue.
    pub issue: Option<String>,
    /// A comment.
    pub comment: Option<String>,
}

impl KnownEntry {
    /// Returns the details of one of its calls.
    pub(super) fn of_one(&self, how: &How) -> Known {
        let (issue, comment) = (self.issue.clone(), self.comment.clone());
        Known { calls: 1, how: [how.clone()].into(), issue, comment }
    }

    /// Returns the details of the whole entry.
    pub(super) fn of_all(&self) -> Known {
        let (issue, comment) = (self.issue.clone(), self.comment.clone());
        Known { calls: self.calls.len(), how: self.calls.values().cloned().collect(), issue, comment }
    }
}
