//! The program as it is installed, `normative`: what `cargo xtask` is in a checkout.

fn main() -> std::process::ExitCode {
    xtask::main()
}
