//! The search over releases: it picks those to try, and finds those between which the verdict changes.
//!
//! It works on places in a list of releases, oldest first, and knows no runtime and no text. A release that cannot be asked,
//! because it does not install for example, has no verdict; the search takes the nearest untried neighbour. Invariant
//! at the end: if two consecutive tried releases differ, no release between them can be asked.

use std::collections::{BTreeMap, VecDeque};

use anyhow::Result;

use crate::outcome::{ReleaseOutcome, ReleaseVerdict};

/// The outcome of each tried release, by its place.
pub type Tried = BTreeMap<usize, ReleaseOutcome>;

/// Two releases that differ, with only unaskable releases between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turning {
    /// The place of the older one.
    pub before: usize,
    /// The place of the newer one.
    pub after: usize,
}

/// Tries some of `count` releases by `ask`, until every change found is between neighbours. If both ends agree, it
/// tries `looks` more between them. `tried` keeps each outcome, also if `ask` fails and the search ends early.
///
/// # Errors
/// Those of `ask`.
pub fn search(
    count: usize,
    looks: usize,
    tried: &mut Tried,
    ask: &mut dyn FnMut(usize) -> Result<ReleaseOutcome>,
) -> Result<()> {
    let mut search = Search { tried, ask };
    // At the ends, try one release after the other, so that the search misses none beyond an unaskable one.
    let Some(newest) = search.first((0..count).rev())? else { return Ok(()) };
    let Some(oldest) = search.first(0..newest)? else { return Ok(()) };
    if search.verdict(oldest) == search.verdict(newest) {
        search.look_between(looks, oldest, newest)?;
    }
    while let Some((from, to)) = search.open_change() {
        search.middle(from, to)?;
    }
    Ok(())
}

/// Returns the changes among the tried releases, oldest first.
pub fn changes(tried: &Tried) -> Vec<Turning> {
    let asked = asked(tried);
    let pairs = asked.iter().zip(asked.iter().skip(1));
    let differ = pairs.filter(|((_, one), (_, other))| one != other);
    differ.map(|(&(before, _), &(after, _))| Turning { before, after }).collect()
}

/// Returns the releases that have a verdict, oldest first.
pub fn asked(tried: &Tried) -> Vec<(usize, ReleaseVerdict)> {
    tried.iter().filter_map(|(&at, outcome)| Some((at, outcome.verdict()?))).collect()
}

struct Search<'a> {
    tried: &'a mut Tried,
    ask: &'a mut dyn FnMut(usize) -> Result<ReleaseOutcome>,
}

impl Search<'_> {
    /// Returns the first of these releases that can be asked.
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

    fn verdict(&self, at: usize) -> Option<ReleaseVerdict> {
        self.tried.get(&at).and_then(ReleaseOutcome::verdict)
    }

    /// Tries the releases between two, nearest to the middle first, until one can be asked.
    fn middle(&mut self, from: usize, to: usize) -> Result<Option<usize>> {
        let mut between: Vec<usize> = (from + 1..to).collect();
        between.sort_by_key(|&at| (from + to).abs_diff(2 * at));
        self.first(between)
    }

    /// Tries at most `looks` releases between two that agree, spread evenly, until one differs.
    fn look_between(&mut self, looks: usize, oldest: usize, newest: usize) -> Result<()> {
        let mut gaps = VecDeque::from([(oldest, newest)]);
        for _ in 0..looks {
            let Some((from, to)) = gaps.pop_front() else { break };
            let Some(middle) = self.middle(from, to)? else { continue };
            if self.verdict(middle) != self.verdict(oldest) {
                break;
            }
            // Newer releases first: users care most about those.
            gaps.extend([(middle, to), (from, middle)]);
        }
        Ok(())
    }

    /// Finds two releases that differ with an untried one between them.
    fn open_change(&self) -> Option<(usize, usize)> {
        let is_open =
            |change: &Turning| (change.before..change.after).any(|at| !self.tried.contains_key(&at));
        changes(self.tried).into_iter().find(is_open).map(|Turning { before, after }| (before, after))
    }
}

#[cfg(test)]
mod tests;
