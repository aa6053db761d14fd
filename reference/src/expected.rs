//! What an answer to a call has to be, under one reading.
//!
//! Integers and untouched data are expected bit for bit; floats, and integers that were floats on the way, are expected as exact
//! reals, with the arithmetic they may be computed in. How near an answer has to be is derived from that in `judge::accuracy` of
//! `normative-conformance`.

use crate::arithmetic::{Arithmetic, Beyond, FloatArithmetic, Held, IntegerArithmetic, Overflow};
use crate::call::Call;
use crate::dtype::{Dtype, FloatFormat, IntegerRange, Kind, Magnitude};
use crate::exact::{self, Variant};
use crate::integer::Sum;
use crate::real::{Real, Value};
use crate::reduction::Reduction;
use crate::ruling::Outcome;
use crate::spec::{Clause, Norm};
use crate::tensor::{Tensor, TensorError};

/// What an answer has to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// This tensor, bit for bit (one NaN for another).
    Exactly(Tensor),
    /// A tensor of floats near these reals.
    Near(Near),
    /// A tensor of integers that floats near exact reals are converted to.
    Converted(Converted),
    /// A refusal, because the call breaks this clause.
    Rejection(Clause),
    /// Any answer, because the text says that what a call leads to that breaks this clause is outside its scope.
    Anything(Clause),
}

/// A tensor of integers that floats near exact reals are converted to.
#[derive(Clone, Debug, PartialEq)]
pub struct Converted {
    /// The floats: their type is the one through which the norm goes.
    pub near: Near,
    /// The answer in which the sum is rounded once, and its root.
    pub best: Tensor,
    /// Whether a float is rounded to the nearest integer rather than truncated.
    pub nearest: bool,
    /// What becomes of one that is beyond the type of the integers.
    pub overflow: Overflow,
}

/// A tensor of floats near exact reals.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// The output's element type; a float.
    pub dtype: Dtype,
    /// The output's dims.
    pub shape: Vec<usize>,
    /// How many elements went into each.
    pub terms: usize,
    /// L1 or L2.
    pub norm: Norm,
    /// How the values may be computed.
    pub arithmetic: FloatArithmetic,
    /// The exact norm of every output element, row-major. What `arithmetic` may make of it by rounding, or by squares that leave
    /// their range, is not in it.
    pub values: Vec<Value>,
}

/// What `outcome` expects of an answer to `call`.
///
/// # Errors
/// [`TensorError::TooLarge`] when the output has too many elements to hold.
pub fn expect(call: &Call, outcome: &Outcome) -> Result<Expected, TensorError> {
    expect_by(exact::evaluate, call, outcome)
}

/// [`expect`], from values that `evaluate` computes: [`exact::evaluate`], or what is proven to be equal to it.
///
/// # Errors
/// As [`expect`].
pub fn expect_by(
    evaluate: impl Fn(&Tensor, &Reduction, Variant) -> Vec<Value>,
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
            let values = evaluate(&call.data, reduction, Variant::of(arithmetic));
            let terms = reduction.terms(call.data.shape());
            let (dtype, norm) = (call.data.dtype(), reduction.norm);
            Ok(Expected::Near(Near { dtype, shape, terms, norm, arithmetic, values }))
        }
        Arithmetic::Integer(arithmetic) => integers(evaluate, call, reduction, arithmetic),
    }
}

impl Near {
    /// The answer in which every element is the correctly rounded one. Under [`Range::Naive`](crate::arithmetic::Range::Naive) it
    /// is not allowed where squares must overflow.
    ///
    /// # Errors
    /// [`TensorError`] when `values` does not fill `shape`; [`expect`] makes none such.
    pub fn rounded(&self) -> Result<Tensor, TensorError> {
        let bits: Vec<u64> = match self.dtype.kind() {
            Kind::Float(format) => self.values.iter().map(|value| value.round(format)).collect(),
            Kind::Integer(_) => Vec::new(),
        };
        Tensor::from_bits(self.dtype, &self.shape, &bits)
    }
}

fn integers(
    evaluate: impl Fn(&Tensor, &Reduction, Variant) -> Vec<Value>,
    call: &Call,
    reduction: &Reduction,
    arithmetic: IntegerArithmetic,
) -> Result<Expected, TensorError> {
    let dtype = call.data.dtype();
    // Only integers are settled as such.
    let Kind::Integer(range) = dtype.kind() else { return Ok(Expected::Exactly(call.data.clone())) };
    let shape = reduction.output_shape(call.data.shape());
    let values = evaluate(&call.data, reduction, Variant::default());
    let squares = match arithmetic.held {
        Some(Held { beyond: Beyond::SquaresWrap, range, .. }) => {
            Some(sums_of_wrapped_squares(&evaluate, call, reduction, range)?)
        }
        Some(_) | None => None,
    };
    let mut bits = Vec::with_capacity(values.len());
    for (at, value) in values.iter().enumerate() {
        let Value::Finite(real) = value else { continue };
        // Sums of integers have exponent 0 by the definition; those of `normative-oracle`, which come here too, may have a greater one.
        let sum = &real.significand << real.exponent.unsigned_abs();
        let sum = match (&squares, arithmetic.held) {
            (Some(squares), _) => Sum::of(squares.get(at).copied().unwrap_or(0)),
            (None, Some(held)) => held.sum(&sum),
            (None, None) => Sum::Positive(sum),
        };
        let fitted = match sum {
            Sum::Positive(sum) if real.root => arithmetic.fit(&arithmetic.root(&sum), range),
            Sum::Positive(sum) => arithmetic.fit(&sum, range),
            Sum::Negative if arithmetic.held.is_some_and(|held| held.indefinite) => Some(range.indefinite()),
            Sum::Negative => Some(0),
        };
        // One element that the reading refuses refuses the call.
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
    };
    Ok(Expected::Converted(Converted {
        near,
        best,
        nearest: arithmetic.nearest,
        overflow: arithmetic.overflow,
    }))
}

/// The sums of squares, each of which has the value of the type that is congruent to it.
fn sums_of_wrapped_squares(
    evaluate: impl Fn(&Tensor, &Reduction, Variant) -> Vec<Value>,
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
        Ok(evaluate(&parts, &Reduction { norm: Norm::L1, ..reduction.clone() }, Variant::default()))
    };
    let whole = |value: Value| match value {
        Value::Finite(Real { significand, exponent, .. }) => {
            i128::try_from(significand << exponent.unsigned_abs()).unwrap_or(i128::MAX)
        }
        Value::Infinite | Value::Nan => 0,
    };
    let (positive, negative): (Vec<Value>, Vec<Value>) = (sum_of(1)?, sum_of(-1)?);
    Ok(positive
        .into_iter()
        .zip(negative)
        .map(|(positive, negative)| whole(positive) - whole(negative))
        .collect())
}
