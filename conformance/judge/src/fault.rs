//! Lists all ways in which an answer can be wrong, with one row of properties for each.
//!
//! A [`Mismatch`](super::compare::Mismatch) is the evidence for a fault, with numbers that differ between
//! processors. Reports count, group, filter and compare faults. To add one, add a row below and extend
//! `Mismatch::fault`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One row a fault: its word in files and reports; its severity; `shown`: true if a single element, or the lack
/// of an answer, shows it (false for a demanded accuracy, for all errors together, and for changed data);
/// `far`: its rank in remoteness, where the reading that an answer most nearly meets comes first; its words on
/// the page; its part of the id of a case that a hunt writes.
macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident: $word:literal, $severity:ident, shown: $shown:literal, far: $far:literal, $page:literal;)+) => {
        /// One way in which an answer is wrong, without its numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Fault {
            $($(#[$doc])* $name,)+
        }

        impl Fault {
            /// All faults.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            const fn row(self) -> Row {
                match self {
                    $(Self::$name => Row {
                        word: $word,
                        severity: Severity::$severity,
                        shown: $shown,
                        far: $far,
                        page: $page,
                    },)+
                }
            }
        }
    };
}

struct Row {
    word: &'static str,
    severity: Severity,
    shown: bool,
    far: u8,
    page: &'static str,
}

faults! {
    /// A call that must be refused was answered.
    AcceptedInvalid: "accepted-invalid", Lenient, shown: true, far: 4, "answered an invalid call";
    /// A valid call was refused.
    RefusedValid: "refused-valid", Refused, shown: true, far: 4, "refused a valid call";
    /// The element type of the output is wrong.
    OutputType: "output-type", Form, shown: true, far: 3, "wrong type";
    /// The dims of the output are wrong.
    OutputShape: "output-shape", Form, shown: true, far: 2, "wrong shape";
    /// An element is wrong.
    WrongValue: "wrong-value", Wrong, shown: true, far: 1, "wrong value";
    /// An element misses the demanded accuracy class.
    AccuracyClass: "accuracy-class", Wrong, shown: false, far: 0, "not accurate enough";
    /// The mean of all errors exceeds its limit.
    Bias: "bias", Wrong, shown: false, far: 0, "not accurate enough";
    /// The spread of all errors exceeds its limit.
    Spread: "spread", Wrong, shown: false, far: 0, "not accurate enough";
    /// The data of the call were changed.
    ChangedData: "changed-data", Changed, shown: false, far: 5, "changed the data";
    /// The answer takes another reading than demanded.
    OtherReading: "other-reading", Readings, shown: true, far: 0, "another reading than demanded";
    /// The backend broke down.
    Crashed: "crashed", Died, shown: true, far: 6, "crashed";
    /// The backend did not answer in time.
    TimedOut: "timed-out", Died, shown: true, far: 6, "no answer in time";
    /// No single reading of a question explains the answers.
    Inconsistent: "inconsistent", Readings, shown: true, far: 0, "inconsistent";
}

impl Fault {
    /// Returns its word in files and reports.
    pub const fn word(self) -> &'static str {
        self.row().word
    }

    /// Returns its severity.
    pub const fn severity(self) -> Severity {
        self.row().severity
    }

    /// Returns true if an element of the answer, or the lack of an answer, shows it.
    pub const fn is_shown_by_answer(self) -> bool {
        self.row().shown
    }

    /// Returns its rank: 0 is nearest to right.
    pub const fn remoteness(self) -> u8 {
        self.row().far
    }

    /// Returns a description of failures of this fault alone, in words.
    pub const fn says(self) -> &'static str {
        match self {
            Self::OutputType => "wrong type of the output",
            Self::OutputShape => "wrong dims of the output",
            other => other.severity().says(),
        }
    }

    /// Returns the words for it on the HTML page. Several faults may share them.
    pub const fn on_the_page(self) -> &'static str {
        self.row().page
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The importance of a fault to a user of the backend, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The backend died or hung.
    Died,
    /// The caller's data were changed.
    Changed,
    /// A value is wrong.
    Wrong,
    /// The output has another type or other dims.
    Form,
    /// A valid call was refused.
    Refused,
    /// An invalid call was answered.
    Lenient,
    /// No single reading explains the answers, or they take another one than demanded.
    Readings,
}

impl Severity {
    /// All severities, the worst first.
    pub const ALL: [Self; 7] =
        [Self::Died, Self::Changed, Self::Wrong, Self::Form, Self::Refused, Self::Lenient, Self::Readings];

    /// Returns its word in reports and options.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Died => "died",
            Self::Changed => "changed",
            Self::Wrong => "wrong",
            Self::Form => "form",
            Self::Refused => "refused",
            Self::Lenient => "lenient",
            Self::Readings => "readings",
        }
    }

    /// Returns the severity with this word.
    ///
    /// # Errors
    /// Returns the list of valid words.
    pub fn from_word(word: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|severity| severity.word() == word);
        found.ok_or_else(|| format!("expected one of {}", Self::ALL.map(Self::word).join(", ")))
    }

    /// Returns a description of the failures in words.
    pub const fn says(self) -> &'static str {
        match self {
            Self::Died => "no answer",
            Self::Changed => "data overwritten",
            Self::Wrong => "wrong values",
            Self::Form => "wrong type or dims of the output",
            Self::Refused => "valid calls refused",
            Self::Lenient => "invalid calls answered",
            Self::Readings => "readings that do not go together",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_reports_use_the_same_words() {
        for &fault in Fault::ALL {
            assert_eq!(serde_yaml::to_string(&fault).unwrap().trim(), fault.word());
            assert_eq!(serde_yaml::from_str::<Fault>(fault.word()).unwrap(), fault);
        }
    }
}
