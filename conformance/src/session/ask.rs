//! Asks a backend the calls of a job, in order; every answer is recorded before anything else is done with it.

use std::collections::{BTreeSet, HashMap};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::{Duration, Instant};

use crate::observed::Observed;
use normative_reference::Call;

use super::gather::{Besides, Gathered, Seconds};
use super::{Job, Recorder, SessionError, Stage, Watch, lanes, refute, small};
use crate::corpus::Ledger;
use crate::drive::patience::Patience;
use crate::drive::{Conduct, Driver, Flake};
use crate::judge::verdict::Demands;
use crate::report::Report;
use crate::report::record::{Line, Record, RecordedEntry, explain};
use crate::run::probe::key;
use crate::run::property::Made;
use crate::run::repeat::{self, Pool};
use crate::run::{Asked, Judged, Prepared, Run};

/// The most calls that are made and ruled on ahead of their turn, in parallel to asking and judging.
const AHEAD: usize = 512;

/// No run takes longer, and a clock can hold it.
const A_YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The state that the stages of a run share.
struct Session<'s, 'l> {
    backend: &'s mut dyn Driver,
    recorder: Option<&'s mut Recorder<'l>>,
    watch: &'s mut dyn Watch,
    demands: Demands,
    /// The calls to ask again.
    pool: Pool,
    /// The calls already answered in two ways.
    seconds: Seconds,
    /// The faults that no call explains.
    faults: Conduct,
}

/// Calls to ask in order, each made when it is needed.
struct Row<M> {
    /// Their number.
    count: usize,
    /// The hand of each place's call, for several workers.
    hands: Vec<usize>,
    /// Makes the call of a place.
    make: M,
    /// When to stop, where time ends the row.
    until: Option<Instant>,
}

/// Asks everything, or until the run is stopped.
pub(super) fn run<'a>(
    job: &Job<'a>,
    backend: &mut dyn Driver,
    recorder: Option<&mut Recorder<'_>>,
    watch: &mut dyn Watch,
) -> Result<Report<'a>, SessionError> {
    let (demands, pool) = (job.demands(backend), Pool::new(job.repeat));
    let until = job.calls.time().map(|time| Instant::now() + time.min(A_YEAR));
    let capabilities = demands.capabilities.clone();
    let ids = job.ids(&capabilities);
    let (seconds, faults) = (Seconds::default(), Conduct::default());
    let mut session = Session { backend, recorder, watch, demands, pool, seconds, faults };
    session.seconds = Seconds::of(session.earlier(|record| &mut record.then));
    session.faults = Conduct { flakes: session.earlier(|record| &mut record.flakes) };
    let mut gathered = Gathered::of(job.calls.seed(), &session.demands.capabilities);

    let earlier = session.earlier(|record| &mut record.cases);
    let cases = Row {
        count: job.prepared.len(),
        hands: lanes::deal(job.prepared.len(), |_| false),
        make: |at: usize| Ok(job.prepared[at]),
        until: None,
    };
    let line = |judged: &Judged<&Prepared<'_>>, ledger: &Ledger, again: &str| {
        Line::Case(explain::of_case(judged, ledger, again))
    };
    let on_record = earlier.len();
    session.watch.begins(Stage::Cases, cases.count, on_record);
    let asked = session.ask(cases, earlier, line, |one| gathered.case(one))?;
    session.watch.ends(Stage::Cases, asked, on_record);

    let earlier = session.earlier(|record| &mut record.calls);
    let line = |judged: &Judged<Made>, ledger: &Ledger, again: &str| {
        Line::Call(explain::of_call(judged, ledger, again))
    };
    let (on_record, mut earlier, mut asked) = (earlier.len(), Some(earlier), 0);
    let (count, mut blocks) = (ids.len(), job.calls.blocks(ids, &capabilities.declared).peekable());
    if blocks.peek().is_some() {
        session.watch.begins(Stage::Calls, count, on_record);
        for ids in blocks {
            let make = |at: usize| {
                let id = ids[at];
                Made::for_backend(id, &capabilities).map_err(|source| SessionError::Unmade { id, source })
            };
            let follows = |at: usize| at > 0 && ids[at].before() == Some(ids[at - 1]);
            let row = Row { count: ids.len(), hands: lanes::deal(ids.len(), follows), make, until };
            let of_block =
                session.ask(row, earlier.take().unwrap_or_default(), line, |judged| gathered.call(judged))?;
            asked += of_block;
            if of_block < ids.len() {
                break;
            }
        }
        session.watch.ends(Stage::Calls, asked, on_record);
    }
    // Time ends a row after the last call that was asked; any other end leaves at least one call unasked.
    let wanted = if until.is_some() { asked + usize::from(session.watch.stops()) } else { count };

    let answers = session.probed(&gathered.probes())?;
    let verdicts = gathered.settle(&answers);
    for resettled in &verdicts.resettled {
        session.write(|_, _| Line::Settled(resettled.clone()))?;
    }
    let pool = std::mem::take(&mut session.pool);
    let since = if session.watch.stops() { Vec::new() } else { repeat::check(pool, &mut *session.backend) };
    let on_record = session.seconds.names();
    let unstable = std::mem::take(&mut session.seconds).unstable(since)?;
    for again in unstable.iter().filter(|again| !on_record.contains(&again.sample.name)) {
        session.write(|_, command| Line::Then(explain::of_unstable(again, command)))?;
    }
    session.backend.check()?;
    session.note_faults()?;
    let mut report = verdicts.report(Besides {
        identity: session.backend.identity(),
        capabilities: session.demands.capabilities.clone(),
        corpus: job.corpus,
        wanted: (job.prepared.len(), wanted),
        unstable,
        left_out: job.left_out.clone(),
        conduct: session.faults.clone(),
    });
    report.rules = job.rules;
    let failures: usize = report.severities().values().sum();
    // So few failures are all shown, and no call needs to stand for others.
    if job.shrink > 0 && failures > job.few {
        session.watch.begins(Stage::Defects, failures, 0);
        session.group(&mut report, job)?;
        session.watch.ends(Stage::Defects, failures, 0);
        report.conduct = session.faults.clone();
    }
    report.group_if_needed(job.few);
    report.late = session.backend.late();
    session.write(|_, again| Line::End(explain::end(&report, again)))?;
    Ok(report)
}

impl Session<'_, '_> {
    /// Groups the failures: one call of each group is made small, and the conditions are tested.
    fn group(&mut self, report: &mut Report<'_>, job: &Job<'_>) -> Result<(), SessionError> {
        let causes = report.causes();
        let earlier = self.earlier(|record| &mut record.smaller);
        let mut shrunk = small::all(&causes, job, &mut *self.backend, &self.demands, &*self.watch, &earlier);
        for one in &shrunk {
            self.write(|_, _| Line::Smaller(explain::of_shrunk(one)))?;
        }
        let mut defects = causes.defects(&shrunk);
        let mut tested = BTreeSet::new();
        // A condition that is learned anew has parts that were not tested yet.
        for _ in 0..refute::ROUNDS {
            let (backend, watch) = (&mut *self.backend, &*self.watch);
            let refuting = refute::all(&defects, backend, &self.demands, watch, &earlier, &mut tested);
            for one in &refuting {
                self.write(|_, _| Line::Smaller(explain::of_shrunk(one)))?;
            }
            if refuting.is_empty() {
                break;
            }
            shrunk.extend(refuting);
            defects = causes.defects(&shrunk);
        }
        self.backend.check()?;
        self.note_faults()?;
        report.group(defects, shrunk);
        Ok(())
    }

    /// Takes a list of answers that an earlier run left.
    fn earlier<T>(&mut self, list: impl FnOnce(&mut Record) -> &mut Vec<T>) -> Vec<T> {
        let recorder = self.recorder.as_deref_mut();
        recorder.map_or_else(Vec::new, |recorder| std::mem::take(list(&mut recorder.earlier)))
    }

    /// Adds a line to the record, if there is one; `line` gets the command that repeats the run.
    fn write(&mut self, line: impl FnOnce(&Ledger, &str) -> Line) -> Result<(), SessionError> {
        let Some(recorder) = self.recorder.as_deref_mut() else { return Ok(()) };
        let line = line(recorder.ledger, &recorder.again);
        recorder.write(&line)
    }

    /// Records faults that are new.
    fn note_faults(&mut self) -> Result<(), SessionError> {
        note(&mut self.faults, &self.backend.conduct().flakes, self.recorder.as_deref_mut())
    }

    /// Returns the answers to calls that explain refusals, each under its key: those of an earlier run, and
    /// those of this one. A stopped run asks none.
    fn probed(&mut self, calls: &[Call]) -> Result<HashMap<String, Observed>, SessionError> {
        let earlier = self.earlier(|record| &mut record.probes);
        let mut answers: HashMap<String, Observed> =
            earlier.into_iter().map(|probe| (probe.key, probe.answer)).collect();
        if calls.is_empty() {
            return Ok(answers);
        }
        let mut due: Vec<&Call> = calls.iter().filter(|call| !answers.contains_key(&key(call))).collect();
        let on_record = calls.len() - due.len();
        if self.watch.stops() {
            due.clear();
        }
        self.watch.begins(Stage::Probes, due.len(), 0);
        for (call, answer) in due.iter().zip(self.backend.ask_apart(&due)) {
            self.write(|_, _| Line::Probe(explain::of_probe(call, &answer)))?;
            answers.insert(key(call), answer);
        }
        self.watch.ends(Stage::Probes, on_record + due.len(), on_record);
        Ok(answers)
    }

    /// Asks the calls of a row in order, except those answered in an earlier run. Workers make their calls
    /// themselves; for a backend in this process, a separate thread does.
    fn ask<T: Asked + Send>(
        &mut self,
        Row { count, hands, make, until }: Row<impl Fn(usize) -> Result<T, SessionError> + Sync>,
        earlier: Vec<RecordedEntry>,
        line: impl Fn(&Judged<T>, &Ledger, &str) -> Line,
        mut take: impl FnMut(Judged<T>),
    ) -> Result<usize, SessionError> {
        let Self { backend, recorder, watch, demands, pool, seconds, faults } = self;
        // Of a backend that is given up nothing more is to be learned, and no number of calls ends these.
        let mut patience = Patience::default();
        let is_over = |patience: &Patience| {
            until.is_some_and(|until| Instant::now() >= until || patience.lost().is_some())
        };
        let (on_record, mut asked, mut stops) = (earlier.len(), 0, watch.stops() || is_over(&patience));
        let mut next = |worker: usize, flakes: &[Flake], is_new: bool, judged: Judged<T>| {
            note(faults, flakes, recorder.as_deref_mut())?;
            if let Some(recorder) = recorder.as_deref_mut().filter(|_| is_new) {
                let line = line(&judged, recorder.ledger, &recorder.again);
                recorder.write(&line)?;
            }
            pool.turn_to(worker);
            met(pool, seconds, &judged);
            asked += 1;
            watch.judged(&judged.verdict);
            patience.count(&judged.answer);
            take(judged);
            Ok::<_, SessionError>(watch.stops() || is_over(&patience))
        };
        let is_alone = backend.workers().is_empty();
        let made_here = if is_alone { count } else { on_record.min(count) };
        let (to, made) = sync_channel(AHEAD);
        let make = &make;
        thread::scope(|scope| -> Result<(), SessionError> {
            // Sending fails once the run was stopped.
            let ahead = move || {
                (0..made_here).map(|at| to.send(make(at))).take_while(Result::is_ok).for_each(drop);
            };
            // Without a thread, each call is made when it is its turn.
            let late = match thread::Builder::new().spawn_scoped(scope, ahead) {
                Ok(_) => 0..0,
                Err(_) => 0..made_here,
            };
            let mut made = made.into_iter().chain(late.map(make));
            for RecordedEntry { name, answer, .. } in earlier {
                let call = made.next().transpose()?.filter(|call| call.name() == name);
                let why = || SessionError::Unfit(format!("expected the next call of this run, got {name}"));
                let call = call.ok_or_else(why)?;
                backend.heard(&answer);
                stops = next(0, &[], false, Judged::of(call, answer, demands))?;
            }
            if stops {
                return Ok(());
            }
            if !is_alone {
                let due = on_record..count;
                return lanes::ask(
                    backend.workers(),
                    demands,
                    due,
                    &hands,
                    make,
                    |worker, flakes, judged| next(worker, flakes, true, judged),
                );
            }
            let mut unmade = None;
            let made = made.map_while(|made| made.map_err(|error| unmade = Some(error)).ok());
            let mut run = Run::over(made, &mut **backend, demands);
            let mut seen = run.backend().conduct().flakes.len();
            while let Some(judged) = run.next() {
                let flakes = &run.backend().conduct().flakes;
                let new = flakes.get(seen..).unwrap_or_default();
                seen = flakes.len();
                if next(0, new, true, judged)? {
                    return Ok(());
                }
            }
            drop(run);
            unmade.map_or(Ok(()), Err)
        })?;
        Ok(asked)
    }
}

/// Records the faults that are new: each once.
fn note(
    known: &mut Conduct,
    flakes: &[Flake],
    mut recorder: Option<&mut Recorder<'_>>,
) -> Result<(), SessionError> {
    for flake in flakes {
        if known.add(flake.clone())
            && let Some(recorder) = recorder.as_deref_mut()
        {
            recorder.write(&Line::Flake(flake.clone()))?;
        }
    }
    Ok(())
}

/// Notes a first answer.
fn met<T: Asked>(pool: &mut Pool, seconds: &mut Seconds, Judged { asked, answer, verdict }: &Judged<T>) {
    pool.offer(&asked.name(), asked.call(), answer, verdict.is_failure());
    seconds.met(&asked.name(), asked.call(), answer);
}
