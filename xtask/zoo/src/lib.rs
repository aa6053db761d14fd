//! A zoo: wrong implementations that the cases must catch, and right ones that they must accept.
//!
//! The value of a conformance suite is measured by both. This crate judges no backend and defines no norm:
//! `normative_rules` has one plain implementation and a table of small edits that make it wrong, [`mod@honest`] is a
//! table of edits that leave it right. [`mod@bench`] runs them all over the cases, [`generated`] over generated calls.
//! [`drawn`] draws wrong kernels from a seed, [`planted`] measures how failures are grouped, and [`matrix`] prints.
//!
//! Tests and `cargo xtask zoo` use it.

pub mod bench;
pub mod drawn;
pub mod generated;
pub mod honest;
pub mod matrix;
mod orders;
pub mod planted;

pub use honest::{Honest, honest};
pub use normative_rules::mutants::{CASES_ONLY, Mutant, MutantFamily, mutants, unasked};
pub use normative_rules::steps::{Implementation, PlainWork};

/// The environment variable that makes tests try every row rather than a sample.
pub const WHOLE: &str = "NORMATIVE_ZOO";

/// Returns every `one_of`-th row, or all if [`WHOLE`] is set. A hunt or all laws for every row take minutes,
/// so a change is tested on a sample; a weekly job tries all.
pub fn some<T>(rows: Vec<T>, one_of: usize) -> Vec<T> {
    let step = if std::env::var_os(WHOLE).is_some() { 1 } else { one_of };
    rows.into_iter().step_by(step).collect()
}

#[cfg(test)]
mod steps_tests;
