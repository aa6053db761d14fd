//! Facts of a release, taken from the report of its run.

use std::collections::{BTreeMap, BTreeSet};

use normative_conformance::corpus::{Ledger, line};
use normative_conformance::display;
use normative_conformance::reference::{Call, Dtype, Spec};
use normative_conformance::report::defect::{Defect, Witness};
use normative_conformance::report::{Report, hazard};
use normative_conformance::run::hazards::{HazardKind, OfType};
use normative_conformance::run::property;
use normative_conformance::run::readings::{Place, Row};
use normative_present::json::{gist, smallest};

use crate::history::model::{BySpec, Fact, Facts, ReleaseCounts};

/// The most characters of an answer.
const ANSWER: usize = 160;

/// Returns the facts of a finished run.
pub(crate) fn of(report: &Report<'_>, ledger: &Ledger) -> Facts {
    let mut types: BySpec<ReleaseCounts> = BTreeMap::new();
    for (spec, dtype, served) in report.support().listed() {
        let counts = ReleaseCounts {
            answered: served.answered,
            valid: served.valid,
            wrong: served.wrong,
            died: served.died,
        };
        types.entry(spec.to_string()).or_default().insert(dtype.to_string(), counts);
    }
    let defects = report.defects();
    let defects = defects.iter().filter_map(|defect| of_defect(report, defect, ledger));
    Facts {
        types,
        readings: readings(report),
        defects: defects.chain(of_unstable(report)).collect(),
        hazards: hazards(report),
    }
}

/// Returns a call with the name that `--case` takes: the call in a line if one can say it.
fn named(call: &Call, name: String) -> String {
    line::of(call).unwrap_or(name)
}

fn count(extent: &mut BySpec<usize>, spec: Spec, dtype: Dtype) {
    *extent.entry(spec.to_string()).or_default().entry(dtype.to_string()).or_default() += 1;
}

fn of_defect(report: &Report<'_>, defect: &Defect<'_>, ledger: &Ledger) -> Option<Fact> {
    let (call, verdict) = smallest(report, defect)?;
    let mut clauses = BTreeSet::from([property::clause(&call, &verdict, ledger).name]);
    let mut extent = BySpec::new();
    for (call, verdict) in defect.failures.iter().filter_map(|one| report.failure(one)) {
        clauses.insert(property::clause(call, verdict, ledger).name);
        count(&mut extent, call.spec(), call.data.dtype());
    }
    let (due, came) = gist(&verdict);
    let call = named(&call, defect.smallest.asked_by());
    Some(Fact { name: defect.name(), clauses, extent, call, due: cut(&due), came: cut(&came) })
}

/// Returns the calls that were answered in two ways, as one defect.
fn of_unstable(report: &Report<'_>) -> Option<Fact> {
    let first = report.unstable.first()?;
    let mut extent = BySpec::new();
    for unstable in &report.unstable {
        count(&mut extent, unstable.sample.call.spec(), unstable.sample.call.data.dtype());
    }
    let call = named(&first.sample.call, first.sample.name.clone());
    let (due, came) = (display::answer(&first.sample.first), display::answer(&first.then));
    let name = "a call is answered in two ways".to_owned();
    Some(Fact { name, clauses: BTreeSet::new(), extent, call, due: cut(&due), came: cut(&came) })
}

/// Returns the hazards of each type.
fn hazards(report: &Report<'_>) -> Vec<Fact> {
    let fact = |((kind, dtype), (specs, met)): ((HazardKind, Dtype), OfType<Witness<'_>>)| {
        let cell =
            |(spec, calls): (Spec, usize)| (spec.to_string(), BTreeMap::from([(dtype.to_string(), calls)]));
        let (came, due) = hazard::gives_and_norm(&met.hazard);
        Fact {
            name: format!("{} may be {}", hazard::results(kind.norm), kind.gives.words()),
            clauses: kind.questions.iter().map(ToString::to_string).collect(),
            extent: specs.into_iter().map(cell).collect(),
            call: named(&met.call, met.smallest.asked_by()),
            due,
            came,
        }
    };
    report.all_hazards().types().into_iter().map(fact).collect()
}

fn readings(report: &Report<'_>) -> BTreeMap<(String, String, String), String> {
    let reading = |(place, row): (Place, Row<Witness<'_>>)| {
        let readings = row.readings().iter().map(|reading| reading.name()).collect::<Vec<_>>().join(" and ");
        let contradicts = if row.inconsistent(&place).is_some() { "INCONSISTENT: " } else { "" };
        let dtype = place.dtype.map_or_else(String::new, |dtype| dtype.to_string());
        let key = (place.question.to_string(), place.spec.to_string(), dtype);
        (key, format!("{contradicts}{readings}"))
    };
    report.profile().into_iter().map(reading).collect()
}

/// Cuts an answer to one line, without the last words of a process, which name paths of this machine.
fn cut(text: &str) -> String {
    let text = text.lines().next().unwrap_or_default();
    display::cut(text.split("; stderr: ").next().unwrap_or_default(), ANSWER)
}
