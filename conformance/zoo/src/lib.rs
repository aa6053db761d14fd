//! A zoo: wrong implementations that the cases must catch, and right ones that they must let alone.
//!
//! A conformance suite is worth exactly the wrong implementations it catches and the right ones it
//! does not refuse. This crate measures both. It judges nobody and decides nothing about norms:
//! `steps` is one plain implementation, [`mod@mutants`] a table of small edits that make it wrong,
//! [`mod@honest`] a table of those that leave it right, [`mod@bench`] runs them all over the
//! cases, [`generated`] over generated calls, [`drawn`] draws wrong kernels that nobody chose, [`hunted`] before the hunt, [`duplicates`] finds cases
//! that add nothing, [`planted`] measures how failures are grouped, and [`matrix`] prints.
//!
//! Tests and `cargo xtask zoo` use it. Of a run that judges a backend it takes part in one thing: failures are held against the
//! mutants' answers ([`rules`]) when they are grouped, which no verdict depends on.

pub mod bench;
pub mod drawn;
pub mod duplicates;
mod fault;
mod floats;
mod form;
pub mod generated;
pub mod honest;
pub mod hunted;
mod integers;
pub mod matrix;
pub mod mutants;
mod orders;
mod plan;
pub mod planted;
pub mod rules;
mod steps;

pub use honest::{Honest, honest};
pub use mutants::{CASES_ONLY, Family, Mutant, mutants, unasked};
pub use steps::{Implementation, Known};

/// The variable that makes tests look at every row, where a plain run of them looks at some.
pub const WHOLE: &str = "NORMATIVE_ZOO";

/// One of so many of these, or all where [`WHOLE`] is set: a hunt or all laws for every row take minutes, which a change is
/// not kept waiting for. A weekly job looks at all.
pub fn some<T>(rows: Vec<T>, one_of: usize) -> Vec<T> {
    let step = if std::env::var_os(WHOLE).is_some() { 1 } else { one_of };
    rows.into_iter().step_by(step).collect()
}
