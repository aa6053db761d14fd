//! The table of releases and verdicts, and its conclusion: a pure function of the tried releases.

use std::fmt::{self, Write};

use crate::outcome::{ReleaseOutcome, ReleaseVerdict};
use crate::search::{Tried, Turning, asked, changes};

/// The names of the releases of a search, and the outcomes of those that were tried.
pub(super) struct Table<'a> {
    /// All releases in the range, oldest first.
    pub(super) releases: &'a [String],
    /// The outcomes of the tried releases.
    pub(super) tried: &'a Tried,
    /// Returns the command that asks one release again.
    pub(super) again: &'a dyn Fn(&str) -> String,
}

impl Table<'_> {
    /// Writes the tried releases, oldest first, and then each change.
    ///
    /// # Errors
    /// The error of `out`.
    pub(super) fn write(&self, out: &mut dyn Write) -> fmt::Result {
        let rows = self.rows();
        let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max("release".len());
        writeln!(out, "{:<width$}  verdict", "release")?;
        for (name, outcome) in rows {
            writeln!(out, "{name:<width$}  {outcome}")?;
        }
        writeln!(out)?;
        self.write_answer(out)?;
        writeln!(out, "{} of {} releases tried", self.tried.len(), self.releases.len())
    }

    /// Returns one row for each release. Unaskable neighbours with the same reason share a row.
    fn rows(&self) -> Vec<(String, &ReleaseOutcome)> {
        let tried: Vec<(usize, &ReleaseOutcome)> =
            self.tried.iter().map(|(&at, outcome)| (at, outcome)).collect();
        let alike = |(one, outcome): &(usize, &ReleaseOutcome), (next, other): &(usize, &ReleaseOutcome)| {
            one + 1 == *next && outcome.verdict().is_none() && outcome == other
        };
        let row = |rows: &[(usize, &'_ ReleaseOutcome)]| match *rows {
            [(first, _), .., (last, _)] => format!("{} to {}", self.name(first), self.name(last)),
            [(only, _)] => self.name(only).to_owned(),
            [] => String::new(),
        };
        let chunks = tried.chunk_by(alike);
        chunks.filter_map(|rows| Some((row(rows), rows.first()?.1))).collect()
    }

    /// Writes each change, or "no change", and the verdicts of the oldest and the newest release.
    fn write_answer(&self, out: &mut dyn Write) -> fmt::Result {
        let asked = asked(self.tried);
        let (Some(&(oldest, first)), Some(&(newest, last))) = (asked.first(), asked.last()) else {
            return writeln!(out, "no release could be asked");
        };
        let changes = changes(self.tried);
        if changes.is_empty() {
            let (count, from, to) = (asked.len(), self.name(oldest), self.name(newest));
            writeln!(out, "no change   {first}: all {count} releases asked, {from} to {to}")?;
            return writeln!(out, "            releases between them that were not tried may differ");
        }
        if first != ReleaseVerdict::Conforms {
            writeln!(out, "first bad   not known: {}, the oldest release asked, {first}", self.name(oldest))?;
        }
        for change in changes {
            self.write_change(out, change)?;
        }
        if last != ReleaseVerdict::Conforms {
            writeln!(out, "first good  none: {}, the newest release asked, {last}", self.name(newest))?;
        }
        Ok(())
    }

    /// Writes two releases that differ, those between them, and the command that asks the failing one.
    fn write_change(&self, out: &mut dyn Write, Turning { before, after }: Turning) -> fmt::Result {
        let verdict = |at: usize| self.tried.get(&at).and_then(ReleaseOutcome::verdict);
        let (Some(was), Some(is)) = (verdict(before), verdict(after)) else { return Ok(()) };
        let (label, failing) = match (was, is) {
            (ReleaseVerdict::Conforms, _) => ("first bad ", after),
            (_, ReleaseVerdict::Conforms) => ("first good", before),
            _ => ("changed   ", after),
        };
        writeln!(out, "{label}  {} {is}; {} {was}", self.name(after), self.name(before))?;
        let skipped: Vec<&str> = self.tried.range(before + 1..after).map(|(&at, _)| self.name(at)).collect();
        if !skipped.is_empty() {
            writeln!(out, "            between them, not asked: {}", skipped.join(", "))?;
        }
        writeln!(out, "            again: {}", (self.again)(self.name(failing)))
    }

    fn name(&self, at: usize) -> &str {
        self.releases.get(at).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use normative_conformance::judge::fault::Fault;

    use super::*;

    const BAD: ReleaseVerdict = ReleaseVerdict::Fails(Fault::WrongValue);

    fn shown(rows: &[(usize, ReleaseOutcome)]) -> String {
        let releases: Vec<String> = (0..8).map(|minor| format!("1.{}.0", minor + 7)).collect();
        let mut text = String::new();
        let (tried, again) = (rows.iter().cloned().collect(), |release: &str| format!("ask a@{release}"));
        Table { releases: &releases, tried: &tried, again: &again }.write(&mut text).unwrap();
        text
    }

    fn asked(at: usize, verdict: ReleaseVerdict, reason: &str) -> (usize, ReleaseOutcome) {
        (at, ReleaseOutcome::Asked(verdict, reason.to_owned()))
    }

    #[test]
    fn a_defect_that_came_and_went_has_both_lines() {
        let rows = [
            asked(0, ReleaseVerdict::Conforms, ""),
            asked(3, ReleaseVerdict::Conforms, "float-range=naive"),
            (4, ReleaseOutcome::NotInstalled("no matching distribution".to_owned())),
            asked(5, BAD, "expected 3, got 2"),
            asked(6, BAD, "expected 3, got 2"),
            asked(7, ReleaseVerdict::Conforms, ""),
        ];
        let expected = "\
release  verdict
1.7.0    conforms
1.10.0   conforms: float-range=naive
1.11.0   does not install: no matching distribution
1.12.0   fails: wrong-value: expected 3, got 2
1.13.0   fails: wrong-value: expected 3, got 2
1.14.0   conforms

first bad   1.12.0 fails: wrong-value; 1.10.0 conforms
            between them, not asked: 1.11.0
            again: ask a@1.12.0
first good  1.14.0 conforms; 1.13.0 fails: wrong-value
            again: ask a@1.13.0
6 of 8 releases tried
";
        assert_eq!(shown(&rows), expected);
    }

    #[test]
    fn an_end_that_fails_is_said_to_be_no_beginning() {
        let died = ReleaseVerdict::Fails(Fault::Crashed);
        let text = shown(&[asked(0, died, "signal 11"), asked(1, BAD, ""), asked(2, BAD, "")]);
        let lines: Vec<&str> = text.lines().skip(5).collect();
        let expected = [
            "first bad   not known: 1.7.0, the oldest release asked, died: crashed",
            "changed     1.8.0 fails: wrong-value; 1.7.0 died: crashed",
            "            again: ask a@1.8.0",
            "first good  none: 1.9.0, the newest release asked, fails: wrong-value",
            "3 of 8 releases tried",
        ];
        assert_eq!(lines, expected);
        assert!(text.contains("1.7.0    died: crashed: signal 11\n"), "{text}");
    }

    #[test]
    fn where_all_agree_the_range_that_was_asked_is_named() {
        let rows = [
            (0, ReleaseOutcome::Unsupported("no such operator".to_owned())),
            asked(1, BAD, ""),
            asked(4, BAD, ""),
            (7, ReleaseOutcome::NotStarted("no library".to_owned())),
        ];
        let text = shown(&rows);
        assert!(text.contains("1.7.0    unsupported: no such operator\n"), "{text}");
        assert!(text.contains("1.14.0   adapter does not start: no library\n"), "{text}");
        assert!(
            text.contains("no change   fails: wrong-value: all 2 releases asked, 1.8.0 to 1.11.0\n"),
            "{text}"
        );
    }

    #[test]
    fn neighbours_with_one_reason_share_a_row() {
        let lacks = || ReleaseOutcome::NotStarted("no library".to_owned());
        let other = || ReleaseOutcome::NotInstalled("no library".to_owned());
        let rows = [
            (0, lacks()),
            (1, lacks()),
            (2, lacks()),
            (3, other()),
            (5, other()),
            asked(6, BAD, ""),
            asked(7, BAD, ""),
        ];
        let text = shown(&rows);
        let expected = "\
release         verdict
1.7.0 to 1.9.0  adapter does not start: no library
1.10.0          does not install: no library
1.12.0          does not install: no library
1.13.0          fails: wrong-value
1.14.0          fails: wrong-value

";
        assert!(text.starts_with(expected), "{text}");
    }

    #[test]
    fn a_table_without_any_verdict_says_so() {
        let text = shown(&[(0, ReleaseOutcome::NotInstalled(String::new()))]);
        assert!(text.ends_with("no release could be asked\n1 of 8 releases tried\n"), "{text}");
    }
}
