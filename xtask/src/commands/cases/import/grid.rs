//! The grid of magnitudes at which the test program of reference BLAS tries nrm2 (BLAS/TESTING/dblat1.f, DB1NRM2, and the
//! same for single precision), after E. Anderson, Algorithm 978, ACM TOMS 44 (2017).
//!
//! The first element has one of ten magnitudes and the others lie at one of them. There the others are drawn anew by each
//! build's generator; here they are the magnitude times [fixed factors](FACTORS), so that every element is exact. The output
//! held against the reference is what the program expects: the larger part times the root of one plus a ratio squared.

use anyhow::Result;
use normative_conformance::corpus::number;
use normative_conformance::reference::{Axes, Call, Dtype, Norm, Operator, Tensor};

use super::Vector;

/// Elements of a vector.
const LENGTHS: [usize; 4] = [1, 2, 3, 4];

/// How far they lie apart.
const SPACINGS: [i32; 4] = [-2, 0, 1, 2];

/// What elements after the first are to their magnitude. Three bits each, and less than 1, as the program's.
const FACTORS: [f64; 3] = [-0.75, 0.625, -0.5];

/// What stands between elements, and must not count.
const BETWEEN: f64 = -1234.5;

/// A magnitude, and its name in ids.
type Magnitude = (&'static str, f64);

/// The ten magnitudes: powers of two from the digits and the exponents of the type, as the program has them.
fn magnitudes(dtype: Dtype) -> [Magnitude; 10] {
    let (digits, least) = if dtype == Dtype::F32 { (24, -126) } else { (53, -1022) };
    let power = |exponent: i32| 2_f64.powi(exponent);
    let ulp = 1 - digits;
    [
        ("zero", 0.0),
        ("tiny", power(least + 1)),
        ("small", power(least - ulp)),
        ("ulp", power(ulp)),
        ("one", 1.0),
        ("inverse-ulp", power(-ulp)),
        ("big", power(ulp - least)),
        ("huge", power(-least)),
        ("infinity", f64::INFINITY),
        ("nan", f64::NAN),
    ]
}

/// Every vector of the grid.
pub(super) fn vectors() -> Result<Vec<Vector>> {
    let mut vectors = Vec::new();
    for dtype in [Dtype::F32, Dtype::F64] {
        for first in magnitudes(dtype) {
            for rest in magnitudes(dtype) {
                for n in LENGTHS {
                    // Of one element there is no rest.
                    if n > 1 || rest.0 == "zero" {
                        for incx in SPACINGS {
                            vectors.push(vector(dtype, first, rest, n, incx)?);
                        }
                    }
                }
            }
        }
    }
    Ok(vectors)
}

fn vector(dtype: Dtype, first: Magnitude, rest: Magnitude, n: usize, incx: i32) -> Result<Vector> {
    let halved = |value: f64| if value.abs() > 1.0 { value / 2.0 } else { value };
    let (first_value, rest_value) = (halved(first.1), halved(rest.1));
    let mut elements = vec![first_value];
    elements.extend(FACTORS.iter().take(n - 1).map(|factor| factor * rest_value));
    let sum: f64 = FACTORS.iter().take(n - 1).map(|factor| factor * factor).sum();
    let (step, reach) = (incx.unsigned_abs() as usize, 1 + (n - 1) * incx.unsigned_abs() as usize);
    let mut data = vec![BETWEEN; reach];
    for (at, &element) in elements.iter().enumerate() {
        let place = if incx < 0 { (n - 1 - at) * step } else { at * step };
        data[place] = element;
    }
    let stated = if incx == 0 {
        // The last element is left in the only place.
        (n as f64).sqrt() * data[0].abs()
    } else {
        together(first_value.abs(), rest_value.abs() * sum.sqrt())
    };
    let bits = |value: f64| -> Result<u64> {
        let spelled = match value {
            _ if value.is_nan() => ".nan".to_owned(),
            _ if value.is_infinite() => if value < 0.0 { "-.inf" } else { ".inf" }.to_owned(),
            _ => format!("{value:e}"),
        };
        Ok(number::parse(&spelled, dtype)?)
    };
    let tensor = |shape: &[usize], values: &[f64]| -> Result<Tensor> {
        let bits = values.iter().map(|&value| bits(value)).collect::<Result<Vec<_>>>()?;
        Ok(Tensor::from_bits(dtype, shape, &bits)?)
    };
    let others = if n == 1 { String::new() } else { format!(" and {} {}", n - 1, rest.0) };
    let spacing = if incx < 0 { format!("minus {step}") } else { step.to_string() };
    let operator = Operator::Blas { norm: Norm::L2, n: n as i32, incx };
    Ok(Vector {
        words: format!("{}{others} by {spacing} {dtype}", first.0),
        call: Call::new(operator, tensor(&[reach], &data)?, Axes::Absent),
        output: tensor(&[], &[stated])?,
    })
}

/// The norm of two parts, as the program computes what it expects.
fn together(one: f64, other: f64) -> f64 {
    let (less, more) = if one < other { (one, other) } else { (other, one) };
    if one.is_nan() || other.is_nan() {
        one + other
    } else if more == 0.0 {
        0.0
    } else if less.to_bits() == more.to_bits() {
        // Two infinities have no ratio.
        2_f64.sqrt() * more
    } else {
        more * (1.0 + (less / more).powi(2)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_every_pair_of_magnitudes_at_every_length_and_spacing() {
        let all = vectors().unwrap();
        assert_eq!(all.len(), 2 * 4 * (10 + 3 * 100));
        let mut words: Vec<&str> = all.iter().map(|vector| vector.words.as_str()).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), all.len());
    }

    #[test]
    fn a_negative_spacing_puts_the_first_element_last() {
        let vector = vector(Dtype::F64, ("one", 1.0), ("ulp", 0.5), 3, -2).unwrap();
        let values: Vec<f64> = vector.call.data.bits().into_iter().map(f64::from_bits).collect();
        assert_eq!(values, [0.3125, BETWEEN, -0.375, BETWEEN, 1.0]);
        assert_eq!(vector.words, "one and 2 ulp by minus 2 f64");
    }

    #[test]
    fn magnitudes_are_those_of_the_program() {
        let of = |dtype| magnitudes(dtype).map(|(_, value)| value);
        let double = of(Dtype::F64);
        assert_eq!(double[1].to_bits(), (2.0 * f64::MIN_POSITIVE).to_bits());
        // SMLNUM, BIGNUM and SAFMAX, to the digits that dblat1.f prints.
        assert_eq!(
            format!("{:.6e} {:.6e} {:.6e}", double[2], double[6], double[7]),
            "1.002084e-292 9.979202e291 4.494233e307"
        );
        let single = of(Dtype::F32);
        assert_eq!(
            format!("{:.6e} {:.6e} {:.6e}", single[2], single[6], single[7]),
            "9.860761e-32 1.014120e31 8.507059e37"
        );
    }
}
