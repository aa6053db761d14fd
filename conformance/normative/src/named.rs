//! The call that a word of the command line names.

use normative_conformance::corpus::{Case, line};
use normative_conformance::run::property::Id;

/// The word for all calls that failed in the last full run of the backend, to a command that judges one.
pub(crate) const LAST_FAILED: &str = "last-failed";

/// A call that a command is to ask.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Named {
    /// Cases, by their name, their id, or a text in their names.
    Case(String),
    /// A generated call.
    Generated(Id),
    /// The calls of a [line], not yet part of a corpus.
    Stated(Vec<Case>),
}

impl Named {
    /// Reads a word: `{…}` is a call in one line; a name with a colon is that of a generated call, as a failure
    /// prints it (`generated-1:2/…`) or as options take it (`1:2`); any other is a case's.
    ///
    /// # Errors
    /// Returns the reason why it names nothing.
    pub(crate) fn of(word: &str) -> Result<Self, String> {
        if line::is_one(word) {
            return line::cases(word).map(Self::Stated);
        }
        let place = word.strip_prefix("generated-").and_then(|rest| rest.split('/').next()).unwrap_or(word);
        match place.parse() {
            Ok(id) => Ok(Self::Generated(id)),
            Err(why) if word.contains(':') => Err(why.to_owned()),
            Err(_) => Ok(Self::Case(word.to_owned())),
        }
    }

    /// Returns the name that the option `--case` takes.
    pub(crate) fn word(&self) -> String {
        match self {
            Self::Case(name) => name.clone(),
            Self::Generated(id) => id.to_string(),
            Self::Stated(cases) => cases.first().map(|case| case.name.clone()).unwrap_or_default(),
        }
    }
}
