//! A tensor of exact reals and the accepted floats, as columns: a list for each property of an element.

use normative_reference::{FloatFormat, Near, Real, Value};
use serde::Serialize;

use super::array::words;
use super::repeat::shortest;
use normative_conformance::judge::accuracy::Class;
use normative_conformance::judge::accuracy::accepted::{Accepted, accepted_at};
use normative_conformance::judge::accuracy::signed::place;

/// A tensor of floats near exact reals. Each list is repeated until every element has an entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Reals {
    /// Its element type.
    pub dtype: &'static str,
    /// Its dims, row-major.
    pub shape: Vec<usize>,
    /// The number of elements that go into each.
    pub terms: usize,
    /// An exact value is `significand · 2^exponent`, or its square root; `inf`, `-inf` and `NaN` are literal.
    pub significands: String,
    /// The powers of two.
    pub exponents: Vec<i32>,
    /// True for each value that is a square root.
    pub roots: Vec<bool>,
    /// The bits of the nearest floats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
    /// For each accuracy class, from the tightest, the accepted distances from the nearest float.
    pub accepted: Vec<ClassBounds>,
}

/// The floats that one accuracy class accepts.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ClassBounds {
    /// The class. `vacuous` is for lengths where the any-order bound allows any answer; it never fails a backend.
    pub class: &'static str,
    /// The number of floats from the least accepted one to the nearest; null if the class accepts no float.
    pub below: Vec<Option<Offset>>,
    /// The number of floats from the nearest to the greatest accepted one.
    pub above: Vec<Option<Offset>>,
    /// True if zero is also accepted, outside that range.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub or_zero: Vec<bool>,
    /// True if infinity is also accepted, outside that range.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub or_infinite: Vec<bool>,
}

/// A number of floats. Beyond 2^53, where JavaScript loses digits, it is a string.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Offset {
    /// A number of at most 53 bits.
    Near(i64),
    /// A larger one, in decimal.
    Far(String),
}

impl Offset {
    fn between(from: i64, to: i64) -> Self {
        let steps = i128::from(to) - i128::from(from);
        match i64::try_from(steps) {
            Ok(steps) if steps.unsigned_abs() <= 1 << 53 => Self::Near(steps),
            _ => Self::Far(steps.to_string()),
        }
    }
}

impl Reals {
    pub(super) fn of(near: &Near, format: FloatFormat) -> Self {
        let (mut significands, mut exponents, mut roots) = (Vec::new(), Vec::new(), Vec::new());
        for value in &near.values {
            let (significand, exponent, root) = match value {
                Value::Finite(Real { significand, exponent, root, negative }) => {
                    (format!("{}{significand}", if *negative { "-" } else { "" }), *exponent, *root)
                }
                Value::Infinite => ("inf".to_owned(), 0, false),
                Value::NegativeInfinite => ("-inf".to_owned(), 0, false),
                Value::Nan => ("NaN".to_owned(), 0, false),
            };
            significands.push(significand);
            exponents.push(exponent);
            roots.push(root);
        }
        let nearest: Vec<u64> = near.values.iter().map(|value| value.round(format)).collect();
        Self {
            dtype: near.dtype.name(),
            shape: near.shape.clone(),
            terms: near.terms,
            significands: shortest(&significands).join(" "),
            exponents: shortest(&exponents).to_vec(),
            roots: shortest(&roots).to_vec(),
            nearest: Some(words(near.dtype, shortest(&nearest))),
            accepted: classes(near, format, &nearest),
        }
    }
}

fn classes(near: &Near, format: FloatFormat, nearest: &[u64]) -> Vec<ClassBounds> {
    let of = |class| -> Vec<Option<Accepted>> {
        (0..near.values.len()).map(|at| accepted_at(near, at, format, None, class)).collect()
    };
    let mut classes: Vec<_> = Class::DEMANDED.into_iter().map(|class| (class, of(class))).collect();
    // Left out if it accepts no more than any-order.
    let vacuous = of(Class::Vacuous);
    if vacuous != of(Class::AnyOrder) {
        classes.push((Class::Vacuous, vacuous));
    }
    classes.into_iter().map(|(class, accepted)| bounds(class, &accepted, nearest, format)).collect()
}

fn bounds(class: Class, accepted: &[Option<Accepted>], nearest: &[u64], format: FloatFormat) -> ClassBounds {
    let between = |from, to| Offset::between(place(from, format), place(to, format));
    let column = |offset: &dyn Fn(Accepted, u64) -> Offset| {
        let one =
            |(accepted, &nearest): (&Option<Accepted>, &u64)| accepted.map(|bounds| offset(bounds, nearest));
        shortest(&accepted.iter().zip(nearest).map(one).collect::<Vec<_>>()).to_vec()
    };
    let flags = |flag: &dyn Fn(Accepted) -> bool| {
        let all: Vec<bool> = accepted.iter().map(|accepted| accepted.is_some_and(flag)).collect();
        if all.contains(&true) { shortest(&all).to_vec() } else { Vec::new() }
    };
    ClassBounds {
        class: class.name(),
        below: column(&|bounds, nearest| between(bounds.low, nearest)),
        above: column(&|bounds, nearest| between(nearest, bounds.high)),
        or_zero: flags(&|bounds| bounds.or_zero),
        or_infinite: flags(&|bounds| bounds.or_infinite),
    }
}
