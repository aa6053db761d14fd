//! The table of all defects that were searched for, with the releases that have each.
//!
//! It is a pure function of the tried releases. *Since* is the first release with the defect; *until* is the first
//! release without it again, as in `docs/findings`.

use std::fmt::{self, Write};

use crate::history::spans::{Release, Span, spans};
use crate::outcome::{ReleaseOutcome, ReleaseVerdict};
use crate::search::{Tried, asked};

/// One row for each defect.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary(Vec<(String, Vec<Span>)>);

impl Summary {
    /// Adds the result of one search under this title.
    pub(super) fn add(&mut self, title: &str, releases: &[String], tried: &Tried) {
        self.0.push((title.trim().to_owned(), spans_of(releases, tried)));
    }

    /// Returns the number of defects.
    pub(super) const fn defects(&self) -> usize {
        self.0.len()
    }

    /// Writes the table if there are at least two defects.
    ///
    /// # Errors
    /// The error of `out`.
    pub(super) fn write(&self, out: &mut dyn Write) -> fmt::Result {
        if self.0.len() < 2 {
            return Ok(());
        }
        let spans = || self.0.iter().flat_map(|(_, spans)| spans);
        let width = |of: fn(&Span) -> String, least: usize| {
            spans().map(|span| of(span).len()).fold(least, usize::max)
        };
        let (since, until) = (width(Span::since, 12), width(Span::until, 5));
        writeln!(out, "\n{:<since$}  {:<until$}  defect", "since", "until")?;
        for (title, spans) in &self.0 {
            if spans.is_empty() {
                writeln!(out, "{:<since$}  {:<until$}  {title}", "in none asked", "-")?;
            }
            for span in spans {
                writeln!(out, "{:<since$}  {:<until$}  {title}", span.since(), span.until())?;
            }
        }
        Ok(())
    }
}

/// Returns the spans of releases that have the defect, oldest first. All kinds of failure count.
fn spans_of(releases: &[String], tried: &Tried) -> Vec<Span> {
    let release = |at: usize| Release(releases.get(at).cloned().unwrap_or_default());
    spans(asked(tried).into_iter().map(|(at, verdict)| (release(at), verdict != ReleaseVerdict::Conforms)))
}

#[cfg(test)]
mod tests {
    use normative_conformance::judge::fault::Fault;

    use super::*;

    fn tried(rows: &[(usize, Option<bool>)]) -> Tried {
        let outcome = |conforms: Option<bool>| match conforms {
            Some(true) => ReleaseOutcome::Asked(ReleaseVerdict::Conforms, String::new()),
            Some(false) => ReleaseOutcome::Asked(ReleaseVerdict::Fails(Fault::WrongValue), String::new()),
            None => ReleaseOutcome::NotInstalled(String::new()),
        };
        rows.iter().map(|&(at, conforms)| (at, outcome(conforms))).collect()
    }

    #[test]
    fn every_defect_has_its_since_and_until_in_one_table() {
        let releases: Vec<String> = (0..8).map(|minor| format!("1.{minor}.0")).collect();
        let mut summary = Summary::default();
        let mut add =
            |title: &str, rows: &[(usize, Option<bool>)]| summary.add(title, &releases, &tried(rows));
        let (good, bad) = (Some(true), Some(false));
        add("\nDEFECT 1 of 5: came with a release\n", &[(0, good), (3, good), (4, bad), (7, bad)]);
        add(
            "DEFECT 2 of 5: was always there and is mended",
            &[(0, None), (1, bad), (4, bad), (5, good), (7, good)],
        );
        add("DEFECT 3 of 5: came back", &[(0, good), (1, bad), (2, good), (6, None), (7, bad)]);
        add("DEFECT 4 of 5: always there", &[(0, bad), (7, bad)]);
        add("DEFECT 5 of 5: not in releases", &[(0, good), (7, good)]);
        let mut text = String::new();
        summary.write(&mut text).unwrap();
        let expected = "
since            until  defect
1.4.0            -      DEFECT 1 of 5: came with a release
1.1.0 or before  1.5.0  DEFECT 2 of 5: was always there and is mended
1.1.0            1.2.0  DEFECT 3 of 5: came back
1.7.0            -      DEFECT 3 of 5: came back
1.0.0 or before  -      DEFECT 4 of 5: always there
in none asked    -      DEFECT 5 of 5: not in releases
";
        assert_eq!(text, expected);
    }

    #[test]
    fn one_defect_has_no_table_of_its_own() {
        let mut summary = Summary::default();
        summary.add("", &["1".to_owned()], &tried(&[(0, Some(false))]));
        let mut text = String::new();
        summary.write(&mut text).unwrap();
        assert_eq!((text.as_str(), summary.defects()), ("", 1));
    }
}
