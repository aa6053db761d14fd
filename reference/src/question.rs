//! Places where a text is silent or contradicts itself, and the honest ways to read them.
//!
//! A question has a name, a row of `said`, which reports print, and a row of [`Question::readings`].
//! [`Choice::meaning`] explains each reading. [`crate::ruling`] and [`crate::arithmetic`] tell which calls
//! raise a question.

use std::fmt;

use strum::{Display, EnumCount, EnumString, IntoStaticStr, VariantArray};

/// A place where a spec leaves its reader a choice. Questions about the form of a call come first, those
/// about values from [`IntegerOverflow`](Self::IntegerOverflow) on.
#[derive(Display, EnumCount, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "what each asks is a row of `said`")]
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
    #[strum(to_string = "axis-on-rank-0")]
    AxisOnRankZero,
    #[strum(to_string = "axis-range-opset-1")]
    AxisRangeOpset1,
    NegativeAxesBnns,
    AxesTensorScalar,
    #[strum(to_string = "axes-tensor-2d")]
    AxesTensor2d,
    #[strum(to_string = "rank-0-opset-11")]
    RankZeroOpset11,
    #[strum(to_string = "empty-set-opset-11")]
    EmptySetOpset11,
    EmptyData,
    EmptySet,
    SampleTypesBnns,
    RanksBnns,
    UnknownAttribute,
    UnknownInput,
    #[strum(to_string = "boolean-attributes-keepdims")]
    BooleanKeepdims,
    #[strum(to_string = "boolean-attributes-noop")]
    BooleanNoop,
    KeepdimsWithoutAxis,
    AxisOutOfRange,
    NegativeIncrement,
    ZeroIncrement,
    IntegerOverflow,
    IntegerL2Rounding,
    IntegerL2Intermediate,
    IntegerL2Wider,
    IntegerL2Negative,
    IntegerL2Precision,
    FloatRange,
    HalfAccumulation,
    F64Precision,
    Subnormals,
    NanWithInfinity,
    ResultRounding,
}

/// One way to read a question. The same reading may belong to several questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Display, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[allow(missing_docs, reason = "what each means depends on the question")]
pub enum Reading {
    // The output is x, the data.
    #[strum(to_string = "x")]
    Unchanged,
    NormOfEachElement,
    ReduceAll,
    ReduceNone,
    Collapse,
    Accept,
    AsLaterOpsets,
    AsOtherOpsets,
    NonzeroIsTrue,
    #[strum(to_string = "only-1-is-true")]
    Only1IsTrue,
    Reject,
    Ignore,
    FromTheEnd,
    // Of the result (`IntegerOverflow`).
    Wrap,
    Saturate,
    Indefinite,
    Truncate,
    Nearest,
    // Of the sum of squares (`IntegerL2Intermediate`, `IntegerL2Wider`): with an s, unlike those of the result.
    Exact,
    Wraps,
    Saturates,
    SquaresWrap,
    // Of a sum that wraps (`IntegerL2Negative`).
    Unsigned,
    Zero,
    Scaled,
    Rescued,
    Naive,
    Wide,
    SquaresInType,
    ByOperator,
    InType,
    Double,
    Single,
    Kept,
    Flushed,
    ResultsFlushed,
    Nan,
    Inf,
    TowardZero,
    ZeroDimensional,
    OfElements,
}

impl Question {
    /// Every question, structural ones first.
    pub const ALL: [Self; Self::COUNT] = match Self::VARIANTS.first_chunk() {
        Some(all) => *all,
        None => unreachable!(),
    };

    /// Returns the name used in case files, options and reports.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the question of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// Returns the open question as a sentence.
    pub const fn asks(self) -> &'static str {
        self.said().0
    }

    /// Returns the two clauses, or the clause and the silence, that make it open.
    pub const fn because(self) -> &'static str {
        self.said().1
    }

    /// Returns the two sentences that reports print: the open question, and the two clauses, or the clause and the
    /// silence, that make it so. Do not add a question without such clauses.
    #[allow(clippy::too_many_lines, reason = "a table")]
    const fn said(self) -> (&'static str, &'static str) {
        match self {
            Self::EmptyAxesIdentity => (
                "With axes [], is the output the data or the norm of each element?",
                "The text calls it the identity operation; its formula takes the norm over no axis, which is \
                 |x|.",
            ),
            Self::EmptyAxesAttribute => (
                "Does an axes attribute that is an empty list reduce everything or nothing, or is it refused?",
                "Only an absent attribute has a stated default; a list names the axes to reduce, and this one \
                 names none.",
            ),
            Self::EmptyAxesBnns => (
                "Does an empty list of axes, with room for one value, reduce everything?",
                "nil means the entire tensor and a list names axes; the C function's flags spell both as 0.",
            ),
            Self::EmptyAxesBnnsCopy => (
                "Does an empty list of axes, with room for every value, reduce nothing?",
                "nil means the entire tensor and a list names axes, none here; the output has the dims not \
                 computed over.",
            ),
            Self::NoopAbsentAxes => (
                "noop_with_empty_axes=1 and no axes input: data, norm of each element, or full reduction?",
                "Attribute and axes input promise the data; the function body takes Abs first and does not \
                 pass the attribute on.",
            ),
            Self::NoopNullAxes => (
                "noop_with_empty_axes=1 and an axes input with the empty name: data, norm of each element, or \
                 full reduction?",
                "Attribute and axes input promise the data; the function body takes Abs first and does not \
                 pass the attribute on.",
            ),
            Self::NoopEmptyAxes => (
                "noop_with_empty_axes=1 and axes []: data, norm of each element, or full reduction?",
                "Attribute and axes input promise the data; the function body takes Abs first and does not \
                 pass the attribute on.",
            ),
            Self::DuplicateAxes => (
                "Is an axis that is listed twice with the same number reduced once, or is the call refused?",
                "axes are the indices to reduce along. That they differ is said by OpenVINO alone, and no text \
                 says what a repeated one leads to.",
            ),
            Self::DuplicateAxesMixedSign => (
                "Is an axis that is listed from both ends, as in [1, -1], reduced once, or is the call \
                 refused?",
                "The two numbers differ and both are in range, but they name one axis, and no text says what \
                 that means.",
            ),
            Self::AxisOnRankZero => (
                "May axis 0 or -1 be listed for a scalar at opset 1?",
                "Rank 0 is allowed and axes may be listed, but opset 1 states no range that would hold or \
                 exclude an axis.",
            ),
            Self::AxisRangeOpset1 => (
                "Does a negative axis count from the end at opset 1, is it refused, or does it name nothing?",
                "Opset 1 states no range; from opset 11 on it is [-r, r-1].",
            ),
            Self::NegativeAxesBnns => (
                "Is a negative axis refused, does it count from the end, or does it name nothing?",
                "axes are the indices of axes, as signed integers; the page neither describes nor excludes \
                 negative ones.",
            ),
            Self::AxesTensorScalar => (
                "May the axes input be a scalar?",
                "The input is a tensor of int64 that is called a list; its rank is not stated.",
            ),
            Self::AxesTensor2d => (
                "May the axes input have two dims?",
                "ONNX has a tensor of int64 that is called a list, and does not state its rank. OpenVINO has a \
                 scalar or a tensor of one dim, and does not say that others are refused; its axes are the \
                 elements.",
            ),
            Self::RankZeroOpset11 => (
                "Is a scalar valid data at opset 11?",
                "The sentence that allows it at opsets 1, 13 and 18 is missing from opset 11.",
            ),
            Self::EmptySetOpset11 => (
                "Is the norm over no elements 0 at opset 11?",
                "The sentence that says so at opsets 1, 13 and 18 is missing from opset 11.",
            ),
            Self::EmptyData => (
                "May the output have no elements, because the data have a dim of 0 that is kept?",
                "The text describes shapes without a word on dims of 0.",
            ),
            Self::EmptySet => (
                "Is the norm over no elements 0, or is the call refused?",
                "The formula adds up the elements along the axes; the text does not say what it gives where \
                 there are none.",
            ),
            Self::SampleTypesBnns => (
                "May samples have another type than f32?",
                "Every example on the page has Float samples; no sentence lists the types a descriptor may \
                 have here.",
            ),
            Self::RanksBnns => (
                "May the data have rank 0, or a rank above 8?",
                "The page speaks of tensors of any shape; the data layouts of a descriptor have 1 to 8 dims.",
            ),
            Self::UnknownAttribute => (
                "Is an attribute that the operator does not list refused, or ignored?",
                "Attributes are listed: axes and keepdims before opset 18, keepdims and noop_with_empty_axes from it on; \
                 nothing is said of others.",
            ),
            Self::UnknownInput => (
                "Is an input that the operator does not list refused, or ignored?",
                "data is the one input listed before opset 18; nothing is said of a second one.",
            ),
            Self::BooleanKeepdims => (
                "What does a keepdims that is neither 0 nor 1 mean?",
                "The attribute is an integer; only 1 and 0 are given a meaning.",
            ),
            Self::BooleanNoop => (
                "What does a noop_with_empty_axes that is neither 0 nor 1 mean?",
                "The attribute is an integer; the text speaks of true and false.",
            ),
            Self::KeepdimsWithoutAxis => (
                "With axis=None and keepdims=True, does the result keep every axis as 1, or none?",
                "keepdims keeps the axes that were reduced, which are all; the result for None is said to be \
                 zero-dimensional.",
            ),
            Self::AxisOutOfRange => (
                "Is an axis that the data do not have refused, or does it name nothing to reduce?",
                "axes are those to reduce (ONNX 1), or their indices (BNNS); no range is stated, and nothing is \
                 said of one that is not there.",
            ),
            Self::NegativeIncrement => (
                "Is asum at a negative spacing 0, or the norm of the elements, of which the first is the \
                 farthest?",
                "The data are said to hold 1 + (n - 1) * |incx| elements, which are read; a note and the code \
                 return 0 where incx is not positive.",
            ),
            Self::ZeroIncrement => (
                "Is asum at spacing 0 zero, or n times the magnitude of the first element?",
                "The elements are n, and lie 0 apart; a note and the code return 0 where incx is not positive.",
            ),
            Self::IntegerOverflow => (
                "What is returned if an integer result overflows its type?",
                "Output and data share a type T, and nothing is said of results beyond it.",
            ),
            Self::IntegerL2Rounding => (
                "How is an L2 norm rounded to an integer when the root is not an integer?",
                // A tie cannot occur: (k + 1/2)² is never an integer.
                "The output has the integer type of the data, and nothing is said of rounding.",
            ),
            Self::IntegerL2Intermediate => (
                "Is a sum of squares held in the data's type where that cannot hold it?",
                "Input and output types are stated, the type of the sum between them is not.",
            ),
            Self::IntegerL2Wider => (
                "What is a sum of squares that a type of twice the width cannot hold either?",
                "Input and output types are stated, the type of the sum between them is not.",
            ),
            Self::IntegerL2Negative => (
                "What is the root of a sum of squares that wraps to a number whose top bit is set?",
                "The type of the sum is not stated, nor whether it has a sign; no text gives a negative number a root.",
            ),
            Self::IntegerL2Precision => (
                "Is the L2 norm of integers computed exactly, or through f64 or f32?",
                "T includes integers, whose roots are exact. The type of the sum between them is not stated; the opset-18 function \
                 body casts it to float32, and the root back.",
            ),
            Self::FloatRange => (
                "Is a representable L2 norm returned when the squares overflow or underflow?",
                "The formula names the root of the sum of squares; no precision is stated for the squares. Another text, IEEE 754-2019 (clause 9.4), rules out avoidable overflow \
                 and underflow between the elements and the result.",
            ),
            Self::HalfAccumulation => (
                "In which precision is a result of 16-bit floats computed?",
                "Input and output types are stated, the types of the terms and of the sum between them are \
                 not. Another text, IEEE 754-2019 (clause 9.4), lets an implementation add in any order and in \
                 any wider format.",
            ),
            Self::F64Precision => (
                "Is the sum of squares of f64 data rounded to f32 before the root?",
                "T includes double; the opset-18 function body casts the sum of squares to float32 before the \
                 root.",
            ),
            Self::Subnormals => (
                "Do subnormal numbers count, or are they zero: as elements, or only as results?",
                "The array API standard names IEEE 754, and lets support for subnormal numbers vary. The other \
                 texts name neither IEEE 754 nor a flush-to-zero mode.",
            ),
            Self::NanWithInfinity => (
                "What is the norm of data with both a NaN and an infinity?",
                "The formula gives NaN. Another text, IEEE 754-2019, gives infinity for sumAbs and sumSquare \
                 (clause 9.4) and for hypot.",
            ),
            Self::ResultRounding => (
                "Is a 16-bit result rounded to nearest, or cut?",
                "No text names a rounding mode for the conversion of a wider result to the output type.",
            ),
        }
    }

    /// Returns true if the question is about computed values rather than about the form of a call. An
    /// implementation may honestly answer those differently for different element types.
    pub fn concerns_values(self) -> bool {
        self >= Self::IntegerOverflow
    }

    /// Returns true if the question is about values of integer types.
    pub fn is_of_integers(self) -> bool {
        (Self::IntegerOverflow..=Self::IntegerL2Precision).contains(&self)
    }

    /// Returns true if each reading allows every answer of the readings before it, unless a square overflows in the
    /// type that holds the sum. More rounding allows more answers, and a cut result may also be the nearest float. An
    /// answer that fits the first reading then fits all, and does not show which one an implementation has.
    pub fn is_nested(self) -> bool {
        matches!(
            self,
            Self::IntegerL2Precision | Self::HalfAccumulation | Self::Subnormals | Self::ResultRounding
        )
    }

    /// Returns true if the `later` reading allows every answer that the `earlier` one allows. Of float ranges that
    /// holds for one pair: an answer that is right with scaled squares is right where a norm may be computed again.
    pub fn includes(self, later: Reading, earlier: Reading) -> bool {
        let is_rescued = (later, earlier) == (Reading::Rescued, Reading::Scaled);
        self.is_nested() || self == Self::FloatRange && is_rescued
    }

    /// Returns the readings. [`Ruling::under`](crate::Ruling::under) takes the first where its policy does
    /// not answer the question.
    #[rustfmt::skip]
    pub const fn readings(self) -> &'static [Reading] {
        use Reading as R;
        match self {
            Self::EmptyAxesIdentity => &[R::Unchanged, R::NormOfEachElement],
            Self::EmptyAxesAttribute => &[R::ReduceAll, R::ReduceNone, R::Reject],
            Self::EmptyAxesBnns => &[R::ReduceAll, R::Reject],
            Self::EmptyAxesBnnsCopy => &[R::ReduceNone, R::Reject],
            Self::NoopAbsentAxes | Self::NoopNullAxes | Self::NoopEmptyAxes =>
                &[R::Unchanged, R::NormOfEachElement, R::ReduceAll],
            Self::DuplicateAxes | Self::DuplicateAxesMixedSign => &[R::Collapse, R::Reject],
            Self::AxisRangeOpset1 => &[R::AsLaterOpsets, R::Reject, R::Ignore],
            Self::NegativeAxesBnns => &[R::Reject, R::FromTheEnd, R::Ignore],
            Self::RankZeroOpset11 | Self::EmptySetOpset11 => &[R::AsOtherOpsets, R::Reject],
            Self::AxisOnRankZero | Self::AxesTensorScalar | Self::AxesTensor2d | Self::EmptyData
                | Self::SampleTypesBnns | Self::RanksBnns => &[R::Accept, R::Reject],
            Self::EmptySet => &[R::Zero, R::Reject],
            Self::UnknownAttribute | Self::UnknownInput | Self::AxisOutOfRange => &[R::Reject, R::Ignore],
            Self::BooleanKeepdims | Self::BooleanNoop => &[R::NonzeroIsTrue, R::Only1IsTrue, R::Reject],
            Self::NegativeIncrement | Self::ZeroIncrement => &[R::Zero, R::OfElements],
            Self::KeepdimsWithoutAxis => &[R::Kept, R::ZeroDimensional],
            Self::IntegerOverflow => &[R::Wrap, R::Saturate, R::Reject, R::Indefinite],
            Self::IntegerL2Rounding => &[R::Truncate, R::Nearest],
            Self::IntegerL2Intermediate | Self::IntegerL2Wider =>
                &[R::Exact, R::Wraps, R::Saturates, R::SquaresWrap],
            Self::IntegerL2Negative => &[R::Zero, R::Indefinite, R::Unsigned],
            Self::IntegerL2Precision => &[R::Exact, R::Double, R::Single],
            Self::FloatRange => &[R::Scaled, R::Rescued, R::Naive],
            Self::HalfAccumulation => &[R::Wide, R::SquaresInType, R::ByOperator, R::InType],
            Self::F64Precision => &[R::Double, R::Single],
            Self::Subnormals => &[R::Kept, R::Flushed, R::ResultsFlushed],
            Self::NanWithInfinity => &[R::Nan, R::Inf],
            Self::ResultRounding => &[R::Nearest, R::TowardZero],
        }
    }
}

impl Reading {
    /// Returns the name used in case files, options and reports.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A question answered one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Choice {
    /// The open question.
    pub question: Question,
    /// The reading of it.
    pub reading: Reading,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.question, self.reading)
    }
}
