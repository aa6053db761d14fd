//! Tests the property run: its counts, its finds, and that each find can be repeated alone.

use std::cell::Cell;
use std::collections::BTreeSet;

use crate::example::LEDGER;
use crate::reference_backend::{Policy, Reference, otherwise};
use normative_conformance::generate::turns::Turns;
use normative_conformance::reference::{Axes, Call, Choice, Dtype, Question, Reading, Spec, Tensor};
use normative_conformance::report::{Place, Report};
use normative_conformance::run::property::{Find, Generated, Id, Made, calls_of_rounds, row, run};
use normative_conformance::run::readings::Statement;
use normative_conformance::run::{Judged, Run};
use normative_conformance::{
    Answer, Backend, Capabilities, Demands, Driver, Identity, Observed, Stub, Verdict,
};
use normative_present::column::Column;
use normative_present::terminal;

/// Returns the reference with one difference.
fn differing(differs: impl FnMut(&Call) -> Option<Answer>) -> Stub<impl FnMut(&Call) -> Answer> {
    otherwise("otherwise", Policy::new(), differs)
}

/// Returns the demands on the reference, which lists every operator.
fn of_reference() -> Demands {
    let capabilities = Backend::capabilities(&Reference(Policy::new()));
    Demands { capabilities, ..Demands::default() }
}

/// Demands that an axis named twice is refused.
fn refusing_twice() -> Demands {
    let choice = Choice { question: Question::DuplicateAxes, reading: Reading::Reject };
    Demands { readings: vec![choice], ..Demands::default() }
}

fn judged(calls: usize, specs: &[Spec], backend: &mut dyn Driver) -> Generated {
    run(4, calls, specs, backend, &of_reference()).unwrap()
}

fn alone(id: Id, backend: &mut dyn Driver) -> Judged<Made> {
    let made = Made::of(id).unwrap();
    let answer = backend.ask(&made.call);
    Judged::of(made, answer, &Demands::default())
}

fn report(generated: Generated) -> Report<'static> {
    let identity = Backend::identity(&differing(|_: &Call| None));
    Report { generated: Some(generated), ..Report::of(identity, vec![], 0) }
}

fn printed(generated: &Generated) -> String {
    let mut text = String::new();
    let report = report(generated.clone());
    let column = Column { name: "otherwise".into(), report, again: "again".into(), repro: None };
    terminal::write(&mut text, &column, &LEDGER, terminal::Detail::All).unwrap();
    text
}

/// Gives every kind of verdict, by element type.
fn of_every_kind(call: &Call) -> Option<Answer> {
    match call.data.dtype() {
        Dtype::F16 => Some(Answer::Unsupported("no halves".into())),
        Dtype::F64 => Some(Answer::Crashed("SIGSEGV".into())),
        Dtype::I64 => Some(Answer::Tensor(call.data.clone())),
        Dtype::U32 => Some(Answer::Rejected("not today".into())),
        _ => None,
    }
}

#[test]
fn every_call_is_counted_once_and_every_failure_is_kept() {
    let mut asked = Vec::new();
    let mut backend = differing(|call: &Call| {
        asked.push(call.clone());
        of_every_kind(call)
    });
    let generated = run(4, 3000, &Spec::ALL, &mut backend, &of_reference()).unwrap();
    drop(backend);
    // The calls after them are probes, which explain refusals.
    assert!(asked.len() > 3000);
    assert_eq!(asked[..3000], row(4, &Spec::ALL).take(3000).map(Id::call).collect::<Vec<_>>());
    let total = generated.total();
    assert_eq!(total.run, 3000);
    assert_eq!(total.run, total.conforms + total.fails + total.died + total.unsupported);
    assert_eq!(generated.finds.len(), total.fails + total.died);
    assert_eq!(generated.unsupported.values().sum::<usize>(), total.unsupported);
    let of_types =
        generated.unsupported.keys().filter(|why| why.starts_with("refuses the plainest call of u32"));
    assert!(generated.unsupported["no halves"] > 0 && of_types.count() == 1);
    assert_eq!(generated.tallies.len(), Spec::ALL.len());
    for count in [total.conforms, total.fails, total.died, total.unsupported, total.open] {
        assert!(count > 50, "{total:?}");
    }
    let halves = row(4, &Spec::ALL).take(3000).filter(|id| id.call().data.dtype() == Dtype::F16).count();
    assert_eq!(generated.unsupported["no halves"], halves);
}

#[test]
fn a_find_made_alone_is_the_same_find() {
    let generated = judged(2000, &Spec::ALL, &mut differing(of_every_kind));
    assert!(generated.finds.len() > 300);
    for Find { id, call, verdict } in &generated.finds {
        let again = alone(*id, &mut differing(of_every_kind));
        assert_eq!((&again.asked.call, &again.verdict), (call, verdict), "{id}");
        assert_eq!(id.to_string().parse(), Ok(*id));
    }
}

#[test]
fn the_same_seed_gives_the_same_report() {
    let once = printed(&judged(1500, &Spec::ALL, &mut differing(of_every_kind)));
    let twice = printed(&judged(1500, &Spec::ALL, &mut differing(of_every_kind)));
    assert_eq!(once, twice);
    assert!(once.len() > 10_000);
}

#[test]
fn narrowing_the_specs_makes_the_same_calls_of_those_that_stay() {
    let specs = [Spec::ALL[3], Spec::ALL[10]];
    let all = judged(calls_of_rounds(50, &Spec::ALL), &Spec::ALL, &mut differing(of_every_kind));
    let few = judged(calls_of_rounds(50, &specs), &specs, &mut differing(of_every_kind));
    let ids = |finds: &[Find]| -> BTreeSet<Id> { finds.iter().map(|find| find.id).collect() };
    let of_those: Vec<Find> = all.finds.into_iter().filter(|find| specs.contains(&find.id.spec())).collect();
    assert_eq!(ids(&few.finds), ids(&of_those));
    assert_eq!(few.tallies.keys().copied().collect::<Vec<_>>(), specs);
    assert_eq!(judged(200, &[], &mut differing(of_every_kind)).total().run, 0, "no spec, no call");
}

#[test]
fn every_clause_a_find_names_is_in_the_ledger() {
    let mut named = BTreeSet::new();
    let mut everywhere_wrong = [
        |call: &Call| Some(Answer::Tensor(call.data.clone())),
        |_: &Call| Some(Answer::Rejected("never".into())),
        |_: &Call| Some(Answer::Crashed("always".into())),
        |call: &Call| {
            let empty = Tensor::from_bits(Dtype::U8, &[0], &[]).unwrap();
            (call.data.len() > 3).then_some(Answer::Tensor(empty))
        },
        |call: &Call| {
            let Answer::Tensor(right) = Reference(Policy::new()).answer(call) else { return None };
            let kept: Vec<usize> = right.shape().iter().copied().filter(|&dim| dim != 1).collect();
            Some(Answer::Tensor(Tensor::from_bits(right.dtype(), &kept, &right.bits()).unwrap()))
        },
    ];
    for wrong in &mut everywhere_wrong {
        let generated = run(4, 3000, &Spec::ALL, &mut differing(wrong), &refusing_twice()).unwrap();
        assert!(generated.finds.len() > 500);
        for find in &generated.finds {
            let clause = find.clause(&LEDGER);
            assert_eq!(clause.spec, find.call.spec());
            let entry = LEDGER.get(clause.spec, &clause.name);
            assert!(entry.is_some_and(|entry| !entry.says.is_empty()), "{clause}");
            named.insert(clause.name);
        }
    }
    for name in ["norm", "output-type", "output-shape", "keep-dims-true", "output-rank-kept", "axes-range"] {
        assert!(named.contains(name), "{name} is not in {named:?}");
    }
}

#[test]
fn a_demanded_reading_not_taken_names_the_clause_that_leaves_it_open() {
    let mut backend = Reference(Policy::new());
    let generated = run(4, 3000, &Spec::ALL, &mut backend, &refusing_twice()).unwrap();
    assert!(generated.finds.len() > 20);
    for find in &generated.finds {
        let clause = find.clause(&LEDGER);
        assert!(["axes-repeated", "axes-unique"].contains(&clause.name.as_str()), "{clause}");
    }
}

/// Reads empty axes one way for tensors of rank 1, the other way for all others.
fn of_two_minds(call: &Call) -> Option<Answer> {
    let second = Policy::from([(Question::EmptyAxesIdentity, Reading::NormOfEachElement)]);
    let empty = matches!(&call.axes, Axes::Given(axes) if axes.values.is_empty());
    (empty && call.data.rank() > 1).then(|| Reference(second).answer(call))
}

#[test]
fn a_question_read_in_two_ways_is_inconsistent_though_every_answer_is_honest() {
    let specs = [Spec::ALL[0]];
    let spec = specs[0];
    let generated = judged(1000, &specs, &mut differing(of_two_minds));
    assert!(generated.finds.is_empty());
    let place = Place { spec, question: Question::EmptyAxesIdentity, dtype: None };
    let profile = generated.readings.profile();
    assert_eq!(profile[&place].readings(), [Reading::Unchanged, Reading::NormOfEachElement]);
    let split = profile[&place].inconsistent(&place).unwrap();
    assert_eq!(split.witness.len(), 2);
    let text = printed(&generated);
    assert!(!report(generated.clone()).conforms());
    for Statement { answer: first, count, reads, at, .. } in &split.witness {
        let [reading] = &reads[..] else { panic!("{reads:?}") };
        // This is the first call of the row that shows the reading, and it does so alone.
        let verdict = alone(*first, &mut differing(of_two_minds)).verdict;
        assert_eq!(verdict.reading(Question::EmptyAxesIdentity), Some(*reading));
        for id in row(4, &specs).take_while(|id| id < first) {
            let verdict = alone(id, &mut differing(of_two_minds)).verdict;
            assert_ne!(verdict.reading(Question::EmptyAxesIdentity), Some(*reading), "{id}");
        }
        // The rank decides, and the finding says so.
        let at = at.as_ref().unwrap();
        assert!(at.starts_with("rank"), "{at}");
        let more = if *count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        let (start, end) = (format!("  reads     {reading} (rank"), format!(") in generated-{first}{more}"));
        let is_said = |line: &str| line.starts_with(&start) && line.ends_with(&end);
        assert!(text.lines().any(is_said), "{start:?} … {end:?} is not in {text}");
    }
    // Each by itself conforms, so one command asks both.
    let row: Vec<String> = split.witness.iter().map(|one| format!(" --case {}", one.answer)).collect();
    assert!(text.contains(&format!("  again     again{}\n", row.concat())), "{text}");
    assert!(text.contains("INCONSISTENT openvino/ReduceL1-4: empty-axes-identity\n"));
    assert!(text.contains("does not conform, though each answer does by itself: \"otherwise 0\": "));
}

/// Reads `noop_with_empty_axes` one way for data without elements, the other way for all others.
fn of_two_minds_about_no_data(call: &Call) -> Option<Answer> {
    let questions = [Question::NoopAbsentAxes, Question::NoopNullAxes, Question::NoopEmptyAxes];
    let second = Policy::from(questions.map(|question| (question, Reading::ReduceAll)));
    call.data.is_empty().then(|| Reference(second).answer(call))
}

#[test]
fn a_question_read_otherwise_of_no_data_is_divided_by_that_and_not_by_a_rank() {
    let specs = [Spec::ALL.into_iter().find(|spec| spec.name() == "onnx/ReduceL1-18").unwrap()];
    let text = printed(&judged(2000, &specs, &mut differing(of_two_minds_about_no_data)));
    assert!(text.contains("INCONSISTENT onnx/ReduceL1-18: noop-"), "{text}");
    assert!(text.contains(" (no data) in generated-"), "{text}");
    assert!(!text.contains("(rank"), "{text}");
}

#[test]
fn a_run_in_which_every_call_was_declined_shows_nothing() {
    let mut declines = differing(|_: &Call| Some(Answer::Unsupported("no".into())));
    let report = report(judged(50, &Spec::ALL, &mut declines));
    assert_eq!((report.executed(), report.conforms()), (0, false));
    let generated = report.generated.unwrap();
    assert!(generated.finds.is_empty());
    assert!(
        printed(&generated)
            .contains("shows nothing: \"otherwise 0\": 0 of 0 cases; 50 unsupported of 50 generated calls")
    );
}

#[test]
fn a_call_that_fails_is_a_failure_of_the_report() {
    let one = |answer: Option<Answer>| {
        let mut answers = [answer].into_iter();
        let mut backend = differing(move |_: &Call| answers.next().flatten());
        report(judged(300, &Spec::ALL, &mut backend)).conforms()
    };
    assert!(one(None));
    assert!(!one(Some(Answer::Crashed("once".into()))));
    assert!(!one(Some(Answer::Tensor(Tensor::from_bits(Dtype::F32, &[0], &[]).unwrap()))));
}

#[test]
fn a_find_is_printed_with_its_clause_its_data_and_its_command() {
    let mut backend = differing(|call: &Call| match call.data.dtype() {
        Dtype::F64 => Some(Answer::Tensor(call.data.clone())),
        Dtype::U64 => Some(Answer::Crashed("SIGSEGV".into())),
        _ => None,
    });
    let generated = judged(70, Turns::First.specs(), &mut backend);
    assert!(generated.finds.iter().any(|find| matches!(find.verdict, Verdict::Fails(_))));
    assert!(generated.finds.iter().any(|find| matches!(find.verdict, Verdict::Crashed(_))));
    insta::assert_snapshot!(printed(&generated));
}

/// Notes the number of calls made while it answered.
struct Elsewhere<'a> {
    made: &'a Cell<usize>,
    asked: usize,
    made_meanwhile: usize,
    largest: usize,
}

impl Driver for Elsewhere<'_> {
    fn identity(&self) -> Identity {
        Identity { name: "elsewhere".into(), version: "0".into(), report_bugs_to: "this test".into() }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn ask(&mut self, _: &Call) -> Observed {
        panic!("a run asks for many")
    }

    fn ask_all_while(&mut self, calls: &[&Call], other_work: &mut dyn FnMut()) -> Vec<Observed> {
        self.asked += calls.len();
        // After a fast batch, at most twice as many calls follow, and these are made meanwhile. After a slow
        // one, a smaller batch takes the calls made for the larger.
        self.largest = self.largest.max(calls.len());
        let before = self.made.get();
        assert!(before - self.asked < 2 * self.largest, "more is made than the next batch");
        other_work();
        self.made_meanwhile += self.made.get() - before;
        calls.iter().map(|_| Observed::Unsupported("no".into())).collect()
    }
}

#[test]
fn the_next_calls_are_made_while_these_are_answered_and_judged_in_order() {
    let made = Cell::new(0);
    let ids: Vec<Id> = row(1, &Spec::ALL).take(100).collect();
    let calls = ids.iter().map(|&id| {
        made.set(made.get() + 1);
        Made::of(id).unwrap()
    });
    let mut backend = Elsewhere { made: &made, asked: 0, made_meanwhile: 0, largest: 0 };
    let judged: Vec<Id> =
        Run::over(calls, &mut backend, &Demands::default()).map(|judged| judged.asked.id).collect();
    assert_eq!(judged, ids);
    assert_eq!(backend.asked, 100);
    // All calls except the first batch.
    assert_eq!(backend.made_meanwhile, 100 - 2);
}
