//! The ways in which a call speaks against a backend, as a closed list of words that are the same on every machine.
//!
//! A verdict has numbers in it that differ from processor to processor; what is compared from run to run is this.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::judge::accuracy::whole::Excess;
use crate::judge::compare::Mismatch;
use crate::judge::verdict::Verdict;

/// What is the matter with an answer, without its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// A call that must be refused was answered.
    AcceptedInvalid,
    /// A valid call was refused.
    RefusedValid,
    /// The element type of the output.
    OutputType,
    /// The dims of the output.
    OutputShape,
    /// An element.
    WrongValue,
    /// The accuracy class demanded.
    AccuracyClass,
    /// The mean of all errors.
    Bias,
    /// Their spread.
    Spread,
    /// The data were written to.
    ChangedData,
    /// Another reading than demanded.
    OtherReading,
    /// The backend broke down.
    Crashed,
    /// It did not answer in time.
    TimedOut,
    /// No single reading of a question explains the answers.
    Inconsistent,
}

impl Fault {
    /// Every one.
    pub const ALL: [Self; 13] = [
        Self::AcceptedInvalid,
        Self::RefusedValid,
        Self::OutputType,
        Self::OutputShape,
        Self::WrongValue,
        Self::AccuracyClass,
        Self::Bias,
        Self::Spread,
        Self::ChangedData,
        Self::OtherReading,
        Self::Crashed,
        Self::TimedOut,
        Self::Inconsistent,
    ];

    /// Its word in files and reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::AcceptedInvalid => "accepted-invalid",
            Self::RefusedValid => "refused-valid",
            Self::OutputType => "output-type",
            Self::OutputShape => "output-shape",
            Self::WrongValue => "wrong-value",
            Self::AccuracyClass => "accuracy-class",
            Self::Bias => "bias",
            Self::Spread => "spread",
            Self::ChangedData => "changed-data",
            Self::OtherReading => "other-reading",
            Self::Crashed => "crashed",
            Self::TimedOut => "timed-out",
            Self::Inconsistent => "inconsistent",
        }
    }
}

/// How much it matters to whoever uses the backend, the worst first.
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

impl Fault {
    /// How much it matters.
    pub const fn severity(self) -> Severity {
        match self {
            Self::Crashed | Self::TimedOut => Severity::Died,
            Self::WrongValue | Self::AccuracyClass | Self::Bias | Self::Spread | Self::ChangedData => {
                Severity::Wrong
            }
            Self::OutputType | Self::OutputShape => Severity::Form,
            Self::RefusedValid => Severity::Refused,
            Self::AcceptedInvalid => Severity::Lenient,
            Self::OtherReading | Self::Inconsistent => Severity::Readings,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Mismatch {
    /// What is the matter.
    pub const fn fault(&self) -> Fault {
        match self {
            Self::NotRejected { .. } => Fault::AcceptedInvalid,
            Self::Rejected { .. } => Fault::RefusedValid,
            Self::Dtype { .. } => Fault::OutputType,
            Self::Shape { .. } => Fault::OutputShape,
            Self::Element(_) => Fault::WrongValue,
            Self::Class { .. } => Fault::AccuracyClass,
            Self::Whole(Excess::Bias { .. }) => Fault::Bias,
            Self::Whole(Excess::Spread { .. }) => Fault::Spread,
            Self::ChangedData(_) => Fault::ChangedData,
            Self::Reading { .. } => Fault::OtherReading,
        }
    }
}

impl Verdict {
    /// What is the matter, where something is; of several misses that of the nearest reading.
    pub fn fault(&self) -> Option<Fault> {
        match self {
            Self::Fails(misses) => misses.first().map(|miss| miss.mismatch.fault()),
            Self::Crashed(_) => Some(Fault::Crashed),
            Self::TimedOut(_) => Some(Fault::TimedOut),
            Self::Conforms { .. } | Self::Unsupported(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_reports_use_the_same_words() {
        for fault in Fault::ALL {
            assert_eq!(serde_yaml::to_string(&fault).unwrap().trim(), fault.word());
            assert_eq!(serde_yaml::from_str::<Fault>(fault.word()).unwrap(), fault);
        }
    }
}
