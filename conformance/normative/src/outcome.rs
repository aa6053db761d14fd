//! The outcome of one release, as the table shows it. Verdicts are those of the report; this module judges nothing.

use std::fmt;

use normative_conformance::display;
use normative_conformance::judge::compare::Mismatch;
use normative_conformance::judge::fault::Fault;
use normative_conformance::judge::hazard::Gives;
use normative_conformance::judge::verdict as judge;
use normative_conformance::report::{Report, hazard};

/// The maximum number of characters of a reason in the table.
const LONGEST: usize = 100;

/// The verdict of a release that was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReleaseVerdict {
    /// The text allows its answer.
    Conforms,
    /// The text allows its answer, but it is not the norm, although its type can hold the norm.
    Hazard(Gives),
    /// Its answer is wrong in this way, or the call ended the process.
    Fails(Fault),
    /// It answered the call in different ways.
    Nondeterministic,
}

/// The outcome of one release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReleaseOutcome {
    /// It was asked; the text gives the reason for the verdict.
    Asked(ReleaseVerdict, String),
    /// It reports the call as unsupported.
    Unsupported(String),
    /// It does not install.
    NotInstalled(String),
    /// It is installed, but the adapter does not start with it.
    NotStarted(String),
}

impl ReleaseOutcome {
    /// Returns the outcome of a run of one call.
    pub fn of(report: &Report<'_>) -> Self {
        let case = report.results.iter().map(|(_, verdict)| verdict);
        let verdict = case.chain(report.finds().map(|find| &find.verdict)).next();
        let reason = verdict.map_or_else(String::new, why);
        if let Some(fault) = verdict.and_then(judge::Verdict::fault) {
            return Self::Asked(ReleaseVerdict::Fails(fault), reason);
        }
        if report.executed() == 0 {
            let of_call = report.generated.iter().flat_map(|generated| generated.unsupported.keys());
            return Self::Unsupported(of_call.map(|why| one_line(why)).next().unwrap_or(reason));
        }
        if !report.unstable.is_empty() {
            return Self::Asked(ReleaseVerdict::Nondeterministic, String::new());
        }
        if !report.is_clean() {
            return Self::Asked(ReleaseVerdict::Fails(Fault::Inconsistent), String::new());
        }
        let hazards = report.hazards();
        if let Some((kind, met)) = hazards.first() {
            return Self::Asked(
                ReleaseVerdict::Hazard(kind.gives),
                one_line(&hazard::of_answer(&met.hazard)),
            );
        }
        Self::Asked(ReleaseVerdict::Conforms, reason)
    }

    /// Returns the outcome of one case of a run, as if it had run alone; `None` if the run did not ask it.
    pub fn of_case(report: &Report<'_>, name: &str) -> Option<Self> {
        let (case, verdict) = report.results.iter().find(|(case, _)| case.name == name)?;
        let alone = Report::of(report.identity.clone(), vec![(*case, verdict.clone())], 1);
        let unstable = report.unstable.iter().filter(|again| again.sample.name == name).cloned().collect();
        Some(Self::of(&Report { unstable, ..alone }))
    }

    /// Returns the verdict, if it was asked.
    pub const fn verdict(&self) -> Option<ReleaseVerdict> {
        match self {
            Self::Asked(verdict, _) => Some(*verdict),
            Self::Unsupported(_) | Self::NotInstalled(_) | Self::NotStarted(_) => None,
        }
    }
}

impl ReleaseVerdict {
    /// Returns its word in files.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Conforms => "conforms",
            Self::Hazard(Gives::Infinity) => "hazard-infinite",
            Self::Hazard(Gives::Negative) => "hazard-negative",
            Self::Hazard(Gives::Zero) => "hazard-zero",
            Self::Hazard(Gives::Other) => "hazard-other",
            Self::Fails(fault) => fault.word(),
            Self::Nondeterministic => "nondeterministic",
        }
    }

    /// Returns true for a failure, and for a hazard if that counts.
    pub const fn shows(self, hazard: bool) -> bool {
        match self {
            Self::Conforms => false,
            Self::Hazard(_) => hazard,
            Self::Fails(_) | Self::Nondeterministic => true,
        }
    }

    /// Looks up a word.
    pub fn of_word(word: &str) -> Option<Self> {
        let faults = Fault::ALL.iter().map(|&fault| Self::Fails(fault));
        let hazards = [Gives::Infinity, Gives::Negative, Gives::Zero, Gives::Other].map(Self::Hazard);
        let mut all = [Self::Conforms, Self::Nondeterministic].into_iter().chain(hazards).chain(faults);
        all.find(|verdict| verdict.word() == word)
    }
}

impl fmt::Display for ReleaseVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conforms => f.write_str("conforms"),
            Self::Hazard(_) => f.write_str("conforms, a hazard"),
            Self::Fails(Fault::Crashed) => f.write_str("died: crashed"),
            Self::Fails(Fault::TimedOut) => f.write_str("died: timed out"),
            Self::Fails(fault) => write!(f, "fails: {fault}"),
            Self::Nondeterministic => f.write_str("fails: nondeterministic"),
        }
    }
}

impl fmt::Display for ReleaseOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self {
            Self::Asked(verdict, reason) => {
                verdict.fmt(f)?;
                reason
            }
            Self::Unsupported(reason) => {
                f.write_str("unsupported")?;
                reason
            }
            Self::NotInstalled(reason) => {
                f.write_str("does not install")?;
                reason
            }
            Self::NotStarted(reason) => {
                f.write_str("adapter does not start")?;
                reason
            }
        };
        if reason.is_empty() { Ok(()) } else { write!(f, ": {reason}") }
    }
}

/// Returns the reason for a verdict in one line: readings, expected and actual value, or the backend's words.
fn why(verdict: &judge::Verdict) -> String {
    one_line(&match verdict {
        judge::Verdict::Conforms { accepting, .. } => display::joined(accepting.told()),
        judge::Verdict::Fails(misses) => match misses.first().map(|miss| &miss.mismatch) {
            Some(Mismatch::Element(wrong)) => {
                let shown = |bits| display::element(wrong.dtype, bits);
                format!("expected {}, got {} at {:?}", shown(wrong.expected), shown(wrong.got), wrong.index)
            }
            _ => verdict.reason(),
        },
        judge::Verdict::Unsupported(why) | judge::Verdict::Crashed(why) => why.clone(),
        judge::Verdict::TimedOut(_) => verdict.reason(),
    })
}

/// Finds the line of a program's error output that names the error: the first that pip marks, or else the last, as in
/// a traceback of Python.
pub(super) fn error_line(text: &str) -> String {
    let marked = text.lines().find(|line| line.starts_with("ERROR:"));
    let last = || text.lines().rfind(|line| !line.trim().is_empty());
    one_line(marked.or_else(last).unwrap_or_default())
}

/// Returns the first line of a text for the table, without control characters and cut to [`LONGEST`].
fn one_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default().trim();
    display::cut(line, LONGEST).replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use normative_conformance::judge::compare::ElementMismatch;
    use normative_conformance::judge::verdict::{Accepts, Miss};
    use normative_conformance::reference::Dtype;
    use normative_conformance::run::property::Generated;
    use normative_conformance::{Identity, corpus};
    use rstest::rstest;

    use super::*;
    use crate::select::workspace_root;

    fn identity() -> Identity {
        Identity { name: "a".to_owned(), version: "1".to_owned(), report_bugs_to: String::new() }
    }

    /// Returns the outcome of a run of the first case with this verdict.
    fn outcome_of(verdict: judge::Verdict) -> ReleaseOutcome {
        let corpus = corpus::load(&workspace_root().join("cases")).unwrap();
        ReleaseOutcome::of(&Report::of(identity(), vec![(&corpus.cases[0], verdict)], 1))
    }

    fn refused(message: &str) -> judge::Verdict {
        let mismatch = Mismatch::Rejected { message: message.to_owned() };
        judge::Verdict::Fails(vec![Miss { readings: Vec::new(), mismatch, accuracy: None }])
    }

    fn conforms() -> judge::Verdict {
        judge::Verdict::Conforms { accepting: Accepts::default(), accuracy: None, hazard: None }
    }

    #[rstest]
    #[case::conforms(conforms(), Some(ReleaseVerdict::Conforms), "conforms")]
    #[case::fails(
        refused("no f16\nat 0x7f"),
        Some(ReleaseVerdict::Fails(Fault::RefusedValid)),
        "fails: refused-valid: expected a tensor, got a refusal: no f16"
    )]
    #[case::died(
        judge::Verdict::Crashed("signal 11".into()),
        Some(ReleaseVerdict::Fails(Fault::Crashed)),
        "died: crashed: signal 11"
    )]
    #[case::timed_out(
        judge::Verdict::TimedOut(Duration::from_secs(2)),
        Some(ReleaseVerdict::Fails(Fault::TimedOut)),
        "died: timed out: no answer within 2 s"
    )]
    #[case::unsupported(judge::Verdict::Unsupported("no\tbf16".into()), None, "unsupported: no bf16")]
    fn a_case_has_the_verdict_of_its_run(
        #[case] judged: judge::Verdict,
        #[case] verdict: Option<ReleaseVerdict>,
        #[case] text: &str,
    ) {
        let outcome = outcome_of(judged);
        assert_eq!(outcome.verdict(), verdict);
        assert_eq!(outcome.to_string(), text);
    }

    #[test]
    fn a_wrong_value_is_shown_beside_the_one_due() {
        let (index, expected, got) = (vec![1], 3.0_f32.to_bits().into(), 2.5_f32.to_bits().into());
        let (exact, because, error, far) = (None, None, None, 1.0);
        let (wrong, elements, dtype) = (1, 2, Dtype::F32);
        let wrong =
            ElementMismatch { index, wrong, elements, dtype, exact, expected, because, got, error, far };
        let mismatch = Mismatch::Element(Box::new(wrong));
        let miss = Miss { readings: Vec::new(), mismatch, accuracy: None };
        let outcome = outcome_of(judge::Verdict::Fails(vec![miss]));
        assert_eq!(outcome.to_string(), "fails: wrong-value: expected 3, got 2.5 at [1]");
    }

    #[test]
    fn a_generated_call_that_is_declined_is_unsupported() {
        let mut generated = Generated::default();
        generated.unsupported.insert("no bf16".to_owned(), 1);
        let report = Report { generated: Some(generated), ..Report::of(identity(), Vec::new(), 0) };
        assert_eq!(ReleaseOutcome::of(&report), ReleaseOutcome::Unsupported("no bf16".to_owned()));
    }

    #[rstest]
    #[case::of_pip("cannot make a:\nERROR: conflict\n  a\nERROR: see there\n", "ERROR: conflict")]
    #[case::of_python("Traceback:\n  a.py\nImportError: no numpy\n\n", "ImportError: no numpy")]
    #[case::of_nothing("", "")]
    fn of_last_words_the_error_is_shown(#[case] text: &str, #[case] line: &str) {
        assert_eq!(error_line(text), line);
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let line = one_line(&"é".repeat(LONGEST + 1));
        assert_eq!(line, "é".repeat(LONGEST) + "…");
        assert_eq!(one_line(&"é".repeat(LONGEST)), "é".repeat(LONGEST));
    }
}
