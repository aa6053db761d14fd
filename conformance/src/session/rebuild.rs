//! Makes reports again from records: every verdict from its answer and the corpus. Other contents of a record
//! are only compared with the result, never trusted.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use normative_reference::{Call, Family};

use super::SessionError;
use super::gather::{Besides, Gathered, Seconds};
use crate::corpus::{Corpus, Ledger};
use crate::defect::rules::WrongRules;
use crate::drive::Conduct;
use crate::judge::verdict::{Sheet, judge};
use crate::report::Report;
use crate::report::defect::Shrunk;
use crate::report::defects::PAIR;
use crate::report::record::{self, Header, Probe, Record, RecordedEntry, Resettled, explain};
use crate::run::probe;
use crate::run::property::{Id, Made};
use crate::run::{Judged, Prepared};

/// The inputs for judging records.
#[derive(Clone, Copy, Debug)]
pub struct Judge<'a> {
    /// The corpus of the runs.
    pub corpus: &'a Corpus,
    /// The clauses.
    pub ledger: &'a Ledger,
    /// All cases of the corpus, ruled on.
    pub prepared: &'a [Prepared<'a>],
    /// The simple wrong implementations that a run [compares](super::Job::rules) its failures with.
    pub rules: Option<&'a dyn WrongRules>,
}

/// A report made again.
#[derive(Clone, Debug)]
pub struct Rebuilt<'a> {
    /// The report, from the answers alone.
    pub report: Report<'a>,
    /// The differences between the record and its answers, if any.
    pub differs: Option<Differs>,
}

/// Lines of a record that differ from what its answers show. This is not an error: the report comes from the
/// answers, and a newer suite may judge differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differs {
    /// The subject of the first such line.
    pub first: String,
    /// The number of such lines.
    pub lines: usize,
}

impl<'a> Judge<'a> {
    /// Makes the report of a run again, from its answers alone.
    ///
    /// # Errors
    /// Fails if the record is of another corpus, or names calls that do not exist.
    pub fn rebuilt(&self, record: &Record) -> Result<Rebuilt<'a>, SessionError> {
        let Record { header, cases, calls, probes, settled: recorded, then, smaller, flakes, end, .. } =
            record;
        let Header { again, .. } = header;
        if header.digest != record::digest(self.corpus) {
            return Err(SessionError::Unfit("expected a run of these cases, got one of others".to_owned()));
        }
        check(record)?;
        let demands = header.demands().map_err(SessionError::Unfit)?;
        let named: HashMap<&str, &RecordedEntry> = cases.iter().map(|one| (one.name.as_str(), one)).collect();
        let mut seconds = Seconds::of(then.clone());
        let (mut changed, mut gathered) =
            (Changed::default(), Gathered::of(header.seed, &demands.capabilities));
        for one in self.prepared {
            let Some(&entry) = named.get(one.case.name.as_str()) else { continue };
            seconds.met(&entry.name, &one.case.call, &entry.answer);
            let judged = Judged::of(one, entry.answer.clone(), &demands);
            changed.compare(&entry.name, entry, &explain::of_case(&judged, self.ledger, again));
            gathered.case(judged);
        }
        if gathered.cases() != cases.len() {
            let why = "expected each case of the corpus at most once, got one twice or an unknown one";
            return Err(SessionError::Unfit(why.to_owned()));
        }
        let mut asked = BTreeSet::new();
        for entry in calls {
            let name = &entry.name;
            let id: Id =
                name.parse().map_err(|why| SessionError::Unfit(format!("generated call {name}: {why}")))?;
            if id.seed != header.seed || !asked.insert(id) {
                return Err(SessionError::Unfit(format!(
                    "expected each generated call of this run once, got {name} twice or from another run"
                )));
            }
            let made = Made::for_backend(id, &demands.capabilities)
                .map_err(|source| SessionError::Unmade { id, source })?;
            seconds.met(name, &made.call, &entry.answer);
            let judged = Judged::of(made, entry.answer.clone(), &demands);
            changed.compare(name, entry, &explain::of_call(&judged, self.ledger, again));
            gathered.call(judged);
        }
        for call in gathered.probes() {
            if let Some(probe) = named_probe(probes, &call) {
                changed.compare(&probe.call, probe, &explain::of_probe(&call, &probe.answer));
            }
        }
        let answers = probes.iter().map(|probe| (probe.key.clone(), probe.answer.clone())).collect();
        let verdicts = gathered.settle(&answers);
        changed.compare_settled(recorded, &verdicts.resettled);
        let unstable = seconds.unstable(Vec::new())?;
        for one in &unstable {
            let name = &one.sample.name;
            let written = then.iter().find(|entry| entry.name == *name);
            changed.compare(name, &written, &Some(&explain::of_unstable(one, again)));
        }
        let conduct = Conduct { flakes: flakes.clone() };
        let mut shrunk = Vec::with_capacity(smaller.len());
        for one in smaller {
            let sheet = Sheet::of(&one.bytes)
                .map_err(|source| SessionError::Unfit(format!("what {} was made into: {source}", one.of)))?;
            let verdict = judge(&sheet, &one.answer, &demands);
            let (call, answer) = (one.bytes.clone(), one.answer.clone());
            let rebuilt = Shrunk { of: one.of.clone(), call, answer, verdict };
            changed.compare(&one.of, one, &explain::of_shrunk(&rebuilt));
            // If a newer suite accepts the answer, the small call shows nothing.
            if rebuilt.verdict.is_failure() {
                shrunk.push(rebuilt);
            }
        }
        let report = verdicts.report(Besides {
            identity: header.backend.identity(),
            capabilities: demands.capabilities,
            corpus: header.corpus,
            wanted: (header.cases, record.wanted_calls(end.as_ref().is_some_and(|end| end.complete))),
            unstable,
            conduct,
            left_out: header.left_out.iter().filter_map(|name| Family::from_name(name)).collect(),
        });
        let mut report = Report { shrunk, rules: self.rules, ..report };
        report.group_if_needed(PAIR);
        // A defect explains answers, which then contradict nothing.
        if let Some(end) = end {
            report.late = end.late;
            changed.compare("the end", end, &explain::end(&report, again));
        }
        Ok(Rebuilt { report, differs: changed.differs() })
    }
}

/// Checks that a record fits its header.
fn check(Record { header, cases, calls, .. }: &Record) -> Result<(), SessionError> {
    let lists = [
        ("cases", cases.len(), header.cases),
        ("generated calls", calls.len(), header.calls.unwrap_or(usize::MAX)),
    ];
    match lists.into_iter().find(|(_, there, due)| there > due) {
        Some((what, there, due)) => Err(SessionError::Unfit(format!("expected {due} {what}, got {there}"))),
        None => Ok(()),
    }
}

/// Returns the line of a record about this call.
fn named_probe<'p>(probes: &'p [Probe], call: &Call) -> Option<&'p Probe> {
    let key = probe::key(call);
    probes.iter().find(|probe| probe.key == key)
}

/// The differences between a record and its answers.
#[derive(Default)]
struct Changed {
    first: Option<String>,
    lines: usize,
}

impl Changed {
    fn compare<T: PartialEq>(&mut self, name: &str, written: &T, rebuilt: &T) {
        if written != rebuilt {
            self.lines += 1;
            self.first.get_or_insert_with(|| name.to_owned());
        }
    }

    /// Compares the changed verdicts, by name, whatever their order.
    fn compare_settled(&mut self, written: &[Resettled], rebuilt: &[Resettled]) {
        let written: BTreeMap<&str, &Resettled> =
            written.iter().map(|one| (one.name.as_str(), one)).collect();
        for one in rebuilt {
            self.compare(&one.name, &written.get(one.name.as_str()).copied(), &Some(one));
        }
        let rebuilt: BTreeSet<&str> = rebuilt.iter().map(|one| one.name.as_str()).collect();
        for (name, one) in written.iter().filter(|(name, _)| !rebuilt.contains(*name)) {
            self.compare(name, &Some(*one), &None);
        }
    }

    fn differs(self) -> Option<Differs> {
        self.first.map(|first| Differs { first, lines: self.lines })
    }
}
