//! The interface through which the judge asks a backend, in this process, in another, or in several.

use normative_backend::{Backend, Capabilities, Identity};
use normative_reference::Call;

use super::loss::Lost;
use super::{Conduct, Halt, NARROW, WINDOW, Worker};
use crate::observed::{Death, Observed};

/// Asks a backend on behalf of a run, and reports its faults besides its answers.
///
/// Every [`Backend`] in this process is one, but its crash or hang is also this process's. [`Worker`] and
/// [`Team`](super::Team) survive the backends that they ask.
pub trait Driver {
    /// Returns the identity of the backend that is asked.
    fn identity(&self) -> Identity;

    /// Returns the capabilities that the backend declares.
    fn capabilities(&self) -> Capabilities;

    /// Asks one call.
    fn ask(&mut self, call: &Call) -> Observed;

    /// Asks several calls, in order. Returns as many answers, unless it [is halted](Self::is_halted).
    fn ask_all(&mut self, calls: &[&Call]) -> Vec<Observed> {
        calls.iter().map(|call| self.ask(call)).collect()
    }

    /// Asks several calls like [`ask_all`](Self::ask_all), and does other work of the caller, at most once. A
    /// driver of another process works while the calls are performed there.
    fn ask_all_while(&mut self, calls: &[&Call], other_work: &mut dyn FnMut()) -> Vec<Observed> {
        let answers = self.ask_all(calls);
        other_work();
        answers
    }

    /// Asks several calls as the first after a fresh start, if there can be one. A backend in this process
    /// keeps its state.
    fn ask_afresh(&mut self, calls: &[&Call]) -> Vec<Observed> {
        self.ask_all(calls)
    }

    /// Asks several calls whose process may be shared with other calls.
    fn ask_apart(&mut self, calls: &[&Call]) -> Vec<Observed> {
        self.ask_all(calls)
    }

    /// Returns true if no more calls can be asked, although no call is to blame. Answers of [`ask`](Self::ask) to the
    /// last calls then do not count. A backend in this process is never halted.
    fn is_halted(&self) -> bool {
        false
    }

    /// Returns its faults so far.
    fn conduct(&self) -> &Conduct {
        static NO_FAULTS: Conduct = Conduct { flakes: Vec::new() };
        &NO_FAULTS
    }

    /// Returns the number of deadlines that were missed, and met when the same calls were asked again with more time.
    fn late(&self) -> usize {
        0
    }

    /// Checks that more can be asked.
    ///
    /// # Errors
    /// Returns the [`Halt`] otherwise: calls without an answer have no verdict, and the run has failed.
    fn check(&self) -> Result<(), Halt> {
        Ok(())
    }

    /// Notes an answer that an earlier run got to the call before the next one.
    fn heard(&mut self, _answer: &Observed) {}

    /// Stops counting faults in a row from here on. A worker that was given up stays so.
    fn count_no_faults(&mut self) {}

    /// Returns the workers that may be asked at once, if any: a run may deal its calls to them.
    fn workers(&mut self) -> &mut [Worker] {
        &mut []
    }
}

impl<B: Backend + ?Sized> Driver for B {
    fn identity(&self) -> Identity {
        Backend::identity(self)
    }

    fn capabilities(&self) -> Capabilities {
        Backend::capabilities(self)
    }

    fn ask(&mut self, call: &Call) -> Observed {
        match Backend::capabilities(self).declared.lacks(call) {
            Some(why) => Observed::Unsupported(why),
            None => self.answer(call).into(),
        }
    }
}

impl Driver for Worker {
    fn identity(&self) -> Identity {
        self.hello.identity.clone()
    }

    fn capabilities(&self) -> Capabilities {
        self.hello.capabilities.clone()
    }

    fn is_halted(&self) -> bool {
        self.halt.is_some()
    }

    fn conduct(&self) -> &Conduct {
        &self.conduct
    }

    fn late(&self) -> usize {
        self.late
    }

    fn check(&self) -> Result<(), Halt> {
        match &self.halt {
            // The caller of `stop()` knows of that.
            None | Some(Halt::Stopped) => Ok(()),
            Some(halt) => Err(halt.clone()),
        }
    }

    fn heard(&mut self, answer: &Observed) {
        self.count(std::slice::from_ref(answer));
        if let Some(unusable) = self.unusable(&[]) {
            self.given_up.get_or_init(|| unusable);
        }
    }

    fn count_no_faults(&mut self) {
        if self.unusable(&[]).is_none() {
            self.patience = None;
        }
    }

    fn ask(&mut self, call: &Call) -> Observed {
        let answer = self.ask_all(&[call]).into_iter().next();
        // One call has one answer, unless the worker is halted: callers must check that.
        answer.unwrap_or_else(|| Observed::Died(Death::Crashed("not asked".into())))
    }

    fn ask_all(&mut self, calls: &[&Call]) -> Vec<Observed> {
        self.ask_all_while(calls, &mut || ())
    }

    /// Asks a fresh process. Restarts in the meantime do not count.
    fn ask_afresh(&mut self, calls: &[&Call]) -> Vec<Observed> {
        let restarts = self.restarts;
        self.discard();
        let answers = self.ask_all(calls);
        self.restarts = restarts;
        answers
    }

    fn ask_all_while(&mut self, mut calls: &[&Call], other_work: &mut dyn FnMut()) -> Vec<Observed> {
        let mut other_work = Some(other_work);
        let mut answers = Vec::with_capacity(calls.len());
        while !calls.is_empty() && self.halt.is_none() {
            if let Some(unusable) = self.unusable(&[]) {
                answers.resize(answers.len() + calls.len(), unusable);
                break;
            }
            let (window, rest) = calls.split_at(self.window(calls));
            let asked = match other_work.take() {
                Some(other_work) => self.exchange_within(window, self.limits.answer, other_work),
                None => self.exchange(window),
            };
            match asked {
                Ok(live) => {
                    self.count(&live);
                    if window.len() > 1 {
                        self.failed_windows = 0;
                        self.width = (self.width * 2).min(WINDOW);
                    }
                    answers.extend(live);
                }
                Err(Lost::Halted) => break,
                Err(Lost::Window(loss)) => {
                    self.width = (self.width / 4).max(NARROW);
                    let settled = self.settle(window, loss);
                    self.count(&settled);
                    answers.extend(settled);
                }
            }
            calls = rest;
        }
        answers
    }
}
