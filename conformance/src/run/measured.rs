//! How near floats came, per element type and length of reduction, over all answers, right or wrong.

use std::collections::BTreeMap;

use normative_reference::{Call, Dtype};

use crate::judge::accuracy::{Against, Class};
use crate::judge::compare::Accuracy;

/// How near the floats of one element type and length came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// The loosest class any element needed; [`Class::Beyond`] where one is wrong.
    pub class: Class,
    /// The greatest error, in ulp.
    pub worst: f64,
    /// The mean error, in ulp.
    pub mean: f64,
    /// How many elements were measured.
    pub elements: usize,
    /// How many more are allowed only because squares, or results, leave their range.
    pub outside: usize,
    /// What errors were measured against; `None` where that is not the same for all.
    pub against: Option<Against>,
}

/// Lengths of reduction with as many digits; a reduction of nothing is among those of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decade(u32);

impl Decade {
    /// The decade that a number of terms belongs to.
    pub fn of(terms: usize) -> Self {
        Self(terms.checked_ilog10().unwrap_or(0))
    }

    /// The least and the greatest number of terms in it.
    pub fn bounds(self) -> (usize, usize) {
        let least = 10_usize.saturating_pow(self.0);
        (if self.0 == 0 { 0 } else { least }, least.saturating_mul(10) - 1)
    }
}

impl From<Accuracy> for Precision {
    fn from(Accuracy { class, worst, sum, errors, outside, against, .. }: Accuracy) -> Self {
        let mean = sum / errors.count.max(1) as f64;
        Self { class, worst, mean, elements: errors.count, outside, against }
    }
}

/// What was measured of answers, right or wrong, per element type and length of reduction.
#[derive(Clone, Debug, Default)]
pub struct Measured(BTreeMap<(Dtype, Decade), Accuracy>);

impl Measured {
    /// Adds what was measured of the answer to a call.
    pub fn add(&mut self, call: &Call, accuracy: &Accuracy) {
        let sum = self.0.entry((call.data.dtype(), Decade::of(accuracy.terms)));
        sum.and_modify(|sum| *sum = sum.and(accuracy)).or_insert(*accuracy);
    }

    /// The accuracy reached.
    pub fn precision(&self) -> BTreeMap<(Dtype, Decade), Precision> {
        self.0.iter().map(|(&place, &accuracy)| (place, accuracy.into())).collect()
    }
}
