//! Collects the wrong elements of an answer: the first one, their count, and their total distance from right.

use normative_reference::{Dtype, Kind, Magnitude, Value};

use super::{ElementMismatch, FAR, Fit, Mismatch, Why, unravel};

/// A wrong element.
pub(super) struct Wrong {
    pub(super) flat: usize,
    pub(super) exact: Option<Value>,
    pub(super) expected: u64,
    pub(super) because: Option<Why>,
    pub(super) got: u64,
    pub(super) error: Option<(f64, f64)>,
}

/// The wrong elements of an answer.
pub(super) struct AllWrong {
    pub(super) first: Wrong,
    pub(super) count: usize,
    pub(super) far: f64,
}

/// Keeps the first wrong element, counts all, and adds up their distances from right.
pub(super) fn note(all: &mut Option<AllWrong>, far: f64, wrong: impl FnOnce() -> Wrong) {
    match all {
        Some(all) => {
            all.count += 1;
            all.far += far;
        }
        None => *all = Some(AllWrong { first: wrong(), count: 1, far }),
    }
}

/// Returns the distance between two elements: the difference of integers, or the steps between finite floats.
pub(super) fn apart(dtype: Dtype, due: u64, got: u64) -> f64 {
    match dtype.kind() {
        Kind::Integer(format) => (format.decode(due) - format.decode(got)).unsigned_abs() as f64,
        Kind::Float(format) => {
            let is_number = |bits| matches!(format.magnitude(bits), Magnitude::Finite { .. });
            let in_order = |bits: u64| {
                let magnitude = i128::from(bits & !format.sign());
                if bits & format.sign() == 0 { magnitude } else { -magnitude }
            };
            let steps = (in_order(due) - in_order(got)).unsigned_abs() as f64;
            if is_number(due) && is_number(got) { steps.min(FAR) } else { FAR }
        }
    }
}

pub(super) fn finish(
    wrong: Option<AllWrong>,
    dtype: Dtype,
    shape: &[usize],
    fit: impl FnOnce() -> Fit,
) -> Result<Fit, Mismatch> {
    let Some(AllWrong { first, count: wrong, far }) = wrong else { return Ok(fit()) };
    let Wrong { flat, exact, expected, because, got, error } = first;
    let (index, elements) = (unravel(flat, shape), shape.iter().product());
    Err(Mismatch::Element(Box::new(ElementMismatch {
        index,
        wrong,
        elements,
        dtype,
        exact,
        expected,
        because,
        got,
        error,
        far,
    })))
}
