//! Tests changed records: they never show a better result than the original, and nothing panics.
//!
//! A record with consistently changed answers cannot be told from a true one. These tests try the other
//! changes: flipped bits, lines that are cut, dropped, doubled and moved, changed verdicts and counts, and a
//! matching end line.

use std::fs;
use std::path::Path;

use normative_conformance::corpus::{Corpus, Ledger};
use normative_conformance::report::record::{Counts, End, Line, Record, Resettled, read, write};
use normative_conformance::run::{Prepared, prepare};
use normative_conformance::session::Judge;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

use crate::session::{corpus, flawed, recorded};

/// A change of a record's text.
#[derive(Clone, Debug)]
enum Edit {
    /// Flips a bit of a byte.
    Flip(Index, u8),
    /// Removes everything from there on.
    Cut(Index),
    /// Inserts a copy of a line elsewhere.
    Double(Index, Index),
    /// Swaps two lines.
    Swap(Index, Index),
    /// Drops a line.
    Drop(Index),
    /// Changes a verdict to "conforms".
    Acquit(Index),
    /// Replaces one number.
    Count(Index, u64),
}

fn edits() -> impl Strategy<Value = Edit> {
    let at = any::<Index>;
    prop_oneof![
        (at(), 0_u8..8).prop_map(|(at, bit)| Edit::Flip(at, bit)),
        at().prop_map(Edit::Cut),
        (at(), at()).prop_map(|(from, to)| Edit::Double(from, to)),
        (at(), at()).prop_map(|(from, to)| Edit::Swap(from, to)),
        at().prop_map(Edit::Drop),
        at().prop_map(Edit::Acquit),
        (at(), prop_oneof![0_u64..50, any::<u64>()]).prop_map(|(at, number)| Edit::Count(at, number)),
    ]
}

fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    text.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect()
}

fn edited(mut text: Vec<u8>, edit: &Edit) -> Vec<u8> {
    let mut all = lines(&text);
    if all.is_empty() {
        return text;
    }
    match edit {
        Edit::Flip(at, bit) => {
            let at = at.index(text.len());
            text[at] ^= 1 << bit;
            return text;
        }
        Edit::Cut(at) => {
            text.truncate(at.index(text.len()));
            return text;
        }
        Edit::Double(from, to) => all.insert(to.index(all.len()), all[from.index(all.len())].clone()),
        Edit::Swap(a, b) => {
            let (a, b) = (a.index(all.len()), b.index(all.len()));
            all.swap(a, b);
        }
        Edit::Drop(at) => {
            all.remove(at.index(all.len()));
        }
        Edit::Acquit(at) => {
            let at = at.index(all.len());
            if let Ok(mut line) = serde_json::from_slice::<Value>(&all[at]) {
                acquit(&mut line);
                all[at] = format!("{line}\n").into_bytes();
            }
        }
        Edit::Count(at, number) => {
            let number = number.to_string();
            let starts: Vec<usize> = (1..text.len())
                .filter(|&at| text[at].is_ascii_digit() && !text[at - 1].is_ascii_digit())
                .collect();
            if starts.is_empty() {
                return text;
            }
            let start = starts[at.index(starts.len())];
            let digits = text[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            text.splice(start..start + digits, number.into_bytes());
            return text;
        }
    }
    all.concat()
}

/// Changes the verdict on an answer to "conforms".
fn acquit(line: &mut Value) {
    for kind in ["case", "call", "settled"] {
        if let Some(verdict) = line.get_mut(kind).and_then(|entry| entry.get_mut("verdict")) {
            *verdict = serde_json::json!({"conforms": {}});
        }
    }
}

/// Returns the text with an end line that matches its lines, or the text itself if it has no end line.
fn mended(text: &[u8]) -> Vec<u8> {
    let mut all = lines(text);
    let Some(end) = all.iter().rposition(|line| line.starts_with(b"{\"end\":")) else { return text.to_vec() };
    let Ok(Line::End(old)) = serde_json::from_slice(&all[end]) else { return text.to_vec() };
    all.remove(end);
    let Ok(Record { header, cases, calls, settled, then, flakes, .. }) = read(&all.concat()[..]) else {
        return text.to_vec();
    };
    let settled: &[Resettled] = &settled;
    let filtered = header.corpus.saturating_sub(header.cases);
    let cases = Counts::of(&cases, settled, filtered, header.cases);
    let calls = Counts::of(&calls, settled, 0, header.calls.unwrap_or(calls.len()));
    let complete = cases.missing + calls.missing == 0;
    let (nondeterministic, flakes) = (then.len(), flakes.len());
    let end = Line::End(End { complete, cases, calls, nondeterministic, flakes, ..old });
    let mut line = Vec::new();
    write(&mut line, &end).unwrap();
    all.push(line);
    all.concat()
}

/// Returns true if the record is rejected or shows a failing backend.
fn shows_no_better(text: &[u8], judge: &Judge<'_>) -> bool {
    let Ok(record) = read(text) else { return true };
    judge.rebuilt(&record).is_ok_and(|rebuilt| !rebuilt.report.conforms()) || judge.rebuilt(&record).is_err()
}

fn record_of(corpus: &Corpus, ledger: &Ledger, prepared: &[Prepared<'_>], path: &Path) -> Vec<u8> {
    let (_, report) = recorded(corpus, ledger, prepared, path, &mut flawed());
    assert!(report.failures().count() > 1 && !report.conforms());
    fs::read(path).unwrap()
}

#[test]
#[ignore = "weekly: it reads a record once for every change"]
fn no_change_to_a_record_shows_more_than_the_run_did() {
    let (mut corpus, ledger) = corpus();
    corpus.cases.truncate(20);
    let prepared = prepare(&corpus.cases).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let text = record_of(&corpus, &ledger, &prepared, &folder.path().join("record"));
    let judge = Judge { corpus: &corpus, ledger: &ledger, prepared: &prepared, rules: None };
    let config = Config { failure_persistence: None, ..Config::with_cases(cases()) };
    let plans = (proptest::collection::vec(edits(), 1..6), any::<bool>());
    let tried = TestRunner::new(config).run(&plans, |(edits, is_mended)| {
        let text = edits.iter().fold(text.clone(), edited);
        let text = if is_mended { mended(&text) } else { text };
        prop_assert!(shows_no_better(&text, &judge), "{}", String::from_utf8_lossy(&text));
        Ok(())
    });
    tried.unwrap();
}

/// Returns the number of changed records to try; `PROPTEST_CASES` sets it.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(400)
}
