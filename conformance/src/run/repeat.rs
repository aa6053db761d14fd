//! Some calls asked again, in rows that provoke whatever a backend keeps from call to call.
//!
//! Calls are independent, so the same call has the same answer, bit for bit. A backend that keeps something from call
//! to call, reads memory it did not write, or lets chance decide, gives itself away here and possibly nowhere else.
//! Whether an answer is right is not asked again.
//!
//! [`Pool`] chooses the calls while a run goes on and puts them into rows; [`trace`] finds the shortest row of calls
//! that shows a difference to somebody who starts the backend afresh.

use normative_reference::{Call, Tensor, with_array};

use crate::drive::Driver;
use crate::observed::Observed;

mod pool;
pub mod trace;

pub use pool::Pool;

/// Calls asked again, unless somebody wants another number.
pub const USUAL: usize = 500;

/// A call and its first answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// What the call is called in reports.
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
    /// What was asked and answered first.
    pub sample: Sample,
    /// The answer to the same call among other calls.
    pub then: Observed,
    /// The shortest row of calls, by name, whose last is answered otherwise than by itself, both by a backend that was
    /// started for it. A row of one: not even by itself it is answered in one way. An empty row: none of those tried
    /// shows it again. Nothing: none was tried.
    pub row: Option<Vec<String>>,
}

/// Calls to be asked one after another.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// In this order.
    pub steps: Vec<Step>,
    /// Whether they share the memory of their data wherever these have the same type and dims. Otherwise all answers
    /// are held until the last call was made.
    pub shares_memory: bool,
}

/// Where an answer in a row is another than the first.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Which of the calls of all rows, one after another.
    pub at: usize,
    /// The second answer.
    pub then: Observed,
}

/// Asks all rows. Of a call that differs several times the first difference counts.
pub fn ask(rows: &[Row], backend: &mut dyn Driver) -> Vec<Difference> {
    let mut differences: Vec<Difference> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    let mut at = 0;
    for row in rows {
        let answers = if row.shares_memory { in_one_place(row, backend) } else { together(row, backend) };
        if backend.is_halted() {
            break;
        }
        for (Step { sample, .. }, then) in row.steps.iter().zip(answers) {
            if !is_same(&sample.first, &then) && !names.contains(&sample.name.as_str()) {
                names.push(&sample.name);
                differences.push(Difference { at, then });
            }
            at += 1;
        }
    }
    differences
}

/// Asks rows from this pool, and calls that failed alone, and traces what differs. In the order of names. Nothing of a
/// backend that is halted.
pub fn check(pool: Pool, backend: &mut dyn Driver) -> Vec<Unstable> {
    let (failing, rows) = (pool.failing(), pool.rows());
    let mut differences = ask(&rows, backend);
    let mut steps: Vec<&Step> = rows.iter().flat_map(|row| &row.steps).collect();
    differences.extend(alone(&failing, &steps, &differences, backend));
    steps.extend(&failing);
    let mut unstable = trace::all(&steps, differences, backend);
    if backend.is_halted() {
        return Vec::new();
    }
    unstable.sort_by(|a, b| a.sample.name.cmp(&b.sample.name));
    unstable
}

/// Where a call that failed is answered otherwise by itself, in a fresh process: it fails only in company. Failing calls
/// have their places after those of the `steps`; what is `known` to differ there is not asked.
fn alone(
    failing: &[Step],
    steps: &[&Step],
    known: &[Difference],
    backend: &mut dyn Driver,
) -> Vec<Difference> {
    let is_known = |name: &str| known.iter().any(|one| steps[one.at].sample.name == name);
    let mut differences = Vec::new();
    for (at, Step { sample, .. }) in failing.iter().enumerate() {
        if is_known(&sample.name) || backend.is_halted() {
            continue;
        }
        let then = backend.ask_afresh(&[&sample.call]).pop();
        let other = then.filter(|then| !is_same(&sample.first, then));
        differences.extend(other.map(|then| Difference { at: steps.len() + at, then }));
    }
    differences
}

/// The answers to a row, held until all calls were made.
fn together(row: &Row, backend: &mut dyn Driver) -> Vec<Observed> {
    let calls: Vec<&Call> = row.steps.iter().map(|step| &step.sample.call).collect();
    backend.ask_all(&calls)
}

/// The answers to a row whose calls have their data in the same memory, where those fit there. A backend in another
/// process copies them; where to, is its own affair.
fn in_one_place(row: &Row, backend: &mut dyn Driver) -> Vec<Observed> {
    let mut place: Option<Call> = None;
    let answer = |step: &Step| {
        let Call { operator, data, axes, layout } = &step.sample.call;
        let mut call = place.take().unwrap_or_else(|| step.sample.call.clone());
        if !overwrite(&mut call.data, data) {
            call.data = data.clone();
        }
        (call.operator, call.axes, call.layout) = (operator.clone(), axes.clone(), *layout);
        let answer = backend.ask(&call);
        place = Some(call);
        answer
    };
    row.steps.iter().map(answer).collect()
}

/// Writes the elements of one tensor over those of another of the same type and dims; of others it tells so.
fn overwrite(to: &mut Tensor, from: &Tensor) -> bool {
    if to.dtype() != from.dtype() || to.shape() != from.shape() {
        return false;
    }
    with_array!(to, array => assign(array, from));
    true
}

fn assign<T: normative_reference::Element>(to: &mut ndarray::ArrayD<T>, from: &Tensor) {
    if let Some(from) = T::array(from) {
        to.assign(from);
    }
}

/// Bit for bit; one NaN is like another, and one refusal like another.
fn is_same(first: &Observed, then: &Observed) -> bool {
    match (first, then) {
        (Observed::Rejected(_), Observed::Rejected(_)) => true,
        _ => first == then,
    }
}

#[cfg(test)]
mod tests;
