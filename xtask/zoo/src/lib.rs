//! A zoo: wrong implementations that the cases must catch, and right ones that they must let alone.
//!
//! A conformance suite is worth exactly the wrong implementations it catches and the right ones it
//! does not refuse. This crate measures both. It judges nobody and decides nothing about norms:
//! `normative_rules` has one plain implementation and a table of small edits that make it wrong,
//! [`mod@honest`] is a table of those that leave it right, [`mod@bench`] runs them all over the
//! cases, [`generated`] over generated calls, [`drawn`] draws wrong kernels that nobody chose, [`hunted`] before the hunt, [`duplicates`] finds cases
//! that add nothing, [`planted`] measures how failures are grouped, and [`matrix`] prints.
//!
//! Tests and `cargo xtask zoo` use it.

pub mod bench;
pub mod drawn;
pub mod duplicates;
pub mod generated;
pub mod honest;
pub mod hunted;
pub mod matrix;
mod orders;
pub mod planted;

pub use honest::{Honest, honest};
pub use normative_rules::mutants::{CASES_ONLY, Family, Mutant, mutants, unasked};
pub use normative_rules::steps::{Implementation, Known};

/// The variable that makes tests look at every row, where a plain run of them looks at some.
pub const WHOLE: &str = "NORMATIVE_ZOO";

/// One of so many of these, or all where [`WHOLE`] is set: a hunt or all laws for every row take minutes, which a change is
/// not kept waiting for. A weekly job looks at all.
pub fn some<T>(rows: Vec<T>, one_of: usize) -> Vec<T> {
    let step = if std::env::var_os(WHOLE).is_some() { 1 } else { one_of };
    rows.into_iter().step_by(step).collect()
}

#[cfg(test)]
mod steps_tests;
