//! Identifies generated calls: each is made from the seed and its place alone.
//!
//! Calls form endless rows. The place decides the spec, the intended kind of call and its purpose; the seed
//! decides the drawn contents.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use arbitrary::Unstructured;
use normative_backend::{Capabilities, Declared};
use normative_reference::{Call, Dtype, Layout, Spec};

use crate::generate::neighbour::{self, Difference};
use crate::generate::turns::Turns;
use crate::generate::{self, CallLimits, Profile};
use crate::random;

/// The number of bytes that spell a call. Long tensors are drawn from a seed among them, so this is always enough.
const BYTES: usize = 256;

/// The number of bytes that is enough for nearly every call.
const FIRST_BYTES: usize = 64;

/// The identifier of a generated call. Ordered as a run asks them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Id {
    /// The seed that calls are drawn from.
    pub seed: u64,
    /// The specs that take turns in its row.
    pub turns: Turns,
    /// The place in the row, from 0.
    pub index: u64,
}

impl Id {
    /// Returns a call of the row that OpenVINO, ONNX and BNNS share.
    pub const fn first(seed: u64, index: u64) -> Self {
        Self { seed, turns: Turns::First, index }
    }

    /// Returns the spec: the specs of the row take turns, two calls each. The second may ask for the other norm.
    pub fn spec(self) -> Spec {
        self.neighbour_turn().map_or(self.turn_of(), |turn| neighbour::spec_of(self.turn_of(), turn))
    }

    /// Returns the spec whose turn it is.
    fn turn_of(self) -> Spec {
        let slots = self.turns.slots();
        // The remainder is less than the number of slots.
        slots[(self.index / 2 % slots.len() as u64) as usize]
    }

    /// Returns the kind that both calls of the pair are meant to be: of 16 pairs of a spec, 10 are valid, 3 open and
    /// 3 invalid. If the spec refuses nothing, they are open instead, or valid if it leaves no form open either.
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

    /// Returns the turn of the difference from the call before, if this call is its [neighbour]: the second of every
    /// tenth pair, unless that is invalid, because a refused call keeps nothing.
    fn neighbour_turn(self) -> Option<usize> {
        let is_neighbour = self.index % 2 == 1
            && self.pair().is_multiple_of(10)
            && self.profile_for(self.turn_of()) != Profile::Invalid;
        // Ten pairs share a factor with the 8 turns and the 16 profiles, so each round of turns begins one later.
        is_neighbour.then_some((self.pair() / 10 + self.pair() / 80) as usize)
    }

    /// Returns the call that this neighbour must be asked right after, by the same process: the first of its
    /// pair. `None` if this call is not meant as a neighbour.
    pub fn before(self) -> Option<Self> {
        self.neighbour_turn().map(|_| self.first_of_pair())
    }

    /// Returns the first call of its pair.
    #[must_use]
    pub const fn first_of_pair(self) -> Self {
        Self { index: self.index / 2 * 2, ..self }
    }

    /// Returns the only difference between this call and the one [before](Self::before) it.
    pub fn difference(self) -> Option<Difference> {
        self.neighbour().map(|(difference, _)| difference)
    }

    /// Returns the neighbour of the call before, if there is one.
    fn neighbour(self) -> Option<(Difference, Call)> {
        let (turn, before) = (self.neighbour_turn()?, self.before()?.call());
        let salt = random::splitmix64(self.seed, self.index);
        neighbour::neighbour(&before, self.spec(), self.profile(), turn, salt)
    }

    /// Returns the number of the pair among those of its spec.
    fn pair(self) -> u64 {
        let (slots, slot) = (self.turns.slots(), self.index / 2);
        let at = (slot % slots.len() as u64) as usize;
        let mine = |some: &[Spec]| some.iter().filter(|&&spec| spec == slots[at]).count() as u64;
        slot / slots.len() as u64 * mine(slots) + mine(&slots[..at])
    }

    /// Returns the number of the round of its row.
    fn round(self) -> u64 {
        self.index / calls_of_a_round(self.turns)
    }

    /// Returns true for the second of every fifth pair, which has the dims of the first unless it is a neighbour.
    fn is_twin(self) -> bool {
        self.index % 2 == 1 && self.pair().is_multiple_of(5)
    }

    /// Returns the purpose of the call.
    fn aim(self) -> Aim {
        let pair = self.pair();
        // The first ten of sixteen pairs are valid.
        if pair % 16 >= 10 {
            return Aim::Form;
        }
        let place = (pair / 16 * 10 + pair % 16) as usize;
        // Odd pairs aim the second call at a kernel, except where it has the dims of the first.
        match (self.index.is_multiple_of(2), pair % 5) {
            (true, 0) | (false, 1..) => Aim::Kernel(place),
            (true, 1..=3) => Aim::Special(place),
            _ => Aim::Form,
        }
    }

    /// Returns true for the second of one pair in five, if it is valid: it has a layout. Neighbours never have one.
    fn has_layout(self) -> bool {
        let is_among = matches!(self.pair() % 10, 3 | 5) && self.index % 2 == 1;
        is_among && self.profile() == Profile::Valid
    }

    /// Returns the element type of the call's data. Most calls need not be made for it.
    pub fn dtype(self) -> Dtype {
        if self.neighbour_turn().is_some() {
            return self.drawn().data.dtype();
        }
        match self.aim() {
            Aim::Kernel(place) => generate::kernel_dtype(self.spec(), place),
            Aim::Special(place) => generate::special_dtype(self.spec(), place),
            Aim::Form => {
                let shape = self.shape_of_twin();
                let limits = CallLimits::default();
                self.draw(|bytes| {
                    generate::dtype(bytes, self.spec(), self.profile(), limits, shape.as_deref())
                })
            }
        }
    }

    /// Returns the call with row-major data.
    pub fn call(self) -> Call {
        Call { layout: Layout::RowMajor, ..self.laid_out() }
    }

    /// Returns the call for a backend with these capabilities: in its layout, if the backend supports that.
    pub fn call_for(self, capabilities: &Capabilities) -> Call {
        let call = self.laid_out();
        let layout = Some(call.layout).filter(|layout| capabilities.layouts.contains(layout));
        Call { layout: layout.unwrap_or_default(), ..call }
    }

    /// Returns the call in its layout.
    fn laid_out(self) -> Call {
        let call = self.drawn();
        let salt = random::splitmix64(!self.seed, self.index);
        if self.has_layout() { generate::laid_out(call, salt) } else { call }
    }

    fn drawn(self) -> Call {
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
        let (limits, shape) = (CallLimits::default(), self.shape_of_twin());
        self.draw(|bytes| {
            generate::call_of_shape(bytes, self.spec(), self.profile(), limits, shape.as_deref())
        })
    }

    /// Returns the dims of the first call of its pair, if this call has the same.
    fn shape_of_twin(self) -> Option<Vec<usize>> {
        self.is_twin().then(|| self.first_of_pair().shape())
    }

    /// Returns the dims of the call's data.
    fn shape(self) -> Vec<usize> {
        match self.aim() {
            Aim::Kernel(_) | Aim::Special(_) => self.call().data.shape().to_vec(),
            Aim::Form => {
                self.draw(|bytes| generate::shape(bytes, self.spec(), self.profile(), CallLimits::default()))
            }
        }
    }

    /// Draws something from the bytes that spell the call. Most calls need few bytes, so a short prefix is made
    /// first. If bytes of it are left over, the rest would not have been read.
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
    /// Its form: the axes, their spelling, the attributes.
    Form,
    /// The loop that it runs through: the call at this place among those of its spec.
    Kernel(usize),
    /// The contents of its rows: the call at this place among those of its spec.
    Special(usize),
}

/// Returns the number of calls of a row until every spec has had its turns.
fn calls_of_a_round(turns: Turns) -> u64 {
    2 * turns.slots().len() as u64
}

/// Returns the number of calls of these specs in so many rounds of all rows. Independent of other specs.
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

/// Returns the calls of these specs, in order: one round of every row, then the next round. An empty list of specs gives
/// no calls.
pub fn row(seed: u64, specs: &[Spec]) -> impl Iterator<Item = Id> + use<> {
    let specs = specs.to_vec();
    let round = move |round: u64| {
        Turns::ALL.into_iter().flat_map(move |turns| {
            let length = calls_of_a_round(turns);
            (round * length..(round + 1) * length).map(move |index| Id { seed, turns, index })
        })
    };
    // Without a spec, the filter would search for a call forever.
    let rounds = if specs.is_empty() { 0..0 } else { 0..u64::MAX };
    rounds.flat_map(round).filter(move |id| specs.contains(&id.spec()))
}

/// Returns the calls of [`row`] that a backend declares. A call keeps its place, and so its name, whatever is declared.
pub fn declared_row<'a>(
    seed: u64,
    specs: &[Spec],
    declared: &'a Declared,
) -> impl Iterator<Item = Id> + use<'a> {
    let drawn: Vec<Spec> = declared.drawn(specs).collect();
    row(seed, &drawn).filter(move |id| declared.dtypes.is_empty() || declared.has_dtype(id.dtype()))
}
