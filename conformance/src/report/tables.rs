//! Makes the tables of a report as cells, which every format lays out in its own way.
//!
//! No markup, no width, and no alignment except words and numbers. A backend's words have no control
//! characters, and appear only in tables of support and of reasons.

use std::collections::{BTreeMap, BTreeSet};

use normative_reference::{Dtype, Question, Spec};

use crate::display::{counted, cut, plain, ulps};
use crate::judge::verdict::Verdict;
use crate::report::Report;
use crate::report::defect::Witness;
use crate::run::measured::{Decade, Precision};
use crate::run::readings::ReadingProfile;
use crate::run::support::Served;
use crate::run::tally::Tally;

/// The most characters of a backend's words in a cell, alone and beside other cells.
const CELL: usize = 120;
const SHORT_CELL: usize = 80;

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

    /// Returns its first rows, and one that counts the others.
    #[must_use]
    pub fn cut(mut self, most: usize) -> Self {
        if let Some(more) = self.rows.len().checked_sub(most).filter(|&more| more > 1) {
            self.rows.truncate(most);
            let mut last = vec![String::new(); self.header.len()];
            last[0] = format!("and {more} more");
            self.rows.push(last);
        }
        self
    }

    /// Removes the columns without any text, of those from `first` on.
    fn without_empty_columns(mut self, first: usize) -> Self {
        for at in (first..self.header.len()).rev() {
            if self.rows.iter().all(|row| row[at].is_empty()) {
                self.header.remove(at);
                self.words -= usize::from(at < self.words);
                self.rows.iter_mut().for_each(|row| drop(row.remove(at)));
            }
        }
        self
    }
}

/// Returns the tables of a report that have rows, in reading order: cases before generated calls.
pub fn all(report: &Report<'_>) -> Vec<Grid> {
    let of_cases = report.tallies().into_iter().map(|(spec, tally)| (spec.name().to_owned(), tally));
    let mut grids = vec![tallies("spec", of_cases.collect()), precision("type", "terms", report.precision())];
    if let Some(generated) = &report.generated {
        let of_calls = generated.tallies.iter().map(|(spec, tally)| (spec.name().to_owned(), *tally));
        grids.push(tallies(&format!("generated, seed {}", generated.seed), of_calls.collect()));
        grids.push(precision("type, generated", "terms", generated.measured.precision()));
    }
    grids.push(readings(report));
    grids.push(reasons(report));
    grids.retain(|grid| !grid.rows.is_empty());
    grids
}

/// Returns the same in few rows: cases and generated calls are counted together, the specs of a family of which
/// every call conforms share a row, and so do the lengths of each type: the row has the loosest class, and the
/// number of terms of the worst error. Only the first rows of the other tables are left.
pub fn brief(report: &Report<'_>) -> Vec<Grid> {
    /// The rows of readings, and of reasons.
    const ROWS: [usize; 2] = [5, 8];
    let calls = report.calls();
    let ran: BTreeSet<Spec> = calls.keys().copied().collect();
    let conforms = |tally: &Tally| tally.conforms == tally.run;
    let mut rows: Vec<(Vec<Spec>, Tally)> = Vec::new();
    for (spec, tally) in calls {
        match rows.last_mut() {
            Some((specs, sum))
                if conforms(sum)
                    && conforms(&tally)
                    && specs.first().is_some_and(|first| first.family() == spec.family()) =>
            {
                specs.push(spec);
                *sum = Tally::sum([&*sum, &tally]);
            }
            _ => rows.push((vec![spec], tally)),
        }
    }
    let rows = rows.into_iter().map(|(specs, tally)| (shortly(&specs, &ran), tally)).collect();
    let generated = report.generated.iter().flat_map(|generated| generated.measured.precision());
    let mut worst: BTreeMap<Dtype, (Decade, Precision)> = BTreeMap::new();
    for ((dtype, decade), precision) in report.precision().into_iter().chain(generated) {
        let join = |(at, so_far): &mut (Decade, Precision)| {
            *at = if precision.worst > so_far.worst { decade } else { *at };
            *so_far = so_far.and(precision);
        };
        worst.entry(dtype).and_modify(join).or_insert((decade, precision));
    }
    let worst = worst.into_iter().map(|(dtype, (decade, precision))| ((dtype, decade), precision)).collect();
    let [readings, reasons] = [readings(report).cut(ROWS[0]), reasons(report).cut(ROWS[1])];
    let mut precision = precision("type", "worst at terms", worst);
    // Without the mean, a row fits a line of 80.
    precision.header.pop();
    precision.rows.iter_mut().for_each(|row| drop(row.pop()));
    let mut grids = vec![tallies("spec", rows), precision, readings, reasons];
    grids.retain(|grid| !grid.rows.is_empty());
    grids
}

/// Returns the accuracy of cases and of generated calls, each with a title.
pub fn accuracies(report: &Report<'_>) -> Vec<(&'static str, Grid)> {
    let cases = ("cases", precision("type", "terms", report.precision()));
    let generated = report.generated.as_ref();
    let generated = generated
        .map(|generated| ("generated calls", precision("type", "terms", generated.measured.precision())));
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
    format!("{}{more}", cut(&plain(why), CELL))
}

/// Makes a table of counts, and their sum if there are several.
fn tallies(title: &str, tallies: Vec<(String, Tally)>) -> Grid {
    let all = (tallies.len() > 1).then(|| ("all".into(), Tally::sum(tallies.iter().map(|(_, tally)| tally))));
    let rows = tallies.into_iter().chain(all).map(|(name, tally)| {
        let counts = [tally.run, tally.conforms, tally.fails, tally.died, tally.unsupported, tally.open];
        std::iter::once(name).chain(counts.map(|count| count.to_string())).collect()
    });
    Grid::of(&[title, "run", "conforms", "fails", "died", "unsupported", "open"], 1, rows)
}

/// Makes a table of the accuracy of floats, by type and number of terms.
fn precision(title: &str, terms: &str, rows: BTreeMap<(Dtype, Decade), Precision>) -> Grid {
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
    let header = [title, terms, "class", "against", "elements", "out of range", "worst ulp", "mean ulp"];
    Grid::of(&header, 4, rows.into_iter().map(row))
}

/// Makes a table of the readings that the answers force. Questions that no single reading explains are first, then
/// those that today's text settles otherwise. Types and specs that read a question alike share a row.
fn readings(report: &Report<'_>) -> Grid {
    /// The rank of a row, its question, and its reading in words.
    type Read = (u8, Question, String);
    let profile: ReadingProfile<Witness<'_>> = report.profile();
    let mut read: BTreeMap<Spec, BTreeMap<Read, Vec<&str>>> = BTreeMap::new();
    for (place, row) in &profile {
        let names: Vec<&str> = row.readings().iter().map(|reading| reading.name()).collect();
        let newest = place.question.newest().map(|newest| newest.reading.name());
        let (rank, kind) = match (row.inconsistent(place), row.mixed(place)) {
            (Some(_), _) => (0, "INCONSISTENT: "),
            (None, Some(_)) => (1, "mixed: "),
            (None, None) if newest.is_some_and(|newest| !names.contains(&newest)) => (2, ""),
            (None, None) => (3, ""),
        };
        let reading = (rank, place.question, format!("{kind}{}", names.join(" and ")));
        read.entry(place.spec).or_default().entry(reading).or_default().extend(place.dtype.map(Dtype::name));
    }
    let mut rows: BTreeMap<(Read, String), Vec<Spec>> = BTreeMap::new();
    for (spec, readings) in read {
        for (reading, types) in readings {
            rows.entry((reading, types.join(" "))).or_default().push(spec);
        }
    }
    let ran: BTreeSet<Spec> = report.calls().into_keys().collect();
    let rows = rows.into_iter().map(|(((_, question, reading), types), specs)| {
        let newest = question
            .newest()
            .map_or_else(String::new, |newest| format!("{}, since {}", newest.reading, newest.since));
        vec![question.name().to_owned(), reading, types, newest, shortly(&specs, &ran)]
    });
    Grid::of(&["question", "reading", "of", "today's text", "specs"], 5, rows).without_empty_columns(2)
}

/// Names specs shortly, such as `onnx/ReduceL1-1 11 13, ReduceL2-1`: the family alone if all of it that `ran` is
/// among them, and no name twice.
fn shortly(specs: &[Spec], ran: &BTreeSet<Spec>) -> String {
    let mut names: Vec<String> = Vec::new();
    let (mut family, mut operator) = (None, "");
    for spec in specs {
        let of_family: Vec<&Spec> = ran.iter().filter(|other| other.family() == spec.family()).collect();
        let is_whole = of_family.len() > 1 && of_family.iter().all(|one| specs.contains(one));
        let (name, version) = spec.name().rsplit_once('-').unwrap_or((spec.name(), ""));
        match names.last_mut() {
            Some(_) if is_whole && family == Some(spec.family()) => {}
            _ if is_whole => names.push(spec.family().to_string()),
            Some(last) if operator == name => *last = format!("{last} {version}"),
            Some(_) if family == Some(spec.family()) => {
                names.push(spec.name().split_once('/').map_or(spec.name(), |(_, name)| name).to_owned());
            }
            _ => names.push(spec.name().to_owned()),
        }
        (family, operator) = (Some(spec.family()), name);
    }
    names.join(", ")
}

/// Makes a table of the reasons, in the backend's words, why calls were not answered. Reasons that differ only in
/// numbers and quoted names share a row, the most frequent first. Beside all unsupported calls it counts those that
/// may hide a failure, because their neighbours are supported, or because they are invalid; and refusals that tell no
/// question, because the call without what is open about it is refused too.
pub fn reasons(report: &Report<'_>) -> Grid {
    #[derive(Default)]
    struct Reason {
        words: String,
        alike: BTreeSet<String>,
        such: String,
        calls: [usize; 4],
    }
    let neighbours = report.neighbours();
    let beside = neighbours.unsupported();
    let such = |first: &[String]| first.first().cloned().unwrap_or_default();
    let beside = beside.iter().map(|(why, listed)| (why, 1, listed.calls, such(&listed.first)));
    let invalid =
        neighbours.invalid().iter().map(|(why, listed)| (why, 2, listed.calls, such(&listed.first)));
    let refused = report.settled.causes.iter().map(|(why, cause)| (why, 3, cause.calls, cause.first.clone()));
    let unsupported = unsupported(report);
    let mut named: BTreeMap<String, &str> = BTreeMap::new();
    for (case, verdict) in &report.results {
        if let Verdict::Unsupported(why) = verdict {
            named.entry(plain(why)).or_insert(&case.name);
        }
    }
    let unsupported = unsupported.iter().map(|(why, calls)| {
        (why, 0, *calls, named.get(why).map_or_else(String::new, |name| (*name).to_owned()))
    });
    let mut kinds: BTreeMap<String, Reason> = BTreeMap::new();
    for (why, at, calls, such) in beside.chain(invalid).chain(refused).chain(unsupported) {
        let words = plain(why);
        let reason = kinds.entry(kind(&words)).or_default();
        reason.calls[at] += calls;
        if reason.such.is_empty() {
            (reason.words, reason.such) = (words.clone(), such);
        }
        reason.alike.insert(words);
    }
    let mut reasons: Vec<Reason> = kinds.into_values().collect();
    reasons
        .sort_by(|a, b| b.calls.iter().max().cmp(&a.calls.iter().max()).then_with(|| a.words.cmp(&b.words)));
    let rows = reasons.into_iter().map(|Reason { words, alike, such, calls }| {
        let alike = match alike.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} alike"),
        };
        // Quoted, because the words begin a row and could look like a verdict.
        let words = format!("\"{}\"{alike}", cut(&words, SHORT_CELL).replace('"', "'"));
        let counts = calls.map(|count| if count == 0 { String::new() } else { count.to_string() });
        [words, such].into_iter().chain(counts).collect()
    });
    let header =
        ["why not, in its words", "such as", "unsupported", "beside answered", "invalid", "refused both"];
    Grid::of(&header, 2, rows).without_empty_columns(1)
}

/// Returns a text without what differs between reasons of one kind: numbers, names with digits, and quoted names.
fn kind(words: &str) -> String {
    let mut kind = String::new();
    let mut rest = words;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let quotes = first == '\'' || first == '"';
        let quoted = quotes.then(|| rest[1..].find(first)).flatten();
        let taken = match quoted {
            // An apostrophe, which follows a letter, is part of a word.
            _ if word > 0 => word + usize::from(rest[word..].starts_with('\'')),
            Some(end) => end + 2,
            None => first.len_utf8(),
        };
        let (part, after) = rest.split_at(taken);
        let is_name = quoted.is_some() || part.contains(|c: char| c.is_ascii_digit());
        kind.push_str(if is_name { "#" } else { part });
        rest = after;
    }
    kind
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

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::numbers("no ReduceL1(11) node", "no ReduceL2(1) node", true)]
    #[case::names_with_digits("holds no bf16", "holds no i8", true)]
    #[case::quoted("Check 'a b' failed", "Check 'c' failed", true)]
    #[case::in_other_quotes("no \"a\"", "no \"b\"", true)]
    #[case::words("no ReduceSum(13) node", "no ReduceMax(13) node", false)]
    #[case::an_apostrophe_quotes_nothing("it isn't a and wasn't b", "it isn't c and wasn't b", false)]
    #[case::a_quote_that_does_not_end("no 'a", "no 'b", false)]
    #[case::other_letters("é 1 ü", "é 2 ü", true)]
    #[case::nothing("", "1", false)]
    fn reasons_of_one_kind_differ_in_numbers_and_quoted_names_alone(
        #[case] one: &str,
        #[case] other: &str,
        #[case] alike: bool,
    ) {
        assert_eq!(kind(one) == kind(other), alike, "{} and {}", kind(one), kind(other));
    }

    #[rstest]
    #[case::of_one_operator("onnx/ReduceL1-1 onnx/ReduceL1-13", "onnx/ReduceL1-1 13")]
    #[case::of_two("onnx/ReduceL1-1 onnx/ReduceL2-1 onnx/ReduceL2-11", "onnx/ReduceL1-1, ReduceL2-1 11")]
    #[case::a_whole_family(
        "openvino/ReduceL1-4 openvino/ReduceL2-4 openvino/ReduceSum-1 onnx/ReduceL1-1",
        "openvino, onnx/ReduceL1-1"
    )]
    #[case::a_family_of_one("bnns/computeNorm", "bnns/computeNorm")]
    fn specs_are_named_shortly(#[case] specs: &str, #[case] due: &str) {
        let ran = BTreeSet::from(Spec::ALL);
        let named = |name: &str| Spec::ALL.into_iter().find(|spec| spec.name() == name).unwrap();
        let specs: Vec<Spec> = specs.split(' ').map(named).collect();
        assert_eq!(shortly(&specs, &ran), due);
    }

    #[test]
    fn a_cut_table_counts_the_rows_left_out() {
        let grid = |rows: usize| Grid::of(&["a", "b"], 2, (0..rows).map(|_| vec!["x".into(), "y".into()]));
        let last = |rows: usize| grid(rows).cut(3).rows.pop().unwrap();
        // A line about one row would take as much room as the row.
        assert_eq!((grid(4).cut(3).rows.len(), last(4)), (4, vec!["x".to_owned(), "y".into()]));
        assert_eq!((grid(9).cut(3).rows.len(), last(9)), (4, vec!["and 6 more".to_owned(), String::new()]));
    }
}
