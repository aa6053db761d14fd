//! Checks that comments of Rust files are plain sentences.
//!
//! A comment opens with a verb or a noun, never with a question word, and names the component that it is about. Strings are
//! not checked: a message may quote a question.

/// Words that no paragraph of a comment opens with.
const OPENINGS: [&str; 9] =
    ["What", "How", "Whether", "Where", "Why", "Who", "Whoever", "Nobody", "Somebody"];

/// Words that stand for a component without naming it.
const UNNAMED: [&str; 4] = ["whoever", "nobody", "somebody", "anybody"];

/// Returns what is to be changed in a file: `:LINE: what`.
pub(super) fn against(text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let mut before = None;
    for (at, line) in text.lines().enumerate() {
        let comment = comment(line);
        if let Some((mark, words)) = comment {
            let first = words.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
            if before != Some(mark) && OPENINGS.contains(&first) {
                findings.push(format!(
                    ":{}: expected a comment that opens with a verb or a noun, got {first}",
                    at + 1
                ));
            }
            let mut all = words.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase);
            if let Some(word) = all.find(|word| UNNAMED.contains(&word.as_str())) {
                findings.push(format!(":{}: expected the component's name, got {word}", at + 1));
            }
        }
        before = comment.filter(|(_, words)| !words.is_empty()).map(|(mark, _)| mark);
    }
    findings
}

/// Splits a comment of its own line into its mark and its words, without the mark of a list.
fn comment(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let mark = ["//!", "///", "//"].into_iter().find(|mark| line.starts_with(mark))?;
    let words = line[mark.len()..].trim();
    Some((mark, words.strip_prefix("- ").unwrap_or(words)))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_verb("/// Returns true if dims are kept.\n", &[])]
    #[case::a_question("fn a() {}\n/// Whether dims are kept.\n", &[":2: expected a comment that opens with a verb or a noun, got Whether"])]
    #[case::a_second_line("/// Names the place\n/// Where it stands.\n", &[])]
    #[case::a_second_paragraph("/// Names it.\n///\n/// How it does so.\n", &[":3: expected a comment that opens with a verb or a noun, got How"])]
    #[case::an_item_of_a_list("//! - What it is.\n", &[":1: expected a comment that opens with a verb or a noun, got What"])]
    #[case::a_longer_word("// Whichever comes first.\n", &[])]
    #[case::an_unnamed_reader("// Read by nobody.\n", &[":1: expected the component's name, got nobody"])]
    #[case::a_string("let a = \"What is it? Nobody knows.\";\n", &[])]
    fn a_comment_is_a_plain_sentence(#[case] text: &str, #[case] findings: &[&str]) {
        assert_eq!(against(text), findings);
    }
}
