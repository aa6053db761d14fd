//! Places where a text is silent or contradicts itself, and the honest ways to read them.
//!
//! This is a table: a question's name, what makes it one, and its readings. Which calls raise a
//! question, and what a reading then means, stands in [`crate::ruling`] and [`crate::arithmetic`].
//! A question is here only when two clauses, or a clause and a silence, can be cited.

use std::fmt;

/// A place where a spec leaves its reader a choice. Those about the form of a call come first, those
/// about values from [`IntegerOverflow`](Self::IntegerOverflow) on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the table in `entry` documents each")]
pub enum Question {
    EmptyAxesIdentity,
    EmptyAxesAttribute,
    EmptyAxesBnns,
    EmptyAxesBnnsCopy,
    NoopAbsentAxes,
    NoopNullAxes,
    NoopEmptyAxes,
    DuplicateAxes,
    DuplicateAxesMixedSign,
    AxisOnRankZero,
    AxisRangeOpset1,
    AxesTensorRank,
    RankZeroOpset11,
    EmptySetOpset11,
    BooleanKeepdims,
    BooleanNoop,
    IntegerOverflow,
    IntegerL2Rounding,
    IntegerL2Intermediate,
    WrappedNegativeRoot,
    IntegerL2Precision,
    FloatRange,
    HalfAccumulation,
    F64Precision,
    Subnormals,
    NanWithInfinity,
}

/// One way to read a question. The same word may answer several questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the table in `Question::entry` documents each where it is used")]
pub enum Reading {
    Unchanged,
    NormOfEachElement,
    ReduceAll,
    ReduceNone,
    Collapse,
    Accept,
    AsLaterOpsets,
    AsOtherOpsets,
    NonzeroIsTrue,
    Only1IsTrue,
    Reject,
    Wrap,
    Saturate,
    Truncate,
    Nearest,
    Exact,
    Wraps,
    Saturates,
    Zero,
    Minimum,
    Scaled,
    Naive,
    Wide,
    InType,
    Double,
    Single,
    Kept,
    Flushed,
    Nan,
    Inf,
}

/// A question's row in the table.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name used in case files, options and reports.
    pub name: &'static str,
    /// What is open.
    pub asks: &'static str,
    /// The two clauses, or the clause and the silence, that make it open.
    pub because: &'static str,
    /// The readings, the mathematically plain one first.
    pub readings: &'static [Reading],
}

impl Question {
    /// Every question, structural ones first.
    pub const ALL: [Self; 26] = [
        Self::EmptyAxesIdentity,
        Self::EmptyAxesAttribute,
        Self::EmptyAxesBnns,
        Self::EmptyAxesBnnsCopy,
        Self::NoopAbsentAxes,
        Self::NoopNullAxes,
        Self::NoopEmptyAxes,
        Self::DuplicateAxes,
        Self::DuplicateAxesMixedSign,
        Self::AxisOnRankZero,
        Self::AxisRangeOpset1,
        Self::AxesTensorRank,
        Self::RankZeroOpset11,
        Self::EmptySetOpset11,
        Self::BooleanKeepdims,
        Self::BooleanNoop,
        Self::IntegerOverflow,
        Self::IntegerL2Rounding,
        Self::IntegerL2Intermediate,
        Self::WrappedNegativeRoot,
        Self::IntegerL2Precision,
        Self::FloatRange,
        Self::HalfAccumulation,
        Self::F64Precision,
        Self::Subnormals,
        Self::NanWithInfinity,
    ];

    /// The question's row.
    #[allow(clippy::too_many_lines, reason = "it is the table")]
    pub fn entry(self) -> Entry {
        use Reading as R;
        let row = |name, asks, because, readings| Entry { name, asks, because, readings };
        match self {
            Self::EmptyAxesIdentity => row(
                "empty-axes-identity",
                "With axes [], is the output the data, or the norm of each element?",
                "The text calls it the identity operation; its formula takes the norm over no axis, which is |x|.",
                &[R::Unchanged, R::NormOfEachElement],
            ),
            Self::EmptyAxesAttribute => row(
                "empty-axes-attribute",
                "Does an axes attribute that is an empty list reduce everything or nothing?",
                "Only an absent attribute has a stated default; a list names the axes to reduce, and this one names none.",
                &[R::ReduceAll, R::ReduceNone],
            ),
            Self::EmptyAxesBnns => row(
                "empty-axes-bnns",
                "Does an empty list of axes, with room for one value, reduce everything?",
                "nil means the entire tensor and a list names axes; the C function's flags spell both as 0.",
                &[R::ReduceAll, R::Reject],
            ),
            Self::EmptyAxesBnnsCopy => row(
                "empty-axes-bnns-copy",
                "Does an empty list of axes, with room for every value, reduce nothing?",
                "nil means the entire tensor and a list names axes, none here; the output has the dims not computed over.",
                &[R::ReduceNone, R::Reject],
            ),
            Self::NoopAbsentAxes => row(
                "noop-absent-axes",
                "noop_with_empty_axes=1 and no axes input: data, norm of each element, or full reduction?",
                "Attribute and axes input promise the data; the function body takes Abs first and does not pass the attribute on.",
                &[R::Unchanged, R::NormOfEachElement, R::ReduceAll],
            ),
            Self::NoopNullAxes => row(
                "noop-null-axes",
                "noop_with_empty_axes=1 and an axes input with the empty name: data, norm of each element, or full reduction?",
                "Attribute and axes input promise the data; the function body takes Abs first and does not pass the attribute on.",
                &[R::Unchanged, R::NormOfEachElement, R::ReduceAll],
            ),
            Self::NoopEmptyAxes => row(
                "noop-empty-axes",
                "noop_with_empty_axes=1 and axes []: data, norm of each element, or full reduction?",
                "Attribute and axes input promise the data; the function body takes Abs first and does not pass the attribute on.",
                &[R::Unchanged, R::NormOfEachElement, R::ReduceAll],
            ),
            Self::DuplicateAxes => row(
                "duplicate-axes",
                "Is an axis that is named twice in the same words reduced once, or refused?",
                "Axes are said to be unique or to form a list, but no error is named for repeating one.",
                &[R::Collapse, R::Reject],
            ),
            Self::DuplicateAxesMixedSign => row(
                "duplicate-axes-mixed-sign",
                "Is an axis that is named from both ends, as in [1, -1], reduced once, or refused?",
                "The two spellings differ and both are in range, but they name one axis, and no error is named for that.",
                &[R::Collapse, R::Reject],
            ),
            Self::AxisOnRankZero => row(
                "axis-on-rank-0",
                "May axis 0 or -1 be named on a scalar?",
                "The stated range [-r, r-1] holds nothing for r = 0, yet rank 0 is allowed and a single element has a norm.",
                &[R::Accept, R::Reject],
            ),
            Self::AxisRangeOpset1 => row(
                "axis-range-opset-1",
                "Does a negative axis count from the end at opset 1?",
                "Opset 1 states no range; from opset 11 on it is [-r, r-1].",
                &[R::AsLaterOpsets, R::Reject],
            ),
            Self::AxesTensorRank => row(
                "axes-tensor-rank",
                "May the axes input be a scalar or have two axes?",
                "The input is a tensor of int64 that is called a list; its rank is not stated.",
                &[R::Accept, R::Reject],
            ),
            Self::RankZeroOpset11 => row(
                "rank-0-opset-11",
                "Is a scalar valid data at opset 11?",
                "The sentence that allows it at opsets 1, 13 and 18 is missing from opset 11.",
                &[R::AsOtherOpsets, R::Reject],
            ),
            Self::EmptySetOpset11 => row(
                "empty-set-opset-11",
                "Is the norm over no values 0 at opset 11?",
                "The sentence that says so at opsets 1, 13 and 18 is missing from opset 11.",
                &[R::AsOtherOpsets, R::Reject],
            ),
            Self::BooleanKeepdims => row(
                "boolean-attributes-keepdims",
                "What does a keepdims that is neither 0 nor 1 mean?",
                "The attribute is an integer; only 1 and 0 are given a meaning.",
                &[R::NonzeroIsTrue, R::Only1IsTrue, R::Reject],
            ),
            Self::BooleanNoop => row(
                "boolean-attributes-noop",
                "What does a noop_with_empty_axes that is neither 0 nor 1 mean?",
                "The attribute is an integer; the text speaks of true and false.",
                &[R::NonzeroIsTrue, R::Only1IsTrue, R::Reject],
            ),
            Self::IntegerOverflow => row(
                "integer-overflow",
                "What is an integer norm that its type cannot hold?",
                "Output and data share a type T, and nothing is said of results beyond it.",
                &[R::Wrap, R::Saturate, R::Reject],
            ),
            Self::IntegerL2Rounding => row(
                "integer-l2-rounding",
                "Which integer stands for a root that is none?",
                "The output has the integer type of the data, and nothing is said of rounding. \
                 A tie cannot occur: (k + 1/2)² is never an integer.",
                &[R::Truncate, R::Nearest],
            ),
            Self::IntegerL2Intermediate => row(
                "integer-l2-intermediate",
                "Is the sum of squares held in the data's type when only the root fits it?",
                "Input and output types are stated, the type of the sum between them is not.",
                &[R::Exact, R::Wraps, R::Saturates],
            ),
            Self::WrappedNegativeRoot => row(
                "wrapped-negative-root",
                "What becomes of the root when the sum of squares wrapped below zero?",
                "No text speaks of it; converting a NaN to an integer gives 0 on some processors, the minimum on others.",
                &[R::Zero, R::Minimum],
            ),
            Self::IntegerL2Precision => row(
                "integer-l2-precision",
                "Does the L2 norm of integers pass through f32?",
                "T includes integers, whose roots are exact; the opset-18 function body casts the sum of squares to float32, \
                 and the root back.",
                &[R::Exact, R::Single],
            ),
            Self::FloatRange => row(
                "float-range",
                "Is a representable L2 norm returned when the squares overflow or underflow?",
                "The formula names the root of the sum of squares; no precision is stated for the squares.",
                &[R::Scaled, R::Naive],
            ),
            Self::HalfAccumulation => row(
                "half-accumulation",
                "Are 16-bit floats summed in f32 or wider, or in their own type?",
                "Input and output types are stated, the type of the sum between them is not.",
                &[R::Wide, R::InType],
            ),
            Self::F64Precision => row(
                "f64-precision",
                "Does the L2 norm of f64 data pass through f32?",
                "T includes double; the opset-18 function body casts the sum of squares to float32 before the root.",
                &[R::Double, R::Single],
            ),
            Self::Subnormals => row(
                "subnormals",
                "Do subnormal elements count, or are they zero?",
                "No text names IEEE 754 or a flush-to-zero mode.",
                &[R::Kept, R::Flushed],
            ),
            Self::NanWithInfinity => row(
                "nan-with-infinity",
                "What is the L2 norm of data with both a NaN and an infinity?",
                "The formula gives NaN; IEEE 754's hypot, a norm too, gives infinity.",
                &[R::Nan, R::Inf],
            ),
        }
    }

    /// Whether the question is about computed values, which an implementation may honestly answer
    /// differently for different element types, rather than about the form of a call.
    pub fn concerns_values(self) -> bool {
        self >= Self::IntegerOverflow
    }

    /// The question of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|question| question.entry().name == name)
    }
}

impl Reading {
    /// The name used in case files, options and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unchanged => "x",
            Self::NormOfEachElement => "norm-of-each-element",
            Self::ReduceAll => "reduce-all",
            Self::ReduceNone => "reduce-none",
            Self::Collapse => "collapse",
            Self::Accept => "accept",
            Self::AsLaterOpsets => "as-later-opsets",
            Self::AsOtherOpsets => "as-other-opsets",
            Self::NonzeroIsTrue => "nonzero-is-true",
            Self::Only1IsTrue => "only-1-is-true",
            Self::Reject => "reject",
            Self::Wrap => "wrap",
            Self::Saturate => "saturate",
            Self::Truncate => "truncate",
            Self::Nearest => "nearest",
            Self::Exact => "exact",
            Self::Wraps => "wraps",
            Self::Saturates => "saturates",
            Self::Zero => "zero",
            Self::Minimum => "minimum",
            Self::Scaled => "scaled",
            Self::Naive => "naive",
            Self::Wide => "wide",
            Self::InType => "in-type",
            Self::Double => "double",
            Self::Single => "single",
            Self::Kept => "kept",
            Self::Flushed => "flushed",
            Self::Nan => "nan",
            Self::Inf => "inf",
        }
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry().name)
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A question answered one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Choice {
    /// What was open.
    pub question: Question,
    /// How it is read.
    pub reading: Reading,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.question, self.reading)
    }
}
