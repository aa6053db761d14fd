//! Tests deadlines: a late call gets a second try with more time, and an always late worker is given up.

use std::time::Duration;

use normative_conformance::drive::{Limits, MAX_FIRST_TIMEOUTS, MAX_TIMEOUTS, SECOND_LIMIT};
use normative_conformance::{Death, Driver as _, Observed};
use normative_reference::Call;
use rstest::rstest;

use crate::{answers, bad, crash, echo, good, limits, start, unrepeated};

#[rstest]
#[case::alone(&[bad()], &[13.0])]
#[case::among_others(&[good(1.0), bad(), good(2.0)], &[1.0, 13.0, 2.0])]
fn a_call_that_is_answered_when_it_is_given_more_time_is_late_and_no_fault(
    #[case] calls: &[Call],
    #[case] values: &[f32],
) {
    let answer = Duration::from_secs(1);
    let mut worker = start("slow", Limits { answer, ..limits() });
    let due: Vec<Observed> = values.iter().map(|&value| echo(value)).collect();
    assert_eq!(answers(&mut worker, calls), due);
    assert_eq!(unrepeated(&worker), 0);
    // On a busy machine, another call may be late as well.
    assert!(worker.late() >= 1);
}

#[rstest]
#[case::from_the_start(&[], MAX_FIRST_TIMEOUTS)]
#[case::after_an_answer(&[good(1.0)], MAX_TIMEOUTS)]
fn a_worker_that_is_only_ever_late_is_given_up_sooner(#[case] before: &[Call], #[case] most: u32) {
    let answer = Duration::from_millis(40);
    let mut worker = start("loop", Limits { answer, ..limits() });
    let calls = vec![bad(); most as usize + 2];
    let calls: Vec<Call> = before.iter().cloned().chain(calls).collect();
    let answers = answers(&mut worker, &calls).split_off(before.len());
    let (late, unusable) = answers.split_at(most as usize);
    let timed_out = Observed::Died(Death::TimedOut(answer * SECOND_LIMIT));
    assert!(late.iter().all(|late| *late == timed_out), "{late:?}");
    for answer in unusable {
        let why = format!("not asked after {most} calls in a row without an answer in time");
        assert_eq!(crash(answer.clone()), why);
    }
}
