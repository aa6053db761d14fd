//! What a run comes to, as an exit code: 0 it conforms, 1 it does not. A run that asked nothing is an error.

use std::process::ExitCode;

use anyhow::{Result, bail};
use normative_conformance::judge::fault::Severity;
use normative_conformance::report::Report;

use crate::note::note;

/// What a run comes to, and its exit code. That of a flaky backend is 1: see [`Report::is_flaky`].
pub(crate) fn code(report: &Report<'_>) -> Result<ExitCode> {
    if report.is_clean() && !report.is_complete() {
        bail!("the run was stopped before everything was asked; --resume goes on with it");
    }
    if report.executed() == 0 {
        bail!("no case was executed: the backend says it supports none of them");
    }
    if report.generated.as_ref().is_some_and(|generated| generated.total().executed() == 0) {
        bail!("no generated call was executed: the backend says it supports none of them");
    }
    Ok(ExitCode::from(u8::from(!report.is_clean() || report.is_flaky())))
}

/// The same, where only some of what may be wrong fails the run. A baseline says itself what it expects.
pub(crate) fn code_where(report: &Report<'_>, fail_on: &[Severity]) -> Result<ExitCode> {
    let code = code(report)?;
    let matters = report.matters();
    let is_decided = report.is_clean() || report.is_flaky() || report.baseline.is_some();
    if is_decided || matters.iter().any(|one| fail_on.contains(one)) {
        return Ok(code);
    }
    let words: Vec<&str> = matters.into_iter().map(Severity::word).collect();
    note(format_args!("exit code 0: --fail-on leaves out all that is wrong: {}", words.join(", ")));
    Ok(ExitCode::SUCCESS)
}
