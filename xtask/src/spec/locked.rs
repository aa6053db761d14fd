//! The lines of `expectations.lock` about clauses and questions, so that none of them changes in silence.
//!
//! A line of a clause holds two digests: of the statement (level, words, citation, questions), and of the sentences it
//! rests on. That tells apart who moved, the clause or its source. A question's digest is over what it asks, why, its readings,
//! and the clauses that raise it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use normative_conformance::corpus::{Ledger, LedgerClause, Level};
use normative_conformance::digest::Digest;
use normative_conformance::reference::Question;

use super::sources::{Source, of_spec, rests};
use super::words::Fingerprint;

/// Digits of a digest that are written.
const DIGITS: usize = 12;

/// Characters of a statement that are written.
const SHOWN: usize = 100;

/// Every line, clauses in the order of the ledger, then the questions that they raise.
pub(crate) fn lines(ledger: &Ledger, sources: &[Source]) -> String {
    let mut lines = String::new();
    for clause in ledger.iter() {
        let words: String = clause.says.chars().take(SHOWN).collect();
        let cut = if clause.says.chars().nth(SHOWN).is_some() { "…" } else { "" };
        let (level, statement, sentences) =
            (level(clause.level), statement(clause), digest_of(&resting(clause, sources)));
        let _ = writeln!(lines, "clause {}  {level}  {statement}  {sentences}  {words}{cut}", clause.clause);
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

/// Whether a clause says something else, of another level or with another citation, than in this lock.
pub(crate) fn says_something_new(clause: &LedgerClause, lock: &str) -> bool {
    let begin = format!("clause {}  {}  {}  ", clause.clause, level(clause.level), statement(clause));
    !lock.lines().any(|line| line.starts_with(&begin))
}

/// What a clause says, without what it rests on, as a digest.
fn statement(clause: &LedgerClause) -> String {
    let LedgerClause { level: kind, says, source, place, place_ja, questions, .. } = clause;
    let words = [level(*kind), says, source, place, place_ja.as_deref().unwrap_or_default()];
    digest(words.into_iter().chain(questions.iter().map(|question| question.name())))
}

/// The fingerprints that a clause rests on; none where its source is not on file.
fn resting(clause: &LedgerClause, sources: &[Source]) -> BTreeSet<Fingerprint> {
    let texts = of_spec(sources, clause.clause.spec);
    texts.filter_map(|(_, text)| rests(text).remove(clause.clause.name.as_str())).flatten().collect()
}

fn digest_of(fingerprints: &BTreeSet<Fingerprint>) -> String {
    digest(fingerprints.iter().map(ToString::to_string).collect::<Vec<_>>().iter().map(String::as_str))
}

/// A digest of words, none of which runs into the next.
fn digest<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut digest = Digest::default();
    for word in words {
        digest.add(&(word.len() as u64).to_le_bytes());
        digest.add(word.as_bytes());
    }
    digest.to_string()[..DIGITS].to_owned()
}

/// A level by its name in the ledger.
pub(crate) const fn level(level: Level) -> &'static str {
    match level {
        Level::Determined => "determined",
        Level::Open => "open",
        Level::Informative => "informative",
    }
}
