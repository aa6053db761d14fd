//! Tests that a resumed run sends no call whose answer is on record, wherever the earlier run was killed:
//! between two lines of the record, or within one.

use std::fs;
use std::sync::{Arc, Mutex};

use normative_backend::wire::encode_call;
use normative_conformance::reference::{Call, Spec};
use normative_conformance::report::record::Record;
use normative_conformance::run::prepare;
use normative_conformance::session::{Calls, Job, Recorder, Stage, Watch, read};
use normative_conformance::{Backend, Stub};

use crate::session::{corpus, flawed, settings};

/// Every call that was sent, with the stage of the run; `None` while calls are repeated.
type Log = Arc<Mutex<Vec<(Option<Stage>, Vec<u8>)>>>;

/// Notes the stage.
struct Staged(Arc<Mutex<Option<Stage>>>);

impl Watch for Staged {
    fn begins(&mut self, stage: Stage, _: usize, _: usize) {
        *self.0.lock().unwrap() = Some(stage);
    }

    fn ends(&mut self, _: Stage, _: usize, _: usize) {
        *self.0.lock().unwrap() = None;
    }
}

/// Returns the calls that a run sends in this stage.
fn sent(log: &[(Option<Stage>, Vec<u8>)], stage: Stage) -> Vec<&[u8]> {
    log.iter().filter(|(of, _)| *of == Some(stage)).map(|(_, call)| call.as_slice()).collect()
}

#[test]
fn a_resumed_run_sends_no_call_whose_answer_is_on_record() {
    let (corpus, ledger) = corpus();
    let prepared = prepare(&corpus.cases).unwrap();
    let calls = Calls::Row { seed: 3, calls: Some(200), specs: vec![Spec::ALL[0]] };
    let job = Job { calls, repeat: 40, ..Job::of(prepared.len(), &prepared) };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let run = |resumes: bool| {
        let (log, stage) = (Log::default(), Arc::<Mutex<Option<Stage>>>::default());
        let mut flawed = flawed();
        let mut backend = Stub::new("flawed", |call: &Call| {
            log.lock().unwrap().push((*stage.lock().unwrap(), encode_call(0, call)));
            flawed.answer(call)
        });
        let header = job.header(&corpus, &backend, settings());
        let open = if resumes { Recorder::resume } else { Recorder::create };
        let mut recorder = open(path.clone(), &header, &ledger).unwrap();
        job.judge(&mut backend, Some(&mut recorder), &mut Staged(Arc::clone(&stage))).unwrap();
        drop(backend);
        Arc::into_inner(log).unwrap().into_inner().unwrap()
    };
    let whole = run(false);
    let text = fs::read(&path).unwrap();
    let Record { cases, probes, smaller, .. } = read(&path).unwrap();
    assert!(!cases.is_empty() && !probes.is_empty() && smaller.len() > 1);
    let ends: Vec<usize> =
        text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    // Most lines are cases and calls, so a sample is enough.
    let few = ends.iter().enumerate().filter(|(at, _)| at % 61 == 0 || at + 12 > ends.len());
    let cuts = few.flat_map(|(_, &end)| [end, end + 40]).filter(|&cut| cut < text.len() - 1);
    for cut in cuts {
        fs::write(&path, &text[..cut]).unwrap();
        let Record { cases, calls, probes, smaller: made, .. } = read(&path).unwrap();
        let resumed = run(true);
        for (stage, known) in
            [(Stage::Cases, cases.len()), (Stage::Calls, calls.len()), (Stage::Probes, probes.len())]
        {
            assert!(sent(&resumed, stage) == sent(&whole, stage)[known..], "cut at byte {cut}: {stage:?}");
        }
        let (all, rest) = (sent(&whole, Stage::Defects), sent(&resumed, Stage::Defects));
        let fewer = if made.is_empty() { all.len() } else { all.len() - 1 };
        assert!(rest.len() <= fewer, "cut at byte {cut}: {} calls are made small again", rest.len());
        for one in &made {
            let on_record = encode_call(0, &one.bytes);
            let again = rest.iter().filter(|sent| **sent == on_record).count();
            let before = all.iter().filter(|sent| **sent == on_record).count();
            assert!(again < before, "cut at byte {cut}: {}", one.call);
        }
    }
}
