//! What fuzzing starts from, made of the corpus: its cases, one a file, for the loader, the bytes that its calls are
//! generated from, and frames with its calls and their answers.
//!
//! Made anew each time and never committed: it follows from the corpus.

use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow};
use normative_backend::frame;
use normative_backend::wire::{self, Hello};
use normative_conformance::corpus::{self, Corpus, load_ledger};
use normative_conformance::generate::input::bytes_of;
use normative_conformance::reference::{Call, Expected, expect, rule};
use normative_conformance::{Answer, Capabilities, Identity};

use super::{Target, made};
use crate::cases::one_by_one;
use crate::select::{list, workspace_root};

/// The longest seed, in bytes. libFuzzer makes inputs as long as its longest seed, and short ones are tried
/// by the thousand in the time of a long one.
const LONGEST: usize = 4096;

/// Writes the seeds of a target; the folder with them.
pub(super) fn write(target: Target) -> Result<PathBuf> {
    let folder = workspace_root().join("fuzz/corpus/seeds").join(target.name());
    if folder.exists() {
        // A seed that no case stands for any more would stay.
        std::fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    let folder = made(&folder)?;
    for (name, bytes) in seeds(target)? {
        let file = folder.join(name.replace('/', "-"));
        std::fs::write(&file, bytes).with_context(|| file.display().to_string())?;
    }
    Ok(folder)
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
    };
    seeds.retain(|(_, bytes): &(_, Vec<u8>)| bytes.len() <= LONGEST);
    Ok(seeds)
}

/// Each call in a frame, with its answer in another behind it, and a hello.
fn frames(corpus: &Corpus) -> Result<Vec<(String, Vec<u8>)>> {
    let [name, version, report_bugs_to] = ["seed", "1", "nobody"].map(str::to_owned);
    let hello =
        Hello { identity: Identity { name, version, report_bugs_to }, capabilities: Capabilities::default() };
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

/// What the reference answers by the first reading.
fn answer(call: &Call) -> Result<Option<Answer>> {
    let Some(first) = rule(call).alternatives.into_iter().next() else { return Ok(None) };
    Ok(Some(match expect(call, &first.outcome)? {
        Expected::Rejection(clause) => Answer::Rejected(clause.to_string()),
        Expected::Exactly(tensor) => Answer::Tensor(tensor),
        Expected::Near(near) => Answer::Tensor(near.rounded()?),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_seeds_enough_and_none_of_them_is_too_long() {
        for (target, least) in [
            (Target::Differential, 4000),
            (Target::Exact, 4000),
            (Target::CaseLoader, 800),
            (Target::FrameDecoder, 4000),
        ] {
            let seeds = seeds(target).unwrap();
            assert!(seeds.len() > least, "{}: {}", target.name(), seeds.len());
            assert!(seeds.iter().all(|(_, bytes)| bytes.len() <= LONGEST));
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
