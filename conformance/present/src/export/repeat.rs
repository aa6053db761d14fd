//! Finds the shortest start of a list that gives the list when repeated.

/// Returns the shortest prefix of `all` that gives `all` when it is repeated and cut to the same length.
pub fn shortest<T: PartialEq>(all: &[T]) -> &[T] {
    // borders[i]: the length of the longest proper prefix of all[..=i] that is a suffix of it too.
    let mut borders = vec![0; all.len()];
    let mut length = 0;
    for at in 1..all.len() {
        while length > 0 && all[at] != all[length] {
            length = borders[length - 1];
        }
        if all[at] == all[length] {
            length += 1;
        }
        borders[at] = length;
    }
    &all[..all.len() - length]
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::nothing(&[], 0)]
    #[case::one(&[7], 1)]
    #[case::the_same(&[7, 7, 7], 1)]
    #[case::by_turns(&[1, 2, 1, 2], 2)]
    #[case::cut(&[1, 2, 3, 1, 2, 3, 1], 3)]
    #[case::first_again_at_the_end(&[1, 2, 1], 2)]
    #[case::almost(&[1, 1, 1, 2], 4)]
    #[case::a_border_that_fails_leads_to_a_shorter_one(&[1, 1, 2, 1, 1, 1, 2], 4)]
    fn the_shortest_start_is_taken(#[case] all: &[u8], #[case] length: usize) {
        let start = shortest(all);
        assert_eq!(start.len(), length);
        let again: Vec<u8> = start.iter().copied().cycle().take(all.len()).collect();
        assert_eq!(again, all);
    }
}
