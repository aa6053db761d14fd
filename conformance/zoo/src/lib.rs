//! A zoo: wrong implementations that the cases must catch, and right ones that they must let alone.
//!
//! A conformance suite is worth exactly the wrong implementations it catches and the right ones it
//! does not refuse. This crate measures both. It judges nobody and decides nothing about norms:
//! `steps` is one plain implementation, [`mod@mutants`] a table of small edits that make it wrong,
//! [`mod@honest`] a table of those that leave it right, [`mod@bench`] runs them all over the
//! cases, [`generated`] over generated calls, [`hunted`] before the hunt, [`duplicates`] finds cases
//! that add nothing, and [`matrix`] prints.
//!
//! Tests and `cargo xtask zoo` use it; nothing that judges a backend does.

pub mod bench;
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
pub mod planted;
mod steps;

pub use honest::{Honest, honest};
pub use mutants::{CASES_ONLY, Family, Mutant, mutants};
pub use steps::{Implementation, Known};
