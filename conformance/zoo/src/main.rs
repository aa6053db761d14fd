//! `cargo xtask zoo [MUTANT]`: how many wrong implementations the cases catch, and how many right ones
//! they refuse.
//!
//! Exit codes: 0 every mutant is killed and nobody honest refused, 1 not, 2 the command could not do
//! its work.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use normative_conformance::cases::load;
use normative_conformance::run::prepare;
use normative_zoo::bench::Bench;
use normative_zoo::matrix::zoo;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode, String> {
    let corpus =
        load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases")).map_err(|errors| list(&errors))?;
    let bench = Bench::new(prepare(&corpus.cases).map_err(|errors| list(&errors))?);
    let zoo = zoo(&bench);
    let mut text = String::new();
    match std::env::args().nth(1) {
        Some(name) => {
            if !zoo.write_one(&name, &mut text).map_err(|error| error.to_string())? {
                return Err(format!("there is no mutant {name}"));
            }
        }
        None => zoo.write(&mut text).map_err(|error| error.to_string())?,
    }
    // Whoever reads it may have read enough.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    Ok(ExitCode::from(u8::from(!zoo.is_in_order())))
}

fn list<E: std::fmt::Display>(errors: &[E]) -> String {
    errors.iter().map(|error| format!("\n  {error}")).collect()
}
