//! The statement of an answer as the solver takes it: a disjunction of conjunctions over places.
//!
//! A place is a variable with two to eight values, its question's readings; a bit mask is a set of them. A
//! clause is kept reduced: no cube lies inside another, none mentions a place that it leaves open, and cubes
//! that differ in one place are joined. Nothing here searches.

use std::collections::{BTreeMap, BTreeSet};

use super::place::Place;

/// A set of readings of one question: bit n stands for the nth.
pub(super) type Mask = u8;

/// The number of a place in a [`Space`].
pub(super) type Var = usize;

/// All places, numbered in the order they were met.
#[derive(Clone, Debug, Default)]
pub(super) struct Space {
    numbers: BTreeMap<Place, Var>,
    /// The place of each number.
    places: Vec<Place>,
    /// The mask of all readings of each place.
    pub(super) full: Vec<Mask>,
}

impl Space {
    /// Returns the number of a place, and adds it if it is new.
    pub(super) fn var(&mut self, place: Place) -> Var {
        *self.numbers.entry(place).or_insert_with(|| {
            self.places.push(place);
            let readings = place.question.readings().len();
            self.full.push(Mask::MAX >> (Mask::BITS as usize - readings.min(Mask::BITS as usize)));
            self.places.len() - 1
        })
    }

    /// Returns the place of this number.
    pub(super) fn place(&self, var: Var) -> Place {
        self.places[var]
    }
}

/// A conjunction: each place has one of a set of readings, neither empty nor full. Sorted by place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cube(Vec<(Var, Mask)>);

impl Cube {
    /// Combines these readings; `None` if they contradict each other.
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

    /// Returns true if some assignment within `state` lies in the cube.
    pub(super) fn meets(&self, state: &[Mask]) -> bool {
        self.0.iter().all(|&(var, mask)| state[var] & mask != 0)
    }

    /// Returns true if every assignment within `state` lies in the cube.
    pub(super) fn holds(&self, state: &[Mask]) -> bool {
        self.0.iter().all(|&(var, mask)| state[var] & !mask == 0)
    }

    /// Returns true if all of `other` lies in this cube.
    fn contains(&self, other: &Self) -> bool {
        self.0.iter().all(|&(var, mask)| other.get(var).is_some_and(|within| within & !mask == 0))
    }

    /// Returns the cube without this place.
    fn without(&self, var: Var) -> Self {
        Self(self.0.iter().copied().filter(|&(known, _)| known != var).collect())
    }

    /// Returns the cube with this place added, unless the mask allows every reading.
    fn with(mut self, var: Var, mask: Mask, full: &[Mask]) -> Self {
        if mask != full[var] {
            let at = self.0.partition_point(|&(known, _)| known < var);
            self.0.insert(at, (var, mask));
        }
        self
    }
}

/// A disjunction of cubes. Never empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Clause(Vec<Cube>);

impl Clause {
    /// Returns the reduced disjunction; `None` if a cube covers everything, or if there are none.
    pub(super) fn of(mut cubes: Vec<Cube>, full: &[Mask]) -> Option<Self> {
        let vars: BTreeSet<Var> = cubes.iter().flat_map(|cube| cube.0.iter().map(|&(var, _)| var)).collect();
        loop {
            let before = cubes.len();
            for &var in &vars {
                // Cubes that differ only in this place are joined.
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
        // No two are equal, so of nested cubes one stays.
        let kept = (0..cubes.len()).filter(|at| !inside(at)).map(|at| cubes[at].clone()).collect();
        Some(Self(kept))
    }

    pub(super) fn cubes(&self) -> &[Cube] {
        &self.0
    }

    /// Returns every place that it mentions, possibly repeated.
    pub(super) fn vars(&self) -> impl Iterator<Item = Var> + '_ {
        self.0.iter().flat_map(|cube| cube.0.iter().map(|&(var, _)| var))
    }

    pub(super) fn mentions(&self, var: Var) -> bool {
        self.vars().any(|mentioned| mentioned == var)
    }

    /// Returns the clause restricted to these places; other places may be read anew for every answer.
    pub(super) fn onto(&self, keeps: impl Fn(Var) -> bool, full: &[Mask]) -> Option<Self> {
        let onto = |cube: &Cube| Cube(cube.0.iter().copied().filter(|&(var, _)| keeps(var)).collect());
        Self::of(self.0.iter().map(onto).collect(), full)
    }

    /// Returns the clause after places are limited to `state`.
    pub(super) fn within(&self, state: &[Mask], full: &[Mask]) -> Option<Self> {
        Self::of(self.0.iter().filter(|cube| cube.meets(state)).cloned().collect(), full)
    }

    /// Returns the clause with `var` replaced by another place.
    pub(super) fn renamed(&self, var: Var, to: Var) -> Self {
        let rename = |cube: &Cube| {
            let mut literals: Vec<(Var, Mask)> =
                cube.0.iter().map(|&(known, mask)| (if known == var { to } else { known }, mask)).collect();
            literals.sort_unstable();
            Cube(literals)
        };
        Self(self.0.iter().map(rename).collect())
    }

    /// Returns the readings of a place that it leaves possible.
    pub(super) fn mask(&self, var: Var, full: &[Mask]) -> Mask {
        self.0.iter().fold(0, |mask, cube| mask | cube.get(var).unwrap_or(full[var]))
    }

    /// Returns true if a total assignment satisfies it.
    pub(super) fn holds(&self, state: &[Mask]) -> bool {
        self.0.iter().any(|cube| cube.holds(state))
    }
}
