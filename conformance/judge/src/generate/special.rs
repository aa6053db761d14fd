//! Fills rows with special values: in each row at another place, among zeros, or among elements that must count.

use normative_reference::dtype::IntegerRange;
use normative_reference::{FloatFormat, Kind, Norm, Term};

use super::form::Form;
use super::telling::telling;
use super::values::{greatest, negated, scaled, signed};
use crate::generate::covering::special::{Special, seams};
use crate::generate::covering::{places, turns};
use crate::random::splitmix64;

/// The places of special elements in a row.
struct Seats {
    turns: Vec<usize>,
    /// The offset of the first row's seats; each further row moves by one more.
    start: usize,
}

impl Seats {
    /// Returns the rank of a place in its row. The last, the first and the borders of vectors rank early.
    fn of(&self, output: usize, place: usize) -> usize {
        let terms = self.turns.len();
        (self.turns[place] + terms - (self.start + output) % terms) % terms
    }
}

/// A row's length and number.
#[derive(Clone, Copy)]
struct Row {
    terms: usize,
    /// The number of the row, from a random start, so that a single row is not always the first of its kind.
    turn: usize,
    norm: Norm,
}

/// Returns the elements, row-major.
pub(super) fn fill(seed: u64, form: &Form, special: Special) -> Vec<u64> {
    let places = places(&form.shape, &form.reduced);
    let terms = places.iter().map(|&(_, place)| place + 1).max().unwrap_or(1);
    let choice = splitmix64(seed, u64::MAX);
    // In half of the calls the first seat of the first row is its last or its first place.
    let start = if choice & 1 == 0 { (choice >> 1 & 1) as usize } else { (choice >> 32) as usize };
    let seats = Seats { turns: turns(terms), start: start % terms };
    let among_numbers = match special {
        Special::Nan => true,
        Special::Infinity | Special::NanAndInfinity | Special::Least => choice >> 2 & 1 == 1,
        _ => false,
    };
    let mut elements = if among_numbers { telling(seed, form) } else { vec![0; places.len()] };
    for (flat, (&(output, place), element)) in places.iter().zip(&mut elements).enumerate() {
        let row = Row { terms, turn: output + (choice >> 8 & 0xff) as usize, norm: form.spec.norm() };
        let draw = splitmix64(seed, flat as u64);
        let seat = seats.of(output, place);
        let stands = match form.dtype.kind() {
            Kind::Float(format) => {
                float(format, row, special, seat, draw).map(|bits| signed(format, draw & 1 == 1, bits))
            }
            Kind::Integer(range) => integer(range, row, special, seat, draw).map(|value| {
                // The ends of a type keep their sign: the negated greatest is not the least.
                let negative = draw & 1 == 1 && special != Special::Extremes;
                negated(form.dtype, negative, range.encode(value))
            }),
        };
        if let Some(bits) = stands {
            *element = bits;
        }
    }
    elements
}

/// Returns the magnitude of a float at a seat of a row, if it is special.
fn float(format: FloatFormat, row: Row, special: Special, seat: usize, draw: u64) -> Option<u64> {
    let greatest = greatest(format);
    let below = |steps: i32| greatest - ((steps as u64) << (format.precision - 1));
    match special {
        Special::Zeros => Some(0),
        Special::NanBesideZeros | Special::Nan => (seat == 0).then(|| format.nan()),
        // One in each row, and two in every other.
        Special::Infinity => (seat <= row.turn % 2).then(|| format.infinity()),
        Special::NanAndInfinity => match seat {
            0 => Some(format.nan()),
            1 => Some(format.infinity()),
            _ => None,
        },
        Special::Smallest => (seat == 0).then_some(1),
        Special::SmallestPair => (seat < 2).then_some(1),
        Special::Subnormals => {
            let width = format.precision - 1;
            Some((draw >> 8 & ((1 << width) - 1)) >> ((draw >> 1 & 0x7f) % u64::from(width)))
        }
        Special::Seams => {
            let seams = seams(format);
            let one = scaled(format, 1, 0);
            // Rows of small numbers, of big ones, and of both.
            Some(match row.turn % 3 {
                0 => seams[(draw >> 8 & 1) as usize],
                1 => seams[2 + (draw >> 8 & 1) as usize],
                _ => [seams[0], seams[1], seams[2], seams[3], one, one, 0, 0][(draw >> 8 & 7) as usize],
            })
        }
        Special::Greatest => (seat == 0).then_some(greatest),
        Special::JustInRange => {
            let (count, halvings) = shares(row, row.terms, 1 << 12);
            // At most 0.4 % below the greatest number, and below it if it would be the only one.
            let steps = (draw >> 8) % (1 << (format.precision - 8)).max(2) + u64::from(count == 1);
            (seat < count).then(|| below(halvings) - steps.min(1 << (format.precision - 8)))
        }
        Special::JustBeyond => {
            let (count, halvings) = shares(row, row.terms.saturating_sub(1), 1 << 12);
            match seat {
                _ if seat < count => Some(below(halvings)),
                // 0.8 % more.
                _ if seat == count => Some(below(if row.norm.order() == 1 { 7 } else { 3 })),
                _ => None,
            }
        }
        Special::Least | Special::Extremes => None,
    }
}

/// Returns the integer at a seat of a row, if it is special; the sign is drawn.
fn integer(range: IntegerRange, row: Row, special: Special, seat: usize, draw: u64) -> Option<i128> {
    match special {
        Special::Zeros => Some(0),
        Special::Least => (seat == 0).then_some(range.min),
        Special::Greatest => (seat == 0).then_some(range.max),
        Special::Extremes => {
            Some(if range.is_signed() && draw >> 8 & 1 == 1 { range.min } else { range.max })
        }
        Special::JustInRange | Special::JustBeyond => {
            let beyond = special == Special::JustBeyond;
            if beyond && row.norm.term() == Term::Square {
                return [range.max, range.max / 8].get(seat).copied();
            }
            let (count, halvings) =
                shares(row, row.terms - usize::from(beyond), most_shares(range, row.norm));
            let share = range.max >> halvings;
            match seat {
                0 if count == 1 && !beyond => Some(range.max - 1),
                // The remainder of the other shares.
                0 if row.norm.order() == 1 => Some(range.max - share * (count as i128 - 1)),
                _ if seat < count => Some(share),
                _ => (beyond && seat == count).then_some(1),
            }
        }
        _ => None,
    }
}

/// Returns the number of equal shares of a row's norm, at most `most`, and the halvings of each: for L1 two
/// halves or four quarters, for L2 four halves or sixteen quarters.
fn shares(row: Row, terms: usize, most: usize) -> (usize, i32) {
    let each = u32::from(row.norm.order());
    // Every third row has as many as fit, the others one share or two steps of them.
    let steps = if row.turn.is_multiple_of(3) { u32::MAX } else { (row.turn % 3) as u32 };
    let fitting = terms.min(most).max(1).ilog2() / each;
    let halvings = fitting.min(steps);
    (1 << (halvings * each), halvings as i32)
}

/// Returns the most shares that lose less than 1 % to integer division.
fn most_shares(range: IntegerRange, norm: Norm) -> usize {
    match norm.term() {
        Term::Magnitude | Term::Element => range.max.min(1 << 12) as usize,
        Term::Square => {
            let holds = |halvings: &u32| 100 * (range.max >> halvings << halvings) > 99 * range.max;
            1 << (2 * (0..6).take_while(holds).last().unwrap_or(0))
        }
    }
}
