//! A part of a run, for distribution to several machines. The name of a call alone decides its part, so it is
//! the same everywhere.

use std::fmt;
use std::str::FromStr;

use crate::random::splitmix64;

/// A part, as `--partition hash:1/4` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The number of the part, from 0.
    pub index: u64,
    /// The number of parts.
    pub of: u64,
}

impl Part {
    /// Returns true if the call of this name is in this part.
    pub fn has(self, name: &str) -> bool {
        let sum = name.bytes().fold(0, |state, byte| splitmix64(state, u64::from(byte)));
        splitmix64(sum, 0) % self.of.max(1) == self.index
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hash:{}/{}", self.index + 1, self.of)
    }
}

impl FromStr for Part {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers = text.strip_prefix("hash:").and_then(|numbers| numbers.split_once('/'));
        let numbers = numbers.and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((i @ 1.., of)) if i <= of => Ok(Self { index: i - 1, of }),
            _ => Err("expected hash:I/N, with I from 1 to N"),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::first("hash:1/4", Some((0, 4)))]
    #[case::last("hash:4/4", Some((3, 4)))]
    #[case::the_whole("hash:1/1", Some((0, 1)))]
    #[case::none("hash:0/4", None)]
    #[case::too_many("hash:5/4", None)]
    #[case::another_method("count:1/4", None)]
    #[case::no_number("hash:a/b", None)]
    fn parts_count_from_one(#[case] text: &str, #[case] expected: Option<(u64, u64)>) {
        let part: Result<Part, _> = text.parse();
        assert_eq!(part.ok().map(|part| (part.index, part.of)), expected);
        if let Ok(part) = part {
            assert_eq!(part.to_string(), text);
        }
    }

    #[test]
    fn every_call_belongs_to_one_part_and_parts_are_alike_in_size() {
        let mut sizes = [0; 4];
        for name in (0..4000).map(|n| format!("case-{n}/f32")) {
            let owners: Vec<u64> = (0..4).filter(|&index| Part { index, of: 4 }.has(&name)).collect();
            assert_eq!(owners.len(), 1, "{name}");
            sizes[owners[0] as usize] += 1;
        }
        assert!(sizes.iter().all(|size| (800..1200).contains(size)), "{sizes:?}");
    }
}
