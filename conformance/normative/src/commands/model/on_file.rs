//! Tells which defects and hazards of judged releases concern a node: the hazards of its operator and type, and the defects
//! whose smallest call has no unusual form that the node lacks, and no higher rank.
//!
//! A smallest call is shrunk, so a form that it still has is needed to see the fact. Forms alone are compared:
//! the elements that a node will get are not known.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, anyhow};
use normative_conformance::corpus::{Corpus, Ledger};
use normative_conformance::display::{cut, plain, version};
use normative_conformance::reference::{Axes, Call, Dtype, Question, Spec, rule};

use crate::history;
use crate::history::matters::{AskedHistory, HAZARD, Matter};
use crate::history::model::{Facts, History};
use crate::history::words::Words;
use crate::select::Folder;

/// The most characters of the clauses, the due answer and the one that came.
const ANSWERS: usize = 120;

/// The lines about nodes, of the specs and types that were asked for.
pub(super) struct OnFile {
    corpus: LazyCell<Result<Corpus>>,
    ledger: Ledger,
    known: BTreeMap<(Spec, Dtype), Vec<(String, Concerns)>>,
}

/// The nodes of a spec and type that a line concerns.
enum Concerns {
    All,
    WithElements,
    /// Those about which the text leaves this question open.
    Raising(Question),
    /// Those that have all of these forms, and at least this rank.
    Having(BTreeSet<Form>, usize),
}

impl OnFile {
    /// # Errors
    /// The clauses cannot be read.
    pub(super) fn new() -> Result<Self> {
        let corpus: LazyCell<_> = LazyCell::new(|| Folder::ours().load());
        Ok(Self { corpus, ledger: Folder::ours().ledger()?, known: BTreeMap::new() })
    }

    /// Returns a line for each defect and hazard that concerns a node, given as a call with data of its type.
    ///
    /// # Errors
    /// A history, or the cases, cannot be read.
    pub(super) fn about(&mut self, node: &Call) -> Result<Vec<String>> {
        let place = (node.spec(), node.data.dtype());
        if !self.known.contains_key(&place) {
            let lines = self.lines(place)?;
            self.known.insert(place, lines);
        }
        let (has, rank) = (forms(node), node.data.shape().len());
        let questions = rule(node).questions();
        let concerns = |concerns: &Concerns| match concerns {
            Concerns::All => true,
            Concerns::WithElements => !has.contains(&Form::NoElements),
            Concerns::Raising(question) => questions.contains(question),
            Concerns::Having(needed, least) => needed.is_subset(&has) && *least <= rank,
        };
        let known = self.known.get(&place).into_iter().flatten();
        Ok(known.filter(|(_, nodes)| concerns(nodes)).map(|(line, _)| line.clone()).collect())
    }

    /// Returns all lines of a spec and type.
    fn lines(&self, place: (Spec, Dtype)) -> Result<Vec<(String, Concerns)>> {
        let (mut lines, mut never) = (Vec::new(), Vec::new());
        for backend in history::backends() {
            let Some(history) = history::of(backend)? else { continue };
            for matter in matters(history, &self.ledger, place) {
                if let Some(concerns) = self.concerns(&matter)? {
                    lines.push((told_of(&history.runtime, &matter, place.1), concerns));
                }
            }
            never.extend(never_answered(history, place).map(|line| (line, Concerns::All)));
        }
        lines.extend(never);
        Ok(lines)
    }

    /// Returns the nodes that a matter concerns; `None` if today's cases do not have its call.
    fn concerns(&self, matter: &Matter) -> Result<Option<Concerns>> {
        let Some(name) = &matter.call else {
            // The name of a contradiction begins with its question.
            let asks = |question: &Question| matter.name.starts_with(&format!("{question} "));
            return Ok(Question::ALL.into_iter().find(asks).map(Concerns::Raising));
        };
        // A hazard is one of values, which a norm of nothing does not have.
        if matter.label == HAZARD {
            return Ok(Some(Concerns::WithElements));
        }
        let call = self.call(name)?;
        Ok(call.map(|call| Concerns::Having(forms(&call), call.data.shape().len())))
    }

    /// Returns the call of this name; `None` if today's cases have no such case.
    fn call(&self, name: &str) -> Result<Option<Call>> {
        if let Some(call) = history::asked(name) {
            return Ok(Some(call));
        }
        let corpus = self.corpus.as_ref().map_err(|error| anyhow!("{error:#}"))?;
        Ok(corpus.cases.iter().find(|case| case.name == name).map(|case| case.call.clone()))
    }
}

/// Returns the matters of all releases, the newest first, each name and each call once.
fn matters(history: &History, ledger: &Ledger, (spec, dtype): (Spec, Dtype)) -> Vec<Matter> {
    let words = Words::place(spec, dtype);
    let asked = AskedHistory::of(history, &words, ledger);
    let is_judged = |facts: &Facts| facts.types.contains_key(spec.name());
    let judged = history.results.iter().rev().filter(|(_, (_, facts))| is_judged(facts));
    let mut matters: Vec<Matter> = Vec::new();
    for matter in judged.flat_map(|(release, (_, facts))| asked.matters(release, facts)) {
        let is_told = |known: &Matter| {
            known.name == matter.name
                || known.call.is_some() && known.call == matter.call && known.span == matter.span
        };
        if !matters.iter().any(is_told) {
            matters.push(matter);
        }
    }
    matters
}

/// The unusual forms of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    NoElements,
    RankZero,
    NegativeAxis,
    NoSuchAxis,
    RepeatedAxis,
    EmptyAxes,
    NullAxes,
    AxesOfOtherRank,
    ForeignAxes,
    NoopWithoutAxes,
    OtherDims,
    KeepdimsOther,
}

/// Returns the unusual forms of a call.
fn forms(call: &Call) -> BTreeSet<Form> {
    let (shape, operator) = (call.data.shape(), &call.operator);
    let (axes, rules) = (call.axes.written(), call.spec().rules());
    let values = axes.map_or(&[][..], |axes| &axes.values);
    let rank = shape.len() as i128;
    let counted: BTreeSet<i128> =
        values.iter().map(|&axis| if axis < 0 { axis + rank } else { axis }).collect();
    let has = [
        (Form::NoElements, shape.contains(&0)),
        (Form::RankZero, shape.is_empty()),
        (Form::NegativeAxis, values.iter().any(|&axis| axis < 0)),
        (Form::NoSuchAxis, counted.iter().any(|axis| !(0..rank).contains(axis))),
        (Form::RepeatedAxis, counted.len() < values.len()),
        (Form::EmptyAxes, axes.is_some_and(|axes| axes.values.is_empty())),
        (Form::NullAxes, call.axes == Axes::Null),
        (Form::AxesOfOtherRank, axes.is_some_and(|axes| axes.shape.len() != 1)),
        (Form::ForeignAxes, matches!(call.axes, Axes::OtherForm(_))),
        (
            Form::NoopWithoutAxes,
            values.is_empty() && operator.noop_with_empty_axes().is_some_and(|noop| noop != 0),
        ),
        (Form::OtherDims, operator.keep_dims().is_some_and(|keep| (keep != 0) != rules.keep_dims_default)),
        (Form::KeepdimsOther, operator.keep_dims().is_some_and(|keep| !matches!(keep, 0 | 1))),
    ];
    has.into_iter().filter_map(|(form, has)| has.then_some(form)).collect()
}

/// Returns a line about a matter, with its clauses or questions, and with answers if they are of its call and of this type.
fn told_of(runtime: &str, matter: &Matter, dtype: Dtype) -> String {
    let is_of_type = matter.call.as_ref().is_some_and(|call| history::split(call).2 == dtype.name());
    let answers = matter.answers.as_ref().filter(|answers| is_of_type && answers.starts_with("due "));
    let about = matter.call.as_ref().map(|_| &matter.about);
    let answers = plain(&about.into_iter().chain(answers).cloned().collect::<Vec<_>>().join("; "));
    let answers = cut(&answers, ANSWERS);
    let answers = if answers.is_empty() { answers } else { format!(" ({answers})") };
    let (Matter { label, name, .. }, span) = (matter, matter.span_in_words());
    format!("{runtime}, {span}: {label}: {}{answers}", plain(name))
}

/// Tells if no judged release answers a call of the spec and type.
fn never_answered(history: &History, (spec, dtype): (Spec, Dtype)) -> Option<String> {
    let counts = history.results.iter().filter_map(|(release, (_, facts))| {
        let counts = facts.types.get(spec.name())?.get(dtype.name())?;
        (counts.valid > 0).then_some((&release.0, counts.answered))
    });
    let asked: Vec<(&String, usize)> = counts.collect();
    let (first, last) = (asked.first()?.0, asked.last()?.0);
    let is_answered = asked.iter().any(|(_, answered)| *answered > 0);
    let runtime = &history.runtime;
    (!is_answered)
        .then(|| format!("{runtime}, {first} to {last}: no call of {} in {dtype} is answered", version(spec)))
}
