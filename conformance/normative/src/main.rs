//! The program `normative`; all of it is in the library.

fn main() -> std::process::ExitCode {
    normative::main(&[])
}
