//! Traces clauses to the cases and generated calls that test them, with their outcomes, and failures to the
//! clauses they break.
//!
//! A pure function of a report, the corpus and the ledger. A case tests the clauses that it cites. A generated call
//! tests those that an answer to it could break, or that leave its answer open. A failure speaks against every clause
//! that its call tests, and lists those that it breaks. A clause without tests still has a row.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use normative_reference::Spec;
use serde::Serialize;

use crate::corpus::cited::Cited;
use crate::corpus::{Corpus, Ledger, LedgerClause, Level};
use crate::judge::verdict::Verdict;
use crate::report::Report;
use crate::report::defect::Witness;
use crate::report::finding::{self, Finding};
use crate::run::property::Id;
use crate::run::readings::{Answers, Place, Row};

/// The outcome of a case or a generated call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestOutcome {
    /// An answer that is accepted.
    Conforms,
    /// An answer that is not accepted.
    Fails,
    /// A crash, or no answer in time.
    Died,
    /// A call that the backend declined.
    Unsupported,
    /// A call that was left out or not reached.
    NotAsked,
}

/// The status of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// A test of it fails.
    Fails,
    /// A test of it conforms, and none fails.
    Conforms,
    /// Every test of it that was asked was declined.
    Unsupported,
    /// Its tests were not asked.
    NotAsked,
    /// It has no test.
    NoTest,
    /// An implementation cannot break it, and it has no test.
    Informative,
}

/// The number of calls with each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Counts {
    /// Accepted.
    pub conforms: usize,
    /// Answered, and not accepted.
    pub fails: usize,
    /// Crashed, or not answered in time.
    pub died: usize,
    /// Declined.
    pub unsupported: usize,
    /// Left out, or not come to.
    pub not_asked: usize,
}

/// A case or a generated call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Asked {
    /// The case's name, or the place of the generated call, `SEED:INDEX`.
    pub name: String,
    /// The spec called.
    pub spec: &'static str,
    /// The element type of the data.
    pub dtype: &'static str,
    /// The clauses of that spec that it tests.
    pub clauses: Vec<String>,
    /// The outcome.
    pub outcome: TestOutcome,
}

/// A clause, and its tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Traced {
    /// Its spec and its name, `SPEC#NAME`.
    pub clause: String,
    /// Its level, as the ledger names it.
    pub level: &'static str,
    /// The paraphrase in the ledger.
    pub says: String,
    /// The text that contains it.
    pub source: String,
    /// The place in that text.
    pub place: String,
    /// The status.
    pub status: Status,
    /// The outcomes of the cases that cite it.
    pub cases: Counts,
    /// The outcomes of the generated calls that test it.
    pub calls: Counts,
    /// The first cases and calls that fail.
    pub failing: Vec<String>,
    /// The first that conform.
    pub conforming: Vec<String>,
}

/// Something that speaks against the backend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Failure {
    /// The kind of finding.
    pub kind: &'static str,
    /// The case, the generated call, or the place of the question, as reports name it.
    pub name: String,
    /// The name of the case or the generated call in [`Asked`], if there is one.
    pub asked: Option<String>,
    /// The clauses it breaks, `SPEC#NAME`; empty if no call explains a process fault.
    pub clauses: Vec<String>,
    /// The details: pairs of a label and a text.
    pub lines: Vec<(String, String)>,
}

/// A question, and its reading according to the answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Taken {
    /// The spec.
    pub spec: &'static str,
    /// The question.
    pub question: &'static str,
    /// The element type, of a question about values.
    pub dtype: Option<&'static str>,
    /// The question in words.
    pub asks: &'static str,
    /// `forced`, `mixed` or `inconsistent`.
    pub how: &'static str,
    /// The readings.
    pub readings: Vec<&'static str>,
    /// The answers that show it, by the names of their calls; together they allow no other reading.
    pub answers: Vec<String>,
    /// For a forced reading, the number of answers that force it alone.
    pub alone: usize,
    /// The clauses that raise it.
    pub clauses: Vec<String>,
}

/// The whole trace of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Trace {
    /// Every clause of the ledger.
    pub clauses: Vec<Traced>,
    /// Everything that speaks against the backend.
    pub failures: Vec<Failure>,
    /// Every question that the answers decide.
    pub questions: Vec<Taken>,
    /// Every case of the corpus, and every generated call that was asked.
    pub asked: Vec<Asked>,
}

/// The most names listed with a clause.
const SHOWN: usize = 5;

impl Trace {
    /// Makes the trace of a report and its generated calls. `again` is the command that repeats the run.
    pub fn of(report: &Report<'_>, corpus: &Corpus, ledger: &Ledger, calls: &[Id], again: &str) -> Self {
        let asked: Vec<Asked> =
            cases(report, corpus).into_iter().chain(generated(report, calls, ledger)).collect();
        Self {
            clauses: clauses(ledger, &asked),
            failures: failures(report, ledger, again),
            questions: questions(report, ledger),
            asked,
        }
    }
}

fn outcome(verdict: &Verdict) -> TestOutcome {
    match verdict {
        Verdict::Conforms { .. } => TestOutcome::Conforms,
        Verdict::Fails(_) => TestOutcome::Fails,
        Verdict::Crashed(_) | Verdict::TimedOut(_) => TestOutcome::Died,
        Verdict::Unsupported(_) => TestOutcome::Unsupported,
    }
}

fn cases(report: &Report<'_>, corpus: &Corpus) -> Vec<Asked> {
    let outcomes: HashMap<&str, TestOutcome> =
        report.results.iter().map(|(case, verdict)| (case.name.as_str(), outcome(verdict))).collect();
    let asked = corpus.cases.iter().map(|case| Asked {
        name: case.name.clone(),
        spec: case.call.spec().name(),
        dtype: case.call.data.dtype().name(),
        clauses: case.clauses.iter().map(|clause| clause.name.clone()).collect(),
        outcome: outcomes.get(case.name.as_str()).copied().unwrap_or(TestOutcome::NotAsked),
    });
    asked.collect()
}

fn generated(report: &Report<'_>, calls: &[Id], ledger: &Ledger) -> Vec<Asked> {
    let Some(generated) = &report.generated else { return Vec::new() };
    let conforming: BTreeSet<Id> = generated.conforming.iter().copied().collect();
    let finds: BTreeMap<Id, TestOutcome> =
        generated.finds.iter().map(|find| (find.id, outcome(&find.verdict))).collect();
    let cited = Cited::by(ledger);
    let asked = |id: &Id| {
        let call = id.call();
        Asked {
            name: id.to_string(),
            spec: call.spec().name(),
            dtype: call.data.dtype().name(),
            clauses: cited.of(&call).into_iter().map(str::to_owned).collect(),
            outcome: match finds.get(id) {
                Some(outcome) => *outcome,
                None if conforming.contains(id) => TestOutcome::Conforms,
                None => TestOutcome::Unsupported,
            },
        }
    };
    calls.iter().map(asked).collect()
}

impl Counts {
    fn count(&mut self, outcome: TestOutcome) {
        *match outcome {
            TestOutcome::Conforms => &mut self.conforms,
            TestOutcome::Fails => &mut self.fails,
            TestOutcome::Died => &mut self.died,
            TestOutcome::Unsupported => &mut self.unsupported,
            TestOutcome::NotAsked => &mut self.not_asked,
        } += 1;
    }

    /// Returns the sum of all counts.
    pub const fn sum(&self) -> usize {
        self.conforms + self.fails + self.died + self.unsupported + self.not_asked
    }
}

fn clauses(ledger: &Ledger, asked: &[Asked]) -> Vec<Traced> {
    let mut testing: HashMap<(&str, &str), Vec<&Asked>> = HashMap::new();
    for one in asked {
        for clause in &one.clauses {
            testing.entry((one.spec, clause)).or_default().push(one);
        }
    }
    let traced = |entry: &LedgerClause| {
        let key = (entry.clause.spec.name(), entry.clause.name.as_str());
        of_clause(entry, testing.get(&key).map_or(&[], Vec::as_slice))
    };
    ledger.iter().map(traced).collect()
}

fn of_clause(entry: &LedgerClause, testing: &[&Asked]) -> Traced {
    let (mut cases, mut calls) = (Counts::default(), Counts::default());
    for one in testing {
        let is_call = one.name.parse::<Id>().is_ok();
        if is_call { &mut calls } else { &mut cases }.count(one.outcome);
    }
    let first = |wanted: &[TestOutcome]| -> Vec<String> {
        let found = testing.iter().filter(|one| wanted.contains(&one.outcome));
        found.take(SHOWN).map(|one| one.name.clone()).collect()
    };
    let of = |count: fn(&Counts) -> usize| count(&cases) + count(&calls) > 0;
    let status = if of(|counts| counts.fails + counts.died) {
        Status::Fails
    } else if of(|counts| counts.conforms) {
        Status::Conforms
    } else if of(|counts| counts.unsupported) {
        Status::Unsupported
    } else if of(|counts| counts.not_asked) {
        Status::NotAsked
    } else if entry.level == Level::Informative {
        Status::Informative
    } else {
        Status::NoTest
    };
    Traced {
        clause: entry.clause.to_string(),
        level: match entry.level {
            Level::Determined => "determined",
            Level::Open => "open",
            Level::Informative => "informative",
        },
        says: entry.says.clone(),
        source: entry.source.clone(),
        place: entry.place.clone(),
        status,
        cases,
        calls,
        failing: first(&[TestOutcome::Fails, TestOutcome::Died]),
        conforming: first(&[TestOutcome::Conforms]),
    }
}

fn failures(report: &Report<'_>, ledger: &Ledger, again: &str) -> Vec<Failure> {
    let mut broken: HashMap<String, (String, Vec<String>)> = HashMap::new();
    for (case, _) in &report.results {
        let clauses = case.clauses.iter().map(ToString::to_string).collect();
        broken.insert(case.name.clone(), (case.name.clone(), clauses));
    }
    for find in report.finds() {
        broken.insert(find.name(), (find.id.to_string(), vec![find.clause(ledger).to_string()]));
    }
    let cited = Cited::by(ledger);
    for one in &report.unstable {
        // A case has an entry with this name already.
        let (name, call) = (&one.sample.name, &one.sample.call);
        let clauses =
            || cited.of(call).into_iter().map(|clause| format!("{}#{clause}", call.spec())).collect();
        broken.entry(name.clone()).or_insert_with(|| (name.clone(), clauses()));
    }
    let failure = |Finding { kind, name, lines, .. }: Finding| {
        let of_place = Place::from_name(&name)
            .map(|place| raising(ledger, place.spec, |clause| clause.questions.contains(&place.question)));
        let (asked, clauses) = broken.get(&name).cloned().unzip();
        Failure {
            kind: kind.word(),
            clauses: of_place.or(clauses).unwrap_or_default(),
            name,
            asked,
            lines: lines.into_iter().map(|line| (line.label.to_owned(), line.text)).collect(),
        }
    };
    finding::all(report, ledger, again).into_iter().map(failure).collect()
}

fn raising(ledger: &Ledger, spec: Spec, is_it: impl Fn(&LedgerClause) -> bool) -> Vec<String> {
    let of_spec = ledger.iter().filter(|clause| clause.clause.spec == spec && is_it(clause));
    of_spec.map(|clause| clause.clause.to_string()).collect()
}

fn questions(report: &Report<'_>, ledger: &Ledger) -> Vec<Taken> {
    let answers: Answers<Witness<'_>> = report.answers();
    let forcing = answers.forcing();
    let taken = |(place, row): (Place, Row<Witness<'_>>)| {
        let Place { spec, question, dtype } = place;
        let how = match (row.inconsistent(&place), row.mixed(&place)) {
            (Some(_), _) => "inconsistent",
            (None, Some(_)) => "mixed",
            (None, None) => "forced",
        };
        let forced = forcing.get(&place);
        let answers: Vec<String> = match &row {
            Row::Forced(_) => {
                forced.iter().flat_map(|forced| &forced.answers).map(Witness::asked_by).collect()
            }
            Row::Split(split) => split.witness.iter().map(|said| said.answer.asked_by()).collect(),
        };
        Taken {
            spec: spec.name(),
            question: question.name(),
            dtype: dtype.map(normative_reference::Dtype::name),
            asks: question.asks(),
            how,
            readings: row.readings().iter().map(|reading| reading.name()).collect(),
            answers,
            alone: forced.map_or(0, |forced| forced.alone),
            clauses: raising(ledger, spec, |clause| clause.questions.contains(&question)),
        }
    };
    answers.profile().into_iter().map(taken).collect()
}
