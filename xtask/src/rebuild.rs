//! Reports made again from records: every verdict from its answer and the corpus. What a record says beside an
//! answer is compared with that, and believed nowhere.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use normative_conformance::Verdict;
use normative_conformance::corpus::{Corpus, Ledger};
use normative_conformance::drive::Conduct;
use normative_conformance::present::matrix::Column;
use normative_conformance::reference::Call;
use normative_conformance::report::record::{self, End, Entry, Header, Probe, Record, Resettled, explain};
use normative_conformance::report::{Missing, Report};
use normative_conformance::run::probe::{self, Doubts};
use normative_conformance::run::property::{Generated, Made};
use normative_conformance::run::repeat::{Sample, Unstable};
use normative_conformance::run::{Asked as _, Judged, Prepared, prepare};

use crate::note::note;
use crate::recorder::read_all;
use crate::select::{Folder, list};

/// What records are judged by.
pub(crate) struct Judge<'a> {
    pub(crate) corpus: &'a Corpus,
    pub(crate) ledger: Ledger,
    prepared: Vec<Prepared<'a>>,
}

impl<'a> Judge<'a> {
    /// Rules on all cases of a corpus.
    pub(crate) fn over(corpus: &'a Corpus, folder: &Folder) -> Result<Self> {
        let prepared = prepare(&corpus.cases)
            .map_err(|errors| anyhow!("cases and reference disagree:\n{}", list(&errors)))?;
        Ok(Self { corpus, ledger: folder.ledger()?, prepared })
    }

    /// The reports of the runs that a file holds.
    pub(crate) fn read(&self, path: &Path) -> Result<Vec<Column<'a>>> {
        self.columns(&read_all(path)?).with_context(|| path.display().to_string())
    }

    /// The reports of runs, each with the name its backend was asked for by.
    pub(crate) fn columns(&self, records: &[Record]) -> Result<Vec<Column<'a>>> {
        let column = |record: &Record| {
            let Header { name, again, .. } = record.header.clone();
            let report = self.rebuilt(record).with_context(|| name.clone())?;
            Ok(Column { name, report, again })
        };
        records.iter().map(column).collect()
    }

    /// The report that a run gave, from its answers alone.
    pub(crate) fn rebuilt(&self, record: &Record) -> Result<Report<'a>> {
        let Record { header, cases, calls, probes, settled: recorded, then, end, .. } = record;
        let Header { again, .. } = header;
        if header.digest != record::digest(self.corpus) {
            bail!("that run was of other cases than these");
        }
        let demands = header.demands().map_err(|why| anyhow!(why))?;
        let named: HashMap<&str, &Entry> = cases.iter().map(|one| (one.name.as_str(), one)).collect();
        let mut first: BTreeMap<String, Sample> = BTreeMap::new();
        let mut note_first = |entry: &Entry, call: &Call| {
            if then.iter().any(|doubted| doubted.name == entry.name) {
                let (name, first_answer) = (entry.name.clone(), entry.answer.clone());
                first.insert(name.clone(), Sample { name, call: call.clone(), first: first_answer });
            }
        };
        let (mut changed, mut doubts, mut held) = (Changed::default(), Doubts::default(), Vec::new());
        let mut results: Vec<(_, Verdict)> = Vec::with_capacity(cases.len());
        for one in &self.prepared {
            let Some(&entry) = named.get(one.case.name.as_str()) else { continue };
            note_first(entry, &one.case.call);
            let judged = Judged::of(one, entry.answer.clone(), &demands);
            changed.compare(&entry.name, entry, &explain::of_case(&judged, &self.ledger, again));
            doubts.offer(&judged);
            results.push((one.case, judged.verdict));
        }
        if results.len() != cases.len() {
            bail!("it names cases twice, or cases that there are not");
        }
        let mut generated = Generated { seed: header.seed, ..Generated::default() };
        for entry in calls {
            let name = &entry.name;
            let id = name.parse().map_err(|why| anyhow!("generated call {name}: {why}"))?;
            let made = Made::of(id).with_context(|| format!("generated call {name}"))?;
            note_first(entry, &made.call);
            let judged = Judged::of(made, entry.answer.clone(), &demands);
            changed.compare(name, entry, &explain::of_call(&judged, &self.ledger, again));
            if doubts.offer(&judged) { held.push(judged) } else { generated.count(&judged) }
        }
        for (call, probe) in doubts.calls().iter().filter_map(|call| Some((call, named_probe(probes, call)?)))
        {
            changed.compare(&probe.call, probe, &explain::of_probe(call, &probe.answer));
        }
        let answers = probes.iter().map(|probe| (probe.key.clone(), probe.answer.clone())).collect();
        let settled = doubts.settle_by(&answers);
        let verdicts = results.iter().map(|(case, verdict)| (case.name.clone(), verdict));
        let verdicts = verdicts.chain(held.iter().map(|held| (held.asked.name(), &held.verdict)));
        changed.compare_settled(recorded, &explain::of_settled(&settled, verdicts));
        for (case, verdict) in &mut results {
            settled.apply(&case.name, verdict);
        }
        generated.count_settled(held, &settled);
        let mut unstable = Vec::with_capacity(then.len());
        for entry in then {
            let sample = first.remove(&entry.name);
            let sample = sample.ok_or_else(|| anyhow!("{} was asked again, but never asked", entry.name))?;
            let one = Unstable { sample, then: entry.answer.clone(), row: entry.row.clone() };
            changed.compare(&entry.name, entry, &explain::of_unstable(&one, again));
            unstable.push(one);
        }
        let missing = Missing {
            cases: header.cases.saturating_sub(results.len()),
            calls: header.calls.saturating_sub(calls.len()),
        };
        let conduct = end.as_ref().map_or_else(Conduct::default, |&End { restarts, unrepeated, .. }| {
            Conduct { restarts, unrepeated }
        });
        let generated = (header.calls > 0).then_some(generated);
        let report = Report::of(header.backend.identity(), results, header.corpus);
        let capabilities = demands.capabilities;
        let report = Report { capabilities, generated, settled, unstable, conduct, missing, ..report };
        if let Some(end) = end {
            changed.compare("the end", end, &explain::end(&report, again));
        }
        changed.tell(header);
        Ok(report)
    }
}

/// The line of a record about this call.
fn named_probe<'p>(probes: &'p [Probe], call: &Call) -> Option<&'p Probe> {
    let key = probe::key(call);
    probes.iter().find(|probe| probe.key == key)
}

/// What stands in a record and is not what its answers show.
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

    /// Verdicts that became others. A run that was joined from parts has them in another order.
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

    /// No error: the report is made from the answers, and a suite that has learned something since is to be expected.
    fn tell(&self, Header { name, suite, .. }: &Header) {
        let Some(first) = &self.first else { return };
        let (lines, now) = (self.lines, env!("CARGO_PKG_VERSION"));
        note(format_args!(
            "warning: {name}: {lines} lines of the record, the first about {first}, say something else than their \
             answers show; they were written by version {suite}, this is {now}, and the report goes by the answers"
        ));
    }
}
