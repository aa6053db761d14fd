//! The defects and hazards of a release that a question is about, and its answer in one word. `ask`, `model` and the site
//! share them.

use std::collections::{BTreeMap, BTreeSet};

use normative_conformance::corpus::Ledger;
use normative_conformance::display::joined;
use normative_conformance::judge::fault::Fault;
use normative_conformance::judge::verdict::Verdict;
use normative_conformance::reference::{Norm, Question, Spec};
use normative_conformance::report::hazard::results;
use normative_conformance::run::property;
use serde::Serialize;

use super::file::Place;
use super::model::{Fact, Facts, History, ReleaseCounts};
use super::spans::{Release, Span, spans};
use super::words::{Words, texts};
use crate::history;
use crate::outcome::ReleaseVerdict;

/// The label of a defect.
pub const DEFECT: &str = "defect";

/// The label of a hazard.
pub const HAZARD: &str = "hazard";

/// The start of a question's readings that contradict each other.
const INCONSISTENT: &str = "INCONSISTENT: ";

/// A matter that speaks against a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matter {
    /// [`DEFECT`] or [`HAZARD`].
    pub label: &'static str,
    /// Its name.
    pub name: String,
    /// Its name for readers who see the types beside it, and how the process ended.
    pub title: String,
    /// The clauses or questions.
    pub about: String,
    /// The specs and types.
    pub places: Places,
    /// The verdict on its call.
    pub verdict: Option<ReleaseVerdict>,
    /// The releases around this one that have it, if known.
    pub span: Option<Span>,
    /// The release from which on the hazard has another reason.
    pub turns: Option<Release>,
    /// The answer due to the run's own call and the one that came, with its spec and type if another call is shown.
    pub answers: Option<String>,
    /// The smallest call, as `--case` takes it.
    pub call: Option<String>,
}

impl Matter {
    /// Returns the releases that have it, in words.
    pub(crate) fn span_in_words(&self) -> String {
        let Some(span) = &self.span else { return "since not known".to_owned() };
        let until = match (&span.until, &span.silent) {
            (Some(until), _) if self.turns.as_ref() == Some(until) => {
                format!("for another reason since {}", until.0)
            }
            (Some(until), _) => format!("mended in {}", until.0),
            (None, Some(silent)) => format!("not answered since {}", silent.0),
            (None, None) => "not mended".to_owned(),
        };
        format!("since {}, {until}", span.since())
    }

    /// Adds a matter of the same name, whose smallest call is another.
    fn join(&mut self, other: Self) {
        self.places.extend(other.places);
        let abouts = [self.about.as_str(), other.about.as_str()];
        let abouts: BTreeSet<&str> = abouts.iter().flat_map(|about| about.split(", ")).collect();
        self.about = joined(abouts);
        self.turns = self.turns.take().or(other.turns);
        self.span = match (self.span.take(), other.span) {
            (Some(one), Some(other)) => Some(one.around(other)),
            (one, other) => one.or(other),
        };
    }
}

/// Specs and types.
pub type Places = BTreeSet<(String, String)>;

/// A question about a history.
#[derive(Clone, Debug)]
pub struct AskedHistory<'h> {
    /// The releases and their answers.
    pub(crate) history: &'h History,
    /// The operators, types and topics.
    pub(crate) words: &'h Words,
    ledger: &'h Ledger,
    /// The followed calls of these operators and types, each with the parts of its name.
    pub(crate) calls: Vec<(&'h String, Place)>,
}

/// The answer for a release in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Safety {
    /// Neither a defect nor a hazard is known.
    Conforms,
    /// The text allows answers that are not the norm.
    Hazards,
    /// Answers came that the text excludes.
    Defects,
    /// No valid call is answered.
    Refused,
    /// No valid call was asked.
    Never,
}

impl<'h> AskedHistory<'h> {
    /// Makes a question of words about a history; `ledger` has the clauses of its texts.
    #[must_use]
    pub fn of(history: &'h History, words: &'h Words, ledger: &'h Ledger) -> Self {
        // Calls of findings are followed for every spec, and a library keeps to those alone by which it was judged.
        let judged: BTreeSet<&String> =
            history.results.values().flat_map(|(_, facts)| facts.types.keys()).collect();
        let calls = history.calls.keys().filter_map(|call| Some((call, history::place(call)?)));
        let is_asked = |spec: &String, dtype: &str| judged.contains(spec) && words.take(spec, dtype);
        let calls = calls.filter(|(_, (_, spec, dtype))| is_asked(spec, dtype)).collect();
        Self { history, words, ledger, calls }
    }

    /// Asks the same history by other words.
    pub(crate) fn for_words<'w>(&'w self, words: &'w Words) -> AskedHistory<'w> {
        AskedHistory::of(self.history, words, self.ledger)
    }

    /// Returns the defects and hazards of a release that the words ask for.
    pub fn matters(&self, release: &Release, facts: &Facts) -> Vec<Matter> {
        let defects = facts.defects.iter().filter_map(|fact| self.matter(release, fact, DEFECT));
        let defects: Vec<Matter> = defects.collect();
        let hazards = facts.hazards.iter().filter_map(|fact| self.matter(release, fact, HAZARD));
        let hazards = self.with_followed(release, hazards.collect());
        let beside = self.beside(release, &defects);
        // Readings are of all types of a spec; a type of which nothing is answered does not show them.
        let is_served = self.served(facts).0 > 0;
        let contradictions = if is_served { self.contradictions(release, facts) } else { Vec::new() };
        let mut all: Vec<Matter> = Vec::new();
        for matter in defects.into_iter().chain(beside).chain(contradictions).chain(hazards) {
            match all.iter_mut().find(|known| (known.label, &known.name) == (matter.label, &matter.name)) {
                Some(known) => known.join(matter),
                None => all.push(matter),
            }
        }
        all
    }

    /// Adds the followed calls that are hazards in a spec or type that the run did not meet.
    fn with_followed(&self, release: &Release, mut hazards: Vec<Matter>) -> Vec<Matter> {
        for (call, (_, spec, dtype), verdict) in self.followed(release) {
            let ReleaseVerdict::Hazard(gives) = verdict else { continue };
            let Some(norm) = norm(spec) else { continue };
            let name = format!("{} may be {}", results(norm), gives.words());
            if !self.words.are_in(&[name.as_str()], Some(verdict)) {
                continue;
            }
            let is_it =
                |known: &&mut Matter| known.name == name && known.places.iter().any(|(_, of)| of == dtype);
            if let Some(known) = hazards.iter_mut().find(is_it) {
                known.places.insert((spec.clone(), dtype.clone()));
                continue;
            }
            // The questions are those of the releases whose runs met it.
            let facts = self.history.results.values().flat_map(|(_, facts)| &facts.hazards);
            let of_name = facts.filter(|fact| fact.name == name);
            let questions: BTreeSet<&str> =
                of_name.flat_map(|fact| &fact.clauses).map(String::as_str).collect();
            let about = joined(questions);
            let places = Places::from([(spec.clone(), dtype.clone())]);
            let (span, verdict, call) = (self.span(release, call, None), Some(verdict), Some(call.clone()));
            let (label, title, turns, answers) = (HAZARD, name.clone(), None, None);
            hazards.push(Matter { label, name, title, about, places, verdict, span, turns, answers, call });
        }
        hazards
    }

    /// Returns the clauses among what a matter is about.
    pub fn clauses<'m>(&self, matter: &'m Matter) -> Vec<&'m str> {
        let of_texts = |name: &&str| self.ledger.iter().any(|clause| clause.clause.name == **name);
        matter.about.split(", ").filter(of_texts).collect()
    }

    /// Returns the answer in one word.
    pub fn state(&self, facts: &Facts, matters: &[Matter]) -> Safety {
        match (self.served(facts), count(matters, DEFECT), matters.len()) {
            // Also in a type that the text excludes, and which is answered.
            (_, 1.., _) => Safety::Defects,
            ((_, 0), ..) => Safety::Never,
            ((0, _), ..) => Safety::Refused,
            (.., 0) => Safety::Conforms,
            _ => Safety::Hazards,
        }
    }

    /// Returns the numbers of answered and of valid calls that the words ask for.
    pub(crate) fn served(&self, facts: &Facts) -> (usize, usize) {
        self.counts(facts).fold((0, 0), |(answered, valid), (.., counts)| {
            (answered + counts.answered, valid + counts.valid)
        })
    }

    /// Returns the counts of each spec and type that the words ask for.
    pub(crate) fn counts<'f>(
        &self,
        facts: &'f Facts,
    ) -> impl Iterator<Item = (&'f str, &'f str, ReleaseCounts)> {
        let all = facts.types.iter().flat_map(|(spec, types)| {
            types.iter().map(move |(dtype, counts)| (spec.as_str(), dtype.as_str(), *counts))
        });
        all.filter(|(spec, dtype, _)| self.words.take(spec, dtype))
    }

    /// Returns the followed calls that the words ask for, each with the parts of its name and the release's verdict.
    fn followed(&self, release: &Release) -> impl Iterator<Item = (&String, &Place, ReleaseVerdict)> {
        self.calls.iter().rev().filter_map(|(call, place)| Some((*call, place, self.verdict(release, call)?)))
    }

    /// Returns the verdict of a release on a followed call.
    fn verdict(&self, release: &Release, call: &str) -> Option<ReleaseVerdict> {
        self.history.calls.get(call)?.get(release).copied().flatten()
    }

    fn matter(&self, release: &Release, fact: &Fact, label: &'static str) -> Option<Matter> {
        let (rest, verdict) = (history::split(&fact.call).0, self.verdict(release, &fact.call));
        if !self.words.are_in(&texts(fact), verdict) {
            return None;
        }
        let of_spec = |(spec, types): (&String, &BTreeMap<String, usize>)| {
            types.keys().map(|dtype| (spec.clone(), dtype.clone())).collect::<Vec<_>>()
        };
        let mut places: Places = fact.extent.iter().flat_map(of_spec).collect();
        // The same call for another norm or type that fails in the same way is this matter as well.
        let mut calls: Vec<&String> = Vec::new();
        for (call, (other, spec, dtype)) in &self.calls {
            // A hazard's name has its norm.
            let of_name = || label != HAZARD || fact.extent.keys().any(|of| norm(of) == norm(spec));
            let is_alike = || of_name() && verdict.is_some() && self.verdict(release, call) == verdict;
            if *other == rest && is_alike() {
                places.insert((spec.clone(), dtype.clone()));
                calls.push(call);
            }
        }
        places.retain(|(spec, dtype)| self.words.take(spec, dtype));
        let call = if calls.contains(&&fact.call) {
            &fact.call
        } else {
            calls.last().copied().unwrap_or(&fact.call)
        };
        let answers = format!("{}due {}, came {}", elsewhere(fact, call, &places), fact.due, fact.came);
        let (about, name, title) = (joined(&fact.clauses), fact.name.clone(), title(fact, verdict));
        let span = self.span(release, call, (label == HAZARD).then_some(fact));
        let until = span.as_ref().and_then(|span| span.until.clone());
        let turns = until.filter(|until| label == HAZARD && self.has_other_reason(until, fact));
        let (answers, call) = (Some(answers), Some(call.clone()));
        let matter = Matter { label, name, title, about, places, verdict, span, turns, answers, call };
        (!matter.places.is_empty()).then_some(matter)
    }

    /// Returns true if the run of a release met hazards of this name and these types, all by other questions.
    fn has_other_reason(&self, release: &Release, hazard: &Fact) -> bool {
        let types = |fact: &Fact| -> BTreeSet<String> {
            fact.extent.values().flat_map(BTreeMap::keys).cloned().collect()
        };
        let is_alike = |fact: &&Fact| fact.name == hazard.name && !types(fact).is_disjoint(&types(hazard));
        let of_release = self.history.results.get(release).into_iter();
        let mut alike = of_release.flat_map(|(_, facts)| &facts.hazards).filter(is_alike).peekable();
        alike.peek().is_some() && alike.all(|fact| fact.clauses.is_disjoint(&hazard.clauses))
    }

    /// Returns the releases around this one in which the call fails, or is a hazard of the same kind, by the same questions
    /// if the hazard is given.
    fn span(&self, release: &Release, call: &str, hazard: Option<&Fact>) -> Option<Span> {
        let now = self.verdict(release, call);
        let is_same = |at: &Release| hazard.is_none_or(|hazard| !self.has_other_reason(at, hazard));
        let spans = self.history.spans(call, |at, verdict| {
            verdict.shows(false) || Some(verdict) == now && verdict.shows(true) && is_same(at)
        });
        spans.into_iter().find(|span| span.holds(release))
    }

    /// Returns the followed calls that fail in a type and a way that no defect of the run shows: the run did not meet them.
    fn beside(&self, release: &Release, defects: &[Matter]) -> Vec<Matter> {
        let mut matters: Vec<Matter> = Vec::new();
        for (call, (rest, spec, dtype), verdict) in self.followed(release) {
            let ReleaseVerdict::Fails(fault) = verdict else { continue };
            let name = format!("{}: {rest}", fault.says());
            let has = |matter: &Matter| {
                matter.verdict == Some(verdict) && matter.places.iter().any(|(_, other)| other == dtype)
            };
            let about = || match self.clause_of_death(fault, call) {
                Some(clause) => format!("{fault}, {clause}"),
                None => fault.to_string(),
            };
            // The words of the call itself are no topics.
            let is_asked = || {
                self.words.topics.is_empty() || self.words.are_in(&[fault.says(), &about()], Some(verdict))
            };
            if defects.iter().any(has) || !is_asked() {
                continue;
            }
            let is_new = !matters.iter().any(has);
            let places = Places::from([(spec.clone(), dtype.clone())]);
            if let Some(known) = matters.iter_mut().find(|known| known.name == name) {
                known.places.extend(places);
            } else if is_new {
                let (span, label, about) = (self.span(release, call, None), DEFECT, about());
                let title =
                    format!("{}: {rest}", death(fault, "").unwrap_or_else(|| fault.says().to_owned()));
                let (turns, answers, verdict, call) = (None, None, Some(verdict), Some(call.clone()));
                matters.push(Matter {
                    label,
                    name,
                    title,
                    about,
                    places,
                    verdict,
                    span,
                    turns,
                    answers,
                    call,
                });
            }
        }
        matters
    }

    /// Returns the clause that a call breaks on which the process ended. What else came, a history does not hold.
    fn clause_of_death(&self, fault: Fault, call: &str) -> Option<String> {
        if !matches!(fault, Fault::Crashed | Fault::TimedOut) {
            return None;
        }
        let asked = history::asked(call)?;
        Some(property::clause(&asked, &Verdict::Crashed(String::new()), self.ledger).name)
    }

    /// Returns the questions about the form of calls that this release reads in several ways.
    fn contradictions(&self, release: &Release, facts: &Facts) -> Vec<Matter> {
        let mut matters: Vec<Matter> = Vec::new();
        for (place @ (question, spec, dtype), reading) in &facts.readings {
            let Some(readings) = reading.strip_prefix(INCONSISTENT) else { continue };
            let name = format!("{question} is read in several ways: {readings}");
            let fails = Some(ReleaseVerdict::Fails(Fault::Inconsistent));
            if !self.words.take(spec, dtype) || !self.words.are_in(&[question.as_str()], fails) {
                continue;
            }
            let places = Places::from([(spec.clone(), dtype.clone())]);
            if let Some(known) = matters.iter_mut().find(|known| known.name == name) {
                known.places.extend(places);
                continue;
            }
            let has = |facts: &Facts| {
                facts.readings.get(place).is_some_and(|reading| reading.starts_with(INCONSISTENT))
            };
            let all = self.history.results.iter().map(|(release, (_, facts))| (release.clone(), has(facts)));
            let span = spans(all).into_iter().find(|span| span.holds(release));
            let about = Question::from_name(question).map_or("", Question::asks);
            let about = format!("of all types together: {about}");
            let (label, title, verdict, turns, answers, call) =
                (DEFECT, name.clone(), None, None, None, None);
            matters.push(Matter { label, name, title, about, places, verdict, span, turns, answers, call });
        }
        matters
    }
}

/// Names the spec and type of a fact's call, unless it is the call shown and of one of these places: the run made the
/// smallest call of a defect for one type alone.
fn elsewhere(fact: &Fact, shown: &str, places: &Places) -> String {
    let place = history::place(&fact.call).map(|(_, spec, dtype)| (spec, dtype));
    let other = place.filter(|place| fact.call != shown || !places.contains(place));
    other.map_or_else(String::new, |(spec, dtype)| format!("in {spec} {dtype}: "))
}

/// Returns the name of a fact without the types of all its calls, and with the way in which a process ended.
fn title(fact: &Fact, verdict: Option<ReleaseVerdict>) -> String {
    let of_types = fact.name.split_once(" for ").filter(|(says, _)| !says.contains(": "));
    let (says, rest) = of_types.unwrap_or((&fact.name, ""));
    let end = [", as if: ", ": "].iter().filter_map(|mark| rest.find(mark)).min();
    let death = match verdict {
        Some(ReleaseVerdict::Fails(fault)) => death(fault, &fact.came),
        _ => None,
    };
    format!("{}{}", death.as_deref().unwrap_or(says), end.map_or("", |end| &rest[end..]))
}

/// Returns the way in which a process ended, from the answer that came: its signal, or a panic.
fn death(fault: Fault, came: &str) -> Option<String> {
    let signal = came.split(['(', ')']).find(|part| part.starts_with("SIG"));
    match (fault, signal.or(came.contains(": panicked").then_some("panic"))) {
        (Fault::Crashed, Some(how)) => Some(format!("crashed ({how})")),
        (Fault::Crashed | Fault::TimedOut, _) => Some(fault.on_the_page().to_owned()),
        _ => None,
    }
}

fn norm(spec: &str) -> Option<Norm> {
    Spec::from_name(spec).map(Spec::norm)
}

/// Counts the matters with this label.
pub fn count(matters: &[Matter], label: &str) -> usize {
    matters.iter().filter(|matter| matter.label == label).count()
}

/// Lists places; specs of one family with the same types share them.
pub fn shown(places: &Places) -> String {
    let specs: BTreeSet<&String> = places.iter().map(|(spec, _)| spec).collect();
    let mut rows: Vec<(&str, Vec<&str>, Vec<&str>)> = Vec::new();
    for spec in specs {
        let types: Vec<&str> =
            places.iter().filter(|(of, _)| of == spec).map(|(_, dtype)| dtype.as_str()).collect();
        let (family, version) = spec.split_once('/').unwrap_or((spec, ""));
        match rows.iter_mut().find(|(of, _, other)| *of == family && *other == types) {
            Some((_, specs, _)) => specs.push(version),
            None => rows.push((family, vec![spec], types)),
        }
    }
    let row = |(_, specs, types): (&str, Vec<&str>, Vec<&str>)| {
        specs.into_iter().chain(types).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    };
    rows.into_iter().map(row).collect::<Vec<_>>().join("; ")
}
