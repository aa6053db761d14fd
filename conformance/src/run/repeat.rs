//! Asks some calls again, in rows that expose any state kept from call to call.
//!
//! Calls are independent, so the same call must have the same answer, bit for bit. This finds backends that
//! keep state between calls, read uninitialized memory or are nondeterministic. The answers are not judged
//! again.
//!
//! [`Pool`] chooses the calls while a run goes on and puts them into rows. [`trace`] finds the shortest row of
//! calls that reproduces a difference with a freshly started backend.

use normative_reference::Call;

use crate::drive::Driver;
use crate::observed::Observed;

mod pool;
pub mod trace;

pub use pool::Pool;

/// The default number of calls asked again.
pub const USUAL: usize = 500;

/// A call and its first answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The name in reports.
    pub name: String,
    /// The call.
    pub call: Call,
    /// The first answer.
    pub first: Observed,
}

/// A call to be asked again.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The call and its first answer.
    pub sample: Sample,
    /// The call that the same worker was asked before it.
    pub before: Option<Named>,
}

/// A call with its name in reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The call.
    pub call: Call,
}

/// A call that was answered in two ways.
#[derive(Clone, Debug, PartialEq)]
pub struct Unstable {
    /// The call and its first answer.
    pub sample: Sample,
    /// The answer to the same call among other calls.
    pub then: Observed,
    /// The shortest row of calls, by name, whose last call is answered differently than alone, each by a fresh
    /// backend. One name: the call alone is already nondeterministic. Empty: no tried row reproduces it.
    /// `None`: nothing was tried.
    pub row: Option<Vec<String>>,
}

/// Calls to be asked one after another, in this order. All answers are held until the last call.
pub type Row = Vec<Step>;

/// A call whose second answer differs from its first.
#[derive(Clone, Debug, PartialEq)]
pub struct RepeatDifference {
    /// The index of the call in all rows, one after another.
    pub at: usize,
    /// The second answer.
    pub then: Observed,
}

/// Asks all rows. Only the first difference of each call is returned.
pub fn ask(rows: &[Row], backend: &mut dyn Driver) -> Vec<RepeatDifference> {
    let mut differences: Vec<RepeatDifference> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    let mut at = 0;
    for row in rows {
        let calls: Vec<&Call> = row.iter().map(|step| &step.sample.call).collect();
        let answers = backend.ask_all(&calls);
        if backend.is_halted() {
            break;
        }
        for (Step { sample, .. }, then) in row.iter().zip(answers) {
            if !is_same(&sample.first, &then) && !names.contains(&sample.name.as_str()) {
                names.push(&sample.name);
                differences.push(RepeatDifference { at, then });
            }
            at += 1;
        }
    }
    differences
}

/// Asks the rows of this pool, and failing calls alone, and traces all differences. Sorted by name. Empty if
/// the backend is halted.
pub fn check(pool: Pool, backend: &mut dyn Driver) -> Vec<Unstable> {
    let (failing, rows) = (pool.failing(), pool.rows());
    let mut differences = ask(&rows, backend);
    let mut steps: Vec<&Step> = rows.iter().flatten().collect();
    differences.extend(alone(&failing, &steps, &differences, backend));
    steps.extend(&failing);
    let mut unstable = trace::all(&steps, differences, backend);
    if backend.is_halted() {
        return Vec::new();
    }
    unstable.sort_by(|a, b| a.sample.name.cmp(&b.sample.name));
    unstable
}

/// Returns failing calls that are answered differently alone in a fresh process: they fail only in company.
/// Their indices follow those of `steps`. Calls with a `known` difference are not asked.
fn alone(
    failing: &[Step],
    steps: &[&Step],
    known: &[RepeatDifference],
    backend: &mut dyn Driver,
) -> Vec<RepeatDifference> {
    let is_known = |name: &str| known.iter().any(|one| steps[one.at].sample.name == name);
    let mut differences = Vec::new();
    for (at, Step { sample, .. }) in failing.iter().enumerate() {
        if is_known(&sample.name) || backend.is_halted() {
            continue;
        }
        let then = backend.ask_afresh(&[&sample.call]).pop();
        let other = then.filter(|then| !is_same(&sample.first, then));
        differences.extend(other.map(|then| RepeatDifference { at: steps.len() + at, then }));
    }
    differences
}

/// Compares answers bit for bit; all NaNs are equal, and all refusals are equal.
fn is_same(first: &Observed, then: &Observed) -> bool {
    match (first, then) {
        (Observed::Rejected(_), Observed::Rejected(_)) => true,
        _ => first == then,
    }
}

#[cfg(test)]
mod tests;
