//! Tests the slack of an answer against the accuracy bound: every result that the bound allows leads back to
//! the exact norm, and few others do.

use normative_conformance::judge::accuracy::measure;
use normative_conformance::judge::accuracy::slack::{Interval, Slack};
use normative_conformance::reference::arithmetic::{FloatArithmetic, Narrowing, Range, Subnormals};
use normative_conformance::reference::textbook::to_f64;
use normative_conformance::reference::{Dtype, FloatFormat, Kind, Near, Norm, Real};
use rstest::rstest;

use crate::bounds::is;

fn contains(interval: Interval, x: f64) -> bool {
    interval.low <= x && x <= interval.high
}

/// The arithmetic of 16-bit floats.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Width {
    Wide,
    Cut,
    SquaresInType,
    ByOperator,
    InType,
}

/// Returns `None` if the steps would be those of another width.
fn near(norm: Norm, terms: usize, dtype: Dtype, format: FloatFormat, width: Width) -> Option<Near> {
    let wide = FloatFormat::F32;
    let (squares, sums, root) = match width {
        Width::Wide | Width::Cut => (wide, wide, wide),
        Width::SquaresInType => (format, wide, wide),
        Width::ByOperator => (format, wide, format),
        Width::InType => (format, format, format),
    };
    if width != Width::InType && (format == wide || norm == Norm::L1 && squares != wide) {
        return None;
    }
    let arithmetic = FloatArithmetic {
        squares,
        sums,
        root,
        range: if squares == wide { Range::Scaled } else { Range::Naive },
        subnormals: Subnormals::Kept,
        narrowing: if width == Width::Cut { Narrowing::TowardZero } else { Narrowing::Nearest },
        infinity_over_nan: false,
    };
    Some(Near { dtype, shape: vec![], values: vec![], terms, norm, arithmetic })
}

#[rstest]
fn what_the_bound_accepts_leads_back_to_the_exact_norm_and_two_ulp_beyond_does_not(
    #[values(Norm::L1, Norm::L2)] norm: Norm,
    #[values(2, 3, 10, 100)] terms: usize,
    #[values(Dtype::F32, Dtype::F16, Dtype::Bf16)] dtype: Dtype,
    #[values(Width::Wide, Width::Cut, Width::SquaresInType, Width::ByOperator, Width::InType)] width: Width,
) {
    let Kind::Float(format) = dtype.kind() else { panic!() };
    let Some(near) = near(norm, terms, dtype, format, width) else { return };
    let slack = Slack::of_floats(&near, format).unwrap();
    // A little above a power of two, in the middle of a binade, and just below the next power.
    for significand in [1_000_003_u64, 1_048_576, 1_048_577, 1_500_001, 2_097_151] {
        let root = norm == Norm::L2;
        let exact = Real { significand: (significand * significand).into(), exponent: -40, root };
        let exact = if root { exact } else { Real { significand: significand.into(), exponent: -20, root } };
        let x = significand as f64 / f64::from(1 << 20);
        let nearest = exact.round(format);
        let accepted = |bits: u64| measure(&exact, bits, format, &near, None).class.is_some();
        let interval = |bits: u64| slack.around(to_f64(dtype, bits));
        let most = (nearest..format.infinity()).take_while(|&bits| accepted(bits)).last().unwrap();
        let least = (0..=nearest).rev().take_while(|&bits| accepted(bits)).last().unwrap();
        for bits in least..=most {
            assert!(contains(interval(bits), x), "{x} {bits:#x}");
        }
        assert!(!contains(interval(most + 2), x), "{x}: {:?}", interval(most + 2));
        assert!(!contains(interval(least - 2), x), "{x}: {:?}", interval(least - 2));
    }
}

#[test]
fn a_bound_that_says_nothing_gives_no_slack() {
    let of = |terms| {
        let near = near(Norm::L1, terms, Dtype::Bf16, FloatFormat::BF16, Width::InType);
        Slack::of_floats(&near.unwrap(), FloatFormat::BF16)
    };
    // With k roundings of 2^-8 the bound is 1 at k = 128, where the least result may be 0.
    assert!(of(128).is_some());
    assert!(of(129).is_none());
    assert!(of(100_000).is_none());
}

#[test]
fn integer_roots_are_truncated_or_rounded_and_sums_exact() {
    // From 57 on the nearest root is 8.
    for (square, roots) in [(49, [7, 7]), (63, [7, 8]), (50, [7, 7]), (56, [7, 7]), (57, [7, 8])] {
        for root in roots {
            assert!(contains(Slack::ROOT.around(f64::from(root)), f64::from(square).sqrt()));
        }
        assert!(!contains(Slack::ROOT.around(5.0), f64::from(square).sqrt()));
        assert!(!contains(Slack::ROOT.around(9.0), f64::from(square).sqrt()));
    }
    assert_eq!(Slack::NONE.around(9.0), Interval { low: 9.0, high: 9.0 });
}

#[test]
fn intervals_meet_where_they_touch_and_never_where_an_end_is_no_number() {
    let to = |low, high| Interval { low, high };
    assert!(to(1.0, 2.0).meets(to(2.0, 3.0)) && to(2.0, 3.0).meets(to(1.0, 2.0)));
    assert!(!to(1.0, 2.0).meets(to(2.5, 3.0)) && !to(2.5, 3.0).meets(to(1.0, 2.0)));
    assert!(to(2.0, 9.0).may_be_at_most(to(1.0, 2.0)) && !to(2.5, 9.0).may_be_at_most(to(1.0, 2.0)));
    let nan = Slack::NONE.around(f64::NAN);
    assert!(!nan.meets(to(0.0, 1.0)) && !nan.may_be_at_most(to(0.0, 1.0)));
}

#[test]
fn norms_of_parts_join_as_their_norm_does() {
    let at = |x: f64| Interval { low: x, high: x };
    assert_eq!(at(3.0).joined(at(4.0), Norm::L1), at(7.0));
    let five = at(3.0).joined(at(4.0), Norm::L2);
    assert!(contains(five, 5.0) && !contains(five, 5.000_001) && !contains(five, 4.999_999));
    let two = at(1.0).times_root_of(4);
    assert!(contains(two, 2.0) && !contains(two, 2.000_001));
}

/// Returns the slack of one f16 addition, and γ: the truth is the result times 1 / (1 + γ) to 1 / (1 - γ).
fn of_one_addition() -> (Slack, f64) {
    let u = 1.0 / 2048.0;
    let near = near(Norm::L1, 2, Dtype::F16, FloatFormat::F16, Width::InType);
    (Slack::of_floats(&near.unwrap(), FloatFormat::F16).unwrap(), u / (1.0 - u))
}

#[test]
fn slack_multiplies_through_norms_of_norms() {
    let (slack, gamma) = of_one_addition();
    let Interval { low, high } = slack.of_norms_within(slack).around(1.0);
    is(low, (1.0 + gamma).powi(-2));
    is(high, (1.0 - gamma).powi(-2));
    let Interval { low, high } = Interval { low: 3.0, high: 5.0 }.times(4.0);
    assert_eq!((low, high), (12.0, 20.0));
}

/// If f64 rounds the computation here, both ends are widened for it; otherwise neither is.
#[test]
fn our_own_rounding_widens_what_is_rounded_and_nothing_else() {
    assert_eq!(Slack::NONE.around(-8.0), Interval { low: -8.0, high: -8.0 });
    let (slack, gamma) = of_one_addition();
    for observed in [8.0_f64, -8.0] {
        let ends = [observed / (1.0 + gamma), observed / (1.0 - gamma)];
        let Interval { low, high } = slack.around(observed);
        assert!(low < ends[0].min(ends[1]) && high > ends[0].max(ends[1]), "{low} {high}");
        is(low, ends[0].min(ends[1]));
        is(high, ends[0].max(ends[1]));
    }
    let Interval { low, high } = Interval { low: -6.0, high: 6.0 }.times_root_of(4);
    assert!(low < -12.0 && high > 12.0, "{low} {high}");
    is(low, -12.0);
    is(high, 12.0);
}
