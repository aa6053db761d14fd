//! Checks that a case's file and the reference agree, before any backend is asked.
//!
//! Literals that a person wrote and the exact evaluator are checked against each other: neither judges a
//! backend while they differ. Every reading must accept the answer of a determined case. Each answer of an open
//! case must be accepted under its own reading, and refused under every other that the case states, so that an
//! answer shows which reading a backend took.

use std::collections::BTreeSet;

use normative_reference::tensor::same_bits;
use normative_reference::textbook::to_f64;
use normative_reference::{
    Choice, Expected, FloatFormat, Kind, Question, Reading, Tensor, TensorError, Value,
};
use thiserror::Error;

use crate::corpus::{Case, CaseClaim, Statement, TensorStatement};
use crate::display;
use crate::judge::accuracy::PRINTED_RELATIVE;
use crate::judge::compare::Mismatch;
use crate::judge::verdict::{Demands, Entry, Sheet, accept};
use crate::observed::Observed;

/// A case that disagrees with the reference.
#[derive(Debug, Error)]
#[error("{file}:{line}: case {name}: {kind}", file = file.display())]
pub struct ClaimError {
    /// The case's file.
    pub file: std::path::PathBuf,
    /// The line its case starts on, from 1.
    pub line: usize,
    /// The expanded case's name.
    pub name: String,
    /// The difference.
    pub kind: Disagreement,
}

/// The difference between a case and the reference.
#[derive(Debug, Error)]
pub enum Disagreement {
    /// The output is too large to hold.
    #[error(transparent)]
    TooLarge(#[from] TensorError),
    /// The file and the reference expect different kinds of answers.
    #[error("expected {ruled}, as the reference has it, got {stated}")]
    Kind {
        /// The expectation of the file.
        stated: String,
        /// The expectation of the reference.
        ruled: String,
    },
    /// The answer that a determined case states is not accepted.
    #[error("the stated answer is not accepted: {0}")]
    Refused(Mismatch),
    /// One literal is not the exact value.
    #[error("element {flat}: expected the exact value {exact}, got {stated}")]
    Element {
        /// Flat row-major index.
        flat: usize,
        /// The literal, rounded to the data's type.
        stated: String,
        /// The exact value, and the nearest value of a float type.
        exact: String,
    },
    /// A printed digit string is too far from the exact value.
    #[error("printed element {flat}: expected the exact value {exact}, got {printed}")]
    Printed {
        /// Flat row-major index.
        flat: usize,
        /// The number that the source prints.
        printed: f64,
        /// The exact value.
        exact: String,
    },
    /// The case is determined, but a reading refuses the answer it states.
    #[error("the stated answer is not accepted under {choice}: {mismatch}; say `open: {{{}: …}}`", choice.question)]
    Undeclared {
        /// The question the call raises, and the reading that refuses the answer.
        choice: Choice,
        /// The reason for the refusal.
        mismatch: Mismatch,
    },
    /// The call does not raise the question that the case is about.
    #[error("expected a question that the call raises, got {0}")]
    NotRaised(Question),
    /// The call raises the question, but without this reading.
    #[error("expected a reading that this call and its type have, got {0}")]
    NotOfCall(Choice),
    /// A reading's stated answer is accepted by another reading too: the data do not tell them apart.
    #[error(
        "the answer stated for {0} is accepted under {1} as well: leave {1} out, or choose data that tell them apart"
    )]
    NotToldApart(Choice, Reading),
    /// A reading that is left out accepts none of the answers stated for others.
    #[error("expected an answer for {0}, which accepts none of those stated")]
    LeftOut(Choice),
    /// A number or a clause that a case states for a reading is not the reading's own.
    #[error("{choice}: {wrong}")]
    OfReading {
        /// The reading it is stated for.
        choice: Choice,
        /// The number or clause.
        wrong: Box<Disagreement>,
    },
    /// A reading's stated answer is not accepted by that reading.
    #[error("the answer stated for {choice} is not accepted under it: {mismatch}")]
    NotAccepted {
        /// The reading it is stated for.
        choice: Choice,
        /// The reason for the refusal.
        mismatch: Mismatch,
    },
}

/// Checks a case against its sheet.
///
/// # Errors
/// Returns [`ClaimError`], naming file, line and case, if the two differ.
pub fn check(case: &Case, sheet: &Sheet) -> Result<(), ClaimError> {
    let checked = match &case.claim {
        CaseClaim::Determined(statement) => determined(case, sheet, statement),
        CaseClaim::Open { question, readings } => open(case, sheet, *question, readings),
    };
    checked.map_err(|kind| ClaimError {
        file: case.file.clone(),
        line: case.line,
        name: case.name.clone(),
        kind,
    })
}

/// Checks that every reading accepts the stated answer, and that its literals are the exact values.
fn determined(case: &Case, sheet: &Sheet, statement: &Statement) -> Result<(), Disagreement> {
    let Some(first) = sheet.entries.first() else { return Ok(()) };
    let ideal = ideal(&first.expected)?;
    let answer = stated_answer(case, statement, &first.expected, ideal.as_ref())?;
    literals_are_exact(statement, &first.expected, ideal.as_ref())?;
    for entry in &sheet.entries {
        if let Err(mismatch) = accept(sheet, &entry.expected, &answer, &Demands::default()) {
            let own = |choice: &&Choice| !first.choices.iter().any(|choices| choices.contains(choice));
            return Err(match entry.choices.iter().flatten().find(own) {
                Some(&choice) => Disagreement::Undeclared { choice, mismatch },
                None => Disagreement::Refused(mismatch),
            });
        }
    }
    Ok(())
}

/// Checks that each reading's stated answer is accepted under it, and tells it from every other stated reading.
fn open(
    case: &Case,
    sheet: &Sheet,
    question: Question,
    readings: &[(Reading, Statement)],
) -> Result<(), Disagreement> {
    let mut accepted = Vec::new();
    for (reading, statement) in readings {
        let choice = Choice { question, reading: *reading };
        // A case states the answer with all other questions read the first way, if possible.
        let plainly = |entry: &&Entry| entry.choices.iter().any(|choices| takes_plainly(choices, choice));
        let takes_it = |entry: &&Entry| entry.choices.iter().any(|choices| choices.contains(&choice));
        let entry = sheet.entries.iter().find(plainly).or_else(|| sheet.entries.iter().find(takes_it));
        let entry = entry.ok_or_else(|| {
            let raises = question.readings().iter().any(|reading| raised(sheet, question, *reading));
            if raises { Disagreement::NotOfCall(choice) } else { Disagreement::NotRaised(question) }
        })?;
        let ideal = ideal(&entry.expected)?;
        let of_reading = |wrong| Disagreement::OfReading { choice, wrong: Box::new(wrong) };
        let answer = stated_answer(case, statement, &entry.expected, ideal.as_ref()).map_err(of_reading)?;
        let exact = literals_are_exact(statement, &entry.expected, ideal.as_ref());
        // A reading such as flushed results accepts more answers than the best one.
        match (accept(sheet, &entry.expected, &answer, &Demands::default()), exact) {
            (Ok(_), Ok(()) | Err(Disagreement::Element { .. })) => {}
            (Ok(_), Err(wrong)) | (Err(_), Err(wrong @ Disagreement::Element { .. })) => {
                return Err(of_reading(wrong));
            }
            (Err(mismatch), _) => {
                return Err(Disagreement::NotAccepted { choice, mismatch });
            }
        }
        accepted.push((choice, accepting(sheet, entry, choice, &answer)));
    }
    for (at, (choice, by)) in accepted.iter().enumerate() {
        for (other, by_other) in &accepted[at + 1..] {
            // If one reading includes another, only answers beyond the narrower one can tell them apart.
            let (mine, others) = (by.contains(&other.reading), by_other.contains(&choice.reading));
            let includes = question.includes(other.reading, choice.reading);
            if mine && (others || !includes) {
                return Err(Disagreement::NotToldApart(*choice, other.reading));
            }
            if others && !includes {
                return Err(Disagreement::NotToldApart(*other, choice.reading));
            }
        }
    }
    let stated = |reading: &Reading| accepted.iter().any(|(_, by)| by.contains(reading));
    match question.readings().iter().find(|reading| raised(sheet, question, **reading) && !stated(reading)) {
        Some(&reading) => Err(Disagreement::LeftOut(Choice { question, reading })),
        None => Ok(()),
    }
}

/// Returns true if the call can be read this way.
fn raised(sheet: &Sheet, question: Question, reading: Reading) -> bool {
    let choice = Choice { question, reading };
    sheet.entries.iter().flat_map(|entry| &entry.choices).any(|choices| choices.contains(&choice))
}

/// Returns true if these choices contain this one, and otherwise only first readings.
pub(super) fn takes_plainly(choices: &[Choice], choice: Choice) -> bool {
    let first = |other: &Choice| other.reading == other.question.readings()[0];
    choices.contains(&choice) && choices.iter().all(|other| other.question == choice.question || first(other))
}

/// Returns the readings of `choice`'s question under which the answer is accepted. Other questions about form
/// or integers keep the readings of `entry`, or the first ones; other questions about values are free, because
/// sums of squares in different types may have the same root.
fn accepting(sheet: &Sheet, entry: &Entry, choice: Choice, answer: &Observed) -> BTreeSet<Reading> {
    let plainly = entry.choices.iter().find(|choices| takes_plainly(choices, choice));
    let stated = plainly.or_else(|| entry.choices.iter().find(|choices| choices.contains(&choice)));
    let elsewhere = |question: Question| {
        let same = stated.into_iter().flatten().find(|one| one.question == question);
        same.map_or(question.readings()[0], |one| one.reading)
    };
    let agrees = |choices: &&Vec<Choice>| {
        let mut others = choices.iter().filter(|other| other.question != choice.question);
        let free = |question: Question| question.concerns_values() && !question.is_of_integers();
        others.all(|other| free(other.question) || other.reading == elsewhere(other.question))
    };
    let accepts = |entry: &&Entry| accept(sheet, &entry.expected, answer, &Demands::default()).is_ok();
    let accepted = sheet.entries.iter().filter(accepts).flat_map(|entry| &entry.choices).filter(agrees);
    accepted.flatten().filter(|other| other.question == choice.question).map(|other| other.reading).collect()
}

/// Returns the answer that a statement describes. Elements that are not spelled come from the ideal answer.
fn stated_answer(
    case: &Case,
    statement: &Statement,
    expected: &Expected,
    ideal: Option<&Tensor>,
) -> Result<Observed, Disagreement> {
    let stated = match (statement, expected) {
        (Statement::Rejected { clause }, Expected::Rejection(cited)) if clause != cited.name => {
            return Err(Disagreement::Kind {
                stated: format!("rejected: {clause}"),
                ruled: describe(expected),
            });
        }
        (Statement::Rejected { clause } | Statement::Outside { clause }, _) => {
            return Ok(Observed::Rejected(clause.clone()));
        }
        (Statement::Unchanged, _) => return Ok(Observed::Tensor(case.call.data.clone())),
        (Statement::Tensor(stated), _) => stated,
    };
    let mut bits = match ideal {
        Some(tensor) if tensor.shape() == stated.shape => tensor.bits(),
        _ if stated.elements.len() == stated.shape.iter().product::<usize>() => {
            vec![0; stated.elements.len()]
        }
        _ => {
            return Err(Disagreement::Kind {
                stated: format!("shape {:?}", stated.shape),
                ruled: describe(expected),
            });
        }
    };
    for &(flat, pattern) in &stated.elements {
        if let Some(slot) = bits.get_mut(flat) {
            *slot = pattern;
        }
    }
    Ok(Observed::Tensor(Tensor::from_bits(case.call.data.dtype(), &stated.shape, &bits)?))
}

fn literals_are_exact(
    statement: &Statement,
    expected: &Expected,
    ideal: Option<&Tensor>,
) -> Result<(), Disagreement> {
    let disagree = |stated: String| Err(Disagreement::Kind { stated, ruled: describe(expected) });
    let stated = match (statement, expected) {
        (Statement::Outside { clause }, Expected::Anything(cited)) if clause == cited.name => return Ok(()),
        // Unchanged data are compared element for element elsewhere.
        (Statement::Rejected { .. }, Expected::Rejection(_))
        | (Statement::Unchanged, Expected::Exactly(_) | Expected::Near(_) | Expected::Converted(_)) => {
            return Ok(());
        }
        (Statement::Rejected { clause }, _) => return disagree(format!("rejected: {clause}")),
        (Statement::Outside { clause }, _) => return disagree(format!("outside: {clause}")),
        (Statement::Unchanged, Expected::Rejection(_) | Expected::Anything(_)) => {
            return disagree("unchanged".into());
        }
        (Statement::Tensor(stated), _) => stated,
    };
    let Some(tensor) = ideal else {
        return disagree(format!("a tensor of shape {:?}", stated.shape));
    };
    if tensor.shape() != stated.shape {
        return disagree(format!("shape {:?}", stated.shape));
    }
    let (dtype, bits) = (tensor.dtype(), tensor.bits());
    let exact = |flat: usize| match expected {
        Expected::Near(near) => near.values.get(flat).map(display::exact),
        _ => bits.get(flat).map(|&bits| display::element(dtype, bits)),
    };
    for &(flat, pattern) in &stated.elements {
        if !bits.get(flat).is_some_and(|&right| same_bits(dtype, right, pattern)) {
            let stated = display::element(dtype, pattern);
            let exact = exact(flat).unwrap_or_else(|| "not there".into());
            let nearest = bits.get(flat).filter(|_| matches!(dtype.kind(), Kind::Float(_)));
            let nearest =
                nearest.map(|&bits| format!(", the nearest {dtype} {}", display::element(dtype, bits)));
            let exact = exact + &nearest.unwrap_or_default();
            return Err(Disagreement::Element { flat, stated, exact });
        }
    }
    printed_digits_are_near(stated, expected, tensor)
}

fn printed_digits_are_near(
    stated: &TensorStatement,
    expected: &Expected,
    ideal: &Tensor,
) -> Result<(), Disagreement> {
    let (dtype, bits) = (ideal.dtype(), ideal.bits());
    for (flat, &printed) in stated.printed.iter().enumerate() {
        // The number nearest to the exact value, and that value in words.
        let (number, exact) = match (expected, bits.get(flat)) {
            (Expected::Near(near), Some(_)) => {
                let value = near.values.get(flat).unwrap_or(&Value::Nan);
                (f64::from_bits(value.round(FloatFormat::F64)), display::exact(value))
            }
            (_, Some(&bits)) => (to_f64(dtype, bits), display::element(dtype, bits)),
            (_, None) => (f64::NAN, "not there".into()),
        };
        let near = number.is_finite() && (printed - number).abs() <= PRINTED_RELATIVE * number.abs();
        if !near {
            return Err(Disagreement::Printed { flat, printed, exact });
        }
    }
    Ok(())
}

/// Returns the best answer; `None` for a rejection.
fn ideal(expected: &Expected) -> Result<Option<Tensor>, TensorError> {
    match expected {
        Expected::Exactly(tensor) => Ok(Some(tensor.clone())),
        Expected::Converted(converted) => Ok(Some(converted.best.clone())),
        Expected::Near(near) => near.rounded().map(Some),
        Expected::Rejection(_) | Expected::Anything(_) => Ok(None),
    }
}

fn describe(expected: &Expected) -> String {
    match expected {
        Expected::Exactly(tensor) => format!("a tensor of shape {:?}", tensor.shape()),
        Expected::Converted(converted) => format!("a tensor of shape {:?}", converted.best.shape()),
        Expected::Near(near) => format!("a tensor of shape {:?}", near.shape),
        Expected::Rejection(clause) => format!("rejected: {}", clause.name),
        Expected::Anything(clause) => format!("outside: {}", clause.name),
    }
}
