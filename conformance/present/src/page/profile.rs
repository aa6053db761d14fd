//! The profile of questions: the backends that take each reading, in words.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use normative_reference::{Choice, Dtype, Norm, Question, Reading, Spec};

use super::cells::short;
use super::escape::html;
use super::matrix::INCONSISTENT;
use super::names;
use crate::column::Column;
use normative_conformance::display;
use normative_conformance::run::readings::Place;

/// The places where one backend takes one reading.
type Places = BTreeSet<Place>;

/// Writes one table per family: a row for each reading, below its question.
pub(super) fn write(out: &mut dyn fmt::Write, columns: &[Column<'_>]) -> fmt::Result {
    let names = names(columns);
    let taken: Vec<_> = columns.iter().map(taken).collect();
    let asked: BTreeSet<(&str, Question)> = taken
        .iter()
        .flat_map(|taken| taken.keys().map(|&(family, question, _)| (family, question)))
        .collect();
    let families: BTreeSet<&str> = asked.iter().map(|(family, _)| *family).collect();
    if families.is_empty() {
        return out.write_str("<p>No answer tells a reading.</p>\n");
    }
    for family in families {
        write!(
            out,
            "<h3>{family}</h3>\n<table class=\"profile\"><caption class=\"unseen\">Questions that {family} leaves \
             open, and who reads them how</caption>\n<thead class=\"unseen\"><tr><th scope=\"col\">question or \
             reading</th><th scope=\"col\">backends</th></tr></thead>\n"
        )?;
        for (_, question) in asked.iter().filter(|(of, _)| *of == family) {
            writeln!(
                out,
                "<tbody><tr><th scope=\"rowgroup\" colspan=\"2\"><code>{}</code> {}<small>{}{}</small></th></tr>",
                question.name(),
                html(question.asks()),
                html(question.because()),
                html(&today(*question))
            )?;
            for &reading in question.readings() {
                write!(out, "<tr><th scope=\"row\"><code>{reading}</code></th><td>")?;
                let mut takers = 0;
                for (at, name) in names.iter().enumerate() {
                    let Some(places) = taken[at].get(&(family, *question, reading)) else { continue };
                    let others = || {
                        let others = taken[at].iter().filter(|((of, asked, other), _)| {
                            *of == family && asked == question && *other != reading
                        });
                        others.flat_map(|(_, places)| places).copied().collect::<Places>()
                    };
                    taker(out, at, name, places, &others())?;
                    takers += 1;
                }
                out.write_str(if takers == 0 { "<i>nobody</i></td></tr>\n" } else { "</td></tr>\n" })?;
            }
            out.write_str("</tbody>\n")?;
        }
        out.write_str("</table>\n")?;
    }
    Ok(())
}

/// Returns the newest text's answer to the question, if the judged text leaves it open.
fn today(question: Question) -> String {
    question.newest().map_or_else(String::new, |newest| {
        let meaning = Choice { question, reading: newest.reading }.meaning();
        format!(" Today's text, since {}: {} ({meaning})", newest.since, newest.reading)
    })
}

/// Returns the readings that a backend takes, per family and question, and the places.
fn taken(column: &Column<'_>) -> BTreeMap<(&'static str, Question, Reading), Places> {
    let mut taken: BTreeMap<_, Places> = BTreeMap::new();
    for (place, row) in column.report.profile() {
        for reading in row.readings() {
            taken.entry((display::family(place.spec), place.question, reading)).or_default().insert(place);
        }
    }
    taken
}

/// Writes a backend, and the places of this reading if it reads differently elsewhere.
fn taker(out: &mut dyn fmt::Write, at: usize, name: &str, places: &Places, others: &Places) -> fmt::Result {
    write!(out, "<span class=\"taker\" data-backend=\"{at}\"><b>{}</b>", html(name))?;
    if !others.is_empty() {
        write!(out, " <small>{}</small>", scope(places, &(places | others)))?;
    }
    let twice = |place: &&Place| others.contains(place);
    if places.iter().filter(twice).any(|place| !place.question.concerns_values()) {
        write!(out, " <em>{INCONSISTENT}</em>")?;
    } else if places.iter().any(|place| twice(&place)) {
        out.write_str(" <i>mixed</i>")?;
    }
    out.write_str("</span> ")
}

/// Names places among all those of a question, in few words: specs with the same types together, and a norm
/// for all its specs.
fn scope(places: &Places, all: &Places) -> String {
    let mut types: BTreeMap<Spec, Vec<&str>> = BTreeMap::new();
    for place in places {
        let of = types.entry(place.spec).or_default();
        of.extend(place.dtype.map(Dtype::name));
    }
    let asked: BTreeSet<Spec> = all.iter().map(|place| place.spec).collect();
    let mut specs: BTreeMap<Vec<&str>, BTreeSet<Spec>> = BTreeMap::new();
    for (spec, of) in types {
        specs.entry(of).or_default().insert(spec);
    }
    let parts = specs.into_iter().map(|(of, specs)| match (of.join(" "), specs == asked) {
        (of, true) if of.is_empty() => "everywhere".to_owned(),
        (of, true) => of,
        (of, false) if of.is_empty() => named(&specs, &asked),
        (of, false) => format!("{}: {of}", named(&specs, &asked)),
    });
    parts.collect::<Vec<_>>().join("; ")
}

/// Returns the names of specs, or the norm if they are all its specs.
fn named(specs: &BTreeSet<Spec>, asked: &BTreeSet<Spec>) -> String {
    let mut names = Vec::new();
    for (norm, name) in [(Norm::L1, "L1"), (Norm::L2, "L2"), (Norm::SumSquare, "sums of squares")] {
        let of = |specs: &BTreeSet<Spec>| -> Vec<Spec> {
            specs.iter().copied().filter(|spec| spec.norm() == norm).collect()
        };
        match of(specs) {
            some if some.len() > 1 && some == of(asked) => {
                names.push(name);
            }
            some => names.extend(some.into_iter().map(short)),
        }
    }
    names.join(" ")
}
