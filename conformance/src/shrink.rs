//! From a call that fails to a small one that fails in the same way.
//!
//! Calls are made smaller, not bytes: what comes out is a call that somebody could have written, of the
//! same spec version. [`Size`] is the order, `step` the table of ways down, [`Class`] what has to stay.
//! Greedy: the first smaller call that still fails is taken. It ends because the order has no endless
//! descent, or when the attempts are used up: each may cost a process or a deadline. Nothing here knows
//! what a backend is; whoever asks says whether a call still fails.

mod class;
mod size;
mod step;
mod value;

pub use class::{Class, Sort};
pub use size::Size;

use normative_reference::Call;

use step::STEPS;

/// What came of shrinking.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// The smallest call found; it fails, if the one that was to be shrunk did.
    pub call: Call,
    /// Calls tried.
    pub attempts: usize,
    /// Whether none of its [`smaller`] calls fails; otherwise the attempts were used up.
    pub complete: bool,
}

/// Shrinks `call` as long as `fails` says so of the smaller one, trying at most so many calls.
pub fn shrink(call: &Call, attempts: usize, mut fails: impl FnMut(&Call) -> bool) -> Shrunk {
    let (mut call, mut size, mut tried) = (call.clone(), Size::of(call), 0);
    loop {
        let mut progress = false;
        for step in STEPS {
            let (mut edits, mut at) = (step(&call), 0);
            while let Some(edit) = edits.get(at) {
                let smaller = edit.apply(&call).map(|call| (Size::of(&call), call));
                let Some((less, candidate)) = smaller.filter(|(less, _)| *less < size) else {
                    at += 1;
                    continue;
                };
                if tried == attempts {
                    return Shrunk { call, attempts: tried, complete: false };
                }
                tried += 1;
                if fails(&candidate) {
                    (call, size, progress) = (candidate, less, true);
                    // What came before failed to fail a moment ago; the next round tries it again.
                    edits = step(&call);
                } else {
                    at += 1;
                }
            }
        }
        if !progress {
            return Shrunk { call, attempts: tried, complete: true };
        }
    }
}

/// Every smaller call that shrinking would try next.
pub fn smaller(call: &Call) -> impl Iterator<Item = Call> + '_ {
    let size = Size::of(call);
    let edited = STEPS.into_iter().flat_map(|step| step(call)).filter_map(|edit| edit.apply(call));
    edited.filter(move |candidate| Size::of(candidate) < size)
}
