//! The covering design: cases and the first generated calls meet every pair and nearly every triple of what kernels
//! differ in, and data count only where they tell.

use std::path::Path;

use normative_conformance::corpus;
use normative_conformance::generate::covering::design::Coverage;
use normative_conformance::generate::covering::{Inner, Kernel, Layout, Position, Size, tells};
use normative_conformance::reference::{Axes, Call, Dtype, Norm, Operator, Spec, Tensor};
use normative_conformance::run::property::{Id, row};
use rstest::rstest;

/// How many generated calls have to cover the design.
const CALLS: usize = 6000;

fn assert_enough(coverage: &Coverage) {
    let (pairs, triples) = (coverage.pairs(), coverage.triples());
    assert!(pairs.possible > 800 && triples.possible > 3000, "the design has shrunk: {pairs}, {triples}");
    assert!(coverage.is_enough(), "pairs {pairs}, triples {triples}: {:#?}", coverage.missing());
}

#[test]
fn cases_cover_the_design_of_kernels() {
    let corpus = corpus::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases")).unwrap();
    assert_enough(&Coverage::of(corpus.cases.iter().map(|case| &case.call)).unwrap());
}

#[rstest]
#[case::of_the_default_seed(1)]
#[case::of_another_seed(20)]
fn the_first_generated_calls_cover_the_design(#[case] seed: u64) {
    let calls: Vec<Call> = row(seed, &Spec::ALL).take(CALLS).map(Id::call).collect();
    assert_enough(&Coverage::of(&calls).unwrap());
}

#[test]
fn without_calls_nothing_is_covered_and_each_pair_is_missing_by_name() {
    let coverage = Coverage::of([]).unwrap();
    assert!(!coverage.is_enough() && coverage.pairs().met == 0);
    let missing = coverage.missing();
    assert_eq!(missing.len(), coverage.pairs().possible + coverage.triples().possible);
    for name in ["L2, u16", "position Middle, inner dim Whole", "L1, i8, length 7 mod 8"] {
        assert!(missing.iter().any(|other| other == name), "{name}");
    }
    for name in ["i8, onnx/ReduceL1-18", "position Inner, inner dim Other", "length 0 mod 8, length Short"] {
        assert!(!missing.iter().any(|other| other == name), "{name}");
    }
}

#[rstest]
#[case::all(&[9], &[0], Position::All, 9, 1)]
#[case::all_of_two_dims(&[2, 9], &[0, 1], Position::All, 18, 1)]
#[case::inner(&[2, 9], &[1], Position::Inner, 9, 1)]
#[case::outer(&[9, 2], &[0], Position::Outer, 9, 2)]
#[case::middle(&[2, 9, 5], &[1], Position::Middle, 9, 5)]
#[case::several(&[2, 3, 9], &[0, 2], Position::Several, 9, 1)]
#[case::several_before_a_kept_one(&[2, 3, 9, 5], &[0, 2], Position::Several, 9, 5)]
#[case::side_by_side(&[2, 3, 3], &[1, 2], Position::Inner, 9, 1)]
#[case::kept_ones(&[1, 9, 1], &[1], Position::All, 9, 1)]
#[case::reduced_ones(&[1, 3, 9], &[0, 2], Position::Inner, 9, 1)]
#[case::nothing_but_ones(&[1, 3, 1], &[0, 2], Position::Inner, 1, 1)]
fn a_layout_leaves_dims_of_one_aside(
    #[case] shape: &[usize],
    #[case] axes: &[usize],
    #[case] position: Position,
    #[case] run: usize,
    #[case] inner: usize,
) {
    assert_eq!(Layout::of(shape, axes), Some(Layout { position, run, inner }));
}

#[test]
fn what_is_empty_or_reduces_nothing_has_no_layout() {
    assert_eq!((Layout::of(&[2, 0], &[0]), Layout::of(&[2, 3], &[])), (None, None));
}

fn call(norm: Norm, dtype: Dtype, shape: &[usize], axes: &[i64], values: &[u64]) -> Call {
    let data = Tensor::from_bits(dtype, shape, values).unwrap();
    let operator = Operator::OpenVino { norm, keep_dims: None };
    Call { operator, data, axes: Axes::list(axes) }
}

#[test]
fn a_kernel_is_what_a_call_runs_through() {
    let call = call(Norm::L2, Dtype::U8, &[2, 9, 7], &[-2], &[1; 126]);
    let kernel = Kernel::of(&call).unwrap();
    assert_eq!((kernel.spec, kernel.dtype), (Spec::OpenVino(Norm::L2), Dtype::U8));
    assert_eq!((kernel.position, kernel.residue), (Position::Middle, 1));
    assert_eq!((kernel.size, kernel.inner), (Size::Vector, Inner::OneShort));
    assert!(kernel.is_possible());
    assert_eq!(Kernel::of(&Call { axes: Axes::list(&[3]), ..call.clone() }), None, "it is refused");
    assert_eq!(Kernel::of(&Call { axes: Axes::list(&[]), ..call }), None, "it is open");
}

#[test]
fn every_generated_kernel_is_possible() {
    for id in row(3, &Spec::ALL).take(CALLS) {
        if let Some(kernel) = Kernel::of(&id.call()) {
            assert!(kernel.is_possible(), "{id}: {kernel}");
        }
    }
}

#[rstest]
#[case::each_counts(&[3, 5, 2, 4], true)]
#[case::the_last_is_zero(&[3, 5, 2, 0], false)]
#[case::the_first_is_zero(&[0, 5, 2, 4], false)]
#[case::rows_are_alike(&[3, 5, 3, 5], false)]
fn data_tell_where_each_wrong_kernel_is_refused(#[case] values: &[u64], #[case] tell: bool) {
    // A zero at an end shows nothing of a single row; two rows show each other's place.
    let shape = if values.contains(&0) { [1, 4] } else { [2, 2] };
    assert_eq!(tells(&call(Norm::L1, Dtype::U8, &shape, &[1], values)).unwrap(), tell);
}

#[test]
fn an_element_below_what_a_root_is_rounded_by_tells_nothing() {
    assert!(!tells(&call(Norm::L2, Dtype::U8, &[3], &[0], &[1, 0, 90])).unwrap());
    assert!(tells(&call(Norm::L2, Dtype::U8, &[3], &[0], &[40, 0, 90])).unwrap());
}
