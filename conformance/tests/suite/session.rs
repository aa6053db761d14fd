//! Tests a whole run as a library call: its record gives the same report, and so does a resumed run.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::example::{LEDGER, cases_of};
use crate::reference_backend::{Policy, otherwise};
use normative_backend::wire::encode_call;
use normative_conformance::corpus::{Corpus, Ledger};
use normative_conformance::reference::{Call, Dtype, Norm, Operator, Opset, Spec};
use normative_conformance::report::Report;
use normative_conformance::report::record::Record;
use normative_conformance::run::{Prepared, prepare};
use normative_conformance::session::{
    Calls, Job, Judge, Origin, Rebuilt, Recorder, SessionError, Settings, Stage, Watch, read,
};
use normative_conformance::{Answer, Backend, Driver, Stub, Verdict};
use normative_present::column::Column;
use normative_present::terminal;
use rstest::rstest;

/// Returns the reference, except that it refuses one rank, and returns the data of some calls unchanged.
pub(crate) fn flawed() -> Stub<impl FnMut(&Call) -> Answer> {
    otherwise("flawed", Policy::new(), |call| match (call.data.rank(), call.data.dtype()) {
        (3, _) => Some(Answer::Rejected("no cubes".into())),
        (_, Dtype::F32) if call.data.len() == 4 => Some(Answer::Tensor(call.data.clone())),
        _ => None,
    })
}

/// Returns the reference, except that it refuses one rank up to a version of ONNX.
fn up_to(last: Opset) -> impl Backend {
    otherwise("flawed", Policy::new(), move |call| match call.operator {
        Operator::Onnx { opset, .. } if opset <= last && call.data.rank() == 3 => {
            Some(Answer::Rejected("no cubes".into()))
        }
        _ => None,
    })
}

/// Returns the reference, except that it refuses repeated calls of one length unless it is calm.
fn moody(calm: bool) -> impl Backend {
    let mut known = BTreeSet::new();
    otherwise("flawed", Policy::new(), move |call| {
        let again = !calm && !known.insert(encode_call(0, call));
        (again && call.data.len() == 6).then(|| Answer::Rejected("not now".into()))
    })
}

/// Stops a run after so many verdicts.
struct After(usize);

impl Watch for After {
    fn judged(&mut self, _: &Verdict) {
        self.0 = self.0.saturating_sub(1);
    }

    fn stops(&self) -> bool {
        self.0 == 0
    }
}

/// The notices that it got.
#[derive(Default)]
struct Told(Vec<(Stage, usize, usize)>, usize);

impl Watch for Told {
    fn judged(&mut self, _: &Verdict) {
        self.1 += 1;
    }

    fn ends(&mut self, stage: Stage, asked: usize, on_record: usize) {
        self.0.push((stage, asked, on_record));
    }
}

pub(crate) fn corpus() -> (Corpus, Ledger) {
    let mut corpus = cases_of("openvino/ReduceL1");
    corpus.cases.truncate(60);
    (corpus, LEDGER.clone())
}

fn job<'a>(prepared: &'a [Prepared<'a>]) -> Job<'a> {
    let calls = Calls::Row { seed: 3, calls: Some(200), specs: vec![Spec::ALL[0]] };
    Job { calls, repeat: 40, ..Job::of(prepared.len(), prepared) }
}

pub(crate) fn settings() -> Settings {
    Settings {
        name: "flawed".into(),
        timeout: 1,
        memory: None,
        again: "again".into(),
        origin: Origin::default(),
    }
}

fn written(report: &Report<'_>, ledger: &Ledger, detail: terminal::Detail<'_>) -> String {
    let (name, again) = ("flawed".into(), "again".into());
    let mut text = String::new();
    let column = Column { name, report: report.clone(), again, repro: None };
    terminal::write(&mut text, &column, ledger, detail).unwrap();
    text
}

pub(crate) fn text(report: &Report<'_>, ledger: &Ledger) -> String {
    written(report, ledger, terminal::Detail::All)
}

/// Asks a backend, and keeps its answers.
pub(crate) fn on_record<'a>(
    job: &Job<'a>,
    corpus: &Corpus,
    ledger: &Ledger,
    path: &Path,
    backend: &mut dyn Driver,
    watch: &mut dyn Watch,
) -> Report<'a> {
    let header = job.header(corpus, backend, settings());
    let mut recorder = Recorder::create(path.to_owned(), &header, ledger).unwrap();
    job.judge(backend, Some(&mut recorder), watch).unwrap()
}

/// Returns the report with causes, as a person reads it.
fn defects(report: &Report<'_>, ledger: &Ledger) -> String {
    let text = written(report, ledger, terminal::Detail::Brief("show"));
    assert!(text.contains("\n  again     again --case '{specs: [openvino/ReduceL1-4], dtypes: ["), "{text}");
    text
}

/// Checks that both mistakes are shrunk to their smallest call.
fn is_shrunk(report: &Report<'_>) {
    let left: Vec<&[usize]> = report.shrunk.iter().map(|one| one.call.data.shape()).collect();
    assert!(left.contains(&[4].as_slice()), "data come back only where there are four: {left:?}");
    assert!(left.contains(&[1, 1, 1].as_slice()), "whatever has three dims is refused: {left:?}");
    for one in &report.shrunk {
        assert_eq!(one.answer, flawed().ask(&one.call));
        assert!(one.verdict.is_failure());
    }
    assert!(report.defects().iter().all(|defect| defect.shrunk.is_some()));
}

#[test]
fn a_record_gives_the_report_that_the_run_gave() {
    let (corpus, ledger) = corpus();
    let prepared = prepare(&corpus.cases).unwrap();
    let (job, folder) = (job(&prepared), tempfile::tempdir().unwrap());
    let path = folder.path().join("new/record.ndjson");
    let mut told = Told::default();
    let report = on_record(&job, &corpus, &ledger, &path, &mut flawed(), &mut told);
    assert!(report.failures().count() > 0 && report.generated.as_ref().unwrap().total().fails > 0);
    is_shrunk(&report);
    assert_eq!(told.1, 260);
    assert_eq!(told.0[..2], [(Stage::Cases, 60, 0), (Stage::Calls, 200, 0)]);

    let rebuilt = rebuilt(&corpus, &ledger, &prepared, &path);
    assert_eq!(rebuilt.differs, None);
    assert_eq!(text(&rebuilt.report, &ledger), text(&report, &ledger));
    assert_eq!(rebuilt.report.shrunk, report.shrunk);
    assert_eq!(defects(&rebuilt.report, &ledger), defects(&report, &ledger));

    let unrecorded = job.judge(&mut flawed(), None, &mut ()).unwrap();
    assert_eq!(text(&unrecorded, &ledger), text(&report, &ledger));
}

#[rstest]
fn a_small_call_is_of_the_newest_version_that_fails(
    #[values(Opset::V1, Opset::V11, Opset::V13, Opset::V18)] last: Opset,
) {
    let calls = Calls::Row { seed: 3, calls: Some(100), specs: vec![Spec::Onnx(Norm::L1, Opset::V1)] };
    let job = Job { calls, few: 0, ..Job::of(0, &[]) };
    let report = job.judge(&mut up_to(last), None, &mut ()).unwrap();
    let specs: BTreeSet<Spec> = report.shrunk.iter().map(|one| one.call.spec()).collect();
    assert_eq!(specs, BTreeSet::from([Spec::Onnx(Norm::L1, last)]));
}

#[rstest]
#[case::by_its_time(usize::MAX, Duration::from_millis(500), 0)]
#[case::before_it_asked_any(usize::MAX, Duration::ZERO, 0)]
#[case::by_something_else(70, Duration::MAX, 1)]
fn a_run_that_time_ends_is_complete_for_what_it_asked(
    #[case] after: usize,
    #[case] time: Duration,
    #[case] missing: usize,
) {
    let (corpus, ledger) = corpus();
    let prepared = prepare(&corpus.cases).unwrap();
    let calls = Calls::Timed { seed: 3, time, specs: vec![Spec::ALL[0]] };
    let job = Job { calls, ..job(&prepared) };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.ndjson");
    let report = on_record(&job, &corpus, &ledger, &path, &mut flawed(), &mut After(after));
    assert_eq!((report.missing.cases, report.missing.calls), (0, missing));
    assert_eq!(
        job.asked(&report).len(),
        report.generated.as_ref().map_or(0, |generated| generated.total().run)
    );
    assert!(time == Duration::ZERO || report.generated.is_some());
    let record = read(&path).unwrap();
    assert_eq!((record.header.calls, record.end.as_ref().unwrap().complete), (None, missing == 0));
    let rebuilt = rebuilt(&corpus, &ledger, &prepared, &path);
    assert!(rebuilt.differs.is_none());
    assert_eq!(text(&rebuilt.report, &ledger), text(&report, &ledger));
}

#[test]
fn a_record_is_written_by_one_run_at_a_time() {
    let (corpus, ledger) = corpus();
    let prepared = prepare(&corpus.cases).unwrap();
    let (job, folder) = (job(&prepared), tempfile::tempdir().unwrap());
    let path = folder.path().join("record");
    let header = job.header(&corpus, &flawed(), settings());
    let first = Recorder::create(path.clone(), &header, &ledger).unwrap();
    let before = fs::read(&path).unwrap();
    for open in [Recorder::create, Recorder::resume] {
        let error = open(path.clone(), &header, &ledger).unwrap_err();
        assert!(matches!(&error, SessionError::Busy(at) if *at == path), "{error}");
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    drop(first);
    for open in [Recorder::resume, Recorder::create] {
        assert!(open(path.clone(), &header, &ledger).is_ok());
    }
}

#[rstest]
#[case::within_the_cases(1)]
#[case::at_the_last_case(60)]
#[case::within_the_generated_calls(61)]
#[case::at_the_last_call(260)]
fn a_run_that_was_stopped_goes_on_where_it_ended(#[case] after: usize) {
    let (corpus, ledger) = corpus();
    let prepared = prepare(&corpus.cases).unwrap();
    let (job, folder) = (job(&prepared), tempfile::tempdir().unwrap());
    let path = folder.path().join("record");
    let mut backend = flawed();
    let header = job.header(&corpus, &backend, settings());
    let stopped = on_record(&job, &corpus, &ledger, &path, &mut flawed(), &mut After(after));
    let left = 260 - after;
    assert_eq!(stopped.missing.cases + stopped.missing.calls, left);

    let resumed = Recorder::resume(path.clone(), &header, &ledger);
    if left == 0 {
        assert!(matches!(resumed, Err(SessionError::Complete(at)) if at == path));
        return;
    }
    let mut told = Told::default();
    let report = job.judge(&mut backend, Some(&mut resumed.unwrap()), &mut told).unwrap();
    assert_eq!(told.0[0], (Stage::Cases, 60, after.min(60)));
    assert_eq!(told.0[1], (Stage::Calls, 200, after.saturating_sub(60)));
    let whole = job.judge(&mut flawed(), None, &mut ()).unwrap();
    assert_eq!(text(&report, &ledger), text(&whole, &ledger));
    let other = Job { repeat: 41, ..job }.header(&corpus, &backend, settings());
    let other = Recorder::resume(path, &other, &ledger).unwrap_err().to_string();
    assert!(
        other.contains("expected the record of the same run, got one of another: options was"),
        "{other}"
    );
}

/// Runs a few calls, on record.
pub(crate) fn recorded<'a>(
    corpus: &Corpus,
    ledger: &Ledger,
    prepared: &'a [Prepared<'a>],
    path: &Path,
    backend: &mut dyn Driver,
) -> (Job<'a>, Report<'a>) {
    let calls = Calls::Row { seed: 3, calls: Some(40), specs: vec![Spec::ALL[0]] };
    let job = Job { calls, repeat: 60, shrink: 20, ..Job::of(prepared.len(), prepared) };
    let report = on_record(&job, corpus, ledger, path, backend, &mut ());
    (job, report)
}

/// Goes on with a run, and keeps its answers.
pub(crate) fn resumed<'a>(
    job: &Job<'a>,
    corpus: &Corpus,
    ledger: &Ledger,
    path: &Path,
    backend: &mut dyn Driver,
) -> Result<Report<'a>, SessionError> {
    let header = job.header(corpus, backend, settings());
    let mut recorder = Recorder::resume(path.to_owned(), &header, ledger)?;
    job.judge(backend, Some(&mut recorder), &mut ())
}

/// Returns the report that the record gives.
pub(crate) fn rebuilt<'a>(
    corpus: &'a Corpus,
    ledger: &'a Ledger,
    prepared: &'a [Prepared<'a>],
    path: &Path,
) -> Rebuilt<'a> {
    let judge = Judge { corpus, ledger, prepared, rules: None };
    judge.rebuilt(&read(path).unwrap()).unwrap()
}

#[test]
fn cut_anywhere_a_run_goes_on_to_the_same_report() {
    let (mut corpus, ledger) = corpus();
    corpus.cases.truncate(20);
    let prepared = prepare(&corpus.cases).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record");
    let (job, whole) = recorded(&corpus, &ledger, &prepared, &path, &mut flawed());
    let (bytes, whole) = (fs::read(&path).unwrap(), text(&whole, &ledger));
    let ends: Vec<usize> = (1..bytes.len()).filter(|&at| bytes[at - 1] == b'\n').collect();
    // At every line's end, and within every line.
    let within = ends.windows(2).map(|pair| pair[0].midpoint(pair[1]));
    for cut in ends.iter().copied().chain(within) {
        fs::write(&path, &bytes[..cut]).unwrap();
        match resumed(&job, &corpus, &ledger, &path, &mut flawed()) {
            Ok(report) => assert_eq!(text(&report, &ledger), whole, "cut at byte {cut}"),
            Err(SessionError::Complete(_)) => assert_eq!(cut, bytes.len()),
            Err(error) => panic!("cut at byte {cut}: {error}"),
        }
        let rebuilt = rebuilt(&corpus, &ledger, &prepared, &path);
        assert_eq!((rebuilt.differs, text(&rebuilt.report, &ledger)), (None, whole.clone()), "{cut}");
    }
    fs::write(&path, &bytes[..ends[0] / 2]).unwrap();
    assert!(matches!(
        resumed(&job, &corpus, &ledger, &path, &mut flawed()),
        Err(SessionError::Record { .. })
    ));
}

#[test]
fn a_call_answered_in_two_ways_stays_so_when_the_run_goes_on() {
    let (mut corpus, ledger) = corpus();
    corpus.cases.truncate(20);
    let prepared = prepare(&corpus.cases).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record");
    let (job, whole) = recorded(&corpus, &ledger, &prepared, &path, &mut moody(false));
    let names = |report: &Report<'_>| -> Vec<String> {
        report.unstable.iter().map(|again| again.sample.name.clone()).collect()
    };
    let (all, bytes) = (names(&whole), fs::read_to_string(&path).unwrap());
    assert!(all.len() > 1, "{all:?}");
    let lines: Vec<&str> = bytes.split_inclusive('\n').collect();
    let first = lines.iter().position(|line| line.starts_with("{\"then\":")).unwrap();
    for known in 1..=all.len() {
        // The resumed run asks a backend that is calm now.
        fs::write(&path, lines[..first + known].concat()).unwrap();
        let report = resumed(&job, &corpus, &ledger, &path, &mut moody(true)).unwrap();
        assert_eq!(names(&report), all[..known]);
        assert!(!report.conforms());
        let rebuilt = rebuilt(&corpus, &ledger, &prepared, &path);
        assert_eq!((rebuilt.differs, names(&rebuilt.report)), (None, all[..known].to_vec()));
    }
}

#[test]
fn a_record_of_calls_that_its_header_does_not_name_is_refused() {
    let (mut corpus, ledger) = corpus();
    corpus.cases.truncate(5);
    let prepared = prepare(&corpus.cases).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record");
    recorded(&corpus, &ledger, &prepared, &path, &mut flawed());
    let judge = Judge { corpus: &corpus, ledger: &ledger, prepared: &prepared, rules: None };
    let record = read(&path).unwrap();
    let refused = |change: &dyn Fn(&mut Record)| {
        let mut record = record.clone();
        change(&mut record);
        judge.rebuilt(&record).unwrap_err().to_string()
    };
    let first = record.calls[0].name.clone();
    let stray =
        format!("expected each generated call of this run once, got {first} twice or from another run");
    assert_eq!(refused(&|record| record.calls[1] = record.calls[0].clone()), stray);
    assert_eq!(refused(&|record| record.header.seed += 1), stray);
    let more = refused(&|record| record.header.calls = record.header.calls.map(|calls| calls - 1));
    assert_eq!(more, "expected 39 generated calls, got 40");
}
