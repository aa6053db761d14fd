//! Tests the crate's promises, in one program, so that it is linked once and its tests run in parallel.

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
mod calls;
mod case_errors;
mod case_format;
mod case_parts;
#[cfg(unix)]
mod chromium;
mod claims;
mod corpus;
mod corpus_errors;
mod declared;
mod defect_words;
mod defects;
mod diff;
mod example;
mod explained;
mod f64_precision;
mod flaky;
mod foreign;
mod forged;
mod formats;
mod generated_calls;
mod generator;
mod grouping;
mod hazards;
mod honest_arithmetic;
mod junit_schema;
mod kernel_table;
mod kernels;
mod laws;
mod layouts;
mod matrix;
mod neighbours;
mod out_of_scope;
mod page;
#[cfg(unix)]
mod page_in_chromium;
mod page_reports;
mod picture;
mod policies;
mod probes;
mod property_run;
mod protocol;
mod reach;
mod reach_of_kernels;
mod readings;
mod record;
mod reference_as_backend;
mod reference_backend;
mod refuted;
mod reports;
mod resumed;
mod rules;
mod session;
mod shrink;
mod signed_sums;
mod smoke;
mod support;
mod terminal;
mod ties;
mod values_alone;
mod verdicts;
mod whole;
mod wider;
mod words;
mod written_cases;
