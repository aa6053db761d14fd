//! What is wrong with an answer, so far as shrinking has to keep it: a small call that fails otherwise is
//! another find.

use normative_reference::{Dtype, Kind, Magnitude, Question, Reading};

use crate::judge::compare::Mismatch;
use crate::judge::fault::Fault;
use crate::judge::verdict::Verdict;

/// A way to fail: a fault, and what else of it a small call has to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class {
    /// What is the matter.
    pub fault: Fault,
    /// What sets it apart from others of that fault.
    pub detail: Detail,
}

/// What sets a failure apart from others with the same fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Detail {
    /// Nothing does.
    Nothing,
    /// The clause that the call breaks.
    Clause(&'static str),
    /// An element of one sort was due, one of that sort came.
    Element {
        /// What the best answer is.
        due: Sort,
        /// What came.
        got: Sort,
    },
    /// The question that is read otherwise than demanded.
    Question(Question),
    /// The question that is read in one of these ways, and elsewhere in none of them.
    Among(Question, Among),
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
    /// A fault of which nothing else has to stay.
    pub const fn plain(fault: Fault) -> Self {
        Self { fault, detail: Detail::Nothing }
    }

    /// A question is read in one of these ways, and elsewhere in none of them.
    pub const fn inconsistent(question: Question, among: Among) -> Self {
        Self { fault: Fault::Inconsistent, detail: Detail::Among(question, among) }
    }

    /// The way in which a verdict speaks against the backend: how the answer misses the reading that it comes
    /// nearest to, where it is an answer at all.
    pub fn of(verdict: &Verdict) -> Option<Self> {
        let fault = match verdict.fault()? {
            // Which of the two limits is passed first is chance.
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

    /// The question that it is about, if it is about one.
    pub const fn question(self) -> Option<Question> {
        match self.detail {
            Detail::Question(question) | Detail::Among(question, _) => Some(question),
            Detail::Nothing | Detail::Clause(_) | Detail::Element { .. } => None,
        }
    }

    /// Whether a verdict speaks so against the backend.
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
