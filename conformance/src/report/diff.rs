//! Lists changes between two runs: the worse first, then the merely different, then the better.
//!
//! It compares verdicts, not answers: a result that moves within its bound is not a change. A report keeps only
//! failing generated calls, so these are compared only if both runs asked the same.

use std::collections::BTreeMap;
use std::fmt;

use crate::display::plain;
use crate::judge::verdict::Verdict;
use crate::report::Report;

/// The change of the verdict on one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Turn {
    /// It conformed, or was not supported, and fails now.
    FailsNow,
    /// It conformed, and is not supported now.
    Dropped,
    /// It was asked, and is not asked now.
    NotAsked,
    /// It conforms, but is not the norm now, though its type holds it.
    Hazardous,
    /// It failed, and fails for another reason now.
    FailsOtherwise,
    /// It failed, and is not supported now.
    GivenUp,
    /// It conforms, by another reading of a question.
    ReadsOtherwise,
    /// It was not asked, and conforms now or is not supported.
    New,
    /// It conforms, was not the norm, and is now.
    Safe,
    /// It was not supported, and conforms now.
    TakenUp,
    /// It failed, and conforms now.
    Fixed,
}

impl Turn {
    /// Returns its words in a report.
    pub const fn words(self) -> &'static str {
        match self {
            Self::FailsNow => "FAILS NOW",
            Self::Dropped => "NOT SUPPORTED NOW",
            Self::NotAsked => "NOT ASKED NOW",
            Self::Hazardous => "HAZARD NOW",
            Self::FailsOtherwise => "fails otherwise",
            Self::GivenUp => "failed, not supported now",
            Self::ReadsOtherwise => "reads otherwise",
            Self::New => "new",
            Self::Safe => "hazard no more",
            Self::TakenUp => "supported now",
            Self::Fixed => "conforms now",
        }
    }

    /// Returns true if something is lost.
    pub const fn is_worse(self) -> bool {
        matches!(self, Self::FailsNow | Self::Dropped | Self::NotAsked | Self::Hazardous)
    }

    fn between(before: Option<&Verdict>, after: Option<&Verdict>) -> Option<Self> {
        use Verdict::{Conforms, Unsupported};
        Some(match (before, after) {
            (None, None) | (Some(Unsupported(_)), Some(Unsupported(_))) => return None,
            (Some(_), None) => Self::NotAsked,
            (None, Some(Conforms { .. } | Unsupported(_))) => Self::New,
            (Some(Conforms { hazard: None, .. }), Some(Conforms { hazard: Some(_), .. })) => Self::Hazardous,
            (Some(Conforms { hazard: Some(_), .. }), Some(Conforms { hazard: None, .. })) => Self::Safe,
            (Some(Conforms { accepting: before, .. }), Some(Conforms { accepting: after, .. })) => {
                return (before.told() != after.told()).then_some(Self::ReadsOtherwise);
            }
            (Some(Conforms { .. }), Some(Unsupported(_))) => Self::Dropped,
            (Some(Unsupported(_)), Some(Conforms { .. })) => Self::TakenUp,
            (Some(_), Some(Conforms { .. })) => Self::Fixed,
            (Some(_), Some(Unsupported(_))) => Self::GivenUp,
            (None | Some(Conforms { .. } | Unsupported(_)), Some(_)) => Self::FailsNow,
            (Some(before), Some(after)) => {
                return (before.reason() != after.reason()).then_some(Self::FailsOtherwise);
            }
        })
    }
}

/// A call whose verdict turned.
#[derive(Clone, Debug, PartialEq)]
pub struct Change<'r> {
    /// The kind of change.
    pub turn: Turn,
    /// The name of the case or the generated call.
    pub name: String,
    /// The verdict before; `None` if it was not asked, or is a generated call that did not fail.
    pub before: Option<&'r Verdict>,
    /// The verdict after, by the same rule.
    pub after: Option<&'r Verdict>,
}

/// Returns every change from one run to another, the worst first, and within a kind in corpus order.
pub fn changes<'r>(before: &'r Report<'_>, after: &'r Report<'_>) -> Vec<Change<'r>> {
    let mut changes: Vec<Change<'r>> = Vec::new();
    let mut add =
        |name: String, before: Option<&'r Verdict>, after: Option<&'r Verdict>, turn: Option<Turn>| {
            changes.extend(turn.map(|turn| Change { turn, name, before, after }));
        };
    let earlier: BTreeMap<&str, &Verdict> =
        before.results.iter().map(|(case, verdict)| (case.name.as_str(), verdict)).collect();
    let later: BTreeMap<&str, &Verdict> =
        after.results.iter().map(|(case, verdict)| (case.name.as_str(), verdict)).collect();
    for (case, verdict) in &after.results {
        let before = earlier.get(case.name.as_str()).copied();
        add(case.name.clone(), before, Some(verdict), Turn::between(before, Some(verdict)));
    }
    for (case, verdict) in &before.results {
        if !later.contains_key(case.name.as_str()) {
            add(case.name.clone(), Some(verdict), None, Turn::between(Some(verdict), None));
        }
    }
    if let (Some(before), Some(after)) = (&before.generated, &after.generated)
        && same_calls(before, after)
    {
        let finds = |generated: &'r crate::run::property::Generated| -> BTreeMap<_, &'r Verdict> {
            generated.finds.iter().map(|find| (find.id, &find.verdict)).collect()
        };
        let (earlier, later) = (finds(before), finds(after));
        for find in &after.finds {
            let before = earlier.get(&find.id).copied();
            let turn = before
                .map_or(Some(Turn::FailsNow), |before| Turn::between(Some(before), Some(&find.verdict)));
            add(find.name(), before, Some(&find.verdict), turn);
        }
        for find in before.finds.iter().filter(|find| !later.contains_key(&find.id)) {
            add(find.name(), Some(&find.verdict), None, Some(Turn::Fixed));
        }
    }
    changes.sort_by_key(|change| change.turn);
    changes
}

/// Returns true if both runs asked the same generated calls.
fn same_calls(before: &crate::run::property::Generated, after: &crate::run::property::Generated) -> bool {
    let made = |generated: &crate::run::property::Generated| {
        generated.tallies.iter().map(|(spec, tally)| (*spec, tally.run)).collect::<Vec<_>>()
    };
    before.seed == after.seed && made(before) == made(after)
}

/// Writes the changes from the run of one backend to that of another, and the count of each kind.
///
/// # Errors
/// Returns the errors of `out`.
pub fn write(
    out: &mut dyn fmt::Write,
    (before_name, before): (&str, &Report<'_>),
    (after_name, after): (&str, &Report<'_>),
) -> fmt::Result {
    let changes = changes(before, after);
    let mut counts: BTreeMap<Turn, usize> = BTreeMap::new();
    for Change { turn, name, before, after } in &changes {
        *counts.entry(*turn).or_default() += 1;
        writeln!(out, "{} {name}", turn.words())?;
        for (label, verdict) in [("before", before), ("after", after)] {
            if let Some(verdict) = verdict {
                writeln!(out, "  {label:<6} {}", plain(&verdict.reason()))?;
            }
        }
    }
    if let (Some(before), Some(after)) = (&before.generated, &after.generated)
        && !same_calls(before, after)
    {
        writeln!(out, "The runs made other generated calls, which are not compared.")?;
    }
    let counts: Vec<String> =
        counts.iter().map(|(turn, count)| format!("{count} {}", turn.words())).collect();
    let counts = if counts.is_empty() { "nothing changed".to_owned() } else { counts.join(", ") };
    writeln!(out, "{before_name} -> {after_name}: {counts}")
}
