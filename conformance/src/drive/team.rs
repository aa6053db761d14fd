//! Several workers of one backend.
//!
//! A run deals its calls to all of them ([`Driver::workers`]). Whatever asks one call after another, and means one process
//! by that, asks the first: calls asked again, and rows that provoke kept state.

use std::thread;

use normative_backend::{Answer, Backend, Capabilities, Identity};
use normative_reference::Call;

use super::{Conduct, Driver, Halt, StartError, Worker};

/// Workers of one program, within the same limits.
pub struct Team {
    /// The first, and further ones.
    workers: Vec<Worker>,
}

impl Team {
    /// A team of one.
    pub fn of(first: Worker) -> Self {
        Self { workers: vec![first] }
    }

    /// Starts further workers, all at once, until there are `size`.
    ///
    /// # Errors
    /// Why one does not start. Those that do are in the team all the same.
    pub fn grow(&mut self, size: usize) -> Result<(), StartError> {
        let first = self.first();
        let started: Vec<Result<Worker, StartError>> = thread::scope(|scope| {
            let threads: Vec<_> = (self.size()..size).map(|_| scope.spawn(first.another())).collect();
            threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
        });
        let mut all = Ok(());
        for worker in started {
            match worker {
                Ok(worker) => self.workers.push(worker),
                Err(error) => all = Err(error),
            }
        }
        all
    }

    /// How many workers there are.
    pub fn size(&self) -> usize {
        self.workers.len()
    }

    /// How many times a process was replaced.
    pub fn restarts(&self) -> u64 {
        self.workers.iter().map(|worker| worker.conduct().restarts).sum()
    }

    fn first(&self) -> &Worker {
        &self.workers[0]
    }

    fn first_mut(&mut self) -> &mut Worker {
        &mut self.workers[0]
    }
}

impl Driver for Team {
    /// Of the first: a run takes note of the others' as it asks them.
    fn conduct(&self) -> &Conduct {
        self.first().conduct()
    }

    fn check(&self) -> Result<(), Halt> {
        self.workers.iter().try_for_each(Worker::check)
    }

    fn heard(&mut self, answer: &Answer) {
        self.first_mut().heard(answer);
    }

    fn workers(&mut self) -> &mut [Worker] {
        &mut self.workers
    }
}

impl Backend for Team {
    fn identity(&self) -> Identity {
        self.first().identity()
    }

    fn capabilities(&self) -> Capabilities {
        self.first().capabilities()
    }

    fn answer(&mut self, call: &Call) -> Answer {
        self.first_mut().answer(call)
    }

    fn answer_all(&mut self, calls: &[&Call]) -> Vec<Answer> {
        self.first_mut().answer_all(calls)
    }

    fn answer_all_while(&mut self, calls: &[&Call], other_work: &mut dyn FnMut()) -> Vec<Answer> {
        self.first_mut().answer_all_while(calls, other_work)
    }

    fn answer_afresh(&mut self, calls: &[&Call]) -> Vec<Answer> {
        self.first_mut().answer_afresh(calls)
    }

    fn is_halted(&self) -> bool {
        self.workers.iter().any(Backend::is_halted)
    }
}
