//! Judges an answer over every honest reading of the call, and defines the closed list of verdicts.
//!
//! An answer conforms when at least one reading accepts it. It *tells* a question when every accepting
//! combination of readings answers that question the same way. If several ways accept it, the data do not set
//! them apart, and nothing is told.

use std::time::Duration;

use normative_reference::{
    Alternative, Call, Choice, Expected, Family, Kind, Outcome, Question, Reading, TensorError, expect_each,
    rule,
};

use crate::accuracy::mechanism::refutes;
use crate::accuracy::{Class, RoundingSteps};
use crate::compare::{Accuracy, Fit, Mismatch, accuracy_of, compare, declared_accumulation, unravel};
use crate::fault::Fault;
use crate::hazard::Hazard;
use crate::nearest::did_you_mean;
use crate::observed::{Death, Observed};
use normative_backend::{Capabilities, Extent};

/// All answers that the spec allows for a call. Never empty.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// One entry per distinct expectation.
    pub entries: Vec<Entry>,
    /// The number of elements that go into one output element, if the call asks for a reduction.
    pub terms: Option<usize>,
    /// True if the errors of all elements are also judged [together](crate::accuracy::whole).
    pub whole: bool,
    /// The family of the spec. A backend may claim only part of what it requires.
    pub family: Family,
}

/// One expectation, and every combination of readings that leads to it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The expected answer.
    pub expected: Expected,
    /// The combinations of readings; a single empty one if the text decides.
    pub choices: Vec<Vec<Choice>>,
}

impl Sheet {
    /// Rules on a call and evaluates every reading of it.
    ///
    /// # Errors
    /// [`TensorError::TooLarge`] when the output has too many elements to hold.
    pub fn of(call: &Call) -> Result<Self, TensorError> {
        let ruling = rule(call);
        let mut entries: Vec<Entry> = Vec::with_capacity(ruling.alternatives.len());
        let expected = expect_each(call, &ruling)?;
        let terms = ruling.alternatives.iter().find_map(|alternative| match &alternative.outcome {
            Outcome::Reduce(reduction, _) => Some(reduction.terms(call.data.shape())),
            Outcome::Unchanged | Outcome::Rejected(_) | Outcome::OutOfScope(_) => None,
        });
        for (Alternative { mut choices, implied, .. }, expected) in
            ruling.alternatives.into_iter().zip(expected)
        {
            choices.extend(implied);
            match entries.iter_mut().find(|entry| entry.expected == expected) {
                Some(entry) => entry.choices.push(choices),
                None => entries.push(Entry { expected, choices: vec![choices] }),
            }
        }
        Ok(Self { entries, terms, whole: false, family: call.spec().family() })
    }

    /// Returns true if every reading accepts the call as valid.
    pub fn takes_all(&self) -> bool {
        let takes = |expected: &Expected| !matches!(expected, Expected::Rejection(_) | Expected::Anything(_));
        self.entries.iter().all(|entry| takes(&entry.expected))
    }

    /// Returns true if every reading refuses the call: it is invalid.
    fn refuses_all(&self) -> bool {
        self.entries.iter().all(|entry| matches!(entry.expected, Expected::Rejection(_)))
    }
}

/// The verdict on one answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Some honest reading accepts the answer.
    Conforms {
        /// The readings under which it is accepted.
        accepting: Accepts,
        /// The accuracy of its floats, if any were measured.
        accuracy: Option<Accuracy>,
        /// The hazard, if it is not the norm although its type holds the norm. [`judge`] leaves this empty;
        /// [`hazard::of`](crate::hazard::of) fills it.
        hazard: Option<Box<Hazard>>,
    },
    /// No honest reading accepts it, or only readings that were ruled out. One miss for each reading, the
    /// nearest first; never empty.
    Fails(Vec<Miss>),
    /// The backend does not support this; its own words.
    Unsupported(String),
    /// The backend broke down; all that is known of it.
    Crashed(String),
    /// The backend had not answered after this long.
    TimedOut(Duration),
}

impl Verdict {
    /// Returns the fault, if any; of several misses, that of the nearest reading.
    pub fn fault(&self) -> Option<Fault> {
        match self {
            Self::Fails(_) => self.mismatch().map(Mismatch::fault),
            Self::Crashed(_) => Some(Fault::Crashed),
            Self::TimedOut(_) => Some(Fault::TimedOut),
            Self::Conforms { .. } | Self::Unsupported(_) => None,
        }
    }

    /// Returns the mismatch of the nearest reading, if the answer is a wrong one.
    pub fn mismatch(&self) -> Option<&Mismatch> {
        match self {
            Self::Fails(misses) => misses.first().map(|miss| &miss.mismatch),
            Self::Conforms { .. } | Self::Unsupported(_) | Self::Crashed(_) | Self::TimedOut(_) => None,
        }
    }
}

/// The combinations of readings that accept an answer; empty if all of them do, and nothing is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accepts {
    combinations: Vec<Vec<Choice>>,
    /// Copied from the [`Sheet`].
    terms: Option<usize>,
}

impl Accepts {
    /// Returns the set with a single accepting combination of readings.
    pub fn only(choices: Vec<Choice>) -> Self {
        let combinations = if choices.is_empty() { Vec::new() } else { vec![choices] };
        Self { combinations, terms: None }
    }

    /// Returns the combinations; empty if every combination accepts the answer.
    pub fn combinations(&self) -> &[Vec<Choice>] {
        &self.combinations
    }

    /// Returns the number of elements that go into one output element. `None` if nothing is told or reduced.
    pub const fn terms(&self) -> Option<usize> {
        self.terms
    }

    /// Returns the readings of a question under which the answer is accepted; empty if all are.
    pub fn possible(&self, question: Question) -> Vec<Reading> {
        let of = |choices: &Vec<Choice>| {
            choices.iter().find(|choice| choice.question == question).map(|choice| choice.reading)
        };
        let mut possible = self.combinations.iter().map(of).collect::<Option<Vec<_>>>().unwrap_or_default();
        possible.sort_unstable();
        possible.dedup();
        possible
    }

    /// Returns the questions that every accepting combination of readings answers the same way.
    pub fn told(&self) -> Vec<Choice> {
        let Some(first) = self.combinations.first() else { return Vec::new() };
        let in_all = |choice: &Choice| self.combinations.iter().all(|choices| choices.contains(choice));
        first.iter().copied().filter(in_all).collect()
    }
}

/// The mismatch of an answer under one reading.
#[derive(Clone, Debug, PartialEq)]
pub struct Miss {
    /// The reading; empty if the text decides.
    pub readings: Vec<Choice>,
    /// The mismatch under it.
    pub mismatch: Mismatch,
    /// The accuracy of its floats under the nearest reading, if any can be measured.
    pub accuracy: Option<Accuracy>,
}

/// Requirements on a backend beyond the specs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demands {
    /// The backend's statements about itself.
    pub capabilities: Capabilities,
    /// The accuracy class that every float result has to reach; `None` accepts everything within the bounds.
    pub accuracy: Option<Class>,
    /// Readings that it has to take: any other reading of these questions is a failure.
    pub readings: Vec<Choice>,
}

impl Demands {
    /// Returns the class of this name.
    ///
    /// # Errors
    /// Returns the list of valid names.
    pub fn class(name: &str) -> Result<Class, String> {
        let known = Class::DEMANDED.map(Class::name).join(", ");
        let class = Class::DEMANDED.into_iter().find(|class| class.name() == name);
        class.ok_or_else(|| format!("expected one of {known}, got {name:?}"))
    }

    /// Parses a reading that is written `QUESTION=READING`.
    ///
    /// # Errors
    /// Returns the expected form or names.
    pub fn reading(text: &str) -> Result<Choice, String> {
        let (question, reading) = text.split_once('=').ok_or("expected QUESTION=READING")?;
        let question = Question::from_name(question).ok_or_else(|| {
            let near = did_you_mean(question, Question::ALL.iter().map(|question| question.name()));
            let known: Vec<&str> = Question::ALL.iter().map(|question| question.name()).collect();
            let near = if near.is_empty() { format!("; there are {}", known.join(", ")) } else { near };
            format!("no question is named {question:?}{near}")
        })?;
        let readings = question.readings();
        let reading = readings.iter().copied().find(|known| known.name() == reading).ok_or_else(|| {
            let known: Vec<&str> = readings.iter().map(|reading| reading.name()).collect();
            format!("expected a reading of {question}, one of {}, got {reading:?}", known.join(", "))
        })?;
        Ok(Choice { question, reading })
    }
}

/// The reason for an answer to an invalid call, where the backend claims no refusals.
const NOT_ASKED: &str = "answered, although the text says to refuse it: no refusal is claimed";

/// Judges an answer.
pub fn judge(sheet: &Sheet, answer: &Observed, demands: &Demands) -> Verdict {
    match answer {
        Observed::Unsupported(why) => return Verdict::Unsupported(why.clone()),
        Observed::Died(Death::Crashed(how)) => return Verdict::Crashed(how.clone()),
        Observed::Died(Death::TimedOut(after)) => return Verdict::TimedOut(*after),
        // Changed data fail every call, under every reading.
        Observed::ChangedData(how) => {
            return Verdict::Fails(vec![Miss {
                readings: Vec::new(),
                mismatch: Mismatch::ChangedData(how.clone()),
                accuracy: None,
            }]);
        }
        Observed::Tensor(_) | Observed::Oversized { .. } | Observed::Rejected(_) => {}
    }
    let mut accepting: Vec<&[Choice]> = Vec::new();
    // Those that the answer does not contradict by how it came about.
    let mut upheld: Vec<&[Choice]> = Vec::new();
    let mut accuracy = None;
    let mut misses = Vec::new();
    // The list is needed only if readings can be told apart, or some are demanded.
    let tells = sheet.entries.len() > 1 || !demands.readings.is_empty();
    for entry in &sheet.entries {
        match accept(sheet, &entry.expected, answer, demands) {
            Ok(fit) => {
                // Readings are listed from the tightest, and so are the accuracies measured against them.
                accuracy = accuracy.or(fit.accuracy);
                if tells {
                    let choices = entry.choices.iter().map(Vec::as_slice);
                    accepting.extend(choices.clone());
                    if !refutes(&entry.expected, answer) {
                        upheld.extend(choices);
                    }
                }
            }
            Err(mismatch) => {
                let readings = entry.choices.first().cloned().unwrap_or_default();
                misses.push((&entry.expected, Miss { readings, mismatch, accuracy: None }));
            }
        }
    }
    let values_alone = demands.capabilities.extent(sheet.family) == Extent::ValuesAlone;
    if misses.len() == sheet.entries.len() {
        if values_alone && sheet.refuses_all() {
            return Verdict::Unsupported(NOT_ASKED.to_owned());
        }
        misses.sort_by_key(|(_, miss)| miss.mismatch.remoteness());
        if let Some((expected, nearest)) = misses.first_mut() {
            nearest.accuracy = accuracy_of(expected, answer, &demands.capabilities);
        }
        return Verdict::Fails(misses.into_iter().map(|(_, miss)| miss).collect());
    }
    let ruled_out = ruled_out(&demands.readings, &accepting);
    // A refusal by a backend that promises none tells nothing about how it reads a question.
    let told = if upheld.is_empty() { &accepting } else { &upheld };
    let tells_nothing = misses.is_empty() && told.len() == accepting.len()
        || values_alone && matches!(answer, Observed::Rejected(_));
    let accepting = if tells_nothing {
        Accepts::default()
    } else {
        let combinations = told.iter().map(|choices| choices.to_vec()).collect();
        Accepts { combinations, terms: sheet.terms }
    };
    match ruled_out {
        Some(mismatch) => Verdict::Fails(vec![Miss { readings: accepting.told(), mismatch, accuracy }]),
        None => Verdict::Conforms { accepting, accuracy, hazard: None },
    }
}

/// Checks an answer against one expectation of a sheet: each element, the demanded class, and all errors
/// together if the sheet asks for that.
///
/// # Errors
/// Returns the first way in which the answer is wrong.
pub fn accept(
    sheet: &Sheet,
    expected: &Expected,
    answer: &Observed,
    demands: &Demands,
) -> Result<Fit, Mismatch> {
    let fit = compare(expected, answer, &demands.capabilities)?;
    let (Some(accuracy), Expected::Near(near)) = (fit.accuracy, expected) else { return Ok(fit) };
    if let Some(wanted) = demands.accuracy.filter(|&wanted| accuracy.class > wanted) {
        let index = unravel(accuracy.worst_at, &near.shape);
        return Err(Mismatch::Class { wanted, reached: accuracy.class, index, worst: accuracy.worst });
    }
    let (true, Kind::Float(output)) = (sheet.whole, near.dtype.kind()) else { return Ok(fit) };
    let declared = declared_accumulation(near.dtype, &demands.capabilities);
    let excess = accuracy.errors.excess(near, output, &RoundingSteps::of(near, declared));
    excess.map_or(Ok(fit), |excess| Err(Mismatch::Whole(excess)))
}

/// Returns the mismatch if no accepting combination takes all the demanded readings together. It names the
/// first other reading of the combination that comes nearest.
fn ruled_out(demanded: &[Choice], accepting: &[&[Choice]]) -> Option<Mismatch> {
    let otherwise = |choices: &&[Choice]| -> Vec<Mismatch> {
        let taken = |wanted: &Choice| {
            choices.iter().find(|choice| choice.question == wanted.question && *choice != wanted)
        };
        let mismatch =
            |&wanted| taken(&wanted).map(|choice| Mismatch::Reading { wanted, taken: choice.reading });
        demanded.iter().filter_map(mismatch).collect()
    };
    let nearest = accepting.iter().map(otherwise).min_by_key(Vec::len)?;
    nearest.into_iter().next()
}

impl Verdict {
    /// Returns true if the verdict speaks against the backend.
    pub const fn is_failure(&self) -> bool {
        match self {
            Self::Fails(_) | Self::Crashed(_) | Self::TimedOut(_) => true,
            Self::Conforms { .. } | Self::Unsupported(_) => false,
        }
    }

    /// Returns the hazard of an accepted answer, if any.
    pub fn hazard(&self) -> Option<&Hazard> {
        match self {
            Self::Conforms { hazard, .. } => hazard.as_deref(),
            Self::Fails(_) | Self::Unsupported(_) | Self::Crashed(_) | Self::TimedOut(_) => None,
        }
    }

    /// Returns the accuracy of the answer's floats, right or wrong, if any were measured.
    pub fn accuracy(&self) -> Option<&Accuracy> {
        match self {
            Self::Conforms { accuracy, .. } => accuracy.as_ref(),
            Self::Fails(misses) => misses.first()?.accuracy.as_ref(),
            Self::Unsupported(_) | Self::Crashed(_) | Self::TimedOut(_) => None,
        }
    }

    /// Returns the same verdict for an answer that tells no question.
    #[must_use]
    pub fn telling_nothing(&self) -> Self {
        match self {
            Self::Conforms { accuracy, hazard, .. } => {
                let (accepting, accuracy) = (Accepts::default(), *accuracy);
                Self::Conforms { accepting, accuracy, hazard: hazard.clone() }
            }
            verdict => verdict.clone(),
        }
    }

    /// Returns the verdict in a word or two.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Conforms { .. } => "conforms",
            Self::Fails(_) => "fails",
            Self::Unsupported(_) => "unsupported",
            Self::Crashed(_) => "crashed",
            Self::TimedOut(_) => "timed out",
        }
    }

    /// Returns the reason in a line: the readings told, the nearest miss, or all that is known of a death.
    pub fn reason(&self) -> String {
        match self {
            Self::Conforms { accepting, hazard, .. } => {
                let told = accepting.told().into_iter().map(|choice| format!(", {choice}"));
                let hazard = if hazard.is_some() { ", a hazard" } else { "" };
                format!("conforms{}{hazard}", told.collect::<String>())
            }
            Self::Fails(_) => self.mismatch().map_or_else(|| "fails".into(), ToString::to_string),
            Self::Unsupported(why) => format!("unsupported: {why}"),
            Self::Crashed(how) => format!("crashed: {how}"),
            Self::TimedOut(after) => format!("no answer within {} s", after.as_secs_f64()),
        }
    }

    /// Returns the reading that the answer tells of a question.
    pub fn reading(&self, question: Question) -> Option<Reading> {
        match self {
            Self::Conforms { accepting, .. } => accepting
                .told()
                .iter()
                .find(|choice| choice.question == question)
                .map(|choice| choice.reading),
            _ => None,
        }
    }
}
