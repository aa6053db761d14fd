//! Tests the hunt on the zoo: every wrong implementation is found, by a call that cannot be made smaller, and
//! kept as a case that fails it and accepts the right ones.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use normative_conformance::corpus::{Case, Ledger, load_ledger, load_text, write};
use normative_conformance::drive::StartError;
use normative_conformance::generate::Profile;
use normative_conformance::judge::fault::Fault;
use normative_conformance::parallel::each;
use normative_conformance::reference::{Call, Choice, Question, Reading, Spec};
use normative_conformance::run::prepare;
use normative_conformance::shrink::{Class, Detail, Size, shrink, smaller};
use normative_conformance::{Demands, Driver, Sheet, display, judge};
use normative_hunt::found::Unstatable;
use normative_hunt::{Catch, Evidence, Find, Plan, Subject, found, hunt};
use normative_zoo::bench::Bench;
use normative_zoo::{CASES_ONLY, Honest, Implementation, Mutant, honest, mutants, some};
use rstest::rstest;

fn plan(calls: usize) -> Plan {
    Plan {
        seed: 1,
        specs: Spec::ALL.to_vec(),
        profiles: Profile::ALL.to_vec(),
        calls: Some(calls),
        deadline: None,
        finds: None,
        jobs: 1,
    }
}

fn boxed(backend: impl Driver + 'static) -> Box<dyn Driver> {
    Box::new(backend)
}

fn hunt_mutant(mutant: &Mutant, plan: &Plan) -> Catch {
    let start = || Ok::<_, StartError>(boxed(mutant.backend()));
    hunt(plan, &[Subject { start: &start, demands: Demands::default() }], |_| {}).unwrap()
}

/// Returns the first find for a mutant.
fn first_find(mutant: &Mutant) -> Find {
    let catch = hunt_mutant(mutant, &Plan { finds: Some(1), ..plan(20_000) });
    catch.finds.into_iter().next().unwrap_or_else(|| panic!("{} is not found", mutant.name))
}

fn named(name: &str) -> Mutant {
    mutants().into_iter().find(|mutant| mutant.name == name).unwrap()
}

fn ledger() -> Ledger {
    load_ledger(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/clauses")).unwrap()
}

/// Writes the cases of a find, and reads them back.
fn kept(find: &Find, ledger: &Ledger) -> Result<Vec<Case>, Unstatable> {
    let cases = found::cases(find, &found::id(find), ledger)?;
    Ok(load_text(&PathBuf::from("found.yaml"), &write::file("Found", &cases)).unwrap())
}

fn conforms(cases: &[Case], backend: &mut Implementation) -> bool {
    Bench::new(prepare(cases).unwrap()).report(backend).conforms()
}

fn fails(mutant: &Mutant, class: Class, call: &Call) -> bool {
    let sheet = Sheet::of(call).unwrap();
    class.is_of(&judge(&sheet, &mutant.backend().ask(call), &Demands::default()))
}

/// One mutant of every kind of mistake, and more of those that need special data.
const SHOWN: [&str; 32] = [
    "abs-dropped",
    "abs-of-the-sum",
    "magnitude-through-the-square",
    "root-dropped",
    "mean",
    "first-dropped",
    "every-second-skipped",
    "tails-of-four-dropped",
    "whole-vectors-of-eight-lose-their-last",
    "small-epsilon-under-the-root",
    "first-named-only",
    "all-always",
    "order-assumed",
    "reversed",
    "numbers-of-what-is-left",
    "default-inverted",
    "u64-sums-saturate-as-i64",
    "half-results-rounded-up",
    "scaled-by-the-reciprocal",
    "a-thousandth-too-much",
    "inner-rows-in-ten-bits",
    "noop-drops-dims",
    "noop-half-done",
    "noop-honoured-before-18",
    "null-axes-refused-at-18",
    "negative-refused-from-11",
    "only-the-first-axis-checked",
    "u8-squares-saturate-in-pairs",
    "empty-sets-refused",
    "first-element-stale",
    "attributes-of-the-call-before",
    "nan-stays",
];

/// Mutants whose first find cannot be kept as a case, with the reason.
const UNKEPT: [(&str, Unstatable); 1] = [("after-a-thousand-calls-another-path", Unstatable::Readings)];

#[test]
fn what_is_left_of_a_call_shows_the_mistake() {
    let mutants = SHOWN.map(named);
    let finds = each(&mutants, first_find);
    let mut table = String::new();
    for (mutant, find) in mutants.iter().zip(&finds) {
        writeln!(table, "{}: {}\n  {}", mutant.name, mutant.wrong, found::id(find)).unwrap();
        for call in find.evidence.calls() {
            writeln!(table, "  {} {}", display::call(call), display::data(&call.data)).unwrap();
        }
        writeln!(table, "  {}", found::why(find)).unwrap();
    }
    insta::assert_snapshot!(table);
}

#[test]
fn no_smaller_call_shows_the_same_and_shrinking_again_changes_nothing() {
    let mutants = SHOWN.map(named);
    let checked = each(&mutants, |mutant| {
        let find = first_find(mutant);
        let Evidence::Call(call) = &find.evidence else {
            return 0;
        };
        assert!(fails(mutant, find.class, call), "{} fails otherwise", mutant.name);
        assert!(Size::of(call) <= Size::of(&find.id.call()), "{} grew", mutant.name);
        assert!(find.complete, "{} gave up", mutant.name);
        let shows = |call: &Call| {
            fails(mutant, find.class, call) && found::claim_of(call, find.class.question()).is_some()
        };
        for calls in smaller(std::slice::from_ref(call)) {
            assert!(!shows(&calls[0]), "{}: {}", mutant.name, display::call(&calls[0]));
        }
        let again = shrink(std::slice::from_ref(call), usize::MAX, |calls| shows(&calls[0]));
        assert_eq!(again.calls, std::slice::from_ref(call));
        1
    });
    assert!(checked.into_iter().sum::<usize>() >= 20);
}

#[test]
fn every_mutant_is_found_and_the_case_kept_fails_it_and_lets_the_plain_one_alone() {
    let (mut mutants, ledger, plain) = (mutants(), ledger(), honest().swap_remove(0));
    mutants.retain(|mutant| !CASES_ONLY.contains(&mutant.name));
    let mutants = some(mutants, 4);
    let found = each(&mutants, |mutant| {
        let find = first_find(mutant);
        let cases = match kept(&find, &ledger) {
            Ok(cases) => cases,
            Err(why) => return (find.id.index, Some((mutant.name, why))),
        };
        for case in &cases {
            for clause in &case.clauses {
                assert!(ledger.get(clause.spec, &clause.name).is_some(), "{}: {clause}", mutant.name);
            }
        }
        assert!(!conforms(&cases, &mut mutant.backend()), "{} conforms to what it was found by", mutant.name);
        assert!(conforms(&cases, &mut plain.backend()), "{} is found by a case that is wrong", mutant.name);
        (find.id.index, None)
    });
    let mut calls: Vec<u64> = found.iter().map(|(index, _)| index + 1).collect();
    calls.sort_unstable();
    assert!(calls[calls.len() / 2] <= 2000, "half of them take more than {} calls", calls[calls.len() / 2]);
    let unkept: Vec<_> = found.into_iter().filter_map(|(_, name)| name).collect();
    let hunted = |(name, _): &&(&str, Unstatable)| mutants.iter().any(|mutant| mutant.name == *name);
    let due: Vec<_> = UNKEPT.iter().filter(hunted).copied().collect();
    assert_eq!(unkept, due, "no case states what is wrong with these");
}

#[rstest]
#[case::without_memory("abs-dropped")]
#[case::inconsistent("noop-half-done")]
#[case::with_memory("nan-stays")]
#[case::now_and_then("every-seventh-call-drops-the-last")]
fn the_same_seed_finds_the_same_twice_and_with_any_number_of_jobs(#[case] name: &str) {
    let mutant = named(name);
    let catch = |jobs| {
        let plan = Plan { jobs, specs: vec![Spec::ALL[0], Spec::ALL[5]], ..plan(400) };
        let catch = hunt_mutant(&mutant, &plan);
        assert_eq!(catch.calls, 400);
        format!("{catch:?}")
    };
    let first = catch(1);
    assert!(first.contains("evidence"), "nothing found");
    assert!(first == catch(1) && first == catch(2) && first == catch(3));
}

#[test]
fn the_order_of_mistakes_does_not_hide_one_behind_another() {
    // It is wrong for negative elements, and for NaN besides; the hunt tells the two apart.
    let catch = hunt_mutant(&named("abs-dropped"), &plan(3000));
    let names: BTreeSet<String> = catch.finds.iter().map(found::id).collect();
    assert!(names.len() > 8, "{names:?}");
    let seen: usize = catch.finds.iter().map(|find| find.seen).sum();
    assert_eq!(seen, catch.tallies[0].fails, "each failing call counts for one find");
}

#[test]
fn of_two_backends_that_differ_the_reference_says_who_is_wrong() {
    use normative_hunt::Difference;
    let wrong = named("root-dropped");
    let reads = |question, reading| -> Honest {
        let choice = Choice { question, reading };
        honest().into_iter().find(|honest| honest.readings == [choice]).unwrap()
    };
    let other = reads(Question::EmptyAxesIdentity, Reading::NormOfEachElement);
    let (first, second) =
        (|| Ok::<_, StartError>(boxed(wrong.backend())), || Ok::<_, StartError>(boxed(other.backend())));
    let subject = |start| Subject { start, demands: Demands::default() };
    let catch = hunt(&plan(2000), &[subject(&first), subject(&second)], |_| {}).unwrap();
    assert!(!catch.finds.is_empty() && catch.finds.iter().all(|find| find.subjects == BTreeSet::from([0])));
    assert!(catch.differences[&Difference::FirstIsWrong] > 100);
    assert!(catch.differences[&Difference::Reading(Question::EmptyAxesIdentity)] > 5);
    assert!(!catch.differences.contains_key(&Difference::SecondIsWrong));
    assert_eq!((catch.tallies[1].fails, catch.tallies[1].run), (0, 2000));
    let swapped = hunt(&plan(2000), &[subject(&second), subject(&first)], |_| {}).unwrap();
    assert_eq!(swapped.differences[&Difference::SecondIsWrong], catch.differences[&Difference::FirstIsWrong]);
}

#[test]
fn a_demanded_reading_is_found_where_it_is_not_taken() {
    let plain = honest().swap_remove(0);
    let start = || Ok::<_, StartError>(boxed(plain.backend()));
    let wanted = Choice { question: Question::DuplicateAxes, reading: Reading::Reject };
    let demands = Demands { readings: vec![wanted], ..Demands::default() };
    let catch = hunt(&plan(2000), &[Subject { start: &start, demands }], |_| {}).unwrap();
    assert!(!catch.finds.is_empty());
    for find in &catch.finds {
        let detail = Detail::Question(Question::DuplicateAxes);
        assert_eq!(find.class, Class { fault: Fault::OtherReading, detail });
        let cases = kept(find, &ledger()).unwrap();
        assert!(conforms(&cases, &mut plain.backend()), "without the demand it is as good as any");
    }
}

#[test]
fn nothing_is_found_wrong_with_who_is_right() {
    let honest = honest();
    let accused = each(&honest, |honest| {
        let start = || Ok::<_, StartError>(boxed(honest.backend()));
        let catch =
            hunt(&plan(300), &[Subject { start: &start, demands: Demands::default() }], |_| {}).unwrap();
        (
            catch.calls,
            catch
                .finds
                .iter()
                .map(|find| format!("{}: {}", honest.name, found::id(find)))
                .collect::<Vec<_>>(),
        )
    });
    assert!(accused.iter().all(|(calls, finds)| *calls == 300 && finds.is_empty()), "{accused:?}");
}
