//! Right implementations that combine several readings, or sum in a special way under one of them.

use normative_conformance::reference::{Dtype, FloatFormat, Norm, Operator, Question as Q, Reading as R};

use super::{NAIVE, NONE, Way, by_the_greatest, no_wider, way};
use crate::orders::{
    blocks, blocks_joined_in_f64, double_double, fused, hypot_chain, hypot_tree, lanes, neumaier, pairwise,
    reversed, shuffled,
};
use normative_rules::floats::{held, power_below_the_greatest, terms};
use normative_rules::form::{admit, axes_tensor};
use normative_rules::plan::{Plan, Readings, StepResult};
use normative_rules::steps::{Steps, norm};

const CUT: &[(Q, R)] = &[(Q::FloatRange, R::Naive), (Q::ResultRounding, R::TowardZero)];
const SQUARES_IN_TYPE: &[(Q, R)] = &[(Q::FloatRange, R::Naive), (Q::HalfAccumulation, R::SquaresInType)];
const BY_OPERATOR: &[(Q, R)] = &[(Q::FloatRange, R::Naive), (Q::HalfAccumulation, R::ByOperator)];
const RESCUED: &[(Q, R)] = &[(Q::FloatRange, R::Rescued)];
const SCALED_IN_TYPE: &[(Q, R)] = &[(Q::HalfAccumulation, R::InType)];
const RESCUED_IN_TYPE: &[(Q, R)] = &[(Q::FloatRange, R::Rescued), (Q::HalfAccumulation, R::InType)];
const FLUSHED: &[(Q, R)] = &[(Q::FloatRange, R::Naive), (Q::Subnormals, R::Flushed)];
const RESULTS_FLUSHED: &[(Q, R)] = &[(Q::FloatRange, R::Naive), (Q::Subnormals, R::ResultsFlushed)];

/// Refuses every open call.
const REFUSES: &[(Q, R)] = &[
    (Q::EmptyAxesAttribute, R::Reject),
    (Q::EmptyAxesBnns, R::Reject),
    (Q::EmptyAxesBnnsCopy, R::Reject),
    (Q::DuplicateAxes, R::Reject),
    (Q::DuplicateAxesMixedSign, R::Reject),
    (Q::AxisOnRankZero, R::Reject),
    (Q::AxisRangeOpset1, R::Reject),
    (Q::AxesTensorScalar, R::Reject),
    (Q::AxesTensor2d, R::Reject),
    (Q::RankZeroOpset11, R::Reject),
    (Q::EmptySetOpset11, R::Reject),
    (Q::SampleTypesBnns, R::Reject),
    (Q::RanksBnns, R::Reject),
    (Q::EmptyData, R::Reject),
    (Q::EmptySet, R::Reject),
    (Q::BooleanKeepdims, R::Reject),
    (Q::BooleanNoop, R::Reject),
];
const EACH: &[(Q, R)] = &[
    (Q::EmptyAxesIdentity, R::NormOfEachElement),
    (Q::NoopAbsentAxes, R::NormOfEachElement),
    (Q::NoopNullAxes, R::NormOfEachElement),
    (Q::NoopEmptyAxes, R::NormOfEachElement),
];
/// The body of ReduceL2-18, which ignores the attribute and casts the sum.
const BODY: &[(Q, R)] = &[
    (Q::NoopAbsentAxes, R::ReduceAll),
    (Q::NoopNullAxes, R::ReduceAll),
    (Q::NoopEmptyAxes, R::ReduceAll),
    (Q::FloatRange, R::Naive),
    (Q::F64Precision, R::Single),
    (Q::IntegerL2Precision, R::Single),
];

/// Returns a row without the types that OpenVINO leaves to the implementation.
const fn fewer_types(name: &'static str, does: &'static str, edit: fn(&mut Steps)) -> Way {
    Way { supports_fewer_types: true, ..way(name, does, NONE, edit) }
}

#[rustfmt::skip]
pub(super) const WAYS: &[Way] = &[
    way("refuses-what-is-open", "refuses whatever a text leaves open", REFUSES, |_| {}),
    way("takes-what-is-open", "takes an attribute it does not know and BNNS axes from the end", &[(Q::UnknownAttribute, R::Ignore), (Q::NegativeAxesBnns, R::FromTheEnd)], |_| {}),
    way("validates-attributes", "refuses attributes that are neither 0 nor 1, whatever the axes", &[(Q::BooleanKeepdims, R::Reject), (Q::BooleanNoop, R::Reject)], |_| {}),
    way("attributes-true-at-1-only", "takes attributes other than 1 for false", &[(Q::BooleanKeepdims, R::Only1IsTrue), (Q::BooleanNoop, R::Only1IsTrue)], |_| {}),
    way("one-attribute-each-way", "takes keepdims 2 for true and refuses noop 2", &[(Q::BooleanNoop, R::Reject), (Q::NoopEmptyAxes, R::ReduceAll)], |_| {}),
    way("no-op-of-each-element", "takes the norm of each element wherever no axis is named", EACH, |_| {}),
    way("no-op-by-its-spelling", "returns the data without an axes input, the norms for a null one, and reduces all for an empty one", &[(Q::NoopNullAxes, R::NormOfEachElement), (Q::NoopEmptyAxes, R::ReduceAll)], |_| {}),
    way("function-body", "expands ReduceL2-18 by its body, letter for letter", BODY, |_| {}),
    way("function-body-in-lanes", "expands ReduceL2-18 by its body, sums kept in eight lanes", BODY, |s| s.floats.sum = lanes::<8>),
    way("lists-only", "refuses axes of rank 0 and 2, and empty ones before opset 18", &[(Q::AxesTensorScalar, R::Reject), (Q::AxesTensor2d, R::Reject), (Q::EmptyAxesAttribute, R::Reject)], |_| {}),
    way("bnns-as-its-examples", "takes from BNNS's callers what the examples show", &[(Q::SampleTypesBnns, R::Reject), (Q::RanksBnns, R::Reject), (Q::EmptyAxesBnns, R::Reject), (Q::EmptyAxesBnnsCopy, R::Reject), (Q::EmptyData, R::Reject), (Q::EmptySet, R::Reject)], |_| {}),

    fewer_types("openvino-without-bytes", "supports no i8 and no u8 data in OpenVINO's operators", |s| s.admit = |call, readings| match (&call.operator, call.data.dtype()) {
        (Operator::OpenVino { .. }, Dtype::I8 | Dtype::U8) => Err("bytes are not supported".into()),
        _ => admit(call, readings),
    }),
    fewer_types("openvino-without-u16-axes", "supports no u16 axes in OpenVINO's operators", |s| s.axes_tensor = |call, given, readings| match given.dtype {
        Dtype::U16 if matches!(call.operator, Operator::OpenVino { .. }) => Err("u16 axes are not supported".into()),
        _ => axes_tensor(call, given, readings),
    }),
    fewer_types("openvino-with-signed-axes-only", "supports only signed axes in OpenVINO's operators", |s| s.axes_tensor = |call, given, readings| match given.dtype {
        Dtype::U8 | Dtype::U16 | Dtype::U32 | Dtype::U64 if matches!(call.operator, Operator::OpenVino { .. }) => Err("unsigned axes are not supported".into()),
        _ => axes_tensor(call, given, readings),
    }),
    fewer_types("openvino-with-i64-axes-only", "supports only i64 axes in OpenVINO's operators", |s| s.axes_tensor = |call, given, readings| {
        if matches!(call.operator, Operator::OpenVino { .. }) && given.dtype != Dtype::I64 { Err("only i64 axes are supported".into()) } else { axes_tensor(call, given, readings) }
    }),

    way("integers-saturate", "stops at the greatest integer everywhere", &[(Q::IntegerOverflow, R::Saturate), (Q::IntegerL2Intermediate, R::Saturates)], |_| {}),
    way("integers-wrap", "wraps squares too", &[(Q::IntegerL2Intermediate, R::Wraps)], |_| {}),
    way("integers-as-one-c-source-on-x86", "wraps sums of squares, takes their roots in f64 and converts what comes of that", &[(Q::IntegerOverflow, R::Indefinite), (Q::IntegerL2Intermediate, R::Wraps), (Q::IntegerL2Negative, R::Indefinite), (Q::IntegerL2Precision, R::Double)], |_| {}),
    way("integers-as-numpy", "squares in the type, sums in 64 bits and takes roots in f64", &[(Q::IntegerL2Intermediate, R::SquaresWrap), (Q::IntegerL2Negative, R::Indefinite), (Q::IntegerL2Precision, R::Double)], |_| {}),
    way("integers-wrap-unsigned", "wraps sums of squares in an unsigned type, and takes roots in f32", &[(Q::IntegerL2Intermediate, R::Wraps), (Q::IntegerL2Negative, R::Unsigned), (Q::IntegerL2Precision, R::Single)], |_| {}),
    way("integers-stop-in-a-wider-type", "stops sums of squares in twice the width", &[(Q::IntegerL2Wider, R::Saturates)], |_| {}),
    way("integers-saturate-and-round", "saturates and rounds roots to nearest", &[(Q::IntegerOverflow, R::Saturate), (Q::IntegerL2Rounding, R::Nearest)], |_| {}),
    way("integers-refused-beyond-the-type", "refuses results beyond the type and rounds roots to nearest", &[(Q::IntegerOverflow, R::Reject), (Q::IntegerL2Rounding, R::Nearest)], |_| {}),
    way("integer-roots-in-f64", "takes integer roots in f64, and saturates", &[(Q::IntegerOverflow, R::Saturate), (Q::IntegerL2Precision, R::Double)], |_| {}),

    way("cut-from-f32", "sums in f32 and cuts 16-bit results", CUT, |_| {}),
    way("cut-from-lanes", "keeps eight sums in f32 and cuts 16-bit results", CUT, |s| s.floats.sum = lanes::<8>),
    way("squares-in-type-in-lanes", "squares 16-bit floats in their type and keeps four sums in f32", SQUARES_IN_TYPE, |s| s.floats.sum = lanes::<4>),
    way("squares-in-type-pairwise", "squares 16-bit floats in their type and sums halves of halves", SQUARES_IN_TYPE, |s| s.floats.sum = pairwise),
    way("by-operator-in-lanes", "rounds to 16 bits after each operator, sums in eight lanes", BY_OPERATOR, |s| s.floats.sum = lanes::<8>),
    way("by-operator-blocked", "rounds to 16 bits after each operator, sums in blocks of 128", BY_OPERATOR, |s| s.floats.sum = blocks::<128>),
    way("rescued-in-lanes", "sums in eight lanes and computes again after an overflow", RESCUED, |s| s.floats.sum = lanes::<8>),
    way("generic-norm", "squares naively unless the greatest square overflows or vanishes, and divides by the greatest element where it does", RESCUED, |s| s.floats.scale = by_the_greatest_if_its_square_leaves),
    way("rescued-from-zero-in-some-rows", "computes rows again that overflow, and those that vanish where the first element is positive", RESCUED, |s| s.floats.scale = |x, width, readings| {
        let again = readings.has(Q::FloatRange, R::Scaled) || x.first().is_some_and(|x| *x > 0.0);
        if again { by_the_greatest_if_its_square_leaves(x, width, readings) } else { 1.0 }
    }),
    way("halves-scaled-in-type", "scales 16-bit floats by a power of two, and rounds every step to their type", SCALED_IN_TYPE, |_| {}),
    way("halves-scaled-in-type-by-the-greatest", "divides 16-bit floats by the greatest, and rounds every step to their type", SCALED_IN_TYPE, |s| s.floats.scale = by_the_greatest),
    way("halves-chain-of-hypot", "combines 16-bit floats by hypot, rounded to their type at each step", SCALED_IN_TYPE, |s| s.norm = hypots::<false>),
    way("halves-tree-of-hypot", "combines halves of halves of 16-bit floats by hypot, rounded to their type", SCALED_IN_TYPE, |s| s.norm = hypots::<true>),
    way("halves-rescued-in-type", "sums 16-bit floats in their type, and computes again what overflows", RESCUED_IN_TYPE, |_| {}),
    way("halves-generic-norm-in-type", "squares 16-bit floats in their type unless the greatest square overflows or vanishes", RESCUED_IN_TYPE, |s| s.floats.scale = by_the_greatest_if_its_square_leaves),
    way("flushed-in-lanes", "flushes subnormals to zero in eight lanes of f32", FLUSHED, |s| s.floats.sum = lanes::<8>),
    way("results-flushed-in-lanes", "flushes results only, in eight lanes of f32", RESULTS_FLUSHED, |s| s.floats.sum = lanes::<8>),

    way("chain-of-hypot", "combines elements by hypot, one after the other", NONE, |s| s.norm = hypots::<false>),
    way("tree-of-hypot", "combines halves of halves by hypot", NONE, |s| s.norm = hypots::<true>),
    way("f32-chain-of-hypot", "combines elements by hypot in f32", NONE, |s| { s.floats.width = no_wider; s.norm = hypots::<false>; }),
    way("f32-tree-of-hypot", "combines halves of halves by hypot in f32", NONE, |s| { s.floats.width = no_wider; s.norm = hypots::<true>; }),
    way("double-double", "sums in twice the precision of f64", NONE, |s| {
        s.floats.sum = |x, _| double_double(x);
        s.floats.terms = |norm, x| match norm {
            Norm::L1 | Norm::Sum => terms(norm, x),
            // Each square and its rounding error.
            Norm::L2 | Norm::SumSquare => x.iter().flat_map(|&x| [x * x, if (x * x).is_finite() { x.mul_add(x, -(x * x)) } else { 0.0 }]).collect(),
        };
    }),
    way("neumaier", "takes along what an addition rounds off of either term (Neumaier)", NONE, |s| s.floats.sum = neumaier),
    way("f32-neumaier", "takes along in f32 what an addition rounds off of either term", NAIVE, |s| s.floats.sum = neumaier),
    way("fused", "squares and adds in one rounding", NONE, |s| s.norm = fused_norm),
    way("f32-fused", "squares and adds in one rounding to f32", NAIVE, |s| s.norm = fused_norm),
    way("shuffled", "sums in an order that is as good as drawn", NONE, |s| s.floats.sum = shuffled),
    way("f32-shuffled", "sums in f32 in an order that is as good as drawn", NAIVE, |s| s.floats.sum = shuffled),
    way("f32-two-lanes", "keeps two sums in f32", NAIVE, |s| s.floats.sum = lanes::<2>),
    way("f32-32-lanes", "keeps 32 sums in f32", NAIVE, |s| s.floats.sum = lanes::<32>),
    way("f32-small-blocks", "sums blocks of eight in f32", NAIVE, |s| s.floats.sum = blocks::<8>),
    way("f32-blocks-joined-in-f64", "sums blocks of 64 in f32, and their sums in f64", NAIVE, |s| s.floats.sum = blocks_joined_in_f64),
    way("in-type-shuffled", "sums 16-bit floats in their own type, in an order that is as good as drawn", super::IN_TYPE, |s| s.floats.sum = shuffled),
    way("f64-scaled-reversed", "scales f64 by a power of two, from the last to the first", NONE, |s| { s.floats.sum = reversed; s.floats.scale = |x, _, _| power_below_the_greatest(x); }),
];

/// Returns the greatest element if its square times the number of terms overflows, or the square vanishes; else 1.
fn by_the_greatest_if_its_square_leaves(x: &[f64], width: FloatFormat, readings: &Readings) -> f64 {
    let greatest = by_the_greatest(x, width, readings);
    // BLAS demands results in range.
    if readings.has(Q::FloatRange, R::Scaled) {
        return power_below_the_greatest(x);
    }
    let all = held(held(x.len() as f64 * greatest, width) * greatest, width);
    if all.is_infinite() || held(greatest * greatest, width) == 0.0 { greatest } else { 1.0 }
}

/// Computes L2 by hypot in the format of sums; other norms as usual.
fn hypots<const TREE: bool>(steps: &Steps, plan: &Plan, x: &[u64]) -> StepResult<u64> {
    if plan.norm != Norm::L2 || plan.dtype.is_integer() {
        return norm(steps, plan, x);
    }
    let mut with = steps.clone();
    with.floats.scale = |_, _, _| 1.0;
    with.floats.terms = |_, x| x.iter().map(|x| x.abs()).collect();
    with.floats.sum = if TREE { hypot_tree } else { hypot_chain };
    with.floats.root = |x| x;
    norm(&with, plan, x)
}

/// Adds squares by fused multiplications and additions; elements and magnitudes as usual.
fn fused_norm(steps: &Steps, plan: &Plan, x: &[u64]) -> StepResult<u64> {
    if plan.norm.order() == 1 || plan.dtype.is_integer() {
        return norm(steps, plan, x);
    }
    let mut with = steps.clone();
    with.floats.terms = |_, x| x.to_vec();
    with.floats.sum = fused;
    norm(&with, plan, x)
}
