//! Turns deviations from a baseline into findings, in place of the report's own or in addition to them.

use std::collections::BTreeSet;

use super::known::{BaselineOutcome, Deviation, Known, Name};
use crate::display::plain;
use crate::judge::fault::Fault;
use crate::report::finding::{Finding, FindingKind, Line};
use crate::report::label;

impl BaselineOutcome {
    /// Returns true if it failed in the known way.
    pub fn expects(&self, name: &str) -> bool {
        !self.expected.is_empty() && self.expected.contains(&Name::of(name))
    }

    /// Returns the findings that are not expected, and the deviations in addition.
    pub(crate) fn sift(&self, findings: Vec<Finding>, again: &str) -> Vec<Finding> {
        let mut deviations = self.deviations.clone();
        let mut left = Vec::new();
        for mut finding in findings {
            if finding.kind == FindingKind::Nondeterministic {
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
            if let Some(one) = deviation.first().or((!matches!(name, Name::Entry(_))).then_some(&name)) {
                lines.push(Line::new(label::AGAIN, &format!("{again}{}", one.option())));
            }
            Finding { kind: deviation.kind(), name: plain(name.text()), lines, shown_by: None }
        });
        left.extend(beside);
        left
    }
}

impl Deviation {
    /// Returns the kind of finding.
    pub const fn kind(&self) -> FindingKind {
        match self {
            Self::Gone { passes, .. } if !passes.is_empty() => FindingKind::UnexpectedPass,
            Self::Gone { missing, .. } if !missing.is_empty() => FindingKind::Missing,
            Self::Gone { .. } => FindingKind::Stale,
            Self::Otherwise { .. } => FindingKind::OtherReason,
            Self::Flaky(..) => FindingKind::Flaky,
        }
    }

    /// Returns a call that shows it.
    fn first(&self) -> Option<&Name> {
        match self {
            Self::Gone { passes, missing, .. } => {
                passes.iter().chain(missing.iter().map(|(name, _)| name)).next()
            }
            Self::Otherwise { .. } | Self::Flaky(..) => None,
        }
    }

    fn lines(&self) -> Vec<Line> {
        match self {
            Self::Otherwise { known, now } => {
                let mut lines = of_known(known);
                lines.push(Line::new("now", &now.to_string()));
                lines
            }
            Self::Gone { known, passes, missing, stale } => {
                let mut lines = of_known(known);
                lines.extend(
                    gone(known.calls, passes, missing, *stale).iter().map(|now| Line::new("now", now)),
                );
                lines
            }
            Self::Flaky(first, then) => {
                let word = |fault: &Option<Fault>| fault.map_or("does not fail", Fault::word);
                vec![Line::new("now", &format!("{}, asked again: {}", word(first), word(then)))]
            }
        }
    }
}

/// Describes the calls of an entry that do not fail; a single call without a number.
fn gone(calls: usize, passes: &[Name], missing: &[(Name, String)], stale: usize) -> Vec<String> {
    if calls == 1 {
        let why = missing.iter().map(|(_, why)| why.clone());
        let passes = passes.iter().map(|_| "it does not fail".to_owned());
        let stale = (0..stale).map(|_| "no call of this run is it".to_owned());
        return passes.chain(why).chain(stale).collect();
    }
    let conform = passes
        .first()
        .map(|first| format!("{} of them do not fail, the first {}", passes.len(), plain(first.text())));
    let why = missing.first().map(|(first, why)| {
        format!("{} of them were not asked, the first {}: {why}", missing.len(), plain(first.text()))
    });
    let stale = (stale > 0).then(|| format!("{stale} of them are no calls of this run"));
    [conform, why, stale].into_iter().flatten().collect()
}

fn of_known(Known { calls, how, issue, comment }: &Known) -> Vec<Line> {
    let known = if let (1, Some(how)) = (calls, how.first()) {
        how.to_string()
    } else {
        let ways: BTreeSet<&str> = how.iter().map(|how| how.way.as_str()).collect();
        format!("{calls} calls fail so: {}", Vec::from_iter(ways).join(", "))
    };
    let mut lines = vec![Line::new("known", &known)];
    lines.extend(issue.iter().map(|issue| Line::new("issue", issue)));
    lines.extend(comment.iter().map(|comment| Line::new("comment", comment)));
    lines
}
