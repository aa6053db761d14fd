//! Tests neighbours among generated calls: each differs from the previous call in one property alone, and
//! that call's answer is wrong for it.

use std::collections::{BTreeMap, BTreeSet};

use normative_conformance::generate::neighbour::Difference;
use normative_conformance::reference::textbook::to_f64;
use normative_conformance::reference::{Call, Expected, Family, Operator, Spec, expect, rule};
use normative_conformance::run::property::{Id, row};
use normative_conformance::session::Calls;
use normative_conformance::{Demands, Observed, Sheet, judge};

/// Returns the neighbours of this family in a default run, each with the previous call.
fn neighbours(family: Family) -> impl Iterator<Item = (Id, Id, Difference)> {
    let specs: Vec<Spec> = Spec::ALL.into_iter().filter(|spec| spec.family() == family).collect();
    let ids: Vec<Id> = row(1, &specs).take(Calls::by_default(false, &specs)).collect();
    ids.into_iter().filter_map(|id| Some((id.before()?, id, id.difference()?)))
}

/// Returns the properties in which two calls differ. BNNS's output follows from dims and axes.
fn differ(one: &Call, other: &Call) -> Vec<&'static str> {
    let norm = |call: &Call| call.operator.with_norm(call.spec().norm());
    let attributes = |call: &Call| match call.operator.with_keep_dims(None) {
        Operator::Bnns { .. } => Operator::Bnns { output_shape: vec![] },
        plain => plain.with_norm(normative_conformance::reference::Norm::L1).unwrap_or(plain),
    };
    let exact = |call: &Call| -> Vec<u64> {
        call.data.bits().into_iter().map(|bits| to_f64(call.data.dtype(), bits).to_bits()).collect()
    };
    let is_bnns = matches!(one.operator, Operator::Bnns { .. });
    let things = [
        ("norm", one.spec() != other.spec()),
        ("keep", !is_bnns && norm(one).is_some() && one.operator.keep_dims() != other.operator.keep_dims()),
        ("attributes", attributes(one) != attributes(other)),
        ("type", one.data.dtype() != other.data.dtype()),
        ("dims", one.data.shape() != other.data.shape()),
        ("axes", one.axes != other.axes),
        // Data of another type count as equal if their bits or their values are.
        (
            "data",
            one.data.bits() != other.data.bits()
                && (one.data.dtype() == other.data.dtype() || exact(one) != exact(other)),
        ),
    ];
    things.into_iter().filter(|(_, differs)| *differs).map(|(thing, _)| thing).collect()
}

#[test]
fn a_neighbour_differs_from_the_call_before_it_in_one_thing_alone() {
    for family in Family::ALL {
        for (before, id, difference) in neighbours(family) {
            let thing = match difference {
                Difference::TypeOfBits | Difference::TypeOfValues => "type",
                Difference::Element | Difference::Exchange => "data",
                Difference::KeepDims => "keep",
                Difference::Spelling => "axes",
                Difference::Norm => "norm",
                Difference::Dims => "dims",
            };
            let (one, other) = (before.call(), id.call());
            assert_eq!(differ(&one, &other), [thing], "{id} {difference:?}");
            let sorted = |call: &Call| {
                let mut bits = call.data.bits();
                bits.sort_unstable();
                bits
            };
            let changed = one.data.bits().iter().zip(other.data.bits()).filter(|(a, b)| **a != *b).count();
            match difference {
                Difference::Element => assert_eq!(changed, 1, "{id}"),
                Difference::Exchange => assert!(changed == 2 && sorted(&one) == sorted(&other), "{id}"),
                _ => {}
            }
        }
    }
}

#[test]
fn every_difference_that_a_family_has_occurs_in_it() {
    use Difference::{Dims, Exchange, KeepDims, Norm, Spelling, TypeOfBits, TypeOfValues};
    for family in Family::ALL {
        let mut counts: BTreeMap<Difference, usize> = BTreeMap::new();
        neighbours(family).for_each(|(_, _, difference)| *counts.entry(difference).or_default() += 1);
        let lacks: &[Difference] = match family {
            Family::Bnns => &[TypeOfBits, TypeOfValues, KeepDims, Norm],
            Family::ArrayApi => &[TypeOfBits],
            Family::Blas => &[TypeOfBits, KeepDims, Spelling, Exchange, Dims],
            Family::OpenVino | Family::Onnx | Family::WebNn => &[],
        };
        let due: BTreeSet<Difference> =
            Difference::ALL.into_iter().filter(|difference| !lacks.contains(difference)).collect();
        assert_eq!(counts.keys().copied().collect::<BTreeSet<_>>(), due, "{family}");
        assert!(counts.values().all(|&count| count >= 3), "{family}: {counts:?}");
    }
}

/// Returns a right answer to a call, under its first reading.
fn right_answer(call: &Call) -> Option<Observed> {
    match expect(call, &rule(call).alternatives.first()?.outcome).ok()? {
        Expected::Exactly(tensor) => Some(Observed::Tensor(tensor)),
        Expected::Near(near) => Some(Observed::Tensor(near.rounded().ok()?)),
        Expected::Converted(_) | Expected::Rejection(_) | Expected::Anything(_) => None,
    }
}

#[test]
fn the_answer_to_the_call_before_fails_as_the_answer_to_nineteen_of_twenty_neighbours() {
    let (mut all, mut untold) = (0, Vec::new());
    for family in Family::ALL {
        for (before, id, difference) in neighbours(family) {
            let Some(stale) = right_answer(&before.call()) else { continue };
            all += 1;
            let sheet = Sheet::of(&id.call()).unwrap();
            if !judge(&sheet, &stale, &Demands::default()).is_failure() {
                untold.push(format!("{id} {difference:?}"));
            }
        }
    }
    assert!(all > 800 && untold.len() * 20 <= all, "{} of {all}: {untold:#?}", untold.len());
}
