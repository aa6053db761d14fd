//! Tests the crate's promises, in one program, so that it is linked once and its tests run in parallel.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may, and so may what tests call"
)]

mod arithmetic;
mod common;
mod exact;
mod exhaustive;
mod integers;
mod names;
mod open_calls;
mod other_forms;
mod python;
mod questions;
mod real;
mod ruling_laws;
mod rulings;
mod spaced;
mod special_values;
mod tensor;
mod textbook_agrees;
mod two_questions;
