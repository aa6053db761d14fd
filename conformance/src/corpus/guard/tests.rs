//! Tests refusals and prose: by table, and against the YAML crate.

use proptest::prelude::*;
use rstest::rstest;
use serde_yaml::Value;

use super::*;

fn refused(text: &str) -> Option<(Refusal, usize)> {
    scan(text).refusal
}

#[rstest]
#[case::anchor_on_a_value("a: &x 1", Refusal::Anchor, 1)]
#[case::anchor_on_a_collection("a: &x\n  b: 1", Refusal::Anchor, 1)]
#[case::anchor_on_a_key("&x a: 1", Refusal::Anchor, 1)]
#[case::anchor_in_a_list("- &x a", Refusal::Anchor, 1)]
#[case::anchor_in_brackets("a: [b, &x c]", Refusal::Anchor, 1)]
#[case::anchor_on_the_next_line("a:\n  &x b", Refusal::Anchor, 2)]
#[case::alias("a: 1\nb: *x", Refusal::Alias, 2)]
#[case::alias_in_brackets("a: [*x]", Refusal::Alias, 1)]
#[case::alias_as_key("*x : 1", Refusal::Alias, 1)]
#[case::alias_after_a_quoted_key("\"a\": *x", Refusal::Alias, 1)]
#[case::alias_after_a_json_like_key("{\"a\":*x}", Refusal::Alias, 1)]
#[case::alias_after_a_comment("a: # prose\n  *x", Refusal::Alias, 2)]
#[case::alias_after_a_block_scalar("a: |\n  * prose\nb: *x", Refusal::Alias, 3)]
#[case::alias_after_a_block_scalar_of_blank_lines("a: |\n\n\nb: *x", Refusal::Alias, 4)]
#[case::alias_after_an_indented_block_scalar("a: |2\n    * prose\n * x", Refusal::Alias, 3)]
#[case::alias_below_the_first_line_of_a_block_scalar("a: |\n    b\n  *x", Refusal::Alias, 3)]
#[case::alias_where_a_plain_scalar_has_ended("a:\n  b: c\n  *x : d", Refusal::Alias, 3)]
#[case::alias_after_a_block_scalar_with_a_close_comment("a: |# prose\n*x : b", Refusal::Alias, 2)]
#[case::local_tag("a: !x 1", Refusal::Tag, 1)]
#[case::global_tag("a: !!str 1", Refusal::Tag, 1)]
#[case::verbatim_tag("a: !<x> 1", Refusal::Tag, 1)]
#[case::tag_in_brackets("{a: !x 1}", Refusal::Tag, 1)]
#[case::merge_key("a:\n  <<: {b: 1}", Refusal::MergeKey, 2)]
#[case::merge_key_in_brackets("a: {<<: {b: 1}}", Refusal::MergeKey, 1)]
#[case::document_start("---\na: 1", Refusal::DocumentMarker, 1)]
#[case::second_document("a: 1\n---\na: 2", Refusal::DocumentMarker, 2)]
#[case::document_start_with_text("a: 1\n--- b", Refusal::DocumentMarker, 2)]
#[case::document_start_after_a_block_scalar("a: |\n  b\n---\n", Refusal::DocumentMarker, 3)]
#[case::document_start_after_a_bare_scalar("a\n--- b", Refusal::DocumentMarker, 2)]
#[case::document_start_in_brackets("a: [b\n--- c]", Refusal::DocumentMarker, 2)]
#[case::document_end("a: 1\n...", Refusal::DocumentMarker, 2)]
#[case::directive("%YAML 1.2\n", Refusal::Directive, 1)]
#[case::tab_as_indentation("a:\n\tb: 1", Refusal::Character('\t'), 2)]
#[case::tab_in_prose("a: b\tc", Refusal::Character('\t'), 1)]
#[case::carriage_return_alone("a: 1\n# b\rc: *x", Refusal::Character('\r'), 2)]
#[case::next_line("# b\u{85}c: *x", Refusal::Character('\u{85}'), 1)]
#[case::line_separator("# b\u{2028}c: *x", Refusal::Character('\u{2028}'), 1)]
#[case::byte_order_mark("\u{feff}a: 1", Refusal::Character('\u{feff}'), 1)]
#[case::nul("a: \0", Refusal::Character('\0'), 1)]
fn what_the_corpus_does_without_is_refused(
    #[case] text: &str,
    #[case] refusal: Refusal,
    #[case] line: usize,
) {
    assert_eq!(refused(text), Some((refusal, line)));
    assert_eq!(refused(&text.replace('\n', "\r\n")), Some((refusal, line)), "with CRLF");
}

#[rstest]
#[case::prose("why: a & b")]
#[case::arithmetic("why: -2 * 3, !a, 4 &5")]
#[case::prose_starting_with_a_dash("why: -2 *3 &4")]
#[case::prose_that_goes_on("why: a\n  * 3 is\n  & that\n\n  ! then")]
#[case::prose_that_goes_on_in_a_list("- a\n  &b\n  *c")]
#[case::prose_that_goes_on_below_its_key("why:\n  a\n  *b")]
#[case::prose_in_brackets("{why: a & b *c, d: [e !f]}")]
#[case::prose_that_goes_on_in_brackets("{why: a\n& b,\n c: d}")]
#[case::colons_without_space("why: a:*b, http://c&d")]
#[case::merge_in_prose("why: << and <<: are merges")]
#[case::quoted_merge_value("why: '<<'")]
#[case::single_quotes("a: '*b &c !d'")]
#[case::single_quotes_over_lines("a: '\n  *b\n  &c'")]
#[case::escaped_single_quote("a: 'b'' *c'")]
#[case::double_quotes("a: \"*b &c !d\"")]
#[case::escaped_double_quote("a: \"b\\\" *c\"")]
#[case::escaped_backslash("a: \"b\\\\\"")]
#[case::escaped_line_feed("a: \"b\\\n  *c\"")]
#[case::quotes_inside_prose("why: it's 5\" *wide*")]
#[case::comment("a: 1 # *b &c !d\n# <<: *e\n")]
#[case::comment_between("a:\n# *b\n  c: 1")]
#[case::hash_inside_prose("why: a#b *c")]
#[case::literal("a: |\n  *b\n  &c\n   !d\n\n  # e\n  --- f\ng: 1")]
#[case::folded("a: >-\n  *b\n  &c\ng: 1")]
#[case::literal_with_comment("a: | # *x\n  *b\n")]
#[case::literal_with_indentation("a: |2\n    *b\n  *c\nd: 1")]
#[case::literal_in_a_list("- |\n *b\n- c")]
#[case::literal_with_nothing_after("a: |")]
#[case::dashes_inside_a_line("a: b --- c\nd: ...")]
#[case::dashes_indented("why: a\n  --- b")]
#[case::more_than_three_dashes("----: 1")]
#[case::flow_keys("{a: 1, \"b\":2, 'c': [3]}")]
#[case::nothing("")]
fn prose_is_not_refused(#[case] text: &str) {
    assert_eq!(refused(text), None);
    assert_eq!(refused(&text.replace('\n', "\r\n")), None, "with CRLF");
}

#[test]
fn as_many_brackets_as_allowed_may_be_open() {
    let nested = |depth: usize| format!("a: {}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(refused(&nested(MAX_OPEN_BRACKETS)), None);
    assert_eq!(refused(&nested(MAX_OPEN_BRACKETS + 1)), Some((Refusal::Nesting, 1)));
    let in_turn = format!("[{}]", "[], {}, ".repeat(1000));
    assert_eq!(refused(&in_turn), None, "brackets that closed again do not count");
    assert_eq!(refused(&format!("a: '{}'", "[".repeat(1000))), None, "quoted brackets do not count");
    assert_eq!(refused(&format!("a: b{}", "[".repeat(1000))), None, "brackets in prose do not count");
}

#[test]
fn keys_are_noted_with_line_and_depth() {
    let text = "topic: a\ncases:\n  - id: b\n    data: {shape: [], 'id': c,\n      \"d\":1}\n  - # e\n    id: f\n- g: h: i\n";
    let keys: Vec<_> = scan(text).keys.iter().map(|key| (key.name, key.line, key.depth)).collect();
    let expected = [
        ("topic", 1, 1),
        ("cases", 2, 1),
        ("id", 3, 3),
        ("data", 4, 3),
        ("shape", 4, 4),
        ("'id'", 4, 4),
        ("\"d\"", 5, 4),
        ("id", 7, 3),
    ];
    assert_eq!(keys[..8], expected);
}

#[test]
fn a_key_stands_on_the_line_of_its_colon() {
    assert_eq!(
        scan("{a\n: 1, b c: 2, d\n e: 3}").keys.iter().map(|key| key.name).collect::<Vec<_>>(),
        ["b c"]
    );
}

#[test]
fn a_list_without_indentation_keeps_depths_apart() {
    let keys: Vec<_> = scan("cases:\n- id: a\n  axes: 1\nb: 2").keys.iter().map(|key| key.depth).collect();
    assert_eq!(keys, [1, 2, 2, 1]);
}

#[test]
fn a_quoted_key_is_the_word_between_its_quotes() {
    let outline = scan("'a': 1\n\"b\": 2\nc: 3");
    let is = |word| outline.keys.iter().filter(|key| key.is(word)).count();
    assert_eq!((is("a"), is("b"), is("c"), is("d")), (1, 1, 1, 0));
}

#[rstest]
#[case::alone("a: 1\n  # b \nc: 2", &[("# b", 2)])]
#[case::after_a_value("a: 1 # b\r\nc: [2, # d\n3]", &[("# b", 1), ("# d", 2)])]
#[case::after_a_plain_scalar_of_two_lines("a: b\n  c\n# d", &[("# d", 3)])]
#[case::after_the_header_of_a_block("a: >- # b\n  # c\n\n  # d\n# e", &[("# b", 1), ("# e", 5)])]
#[case::in_text("a: b#c\nd: '# e'\nf: \"\n # g\"", &[])]
fn comments_are_seen_where_they_are_none_of_the_text(#[case] text: &str, #[case] comments: &[(&str, usize)]) {
    let seen: Vec<_> = scan(text).comments.iter().map(|comment| (comment.text, comment.line)).collect();
    assert_eq!(seen, comments);
}

/// Generates texts from pieces that often break scanners.
fn pieces(pieces: &'static [&'static str]) -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(pieces), 0..24).prop_map(|pieces| pieces.concat())
}

#[rustfmt::skip]
const PIECES: &[&str] = &[
    "a", "b: ", "c:", "- ", "? ", ": ", "*a", "* ", "*", "[", "]", "{", "}", ", ", ",", "'", "\"", "\\", "#", " #",
    "|", ">", "|\n", ">-\n", "|2\n", ":\n", "\n", "\n", "\n", "\n ", "\n  ", "\n    ", " ", "  ", "-", "1", "''", "|+",
];

#[rustfmt::skip]
const TAGGED: &[&str] = &[
    "a", "b: ", "c:", "- ", ": ", "!a ", "!a", "[", "]", "{", "}", ", ", "'", "\"", "#", " #", "|\n", ">-\n",
    ":\n", "\n", "\n", "\n ", "\n  ", "\n    ", " ", "-", "1",
];

fn has_tag(value: &Value) -> bool {
    match value {
        Value::Tagged(_) => true,
        Value::Sequence(list) => list.iter().any(has_tag),
        Value::Mapping(map) => map.iter().any(|(key, value)| has_tag(key) || has_tag(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    // Without anchors every alias is an error to the YAML crate, so it shows whether it saw one.
    #[test]
    fn aliases_are_where_the_yaml_crate_sees_them(text in pieces(PIECES)) {
        match serde_yaml::from_str::<Value>(&text) {
            Ok(_) => prop_assert_ne!(refused(&text).map(|(refusal, _)| refusal), Some(Refusal::Alias)),
            Err(error) if error.to_string().contains("unknown anchor") => prop_assert!(refused(&text).is_some()),
            Err(_) => {}
        }
    }

    #[test]
    fn tags_are_where_the_yaml_crate_sees_them(text in pieces(TAGGED)) {
        if let Ok(value) = serde_yaml::from_str::<Value>(&text) {
            match refused(&text) {
                Some((Refusal::Tag, _)) => prop_assert!(has_tag(&value), "saw a tag that is none"),
                Some(_) => {}
                None => prop_assert!(!has_tag(&value), "missed a tag"),
            }
        }
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,40}|[ \\n\\r\\t#&*!|>'\"\\[\\]{}:,?%a0-]{0,60}") {
        let outline = scan(&text);
        prop_assert!(outline.keys.iter().all(|key| key.line <= text.split('\n').count()));
    }
}
