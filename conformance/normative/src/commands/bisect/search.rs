//! The search: which releases are tried, and between which of them the verdict changes.
//!
//! It knows places in a row of releases, oldest first, and no runtime. A release that cannot be asked (it does not
//! install, say) has no verdict: the nearest untried neighbour is taken instead. What always holds at the end: where
//! two releases that were tried one after another differ, no release between them can be asked.

use std::collections::{BTreeMap, VecDeque};

use anyhow::Result;

use crate::outcome::{Outcome, Verdict};

/// How many releases between two ends that agree are looked at: the middle, the quarters, the eighths.
const LOOKS: usize = 7;

/// What was tried so far: the outcome of each release, by its place.
pub(super) type Tried = BTreeMap<usize, Outcome>;

/// Two releases that differ, with none between them that can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// The place of the older one.
    pub(super) before: usize,
    /// The place of the newer one.
    pub(super) after: usize,
}

/// Tries releases of a row of `count`, by `ask`, until every change that it has met is between neighbours. What came
/// of each is in `tried`, also where `ask` fails and the search ends early.
///
/// # Errors
/// Those of `ask`.
pub(super) fn search(
    count: usize,
    tried: &mut Tried,
    ask: &mut dyn FnMut(usize) -> Result<Outcome>,
) -> Result<()> {
    let mut search = Search { tried, ask };
    // An end that cannot be asked is passed over one by one, so that no release beyond it is missed.
    let Some(newest) = search.first((0..count).rev())? else { return Ok(()) };
    let Some(oldest) = search.first(0..newest)? else { return Ok(()) };
    if search.verdict(oldest) == search.verdict(newest) {
        search.look_between(oldest, newest)?;
    }
    while let Some((from, to)) = search.open_change() {
        search.middle(from, to)?;
    }
    Ok(())
}

/// The changes among what was tried, oldest first.
pub(super) fn changes(tried: &Tried) -> Vec<Change> {
    let asked = asked(tried);
    let pairs = asked.iter().zip(asked.iter().skip(1));
    let differ = pairs.filter(|((_, one), (_, other))| one != other);
    differ.map(|(&(before, _), &(after, _))| Change { before, after }).collect()
}

/// The releases that have a verdict, oldest first.
pub(super) fn asked(tried: &Tried) -> Vec<(usize, Verdict)> {
    tried.iter().filter_map(|(&at, outcome)| Some((at, outcome.verdict()?))).collect()
}

struct Search<'a> {
    tried: &'a mut Tried,
    ask: &'a mut dyn FnMut(usize) -> Result<Outcome>,
}

impl Search<'_> {
    /// The first of these releases that can be asked.
    fn first(&mut self, places: impl IntoIterator<Item = usize>) -> Result<Option<usize>> {
        for at in places {
            if !self.tried.contains_key(&at) {
                let outcome = (self.ask)(at)?;
                self.tried.insert(at, outcome);
            }
            if self.verdict(at).is_some() {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    fn verdict(&self, at: usize) -> Option<Verdict> {
        self.tried.get(&at).and_then(Outcome::verdict)
    }

    /// The release nearest to the middle between two that can be asked.
    fn middle(&mut self, from: usize, to: usize) -> Result<Option<usize>> {
        let mut between: Vec<usize> = (from + 1..to).collect();
        between.sort_by_key(|&at| (from + to).abs_diff(2 * at));
        self.first(between)
    }

    /// Looks at a few releases between two that agree, spread evenly, until one differs.
    fn look_between(&mut self, oldest: usize, newest: usize) -> Result<()> {
        let mut gaps = VecDeque::from([(oldest, newest)]);
        for _ in 0..LOOKS {
            let Some((from, to)) = gaps.pop_front() else { break };
            let Some(middle) = self.middle(from, to)? else { continue };
            if self.verdict(middle) != self.verdict(oldest) {
                break;
            }
            // Newer releases first: that is where a user looks.
            gaps.extend([(middle, to), (from, middle)]);
        }
        Ok(())
    }

    /// Two releases that differ, where one between them was not tried.
    fn open_change(&self) -> Option<(usize, usize)> {
        let is_open = |change: &Change| (change.before..change.after).any(|at| !self.tried.contains_key(&at));
        changes(self.tried).into_iter().find(is_open).map(|Change { before, after }| (before, after))
    }
}

#[cfg(test)]
mod tests;
