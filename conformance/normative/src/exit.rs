//! The exit code of a run: 0 if the backend conforms, 1 if it does not or `--fail-on` names a finding. A run that
//! asked nothing is an error.

use std::process::ExitCode;

use anyhow::{Result, bail};
use normative_conformance::display::counted;
use normative_conformance::judge::fault::Severity;
use normative_conformance::report::Report;

use crate::note::note;

/// A word of `--fail-on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailOn {
    /// Failures of this kind.
    Kind(Severity),
    /// Accepted answers that are not the norm, although their type can hold it.
    Hazards,
    /// Questions about values that the backend answers inconsistently.
    Mixed,
    /// Failures of the process over calls of which none makes it fail alone.
    Flaky,
}

impl FailOn {
    /// Parses a word of `--fail-on`.
    ///
    /// # Errors
    /// The list of known words.
    pub(crate) fn from_word(word: &str) -> Result<Self, String> {
        match word {
            "hazards" => Ok(Self::Hazards),
            "mixed" => Ok(Self::Mixed),
            "flaky" => Ok(Self::Flaky),
            kind => Severity::from_word(kind)
                .map(Self::Kind)
                .map_err(|known| format!("{known}, flaky, hazards, mixed")),
        }
    }
}

/// Returns the exit code of a run with `--fail-on`: 1 if an answer fails, even if the run was stopped early. Hazards and
/// mixed questions fail the run only if named. Without a named kind of failure, every failure counts, and so does a
/// flaky process ([`Report::is_flaky`]). A baseline overrides the named kinds of answers.
///
/// # Errors
/// Without a failure, a run that did not ask everything is an error.
pub(crate) fn code(report: &Report<'_>, fail_on: &[FailOn]) -> Result<ExitCode> {
    let of_values = [
        (FailOn::Hazards, report.hazards().len(), "hazard", "hazards"),
        (FailOn::Mixed, report.mixed().len(), "mixed question", "mixed questions"),
    ];
    let met = of_values.into_iter().filter(|(one, count, ..)| *count > 0 && fail_on.contains(one));
    let met: Vec<String> = met.map(|(_, count, one, many)| counted(count, one, many)).collect();
    if !met.is_empty() {
        note(format_args!("exit code 1: --fail-on names {}", met.join(" and ")));
        return Ok(ExitCode::FAILURE);
    }
    let names_none = !fail_on.iter().any(|one| matches!(one, FailOn::Kind(_) | FailOn::Flaky));
    let names = |one: FailOn| names_none || fail_on.contains(&one);
    let matters = report.matters();
    let is_named = matters.iter().any(|&one| names(FailOn::Kind(one)));
    let is_wrong = !report.is_clean() && (names_none || is_named || report.baseline.is_some());
    if report.executed() > 0 && (is_wrong || report.is_flaky() && names(FailOn::Flaky)) {
        return Ok(ExitCode::FAILURE);
    }
    enough(report)?;
    let flaky = report.is_flaky().then_some("flaky");
    let words: Vec<&str> = matters.into_iter().map(Severity::word).chain(flaky).collect();
    if !report.is_clean() || flaky.is_some() {
        note(format_args!("exit code 0: --fail-on leaves out all that is wrong: {}", words.join(", ")));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns an error for a run that asked too little to be a success.
fn enough(report: &Report<'_>) -> Result<()> {
    if !report.is_complete() {
        bail!(
            "the run was stopped before everything was asked; --resume goes on with it, unless a time was to end it"
        );
    }
    if report.executed() == 0 {
        bail!("no case was executed: the backend says it supports none of them");
    }
    if report.generated.as_ref().is_some_and(|generated| generated.total().executed() == 0) {
        bail!("no generated call was executed: the backend says it supports none of them");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use normative_conformance::Identity;
    use normative_conformance::corpus::{self, Corpus};
    use normative_conformance::drive::Flake;
    use normative_conformance::judge::hazard::{Gives, Hazard};
    use normative_conformance::judge::verdict::{Accepts, Verdict};
    use normative_conformance::reference::{Dtype, Question, Real, Value};
    use normative_conformance::report::Missing;
    use normative_conformance::run::property::Generated;
    use rstest::rstest;

    use super::*;
    use crate::select::workspace_root;

    static CORPUS: LazyLock<Corpus> =
        LazyLock::new(|| corpus::load(&workspace_root().join("cases")).unwrap());

    fn died() -> Verdict {
        Verdict::Crashed("SIGSEGV".into())
    }

    fn hazardous() -> Verdict {
        let (allowed_by, norm) = (vec![vec![Question::FloatRange]], Value::Finite(Real::zero()));
        let hazard = Hazard {
            allowed_by,
            gives: Gives::Infinity,
            dtype: Dtype::F32,
            index: vec![],
            got: 0x7f80_0000,
            norm,
        };
        Verdict::Conforms { accepting: Accepts::default(), accuracy: None, hazard: Some(Box::new(hazard)) }
    }

    fn declined() -> Verdict {
        Verdict::Unsupported("not this".into())
    }

    /// Judges a run of one case and, if given, of generated calls; `calls` of those were not asked.
    #[rstest]
    #[case::that_found_a_failure(died(), None, 0, &[], Some(ExitCode::FAILURE))]
    #[case::that_stopped_at_a_failure_among_the_cases(died(), Some(Generated::default()), 9, &[], Some(ExitCode::FAILURE))]
    #[case::that_stopped_at_a_failure_that_matters(died(), Some(Generated::default()), 9, &[FailOn::Kind(Severity::Died)], Some(ExitCode::FAILURE))]
    #[case::that_stopped_before_a_failure_that_matters(died(), None, 9, &[FailOn::Kind(Severity::Wrong)], None)]
    #[case::that_found_nothing_that_matters(died(), None, 0, &[FailOn::Kind(Severity::Wrong)], Some(ExitCode::SUCCESS))]
    #[case::that_was_stopped_without_a_failure(declined(), Some(Generated::default()), 9, &[], None)]
    #[case::that_executed_nothing(declined(), None, 0, &[], None)]
    #[case::that_met_a_hazard(hazardous(), None, 0, &[], Some(ExitCode::SUCCESS))]
    #[case::that_met_a_hazard_that_fails_it(hazardous(), None, 0, &[FailOn::Hazards], Some(ExitCode::FAILURE))]
    #[case::that_met_a_hazard_and_no_mixed_question(hazardous(), None, 0, &[FailOn::Mixed], Some(ExitCode::SUCCESS))]
    #[case::that_failed_and_met_no_hazard(died(), None, 0, &[FailOn::Hazards], Some(ExitCode::FAILURE))]
    fn a_run_ends(
        #[case] verdict: Verdict,
        #[case] generated: Option<Generated>,
        #[case] calls: usize,
        #[case] fail_on: &[FailOn],
        #[case] ends: Option<ExitCode>,
    ) {
        let identity = Identity { name: "a".into(), version: "1".into(), report_bugs_to: String::new() };
        let report = Report::of(identity, vec![(&CORPUS.cases[0], verdict)], 1);
        let report = Report { missing: Missing { calls, ..Missing::default() }, generated, ..report };
        assert_eq!(code(&report, fail_on).ok(), ends);
    }
    #[rstest]
    #[case::by_default(&[], ExitCode::FAILURE)]
    #[case::where_it_is_named(&[FailOn::Flaky], ExitCode::FAILURE)]
    #[case::unless_others_are_named(&[FailOn::Kind(Severity::Died)], ExitCode::SUCCESS)]
    fn a_flaky_process_fails_a_run(#[case] fail_on: &[FailOn], #[case] ends: ExitCode) {
        let identity = Identity { name: "a".into(), version: "1".into(), report_bugs_to: String::new() };
        let right = Verdict::Conforms { accepting: Accepts::default(), accuracy: None, hazard: None };
        let mut report = Report::of(identity, vec![(&CORPUS.cases[0], right)], 1);
        report.conduct.add(Flake { suspects: Vec::new(), how: "ended with signal 11".into() });
        assert_eq!(code(&report, fail_on).ok(), Some(ends));
    }
}
