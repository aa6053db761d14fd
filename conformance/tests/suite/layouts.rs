//! Tests layouts of generated calls: the backends that get views, and that each layout is used where it matters.

use std::collections::BTreeMap;

use normative_backend::Stub;
use normative_conformance::generate::Profile;
use normative_conformance::reference::{Call, Family, Layout, Norm, Outcome, Spec, rule};
use normative_conformance::run::property::{Id, row};
use normative_conformance::session::{Calls, Job};
use normative_conformance::{Answer, Capabilities};
use rstest::rstest;

use crate::reference_backend::{Policy, otherwise};

fn taking(layouts: &[Layout]) -> Capabilities {
    Capabilities { layouts: layouts.to_vec(), ..Capabilities::default() }
}

fn ids(family: Family, slow: bool) -> Vec<Id> {
    let specs: Vec<Spec> = Spec::ALL.into_iter().filter(|spec| spec.family() == family).collect();
    row(1, &specs).take(Calls::by_default(slow, &specs)).collect()
}

/// Returns true if every reading reduces several elements to each of several outputs.
fn reduces_in_part(call: &Call) -> bool {
    rule(call).alternatives.iter().all(|one| match &one.outcome {
        Outcome::Reduce(reduction, _) => {
            reduction.terms(call.data.shape()) > 1 && reduction.outputs(call.data.shape()) > 1
        }
        Outcome::Unchanged | Outcome::Rejected(_) | Outcome::OutOfScope(_) => false,
    })
}

#[rstest]
fn a_default_run_asks_every_layout_of_several_valid_calls_that_keep_an_axis(
    #[values(Family::OpenVino, Family::Onnx, Family::Bnns, Family::ArrayApi)] family: Family,
    #[values(false, true)] slow: bool,
) {
    let mut counts: BTreeMap<Layout, usize> = BTreeMap::new();
    for id in ids(family, slow) {
        let call = id.call_for(&taking(&Layout::UNUSUAL));
        if call.layout != Layout::RowMajor {
            assert_eq!(id.profile(), Profile::Valid, "{id}");
            *counts.entry(call.layout).or_default() += usize::from(reduces_in_part(&call));
        }
    }
    assert_eq!(counts.len(), Layout::UNUSUAL.len(), "{counts:?}");
    assert!(counts.values().all(|&count| count >= if slow { 2 } else { 5 }), "{counts:?}");
}

#[test]
fn a_backend_is_asked_the_same_calls_in_the_layouts_that_it_takes_alone() {
    for family in Family::ALL {
        for id in ids(family, true) {
            let (call, in_layout) = (id.call(), id.call_for(&taking(&Layout::UNUSUAL)));
            assert_eq!((call.layout, &call.data), (Layout::RowMajor, &in_layout.data));
            for layout in Layout::UNUSUAL {
                let asked = id.call_for(&taking(&[layout]));
                let due = if in_layout.layout == layout { &in_layout } else { &call };
                assert_eq!(&asked, due, "{id}");
            }
        }
    }
}

/// Broadcast data repeat along an axis, so that its stride can be 0.
#[test]
fn data_that_are_broadcast_repeat_along_an_axis() {
    for id in ids(Family::ArrayApi, false) {
        let call = id.call_for(&taking(&[Layout::Broadcast]));
        if call.layout == Layout::Broadcast {
            let (shape, bits) = (call.data.shape(), call.data.bits());
            let repeats = |axis: usize| {
                let step: usize = shape[axis + 1..].iter().product();
                (0..bits.len()).all(|at| bits[at] == bits[at - at / step % shape[axis] * step])
            };
            assert!((0..shape.len()).any(|axis| shape[axis] > 1 && repeats(axis)), "{id}");
        }
    }
}

/// Calls that conform in other layouts speak against a condition that holds of these too.
#[test]
fn a_defect_of_transposed_data_is_not_said_of_other_layouts() {
    let wrong = |call: &Call| (call.layout == Layout::Transposed).then(|| Answer::Rejected("strides".into()));
    let calls = Calls::Row { seed: 1, calls: Some(1500), specs: vec![Spec::OpenVino(Norm::L1)] };
    let capabilities = taking(&Layout::UNUSUAL);
    let mut runtime = Stub { capabilities, ..otherwise("transposed", Policy::new(), wrong) };
    let job = Job { calls, repeat: 0, shrink: 0, ..Job::of(0, &[]) };
    let defects = job.judge(&mut runtime, None, &mut ()).unwrap().defects();
    let words = defects[0].condition.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!((defects.len(), words), (1, vec!["data transposed in memory".to_owned()]));
}
