//! Runs a fuzz target, and says what came of it.
//!
//! Several processes share one folder of inputs: each reads what the others found worth keeping. A
//! process ends with its time or with its first find; the others go on. Their words are passed on but for
//! the line about every new input.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, bail};

use super::Target;
use crate::cases::found;
use normative::home::program;
use normative::note::note;
use normative::output::print;
use normative_conformance::generate;
use normative_conformance::parallel;

/// A run of one target.
pub(super) struct Campaign<'a> {
    pub(super) target: Target,
    pub(super) executable: &'a Path,
    /// As it was asked for.
    pub(super) backend: &'a str,
    pub(super) seconds: u64,
    pub(super) jobs: u16,
    /// Where inputs worth keeping are read from and written to.
    pub(super) corpus: &'a Path,
    /// Where finds are written to.
    pub(super) artifacts: &'a Path,
    /// More inputs to start from.
    pub(super) seeds: &'a Path,
}

impl Campaign<'_> {
    /// Runs all jobs to their end; the inputs found that break something.
    ///
    /// # Errors
    /// When a job cannot be run, or ends neither by its time nor with a find.
    pub(super) fn run(&self) -> Result<Vec<PathBuf>> {
        let jobs: Vec<u16> = (1..=self.jobs).collect();
        let ended = parallel::each_on(jobs.len(), &jobs, |&job| self.job(job));
        ended.into_iter().filter_map(Result::transpose).collect()
    }

    fn job(&self, job: u16) -> Result<Option<PathBuf>> {
        let mut command = Command::new(self.executable);
        command.arg(self.corpus).arg(self.seeds).arg(format!("-max_total_time={}", self.seconds));
        command.args(self.target.arguments()?);
        command.arg(format!("-artifact_prefix={}/", self.artifacts.display()));
        if let Some(dictionary) = self.target.dictionary() {
            command.arg(format!("-dict={}", dictionary.display()));
        }
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let words = child.stderr.take().context("libFuzzer has no standard error")?;
        let mut input = None;
        for line in BufReader::new(words).split(b'\n') {
            let line = String::from_utf8_lossy(&line?).into_owned();
            if let Some((_, path)) = line.split_once("Test unit written to ") {
                input = Some(PathBuf::from(path.trim()));
            }
            if is_news(&line) {
                let job = if self.jobs > 1 { format!("{job}: ") } else { String::new() };
                note(format_args!("{job}{line}"));
            }
        }
        let status = child.wait()?;
        match input {
            Some(input) => Ok(Some(input)),
            None if status.success() => Ok(None),
            None => bail!("libFuzzer ended with {status} and no find"),
        }
    }

    /// Says what was found and how to see it again; of a call, writes the case.
    ///
    /// # Errors
    /// When the input cannot be read or the case not written.
    pub(super) fn report(&self, input: &Path) -> Result<()> {
        let target = self.target.name();
        let shown = input.strip_prefix(std::env::current_dir()?).unwrap_or(input).display();
        print(&format!("FOUND {shown}\n"))?;
        let backend = match self.target {
            Target::Differential => format!(" --backend {}", self.backend),
            Target::Exact
            | Target::CaseLoader
            | Target::FrameDecoder
            | Target::RecordReader
            | Target::BaselineLoader
            | Target::OnnxReader => String::new(),
        };
        let called = program();
        print(&format!("  again     {called} fuzz {target}{backend} --input {shown}\n"))?;
        if self.target == Target::Differential {
            let bytes = std::fs::read(input).with_context(|| input.display().to_string())?;
            print(&match found::keep(&generate::input::call(&bytes))? {
                Some(case) => format!(
                    "  case      {file}\n  judge     {called} conformance{backend} --cases {} --case {}\n",
                    case.file.parent().unwrap_or(&case.file).display(),
                    case.name,
                    file = case.file.display(),
                ),
                None => {
                    "  case      none: the call raises several questions, a case is about one\n".to_owned()
                }
            })?;
        }
        Ok(())
    }
}

/// Whether a line of libFuzzer's is more than one of the many about new inputs.
fn is_news(line: &str) -> bool {
    let routine = ["\tNEW ", "\tREDUCE ", "\tRELOAD ", "NEW_FUNC", "NEW_PC"];
    !routine.iter().any(|word| line.contains(word)) && !line.starts_with("WARNING: Failed to find function")
}

/// Tries one input.
///
/// # Errors
/// When the target cannot be run or the input not read.
pub(super) fn replay(executable: &Path, input: &Path) -> Result<ExitCode> {
    if !input.is_file() {
        bail!("{} is not a file", input.display());
    }
    let status = Command::new(executable).arg(input).stdin(Stdio::null()).status()?;
    Ok(ExitCode::from(u8::from(!status.success())))
}
