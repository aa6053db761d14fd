//! What fuzzing starts from, made of the corpus: its cases, one a file, for the loader, the bytes that its calls are
//! generated from, and frames with its calls and their answers.
//!
//! Made anew each time and never committed: it follows from the corpus.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use normative_backend::frame;
use normative_backend::wire::{self, Hello};
use normative_conformance::corpus::{self, Corpus, load_ledger};
use normative_conformance::generate::input::bytes_of;
use normative_conformance::reference::{Call, Expected, expect, rule};
use normative_conformance::report::baseline::Key;
use normative_conformance::report::record::{self, Header, Line, explain};
use normative_conformance::run::Judged;
use normative_conformance::session::{Calls, Job, Origin, Settings};
use normative_conformance::{Answer, Backend, Capabilities, Identity};
use normative_onnx::AxesAs;

use super::{Target, kept, made};
use crate::cases::files::one_by_one;
use normative::select::{list, prepared, workspace_root};

/// The longest seed, in bytes. libFuzzer makes inputs as long as its longest seed, and short ones are tried
/// by the thousand in the time of a long one.
const LONGEST: usize = 4096;

/// Writes the seeds of a target, and the inputs that were kept of it; the folder with them.
pub(super) fn write(target: Target) -> Result<PathBuf> {
    let folder = workspace_root().join("fuzz/corpus/seeds").join(target.name());
    if folder.exists() {
        // A seed that no case stands for any more would stay.
        std::fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    let folder = made(&folder)?;
    fill(&folder, target)?;
    let kept = kept::kept(target)?.into_iter().enumerate();
    for (at, bytes) in kept {
        write_to(&folder.join(format!("kept-{at}")), &bytes)?;
    }
    Ok(folder)
}

/// Writes to a folder what the cases give a target to start from.
pub(super) fn fill(folder: &Path, target: Target) -> Result<()> {
    let mut seeds = seeds(target)?.into_iter();
    seeds.try_for_each(|(name, bytes)| write_to(&folder.join(name.replace('/', "-")), &bytes))
}

fn write_to(file: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(file, bytes).with_context(|| file.display().to_string())
}

/// The seeds of a target, by name.
fn seeds(target: Target) -> Result<Vec<(String, Vec<u8>)>> {
    let folder = workspace_root().join("cases");
    let corpus =
        corpus::load(&folder).map_err(|errors| anyhow!("the cases cannot be used:\n{}", list(&errors)))?;
    let mut seeds = match target {
        Target::Differential | Target::Exact => {
            let seed = |case: &corpus::Case| Some((case.name.clone(), bytes_of(&case.call)?));
            corpus.cases.iter().filter_map(seed).collect()
        }
        Target::CaseLoader => {
            let errors = |errors: Vec<_>| anyhow!("the clauses cannot be used:\n{}", list(&errors));
            let ledger = load_ledger(&folder.join("clauses")).map_err(errors)?;
            let texts = one_by_one(&corpus, &ledger)?;
            texts.into_iter().map(|(name, text)| (name, text.into_bytes())).collect()
        }
        Target::FrameDecoder => frames(&corpus)?,
        Target::RecordReader => records(&corpus)?,
        Target::BaselineLoader => baselines(&corpus),
        Target::OnnxReader => models(&corpus),
    };
    seeds.retain(|(_, bytes): &(_, Vec<u8>)| bytes.len() <= LONGEST);
    Ok(seeds)
}

/// Each call in a frame, with its answer in another behind it, and a hello.
fn frames(corpus: &Corpus) -> Result<Vec<(String, Vec<u8>)>> {
    let hello = Hello { identity: seed(), capabilities: Capabilities::default() };
    let mut bytes = Vec::new();
    frame::write(&mut bytes, wire::HELLO, &wire::encode_hello(&hello))?;
    let mut frames = vec![("hello".to_owned(), bytes)];
    for case in &corpus.cases {
        let mut bytes = Vec::new();
        frame::write(&mut bytes, wire::CALL, &wire::encode_call(1, &case.call))?;
        if let Some(answer) = answer(&case.call)? {
            frame::write(&mut bytes, wire::ANSWER, &wire::encode_answer(1, &answer))?;
        }
        frames.push((case.name.clone(), bytes));
    }
    Ok(frames)
}

/// Runs of one case each, with the answer of the reference; every second one was stopped before its end.
fn records(corpus: &Corpus) -> Result<Vec<(String, Vec<u8>)>> {
    let ledger = load_ledger(&workspace_root().join("cases/clauses"))
        .map_err(|errors| anyhow!("the clauses cannot be used:\n{}", list(&errors)))?;
    let again = "again".to_owned();
    let mut header: Option<Header> = None;
    let mut records = Vec::new();
    for (at, case) in corpus.cases.iter().step_by(20).enumerate() {
        let Some(answer) = answer(&case.call)? else { continue };
        let one = prepared([case])?;
        let mut backend = Seeded(answer.clone());
        let job = Job { calls: Calls::none(), ..Job::of(corpus.cases.len(), &one) };
        // One for all: it holds a digest of the whole corpus, which takes a while.
        let header = header.get_or_insert_with(|| {
            let (name, again) = ("seed".to_owned(), again.clone());
            job.header(
                corpus,
                &backend,
                Settings { name, timeout: 10, memory: None, again, origin: Origin::default() },
            )
        });
        let judged = Judged::of(&one[0], answer.into(), &job.demands(&backend));
        let mut lines =
            vec![Line::Run(header.clone()), Line::Case(explain::of_case(&judged, &ledger, &again))];
        if at % 2 == 0 {
            let report = job.judge(&mut backend, None, &mut ())?;
            lines.push(Line::End(explain::end(&report, &again)));
        }
        let mut text = Vec::new();
        for line in &lines {
            record::write(&mut text, line)?;
        }
        records.push((case.name.clone(), text));
    }
    Ok(records)
}

/// Baselines that know a case, a question or a defect.
fn baselines(corpus: &Corpus) -> Vec<(String, Vec<u8>)> {
    let head = "runs:\n- seed: 1\n  calls: 20000\n";
    let known = |name: &str, calls: &str| {
        format!(
            "{head}known:\n- name: {name}\n  fails:\n  - way: wrong-value\n    calls: {calls}\n  issue: of upstream\n"
        )
    };
    let cases = corpus.cases.iter().step_by(50);
    let cases =
        cases.map(|case| (case.name.clone(), known(&case.name, &format!("{}^12", Key::of_case(case)))));
    let place = "'onnx/ReduceL1-13 for f32: float-range'";
    let place = ("place".to_owned(), known(place, "0123abcd"));
    let lines = "|-\n      00000000^1 0123abcd^64\n      fedcba98";
    let defect = ("defect".to_owned(), known("wrong values", lines));
    let part = ("part".to_owned(), "runs:\n- seed: 1\n  calls: 40\n  part: true\nknown: []\n".to_owned());
    let none = ("none".to_owned(), "runs: []\nknown: []\n".to_owned());
    cases.chain([place, defect, part, none]).map(|(name, text)| (name, text.into_bytes())).collect()
}

/// Models of ONNX calls, and their data as tensors of their own.
fn models(corpus: &Corpus) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for case in corpus.cases.iter().step_by(5) {
        for (axes_as, kind) in [(AxesAs::Initializer, "constant"), (AxesAs::Input, "input")] {
            let model = normative_onnx::model(&case.call, axes_as).ok();
            files.extend(model.map(|model| (format!("{}-{kind}", case.name), model.bytes)));
        }
        files.push((format!("{}-data", case.name), normative_onnx::tensor("data", &case.call.data)));
    }
    files
}

fn seed() -> Identity {
    let [name, version, report_bugs_to] = ["seed", "1", "nobody"].map(str::to_owned);
    Identity { name, version, report_bugs_to }
}

/// Who gives one answer.
struct Seeded(Answer);

impl Backend for Seeded {
    fn identity(&self) -> Identity {
        seed()
    }

    fn answer(&mut self, _: &Call) -> Answer {
        self.0.clone()
    }
}

/// What the reference answers by the first reading.
fn answer(call: &Call) -> Result<Option<Answer>> {
    let Some(first) = rule(call).alternatives.into_iter().next() else { return Ok(None) };
    Ok(Some(match expect(call, &first.outcome)? {
        Expected::Rejection(clause) | Expected::Anything(clause) => Answer::Rejected(clause.to_string()),
        Expected::Exactly(tensor) => Answer::Tensor(tensor),
        Expected::Converted(converted) => Answer::Tensor(converted.best),
        Expected::Near(near) => Answer::Tensor(near.rounded()?),
    }))
}

#[cfg(test)]
mod tests {
    use normative_conformance::report::baseline::Baseline;
    use normative_onnx::read;
    use rstest::rstest;

    use super::*;

    #[test]
    fn every_target_has_seeds_enough_and_none_of_them_is_too_long() {
        for (target, least) in [
            (Target::Differential, 4000),
            (Target::Exact, 4000),
            (Target::CaseLoader, 800),
            (Target::FrameDecoder, 4000),
            (Target::RecordReader, 300),
            (Target::BaselineLoader, 100),
            (Target::OnnxReader, 2000),
        ] {
            let seeds = seeds(target).unwrap();
            assert!(seeds.len() > least, "{}: {}", target.name(), seeds.len());
            assert!(seeds.iter().all(|(_, bytes)| bytes.len() <= LONGEST));
        }
    }

    #[rstest]
    #[case::records(Target::RecordReader, |bytes: &[u8]| record::read_all(bytes).is_ok())]
    #[case::baselines(Target::BaselineLoader, |bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).unwrap();
        Baseline::load_text("seed.yaml".as_ref(), text).is_ok()
    })]
    #[case::models_and_tensors(Target::OnnxReader, |bytes: &[u8]| {
        read::norm(bytes).is_ok() || read::tensor(bytes).is_ok()
    })]
    fn seeds_are_what_their_target_reads(#[case] target: Target, #[case] is_read: fn(&[u8]) -> bool) {
        for (name, bytes) in seeds(target).unwrap() {
            assert!(is_read(&bytes), "{name}: {}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn a_frame_of_a_case_holds_its_call_and_an_answer() {
        let frames = seeds(Target::FrameDecoder).unwrap();
        let (_, bytes) = frames.iter().find(|(name, _)| name.starts_with("bnns-")).unwrap();
        let mut stream = &bytes[..];
        let mut next = || frame::read(&mut stream, frame::MAX_BODY).unwrap();
        let (call, answer) = (next().unwrap(), next().unwrap());
        assert!(wire::decode_call(&call.body).is_ok() && wire::decode_answer(&answer.body).is_ok());
        assert_eq!(next(), None);
    }
}
