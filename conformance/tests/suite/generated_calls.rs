//! Tests the property: the reference as a backend conforms on generated calls under any policy of readings,
//! and its profile is that policy.

use crate::reference_backend::{Policy, Reference, mixed};
use arbitrary::Unstructured;
use normative_backend::wire;
use normative_conformance::generate::{CallLimits, Profile, call};
use normative_conformance::reference::{Call, Reading, Spec, rule};
use normative_conformance::run::property::{Generated, row, run};
use normative_conformance::{Demands, Driver, Sheet, Verdict, display, judge};
use proptest::prelude::*;

/// A question that raises three others under one reading multiplies the expectations.
#[test]
fn no_call_is_read_in_more_ways_than_a_judge_has_time_for() {
    let ways = |call: &Call| rule(call).alternatives.len();
    let most = row(1, &Spec::ALL).take(8000).map(|id| ways(&id.call())).max();
    assert!(most <= Some(600), "{most:?}");
}

fn judged(seed: u64, calls: usize, backend: &mut dyn Driver) -> Generated {
    run(seed, calls, &Spec::ALL, backend, &Demands::default()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn every_call_that_bytes_spell_is_answered_rightly_by_the_reference(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        spec in prop::sample::select(Spec::ALL.to_vec()),
        profile in prop::sample::select(Profile::ALL.to_vec()),
        policy in 0_usize..16,
    ) {
        let call = call(&mut Unstructured::new(&bytes), spec, profile, CallLimits::default());
        let answer = Reference(mixed(policy)).ask(&call);
        let verdict = judge(&Sheet::of(&call).unwrap(), &answer, &Demands::default());
        prop_assert!(
            matches!(verdict, Verdict::Conforms { .. }),
            "{} {}: {verdict:?}", display::call(&call), display::data(&call.data)
        );
    }

    #[test]
    fn every_call_that_bytes_spell_travels_to_a_worker_and_back(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        spec in prop::sample::select(Spec::ALL.to_vec()),
        profile in prop::sample::select(Profile::ALL.to_vec()),
    ) {
        let call = call(&mut Unstructured::new(&bytes), spec, profile, CallLimits::default());
        let (_, arrived) = wire::decode_call(&wire::encode_call(5, &call)).unwrap();
        prop_assert_eq!(arrived, call);
    }
}

#[test]
fn the_reference_conforms_under_every_policy_and_its_profile_is_the_policy() {
    for policy in (0..6).map(mixed).chain([Policy::new()]) {
        let generated = judged(2, 4000, &mut Reference(policy.clone()));
        assert_eq!(generated.total().conforms, 4000);
        if let Some(find) = generated.finds.first() {
            panic!("{policy:?}: {} {}: {:?}", find.id, display::call(&find.call), find.verdict);
        }
        let profile = generated.readings.profile();
        for (place, row) in &profile {
            let wanted = policy.get(&place.question).copied().unwrap_or(place.question.readings()[0]);
            // For types in which this means the same as another reading, no answer shows it.
            let left_out = wanted == Reading::Indefinite && row.readings() == [place.question.readings()[0]];
            assert!(left_out || row.readings() == [wanted], "{place:?}: {row:?}");
        }
        assert!(profile.len() > 100, "{}", profile.len());
    }
}
