//! Several workers of one backend.
//!
//! A run deals its calls to all of them ([`Driver::workers`]). Checks that ask one call after another in one
//! process use the first: calls asked again, and rows that provoke kept state.

use std::sync::{Mutex, PoisonError};

use crate::observed::Observed;
use crate::parallel;
use normative_backend::{Capabilities, Identity};
use normative_reference::Call;

use super::patience::Patience;
use super::{Conduct, Driver, Halt, StartError, Worker};

/// Workers of one program, within the same limits.
pub struct Team {
    /// The first worker, and further ones.
    workers: Vec<Worker>,
}

impl Team {
    /// Returns a team of one.
    pub fn of(first: Worker) -> Self {
        Self { workers: vec![first] }
    }

    /// Starts further workers, all at once, until there are `size`.
    ///
    /// # Errors
    /// Returns the error of a worker that does not start. Those that do are in the team all the same.
    pub fn grow(&mut self, size: usize) -> Result<(), StartError> {
        let another = self.first().another();
        let others: Vec<_> = (self.size()..size).collect();
        let started = parallel::each_on(others.len(), &others, |_| another());
        let mut all = Ok(());
        for worker in started {
            match worker {
                Ok(worker) => self.workers.push(worker),
                Err(error) => all = Err(error),
            }
        }
        all
    }

    /// Returns the number of workers.
    pub fn size(&self) -> usize {
        self.workers.len()
    }

    /// Returns the sum of [`Worker::restarts`] over all workers.
    pub fn restarts(&self) -> usize {
        self.workers.iter().map(Worker::restarts).sum()
    }

    fn first(&self) -> &Worker {
        &self.workers[0]
    }

    fn first_mut(&mut self) -> &mut Worker {
        &mut self.workers[0]
    }
}

impl Driver for Team {
    fn identity(&self) -> Identity {
        self.first().identity()
    }

    fn capabilities(&self) -> Capabilities {
        self.first().capabilities()
    }

    fn ask(&mut self, call: &Call) -> Observed {
        self.first_mut().ask(call)
    }

    fn ask_all(&mut self, calls: &[&Call]) -> Vec<Observed> {
        self.first_mut().ask_all(calls)
    }

    fn ask_all_while(&mut self, calls: &[&Call], other_work: &mut dyn FnMut()) -> Vec<Observed> {
        self.first_mut().ask_all_while(calls, other_work)
    }

    fn ask_afresh(&mut self, calls: &[&Call]) -> Vec<Observed> {
        self.first_mut().ask_afresh(calls)
    }

    fn is_halted(&self) -> bool {
        self.workers.iter().any(Driver::is_halted)
    }

    /// Returns the faults of the first worker: a run collects those of the others as it asks them.
    fn conduct(&self) -> &Conduct {
        self.first().conduct()
    }

    fn late(&self) -> usize {
        self.workers.iter().map(Worker::late).sum()
    }

    fn check(&self) -> Result<(), Halt> {
        self.workers.iter().try_for_each(Worker::check)
    }

    fn heard(&mut self, answer: &Observed) {
        self.first_mut().heard(answer);
    }

    fn workers(&mut self) -> &mut [Worker] {
        &mut self.workers
    }

    /// Asks each worker a part of the calls, all parts at once.
    fn ask_apart(&mut self, calls: &[&Call]) -> Vec<Observed> {
        let parts = calls.chunks(calls.len().div_ceil(self.size()).max(1)).collect();
        let answered = at_once(&mut self.workers, parts, |worker, calls: &[&Call]| {
            let answers = worker.ask_all(calls);
            let is_all = answers.len() == calls.len();
            (answers, is_all)
        });
        let first = self.first_mut();
        let mut answers = Vec::with_capacity(calls.len());
        for (part, is_all) in answered {
            for answer in part {
                let answer = first.unusable(&[]).unwrap_or(answer);
                first.heard(&answer);
                answers.push(answer);
            }
            if !is_all {
                break;
            }
        }
        answers
    }
}

/// Does a share of work by each worker, all at once; there are at most as many shares as workers. Returns the
/// results in the order of the shares. Each share counts faults in a row anew, and faults that no call explains
/// go to the first worker.
pub(crate) fn at_once<T: Send, R: Send>(
    workers: &mut [Worker],
    shares: Vec<T>,
    work: impl Fn(&mut Worker, T) -> R + Sync,
) -> Vec<R> {
    let patience = workers.first().and_then(|first| first.patience.clone());
    let jobs: Vec<_> = workers.iter_mut().zip(shares).map(|job| Mutex::new(Some(job))).collect();
    let done = parallel::each_on(jobs.len(), &jobs, |job| {
        let (worker, share) = job.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        worker.patience = Some(Patience::default());
        let done = work(worker, share);
        worker.patience = None;
        Some(done)
    });
    if let Some((first, others)) = workers.split_first_mut() {
        first.patience = patience;
        for flake in others.iter_mut().flat_map(Worker::take_flakes) {
            first.conduct.add(flake);
        }
    }
    done.into_iter().flatten().collect()
}
