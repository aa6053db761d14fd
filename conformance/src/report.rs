//! A finished run, counted: per spec, per element type, per question.
//!
//! Only arithmetic over verdicts; how it looks is [`crate::terminal`]'s business. The counts of
//! verdicts and of cases left out by filters always add up to the corpus.

use std::collections::BTreeMap;

use normative_reference::{Dtype, Question, Reading, Spec};

use crate::accuracy::Class;
use crate::backend::Identity;
use crate::cases::{Case, Claim};
use crate::verdict::Verdict;

/// A finished run.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// Who was judged.
    pub identity: Identity,
    /// Every case that ran, in corpus order, and what came of it.
    pub results: Vec<(&'a Case, Verdict)>,
    /// How many cases the corpus has.
    pub corpus: usize,
}

/// What became of the cases of one spec.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Cases asked.
    pub run: usize,
    /// Answers some honest reading accepts.
    pub conforms: usize,
    /// Answers none accepts.
    pub fails: usize,
    /// Calls that brought the backend down, or that it did not answer in time.
    pub died: usize,
    /// Calls the backend says it cannot do.
    pub unsupported: usize,
    /// Cases, among those run, that put an open question.
    pub open: usize,
}

/// How near the floats of one element type came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// The loosest class any element needed.
    pub class: Class,
    /// The greatest error, in ulp.
    pub worst: f64,
    /// The mean error, in ulp.
    pub mean: f64,
    /// How many elements were measured.
    pub elements: usize,
}

/// Where a question was met. Readings that concern values may differ from type to type: a
/// processor may flush f32 subnormals and keep f64's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The spec.
    pub spec: Spec,
    /// The question.
    pub question: Question,
    /// The element type, for questions about values.
    pub dtype: Option<Dtype>,
}

/// The readings taken in one place, each with the cases that tell it. More than one reading is
/// inconsistent.
pub type Readings<'a> = BTreeMap<Reading, Vec<&'a str>>;

impl<'a> Report<'a> {
    /// The counts of each spec that ran, in spec order.
    pub fn tallies(&self) -> BTreeMap<Spec, Tally> {
        let mut tallies: BTreeMap<Spec, Tally> = BTreeMap::new();
        for (case, verdict) in &self.results {
            let tally = tallies.entry(case.call.spec()).or_default();
            tally.run += 1;
            tally.open += usize::from(matches!(case.claim, Claim::Open { .. }));
            match verdict {
                Verdict::Conforms { .. } => tally.conforms += 1,
                Verdict::Fails(_) => tally.fails += 1,
                Verdict::Crashed(_) | Verdict::TimedOut(_) => tally.died += 1,
                Verdict::Unsupported(_) => tally.unsupported += 1,
            }
        }
        tallies
    }

    /// The counts over all specs.
    pub fn total(&self) -> Tally {
        self.tallies().values().fold(Tally::default(), |sum, tally| Tally {
            run: sum.run + tally.run,
            conforms: sum.conforms + tally.conforms,
            fails: sum.fails + tally.fails,
            died: sum.died + tally.died,
            unsupported: sum.unsupported + tally.unsupported,
            open: sum.open + tally.open,
        })
    }

    /// Cases of the corpus that filters left out.
    pub fn filtered(&self) -> usize {
        self.corpus - self.results.len()
    }

    /// The accuracy reached per element type, over accepted answers.
    pub fn precision(&self) -> BTreeMap<Dtype, Precision> {
        let mut by_dtype: BTreeMap<Dtype, Precision> = BTreeMap::new();
        for (case, verdict) in &self.results {
            let Verdict::Conforms { accuracy: Some(accuracy), .. } = verdict else { continue };
            let entry = by_dtype.entry(case.call.data.dtype()).or_insert(Precision {
                class: Class::CorrectlyRounded,
                worst: 0.0,
                mean: 0.0,
                elements: 0,
            });
            entry.class = entry.class.max(accuracy.class);
            entry.worst = entry.worst.max(accuracy.worst);
            // A running mean: the weighted middle of what was and what comes.
            let elements = entry.elements + accuracy.elements;
            entry.mean = (entry.mean * entry.elements as f64 + accuracy.sum) / elements as f64;
            entry.elements = elements;
        }
        by_dtype
    }

    /// The reading taken of each question, per place.
    pub fn profile(&self) -> BTreeMap<Place, Readings<'_>> {
        let mut profile: BTreeMap<Place, Readings<'_>> = BTreeMap::new();
        for (case, verdict) in &self.results {
            let Verdict::Conforms { readings, .. } = verdict else { continue };
            for choice in readings {
                let dtype = choice.question.concerns_values().then_some(case.call.data.dtype());
                let place = Place { spec: case.call.spec(), question: choice.question, dtype };
                profile.entry(place).or_default().entry(choice.reading).or_default().push(&case.name);
            }
        }
        profile
    }

    /// Every case whose verdict speaks against the backend.
    pub fn failures(&self) -> impl Iterator<Item = (&'a Case, &Verdict)> {
        self.results
            .iter()
            .filter(|(_, verdict)| verdict.is_failure())
            .map(|(case, verdict)| (*case, verdict))
    }

    /// How many calls the backend took up, whatever came of them. A run in which it declined all has
    /// shown nothing.
    pub fn executed(&self) -> usize {
        let total = self.total();
        total.run - total.unsupported
    }

    /// Whether the backend conforms: it took up at least one call, none failed, and it has one reading
    /// per question and place.
    pub fn conforms(&self) -> bool {
        let consistent = || self.profile().values().all(|readings| readings.len() == 1);
        self.executed() > 0 && self.failures().next().is_none() && consistent()
    }
}
