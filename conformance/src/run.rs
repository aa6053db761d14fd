//! Drives one backend through the cases it was selected for.
//!
//! [`prepare`] rules on every case and holds its file against the reference; a corpus that
//! disagrees with the reference judges nobody. [`run`] then asks the backend, one case after
//! another in corpus order. Nothing is skipped: what goes in comes out as a verdict.

use normative_reference::TensorError;
use thiserror::Error;

use crate::backend::Backend;
use crate::cases::Case;
use crate::claim::{self, ClaimError};
use crate::verdict::{Demands, Sheet, Verdict, judge};

/// A case, ruled on and found to agree with the reference.
#[derive(Clone, Debug)]
pub struct Prepared<'a> {
    /// The case.
    pub case: &'a Case,
    /// Everything an answer may be.
    pub sheet: Sheet,
}

/// Why a case cannot be run.
#[derive(Debug, Error)]
pub enum PrepareError {
    /// The file and the reference disagree.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// The reference cannot hold the result.
    #[error("{file}:{line}: case {name}: {source}", file = file.display())]
    TooLarge {
        /// The case's file.
        file: std::path::PathBuf,
        /// The line its case starts on, from 1.
        line: usize,
        /// The expanded case's name.
        name: String,
        /// What is too large.
        source: TensorError,
    },
}

/// Rules on every case.
///
/// # Errors
/// Every case whose file and the reference disagree.
pub fn prepare<'a>(
    cases: impl IntoIterator<Item = &'a Case>,
) -> Result<Vec<Prepared<'a>>, Vec<PrepareError>> {
    let (mut prepared, mut errors) = (Vec::new(), Vec::new());
    for case in cases {
        match prepare_one(case) {
            Ok(one) => prepared.push(one),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(prepared) } else { Err(errors) }
}

fn prepare_one(case: &Case) -> Result<Prepared<'_>, PrepareError> {
    let mut sheet = Sheet::of(&case.call).map_err(|source| {
        let (file, name) = (case.file.clone(), case.name.clone());
        PrepareError::TooLarge { file, line: case.line, name, source }
    })?;
    sheet.whole = case.claim.is_of_the_whole();
    claim::check(case, &sheet)?;
    Ok(Prepared { case, sheet })
}

/// Asks `backend` every case and judges its answers, in order. `on_verdict` hears of each at once.
pub fn run(
    prepared: &[Prepared<'_>],
    backend: &mut dyn Backend,
    demands: &Demands,
    mut on_verdict: impl FnMut(&Case, &Verdict),
) -> Vec<Verdict> {
    let mut verdicts = Vec::with_capacity(prepared.len());
    for Prepared { case, sheet } in prepared {
        let verdict = judge(sheet, &backend.answer(&case.call), demands);
        on_verdict(case, &verdict);
        verdicts.push(verdict);
    }
    verdicts
}
