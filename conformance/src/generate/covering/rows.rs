//! Which type, position and remainder a generated call has, in the order of a row: each in turn, so that no share is left to chance.
//! All other factors are drawn.

use std::sync::OnceLock;

use normative_reference::{Dtype, Spec};

use super::Position;
use crate::generate::turns::Turns;

/// The turns of a type that few specs take, for one turn of any other.
const OFTEN: usize = 4;

/// The type whose turn it is among those of a spec.
pub(crate) fn dtype(spec: Spec, place: usize) -> Dtype {
    let dtypes = dtypes(spec);
    // No spec takes no type.
    dtypes.get(place % dtypes.len().max(1)).copied().unwrap_or(Dtype::F32)
}

/// The position whose turn it is, with each type in turn. One in ten reduces everything.
pub(crate) fn position(spec: Spec, place: usize) -> Position {
    use Position::{All, Inner, Middle, Outer, Several};
    const ROW: [Position; 10] = [Inner, Outer, Several, Middle, All, Outer, Inner, Several, Middle, Outer];
    if Position::of(spec).len() == 1 {
        return All;
    }
    let (round, of_type) = round(spec, place);
    ROW[(round + 3 * of_type) % ROW.len()]
}

/// The remainder by 8 of the length whose turn it is, after every position had its own. Short lengths have what they have.
pub(crate) fn residue(spec: Spec, place: usize) -> usize {
    let (round, of_type) = round(spec, place);
    let positions = if Position::of(spec).len() == 1 { 1 } else { 10 };
    (round / positions + 3 * of_type) % 8
}

/// How often every type had its turn before, and the how manieth turn of this round it is.
fn round(spec: Spec, place: usize) -> (usize, usize) {
    let turns = dtypes(spec).len().max(1);
    (place / turns, place % turns)
}

/// The types of a spec in the order of their turns. A type that fewer than half of the calls of its norm can have stands several
/// times, so that all types have about as many calls.
pub(crate) fn dtypes(spec: Spec) -> &'static [Dtype] {
    static ORDERS: [OnceLock<Vec<Dtype>>; Spec::ALL.len()] = [const { OnceLock::new() }; Spec::ALL.len()];
    let order = || {
        let slots =
            || Turns::ALL.into_iter().flat_map(Turns::slots).filter(|other| other.norm() == spec.norm());
        let is_rare = |dtype: &Dtype| {
            2 * slots().filter(|other| other.rules().dtypes.contains(dtype)).count() < slots().count()
        };
        let (rare, common): (Vec<Dtype>, Vec<Dtype>) =
            spec.rules().dtypes.iter().partition(|dtype| is_rare(dtype));
        // Where all are, each has as many turns as any.
        let again = if common.is_empty() { 0 } else { OFTEN - 1 };
        // Rare ones first, and again after the others.
        [rare.clone(), common, rare.repeat(again)].concat()
    };
    let at = Spec::ALL.iter().position(|other| *other == spec).unwrap_or(0);
    ORDERS[at].get_or_init(order)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_type_of_a_spec_has_its_turn_with_every_position_and_remainder() {
        for spec in Spec::ALL {
            let met: BTreeSet<_> = (0..2500)
                .map(|place| (dtype(spec, place), position(spec, place), residue(spec, place)))
                .collect();
            let all = 8 * spec.rules().dtypes.len() * Position::of(spec).len();
            assert_eq!(met.len(), all, "{spec}");
        }
    }
}
