//! Makes failing calls small by asking the backend about ever smaller ones: one call of each group of failures.
//!
//! What is left fails in the same way as the call it was made from: with any failure allowed, shrinking slips from one
//! mistake to another (of the zoo's combinations of mistakes, 93 of 246 came out right so, and 101 this way). Nothing
//! here counts for or against a backend; the run has failed by then.

use normative_backend::{Answer, Backend, Death};
use normative_reference::Call;

use super::{Job, Watch};
use crate::judge::verdict::{Demands, Sheet, Verdict, judge};
use crate::report::defects::{Causes, Shrunk};
use crate::shrink::{Class, shrink};

/// Groups whose calls are made small: more defects than that nobody mends at once.
const GROUPS: usize = 24;

/// Makes small the smallest call of each group, asking at most so many times about each as the job says.
pub(super) fn all(
    causes: &Causes<'_, '_>,
    job: &Job<'_>,
    backend: &mut dyn Backend,
    demands: &Demands,
    watch: &dyn Watch,
) -> Vec<Shrunk> {
    let mut all = Vec::new();
    for (name, call, verdict) in causes.smallest().take(GROUPS) {
        // Each question that is not answered costs its whole deadline.
        if watch.stops() || matches!(verdict, Verdict::TimedOut(_)) {
            continue;
        }
        let Some(class) = Class::of(verdict) else { continue };
        all.extend(one(name.name(), call, class, job, backend, demands));
    }
    all
}

/// Makes one call small; nothing where it does not fail so again.
fn one(
    of: String,
    call: &Call,
    class: Class,
    job: &Job<'_>,
    backend: &mut dyn Backend,
    demands: &Demands,
) -> Option<Shrunk> {
    let mut timed_out = false;
    let mut ask = |call: &Call| -> Option<(Answer, Verdict)> {
        if timed_out || backend.is_halted() {
            return None;
        }
        let sheet = Sheet::by(job.evaluator, call).ok()?;
        let answer = backend.answer(call);
        timed_out = matches!(answer, Answer::Died(Death::TimedOut(_)));
        let verdict = judge(&sheet, &answer, demands);
        class.is_of(&verdict).then_some((answer, verdict))
    };
    let mut last = ask(call)?;
    let fails = |calls: &[Call]| {
        let failing = calls.first().and_then(&mut ask);
        let fails = failing.is_some();
        last = failing.unwrap_or_else(|| last.clone());
        fails
    };
    let small = shrink(std::slice::from_ref(call), job.shrink, fails);
    let (answer, verdict) = last;
    Some(Shrunk { of, call: small.calls.into_iter().next()?, answer, verdict })
}
