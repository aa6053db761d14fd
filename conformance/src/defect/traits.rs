//! Describes a call in a few words: its type, its dims, its axes, its attributes, its data.
//!
//! The condition of a defect is made of these. Nothing here looks at an answer.

mod axes;
mod data;

use std::fmt;

use normative_reference::spec::AxesForm;
use normative_reference::{
    Call, Dims, Dtype, Kind, Layout, Norm, Operator, Outcome, Reduction, Ruling, Spec, rule,
};

/// One property of a call. Sorted in the order of mention, plainer ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trait {
    /// A statement.
    Is(&'static str),
    /// The data have this type.
    Dtype(Dtype),
    /// It calls this operator version.
    Spec(Spec),
    /// A number of the call passes this test.
    Number(Quantity, Test),
    /// It breaks this clause, under some reading at least.
    Breaks(&'static str),
}

/// No reading refuses the form of the call.
pub const VALID: Trait = Trait::Is("a valid call");

/// Every reading refuses the call.
pub(super) const INVALID: Trait = Trait::Is("an invalid call");

/// Some reading refuses the call because its type does not hold the result.
pub(super) const REFUSABLE: Trait = Trait::Is("an integer overflow that may be refused");

/// Some reading takes the call to be outside the text, and none refuses it.
pub(crate) const OUTSIDE: Trait = Trait::Is("a call outside the text's scope");

/// The call has no element. What is special about such calls is so of every one, so one is enough to tell it.
pub(crate) const NO_DATA: Trait = Trait::Is("no data");

/// The traits that are a norm.
const NORMS: [(Norm, Trait); 4] = [
    (Norm::L1, Trait::Is("L1")),
    (Norm::L2, Trait::Is("L2")),
    (Norm::SumSquare, Trait::Is("sums of squares")),
    (Norm::Sum, Trait::Is("sums of elements")),
];

impl Trait {
    /// Returns true if it says which norm a call computes.
    pub(crate) fn is_norm(&self) -> bool {
        NORMS.iter().any(|(_, known)| known == self)
    }
}

/// A number that a call has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quantity {
    /// Dims of the data.
    Rank,
    /// Numbers in its axes.
    Named,
    /// Elements that go into one of the output.
    Terms,
    /// Elements of the output.
    Outputs,
    /// The product of the dims before the first reduced one.
    Rows,
    /// The product of the dims after the last reduced one.
    Columns,
    /// Bits of the greatest sum of integer data: of magnitudes, or of squares.
    SumBits,
    /// The last dim of the data.
    LastDim,
    /// Bits of the greatest magnitude among integer data.
    IntegerBits,
    /// ONNX's version.
    Opset,
}

/// A test of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Test {
    /// Exactly this.
    Is(u64),
    /// At least this.
    AtLeast(u64),
    /// Below this.
    Below(u64),
    /// Its remainder by a divisor.
    Rest {
        /// The remainder.
        rest: u64,
        /// The divisor.
        divisor: u64,
    },
    /// It is not a multiple of this.
    NoMultipleOf(u64),
}

impl Quantity {
    const fn words(self) -> &'static str {
        match self {
            Self::Rank => "rank",
            Self::Named => "number of axes",
            Self::Terms => "terms",
            Self::Outputs => "output elements",
            Self::Rows => "rows before the reduced axes",
            Self::Columns => "columns after the reduced axes",
            Self::SumBits => "bits of the greatest sum",
            Self::LastDim => "last dim",
            Self::IntegerBits => "bits of the greatest integer",
            Self::Opset => "opset",
        }
    }

    /// Returns the numbers that it is compared with.
    const fn bounds(self) -> &'static [u64] {
        match self {
            Self::Rank => &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
            Self::Named => &[2, 3, 4],
            Self::Terms | Self::Outputs => &[
                2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 128, 129, 256, 257, 512, 1024, 1025, 2048, 4096,
                65_536,
            ],
            Self::LastDim | Self::Rows | Self::Columns => &[2, 4, 8, 16, 32, 64, 128],
            Self::IntegerBits | Self::SumBits => {
                &[4, 8, 12, 15, 16, 23, 24, 25, 31, 32, 33, 48, 52, 53, 54, 62, 63, 64]
            }
            Self::Opset => &[11, 13, 18],
        }
    }

    /// Returns the numbers that it is divided by.
    const fn divisors(self) -> &'static [u64] {
        match self {
            Self::Terms | Self::Outputs | Self::LastDim | Self::Columns => &[2, 3, 4, 8, 16],
            Self::Rank | Self::Named | Self::Rows | Self::IntegerBits | Self::SumBits | Self::Opset => &[],
        }
    }

    fn traits(self, number: u64) -> impl Iterator<Item = Trait> {
        let compared = self
            .bounds()
            .iter()
            .map(move |&bound| if number >= bound { Test::AtLeast(bound) } else { Test::Below(bound) });
        let divided =
            self.divisors().iter().map(move |&divisor| Test::Rest { rest: number % divisor, divisor });
        // No vector has two or three lanes, and the remainder by two says of odd numbers what this would.
        let uneven =
            self.divisors().iter().filter(move |&&divisor| divisor > 3 && !number.is_multiple_of(divisor));
        let uneven = uneven.map(|&divisor| Test::NoMultipleOf(divisor));
        // Larger numbers rarely matter as a single value.
        let itself = (number < 20).then_some(Test::Is(number));
        itself
            .into_iter()
            .chain(compared)
            .chain(divided)
            .chain(uneven)
            .map(move |test| Trait::Number(self, test))
    }
}

impl fmt::Display for Trait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(words) => f.write_str(words),
            Self::Dtype(dtype) => write!(f, "{} data", dtype.name()),
            Self::Spec(spec) => f.write_str(spec.name()),
            Self::Breaks(clause) => write!(f, "clause {clause} broken"),
            Self::Number(quantity, test) => {
                let words = quantity.words();
                match test {
                    Test::Is(number) => write!(f, "{words} = {number}"),
                    Test::AtLeast(bound) => write!(f, "{words} ≥ {bound}"),
                    Test::Below(bound) => write!(f, "{words} < {bound}"),
                    Test::NoMultipleOf(divisor) => write!(f, "{words} no multiple of {divisor}"),
                    Test::Rest { rest, divisor } => write!(f, "{words} mod {divisor} = {rest}"),
                }
            }
        }
    }
}

/// Returns all traits of a call.
pub fn of(call: &Call) -> Vec<Trait> {
    let ruling = rule(call);
    let mut traits = Vec::with_capacity(128);
    of_operator(call, &mut traits);
    of_type(call.data.dtype(), &mut traits);
    of_dims(call.data.shape(), &mut traits);
    of_layout(call.layout, &mut traits);
    axes::of_axes(call, &mut traits);
    of_ruling(&ruling, &mut traits);
    // Answers by each reading may fail, so the sums of all readings count.
    let reductions = ruling.alternatives.iter().filter_map(|one| match &one.outcome {
        Outcome::Reduce(reduction, _) => Some(reduction),
        Outcome::Unchanged | Outcome::Rejected(_) | Outcome::OutOfScope(_) => None,
    });
    let mut met: Vec<&Reduction> = Vec::new();
    for reduction in reductions {
        if !met.contains(&reduction) {
            of_reduction(call, reduction, &mut traits);
            met.push(reduction);
        }
    }
    data::of_data(call, met.first().copied(), &mut traits);
    traits.sort_unstable();
    traits.dedup();
    traits
}

/// Returns the only part of a condition that a call with these traits lacks.
pub fn only_lacking(condition: &[Trait], traits: &[Trait]) -> Option<Trait> {
    let mut lacking = condition.iter().filter(|part| !traits.contains(part));
    let part = lacking.next()?;
    lacking.next().is_none().then_some(*part)
}

fn say(traits: &mut Vec<Trait>, is: bool, words: &'static str) {
    traits.extend(is.then_some(Trait::Is(words)));
}

fn of_operator(call: &Call, traits: &mut Vec<Trait>) {
    let spec = call.spec();
    traits.push(Trait::Spec(spec));
    traits.extend(NORMS.iter().filter(|(norm, _)| *norm == spec.norm()).map(|(_, of_norm)| *of_norm));
    traits.push(Trait::Is(spec.family().title()));
    if let Operator::Onnx { opset, .. } = call.operator {
        traits.extend(Quantity::Opset.traits(opset.number().into()));
        let by_input = spec.rules().axes == AxesForm::OptionalInput;
        traits.push(Trait::Is(if by_input { "axes are an input" } else { "axes are an attribute" }));
    }
    if call.operator.has_keep_dims() {
        let keep = call.operator.keep_dims();
        of_keep(keep, traits);
        let keeps = keep.map_or(spec.rules().keep_dims_default, |keep| keep != 0);
        traits.push(Trait::Is(if keeps { "dims to be kept" } else { "dims to be dropped" }));
    }
    match &call.operator {
        Operator::Onnx { noop_with_empty_axes, .. } => {
            traits.push(Trait::Is(match noop_with_empty_axes {
                None => "noop_with_empty_axes absent",
                Some(0) => "noop_with_empty_axes = 0",
                Some(1) => "noop_with_empty_axes = 1",
                Some(_) => "noop_with_empty_axes neither 0 nor 1",
            }));
            say(traits, noop_with_empty_axes.is_some(), "noop_with_empty_axes given");
        }
        &Operator::Blas { n, incx, .. } => {
            say(traits, n < 0, "n < 0");
            say(traits, n <= 0, "n ≤ 0");
            say(traits, incx < 0, "incx < 0");
            say(traits, incx == 0, "incx = 0");
            say(traits, incx <= 0, "incx ≤ 0");
            say(traits, incx == 1, "incx = 1");
            say(traits, incx != 1, "incx ≠ 1");
            say(traits, incx > 1, "incx > 1");
        }
        Operator::ArrayApi { ord, .. } => say(traits, ord.is_none(), "ord absent"),
        // These have no other attribute.
        _ => {}
    }
}

fn of_keep(keep: Option<i64>, traits: &mut Vec<Trait>) {
    traits.push(Trait::Is(match keep {
        None => "keep_dims absent",
        Some(0) => "keep_dims = 0",
        Some(1) => "keep_dims = 1",
        Some(_) => "keep_dims neither 0 nor 1",
    }));
    say(traits, keep.is_some(), "keep_dims given");
}

fn of_type(dtype: Dtype, traits: &mut Vec<Trait>) {
    traits.push(Trait::Dtype(dtype));
    match dtype.kind() {
        Kind::Float(_) => traits.push(Trait::Is("float data")),
        Kind::Integer(range) => {
            traits.push(Trait::Is("integer data"));
            say(traits, range.is_signed(), "signed integer data");
            say(traits, !range.is_signed(), "unsigned integer data");
            say(traits, dtype.size() <= 2, "integer data of 8 or 16 bits");
            say(traits, dtype.size() == 8, "64-bit integer data");
        }
    }
    say(traits, matches!(dtype, Dtype::F16 | Dtype::Bf16), "half-precision data");
    say(traits, dtype.size() == 1, "8-bit data");
    say(traits, dtype.size() == 2, "16-bit data");
    say(traits, !matches!(dtype, Dtype::F32), "data other than f32");
}

fn of_dims(shape: &[usize], traits: &mut Vec<Trait>) {
    traits.extend(Quantity::Rank.traits(shape.len() as u64));
    say(traits, shape.contains(&0), "a dim of 0");
    say(traits, shape.contains(&1), "a dim of 1");
    say(traits, shape.len() > 1 && shape.iter().all(|dim| *dim == shape[0]), "equal dims");
    if let Some(&last) = shape.last() {
        traits.extend(Quantity::LastDim.traits(last as u64));
    }
}

fn of_layout(layout: Layout, traits: &mut Vec<Trait>) {
    traits.push(Trait::Is(match layout {
        Layout::RowMajor => "data row-major in memory",
        Layout::Transposed => "data transposed in memory",
        Layout::Reversed => "data reversed in memory",
        Layout::Sliced => "data sliced in memory",
        Layout::Broadcast => "data broadcast in memory",
        Layout::Unaligned => "data unaligned in memory",
    }));
    say(traits, layout != Layout::RowMajor, "data not row-major in memory");
}

fn of_ruling(ruling: &Ruling, traits: &mut Vec<Trait>) {
    let outside = ruling.alternatives.iter().any(|one| matches!(one.outcome, Outcome::OutOfScope(_)));
    let rejected = |outcome: &Outcome| matches!(outcome, Outcome::Rejected(_));
    let rejecting = ruling.alternatives.iter().filter(|one| rejected(&one.outcome)).count();
    traits.push(match rejecting {
        0 if outside => OUTSIDE,
        0 => VALID,
        all if all == ruling.alternatives.len() => INVALID,
        _ => Trait::Is("a call that some readings refuse"),
    });
    for one in &ruling.alternatives {
        if let Outcome::Rejected(clause) | Outcome::OutOfScope(clause) = &one.outcome {
            traits.push(Trait::Breaks(clause.name));
        }
    }
    let unchanged = ruling.alternatives.iter().any(|one| matches!(one.outcome, Outcome::Unchanged));
    say(traits, unchanged, "data may come back as they are");
}

/// Returns the reduction of the first reading that reduces.
pub(super) fn reduction(ruling: &Ruling) -> Option<&Reduction> {
    ruling.alternatives.iter().find_map(|one| match &one.outcome {
        Outcome::Reduce(reduction, _) => Some(reduction),
        Outcome::Unchanged | Outcome::Rejected(_) | Outcome::OutOfScope(_) => None,
    })
}

/// Returns a number of a call that the lengths of its axes decide; `None` for other numbers.
pub(super) fn number(quantity: Quantity, call: &Call) -> Option<u64> {
    let shape = call.data.shape();
    match quantity {
        Quantity::LastDim => shape.last().map(|&dim| dim as u64),
        quantity => length(quantity, shape, reduction(&rule(call))?),
    }
}

fn length(quantity: Quantity, shape: &[usize], reduction: &Reduction) -> Option<u64> {
    let length: usize = match quantity {
        Quantity::Rows => shape[..*reduction.axes.first()?].iter().product(),
        Quantity::Columns => shape[reduction.axes.last()? + 1..].iter().product(),
        Quantity::Terms => reduction.terms(shape),
        Quantity::Outputs => reduction.outputs(shape),
        _ => return None,
    };
    Some(length as u64)
}

fn of_reduction(call: &Call, reduction: &Reduction, traits: &mut Vec<Trait>) {
    let shape = call.data.shape();
    for quantity in [Quantity::Rows, Quantity::Columns, Quantity::Terms, Quantity::Outputs] {
        traits.extend(
            length(quantity, shape, reduction).into_iter().flat_map(|length| quantity.traits(length)),
        );
    }
    axes::of_reduced(shape, &reduction.axes, traits);
    data::of_sums(call, reduction, traits);
    data::of_runs(call, reduction, traits);
    let (terms, outputs) = (reduction.terms(shape), reduction.outputs(shape));
    say(traits, terms == 0 && outputs > 0, "a norm over no elements");
    say(traits, outputs == 0, "an output without elements");
    traits.push(Trait::Is(match reduction.dims {
        Dims::Keep => "reduced dims kept",
        Dims::Drop | Dims::DropToVector => "reduced dims dropped",
    }));
}
