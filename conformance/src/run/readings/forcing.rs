//! Finds the answers that force a reading: a set that no other reading explains.
//!
//! A single answer is looked for first, in the order of showing. If none suffices, the set is irreducible: each
//! of its answers is needed, but a smaller set may exist.

use std::collections::{BTreeMap, BTreeSet};

use super::clause::{Clause, Mask, Space, Var};
use super::constraint::Said;
use super::settle::{Settled, components, merged};
use super::solve::Search;
use super::witness::irreducible;
use super::{Answers, Place, Stages};

/// The most clauses examined for one place; beyond it, no set is found.
const STEPS: usize = 8_000_000;

/// The answers that force the reading of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forcing<W> {
    /// Answers that together leave one reading. Empty if the search was given up.
    pub answers: Vec<W>,
    /// The number of answers that force it alone.
    pub alone: usize,
}

impl<W: Ord + Copy> Answers<W> {
    /// Returns the answers that force the reading of each forced place. For questions about values, the form of
    /// calls counts as settled.
    pub fn forcing(&self) -> BTreeMap<Place, Forcing<W>> {
        let Stages { space, form, values } = self.stages();
        let mut forcing = BTreeMap::new();
        for (said, settled) in [form, values] {
            forcing.extend(of_stage(&space, said, &settled));
        }
        forcing
    }
}

fn of_stage<W: Ord + Copy>(
    space: &Space,
    said: Vec<Said<W>>,
    Settled { forced, splits }: &Settled<W>,
) -> Vec<(Place, Forcing<W>)> {
    // A split place was read anew for every answer before the others were settled, so it is freed here too.
    let split: BTreeSet<Var> = splits.iter().map(|split| split.var).collect();
    let freed = said.into_iter().filter_map(|Said { clause, support }| {
        Some(Said { clause: clause.onto(|var| !split.contains(&var), &space.full)?, support })
    });
    let parts = components(merged(freed), space.full.len());
    let of_place = |(&var, &mask): (&Var, &Mask)| {
        let part = parts.iter().find(|part| part.iter().any(|said| said.clause.mentions(var)))?;
        Some((space.place(var), of_place(space, part, var, mask)))
    };
    forced.iter().filter_map(of_place).collect()
}

fn of_place<W: Copy>(space: &Space, part: &[Said<W>], var: Var, mask: Mask) -> Forcing<W> {
    let mut search = Search::of(STEPS);
    let mut otherwise = space.full.clone();
    otherwise[var] &= !mask;
    let mut excludes = |answers: &[usize]| {
        let clauses: Vec<&Clause> = answers.iter().map(|&at| &part[at].clause).collect();
        search.solve(&clauses, otherwise.clone()).is_contradiction()
    };
    let alone: Vec<usize> =
        (0..part.len()).filter(|&at| part[at].clause.mentions(var) && excludes(&[at])).collect();
    let answers = alone.first().map_or_else(|| enough(part.len(), &mut excludes), |&first| vec![first]);
    let first = answers.into_iter().map(|at| part[at].support.first).collect();
    Forcing { answers: first, alone: alone.iter().map(|&at| part[at].support.count).sum() }
}

/// Returns an irreducible subset of the first `count` numbers for which `excludes` is true. Empty if it is
/// false for all of them together.
fn enough(count: usize, excludes: &mut impl FnMut(&[usize]) -> bool) -> Vec<usize> {
    if !excludes(&(0..count).collect::<Vec<_>>()) {
        return Vec::new();
    }
    let mut set = irreducible(Vec::new(), count, excludes);
    set.sort_unstable();
    set
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A set excludes if it holds a member of each group of numbers.
        #[test]
        fn a_set_is_enough_and_each_of_it_is_needed(groups in prop::collection::vec(prop::collection::btree_set(0_usize..12, 1..4), 0..5)) {
            let mut excludes = |set: &[usize]| groups.iter().all(|group| group.iter().any(|one| set.contains(one)));
            let set = enough(12, &mut excludes);
            prop_assert!(excludes(&set));
            for one in &set {
                let others: Vec<usize> = set.iter().copied().filter(|other| other != one).collect();
                prop_assert!(!excludes(&others), "{one} is not needed in {set:?}");
            }
        }
    }

    #[test]
    fn where_all_together_do_not_exclude_nothing_is_found() {
        assert_eq!(enough(3, &mut |_| false), [0_usize; 0]);
    }
}
