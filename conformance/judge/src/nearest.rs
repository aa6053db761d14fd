//! Suggests known names for a misspelt one, to add to an error.
//!
//! It decides nothing: a name is never replaced by a suggestion.

/// The most names suggested.
const SHOWN: usize = 3;

/// The least likeness of two names, from 0 for nothing in common to 1 for equal names.
const ALIKE: f64 = 0.6;

/// The most that a suggested name may be less alike than the best one.
const SPREAD: f64 = 0.15;

/// The least likeness of a name that contains the other.
const CONTAINED: f64 = 0.75;

/// Returns the known names most like `wanted`, the likest first.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    likest(wanted, known.into_iter().collect())
}

/// Takes a `Vec`, so that it is compiled only once, not for each iterator type.
fn likest<'a>(wanted: &str, known: Vec<&'a str>) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase();
    let mut alike: Vec<(f64, &str)> = Vec::new();
    for name in known {
        let lower = name.to_lowercase();
        // Short words of one or two letters are contained in too many names.
        let contained = |long: &str, short: &str| short.len() > 2 && long.contains(short);
        let is_contained = contained(&lower, &wanted) || contained(&wanted, &lower);
        let likeness = strsim::normalized_damerau_levenshtein(&wanted, &lower);
        let likeness = if is_contained { likeness.max(CONTAINED) } else { likeness };
        if likeness >= ALIKE && !alike.iter().any(|(_, other)| *other == name) {
            alike.push((likeness, name));
        }
    }
    // The sort is stable: equally alike names keep their given order.
    alike.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best = alike.first().map_or(0.0, |(likeness, _)| *likeness);
    let near = alike.into_iter().take_while(|(likeness, _)| *likeness >= best - SPREAD);
    near.take(SHOWN).map(|(_, name)| name).collect()
}

/// Returns "; did you mean `a`, `b` or `c`?", to append to an error, or an empty text if no name is alike.
pub fn did_you_mean<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = nearest(wanted, known).into_iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => format!("; did you mean {one}?"),
        [first @ .., last] => format!("; did you mean {} or {last}?", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const NAMES: [&str; 6] = ["onnxruntime", "ndarray", "ndarray-fold", "numpy", "numpy-norm", "torch"];

    #[rstest]
    #[case::a_letter_left_out("ndaray", "; did you mean `ndarray`?")]
    #[case::two_letters_exchanged("nupmy", "; did you mean `numpy`?")]
    #[case::upper_case("NumPy", "; did you mean `numpy`?")]
    #[case::a_part_of_two("array", "; did you mean `ndarray` or `ndarray-fold`?")]
    #[case::a_part_of_the_name("onnx", "; did you mean `onnxruntime`?")]
    #[case::more_than_the_name("pytorch", "; did you mean `torch`?")]
    #[case::nothing_like_it("paddle", "")]
    #[case::a_letter_is_in_everything("n", "")]
    #[case::nothing("", "")]
    fn the_likest_names_are_suggested(#[case] wanted: &str, #[case] suggestion: &str) {
        assert_eq!(did_you_mean(wanted, NAMES), suggestion);
    }
}
