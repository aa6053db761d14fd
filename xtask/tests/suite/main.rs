//! Tests of the commands, in one program, so that they are linked once and run in parallel.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may, and so may what tests call"
)]

mod action;
mod baseline;
#[allow(dead_code, reason = "the tests of a run's page use all of it")]
#[path = "../../../conformance/tests/suite/chromium.rs"]
mod chromium;
mod common;
mod contributing;
mod documentation;
mod end_to_end;
mod evidence;
mod export;
mod findings;
mod formats;
mod hostile;
#[path = "../../../conformance/tests/suite/junit_schema.rs"]
mod junit_schema;
mod keep;
mod lock;
mod matrix;
mod mistakes;
mod model;
mod new;
mod outside;
mod packages;
mod python;
mod release;
mod repro;
mod reproduced;
mod runs;
mod scarce;
mod selfcheck;
mod site;
mod smoke;
mod spec;
mod stream;
