use normative_reference::{Axes, Call, Norm, Operator, Tensor};
use rstest::rstest;

use super::*;
use crate::observed::Death;
use crate::random::splitmix64;
use normative_backend::{Answer, Capabilities, Identity, Stub};

/// A backend with its state, and the function that resets it.
struct Keeper<S> {
    kept: S,
    fresh: fn() -> S,
    answer: fn(&mut S, &Call) -> Observed,
}

impl<S> Keeper<S> {
    fn new(fresh: fn() -> S, answer: fn(&mut S, &Call) -> Observed) -> Self {
        Self { kept: fresh(), fresh, answer }
    }
}

impl<S> Driver for Keeper<S> {
    fn identity(&self) -> Identity {
        Identity { name: "keeper".into(), version: "0".into(), report_bugs_to: "this test".into() }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn ask(&mut self, call: &Call) -> Observed {
        (self.answer)(&mut self.kept, call)
    }

    fn ask_afresh(&mut self, calls: &[&Call]) -> Vec<Observed> {
        self.kept = (self.fresh)();
        self.ask_all(calls)
    }
}

fn call(elements: &[f32], keep_dims: Option<bool>, axes: &[i64]) -> Call {
    Call::new(
        Operator::OpenVino { norm: Norm::L1, keep_dims },
        ndarray::arr1(elements).into_dyn().into(),
        Axes::list(axes),
    )
}

/// Returns calls that differ in dims, data, axes or attributes.
fn calls() -> Vec<Call> {
    let mut calls = Vec::new();
    for length in 1..6_u16 {
        let data = |first: u16| (first..first + length).map(f32::from).collect::<Vec<_>>();
        for first in [1, 10, 20] {
            calls.push(call(&data(first), None, &[0]));
        }
        calls.push(call(&data(1), None, &[]));
        calls.push(call(&data(1), Some(true), &[0]));
    }
    calls
}

/// Returns the pool that a backend's first answers make.
fn pool(backend: &mut dyn Driver, wanted: usize) -> Pool {
    let mut pool = Pool::new(wanted);
    for (at, call) in calls().iter().enumerate() {
        pool.offer(&format!("{at:03}"), call, &backend.ask(call), false);
    }
    pool
}

fn echo(_: &mut (), call: &Call) -> Observed {
    Observed::Tensor(call.data.clone())
}

/// Returns the data of the call before, if they have the same dims.
fn stale(kept: &mut Option<Tensor>, call: &Call) -> Observed {
    let before = kept.replace(call.data.clone());
    let stale = before.filter(|before| before.shape() == call.data.shape());
    Observed::Tensor(stale.unwrap_or_else(|| call.data.clone()))
}

/// Refuses every third call.
fn third(count: &mut usize, call: &Call) -> Observed {
    *count += 1;
    if count.is_multiple_of(3) {
        Observed::Rejected("busy".into())
    } else {
        Observed::Tensor(call.data.clone())
    }
}

#[test]
fn who_keeps_nothing_differs_nowhere() {
    let mut backend = Keeper::new(|| (), echo);
    let pool = pool(&mut backend, 100);
    assert_eq!(check(pool, &mut backend), []);
}

#[test]
fn the_row_shown_is_the_shortest_and_shows_it_again() {
    let mut backend = Keeper::new(|| None, stale);
    let pool = pool(&mut backend, 100);
    let unstable = check(pool, &mut backend);
    let rows: Vec<_> =
        unstable.iter().filter_map(|one| one.row.as_ref()).filter(|row| !row.is_empty()).collect();
    assert!(!rows.is_empty());
    for row in rows {
        assert_eq!(row.len(), 2, "{row:?}");
        let named = |name: &String| calls()[name.parse::<usize>().unwrap()].clone();
        let (first, last) = (named(&row[0]), named(&row[1]));
        let alone = backend.ask_afresh(&[&last]).pop();
        assert_ne!(backend.ask_afresh(&[&first, &last]).pop(), alone, "{row:?}");
    }
}

#[test]
fn what_happens_at_every_third_call_shows_in_a_row_of_three() {
    let mut backend = Keeper::new(|| 0, third);
    let pool = pool(&mut backend, 100);
    let unstable = check(pool, &mut backend);
    let lengths: Vec<usize> = unstable.iter().filter_map(|one| Some(one.row.as_ref()?.len())).collect();
    assert!(lengths.contains(&3), "{lengths:?}");
}

/// Returns an empty tensor for every call after the first.
fn soured(has_answered: &mut bool, call: &Call) -> Observed {
    let first = !std::mem::replace(has_answered, true);
    let nothing = ndarray::ArrayD::<f32>::zeros(vec![0]);
    Observed::Tensor(if first { call.data.clone() } else { nothing.into() })
}

#[rstest]
#[case::of_calls_that_fail(true)]
#[case::and_of_no_others(false)]
fn what_fails_only_in_company_shows_alone(#[case] fails: bool) {
    let mut backend = Keeper::new(|| false, soured);
    let mut pool = Pool::new(40);
    for (at, call) in calls().iter().enumerate() {
        let answer = backend.ask(call);
        pool.offer(&format!("{at:03}"), call, &answer, fails && at > 0);
    }
    let all = calls();
    let unstable = check(pool, &mut backend);
    let failing: Vec<&Unstable> = unstable.iter().filter(|one| one.sample.name != "000").collect();
    assert_eq!(failing.len(), if fails { 8 } else { 0 });
    for one in failing {
        assert_eq!(one.then, Observed::Tensor(one.sample.call.data.clone()));
        let row = one.row.as_deref().unwrap();
        assert_eq!((row.len(), &row[1]), (2, &one.sample.name));
        let [before, at] = [&row[0], &row[1]].map(|name| name.parse::<usize>().unwrap());
        assert_eq!(backend.ask_afresh(&[&all[before], &all[at]])[1], one.sample.first);
    }
}

/// Answers with the data of the call before.
fn one_behind(before: &mut Option<Tensor>, call: &Call) -> Observed {
    Observed::Tensor(before.replace(call.data.clone()).unwrap_or_else(|| call.data.clone()))
}

#[test]
fn of_several_workers_a_row_holds_what_one_was_asked() {
    let mut workers = [0, 1].map(|_| Keeper::new(|| None, one_behind));
    let (all, mut pool) = (calls(), Pool::new(40));
    for (at, call) in all.iter().enumerate() {
        pool.turn_to(at % 2);
        pool.offer(&format!("{at:03}"), call, &workers[at % 2].ask(call), at > 1);
    }
    let unstable = check(pool, &mut workers[0]);
    let own = |one: &&Unstable| one.then == Observed::Tensor(one.sample.call.data.clone());
    let odd: Vec<&Unstable> = unstable.iter().filter(own).collect();
    assert!(odd.len() > 4, "{unstable:?}");
    for one in odd {
        let at: usize = one.sample.name.parse().unwrap();
        assert_eq!(one.row, Some(vec![format!("{:03}", at - 2), one.sample.name.clone()]));
    }
}

#[test]
fn chance_shows_in_one_call_asked_twice() {
    // A fresh start does not reset the random numbers.
    let mut asked = 0;
    let mut backend = Stub::new("chance", |call| {
        asked += 1;
        let busy = splitmix64(1, asked).is_multiple_of(3);
        if busy { Answer::Rejected("busy".into()) } else { Answer::Tensor(call.data.clone()) }
    });
    let pool = pool(&mut backend, 100);
    let unstable = check(pool, &mut backend);
    assert!(unstable.iter().any(|one| one.row.as_ref().is_some_and(|row| row.len() == 1)));
}

#[rstest]
#[case::the_same_bits(Observed::Tensor(call(&[1.0], None, &[0]).data), true)]
#[case::other_bits(Observed::Tensor(call(&[2.0], None, &[0]).data), false)]
#[case::a_refusal(Observed::Rejected("no".into()), false)]
#[case::a_death(Observed::Died(Death::Crashed("SIGSEGV".into())), false)]
fn only_the_same_bits_are_the_same_answer(#[case] then: Observed, #[case] same: bool) {
    assert_eq!(is_same(&Observed::Tensor(call(&[1.0], None, &[0]).data), &then), same);
    assert!(is_same(&Observed::Rejected("no".into()), &Observed::Rejected("again no".into())));
}

#[rstest]
#[case::died(Observed::Died(Death::Crashed("SIGSEGV".into())))]
#[case::declined(Observed::Unsupported("no".into()))]
#[case::changed_its_data(Observed::ChangedData("all".into()))]
fn who_gave_no_answer_is_not_asked_again(#[case] answer: Observed) {
    let mut pool = Pool::new(100);
    calls().iter().enumerate().for_each(|(at, call)| pool.offer(&at.to_string(), call, &answer, true));
    assert_eq!(pool.rows(), Vec::<Row>::new());
}

#[test]
fn rows_hold_every_relation_of_two_calls() {
    let mut backend = Keeper::new(|| (), echo);
    let rows = pool(&mut backend, 100).rows();
    let pairs: Vec<(Call, Call)> = rows
        .iter()
        .flat_map(|row| row.windows(2))
        .map(|two| (two[0].sample.call.clone(), two[1].sample.call.clone()))
        .collect();
    let some = |relation: fn(&Call, &Call) -> bool| pairs.iter().any(|(a, b)| relation(a, b));
    assert!(some(|a, b| a == b), "a call again");
    assert!(some(|a, b| a.data.shape() == b.data.shape() && a.data != b.data), "other data");
    assert!(some(|a, b| a.data == b.data && a.axes != b.axes), "other axes of the same data");
    assert!(some(|a, b| a.data == b.data && a.operator != b.operator), "other attributes of the same data");
    assert!(some(|a, b| a.data.shape() != b.data.shape()), "other dims");
}

#[rstest]
#[case::none(0, 0..=0)]
#[case::few(10, 10..=25)]
#[case::many(30, 30..=42)]
#[case::more_than_there_are(1000, 45..=45)]
fn rows_have_about_as_many_calls_as_wanted(
    #[case] wanted: usize,
    #[case] range: std::ops::RangeInclusive<usize>,
) {
    let mut backend = Keeper::new(|| (), echo);
    let rows = pool(&mut backend, wanted).rows();
    let calls: usize = rows.iter().map(Vec::len).sum();
    // Five groups of four calls are all there is.
    assert!(range.contains(&calls), "{calls}");
}
