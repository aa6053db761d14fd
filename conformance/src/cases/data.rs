//! The data of a case: spelled out, repeated, cycled or drawn.

use normative_reference::{Dtype, Tensor};

use super::budget::Purse;
use super::elements::{count, fills, numbers, one, row_major, sparse};
use super::error::Problem;
use super::format::{Data, Random};
use super::number;
use crate::random::splitmix64;

/// The data in one dtype.
pub(super) fn data(data: &Data, dtype: Dtype, reversed: bool, purse: &mut Purse) -> Result<Tensor, Problem> {
    const FORMS: &[&str] = &["values", "repeat", "cycle", "random"];
    let needed = count("data.shape", &data.shape)?;
    // Where a dim is 0 there is no element, and as many results as the others span.
    let spanned: usize = data.shape.iter().filter(|&&dim| dim != 0).product();
    purse.pay(spanned.saturating_add(data.shape.len()))?;
    let read = |text: &str| number::parse(text, dtype);
    let mut bits = match (&data.values, &data.repeat, &data.cycle, &data.random) {
        (Some(values), None, None, None) => {
            fills("data.values", needed, values.len())?;
            numbers("data.values", values, read)?
        }
        (None, Some(value), None, None) => vec![one("data.repeat", value, read)?; needed],
        (None, None, Some(values), None) if values.is_empty() => {
            return Err(Problem::EmptyList { field: "data.cycle" });
        }
        (None, None, Some(values), None) => {
            numbers("data.cycle", values, read)?.into_iter().cycle().take(needed).collect()
        }
        (None, None, None, Some(random)) => drawn(*random, needed, dtype)?,
        (values, repeat, cycle, random) => {
            let there = [values.is_some(), repeat.is_some(), cycle.is_some(), random.is_some()];
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

/// `low + splitmix64(seed, i) mod (high - low + 1)`, times `2^scale`, each exactly.
fn drawn(random: Random, count: usize, dtype: Dtype) -> Result<Vec<u64>, Problem> {
    let Random { seed, low, high, scale } = random;
    if low > high {
        return Err(Problem::EmptyRange);
    }
    let width = (i128::from(high) - i128::from(low) + 1) as u128;
    let draw = |index: usize| {
        let offset = u128::from(splitmix64(seed, index as u64)) % width;
        // Between low and high again.
        let integer = (i128::from(low) + offset as i128) as i64;
        number::dyadic(integer, scale, dtype).map_err(|error| Problem::Number {
            field: format!("data.random, element {index}"),
            text: format!("{integer} * 2^{scale}"),
            error,
        })
    };
    (0..count).map(draw).collect()
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
    fn the_widest_range_draws_every_bit() {
        let random = Random { seed: 1_234_567, low: i64::MIN, high: i64::MAX, scale: 0 };
        let first = drawn(random, 1, Dtype::I64).unwrap()[0];
        assert_eq!(first, 6_457_827_717_110_365_317_u64.wrapping_add(1 << 63));
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
