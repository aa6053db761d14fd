//! The property run: generated calls, judged like cases.
//!
//! The property is that every answer is what the reference says it may be, and that a question is read
//! the same way wherever it is met. Calls stand in an endless row; which call stands where depends on
//! the seed and the place alone, so each can be made again by itself. No verdict is kept but those
//! against the backend: a run may be as long as there is time.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use arbitrary::Unstructured;
use normative_backend::Capabilities;
use normative_reference::{Call, Spec, TensorError};

use crate::corpus::cited;
use crate::corpus::{self, ClauseRef, Ledger};
use crate::drive::Driver;
use crate::generate::neighbour::{self, Difference, Turn};
use crate::generate::turns::Turns;
use crate::generate::{self, Limits, Profile};
use crate::judge::verdict::{Demands, Evaluator, Sheet, Verdict};
use crate::random;
use crate::run::hazards::Hazards;
use crate::run::measured::Measured;
use crate::run::neighbours::Neighbours;
use crate::run::probe::{Doubts, Settled};
use crate::run::readings::Answers;
use crate::run::support::Support;
use crate::run::tally::Tally;
use crate::run::{Asked, Judged, Run};

/// The bytes a call is spelled by. Long tensors are drawn from a seed among them, so none needs more.
const BYTES: usize = 256;

/// The bytes that nearly every call makes do with.
const FIRST_BYTES: usize = 64;

/// Which generated call. In the order of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Id {
    /// What calls are drawn from.
    pub seed: u64,
    /// The specs that take turns in its row.
    pub turns: Turns,
    /// The place in the row, from 0.
    pub index: u64,
}

impl Id {
    /// A call of the row that OpenVINO, ONNX and BNNS share.
    pub const fn first(seed: u64, index: u64) -> Self {
        Self { seed, turns: Turns::First, index }
    }

    /// The spec called: those of the row in turn, two calls each. The second may ask for the other norm of the first.
    pub fn spec(self) -> Spec {
        self.neighbour_turn().map_or(self.turn_of(), |turn| neighbour::spec_of(self.turn_of(), turn))
    }

    /// The spec whose turn it is.
    fn turn_of(self) -> Spec {
        let slots = self.turns.slots();
        // The remainder is less than the number of slots.
        slots[(self.index / 2 % slots.len() as u64) as usize]
    }

    /// What kind of calls this one and its neighbour are meant to be: of sixteen pairs of a spec, ten are valid, three
    /// open and three invalid, or open where the spec refuses nothing, or valid where it leaves no form open either.
    pub fn profile(self) -> Profile {
        self.profile_for(self.spec())
    }

    fn profile_for(self, spec: Spec) -> Profile {
        match self.pair() % 16 {
            13..=15 if generate::can_be_invalid(spec) => Profile::Invalid,
            10..=15 if generate::can_be_open(spec) => Profile::Open,
            _ => Profile::Valid,
        }
    }

    /// The turn of the thing in which this call differs from the one before it, where it is meant to be its
    /// [neighbour]: the second of every tenth pair, and of every twentieth between, unless that is refused, which nothing is kept of.
    fn neighbour_turn(self) -> Option<Turn> {
        if self.index.is_multiple_of(2) || self.profile_for(self.turn_of()) == Profile::Invalid {
            return None;
        }
        let pair = self.pair();
        match pair % 20 {
            // Ten pairs and eight turns share a factor with the sixteen of a profile, so each round of turns begins one later.
            0 | 10 => Some(Turn::Other((pair / 10 + pair / 80) as usize)),
            // Twenty pairs and five layouts share one as well.
            15 => Some(Turn::Layout((pair / 20 + pair / 100) as usize)),
            _ => None,
        }
    }

    /// The call that this one is to be asked right after, by the same process: the first of its pair, where it is meant to be
    /// the neighbour of that.
    pub fn before(self) -> Option<Self> {
        self.neighbour_turn().map(|_| self.first_of_pair())
    }

    /// The first of the pair it is in.
    #[must_use]
    pub const fn first_of_pair(self) -> Self {
        Self { index: self.index / 2 * 2, ..self }
    }

    /// In what alone this call differs from the one [before](Self::before) it.
    pub fn difference(self) -> Option<Difference> {
        self.neighbour().map(|(difference, _)| difference)
    }

    /// Whether a backend that says this of itself is asked the call: data in a layout that it does not take are left out.
    pub fn is_for(self, capabilities: &Capabilities) -> bool {
        match self.neighbour_turn() {
            Some(Turn::Layout(_)) => match self.difference() {
                Some(Difference::Layout(layout)) => capabilities.layouts.contains(&layout),
                _ => true,
            },
            _ => true,
        }
    }

    /// The neighbour of the call before, where it has one.
    fn neighbour(self) -> Option<(Difference, Call)> {
        let (turn, before) = (self.neighbour_turn()?, self.before()?.call());
        let salt = random::splitmix64(self.seed, self.index);
        neighbour::neighbour(&before, self.spec(), self.profile(), turn, salt)
    }

    /// Of a spec's pairs of calls, which one.
    fn pair(self) -> u64 {
        let (slots, slot) = (self.turns.slots(), self.index / 2);
        let at = (slot % slots.len() as u64) as usize;
        let mine = |some: &[Spec]| some.iter().filter(|&&spec| spec == slots[at]).count() as u64;
        slot / slots.len() as u64 * mine(slots) + mine(&slots[..at])
    }

    /// Which round of its row it is in.
    fn round(self) -> u64 {
        self.index / calls_of_a_round(self.turns)
    }

    /// Whether this is the second of a pair that has the dims of the first: of every fifth pair, where it is no neighbour.
    fn is_twin(self) -> bool {
        self.index % 2 == 1 && self.pair().is_multiple_of(5)
    }

    /// The purpose of the call.
    fn aim(self) -> Aim {
        let pair = self.pair();
        // Ten of sixteen pairs are valid, the first ten.
        if pair % 16 >= 10 {
            return Aim::Form;
        }
        let place = (pair / 16 * 10 + pair % 16) as usize;
        // Its neighbour is the second of the pair, but where that has the dims of the first.
        match (self.index.is_multiple_of(2), pair % 5) {
            (true, 0) | (false, 1..) => Aim::Kernel(place),
            (true, 1..=3) => Aim::Special(place),
            _ => Aim::Form,
        }
    }

    /// The call.
    pub fn call(self) -> Call {
        if let Some((_, neighbour)) = self.neighbour() {
            return neighbour;
        }
        match self.aim() {
            Aim::Kernel(place) => {
                return self.draw(|bytes| generate::kernel_call(bytes, self.spec(), place));
            }
            Aim::Special(place) => {
                return self.draw(|bytes| generate::special_call(bytes, self.spec(), place));
            }
            Aim::Form => {}
        }
        let limits = Limits::default();
        let shape = self.is_twin().then(|| self.first_of_pair().shape());
        self.draw(|bytes| {
            generate::call_of_shape(bytes, self.spec(), self.profile(), limits, shape.as_deref())
        })
    }

    /// The dims of the call's data.
    fn shape(self) -> Vec<usize> {
        match self.aim() {
            Aim::Kernel(_) | Aim::Special(_) => self.call().data.shape().to_vec(),
            Aim::Form => {
                self.draw(|bytes| generate::shape(bytes, self.spec(), self.profile(), Limits::default()))
            }
        }
    }

    /// Draws something from what spells the call. Most take few bytes, so no more are made at first: where
    /// some of those are left, none of the others would have been read.
    fn draw<T>(self, draw: impl Fn(&mut Unstructured<'_>) -> T) -> T {
        let seed = random::splitmix64(self.seed, self.index);
        let first = random::bytes::<FIRST_BYTES>(seed);
        let mut bytes = Unstructured::new(&first);
        let drawn = draw(&mut bytes);
        if bytes.is_empty() { draw(&mut Unstructured::new(&random::bytes::<BYTES>(seed))) } else { drawn }
    }
}

/// The purpose of a generated call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    /// Its form: which axes, how they are spelled, which attributes.
    Form,
    /// The loop that it runs through: of those calls of a spec, the one at this place.
    Kernel(usize),
    /// The contents of its rows: of those calls of a spec, the one at this place.
    Special(usize),
}

/// The number of calls of a row until every spec has had its turns.
fn calls_of_a_round(turns: Turns) -> u64 {
    2 * turns.slots().len() as u64
}

/// The number of calls of these specs in so many rounds of all rows: as many of each, whichever others there are.
pub fn calls_of_rounds(rounds: usize, specs: &[Spec]) -> usize {
    let slots = Turns::ALL.into_iter().flat_map(Turns::slots);
    2 * rounds * slots.filter(|spec| specs.contains(spec)).count()
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}{}", self.seed, self.turns, self.index)
    }
}

impl FromStr for Id {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once(':').and_then(|(seed, place)| {
            let (turns, index) = match place.split_once(':') {
                Some((family, index)) => (Turns::from_name(family)?, index),
                None => (Turns::First, place),
            };
            Some(Self { seed: seed.parse().ok()?, turns, index: index.parse().ok()? })
        });
        parts.ok_or("expected SEED:INDEX, two numbers, or SEED:FAMILY:INDEX")
    }
}

impl Ord for Id {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = |id: &Self| (id.seed, id.round(), id.turns, id.index);
        place(self).cmp(&place(other))
    }
}

impl PartialOrd for Id {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The calls of these specs, in order: those of a round of every row, then of the next.
pub fn row(seed: u64, specs: &[Spec]) -> impl Iterator<Item = Id> + '_ {
    let round = move |round: u64| {
        Turns::ALL.into_iter().flat_map(move |turns| {
            let length = calls_of_a_round(turns);
            (round * length..(round + 1) * length).map(move |index| Id { seed, turns, index })
        })
    };
    (0..).flat_map(round).filter(|id| specs.contains(&id.spec()))
}

/// What the call of this place is called in reports: a name as cases have one.
pub fn name(id: Id, call: &Call) -> String {
    corpus::name(&format!("generated-{id}"), call.spec(), call.data.dtype())
}

/// A generated call that speaks against the backend.
#[derive(Clone, Debug)]
pub struct Find {
    /// Which one.
    pub id: Id,
    /// The call.
    pub call: Call,
    /// What is wrong.
    pub verdict: Verdict,
}

/// What came of generated calls.
#[derive(Clone, Debug, Default)]
pub struct Generated {
    /// The row they stand in.
    pub seed: u64,
    /// The counts of each spec that was called, in spec order.
    pub tallies: BTreeMap<Spec, Tally>,
    /// Every call that speaks against the backend, in the order of the row.
    pub finds: Vec<Find>,
    /// Every call that conforms, in the order in which they were judged.
    pub conforming: Vec<Id>,
    /// What the answers say of readings.
    pub readings: Answers<Id>,
    /// What was measured, over all answers.
    pub measured: Measured,
    /// Why calls were declined, in the backend's words, and how many.
    pub unsupported: BTreeMap<String, usize>,
    /// Where calls are declined whose neighbours are not.
    pub neighbours: Neighbours,
    /// Which element types are supported.
    pub support: Support,
    /// Answers that are accepted and are not the norm.
    pub hazards: Hazards<Id>,
}

/// A generated call, with everything its answer may be.
#[derive(Clone, Debug)]
pub struct Made {
    /// Which one.
    pub id: Id,
    /// The call.
    pub call: Call,
    /// What an answer may be.
    pub sheet: Sheet,
}

impl Made {
    /// The call of this place, ruled on by the oracle.
    ///
    /// # Errors
    /// [`TensorError`] when the reference cannot hold a result, which no call that is generated asks for.
    pub fn of(id: Id) -> Result<Self, TensorError> {
        Self::by(Evaluator::Oracle, id)
    }

    /// The call of this place, with values that this evaluator computes.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn by(evaluator: Evaluator, id: Id) -> Result<Self, TensorError> {
        let call = id.call();
        let sheet = Sheet::by(evaluator, &call)?;
        Ok(Self { id, call, sheet })
    }
}

impl Asked for Made {
    fn name(&self) -> String {
        self.id.to_string()
    }

    fn call(&self) -> &Call {
        &self.call
    }

    fn sheet(&self) -> &Sheet {
        &self.sheet
    }
}

/// Makes the first `calls` calls of these specs, and those that tell why some of them were refused.
///
/// # Errors
/// As [`Made::of`].
pub fn run(
    seed: u64,
    calls: usize,
    specs: &[Spec],
    backend: &mut dyn Driver,
    demands: &Demands,
) -> Result<Generated, TensorError> {
    let mut generated = Generated { seed, ..Generated::default() };
    // Without a spec the row has no end and no call.
    let calls = if specs.is_empty() { 0 } else { calls };
    let mut failed = Ok(());
    let asked = row(seed, specs).filter(|id| id.is_for(&demands.capabilities)).take(calls);
    let made = asked.map_while(|id| match Made::of(id) {
        Ok(made) => Some(made),
        Err(error) => {
            failed = Err(error);
            None
        }
    });
    let (mut doubts, mut held) = (Doubts::of(&demands.capabilities), Vec::new());
    for judged in Run::over(made, &mut *backend, demands) {
        if doubts.offer(&judged) { held.push(judged) } else { generated.count(&judged) }
    }
    failed?;
    let settled = doubts.settle(&mut |calls| backend.ask_all(calls));
    generated.count_settled(held, &settled);
    Ok(generated)
}

impl Generated {
    /// Counts what came of one call.
    pub fn count(&mut self, judged: &Judged<Made>) {
        self.neighbours.count(
            &name(judged.asked.id, &judged.asked.call),
            &judged.asked.call,
            &judged.verdict,
        );
        self.count_beside(judged);
    }

    /// Counts everything but the neighbours.
    fn count_beside(&mut self, Judged { asked: Made { id, call, sheet }, verdict, .. }: &Judged<Made>) {
        self.tallies.entry(call.spec()).or_default().count(verdict, sheet.entries.len() > 1);
        self.support.count(call, sheet.takes_all(), verdict);
        if let Some(accuracy) = verdict.accuracy() {
            self.measured.add(call, accuracy);
        }
        match verdict {
            Verdict::Conforms { accepting, hazard, .. } => {
                if let Some(hazard) = hazard {
                    self.hazards.add(call, hazard, *id);
                }
                self.readings.add(call, accepting, *id);
                self.conforming.push(*id);
            }
            Verdict::Unsupported(why) => *self.unsupported.entry(why.clone()).or_default() += 1,
            Verdict::Fails(_) | Verdict::Crashed(_) | Verdict::TimedOut(_) => {
                self.finds.push(Find { id: *id, call: call.clone(), verdict: verdict.clone() });
            }
        }
    }

    /// Counts what came of calls that were held back until it was [settled](Settled) what their refusals mean.
    pub fn count_settled(&mut self, held: Vec<Judged<Made>>, settled: &Settled) {
        for mut judged in held {
            let name = judged.asked.name();
            settled.apply(&name, &mut judged.verdict);
            // That the type or the form is not supported is known of all its calls, and hides nothing.
            if settled.is_unsupported(&name) { self.count_beside(&judged) } else { self.count(&judged) }
        }
        self.finds.sort_by_key(|find| find.id);
        self.conforming.sort_unstable();
    }

    /// The counts over all specs.
    pub fn total(&self) -> Tally {
        Tally::sum(self.tallies.values())
    }
}

/// The clause that decides against an answer.
pub(crate) fn clause(call: &Call, verdict: &Verdict, ledger: &Ledger) -> ClauseRef {
    let mismatch = match verdict {
        Verdict::Fails(misses) => misses.first().map(|miss| &miss.mismatch),
        _ => None,
    };
    cited::clause(call, mismatch, ledger)
}

impl Find {
    /// A name as cases have one.
    pub fn name(&self) -> String {
        name(self.id, &self.call)
    }

    /// The clause that the backend does not keep to.
    pub fn clause(&self, ledger: &Ledger) -> ClauseRef {
        clause(&self.call, &self.verdict, ledger)
    }
}
