//! Makes the related calls of a law, and keeps them with their answers; draws what a law leaves to chance.

use normative_reference::{Call, Tensor};

use super::answers::{Breach, Stop};
use super::subject::Subject;
use normative_conformance::drive::Driver;
use normative_conformance::observed::Observed;
use normative_conformance::random::splitmix64;

/// One law on one call.
pub(super) struct Asking<'b> {
    backend: &'b mut dyn Driver,
    asked: Vec<(Call, Observed)>,
    seed: u64,
    drawn: u64,
}

impl<'b> Asking<'b> {
    pub(super) fn new(backend: &'b mut dyn Driver, seed: u64) -> Self {
        Self { backend, asked: Vec::new(), seed, drawn: 0 }
    }

    pub(super) fn into_asked(self) -> Vec<(Call, Observed)> {
        self.asked
    }

    /// The answers to calls of which either all or none may be refused: so an answer beside a refusal is a
    /// breach.
    ///
    /// # Errors
    /// That breach, a backend that died, or that no tensor came of one of them.
    pub(super) fn all<const N: usize>(&mut self, subjects: [&Subject; N]) -> Result<[Tensor; N], Stop> {
        let answers = subjects.map(|subject| self.put(subject));
        let mut refused = None;
        for answer in &answers {
            match answer {
                Observed::Died(death) => return Err(Breach::Died(death.clone()).into()),
                Observed::ChangedData(how) => return Err(Breach::ChangedData(how.clone()).into()),
                Observed::Oversized { shape, .. } => return Err(Breach::Oversized(shape.clone()).into()),
                Observed::Rejected(why) => refused = Some(why.clone()),
                Observed::Tensor(_) | Observed::Unsupported(_) => {}
            }
        }
        if answers.iter().any(|answer| matches!(answer, Observed::Unsupported(_))) {
            return Err(Stop::Declined);
        }
        let tensors: Vec<Tensor> = answers
            .into_iter()
            .filter_map(|answer| match answer {
                Observed::Tensor(tensor) => Some(tensor),
                _ => None,
            })
            .collect();
        match (<[Tensor; N]>::try_from(tensors), refused) {
            (Ok(tensors), _) => Ok(tensors),
            (Err(some), Some(why)) if !some.is_empty() => Err(Breach::Refused(why).into()),
            (Err(_), _) => Err(Stop::Declined),
        }
    }

    /// The answer to a call that may not be refused, because a relative of it was answered.
    ///
    /// # Errors
    /// As [`all`](Self::all).
    pub(super) fn also(&mut self, subject: &Subject) -> Result<Tensor, Stop> {
        match self.put(subject) {
            Observed::Tensor(tensor) => Ok(tensor),
            Observed::Oversized { shape, .. } => Err(Breach::Oversized(shape).into()),
            Observed::Rejected(why) => Err(Breach::Refused(why).into()),
            Observed::Unsupported(_) => Err(Stop::Declined),
            Observed::Died(death) => Err(Breach::Died(death).into()),
            Observed::ChangedData(how) => Err(Breach::ChangedData(how).into()),
        }
    }

    fn put(&mut self, subject: &Subject) -> Observed {
        let answer = self.backend.ask(&subject.call);
        self.asked.push((subject.call.clone(), answer.clone()));
        answer
    }

    /// A number below `count`; 0 where that is 0.
    pub(super) fn below(&mut self, count: usize) -> usize {
        self.drawn += 1;
        let drawn = splitmix64(self.seed, self.drawn - 1);
        // Only the low half is taken, so that a remainder means the same everywhere.
        (drawn as u32 as usize).checked_rem(count).unwrap_or(0)
    }

    /// Brings these into any order.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in 1..items.len() {
            items.swap(at, self.below(at + 1));
        }
    }
}
