//! Tells a few grave errors apart from many mild ones of the same class.
//!
//! The errors of one mistake mostly spread without a gap, or nothing but the size of the error sets the great ones apart.
//! So failures are split only at a gap, and only if a condition holds of the grave ones that hardly any other call meets.

use super::bits::Bits;
use super::learn::{Condition, Table};

/// The least factor between the greatest mild error and the least grave one, as a power of two.
const GAP: f64 = 5.0;

/// The least number of failures on each side: fewer show no gap.
const LEAST: usize = 3;

/// At most this part of the mild failures may meet the condition of the grave ones, as a divisor.
const FEW_OF_MILD: usize = 4;

/// Failures of one class with grave errors.
pub(super) struct Grave {
    pub(super) failing: Bits,
    pub(super) condition: Condition,
    /// Every grave error is at least this, and every other one is smaller, as a power of two.
    pub(super) from: f64,
}

/// Returns the failures whose errors are beyond the widest gap, if a condition sets them apart from the other failures and
/// from `conforming` calls.
pub(super) fn grave(
    table: &Table,
    failing: &Bits,
    conforming: &Bits,
    error: impl Fn(usize) -> Option<f64>,
) -> Option<Grave> {
    let mut errors: Vec<f64> = failing.places().filter_map(&error).collect();
    errors.sort_by(f64::total_cmp);
    let inner = LEAST..(errors.len() + 1).saturating_sub(LEAST);
    let gaps = inner.map(|at| (errors[at] - errors[at - 1], errors[at].midpoint(errors[at - 1])));
    let (gap, from) = gaps.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    if gap < GAP {
        return None;
    }
    let is_grave = |at: usize| error(at).is_some_and(|error| error >= from);
    let mut grave = Bits::none(table.length());
    failing.places().filter(|&at| is_grave(at)).for_each(|at| grave.add(at));
    // An integer has no error that could be mild.
    let mild = Bits::of(table.length(), |at| error(at).is_some()).and(failing).without(&grave);
    let others = conforming.or(&mild);
    let condition = table.for_all(&grave, &others, |_| true);
    // A mistake whose errors spread makes calls fail mildly under the same condition.
    let is_apart = condition.saved > 0.0
        && condition.calls.shared(&others) <= grave.count()
        && condition.calls.shared(&mild) * FEW_OF_MILD <= mild.count();
    is_apart.then_some(Grave { failing: grave, condition, from })
}
