//! What an answer says of readings, as the solver takes it: a disjunction of conjunctions over places.
//!
//! A place is a variable with two to eight values, its question's readings; a set of them is a bit mask. A clause is
//! kept reduced: no cube lies inside another, none mentions a place that it leaves open, and cubes that differ in one
//! place are one. Nothing here searches.

use std::collections::{BTreeMap, BTreeSet};

use super::place::Place;

/// A set of the readings of one question: bit n stands for the nth.
pub(super) type Mask = u8;

/// A place, by its number in a [`Space`].
pub(super) type Var = usize;

/// The places that there are, numbered in the order they were met.
#[derive(Clone, Debug, Default)]
pub(super) struct Space {
    numbers: BTreeMap<Place, Var>,
    /// Of each place.
    places: Vec<Place>,
    /// Every reading of each place.
    pub(super) full: Vec<Mask>,
}

impl Space {
    /// The number of a place, which may be a new one.
    pub(super) fn var(&mut self, place: Place) -> Var {
        *self.numbers.entry(place).or_insert_with(|| {
            self.places.push(place);
            let readings = place.question.readings().len();
            self.full.push(Mask::MAX >> (Mask::BITS as usize - readings.min(Mask::BITS as usize)));
            self.places.len() - 1
        })
    }

    /// The place of this number.
    pub(super) fn place(&self, var: Var) -> Place {
        self.places[var]
    }
}

/// Readings of several places together: each place has one of a set, neither empty nor full. Sorted by place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cube(Vec<(Var, Mask)>);

impl Cube {
    /// These readings together; `None` where they contradict each other.
    pub(super) fn of(mut literals: Vec<(Var, Mask)>) -> Option<Self> {
        literals.sort_unstable();
        let mut cube: Vec<(Var, Mask)> = Vec::with_capacity(literals.len());
        for (var, mask) in literals {
            match cube.last_mut() {
                Some((last, masks)) if *last == var => *masks &= mask,
                _ => cube.push((var, mask)),
            }
        }
        cube.iter().all(|(_, mask)| *mask != 0).then_some(Self(cube))
    }

    pub(super) fn literals(&self) -> &[(Var, Mask)] {
        &self.0
    }

    fn get(&self, var: Var) -> Option<Mask> {
        self.0.binary_search_by_key(&var, |&(var, _)| var).ok().map(|at| self.0[at].1)
    }

    /// Whether some assignment within `state` lies in the cube.
    pub(super) fn meets(&self, state: &[Mask]) -> bool {
        self.0.iter().all(|&(var, mask)| state[var] & mask != 0)
    }

    /// Whether every assignment within `state` lies in the cube.
    pub(super) fn holds(&self, state: &[Mask]) -> bool {
        self.0.iter().all(|&(var, mask)| state[var] & !mask == 0)
    }

    /// Whether all of `other` lies in this one.
    fn contains(&self, other: &Self) -> bool {
        self.0.iter().all(|&(var, mask)| other.get(var).is_some_and(|within| within & !mask == 0))
    }

    /// It, without this place.
    fn without(&self, var: Var) -> Self {
        Self(self.0.iter().copied().filter(|&(known, _)| known != var).collect())
    }

    /// It, with this place read so, unless it may be read in any way.
    fn with(mut self, var: Var, mask: Mask, full: &[Mask]) -> Self {
        if mask != full[var] {
            let at = self.0.partition_point(|&(known, _)| known < var);
            self.0.insert(at, (var, mask));
        }
        self
    }
}

/// One of these cubes holds. Never empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Clause(Vec<Cube>);

impl Clause {
    /// One of these cubes, reduced; `None` where every assignment lies in one of them, or where there is none.
    pub(super) fn of(mut cubes: Vec<Cube>, full: &[Mask]) -> Option<Self> {
        let vars: BTreeSet<Var> = cubes.iter().flat_map(|cube| cube.0.iter().map(|&(var, _)| var)).collect();
        loop {
            let before = cubes.len();
            for &var in &vars {
                // Cubes that differ in this place alone are one.
                let mut joined: BTreeMap<Cube, Mask> = BTreeMap::new();
                for cube in &cubes {
                    *joined.entry(cube.without(var)).or_default() |= cube.get(var).unwrap_or(full[var]);
                }
                cubes = joined.into_iter().map(|(cube, mask)| cube.with(var, mask, full)).collect();
            }
            if cubes.len() == before {
                break;
            }
        }
        cubes.sort_unstable();
        if cubes.first().is_none_or(|cube| cube.0.is_empty()) {
            return None;
        }
        let inside = |at: &usize| {
            let others = (0..cubes.len()).filter(|other| other != at);
            others.into_iter().any(|other| cubes[other].contains(&cubes[*at]))
        };
        // No two are equal, so of those inside each other one stays.
        let kept = (0..cubes.len()).filter(|at| !inside(at)).map(|at| cubes[at].clone()).collect();
        Some(Self(kept))
    }

    pub(super) fn cubes(&self) -> &[Cube] {
        &self.0
    }

    /// Every place that it mentions; some more than once.
    pub(super) fn vars(&self) -> impl Iterator<Item = Var> + '_ {
        self.0.iter().flat_map(|cube| cube.0.iter().map(|&(var, _)| var))
    }

    pub(super) fn mentions(&self, var: Var) -> bool {
        self.vars().any(|mentioned| mentioned == var)
    }

    /// What it says where only these places count and each other may be read anew for every answer.
    pub(super) fn onto(&self, keeps: impl Fn(Var) -> bool, full: &[Mask]) -> Option<Self> {
        let onto = |cube: &Cube| Cube(cube.0.iter().copied().filter(|&(var, _)| keeps(var)).collect());
        Self::of(self.0.iter().map(onto).collect(), full)
    }

    /// What it says where other places are read within `state`.
    pub(super) fn within(&self, state: &[Mask], full: &[Mask]) -> Option<Self> {
        Self::of(self.0.iter().filter(|cube| cube.meets(state)).cloned().collect(), full)
    }

    /// It, about another place instead of `var`.
    pub(super) fn renamed(&self, var: Var, to: Var) -> Self {
        let rename = |cube: &Cube| {
            let mut literals: Vec<(Var, Mask)> =
                cube.0.iter().map(|&(known, mask)| (if known == var { to } else { known }, mask)).collect();
            literals.sort_unstable();
            Cube(literals)
        };
        Self(self.0.iter().map(rename).collect())
    }

    /// The readings of a place that it leaves possible.
    pub(super) fn mask(&self, var: Var, full: &[Mask]) -> Mask {
        self.0.iter().fold(0, |mask, cube| mask | cube.get(var).unwrap_or(full[var]))
    }

    /// Whether a total assignment satisfies it.
    pub(super) fn holds(&self, state: &[Mask]) -> bool {
        self.0.iter().any(|cube| cube.holds(state))
    }
}
