//! What is wrong with an answer, so far as shrinking has to keep it: a small call that fails otherwise is
//! another find.

use normative_reference::{Choice, Dtype, Kind, Magnitude, Question};

use crate::compare::Mismatch;
use crate::verdict::Verdict;

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
    /// A question is read so, and elsewhere otherwise.
    Inconsistent(Choice),
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
            Self::Reading(question) | Self::Inconsistent(Choice { question, .. }) => Some(question),
            _ => None,
        }
    }

    /// Whether a verdict speaks so against the backend.
    pub fn is_of(self, verdict: &Verdict) -> bool {
        match self {
            Self::Inconsistent(choice) => verdict.reading(choice.question) == Some(choice.reading),
            _ => Self::of(verdict) == Some(self),
        }
    }
}

impl Sort {
    fn of(dtype: Dtype, bits: u64) -> Self {
        let Kind::Float(format) = dtype.kind() else { return Self::Number };
        match format.magnitude(bits) {
            Magnitude::Finite { .. } => Self::Number,
            Magnitude::Infinite => Self::Infinite,
            Magnitude::Nan => Self::Nan,
        }
    }
}
