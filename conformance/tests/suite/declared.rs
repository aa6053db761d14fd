//! Tests declared support: calls are spent on what a backend lists, and what it does not list counts as unsupported.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::reference_backend::{Policy, Reference};
use crate::session::{corpus, on_record, rebuilt};
use normative_backend::{Declared, serve};
use normative_conformance::drive::smoke::{self, Found, Line, Probe};
use normative_conformance::drive::{Limits, Program};
use normative_conformance::reference::{Call, Dtype, Family, Norm, Opset, Spec};
use normative_conformance::run::prepare;
use normative_conformance::run::property::row;
use normative_conformance::session::{Calls, Job, read};
use normative_conformance::{Answer, Backend, Capabilities, Claim, Identity, Verdict};
use rstest::rstest;

const L2_18: Spec = Spec::Onnx(Norm::L2, Opset::V18);

/// The reference, which answers calls of these operators and types.
struct Partial {
    has: Declared,
    declares: Declared,
    claims: Vec<Claim>,
}

impl Partial {
    fn of(specs: &[Spec], dtypes: &[Dtype]) -> Self {
        let has = Declared { specs: specs.to_vec(), dtypes: dtypes.to_vec() };
        Self { declares: has.clone(), has, claims: Claim::in_full(&Family::BY_DEFAULT) }
    }
}

impl Backend for Partial {
    fn identity(&self) -> Identity {
        Backend::identity(&Reference(Policy::new()))
    }

    fn capabilities(&self) -> Capabilities {
        let (declared, claims) = (self.declares.clone(), self.claims.clone());
        Capabilities { declared, claims, ..Capabilities::default() }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        match self.has.lacks(call) {
            Some(_) => Answer::Unsupported("there is no such thing".into()),
            None => Reference(Policy::new()).answer(call),
        }
    }
}

#[test]
fn the_type_of_a_call_is_known_without_making_it() {
    for seed in [1, 7] {
        for id in row(seed, &Spec::ALL).take(3000) {
            assert_eq!(id.dtype(), id.call().data.dtype(), "{id}");
        }
    }
}

#[rstest]
#[case::one_type(&[], &[Dtype::F32], 1000)]
#[case::a_type_of_few_specs(&[], &[Dtype::U8], 200)]
#[case::one_operator(&[L2_18], &[], 500)]
#[case::both(&[L2_18], &[Dtype::F32, Dtype::I64], 500)]
fn as_many_calls_as_were_asked_for_are_of_what_is_declared(
    #[case] specs: &[Spec],
    #[case] dtypes: &[Dtype],
    #[case] calls: usize,
) {
    let mut backend = Partial::of(specs, dtypes);
    let row_of = |calls| Calls::Row { seed: 1, calls: Some(calls), specs: Spec::ALL.to_vec() };
    let job = Job { calls: row_of(calls), repeat: 0, ..Job::of(0, &[]) };
    let report = job.judge(&mut backend, None, &mut ()).unwrap();
    let generated = report.generated.as_ref().unwrap();
    assert_eq!((generated.total().run, generated.total().unsupported), (calls, 0));
    assert_eq!(job.asked(&report).len(), calls);
    // The same calls, in the same order, as those of the whole row that the backend has, of operators with its types.
    let drawn: Vec<Spec> = backend.has.drawn(&Spec::ALL).collect();
    let all = row(1, &drawn).filter(|id| backend.has.lacks(&id.call()).is_none());
    let ids = job.ids(&Backend::capabilities(&backend));
    assert!(all.take(calls).eq(ids.iter().copied()));
}

#[test]
fn the_usual_number_of_calls_follows_the_operators_and_not_the_types() {
    let usual = |specs: &[Spec], dtypes: &[Dtype]| {
        Calls::default().usual(&Backend::capabilities(&Partial::of(specs, dtypes))).unwrap()
    };
    let by_default = |spec: &Spec| Norm::BY_DEFAULT.contains(&spec.norm());
    let unlisted: Vec<Spec> = Spec::ALL.into_iter().filter(by_default).collect();
    assert_eq!(usual(&[], &[Dtype::F32]), Calls::by_default(false, &unlisted));
    assert_eq!(usual(&Spec::ALL, &[Dtype::F32]), Calls::by_default(false, &Spec::ALL));
    assert_eq!(usual(&[L2_18], &[Dtype::F32]), Calls::by_default(false, &[L2_18]));
}

#[rstest]
#[case::a_type_that_the_operator_has_not(&[Spec::Blas(Norm::L1)], &[Dtype::I8])]
#[case::a_family_that_is_not_asked(&[Spec::Bnns], &[])]
fn of_what_no_spec_has_no_call_is_searched(
    #[case] declared: &[Spec],
    #[case] dtypes: &[Dtype],
    #[values(None, Some(Duration::from_millis(50)))] time: Option<Duration>,
) {
    let specs = vec![Spec::Blas(Norm::L1), Spec::Blas(Norm::L2)];
    let calls = match time {
        Some(time) => Calls::Timed { seed: 1, time, specs },
        None => Calls::Row { seed: 1, calls: Some(10), specs },
    };
    let job = Job { calls, ..Job::of(0, &[]) };
    let report = job.judge(&mut Partial::of(declared, dtypes), None, &mut ()).unwrap();
    assert_eq!(report.generated.map_or(0, |generated| generated.total().run), 0);
}

#[test]
fn a_case_beyond_what_is_declared_is_unsupported_by_kind_and_never_asked() {
    let (corpus, ledger) = corpus();
    let prepared = prepare(&corpus.cases).unwrap();
    let job = Job { calls: Calls::none(), repeat: 0, ..Job::of(prepared.len(), &prepared) };
    // It would answer every call.
    let mut backend = Partial { has: Declared::default(), ..Partial::of(&[], &[Dtype::F32]) };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record");
    let report = on_record(&job, &corpus, &ledger, &path, &mut backend, &mut ());
    let of = |dtype| corpus.cases.iter().filter(|case| case.call.data.dtype() == dtype).count();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, verdict) in &report.results {
        if let Verdict::Unsupported(why) = verdict {
            *reasons.entry(why).or_default() += 1;
        }
    }
    assert_eq!(reasons["not declared: the element type f64"], of(Dtype::F64), "{reasons:?}");
    assert_eq!(reasons.values().sum::<usize>(), corpus.cases.len() - of(Dtype::F32));

    let record = read(&path).unwrap();
    assert_eq!(record.header.demands().unwrap().capabilities, Backend::capabilities(&backend));
    assert_eq!(rebuilt(&corpus, &ledger, &prepared, &path).differs, None);
}

fn operators(lines: &[Line]) -> Vec<Spec> {
    let spec = |line: &Line| if let Probe::Operator(spec) = line.probe { Some(spec) } else { None };
    lines.iter().filter_map(spec).collect()
}

#[test]
fn smoke_says_nothing_of_what_a_backend_has_not() {
    let mut declared = Partial::of(&[L2_18], &[Dtype::F64]);
    let lines = smoke::backend(&mut declared, |_| {}).unwrap();
    assert_eq!(operators(&lines), [L2_18]);
    let mentions = |probe| lines.iter().any(|line| line.probe == probe);
    assert!(mentions(Probe::Elements(Dtype::F64)) && !mentions(Probe::Elements(Dtype::F32)));
    // Every other line is of the type that it has.
    let unsupported = lines.iter().filter(|line| matches!(line.found, Found::Unsupported(_)));
    assert_eq!(unsupported.count(), 0, "{lines:#?}");
    assert!(smoke::is_clear(&lines) && smoke::checked_anything(&lines), "{lines:#?}");

    // A family that is neither claimed nor there is passed over; one that is there is probed.
    let claims = Claim::in_full(&[Family::ArrayApi]);
    let has = Declared { specs: vec![Spec::ArrayApi(Norm::L2), Spec::Bnns], dtypes: Vec::new() };
    let mut undeclared = Partial { has, declares: Declared::default(), claims };
    let lines = smoke::backend(&mut undeclared, |_| {}).unwrap();
    assert_eq!(operators(&lines), [Spec::Bnns, Spec::ArrayApi(Norm::L1), Spec::ArrayApi(Norm::L2)]);
    assert!(!lines.iter().any(|line| line.probe == Probe::Spacing));
}

/// The environment variable that makes this test program a worker.
const ROLE: &str = "NORMATIVE_DECLARED_ROLE";

/// The child process runs this. Without a role it does nothing.
#[test]
fn the_child_declares_as_it_was_told() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let mut backend = Partial::of(&[L2_18, Spec::Bnns], &[Dtype::F32]);
    if role == "has more" {
        backend.has = Declared { specs: Vec::new(), dtypes: vec![Dtype::F32, Dtype::I8] };
    }
    serve(backend);
}

#[rstest]
#[case::all_that_it_has("honest", None)]
#[case::less("has more", Some("it also answers openvino/ReduceL1-4, openvino/ReduceL2-4, onnx/ReduceL1-1, "))]
fn a_backend_that_declares_less_than_it_answers_is_told_so(#[case] role: &str, #[case] note: Option<&str>) {
    let mut program = Program::new(std::env::current_exe().unwrap());
    program.args =
        ["--exact", "declared::the_child_declares_as_it_was_told", "--nocapture"].map(Into::into).into();
    program.env = vec![(ROLE.into(), role.into())];
    let lines = smoke::program(program, Limits::default(), |_| {}).unwrap();
    let found = &lines.iter().find(|line| line.probe == Probe::Declared).unwrap().found;
    match (note, found) {
        (None, found) => assert_eq!(*found, Found::Right),
        (Some(note), Found::Note(what)) => {
            assert!(what.starts_with(note), "{what}");
            assert!(!what.contains(L2_18.name()) && !what.contains("f64"), "{what}");
        }
        (Some(_), found) => panic!("expected a note, got {found:?}"),
    }
    assert!(smoke::is_clear(&lines), "{lines:#?}");
}
