//! The wording of a sentence: its characters without spaces, markup and typography, and their fingerprint.
//!
//! A fingerprint is a 64-bit digest with a length, which does not reveal the wording. It detects accidental changes
//! only. Spaces, line breaks, quotation marks, kinds of dash, bullets, the width of a Latin letter and a closing full
//! stop do not change it. A changed letter, digit, sign or bracket does.

use std::fmt;
use std::str::FromStr;

use normative_conformance::digest::Digest;

/// The stored form of a sentence, which shows a change and not the wording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) fingerprint: Fingerprint,
    /// The number of characters in the wording.
    pub(crate) length: usize,
}

/// A digest of a sentence or of a section: 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Fingerprint(u64);

/// A text that is not 16 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a fingerprint of 16 hexadecimal digits, got {0:?}")]
pub(crate) struct NotAFingerprint(String);

impl Mark {
    /// Returns the mark of a sentence.
    pub(crate) fn of(sentence: &str) -> Self {
        Self::of_wording(&wording(sentence))
    }

    /// Returns the mark of a sentence that is already reduced to its wording.
    pub(crate) fn of_wording(wording: &str) -> Self {
        let digest = Digest::of(wording.as_bytes());
        Self { fingerprint: Fingerprint(digest.number()), length: wording.chars().count() }
    }
}

impl Fingerprint {
    /// Returns the fingerprint of several sentences from theirs, in order.
    pub(crate) fn of_all(sentences: impl IntoIterator<Item = Self>) -> Self {
        let mut digest = Digest::default();
        sentences.into_iter().for_each(|sentence| digest.add(&sentence.0.to_le_bytes()));
        Self(digest.number())
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for Fingerprint {
    type Err = NotAFingerprint;

    fn from_str(text: &str) -> Result<Self, NotAFingerprint> {
        let is_one = text.len() == 16 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let number = is_one.then(|| u64::from_str_radix(text, 16).ok()).flatten();
        number.map(Self).ok_or_else(|| NotAFingerprint(text.to_owned()))
    }
}

/// Returns the wording of a sentence.
///
/// Spaces do not count: saved pages lose them beside code and add line breaks there. Removing them joins words, which
/// hides only changes of spacing.
pub(crate) fn wording(sentence: &str) -> String {
    let folded: Vec<char> = sentence.chars().filter_map(folded).collect();
    let mut wording = String::new();
    for (at, &character) in folded.iter().enumerate() {
        if !character.is_whitespace() && !is_punctuating_dash(&folded, at) {
            match character {
                '…' => wording.push_str("..."),
                _ => wording.push(character),
            }
        }
    }
    wording.trim_end_matches(CLOSING).to_owned()
}

/// The signs at the end of a sentence that are not part of its wording.
pub(super) const CLOSING: [char; 6] = ['.', ',', ';', ':', '。', '、'];

/// Returns a character in its plain form; `None` for markup or typography.
fn folded(character: char) -> Option<char> {
    match character {
        // Straight and curly quotation marks, including the apostrophe; the code signs of Markdown; bullets; link
        // marks behind headings; marks without width.
        '"'
        | '\''
        | '`'
        | '´'
        | '\u{2018}'..='\u{201f}'
        | '«'
        | '»'
        | '‹'
        | '›'
        | '「'..='』'
        | '•'
        | '◦'
        | '▪'
        | '·'
        | '¶'
        | '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2060}'
        | '\u{feff}' => None,
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Some('-'),
        // Full-width Latin letters, digits and signs.
        '\u{ff01}'..='\u{ff5e}' => {
            u32::from(character).checked_sub(0xff01 - 0x21).and_then(char::from_u32).and_then(folded)
        }
        _ => Some(character),
    }
}

/// Returns true if a dash stands between phrases or before an item of a list. A minus or a hyphen touches its operand,
/// or is followed by a small letter or a digit.
fn is_punctuating_dash(characters: &[char], at: usize) -> bool {
    let space = |at: Option<usize>| at.and_then(|at| characters.get(at)).is_none_or(|c| c.is_whitespace());
    if characters[at] != '-' || !space(at.checked_sub(1)) || !space(Some(at + 1)) {
        return false;
    }
    let first = characters[..at].iter().all(|c| c.is_whitespace());
    let next = characters[at + 1..].iter().find(|c| !c.is_whitespace());
    // Japanese has no capitals, so any of its letters may begin a phrase.
    first || next.is_some_and(|c| c.is_alphabetic() && !c.is_lowercase())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::spaces("one axis,  or\n several", "one axis, or several")]
    #[case::glued_beside_code("the rank ofdata", "the rank of data")]
    #[case::quotes("set ‘axes’ to “x”", "set 'axes' to \"x\"")]
    #[case::code("set `axes` to x", "set 'axes' to x")]
    #[case::dashes("from –1 to −r", "from -1 to -r")]
    #[case::ellipsis("i0, …, iN", "i0, ..., iN")]
    #[case::bullet("• an item", "an item")]
    #[case::list_dash("- an item", "an item")]
    #[case::dash_between_phrases("axes - A list", "axes A list")]
    #[case::full_stop("It is so.", "It is so")]
    #[case::no_break_space("one\u{a0}axis", "one axis")]
    #[case::dash_between_japanese_phrases("axes - 軸", "axes 軸")]
    #[case::wide_signs("軸（１つ）：ｋ", "軸 (1つ): k")]
    #[case::wide_space("軸\u{3000}1", "軸1")]
    #[case::japanese_quotes("「軸」と『値』", "軸と値")]
    #[case::japanese_full_stop("必須。", "必須")]
    fn typography_is_not_wording(#[case] one: &str, #[case] other: &str) {
        assert_eq!(Mark::of(one), Mark::of(other));
    }

    #[rstest]
    #[case::letter("the inputs", "the input")]
    #[case::capital("type T", "type t")]
    #[case::digit("[-r, r-1]", "[-r, r-2]")]
    #[case::sign("[-r, r-1]", "[r, r-1]")]
    #[case::minus_with_spaces("r - 1", "r 1")]
    #[case::bracket("[0, r)", "[0, r]")]
    #[case::underscore("keep_dims", "keepdims")]
    #[case::comparison("a < b", "a > b")]
    #[case::decimal_point("1.5", "15")]
    #[case::order("a, b", "b, a")]
    #[case::long_vowel("カテゴリー", "カテゴリ")]
    #[case::japanese_negation("保持されます", "保持されません")]
    fn a_changed_character_is_wording(#[case] one: &str, #[case] other: &str) {
        assert_ne!(Mark::of(one).fingerprint, Mark::of(other).fingerprint);
    }

    proptest! {
        #[test]
        fn a_fingerprint_reads_back(number: u64) {
            prop_assert_eq!(Fingerprint(number).to_string().parse(), Ok(Fingerprint(number)));
        }

        #[test]
        fn no_text_is_too_odd_for_a_mark(text: String) {
            let mark = Mark::of(&text);
            prop_assert!(mark.length <= 3 * text.chars().count());
            prop_assert_eq!(Mark::of(&wording(&text)), Mark::of(&text));
        }
    }

    #[rstest]
    #[case::short("0123")]
    #[case::capitals("0123456789ABCDEF")]
    #[case::signed("+123456789abcdef")]
    #[case::long("0123456789abcdef0")]
    fn what_is_no_fingerprint_is_refused(#[case] text: &str) {
        assert_eq!(text.parse::<Fingerprint>(), Err(NotAFingerprint(text.to_owned())));
    }

    #[test]
    fn the_order_of_sentences_is_part_of_a_section() {
        let [a, b] = ["One.", "Two."].map(|sentence| Mark::of(sentence).fingerprint);
        assert_ne!(Fingerprint::of_all([a, b]), Fingerprint::of_all([b, a]));
    }
}
