//! Makes elements that show a dropped, doubled, stale or foreign element: in an integer root, and despite the
//! error bound of a sum, with a sum that the type still holds.

use normative_reference::dtype::IntegerRange;
use normative_reference::{Dtype, FloatFormat, Kind, Norm, Term};

use super::form::Form;
use super::values::whole;
use crate::generate::covering::{places, turns};
use crate::random::splitmix64;

/// The number of nonzero elements in a row, and the range of their magnitudes.
struct Weights {
    count: usize,
    low: i64,
    high: i64,
    /// The factors of rows in turn, for bounds so wide that smaller differences would not show.
    factors: [i64; 3],
}

/// Returns weights such that one element less or more shows: in an integer root, and despite the bound of a sum
/// in a half type. The type still holds the sum.
fn weights(dtype: Dtype, norm: Norm, terms: usize) -> Weights {
    let plain = |count, low, high| Weights { count, low, high, factors: [1; 3] };
    match dtype.kind() {
        Kind::Float(format) => of_floats(format, norm, terms),
        Kind::Integer(IntegerRange { max, .. }) => {
            let max = max.min(1 << 31) as usize;
            let (count, high) = match norm.term() {
                Term::Magnitude | Term::Element => (terms.min(max / 8), max / terms.min(max / 8).max(1)),
                // One less changes the root by w / 2√count, which must exceed 1.
                Term::Square => {
                    let count = terms.min((max / 16).isqrt());
                    (count, (max / count.max(1)).isqrt())
                }
            };
            let high = high.min(1000) as i64;
            let low = match norm.term() {
                Term::Magnitude | Term::Element => high / 2,
                Term::Square => high * 3 / 4,
            };
            plain(count, low.max(1), high)
        }
    }
}

/// Returns the weights for floats. A row's relative error is up to γ = ku / (1 - ku) for k roundings, and 2ku
/// for a chain of `hypot`. One element of a row must exceed that.
fn of_floats(format: FloatFormat, norm: Norm, terms: usize) -> Weights {
    let roundings = terms as f64 + if norm.term() == Term::Square { 2.0 } else { -1.0 };
    let lost = roundings / (f64::from(format.precision).exp2() - roundings).max(1.0);
    let half = format.precision <= 11;
    let (several, few) = ((if half { 0.5 } else { 0.2 } / lost) as usize, (0.9 / lost) as usize);
    if half && several < 3 {
        return Weights { count: few.clamp(1, terms), low: 4, high: 4, factors: [1, 2, 4] };
    }
    let (low, high) = match (half, norm.term()) {
        (false, _) => (700, 1000),
        (true, Term::Magnitude | Term::Element) => (4, 6),
        (true, Term::Square) => (5, 6),
    };
    Weights { count: several.clamp(1, terms), low, high, factors: if half { [1, 2, 4] } else { [1; 3] } }
}

/// Returns elements that show a dropped, doubled, stale or foreign one.
///
/// If a row can have only a few nonzero elements, the first row has them at its last and first places. Each
/// further row has others: first those at the borders of vectors, then any over the whole row.
pub(super) fn telling(seed: u64, form: &Form) -> Vec<u64> {
    let places = places(&form.shape, &form.reduced);
    let terms = places.iter().map(|&(_, place)| place + 1).max().unwrap_or(1);
    let Weights { count, low, high, factors } = weights(form.dtype, form.spec.norm(), terms);
    let turns = spread(turns(terms));
    let element = |(flat, &(output, place)): (usize, &(usize, usize))| {
        let turn = (turns[place] + terms - output * count % terms) % terms;
        if turn >= count {
            return 0;
        }
        let draw = splitmix64(seed, flat as u64);
        let value = (low + (draw >> 8 & 0xffff) as i64 % (high - low + 1)) * factors[output % 3];
        whole(form.dtype, if draw & 1 == 1 { -value } else { value })
    };
    places.iter().enumerate().map(element).collect()
}

/// Spreads the turns after the borders over the whole row, because a lost part of a thread may lie anywhere.
fn spread(mut turns: Vec<usize>) -> Vec<usize> {
    const BORDERS: usize = 14;
    let rest = turns.len().saturating_sub(BORDERS);
    // A step of about 0.618 of the rest, coprime to it, visits each place once.
    let step = (rest * 618 / 1000..rest).find(|&step| gcd(step, rest) == 1).unwrap_or(1);
    for turn in turns.iter_mut().filter(|turn| **turn >= BORDERS) {
        *turn = BORDERS + (*turn - BORDERS) * step % rest;
    }
    turns
}

const fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
