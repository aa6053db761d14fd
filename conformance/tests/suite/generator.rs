//! Tests the generator of calls: it is total, the same everywhere, and follows its profiles.

use arbitrary::Unstructured;
use normative_backend::wire::encode_call;
use normative_conformance::display;
use normative_conformance::generate::turns::Turns;
use normative_conformance::generate::{CallLimits, Profile, call};
use normative_conformance::reference::{Call, Dtype, Kind, Magnitude, Norm, Outcome, Spec, rule};
use normative_conformance::run::property::{Id, calls_of_rounds, row};
use proptest::prelude::*;
use rstest::rstest;

fn from_bytes(bytes: &[u8], spec: Spec, profile: Profile) -> Call {
    call(&mut Unstructured::new(bytes), spec, profile, CallLimits::default())
}

/// Encodes a call, because equality ignores NaN payloads.
fn spelled(call: &Call) -> Vec<u8> {
    encode_call(0, call)
}

proptest! {
    #[test]
    fn any_bytes_spell_one_call_of_the_spec_asked_for(
        bytes in prop::collection::vec(any::<u8>(), 0..700),
        spec in prop::sample::select(Spec::ALL.to_vec()),
        profile in prop::sample::select(Profile::ALL.to_vec()),
    ) {
        let call = from_bytes(&bytes, spec, profile);
        prop_assert_eq!(call.spec(), spec);
        prop_assert_eq!(spelled(&call), spelled(&from_bytes(&bytes, spec, profile)));
    }

    #[test]
    fn missing_bytes_read_as_zeros(
        bytes in prop::collection::vec(any::<u8>(), 0..100),
        spec in prop::sample::select(Spec::ALL.to_vec()),
        profile in prop::sample::select(Profile::ALL.to_vec()),
    ) {
        let mut longer = bytes.clone();
        longer.resize(2000, 0);
        prop_assert_eq!(
            spelled(&from_bytes(&bytes, spec, profile)),
            spelled(&from_bytes(&longer, spec, profile))
        );
    }

    #[test]
    fn no_call_is_larger_than_the_limits_allow(
        seed: u64,
        max_elements in 0_usize..2000,
        spelled: u8,
        spec in prop::sample::select(Spec::ALL.to_vec()),
        profile in prop::sample::select(Profile::ALL.to_vec()),
    ) {
        let bytes: Vec<u8> = seed.to_le_bytes().repeat(40);
        let call = call(&mut Unstructured::new(&bytes), spec, profile, CallLimits { max_elements, spelled });
        let elements: usize = call.data.shape().iter().filter(|&&dim| dim > 0).product();
        // Rank 9, which BNNS does not have, has dims of at most 2.
        prop_assert!(elements <= (17 * max_elements.max(1)).max(512), "{:?}", call.data.shape());
    }
}

#[test]
fn elements_apart_count_towards_the_limits_of_a_call() {
    let bytes = 11_709_127_822_902_362_363_u64.to_le_bytes().repeat(40);
    let limits = CallLimits { max_elements: 1294, spelled: 0 };
    let call = call(&mut Unstructured::new(&bytes), Spec::Blas(Norm::L1), Profile::Valid, limits);
    assert!(call.data.len() <= 17 * 1294, "{:?}", call.data.shape());
}

#[test]
fn no_bytes_spell_the_plainest_call() {
    for spec in Spec::ALL {
        let call = from_bytes(&[], spec, Profile::Valid);
        assert_eq!((call.data.shape(), call.data.bits()), ([1].as_slice(), vec![0]), "{spec}");
        assert_eq!(call.data.dtype(), spec.rules().dtypes[0]);
    }
}

/// Returns the FNV-1a hash.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |sum: u64, &byte: &u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Every choice reads a fixed width, so these lines are the same on any machine.
#[test]
fn a_seed_and_a_place_spell_the_same_call_everywhere() {
    let calls = row(1, Turns::First.specs()).take(33).map(|id| {
        let call = id.call();
        let first =
            call.data.bits().into_iter().take(5).map(|bits| display::element(call.data.dtype(), bits));
        let (first, sum) = (first.collect::<Vec<_>>().join(" "), checksum(&spelled(&call)));
        format!("{id} {}: {first}; {sum:016x}", display::call(&call))
    });
    insta::assert_snapshot!(calls.collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_call_depends_on_its_seed_and_its_place_alone() {
    // A round has at least two calls of each spec.
    let all: Vec<Id> = row(7, &Spec::ALL).take(calls_of_rounds(20, &Spec::ALL)).collect();
    for spec in Spec::ALL {
        let alone: Vec<Id> = row(7, &[spec]).take(40).collect();
        let among: Vec<Id> = all.iter().copied().filter(|id| id.spec() == spec).take(40).collect();
        assert_eq!(alone, among);
        assert!(alone.iter().all(|id| id.call().spec() == spec));
    }
    let other = Id::first(8, all[3].index);
    assert_ne!(spelled(&all[3].call()), spelled(&other.call()));
    assert_eq!("7:3".parse(), Ok(all[3]));
    for nonsense in ["", "7", "7:", ":3", "7:3:1", "-1:3", "7:99999999999999999999"] {
        assert!(nonsense.parse::<Id>().is_err(), "{nonsense:?}");
    }
}

#[test]
fn a_call_of_a_later_family_is_named_with_its_family() {
    let later: Vec<Id> = row(7, &[Spec::ArrayApi(Norm::L2)]).take(3).collect();
    assert_eq!(
        later.iter().map(Id::to_string).collect::<Vec<_>>(),
        ["7:array-api:2", "7:array-api:3", "7:array-api:6"]
    );
    assert!(later.iter().all(|id| id.to_string().parse() == Ok(*id)));
    assert!("7:onnx:2".parse::<Id>().is_err());
}

#[test]
fn a_run_over_a_later_family_too_asks_the_same_calls_of_the_first() {
    let of_all: Vec<Id> = row(7, &Spec::ALL).filter(|id| id.turns == Turns::First).take(500).collect();
    assert_eq!(of_all, (0..500).map(|index| Id::first(7, index)).collect::<Vec<_>>());
    let sorted = row(7, &Spec::ALL).take(500).collect::<std::collections::BTreeSet<_>>();
    assert!(row(7, &Spec::ALL).take(500).eq(sorted), "the order of a run is that of its calls");
}

/// The spec's decision on the form of a call; its values may raise questions under any profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Decided,
    Open,
    Rejected,
}

fn form(call: &Call) -> Form {
    let ruling = rule(call);
    let rejected = |outcome: &Outcome| matches!(outcome, Outcome::Rejected(_));
    // Calls that the array API leaves to libraries belong to the open profile.
    if ruling.alternatives.iter().any(|one| matches!(one.outcome, Outcome::OutOfScope(_))) {
        return Form::Open;
    }
    if ruling.questions().iter().any(|question| !question.concerns_values()) {
        return Form::Open;
    }
    match ruling.alternatives.iter().filter(|alternative| rejected(&alternative.outcome)).count() {
        0 => Form::Decided,
        _ => Form::Rejected,
    }
}

#[rstest]
#[case::valid(Profile::Valid, Form::Decided)]
#[case::open(Profile::Open, Form::Open)]
#[case::invalid(Profile::Invalid, Form::Rejected)]
fn a_profile_is_what_the_rules_make_of_its_calls(#[case] profile: Profile, #[case] wanted: Form) {
    // The array API and BLAS refuse no form, and of BLAS only asum leaves one open. WebNN leaves none open.
    let has_such = |spec: &Spec| {
        !matches!(
            (profile, spec),
            (Profile::Invalid, Spec::ArrayApi(_) | Spec::Blas(_))
                | (Profile::Open, Spec::Blas(Norm::L2) | Spec::WebNn(_))
        )
    };
    for spec in Spec::ALL.into_iter().filter(has_such) {
        for id in row(3, &[spec]).filter(|id| id.profile() == profile).take(2000) {
            let call = id.call();
            assert_eq!(form(&call), wanted, "{id} {}", display::call(&call));
        }
    }
}

#[test]
fn no_nan_signals() {
    for id in row(6, &Spec::ALL).take(30_000) {
        let call = id.call();
        let Kind::Float(format) = call.data.dtype().kind() else { continue };
        let quiet = format.nan() ^ format.infinity();
        for bits in call.data.bits() {
            assert!(format.magnitude(bits) != Magnitude::Nan || bits & quiet != 0, "{id}: {bits:#x}");
        }
    }
}

#[test]
fn a_valid_call_has_a_type_its_operator_takes() {
    for id in row(5, &Spec::ALL).filter(|id| id.profile() == Profile::Valid).take(2000) {
        let dtype: Dtype = id.call().data.dtype();
        assert!(id.spec().rules().dtypes.contains(&dtype), "{id}");
    }
}
