//! The call of a probe, independent of any spec: every adapter must be able to carry it.
//!
//! No open question affects these answers, and no element overflows, so that a mistake of an adapter cannot
//! hide behind a question.

use normative_reference::spec::AxesForm;
use normative_reference::tensor::element_count;
use normative_reference::textbook::to_f64;
use normative_reference::{
    Axes, Call, Dims, Dtype, Elements, FloatFormat, Kind, Magnitude, Norm, Operator, Real, Reduction, Spec,
    Tensor, TensorError,
};

/// A norm of a tensor.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    pub(super) norm: Norm,
    pub(super) data: Tensor,
    /// The axes, row-major and ascending; `None` leaves them out, which means all.
    pub(super) axes: Option<Vec<usize>>,
    /// True if reduced dims stay as 1; `None` leaves the attribute out.
    pub(super) keep: Option<bool>,
}

impl Ask {
    /// Returns the call in the form of this spec; `None` if the spec has no such call.
    pub(super) fn spelled(&self, spec: Spec) -> Option<Call> {
        if matches!(spec, Spec::Blas(_)) && self.data.rank() != 1 {
            return self.as_vector()?.spelled(spec);
        }
        let (rules, rank) = (spec.rules(), self.data.rank());
        let ranks = rules.ranks.0..=rules.ranks.1;
        if spec.norm() != self.norm || !rules.dtypes.contains(&self.data.dtype()) || !ranks.contains(&rank) {
            return None;
        }
        let has_axes = match rules.axes {
            AxesForm::RequiredInput => self.axes.is_some(),
            // A vector has one axis, which is reduced and never kept.
            AxesForm::NoAxes => self.axes.is_none(),
            _ => true,
        };
        let plain = spec.operator();
        if !has_axes || self.keep.is_some() && !plain.has_keep_dims() {
            return None;
        }
        let operator = match plain.with_keep_dims(self.keep.map(i64::from)) {
            Operator::ArrayApi { keepdims, .. } => Operator::ArrayApi { ord: Some(self.norm), keepdims },
            Operator::Blas { norm, .. } => {
                Operator::Blas { norm, n: i32::try_from(self.data.len()).ok()?, incx: 1 }
            }
            Operator::Bnns { .. } => {
                let reduction = Reduction {
                    norm: self.norm,
                    axes: self.all_axes(),
                    dims: Dims::DropToVector,
                    elements: Elements::All,
                };
                let mut output_shape = reduction.output_shape(self.data.shape());
                output_shape.reverse();
                Operator::Bnns { output_shape }
            }
            operator => operator,
        };
        let named = |&axis: &usize| (if spec == Spec::Bnns { rank - 1 - axis } else { axis }) as i64;
        let axes = match &self.axes {
            None => Axes::Absent,
            Some(axes) => Axes::list(&axes.iter().map(named).collect::<Vec<_>>()),
        };
        Some(Call::new(operator, self.data.clone(), axes))
    }

    /// Returns the same elements as a vector, if all are reduced.
    fn as_vector(&self) -> Option<Self> {
        let data = Tensor::from_bits(self.data.dtype(), &[self.data.len()], &self.data.bits()).ok()?;
        self.axes.is_none().then(|| Self { data, ..self.clone() })
    }

    /// Returns the reduced axes.
    pub(super) fn all_axes(&self) -> Vec<usize> {
        self.axes.clone().unwrap_or_else(|| (0..self.data.rank()).collect())
    }

    /// Returns the dims of the result, with reduced ones dropped.
    pub(super) fn dims_due(&self) -> Vec<usize> {
        let (shape, reduced) = (self.data.shape(), self.all_axes());
        (0..shape.len()).filter(|axis| !reduced.contains(axis)).map(|axis| shape[axis]).collect()
    }

    /// Returns the same with defaults of `spec` filled in.
    pub(super) fn in_full(&self, spec: Spec) -> Self {
        let keep = self.keep.unwrap_or(spec.rules().keep_dims_default);
        Self { axes: Some(self.all_axes()), keep: Some(keep), ..self.clone() }
    }
}

/// Returns the call of the array API that also leaves out the order, which is 2 by default.
pub(super) fn without_ord(spec: Spec, data: &Tensor) -> Option<Call> {
    let operator = Operator::ArrayApi { ord: None, keepdims: None };
    let left_out = spec == Spec::ArrayApi(Norm::L2);
    left_out.then(|| Call::new(operator, data.clone(), Axes::list(&[1])))
}

/// Returns a call of BLAS on three of these seven elements, with a spacing of two, and the equivalent plain call.
pub(super) fn spaced(norm: Norm, all: Tensor) -> Result<(Ask, Call), TensorError> {
    let bits: Vec<u64> = all.bits().into_iter().step_by(2).take(3).collect();
    let data = Tensor::from_bits(all.dtype(), &[3], &bits)?;
    let call = Call::new(Operator::Blas { norm, n: 3, incx: 2 }, all, Axes::Absent);
    Ok((Ask { norm, data, axes: None, keep: None }, call))
}

/// Returns elements that show how they were carried: they differ in any other type or byte order, and include
/// values that a narrower float does not hold. Three rows of two, whose sums the type holds.
pub(super) fn telling(dtype: Dtype) -> Result<Tensor, TensorError> {
    let shape = [3, 2];
    let Kind::Integer(range) = dtype.kind() else {
        let values = [1.1, -2.3, 0.3, 7.7, -100.1, 3.3_f64].map(f64::to_bits);
        let wide = Tensor::from_bits(Dtype::F64, &shape, &values)?;
        return Ok(converted(&wide, dtype).unwrap_or(wide));
    };
    // The top bit tells signed from unsigned; two bytes that carry show if bytes were swapped before a sum.
    let top = if range.is_signed() { -3 } else { range.max / 2 + 62 };
    let carries = if dtype.size() == 1 { 27 } else { 511 };
    let mut values = [top, 5, 100, if range.is_signed() { -carries } else { carries }, 7, 12];
    if dtype.size() >= 4 {
        // The first integers that f32 and f64 do not hold. Summed with the last element, also one.
        values[2] = (1 << 24) + 1;
        values[4] = if dtype.size() == 8 { (1 << 53) + 1 } else { values[2] + 2 };
    }
    Tensor::from_bits(dtype, &shape, &values.map(|value| range.encode(value)))
}

/// Returns small integers of both signs: exact in f32 in any order of summation, and neighbours differ.
pub(super) fn whole_numbers(shape: &[usize]) -> Result<Tensor, TensorError> {
    let number = |at: usize| (at * 37 % 509) as f32 - 254.0;
    let bits: Vec<u64> = (0..element_count(shape)?).map(|at| number(at).to_bits().into()).collect();
    Tensor::from_bits(Dtype::F32, shape, &bits)
}

/// Converts the numbers to another type, rounded for a float; `None` for an integer type that does not hold one
/// of them. 64-bit integers are rounded to f64 on the way.
pub(super) fn converted(tensor: &Tensor, to: Dtype) -> Option<Tensor> {
    let element = |&bits: &u64| {
        let value = to_f64(tensor.dtype(), bits);
        match to.kind() {
            Kind::Float(format) => Some(rounded(value, format)),
            Kind::Integer(range) => {
                let whole = value as i128;
                let held = value.fract() == 0.0 && (range.min..=range.max).contains(&whole);
                held.then(|| range.encode(whole))
            }
        }
    };
    let bits: Vec<u64> = tensor.bits().iter().map(element).collect::<Option<_>>()?;
    Tensor::from_bits(to, tensor.shape(), &bits).ok()
}

fn rounded(value: f64, format: FloatFormat) -> u64 {
    let magnitude = match FloatFormat::F64.magnitude(value.to_bits()) {
        Magnitude::Nan => return format.nan(),
        Magnitude::Infinite => format.infinity(),
        Magnitude::Finite { significand, exponent } => {
            Real { significand: significand.into(), exponent, root: false, negative: false }.round(format)
        }
    };
    if value.is_sign_negative() { magnitude | format.sign() } else { magnitude }
}
