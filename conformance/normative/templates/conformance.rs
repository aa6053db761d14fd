//! Every case as a test: `cargo test --test conformance`, or `cargo nextest run`.

fn main() -> std::process::ExitCode {
    normative_harness::main(@CRATE@::backend)
}
