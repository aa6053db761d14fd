//! The origin of a run: the suite, the machine, and the files of the worker.
//!
//! It is found once, when a run begins, and is written into the header of the record. Verdicts do not depend on it.
//! Unknown parts are omitted.

mod budget;
mod checkout;
mod floats;
mod machine;
pub(crate) mod sha256;
mod suite;
mod worker;

use std::fmt::Write as _;
use std::time::SystemTime;

use normative_conformance::corpus::Corpus;
use normative_conformance::drive::Program;
use normative_conformance::report::record::{self, Machine};
use normative_conformance::session::Origin;

pub(crate) use self::checkout::commit;
pub(crate) use self::sha256::of_bytes;
pub(crate) use self::suite::Suite;
use crate::select::Folder;

/// Returns the origin of a run that begins now, with this worker and its process id.
pub(crate) fn origin(program: &Program, process: Option<u32>) -> Origin {
    let worker = worker::files(program, process);
    let started = date(SystemTime::now());
    Origin { commit: commit(), started, machine: Machine { worker, ..machine::here() } }
}

/// Formats a time in UTC; `None` for a clock before 1970 or after 9999, which must be wrong.
fn date(time: SystemTime) -> Option<String> {
    let mut text = String::new();
    time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    write!(text, "{}", humantime::format_rfc3339_seconds(time)).ok()?;
    Some(text)
}

/// Returns the day in UTC; empty if the clock is wrong.
pub(crate) fn today() -> String {
    date(SystemTime::now()).map(|date| date.chars().take(10).collect()).unwrap_or_default()
}

/// Returns the text that names this suite over these cases.
pub fn made_by(corpus: &Corpus) -> String {
    suite::made_by(env!("CARGO_PKG_VERSION"), commit().as_deref(), &record::digest(corpus))
}

/// Returns the version of this suite, its commit and its digests in words, or the reason why digests are missing.
pub(crate) fn version() -> String {
    let folder = Folder::ours();
    let suite = folder.load().and_then(|corpus| Suite::of(&folder, &corpus, &folder.ledger()?));
    suite.map_or_else(|error| format!("{}\n{error:#}\n", suite::program()), |suite| format!("{suite}\n"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_run_begins_at_a_date_in_utc() {
        let started = origin(&Program::new("none"), None).started.unwrap();
        assert!(started.len() == 20 && started.starts_with("20") && started.ends_with('Z'), "{started}");
    }

    #[test]
    fn a_clock_that_is_set_wrong_ends_no_run() {
        let (second, years) = (Duration::from_secs(1), Duration::from_secs(366 * 86_400 * 9000));
        assert_eq!(date(SystemTime::UNIX_EPOCH - second), None);
        assert_eq!(date(SystemTime::UNIX_EPOCH + years), None);
        assert_eq!(date(SystemTime::UNIX_EPOCH + second).unwrap(), "1970-01-01T00:00:01Z");
    }
}
