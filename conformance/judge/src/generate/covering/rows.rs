//! Assigns type, position and remainder to generated calls of a row, in turn, so that their shares are not left
//! to chance. All other factors are drawn.

use std::sync::OnceLock;

use normative_reference::{Dtype, Spec};

use super::Position;
use crate::generate::turns::Turns;

/// The turns of a type that few specs accept, for one turn of any other.
const OFTEN: usize = 4;

/// Returns the type whose turn it is among those of a spec.
pub(crate) fn dtype(spec: Spec, place: usize) -> Dtype {
    let dtypes = dtypes(spec);
    // The fallback is never taken: every spec accepts a type.
    dtypes.get(place % dtypes.len().max(1)).copied().unwrap_or(Dtype::F32)
}

/// Returns the position whose turn it is, with each type in turn. One in ten reduces everything.
pub(crate) fn position(spec: Spec, place: usize) -> Position {
    use Position::{All, Inner, Middle, Outer, Several};
    const ROW: [Position; 10] = [Inner, Outer, Several, Middle, All, Outer, Inner, Several, Middle, Outer];
    if Position::of(spec).len() == 1 {
        return All;
    }
    let (round, of_type) = round(spec, place);
    ROW[(round + 3 * of_type) % ROW.len()]
}

/// Returns the remainder by 8 of the length, advancing after a turn of every position. Short lengths ignore it.
pub(crate) fn residue(spec: Spec, place: usize) -> usize {
    let (round, of_type) = round(spec, place);
    let positions = if Position::of(spec).len() == 1 { 1 } else { 10 };
    (round / positions + 3 * of_type) % 8
}

/// Returns the number of complete rounds of types before, and the turn within this round.
fn round(spec: Spec, place: usize) -> (usize, usize) {
    let turns = dtypes(spec).len().max(1);
    (place / turns, place % turns)
}

/// Returns the types of a spec in the order of their turns. A type that fewer than half of the specs of its
/// norm accept has several turns, so that all types get about as many calls.
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
        // If all types are rare, each has one turn.
        let again = if common.is_empty() { 0 } else { OFTEN - 1 };
        // Rare types come first, and again after the others.
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
