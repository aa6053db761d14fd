//! One run of a worker: cases, then generated calls, then calls that tell why some were refused, then some of both
//! again; every answer goes to the record
//! before anything else is done with it.

use std::collections::HashMap;
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use normative_conformance::corpus::Ledger;
use normative_conformance::reference::Call;
use normative_conformance::report::record::{Entry, Header, Line, explain};
use normative_conformance::report::{Missing, Report};
use normative_conformance::run::probe::{Doubts, key};
use normative_conformance::run::property::{Generated, Id, Made};
use normative_conformance::run::repeat::{self, Pool};
use normative_conformance::run::{Asked, Judged, Prepared, Run};
use normative_conformance::{Answer, Backend as _, Demands, Worker};

use crate::interrupt;
use crate::note::note;
use crate::progress::Progress;
use crate::recorder::Recorder;

/// Most calls that are made and ruled on before it is their turn: that is done beside asking and judging.
const AHEAD: usize = 512;

/// What a run holds on to.
pub(crate) struct Session<'d> {
    /// Who is asked.
    pub(crate) worker: Worker,
    /// What is demanded.
    pub(crate) demands: &'d Demands,
    /// Where answers go, and where those of an earlier run come from.
    pub(crate) recorder: Recorder,
    /// What the clauses say.
    pub(crate) ledger: &'d Ledger,
    /// What the run is of.
    pub(crate) header: &'d Header,
    /// What to ask again; nothing yet.
    pub(crate) pool: Pool,
}

impl Session<'_> {
    /// Asks everything, or as much as there is time for.
    pub(crate) fn run<'a>(mut self, prepared: &'a [Prepared<'a>], ids: &[Id]) -> Result<Report<'a>> {
        let (header, ledger, again) = (self.header, self.ledger, self.header.again.as_str());
        let earlier = std::mem::take(&mut self.recorder.cases);
        let mut results = Vec::with_capacity(prepared.len());
        let mut doubts = Doubts::default();
        let line = |judged: &Judged<&Prepared<'_>>| Line::Case(explain::of_case(judged, ledger, again));
        self.ask("cases", prepared.iter(), prepared.len(), earlier, line, |judged| {
            doubts.offer(&judged);
            results.push((judged.asked.case, judged.verdict));
        })?;
        let mut generated = Generated { seed: header.seed, ..Generated::default() };
        let earlier = std::mem::take(&mut self.recorder.calls);
        let (mut unmade, mut held) = (None, Vec::new());
        let made = ids.iter().map_while(|&id| Made::of(id).map_err(|error| unmade = Some((id, error))).ok());
        let line = |judged: &Judged<Made>| Line::Call(explain::of_call(judged, ledger, again));
        if !ids.is_empty() {
            self.ask("generated calls", made, ids.len(), earlier, line, |judged| {
                if doubts.offer(&judged) { held.push(judged) } else { generated.count(&judged) }
            })?;
        }
        if let Some((id, error)) = unmade {
            bail!("generated call {id}: {error}");
        }
        let answers = self.probed(&doubts.calls())?;
        let settled = doubts.settle_by(&answers);
        let verdicts = results.iter().map(|(case, verdict)| (case.name.clone(), verdict));
        let verdicts = verdicts.chain(held.iter().map(|held| (held.asked.name(), &held.verdict)));
        for resettled in explain::of_settled(&settled, verdicts) {
            self.recorder.write(&Line::Settled(resettled))?;
        }
        for (case, verdict) in &mut results {
            settled.apply(&case.name, verdict);
        }
        generated.count_settled(held, &settled);
        let pool = std::mem::take(&mut self.pool);
        let unstable = if interrupt::wanted() { Vec::new() } else { repeat::check(pool, &mut self.worker) };
        for again in &unstable {
            self.recorder.write(&Line::Then(explain::of_unstable(again, &header.again)))?;
        }
        let missing =
            Missing { cases: prepared.len() - results.len(), calls: ids.len() - generated.total().run };
        let conduct = self.worker.conduct();
        let generated = (!ids.is_empty()).then_some(generated);
        let report = Report::of(self.worker.identity(), results, header.corpus);
        let capabilities = self.demands.capabilities.clone();
        let report = Report { capabilities, generated, settled, unstable, conduct, missing, ..report };
        self.recorder.write(&Line::End(explain::end(&report, again)))?;
        Ok(report)
    }

    /// The answers to the calls that tell why others were refused, each under its key: those of an earlier run, and
    /// those of this one. A run that was stopped asks none.
    fn probed(&mut self, calls: &[Call]) -> Result<HashMap<String, Answer>> {
        let earlier = std::mem::take(&mut self.recorder.probes);
        let mut answers: HashMap<String, Answer> =
            earlier.into_iter().map(|probe| (probe.key, probe.answer)).collect();
        let mut due: Vec<&Call> = calls.iter().filter(|call| !answers.contains_key(&key(call))).collect();
        if interrupt::wanted() {
            due.clear();
        }
        for (call, answer) in due.iter().zip(self.worker.answer_all(&due)) {
            self.recorder.write(&Line::Probe(explain::of_probe(call, &answer)))?;
            answers.insert(key(call), answer);
        }
        if !calls.is_empty() {
            note(format_args!("{} calls more, to tell why others were refused", calls.len()));
        }
        Ok(answers)
    }

    /// Asks some calls in order: those an earlier run has no answer to. A thread of its own makes them.
    fn ask<T: Asked + Send>(
        &mut self,
        what: &str,
        calls: impl Iterator<Item = T> + Send,
        count: usize,
        earlier: Vec<Entry>,
        line: impl Fn(&Judged<T>) -> Line,
        mut take: impl FnMut(Judged<T>),
    ) -> Result<()> {
        let started = Instant::now();
        let mut progress = Progress::new(count);
        let resumed = earlier.len();
        let mut place = 0;
        let (to, made) = sync_channel(AHEAD);
        thread::scope(|scope| -> Result<()> {
            // Nobody takes them any more once the run was stopped.
            scope.spawn(move || calls.map(|call| to.send(call)).take_while(Result::is_ok).for_each(drop));
            let mut calls = made.into_iter();
            for Entry { name, answer, .. } in earlier {
                let next = calls.next().filter(|next| next.name() == name);
                let next = next.ok_or_else(|| anyhow!("{name} is not what comes next in this run"))?;
                let judged = Judged::of(next, answer, self.demands);
                self.pool.offer(&judged.asked.name(), judged.asked.call(), &judged.answer);
                place += 1;
                progress.count(&judged.verdict);
                take(judged);
            }
            for judged in Run::over(calls, &mut self.worker, self.demands) {
                self.recorder.write(&line(&judged))?;
                self.pool.offer(&judged.asked.name(), judged.asked.call(), &judged.answer);
                place += 1;
                progress.count(&judged.verdict);
                take(judged);
                if interrupt::wanted() {
                    break;
                }
            }
            Ok(())
        })?;
        progress.finish();
        let seconds = started.elapsed().as_secs_f64();
        let resumed = if resumed == 0 { String::new() } else { format!(", {resumed} of them on record") };
        note(format_args!("{place} {what}{resumed} in {seconds:.2} s"));
        Ok(())
    }
}
