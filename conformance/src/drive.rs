//! Runs backends in processes of their own, so that a run survives any crash or hang of a backend.
//!
//! [`Worker`] is the judge's end. It is a [`Driver`] like every backend in this process, so every check of a backend
//! runs the same in process or out of it. The other end, and the bytes between them, are in [`normative_backend`].
//!
//! A call is answered within its deadline, or its answer describes the death of the process; the next call then
//! goes to a fresh process. A worker is not trusted to end, to keep to the protocol, or to leave memory for
//! others. If the judge itself lacks a resource, no call is blamed and nothing more is asked ([`Halt`]).
//!
//! Several calls are sent before the first is answered. A fault among them blames no call: the answers of that
//! window are dropped, and its calls are asked one at a time. A call is blamed only for a fault that it repeats
//! alone, first and last of a fresh process. Suspects are the call in flight and the one before it, which may
//! have sent more than its answer, or left something that failed later.
//!
//! A machine with other work is slow, and the backend is not to blame for that. So a call that is asked alone
//! has [several times](SECOND_LIMIT) its deadline. A late window is a fault only if it misses that limit too.

pub mod smoke;

mod asking;
mod drain;
mod driver;
mod errand;
mod flake;
mod guard;
mod halt;
mod line;
mod loss;
pub(crate) mod patience;
mod process;
mod start;
mod stop;
mod tail;
pub(crate) mod team;

pub use asking::Asking;
pub use driver::Driver;
pub use errand::{Bounds, errand};
pub use flake::{Conduct, Flake, MAX_FLAKES};
pub use halt::{Halt, MAX_FAILED_STARTS};
pub use patience::{MAX_FAULTS, MAX_FIRST_TIMEOUTS, MAX_TIMEOUTS};
pub use process::{Limits, Program, without_printed};
pub use start::StartError;
pub use stop::stop;
pub use team::Team;

use std::hash::{BuildHasher, RandomState};
use std::process::ExitStatus;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use normative_reference::Call;

use crate::observed::{Death, Observed};
use halt::FailedStarts;
use loss::{End, Loss, Lost, first_of};
use normative_backend::wire::{Hello, Reply, ResultBound};
use patience::Patience;
use process::{Fault, Process, Violation};

/// The most calls sent before the first of them is answered. A lost window makes the next ones shorter, down to
/// [`NARROW`], because its calls all have to be asked again.
pub(crate) const WINDOW: usize = 256;

/// The least number of calls sent together, however many windows are lost.
const NARROW: usize = 16;

/// The most bytes of data in a window; a larger call goes alone.
const WINDOW_BYTES: usize = 1 << 18;

/// After this many failed windows without a call that fails alone, calls are sent one at a time.
const MAX_FAILED_WINDOWS: u32 = 3;

/// A call that missed its deadline is asked again with this many times the deadline before it counts as timed out.
pub const SECOND_LIMIT: u32 = 4;

/// A backend in a process of its own, restarted as often as it dies.
pub struct Worker {
    program: Program,
    limits: Limits,
    hello: Hello,
    process: Option<Process>,
    /// The number of calls sent.
    made: u64,
    /// Hashes the count of a call to its number, with a random key, so that a worker cannot guess it before the call.
    numbers: RandomState,
    conduct: Conduct,
    /// The number of windows that were late, and came in time when they were asked again.
    late: usize,
    /// The number of times its process was replaced.
    restarts: usize,
    /// The faults in a row. `None` while a run that asks several workers counts them itself.
    pub(crate) patience: Option<Patience>,
    /// The answer to every further call, once a run gave up all the workers that share this.
    pub(crate) given_up: Arc<OnceLock<Observed>>,
    failed_windows: u32,
    /// The number of calls to send together.
    width: usize,
    failed_starts: FailedStarts,
    /// The reason why nothing more is asked.
    halt: Option<Halt>,
}

impl Worker {
    /// Starts `program` and waits for its hello.
    ///
    /// # Errors
    /// [`StartError`] when it cannot be run or does not say hello in time.
    pub fn start(program: Program, limits: Limits) -> Result<Self, StartError> {
        let (process, mut hello) = Process::start(&program, &limits)?;
        hello.capabilities = program.asking.capabilities(hello.capabilities);
        let (process, conduct) = (Some(process), Conduct::default());
        let (made, failed_windows) = (0, 0);
        Ok(Self {
            program,
            limits,
            hello,
            process,
            made,
            numbers: RandomState::new(),
            conduct,
            late: 0,
            restarts: 0,
            patience: Some(Patience::default()),
            given_up: Arc::default(),
            failed_windows,
            width: WINDOW,
            failed_starts: FailedStarts::default(),
            halt: None,
        })
    }

    /// Returns a function that starts more workers of the program, which are given up together with this one.
    fn another(&self) -> impl Fn() -> Result<Self, StartError> + Sync + 'static {
        let (program, limits, given_up) = (self.program.clone(), self.limits, Arc::clone(&self.given_up));
        move || {
            let given_up = Arc::clone(&given_up);
            Ok(Self { patience: None, given_up, ..Self::start(program.clone(), limits)? })
        }
    }

    /// Returns the system's id of its process; `None` if none is running.
    pub fn process_id(&self) -> Option<u32> {
        self.process.as_ref().map(Process::id)
    }

    /// Returns the number of processes that failed and were replaced, without replacements by [`Driver::ask_afresh`].
    /// Reports omit it, because it depends on how calls were sent together.
    pub const fn restarts(&self) -> usize {
        self.restarts
    }

    /// Takes the faults that no call explains and that were not taken before.
    pub(crate) fn take_flakes(&mut self) -> Vec<Flake> {
        std::mem::take(&mut self.conduct.flakes)
    }

    /// Hangs up. Returns the exit status if the process ended by itself; `None` if it was killed, or was gone before.
    pub fn hang_up(mut self) -> Option<ExitStatus> {
        self.process.take()?.hang_up()
    }

    /// Returns the present process, or a fresh one if it is gone.
    fn process(&mut self) -> Result<&mut Process, Halt> {
        if stop::is_wanted() {
            return Err(Halt::Stopped);
        }
        let running = self.process.take().and_then(|mut process| (!process.has_ended()).then_some(process));
        let process = match running {
            Some(process) => process,
            None => self.restarted()?,
        };
        Ok(self.process.insert(process))
    }

    /// Starts a fresh process. A failed start is tried again: no call was sent that could be to blame.
    fn restarted(&mut self) -> Result<Process, Halt> {
        loop {
            self.restarts += 1;
            let begun = Instant::now();
            match Process::start(&self.program, &self.limits) {
                Ok((process, _)) => {
                    self.failed_starts.end_row();
                    return Ok(process);
                }
                Err(error) => {
                    let halt = self.failed_starts.count(error, begun.elapsed(), self.limits.hello);
                    halt.map_or(Ok(()), Err)?;
                }
            }
        }
    }

    /// Sends all the calls, then takes their answers. After a loss the process is of no more use.
    fn exchange(&mut self, calls: &[&Call]) -> Result<Vec<Observed>, Lost> {
        self.exchange_within(calls, self.limits.answer, &mut || ())
    }

    /// Does the same with other work in between, and this limit for each answer, not counting that work.
    fn exchange_within(
        &mut self,
        calls: &[&Call],
        limit: Duration,
        other_work: &mut dyn FnMut(),
    ) -> Result<Vec<Observed>, Lost> {
        let mut numbers = Vec::with_capacity(calls.len());
        let mut frames = Vec::new();
        let mut answers: Vec<Option<Observed>> = Vec::with_capacity(calls.len());
        for call in calls {
            self.made += 1;
            let number = self.numbers.hash_one(self.made);
            numbers.push(number);
            let unsent = self.program.asking.put(&mut frames, number, call, &self.hello.capabilities).err();
            answers.push(unsent.map(Observed::Unsupported));
        }
        let process = match self.process() {
            Ok(process) => process,
            Err(halt) => {
                self.halt = Some(halt);
                return Err(Lost::Halted);
            }
        };
        if process.spoke_unasked() {
            // This may be an answer to a call that was not sent yet. The call before is suspected, if known.
            let end = End::Fault(Fault::Violation(Violation::Early));
            return Err(Lost::Window(Loss { at: 0, again: None, end }));
        }
        process.send(frames);
        other_work();
        for (at, answer) in answers.iter_mut().enumerate().filter(|(_, answer)| answer.is_none()) {
            let asked = numbers[at];
            let (end, again) = match process.answer(ResultBound::of(calls[at]), limit) {
                Ok((got, reply)) if got == asked => match observed(reply) {
                    Observed::Died(death) => (End::Reported(death), None),
                    received => {
                        *answer = Some(received);
                        continue;
                    }
                },
                Ok((got, _)) => {
                    let again = numbers[..at].iter().position(|&number| number == got);
                    (End::Fault(Fault::Violation(Violation::Number)), again)
                }
                Err(Fault::Stopped) => {
                    self.discard();
                    self.halt = Some(Halt::Stopped);
                    return Err(Lost::Halted);
                }
                Err(fault) => (End::Fault(fault), None),
            };
            return Err(Lost::Window(Loss { at, again, end }));
        }
        Ok(answers.into_iter().flatten().collect())
    }

    /// Ends the present process and describes its end.
    fn death(&mut self, end: End) -> Death {
        let process = self.process.take();
        match (end, process) {
            (End::Reported(Death::Crashed(how)), Some(mut process)) => Death::Crashed(process.bury(how)),
            (End::Reported(death), _) => death,
            (End::Fault(fault), process) => {
                let how = process.map(|mut process| process.obituary(&fault)).unwrap_or_default();
                match fault {
                    Fault::TimedOut(limit) => Death::TimedOut(limit),
                    Fault::Ended | Fault::Stopped | Fault::Violation(_) => Death::Crashed(how),
                }
            }
        }
    }

    /// Ends the present process without describing its end.
    fn discard(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill();
        }
    }

    /// Returns the limit for an answer that is waited for a second time.
    fn second_limit(&self) -> Duration {
        self.limits.answer.saturating_mul(SECOND_LIMIT)
    }

    /// Asks one call of a fresh process, and nothing after it. `None` if no process could be started.
    fn ask_alone(&mut self, call: &Call) -> Option<Observed> {
        self.process = None;
        let end = match self.exchange_within(&[call], self.second_limit(), &mut || ()) {
            Ok(answers) => {
                let dismissed = self.process.as_mut().map_or(Ok(()), Process::dismiss);
                match (answers.into_iter().next(), dismissed) {
                    (Some(answer), Ok(())) => {
                        self.process = None;
                        return Some(answer);
                    }
                    (_, Err(fault)) => End::Fault(fault),
                    // One call has one answer or is lost, so this is not reached.
                    (None, Ok(())) => End::Fault(Fault::Ended),
                }
            }
            Err(Lost::Window(loss)) => loss.end,
            Err(Lost::Halted) => return None,
        };
        Some(Observed::Died(self.death(end)))
    }

    /// Asks a late window once more, of a fresh process and with more time. Returns true if all of it is
    /// answered; `None` if the worker is halted.
    fn is_in_time(&mut self, calls: &[&Call]) -> Option<bool> {
        self.process = None;
        match self.exchange_within(calls, self.second_limit(), &mut || ()) {
            Ok(_) => Some(true),
            Err(Lost::Window(loss)) => {
                self.death(loss.end);
                Some(false)
            }
            Err(Lost::Halted) => None,
        }
    }

    /// Returns the answers to the calls of a lost window: suspects are asked alone, the others one at a time.
    /// There are fewer answers than calls if the worker is halted.
    fn settle(&mut self, calls: &[&Call], mut loss: Loss) -> Vec<Observed> {
        let mut answers: Vec<Option<Observed>> = vec![None; calls.len()];
        let mut before = loss.at.checked_sub(1);
        let mut blamed = false;
        // A process that dies takes unsent answers with it. So the call in flight may be long before the call
        // that killed it.
        let mut unexplained = Vec::new();
        loop {
            let death = self.death(loss.end);
            // A call that already died alone is not asked again.
            let dead = |at: &usize| matches!(answers[*at], Some(Observed::Died(_)));
            let suspects = [loss.again, Some(loss.at), before].into_iter().flatten();
            let suspects: Vec<usize> = suspects.filter(|at| !dead(at)).collect();
            let mut repeated = false;
            for &at in &suspects {
                let Some(answer) = self.ask_alone(calls[at]) else { return first_of(answers) };
                repeated = matches!(answer, Observed::Died(_));
                answers[at] = Some(answer);
                if repeated {
                    break;
                }
            }
            blamed |= repeated;
            if !repeated {
                let alive = |at: &usize| !matches!(answers[*at], Some(Observed::Died(_)));
                let window: Vec<&Call> = (0..=loss.at).filter(alive).map(|at| calls[at]).collect();
                let in_time = match death {
                    // The call has just been answered alone.
                    Death::TimedOut(_) if window.len() == 1 => Some(true),
                    Death::TimedOut(_) => self.is_in_time(&window),
                    Death::Crashed(_) => Some(false),
                };
                match in_time {
                    Some(true) => self.late += 1,
                    Some(false) => unexplained.push(Flake::of(suspects.iter().map(|&at| calls[at]), &death)),
                    None => return first_of(answers),
                }
            }
            before = None;
            loss = loop {
                let Some(next) = answers.iter().position(Option::is_none) else {
                    let several = calls.len() > 1;
                    self.failed_windows = if several && !blamed { self.failed_windows + 1 } else { 0 };
                    if !blamed {
                        for flake in unexplained {
                            self.conduct.add(flake);
                        }
                    }
                    return first_of(answers);
                };
                if let Some(unusable) = self.unusable(&answers[..next]) {
                    answers[next..].fill(Some(unusable));
                    continue;
                }
                match self.exchange(&calls[next..=next]) {
                    Ok(answer) => {
                        answers[next] = answer.into_iter().next();
                        before = Some(next);
                    }
                    Err(Lost::Window(loss)) => break Loss { at: next, again: None, ..loss },
                    Err(Lost::Halted) => return first_of(answers),
                }
            };
        }
    }

    /// Returns the answer to every further call if the worker is given up, also counting these last answers.
    fn unusable(&self, last: &[Option<Observed>]) -> Option<Observed> {
        let lost = || self.patience.clone()?.after(last.iter().flatten()).lost();
        self.given_up.get().cloned().or_else(lost)
    }

    /// Counts the faults of answers, in the order of their calls.
    fn count(&mut self, answers: &[Observed]) {
        self.patience = self.patience.take().map(|patience| patience.after(answers));
    }

    /// Returns the number of calls to send together: at least one.
    fn window(&self, calls: &[&Call]) -> usize {
        let most = if self.failed_windows < MAX_FAILED_WINDOWS { self.width } else { 1 };
        let size = |call: &&Call| call.data.len() * call.data.dtype().size();
        let mut bytes = 0;
        let fits = |call: &&&Call| {
            bytes += size(call);
            bytes <= WINDOW_BYTES
        };
        calls.iter().take(most).take_while(fits).count().max(1)
    }
}

/// Converts a worker's reply to the judge's form.
fn observed(reply: Reply) -> Observed {
    match reply {
        Reply::Answer(answer) => answer.into(),
        Reply::ChangedData(how) => Observed::ChangedData(how),
        Reply::TimedOut(after) => Observed::Died(Death::TimedOut(after)),
        Reply::Oversized { dtype, shape } => Observed::Oversized { dtype, shape },
    }
}
