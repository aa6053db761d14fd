//! The worker that `--backend ndarray` starts.

fn main() -> std::process::ExitCode {
    normative_backend::serve(normative_backend_ndarray::backend())
}
