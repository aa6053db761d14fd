//! The program behind the workshop's commands; all of it is in the library.

fn main() -> std::process::ExitCode {
    xtask::main()
}
