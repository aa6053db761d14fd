//! The cases of a spec in the form of Wycheproof's test vectors: tests with flags, and notes that explain each flag.
//!
//! `docs/export.md` says what each field means. A call that has to be refused is a test as any other, with the
//! result `invalid`; a call that a text leaves open is `acceptable`, and its answers name the reading of each.

use std::collections::{BTreeMap, BTreeSet};

use normative_reference::{Dtype, Question, Spec};
use serde::Serialize;

use super::export::{Answer, Array, Asked, GivenAxes, Is};
use normative_conformance::corpus::{Case, Claim, ClauseRef, Ledger, Level};
use normative_conformance::judge::verdict::Sheet;

/// All tests of a spec.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Suite {
    /// The spec.
    pub algorithm: &'static str,
    /// The version of this crate.
    pub generator_version: &'static str,
    /// How many tests there are in all groups.
    pub number_of_tests: usize,
    /// What to know before reading.
    pub header: Vec<&'static str>,
    /// What each flag stands for.
    pub notes: BTreeMap<String, Note>,
    /// A group for each element type.
    pub test_groups: Vec<Group>,
}

/// What a flag stands for.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Note {
    /// `DETERMINED`: what breaks the statement is wrong. `OPEN`: the text leaves a choice. `QUESTION`: the choice itself.
    pub bug_type: &'static str,
    /// The statement in our words, or the question.
    pub description: String,
    /// Where the statement stands.
    pub links: Vec<String>,
}

/// The tests of one element type.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    /// The form of the tests.
    pub r#type: &'static str,
    /// The element type of their data.
    pub dtype: &'static str,
    /// The tests.
    pub tests: Vec<Test>,
}

/// A call, and what its answer may be.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Test {
    /// Its number, from 1, in the order of the file.
    pub tc_id: usize,
    /// The name of the case.
    pub name: String,
    /// Which wrong implementation it catches.
    pub comment: String,
    /// Its clauses, the main one first, and the questions that are open.
    pub flags: Vec<String>,
    /// Attributes that are given.
    pub attributes: BTreeMap<&'static str, serde_json::Value>,
    /// The tensor to reduce.
    pub data: Array,
    /// The axes.
    pub axes: GivenAxes,
    /// `valid`: to be answered. `invalid`: to be refused. `acceptable`: open.
    pub result: &'static str,
    /// What an answer may be.
    pub answers: Vec<Answer>,
    /// Whether bias and spread of all errors are looked at together as well.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
}

impl Suite {
    /// The cases of one spec, each with what its sheet says of answers.
    pub fn of(spec: Spec, cases: &[(&Case, &Sheet)], ledger: &Ledger) -> Self {
        let mut test_groups = Vec::new();
        let (mut clauses, mut questions) = (BTreeSet::new(), BTreeSet::new());
        let mut number = 0;
        for dtype in Dtype::ALL {
            let mut tests = Vec::new();
            for (case, sheet) in cases.iter().filter(|(case, _)| case.call.data.dtype() == dtype) {
                number += 1;
                clauses.extend(&case.clauses);
                let open = questions_of(case, sheet);
                questions.extend(open.iter().copied());
                tests.push(test(number, case, sheet, &open));
            }
            if !tests.is_empty() {
                test_groups.push(Group { r#type: "NormReduction", dtype: dtype.name(), tests });
            }
        }
        let of_clause = |clause: &ClauseRef| Some((clause.name.clone(), note(clause, ledger)?));
        let notes = clauses.into_iter().filter_map(of_clause);
        let notes = notes.chain(questions.into_iter().map(|question| {
            let description = question.asks().to_owned();
            (flag(question), Note { bug_type: "QUESTION", description, links: Vec::new() })
        }));
        Self {
            algorithm: spec.name(),
            generator_version: env!("CARGO_PKG_VERSION"),
            number_of_tests: number,
            header: HEADER.to_vec(),
            notes: notes.collect(),
            test_groups,
        }
    }
}

const HEADER: [&str; 3] = [
    "Norm reductions by Normative. docs/export.md explains tensors and answers.",
    "A test is passed by an answer that fits one of its answers; bits of floats may differ as far as accepted says.",
    "Flags are clauses of the spec, in our words; question: marks what its text leaves open.",
];

fn test(number: usize, case: &Case, sheet: &Sheet, open: &BTreeSet<Question>) -> Test {
    let Asked { attributes, data, axes, answers, whole, cases: _ } = Asked::of(case, sheet);
    let refused = answers.iter().filter(|answer| matches!(answer.is, Is::Refused(_))).count();
    let result = match refused {
        _ if answers.iter().any(|answer| matches!(answer.is, Is::Outside(_))) => "acceptable",
        0 if open.is_empty() => "valid",
        count if count == answers.len() => "invalid",
        _ => "acceptable",
    };
    let clauses = case.clauses.iter().map(|clause| clause.name.clone());
    Test {
        tc_id: number,
        name: case.name.clone(),
        comment: case.why.clone(),
        flags: clauses.chain(open.iter().map(|&question| flag(question))).collect(),
        attributes,
        data,
        axes,
        result,
        answers,
        whole,
    }
}

/// What is open about a call: what the case is about, and whatever else its answers depend on.
fn questions_of(case: &Case, sheet: &Sheet) -> BTreeSet<Question> {
    let about = match &case.claim {
        Claim::Determined(_) => None,
        Claim::Open { question, .. } => Some(*question),
    };
    let choices = sheet.entries.iter().flat_map(|entry| entry.choices.iter().flatten());
    about.into_iter().chain(choices.map(|choice| choice.question)).collect()
}

fn flag(question: Question) -> String {
    format!("question:{question}")
}

fn note(clause: &ClauseRef, ledger: &Ledger) -> Option<Note> {
    let known = ledger.get(clause.spec, &clause.name)?;
    let bug_type = match known.level {
        Level::Open => "OPEN",
        Level::Determined | Level::Informative => "DETERMINED",
    };
    let links = vec![format!("{}: {}", known.source, known.place)];
    Some(Note { bug_type, description: known.says.clone(), links })
}
