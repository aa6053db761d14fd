//! What deviates from a baseline, as findings: in place of those of the report that it is about, or beside them.

use super::known::{Deviation, Known, KnownDefect, Name, Outcome};
use crate::display::plain;
use crate::judge::fault::Fault;
use crate::report::finding::{Finding, Kind, Line};

impl Outcome {
    /// Whether it failed as it is known to.
    pub fn expects(&self, name: &str) -> bool {
        !self.expected.is_empty() && self.expected.contains(&Name::of(name))
    }

    /// What is left of a report's findings, and what deviates beside them.
    pub(crate) fn sift(&self, findings: Vec<Finding>, again: &str) -> Vec<Finding> {
        let mut deviations = self.deviations.clone();
        let mut left = Vec::new();
        for mut finding in findings {
            if finding.kind == Kind::Nondeterministic {
                left.push(finding);
                continue;
            }
            let name = Name::of(&finding.name);
            if self.expected.contains(&name) {
                continue;
            }
            if let Some(deviation) = deviations.remove(&name) {
                finding.kind = deviation.kind();
                finding.lines.splice(0..0, deviation.lines());
            }
            left.push(finding);
        }
        let beside = deviations.into_iter().map(|(name, deviation)| {
            let mut lines = deviation.lines();
            if !matches!(deviation, Deviation::Stale(_)) {
                lines.push(Line::new("again", &format!("{again}{}", name.option())));
            }
            Finding { kind: deviation.kind(), name: plain(name.text()), lines, shown_by: None }
        });
        left.extend(beside);
        left
    }
}

impl Deviation {
    /// What is the matter.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Passes(_) => Kind::UnexpectedPass,
            Self::Stale(_) => Kind::Stale,
            Self::Missing(..) => Kind::Missing,
            Self::Counts(known, count) if *count < known.failures => Kind::UnexpectedPass,
            Self::FailsOtherwise(..) | Self::Counts(..) => Kind::OtherReason,
            Self::Flaky(..) => Kind::Flaky,
        }
    }

    fn lines(&self) -> Vec<Line> {
        let (known, now) = match self {
            Self::Passes(known) => (Some(known), "it does not fail".to_owned()),
            Self::FailsOtherwise(known, fault) => (Some(known), fault.to_string()),
            Self::Stale(known) => (Some(known), "nothing has this name".to_owned()),
            Self::Missing(known, why) => (Some(known), why.clone()),
            Self::Flaky(first, then) => {
                let word = |fault: &Option<Fault>| fault.map_or("does not fail", Fault::word);
                (None, format!("{}, asked again: {}", word(first), word(then)))
            }
            Self::Counts(known, count) => return of_counts(known, *count),
        };
        let mut lines = Vec::new();
        if let Some(Known { reason, issue, comment }) = known {
            lines.push(Line::new("known", reason.word()));
            lines.extend(issue.iter().map(|issue| Line::new("issue", issue)));
            lines.extend(comment.iter().map(|comment| Line::new("comment", comment)));
        }
        lines.push(Line::new("now", &now));
        lines
    }
}

/// That another number of calls fails as a defect says.
fn of_counts(
    KnownDefect { reasons, conditions, failures, issue, comment }: &KnownDefect,
    count: usize,
) -> Vec<Line> {
    let reasons: Vec<&str> = reasons.iter().map(String::as_str).collect();
    let known = format!("{failures} calls fail so: {}", reasons.join(", "));
    let mut lines = vec![Line::new("known", &known), Line::new("where", &conditions.join(", "))];
    lines.extend(issue.iter().map(|issue| Line::new("issue", issue)));
    lines.extend(comment.iter().map(|comment| Line::new("comment", comment)));
    let now = match count {
        0 => "none of them fails so".to_owned(),
        fewer if fewer < *failures => format!("{fewer} of them fail so"),
        more => format!("{more} calls fail so; all of them are shown, for nothing tells which are new"),
    };
    lines.push(Line::new("now", &now));
    lines
}
