//! Tests that the generator has no blind spot: everything listed here occurs, for every spec, among the calls
//! of one seed. Missing features are named.
//!
//! These tests do not use the generator's code; they look at its calls.

use std::collections::BTreeSet;

use normative_conformance::generate::Profile;
use normative_conformance::reference::spec::{AxesForm, AxisRange};
use normative_conformance::reference::textbook::to_f64;
use normative_conformance::reference::{
    Axes, AxesTensor, Call, Dtype, Family, FloatFormat, Kind, Norm, Operator, Opset, Outcome, Question, Spec,
    rule,
};
use normative_conformance::run::property::row;

/// The most calls of each spec. One in six is drawn for its form and its elements, and is valid; the rarest
/// feature occurs three times among them.
const CALLS: usize = 24_000;

/// Returns the required features of a spec that do not occur.
fn missing(spec: Spec, wanted: BTreeSet<String>) -> BTreeSet<String> {
    let mut missing = wanted;
    for id in row(11, &[spec]).take(CALLS) {
        if missing.is_empty() {
            break;
        }
        let call = id.call();
        // Inspecting each element of longer data takes longer than making them.
        if call.data.len() < 5000 {
            for feature in features(&call, id.profile()) {
                missing.remove(&feature);
            }
        }
    }
    missing
}

#[test]
#[ignore = "weekly: it draws calls until the rarest part of one occurs"]
fn everything_a_call_can_have_occurs() {
    let mut never = Vec::new();
    for spec in Spec::ALL {
        let wanted = wanted(spec);
        assert!(wanted.len() > 60, "{spec}: {}", wanted.len());
        never.extend(missing(spec, wanted).into_iter().map(|feature| format!("{spec}: {feature}")));
    }
    assert!(never.is_empty(), "never generated:\n{}", never.join("\n"));
}

#[test]
fn every_length_around_vector_widths_is_reduced() {
    let mut lengths = BTreeSet::new();
    for id in row(11, &Spec::ALL).filter(|id| id.profile() == Profile::Valid).take(40_000) {
        let call = id.call();
        if let Outcome::Reduce(reduction, _) = &rule(&call).alternatives[0].outcome {
            lengths.insert(reduction.terms(call.data.shape()));
        }
    }
    let missing: Vec<usize> = (0..=130).filter(|length| !lengths.contains(length)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(lengths.iter().any(|&length| length > 2049), "sums of ones in f16 stagnate at 2048");
}

#[test]
fn every_question_is_raised_and_every_clause_broken_that_a_call_can_break() {
    let (mut questions, mut clauses) = (BTreeSet::new(), BTreeSet::new());
    for id in row(11, &Spec::ALL).take(60_000) {
        let ruling = rule(&id.call());
        questions.extend(ruling.questions());
        if let [alternative] = ruling.alternatives.as_slice()
            && let Outcome::Rejected(clause) = &alternative.outcome
        {
            let family = clause.spec.name().split_once('/').unwrap().0;
            clauses.insert(format!("{family}#{}", clause.name));
        }
    }
    let missing: Vec<_> =
        Question::ALL.into_iter().filter(|question| !questions.contains(question)).collect();
    // No generated call has axes in the form of another opset; the cases cover those.
    assert_eq!(missing, [Question::UnknownInput]);
    let breakable = [
        "bnns#axes-list",
        "bnns#axes-types",
        "bnns#output-shape",
        "onnx#axes-attribute",
        "onnx#axes-list",
        "onnx#axes-range",
        "onnx#axes-types",
        "onnx#types",
        "openvino#axes-range",
        "openvino#axes-required",
        "openvino#axes-types",
        "webnn#axes-list",
        "webnn#axes-range",
        "webnn#axes-unique",
        "webnn#types",
        "webnn#zero-sized-dims",
    ];
    assert_eq!(clauses.iter().map(String::as_str).collect::<Vec<_>>(), breakable);
}

/// Returns the features of a call, in the terms of [`wanted`].
fn features(call: &Call, profile: Profile) -> Vec<String> {
    let (shape, dtype) = (call.data.shape(), call.data.dtype());
    let mut features = vec![
        format!("profile {profile:?}"),
        format!("rank {}", shape.len()),
        format!("data {dtype}"),
        attributes(&call.operator),
    ];
    for &dim in shape {
        features.push(match dim {
            0 | 1 => format!("dim {dim}"),
            2..=64 => "dim small".into(),
            _ => "dim large".into(),
        });
    }
    features.extend(axes(call));
    if let [rows, columns] = *shape
        && rows == columns
        && rows >= 16
    {
        features.push("square".into());
    }
    if let Kind::Float(format) = dtype.kind() {
        let known = [format.nan(), format.nan() + 1, format.sign() - 1];
        let payload = |bits: &u64| {
            bits & (format.sign() - 1) > format.infinity() && !known.contains(&(bits & (format.sign() - 1)))
        };
        features.extend(call.data.bits().iter().any(payload).then(|| "payload of NaN".into()));
    }
    features.extend(
        (call.operator.reach() > 0 && call.operator.reach() < call.data.len() as u64)
            .then(|| "beyond the vector".into()),
    );
    features.extend(biased(call).then(|| "biased data".into()));
    let specials = specials(dtype);
    for bits in call.data.bits() {
        features.extend(
            specials
                .iter()
                .filter(|(_, special)| *special == bits)
                .map(|(name, _)| format!("{dtype} {name}")),
        );
    }
    for alternative in rule(call).alternatives {
        if let Outcome::Reduce(reduction, _) = alternative.outcome
            && let Some(&last) = reduction.axes.last()
        {
            let long = reduction.axes.iter().find(|&&axis| shape[axis] > 256);
            features.extend(
                long.map(|&axis| format!("long {}", if axis + 1 == shape.len() { "inner" } else { "outer" })),
            );
            features
                .push(format!("fastest axis {}", if last + 1 == shape.len() { "reduced" } else { "kept" }));
        }
    }
    features.sort_unstable();
    features.dedup();
    features
}

/// Returns true if the elements have one sign, and are near each other and far from zero.
fn biased(call: &Call) -> bool {
    let magnitudes: Vec<f64> = call.data.bits().iter().map(|&bits| to_f64(call.data.dtype(), bits)).collect();
    let (least, most) =
        magnitudes.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &x| (low.min(x), high.max(x)));
    magnitudes.len() > 4 && least > 0.0 && most > least && most.is_finite() && most < 1.02 * least
}

fn attributes(operator: &Operator) -> String {
    let integer = |value: &Option<i64>| match value {
        None => "absent".to_owned(),
        Some(value @ (0 | 1)) => value.to_string(),
        Some(_) => "odd".to_owned(),
    };
    match operator {
        Operator::OpenVino { keep_dims, .. } => format!("keep_dims {keep_dims:?}"),
        Operator::Onnx { keepdims, noop_with_empty_axes, .. } => {
            format!("keepdims {} noop {}", integer(keepdims), integer(noop_with_empty_axes))
        }
        Operator::Bnns { output_shape } => format!("output rank {}", output_shape.len().min(3)),
        Operator::ArrayApi { ord, keepdims } => format!("ord {ord:?} keepdims {keepdims:?}"),
        Operator::WebNn { keep_dimensions, .. } => format!("keepDimensions {keep_dimensions:?}"),
        Operator::Blas { n, incx, .. } => format!("n {} incx {}", n.signum(), (*incx).clamp(-2, 2)),
    }
}

fn axes(call: &Call) -> Vec<String> {
    let rank = call.data.rank() as i128;
    let AxesTensor { dtype, shape, values } = match &call.axes {
        Axes::Absent => return vec!["axes absent".into()],
        Axes::Null => return vec!["axes null".into()],
        Axes::OtherForm(_) => return vec!["axes in the form of another opset".into()],
        Axes::Given(axes) => axes,
    };
    let form = match (shape.len(), values.len()) {
        (0, _) => "axes scalar".to_owned(),
        (1, 0) => "axes empty".to_owned(),
        (1, _) => "axes list".to_owned(),
        (rank, _) => format!("axes rank {rank}"),
    };
    let mut features = vec![form, format!("axes {dtype}")];
    let is = |wanted: i128| values.contains(&wanted);
    features.extend(is(i32::MAX.into()).then(|| "axis INT_MAX".into()));
    features.extend(is((u32::MAX - 1).into()).then(|| "axis 2^32 - 2".into()));
    features.extend(
        (rank == 0 && values.iter().any(|axis| !(-1..=0).contains(axis)))
            .then(|| "far axis of a scalar".into()),
    );
    features.extend((values.is_empty() && !dtype.is_integer()).then(|| "empty list of floats".into()));
    features.extend((values.is_empty() && shape.len() == 2).then(|| "empty list of two dims".into()));
    features.extend(values.iter().any(|&axis| axis >= rank).then(|| "axis beyond".into()));
    features.extend(values.iter().any(|&axis| axis < -rank).then(|| "axis before".into()));
    features
        .extend(values.iter().any(|&axis| axis.unsigned_abs() > 1 << 31).then(|| "axis beyond i32".into()));
    features.extend(values.iter().any(|&axis| (-rank..0).contains(&axis)).then(|| "axis negative".into()));
    let resolved: Vec<i128> = values.iter().map(|axis| axis.rem_euclid(rank.max(1))).collect();
    let distinct: BTreeSet<&i128> = resolved.iter().collect();
    let spellings: BTreeSet<&i128> = values.iter().collect();
    features.extend((spellings.len() < values.len()).then(|| "axis repeated".into()));
    features.extend((distinct.len() < spellings.len()).then(|| "axis from both ends".into()));
    let in_range = values.iter().all(|axis| (-rank..rank).contains(axis));
    if in_range && distinct.len() == values.len() && (1..=3).contains(&values.len()) {
        let order: Vec<usize> =
            resolved.iter().map(|axis| resolved.iter().filter(|other| *other < axis).count()).collect();
        features.push(format!("order {order:?}"));
        let signs: String = values.iter().map(|&axis| if axis < 0 { '-' } else { '+' }).collect();
        features.push(format!("signs {signs}"));
    }
    features
}

/// Returns the required bits, by name.
fn specials(dtype: Dtype) -> Vec<(&'static str, u64)> {
    match dtype.kind() {
        Kind::Float(format) => float_specials(format),
        Kind::Integer(range) => {
            let root = range.max.isqrt();
            let mut specials = vec![
                ("0", 0),
                ("1", 1),
                ("max", range.max),
                ("max - 1", range.max - 1),
                ("half of max", range.max / 2),
                ("greatest root", root),
                ("beyond the greatest root", root + 1),
            ];
            if range.is_signed() {
                specials.extend([
                    ("-1", -1),
                    ("min", range.min),
                    ("min + 1", range.min + 1),
                    ("-root", -root),
                ]);
            }
            specials.into_iter().map(|(name, value)| (name, range.encode(value))).collect()
        }
    }
}

fn float_specials(format: FloatFormat) -> Vec<(&'static str, u64)> {
    let power = |exponent: i32| ((exponent - format.min_exponent + 1) as u64) << (format.precision - 1);
    let positive = [
        ("0", 0),
        ("1", power(0)),
        ("beside 1", power(0) + 1),
        ("max", format.infinity() - 1),
        ("smallest normal", power(format.min_exponent)),
        ("greatest subnormal", power(format.min_exponent) - 1),
        ("smallest subnormal", 1),
        ("inf", format.infinity()),
        ("least with a square beyond", power((format.max_exponent + 1) / 2)),
        ("greatest with a square in range", power((format.max_exponent + 1) / 2) - 1),
        ("with a square that is the smallest normal", power(format.min_exponent / 2)),
    ];
    let names = [
        "-0",
        "-1",
        "beside -1",
        "-max",
        "- smallest normal",
        "- greatest subnormal",
        "- smallest subnormal",
        "-inf",
        "- least with a square beyond",
        "- greatest with a square in range",
        "- with a square that is the smallest normal",
    ];
    let negative = names.into_iter().zip(positive.map(|(_, bits)| bits | format.sign()));
    let mut specials: Vec<_> = positive.into_iter().chain(negative).collect();
    specials.push(("NaN", format.nan()));
    specials.push(("-NaN", format.nan() | format.sign()));
    specials.push(("NaN with a payload", format.nan() + 1));
    specials
}

/// Returns true if some reading counts axes from the end, so that an axis has two names.
fn has_both_ends(range: AxisRange) -> bool {
    match range {
        AxisRange::Stated | AxisRange::NotStated => true,
        AxisRange::Indices | AxisRange::FromZero => false,
    }
}

/// Returns the required features of BLAS, whose calls have a vector and no axes.
fn wanted_of_vectors(spec: Spec, norm: Norm) -> BTreeSet<String> {
    let mut wanted: Vec<String> = Vec::new();
    let mut add = |features: &[&str]| wanted.extend(features.iter().map(|&feature| feature.to_owned()));
    add(&["dim 0", "dim 1", "dim small", "dim large", "long inner", "profile Valid", "rank 1"]);
    add(&["axes absent", "fastest axis reduced", "payload of NaN", "biased data", "beyond the vector"]);
    add(&["n 0 incx 1", "n 0 incx 2", "n -1 incx 1", "n -1 incx 2", "n 1 incx 1", "n 1 incx 2"]);
    add(&["n 1 incx -2", "n 1 incx -1", "n 1 incx 0"]);
    if norm == Norm::L1 {
        add(&["profile Open"]);
    }
    for &dtype in spec.rules().dtypes {
        add(&[&format!("data {dtype}")]);
        for (name, _) in specials(dtype) {
            add(&[&format!("{dtype} {name}")]);
        }
    }
    wanted.into_iter().collect()
}

/// Returns the required features.
fn wanted(spec: Spec) -> BTreeSet<String> {
    if let Spec::Blas(norm) = spec {
        return wanted_of_vectors(spec, norm);
    }
    let rules = spec.rules();
    let mut wanted: Vec<String> = Vec::new();
    let mut add = |features: &[&str]| wanted.extend(features.iter().map(|&feature| feature.to_owned()));
    add(&["dim 0", "dim 1", "dim small", "dim large", "long inner", "long outer"]);
    add(&["fastest axis reduced", "fastest axis kept", "profile Valid"]);
    if !matches!(spec, Spec::WebNn(_)) {
        add(&["profile Open"]);
    }
    add(&["axes absent", "axes null", "axes empty", "axes scalar", "axes list"]);
    add(&["axis beyond", "axis before", "axis beyond i32", "axis negative", "axis repeated", "axes i64"]);
    // The array API demands nothing for calls that it does not describe.
    let refuses = spec.family() != Family::ArrayApi;
    if refuses {
        add(&["profile Invalid"]);
    }
    // JavaScript has one type of numbers, and a list of one number has a single form.
    let has_types_of_axes = refuses && spec.family() != Family::WebNn;
    if has_types_of_axes {
        add(&["axes rank 2", "axes rank 3", "axes i32"]);
    }
    add(&[
        "order [0]",
        "order [0, 1]",
        "order [1, 0]",
        "order [0, 1, 2]",
        "order [0, 2, 1]",
        "order [1, 0, 2]",
    ]);
    add(&["order [1, 2, 0]", "order [2, 0, 1]", "order [2, 1, 0]", "signs +", "signs ++", "signs +++"]);
    add(&["square", "payload of NaN", "biased data", "rank 7", "rank 8"]);
    if spec != Spec::Bnns {
        add(&["rank 9", "rank 10", "rank 11", "rank 12", "axis INT_MAX"]);
    }
    if matches!(spec, Spec::OpenVino(_) | Spec::Onnx(_, Opset::V11 | Opset::V13 | Opset::V18)) {
        add(&["axis 2^32 - 2", "far axis of a scalar"]);
    }
    if matches!(spec, Spec::OpenVino(_) | Spec::Onnx(_, Opset::V18)) {
        add(&["empty list of floats"]);
    }
    if matches!(spec, Spec::OpenVino(_)) {
        add(&["empty list of two dims"]);
    }
    if rules.axis_range == AxisRange::Stated {
        add(&["signs -", "signs +-", "signs -+", "signs --", "signs ++-", "signs +-+", "signs +--"]);
        add(&["signs -++", "signs -+-", "signs --+", "signs ---"]);
    }
    if has_both_ends(rules.axis_range) {
        add(&["axis from both ends"]);
    }
    if spec != Spec::Bnns {
        add(&["rank 0", "rank 1", "rank 2", "rank 3", "rank 4", "rank 5", "rank 6"]);
    }
    match spec {
        Spec::OpenVino(_) => add(&["keep_dims None", "keep_dims Some(false)", "keep_dims Some(true)"]),
        Spec::Onnx(_, opset) => {
            for keepdims in ["absent", "0", "1", "odd"] {
                // Before opset 18 this attribute makes any call invalid.
                let noops: &[&str] =
                    if opset == Opset::V18 { &["absent", "0", "1", "odd"] } else { &["absent"] };
                for noop in noops {
                    add(&[&format!("keepdims {keepdims} noop {noop}")]);
                }
            }
            add(&["keepdims 0 noop 0", "keepdims 1 noop 1"]);
        }
        Spec::ArrayApi(norm) => {
            add(&["axis 2^32 - 2", "far axis of a scalar"]);
            let orders = if norm == Norm::L1 { vec![Some(norm)] } else { vec![Some(norm), None] };
            for ord in orders {
                for keepdims in [None, Some(false), Some(true)] {
                    add(&[&format!("ord {ord:?} keepdims {keepdims:?}")]);
                }
            }
        }
        Spec::WebNn(_) => {
            add(&["keepDimensions None", "keepDimensions Some(false)", "keepDimensions Some(true)"]);
            add(&["axis 2^32 - 2", "far axis of a scalar"]);
        }
        // A vector has none of the above.
        Spec::Blas(_) => {}
        Spec::Bnns => {
            add(&["output rank 0", "output rank 1", "output rank 2", "output rank 3"]);
            (0..=9).for_each(|rank| add(&[&format!("rank {rank}")]));
        }
    }
    // OpenVINO takes every integer type for axes; the others refuse all types except one.
    for dtype in Dtype::ALL {
        if has_types_of_axes {
            add(&[&format!("axes {dtype}")]);
        }
        let asks_for_a_refusal = refuses && rules.axes != AxesForm::RequiredInput;
        if asks_for_a_refusal || rules.dtypes.contains(&dtype) {
            add(&[&format!("data {dtype}")]);
        }
        if rules.dtypes.contains(&dtype) {
            for (name, _) in specials(dtype) {
                add(&[&format!("{dtype} {name}")]);
            }
        }
    }
    wanted.into_iter().collect()
}
