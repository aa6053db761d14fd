//! Defects: failures are grouped by what their calls have in common, nothing is lost, and the report leads with them.

use std::collections::BTreeSet;

use normative_conformance::corpus::{Ledger, load};
use normative_conformance::display::grouped;
use normative_conformance::present::terminal::{self, Detail};
use normative_conformance::reference::{Call, Dtype, Spec};
use normative_conformance::report::defects::Defect;
use normative_conformance::report::fault::{Fault, Severity};
use normative_conformance::report::{Report, Witness};
use normative_conformance::run::property;
use normative_conformance::run::{prepare, run};
use normative_conformance::{Answer, Backend, Demands, Identity};

use crate::corpus::folder;
use crate::reference_backend::{Policy, Reference};

/// The reference, but for what `spoils` says of a call.
struct Spoiled(fn(&Call) -> Option<Answer>);

impl Backend for Spoiled {
    fn identity(&self) -> Identity {
        Identity { name: "spoiled".into(), version: "1".into(), report_bugs_to: "nobody".into() }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        (self.0)(call).unwrap_or_else(|| Reference(Policy::new()).answer(call))
    }
}

fn spoiled(call: &Call) -> Option<Answer> {
    let dtype = call.data.dtype();
    if dtype == Dtype::F16 {
        return Some(Answer::Rejected("no kernel for f16".into()));
    }
    if call.spec() != Spec::Bnns && call.data.shape().contains(&0) {
        return Some(Answer::Tensor(ndarray::arr1(&[7.0_f32]).into_dyn().into()));
    }
    None
}

#[test]
fn two_causes_are_two_defects_and_no_failure_is_lost() {
    let corpus = load(&folder()).unwrap();
    let prepared = prepare(&corpus.cases).unwrap();
    let demands = Demands::default();
    let verdicts = run(&prepared, &mut Spoiled(spoiled), &demands);
    let results = prepared.iter().map(|one| one.case).zip(verdicts).collect();
    let generated = property::run(1, 2000, &Spec::ALL, &mut Spoiled(spoiled), &demands).unwrap();
    let report = Report::of(Spoiled(spoiled).identity(), results, corpus.cases.len());
    let report = Report { generated: Some(generated), ..report }.grouped();

    let names: Vec<String> = report.defects.iter().map(Defect::name).collect();
    let of = |severity: Severity| report.defects.iter().filter(move |defect| defect.severity() == severity);
    let refused: Vec<_> = of(Severity::Refused).collect();
    assert_eq!(refused.len(), 1, "{names:?}");
    assert_eq!(refused[0].dtypes, BTreeSet::from([Dtype::F16]));
    assert_eq!(refused[0].faults[0].0, Fault::RefusedValid);
    assert!(refused[0].name().contains("f16 data"), "{names:?}");
    assert!(names.iter().any(|name| name.contains("a dim of 0")), "{names:?}");

    let failures = report.failures().count() + report.generated.as_ref().unwrap().finds.len();
    let all: Vec<Witness<'_>> =
        report.defects.iter().flat_map(|defect| defect.failures.iter().copied()).collect();
    assert_eq!(all.len(), failures, "every failure is in a defect");
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), failures, "and in one only");
    assert_eq!(report.severities().values().sum::<usize>(), failures);

    let severities: Vec<Severity> = report.defects.iter().map(Defect::severity).collect();
    assert!(severities.is_sorted(), "the worst comes first: {severities:?}");

    // What a screen of 80 columns and 24 lines shows last is what is wrong, and what to do next.
    let written = |detail| {
        let mut text = String::new();
        terminal::write(&mut text, &report, &Ledger::default(), "again", detail).unwrap();
        text
    };
    let (short, all) = (written(Detail::Defects), written(Detail::All));
    assert!(short.len() * 4 < all.len(), "{} and {}", short.len(), all.len());
    let last: Vec<&str> = short.lines().rev().take(24).collect();
    assert!(
        last.iter().any(|line| line.contains(&format!("explain {} failures: ", grouped(failures)))),
        "{last:?}"
    );
    assert!(last.iter().any(|line| line.starts_with("next: again --")), "{last:?}");
    assert!(last.iter().take(names.len() + 3).all(|line| line.chars().count() <= 80), "{last:?}");
}
