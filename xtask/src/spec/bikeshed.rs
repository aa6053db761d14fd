//! Reduces the Bikeshed source of a W3C specification to lines, with shorthands as a reader of the page sees them.
//!
//! It knows only the shorthands in the section on reductions. The published page is not used: Bikeshed adds words to
//! it (types of members, an index). This module knows no specification.

use super::html::{self, HEADING};
use super::sentences::BREAK;

/// Returns the lines of a source.
pub(super) fn lines(source: &str) -> String {
    let mut text = String::new();
    let mut is_idl = false;
    for line in source.lines().map(str::trim) {
        if let Some(title) = line.strip_prefix("##") {
            let title = title.trim_start_matches('#').split(" #").next().unwrap_or_default();
            text.push(HEADING);
            text.push_str(&spoken(title.trim()));
        } else if line.starts_with("<script") || line.starts_with("</script") {
            is_idl = line.starts_with("<script");
        } else if is_idl {
            text.push_str(line);
            text.push(BREAK);
        } else {
            // An entry of a definition list: a term or its meaning.
            let item = line.strip_prefix("::").or_else(|| line.strip_prefix(": ")).unwrap_or(line);
            text.push_str(html::lines(&spoken(item)).trim());
            if line.starts_with('<') {
                // A cell of a table, or the start or end of a block.
                text.push(BREAK);
            }
        }
        text.push('\n');
    }
    text
}

/// Removes shorthands from a line: `{{A/b}}` and `[=A/b=]` become `b`, `[=a|b=]` becomes `b`, `|x|` and `*x*` become
/// `x`.
fn spoken(line: &str) -> String {
    let mut said = line.to_owned();
    for (open, close) in [("{{", "}}"), ("[=", "=]")] {
        while let Some((before, rest)) = said.split_once(open) {
            let Some((within, after)) = rest.split_once(close) else { break };
            let shown = within.rsplit(['|', '/']).next().unwrap_or_default();
            said = format!("{before}{shown}{after}");
        }
    }
    let is_times = |at: usize| said[..at].ends_with(' ') && said[at + 1..].starts_with(' ');
    let kept = said.char_indices().filter(|&(at, c)| c != '|' && (c != '*' || is_times(at)));
    kept.map(|(_, c)| c).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::member("See {{Options/axes}}.", "See axes.")]
    #[case::value("A {{Type/\"f32\"}}.", "A \"f32\".")]
    #[case::argument("Of {{Maker/sum(a, b)/a}}.", "Of a.")]
    #[case::term("Its [=operand/rank=].", "Its rank.")]
    #[case::term_in_other_words("Any [=/any rank|N=].", "Any N.")]
    #[case::variable("Let |x| be |y|[|z|].", "Let x be y[z].")]
    #[case::stress("**All** of *these*, a * b.", "All of these, a * b.")]
    #[case::half_a_shorthand("An {{open one.", "An {{open one.")]
    fn a_shorthand_is_what_its_reader_sees(#[case] line: &str, #[case] shown: &str) {
        assert_eq!(spoken(line), shown);
    }

    #[test]
    fn a_source_is_headings_and_lines() {
        let source = "### A title ### {#id}\nText.\n\n<script type=idl>\nlist<[R] long> axes;\n</script>\n\
                      : <dfn>axes</dfn>\n::\n    Its meaning.\n<td>cell</td>\n";
        let lines = lines(source).replace(BREAK, "^").replace(HEADING, "@");
        let said: Vec<&str> = lines.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(said, ["@A title", "Text.", "list<[R] long> axes;^", "axes", "Its meaning.", "cell^"]);
    }

    proptest! {
        #[test]
        fn no_source_is_too_odd(source: String, markup in "[<>a-z/=\"|{}*\\[\\]:.# \n_-]{0,200}") {
            lines(&source);
            lines(&markup);
        }
    }
}
