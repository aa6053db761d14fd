//! Compares a text with its stored form: sentences are unchanged, reworded, moved, new or gone.
//!
//! Within a section, sentences are matched by fingerprint, in order. Of the rest, a sentence found elsewhere has
//! moved. Those left between the same two neighbours are paired as reworded, by the most similar lengths. A change
//! names the clauses that rest on the sentence, and those that rest on the silence of its section. If a sentence came
//! or went, it also names those that rest on the silence of a section above.

use std::collections::BTreeSet;

use super::outline::Section;
use super::sources::{Stored, StoredSection};
use super::words::Mark;

/// The kind of a sentence's change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum How {
    Reworded,
    Moved,
    New,
    Gone,
}

impl Change {
    /// Returns every clause that the change touches, each once.
    pub(crate) fn touched(&self) -> impl Iterator<Item = &String> {
        self.clauses.iter().chain(&self.silent)
    }
}

impl How {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Reworded => "reworded",
            Self::Moved => "moved",
            Self::New => "new",
            Self::Gone => "gone",
        }
    }
}

/// A place in a text: a section and a sentence of it, both from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) section: usize,
    pub(crate) sentence: usize,
}

/// The change of one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) how: How,
    /// The section, and the sentence's number in it from 1: in the current text, or in the stored one if gone.
    pub(crate) section: String,
    pub(crate) number: usize,
    /// The place in the stored text.
    pub(crate) was: Option<Place>,
    /// The place in the current text.
    pub(crate) now: Option<Place>,
    /// The clauses that rest on the sentence.
    pub(crate) clauses: Vec<String>,
    /// The clauses that rest on a silence that the change may have ended.
    pub(crate) silent: Vec<String>,
}

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// The number of unchanged sentences.
    pub(crate) unchanged: usize,
    /// The changes, in the order of the current text; sentences that are gone come last.
    pub(crate) changes: Vec<Change>,
    /// The places of unchanged and reworded sentences in the stored and the current text.
    pub(crate) pairs: Vec<(Place, Place)>,
}

/// Compares the sections of a text with the stored ones.
pub(crate) fn compare(stored: &[StoredSection], now: &[Section]) -> Comparison {
    let is = |place: Place| Mark::of(&now[place.section].sentences[place.sentence]);
    let was = |place: Place| stored[place.section].sentences[place.sentence].mark;
    let mut same: Vec<(Place, Place)> = Vec::new();
    for (at, section) in stored.iter().enumerate() {
        let Some(to) = now.iter().position(|other| other.name == section.name) else { continue };
        let old: Vec<Mark> = section.sentences.iter().map(|sentence| sentence.mark).collect();
        let new: Vec<Mark> = now[to].sentences.iter().map(|sentence| Mark::of(sentence)).collect();
        same.extend(
            common(&old, &new)
                .into_iter()
                .map(|(a, b)| (Place { section: at, sentence: a }, Place { section: to, sentence: b })),
        );
    }
    let unchanged = same.len();
    let taken =
        |pairs: &[(Place, Place)]| -> (BTreeSet<Place>, BTreeSet<Place>) { pairs.iter().copied().unzip() };
    let (old_taken, new_taken) = taken(&same);
    let mut old: Vec<Place> = places(stored.iter().map(|section| section.sentences.len()));
    let mut new: Vec<Place> = places(now.iter().map(|section| section.sentences.len()));
    old.retain(|place| !old_taken.contains(place));
    new.retain(|place| !new_taken.contains(place));

    let mut moved: Vec<(Place, Place)> = Vec::new();
    for &from in &old {
        let near = |to: &&Place| now[to.section].name != stored[from.section].name;
        let mut found: Vec<&Place> = new.iter().filter(|to| is(**to) == was(from)).collect();
        found.retain(|to| !moved.iter().any(|(_, taken)| taken == *to));
        found.sort_by_key(near);
        moved.extend(found.first().map(|to| (from, **to)));
    }
    let (old_moved, new_moved) = taken(&moved);
    old.retain(|place| !old_moved.contains(place));
    new.retain(|place| !new_moved.contains(place));

    let mut reworded: Vec<(Place, Place)> = Vec::new();
    for (at, section) in stored.iter().enumerate() {
        let Some(to) = now.iter().position(|other| other.name == section.name) else { continue };
        let anchors =
            same.iter().filter(|(from, _)| from.section == at).map(|(from, to)| (from.sentence, to.sentence));
        let ends = anchors.chain([(usize::MAX, usize::MAX)]);
        let (mut from_old, mut from_new) = (0, 0);
        for (end_old, end_new) in ends {
            let within = |places: &[Place], section, from, end| -> Vec<Place> {
                let here = |place: &&Place| place.section == section && (from..end).contains(&place.sentence);
                places.iter().filter(here).copied().collect()
            };
            let (a, b) = (within(&old, at, from_old, end_old), within(&new, to, from_new, end_new));
            let lengths = |places: &[Place], of: &dyn Fn(Place) -> Mark| -> Vec<usize> {
                places.iter().map(|&place| of(place).length).collect()
            };
            let chosen = alike(&lengths(&a, &was), &lengths(&b, &is));
            reworded.extend(chosen.into_iter().map(|(x, y)| (a[x], b[y])));
            (from_old, from_new) = (end_old.saturating_add(1), end_new.saturating_add(1));
        }
    }
    let (old_reworded, new_reworded) = taken(&reworded);
    old.retain(|place| !old_reworded.contains(place));
    new.retain(|place| !new_reworded.contains(place));

    let change = |how, was: Option<Place>, at: Option<Place>| {
        let (section, number) = match (at, was) {
            (Some(at), _) => (now[at.section].name.clone(), at.sentence + 1),
            (None, Some(was)) => (stored[was.section].name.clone(), was.sentence + 1),
            (None, None) => Default::default(),
        };
        let own = was.map(|was| &stored[was.section].sentences[was.sentence]);
        let clauses: Vec<String> = own.map(|own: &Stored| own.clauses.clone()).unwrap_or_default();
        let left = was.map(|was| stored[was.section].name.as_str());
        let names = [Some(section.as_str()), left].into_iter().flatten();
        let mut seen: BTreeSet<String> = clauses.iter().cloned().collect();
        let silent = names.flat_map(|name| silent(stored, name, how != How::Reworded));
        let silent = silent.filter(|clause| seen.insert(clause.clone())).collect();
        Change { how, section, number, was, now: at, clauses, silent }
    };
    let mut changes: Vec<Change> = Vec::new();
    changes.extend(reworded.iter().map(|&(from, to)| change(How::Reworded, Some(from), Some(to))));
    changes.extend(moved.iter().map(|&(from, to)| change(How::Moved, Some(from), Some(to))));
    changes.extend(new.iter().map(|&to| change(How::New, None, Some(to))));
    changes.extend(old.iter().map(|&from| change(How::Gone, Some(from), None)));
    changes.sort_by_key(|change| (change.now.is_none(), change.now, change.was));
    let pairs = same.into_iter().chain(reworded).collect();
    Comparison { unchanged, changes, pairs }
}

/// Returns the clauses that rest on the silence of a section, and with `above` also on that of sections above it.
fn silent(stored: &[StoredSection], name: &str, above: bool) -> Vec<String> {
    let is_it = |section: &&StoredSection| {
        let rest = name.strip_prefix(&section.name);
        rest.is_some_and(|rest| rest.is_empty() || (above && rest.starts_with('/')))
    };
    stored.iter().filter(is_it).flat_map(|section| section.silent.iter().cloned()).collect()
}

fn places(lengths: impl Iterator<Item = usize>) -> Vec<Place> {
    let section = |(section, length)| (0..length).map(move |sentence| Place { section, sentence });
    lengths.enumerate().flat_map(section).collect()
}

/// Returns the longest common subsequence, as pairs of places.
fn common(old: &[Mark], new: &[Mark]) -> Vec<(usize, usize)> {
    let mut longest = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            longest[a][b] = if old[a] == new[b] {
                longest[a + 1][b + 1] + 1
            } else {
                longest[a + 1][b].max(longest[a][b + 1])
            };
        }
    }
    let (mut a, mut b, mut pairs) = (0, 0, Vec::new());
    while a < old.len() && b < new.len() {
        if old[a] == new[b] {
            pairs.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if longest[a + 1][b] >= longest[a][b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    pairs
}

/// Pairs every item of the shorter list with one of the longer, in order, with the least sum of differences in length.
fn alike(old: &[usize], new: &[usize]) -> Vec<(usize, usize)> {
    if old.len() > new.len() {
        return alike(new, old).into_iter().map(|(a, b)| (b, a)).collect();
    }
    // The least sum for the first `a` of the shorter list among the first `b` of the longer.
    let mut least = vec![vec![usize::MAX; new.len() + 1]; old.len() + 1];
    least[0].fill(0);
    for a in 1..=old.len() {
        for b in a..=new.len() {
            let paired = least[a - 1][b - 1].saturating_add(old[a - 1].abs_diff(new[b - 1]));
            least[a][b] = paired.min(least[a][b - 1]);
        }
    }
    let (mut a, mut b, mut pairs) = (old.len(), new.len(), Vec::new());
    while a > 0 {
        if b > a && least[a][b - 1] == least[a][b] {
            b -= 1;
        } else {
            pairs.push((a - 1, b - 1));
            (a, b) = (a - 1, b - 1);
        }
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn now(sections: &[Vec<String>]) -> Vec<Section> {
        let named = sections.iter().enumerate();
        named
            .map(|(at, sentences)| Section { name: format!("s{at}"), sentences: sentences.clone() })
            .collect()
    }

    fn stored(sections: &[Vec<String>]) -> Vec<StoredSection> {
        let sentence = |said: &String| Stored { mark: Mark::of(said), clauses: vec![said.clone()] };
        let section = |section: Section| StoredSection {
            sentences: section.sentences.iter().map(sentence).collect(),
            name: section.name,
            silent: Vec::new(),
        };
        now(sections).into_iter().map(section).collect()
    }

    fn text() -> impl Strategy<Value = Vec<Vec<String>>> {
        prop::collection::vec(prop::collection::vec("[a-e]{1,3}", 0..6), 0..4)
    }

    fn count(comparison: &Comparison, hows: &[How]) -> usize {
        comparison.changes.iter().filter(|change| hows.contains(&change.how)).count()
    }

    proptest! {
        #[test]
        fn a_text_compares_equal_to_itself(text in text()) {
            let comparison = compare(&stored(&text), &now(&text));
            prop_assert_eq!(comparison.unchanged, text.concat().len());
            prop_assert_eq!(comparison.changes, []);
        }

        #[test]
        fn every_sentence_of_both_texts_is_accounted_for(old in text(), new in text()) {
            let comparison = compare(&stored(&old), &now(&new));
            let both = comparison.unchanged + count(&comparison, &[How::Reworded, How::Moved]);
            prop_assert_eq!(both + count(&comparison, &[How::Gone]), old.concat().len());
            prop_assert_eq!(both + count(&comparison, &[How::New]), new.concat().len());
        }

        #[test]
        fn what_is_gone_or_reworded_is_nowhere_unmatched(old in text(), new in text()) {
            let comparison = compare(&stored(&old), &now(&new));
            let came: Vec<&String> = comparison.changes.iter()
                .filter(|change| matches!(change.how, How::New | How::Reworded))
                .filter_map(|change| change.now)
                .map(|at| &new[at.section][at.sentence])
                .collect();
            for change in comparison.changes.iter().filter(|change| matches!(change.how, How::Gone | How::Reworded)) {
                // The test gives each sentence a clause that is its own text.
                prop_assert!(!came.contains(&&change.clauses[0]), "{:?} is there still", change);
            }
        }
    }

    #[test]
    fn of_several_neighbours_the_one_of_like_length_is_reworded() {
        let old = [vec!["aaaaaaaa".to_owned()]];
        let new = [vec!["b".to_owned(), "aaaaaaab".to_owned(), "ccc".to_owned()]];
        let comparison = compare(&stored(&old), &now(&new));
        let hows: Vec<How> = comparison.changes.iter().map(|change| change.how).collect();
        assert_eq!(hows, [How::New, How::Reworded, How::New]);
    }
}
