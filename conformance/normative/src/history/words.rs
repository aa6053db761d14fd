//! The words of a question: operators, element types, and clauses, questions or rules of the texts.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use normative_conformance::display::{joined, version};
use normative_conformance::judge::fault::Fault;
use normative_conformance::nearest::did_you_mean;
use normative_conformance::reference::{Dtype, Norm, Question, Spec};

use super::backends;
use super::model::{Fact, Facts, History};
use crate::outcome::ReleaseVerdict;

/// Other names of types.
const TYPES: [(&str, Dtype); 9] = [
    ("half", Dtype::F16),
    ("fp16", Dtype::F16),
    ("single", Dtype::F32),
    ("fp32", Dtype::F32),
    ("float", Dtype::F32),
    ("fp64", Dtype::F64),
    ("double", Dtype::F64),
    ("int", Dtype::I32),
    ("long", Dtype::I64),
];

/// The long names of types, as an error may suggest them.
const LONG: [&str; 12] = [
    "float16", "float32", "float64", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "uint16",
    "uint32", "uint64",
];

/// Other words for the ways in which a process ends. Some occur in the names of defects, of which they would find a part.
const ENDS: [(&str, Fault); 10] = [
    ("crash", Fault::Crashed),
    ("crashes", Fault::Crashed),
    ("crashing", Fault::Crashed),
    ("died", Fault::Crashed),
    ("panic", Fault::Crashed),
    ("segfault", Fault::Crashed),
    ("sigsegv", Fault::Crashed),
    ("hang", Fault::TimedOut),
    ("hangs", Fault::TimedOut),
    ("timeout", Fault::TimedOut),
];

/// Words by which people mean what the texts call otherwise; they find either.
const ALSO: [(&str, &[&str]); 5] = [
    ("overflow", &["float-range", "half-accumulation", "infinite"]),
    ("underflow", &["float-range", "half-accumulation", "subnormals"]),
    ("inf", &["infinity", "infinite"]),
    ("infinity", &["infinite"]),
    ("zero-dim", &["a dim of 0", "empty-set"]),
];

/// Words that people put between others, or that each question is about; names of clauses have some of them as well.
const BETWEEN: [&str; 16] = [
    "all", "and", "for", "in", "norm", "norms", "of", "on", "or", "result", "results", "the", "type",
    "types", "values", "with",
];

/// Types of other data, which the name of a clause may contain.
const FOREIGN: [&str; 5] = ["bool", "string", "complex", "complex64", "complex128"];

/// The words. An empty set leaves all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// The specs of the operators.
    pub specs: BTreeSet<Spec>,
    /// The element types.
    pub types: BTreeSet<Dtype>,
    /// Parts of the names of clauses, questions and defects.
    pub topics: Vec<String>,
    /// The operators and types as the user wrote them.
    pub shown: Vec<String>,
}

impl Words {
    /// Returns the words that ask for one spec and type.
    #[must_use]
    pub fn place(spec: Spec, dtype: Dtype) -> Self {
        Self { specs: BTreeSet::from([spec]), types: BTreeSet::from([dtype]), ..Self::default() }
    }

    /// Reads words about a history of these specs; `clauses` are those of its texts.
    ///
    /// # Errors
    /// A word names nothing; the error lists similar ones.
    pub fn of<'a>(
        words: impl Iterator<Item = &'a String>,
        history: &History,
        judged: &BTreeSet<Spec>,
        clauses: &BTreeSet<&str>,
    ) -> Result<Self> {
        let mut all = Self::default();
        for word in words {
            let ends = ENDS.iter().find(|(end, _)| word.eq_ignore_ascii_case(end));
            let word = &ends.map_or_else(|| word.clone(), |(_, fault)| fault.word().to_owned());
            if BETWEEN.contains(&word.to_lowercase().as_str()) {
                continue;
            }
            let specs: Vec<Spec> = judged.iter().copied().filter(|spec| is_operator(*spec, word)).collect();
            if let Some(dtype) = dtype(word) {
                all.types.insert(dtype);
                all.shown.push(dtype.to_string());
            } else if !specs.is_empty() {
                all.specs.extend(specs);
                all.shown.insert(0, word.clone());
            } else if FOREIGN.contains(&word.to_lowercase().as_str()) {
                bail!("{word}: expected a type of numbers that norms have, got another");
            } else if backends().any(|other| word.eq_ignore_ascii_case(other)) {
                bail!("expected one runtime, got {} and {word}", history.backend);
            } else if is_topic(word, history, clauses) {
                all.topics.push(word.to_lowercase());
            } else {
                let operators: BTreeSet<&str> = judged.iter().map(|spec| bare(*spec)).collect();
                bail!(
                    "expected an operator ({}), a type, or a clause or question of its texts, or a kind of failure such as crashed, \
                     got {word:?}{}{}",
                    joined(operators),
                    same_norm(word, judged),
                    near(word, judged, clauses)
                );
            }
        }
        Ok(all)
    }

    /// Returns true if a spec and type are asked for, by their names.
    pub(crate) fn take(&self, spec: &str, dtype: &str) -> bool {
        let spec =
            Spec::from_name(spec).is_some_and(|spec| self.specs.is_empty() || self.specs.contains(&spec));
        let any_type = self.types.is_empty() || dtype.is_empty();
        spec && (any_type || Dtype::from_name(dtype).is_some_and(|dtype| self.types.contains(&dtype)))
    }

    /// Returns true if the question has no words.
    pub(crate) fn is_empty(&self) -> bool {
        self.shown.is_empty() && self.topics.is_empty()
    }

    /// Returns true if a topic, of several any one, is the word of this verdict or occurs in one of these texts.
    pub(crate) fn are_in(&self, texts: &[&str], verdict: Option<ReleaseVerdict>) -> bool {
        let word = verdict.map_or("", ReleaseVerdict::word);
        let is_in = |topic: &String| topic == word || texts.iter().any(|text| has_topic(text, topic));
        self.topics.is_empty() || self.topics.iter().any(is_in)
    }
}

/// Returns the texts of a fact that a topic may occur in.
pub(crate) fn texts(fact: &Fact) -> Vec<&str> {
    fact.clauses.iter().map(String::as_str).chain([fact.name.as_str()]).collect()
}

fn dtype(word: &str) -> Option<Dtype> {
    let word = word.to_lowercase();
    let other = || TYPES.iter().find(|(name, _)| *name == word).map(|(_, dtype)| *dtype);
    let long = [("bfloat", "bf"), ("float", "f"), ("uint", "u"), ("int", "i")];
    let short = long.iter().find_map(|(long, short)| Some(format!("{short}{}", word.strip_prefix(long)?)));
    Dtype::from_name(&word).or_else(other).or_else(|| Dtype::from_name(&short?))
}

/// Returns true for the name of a spec, with or without its family and version, for that of its norm, such as `L2`, and for
/// that of a function of all norms, such as `vector_norm`.
fn is_operator(spec: Spec, word: &str) -> bool {
    let norm = format!("{:?}", spec.norm());
    let (of_version, bare) = (version(spec), bare(spec));
    let function = bare.split_once('-').map_or(bare, |(function, _)| function);
    [spec.name(), of_version, bare, &norm, function].iter().any(|name| name.eq_ignore_ascii_case(word))
}

/// Returns the name of an operator without its family and version.
fn bare(spec: Spec) -> &'static str {
    let of_version = version(spec);
    of_version.rsplit_once('-').map_or(of_version, |(operator, _)| operator)
}

/// Returns true if a text has this topic, or one that people mean by it.
fn has_topic(text: &str, topic: &str) -> bool {
    let also = ALSO.iter().find(|(word, _)| *word == topic).map_or(&[][..], |(_, also)| also);
    has_word(text, topic) || also.iter().any(|also| has_word(text, also))
}

/// Returns true if a text has this word, or these words joined by hyphens, as a whole. A part of a word would turn a
/// mistyped question into the answer that no defect is known. Articles and the like are no topics.
fn has_word(text: &str, topic: &str) -> bool {
    let text = text.to_lowercase();
    let ends = |part: Option<char>| part.is_none_or(|one| !one.is_alphanumeric());
    topic.len() > 2
        && text.match_indices(topic).any(|(at, _)| {
            ends(text[..at].chars().next_back()) && ends(text[at + topic.len()..].chars().next())
        })
}

fn is_topic(word: &str, history: &History, clauses: &BTreeSet<&str>) -> bool {
    let word = word.to_lowercase();
    let of_facts = |facts: &Facts| {
        facts
            .defects
            .iter()
            .chain(&facts.hazards)
            .any(|fact| texts(fact).iter().any(|text| has_topic(text, &word)))
    };
    let mut readings = history.results.values().flat_map(|(_, facts)| facts.readings.keys());
    ReleaseVerdict::of_word(&word).is_some_and(|verdict| verdict.shows(true))
        || clauses.iter().any(|name| has_topic(name, &word))
        || readings.any(|(question, ..)| has_topic(question, &word))
        || history.results.values().any(|(_, facts)| of_facts(facts))
}

/// Tells an operator of other texts, and names the operators of these texts that compute its norm.
fn same_norm(word: &str, judged: &BTreeSet<Spec>) -> String {
    let norms: Vec<Norm> =
        Spec::ALL.into_iter().filter(|spec| is_operator(*spec, word)).map(Spec::norm).collect();
    let same = judged.iter().filter(|spec| norms.contains(&spec.norm()));
    let same: BTreeSet<&str> = same.map(|spec| bare(*spec)).collect();
    match (norms.is_empty(), same.is_empty()) {
        (true, _) => String::new(),
        (false, true) => ", an operator of other texts".to_owned(),
        (false, false) => format!(", an operator of other texts; the same norm: {}", joined(same)),
    }
}

fn near(word: &str, judged: &BTreeSet<Spec>, clauses: &BTreeSet<&str>) -> String {
    let operators = judged.iter().map(|spec| version(*spec));
    let types =
        Dtype::ALL.iter().map(|dtype| dtype.name()).chain(TYPES.iter().map(|(name, _)| *name)).chain(LONG);
    let questions = Question::ALL.iter().map(|question| question.name());
    let faults = Fault::ALL.iter().map(|fault| fault.word());
    let names = operators.chain(types).chain(questions).chain(faults).chain(clauses.iter().copied());
    // A question of other texts is no better than its name.
    did_you_mean(word, names.filter(|name| !name.eq_ignore_ascii_case(word)))
}
