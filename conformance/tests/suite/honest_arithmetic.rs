//! Tests the accuracy bound against arithmetic itself: every order of summation and every choice on a tie, in
//! formats small enough to try them all. No such result may fail, and one ulp beyond the outermost result
//! must mostly fail.
//!
//! The rounding here is a few lines of f64, without code of the reference: sums and products of such narrow
//! operands are exact in f64, and its roots and quotients are wide enough to be rounded again.

use normative_conformance::judge::accuracy::{Class, measure};
use normative_conformance::random::splitmix64;
use normative_conformance::reference::arithmetic::{FloatArithmetic, Range, Subnormals};
use normative_conformance::reference::{FloatFormat, Norm, Real};
use rstest::rstest;

pub(crate) mod scene;

use scene::*;

const L1_IN_TYPE: Scene = Scene::new(Norm::L1, SMALL, SMALL, Range::Scaled);
const L1_WIDE: Scene = Scene::new(Norm::L1, SMALL, WIDER, Range::Scaled);
const L2_NAIVE: Scene = Scene::new(Norm::L2, SMALL, SMALL, Range::Naive);
const L2_SCALED: Scene = Scene::new(Norm::L2, SMALL, SMALL, Range::Scaled);
const L2_WIDE: Scene = Scene::new(Norm::L2, SMALL, WIDER, Range::Scaled);
const SQUARES_IN_TYPE: Scene = Scene::of_steps(SMALL, SMALL, WIDER, WIDER);
const BY_OPERATOR: Scene = Scene::of_steps(SMALL, SMALL, WIDER, SMALL);
const ROOT_NARROW: Scene = Scene::of_steps(WIDER, WIDER, WIDER, SMALL);

#[rstest]
fn no_result_of_any_order_is_refused(
    #[values(
        L1_IN_TYPE, L1_WIDE, L2_NAIVE, L2_SCALED, L2_WIDE, SQUARES_IN_TYPE, BY_OPERATOR, ROOT_NARROW,
        L1_WIDE.cut(), L2_WIDE.cut(), SQUARES_IN_TYPE.cut()
    )]
    scene: Scene,
    #[values(1, 2, 3, 4)] n: usize,
) {
    let every = if scene.output == WIDER { n * n } else { 1 };
    let elements: Vec<f64> = elements_of(scene, n).into_iter().step_by(every).collect();
    multisets(&elements, n, &mut |elements| scene.assert_accepts_all(elements, scene.results(elements)));
}

/// Each step is off by less than an ulp, and no root halves that.
#[rstest]
fn no_result_of_a_chain_of_hypot_is_refused(
    #[values(L2_SCALED, L2_WIDE, Scene::new(Norm::L2, SMALL, SMALL, Range::Rescued))] scene: Scene,
    #[values(1, 2, 3, 4)] n: usize,
) {
    multisets(&elements_of(scene, n), n, &mut |elements| {
        scene.assert_accepts_all(elements, scene.chains_of_hypot(elements));
    });
}

/// All steps rounded up, or all down, over many terms.
#[rstest]
fn no_long_chain_of_hypot_is_refused(#[values(10, 40)] n: usize, #[values(true, false)] up: bool) {
    let values = between(SMALL, -2, 1);
    for seed in 0..200 {
        let elements: Vec<f64> =
            (0..n as u64).map(|i| values[(splitmix64(seed, i) % values.len() as u64) as usize]).collect();
        let step = |r: f64, &x: &f64| {
            let exact = r.hypot(x);
            if up { away_from_zero(exact, SMALL) } else { toward_zero(exact, SMALL) }
        };
        let result = elements[1..].iter().fold(elements[0], step);
        L2_SCALED.assert_accepts_all(&elements, [Ordered(result)]);
    }
}

#[rstest]
fn no_subnormal_chain_of_hypot_is_refused(
    #[values(1, 2, 3)] n: usize,
    #[values(Subnormals::Kept, Subnormals::ResultsFlushed)] subnormals: Subnormals,
) {
    let scene = Scene::new(Norm::L2, NARROW, NARROW, Range::Scaled).with(subnormals);
    multisets(&between(NARROW, -9, -4), n, &mut |elements| {
        scene.assert_accepts_all(elements, scene.chains_of_hypot(elements));
    });
}

/// The least share of floats just beyond every order's results that must fail. With so short a significand
/// the bound of roots is several ulp wide, so only few of those fail.
#[rstest]
#[case::one_term(L1_IN_TYPE, 1, 1.0)]
#[case::one_term_wide(L1_WIDE, 1, 1.0)]
#[case::one_addition(L1_IN_TYPE, 2, 0.85)]
#[case::one_addition_wide(L1_WIDE, 2, 0.95)]
#[case::two_additions_wide(L1_WIDE, 3, 0.75)]
#[case::three_additions_wide(L1_WIDE, 4, 0.6)]
#[case::root_wide(L2_WIDE, 2, 0.4)]
fn one_ulp_beyond_every_order_is_mostly_refused(#[case] scene: Scene, #[case] n: usize, #[case] share: f64) {
    let (mut beyond, mut refused) = (0, 0);
    multisets(&elements_of(scene, n), n, &mut |elements| {
        let exact = scene.exact(elements);
        let results = scene.results(elements);
        let least = bits_of(results.first().unwrap().0, scene.output);
        let greatest = bits_of(results.last().unwrap().0, scene.output);
        for bits in [least - 1, greatest + 1] {
            beyond += 1;
            refused += i32::from(!scene.accepts(&exact, n, number(bits, scene.output)));
        }
    });
    assert!(f64::from(refused) >= share * f64::from(beyond), "{refused} of {beyond}");
}

fn elements_of(scene: Scene, n: usize) -> Vec<f64> {
    between(scene.output, -1, if n < 4 { 2 } else { 1 })
}

/// Squares, sums and roots overflow and underflow in their own formats.
#[rstest]
#[case::in_type(Scene::new(Norm::L2, NARROW, NARROW, Range::Naive))]
#[case::rescued(Scene::new(Norm::L2, NARROW, NARROW, Range::Rescued))]
#[case::squares_in_type(Scene::of_steps(NARROW, NARROW, WIDER, WIDER))]
#[case::by_operator(Scene::of_steps(NARROW, NARROW, WIDER, NARROW))]
#[case::root_narrow(Scene::of_steps(WIDER, WIDER, WIDER, NARROW))]
#[case::cut(Scene::new(Norm::L2, NARROW, WIDER, Range::Naive).cut())]
fn no_honest_result_is_refused_where_squares_leave_the_range(
    #[case] scene: Scene,
    #[values(1, 2, 3)] n: usize,
    #[values(Subnormals::Kept, Subnormals::Flushed, Subnormals::ResultsFlushed)] subnormals: Subnormals,
) {
    let scene = scene.with(subnormals);
    // Values from the least normal number to the greatest; only every fifth for three terms.
    let every = if n == 3 { 5 } else { 1 };
    let values: Vec<f64> = between(NARROW, -6, 7).into_iter().step_by(every).collect();
    multisets(&values, n, &mut |elements| {
        let results = scene.results(elements);
        // Computing again with a scale underflows in so narrow a range, unlike in any float type.
        let rescued = scene.arithmetic.range == Range::Rescued;
        let naive =
            Scene { arithmetic: FloatArithmetic { range: Range::Naive, ..scene.arithmetic }, ..scene };
        if rescued && naive.results(elements).contains(&Ordered(f64::INFINITY)) {
            let exact = scene.exact(elements);
            let right = number(exact.round(NARROW), NARROW);
            return assert!(scene.accepts(&exact, n, right), "{elements:?}");
        }
        scene.assert_accepts_all(elements, results);
    });
}

/// A norm that is computed again must meet the bound of a scaled one.
#[rstest]
fn a_rescued_norm_whose_squares_vanish_is_zero_or_scaled_and_nothing_between(
    #[values(1, 2, 3)] n: usize,
    #[values(Subnormals::Kept, Subnormals::Flushed)] subnormals: Subnormals,
) {
    let rescued = Scene::new(Norm::L2, NARROW, NARROW, Range::Rescued).with(subnormals);
    let scaled = Scene::new(Norm::L2, NARROW, NARROW, Range::Scaled).with(subnormals);
    let (low, high, least) = if subnormals == Subnormals::Kept { (-6, -5, -10) } else { (-6, -3, -6) };
    let mut met = 0;
    multisets(&between(NARROW, low, high), n, &mut |elements| {
        let sum: f64 = elements.iter().map(|x| x * x).sum();
        if sum * 1.1 >= f64::from(least).exp2() {
            return;
        }
        met += 1;
        let exact = rescued.exact(elements);
        for bits in 0..bits_of(0.5, NARROW) {
            let result = number(bits, NARROW);
            let due = bits == 0 || scaled.accepts(&exact, n, result);
            assert_eq!(rescued.accepts(&exact, n, result), due, "{elements:?}: {result}");
        }
    });
    assert!(met > 0, "no squares vanish");
}

/// Partial sums and squares are flushed one by one, and fused ones together.
#[rstest]
fn no_sum_whose_partial_results_are_flushed_is_refused(
    #[values(Norm::L1, Norm::L2)] norm: Norm,
    #[values(1, 2, 3, 6)] n: usize,
) {
    let scene = Scene::new(norm, NARROW, NARROW, Range::Naive).with(Subnormals::ResultsFlushed);
    let values = between(NARROW, -9, -2);
    let every = if n == 3 { 3 } else { 1 };
    let values: Vec<f64> = values.into_iter().step_by(every).collect();
    if n <= 3 {
        multisets(&values, n, &mut |elements| scene.assert_accepts_all(elements, scene.results(elements)));
    }
    for seed in 0..2000 {
        let at = |i| values[(splitmix64(seed, i) % values.len() as u64) as usize];
        let elements: Vec<f64> = (0..n as u64).map(at).collect();
        let term = |x: f64| if norm == Norm::L1 { x } else { x * x };
        let fused = |sum: f64, &x: &f64| scene.held(sum + term(x), NARROW)[0];
        let sum = elements.iter().fold(0.0, fused);
        let result = if norm == Norm::L1 { sum } else { scene.held(sum.sqrt(), NARROW)[0] };
        scene.assert_accepts_all(&elements, [Ordered(result)]);
    }
}

#[test]
fn a_flushed_result_is_zero_or_what_it_is_and_nothing_between() {
    let scene = Scene::new(Norm::L1, NARROW, NARROW, Range::Scaled).with(Subnormals::ResultsFlushed);
    let least = f64::from(NARROW.quantum()).exp2();
    let accepted = |elements: &[f64]| -> Vec<u64> {
        let exact = scene.exact(elements);
        (0..8).filter(|&bits| scene.accepts(&exact, elements.len(), number(bits, NARROW))).collect()
    };
    assert_eq!(accepted(&[5.0 * least]), [0, 5]);
    assert_eq!(accepted(&[3.0 * least, 2.0 * least]), [0, 5]);
}

#[rstest]
#[case::within_an_ulp_below(1100.75, 1100.0, true)]
#[case::nearest_above(1100.75, 1101.0, true)]
#[case::not_nearest_above(1100.25, 1101.0, false)]
#[case::more_than_an_ulp_below(1101.5, 1100.0, false)]
#[case::greatest_instead_of_infinite(70_000.0, 65_504.0, true)]
#[case::greatest_of_a_sum_that_only_f64_holds(f64::INFINITY, 65_504.0, true)]
fn a_cut_result_lies_below_by_less_than_an_ulp(
    #[case] exact: f64,
    #[case] result: f64,
    #[case] accepted: bool,
) {
    let scene = Scene::new(Norm::L1, FloatFormat::F16, FloatFormat::F32, Range::Scaled).cut();
    let beyond = Real { significand: 3_u8.into(), exponent: 128, root: false, negative: false };
    let exact = if exact.is_infinite() { beyond } else { real((exact * 4.0) as u64, -2) };
    assert_eq!(scene.accepts(&exact, 2, result), accepted);
}

#[test]
fn no_honest_sum_is_refused_where_it_overflows() {
    let scene = Scene::new(Norm::L1, NARROW, NARROW, Range::Scaled);
    let wide = Scene::new(Norm::L1, NARROW, WIDER, Range::Scaled);
    multisets(&between(NARROW, 5, 7), 3, &mut |elements| {
        for scene in [scene, wide, wide.cut()] {
            scene.assert_accepts_all(elements, scene.results(elements));
        }
    });
}

/// Sums of many terms, whose error exceeds the output's own rounding.
#[rstest]
fn no_honest_sum_of_many_terms_is_refused(
    #[values(
        L1_IN_TYPE, L1_WIDE, L2_NAIVE, L2_SCALED, L2_WIDE, SQUARES_IN_TYPE, BY_OPERATOR, ROOT_NARROW,
        L1_WIDE.cut(), L2_WIDE.cut()
    )]
    scene: Scene,
    #[values(7, 12, 15, 60)] n: usize,
) {
    let values = between(scene.output, -2, 1);
    for seed in 0..400 {
        let at = |i| values[(splitmix64(seed, i) % values.len() as u64) as usize];
        let mut elements: Vec<f64> = match seed % 3 {
            // Equal terms have errors in one direction.
            0 => vec![at(0); n],
            _ => (0..n as u64).map(at).collect(),
        };
        elements.sort_by(f64::total_cmp);
        if seed % 2 == 0 {
            elements.reverse();
        }
        let exact = scene.exact(&elements);
        for result in chains(scene, &elements) {
            assert!(scene.accepts(&exact, n, result), "{scene:?} n={n} {elements:?}: {result}");
        }
    }
}

/// Returns the norm with terms added in order, ties all down or all up, and pairwise.
fn chains(scene: Scene, elements: &[f64]) -> Vec<f64> {
    type Pick = fn(&[f64]) -> f64;
    let picks: [Pick; 2] = [|choices| choices[0], |choices| choices[choices.len() - 1]];
    let greatest = elements.iter().copied().fold(0.0, f64::max);
    let scale =
        if scene.norm == Norm::L2 && scene.arithmetic.range == Range::Scaled { greatest } else { 1.0 };
    let FloatArithmetic { squares, sums, root, .. } = scene.arithmetic;
    let mut results = Vec::new();
    for pick in picks {
        let held = |x: f64, format| pick(&scene.held(x, format));
        let term = |x: f64| match scene.norm {
            Norm::L1 | Norm::Sum => x,
            Norm::L2 | Norm::SumSquare if scene.arithmetic.range != Range::Scaled => held(x * x, squares),
            Norm::L2 | Norm::SumSquare => held(held(x / scale, squares) * held(x / scale, squares), squares),
        };
        let terms: Vec<f64> = elements.iter().map(|&x| term(x)).collect();
        let chain = terms.iter().fold(0.0, |sum, x| held(sum + x, sums));
        let mut level = terms;
        while level.len() > 1 {
            level = level.chunks(2).map(|pair| held(pair.iter().sum(), sums)).collect();
        }
        for sum in [chain, level[0]] {
            let norm = if scene.norm == Norm::L2 {
                held(held(held(sum, root).sqrt(), root) * scale, root)
            } else {
                sum
            };
            results.push(pick(&scene.narrowed(norm)));
        }
    }
    results
}

/// The machine's own arithmetic, in its own types.
#[rstest]
fn no_result_of_native_f64_is_refused(#[values(1, 2, 3, 4, 9)] n: usize) {
    let scaled = Scene::new(Norm::L2, FloatFormat::F64, FloatFormat::F64, Range::Scaled);
    let naive = Scene::new(Norm::L2, FloatFormat::F64, FloatFormat::F64, Range::Naive);
    let plain = Scene::new(Norm::L1, FloatFormat::F64, FloatFormat::F64, Range::Scaled);
    for seed in 0..20_000 {
        let at = |i| (splitmix64(seed, i) >> 11) as f64 / 2_f64.powi(52);
        let elements: Vec<f64> = (0..n as u64).map(at).collect();
        let greatest = elements.iter().copied().fold(0.0, f64::max);
        let sum: f64 = elements.iter().map(|x| (x / greatest) * (x / greatest)).sum();
        let squares: f64 = elements.iter().map(|x| x * x).sum();
        let fused = elements.iter().fold(0.0, |sum: f64, x| x.mul_add(*x, sum));
        for (scene, result) in [
            (naive, fused.sqrt()),
            (scaled, greatest * sum.sqrt()),
            (naive, squares.sqrt()),
            (plain, elements.iter().sum()),
        ] {
            assert!(scene.accepts(&scene.exact(&elements), n, result), "{scene:?} {elements:?}: {result:e}");
        }
    }
}

/// Returns `sum · 2^exponent` as an exact real.
fn real(sum: u64, exponent: i32) -> Real {
    Real { significand: sum.into(), exponent, root: false, negative: false }
}

#[test]
fn a_sum_at_the_edge_of_the_bound_may_be_rounded_into_the_next_binade() {
    let scene = Scene::new(Norm::L1, FloatFormat::BF16, FloatFormat::F32, Range::Scaled);
    let n = 1 << 20;
    let ku = f64::from(n - 1) / f64::from(1 << 24);
    let edge = 0.999 * ku / (1.0 - ku);
    // Two binades, in steps of a quarter of an ulp.
    for quarters in 512..2048 {
        let exact = f64::from(quarters) / 512.0;
        for sum in [exact * (1.0 - edge), exact * (1.0 + edge)] {
            for result in nearest(sum, FloatFormat::BF16) {
                let accepted = scene.accepts(&real(quarters as u64, -9), n as usize, result);
                assert!(accepted, "{exact} summed to {sum}, rounded to {result}");
            }
        }
    }
}

#[test]
fn a_scaled_root_may_be_rounded_to_a_subnormal_twice() {
    // A value just below the midpoint of two bf16 subnormals, and the midpoint itself after rounding to f32.
    let scene = Scene::new(Norm::L2, FloatFormat::BF16, FloatFormat::F32, Range::Scaled);
    let exact = real((3 << 17) - 1, -151);
    for result in [1, 2] {
        assert!(scene.accepts(&exact, 1, number(result, FloatFormat::BF16)));
    }
    assert!(!scene.accepts(&exact, 1, number(3, FloatFormat::BF16)));
}

#[test]
fn sums_held_in_a_declared_wider_format_are_rounded_to_the_output_at_last() {
    // More f32 terms than the f32 bound covers, summed in f64: a value just off the midpoint of two floats.
    let near = Scene::new(Norm::L1, FloatFormat::F32, FloatFormat::F32, Range::Scaled).near(1 << 25);
    let exact = real((1 << 50) + (1 << 26) + 1, -50);
    let class = |result: f32, declared| {
        measure(&exact, result.to_bits().into(), FloatFormat::F32, &near, declared).class
    };
    let declared = Some(FloatFormat::F64);
    assert_eq!(class(1.0 + f32::EPSILON, declared), Some(Class::CorrectlyRounded));
    assert_eq!(class(1.0, declared), Some(Class::Faithful));
    assert_eq!(class(1.0 + 2.0 * f32::EPSILON, declared), None);
    assert_eq!(class(1.0, None), Some(Class::Vacuous));
}

#[rstest]
#[case::truth(300.0, true)]
#[case::stagnated(256.0, true)]
#[case::one_term(1.0, true)]
#[case::nothing(0.0, false)]
#[case::far_less_than_any_term(0.0625, false)]
#[case::far_too_much(16384.0, false)]
#[case::infinite(f64::INFINITY, false)]
fn even_a_vacuous_bound_refuses_what_no_sum_can_be(
    #[values(Norm::L1, Norm::L2)] norm: Norm,
    #[case] sum: f64,
    #[case] accepted: bool,
) {
    let range = if norm == Norm::L2 { Range::Naive } else { Range::Scaled };
    let scene = Scene::new(norm, FloatFormat::BF16, FloatFormat::BF16, range);
    let result = if norm == Norm::L1 { sum } else { sum.sqrt() };
    for result in nearest(result, FloatFormat::BF16) {
        assert_eq!(scene.accepts(&scene.exact(&[1.0; 300]), 300, result), accepted);
    }
}

#[test]
fn a_single_f16_element_has_no_error_to_forgive_below_a_power_of_two_either() {
    let scene = Scene::new(Norm::L1, FloatFormat::F16, FloatFormat::F32, Range::Scaled);
    let one = bits_of(1.0, FloatFormat::F16);
    assert!(scene.accepts(&real(1, 0), 1, 1.0));
    assert!(!scene.accepts(&real(1, 0), 1, number(one - 1, FloatFormat::F16)));
    assert!(!scene.accepts(&real(1, 0), 1, number(one + 1, FloatFormat::F16)));
}
