//! Tests the differences between two runs: every possible change of a verdict, and none for the same run.

use std::time::Duration;

use crate::calls::{openvino, vector};
use crate::example;
use normative_conformance::corpus::Case;
use normative_conformance::judge::compare::Mismatch;
use normative_conformance::judge::hazard::{Gives, Hazard};
use normative_conformance::judge::verdict::{Accepts, Miss};
use normative_conformance::reference::{Call, Choice, Dtype, Norm, Question, Reading, Real, Value};
use normative_conformance::report::Report;
use normative_conformance::report::diff::{Turn, changes, write};
use normative_conformance::run::property::{Find, Generated, Id};
use normative_conformance::run::tally::Tally;
use normative_conformance::{Identity, Verdict};
use rstest::rstest;

fn call() -> Call {
    openvino(Norm::L1, vector(&[1.0_f32]), &[0])
}

fn case(name: &str) -> Case {
    example::case(name, call())
}

fn report(results: Vec<(&Case, Verdict)>) -> Report<'_> {
    let identity = Identity { name: "x".into(), version: "0".into(), report_bugs_to: "y".into() };
    let count = results.len();
    Report::of(identity, results, count)
}

fn conforms(reading: Option<Reading>) -> Verdict {
    let question = Question::FloatRange;
    let readings = reading.map(|reading| Choice { question, reading }).into_iter().collect();
    Verdict::Conforms { accepting: Accepts::only(readings), accuracy: None, hazard: None }
}

fn hazardous() -> Verdict {
    let (allowed_by, norm) = (vec![vec![Question::FloatRange]], Value::Finite(Real::zero()));
    let hazard = Hazard { allowed_by, gives: Gives::Zero, dtype: Dtype::F32, index: vec![], got: 0, norm };
    Verdict::Conforms { accepting: Accepts::default(), accuracy: None, hazard: Some(Box::new(hazard)) }
}

fn fails(message: &str) -> Verdict {
    let mismatch = Mismatch::Rejected { message: message.into() };
    Verdict::Fails(vec![Miss { readings: vec![], mismatch, accuracy: None }])
}

fn unsupported(why: &str) -> Verdict {
    Verdict::Unsupported(why.into())
}

#[rstest]
#[case::breaks(Some(conforms(None)), Some(fails("no")), Some(Turn::FailsNow))]
#[case::crashes(Some(conforms(None)), Some(Verdict::Crashed("SIGSEGV".into())), Some(Turn::FailsNow))]
#[case::hangs(
    Some(unsupported("later")),
    Some(Verdict::TimedOut(Duration::from_secs(1))),
    Some(Turn::FailsNow)
)]
#[case::new_and_fails(None, Some(fails("no")), Some(Turn::FailsNow))]
#[case::dropped(Some(conforms(None)), Some(unsupported("no")), Some(Turn::Dropped))]
#[case::not_asked(Some(conforms(None)), None, Some(Turn::NotAsked))]
#[case::another_reason(Some(fails("no")), Some(fails("never")), Some(Turn::FailsOtherwise))]
#[case::fails_then_crashes(Some(fails("no")), Some(Verdict::Crashed("SIGSEGV".into())), Some(Turn::FailsOtherwise))]
#[case::given_up(Some(fails("no")), Some(unsupported("no")), Some(Turn::GivenUp))]
#[case::another_reading(
    Some(conforms(Some(Reading::Naive))),
    Some(conforms(Some(Reading::Scaled))),
    Some(Turn::ReadsOtherwise)
)]
#[case::new(None, Some(conforms(None)), Some(Turn::New))]
#[case::taken_up(Some(unsupported("later")), Some(conforms(None)), Some(Turn::TakenUp))]
#[case::fixed(Some(Verdict::Crashed("SIGSEGV".into())), Some(conforms(None)), Some(Turn::Fixed))]
#[case::no_longer_the_norm(Some(conforms(Some(Reading::Scaled))), Some(hazardous()), Some(Turn::Hazardous))]
#[case::the_norm_again(Some(hazardous()), Some(conforms(None)), Some(Turn::Safe))]
#[case::the_same_hazard(Some(hazardous()), Some(hazardous()), None)]
#[case::the_same_failure(Some(fails("no")), Some(fails("no")), None)]
#[case::the_same_success(Some(conforms(Some(Reading::Naive))), Some(conforms(Some(Reading::Naive))), None)]
#[case::unsupported_in_other_words(Some(unsupported("no")), Some(unsupported("never")), None)]
fn each_turn_of_a_verdict_is_told(
    #[case] before: Option<Verdict>,
    #[case] after: Option<Verdict>,
    #[case] expected: Option<Turn>,
) {
    let case = case("a");
    let report =
        |verdict: Option<Verdict>| report(verdict.map(|verdict| (&case, verdict)).into_iter().collect());
    let (before, after) = (report(before), report(after));
    let turns: Vec<Turn> = changes(&before, &after).iter().map(|change| change.turn).collect();
    assert_eq!(turns, expected.into_iter().collect::<Vec<_>>());
}

fn generated(seed: u64, run: usize, finds: &[(u64, Verdict)]) -> Generated {
    let find = |(index, verdict): &(u64, Verdict)| Find {
        id: Id::first(seed, *index),
        call: call(),
        verdict: verdict.clone(),
    };
    let tallies = [(call().spec(), Tally { run, ..Tally::default() })].into();
    Generated { seed, tallies, finds: finds.iter().map(find).collect(), ..Generated::default() }
}

#[test]
fn generated_calls_are_compared_where_they_are_the_same_ones() {
    let of = |generated| Report { generated: Some(generated), ..report(vec![]) };
    let before = of(generated(1, 9, &[(2, fails("no")), (3, fails("no")), (4, fails("no"))]));
    let after = of(generated(1, 9, &[(3, fails("never")), (4, fails("no")), (5, fails("no"))]));
    let told: Vec<(Turn, String)> =
        changes(&before, &after).into_iter().map(|change| (change.turn, change.name)).collect();
    let named = |turn, index| (turn, format!("generated-1:{index}/ReduceL1-4/f32"));
    assert_eq!(told, [named(Turn::FailsNow, 5), named(Turn::FailsOtherwise, 3), named(Turn::Fixed, 2)]);
    for other in [of(generated(2, 9, &[])), of(generated(1, 8, &[]))] {
        assert_eq!(changes(&before, &other), []);
        let mut text = String::new();
        write(&mut text, ("a", &before), ("b", &other)).unwrap();
        assert_eq!(
            text,
            "The runs made other generated calls, which are not compared.\na -> b: nothing changed\n"
        );
    }
}

#[test]
fn what_became_worse_comes_first_and_no_words_of_a_backend_pass_for_ours() {
    let cases = [case("fixed"), case("other-reading"), case("broken")];
    let verdicts = |verdicts: [Verdict; 3]| report(cases.iter().zip(verdicts).collect());
    let before = verdicts([fails("no"), conforms(Some(Reading::Naive)), conforms(None)]);
    let after =
        verdicts([conforms(None), conforms(Some(Reading::Scaled)), fails("no\na -> b: nothing changed")]);
    let mut text = String::new();
    write(&mut text, ("a", &before), ("b", &after)).unwrap();
    let expected = "FAILS NOW broken
  before conforms
  after  expected a tensor, got a refusal: no a -> b: nothing changed
reads otherwise other-reading
  before conforms, float-range=naive
  after  conforms, float-range=scaled
conforms now fixed
  before expected a tensor, got a refusal: no
  after  conforms
a -> b: 1 FAILS NOW, 1 reads otherwise, 1 conforms now
";
    assert_eq!(text, expected);
}
