//! Fills in a template: the text of a file with holes, and with lines that some calls alone have.
//!
//! - `@AXIS@` is a hole. Inserted text is not searched again. A line of holes that are all empty is dropped.
//! - `@if l1 !bf16@` before a line keeps it if every word holds: `!` negates a word, and of `f16|f32` one is enough.
//! - `@if l1@` alone on a line begins a block, which `@else@` may turn, and `@end@` ends. Blocks are not nested.

/// Returns the template with its holes filled in; `holds` says which conditions hold.
///
/// # Errors
/// The error of the first hole that has no text.
pub(crate) fn filled<E>(
    template: &str,
    holds: impl Fn(&str) -> bool,
    hole: impl Fn(&str) -> Result<Option<String>, E>,
) -> Result<String, E> {
    let (mut text, mut in_block) = (String::new(), true);
    for line in template.split_inclusive('\n') {
        let (conditions, line) =
            line.strip_prefix("@if ").and_then(|rest| rest.split_once('@')).unwrap_or(("", line));
        let is_kept = words(conditions).all(|(is_meant, mut any)| any.any(&holds) == is_meant);
        match line {
            "\n" if !conditions.is_empty() => in_block = is_kept,
            "@else@\n" => in_block = !in_block,
            "@end@\n" => in_block = true,
            line if is_kept && in_block => {
                let before = text.len();
                let mut rest = line;
                while let Some((plain, after)) = rest.split_once('@') {
                    text += plain;
                    let inserted = match after.split_once('@') {
                        Some((name, after)) => hole(name)?.map(|inserted| (inserted, after)),
                        None => None,
                    };
                    let (inserted, after) = inserted.unwrap_or_else(|| ("@".into(), after));
                    text += &inserted;
                    rest = after;
                }
                text += rest;
                if text[before..].trim().is_empty() && line != "\n" {
                    text.truncate(before);
                }
            }
            _ => {}
        }
    }
    Ok(text)
}

/// Returns the words of a condition: true if one of the alternatives has to hold, false if none may.
fn words(conditions: &str) -> impl Iterator<Item = (bool, std::str::Split<'_, char>)> {
    conditions.split_whitespace().map(|word| match word.strip_prefix('!') {
        Some(negated) => (false, negated.split('|')),
        None => (true, word.split('|')),
    })
}

/// Returns the words of all conditions of a template, and the names that may be holes.
#[cfg(test)]
pub(crate) fn asked(template: &str) -> (Vec<&str>, Vec<&str>) {
    let is_name =
        |word: &&str| !word.is_empty() && word.chars().all(|c| c.is_ascii_uppercase() || "_0".contains(c));
    let conditions = template.lines().filter_map(|line| line.strip_prefix("@if ")?.split_once('@'));
    let facts = conditions.flat_map(|(conditions, _)| words(conditions)).flat_map(|(_, any)| any);
    (facts.collect(), template.split('@').filter(is_name).collect())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_hole("a @X@ b\n", "a 1 b\n")]
    #[case::of_one_name_in_another("@X@X@XX@\n", "1X@XX@\n")]
    #[case::an_address("x@y and @tensorflow/x@1.2\n", "x@y and @tensorflow/x@1.2\n")]
    #[case::inserted_text_is_not_searched("@AT@\n", "@X@\n")]
    #[case::an_empty_hole_drops_its_line("a\n  @NONE@\n\nb\n", "a\n\nb\n")]
    #[case::an_empty_hole_keeps_what_is_beside_it("a @NONE@\n", "a \n")]
    #[case::a_condition("@if on@a\n@if off@b\n@if !off@c\n", "a\nc\n")]
    #[case::all_words("@if on off@a\n@if on !off@b\n", "b\n")]
    #[case::one_of_several("@if off|on@a\n@if !off|on@b\n", "a\n")]
    #[case::a_block("@if on@\na\n\n@end@\nb\n", "a\n\nb\n")]
    #[case::a_block_that_is_dropped("@if off@\na\n@else@\n@if on@b\n@if off@c\n@end@\nd\n", "b\nd\n")]
    #[case::a_line_of_a_dropped_block("@if off@\n@if on@a\n@end@\nb\n", "b\n")]
    fn lines_and_holes(#[case] template: &str, #[case] text: &str) {
        let hole = |name: &str| {
            Ok::<_, ()>(match name {
                "X" => Some("1".to_owned()),
                "AT" => Some("@X@".to_owned()),
                "NONE" => Some(String::new()),
                _ => None,
            })
        };
        assert_eq!(filled(template, |word| word == "on", hole), Ok(text.to_owned()));
    }

    #[test]
    fn a_hole_without_text_is_an_error_where_its_line_is_kept() {
        let hole = |name: &str| Err(name.to_owned());
        assert_eq!(filled("@if off@@A@\n@B@ @C@\n", |_| false, hole), Err("B".to_owned()));
    }
}
