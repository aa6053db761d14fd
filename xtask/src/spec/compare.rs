//! Compares a text with its stored form: sentences are unchanged, reworded, new or gone.
//!
//! Each section is a set of sentences, by their fingerprints. Those of only one set are paired as reworded, in order, by
//! the most similar lengths. A change names the clauses that rest on the sentence, and those that rest on the silence of
//! its section. If a sentence came or went, it also names those that rest on the silence of a section above.

use std::collections::BTreeSet;

use super::outline::Section;
use super::sources::{Stored, StoredSection};
use super::words::Mark;

/// The kind of a sentence's change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum How {
    Reworded,
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
    let mut comparison = Comparison::default();
    let mut change = |how, was: Option<Place>, at: Option<Place>| {
        let section = match (at, was) {
            (Some(at), _) => now[at.section].name.clone(),
            (None, was) => was.map(|was| stored[was.section].name.clone()).unwrap_or_default(),
        };
        let own = was.map(|was| &stored[was.section].sentences[was.sentence]);
        let clauses: Vec<String> = own.map(|own: &Stored| own.clauses.clone()).unwrap_or_default();
        let mut silent = silent(stored, &section, how != How::Reworded);
        let mut seen = BTreeSet::new();
        silent.retain(|clause| !clauses.contains(clause) && seen.insert(clause.clone()));
        let number = at.or(was).map_or(0, |place| place.sentence + 1);
        comparison.changes.push(Change { how, section, number, was, now: at, clauses, silent });
    };
    let mut pairs = Vec::new();
    for (to, section) in now.iter().enumerate() {
        let from = stored.iter().position(|other| other.name == section.name);
        let old = from.map_or(&[][..], |from| stored[from].sentences.as_slice());
        let place = |sentence| Place { section: to, sentence };
        let was = |sentence| Place { section: from.unwrap_or_default(), sentence };
        let marks: Vec<Mark> = section.sentences.iter().map(|sentence| Mark::of(sentence)).collect();
        let (mut gone, mut new): (Vec<usize>, Vec<usize>) = ((0..old.len()).collect(), Vec::new());
        for (at, mark) in marks.iter().enumerate() {
            match gone.iter().position(|&known| old[known].mark == *mark) {
                Some(known) => pairs.push((was(gone.remove(known)), place(at))),
                None => new.push(at),
            }
        }
        comparison.unchanged += section.sentences.len() - new.len();
        let lengths = |places: &[usize], of: &dyn Fn(usize) -> Mark| -> Vec<usize> {
            places.iter().map(|&place| of(place).length).collect()
        };
        let reworded = alike(&lengths(&gone, &|at| old[at].mark), &lengths(&new, &|at| marks[at]));
        for &(from, to) in &reworded {
            pairs.push((was(gone[from]), place(new[to])));
            change(How::Reworded, Some(was(gone[from])), Some(place(new[to])));
        }
        for (at, &sentence) in new.iter().enumerate() {
            if !reworded.iter().any(|&(_, to)| to == at) {
                change(How::New, None, Some(place(sentence)));
            }
        }
        for (at, &sentence) in gone.iter().enumerate() {
            if !reworded.iter().any(|&(from, _)| from == at) {
                change(How::Gone, Some(was(sentence)), None);
            }
        }
    }
    for (at, section) in stored.iter().enumerate() {
        if now.iter().all(|other| other.name != section.name) {
            for sentence in 0..section.sentences.len() {
                change(How::Gone, Some(Place { section: at, sentence }), None);
            }
        }
    }
    comparison.pairs = pairs;
    comparison.changes.sort_by_key(|change| (change.now.is_none(), change.now, change.was));
    comparison
}

/// Returns the clauses that rest on the silence of a section, and with `above` also on that of sections above it.
fn silent(stored: &[StoredSection], name: &str, above: bool) -> Vec<String> {
    let is_it = |section: &&StoredSection| {
        let rest = name.strip_prefix(&section.name);
        rest.is_some_and(|rest| rest.is_empty() || (above && rest.starts_with('/')))
    };
    stored.iter().filter(is_it).flat_map(|section| section.silent.iter().cloned()).collect()
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
            let both = comparison.unchanged + count(&comparison, &[How::Reworded]);
            prop_assert_eq!(both + count(&comparison, &[How::Gone]), old.concat().len());
            prop_assert_eq!(both + count(&comparison, &[How::New]), new.concat().len());
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
