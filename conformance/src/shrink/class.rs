//! The class of a failure: the properties that shrinking must keep, because a small call that fails in another
//! way is another find.

use normative_reference::{Dtype, Kind, Magnitude, Question, Reading};

use crate::judge::compare::Mismatch;
use crate::judge::fault::Fault;
use crate::judge::verdict::Verdict;

/// A class of failures: the fault, and its details that a small call must keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class {
    /// The fault.
    pub fault: Fault,
    /// The detail that distinguishes it from others with this fault.
    pub detail: Detail,
}

/// The detail that distinguishes a failure from others with the same fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Detail {
    /// No detail.
    Nothing,
    /// The clause that the call breaks.
    Clause(&'static str),
    /// An element is of another sort than the best answer.
    Element {
        /// The sort of the best answer.
        due: Sort,
        /// The sort of the answer.
        got: Sort,
    },
    /// The question that is read differently than demanded.
    Question(Question),
    /// The question that is read in one of these ways, and in none of them elsewhere.
    Among(Question, Among),
}

/// Some of the readings of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Among(u32);

impl Among {
    /// Returns the set of these readings.
    pub fn of(question: Question, readings: &[Reading]) -> Self {
        let all = question.readings().iter().enumerate();
        let bits = all.filter(|(_, reading)| readings.contains(reading)).map(|(at, _)| 1 << at);
        Self(bits.fold(0, |set: u32, bit: u32| set | bit))
    }

    /// Returns true if the set is not empty and within `others`.
    const fn are_within(self, others: Self) -> bool {
        self.0 != 0 && self.0 & !others.0 == 0
    }
}

/// The sort of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// An integer or a finite float.
    Number,
    /// An infinity.
    Infinite,
    /// A NaN.
    Nan,
}

impl Class {
    /// Returns the class of a fault without details.
    pub const fn plain(fault: Fault) -> Self {
        Self { fault, detail: Detail::Nothing }
    }

    /// Returns the class of a question read in one of these ways, and in none of them elsewhere.
    pub const fn inconsistent(question: Question, among: Among) -> Self {
        Self { fault: Fault::Inconsistent, detail: Detail::Among(question, among) }
    }

    /// Returns the class of a failing verdict: that of the mismatch with the nearest reading, if there is an
    /// answer.
    pub fn of(verdict: &Verdict) -> Option<Self> {
        let fault = match verdict.fault()? {
            // It is random which of the two limits is passed first.
            Fault::Spread => Fault::Bias,
            fault => fault,
        };
        let detail = match verdict {
            Verdict::Fails(misses) => {
                misses.first().map_or(Detail::Nothing, |miss| Detail::of(&miss.mismatch))
            }
            Verdict::Crashed(_)
            | Verdict::TimedOut(_)
            | Verdict::Conforms { .. }
            | Verdict::Unsupported(_) => Detail::Nothing,
        };
        Some(Self { fault, detail })
    }

    /// Returns the question that it concerns, if any.
    pub const fn question(self) -> Option<Question> {
        match self.detail {
            Detail::Question(question) | Detail::Among(question, _) => Some(question),
            Detail::Nothing | Detail::Clause(_) | Detail::Element { .. } => None,
        }
    }

    /// Returns true if a verdict is in this class.
    pub fn is_of(self, verdict: &Verdict) -> bool {
        match (self.detail, verdict) {
            (Detail::Among(question, among), Verdict::Conforms { accepting, .. }) => {
                Among::of(question, &accepting.possible(question)).are_within(among)
            }
            _ => Self::of(verdict) == Some(self),
        }
    }
}

impl Detail {
    fn of(mismatch: &Mismatch) -> Self {
        match mismatch {
            Mismatch::NotRejected { clause, .. } => Self::Clause(clause.name),
            Mismatch::Element(wrong) => Self::Element {
                due: Sort::of(wrong.dtype, wrong.expected),
                got: Sort::of(wrong.dtype, wrong.got),
            },
            Mismatch::Reading { wanted, .. } => Self::Question(wanted.question),
            Mismatch::Rejected { .. }
            | Mismatch::Dtype { .. }
            | Mismatch::Shape { .. }
            | Mismatch::Class { .. }
            | Mismatch::Whole(_)
            | Mismatch::ChangedData(_) => Self::Nothing,
        }
    }
}

impl Sort {
    pub(crate) fn of(dtype: Dtype, bits: u64) -> Self {
        let Kind::Float(format) = dtype.kind() else { return Self::Number };
        match format.magnitude(bits) {
            Magnitude::Finite { .. } => Self::Number,
            Magnitude::Infinite => Self::Infinite,
            Magnitude::Nan => Self::Nan,
        }
    }
}
