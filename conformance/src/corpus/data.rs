//! Makes the data of a case: spelled out, repeated, cycled, drawn, or rows with two nonzero elements.

use normative_reference::{Dtype, Kind, Tensor};

use super::budget::Purse;
use super::elements::{count, fills, numbers, one, row_major, sparse};
use super::error::Problem;
use super::format::{Data, Pairs, Random};
use super::number;
use crate::generate::covering;
use crate::random::splitmix64;

/// Pays for the data in one dtype, and returns the count of elements.
pub(super) fn pay(data: &Data, purse: &mut Purse) -> Result<usize, Problem> {
    let needed = count("data.shape", &data.shape)?;
    // With a dim of 0 there are no elements, but possibly as many results as the other dims span.
    let spanned: usize = data.shape.iter().filter(|&&dim| dim != 0).product();
    purse.pay(spanned.saturating_add(data.shape.len()))?;
    Ok(needed)
}

/// Returns the data in one dtype.
pub(super) fn data(data: &Data, dtype: Dtype, reversed: bool, purse: &mut Purse) -> Result<Tensor, Problem> {
    const FORMS: &[&str] = &["values", "repeat", "cycle", "random", "pairs"];
    let needed = pay(data, purse)?;
    let read = |text: &str| number::parse(text, dtype);
    let mut bits = match (&data.values, &data.repeat, &data.cycle, &data.random, &data.pairs) {
        (Some(values), None, None, None, None) => {
            fills("data.values", needed, values.len())?;
            numbers("data.values", values, read)?
        }
        (None, Some(value), None, None, None) => vec![one("data.repeat", value, read)?; needed],
        (None, None, Some(values), None, None) if values.is_empty() => {
            return Err(Problem::EmptyList { field: "data.cycle" });
        }
        (None, None, Some(values), None, None) => {
            numbers("data.cycle", values, read)?.into_iter().cycle().take(needed).collect()
        }
        (None, None, None, Some(random), None) => drawn(*random, needed, dtype)?,
        (None, None, None, None, Some(pairs)) => paired(pairs, &data.shape, dtype, reversed)?,
        (values, repeat, cycle, random, pairs) => {
            let there =
                [values.is_some(), repeat.is_some(), cycle.is_some(), random.is_some(), pairs.is_some()];
            let found = FORMS.iter().zip(there).filter_map(|(&form, there)| there.then_some(form)).collect();
            return Err(Problem::NotOneForm { field: "data".to_owned(), wanted: FORMS, found });
        }
    };
    for (index, value) in sparse("data.except", &data.except, needed, read)? {
        bits[index] = value;
    }
    let shape = row_major(&data.shape, reversed);
    Tensor::from_bits(dtype, &shape, &bits)
        .map_err(|error| Problem::Shape { field: "data.shape".to_owned(), error })
}

/// The widest range of integers that has a table of their bits. Most ranges of the corpus are far narrower.
const TABLE: u128 = 1 << 12;

/// Returns `low + splitmix64(seed, i) mod (high - low + 1)`, times `2^scale`, each exactly.
fn drawn(random: Random, count: usize, dtype: Dtype) -> Result<Vec<u64>, Problem> {
    let Random { seed, low, high, scale } = random;
    if low > high {
        return Err(Problem::EmptyRange);
    }
    let width = (i128::from(high) - i128::from(low) + 1) as u128;
    let bits = |index: usize, offset: u64| {
        // The sum lies between low and high.
        let integer = (i128::from(low) + i128::from(offset)) as i64;
        number::dyadic(integer, scale, dtype).map_err(|error| Problem::Number {
            field: format!("data.random, element {index}"),
            text: format!("{integer} * 2^{scale}"),
            error,
        })
    };
    let draw = |index: usize| {
        let word = splitmix64(seed, index as u64);
        // A width of 2^64 allows every word.
        u64::try_from(width).map_or(word, |width| word % width)
    };
    if width > TABLE {
        return (0..count).map(|index| bits(index, draw(index))).collect();
    }
    // Rounding is most of the work, so each number is rounded when it is first drawn. Others need not be exact.
    let mut table: Vec<Option<u64>> = vec![None; width as usize];
    let from_table = |index: usize| {
        let offset = draw(index);
        let entry = &mut table[offset as usize];
        match *entry {
            Some(bits) => Ok(bits),
            None => bits(index, offset).inspect(|&bits| *entry = Some(bits)),
        }
    };
    (0..count).map(from_table).collect()
}

impl Random {
    /// Draws the bits of `count` elements; `None` if the type cannot hold one of them exactly.
    pub fn draw(self, count: usize, dtype: Dtype) -> Option<Vec<u64>> {
        drawn(self, count, dtype).ok()
    }
}

/// Fills rows with pairs: even rows have 6 and 8, odd rows 3 and 4. Rows of one element have 10 or 5, a single
/// row four times 5. The first of a pair, or the only one, is negative if the type is signed.
fn paired(pairs: &Pairs, shape: &[usize], dtype: Dtype, reversed: bool) -> Result<Vec<u64>, Problem> {
    let ascend = pairs.along.windows(2).all(|two| two[0] < two[1]);
    if pairs.along.is_empty() || !ascend || pairs.along.iter().any(|&axis| axis >= shape.len()) {
        return Err(Problem::RowAxes { field: "data.pairs.along" });
    }
    let axis = |&axis: &usize| if reversed { shape.len() - 1 - axis } else { axis };
    let axes: Vec<usize> = pairs.along.iter().map(axis).collect();
    let places = covering::places(&row_major(shape, reversed), &axes);
    let terms = places.iter().map(|&(_, place)| place + 1).max().unwrap_or(0);
    let turns = covering::turns(terms);
    let whole = |value| {
        let (integer, field) = (value, "data.pairs".to_owned());
        number::dyadic(integer, 0, dtype).map_err(|error| Problem::Number {
            field,
            text: integer.to_string(),
            error,
        })
    };
    let signed = !matches!(dtype.kind(), Kind::Integer(range) if !range.is_signed());
    let negative = |value: i64| whole(if signed { -value } else { value });
    let values = [negative(6)?, whole(8)?, negative(3)?, whole(4)?];
    let (alone, fives) = ([negative(10)?, negative(5)?], [negative(5)?, whole(5)?]);
    let one_row = places.len() == terms && terms >= 4;
    let element = |(row, place): (usize, usize)| match (turns[place] + terms - 2 * row % terms) % terms {
        _ if terms == 1 => alone[row % 2],
        turn @ 0..4 if one_row => fives[turn % 2],
        turn @ (0 | 1) => values[row % 2 * 2 + turn],
        // The bits of zero are 0 in all types.
        _ => 0,
    };
    Ok(places.into_iter().map(element).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_numbers_stay_in_range_and_reach_both_ends() {
        let random = Random { seed: 7, low: -2, high: 3, scale: 0 };
        let drawn = drawn(random, 1000, Dtype::I8).unwrap();
        let mut seen: Vec<i8> = drawn.iter().map(|&bits| bits as u8 as i8).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, [-2, -1, 0, 1, 2, 3]);
    }

    #[test]
    fn each_row_has_a_pair_and_no_two_rows_have_it_in_the_same_places() {
        let pairs = Pairs { along: vec![1] };
        let bits = paired(&pairs, &[3, 9], Dtype::I8, false).unwrap();
        let rows: Vec<Vec<i8>> =
            bits.chunks(9).map(|row| row.iter().map(|&bits| bits as i8).collect()).collect();
        assert_eq!(rows[0], [8, 0, 0, 0, 0, 0, 0, 0, -6], "the last and the first");
        assert_eq!(rows[1], [0, 4, 0, 0, 0, 0, 0, -3, 0], "before the border of 8, and then the others");
        assert_eq!(rows[2], [0, 0, -6, 8, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn rows_lie_along_the_dims_named_in_the_order_of_the_file() {
        let along = |axes: &[usize], shape: &[usize], reversed| {
            paired(&Pairs { along: axes.to_vec() }, shape, Dtype::U8, reversed).unwrap()
        };
        assert_eq!(along(&[0], &[2, 1], false), [8, 6]);
        assert_eq!(along(&[0], &[2, 2], false), [8, 4, 6, 3], "columns");
        assert_eq!(along(&[0], &[2, 2], true), [8, 6, 4, 3], "the fastest first");
        assert_eq!(along(&[1], &[2, 1], false), [10, 5]);
        assert_eq!(along(&[0, 1], &[3, 3], false), [5, 5, 0, 0, 0, 0, 0, 5, 5]);
        for axes in [&[][..], &[2], &[1, 0], &[1, 1]] {
            let pairs = Pairs { along: axes.to_vec() };
            assert!(
                matches!(paired(&pairs, &[2, 2], Dtype::U8, false), Err(Problem::RowAxes { .. })),
                "{axes:?}"
            );
        }
    }

    #[test]
    fn the_widest_range_draws_every_bit() {
        let random = Random { seed: 1_234_567, low: i64::MIN, high: i64::MAX, scale: 0 };
        let first = drawn(random, 1, Dtype::I64).unwrap()[0];
        assert_eq!(first, 6_457_827_717_110_365_317_u64.wrapping_add(1 << 63));
    }

    #[test]
    fn a_range_with_a_table_draws_what_one_without_draws() {
        let (count, scale) = (10_000, -3);
        for width in [1, 2, 4095, 4096, 4097] {
            let random = Random { seed: 5, low: -7, high: width - 8, scale };
            let drawn = drawn(random, count, Dtype::F32).unwrap();
            let one = |index: usize| {
                let integer = -7 + (splitmix64(5, index as u64) % width as u64) as i64;
                u64::from((integer as f32 / 8.0).to_bits())
            };
            assert_eq!(drawn, (0..count).map(one).collect::<Vec<_>>(), "{width}");
        }
    }

    #[test]
    fn a_number_that_is_not_drawn_need_not_be_exact() {
        // The number drawn is 2050. The range also has 2049 or 2051, which f16 does not hold.
        let low = 2050 - (splitmix64(0, 0) % 3) as i64;
        let random = Random { seed: 0, low, high: low + 2, scale: 0 };
        assert_eq!(drawn(random, 1, Dtype::F16).unwrap(), [number::dyadic(2050, 0, Dtype::F16).unwrap()]);
    }

    #[test]
    fn a_number_drawn_must_be_exact() {
        let odd = 2049;
        let random = Random { seed: 0, low: odd, high: odd, scale: 0 };
        let problem = drawn(random, 1, Dtype::F16).unwrap_err();
        assert!(matches!(problem, Problem::Number { .. }), "{problem}");
        assert!(drawn(random, 1, Dtype::F32).is_ok());
    }
}
