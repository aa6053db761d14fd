//! Calls for one kernel: dims and axes that have its factors, and data of which a dropped, doubled, stale or foreign
//! element shows.
//!
//! What the factors leave open (lengths within a class, dims of 1, how axes are spelled, attributes, signs) bytes say.
//! Every eighth call is one of the rarer shapes and data that no factor names ([`Rare`]): squares, many dims, the ends
//! of integers in pairs, payloads of NaN, data far from zero.

use normative_reference::dtype::IntegerRange;
use normative_reference::{Call, Dtype, FloatFormat, Kind, Norm, Spec, Tensor};

use super::form::{self, Form};
use super::source::Source;
use super::values::{greatest, negated, scaled, signed, whole};
use crate::generate::covering::rows::{kernel, rarest_first};
use crate::generate::covering::{Inner, Kernel, Position, Size, places, turns};
use crate::random::splitmix64;

/// One call in this many is a rare one.
const RARELY: usize = 8;

/// What no factor names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rare {
    /// A square matrix, reduced along its rows.
    SquareRows,
    /// A square matrix, reduced along its columns.
    SquareColumns,
    /// Many dims, of 1 and 2.
    ManyDims,
    /// The ends of an integer type, in pairs.
    Ends,
    /// NaNs with payloads.
    Payloads,
    /// Elements of one sign, far from zero and near each other.
    Biased,
}

const RARE: [Rare; 8] = {
    use Rare::{Biased, Ends, ManyDims, Payloads, SquareColumns, SquareRows};
    [SquareRows, SquareColumns, Ends, ManyDims, SquareRows, SquareColumns, Payloads, Biased]
};

/// The call of this place among those of a spec that stand for kernels.
pub(super) fn call(source: &mut Source<'_, '_>, spec: Spec, place: usize) -> Call {
    if place % RARELY == RARELY - 1 {
        return rare(source, spec, place / RARELY);
    }
    let kernel = kernel(spec, place - place / RARELY);
    let (shape, reduced) = dims(source, kernel);
    let form = form::over(source, spec, kernel.dtype, shape, reduced);
    let bits = telling(source.word(), &form);
    into_call(form, &bits)
}

fn into_call(form: Form, bits: &[u64]) -> Call {
    let data = Tensor::from_bits(form.dtype, &form.shape, bits).unwrap_or_else(|_| super::nothing());
    form.into_call(data)
}

/// Dims that have the factors of a kernel, and the axes to reduce.
fn dims(source: &mut Source<'_, '_>, kernel: Kernel) -> (Vec<usize>, Vec<usize>) {
    let residue = usize::from(kernel.residue);
    let run = match kernel.size {
        Size::One => 1,
        Size::Short => residue,
        Size::Vector => 8 + residue,
        Size::Vectors => [16, 24, 32, 40, 48, 56][source.below(6)] + residue,
        // What bf16 may lose of longer rows is more than an element of them.
        Size::Long if kernel.dtype == Dtype::Bf16 => 64 + residue,
        // One in ten is longer than any unrolled loop.
        Size::Long => match source.below(10) {
            0 => 256 + residue,
            vectors => 64 + 8 * (vectors - 1) + residue,
        },
    };
    // Long runs side by side would make most of all elements.
    let wide = run < 16 && source.chance(64);
    let inner = match kernel.inner {
        Inner::Contiguous => 1,
        Inner::Whole => 8 << u8::from(wide),
        Inner::OneOver => {
            if wide {
                17
            } else {
                9
            }
        }
        Inner::OneShort => {
            if wide {
                15
            } else {
                7
            }
        }
        Inner::Other => 2 + source.below(5) + if wide { 8 } else { 0 },
    };
    let few = |source: &mut Source<'_, '_>| 2 + source.below(3);
    let mut dims = match kernel.position {
        Position::All => vec![(run, true)],
        Position::Inner => vec![(few(source), false), (run, true)],
        Position::Outer => vec![(run, true), (inner, false)],
        Position::Middle => vec![(few(source), false), (run, true), (inner, false)],
        Position::Several if inner == 1 => vec![(2, true), (few(source), false), (run, true)],
        Position::Several => vec![(2, true), (few(source), false), (run, true), (inner, false)],
    };
    // Two axes that lie side by side are one run.
    if source.chance(48)
        && let Some(at) = dims.iter().rposition(|&(_, reduced)| reduced)
        && let Some(part) = [2, 3, 5, 7].into_iter().find(|part| run.is_multiple_of(*part) && run > *part)
    {
        dims[at].0 /= part;
        dims.insert(at, (part, true));
    }
    if source.chance(48) {
        dims.insert(source.below(dims.len() + 1), (1, source.chance(128)));
    }
    let reduced =
        dims.iter().enumerate().filter(|(_, (_, reduced))| *reduced).map(|(axis, _)| axis).collect();
    (dims.into_iter().map(|(dim, _)| dim).collect(), reduced)
}

/// How many elements of a row are not zero, and between which magnitudes they lie.
struct Weights {
    count: usize,
    low: i64,
    high: i64,
    /// What rows in turn are multiplied by, where bounds are too wide for less to show.
    factors: [i64; 3],
}

/// Elements such that one less or one more of them shows: in an integer root, beside the bound of a sum in a half type, and
/// with a sum that the type still holds.
fn weights(dtype: Dtype, norm: Norm, terms: usize) -> Weights {
    let plain = |count, low, high| Weights { count, low, high, factors: [1; 3] };
    match dtype.kind() {
        Kind::Float(format) if format.precision > 11 => plain(terms, 500, 1000),
        Kind::Float(format) => {
            // Rows sum as inexactly as their type allows: by γ = ku / (1 - ku), k being the number of roundings.
            let roundings = terms as f64 + if norm == Norm::L2 { 2.0 } else { -1.0 };
            let lost = roundings / (f64::from(format.precision).exp2() - roundings).max(1.0);
            let (several, few) = ((0.5 / lost) as usize, (0.9 / lost) as usize);
            let (count, low, high) = match norm {
                _ if several < 3 => (few.clamp(1, terms), 4, 4),
                Norm::L1 => (several.min(terms), 4, 6),
                Norm::L2 => (several.min(terms), 5, 6),
            };
            Weights { count, low, high, factors: [1, 2, 4] }
        }
        Kind::Integer(IntegerRange { max, .. }) => {
            let max = max.min(1 << 31) as usize;
            let (count, high) = match norm {
                Norm::L1 => (terms.min(max / 8), max / terms.min(max / 8).max(1)),
                // One less changes the root by w / 2√count, which is to be more than 1.
                Norm::L2 => {
                    let count = terms.min((max / 16).isqrt());
                    (count, (max / count.max(1)).isqrt())
                }
            };
            let high = high.min(1000) as i64;
            plain(count, if norm == Norm::L1 { high / 2 } else { high * 3 / 4 }.max(1), high)
        }
    }
}

/// Elements of which a dropped, doubled, stale or foreign one shows.
///
/// Where a row can have no more than some that are not zero, these are its last and first in the first row, and in each
/// further row others: first those at the borders of vectors, then any.
fn telling(seed: u64, form: &Form) -> Vec<u64> {
    let places = places(&form.shape, &form.reduced);
    let terms = places.iter().map(|&(_, place)| place + 1).max().unwrap_or(1);
    let Weights { count, low, high, factors } = weights(form.dtype, form.spec.norm(), terms);
    let turns = turns(terms);
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

/// The rare call of this place among those of a spec. Types stand for it in turn, those that few specs take first.
fn rare(source: &mut Source<'_, '_>, spec: Spec, place: usize) -> Call {
    const SIDES: [usize; 14] = [16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 100, 127, 128, 130];
    let rare = RARE[place % RARE.len()];
    let mut dtypes = rarest_first(spec).to_vec();
    dtypes.retain(|dtype| match rare {
        Rare::Ends => dtype.is_integer(),
        Rare::Payloads => !dtype.is_integer(),
        _ => true,
    });
    // Squares come twice a round.
    let often = if matches!(rare, Rare::SquareRows | Rare::SquareColumns) { 2 } else { 1 };
    let turn = place * often / RARE.len();
    let dtype = if dtypes.is_empty() { Dtype::F32 } else { dtypes[turn % dtypes.len()] };
    let (shape, reduced) = match rare {
        Rare::SquareRows | Rare::SquareColumns => {
            let side = source.pick(&SIDES, 16);
            (vec![side; 2], vec![usize::from(rare == Rare::SquareRows)])
        }
        Rare::ManyDims => {
            let (_, highest) = spec.rules().ranks;
            let rank = (7 + source.below(6)).min(highest);
            let shape: Vec<usize> = (0..rank).map(|_| 1 + usize::from(source.chance(160))).collect();
            let chosen: Vec<usize> = (0..rank).filter(|_| source.chance(128)).collect();
            (shape, if chosen.is_empty() { vec![rank - 1] } else { chosen })
        }
        _ => {
            let run = [2, 4, 8, 9, 16, 33][source.below(6)];
            if source.chance(128) { (vec![3, run], vec![1]) } else { (vec![run, 3], vec![0]) }
        }
    };
    let form = form::over(source, spec, dtype, shape, reduced);
    let seed = source.word();
    let count = form.shape.iter().product();
    let bits: Vec<u64> = match (rare, dtype.kind()) {
        (Rare::Ends, Kind::Integer(range)) => ends(seed, &form, range),
        (Rare::Payloads, Kind::Float(format)) => payloads(seed, count, format),
        (Rare::Biased, _) => (0..count as u64).map(|at| biased(dtype, splitmix64(seed, at))).collect(),
        _ => telling(seed, &form),
    };
    into_call(form, &bits)
}

/// The least and the greatest integers, two side by side in each row and zeros: products of two meet in a sum of twice
/// the width, which just overflows.
fn ends(seed: u64, form: &Form, range: IntegerRange) -> Vec<u64> {
    let end = |draw: u64| match draw % 8 {
        0..4 if range.is_signed() => range.min,
        4 => range.max - 1,
        5 => range.max / 2,
        _ => range.max,
    };
    let pair = |(output, place): (usize, usize)| {
        // Each row has its pair elsewhere; the first has it first.
        let stands = place / 2 == output;
        let draw = splitmix64(seed, output as u64);
        // Twice the same, as often as not.
        if stands {
            range.encode(end(if draw & 1 == 0 { draw >> 8 } else { draw >> (8 + place % 2) }))
        } else {
            0
        }
    };
    places(&form.shape, &form.reduced).into_iter().map(pair).collect()
}

/// Ones, and here and there a quiet NaN with bits of its own.
fn payloads(seed: u64, count: usize, format: FloatFormat) -> Vec<u64> {
    let element = |at: u64| {
        let draw = splitmix64(seed, at);
        let payload = draw >> 8 & (format.nan() ^ format.infinity()).saturating_sub(1);
        let bits = if draw.is_multiple_of(8) { format.nan() | payload } else { scaled(format, 1, 0) };
        signed(format, draw >> 4 & 1 == 1, bits)
    };
    (0..count as u64).map(element).collect()
}

/// A number that is never below a large one, and not much greater.
fn biased(dtype: Dtype, draw: u64) -> u64 {
    match dtype.kind() {
        Kind::Float(format) => {
            let offset = scaled(format, 1, format.max_exponent / 4);
            offset + (draw & 15).min(greatest(format) - offset)
        }
        Kind::Integer(range) => {
            let bits = range.encode(range.max / 64 + i128::from(draw & 3));
            negated(dtype, false, bits)
        }
    }
}
