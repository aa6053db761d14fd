//! One run of a worker: cases, then generated calls, then some of both again; every answer goes to the record
//! before anything else is done with it.

use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use normative_conformance::cases::Ledger;
use normative_conformance::property::{Generated, Id, Made};
use normative_conformance::record::{Entry, Header, Line, explain};
use normative_conformance::repeat::{self, Sample};
use normative_conformance::report::{Missing, Report};
use normative_conformance::run::{Asked, Judged, Prepared, Run};
use normative_conformance::{Backend as _, Demands, Worker};

use crate::interrupt;
use crate::note::note;
use crate::progress::Progress;
use crate::recorder::Recorder;

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
    pub(crate) samples: Vec<Sample>,
}

impl Session<'_> {
    /// Asks everything, or as much as there is time for.
    pub(crate) fn run<'a>(mut self, prepared: &'a [Prepared<'a>], ids: &[Id]) -> Result<Report<'a>> {
        let (header, ledger, again) = (self.header, self.ledger, self.header.again.as_str());
        let earlier = std::mem::take(&mut self.recorder.cases);
        let mut results = Vec::with_capacity(prepared.len());
        let line = |judged: &Judged<&Prepared<'_>>| Line::Case(explain::of_case(judged, ledger, again));
        self.ask("cases", prepared.iter(), prepared.len(), earlier, line, |judged| {
            results.push((judged.asked.case, judged.verdict));
        })?;
        let mut generated = Generated { seed: header.seed, ..Generated::default() };
        let earlier = std::mem::take(&mut self.recorder.calls);
        let mut unmade = None;
        let made = ids.iter().map_while(|&id| Made::of(id).map_err(|error| unmade = Some((id, error))).ok());
        let line = |judged: &Judged<Made>| Line::Call(explain::of_call(judged, ledger, again));
        if !ids.is_empty() {
            self.ask("generated calls", made, ids.len(), earlier, line, |judged| generated.count(&judged))?;
        }
        if let Some((id, error)) = unmade {
            bail!("generated call {id}: {error}");
        }
        let unstable = if interrupt::wanted() {
            Vec::new()
        } else {
            repeat::ask_again(std::mem::take(&mut self.samples), &mut self.worker)
        };
        for again in &unstable {
            self.recorder.write(&Line::Then(explain::of_unstable(again, &header.again)))?;
        }
        let missing =
            Missing { cases: prepared.len() - results.len(), calls: ids.len() - generated.total().run };
        let conduct = self.worker.conduct();
        let generated = (!ids.is_empty()).then_some(generated);
        let report = Report::of(self.worker.identity(), results, header.corpus);
        let capabilities = self.demands.capabilities.clone();
        let report = Report { capabilities, generated, unstable, conduct, missing, ..report };
        self.recorder.write(&Line::End(explain::end(&report, again)))?;
        Ok(report)
    }

    /// Asks some calls in order: those an earlier run has no answer to.
    fn ask<T: Asked>(
        &mut self,
        what: &str,
        mut calls: impl Iterator<Item = T>,
        count: usize,
        earlier: Vec<Entry>,
        line: impl Fn(&Judged<T>) -> Line,
        mut take: impl FnMut(Judged<T>),
    ) -> Result<()> {
        let started = Instant::now();
        let mut progress = Progress::new(count);
        let resumed = earlier.len();
        let wanted = self.header.options.repeat / 2;
        let mut place = 0;
        let mut sample = |judged: &Judged<T>, samples: &mut Vec<Sample>| {
            if repeat::is_sampled(place, count, wanted) {
                let (name, call) = (judged.asked.name(), judged.asked.call().clone());
                samples.push(Sample { name, call, first: judged.answer.clone() });
            }
            place += 1;
        };
        for Entry { name, answer, .. } in earlier {
            let next = calls.next().filter(|next| next.name() == name);
            let next = next.ok_or_else(|| anyhow!("{name} is not what comes next in this run"))?;
            let judged = Judged::of(next, answer, self.demands);
            sample(&judged, &mut self.samples);
            progress.count(&judged.verdict);
            take(judged);
        }
        for judged in Run::over(calls, &mut self.worker, self.demands) {
            self.recorder.write(&line(&judged))?;
            sample(&judged, &mut self.samples);
            progress.count(&judged.verdict);
            take(judged);
            if interrupt::wanted() {
                break;
            }
        }
        progress.finish();
        let seconds = started.elapsed().as_secs_f64();
        let resumed = if resumed == 0 { String::new() } else { format!(", {resumed} of them on record") };
        note(format_args!("{place} {what}{resumed} in {seconds:.2} s"));
        Ok(())
    }
}
