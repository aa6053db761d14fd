//! Tests the comparison of a product's routes: two that differ in one property show a difference of that
//! kind, in every format, and two products are not compared.

use crate::example::{LEDGER, cases_of};
use crate::reference_backend::{Policy, Reference, otherwise};
use crate::session::settings;
use normative_conformance::corpus::{Corpus, Ledger};
use normative_conformance::reference::{Axes, Call, Dtype, Norm, Question, Reading, Spec, Tensor};
use normative_conformance::report::record::Record;
use normative_conformance::report::routes::{RouteDifference, RouteKind, differences};
use normative_conformance::run::{Prepared, prepare};
use normative_conformance::session::{Calls, Job, Judge, Recorder, Settings, read};
use normative_conformance::{Answer, Backend, Identity, Observed, Stub};
use normative_present::column::Column;
use normative_present::terminal::Detail;
use normative_present::{markdown, page, routes};
use rstest::rstest;

/// A route: the reference, except for some calls.
struct Route {
    version: &'static str,
    bugs: &'static str,
    policy: Policy,
    planted: fn(&Call) -> Option<Answer>,
}

const PLAIN: Route = Route { version: "1", bugs: "one place", policy: Policy::new(), planted: |_| None };

impl Route {
    fn backend(self) -> Stub<impl FnMut(&Call) -> Answer> {
        let (version, report_bugs_to) = (self.version.into(), self.bugs.into());
        let identity = Identity { name: "product".into(), version, report_bugs_to };
        Stub { identity, ..otherwise("product", self.policy, self.planted) }
    }
}

fn corpus() -> (Corpus, Ledger) {
    (cases_of("openvino/ReduceL1"), LEDGER.clone())
}

/// Returns the records of these routes, named from `a` on.
fn records(corpus: &Corpus, ledger: &Ledger, prepared: &[Prepared<'_>], all: Vec<Route>) -> Vec<Record> {
    let folder = tempfile::tempdir().unwrap();
    let calls = Calls::Row { seed: 5, calls: Some(200), specs: vec![Spec::OpenVino(Norm::L1)] };
    let job = Job { calls, repeat: 0, shrink: 0, ..Job::of(corpus.cases.len(), prepared) };
    let record = |(name, route): (char, Route)| {
        let path = folder.path().join(name.to_string());
        let mut backend = route.backend();
        let header = job.header(corpus, &backend, Settings { name: name.into(), ..settings() });
        let mut recorder = Recorder::create(path.clone(), &header, ledger).unwrap();
        job.judge(&mut backend, Some(&mut recorder), &mut ()).unwrap();
        read(&path).unwrap()
    };
    ('a'..).zip(all).map(record).collect()
}

/// Returns the differences between three routes, of which the last two have this planted.
fn planted(planted: fn(&Call) -> Option<Answer>) -> Vec<RouteDifference> {
    let (corpus, ledger) = corpus();
    let prepared = prepare(&corpus.cases).unwrap();
    let routes = vec![PLAIN, Route { planted, ..PLAIN }, Route { planted, ..PLAIN }];
    differences(&records(&corpus, &ledger, &prepared, routes), &corpus).unwrap()
}

/// Returns the numbers that name axes.
fn named(call: &Call) -> &[i128] {
    match &call.axes {
        Axes::Given(axes) => &axes.values,
        Axes::Absent | Axes::Null | Axes::OtherForm(_) => &[],
    }
}

/// Returns true for a call that no text leaves open.
fn is_it(call: &Call) -> bool {
    let a_list = call.axes.written().is_some_and(|axes| axes.shape.len() < 2);
    call.data.dtype() == Dtype::F32 && call.data.shape() == [2, 3] && a_list && named(call).len() == 1
}

fn answer(call: &Call) -> Option<Tensor> {
    match Reference(Policy::new()).answer(call) {
        Answer::Tensor(tensor) if is_it(call) => Some(tensor),
        _ => None,
    }
}

fn dies(call: &Call) -> Option<Answer> {
    answer(call).map(|_| Answer::Crashed("SIGSEGV".into()))
}

fn refuses(call: &Call) -> Option<Answer> {
    answer(call).map(|_| Answer::Rejected("no".into()))
}

fn has_a_dim_more(call: &Call) -> Option<Answer> {
    answer(call).map(|right| {
        let shape: Vec<usize> = std::iter::once(1).chain(right.shape().iter().copied()).collect();
        Answer::Tensor(Tensor::from_bits(right.dtype(), &shape, &right.bits()).unwrap())
    })
}

fn is_wrong(call: &Call) -> Option<Answer> {
    answer(call).map(|right| {
        let bits: Vec<u64> = right.bits().into_iter().map(|bits| bits ^ 0x0040_0000).collect();
        Answer::Tensor(Tensor::from_bits(right.dtype(), right.shape(), &bits).unwrap())
    })
}

#[rstest]
#[case::a_death(RouteKind::Death, dies)]
#[case::a_refusal(RouteKind::Refusal, refuses)]
#[case::dims(RouteKind::Form, has_a_dim_more)]
#[case::values(RouteKind::OneWrong, is_wrong)]
fn two_routes_that_differ_in_one_thing_are_one_row(
    #[case] kind: RouteKind,
    #[case] plant: fn(&Call) -> Option<Answer>,
) {
    let found = planted(plant);
    let kinds: Vec<RouteKind> = found.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [kind], "{found:?}");
    let [one] = &found[..] else { panic!("one row") };
    assert_eq!(one.sides, [vec!["a".to_owned()], vec!["b".into(), "c".into()]]);
    assert!(one.calls > 1 && is_it(&one.call), "{one:?}");
    assert_eq!(one.answers.iter().map(|(_, conforms)| *conforms).collect::<Vec<_>>(), [true, false]);
    assert_eq!(one.answers[0].0, Observed::Tensor(answer(&one.call).unwrap()));
    assert_eq!(Some(one.answers[1].0.clone()), plant(&one.call).map(Observed::from));
}

#[test]
fn readings_and_bits_that_are_each_accepted_are_told_apart() {
    let (corpus, ledger) = corpus();
    let prepared = prepare(&corpus.cases).unwrap();
    let policy = Policy::from([(Question::EmptyAxesIdentity, Reading::NormOfEachElement)]);
    // The next number is still within the bound of a long sum.
    let next = |call: &Call| {
        let right = answer_of_many(call)?;
        let bits: Vec<u64> = right.bits().into_iter().map(|bits| bits + 1).collect();
        Some(Answer::Tensor(Tensor::from_bits(right.dtype(), right.shape(), &bits).unwrap()))
    };
    let of = |route: Route| {
        differences(&records(&corpus, &ledger, &prepared, vec![PLAIN, route]), &corpus).unwrap()
    };
    let read = of(Route { policy, ..PLAIN });
    assert_eq!(read.iter().map(|one| one.kind).collect::<Vec<_>>(), [RouteKind::Readings], "{read:?}");
    assert!(named(&read[0].call).is_empty() && read[0].answers.iter().all(|(_, conforms)| *conforms));
    let bits = of(Route { planted: next, ..PLAIN });
    assert_eq!(bits.iter().map(|one| one.kind).collect::<Vec<_>>(), [RouteKind::Bits], "{bits:?}");
}

/// Returns the reference's answer if hundreds of f32 are added.
fn answer_of_many(call: &Call) -> Option<Tensor> {
    match Reference(Policy::new()).answer(call) {
        Answer::Tensor(tensor) if call.data.dtype() == Dtype::F32 => {
            let many = call.data.len() >= 300 * tensor.len().max(1);
            let finite = tensor.bits().iter().all(|bits| f32::from_bits(*bits as u32).is_normal());
            (many && finite).then_some(tensor)
        }
        _ => None,
    }
}

#[test]
fn other_products_and_what_cannot_be_said_are_no_row() {
    let (corpus, ledger) = corpus();
    let prepared = prepare(&corpus.cases).unwrap();
    let silent: fn(&Call) -> Option<Answer> = |call| is_it(call).then(|| Answer::Unsupported("no".into()));
    let other_words: fn(&Call) -> Option<Answer> =
        |call| is_it(call).then(|| Answer::Rejected("not this".into()));
    let none = [
        vec![PLAIN, Route { version: "2", planted: refuses, ..PLAIN }],
        vec![PLAIN, Route { bugs: "another place", planted: refuses, ..PLAIN }],
        vec![Route { bugs: "", ..PLAIN }, Route { bugs: "", planted: refuses, ..PLAIN }],
        vec![PLAIN, Route { planted: silent, ..PLAIN }],
        vec![Route { planted: refuses, ..PLAIN }, Route { planted: other_words, ..PLAIN }],
    ];
    for routes in none {
        let found = differences(&records(&corpus, &ledger, &prepared, routes), &corpus).unwrap();
        assert_eq!(found, []);
    }
}

#[test]
fn every_format_of_several_shows_the_differences() {
    let (corpus, ledger) = corpus();
    let prepared = prepare(&corpus.cases).unwrap();
    let refuses: fn(&Call) -> Option<Answer> =
        |call| is_it(call).then(|| Answer::Rejected("no\nROUTES of <b>".into()));
    let records = records(&corpus, &ledger, &prepared, vec![PLAIN, Route { planted: refuses, ..PLAIN }]);
    let found = differences(&records, &corpus).unwrap();
    assert_eq!(differences(&records, &corpus).unwrap(), found, "the same twice");
    let judge = Judge { corpus: &corpus, ledger: &ledger, prepared: &prepared, rules: None };
    let column = |record: &Record| Column {
        name: record.header.name.clone(),
        report: judge.rebuilt(record).unwrap().report,
        again: "again".into(),
        repro: None,
    };
    let columns: Vec<Column<'_>> = records.iter().map(column).collect();
    let [mut text, mut marked, mut html] = [const { String::new() }; 3];
    routes::write(&mut text, &found, Detail::Brief("show")).unwrap();
    markdown::write(&mut marked, &columns, &found, &ledger).unwrap();
    page::write(&mut html, &columns, &found, &ledger, "this suite").unwrap();
    let calls = found[0].calls;
    assert!(
        text.contains(&format!("ROUTES of \"product 1\": openvino/ReduceL1-4, one refuses: {calls} calls\n"))
    );
    assert!(text.contains("\n  answer    \"a\": f32"), "{text}");
    assert!(text.contains("\n  answer    \"b\": refused: no ROUTES of <b> (fails)\n"), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("ROUTES ")).count(), 1);
    for (text, escaped) in [(&marked, "&lt;b&gt; (fails)"), (&html, "\\u003cb> (fails)")] {
        assert!(text.contains("one refuses") && text.contains(escaped), "{text}");
    }
}
