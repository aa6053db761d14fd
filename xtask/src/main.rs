//! The project's commands.

mod runner;

fn main() -> anyhow::Result<()> {
    let Some(backend) = std::env::args().nth(1) else { anyhow::bail!("usage: xtask BACKEND") };
    println!("{}", runner::build_runner(&runner::BackendArg::parse(&backend)?)?.display());
    Ok(())
}
