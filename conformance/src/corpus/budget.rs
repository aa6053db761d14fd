//! Limits the elements that a file may ask for.
//!
//! A few bytes of `repeat` can stand for any number of elements, and a few words of `dtypes` for many copies of
//! a long text. So code pays before it makes or copies anything for a file.

use super::MAX_FILE_ELEMENTS;
use super::error::Problem;

/// The remaining allowance of a file, in elements; other copied parts have a similar price.
pub(super) struct Budget {
    left: usize,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self { left: MAX_FILE_ELEMENTS }
    }
}

/// A budget, charged once for every copy that will be made.
pub(super) struct Purse<'a> {
    pub(super) budget: &'a mut Budget,
    pub(super) copies: usize,
}

impl Purse<'_> {
    /// Pays for that many elements in every copy.
    pub(super) fn pay(&mut self, elements: usize) -> Result<(), Problem> {
        let left = elements.checked_mul(self.copies).and_then(|cost| self.budget.left.checked_sub(cost));
        self.budget.left = left.ok_or(Problem::TooManyElements)?;
        Ok(())
    }
}
