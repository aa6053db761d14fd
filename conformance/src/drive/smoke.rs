//! Checks an adapter before the implementation behind it is judged, and names its mistakes.
//!
//! A probe is a call that all honest runtimes answer the same. If the answer is wrong, known mistakes of
//! adapters are tried on it one by one, and the one that explains it is named. This does not judge a runtime:
//! an operator that rounds badly or refuses too little may well pass.
//!
//! Runtimes make some of these mistakes too: one sums integers as f32, another drops the type of axes. If a
//! call cannot tell whose mistake it is, its answer is [doubtful](Found::Doubtful): the mistake is named, and
//! the adapter passes, unless doubtful answers count as well ([`is_clear`]).

mod ask;
mod fault;
mod form;
mod found;
mod mistake;
mod undeclared;

use normative_reference::{Axes, Call, Dtype, Expected, Norm, Spec, Tensor, TensorError};
use thiserror::Error;

use crate::display;
use crate::drive::Driver;
use crate::drive::{Halt, Limits, Program, StartError, Worker};
use crate::judge::verdict::{Demands, Sheet, Verdict, judge};
use crate::observed::Observed;
use ask::Ask;
use fault::{Fault, Outcome};
pub use form::Form;
pub use found::{Found, Line, Probe, checked_anything, doubtful, is_clear, passes};
use normative_backend::Identity;

/// The reason why a program cannot be probed at all.
#[derive(Debug, Error)]
pub enum SmokeError {
    /// The program cannot be run.
    #[error(transparent)]
    Start(StartError),
    /// The reference cannot hold a result, which no probe asks for.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// The worker was halted.
    #[error(transparent)]
    Halt(#[from] Halt),
}

/// The words of a line before the way in which a call crashed.
pub const CRASHED: &str = "crashed: ";

/// Probes a program, from its hello to its end. `on_line` gets each line at once.
///
/// # Errors
/// Returns [`SmokeError`] when it cannot be run; a program that runs but is not a worker gives a line.
pub fn program(
    program: Program,
    limits: Limits,
    mut on_line: impl FnMut(&Line),
) -> Result<Vec<Line>, SmokeError> {
    let report = |probe, found, on_line: &mut dyn FnMut(&Line)| {
        let line = Line { probe, found };
        on_line(&line);
        line
    };
    let mut worker = match Worker::start(program.clone(), limits) {
        Ok(worker) => worker,
        Err(error @ StartError::NoHello { .. }) => {
            return Ok(vec![report(Probe::Hello, Found::Wrong(error.to_string()), &mut on_line)]);
        }
        Err(error) => return Err(SmokeError::Start(error)),
    };
    let mut lines = vec![report(Probe::Hello, Found::Right, &mut on_line)];
    let declared = worker.capabilities().declared;
    lines.extend(backend(&mut worker, &mut on_line)?);
    worker.check()?;
    let found = match worker.hang_up() {
        Some(status) if status.success() => Found::Right,
        Some(status) => Found::Wrong(format!("after the judge hung up it ended with {status}, 0 is due")),
        None => Found::Wrong("it ran on after the judge hung up, and was killed".to_owned()),
    };
    lines.push(report(Probe::End, found, &mut on_line));
    if !declared.is_empty() {
        let found = undeclared::found(program, limits, &declared)?;
        lines.push(report(Probe::Declared, found, &mut on_line));
    }
    Ok(lines)
}

/// Probes a backend. `on_line` gets each line at once.
///
/// # Errors
/// Returns [`TensorError`] when the reference cannot hold a result, which no probe asks for.
pub fn backend(backend: &mut dyn Driver, mut on_line: impl FnMut(&Line)) -> Result<Vec<Line>, TensorError> {
    let demands = Demands { capabilities: backend.capabilities(), ..Demands::default() };
    let capabilities = demands.capabilities.clone();
    let mut asker = Asker { backend, demands };
    let mut lines = Vec::new();
    for probe in Probe::of_a_backend(&capabilities) {
        let found = asker.find(probe)?;
        // A backend that does not claim a family need not have its operators. Without a reason, no declared operator has
        // such a call.
        let is_uncalled = |why: &str| why.is_empty() && !capabilities.declared.is_empty();
        let nothing = |why: &str| is_uncalled(why) || probe.is_unclaimed(&capabilities);
        if matches!(&found, Found::Unsupported(why) if nothing(why)) {
            continue;
        }
        let line = Line { probe, found };
        on_line(&line);
        lines.push(line);
    }
    Ok(lines)
}

/// The most elements of an answer that is explained. A general mistake also shows in a small answer.
const EXPLAINED: usize = 1 << 10;

struct Asker<'a> {
    backend: &'a mut dyn Driver,
    demands: Demands,
}

impl Asker<'_> {
    /// Returns [these numbers](ask::whole_numbers), in a declared type that holds them if f32 is not declared.
    fn whole_numbers(&self, shape: &[usize]) -> Result<Tensor, TensorError> {
        let numbers = ask::whole_numbers(shape)?;
        let declared = &self.demands.capabilities.declared;
        let held = declared.dtypes.iter().find_map(|&dtype| ask::converted(&numbers, dtype));
        Ok(held.filter(|_| !declared.has_dtype(Dtype::F32)).unwrap_or(numbers))
    }

    fn find(&mut self, probe: Probe) -> Result<Found, TensorError> {
        match probe {
            // These concern the process around a backend.
            Probe::Hello | Probe::End | Probe::Declared => Ok(Found::Right),
            Probe::Identity => Ok(identity(&self.backend.identity())),
            Probe::Capabilities => Ok(capabilities(&self.demands.capabilities.accumulation)),
            Probe::Operator(spec) => self.operator(spec),
            Probe::Elements(Dtype::F32) => self.any(&[(ask::telling(Dtype::F32)?, vec![1])], |_| true),
            // Other types are often converted by runtimes, so only carried bytes are certain.
            Probe::Elements(dtype) => {
                self.any(&[(ask::telling(dtype)?, vec![1])], |fault| fault == Fault::Carried)
            }
            Probe::Dims => self.any(
                &[
                    (self.whole_numbers(&[2, 3, 4])?, vec![0]),
                    (self.whole_numbers(&[2, 3])?, vec![1]),
                    // Several axes must all be reduced, and a single dim must leave none.
                    (self.whole_numbers(&[2, 3, 4])?, vec![0, 2]),
                    (self.whole_numbers(&[3])?, vec![0]),
                ],
                |_| true,
            ),
            Probe::RankZero => {
                self.any(&[(self.whole_numbers(&[])?, vec![])], |fault| fault == Fault::Carried)
            }
            Probe::NoElements => self.any(
                &[(self.whole_numbers(&[2, 0, 3])?, vec![2]), (self.whole_numbers(&[2, 0, 3])?, vec![1])],
                |fault| fault == Fault::Carried,
            ),
            Probe::Large => self.any(
                &[
                    (self.whole_numbers(&[1 << 17, 1])?, vec![1]),
                    (self.whole_numbers(&[1 << 9, 1 << 11])?, vec![1]),
                ],
                |fault| matches!(fault, Fault::Carried | Fault::Result),
            ),
            Probe::Refusal => self.refusal(),
            Probe::Repeat => self.repeat(),
            Probe::Spacing => self.spacing(),
            Probe::Form(form) => self.form(form),
        }
    }

    /// Probes one operator with attributes left out and given, and axes left out if possible.
    fn operator(&mut self, spec: Spec) -> Result<Found, TensorError> {
        let data = self.whole_numbers(&[2, 3])?;
        let mut calls = Vec::new();
        for axes in [Some(vec![1]), None] {
            for keep in [None, Some(false), Some(true)] {
                let ask = Ask { norm: spec.norm(), data: data.clone(), axes: axes.clone(), keep };
                calls.extend(ask.spelled(spec).map(|call| (ask, call)));
            }
        }
        if let Some(call) = ask::without_ord(spec, &data) {
            calls.push((Ask { norm: spec.norm(), data, axes: Some(vec![1]), keep: None }, call));
        }
        let mut outcomes = Vec::new();
        for (ask, call) in calls {
            outcomes.push((self.judged(&ask, &call)?, ask));
        }
        let answers = outcomes.iter().any(|(outcome, _)| matches!(outcome, Outcome::Right));
        let mut all = Found::Unsupported(String::new());
        for (outcome, ask) in outcomes {
            let certain = match outcome {
                Outcome::Fault(Fault::Refused, _) if answers => false,
                Outcome::Fault(Fault::Carried, _) | Outcome::Right | Outcome::Unsupported(_) => true,
                // A mistake of the adapter shows in all operators that it translates alike.
                Outcome::Fault(..) => !self.is_right_elsewhere(spec, &ask)?,
            };
            all = Found::worse(all, outcome.found(|_| certain));
        }
        Ok(all)
    }

    /// Returns true if another operator of the family answers the same call correctly.
    fn is_right_elsewhere(&mut self, spec: Spec, ask: &Ask) -> Result<bool, TensorError> {
        let others = Spec::ALL.into_iter().filter(|other| *other != spec && other.family() == spec.family());
        for other in others {
            let ask = Ask { norm: other.norm(), ..ask.clone() };
            if let Some(call) = ask.spelled(other)
                && matches!(self.judged(&ask, &call)?, Outcome::Right)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Asks the first operator that the backend supports. `certain` returns true for faults of the adapter.
    fn any(
        &mut self,
        questions: &[(Tensor, Vec<usize>)],
        certain: impl Fn(Fault) -> bool,
    ) -> Result<Found, TensorError> {
        let mut all = Found::Unsupported(String::new());
        for (data, axes) in questions {
            all = Found::worse(all, self.first(data, axes)?.1.found(&certain));
        }
        Ok(all)
    }

    /// Returns the first operator that is supported for this call, and its outcome.
    fn first(&mut self, data: &Tensor, axes: &[usize]) -> Result<(Option<Spec>, Outcome), TensorError> {
        let mut declined = None;
        let capabilities = self.demands.capabilities.clone();
        for spec in Spec::ALL.into_iter().filter(|&spec| capabilities.declared.has_spec(spec)) {
            for keep in [Some(false), None] {
                let ask = Ask { norm: spec.norm(), data: data.clone(), axes: Some(axes.to_vec()), keep };
                let Some(call) = ask.spelled(spec) else { continue };
                match self.judged(&ask, &call)? {
                    Outcome::Unsupported(why) => declined = declined.or(Some(why)),
                    outcome => return Ok((Some(spec), outcome)),
                }
                break;
            }
        }
        Ok((None, Outcome::Unsupported(declined.unwrap_or_default())))
    }

    fn judged(&mut self, ask: &Ask, call: &Call) -> Result<Outcome, TensorError> {
        let answer = self.backend.ask(call);
        self.weigh(ask, call, &answer)
    }

    fn weigh(&self, ask: &Ask, call: &Call, answer: &Observed) -> Result<Outcome, TensorError> {
        let sheet = Sheet::of(call)?;
        let (fault, what) = match judge(&sheet, answer, &self.demands) {
            Verdict::Conforms { .. } => return Ok(Outcome::Right),
            Verdict::Unsupported(why) => return Ok(Outcome::Unsupported(why)),
            Verdict::Crashed(how) => (Fault::Died, format!("{CRASHED}{how}")),
            Verdict::TimedOut(after) => (Fault::Died, format!("no answer within {} s", after.as_secs_f64())),
            Verdict::Fails(misses) => {
                let explained = match answer {
                    Observed::Tensor(got) if got.len() <= EXPLAINED => {
                        mistake::explain(&ask.in_full(call.spec()), due(&sheet), got)?
                    }
                    _ => None,
                };
                let fault =
                    if matches!(answer, Observed::Rejected(_)) { Fault::Refused } else { Fault::Result };
                let miss = misses.first().map(|miss| miss.mismatch.to_string()).unwrap_or_default();
                let unexplained = || (fault, format!("{miss}; no mistake known of adapters explains it"));
                explained.unwrap_or_else(unexplained)
            }
        };
        Ok(Outcome::Fault(fault, format!("{what}; asked was {}", display::call(call))))
    }

    fn refusal(&mut self) -> Result<Found, TensorError> {
        let data = self.whole_numbers(&[2, 3])?;
        let spec = match self.first(&data, &[1])? {
            (Some(spec), _) => spec,
            (None, declined) => return Ok(declined.found(|_| true)),
        };
        let ask = Ask { norm: spec.norm(), data, axes: Some(vec![1]), keep: None };
        let Some(valid) = ask.spelled(spec) else { return Ok(Found::Right) };
        let mut all = Found::Unsupported(String::new());
        for last in [1_000, 10_999] {
            let call = Call { axes: Axes::list(&(1_000..=last).collect::<Vec<_>>()), ..valid.clone() };
            let asked = format!("axes from 1000 to {last} of data of rank 2");
            let found = match self.backend.ask(&call) {
                Observed::Rejected(why) if why.trim().is_empty() => Found::Wrong(
                    "it refuses without a word; the runtime's own message belongs there".to_owned(),
                ),
                Observed::Rejected(_) => Found::Right,
                // A norm of one vector cannot express 10,000 axes, and BNNS has flags for 32.
                Observed::Unsupported(why) if last > 1_000 || spec == Spec::Bnns => Found::Unsupported(why),
                Observed::Unsupported(why) => Found::Wrong(format!(
                    "{asked} are called unsupported, where axis 1 is answered: {why}; a refusal of the runtime's is to be \
                     handed on as rejected"
                )),
                Observed::Tensor(_) | Observed::Oversized { .. } => fault::doubtful(&format!(
                    "{asked} are answered with a tensor: a refusal is hidden, or there is none"
                )),
                Observed::ChangedData(how) => fault::doubtful(&format!("{how}, over axes to be refused")),
                Observed::Died(death) => fault::doubtful(&format!(
                    "{death}, over {asked}; what the runtime raises to refuse a call is to be handed on as rejected"
                )),
            };
            all = Found::worse(all, found);
        }
        Ok(all)
    }

    /// Probes three elements with a spacing of two: only BLAS can express it.
    fn spacing(&mut self) -> Result<Found, TensorError> {
        let mut all = Found::Unsupported(String::new());
        for norm in [Norm::L1, Norm::L2] {
            let (ask, call) = ask::spaced(norm, self.whole_numbers(&[7])?)?;
            let answer = self.backend.ask(&call);
            let outcome = match (self.weigh(&ask, &call, &answer)?, &answer) {
                (Outcome::Fault(fault, what), Observed::Tensor(got)) => {
                    let says = mistake::in_spacing(norm, &call.data, &ask.data, got)?;
                    let asked = display::call(&call);
                    Outcome::Fault(fault, says.map_or(what, |says| format!("{says}; asked was {asked}")))
                }
                (outcome, _) => outcome,
            };
            all = Found::worse(all, outcome.found(|fault| matches!(fault, Fault::Carried | Fault::Result)));
        }
        Ok(all)
    }

    /// Probes one form of a call, for each family that has it, with the first supported norm.
    fn form(&mut self, form: Form) -> Result<Found, TensorError> {
        let mut all = Found::Unsupported(String::new());
        for calls in form.calls()? {
            let mut found = Found::Unsupported(String::new());
            for (ask, call) in calls {
                found = Found::worse(found, self.doubted(form, &ask, &call)?);
                if !matches!(found, Found::Unsupported(_)) {
                    break;
                }
            }
            all = Found::worse(all, found);
        }
        Ok(all)
    }

    fn doubted(&mut self, form: Form, ask: &Ask, call: &Call) -> Result<Found, TensorError> {
        let answer = self.backend.ask(call);
        let demands = Demands { readings: form.readings(), ..self.demands.clone() };
        let what = match judge(&Sheet::of(call)?, &answer, &demands) {
            Verdict::Conforms { .. } => return Ok(Found::Right),
            Verdict::Unsupported(why) => return Ok(Found::Unsupported(why)),
            Verdict::Crashed(how) => format!("{CRASHED}{how}"),
            Verdict::TimedOut(after) => format!("no answer within {} s", after.as_secs_f64()),
            Verdict::Fails(_) => match &answer {
                // A runtime may refuse too much, which a run judges.
                Observed::Rejected(_) => return Ok(Found::Right),
                Observed::Tensor(got) if form.is_of_axes() => {
                    let explained = mistake::explain(&ask.in_full(call.spec()), &ask.dims_due(), got)?;
                    explained.map_or_else(|| form.says().to_owned(), |(_, says)| says)
                }
                _ => form.says().to_owned(),
            },
        };
        Ok(fault::doubtful(&format!("{what}; asked was {}", display::call(call))))
    }

    fn repeat(&mut self) -> Result<Found, TensorError> {
        let data = self.whole_numbers(&[2, 3])?;
        let spec = match self.first(&data, &[1])? {
            (Some(spec), Outcome::Right) => spec,
            (_, outcome) => return Ok(outcome.found(|_| true)),
        };
        let between = ask::telling(data.dtype())?;
        let ask = |data, axis| Ask { norm: spec.norm(), data, axes: Some(vec![axis]), keep: None };
        let (one, other) = (ask(data, 1), ask(between, 0));
        let (Some(call), Some(between)) = (one.spelled(spec), other.spelled(spec)) else {
            return Ok(Found::Right);
        };
        let first = self.backend.ask(&call);
        let second = self.backend.ask(&between);
        if second == first {
            return Ok(Found::Wrong("a second call is answered with the result of the first".to_owned()));
        }
        let outcome = self.weigh(&other, &between, &second)?;
        if !matches!(outcome, Outcome::Right) {
            return Ok(outcome.found(|_| true));
        }
        Ok(if self.backend.ask(&call) == first {
            Found::Right
        } else {
            Found::Wrong(
                "a call asked again gets another answer: the call between the two left something behind"
                    .to_owned(),
            )
        })
    }
}

/// Returns the dims of the right answer.
fn due(sheet: &Sheet) -> &[usize] {
    match sheet.entries.first().map(|entry| &entry.expected) {
        Some(Expected::Exactly(tensor)) => tensor.shape(),
        Some(Expected::Converted(converted)) => converted.best.shape(),
        Some(Expected::Near(near)) => &near.shape,
        Some(Expected::Rejection(_) | Expected::Anything(_)) | None => &[],
    }
}

fn identity(identity: &Identity) -> Found {
    let Identity { name, version, report_bugs_to } = identity;
    let blank = [("name", name), ("version", version), ("where to report bugs", report_bugs_to)];
    match blank.into_iter().find(|(_, text)| text.trim().is_empty()) {
        Some((what, _)) => Found::Wrong(format!("the {what} is blank; all three are the runtime's own")),
        None => Found::Right,
    }
}

fn capabilities(accumulation: &[(Dtype, Dtype)]) -> Found {
    for (at, &(data, sums)) in accumulation.iter().enumerate() {
        if data.is_integer() || sums.is_integer() {
            return Found::Wrong(format!(
                "sums of {data} are said to be held in {sums}: a float type is due for both"
            ));
        }
        if accumulation[..at].iter().any(|&(earlier, _)| earlier == data) {
            return Found::Wrong(format!("the type that sums of {data} are held in is said twice"));
        }
    }
    Found::Right
}
