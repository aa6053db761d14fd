//! Converts lists of spelled numbers to element bits, and shapes to counts; each error names the place.

use normative_reference::tensor::element_count;

use super::error::Problem;
use super::format::{Number, Sparse};
use super::number::NumberError;
use crate::display;

/// Returns a shape as written, reversed if the fastest axis was written first.
pub(super) fn row_major(shape: &[usize], reversed: bool) -> Vec<usize> {
    if reversed { shape.iter().rev().copied().collect() } else { shape.to_vec() }
}

pub(super) fn count(field: &str, shape: &[usize]) -> Result<usize, Problem> {
    element_count(shape).map_err(|error| Problem::Shape { field: field.to_owned(), error })
}

pub(super) fn fills(field: &str, needed: usize, given: usize) -> Result<(), Problem> {
    if needed == given { Ok(()) } else { Err(Problem::Count { field: field.to_owned(), needed, given }) }
}

pub(super) fn numbers(
    field: &str,
    numbers: &[Number],
    read: impl Fn(&str) -> Result<u64, NumberError>,
) -> Result<Vec<u64>, Problem> {
    let spelled = |(index, number): (usize, &Number)| {
        read(&number.0).map_err(|error| bad_number(format!("{field}[{index}]"), number, error))
    };
    numbers.iter().enumerate().map(spelled).collect()
}

pub(super) fn one(
    field: &str,
    number: &Number,
    read: impl Fn(&str) -> Result<u64, NumberError>,
) -> Result<u64, Problem> {
    read(&number.0).map_err(|error| bad_number(field.to_owned(), number, error))
}

pub(super) fn sparse(
    field: &str,
    sparse: &Sparse,
    count: usize,
    read: impl Fn(&str) -> Result<u64, NumberError>,
) -> Result<Vec<(usize, u64)>, Problem> {
    let single = |(&index, number): (&usize, &Number)| {
        if index >= count {
            return Err(Problem::Index { field: field.to_owned(), index, count });
        }
        let bits = read(&number.0);
        Ok((index, bits.map_err(|error| bad_number(format!("{field}[{index}]"), number, error))?))
    };
    sparse.0.iter().map(single).collect()
}

fn bad_number(field: String, number: &Number, error: NumberError) -> Problem {
    Problem::Number { field, text: shortened(&number.0), error }
}

/// Shortens a text for a message.
pub(super) fn shortened(text: &str) -> String {
    display::cut(text, 40)
}
