//! The closed list of what can be wrong with an answer, with one row of properties for each entry.
//!
//! A [`Mismatch`](super::compare::Mismatch) is the evidence for one of them, with its numbers, which differ from
//! processor to processor. What is counted, compared from run to run, grouped and filtered is the fault. To add one, add
//! a row below, and say in `Mismatch::fault` when it is meant.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One row a fault: its word in files and reports; how much it matters; whether each element of the answer, or that
/// there is none, shows it (not so of an accuracy that a user demanded, of all errors together, and of data that were
/// written to); how far from right it is, so that the reading an answer most nearly meets comes first; its words on the
/// page, and in the id of a case that a hunt leaves.
macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident: $word:literal, $severity:ident, shown: $shown:literal, far: $far:literal, $page:literal, $id:literal;)+) => {
        /// One way in which an answer is wrong, without its numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Fault {
            $($(#[$doc])* $name,)+
        }

        impl Fault {
            /// Every one.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            const fn row(self) -> Row {
                match self {
                    $(Self::$name => Row {
                        word: $word,
                        severity: Severity::$severity,
                        shown: $shown,
                        far: $far,
                        page: $page,
                        id: $id,
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
    id: &'static str,
}

faults! {
    /// A call that must be refused was answered.
    AcceptedInvalid: "accepted-invalid", Lenient, shown: true, far: 4, "answered an invalid call", "not-enforced";
    /// A valid call was refused.
    RefusedValid: "refused-valid", Refused, shown: true, far: 4, "refused a valid call", "refusal";
    /// The element type of the output.
    OutputType: "output-type", Form, shown: true, far: 3, "wrong type", "wrong-type";
    /// The dims of the output.
    OutputShape: "output-shape", Form, shown: true, far: 2, "wrong shape", "wrong-dims";
    /// An element.
    WrongValue: "wrong-value", Wrong, shown: true, far: 1, "wrong value", "wrong-value";
    /// The accuracy class demanded.
    AccuracyClass: "accuracy-class", Wrong, shown: false, far: 0, "not accurate enough", "inaccurate-value";
    /// The mean of all errors.
    Bias: "bias", Wrong, shown: false, far: 0, "not accurate enough", "biased-values";
    /// Their spread.
    Spread: "spread", Wrong, shown: false, far: 0, "not accurate enough", "biased-values";
    /// The data were written to.
    ChangedData: "changed-data", Wrong, shown: false, far: 5, "changed the data", "changed-data";
    /// Another reading than demanded.
    OtherReading: "other-reading", Readings, shown: true, far: 0, "another reading than demanded", "other-reading";
    /// The backend broke down.
    Crashed: "crashed", Died, shown: true, far: 6, "crashed", "crash";
    /// It did not answer in time.
    TimedOut: "timed-out", Died, shown: true, far: 6, "no answer in time", "no-answer";
    /// No single reading of a question explains the answers.
    Inconsistent: "inconsistent", Readings, shown: true, far: 0, "inconsistent", "two-readings";
}

impl Fault {
    /// Its word in files and reports.
    pub const fn word(self) -> &'static str {
        self.row().word
    }

    /// How much it matters.
    pub const fn severity(self) -> Severity {
        self.row().severity
    }

    /// Whether each element of an answer, or that there is none, shows it.
    pub const fn is_shown_by_answer(self) -> bool {
        self.row().shown
    }

    /// How far from right: 0 is nearest.
    pub const fn remoteness(self) -> u8 {
        self.row().far
    }

    /// What a reader of the page tells apart by.
    pub const fn on_the_page(self) -> &'static str {
        self.row().page
    }

    /// What ids of cases say of it.
    pub const fn in_ids(self) -> &'static str {
        self.row().id
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// How much a fault matters to a user of the backend, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// It died or hung.
    Died,
    /// A value is wrong, or the caller's data are.
    Wrong,
    /// The output has another type or other dims.
    Form,
    /// A valid call was refused.
    Refused,
    /// An invalid call was answered.
    Lenient,
    /// No single reading explains the answers, or another one than demanded does.
    Readings,
}

impl Severity {
    /// Every one, the worst first.
    pub const ALL: [Self; 6] =
        [Self::Died, Self::Wrong, Self::Form, Self::Refused, Self::Lenient, Self::Readings];

    /// Its word in reports and options.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Died => "died",
            Self::Wrong => "wrong",
            Self::Form => "form",
            Self::Refused => "refused",
            Self::Lenient => "lenient",
            Self::Readings => "readings",
        }
    }

    /// The one of this word.
    ///
    /// # Errors
    /// The words there are.
    pub fn from_word(word: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|severity| severity.word() == word);
        found.ok_or_else(|| format!("expected one of {}", Self::ALL.map(Self::word).join(", ")))
    }

    /// What it is to do so, in words.
    pub const fn says(self) -> &'static str {
        match self {
            Self::Died => "no answer",
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
