//! Makes foreign texts harmless: a backend's name, its words, the contents of a file.
//!
//! A text becomes one line that cannot control a terminal, reverse the writing direction, give a command to a
//! CI runner, or look like a line of ours.

use normative_backend::Identity;

/// The most bytes shown of a text.
const SAID: usize = 2000;

/// The most characters shown of a name, and of a version.
const NAME: usize = 60;

/// Returns the text in one line, cut if long.
pub fn said(text: &str) -> String {
    let mut line = plain(text);
    if line.len() > SAID {
        let all = line.len();
        line.truncate((0..=SAID).rev().find(|&end| line.is_char_boundary(end)).unwrap_or_default());
        line = format!("{line} … ({all} bytes in all)");
    }
    line
}

/// Returns the text in one line, uncut.
pub fn plain(text: &str) -> String {
    inert(text.chars().map(|c| if c.is_control() || is_unseen(c) { ' ' } else { c }).collect())
}

/// Returns a name in quotes and in one line: nothing in it ends the quotes.
pub fn name(text: &str) -> String {
    format!("\"{}\"", short(text))
}

/// Returns name and version of a backend, in the form of [`name`].
pub fn who(Identity { name, version, .. }: &Identity) -> String {
    format!("\"{} {}\"", short(name), short(version))
}

/// Returns the words of a name, separated by blanks, up to the limit: the part between the quotes of [`name`].
pub fn short(text: &str) -> String {
    let text = plain(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    cut(&words.join(" ").replace(is_quote, "'"), NAME)
}

/// Returns the text, with an ellipsis in place of what follows its first `most` characters.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns true for quotes and similar characters.
const fn is_quote(c: char) -> bool {
    matches!(c, '"' | '«' | '»' | '“'..='‟' | '″' | '‶' | '〝'..='〟' | '＂')
}

/// Breaks the commands of CI runners in a line: `::` at its beginning (GitHub, which skips blanks before it),
/// and `##[`, `##vso[` and `##teamcity[` anywhere (GitHub, Azure and `TeamCity`).
pub fn inert(mut line: String) -> String {
    let blanks = line.len() - line.trim_start().len();
    if line[blanks..].starts_with("::") {
        line.insert(blanks + 1, ' ');
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let mut from = line.len();
    while let Some(at) = line[..from].rfind("##") {
        if line[at + 2..].trim_start_matches(is_word).starts_with('[') {
            line.insert(at + 1, ' ');
        }
        from = at + 1;
    }
    line
}

/// Returns true for marks and overrides of direction, joiners, fillers, variant selectors, line separators, the
/// byte-order mark, tags, and characters that XML forbids.
pub const fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::as_it_is("möck 1.2: no axis [7]", "möck 1.2: no axis [7]")]
    #[case::escapes("\x1b[2J\x07a\u{9b}1A", " [2J a 1A")]
    #[case::lines("a\n  7 conform\r\u{2028}b", "a   7 conform  b")]
    #[case::turned_around("a\u{202e}b\u{2067}c\u{200f}", "a b c ")]
    #[case::not_seen("a\u{200b}b\u{feff}c\u{ad}d\u{e0041}", "a b c d ")]
    #[case::a_command_of_github("::error::all is well", ": :error::all is well")]
    #[case::a_command_after_blanks(" \u{200b}\t::warning::x", "   : :warning::x")]
    #[case::a_path_of_rust("no std::vector", "no std::vector")]
    #[case::older_commands(
        "a ##[error]b ##vso[task.x]c ##teamcity[d]",
        "a # #[error]b # #vso[task.x]c # #teamcity[d]"
    )]
    #[case::more_signs("###[error] ####vso[x]", "## #[error] ### #vso[x]")]
    #[case::a_heading("## a [b]", "## a [b]")]
    fn what_somebody_else_said_is_one_line_that_steers_nothing(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(said(text), expected);
        assert_eq!(said(expected), expected);
    }

    #[test]
    fn what_is_long_is_cut_and_says_so() {
        assert_eq!(said(&"é".repeat(1001)), format!("{} … (2002 bytes in all)", "é".repeat(1000)));
        assert_eq!(said(&"é".repeat(1000)), "é".repeat(1000));
    }

    #[rstest]
    #[case::as_it_is("onnxruntime", "\"onnxruntime\"")]
    #[case::a_verdict("x\nconforms: \"y\"", "\"x conforms: 'y'\"")]
    #[case::other_quotes("x” conforms: “y＂", "\"x' conforms: 'y'\"")]
    #[case::far_apart("x\u{2800}\u{3164}  \u{3000}y", "\"x y\"")]
    #[case::long(&"ü".repeat(61), &format!("\"{}…\"", "ü".repeat(60)))]
    #[case::empty(" ", "\"\"")]
    fn a_name_ends_where_its_quotes_end(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(name(text), expected);
    }

    #[test]
    fn a_long_name_hides_no_version() {
        let identity =
            Identity { name: "x".repeat(100), version: "1\"2".into(), report_bugs_to: String::new() };
        assert_eq!(who(&identity), format!("\"{}… 1'2\"", "x".repeat(60)));
    }
}
