//! Draws ranks and dims: sizes 0 and 1, sizes around vector widths, and occasionally one long axis.

use super::CallLimits;
use super::source::Source;

/// The number of bytes of 256 for which a call may have more elements.
const RARELY: u8 = 5;

/// The factor by which it may have more.
const LARGER: usize = 17;

/// Returns the most elements that a call can have.
pub(super) fn most(limits: CallLimits) -> usize {
    limits.max_elements.max(1).saturating_mul(LARGER)
}

/// Draws a rank of at least 1.
pub(super) fn rank(source: &mut Source<'_, '_>) -> usize {
    match source.byte() {
        0..=39 => 1,
        40..=99 => 2,
        100..=159 => 3,
        160..=204 => 4,
        205..=232 => 5,
        _ => 6,
    }
}

/// Draws dims for a rank; their product, zeros left aside, stays within the limit.
pub(super) fn dims(source: &mut Source<'_, '_>, rank: usize, limits: CallLimits) -> Vec<usize> {
    let most = limits.max_elements.max(1);
    let larger = source.chance(RARELY);
    let mut left = if larger { self::most(limits) } else { most };
    let mut dims = vec![1; rank];
    // The first drawn axis has the most room, so the start is random.
    let first = source.below(rank);
    for turn in 0..rank {
        let long = larger && turn == 0;
        let dim = match dim(source) {
            _ if long => most + 1 + source.below(left - most),
            // A long axis beside an empty one would be wasted.
            0 if larger => 1,
            dim => dim,
        };
        let dim = dim.min(left);
        dims[(first + turn) % rank] = dim;
        left /= dim.max(1);
    }
    dims
}

fn dim(source: &mut Source<'_, '_>) -> usize {
    match source.byte() {
        0..=39 => 1,
        40..=45 => 0,
        choice @ 46..=226 => 2 + usize::from(choice) % 4,
        // One or a few vectors of usual widths, and a remainder.
        227..=244 => (1 + source.below(3)) * (4 << source.below(5)) + source.below(4) - 1,
        _ => 1 + source.below(130),
    }
}
