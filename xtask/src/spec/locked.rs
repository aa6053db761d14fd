//! The lines of `expectations.lock` for clauses and questions, so that every change of one shows.
//!
//! A clause's line has two digests: of the statement (level, words, citation, questions), and of the sentences it
//! rests on. They show whether the clause or its source changed. A question's digest covers its text, its reason, its
//! readings, and the clauses that raise it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use normative_conformance::corpus::{Ledger, LedgerClause, Level};
use normative_conformance::digest::Digest;
use normative_conformance::display;
use normative_conformance::reference::Question;

use super::sources::{Source, of_spec, rests};
use super::words::Fingerprint;

/// The number of digits of a written digest.
const DIGITS: usize = 12;

/// The maximum number of characters of a written statement.
const SHOWN: usize = 100;

/// Returns all lines: clauses in the order of the ledger, then the questions that they raise.
pub(crate) fn lines(ledger: &Ledger, sources: &[Source]) -> String {
    let mut lines = String::new();
    for clause in ledger.iter() {
        let words = display::cut(&clause.says, SHOWN);
        let (level, statement, sentences) =
            (level(clause.level), statement(clause), digest_of(&resting(clause, sources)));
        let _ = writeln!(lines, "clause {}  {level}  {statement}  {sentences}  {words}", clause.clause);
    }
    let mut raised: BTreeMap<Question, BTreeSet<String>> = BTreeMap::new();
    for clause in ledger.iter() {
        for &question in &clause.questions {
            raised.entry(question).or_default().insert(clause.clause.to_string());
        }
    }
    for (question, clauses) in raised {
        let readings = question.readings();
        let said = [question.asks(), question.because()].into_iter();
        let said = said.chain(readings.iter().map(|reading| reading.name()));
        let digest = digest(said.chain(clauses.iter().map(String::as_str)));
        let (name, readings, asks) = (question.name(), readings.len(), question.asks());
        let _ = writeln!(lines, "question {name}  {readings} readings  {digest}  {asks}");
    }
    lines
}

/// Returns true if a clause's level or statement differs from this lock.
pub(crate) fn says_something_new(clause: &LedgerClause, lock: &str) -> bool {
    let begin = format!("clause {}  {}  {}  ", clause.clause, level(clause.level), statement(clause));
    !lock.lines().any(|line| line.starts_with(&begin))
}

/// Returns a digest of a clause's statement, without the sentences it rests on.
fn statement(clause: &LedgerClause) -> String {
    let LedgerClause { level: kind, says, source, place, place_ja, questions, .. } = clause;
    let words = [level(*kind), says, source, place, place_ja.as_deref().unwrap_or_default()];
    digest(words.into_iter().chain(questions.iter().map(|question| question.name())))
}

/// Returns the fingerprints that a clause rests on, none if its source is not on file.
fn resting(clause: &LedgerClause, sources: &[Source]) -> BTreeSet<Fingerprint> {
    let texts = of_spec(sources, clause.clause.spec);
    texts.filter_map(|(_, text)| rests(text).remove(clause.clause.name.as_str())).flatten().collect()
}

fn digest_of(fingerprints: &BTreeSet<Fingerprint>) -> String {
    digest(fingerprints.iter().map(ToString::to_string).collect::<Vec<_>>().iter().map(String::as_str))
}

/// Returns a digest of words, each with its length, so that their boundaries count.
fn digest<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut digest = Digest::default();
    for word in words {
        digest.add(&(word.len() as u64).to_le_bytes());
        digest.add(word.as_bytes());
    }
    digest.to_string()[..DIGITS].to_owned()
}

/// Returns a level's name in the ledger.
pub(crate) const fn level(level: Level) -> &'static str {
    match level {
        Level::Determined => "determined",
        Level::Open => "open",
        Level::Informative => "informative",
    }
}
