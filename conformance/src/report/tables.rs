//! Makes the tables of a report as cells, which every format lays out in its own way.
//!
//! No markup, no width, and no alignment except words and numbers. A backend's words have no control
//! characters, and appear only in tables of refusals and unsupported calls.

use std::collections::BTreeMap;

use normative_reference::{Dtype, Question, Spec};

use crate::display::{counted, plain, ulps};
use crate::judge::verdict::Verdict;
use crate::report::Report;
use crate::report::defect::Witness;
use crate::run::measured::{Decade, Precision};
use crate::run::neighbours::Listed;
use crate::run::readings::Profile;
use crate::run::support::Served;
use crate::run::tally::Tally;

/// The most characters of a backend's words in a cell.
const CELL: usize = 120;

/// A table; every row has as many cells as the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The names of its columns.
    pub header: Vec<String>,
    /// Its cells, row by row.
    pub rows: Vec<Vec<String>>,
    /// The number of leading columns that hold words; the others hold numbers.
    pub words: usize,
}

impl Grid {
    fn of(header: &[&str], words: usize, rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        let header = header.iter().map(|&name| name.to_owned()).collect();
        Self { header, rows: rows.into_iter().collect(), words }
    }
}

/// Returns the tables of a report that have rows, in reading order: cases before generated calls.
pub fn all(report: &Report<'_>) -> Vec<Grid> {
    let mut grids = vec![tallies("spec", &report.tallies()), precision("type", report.precision())];
    if let Some(generated) = &report.generated {
        grids.push(tallies(&format!("generated, seed {}", generated.seed), &generated.tallies));
        grids.push(precision("type, generated", generated.measured.precision()));
    }
    let profile = report.profile();
    grids.push(readings(&profile));
    grids.extend(refusals(report));
    grids.retain(|grid| !grid.rows.is_empty());
    grids
}

/// Returns the accuracy of cases and of generated calls, each with a title.
pub fn accuracies(report: &Report<'_>) -> Vec<(&'static str, Grid)> {
    let cases = ("cases", precision("type", report.precision()));
    let generated = report.generated.as_ref();
    let generated =
        generated.map(|generated| ("generated calls", precision("type", generated.measured.precision())));
    std::iter::once(cases).chain(generated).filter(|(_, grid)| !grid.rows.is_empty()).collect()
}

/// Returns the support of element types by spec, the reasons of refusals, and the accuracy of floats over all
/// answers. Wrong answers have the class `beyond`. Types of a spec that differ only in their counts share a row.
pub fn support(report: &Report<'_>) -> Grid {
    /// The shared cells of types, and their summed counts.
    type Row = (Spec, [String; 4], Vec<&'static str>, [usize; 3]);
    let mut rows: Vec<Row> = Vec::new();
    let support = report.support();
    for (spec, dtype, served) in support.listed() {
        let precision = served.precision();
        let class = precision.map_or_else(|| "-".into(), |precision| precision.class.name().to_owned());
        let worst = precision.map_or_else(|| "-".into(), |precision| ulps(precision.worst));
        let shared = [
            served.state(spec, report.capabilities.extent(spec.family())).word().to_owned(),
            class,
            worst,
            words(&served),
        ];
        let counts = [served.answered, served.valid, served.wrong];
        match rows.iter_mut().find(|(of, other, ..)| *of == spec && *other == shared) {
            Some((.., types, sums)) => {
                types.push(dtype.name());
                sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
            }
            None => rows.push((spec, shared, vec![dtype.name()], counts)),
        }
    }
    let row = |(spec, [state, class, worst, words], types, [answered, valid, wrong]): Row| {
        let answered = format!("{answered}/{valid}");
        vec![spec.name().to_owned(), types.join(" "), state, answered, wrong.to_string(), class, worst, words]
    };
    let header =
        ["support", "types", "state", "answered", "wrong", "accuracy", "worst ulp", "why not, in its words"];
    Grid::of(&header, header.len(), rows.into_iter().map(row))
}

/// Returns the most frequent reason for refusals of a type, and the number of other reasons.
fn words(served: &Served) -> String {
    let most = served.words.iter().max_by(|(a, n), (b, m)| n.cmp(m).then(b.cmp(a)));
    let Some((why, _)) = most else { return String::new() };
    let more = match served.words.len() - 1 {
        0 => String::new(),
        1 => " (and another reason)".into(),
        more => format!(" (and {more} other reasons)"),
    };
    format!("{}{more}", cut(&plain(why)))
}

/// Makes a table of the counts of each spec, and their sum if there are several.
fn tallies(title: &str, tallies: &BTreeMap<Spec, Tally>) -> Grid {
    let row = |name: &str, tally: &Tally| {
        let counts = [tally.run, tally.conforms, tally.fails, tally.died, tally.unsupported, tally.open];
        std::iter::once(name.to_owned()).chain(counts.map(|count| count.to_string())).collect()
    };
    let sum = (tallies.len() > 1).then(|| row("all", &Tally::sum(tallies.values())));
    let rows = tallies.iter().map(|(spec, tally)| row(spec.name(), tally)).chain(sum);
    Grid::of(&[title, "run", "conforms", "fails", "died", "unsupported", "open"], 1, rows)
}

/// Makes a table of the accuracy of floats, by type and number of terms.
fn precision(title: &str, rows: BTreeMap<(Dtype, Decade), Precision>) -> Grid {
    let row = |((dtype, decade), precision): ((Dtype, Decade), Precision)| {
        let (least, most) = decade.bounds();
        let Precision { class, worst, mean, elements, outside, against } = precision;
        // If every element is out of range, no error was measured.
        let measured = |text: String| if elements > 0 { text } else { "-".into() };
        vec![
            dtype.name().to_owned(),
            format!("{least}..{most}"),
            measured(class.name().to_owned()),
            measured(against.map_or_else(|| "several".into(), |against| against.to_string())),
            elements.to_string(),
            outside.to_string(),
            measured(ulps(worst)),
            measured(ulps(mean)),
        ]
    };
    let header = [title, "terms", "class", "against", "elements", "out of range", "worst ulp", "mean ulp"];
    Grid::of(&header, 4, rows.into_iter().map(row))
}

/// Makes a table of the readings that the answers force, and the places that no single reading explains. Types
/// that read a question alike share a row.
fn readings(profile: &Profile<Witness<'_>>) -> Grid {
    let mut rows: BTreeMap<(Spec, Question), BTreeMap<String, Vec<&str>>> = BTreeMap::new();
    for (place, row) in profile {
        let names: Vec<&str> = row.readings().iter().map(|reading| reading.name()).collect();
        let kind = match (row.inconsistent(place), row.mixed(place)) {
            (Some(_), _) => "INCONSISTENT: ",
            (None, Some(_)) => "mixed: ",
            (None, None) => "",
        };
        let reading = format!("{kind}{}", names.join(" and "));
        let types = rows.entry((place.spec, place.question)).or_default().entry(reading).or_default();
        types.extend(place.dtype.map(Dtype::name));
    }
    let rows = rows.into_iter().flat_map(|((spec, question), readings)| {
        let row = move |(reading, types): (String, Vec<&str>)| {
            let newest = question
                .newest()
                .map_or_else(String::new, |newest| format!("{}, since {}", newest.reading, newest.since));
            vec![spec.name().to_owned(), question.name().to_owned(), reading, types.join(" "), newest]
        };
        readings.into_iter().map(row)
    });
    let mut grid = Grid::of(&["spec", "question", "reading", "of", "today's text"], 5, rows);
    // Most questions have the same text today, so the column is usually empty.
    if grid.rows.iter().all(|row| row.last().is_some_and(String::is_empty)) {
        grid.header.pop();
        grid.words = 4;
        for row in &mut grid.rows {
            row.pop();
        }
    }
    grid
}

/// Makes tables of refusals that tell no question, and of unsupported calls that may hide refusals.
pub fn refusals(report: &Report<'_>) -> [Grid; 3] {
    let row = |why: &str, calls: usize, first: &[String]| {
        // Quoted, because the words begin a row and could look like a verdict.
        let why = cut(&plain(why)).replace('"', "'");
        vec![format!("\"{why}\""), first.join(" "), calls.to_string()]
    };
    let of_causes = report.settled.causes.iter();
    let of_causes = of_causes.map(|(why, cause)| row(why, cause.calls, std::slice::from_ref(&cause.first)));
    let neighbours = report.neighbours();
    let listed = |listed: &BTreeMap<String, Listed>| {
        listed.iter().map(|(why, listed)| row(why, listed.calls, &listed.first)).collect::<Vec<_>>()
    };
    let grid = |title, rows| Grid::of(&[title, "such as", "calls"], 2, rows);
    [
        grid("refused without the trigger too", of_causes.collect()),
        grid("unsupported where the neighbours are supported", listed(&neighbours.unsupported())),
        grid("unsupported, and invalid", listed(neighbours.invalid())),
    ]
}

/// Truncates words for a cell.
fn cut(words: &str) -> String {
    match words.char_indices().nth(CELL) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words.to_owned(),
    }
}

/// Describes the further calls about refusals, in a line.
pub fn asked_more(report: &Report<'_>) -> Option<String> {
    let calls = report.settled.asked;
    (calls > 0).then(|| {
        format!("asked {} to find out why others were refused", counted(calls, "more call", "more calls"))
    })
}

/// Counts the reasons for unsupported calls, in the backend's words without control characters.
pub fn unsupported(report: &Report<'_>) -> BTreeMap<String, usize> {
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for (_, verdict) in &report.results {
        if let Verdict::Unsupported(why) = verdict {
            *reasons.entry(plain(why)).or_default() += 1;
        }
    }
    for (why, count) in report.generated.iter().flat_map(|generated| &generated.unsupported) {
        *reasons.entry(plain(why)).or_default() += count;
    }
    reasons
}
