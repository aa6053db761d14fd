//! Tests a process that fails without a reproducible call: it is named, recorded before its answers, and kept.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use normative_conformance::display;
use normative_conformance::drive::{Conduct, Flake, MAX_FLAKES};
use normative_conformance::reference::{Call, Spec};
use normative_conformance::report::Report;
use normative_conformance::report::record::{Line, write};
use normative_conformance::run::{Prepared, prepare};
use normative_conformance::session::{Calls, Job, SessionError, read};
use normative_conformance::{Capabilities, Death, Driver, Identity, Observed, Verdict};
use normative_present::column::Column;
use normative_present::{badge, junit, markdown, page};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use rstest::rstest;

use crate::reference_backend::{Policy, Reference};
use crate::session::{corpus, on_record, rebuilt, resumed, text};

/// Answers right; its process fails over a batch with a call of `over` elements, but not over that call alone.
struct Frail {
    over: usize,
    conduct: Conduct,
}

impl Frail {
    fn over(over: usize) -> Self {
        Self { over, conduct: Conduct::default() }
    }
}

impl Driver for Frail {
    fn identity(&self) -> Identity {
        Identity { name: "frail".into(), version: "0".into(), report_bugs_to: "this test".into() }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn ask(&mut self, call: &Call) -> Observed {
        if call.data.len() == self.over {
            let how = "crashed: ended with signal 11; last words".into();
            self.conduct.add(Flake { suspects: vec![display::call(call)], how });
        }
        Reference(Policy::new()).ask(call)
    }

    fn conduct(&self) -> &Conduct {
        &self.conduct
    }
}

/// A length that no call has.
const NONE: usize = usize::MAX;

fn job<'a>(prepared: &'a [Prepared<'a>]) -> Job<'a> {
    Job { calls: Calls::none(), repeat: 10, ..Job::of(prepared.len(), prepared) }
}

/// Returns the report and record lines of a run whose process fails over calls of this many elements.
fn recorded<'a>(job: &Job<'a>, path: &Path, over: usize) -> (Report<'a>, Vec<String>) {
    let (corpus, ledger) = corpus();
    let mut frail = Frail::over(over);
    let report = on_record(job, &corpus, &ledger, path, &mut frail, &mut ());
    let lines = fs::read_to_string(path).unwrap();
    (report, lines.split_inclusive('\n').map(str::to_owned).collect())
}

#[test]
fn its_calls_are_named_in_every_report_and_it_does_not_conform() {
    let (corpus, ledger) = corpus();
    let prepared = prepare(&corpus.cases).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (report, lines) = recorded(&job(&prepared), &folder.path().join("record"), 6);
    // The first case of each call.
    let mut calls: BTreeMap<String, &str> = BTreeMap::new();
    for case in corpus.cases.iter().filter(|case| case.call.data.len() == 6) {
        calls.entry(display::call(&case.call)).or_insert(&case.name);
    }
    assert!(calls.len() > 1, "{calls:?}");
    assert!(report.is_clean() && report.is_flaky() && !report.conforms());
    assert_eq!(report.conduct.flakes.len(), calls.len().min(MAX_FLAKES));
    let suspects: Vec<&String> = report.conduct.flakes.iter().flat_map(|flake| &flake.suspects).collect();
    let flakes: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].starts_with("{\"flake\":")).collect();
    assert_eq!(flakes.len(), suspects.len());
    for (call, flake) in suspects.iter().zip(flakes) {
        let case = format!("{{\"case\":{{\"name\":\"{}\"", calls[*call]);
        assert!(flake < lines.iter().position(|line| line.starts_with(&case)).unwrap(), "{call}");
    }

    let column = Column { name: "frail".into(), report: report.clone(), again: "again".into(), repro: None };
    let columns = [column];
    let (mut marked, mut xml, mut html) = (String::new(), String::new(), String::new());
    markdown::write(&mut marked, &columns, &ledger).unwrap();
    junit::write(&mut xml, &columns, &ledger).unwrap();
    page::write(&mut html, &columns, &ledger, "this suite").unwrap();
    let marked = marked.replace("&#91;", "[").replace("&#93;", "]");
    for shown in [&text(&report, &ledger), &marked, &xml] {
        for call in &suspects {
            assert!(shown.contains(&format!("the process, over {call}")), "{call}\n{shown}");
        }
        assert!(shown.contains("ended with signal 11; last words"), "{shown}");
    }
    assert!(html.contains("It is flaky"));
    let mut says = String::new();
    badge::write(&mut says, &columns).unwrap();
    assert!(says.contains("is flaky") && says.contains("red"), "{says}");
}

#[rstest]
#[case::it_fails_again(6)]
#[case::it_fails_no_more(NONE)]
fn it_stays_flaky_wherever_its_run_was_cut(#[case] later: usize) {
    let (corpus, ledger) = corpus();
    let prepared = prepare(&corpus.cases).unwrap();
    let (job, folder) = (job(&prepared), tempfile::tempdir().unwrap());
    let path = folder.path().join("record");
    let (whole, lines) = recorded(&job, &path, 6);
    for cut in 1..lines.len() {
        let known = lines[..cut].iter().filter(|line| line.starts_with("{\"flake\":")).count();
        fs::write(&path, lines[..cut].concat()).unwrap();
        let mut frail = Frail::over(later);
        let report = resumed(&job, &corpus, &ledger, &path, &mut frail).unwrap();
        let due = if later == NONE { known } else { whole.conduct.flakes.len() };
        assert_eq!(report.conduct.flakes.len(), due, "cut after line {cut}");
        let rebuilt = rebuilt(&corpus, &ledger, &prepared, &path);
        assert_eq!((rebuilt.differs, text(&rebuilt.report, &ledger)), (None, text(&report, &ledger)));
    }
}

/// Dies of calls of three dims, is frail over others, and refuses a repeated call: each time in the same way.
struct Troubled {
    frail: Frail,
    before: Option<Call>,
}

impl Troubled {
    fn new() -> Self {
        Self { frail: Frail::over(6), before: None }
    }
}

impl Driver for Troubled {
    fn identity(&self) -> Identity {
        self.frail.identity()
    }

    fn capabilities(&self) -> Capabilities {
        self.frail.capabilities()
    }

    fn ask(&mut self, call: &Call) -> Observed {
        let is_again = self.before.replace(call.clone()).is_some_and(|before| before == *call);
        match (call.data.rank(), is_again) {
            (3, _) => Observed::Died(Death::Crashed("ended with signal 6".into())),
            (_, true) => Observed::Rejected("not again".into()),
            _ => self.frail.ask(call),
        }
    }

    // Asks each distinct call afresh: some cases share a call, and a batch may end between them.
    fn ask_all_while(&mut self, calls: &[&Call], other_work: &mut dyn FnMut()) -> Vec<Observed> {
        let answers = calls.iter().flat_map(|call| self.ask_afresh(&[*call])).collect();
        other_work();
        answers
    }

    fn ask_afresh(&mut self, calls: &[&Call]) -> Vec<Observed> {
        self.before = None;
        self.ask_all(calls)
    }

    fn conduct(&self) -> &Conduct {
        self.frail.conduct()
    }
}

#[test]
#[ignore = "weekly: it resumes a run from every line of its record"]
fn cut_anywhere_a_troubled_run_goes_on_to_the_same_report() {
    let (corpus, ledger) = corpus();
    let prepared = prepare(&corpus.cases).unwrap();
    let calls = Calls::Row { seed: 3, calls: Some(40), specs: vec![Spec::ALL[0]] };
    let job = Job { calls, repeat: 40, shrink: 20, ..job(&prepared) };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record");
    let whole = on_record(&job, &corpus, &ledger, &path, &mut Troubled::new(), &mut ());
    let died = whole.failures().filter(|(_, verdict)| matches!(verdict, Verdict::Crashed(_)));
    assert!(died.count() > 0, "no call died");
    assert!(whole.is_flaky() && !whole.unstable.is_empty());
    let (bytes, whole) = (fs::read(&path).unwrap(), text(&whole, &ledger));

    let mut cuts: Vec<usize> = (1..=bytes.len()).filter(|&at| bytes[at - 1] == b'\n').collect();
    let head = cuts[0];
    let mut moments = TestRunner::deterministic();
    let random = std::env::var("NORMATIVE_CUTS").map_or(40, |count| count.parse().unwrap());
    cuts.extend((0..random).map(|_| (0..bytes.len()).new_tree(&mut moments).unwrap().current()));
    for cut in cuts {
        fs::write(&path, &bytes[..cut]).unwrap();
        match resumed(&job, &corpus, &ledger, &path, &mut Troubled::new()) {
            Ok(report) => assert_eq!(text(&report, &ledger), whole, "cut at byte {cut}"),
            Err(SessionError::Complete(_)) => assert_eq!(cut, bytes.len()),
            // Without a header it is not a record.
            Err(SessionError::Record { .. }) => assert!(cut < head, "cut at byte {cut}"),
            Err(error) => panic!("cut at byte {cut}: {error}"),
        }
    }
}

#[test]
fn faults_beyond_those_kept_leave_a_record_that_can_be_read() {
    let (corpus, ledger) = corpus();
    let prepared = prepare(&corpus.cases).unwrap();
    let (job, folder) = (job(&prepared), tempfile::tempdir().unwrap());
    let path = folder.path().join("record");
    let (_, lines) = recorded(&job, &path, NONE);
    let mut text = lines[0].as_bytes().to_vec();
    for at in 0..MAX_FLAKES {
        let flake = Flake { suspects: Vec::new(), how: format!("crashed: {at}") };
        write(&mut text, &Line::Flake(flake)).unwrap();
    }
    fs::write(&path, text).unwrap();
    let mut frail = Frail::over(6);
    let report = resumed(&job, &corpus, &ledger, &path, &mut frail).unwrap();
    assert!(!frail.conduct.flakes.is_empty());
    assert_eq!((report.conduct.flakes.len(), read(&path).unwrap().flakes.len()), (MAX_FLAKES, MAX_FLAKES));
}
