//! Sums up the accuracy of floats by element type and length of reduction, over all answers, right or wrong.

use std::collections::BTreeMap;

use normative_reference::{Call, Dtype};

use crate::judge::accuracy::{Against, Class};
use crate::judge::compare::Accuracy;

/// The accuracy of the floats of one element type and length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// The loosest class that any element needed; [`Class::Beyond`] if an element is wrong.
    pub class: Class,
    /// The greatest error, in ulp.
    pub worst: f64,
    /// The mean error, in ulp.
    pub mean: f64,
    /// The number of measured elements.
    pub elements: usize,
    /// The number of further elements, allowed only because squares or results leave their range.
    pub outside: usize,
    /// The conditions that errors were measured against; `None` if they differ.
    pub against: Option<Against>,
}

/// The lengths of reduction with one number of digits. Length 0 counts as one digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decade(u32);

impl Decade {
    /// Returns the decade that a number of terms belongs to.
    pub fn of(terms: usize) -> Self {
        Self(terms.checked_ilog10().unwrap_or(0))
    }

    /// Returns the least and the greatest number of terms in it.
    pub fn bounds(self) -> (usize, usize) {
        let least = 10_usize.saturating_pow(self.0);
        (if self.0 == 0 { 0 } else { least }, least.saturating_mul(10) - 1)
    }
}

impl Precision {
    /// Returns the accuracy of both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let sum = self.mean * self.elements as f64 + other.mean * other.elements as f64;
        let elements = self.elements + other.elements;
        Self {
            class: self.class.max(other.class),
            worst: self.worst.max(other.worst),
            mean: sum / elements.max(1) as f64,
            elements,
            outside: self.outside + other.outside,
            // Without a measured element there is nothing that errors were measured against.
            against: match (self.elements, other.elements) {
                (0, _) => other.against,
                (_, 0) => self.against,
                _ => self.against.filter(|against| other.against == Some(*against)),
            },
        }
    }
}

impl From<Accuracy> for Precision {
    fn from(Accuracy { class, worst, sum, errors, outside, against, .. }: Accuracy) -> Self {
        let mean = sum / errors.count.max(1) as f64;
        Self { class, worst, mean, elements: errors.count, outside, against }
    }
}

/// The accuracy of answers, right or wrong, by element type and length of reduction.
#[derive(Clone, Debug, Default)]
pub struct Measured(BTreeMap<(Dtype, Decade), Accuracy>);

impl Measured {
    /// Adds the accuracy of the answer to a call.
    pub fn add(&mut self, call: &Call, accuracy: &Accuracy) {
        let sum = self.0.entry((call.data.dtype(), Decade::of(accuracy.terms)));
        sum.and_modify(|sum| *sum = sum.and(accuracy)).or_insert(*accuracy);
    }

    /// Returns the accuracy reached.
    pub fn precision(&self) -> BTreeMap<(Dtype, Decade), Precision> {
        self.0.iter().map(|(&place, &accuracy)| (place, accuracy.into())).collect()
    }
}
