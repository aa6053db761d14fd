//! Writes rulings out, one line a reading, for the tables of the tests.

use normative_reference::arithmetic::{Arithmetic, FloatArithmetic, Narrowing, Range, Subnormals};
use normative_reference::{Axes, AxesTensor, Call, Dtype, Elements, FloatFormat, Outcome, Tensor, rule};

use super::filled;

/// Returns f32 data of this shape that raise no question about arithmetic.
pub(crate) fn ones(shape: &[usize]) -> Tensor {
    filled(Dtype::F32, shape, 1.0_f32.to_bits().into())
}

pub(crate) fn axes_of(dtype: Dtype, shape: &[usize], values: &[i128]) -> Axes {
    Axes::Given(AxesTensor { dtype, shape: shape.to_vec(), values: values.to_vec() })
}

/// Returns a list of int64 axes in the form of another opset.
pub(crate) fn other_form(values: &[i128]) -> Axes {
    Axes::OtherForm(AxesTensor { dtype: Dtype::I64, shape: vec![values.len()], values: values.to_vec() })
}

/// Returns each reading of a call in one line, its choices first; row-major axes, then the output's shape.
pub(crate) fn readings(call: &Call) -> Vec<String> {
    let lines = rule(call).alternatives.into_iter().map(|alternative| {
        let choices: Vec<String> = alternative.choices.iter().map(ToString::to_string).collect();
        let outcome = describe(call, &alternative.outcome);
        if choices.is_empty() { outcome } else { format!("{}: {outcome}", choices.join(", ")) }
    });
    lines.collect()
}

fn describe(call: &Call, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Unchanged => "unchanged".to_owned(),
        Outcome::Rejected(clause) => {
            assert_eq!(clause.spec, call.spec(), "a clause of the spec called");
            format!("rejected for {}", clause.name)
        }
        Outcome::OutOfScope(clause) => {
            assert_eq!(clause.spec, call.spec(), "a clause of the spec called");
            format!("anything for {}", clause.name)
        }
        Outcome::Reduce(reduction, arithmetic) => {
            assert_eq!(reduction.norm, call.spec().norm(), "the norm of the spec called");
            let shape = reduction.output_shape(call.data.shape());
            let elements = match reduction.elements {
                Elements::All => String::new(),
                Elements::Spaced { count, first, step } => format!(", {count} from {first} by {step}"),
            };
            format!("over {:?} to {shape:?}{elements}{}", reduction.axes, describe_arithmetic(*arithmetic))
        }
    }
}

/// Lists the departures from plain arithmetic: f32 sums, scaled squares, wrap, truncate, exact sums.
fn describe_arithmetic(arithmetic: Arithmetic) -> String {
    let mut parts = vec![String::new()];
    match arithmetic {
        Arithmetic::Float(float) => {
            let FloatArithmetic { squares, sums, root, range, subnormals, narrowing, infinity_over_nan } =
                float;
            let steps = [squares, sums, root];
            if steps == [sums; 3] {
                parts.extend((sums != FloatFormat::F32).then(|| format!("in {}", name(sums))));
            } else {
                parts.push(format!("in {}", steps.map(name).join(" and ")));
            }
            parts.extend((range == Range::Rescued).then(|| "rescued".to_owned()));
            parts.extend((range == Range::Naive).then(|| "naive".to_owned()));
            parts.extend((subnormals == Subnormals::Flushed).then(|| "flushed".to_owned()));
            parts.extend((subnormals == Subnormals::ResultsFlushed).then(|| "results flushed".to_owned()));
            parts.extend((narrowing == Narrowing::TowardZero).then(|| "cut".to_owned()));
            parts.extend(infinity_over_nan.then(|| "infinity over NaN".to_owned()));
        }
        Arithmetic::Integer(integer) => {
            parts.push(format!("{:?}", integer.overflow));
            parts.extend(integer.nearest.then(|| "nearest".to_owned()));
            parts.extend(integer.through.map(|format| format!("through {}", name(format))));
            parts.extend(integer.held.map(|held| {
                let sign = if held.range.is_signed() { 'i' } else { 'u' };
                let indefinite = if held.indefinite { " or indefinite" } else { "" };
                format!("{:?} in {sign}{}{indefinite}", held.beyond, held.range.width())
            }));
        }
    }
    parts.join(", ")
}

fn name(format: FloatFormat) -> &'static str {
    let formats = [
        (FloatFormat::F16, "f16"),
        (FloatFormat::BF16, "bf16"),
        (FloatFormat::F32, "f32"),
        (FloatFormat::F64, "f64"),
    ];
    formats.into_iter().find(|(other, _)| *other == format).map_or("another format", |(_, name)| name)
}
