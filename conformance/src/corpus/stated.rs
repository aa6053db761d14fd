//! States a call as a case of the corpus.
//!
//! The case spells out the call and the answer, which comes from the reference, never from a backend. A call with a choice
//! becomes an open case that lists every reading, if the data tell the readings apart; otherwise there is no case.

use normative_reference::{
    Alternative, Call, Choice, Expected, FloatFormat, Kind, Layout, Outcome, Question, Ruling, Tensor,
    expect, rule,
};

use super::claim::{self, Disagreement, takes_plainly};
use super::{Case, CaseClaim, ClauseRef, Ledger, Statement, TensorStatement, cited, name, prefix};
use crate::digest::Digest;
use crate::judge::verdict::Sheet;

/// The most results that a case spells out; beyond that, the reference computes them.
const SPELLED: usize = 64;

/// Returns the id of a case for this call, which depends on the call alone.
pub fn id(call: &Call) -> String {
    format!("{}found-{}", prefix(call.spec()), Digest::of_call(call))
}

/// Makes a case with the reference's answer, about the clause that a wrong answer would break. Returns `None` if the data
/// do not tell the readings of the call apart, or are not row-major.
pub fn case(call: Call, id: String, why: &str, ledger: &Ledger) -> Option<Case> {
    let claim = claim_of(&call).filter(|_| call.layout == Layout::RowMajor)?;
    let clause = cited::clause(&call, None, ledger);
    Some(stated_as(call, id, why.to_owned(), claim, vec![clause]))
}

fn stated_as(call: Call, id: String, why: String, claim: CaseClaim, clauses: Vec<ClauseRef>) -> Case {
    let name = name(&id, call.spec(), call.data.dtype());
    Case { name, id, file: std::path::PathBuf::new(), line: 0, clauses, why, call, random: None, claim }
}

/// Returns the claim of a case about a call: the answer, or an answer for each reading of its question.
pub(super) fn claim_of(call: &Call) -> Option<CaseClaim> {
    let sheet = Sheet::of(call).ok()?;
    let ruling = rule(call);
    let checked = |claim: CaseClaim| {
        let case = stated_as(call.clone(), String::new(), String::new(), claim, Vec::new());
        let checked = claim::check(&case, &sheet).map_err(|error| error.kind);
        (case.claim, checked)
    };
    let determined = || {
        let statement = answers(call, ruling.alternatives.first()?)?.into_iter().next()?;
        let (claim, checked) = checked(CaseClaim::Determined(statement));
        checked.is_ok().then_some(claim)
    };
    let open = |question: Question| {
        // A reading is stated if one of its answers tells it from those before. The others have to accept one of these.
        let (mut readings, mut holds) = (Vec::new(), false);
        for &reading in question.readings() {
            let stated = taken(&ruling, Choice { question, reading }).and_then(|taken| answers(call, taken));
            for statement in stated.unwrap_or_default() {
                let mut more = readings.clone();
                more.push((reading, statement));
                let (claim, checked) = checked(CaseClaim::Open { question, readings: more });
                let CaseClaim::Open { readings: more, .. } = claim else { continue };
                if matches!(checked, Ok(()) | Err(Disagreement::LeftOut(_))) {
                    (readings, holds) = (more, checked.is_ok());
                    break;
                }
            }
        }
        (holds && readings.len() >= 2).then_some(CaseClaim::Open { question, readings })
    };
    determined().or_else(|| ruling.questions().into_iter().find_map(open))
}

/// Returns the alternative of a ruling with this reading of a question and the first readings of all others.
fn taken(ruling: &Ruling, choice: Choice) -> Option<&Alternative> {
    let choices = |alternative: &Alternative| {
        alternative.choices.iter().chain(&alternative.implied).copied().collect::<Vec<_>>()
    };
    let plainly = ruling.alternatives.iter().find(|one| takes_plainly(&choices(one), choice));
    plainly.or_else(|| ruling.alternatives.iter().find(|one| choices(one).contains(&choice)))
}

/// The answers that one reading of a call may well get, as a case states them: the exact one first, then, for
/// squares in a format that does not hold them, infinities and zeros.
fn answers(call: &Call, alternative: &Alternative) -> Option<Vec<Statement>> {
    let near = match expect(call, &alternative.outcome).ok()? {
        Expected::Rejection(clause) => {
            return Some(vec![Statement::Rejected { clause: clause.name.to_owned() }]);
        }
        Expected::Anything(clause) => {
            return Some(vec![Statement::Outside { clause: clause.name.to_owned() }]);
        }
        Expected::Exactly(_) if alternative.outcome == Outcome::Unchanged => {
            return Some(vec![Statement::Unchanged]);
        }
        Expected::Exactly(tensor) => return Some(vec![stated(&tensor, SPELLED)]),
        Expected::Converted(converted) => return Some(vec![stated(&converted.best, SPELLED)]),
        Expected::Near(near) => near,
    };
    let Kind::Float(output) = near.dtype.kind() else { return None };
    let mut answers = vec![stated(&near.rounded().ok()?, SPELLED)];
    for squares in [FloatFormat::F16, FloatFormat::F32, FloatFormat::F64] {
        let great = (f64::from(squares.max_exponent + 1) / 2.0).exp2();
        let small = (f64::from(squares.quantum() - 1) / 2.0).exp2();
        let bits = near.values.iter().map(|value| match f64::from_bits(value.round(FloatFormat::F64)) {
            norm if norm >= great => output.infinity(),
            norm if norm <= small => 0,
            _ => value.round(output),
        });
        let tensor = Tensor::from_bits(near.dtype, &near.shape, &bits.collect::<Vec<_>>()).ok()?;
        // The reference would give the exact ones for what is not spelled.
        answers.push(stated(&tensor, usize::MAX));
    }
    Some(answers)
}

/// A tensor as a case states it, spelled out up to so many elements.
fn stated(tensor: &Tensor, spelled: usize) -> Statement {
    let bits = if tensor.len() <= spelled { tensor.bits() } else { Vec::new() };
    let shape = tensor.shape().to_vec();
    let elements = bits.into_iter().enumerate().collect();
    Statement::Tensor(TensorStatement { shape, elements, printed: Vec::new(), unbiased: false })
}
