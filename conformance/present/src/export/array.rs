//! A tensor, bit for bit, in the fewest characters: all elements, a repeated start of them, or the rule by
//! which they were drawn, with the exceptions listed apart.

use std::collections::BTreeMap;

use normative_reference::{Dtype, Tensor};
use serde::Serialize;

use super::repeat::shortest;
use normative_conformance::corpus::Random;
use normative_conformance::display;

/// A tensor, bit for bit.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Array {
    /// Its element type.
    pub dtype: &'static str,
    /// Its dims, row-major.
    pub shape: Vec<usize>,
    /// The bits of its elements, repeated until each element has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<String>,
    /// The rule by which its elements were drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random: Option<Random>,
    /// Elements that differ from those, by their index.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub except: BTreeMap<usize, String>,
}

impl Array {
    /// Encodes a tensor; `random` is the rule by which it may have been drawn, except for single elements.
    pub(super) fn of(tensor: &Tensor, random: Option<Random>) -> Self {
        let (dtype, all) = (tensor.dtype(), tensor.bits());
        let start = shortest(&all);
        let mut best = Self::plain(tensor, Some(words(dtype, start)), None, BTreeMap::new());
        let mut least = cost(dtype, start.len(), 0);
        let mut consider = |base: &[u64], cost_of_base: usize, random: Option<Random>| {
            let differing =
                all.iter().zip(base.iter().cycle()).filter(|(element, base)| element != base).count();
            let cost = cost_of_base + cost(dtype, 0, differing);
            if cost < least {
                let except = all.iter().zip(base.iter().cycle()).enumerate();
                let except = except
                    .filter(|(_, (element, base))| element != base)
                    .map(|(index, (&element, _))| (index, word(dtype, element)))
                    .collect();
                let bits = random.is_none().then(|| words(dtype, base));
                best = Self::plain(tensor, bits, random, except);
                least = cost;
            }
        };
        if let Some(most) = most_common(&all) {
            consider(&[most], cost(dtype, 1, 0), None);
        }
        if let Some((random, drawn)) = random.and_then(|rule| Some((rule, rule.draw(all.len(), dtype)?))) {
            consider(&drawn, RULE, Some(random));
        }
        best
    }

    fn plain(
        tensor: &Tensor,
        bits: Option<String>,
        random: Option<Random>,
        except: BTreeMap<usize, String>,
    ) -> Self {
        Self { dtype: tensor.dtype().name(), shape: tensor.shape().to_vec(), bits, random, except }
    }
}

/// The approximate number of characters of a rule.
const RULE: usize = 60;

/// Returns the approximate number of characters of `listed` elements, and `apart` elements with their index.
fn cost(dtype: Dtype, listed: usize, apart: usize) -> usize {
    let digits = 2 * dtype.size();
    listed * (digits + 1) + apart * (digits + 10)
}

/// Returns the most frequent element.
fn most_common(all: &[u64]) -> Option<u64> {
    let mut sorted = all.to_vec();
    sorted.sort_unstable();
    let most = sorted.chunk_by(|a, b| a == b).max_by_key(|alike| alike.len())?;
    most.first().copied()
}

fn word(dtype: Dtype, bits: u64) -> String {
    display::bits(dtype, bits).trim_start_matches("0x").to_owned()
}

/// Formats the bits of elements in hexadecimal, separated by spaces.
pub(super) fn words(dtype: Dtype, all: &[u64]) -> String {
    let words: Vec<String> = all.iter().map(|&bits| word(dtype, bits)).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(values: &[u64], random: Option<Random>) -> Array {
        Array::of(&Tensor::from_bits(Dtype::U8, &[values.len()], values).unwrap(), random)
    }

    #[test]
    fn what_repeats_is_said_once() {
        assert_eq!(array(&[1, 255, 1, 255, 1], None).bits.as_deref(), Some("01 ff"));
        assert_eq!(array(&[0, 0, 0], None).bits.as_deref(), Some("00"), "no digit of a zero is lost");
        assert_eq!(array(&[], None).bits.as_deref(), Some(""));
    }

    #[test]
    fn rare_elements_are_listed_by_their_index() {
        let mut values = vec![7; 100];
        values[42] = 9;
        let array = array(&values, None);
        assert_eq!(array.bits.as_deref(), Some("07"));
        assert_eq!(array.except, BTreeMap::from([(42, "09".to_owned())]));
    }

    #[test]
    fn a_rule_is_named_where_it_draws_the_elements() {
        let rule = Random { seed: 3, low: 0, high: 200, scale: 0 };
        let mut values = rule.draw(1000, Dtype::U8).unwrap();
        values[5] = 255;
        let drawn = array(&values, Some(rule));
        assert_eq!((drawn.bits.clone(), drawn.random), (None, Some(rule)));
        assert_eq!(drawn.except, BTreeMap::from([(5, "ff".to_owned())]));
        let other = Random { seed: 4, ..rule };
        assert_eq!(
            array(&values, Some(other)).random,
            None,
            "another seed's elements would all be exceptions"
        );
        assert_eq!(
            array(&values[..3], Some(rule)).bits.as_deref().map(str::len),
            Some(8),
            "few elements are spelled out"
        );
    }
}
