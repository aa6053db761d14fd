//! A find as cases: what a person would write into the corpus to keep it.
//!
//! The call is spelled out and so is the answer, which the reference states, not the backend. Where the text
//! leaves a choice, the case is open and lists every reading, if the data tell them apart; where they do not,
//! there is no such case, and [`cases()`] says so. Names follow from what the calls are: the same find has the
//! same name in every hunt.

use std::fmt::Write as _;

use normative_oracle::expect;
use normative_reference::{
    Alternative, Axes, AxesTensor, Call, Choice, Dtype, Expected, FloatFormat, Kind, Magnitude, Operator,
    Outcome, Question, Ruling, Tensor, rule,
};
use thiserror::Error;

use super::{Evidence, Find};
use normative_backend::wire::encode_call;
use normative_conformance::corpus::claim::{self, Disagreement};
use normative_conformance::corpus::{
    self, Case, Claim, ClauseRef, Ledger, Statement, TensorStatement, prefix,
};
use normative_conformance::digest::Digest;
use normative_conformance::display;
use normative_conformance::judge::compare::Mismatch;
use normative_conformance::judge::fault::{Fault, Severity};
use normative_conformance::judge::verdict::{Sheet, Verdict};
use normative_conformance::run::property;
use normative_conformance::shrink::{Detail, Sort};

/// Results that a case spells out; more are left to the reference.
const SPELLED: usize = 64;

/// Why there is no case for a find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unstatable {
    /// No form of a case fits the call.
    #[error("the readings of the call cannot be told apart by its data, so no case can state what is due")]
    Readings,
    /// The call does not fail again.
    #[error("the call was answered wrongly once and rightly when asked again")]
    Once,
}

/// The cases that keep a find, in the order in which they are to be asked, under this id and, where there is
/// more than one, under ids that begin with it.
///
/// # Errors
/// [`Unstatable`] where no case can say it.
pub fn cases(find: &Find, id: &str, ledger: &Ledger) -> Result<Vec<Case>, Unstatable> {
    if matches!(find.evidence, Evidence::Once(_)) {
        return Err(Unstatable::Once);
    }
    let calls = find.evidence.calls();
    let last = calls.len() - 1;
    let mut cases = Vec::new();
    for (at, &call) in calls.iter().enumerate() {
        let claim = claim_of(call, find.class.question()).ok_or(Unstatable::Readings)?;
        let verdict = if at == last { &find.verdict } else { &Verdict::Unsupported(String::new()) };
        let (id, why) = match find.evidence {
            Evidence::Readings(ref says, _) if at < last => {
                let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
                let reading = says.get(at).filter(|says| says.chars().all(is_name));
                let suffix = reading.map_or_else(|| (at + 1).to_string(), Clone::clone);
                (format!("{id}-{suffix}"), why(find))
            }
            _ if at < last => {
                // The operator may be another one.
                let words = words(find, id);
                let why = "The next case is answered wrongly by one that keeps something of this call.";
                (format!("{}before-{words}-{}", prefix(call.spec()), at + 1), why.to_owned())
            }
            _ => (id.to_owned(), why(find)),
        };
        let clauses = clauses(find, call, verdict, &claim, ledger);
        cases.push(case(call.clone(), id, why, claim, clauses));
    }
    Ok(cases)
}

/// An id without its operator: what the ids of all cases of a sequence have in common.
pub fn words<'a>(find: &Find, id: &'a str) -> &'a str {
    let last = find.evidence.calls().last().map_or("", |call| prefix(call.spec()));
    id.strip_prefix(last).unwrap_or(id)
}

fn case(call: Call, id: String, why: String, claim: Claim, clauses: Vec<ClauseRef>) -> Case {
    let name = corpus::name(&id, call.spec(), call.data.dtype());
    Case { name, id, file: std::path::PathBuf::new(), line: 0, clauses, why, call, random: None, claim }
}

/// What a case can say of the answer to a call: what is due, or what is under the readings of a question.
pub fn claim_of(call: &Call, question: Option<Question>) -> Option<Claim> {
    let sheet = Sheet::of(call).ok()?;
    let ruling = rule(call);
    let checked = |claim: Claim| {
        let case = case(call.clone(), String::new(), String::new(), claim, Vec::new());
        let checked = claim::check(&case, &sheet).map_err(|error| error.kind);
        (case.claim, checked)
    };
    let determined = || {
        let statement = answers(call, ruling.alternatives.first()?)?.into_iter().next()?;
        let (claim, checked) = checked(Claim::Determined(statement));
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
                let (claim, checked) = checked(Claim::Open { question, readings: more });
                let Claim::Open { readings: more, .. } = claim else { continue };
                if matches!(checked, Ok(()) | Err(Disagreement::LeftOut(_))) {
                    (readings, holds) = (more, checked.is_ok());
                    break;
                }
            }
        }
        (holds && readings.len() >= 2).then_some(Claim::Open { question, readings })
    };
    let others = || ruling.questions().into_iter().find_map(open);
    question.and_then(open).or_else(determined).or_else(others)
}

/// What a call means where a question is read so and all others the first way, if it can be.
fn taken(ruling: &Ruling, choice: Choice) -> Option<&Alternative> {
    let choices = |alternative: &Alternative| {
        alternative.choices.iter().chain(&alternative.implied).copied().collect::<Vec<_>>()
    };
    let plainly = ruling.alternatives.iter().find(|one| claim::takes_plainly(&choices(one), choice));
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

/// The clause that the answer breaks, and those that make the call open.
fn clauses(find: &Find, call: &Call, verdict: &Verdict, claim: &Claim, ledger: &Ledger) -> Vec<ClauseRef> {
    let main = property::Find { id: find.id, call: call.clone(), verdict: verdict.clone() }.clause(ledger);
    let asks = |question| {
        let entries = ledger.iter().filter(|entry| entry.clause.spec == call.spec());
        entries.filter(move |entry| entry.questions.contains(question)).map(|entry| entry.clause.clone())
    };
    let open: Vec<ClauseRef> = match claim {
        Claim::Determined(_) => Vec::new(),
        Claim::Open { question, .. } => asks(question).collect(),
    };
    // Who reads a question in two ways breaks no clause but those that leave it open.
    let main = if find.class.question().is_some() && !open.is_empty() { None } else { Some(main) };
    let others = open.into_iter().filter(|clause| Some(clause) != main.as_ref()).collect::<Vec<_>>();
    main.into_iter().chain(others).collect()
}

/// The wrong implementation that the find catches, in a sentence.
pub fn why(find: &Find) -> String {
    if let (Detail::Among(question, _), Evidence::Readings(says, _)) = (find.class.detail, &find.evidence) {
        return match &says[..] {
            [one, other] => {
                format!("One that reads {question} as {one} in one call and as {other} in another.")
            }
            _ => format!("One whose answers to these calls no one reading of {question} explains."),
        };
    }
    let what = match &find.verdict {
        Verdict::Fails(misses) => misses.first().map_or_else(String::new, |miss| wrong(&miss.mismatch)),
        Verdict::Crashed(_) => "breaks down over the call".to_owned(),
        Verdict::TimedOut(_) => "does not come to an end".to_owned(),
        Verdict::Conforms { .. } | Verdict::Unsupported(_) => {
            "does not answer the same every time".to_owned()
        }
    };
    let after = match find.evidence {
        Evidence::Sequence(_) => ", for what it keeps of the call before",
        _ => "",
    };
    format!("One that {what}{after}.")
}

fn wrong(mismatch: &Mismatch) -> String {
    match mismatch {
        Mismatch::NotRejected { clause, .. } => format!("answers a call that breaks {}", clause.name),
        Mismatch::Rejected { .. } => "refuses a valid call".to_owned(),
        Mismatch::Dtype { expected, got } => format!("returns {got} where {expected} is due"),
        Mismatch::Shape { expected, got } => format!("returns the dims {got:?} where {expected:?} are due"),
        Mismatch::Element(element) => {
            let show = |bits| display::element(element.dtype, bits);
            format!("returns {} where {} is due", show(element.got), show(element.expected))
        }
        Mismatch::Class { wanted, .. } => format!("is less accurate than {}", wanted.name()),
        Mismatch::Whole(_) => "errs in one direction".to_owned(),
        Mismatch::ChangedData(_) => "changes the data it was given".to_owned(),
        Mismatch::Reading { wanted, taken } => {
            format!("reads {} as {taken} where {} is demanded", wanted.question, wanted.reading)
        }
    }
}

/// What two finds have to share to be the same: everything but the values, and of those the kinds.
pub(super) fn outline(evidence: &Evidence) -> Vec<String> {
    let of = |call: &Call| {
        let dtype = call.data.dtype();
        let kinds: Vec<&str> = call.data.bits().into_iter().map(|bits| kind(dtype, bits)).collect();
        format!("{} {}", display::call(call), kinds.join(" "))
    };
    evidence.calls().into_iter().map(of).collect()
}

/// What kind of value an element is, in a word; that of 1 is empty.
fn kind(dtype: Dtype, bits: u64) -> &'static str {
    let negative = match dtype.kind() {
        Kind::Float(format) => bits & format.sign() != 0,
        Kind::Integer(range) => range.decode(bits) < 0,
    };
    match (dtype.magnitude(bits), negative) {
        (Magnitude::Nan, _) => "nan",
        (Magnitude::Infinite, _) => "infinity",
        (Magnitude::Finite { significand: 0, .. }, true) => "minus-zero",
        (Magnitude::Finite { significand: 0, .. }, false) => "zero",
        (Magnitude::Finite { .. }, _) if matches!(dtype.kind(), Kind::Float(format) if format.is_subnormal(bits)) => {
            "subnormal"
        }
        (Magnitude::Finite { significand, exponent }, _) => {
            let zeros = significand.trailing_zeros();
            let (odd, power) = (significand >> zeros, exponent + zeros as i32);
            let top = power + odd.ilog2() as i32;
            match (odd, power) {
                _ if top > 24 => "great-value",
                _ if top < -24 => "small-value",
                _ if power < 0 => "fraction",
                _ if negative => "negative-value",
                (1, 0) => "",
                _ => "value",
            }
        }
    }
}

/// A name for a find, as cases have one: the operator, how it fails, and what is unusual about the call.
pub fn id(find: &Find) -> String {
    let calls = find.evidence.calls();
    let Some(call) = calls.last() else { return String::new() };
    let version = match call.operator {
        Operator::Onnx { .. } => call.spec().name().rsplit('-').next().map(|version| format!("{version}-")),
        _ => None,
    };
    let mut id = format!("{}{}{}", prefix(call.spec()), version.unwrap_or_default(), fault(find));
    if matches!(find.evidence, Evidence::Sequence(_)) {
        id.push_str("-after-another-call");
    }
    let mut features = features(call);
    // Dims and refusals have nothing to do with values, which are then as simple as can be.
    let is_of_values =
        find.class.fault.severity() == Severity::Wrong && find.class.fault != Fault::ChangedData;
    if is_of_values || find.class.question().is_some() {
        features.extend(values(call));
    }
    for (at, feature) in features.iter().enumerate() {
        let _ = write!(id, "{}{feature}", if at == 0 { "-of-" } else { "-" });
    }
    id
}

/// How a find fails, as part of a name.
fn fault(find: &Find) -> String {
    let sort = |sort: Sort| match sort {
        Sort::Number => "number",
        Sort::Infinite => "infinity",
        Sort::Nan => "nan",
    };
    let word = find.class.fault.in_ids();
    match find.class.detail {
        Detail::Nothing | Detail::Element { due: Sort::Number, got: Sort::Number } => word.to_owned(),
        Detail::Clause(clause) => format!("{clause}-{word}"),
        Detail::Element { due, got } if due == got => format!("wrong-{}", sort(due)),
        Detail::Element { due, got } => format!("{}-for-{}", sort(got), sort(due)),
        Detail::Question(question) | Detail::Among(question, _) => format!("{word}-of-{question}"),
    }
}

/// What sets a call apart from the plainest, [1] reduced over axis 0 with every attribute left out.
fn features(call: &Call) -> Vec<String> {
    let shape = call.data.shape();
    let (rank, dtype) = (shape.len(), call.data.dtype());
    let mut features = Vec::new();
    if dtype != Dtype::F32 {
        features.push(dtype.name().to_owned());
    }
    let data = match shape {
        [] => Some("scalar".to_owned()),
        _ if shape.contains(&0) => Some("zero-size-dim".to_owned()),
        _ if call.data.len() > 1 => Some(format!("{rank}d-data")),
        _ if rank > 1 => Some(format!("rank-{rank}")),
        _ => None,
    };
    features.extend(data);
    if let Operator::Blas { n, incx, .. } = call.operator {
        features.extend((n < call.data.len() as i32).then(|| format!("n-{}", integer(n.into()))));
        features.extend((incx != 1).then(|| format!("incx-{}", integer(incx.into()))));
        return features;
    }
    match &call.axes {
        Axes::Absent => features.push("no-axes".to_owned()),
        Axes::Null => features.push("null-axes".to_owned()),
        Axes::Given(axes) => features.extend(axes_features(axes, rank)),
        Axes::OtherForm(axes) => {
            features.push("other-form".to_owned());
            features.extend(axes_features(axes, rank));
        }
    }
    let (keep, noop) = (call.operator.keep_dims(), call.operator.noop_with_empty_axes());
    features.extend(keep.map(|keep| match call.operator {
        Operator::Onnx { .. } => format!("keepdims-{}", integer(keep.into())),
        _ if keep == 0 => "dims-dropped".to_owned(),
        _ => "dims-kept".to_owned(),
    }));
    features.extend(noop.map(|noop| format!("noop-{}", integer(noop.into()))));
    features
}

/// The kinds of values that set the data apart from zeros and ones, or that there are only zeros.
fn values(call: &Call) -> Vec<String> {
    let dtype = call.data.dtype();
    let mut kinds: Vec<&str> = call.data.bits().into_iter().map(|bits| kind(dtype, bits)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let plain = |kind: &&str| kind.is_empty() || (kinds.len() > 1 && *kind == "zero");
    kinds.iter().filter(|kind| !plain(kind)).map(|&kind| kind.to_owned()).collect()
}

fn axes_features(axes: &AxesTensor, rank: usize) -> Vec<String> {
    let mut features = Vec::new();
    if axes.dtype != Dtype::I64 {
        features.push(format!("{}-axes", axes.dtype));
    }
    let form = match (axes.shape.len(), axes.values.as_slice()) {
        (1, []) => Some("empty-axes"),
        (0, _) => Some("scalar-axis"),
        (1, [_]) => None,
        (1, values) if (1..values.len()).any(|at| values[..at].contains(&values[at])) => {
            Some("repeated-axis")
        }
        (1, _) => Some("several-axes"),
        _ => Some("axes-in-rows"),
    };
    features.extend(form.map(str::to_owned));
    let rank = rank as i128;
    if let [axis] = axes.values[..]
        && axis != 0
    {
        features.push(format!("axis-{}", integer(axis)));
    } else if axes.values.iter().any(|axis| !(-rank.max(1)..rank.max(1)).contains(axis)) {
        features.push("axis-out-of-range".to_owned());
    } else if axes.values.iter().any(|&axis| axis < 0) {
        features.push("negative-axis".to_owned());
    }
    features
}

/// An integer in a name, which has no signs.
fn integer(value: i128) -> String {
    if value < 0 { format!("minus-{}", value.unsigned_abs()) } else { value.to_string() }
}

/// A few characters that tell finds of one name apart, the same on every machine.
pub fn digest(find: &Find) -> String {
    let mut digest = Digest::default();
    for call in find.evidence.calls() {
        digest.add(&encode_call(0, call));
    }
    digest.to_string().chars().take(6).collect()
}
