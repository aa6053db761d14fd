//! Tests that repeating calls, and only that, finds implementations with state: the listed calls show the
//! mistake again in a fresh process.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

use std::collections::BTreeMap;
use std::path::Path;

use normative_conformance::corpus::{Ledger, load};
use normative_conformance::generate::neighbour::Difference;
use normative_conformance::parallel::each;
use normative_conformance::reference::{Call, Family, Norm, Opset, Spec};
use normative_conformance::report::finding::{self, Finding};
use normative_conformance::run::property::{Id, row};
use normative_conformance::run::repeat::{Pool, USUAL, check};
use normative_conformance::session::{Calls, Job};
use normative_conformance::{Capabilities, Driver, Identity, Observed};
use normative_zoo::generated::PreparedRow;
use normative_zoo::{MutantFamily, honest, mutants, unasked};

/// A backend that can be restarted.
struct Restarts<F> {
    start: F,
    running: Box<dyn Driver>,
}

impl<F: Fn() -> Box<dyn Driver>> Restarts<F> {
    fn new(start: F) -> Self {
        let running = start();
        Self { start, running }
    }
}

impl<F: Fn() -> Box<dyn Driver>> Driver for Restarts<F> {
    fn identity(&self) -> Identity {
        self.running.identity()
    }

    fn capabilities(&self) -> Capabilities {
        self.running.capabilities()
    }

    fn ask(&mut self, call: &Call) -> Observed {
        self.running.ask(call)
    }

    fn ask_afresh(&mut self, calls: &[&Call]) -> Vec<Observed> {
        self.running = (self.start)();
        self.running.ask_all(calls)
    }
}

/// Returns the calls of a run, by name, in order.
fn calls() -> Vec<(String, Call)> {
    let corpus = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")).unwrap();
    let cases = corpus.cases.into_iter().map(|case| (case.name, case.call));
    cases.chain(row(1, &Spec::ALL).take(5000).map(|id| (id.to_string(), id.call()))).collect()
}

/// State that is kept for good gives a repeated call the same answer; these fail cases instead.
const KEPT_FOR_GOOD: [&str; 14] = [
    "answers-cached-by-the-form",
    "answers-cached-by-the-first-element",
    "answers-cached-by-a-checksum",
    "answers-cached-without-the-type",
    "answers-cached-but-for-an-inner-element",
    "answers-cached-without-the-order-of-dims",
    "answers-cached-without-axes",
    "answers-cached-without-attributes",
    "plans-cached-by-rank",
    "plans-cached-by-dims",
    "plans-cached-by-the-first-axis",
    "input-buffer-grows-late",
    "output-buffer-of-the-first-call",
    "after-a-thousand-calls-another-path",
];

#[test]
fn who_remembers_is_found_by_asking_again_and_the_row_shows_it() {
    let calls = calls();
    let by_name: BTreeMap<&str, &Call> = calls.iter().map(|(name, call)| (name.as_str(), call)).collect();
    let place = |name: &str| calls.iter().position(|(other, _)| other == name).unwrap();
    let mutants: Vec<_> = mutants()
        .into_iter()
        .filter(|mutant| mutant.family == MutantFamily::State && !KEPT_FOR_GOOD.contains(&mutant.name))
        .collect();
    assert!(mutants.len() >= 10);
    let right: Vec<Observed> = {
        let mut plain = honest().into_iter().next().unwrap().backend();
        calls.iter().map(|(_, call)| plain.ask(call)).collect()
    };
    let missed = each(&mutants, |mutant| {
        let mut backend = Restarts::new(|| Box::new(mutant.backend()) as Box<dyn Driver>);
        let mut pool = Pool::new(USUAL);
        for ((name, call), right) in calls.iter().zip(&right) {
            let answer = backend.ask(call);
            pool.offer(name, call, &answer, answer != *right);
        }
        let unstable = check(pool, &mut backend);
        let rows = unstable.iter().filter_map(|one| one.row.as_ref()).filter(|row| row.len() > 1);
        let mut shown = 0;
        for row in rows {
            let asked: Vec<&Call> = row.iter().map(|name| by_name[name.as_str()]).collect();
            let (last, alone) = (asked.len() - 1, backend.ask_afresh(&asked[asked.len() - 1..]));
            if backend.ask_afresh(&asked)[last..] == alone[..] {
                return Some(format!("{}: {row:?} shows nothing", mutant.name));
            }
            // A run of the row alone is the command that a report prints.
            let mut again = Restarts::new(|| Box::new(mutant.backend()) as Box<dyn Driver>);
            let mut pool = Pool::new(USUAL);
            for (name, call) in row.iter().zip(&asked) {
                let answer = again.ask(call);
                pool.offer(name, call, &answer, answer != right[place(name)]);
            }
            if check(pool, &mut again).is_empty() {
                return Some(format!("{}: a run of {row:?} shows nothing", mutant.name));
            }
            shown += 1;
        }
        (shown == 0).then(|| format!("{}: {} differences, no row", mutant.name, unstable.len()))
    });
    let missed: Vec<String> = missed.into_iter().flatten().collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Caches whose keys leave out one property each, with the families without calls that differ in it alone.
const KEYS: [(&str, &[Family]); 10] = [
    // BNNS has one type, and the others have no two types of one width.
    ("answers-cached-without-the-type", &[Family::Bnns, Family::ArrayApi, Family::Blas]),
    ("answers-cached-by-the-values", &[Family::Bnns]),
    ("answers-cached-but-for-an-inner-element", &[]),
    ("answers-cached-by-the-first-64-bytes", &[]),
    ("answers-cached-by-a-checksum", &[Family::Blas]),
    // The output that a caller of BNNS allocates shows the dims.
    ("answers-cached-without-the-order-of-dims", &[Family::Bnns, Family::Blas]),
    ("answers-cached-without-the-later-dims", &[Family::Bnns, Family::Blas]),
    ("answers-cached-without-keeping-of-dims", &[Family::Bnns, Family::Blas]),
    // In these families no axis counts from the end.
    ("answers-cached-without-the-signs-of-axes", &[Family::Bnns, Family::WebNn, Family::Blas]),
    ("answers-cached-without-the-norm", &[Family::Bnns]),
];

#[test]
fn a_default_run_of_any_family_finds_a_cache_whose_key_leaves_out_one_thing() {
    let mutants = [mutants(), unasked()].concat();
    let missed = each(&Family::ALL, |&family| {
        let specs: Vec<Spec> = Spec::ALL.into_iter().filter(|spec| spec.family() == family).collect();
        let row = PreparedRow::new(1, Calls::by_default(false, &specs), &specs).unwrap();
        let asked = KEYS.iter().filter(|(_, spared)| !spared.contains(&family));
        let missed = asked.filter(|(name, _)| {
            let mutant = mutants.iter().find(|mutant| mutant.name == *name).unwrap();
            row.calls_until_found(&mut mutant.backend()).is_none()
        });
        missed.map(|(name, _)| format!("{family}: {name}")).collect::<Vec<_>>()
    });
    let missed: Vec<String> = missed.into_iter().flatten().collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn an_answer_kept_from_the_call_before_fails_and_is_shown_after_that_call() {
    let mutant =
        mutants().into_iter().find(|mutant| mutant.name == "answers-cached-without-the-type").unwrap();
    let mut backend = Restarts::new(|| Box::new(mutant.backend()) as Box<dyn Driver>);
    let specs = vec![Spec::Onnx(Norm::L1, Opset::V18)];
    let calls = Calls::Row { seed: 1, calls: Some(1000), specs };
    let report = Job { calls, shrink: 0, ..Job::of(0, &[]) }.judge(&mut backend, None, &mut ()).unwrap();
    let findings = finding::all(&report, &Ledger::default(), "again");
    let line = |finding: &Finding, label| {
        finding.lines.iter().find(|line| line.label == label).map(|line| line.text.clone())
    };
    let ids = report.generated.iter().flat_map(|generated| &generated.finds).map(|find| find.id);
    let poisoned: Vec<Id> = ids.filter(|id| id.difference() == Some(Difference::TypeOfBits)).collect();
    assert!(poisoned.len() > 1, "{poisoned:?}");
    for id in poisoned {
        let (name, before) = (id.to_string(), id.before().unwrap().to_string());
        let failure = findings.iter().find(|one| one.shown_by.as_ref() == Some(&name)).unwrap();
        assert_eq!(
            line(failure, "after").unwrap(),
            format!(
                "asked right after {before}, which differs in one thing alone: the element type of the same bits"
            )
        );
        let alone = report.unstable.iter().find(|one| one.sample.name == name).unwrap();
        assert_eq!(alone.row, Some(vec![before, name]));
    }
}

#[test]
fn nobody_honest_differs() {
    let calls = calls();
    let honest = honest().into_iter().next().unwrap();
    let mut backend = honest.backend();
    let mut pool = Pool::new(USUAL);
    for (name, call) in &calls {
        pool.offer(name, call, &backend.ask(call), false);
    }
    assert_eq!(check(pool, &mut backend), []);
}
