//! Shrinks a failing call to a small one that fails in the same way; or several calls that fail together.
//!
//! Calls are made smaller, not bytes: the result is a call that a user could write, of the same spec version.
//! [`Size`] is the order, `step` the table of edits, [`Class`] the part of a failure that must stay. It is
//! greedy: the first smaller call that still fails is taken. It ends because the order has no infinite descent,
//! or when the attempts are used up, because each may cost a process or a deadline. Nothing here knows
//! backends; the caller decides if a call still fails.

mod class;
mod size;
mod step;
mod value;

pub use class::{Among, Class, Detail, Sort};
pub use size::Size;
pub(crate) use size::named_axis;

use normative_reference::Call;

use step::{Edit, STEPS, Step};

/// The result of shrinking.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The smallest calls found; they fail, if the original ones did.
    pub calls: Vec<Call>,
    /// The number of attempts made.
    pub attempts: usize,
    /// True if nothing [`smaller`] fails; otherwise the attempts were used up.
    pub complete: bool,
}

/// Shrinks `calls`, which fail together (mostly a single one), as long as `fails` returns true for smaller
/// ones, with at most `attempts` attempts. No call is left out, and the last one shrinks first.
pub fn shrink(calls: &[Call], attempts: usize, mut fails: impl FnMut(&[Call]) -> bool) -> Shrunk {
    let (mut calls, mut size, mut tried) = (calls.to_vec(), sizes(calls), 0);
    loop {
        let mut progress = false;
        for (step, target) in ways(calls.len()) {
            let (mut edits, mut at) = (target.edits(step, &calls), 0);
            while let Some(edit) = edits.get(at) {
                let edited = target.apply(edit, &calls).map(|calls| (sizes(&calls), calls));
                let Some((less, candidate)) = edited.filter(|(less, _)| *less < size) else {
                    at += 1;
                    continue;
                };
                if tried == attempts {
                    return Shrunk { calls, attempts: tried, complete: false };
                }
                tried += 1;
                if fails(&candidate) {
                    (calls, size, progress) = (candidate, less, true);
                    // Earlier edits did not fail just now; the next round tries them again.
                    edits = target.edits(step, &calls);
                } else {
                    at += 1;
                }
            }
        }
        if !progress {
            return Shrunk { calls, attempts: tried, complete: true };
        }
    }
}

/// Returns all smaller calls that shrinking would try next.
pub fn smaller(calls: &[Call]) -> impl Iterator<Item = Vec<Call>> + '_ {
    let size = sizes(calls);
    let edited = ways(calls.len()).flat_map(move |(step, target)| {
        target.edits(step, calls).into_iter().filter_map(move |edit| target.apply(&edit, calls))
    });
    edited.filter(move |candidate| sizes(candidate) < size)
}

/// Returns the sizes of calls, the last one's first.
fn sizes(calls: &[Call]) -> Vec<Size> {
    calls.iter().rev().map(Size::of).collect()
}

/// The calls that an edit changes.
#[derive(Clone, Copy)]
enum Target {
    /// Every call that it applies to, because related calls often must change together.
    All,
    /// One call.
    One(usize),
}

/// Returns every step, each for every target.
fn ways(calls: usize) -> impl Iterator<Item = (Step, Target)> {
    let together = (calls > 1).then_some(Target::All);
    STEPS.into_iter().flat_map(move |step| {
        let each = (0..calls).rev().map(Target::One);
        together.into_iter().chain(each).map(move |target| (step, target))
    })
}

impl Target {
    fn edits(self, step: Step, calls: &[Call]) -> Vec<Edit> {
        let leader = match self {
            Self::All => calls.last(),
            Self::One(at) => calls.get(at),
        };
        leader.map(step).unwrap_or_default()
    }

    fn apply(self, edit: &Edit, calls: &[Call]) -> Option<Vec<Call>> {
        match self {
            Self::All => {
                Some(calls.iter().map(|call| edit.apply(call).unwrap_or_else(|| call.clone())).collect())
            }
            Self::One(at) => {
                let mut edited = calls.to_vec();
                edited[at] = edit.apply(calls.get(at)?)?;
                Some(edited)
            }
        }
    }
}
