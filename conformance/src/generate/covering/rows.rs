//! The kernels that generated calls run through, in the order of a row.
//!
//! The first [`ROUND`] of each spec are a covering array, made greedily: of some candidates that one is taken which meets
//! most combinations that none before it met. Those that only a few specs can meet (types of OpenVINO alone) are thereby
//! met first. After them, every type, position and residue has its turn, with sizes and inner dims as they come.

use std::collections::BTreeSet;
use std::iter::repeat_n;
use std::sync::OnceLock;

use normative_reference::{Dtype, Spec};

use super::design::{Combinations, of_type};
use super::{Inner, Kernel, Position, Size};
use crate::generate::turns::Turns;
use crate::random::splitmix64;

/// How many kernels of each spec the covering array has: those of the first 5,000 calls of OpenVINO,
/// ONNX and BNNS, and of the first 6,000 of all families.
pub(crate) const ROUND: usize = 124;

/// More candidates make the array a little better and slower to make.
const CANDIDATES: usize = 24;

/// The kernel of this place among those of a spec.
pub(crate) fn kernel(spec: Spec, place: usize) -> Kernel {
    static ARRAYS: [OnceLock<Vec<Vec<Kernel>>>; Turns::ALL.len()] =
        [const { OnceLock::new() }; Turns::ALL.len()];
    let turns = Turns::of(spec);
    let row = Turns::ALL.iter().position(|other| *other == turns).unwrap_or(0);
    let at = turns.specs().iter().position(|other| *other == spec).unwrap_or(0);
    let array = ARRAYS[row].get_or_init(|| array(turns.specs())).get(at).map_or(&[][..], Vec::as_slice);
    array.get(place).copied().unwrap_or_else(|| turn(spec, place - ROUND))
}

/// The covering array of the specs of a row: [`ROUND`] kernels of each. Where no candidate meets anything new, it is the turn of a type, position
/// and residue that this norm has not met together.
fn array(specs: &[Spec]) -> Vec<Vec<Kernel>> {
    // A type that few specs take is as many more times among the candidates.
    let candidates = specs.iter().map(|&spec| -> Vec<Vec<Kernel>> {
        let dtypes = spec.rules().dtypes.iter();
        let often = dtypes.flat_map(|&dtype| repeat_n(dtype, specs.len() / takers(specs, dtype).max(1)));
        often.map(|dtype| of_type(spec, dtype).collect()).collect()
    });
    let candidates: Vec<_> = candidates.collect();
    let combinations = Combinations::new();
    let mut met = vec![false; combinations.count];
    let mut array = vec![Vec::with_capacity(ROUND); specs.len()];
    let mut together = BTreeSet::new();
    let mut drawn = 0;
    let mut below = |count: usize| {
        drawn += 1;
        (splitmix64(0, drawn) >> 32) as usize % count.max(1)
    };
    for place in 0..ROUND {
        for ((&spec, types), kernels) in specs.iter().zip(&candidates).zip(&mut array) {
            let mut best = (0, None);
            for _ in 0..CANDIDATES {
                let of_type = &types[below(types.len())];
                let candidate = of_type[below(of_type.len())];
                let new = combinations.of(candidate).filter(|&number| !met[number]).count();
                if new > best.0 {
                    best = (new, Some(candidate));
                }
            }
            let four = |kernel: &Kernel| (spec.norm(), kernel.dtype, kernel.position, kernel.residue);
            let mut turns = (0..40 * types.len()).map(|place| turn(spec, place));
            let rest = || turns.find(|kernel| !together.contains(&four(kernel)));
            let kernel = best.1.or_else(rest).unwrap_or_else(|| turn(spec, place));
            combinations.of(kernel).for_each(|number| met[number] = true);
            if kernel.size >= Size::Vector {
                together.insert(four(&kernel));
            }
            kernels.push(kernel);
        }
    }
    array
}

/// The types a spec takes, those that few specs of its row take first. Every generated call asks for them, so they are put in
/// order once.
pub(crate) fn rarest_first(spec: Spec) -> &'static [Dtype] {
    static ORDERS: [OnceLock<Vec<Dtype>>; Spec::ALL.len()] = [const { OnceLock::new() }; Spec::ALL.len()];
    let order = || {
        let (specs, mut dtypes) = (Turns::of(spec).specs(), spec.rules().dtypes.to_vec());
        dtypes.sort_by_key(|&dtype| takers(specs, dtype));
        dtypes
    };
    let at = Spec::ALL.iter().position(|other| *other == spec).unwrap_or(0);
    ORDERS[at].get_or_init(order)
}

/// How many of these specs take the type.
fn takers(specs: &[Spec], dtype: Dtype) -> usize {
    specs.iter().filter(|spec| spec.rules().dtypes.contains(&dtype)).count()
}

/// The kernel whose turn it is: type by type, those that few specs take first, each position with each residue. Runs are
/// of a vector or more, for a tail to have something before it.
fn turn(spec: Spec, place: usize) -> Kernel {
    let (dtypes, positions) = (rarest_first(spec), Position::of(spec));
    let cells = 8 * positions.len();
    let (of_type, cell) = (place / cells, place % cells);
    // No spec takes no type.
    let dtype = dtypes.get(of_type % dtypes.len().max(1)).copied().unwrap_or(Dtype::F32);
    let draw = splitmix64(1, place as u64) as usize;
    let kernel = |at: usize| Kernel {
        spec,
        dtype,
        position: positions[cell % positions.len()],
        residue: (cell / positions.len()) as u8,
        size: [Size::Vector, Size::Vectors, Size::Long][draw % 3],
        inner: Inner::ALL[at % 5],
    };
    // At most four alignments do not go with a position.
    (0..4)
        .map(|step| kernel(draw / 3 % 5 + step))
        .find(Kernel::is_possible)
        .unwrap_or(kernel(draw / 3 % 5 + 4))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::generate::covering::design::Coverage;

    #[test]
    fn the_array_covers_every_pair_and_95_of_100_triples() {
        let mut coverage = Coverage::of([]).unwrap();
        for turns in Turns::ALL {
            array(turns.specs()).concat().into_iter().for_each(|kernel| coverage.add(kernel));
        }
        assert!(coverage.is_enough(), "{} {} {:?}", coverage.pairs(), coverage.triples(), coverage.missing());
    }

    #[test]
    fn every_kernel_of_a_row_is_possible_and_no_cell_is_left_out() {
        for spec in Spec::ALL {
            let cells = 8 * Position::of(spec).len() * spec.rules().dtypes.len();
            let kernels: Vec<Kernel> = (0..ROUND + cells).map(|place| kernel(spec, place)).collect();
            assert!(kernels.iter().all(|kernel| kernel.spec == spec && kernel.is_possible()));
            let met: BTreeSet<_> =
                kernels[ROUND..].iter().map(|one| (one.dtype, one.position, one.residue)).collect();
            assert_eq!(met.len(), cells, "{spec}");
        }
    }
}
