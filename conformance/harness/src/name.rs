//! Lists the tests and their names: a name alone tells which file a test needs.

use std::collections::BTreeSet;
use std::fmt;

use normative_conformance::corpus::{Case, CaseClaim};
use normative_conformance::reference::{Family, Question, Spec};

use crate::corpus;

/// The seed of the generated calls. Another seed is another test.
pub(crate) const SEED: u64 = 1;

/// The number of generated calls of each spec.
pub(crate) const CALLS: usize = 300;

/// A test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    /// The backend does not decline every case.
    TakesUp,
    /// A case.
    Case {
        /// The path of its file in the corpus, without its ending.
        topic: String,
        /// Its family, which stands before a topic outside the families' folders.
        family: Family,
        /// Its name.
        name: String,
    },
    /// A question is read in one way.
    Readings(Spec, Question),
    /// Generated calls.
    Generated(Spec),
    /// The entries of a baseline; only a crate with a baseline has this test.
    Baseline,
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TakesUp => write!(f, "backend::takes-up-a-call"),
            Self::Case { topic, family, name } if corpus::folder(topic).is_none() => {
                write!(f, "{family}/{topic}::{name}")
            }
            Self::Case { topic, name, .. } => write!(f, "{topic}::{name}"),
            Self::Readings(spec, question) => write!(f, "readings::{spec}/{question}"),
            Self::Generated(spec) => write!(f, "generated::{spec}/seed-{SEED}/first-{CALLS}"),
            Self::Baseline => write!(f, "baseline::names-what-there-is"),
        }
    }
}

/// Returns the test of this name, if it exists. It reads only the file of the case, or the files that may
/// have the question.
pub(crate) fn find(wanted: &str, with_baseline: bool) -> Result<Option<Test>, String> {
    let Some((group, _)) = wanted.split_once("::") else { return Ok(None) };
    let tests = match group {
        "backend" => vec![Test::TakesUp],
        "baseline" => of_baseline(with_baseline),
        "generated" => Spec::ALL.map(Test::Generated).to_vec(),
        // Pairs without an open case match no listed test.
        "readings" => of_all_questions(
            Spec::ALL
                .into_iter()
                .flat_map(|spec| Question::ALL.into_iter().map(move |question| (spec, question))),
        ),
        group => {
            let outside = group.split_once('/').map(|(_, topic)| topic);
            let may_have = |topic: &&str| *topic == group || Some(*topic) == outside;
            let mut tests = Vec::new();
            for topic in corpus::topics().filter(may_have) {
                tests.extend(of_file(topic)?);
            }
            tests
        }
    };
    Ok(tests.into_iter().find(|test| test.to_string() == wanted))
}

fn of_file(topic: &str) -> Result<Vec<Test>, String> {
    let test = |case: &Case| Test::Case {
        topic: topic.to_owned(),
        family: case.call.spec().family(),
        name: case.name.clone(),
    };
    Ok(corpus::file(topic)?.iter().map(test).collect())
}

fn of_baseline(with_baseline: bool) -> Vec<Test> {
    if with_baseline { vec![Test::Baseline] } else { Vec::new() }
}

fn of_all_questions(questions: impl IntoIterator<Item = (Spec, Question)>) -> Vec<Test> {
    questions.into_iter().map(|(spec, question)| Test::Readings(spec, question)).collect()
}

/// Returns every test: the cases in the order of the corpus, then the tests of several answers.
pub(crate) fn all(with_baseline: bool) -> Result<Vec<Test>, String> {
    let mut tests = vec![Test::TakesUp];
    let mut questions = BTreeSet::new();
    for topic in corpus::topics() {
        tests.extend(of_file(topic)?);
        for case in corpus::file(topic)? {
            if let CaseClaim::Open { question, .. } = case.claim {
                questions.insert((case.call.spec(), question));
            }
        }
    }
    tests.extend(of_all_questions(questions));
    tests.extend(Spec::ALL.map(Test::Generated));
    tests.extend(of_baseline(with_baseline));
    Ok(tests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_is_found_by_its_name_and_no_two_share_one() {
        let tests = all(true).unwrap();
        let names: BTreeSet<String> = tests.iter().map(ToString::to_string).collect();
        assert_eq!(names.len(), tests.len());
        for test in tests {
            assert_eq!(find(&test.to_string(), true).unwrap(), Some(test));
        }
    }

    #[test]
    fn what_names_no_test_finds_none() {
        let baseline = Test::Baseline.to_string();
        for name in ["", "backend", "backend::", "onnx/axes::x", "onnx/none::x", "readings::x/y", &baseline] {
            assert_eq!(find(name, false).unwrap(), None, "{name}");
        }
        assert!(!all(false).unwrap().contains(&Test::Baseline));
    }
}
