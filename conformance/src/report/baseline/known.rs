//! What is known to fail: which calls, in which way, and how far from right; and how a run agrees with that.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use normative_reference::Call;

use crate::corpus::Case;
use crate::digest::Digest;
use crate::judge::compare::Mismatch;
use crate::judge::fault::Fault;
use crate::judge::verdict::Verdict;
use crate::run::property::Id;
use crate::shrink::{Class, Detail, Sort};

/// A short hash of what is asked: the same call has the same one in every run. Of 5,000 known failures and a new one, two
/// are the same by chance once in 900,000 times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(u32);

impl Key {
    /// That of a call, its data included.
    pub fn of_call(call: &Call) -> Self {
        Self::of(Digest::of_call(call))
    }

    /// That of a case. The same call is another one where all its errors are judged together as well.
    pub fn of_case(case: &Case) -> Self {
        let mut digest = Digest::of_call(&case.call);
        if case.claim.is_of_the_whole() {
            digest.add(b"whole");
        }
        Self::of(digest)
    }

    /// That of a place where no one reading explains the answers.
    pub fn of_place(place: &str) -> Self {
        let mut digest = Digest::default();
        digest.add(place.as_bytes());
        Self::of(digest)
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

/// How a call fails.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct How {
    /// The word of a [`Fault`], and behind a colon what sets it apart from others of that word. The same on every machine.
    pub way: String,
    /// How far all wrong elements together are from right: 2 to this power, in ulp. `None` where no element is wrong.
    pub far: Option<u8>,
}

/// How much further from right an answer may be than on file and still be the failure on file, as a power of two. Processors sum in
/// other orders, which changes an error by less. No verdict depends on it.
const FURTHER: u8 = 3;

impl How {
    /// The way in which a verdict speaks against the backend, if it does.
    pub fn of(verdict: &Verdict) -> Option<Self> {
        let Class { fault, detail } = Class::of(verdict)?;
        let mismatch = match verdict {
            Verdict::Fails(misses) => misses.first().map(|miss| &miss.mismatch),
            _ => None,
        };
        let more = match detail {
            Detail::Clause(clause) => Some(clause.to_owned()),
            Detail::Element { due, got } if (due, got) != (Sort::Number, Sort::Number) => {
                Some(format!("{} for {}", sort(got), sort(due)))
            }
            Detail::Question(question) => Some(question.name().to_owned()),
            Detail::Nothing | Detail::Element { .. } | Detail::Among(..) => mismatch.and_then(form),
        };
        let far = match mismatch {
            // At most 2^64 for each element, so that it is no more than 255.
            Some(Mismatch::Element(wrong)) => Some(wrong.far.max(1.0).log2().ceil() as u8),
            _ => None,
        };
        let way = more.map_or_else(|| fault.word().to_owned(), |more| format!("{fault}: {more}"));
        Some(Self { way, far })
    }

    /// That no one reading of a question explains the answers.
    pub fn inconsistent() -> Self {
        Self { way: Fault::Inconsistent.word().to_owned(), far: None }
    }

    /// Whether a call that fails so fails as this says: in the same way, and not much further from right.
    pub fn covers(&self, now: &Self) -> bool {
        let near = |known: u8, now: u8| now <= known.saturating_add(FURTHER);
        self.way == now.way
            && match (self.far, now.far) {
                (Some(known), Some(now)) => near(known, now),
                (known, now) => known == now,
            }
    }

    /// This, where a call fails about as far from right; how it fails now, where it comes much nearer.
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

/// What sets a wrong form of an output apart from others.
fn form(mismatch: &Mismatch) -> Option<String> {
    match mismatch {
        Mismatch::Dtype { expected, got } => Some(format!("{got} for {expected}")),
        Mismatch::Shape { expected, got } if expected.len() == got.len() => Some("other dims".to_owned()),
        Mismatch::Shape { expected, got } => Some(format!("rank {} for {}", got.len(), expected.len())),
        _ => None,
    }
}

/// What fails for one cause, as far as somebody who wrote the file could tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The calls, and how each fails.
    pub calls: BTreeMap<Key, How>,
    /// Where it is being dealt with.
    pub issue: Option<String>,
    /// Whatever somebody wants to say of it.
    pub comment: Option<String>,
}

/// What fails or is known, by the name that reports give it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    /// A case.
    Case(String),
    /// A generated call: its place in the row, and its whole name.
    Call(Id, String),
    /// A question, and where no one reading of it explains the answers.
    Place(String),
    /// An entry of the baseline.
    Entry(String),
}

impl Name {
    /// The failure that is called so.
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
            Self::Case(text) | Self::Call(_, text) | Self::Place(text) | Self::Entry(text) => text,
        }
    }

    /// What asks it again, after the command that repeats the run.
    pub(super) fn option(&self) -> String {
        match self {
            Self::Case(name) => format!(" --case {name}"),
            Self::Call(id, _) => format!(" --property-call {id}"),
            Self::Place(_) | Self::Entry(_) => String::new(),
        }
    }
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
    /// A call is known to fail, and fails in another way, or is much further from right.
    Otherwise {
        /// The entry that knows it.
        known: Known,
        /// How it fails.
        now: How,
    },
    /// Calls of an entry are known to fail, and do not.
    Gone {
        /// The entry.
        known: Known,
        /// Those that conform.
        passes: Vec<Name>,
        /// Those that were not asked, and why.
        missing: Vec<(Name, String)>,
        /// How many are calls of no run like this one.
        stale: usize,
    },
    /// It was asked twice and fails once, or in two ways.
    Flaky(Option<Fault>, Option<Fault>),
}

/// What is said of a known failure, or of all of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// How many calls.
    pub calls: usize,
    /// How they fail.
    pub how: BTreeSet<How>,
    /// Where it is being dealt with.
    pub issue: Option<String>,
    /// Whatever somebody wants to say of it.
    pub comment: Option<String>,
}

impl Entry {
    /// What is said of one of its calls.
    pub(super) fn of_one(&self, how: &How) -> Known {
        let (issue, comment) = (self.issue.clone(), self.comment.clone());
        Known { calls: 1, how: [how.clone()].into(), issue, comment }
    }

    /// What is said of all of them.
    pub(super) fn of_all(&self) -> Known {
        let (issue, comment) = (self.issue.clone(), self.comment.clone());
        Known { calls: self.calls.len(), how: self.calls.values().cloned().collect(), issue, comment }
    }
}
