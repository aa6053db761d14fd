//! Says in plain words why a text does not have the fields that were expected.
//!
//! Libraries that read YAML and JSON speak of their own types (`expected struct Entry`). What they say of fields and of
//! places is kept.

use std::fmt::Display;

use crate::nearest::did_you_mean;

/// Syntax errors that often come from a text that has to be in quotes.
const UNQUOTED: [&str; 3] = [
    "mapping values are not allowed in this context",
    "found character that cannot start any token",
    "block sequence entries are not allowed in this context",
];

/// Returns such a library's message as `expected X, got Y`.
pub fn said(error: impl Display) -> String {
    let error = error.to_string();
    let (text, place) = error.split_at(error.rfind(" at line ").unwrap_or(error.len()));
    let told = |(path, rest): (&str, &str)| {
        let (got, expected) = rest.rsplit_once(", expected ")?;
        Some(format!("{path}expected {}, got {}", wanted(expected), found(got)))
    };
    let cut = |text: &'_ str, words: &str| {
        let at = text.find(words)?;
        told((&text[..at], &text[at + words.len()..]))
    };
    let missing = || {
        let (path, field) = text.split_once("missing field ")?;
        Some(format!("{path}expected {field}, got none"))
    };
    let plain = cut(text, "invalid type: ").or_else(|| cut(text, "invalid value: ")).or_else(missing);
    let unknown = || {
        let (path, rest) = text.split_once("unknown field `")?;
        let (name, fields) = rest.split_once("`, expected ")?;
        let near = did_you_mean(name, fields.split('`').skip(1).step_by(2));
        (!near.is_empty()).then(|| format!("{path}unknown field `{name}`{near}"))
    };
    let unquoted = || {
        let is_so = UNQUOTED.iter().any(|words| text.starts_with(words));
        is_so.then(|| format!("{text}; a text with `: `, or that begins with a sign, is in quotes"))
    };
    plain.or_else(unknown).or_else(unquoted).map_or_else(|| error.clone(), |plain| plain + place)
}

/// Returns plain words for a type of a library.
fn wanted(words: &str) -> &str {
    match words {
        "a sequence" => "a list",
        "a string" => "a text",
        "a boolean" => "true or false",
        "usize" | "u64" => "an integer of 0 to 18446744073709551615",
        "i32" => "an integer of -2147483648 to 2147483647",
        "i64" => "an integer of -9223372036854775808 to 9223372036854775807",
        words if words.starts_with("struct ") => "a map of fields",
        words => words,
    }
}

/// Returns plain words for a value that was found.
fn found(words: &str) -> String {
    match words {
        "sequence" => "a list".to_owned(),
        "map" => "a map".to_owned(),
        "unit value" | "null" => "null".to_owned(),
        words => {
            let kinds = ["string ", "integer ", "floating point ", "boolean "];
            let value = kinds.iter().find_map(|kind| words.strip_prefix(kind)).unwrap_or(words);
            value.trim_end_matches(" as u128").trim_end_matches(" as i128").to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_map("invalid type: sequence, expected struct CaseFile", "expected a map of fields, got a list")]
    #[case::path_and_place(
        "cases[0].expect: invalid type: integer `7`, expected struct Expect at line 9 column 13",
        "cases[0].expect: expected a map of fields, got `7` at line 9 column 13"
    )]
    #[case::a_list("invalid type: string \"f32\", expected a sequence", "expected a list, got \"f32\"")]
    #[case::null("invalid type: unit value, expected a string", "expected a text, got null")]
    #[case::a_range(
        "invalid value: integer `-2`, expected usize",
        "expected an integer of 0 to 18446744073709551615, got `-2`"
    )]
    #[case::own_words(
        "x: invalid type: map, expected null, a list, or a word",
        "x: expected null, a list, or a word, got a map"
    )]
    #[case::a_comma_in_the_value(
        "invalid type: string \"a, expected b\", expected i64",
        "expected an integer of -9223372036854775808 to 9223372036854775807, got \"a, expected b\""
    )]
    #[case::missing("cases[1].data: missing field `shape`", "cases[1].data: expected `shape`, got none")]
    #[case::of_fields(
        "unknown field `x`, expected one of `a`, `b`",
        "unknown field `x`, expected one of `a`, `b`"
    )]
    #[case::a_wide_integer(
        "n: invalid type: integer `99999999999999999999` as u128, expected i32",
        "n: expected an integer of -2147483648 to 2147483647, got `99999999999999999999`"
    )]
    #[case::a_near_field(
        "unknown field `keepdims`, expected one of `keep_dims`, `data`",
        "unknown field `keepdims`; did you mean `keep_dims`?"
    )]
    #[case::prose(
        "mapping values are not allowed in this context at line 4 column 9",
        "mapping values are not allowed in this context; a text with `: `, or that begins with a sign, is in quotes at line 4 column 9"
    )]
    #[case::of_the_syntax("expected value at line 1 column 1", "expected value at line 1 column 1")]
    fn a_reader_speaks_of_what_a_text_has(#[case] error: &str, #[case] words: &str) {
        assert_eq!(said(error), words);
    }
}
