//! Tests the covering designs: cases and the first generated calls meet every pair and nearly every triple of
//! kernel factors and special values. Data count only where an error would show.

use normative_conformance::generate::covering::design::Coverage;
use normative_conformance::generate::covering::special::{self, Special};
use normative_conformance::generate::covering::{
    Columns, Inner, Keep, Kernel, Placement, Position, Rows, Size, tells,
};
use normative_conformance::reference::{Axes, Call, Dtype, Norm, Operator, Spec, Tensor};
use normative_conformance::run::property::{Id, row};
use rstest::rstest;

use crate::example::CORPUS;

/// The number of generated calls that, with the cases, must cover the designs.
const CALLS: usize = 20_000;

fn assert_enough(coverage: &Coverage) {
    for (design, pairs, triples) in [(&coverage.kernels, 2000, 19_000), (&coverage.specials, 500, 2500)] {
        let (of_two, of_three) = (design.pairs(), design.triples());
        assert!(of_two.possible > pairs && of_three.possible > triples, "shrunk: {of_two}, {of_three}");
        assert!(design.is_enough(), "pairs {of_two}, triples {of_three}: {:#?}", design.missing());
    }
}

#[test]
fn cases_and_the_first_generated_calls_cover_every_pair_and_95_of_100_triples_of_kernels_and_of_special_values()
 {
    let mut coverage = Coverage::of(CORPUS.cases.iter().map(|case| case.call.clone())).unwrap();
    let alone = coverage.kernels.triples();
    assert!(100 * alone.met > 80 * alone.possible, "of cases alone: {alone}");
    row(1, &Spec::ALL).take(CALLS).try_for_each(|id| coverage.add(&id.call())).unwrap();
    assert_enough(&coverage);
}

#[test]
#[ignore = "weekly: the seed of every run is tried with every change"]
fn another_seed_covers_as_much_without_the_cases() {
    let coverage = Coverage::of(row(20, &Spec::ALL).take(CALLS).map(Id::call)).unwrap();
    let shares = [
        coverage.kernels.pairs(),
        coverage.kernels.triples(),
        coverage.specials.pairs(),
        coverage.specials.triples(),
    ];
    for share in shares {
        assert!(100 * share.met >= 95 * share.possible, "{share}");
    }
}

#[test]
fn without_calls_nothing_is_covered_and_each_pair_is_missing_by_name() {
    let Coverage { kernels, specials } = Coverage::default();
    assert!(!kernels.is_enough() && kernels.pairs().met == 0);
    let missing = kernels.missing();
    assert_eq!(missing.len(), kernels.pairs().possible + kernels.triples().possible);
    for name in [
        "squares, u16",
        "position Middle, inner dim Whole",
        "magnitudes, i8, length 7 mod 8",
        "length Thousands, columns Many",
        "length 4 mod 5, rows Many",
        "f64, length 2 mod 3, reduced dims Kept",
    ] {
        assert!(missing.iter().any(|other| other == name), "{name}");
    }
    for name in [
        "i8, onnx/ReduceL1-18",
        "position Inner, inner dim Other",
        "length 0 mod 8, length Short",
        "bf16, length Thousands",
        "columns Few, inner dim Whole",
        "reduced dims Kept, blas/asum",
    ] {
        assert!(!missing.iter().any(|other| other == name), "{name}");
    }
    let missing = specials.missing();
    assert!(missing.iter().any(|name| name == "value NanBesideZeros, squares, position Outer"));
    assert!(!missing.iter().any(|name| name == "value Least, u8" || name == "value Nan, length One"));
}

#[rstest]
#[case::all(&[9], &[0], Position::All, 9, 1, 1)]
#[case::all_of_two_dims(&[2, 9], &[0, 1], Position::All, 18, 1, 1)]
#[case::inner(&[2, 9], &[1], Position::Inner, 9, 1, 2)]
#[case::outer(&[9, 2], &[0], Position::Outer, 9, 2, 1)]
#[case::middle(&[2, 9, 5], &[1], Position::Middle, 9, 5, 2)]
#[case::several(&[2, 3, 9], &[0, 2], Position::Several, 9, 1, 3)]
#[case::several_before_a_kept_one(&[2, 3, 9, 5], &[0, 2], Position::Several, 9, 5, 3)]
#[case::side_by_side(&[2, 3, 3], &[1, 2], Position::Inner, 9, 1, 2)]
#[case::kept_ones(&[1, 9, 1], &[1], Position::All, 9, 1, 1)]
#[case::reduced_ones(&[1, 3, 9], &[0, 2], Position::Inner, 9, 1, 3)]
#[case::nothing_but_ones(&[1, 3, 1], &[0, 2], Position::Inner, 1, 1, 3)]
fn a_layout_leaves_dims_of_one_aside(
    #[case] shape: &[usize],
    #[case] axes: &[usize],
    #[case] position: Position,
    #[case] run: usize,
    #[case] inner: usize,
    #[case] rows: usize,
) {
    assert_eq!(Placement::of(shape, axes), Some(Placement { position, run, inner, rows }));
}

#[test]
fn what_is_empty_or_reduces_nothing_has_no_layout() {
    assert_eq!((Placement::of(&[2, 0], &[0]), Placement::of(&[2, 3], &[])), (None, None));
}

fn call(norm: Norm, dtype: Dtype, shape: &[usize], axes: &[i64], values: &[u64]) -> Call {
    let data = Tensor::from_bits(dtype, shape, values).unwrap();
    let operator = Operator::OpenVino { norm, keep_dims: None };
    Call::new(operator, data, Axes::list(axes))
}

#[test]
fn a_kernel_is_what_a_call_runs_through() {
    let call = call(Norm::L2, Dtype::U8, &[2, 9, 7], &[-2], &[1; 126]);
    let kernel = Kernel::of(&call).unwrap();
    assert_eq!((kernel.spec, kernel.dtype, kernel.keep), (Spec::OpenVino(Norm::L2), Dtype::U8, Keep::Unsaid));
    assert_eq!(kernel.placement, Placement { position: Position::Middle, run: 9, inner: 7, rows: 2 });
    assert_eq!((Size::of(9), Inner::of(7)), (Size::Vector, Inner::OneShort));
    assert_eq!((Columns::of(7), Rows::of(2)), (Columns::Few, Rows::Few));
    assert_eq!(Kernel::of(&Call { axes: Axes::list(&[3]), ..call.clone() }), None, "it is refused");
    assert_eq!(Kernel::of(&Call { axes: Axes::list(&[]), ..call }), None, "it is open");
}

/// Both rows of a call hold the named special.
#[rstest]
#[case::zeros(Dtype::F32, &[0, 1 << 31], Special::Zeros)]
#[case::nan_beside_zeros(Dtype::F32, &[0, 0x7fc0_0000], Special::NanBesideZeros)]
#[case::nan(Dtype::F32, &[0x3f80_0000, 0x7fc0_0000], Special::Nan)]
#[case::nan_and_infinity(Dtype::F32, &[0xff80_0000, 0x7fc0_0000], Special::NanAndInfinity)]
#[case::infinity(Dtype::F16, &[0x7c00, 0x3c00], Special::Infinity)]
#[case::smallest(Dtype::F64, &[0, 1], Special::Smallest)]
#[case::two_smallest(Dtype::F64, &[1, 1], Special::SmallestPair)]
#[case::subnormals(Dtype::Bf16, &[0x7f, 3], Special::Subnormals)]
#[case::seams(Dtype::F32, &[0x3f80_0000, 0x5980_0000], Special::Seams)]
#[case::greatest(Dtype::F16, &[0x7bff, 0], Special::Greatest)]
#[case::halves_of_the_greatest(Dtype::F16, &[0x77ff, 0xf7ff], Special::JustInRange)]
#[case::just_beyond(Dtype::I16, &[32_767, 300], Special::JustBeyond)]
#[case::least(Dtype::I8, &[0x80, 1], Special::Least)]
#[case::extremes(Dtype::I8, &[0x80, 0x7f], Special::Extremes)]
fn special_values_are_seen_in_rows(#[case] dtype: Dtype, #[case] row: &[u64], #[case] holds: Special) {
    let call = call(Norm::L1, dtype, &[1, 2], &[1], row);
    assert_eq!(special::of(&call).into_iter().collect::<Vec<_>>(), [holds]);
    assert!(holds.is_possible(dtype, Norm::L1, 2));
}

#[rstest]
#[case::each_counts(&[3, 5, 2, 4], true)]
#[case::the_last_is_zero(&[3, 5, 2, 0], false)]
#[case::the_first_is_zero(&[0, 5, 2, 4], false)]
#[case::rows_are_alike(&[3, 5, 3, 5], false)]
fn data_tell_where_each_wrong_kernel_is_refused(#[case] values: &[u64], #[case] tell: bool) {
    // In a single row, a zero at an end hides errors there; two rows show each other's place.
    let shape = if values.contains(&0) { [1, 4] } else { [2, 2] };
    assert_eq!(tells(&call(Norm::L1, Dtype::U8, &shape, &[1], values)).unwrap(), tell);
}

#[test]
fn an_element_below_what_a_root_is_rounded_by_tells_nothing() {
    assert!(!tells(&call(Norm::L2, Dtype::U8, &[3], &[0], &[1, 0, 90])).unwrap());
    assert!(tells(&call(Norm::L2, Dtype::U8, &[3], &[0], &[40, 0, 90])).unwrap());
}
