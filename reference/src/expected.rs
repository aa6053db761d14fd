//! What an answer to a call has to be, under one reading.
//!
//! Integers and untouched data are expected bit for bit; floats are expected as exact reals, with
//! the arithmetic they may be computed in. How near an answer has to be is derived from that in `judge::accuracy` of
//! `normative-conformance`.

use num_bigint::BigUint;

use crate::arithmetic::{Arithmetic, FloatArithmetic, IntegerArithmetic, Intermediate, Overflow};
use crate::call::Call;
use crate::dtype::{Dtype, FloatFormat, IntegerRange, Kind, Magnitude};
use crate::exact::{self, Variant};
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
    /// A refusal, because the call breaks this clause.
    Rejection(Clause),
    /// Any answer, because the text says that what a call leads to that breaks this clause is outside its scope.
    Anything(Clause),
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
        Arithmetic::Integer(arithmetic) => {
            let values = evaluate(&call.data, reduction, Variant::default());
            integers(call, &values, &shape, arithmetic)
        }
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
    call: &Call,
    values: &[Value],
    shape: &[usize],
    arithmetic: IntegerArithmetic,
) -> Result<Expected, TensorError> {
    let dtype = call.data.dtype();
    let mut bits = Vec::new();
    for value in values {
        if let (Kind::Integer(range), Value::Finite(real)) = (dtype.kind(), value) {
            // One element that the reading refuses refuses the call.
            match integer(real, range, arithmetic) {
                Some(value) => bits.push(range.encode(value)),
                None => return Ok(Expected::Rejection(Clause { spec: call.spec(), name: "output-type" })),
            }
        }
    }
    Tensor::from_bits(dtype, shape, &bits).map(Expected::Exactly)
}

/// The integer that stands for an exact norm; `None` where the reading refuses it.
fn integer(real: &Real, range: IntegerRange, arithmetic: IntegerArithmetic) -> Option<i128> {
    // Sums of integers have exponent 0 by the definition; those of `normative-oracle`, which come here too, may have a greater one.
    let sum = &(&real.significand << real.exponent.unsigned_abs());
    let max = BigUint::from(range.max.unsigned_abs());
    let exact = if real.root {
        let root_of = match arithmetic.intermediate {
            None => sum.clone(),
            Some(Intermediate::Saturates) => sum.clone().min(max.clone()),
            // A sum that wrapped below zero has no root; 0 stands for it.
            Some(Intermediate::Wraps) => u128::try_from(wrapped(sum, range)).unwrap_or(0).into(),
        };
        let root = match arithmetic.through {
            Some(format) => root_in(format, &root_of),
            None => root_of.sqrt(),
        };
        // (root + 1/2)² = root² + root + 1/4, so beyond root² + root the next integer is nearer.
        let up = arithmetic.nearest && root_of > &root * &root + &root;
        root + u8::from(up)
    } else {
        sum.clone()
    };
    if exact <= max {
        return Some(wrapped(&exact, range));
    }
    match arithmetic.overflow {
        Overflow::Wrap => Some(wrapped(&exact, range)),
        Overflow::Saturate => Some(range.max),
        Overflow::Reject => None,
    }
}

/// The integer part of the root as a float format has it: the sum rounded, its root rounded. What is beyond the format
/// counts as `2^(max_exponent + 1)`.
fn root_in(format: FloatFormat, sum: &BigUint) -> BigUint {
    let rounded = |real: &Real| match format.magnitude(real.round(format)) {
        Magnitude::Finite { significand, exponent } => (BigUint::from(significand), exponent),
        Magnitude::Infinite | Magnitude::Nan => (BigUint::from(1_u8), format.max_exponent + 1),
    };
    let (significand, exponent) = rounded(&Real { significand: sum.clone(), exponent: 0, root: false });
    // A root wants an even exponent.
    let odd = exponent.rem_euclid(2);
    let (root, exponent) =
        rounded(&Real { significand: significand << odd, exponent: exponent - odd, root: true });
    if exponent >= 0 { root << exponent } else { root >> exponent.unsigned_abs() }
}

/// The value of the type congruent to `value`.
fn wrapped(value: &BigUint, range: IntegerRange) -> i128 {
    // No type is wider than the lowest 64 bits.
    range.decode(value.iter_u64_digits().next().unwrap_or(0))
}
