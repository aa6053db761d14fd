//! What is wrong with an answer, so far as shrinking has to keep it: a small call that fails otherwise is
//! another find.

use normative_reference::{Dtype, Kind, Magnitude, Question, Reading};

use crate::judge::compare::Mismatch;
use crate::judge::verdict::Verdict;

/// A way to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// A call that breaks this clause was answered.
    NotRejected(&'static str),
    /// A valid call was refused.
    Rejected,
    /// The output's element type is wrong.
    Dtype,
    /// The output's dims are wrong.
    Shape,
    /// An element is wrong: one of this sort was due, one of that sort came.
    Element {
        /// What the best answer is.
        due: Sort,
        /// What came.
        got: Sort,
    },
    /// All is within the bounds, but not within the class demanded.
    Accuracy,
    /// All errors together are not those of roundings.
    Whole,
    /// The data of the call were changed.
    ChangedData,
    /// A question is read otherwise than demanded.
    Reading(Question),
    /// The backend broke down.
    Crashed,
    /// The backend gave no answer in time.
    TimedOut,
    /// A question is read in one of these ways, and elsewhere in none of them.
    Inconsistent(Question, Among),
}

/// Some of the readings of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Among(u32);

impl Among {
    /// These.
    pub fn of(question: Question, readings: &[Reading]) -> Self {
        let all = question.readings().iter().enumerate();
        let bits = all.filter(|(_, reading)| readings.contains(reading)).map(|(at, _)| 1 << at);
        Self(bits.fold(0, |set: u32, bit: u32| set | bit))
    }

    /// Whether there are some, all among `others`.
    const fn are_within(self, others: Self) -> bool {
        self.0 != 0 && self.0 & !others.0 == 0
    }
}

/// A sort of element.
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
    /// The way in which a verdict speaks against the backend: how the answer misses the reading that it comes
    /// nearest to, where it is an answer at all.
    pub fn of(verdict: &Verdict) -> Option<Self> {
        match verdict {
            Verdict::Conforms { .. } | Verdict::Unsupported(_) => None,
            Verdict::Crashed(_) => Some(Self::Crashed),
            Verdict::TimedOut(_) => Some(Self::TimedOut),
            Verdict::Fails(misses) => misses.first().map(|miss| match &miss.mismatch {
                Mismatch::NotRejected { clause, .. } => Self::NotRejected(clause.name),
                Mismatch::Rejected { .. } => Self::Rejected,
                Mismatch::Dtype { .. } => Self::Dtype,
                Mismatch::Shape { .. } => Self::Shape,
                Mismatch::Element(wrong) => Self::Element {
                    due: Sort::of(wrong.dtype, wrong.expected),
                    got: Sort::of(wrong.dtype, wrong.got),
                },
                Mismatch::Class { .. } => Self::Accuracy,
                Mismatch::Whole(_) => Self::Whole,
                Mismatch::ChangedData(_) => Self::ChangedData,
                Mismatch::Reading { wanted, .. } => Self::Reading(wanted.question),
            }),
        }
    }

    /// The question that it is about, if it is about one.
    pub const fn question(self) -> Option<Question> {
        match self {
            Self::Reading(question) | Self::Inconsistent(question, _) => Some(question),
            _ => None,
        }
    }

    /// Whether a verdict speaks so against the backend.
    pub fn is_of(self, verdict: &Verdict) -> bool {
        match (self, verdict) {
            (Self::Inconsistent(question, among), Verdict::Conforms { accepting, .. }) => {
                Among::of(question, &accepting.possible(question)).are_within(among)
            }
            _ => Self::of(verdict) == Some(self),
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
