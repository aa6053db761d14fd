//! Computes the answer that a call must get, under one reading.
//!
//! Integers and untouched data are expected bit for bit. Floats, and integers converted from floats, are
//! expected as exact reals, with the arithmetic that may compute them. `judge::accuracy` of
//! `normative-conformance` derives from that how near an answer has to be.

use std::borrow::Cow;
use std::cell::RefCell;

use crate::arithmetic::{Arithmetic, Beyond, FloatArithmetic, Held, IntegerArithmetic, Overflow};
use crate::call::Call;
use crate::dtype::{Dtype, FloatFormat, IntegerRange, Kind, Magnitude};
use crate::exact::{self, Parts, Variant};
use crate::integer::HeldSum;
use crate::real::{Real, Value};
use crate::reduction::Reduction;
use crate::ruling::{Alternative, Outcome, Ruling};
use crate::spec::{Clause, Norm};
use crate::tensor::{Tensor, TensorError};

/// The answer that a call must get.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// This tensor, bit for bit (one NaN for another).
    Exactly(Tensor),
    /// A tensor of floats near these reals.
    Near(Near),
    /// A tensor of integers, converted from floats near exact reals.
    Converted(Converted),
    /// A refusal, because the call breaks this clause.
    Rejection(Clause),
    /// Any answer, because the call breaks this clause, and the text puts the consequences outside its scope.
    Anything(Clause),
}

/// A tensor of integers, converted from floats near exact reals.
#[derive(Clone, Debug, PartialEq)]
pub struct Converted {
    /// The floats, in the type through which the norm is computed.
    pub near: Near,
    /// The answer if the sum and its root are each rounded once.
    pub best: Tensor,
    /// True if a float is rounded to the nearest integer rather than truncated.
    pub nearest: bool,
    /// The conversion of a float beyond the type of the integers.
    pub overflow: Overflow,
}

/// A tensor of floats near exact reals.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// The output's element type; a float.
    pub dtype: Dtype,
    /// The output's dims.
    pub shape: Vec<usize>,
    /// The number of elements that go into each output element.
    pub terms: usize,
    /// The norm.
    pub norm: Norm,
    /// The arithmetic that may compute the values.
    pub arithmetic: FloatArithmetic,
    /// The exact norm of every output element, row-major. It leaves out the effects of `arithmetic`:
    /// roundings, and squares that leave their range.
    pub values: Vec<Value>,
    /// Of sums of signed elements, both parts of each value; of norms, empty.
    pub parts: Vec<Parts>,
}

/// Returns the answer to `call` that `outcome` demands.
///
/// # Errors
/// [`TensorError::TooLarge`] when the output has too many elements to hold.
pub fn expect(call: &Call, outcome: &Outcome) -> Result<Expected, TensorError> {
    expect_by(exact::evaluate_with_parts, call, outcome)
}

/// Every value and, of signed sums, its parts.
type Values = (Vec<Value>, Vec<Parts>);

/// Does the same as [`expect`], with values from `evaluate`: [`exact::evaluate_with_parts`], or a cache of its results.
fn expect_by(
    evaluate: impl Fn(&Tensor, &Reduction, Variant) -> Values,
    call: &Call,
    outcome: &Outcome,
) -> Result<Expected, TensorError> {
    let (reduction, arithmetic) = match outcome {
        Outcome::Rejected(clause) => return Ok(Expected::Rejection(clause.clone())),
        Outcome::OutOfScope(clause) => return Ok(Expected::Anything(clause.clone())),
        Outcome::Unchanged => return Ok(Expected::Exactly(call.data.clone())),
        Outcome::Reduce(reduction, arithmetic) => (reduction, arithmetic),
    };
    let shape = reduction.output_shape(call.data.shape());
    crate::tensor::element_count(&shape)?;
    match *arithmetic {
        Arithmetic::Float(arithmetic) => {
            let (values, parts) = evaluate(&call.data, reduction, Variant::of(arithmetic));
            let terms = reduction.terms(call.data.shape());
            let (dtype, norm) = (call.data.dtype(), reduction.norm);
            Ok(Expected::Near(Near { dtype, shape, terms, norm, arithmetic, values, parts }))
        }
        Arithmetic::Integer(arithmetic) => integers(evaluate, call, reduction, arithmetic),
    }
}

/// Returns the expected answer of every alternative of a call's ruling, in their order. Values that alternatives
/// share are computed once.
///
/// # Errors
/// As [`expect`].
pub fn expect_each(call: &Call, ruling: &Ruling) -> Result<Vec<Expected>, TensorError> {
    let known = RefCell::new(Vec::new());
    let mut each: Vec<Expected> = Vec::with_capacity(ruling.alternatives.len());
    for Alternative { outcome, .. } in &ruling.alternatives {
        let mut earlier = ruling.alternatives.iter().zip(&each);
        let same = earlier.find_map(|(earlier, expected)| same_values(outcome, &earlier.outcome, expected));
        let once = |data: &Tensor, reduction: &Reduction, variant: Variant| {
            // Other data are derived from the call's by a reading, so they are not cached.
            if !std::ptr::eq(data, &raw const call.data) {
                return exact::evaluate_with_parts(data, reduction, variant);
            }
            let mut known = known.borrow_mut();
            let of_same =
                |(of, under, _): &&(Reduction, Variant, Values)| of == reduction && *under == variant;
            if let Some((_, _, values)) = known.iter().find(of_same) {
                return values.clone();
            }
            let values = exact::evaluate_with_parts(data, reduction, variant);
            known.push((reduction.clone(), variant, values.clone()));
            values
        };
        each.push(same.map_or_else(|| expect_by(once, call, outcome), Ok)?);
    }
    Ok(each)
}

/// Returns the expectation of an earlier outcome if this one differs from it at most in the arithmetic of floats.
fn same_values(outcome: &Outcome, earlier: &Outcome, expected: &Expected) -> Option<Expected> {
    match (outcome, earlier, expected) {
        (
            Outcome::Reduce(reduction, Arithmetic::Float(arithmetic)),
            Outcome::Reduce(same, Arithmetic::Float(other)),
            Expected::Near(near),
        ) if reduction == same && Variant::of(*arithmetic) == Variant::of(*other) => {
            Some(Expected::Near(Near { arithmetic: *arithmetic, ..near.clone() }))
        }
        _ => (outcome == earlier).then(|| expected.clone()),
    }
}

impl Near {
    /// Returns the answer in which every element is correctly rounded. Under
    /// [`Range::Naive`](crate::arithmetic::Range::Naive) that answer is wrong where squares must overflow.
    ///
    /// # Errors
    /// [`TensorError`] when `values` does not fill `shape`; [`expect`] never makes such a value.
    pub fn rounded(&self) -> Result<Tensor, TensorError> {
        let bits: Vec<u64> = match self.dtype.kind() {
            Kind::Float(format) => self.values.iter().map(|value| value.round(format)).collect(),
            Kind::Integer(_) => Vec::new(),
        };
        Tensor::from_bits(self.dtype, &self.shape, &bits)
    }
}

fn integers(
    evaluate: impl Fn(&Tensor, &Reduction, Variant) -> Values,
    call: &Call,
    reduction: &Reduction,
    arithmetic: IntegerArithmetic,
) -> Result<Expected, TensorError> {
    let dtype = call.data.dtype();
    // The rules settle integer arithmetic for integer data only, so this never returns.
    let Kind::Integer(range) = dtype.kind() else { return Ok(Expected::Exactly(call.data.clone())) };
    let shape = reduction.output_shape(call.data.shape());
    let (values, _) = evaluate(&call.data, reduction, Variant::default());
    let squares = match arithmetic.held {
        Some(Held { beyond: Beyond::SquaresWrap, range, .. }) => {
            Some(sums_of_wrapped_squares(&evaluate, call, reduction, range)?)
        }
        Some(_) | None => None,
    };
    let mut bits = Vec::with_capacity(values.len());
    for (at, value) in values.iter().enumerate() {
        let Value::Finite(real) = value else { continue };
        // The exponent of a sum of integers is 0 or greater.
        let sum = match real.exponent {
            0 => Cow::Borrowed(&real.significand),
            exponent => Cow::Owned(&real.significand << exponent.unsigned_abs()),
        };
        let sum = match (&squares, arithmetic.held) {
            (Some(squares), _) => HeldSum::of(squares.get(at).copied().unwrap_or(0)),
            (None, Some(held)) => held.sum(sum),
            (None, None) => HeldSum::Positive(sum),
        };
        let fitted = match sum {
            HeldSum::Positive(sum) if real.root => arithmetic.fit(&arithmetic.root(&sum), false, range),
            HeldSum::Positive(sum) => arithmetic.fit(&sum, real.negative, range),
            HeldSum::Negative if arithmetic.held.is_some_and(|held| held.indefinite) => {
                Some(range.indefinite())
            }
            HeldSum::Negative => Some(0),
        };
        // If the reading refuses one element, it refuses the call.
        match fitted {
            Some(value) => bits.push(range.encode(value)),
            None => return Ok(Expected::Rejection(Clause { spec: call.spec(), name: "output-type" })),
        }
    }
    let best = Tensor::from_bits(dtype, &shape, &bits)?;
    let Some(format) = arithmetic.through.filter(|_| arithmetic.held.is_none()) else {
        return Ok(Expected::Exactly(best));
    };
    let near = Near {
        dtype: if format == FloatFormat::F32 { Dtype::F32 } else { Dtype::F64 },
        shape,
        terms: reduction.terms(call.data.shape()),
        norm: reduction.norm,
        arithmetic: FloatArithmetic::of_format(format),
        values,
        parts: Vec::new(),
    };
    Ok(Expected::Converted(Converted {
        near,
        best,
        nearest: arithmetic.nearest,
        overflow: arithmetic.overflow,
    }))
}

/// Adds the squares, each taken modulo 2^width first.
fn sums_of_wrapped_squares(
    evaluate: impl Fn(&Tensor, &Reduction, Variant) -> Values,
    call: &Call,
    reduction: &Reduction,
    range: IntegerRange,
) -> Result<Vec<i128>, TensorError> {
    let square = |bits: u64| match call.data.dtype().magnitude(bits) {
        Magnitude::Finite { significand, .. } => range.decode(significand.wrapping_mul(significand)),
        Magnitude::Infinite | Magnitude::Nan => 0,
    };
    let squares: Vec<i128> = call.data.bits().into_iter().map(square).collect();
    let sum_of = |sign: i128| {
        let parts: Vec<u64> = squares.iter().map(|square| (sign * square).max(0) as u64).collect();
        let parts = Tensor::from_bits(Dtype::U64, call.data.shape(), &parts)?;
        Ok(evaluate(&parts, &Reduction { norm: Norm::L1, ..reduction.clone() }, Variant::default()).0)
    };
    let whole = |value: Value| match value {
        Value::Finite(Real { significand, exponent, .. }) => {
            i128::try_from(significand << exponent.unsigned_abs()).unwrap_or(i128::MAX)
        }
        Value::Infinite | Value::NegativeInfinite | Value::Nan => 0,
    };
    let (positive, negative): (Vec<Value>, Vec<Value>) = (sum_of(1)?, sum_of(-1)?);
    Ok(positive
        .into_iter()
        .zip(negative)
        .map(|(positive, negative)| whole(positive) - whole(negative))
        .collect())
}
