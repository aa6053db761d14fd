//! Escapes text for markup, for a script element, and for the eye.
//!
//! A backend's text may hold anything of any length. It cannot end an element or a string, or change the
//! direction of writing.

use std::fmt::Write as _;

use normative_conformance::display::{inert, is_unseen};

/// The most characters of a text that are shown: texts that a report has cut itself, such as 64 doubles, fit.
const LONGEST: usize = 2000;

/// Escapes a text for an element or a quoted attribute.
pub(crate) fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Escapes JSON for a script element: it cannot end the element, open a comment, end a line, or form a CI command.
pub(crate) fn script(json: &str) -> String {
    json.replace("##", "#\\u0023")
        .replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// Makes a text visible: it names characters that are invisible or change the direction of writing, and cuts
/// a text that is too long.
pub(crate) fn visible(text: &str) -> String {
    let mut seen = String::new();
    for c in text.chars().take(LONGEST) {
        if c == '\n' || !(c.is_control() || is_unseen(c)) {
            seen.push(c);
        } else {
            let _ = write!(seen, "‹U+{:04X}›", u32::from(c));
        }
    }
    let all = text.chars().count();
    if all > LONGEST {
        let _ = write!(seen, " … ({all} characters in all)");
    }
    seen.split('\n').map(|line| inert(line.to_owned())).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::an_element("</script><b>", "&lt;/script&gt;&lt;b&gt;")]
    #[case::an_attribute("\" onload='x'", "&quot; onload=&#39;x&#39;")]
    #[case::an_escape_of_its_own("&lt;", "&amp;lt;")]
    #[case::letters("‖x‖₂ ≥ 0", "‖x‖₂ ≥ 0")]
    fn markup_is_written_out(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(html(text), expected);
    }

    #[rstest]
    #[case::the_end_of_a_script("</script>")]
    #[case::a_comment("<!--")]
    #[case::line_separators("\u{2028}\u{2029}")]
    #[case::quotes("\\\"</ScRiPt\t>")]
    #[case::a_command("##[error]###vso[x]")]
    fn json_in_a_script_says_the_same_and_ends_nothing(#[case] text: &str) {
        let json = script(&serde_json::to_string(text).unwrap());
        assert!(!json.contains(['<', '\u{2028}', '\u{2029}']) && !json.contains("##"), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }

    #[rstest]
    #[case::an_override("abc\u{202e}def", "abc‹U+202E›def")]
    #[case::an_isolate("\u{2067}x\u{2069}", "‹U+2067›x‹U+2069›")]
    #[case::nothing_seen("a\u{200b}b\u{feff}", "a‹U+200B›b‹U+FEFF›")]
    #[case::a_tag("\u{e0041}", "‹U+E0041›")]
    #[case::a_bell("\u{7}", "‹U+0007›")]
    #[case::no_characters("\u{fffe}\u{ffff}", "‹U+FFFE›‹U+FFFF›")]
    #[case::other_scripts("שלום\nмир", "שלום\nмир")]
    fn what_turns_writing_around_or_is_not_seen_is_named(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(visible(text), expected);
    }

    #[test]
    fn a_megabyte_is_cut_and_says_so() {
        let seen = visible(&"ü".repeat(1 << 20));
        assert!(seen.ends_with("ü … (1048576 characters in all)"), "{seen}");
        assert!(seen.chars().count() < LONGEST + 50);
    }
}
