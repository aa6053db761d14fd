//! Finds calls that routes of one product answer differently.
//!
//! A product is a release and its bug tracker: records that agree in both are of one product, whatever their
//! routes are called. Calls are the same if their names are: one corpus judges all records, and the name of a
//! generated call contains its seed. Answers are compared, not verdicts: two different answers that both
//! conform are listed too, last. Calls that a route does not support are not compared.

use std::collections::{BTreeMap, HashMap, HashSet};

use normative_reference::{Call, Reading, Spec};

use crate::corpus::Corpus;
use crate::display;
use crate::judge::verdict::{Demands, Sheet, Verdict, judge};
use crate::observed::Observed;
use crate::report::finding::Line;
use crate::report::record::{self, Header, Record, RecordedEntry};
use crate::run::property::Id;
use crate::shrink::CallSize;

/// The kind of difference between answers to one call, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RouteKind {
    /// One route dies.
    Death,
    /// One route refuses the call.
    Refusal,
    /// The element types or the dims differ.
    Form,
    /// The values differ, and some are wrong.
    OneWrong,
    /// The values differ, and all are wrong.
    AllWrong,
    /// The readings of an open question differ; each answer conforms.
    Readings,
    /// The bits differ; each answer conforms under the same readings.
    Bits,
}

impl RouteKind {
    /// Returns the difference in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Death => "one dies",
            Self::Refusal => "one refuses",
            Self::Form => "type or dims",
            Self::OneWrong => "values, one wrong",
            Self::AllWrong => "values, all wrong",
            Self::Readings => "readings, each accepted",
            Self::Bits => "bits, each accepted",
        }
    }
}

/// Calls of one spec to which the routes of a product give different answers of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct RouteDifference {
    /// The product, by the name of its first route and its version.
    pub product: String,
    /// The spec called.
    pub spec: Spec,
    /// The kind of difference.
    pub kind: RouteKind,
    /// The routes grouped by equal answers, by the names of their records.
    pub sides: Vec<Vec<String>>,
    /// The number of calls.
    pub calls: usize,
    /// The name of the smallest call.
    pub name: String,
    /// That call.
    pub call: Call,
    /// The answer of each side to it, and true if it conforms.
    pub answers: Vec<(Observed, bool)>,
}

impl RouteDifference {
    /// Returns a heading: the product, the spec, the difference and its count.
    pub fn heading(&self) -> String {
        let calls = display::counted(self.calls, "call", "calls");
        let (product, spec, kind) = (display::name(&self.product), self.spec, self.kind.words());
        format!("{product}: {spec}, {kind}: {calls}")
    }

    /// Returns lines with the smallest call, and the answer of each side.
    pub fn lines(&self) -> Vec<Line> {
        let call = [("smallest", self.name.clone()), ("call", display::call(&self.call))];
        let data = ("data", display::data(&self.call.data));
        let lines = call.into_iter().chain([data]).map(|(label, text)| Line::new(label, &text));
        let answers = self.sides.iter().zip(&self.answers).map(|(routes, (answer, conforms))| {
            let fails = if *conforms { "" } else { " (fails)" };
            let answer = display::plain(&display::answer(answer));
            let routes: Vec<String> = routes.iter().map(|route| display::name(route)).collect();
            Line::new("answer", &format!("{}: {answer}{fails}", routes.join(", ")))
        });
        lines.chain(answers).collect()
    }
}

/// A route: its record, with its answers by the names of calls.
struct Route<'r> {
    header: &'r Header,
    demands: Demands,
    answers: HashMap<&'r str, &'r Observed>,
    /// Refusals that further calls excused, such as those of an unsupported type.
    excused: HashSet<&'r str>,
}

/// Returns the differences between routes of each product, the worst first, products in record order.
///
/// # Errors
/// Returns the first unknown name that a header demands.
pub fn differences(records: &[Record], corpus: &Corpus) -> Result<Vec<RouteDifference>, String> {
    let mut products: Vec<Vec<&Record>> = Vec::new();
    for record in records {
        match products.iter_mut().find(|of| of.iter().all(|other| is_one_product(other, record))) {
            Some(product) => product.push(record),
            None => products.push(vec![record]),
        }
    }
    let mut all = Vec::new();
    for product in products.iter().filter(|product| product.len() > 1) {
        all.extend(of_product(product, corpus)?);
    }
    Ok(all)
}

/// Returns true if two records are of one release of one product, and used the same corpus.
fn is_one_product(one: &Record, other: &Record) -> bool {
    let of = |record: &Record| {
        let Header { backend, digest, .. } = &record.header;
        (backend.report_bugs_to.clone(), backend.version.clone(), digest.clone())
    };
    !one.header.backend.report_bugs_to.trim().is_empty() && of(one) == of(other)
}

fn of_product(records: &[&Record], corpus: &Corpus) -> Result<Vec<RouteDifference>, String> {
    let routes = records.iter().map(|record| Route::of(record)).collect::<Result<Vec<_>, _>>()?;
    let Some(first) = routes.first() else { return Ok(Vec::new()) };
    let product = format!("{} {}", first.header.backend.name, first.header.backend.version);
    let cases: HashMap<&str, &Call> =
        corpus.cases.iter().map(|case| (case.name.as_str(), &case.call)).collect();
    let mut found: BTreeMap<(RouteKind, Spec, Vec<Vec<usize>>), Group> = BTreeMap::new();
    for name in names(records) {
        let sides = sides(&routes, name);
        if sides.len() < 2 {
            continue;
        }
        let call = match cases.get(name) {
            Some(&call) => call.clone(),
            None => match name.parse::<Id>() {
                Ok(id) => id.call(),
                Err(_) => continue,
            },
        };
        let Ok(sheet) = Sheet::of(&call) else { continue };
        let judged = |side: &Vec<usize>| {
            let route = &routes[side[0]];
            let answer = route.answers[name];
            match judge(&sheet, answer, &route.demands) {
                verdict if verdict.is_failure() && route.excused.contains(name) => {
                    (answer, Verdict::Unsupported(String::new()))
                }
                verdict => (answer, verdict),
            }
        };
        let answers: Vec<(&Observed, Verdict)> = sides.iter().map(judged).collect();
        let key = (kind(&answers), call.spec(), sides);
        let answers = answers.into_iter();
        let answers = answers.map(|(answer, verdict)| (answer.clone(), !verdict.is_failure())).collect();
        let size = CallSize::of(&call);
        let one = Group { calls: 1, size, name: name.to_owned(), call, answers };
        match found.get_mut(&key) {
            Some(group) => group.join(one),
            None => {
                found.insert(key, one);
            }
        }
    }
    let named = |side: &Vec<usize>| side.iter().map(|&at| routes[at].header.name.clone()).collect();
    let difference = |((kind, spec, sides), group): ((RouteKind, Spec, Vec<Vec<usize>>), Group)| {
        let Group { calls, name, call, answers, .. } = group;
        let sides = sides.iter().map(named).collect();
        RouteDifference { product: product.clone(), spec, kind, sides, calls, name, call, answers }
    };
    Ok(found.into_iter().map(difference).collect())
}

/// Returns the calls that any route was asked, each once: cases before generated calls, in the order of the records.
fn names<'r>(records: &[&'r Record]) -> Vec<&'r str> {
    let mut seen = HashSet::new();
    let entries =
        |list: fn(&Record) -> &Vec<RecordedEntry>| records.iter().flat_map(move |record| list(record));
    let all = entries(|record| &record.cases).chain(entries(|record| &record.calls));
    all.map(|entry| entry.name.as_str()).filter(|name| seen.insert(*name)).collect()
}

impl<'r> Route<'r> {
    fn of(record: &'r Record) -> Result<Self, String> {
        let Record { header, cases, calls, settled, .. } = record;
        let answers = cases.iter().chain(calls).map(|entry| (entry.name.as_str(), &entry.answer)).collect();
        let excused = settled.iter().filter(|one| one.verdict == record::RecordedVerdict::Unsupported);
        let excused = excused.map(|one| one.name.as_str()).collect();
        Ok(Self { header, demands: header.demands()?, answers, excused })
    }
}

/// Groups the routes that support a call by equal answers, in the order of their first route.
fn sides(routes: &[Route<'_>], name: &str) -> Vec<Vec<usize>> {
    let mut sides: Vec<(Vec<usize>, &Observed)> = Vec::new();
    for (at, route) in routes.iter().enumerate() {
        match route.answers.get(name) {
            None | Some(Observed::Unsupported(_)) => {}
            Some(answer) => match sides.iter_mut().find(|(_, other)| is_alike(answer, other)) {
                Some((side, _)) => side.push(at),
                None => sides.push((vec![at], answer)),
            },
        }
    }
    sides.into_iter().map(|(side, _)| side).collect()
}

/// Compares answers bit for bit; all NaNs are equal, all refusals are equal, and all deaths are equal.
fn is_alike(one: &Observed, other: &Observed) -> bool {
    match (one, other) {
        (Observed::Rejected(_), Observed::Rejected(_)) | (Observed::Died(_), Observed::Died(_)) => true,
        _ => one == other,
    }
}

/// Returns the difference between unequal answers. If all conform and tell different readings, that comes first.
fn kind(answers: &[(&Observed, Verdict)]) -> RouteKind {
    let any = |is: fn(&Observed) -> bool| answers.iter().any(|(answer, _)| is(answer));
    let wrong = answers.iter().filter(|(_, verdict)| verdict.is_failure()).count();
    let form = |answer: &Observed| match answer {
        Observed::Tensor(tensor) => Some((tensor.dtype(), tensor.shape().to_vec())),
        Observed::Oversized { dtype, shape } => Some((*dtype, shape.clone())),
        _ => None,
    };
    let first = answers.first().map(|(answer, _)| form(answer));
    if any(|answer| matches!(answer, Observed::Died(_))) {
        RouteKind::Death
    } else if wrong == 0 && tell_apart(answers) {
        RouteKind::Readings
    } else if any(|answer| matches!(answer, Observed::Rejected(_))) {
        RouteKind::Refusal
    } else if answers.iter().any(|(answer, _)| Some(form(answer)) != first) {
        RouteKind::Form
    } else if wrong == answers.len() {
        RouteKind::AllWrong
    } else if wrong > 0 {
        RouteKind::OneWrong
    } else {
        RouteKind::Bits
    }
}

/// Returns true if two answers tell different readings of a question.
fn tell_apart(answers: &[(&Observed, Verdict)]) -> bool {
    let told = |(_, verdict): &(&Observed, Verdict)| match verdict {
        Verdict::Conforms { accepting, .. } => accepting.told(),
        _ => Vec::new(),
    };
    let mut readings: BTreeMap<_, Reading> = BTreeMap::new();
    answers.iter().flat_map(told).any(|choice| {
        let first = *readings.entry(choice.question).or_insert(choice.reading);
        first != choice.reading
    })
}

/// Calls of one difference.
struct Group {
    calls: usize,
    size: CallSize,
    name: String,
    call: Call,
    answers: Vec<(Observed, bool)>,
}

impl Group {
    /// Counts another call, and keeps the smaller of the two; on a tie, the first.
    fn join(&mut self, other: Self) {
        let calls = self.calls + 1;
        if other.size < self.size {
            *self = other;
        }
        self.calls = calls;
    }
}
