//! The program behind `cargo xtask`; all of it is in the library.

fn main() -> std::process::ExitCode {
    xtask::main()
}
