//! Rare shapes and data outside the factors: squares, many dims, channels before spatial axes, more elements than a
//! thread or more results than a grid handles, ends of integers in pairs, payloads of NaN, data far from zero.

use normative_reference::dtype::IntegerRange;
use normative_reference::{Call, Dtype, FloatFormat, Kind, Spec};

use super::form;
use super::form::Form;
use super::source::Source;
use super::telling::telling;
use super::turns::Turns;
use super::values::{greatest, negated, scaled, signed};
use crate::generate::covering::{places, rows};
use crate::random::splitmix64;

/// A property that is not a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rare {
    /// A square matrix, reduced along its rows.
    SquareRows,
    /// A square matrix, reduced along its columns.
    SquareColumns,
    /// Many dims, of 1 to 3.
    ManyDims,
    /// Channels before two spatial axes.
    Channels,
    /// More elements than a runtime gives to one thread.
    Mass,
    /// More results than a grid has blocks.
    Crowd,
    /// The ends of an integer type, in pairs.
    Ends,
    /// NaNs with payloads.
    Payloads,
    /// Elements of one sign, far from zero and near each other.
    Biased,
}

const RARE: [Rare; 16] = {
    use Rare::{Biased, Channels, Crowd, Ends, ManyDims, Mass, Payloads, SquareColumns, SquareRows};
    [
        SquareRows,
        SquareColumns,
        Ends,
        ManyDims,
        Mass,
        Channels,
        SquareRows,
        ManyDims,
        Payloads,
        SquareColumns,
        Crowd,
        Ends,
        ManyDims,
        Mass,
        Channels,
        Biased,
    ]
};

/// Elements that many runtimes give to one thread, and the blocks of an older device's grid in its second dimension.
const THRESHOLDS: [usize; 2] = [1 << 15, 1 << 16];

/// Returns the rare call at this place among those of a spec. Within each kind, types take turns.
pub(super) fn call(source: &mut Source<'_, '_>, spec: Spec, place: usize) -> Call {
    let rare = RARE[place % RARE.len()];
    let dtype = dtype(spec, rare, place);
    let (shape, reduced) = dims(source, spec, rare);
    let form = match rare {
        Rare::Mass => form::over_all(source, spec, dtype, shape, reduced),
        _ => form::over(source, spec, dtype, shape, reduced),
    };
    let seed = source.word();
    let count = form.shape.iter().product();
    let bits: Vec<u64> = match (rare, dtype.kind()) {
        (Rare::Ends, Kind::Integer(range)) => ends(seed, &form, range),
        (Rare::Payloads, Kind::Float(format)) => payloads(seed, count, format),
        (Rare::Biased, _) => (0..count as u64).map(|at| biased(dtype, splitmix64(seed, at))).collect(),
        _ => telling(seed, &form),
    };
    form.with_bits(&bits)
}

/// Returns the type of the call at this place.
pub(super) fn dtype_at(spec: Spec, place: usize) -> Dtype {
    dtype(spec, RARE[place % RARE.len()], place)
}

/// Returns the type whose turn it is for this kind.
fn dtype(spec: Spec, rare: Rare, place: usize) -> Dtype {
    let mut dtypes = rows::dtypes(spec).to_vec();
    dtypes.retain(|dtype| match rare {
        Rare::Ends => dtype.is_integer(),
        Rare::Payloads => !dtype.is_integer(),
        _ => true,
    });
    let of_this_kind = |some: &[Rare]| some.iter().filter(|&&other| other == rare).count();
    let (round, at) = (place / RARE.len(), place % RARE.len());
    // Versions of one operator begin with different types, so that together they soon have all.
    let first = Turns::place(spec) * 3;
    let turn = first + round * of_this_kind(&RARE) + of_this_kind(&RARE[..at]);
    dtypes.get(turn % dtypes.len().max(1)).copied().unwrap_or(Dtype::F32)
}

/// Returns dims and the axes to reduce.
fn dims(source: &mut Source<'_, '_>, spec: Spec, rare: Rare) -> (Vec<usize>, Vec<usize>) {
    const SIDES: [usize; 14] = [16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 100, 127, 128, 130];
    const CHANNELS: [usize; 14] = [3, 5, 6, 7, 9, 10, 11, 12, 13, 15, 17, 20, 24, 33];
    match rare {
        Rare::SquareRows | Rare::SquareColumns => {
            let side = source.pick(&SIDES, 16);
            (vec![side; 2], vec![usize::from(rare == Rare::SquareRows)])
        }
        Rare::ManyDims => {
            let (_, highest) = spec.rules().ranks;
            let rank = (6 + source.below(7)).min(highest);
            let longest = if rank < 9 { 3 } else { 2 };
            let dim = |source: &mut Source<'_, '_>| (1 + source.below(4)).min(longest);
            let shape: Vec<usize> = (0..rank).map(|_| dim(source)).collect();
            let chosen: Vec<usize> = (0..rank).filter(|_| source.chance(128)).collect();
            (shape, if chosen.is_empty() { vec![rank - 1] } else { chosen })
        }
        Rare::Channels => {
            let mut shape = vec![1 + source.below(3), source.pick(&CHANNELS, 3)];
            if source.chance(128) {
                shape.insert(1, 1 + source.below(3));
            }
            let channel = shape.len() - 1;
            shape.extend([2 + source.below(8), 2 + source.below(8)]);
            let spatial = [channel + 1, channel + 2];
            let axes = match source.below(6) {
                0..=2 => spatial.to_vec(),
                3 => vec![channel],
                4 => [&[0], &spatial[..]].concat(),
                _ => [&[channel], &spatial[..]].concat(),
            };
            (shape, axes)
        }
        Rare::Mass => {
            let count = source.pick(&THRESHOLDS, 1) + 1 + source.below(200);
            let shape = match source.below(4) {
                0 => vec![3, count.div_ceil(3)],
                1 => vec![2, 3, count.div_ceil(30), 5],
                _ => vec![count],
            };
            let axes = (0..shape.len()).collect();
            (shape, axes)
        }
        Rare::Crowd => {
            let count = source.pick(&THRESHOLDS, 1) + 1 + source.below(200);
            if source.chance(128) { (vec![count, 2], vec![1]) } else { (vec![2, count], vec![0]) }
        }
        Rare::Ends | Rare::Payloads | Rare::Biased => {
            let run = [2, 4, 8, 9, 16, 33][source.below(6)];
            if source.chance(128) { (vec![3, run], vec![1]) } else { (vec![run, 3], vec![0]) }
        }
    }
}

/// Returns the least and the greatest integers, an adjacent pair in each row among zeros: the sum of two
/// products just overflows twice the width.
fn ends(seed: u64, form: &Form, range: IntegerRange) -> Vec<u64> {
    let end = |draw: u64| match draw % 8 {
        0..4 if range.is_signed() => range.min,
        4 => range.max - 1,
        5 => range.max / 2,
        _ => range.max,
    };
    let pair = |(output, place): (usize, usize)| {
        // Each row has its pair at another place, starting at the front in the first row.
        let stands = place / 2 == output;
        let draw = splitmix64(seed, output as u64);
        // Half of the pairs are two equal numbers.
        if stands {
            range.encode(end(if draw & 1 == 0 { draw >> 8 } else { draw >> (8 + place % 2) }))
        } else {
            0
        }
    };
    places(&form.shape, &form.reduced).into_iter().map(pair).collect()
}

/// Returns ones, with occasional quiet NaNs that have payloads.
fn payloads(seed: u64, count: usize, format: FloatFormat) -> Vec<u64> {
    let element = |at: u64| {
        let draw = splitmix64(seed, at);
        let payload = draw >> 8 & (format.nan() ^ format.infinity()).saturating_sub(1);
        let bits = if draw.is_multiple_of(8) { format.nan() | payload } else { scaled(format, 1, 0) };
        signed(format, draw >> 4 & 1 == 1, bits)
    };
    (0..count as u64).map(element).collect()
}

/// Returns a large number plus at most a little.
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
