//! Some calls of the row, asked of a fresh backend and judged: what is suspicious, and counts of the rest.

use std::collections::{BTreeMap, BTreeSet};

use normative_reference::{Axes, Call, Question, Spec};

use super::{HuntError, Subject};
use normative_conformance::drive::{Driver, StartError};
use normative_conformance::judge::verdict::{Sheet, Verdict, judge};
use normative_conformance::observed::Observed;
use normative_conformance::run::probe::settle_alone;
use normative_conformance::run::property::Id;
use normative_conformance::run::readings::Answers;
use normative_conformance::run::tally::Tally;
use normative_conformance::shrink::Class;

/// Calls handed to a backend together.
const BATCH: usize = 64;

/// Calls of one signature that are kept of a block; further ones are counted.
const KEPT: usize = 8;

/// What came of a block.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// The calls made, in their order.
    pub(super) ids: Vec<Id>,
    pub(super) calls: usize,
    /// Of each subject.
    pub(super) tallies: Vec<Tally>,
    pub(super) questions: BTreeSet<Question>,
    /// Failures, in the order of the calls.
    pub(super) suspects: Vec<Suspect>,
    /// All failures, counted.
    pub(super) seen: BTreeMap<(usize, Signature), usize>,
    /// What the answers of each subject say of readings.
    pub(super) readings: Vec<Answers<Id>>,
    pub(super) differences: BTreeMap<Difference, usize>,
}

/// A call that fails.
#[derive(Clone, Debug)]
pub(super) struct Suspect {
    pub(super) subject: usize,
    /// Which of the block's calls.
    pub(super) at: usize,
    pub(super) signature: Signature,
    pub(super) verdict: Verdict,
}

/// What failures have in common that are likely the same find: cheap to tell, before anything is shrunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Signature {
    pub(super) class: Class,
    spec: Spec,
    open: bool,
    integer: bool,
    odd_dims: bool,
    spelling: Spelling,
}

/// How axes are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Spelling {
    Absent,
    Null,
    Empty,
    OneFromTheFront,
    OneFromTheEnd,
    Several,
    NoList,
    OtherForm,
}

/// In what two backends differ over a call, and whom the reference finds wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// The first is wrong.
    FirstIsWrong,
    /// The second is wrong.
    SecondIsWrong,
    /// Both are wrong, in two ways.
    BothAreWrong,
    /// Both are right: the text leaves this open, and they read it differently.
    Reading(Question),
    /// Both are right: their floats are within the bounds.
    Rounding,
    /// One does not support the call.
    Support,
}

impl Signature {
    fn of(class: Class, call: &Call, open: bool) -> Self {
        let shape = call.data.shape();
        let spelling = match &call.axes {
            Axes::Absent => Spelling::Absent,
            Axes::Null => Spelling::Null,
            Axes::OtherForm(_) => Spelling::OtherForm,
            Axes::Given(axes) if axes.shape.len() != 1 => Spelling::NoList,
            Axes::Given(axes) => match axes.values[..] {
                [] => Spelling::Empty,
                [axis] if axis < 0 => Spelling::OneFromTheEnd,
                [_] => Spelling::OneFromTheFront,
                _ => Spelling::Several,
            },
        };
        let odd_dims = shape.is_empty() || shape.contains(&0);
        Self { class, spec: call.spec(), open, integer: call.data.dtype().is_integer(), odd_dims, spelling }
    }
}

impl Block {
    /// Asks fresh backends these calls, until it is over.
    ///
    /// # Errors
    /// [`HuntError`].
    pub(super) fn ask(
        ids: Vec<Id>,
        subjects: &[Subject<'_>],
        over: &dyn Fn() -> bool,
    ) -> Result<Self, HuntError> {
        let mut backends = subjects.iter().map(|subject| (subject.start)()).collect::<Result<Vec<_>, _>>()?;
        // What tells why a call is refused is asked of others: a block's calls depend on nothing but each other.
        let mut others: Vec<Option<Box<dyn Driver>>> = subjects.iter().map(|_| None).collect();
        let mut block = Self {
            tallies: vec![Tally::default(); subjects.len()],
            readings: vec![Answers::default(); subjects.len()],
            ..Self::default()
        };
        for batch in ids.chunks(BATCH) {
            if over() {
                break;
            }
            let calls: Vec<Call> = batch.iter().map(|id| id.call()).collect();
            let asked: Vec<&Call> = calls.iter().collect();
            let answers: Vec<Vec<Observed>> =
                backends.iter_mut().map(|backend| backend.ask_all(&asked)).collect();
            if backends.iter().any(|backend| backend.is_halted()) {
                return Err(HuntError::Halted);
            }
            for (at, (id, call)) in batch.iter().zip(&calls).enumerate() {
                let sheet = Sheet::of(call)?;
                let answers: Vec<&Observed> = answers.iter().map(|answers| &answers[at]).collect();
                let mut verdicts = Vec::with_capacity(subjects.len());
                for ((subject, answer), other) in subjects.iter().zip(&answers).zip(&mut others) {
                    let verdict = judge(&sheet, answer, &subject.demands);
                    verdicts.push(settle_alone(
                        call,
                        answer,
                        verdict,
                        &subject.demands.capabilities,
                        |calls| {
                            let other = match other {
                                Some(other) => other,
                                None => other.insert((subject.start)()?),
                            };
                            Ok::<_, StartError>(other.ask_all(calls))
                        },
                    )?);
                }
                block.count(*id, call, sheet.entries.len() > 1, &verdicts);
                if let ([first, second], [a, b]) = (&answers[..], &verdicts[..])
                    && first != second
                {
                    *block.differences.entry(Difference::of(a, b)).or_default() += 1;
                }
            }
        }
        block.ids = ids;
        Ok(block)
    }

    fn count(&mut self, id: Id, call: &Call, open: bool, verdicts: &[Verdict]) {
        for (subject, verdict) in verdicts.iter().enumerate() {
            self.tallies[subject].count(verdict, open);
            if let Some(class) = Class::of(verdict) {
                let signature = Signature::of(class, call, open);
                let seen = self.seen.entry((subject, signature)).or_default();
                *seen += 1;
                if *seen <= KEPT {
                    let verdict = verdict.clone();
                    self.suspects.push(Suspect { subject, at: self.calls, signature, verdict });
                }
            }
            if let Verdict::Conforms { accepting, .. } = verdict {
                self.questions.extend(accepting.told().iter().map(|choice| choice.question));
                self.readings[subject].add(call, accepting, id);
            }
        }
        self.calls += 1;
    }
}

impl Difference {
    /// Of two verdicts on answers that differ.
    fn of(first: &Verdict, second: &Verdict) -> Self {
        match (first, second) {
            (Verdict::Unsupported(_), _) | (_, Verdict::Unsupported(_)) => Self::Support,
            _ => match (first.is_failure(), second.is_failure()) {
                (true, true) => Self::BothAreWrong,
                (true, false) => Self::FirstIsWrong,
                (false, true) => Self::SecondIsWrong,
                (false, false) => {
                    let (Verdict::Conforms { accepting, .. }, Verdict::Conforms { accepting: other, .. }) =
                        (first, second)
                    else {
                        return Self::Rounding;
                    };
                    let (readings, others) = (accepting.told(), other.told());
                    let elsewhere = readings
                        .iter()
                        .chain(&others)
                        .find(|choice| !(readings.contains(choice) && others.contains(choice)));
                    elsewhere.map_or(Self::Rounding, |choice| Self::Reading(choice.question))
                }
            },
        }
    }
}
