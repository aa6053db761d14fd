//! Cuts a text into sentences, by punctuation alone.
//!
//! The end of a paragraph does not end a sentence, because saved pages lose it. A sentence ends at a full stop, at a
//! colon at the end of a line, or at [`BREAK`], which stands for a picture, for example. A Japanese full stop ends one
//! anywhere. So the same text gives the same sentences in every format.

/// A mark that ends a sentence anywhere.
pub(crate) const BREAK: char = '\u{1e}';

/// Abbreviations, whose full stop does not end a sentence.
const ABBREVIATIONS: [&str; 6] = ["e.g.", "i.e.", "etc.", "vs.", "cf.", "resp."];

/// Returns the sentences of a text, trimmed and not empty.
pub(crate) fn sentences(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let mut sentences = Vec::new();
    let mut from = 0;
    for at in 0..characters.len() {
        if ends(&characters, from, at) {
            sentences.push(characters[from..=at].iter().collect::<String>());
            from = at + 1;
        }
    }
    sentences.push(characters[from..].iter().collect());
    let trimmed =
        sentences.iter().map(|sentence| sentence.trim_matches(|c: char| c.is_whitespace() || c == BREAK));
    // A lone sign, such as a bullet, is not a sentence.
    trimmed.filter(|sentence| sentence.contains(char::is_alphanumeric)).map(str::to_owned).collect()
}

/// Returns true if the character at `at` ends the sentence that began at `from`.
fn ends(characters: &[char], from: usize, at: usize) -> bool {
    let next = |places: usize| characters.get(at + places).copied();
    match characters[at] {
        BREAK | '。' | '．' | '！' | '？' => true,
        // Code also has these signs after brackets: `[Int]?`, `f(x)!`.
        '!' | '?' if at > from && !characters[at - 1].is_alphanumeric() => false,
        '.' | '!' | '?' => {
            let after_word = at > from && !matches!(characters[at - 1], '.' | ' ' | '\n');
            after_word
                && !is_abbreviation(&characters[from..=at])
                && before_a_start(characters[at - 1], [next(1), next(2)])
        }
        // Within a line, a colon introduces the rest of its sentence.
        ':' => next(1).is_none_or(|c| c == '\n'),
        // A saved page may join code to the prose below it.
        ')' => matches!((next(1), next(2)), (Some(a), Some(b)) if a.is_uppercase() && b.is_lowercase()),
        _ => false,
    }
}

/// Returns true if the text after a full stop begins a sentence. Saved pages lose the space before it. Then a
/// lower-case letter must meet a capital and another lower-case letter, unlike in `a.b`, `1.5` and `Enum.CONSTANT`.
fn before_a_start(before: char, [next, second]: [Option<char>; 2]) -> bool {
    match (next, second) {
        (None, _) => true,
        (Some(next), _) if next.is_whitespace() || next == BREAK => true,
        (Some(next), Some(second)) => {
            before.is_lowercase() && next.is_uppercase() && (second.is_lowercase() || second == ' ')
        }
        (Some(_), None) => false,
    }
}

fn is_abbreviation(sentence: &[char]) -> bool {
    // One more character than the longest abbreviation, so that a longer word does not match.
    let word: Vec<char> =
        sentence.iter().rev().take(6).take_while(|c| !c.is_whitespace() && **c != '(').copied().collect();
    let word: String = word.into_iter().rev().collect();
    ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use normative_fuzz_checks::growth::assert_linear;

    #[rstest]
    #[case::plain("One axis. Two axes.", &["One axis.", "Two axes."])]
    #[case::across_lines("One\naxis.\nTwo axes.", &["One\naxis.", "Two axes."])]
    #[case::glued("One axis.Two axes.", &["One axis.", "Two axes."])]
    #[case::glued_to_one_letter("One axis.A list.", &["One axis.", "A list."])]
    #[case::numbers("At most 1.5 of it. So.", &["At most 1.5 of it.", "So."])]
    #[case::constant("It is Kind.COMMON here.", &["It is Kind.COMMON here."])]
    #[case::member("Use x.y or X.Type now.", &["Use x.y or X.Type now."])]
    #[case::abbreviation("Integers, e.g. i8, work. So.", &["Integers, e.g. i8, work.", "So."])]
    #[case::ellipsis("From i0, ..., iN on. So.", &["From i0, ..., iN on.", "So."])]
    #[case::optional_type("let a: [Int]? = nil, b", &["let a: [Int]? = nil, b"])]
    #[case::question("Is it so? It is.", &["Is it so?", "It is."])]
    #[case::bracket("The range is [0, 1]. So.", &["The range is [0, 1].", "So."])]
    #[case::colon_at_the_end("As follows:\nx = 1\nwhere x is.", &["As follows:", "x = 1\nwhere x is."])]
    #[case::colon_within("Required: no", &["Required: no"])]
    #[case::code_and_prose("call(x)Then it ends.", &["call(x)", "Then it ends."])]
    #[case::nested_calls("f(g(x))", &["f(g(x))"])]
    #[case::a_break("One\u{1e}Two", &["One", "Two"])]
    #[case::signs_alone("One. • . Two.", &["One.", "• . Two."])]
    #[case::japanese("軸は1つ。軸は\n2つ。 1.5 まで。", &["軸は1つ。", "軸は\n2つ。", "1.5 まで。"])]
    #[case::nothing(" \n ", &[])]
    fn punctuation_ends_sentences(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(sentences(text), expected);
    }

    #[rstest]
    #[case::sentences("One axis. ")]
    #[case::one_word("a.b")]
    #[case::stops(".")]
    #[case::brackets("(a.)")]
    fn a_text_is_cut_in_linear_time(#[case] part: &str) {
        assert_linear(2_000, |n| part.repeat(n), |text| _ = sentences(text));
    }

    proptest! {
        #[test]
        fn nothing_said_is_lost(text in "[a-zA-Z0-9 .:()\n]{0,60}") {
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            prop_assert_eq!(letters(&sentences(&text).concat()), letters(&text));
        }

        #[test]
        fn any_text_can_be_cut(text: String) {
            prop_assert!(sentences(&text).iter().all(|sentence| !sentence.trim().is_empty()));
        }
    }
}
