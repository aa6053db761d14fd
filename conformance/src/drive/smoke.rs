//! Checks an adapter before the implementation behind it is judged, and says what is wrong with it.
//!
//! A probe is a call that no two honest runtimes answer differently. If the answer is wrong, the mistakes that adapters
//! make are tried on it one after the other, and the one that explains it is named. This is no judgement of a
//! runtime: an operator that rounds badly or refuses too little may well pass.

mod ask;
mod mistake;

use std::fmt;

use normative_reference::{Axes, Call, Dtype, Expected, Spec, Tensor, TensorError};
use thiserror::Error;

use crate::display;
use crate::drive::Driver;
use crate::drive::{Halt, Limits, Program, StartError, Worker};
use crate::judge::verdict::{Demands, Sheet, Verdict, judge};
use crate::observed::Observed;
use ask::Ask;
use normative_backend::Identity;

/// What is probed, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// The program starts and says hello.
    Hello,
    /// It says whose it is.
    Identity,
    /// What it declares makes sense.
    Capabilities,
    /// An operator with its attributes left out and given.
    Operator(Spec),
    /// Elements of a type come through.
    Elements(Dtype),
    /// Dims and axes come through in order.
    Dims,
    /// A tensor of rank 0.
    RankZero,
    /// Tensors without elements.
    NoElements,
    /// A call of some MiB, and an answer of half a MiB.
    Large,
    /// A call that has to be refused, with a few axes and with many.
    Refusal,
    /// A call, another, and the first again.
    Repeat,
    /// The program ends when the judge hangs up.
    End,
}

/// What came of a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// As it should be.
    Right,
    /// The backend says it cannot do this; its own words.
    Unsupported(String),
    /// What is wrong.
    Wrong(String),
}

/// One line of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What was probed.
    pub probe: Probe,
    /// What came of it.
    pub found: Found,
}

/// Why a program cannot be probed at all.
#[derive(Debug, Error)]
pub enum SmokeError {
    /// It cannot be run.
    #[error(transparent)]
    Start(StartError),
    /// The reference cannot hold a result, which no probe asks for.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// There was nobody to ask any more.
    #[error(transparent)]
    Halt(#[from] Halt),
}

impl Probe {
    /// The probes of any backend, wherever it runs.
    fn of_a_backend() -> impl Iterator<Item = Self> {
        [Self::Identity, Self::Capabilities]
            .into_iter()
            .chain(Spec::ALL.into_iter().map(Self::Operator))
            .chain(Dtype::ALL.into_iter().map(Self::Elements))
            .chain([Self::Dims, Self::RankZero, Self::NoElements, Self::Large, Self::Refusal, Self::Repeat])
    }
}

impl fmt::Display for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hello => f.pad("hello"),
            Self::Identity => f.pad("identity"),
            Self::Capabilities => f.pad("capabilities"),
            Self::Operator(spec) => f.pad(spec.name()),
            Self::Elements(dtype) => f.pad(&format!("{dtype} elements")),
            Self::Dims => f.pad("order of dims"),
            Self::RankZero => f.pad("rank 0"),
            Self::NoElements => f.pad("no elements"),
            Self::Large => f.pad("a large call"),
            Self::Refusal => f.pad("a refusal"),
            Self::Repeat => f.pad("a call repeated"),
            Self::End => f.pad("the end"),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { probe, found } = self;
        match found {
            Found::Right => write!(f, "{probe:<20}  ok"),
            Found::Unsupported(why) => write!(f, "{probe:<20}  unsupported: {}", display::said(why)),
            Found::Wrong(what) => write!(f, "{probe:<20}  wrong: {}", display::said(what)),
        }
    }
}

/// Whether nothing is wrong.
pub fn passes(lines: &[Line]) -> bool {
    !lines.iter().any(|line| matches!(line.found, Found::Wrong(_)))
}

/// Whether any call was answered: a backend that says it supports none has nothing that could be checked.
pub fn checked_anything(lines: &[Line]) -> bool {
    let asks = |probe| !matches!(probe, Probe::Hello | Probe::Identity | Probe::Capabilities | Probe::End);
    lines.iter().any(|line| asks(line.probe) && !matches!(line.found, Found::Unsupported(_)))
}

/// Probes a program, from its hello to its end. `on_line` hears of each line at once.
///
/// # Errors
/// [`SmokeError`] when it cannot be run; a program that runs and is no worker is a line.
pub fn program(
    program: Program,
    limits: Limits,
    mut on_line: impl FnMut(&Line),
) -> Result<Vec<Line>, SmokeError> {
    let mut report = |probe, found| {
        let line = Line { probe, found };
        on_line(&line);
        line
    };
    let mut worker = match Worker::start(program, limits) {
        Ok(worker) => worker,
        Err(error @ StartError::NoHello { .. }) => {
            return Ok(vec![report(Probe::Hello, Found::Wrong(error.to_string()))]);
        }
        Err(error) => return Err(SmokeError::Start(error)),
    };
    let mut lines = vec![report(Probe::Hello, Found::Right)];
    lines.extend(backend(&mut worker, |line| on_line(line))?);
    worker.check()?;
    let found = match worker.hang_up() {
        Some(status) if status.success() => Found::Right,
        Some(status) => Found::Wrong(format!("after the judge hung up it ended with {status}, 0 is due")),
        None => Found::Wrong("it ran on after the judge hung up, and was killed".to_owned()),
    };
    let line = Line { probe: Probe::End, found };
    on_line(&line);
    lines.push(line);
    Ok(lines)
}

/// Probes a backend. `on_line` hears of each line at once.
///
/// # Errors
/// [`TensorError`] when the reference cannot hold a result, which no probe asks for.
pub fn backend(backend: &mut dyn Driver, mut on_line: impl FnMut(&Line)) -> Result<Vec<Line>, TensorError> {
    let demands = Demands { capabilities: backend.capabilities(), ..Demands::default() };
    let mut asker = Asker { backend, demands };
    let mut lines = Vec::new();
    for probe in Probe::of_a_backend() {
        let found = asker.find(probe)?;
        let line = Line { probe, found };
        on_line(&line);
        lines.push(line);
    }
    Ok(lines)
}

/// Elements of an answer that is explained. What goes wrong with every answer has gone wrong with a small one.
const EXPLAINED: usize = 1 << 10;

struct Asker<'a> {
    backend: &'a mut dyn Driver,
    demands: Demands,
}

impl Asker<'_> {
    fn find(&mut self, probe: Probe) -> Result<Found, TensorError> {
        match probe {
            // These two are about the process around a backend.
            Probe::Hello | Probe::End => Ok(Found::Right),
            Probe::Identity => Ok(identity(&self.backend.identity())),
            Probe::Capabilities => Ok(capabilities(&self.demands.capabilities.accumulation)),
            Probe::Operator(spec) => self.operator(spec),
            Probe::Elements(dtype) => self.any(&[(ask::telling(dtype)?, vec![1])]),
            Probe::Dims => self.any(&[
                (ask::whole_numbers(&[2, 3, 4])?, vec![0]),
                (ask::whole_numbers(&[2, 3])?, vec![1]),
                // Of several axes each counts, and of one dim nothing is left.
                (ask::whole_numbers(&[2, 3, 4])?, vec![0, 2]),
                (ask::whole_numbers(&[3])?, vec![0]),
            ]),
            Probe::RankZero => self.any(&[(ask::whole_numbers(&[])?, vec![])]),
            Probe::NoElements => self.any(&[
                (ask::whole_numbers(&[2, 0, 3])?, vec![2]),
                (ask::whole_numbers(&[2, 0, 3])?, vec![1]),
            ]),
            Probe::Large => self.any(&[
                (ask::whole_numbers(&[1 << 17, 1])?, vec![1]),
                (ask::whole_numbers(&[1 << 9, 1 << 11])?, vec![1]),
            ]),
            Probe::Refusal => self.refusal(),
            Probe::Repeat => self.repeat(),
        }
    }

    /// The attributes of one operator left out, and given as either value; axes left out where they can be.
    fn operator(&mut self, spec: Spec) -> Result<Found, TensorError> {
        let data = ask::whole_numbers(&[2, 3])?;
        let mut all = Found::Unsupported(String::new());
        for axes in [Some(vec![1]), None] {
            for keep in [None, Some(false), Some(true)] {
                let ask = Ask { norm: spec.norm(), data: data.clone(), axes: axes.clone(), keep };
                if let Some(call) = ask.spelled(spec) {
                    all = worse(all, self.judged(&ask, &call)?);
                }
            }
        }
        Ok(all)
    }

    /// Puts questions to the first operator the backend supports them for.
    fn any(&mut self, questions: &[(Tensor, Vec<usize>)]) -> Result<Found, TensorError> {
        let mut all = Found::Unsupported(String::new());
        for (data, axes) in questions {
            all = worse(all, self.first(data, axes)?.1);
        }
        Ok(all)
    }

    /// The first operator that is supported for this question, and what came of it.
    fn first(&mut self, data: &Tensor, axes: &[usize]) -> Result<(Option<Spec>, Found), TensorError> {
        let mut declined = None;
        for spec in Spec::ALL {
            for keep in [Some(false), None] {
                let ask = Ask { norm: spec.norm(), data: data.clone(), axes: Some(axes.to_vec()), keep };
                let Some(call) = ask.spelled(spec) else { continue };
                match self.judged(&ask, &call)? {
                    Found::Unsupported(why) => declined = declined.or(Some(why)),
                    found @ (Found::Right | Found::Wrong(_)) => return Ok((Some(spec), found)),
                }
                break;
            }
        }
        Ok((None, Found::Unsupported(declined.unwrap_or_default())))
    }

    fn judged(&mut self, ask: &Ask, call: &Call) -> Result<Found, TensorError> {
        let answer = self.backend.ask(call);
        self.weigh(ask, call, &answer)
    }

    fn weigh(&self, ask: &Ask, call: &Call, answer: &Observed) -> Result<Found, TensorError> {
        let sheet = Sheet::of(call)?;
        let what = match judge(&sheet, answer, &self.demands) {
            Verdict::Conforms { .. } => return Ok(Found::Right),
            Verdict::Unsupported(why) => return Ok(Found::Unsupported(why)),
            Verdict::Crashed(how) => format!("crashed: {how}"),
            Verdict::TimedOut(after) => format!("no answer within {} s", after.as_secs_f64()),
            Verdict::Fails(misses) => {
                let explained = match answer {
                    Observed::Tensor(got) if got.len() <= EXPLAINED => {
                        mistake::explain(&ask.in_full(call.spec()), due(&sheet), got)?
                    }
                    _ => None,
                };
                let miss = misses.first().map(|miss| miss.mismatch.to_string()).unwrap_or_default();
                explained.unwrap_or_else(|| format!("{miss}; no mistake known of adapters explains it"))
            }
        };
        Ok(Found::Wrong(format!("{what}; asked was {}", display::call(call))))
    }

    fn refusal(&mut self) -> Result<Found, TensorError> {
        let data = ask::whole_numbers(&[2, 3])?;
        let spec = match self.first(&data, &[1])? {
            (Some(spec), _) => spec,
            (None, declined) => return Ok(declined),
        };
        let ask = Ask { norm: spec.norm(), data, axes: Some(vec![1]), keep: None };
        let Some(valid) = ask.spelled(spec) else { return Ok(Found::Right) };
        let mut all = Found::Unsupported(String::new());
        for last in [1_000, 10_999] {
            let call = Call { axes: Axes::list(&(1_000..=last).collect::<Vec<_>>()), ..valid.clone() };
            let found = match self.backend.ask(&call) {
                Observed::Rejected(why) if why.trim().is_empty() => Found::Wrong(
                    "it refuses without a word; the runtime's own message belongs there".to_owned(),
                ),
                Observed::Rejected(_) => Found::Right,
                Observed::Unsupported(why) => Found::Unsupported(why),
                Observed::Tensor(_) | Observed::Oversized { .. } => Found::Wrong(format!(
                    "axes from 1000 to {last} of data of rank 2 are answered with a tensor: does the adapter hide a refusal?"
                )),
                Observed::ChangedData(how) => Found::Wrong(format!("{how}, over axes that it has to refuse")),
                Observed::Died(death) => Found::Wrong(format!(
                    "{death}, over axes from 1000 to {last} of data of rank 2; what the runtime raises to refuse \
                     a call is to be handed on as rejected"
                )),
            };
            all = worse(all, found);
        }
        Ok(all)
    }

    fn repeat(&mut self) -> Result<Found, TensorError> {
        let data = ask::whole_numbers(&[2, 3])?;
        let spec = match self.first(&data, &[1])? {
            (Some(spec), Found::Right) => spec,
            (_, found) => return Ok(found),
        };
        let ask = |data, axis| Ask { norm: spec.norm(), data, axes: Some(vec![axis]), keep: None };
        let (one, other) = (ask(data, 1), ask(ask::telling(Dtype::F32)?, 0));
        let (Some(call), Some(between)) = (one.spelled(spec), other.spelled(spec)) else {
            return Ok(Found::Right);
        };
        let first = self.backend.ask(&call);
        let second = self.backend.ask(&between);
        if second == first {
            return Ok(Found::Wrong("a second call is answered with the result of the first".to_owned()));
        }
        let found = self.weigh(&other, &between, &second)?;
        if found != Found::Right {
            return Ok(found);
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

/// The dims of the right answer.
fn due(sheet: &Sheet) -> &[usize] {
    match sheet.entries.first().map(|entry| &entry.expected) {
        Some(Expected::Exactly(tensor)) => tensor.shape(),
        Some(Expected::Near(near)) => &near.shape,
        Some(Expected::Rejection(_)) | None => &[],
    }
}

/// What two results make together: something wrong outweighs what is right, and that what could not be asked.
fn worse(one: Found, other: Found) -> Found {
    match (one, other) {
        (wrong @ Found::Wrong(_), _) | (_, wrong @ Found::Wrong(_)) => wrong,
        (Found::Right, _) | (_, Found::Right) => Found::Right,
        (Found::Unsupported(one), Found::Unsupported(other)) => {
            Found::Unsupported(if one.is_empty() { other } else { one })
        }
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
