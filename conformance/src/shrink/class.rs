//! The class of a failure: the properties that shrinking must keep, because a small call that fails in another
//! way is another find.

use normative_reference::{Dtype, Kind, Magnitude, Question};

use crate::judge::compare::Mismatch;
use crate::judge::fault::Fault;
use crate::judge::verdict::Verdict;

/// A class of failures: the fault, and its details that a small call must keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FailureClass {
    /// The fault.
    pub fault: Fault,
    /// The detail that distinguishes it from others with this fault.
    pub detail: ClassDetail,
}

/// The detail that distinguishes a failure from others with the same fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClassDetail {
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

impl FailureClass {
    /// Returns the class of a fault without details.
    pub const fn plain(fault: Fault) -> Self {
        Self { fault, detail: ClassDetail::Nothing }
    }

    /// The way in which a verdict speaks against the backend: how the answer misses the reading that it comes
    /// nearest to, where it is an answer at all.
    pub fn of(verdict: &Verdict) -> Option<Self> {
        let fault = match verdict.fault()? {
            // It is random which of the two limits is passed first.
            Fault::Spread => Fault::Bias,
            fault => fault,
        };
        let detail = verdict.mismatch().map_or(ClassDetail::Nothing, ClassDetail::of);
        Some(Self { fault, detail })
    }

    /// Returns true if a verdict is a failure of this class.
    pub fn is_of(self, verdict: &Verdict) -> bool {
        Self::of(verdict) == Some(self)
    }
}

impl ClassDetail {
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
