//! The honest zoo: right implementations, which no case may refuse.
//!
//! A row of `ARITHMETIC` is a way to compute, a row of `combined` takes several readings at once, and a row
//! of `mixed` chooses call by call. The questions themselves generate a row for each reading, so that a new
//! reading is an exhibit, and a failing one until `steps` supports it.

use normative_conformance::reference::{Choice, FloatFormat, Question, Reading};

mod combined;
mod mixed;

use crate::bench::Trial;
use crate::orders::{blocks, compensated, greatest_first, lanes, least_first, pairwise, reversed};
use normative_rules::floats::{self, format};
use normative_rules::plan::{Plan, Readings};
use normative_rules::steps::{Implementation, Steps};

/// A right implementation.
#[derive(Clone, Debug)]
pub struct Honest {
    /// Its name.
    pub name: String,
    /// A description in a few words.
    pub does: String,
    /// Its readings of open questions; other questions take their first reading.
    pub readings: Vec<Choice>,
    /// Questions about values whose reading depends on element type, length, axis or operator.
    pub mixes: &'static [Question],
    /// True if it lacks types that its operators leave to the implementation: such calls count as unsupported.
    pub supports_fewer_types: bool,
    edit: fn(&mut Steps),
}

impl Honest {
    /// Returns the implementation.
    pub fn backend(&self) -> Implementation {
        let mut steps = Steps::honest(Readings(self.readings.clone()));
        (self.edit)(&mut steps);
        Implementation::new(&self.name, steps)
    }

    /// Lists the differences between a trial and the implementation's design: another reading of a question,
    /// a reading that no case shows, or unsupported calls.
    pub fn misread(&self, trial: &Trial) -> Vec<String> {
        let built = Readings(self.readings.clone());
        let mut misread = Vec::new();
        let unsupported = trial.tally.unsupported;
        if (unsupported > 0) != self.supports_fewer_types {
            misread.push(format!("{unsupported} calls count as unsupported"));
        }
        for (place, readings) in &trial.profile {
            if self.mixes.contains(&place.question) {
                continue;
            }
            let reading = built.of(place.question);
            // For narrow types this reading equals the first one, so no answer shows it.
            if reading == Reading::Indefinite && *readings == [place.question.readings()[0]] {
                continue;
            }
            if *readings != [reading] {
                let told: Vec<&str> = readings.iter().map(|reading| reading.name()).collect();
                misread.push(format!(
                    "{} reads {} as {reading}, told {}",
                    place.spec,
                    place.question,
                    told.join(", ")
                ));
            }
        }
        // Answers show only the widest of nested readings, so the others need not appear.
        for choice in self.readings.iter().filter(|choice| !choice.question.is_nested()) {
            if !trial.profile.keys().any(|place| place.question == choice.question) {
                misread.push(format!("no case tells {choice}"));
            }
        }
        misread
    }
}

/// Returns every right implementation, the plain one first.
pub fn honest() -> Vec<Honest> {
    let ways = [ARITHMETIC, combined::WAYS, mixed::WAYS].concat().into_iter().map(|row| {
        let readings = row.readings.iter().map(|&(question, reading)| Choice { question, reading }).collect();
        let Way { name, does, mixes, supports_fewer_types, edit, .. } = row;
        Honest { name: name.into(), does: does.into(), readings, mixes, supports_fewer_types, edit }
    });
    let choices = Question::ALL.into_iter().flat_map(|question| {
        let others = &question.readings()[1..];
        others.iter().map(move |&reading| Choice { question, reading })
    });
    let readings = choices.map(|choice| {
        let does = format!("reads {} as {}", choice.question, choice.reading);
        let readings = [vec![choice], entailed(choice)].concat();
        let name = choice.to_string();
        Honest { name, does, readings, mixes: &[], supports_fewer_types: false, edit: |_| {} }
    });
    ways.chain(readings).collect()
}

/// Returns the readings that a reading needs in order to show, or implies.
fn entailed(choice: Choice) -> Vec<Choice> {
    let also = |question, reading| Choice { question, reading };
    match (choice.question, choice.reading) {
        // The root of a sum that wraps, and may be negative.
        (Question::IntegerL2Negative, _) => vec![also(Question::IntegerL2Intermediate, Reading::Wraps)],
        // A sum in a narrow type implies squares there without scaling.
        (Question::HalfAccumulation, _) | (Question::F64Precision, Reading::Single) => {
            vec![also(Question::FloatRange, Reading::Naive)]
        }
        _ => Vec::new(),
    }
}

#[derive(Clone, Copy)]
struct Way {
    name: &'static str,
    does: &'static str,
    readings: &'static [(Question, Reading)],
    mixes: &'static [Question],
    supports_fewer_types: bool,
    edit: fn(&mut Steps),
}

const fn way(
    name: &'static str,
    does: &'static str,
    readings: &'static [(Question, Reading)],
    edit: fn(&mut Steps),
) -> Way {
    Way { name, does, readings, mixes: &[], supports_fewer_types: false, edit }
}

const NONE: &[(Question, Reading)] = &[];
const NAIVE: &[(Question, Reading)] = &[(Question::FloatRange, Reading::Naive)];
const IN_TYPE: &[(Question, Reading)] =
    &[(Question::FloatRange, Reading::Naive), (Question::HalfAccumulation, Reading::InType)];

const SQUARES_IN_TYPE_CUT: &[(Question, Reading)] = &[
    (Question::FloatRange, Reading::Naive),
    (Question::HalfAccumulation, Reading::SquaresInType),
    (Question::ResultRounding, Reading::TowardZero),
];

/// Every order of summation in every width, and every way to keep squares in range.
#[rustfmt::skip]
const ARITHMETIC: &[Way] = &[
    way("plain", "sums in f64, one after the other, scaled by a power of two", NONE, |_| {}),
    way("reversed", "sums from the last to the first", NONE, |s| s.floats.sum = reversed),
    way("pairwise", "sums halves of halves", NONE, |s| s.floats.sum = pairwise),
    way("four-lanes", "keeps four sums side by side", NONE, |s| s.floats.sum = lanes::<4>),
    way("eight-lanes", "keeps eight sums side by side", NONE, |s| s.floats.sum = lanes::<8>),
    way("sixteen-lanes", "keeps sixteen sums side by side", NONE, |s| s.floats.sum = lanes::<16>),
    way("blocked", "sums blocks of 128, then the blocks", NONE, |s| s.floats.sum = blocks::<128>),
    way("compensated", "takes along what an addition rounds off (Kahan)", NONE, |s| s.floats.sum = compensated),
    way("greatest-first", "sums from the greatest to the least", NONE, |s| s.floats.sum = greatest_first),
    way("least-first", "sums from the least to the greatest", NONE, |s| s.floats.sum = least_first),

    way("f32", "sums all but f64 in f32", NAIVE, |_| {}),
    way("f32-reversed", "sums in f32, from the last to the first", NAIVE, |s| s.floats.sum = reversed),
    way("f32-pairwise", "sums in f32, halves of halves", NAIVE, |s| s.floats.sum = pairwise),
    way("f32-four-lanes", "keeps four sums in f32", NAIVE, |s| s.floats.sum = lanes::<4>),
    way("f32-eight-lanes", "keeps eight sums in f32", NAIVE, |s| s.floats.sum = lanes::<8>),
    way("f32-sixteen-lanes", "keeps sixteen sums in f32", NAIVE, |s| s.floats.sum = lanes::<16>),
    way("f32-blocked", "sums blocks of 128 in f32", NAIVE, |s| s.floats.sum = blocks::<128>),
    way("f32-compensated", "takes along what an addition in f32 rounds off", NAIVE, |s| s.floats.sum = compensated),
    way("f32-greatest-first", "sums in f32, from the greatest to the least", NAIVE, |s| s.floats.sum = greatest_first),
    way("f32-least-first", "sums in f32, from the least to the greatest", NAIVE, |s| s.floats.sum = least_first),

    way("in-type", "sums 16-bit floats in their own type", IN_TYPE, |_| {}),
    way("in-type-reversed", "in their own type, from the last to the first", IN_TYPE, |s| s.floats.sum = reversed),
    way("in-type-pairwise", "in their own type, halves of halves", IN_TYPE, |s| s.floats.sum = pairwise),
    way("in-type-four-lanes", "keeps four sums in their own type", IN_TYPE, |s| s.floats.sum = lanes::<4>),
    way("in-type-eight-lanes", "keeps eight sums in their own type", IN_TYPE, |s| s.floats.sum = lanes::<8>),
    way("in-type-sixteen-lanes", "keeps sixteen sums in their own type", IN_TYPE, |s| s.floats.sum = lanes::<16>),
    way("in-type-blocked", "sums blocks of 128 in their own type", IN_TYPE, |s| s.floats.sum = blocks::<128>),
    way("in-type-compensated", "takes along what an addition in their own type rounds off", IN_TYPE, |s| s.floats.sum = compensated),

    way("squares-in-type-cut", "rounds squares of 16-bit floats to their type, and cuts the result", SQUARES_IN_TYPE_CUT, |_| {}),

    way("scaled-by-the-greatest", "divides by the greatest element, which rounds", NONE, |s| {
        s.floats.scale = by_the_greatest;
        s.floats.width = no_wider;
    }),
    way("f32-scaled", "scales by a power of two and sums in f32", NONE, |s| s.floats.width = no_wider),
    way("f64-scaled-by-the-greatest", "divides f64 by the greatest element, which rounds", NONE, |s| s.floats.scale = by_the_greatest),
    way("narrowed-twice", "rounds sums in f64 to f32 before it rounds them to 16 bits", NONE, |s| {
        s.floats.narrow = |x, format| floats::held(if format.precision < 24 { floats::held(x, FloatFormat::F32) } else { x }, format);
    }),
    way("ties-away", "rounds ties away from zero", NONE, |s| s.floats.narrow = ties_away),
    way("wide-and-naive", "sums f32 in f64, where no square of f32 leaves the range, and does not scale", NONE, |s| {
        s.floats.scale = |elements, width, readings| if elements.iter().all(|x| (1e-60..1e60).contains(&x.abs())) { 1.0 } else { floats::scale(elements, width, readings) };
    }),
];

/// Returns f32, except f64 for f64.
fn no_wider(plan: &Plan, _: &Readings) -> FloatFormat {
    if format(plan.dtype) == FloatFormat::F64 { FloatFormat::F64 } else { FloatFormat::F32 }
}

fn by_the_greatest(elements: &[f64], _: FloatFormat, _: &Readings) -> f64 {
    let greatest = elements.iter().fold(0.0, |greatest: f64, x| greatest.max(x.abs()));
    if greatest == 0.0 || greatest.is_infinite() { 1.0 } else { greatest }
}

#[allow(clippy::float_cmp, reason = "a tie is exactly one")]
fn ties_away(x: f64, format: FloatFormat) -> f64 {
    let even = floats::held(x, format);
    // One bit more than the format identifies a tie: its neighbour away from zero is equally near.
    let away = floats::held(x + (x - even), format);
    if even.abs() < x.abs() && x - even == away - x { away } else { even }
}
