//! The data of the site, as JSON. `ask` answers from the same functions.
//!
//! Of a runtime:
//!
//! - `releases`: the judged ones, oldest first, each with the run that judged it; `absent`: those that could not be asked;
//! - `types`: of each spec and type the changes over the releases: from `since` on, the `state` (`conforms`, `hazards`,
//!   `defects`, `refused`, `never`), the counts of calls, and the places of its `matters`;
//! - `matters`: defects and hazards, with their smallest call and the upstream reports that findings name; a `title` is
//!   their name beside their types, and `turns` the release from which on a hazard has another reason;
//! - `readings`: of each question the changes over the releases, and where;
//! - `findings`: those that a person named, of this backend.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use normative::backends::asked_by;
use normative::findings::{FindingRow, Runtime, reported, reports};
use normative::history;
use normative::history::matters::{AskedHistory, DEFECT, Matter, Places, count, shown};
use normative::history::model::History;
use normative::history::spans::{Release, Span};
use normative::history::words::Words;
use normative_conformance::corpus::Ledger;
use normative_conformance::corpus::clauses::Level;
use normative_conformance::display::counted;
use normative_conformance::reference::{Dtype, Question, Spec};
use serde_json::{Value, json};

/// The version of this format.
pub(super) const FORMAT: u32 = 1;

/// Returns the data of a runtime.
///
/// # Errors
/// The history names an unknown spec or type.
pub(super) fn runtime(history: &History, ledger: &Ledger, runtimes: &[Runtime]) -> Result<Value> {
    let own = || findings(runtimes).filter(|(_, one)| one.backend == history.backend).map(|(_, one)| one);
    let reported = reported(runtimes, &history.backend);
    let mut matters = Vec::new();
    let mut types = Vec::new();
    for (spec, dtype) in places(history) {
        let words = words(spec, dtype)?;
        let asked = AskedHistory::of(history, &words, ledger);
        let mut cells: Vec<Value> = Vec::new();
        for (release, (_, facts)) in &history.results {
            let found = asked.matters(release, facts);
            let state = asked.state(facts, &found);
            let here = found.iter().map(|matter| {
                let reports = reports(&reported, &asked, release, facts, matter);
                let value = of_matter(&asked.clauses(matter), matter, &reports);
                place_of(&mut matters, value)
            });
            let counts =
                facts.types.get(spec).and_then(|types| types.get(dtype)).copied().unwrap_or_default();
            let mut cell = json!({
                "state": state, "answered": counts.answered, "valid": counts.valid, "wrong": counts.wrong,
                "died": counts.died, "matters": here.collect::<Vec<_>>(),
            });
            if let Some(last) = cells.last() {
                cell["since"] = last["since"].clone();
            }
            if cells.last() != Some(&cell) {
                cell["since"] = json!(release);
                cells.push(cell);
            }
        }
        types.push(json!({ "spec": spec, "dtype": dtype, "changes": cells }));
    }
    let releases = history.results.iter().map(|(release, (run, _))| {
        let mut value = json!(run);
        value["release"] = json!(release);
        value["backend"] = json!(asked_by(&history.backend, &release.0));
        value
    });
    Ok(json!({
        "format": FORMAT, "backend": history.backend, "runtime": history.runtime,
        "releases": releases.collect::<Vec<_>>(), "absent": history.absent.iter()
            .map(|(release, why)| json!({ "release": release, "why": why })).collect::<Vec<_>>(),
        "types": types, "matters": matters, "readings": readings(history), "findings": own().map(of_finding).collect::<Vec<_>>(),
    }))
}

/// Returns the row of a runtime in the index: the counts of its newest judged release.
pub(super) fn row(history: &History, ledger: &Ledger) -> Result<Value> {
    let (release, (run, facts)) = history.results.last_key_value().context("no release was judged")?;
    let matters = AskedHistory::of(history, &Words::default(), ledger).matters(release, facts);
    let defects = count(&matters, DEFECT);
    let backend = &history.backend;
    Ok(json!({
        "backend": backend, "runtime": history.runtime, "newest": release, "judged": run.judged,
        "suite": run.suite, "defects": defects, "hazards": matters.len() - defects,
        "data": format!("data/{backend}.json"), "badge": format!("badges/{backend}.svg"),
    }))
}

/// Returns the message of the badge of a row, and its colour.
pub(super) fn badge(row: &Value) -> (String, &'static str) {
    let number = |field: &str| row[field].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
    let (defects, hazards) = (number("defects"), number("hazards"));
    let color = match (defects, hazards) {
        (0, 0) => "#2b6130",
        (0, _) => "#7a4f00",
        _ => "#9a1c17",
    };
    let (defects, hazards) = (counted(defects, "defect", "defects"), counted(hazards, "hazard", "hazards"));
    (format!("{}: {defects}, {hazards}", row["newest"].as_str().unwrap_or_default()), color)
}

/// Returns the findings of backends without a history, by backend.
pub(super) fn by_hand(runtimes: &[Runtime]) -> Vec<Value> {
    let mut groups: BTreeMap<(&str, &str), Vec<Value>> = BTreeMap::new();
    for (runtime, one) in findings(runtimes) {
        if history::backends().all(|backend| backend != one.backend) {
            groups.entry((&runtime.runtime, &one.backend)).or_default().push(of_finding(one));
        }
    }
    let checked = |name: &str| {
        runtimes.iter().find(|runtime| runtime.runtime == name).map(|runtime| runtime.checked.as_str())
    };
    let value = |((runtime, backend), findings): ((&str, &str), Vec<Value>)| json!({ "runtime": runtime, "backend": backend, "checked": checked(runtime), "findings": findings });
    groups.into_iter().map(value).collect()
}

/// Returns the clauses that an implementation can break or read, those of one text together.
pub(super) fn clauses(ledger: &Ledger) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for one in ledger.iter().filter(|one| one.level != Level::Informative) {
        let spec = json!(one.clause.spec.name());
        let known = all.last_mut().filter(|last| last["name"] == one.clause.name && last["says"] == one.says);
        match known.and_then(|last| last["specs"].as_array_mut()) {
            Some(specs) => specs.push(spec),
            None => all.push(json!({
                "name": one.clause.name, "says": one.says, "where": one.place, "source": one.source, "specs": [spec],
            })),
        }
    }
    all
}

fn findings(runtimes: &[Runtime]) -> impl Iterator<Item = (&Runtime, &FindingRow)> {
    runtimes.iter().flat_map(|runtime| runtime.findings.iter().map(move |one| (runtime, one)))
}

/// Returns a finding with the spec, without its family, and the type of its call.
fn of_finding(one: &FindingRow) -> Value {
    let (_, spec, dtype) = history::place(&one.call()).unwrap_or_default();
    let mut value = json!(one);
    value["spec"] = json!(spec.rsplit('/').next());
    value["dtype"] = json!(dtype);
    value
}

/// Returns the specs and types that any release was asked, or answers although its text excludes them.
fn places(history: &History) -> BTreeSet<(&str, &str)> {
    let facts = || history.results.values().map(|(_, facts)| facts);
    let types = facts().flat_map(|facts| &facts.types);
    let asked = types.flat_map(|(spec, types)| types.keys().map(move |dtype| (spec, dtype)));
    // A type that the text excludes counts where it is answered.
    let extents = facts().flat_map(|facts| &facts.defects).flat_map(|fact| &fact.extent);
    let answered = extents.flat_map(|(spec, types)| types.keys().map(move |dtype| (spec, dtype)));
    asked.chain(answered).map(|(spec, dtype)| (spec.as_str(), dtype.as_str())).collect()
}

fn words(spec: &str, dtype: &str) -> Result<Words> {
    let spec = Spec::from_name(spec).with_context(|| format!("unknown spec {spec}"))?;
    Ok(Words::place(spec, Dtype::from_name(dtype).with_context(|| format!("unknown type {dtype}"))?))
}

fn of_matter(clauses: &[&str], matter: &Matter, reports: &[&FindingRow]) -> Value {
    let Matter { label, name, title, about, span, turns, answers, call, .. } = matter;
    let reports = reports.iter();
    let reports =
        reports.map(|one| json!({ "defect": one.defect, "link": one.upstream, "of": one.upstream_of }));
    // Answers to the call of another matter stand beside that one.
    let answers = answers.as_ref().filter(|answers| answers.starts_with("due "));
    let mut value = json!({
        "label": label, "name": name, "about": about, "clauses": clauses, "answers": answers, "call": call,
        "since": span.as_ref().map(Span::since),
        "until": span.as_ref().and_then(|span| span.until.as_ref()),
        "silent": span.as_ref().and_then(|span| span.silent.as_ref()),
        "reports": reports.collect::<Vec<_>>(),
    });
    if title != name {
        value["title"] = json!(title);
    }
    if let Some(turns) = turns {
        value["turns"] = json!(turns);
    }
    value
}

/// Returns the place of a value, which is added if it is new.
fn place_of(all: &mut Vec<Value>, value: Value) -> usize {
    all.iter().position(|one| *one == value).unwrap_or_else(|| {
        all.push(value);
        all.len() - 1
    })
}

/// A question, and its readings from releases on.
type Row<'h> = (&'h str, Vec<(&'h Release, &'h str)>);

fn readings(history: &History) -> Vec<Value> {
    let all: BTreeSet<_> = history.results.values().flat_map(|(_, facts)| facts.readings.keys()).collect();
    let mut rows: BTreeMap<Row<'_>, Places> = BTreeMap::new();
    for place @ (question, spec, dtype) in all {
        let mut changes: Vec<(&Release, &str)> = Vec::new();
        for (release, (_, facts)) in &history.results {
            let reading = facts.readings.get(place).map_or("–", String::as_str);
            if changes.last().is_none_or(|(_, last)| *last != reading) {
                changes.push((release, reading));
            }
        }
        rows.entry((question, changes)).or_default().insert((spec.clone(), dtype.clone()));
    }
    let row = |((question, changes), places): (Row<'_>, Places)| {
        json!({
            "question": question, "asks": Question::from_name(question).map(Question::asks),
            "places": shown(&places), "changes": changes,
        })
    };
    rows.into_iter().map(row).collect()
}
