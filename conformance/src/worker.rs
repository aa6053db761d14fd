//! Backends in processes of their own: whatever one does, the run goes on.
//!
//! [`serve`] is the end inside the process: it answers calls for a [`Backend`]. [`Worker`] is the
//! other end and a [`Backend`] itself, so whatever checks a backend runs the same in process or out
//! of it. [`wire`] documents the bytes between them, for workers in other languages.
//!
//! A call is answered within its deadline, or the answer says how the process died over it; the next
//! call then goes to a fresh process. A worker is trusted with nothing: neither to end, nor to keep
//! to the protocol, nor to leave memory for others.
//!
//! A fault is put down to the call during which it showed. A backend can die of an earlier call
//! (memory it corrupted, a thread it left behind), so whoever reports a death should first see it
//! again with that call alone in a fresh worker.

mod error;
pub mod frame;
mod parts;
mod process;
mod serve;
mod tail;
pub mod wire;

pub use process::{Limits, Program, StartError};
pub use serve::serve;

use normative_reference::Call;

use crate::backend::{Answer, Backend, Capabilities, Death, Identity};
use process::{Fault, Process, Violation};
use wire::Hello;

/// After this many faults without an answer between them, a worker is given up: each costs a process
/// or a deadline, and the next will be no better.
pub const MAX_FAULTS: u32 = 200;

/// A backend in a process of its own, restarted as often as it dies.
pub struct Worker {
    program: Program,
    limits: Limits,
    hello: Hello,
    process: Option<Process>,
    /// The number of the last call made.
    number: u64,
    /// The number of the first call the present process got.
    first_number: u64,
    restarts: u64,
    faults_in_a_row: u32,
}

impl Worker {
    /// Starts `program` and waits for its hello.
    ///
    /// # Errors
    /// [`StartError`] when it cannot be run or does not say hello in time.
    pub fn start(program: Program, limits: Limits) -> Result<Self, StartError> {
        let (process, hello) = Process::start(&program, &limits)?;
        let (number, restarts, faults_in_a_row) = (0, 0, 0);
        let process = Some(process);
        Ok(Self { program, limits, hello, process, number, first_number: 1, restarts, faults_in_a_row })
    }

    /// How many times a process had to be replaced.
    pub fn restarts(&self) -> u64 {
        self.restarts
    }

    /// The present process, or a fresh one where it is gone.
    fn process(&mut self) -> Result<&mut Process, StartError> {
        let running = self.process.take().and_then(|mut process| (!process.has_ended()).then_some(process));
        let process = if let Some(process) = running {
            process
        } else {
            self.restarts += 1;
            self.first_number = self.number;
            Process::start(&self.program, &self.limits)?.0
        };
        Ok(self.process.insert(process))
    }

    fn attempt(&mut self, call: &Call) -> Answer {
        loop {
            let body = wire::encode_call(self.number, call);
            if body.len() > frame::MAX_BODY {
                let (needed, most) = (body.len(), frame::MAX_BODY);
                return Answer::Unsupported(format!("the call takes {needed} bytes, a frame holds {most}"));
            }
            let limit = self.limits.answer;
            let process = match self.process() {
                Ok(process) => process,
                Err(error) => return crashed(format!("does not start again: {error}")),
            };
            let received = process
                .exchange(wire::CALL, body, wire::ANSWER, limit)
                .and_then(|answer| Ok(wire::decode_answer(&answer)?));
            let fault = match received {
                Ok((got, answer)) if got == self.number => return self.settle(answer),
                // A second answer to an earlier call: the process is at fault, this call is not.
                Ok((got, _)) if (self.first_number..self.number).contains(&got) => {
                    self.process = None;
                    continue;
                }
                Ok((got, _)) => Fault::Violation(Violation::Number { got, asked: self.number }),
                Err(fault) => fault,
            };
            return self.lose(&fault);
        }
    }

    /// An answer that came as it should; a process that says it died is buried.
    fn settle(&mut self, answer: Answer) -> Answer {
        let Answer::Died(death) = answer else { return answer };
        let process = self.process.take();
        match (death, process) {
            (Death::Crashed(how), Some(mut process)) => crashed(process.bury(how)),
            (death, _) => Answer::Died(death),
        }
    }

    fn lose(&mut self, fault: &Fault) -> Answer {
        let how = self.process.take().map(|mut process| process.obituary(fault));
        match fault {
            Fault::TimedOut => Answer::Died(Death::TimedOut(self.limits.answer)),
            Fault::Ended | Fault::Violation(_) => crashed(how.unwrap_or_default()),
        }
    }
}

fn crashed(how: String) -> Answer {
    Answer::Died(Death::Crashed(how))
}

impl Backend for Worker {
    fn identity(&self) -> Identity {
        self.hello.identity.clone()
    }

    fn capabilities(&self) -> Capabilities {
        self.hello.capabilities.clone()
    }

    fn answer(&mut self, call: &Call) -> Answer {
        if self.faults_in_a_row >= MAX_FAULTS {
            return crashed(format!("unusable: {MAX_FAULTS} faults in a row"));
        }
        self.number += 1;
        let answer = self.attempt(call);
        match answer {
            Answer::Died(_) => self.faults_in_a_row += 1,
            Answer::Tensor(_) | Answer::Rejected(_) | Answer::Unsupported(_) => self.faults_in_a_row = 0,
        }
        answer
    }
}
