//! Traits of a call's axes: the numbers that name them, and the places of those that are reduced.

use normative_reference::{Axes, AxesTensor, Call, Dtype};

use super::{Quantity, Trait, say};

/// Adds the form of the axes, and the numbers in them.
pub(super) fn of_axes(call: &Call, traits: &mut Vec<Trait>) {
    let given = match &call.axes {
        Axes::Absent => {
            traits.extend([Trait::Is("axes absent"), Trait::Is("no axis named")]);
            return;
        }
        Axes::Null => {
            traits.extend([Trait::Is("axes null"), Trait::Is("no axis named")]);
            return;
        }
        Axes::Given(given) => given,
        Axes::OtherForm(given) => {
            traits.push(Trait::Is("axes given in the form of another opset"));
            given
        }
    };
    let AxesTensor { dtype, shape, values } = given;
    traits.push(Trait::Is("axes given"));
    traits.push(Trait::Is(match shape.len() {
        0 => "axes are a scalar",
        1 => "axes are a list",
        _ => "axes have several dims",
    }));
    traits.push(Trait::Is(match dtype {
        Dtype::I64 => "axes are i64",
        Dtype::I32 => "axes are i32",
        Dtype::I8 | Dtype::I16 => "axes are i8 or i16",
        Dtype::U8 | Dtype::U16 | Dtype::U32 | Dtype::U64 => "axes are unsigned",
        Dtype::F16 | Dtype::Bf16 | Dtype::F32 | Dtype::F64 => "axes are floats",
    }));
    say(traits, *dtype != Dtype::I64, "axes other than i64");
    let (rank, empty) = (call.data.rank() as i128, values.is_empty());
    say(traits, empty, "axes empty");
    say(traits, empty, "no axis named");
    if empty {
        return;
    }
    traits.push(Trait::Is("an axis named"));
    traits.extend(Quantity::Named.traits(values.len() as u64));
    traits.push(Trait::Is(if values.iter().all(|axis| *axis >= 0) {
        "no negative axis"
    } else {
        "a negative axis"
    }));
    say(traits, values.iter().all(|axis| *axis < 0), "only negative axes");
    say(traits, values.iter().filter(|axis| **axis < 0).count() > 1, "two negative axes or more");
    say(traits, values.len() as i128 > rank, "more axes named than dims");
    let in_range = values.iter().all(|axis| (-rank..rank).contains(axis));
    say(traits, !in_range, "an axis out of range");
    say(traits, values.iter().any(|axis| *axis >= rank), "an axis ≥ rank");
    say(traits, values.contains(&rank), "an axis = rank");
    let of_a_scalar = rank == 0 && values.iter().all(|axis| [0, -1].contains(axis));
    say(traits, of_a_scalar, "only axis 0 or -1 of a scalar named");
    say(traits, values.iter().any(|axis| *axis < -rank), "an axis < -rank");
    let wide = |axis: &i128| i32::try_from(*axis).is_err();
    say(traits, values.iter().any(wide), "an axis beyond 32 bits");
    say(traits, values.iter().any(|axis| i8::try_from(*axis).is_err()), "an axis beyond 8 bits");
    say(traits, values.iter().any(|axis| i16::try_from(*axis).is_err()), "an axis beyond 16 bits");
    say(traits, values.is_sorted(), "axes in order");
    say(traits, !values.is_sorted(), "axes out of order");
    let folded: Vec<i128> = values.iter().map(|&axis| if axis < 0 { axis + rank } else { axis }).collect();
    let repeats = |values: &[i128]| (1..values.len()).any(|at| values[..at].contains(&values[at]));
    say(traits, !folded.is_sorted(), "axes out of order, counted from the start");
    say(traits, repeats(values), "an axis named twice in one way");
    say(traits, !repeats(values) && repeats(&folded), "an axis named from both ends");
    say(traits, repeats(&folded), "an axis named twice");
    if !in_range || rank == 0 {
        return;
    }
    let all = (0..rank).all(|axis| folded.contains(&axis));
    say(traits, all, "all axes named");
    say(traits, !all, "not all axes named");
}

/// Adds the places of the axes that are reduced, which are named or not.
pub(super) fn of_reduced(shape: &[usize], axes: &[usize], traits: &mut Vec<Trait>) {
    let (Some(&first), Some(&last)) = (axes.first(), axes.last()) else { return };
    let (rank, count) = (shape.len(), axes.len());
    traits.push(Trait::Is(if count == rank { "all axes reduced" } else { "not all axes reduced" }));
    say(traits, first == 0, "the first axis reduced");
    say(traits, first != 0, "the first axis not reduced");
    say(traits, last == rank - 1, "the last axis reduced");
    say(traits, last != rank - 1, "the last axis not reduced");
    say(traits, axes.iter().any(|&axis| axis > 0 && axis < rank - 1), "a middle axis reduced");
    say(traits, count == 1, "one axis reduced");
    say(traits, count == 1 && last + 1 == rank, "only the last axis reduced");
    say(traits, count == 1 && last + 2 == rank, "only the last axis but one reduced");
    say(traits, count > 1, "several axes reduced");
    let has_gap = last - first >= count;
    say(traits, has_gap, "axes with a gap");
    say(traits, count < rank && first == 0 && !has_gap, "only the first axes reduced");
    say(traits, count < rank && last == rank - 1 && !has_gap, "only the last axes reduced");
    say(traits, axes.iter().all(|&axis| shape[axis] == 1), "only dims of 1 reduced");
    say(traits, axes.iter().any(|&axis| shape[axis] == 1), "a dim of 1 reduced");
}
