//! What the crate promises to those who use it, in one program: it is linked once, and its tests run beside each other.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may, and so may what tests call"
)]

mod accuracy;
mod any_order;
mod base_files;
mod baseline;
mod bounds;
mod case_errors;
mod case_format;
#[cfg(all(feature = "record", unix))]
mod chromium;
mod claims;
mod corpus;
mod corpus_errors;
mod defects;
mod diff;
mod example;
mod f64_precision;
#[cfg(feature = "record")]
mod formats;
mod fuzz_input;
mod generated_calls;
mod generator;
mod honest_arithmetic;
#[cfg(feature = "record")]
mod junit_schema;
mod kernels;
mod laws;
mod matrix;
#[cfg(feature = "record")]
mod page;
#[cfg(all(feature = "record", unix))]
mod page_in_chromium;
#[cfg(feature = "record")]
mod page_reports;
#[cfg(feature = "record")]
mod picture;
mod probes;
mod property_run;
mod protocol;
mod reach;
mod readings;
#[cfg(feature = "record")]
mod record;
mod reference_as_backend;
mod reference_backend;
mod reports;
mod shrink;
mod slack;
mod smoke;
mod terminal;
mod ties;
mod verdicts;
mod whole;
mod words;
mod written_cases;
