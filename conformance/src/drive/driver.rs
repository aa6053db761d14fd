//! Who asks a backend, whether it runs in a process of its own, in several, or in this one.

use normative_backend::{Answer, Backend, Capabilities, Identity};
use normative_reference::Call;

use super::{Conduct, Halt, Worker};

/// A backend that a run can ask, and what the run has to know of it besides its answers.
pub trait Driver: Backend {
    /// Its faults so far.
    fn conduct(&self) -> &Conduct;

    /// Whether more can be asked.
    ///
    /// # Errors
    /// [`Halt`] where not: calls without an answer have no verdict, and what asked them has failed.
    fn check(&self) -> Result<(), Halt>;

    /// Takes note of an answer of an earlier run to the call before what is asked next.
    fn heard(&mut self, _answer: &Answer) {}

    /// Performs several calls as [`answer_all`](Backend::answer_all) does, where it does not matter what else the same
    /// process was asked.
    fn answer_apart(&mut self, calls: &[&Call]) -> Vec<Answer> {
        self.answer_all(calls)
    }

    /// From here on no faults in a row are counted. What was given up before stays so.
    fn count_no_faults(&mut self) {}

    /// Workers that may be asked at once, where there are any: the calls of a run may be dealt to them.
    fn workers(&mut self) -> &mut [Worker] {
        &mut []
    }
}

impl Driver for Worker {
    fn conduct(&self) -> &Conduct {
        Self::conduct(self)
    }

    fn check(&self) -> Result<(), Halt> {
        Self::check(self)
    }

    fn heard(&mut self, answer: &Answer) {
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
}

/// A backend in this process. Where it dies, this process dies; where it hangs, this process does.
#[derive(Clone, Debug)]
pub struct InProcess<B>(pub B);

impl<B: Backend> Driver for InProcess<B> {
    fn conduct(&self) -> &Conduct {
        static NO_FAULTS: Conduct = Conduct { flakes: Vec::new() };
        &NO_FAULTS
    }

    fn check(&self) -> Result<(), Halt> {
        Ok(())
    }
}

impl<B: Backend> Backend for InProcess<B> {
    fn identity(&self) -> Identity {
        self.0.identity()
    }

    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    fn answer(&mut self, call: &Call) -> Answer {
        self.0.answer(call)
    }

    fn answer_all(&mut self, calls: &[&Call]) -> Vec<Answer> {
        self.0.answer_all(calls)
    }
}
