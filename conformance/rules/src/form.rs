//! The honest steps for the form of a call: refusals, axes, the output's dims, and the elements of each
//! output. They do no arithmetic.

use std::borrow::Cow;

use normative_conformance::reference::{
    Axes, AxesTensor, Call, Dtype, Norm, Operator, Opset, Question, Reading, Spec,
};

use crate::plan::{Plan, Readings, StepResult, Unnamed};

/// Refuses types, ranks and attributes that the operator does not have.
pub fn admit(call: &Call, readings: &Readings) -> StepResult<()> {
    use Dtype::{Bf16, F16, F32, F64, I32, I64, U32, U64};
    let (dtype, rank) = (call.data.dtype(), call.data.rank());
    match call.operator {
        Operator::Onnx { opset, noop_with_empty_axes, .. } => {
            let new = opset >= Opset::V13;
            if !(matches!(dtype, F16 | F32 | F64 | I32 | I64 | U32 | U64) || dtype == Bf16 && new) {
                return Err(format!("{dtype} is none of the operator's types"));
            }
            let by_input = by_input(call);
            if !by_input
                && noop_with_empty_axes.is_some()
                && readings.has(Question::UnknownAttribute, Reading::Reject)
            {
                return Err("there is no noop_with_empty_axes before opset 18".into());
            }
            if matches!(call.axes, Axes::OtherForm(_)) {
                let question = if by_input { Question::UnknownAttribute } else { Question::UnknownInput };
                if readings.has(question, Reading::Reject) {
                    return Err("axes are not in the form of this opset".into());
                }
            }
            if by_input {
                is_true(noop_with_empty_axes.unwrap_or(0), Question::BooleanNoop, readings)?;
            }
            if opset == Opset::V11 && rank == 0 && readings.has(Question::RankZeroOpset11, Reading::Reject) {
                return Err("a scalar has nothing to reduce".into());
            }
            Ok(())
        }
        Operator::Bnns { .. } if dtype != F32 && readings.has(Question::SampleTypesBnns, Reading::Reject) => {
            Err(format!("expected samples of f32, got {dtype}"))
        }
        Operator::Bnns { .. }
            if !(1..=8).contains(&rank) && readings.has(Question::RanksBnns, Reading::Reject) =>
        {
            Err(format!("expected a rank of 1 to 8, got {rank}"))
        }
        Operator::ArrayApi { .. } | Operator::Blas { .. } if !matches!(dtype, F32 | F64) => {
            Err(format!("expected data of f32 or f64, got {dtype}"))
        }
        Operator::WebNn { norm, .. }
            if !(matches!(dtype, F16 | F32)
                || norm != Norm::L2 && matches!(dtype, I32 | I64 | U32 | U64)) =>
        {
            Err(format!("{dtype} is none of the types of this norm"))
        }
        Operator::OpenVino { .. }
        | Operator::Bnns { .. }
        | Operator::ArrayApi { .. }
        | Operator::WebNn { .. }
        | Operator::Blas { .. } => Ok(()),
    }
}

/// Returns true if reduced dims are kept.
pub fn keep(call: &Call, readings: &Readings) -> StepResult<bool> {
    match call.operator {
        Operator::OpenVino { keep_dims: keep, .. } | Operator::WebNn { keep_dimensions: keep, .. } => {
            Ok(keep.unwrap_or(false))
        }
        Operator::Onnx { keepdims, .. } => {
            is_true(keepdims.unwrap_or(1), Question::BooleanKeepdims, readings)
        }
        Operator::Bnns { .. } | Operator::Blas { .. } => Ok(false),
        Operator::ArrayApi { keepdims, .. } => {
            let drops = !matches!(call.axes, Axes::Given(_))
                && readings.has(Question::KeepdimsWithoutAxis, Reading::ZeroDimensional);
            Ok(keepdims.unwrap_or(false) && !drops)
        }
    }
}

fn is_true(value: i64, question: Question, readings: &Readings) -> StepResult<bool> {
    match readings.of(question) {
        Reading::NonzeroIsTrue => Ok(value != 0),
        Reading::Only1IsTrue => Ok(value == 1),
        _ if value == 0 || value == 1 => Ok(value == 1),
        _ => Err(format!("{value} is neither 0 nor 1")),
    }
}

/// Returns true if the operator of an ONNX call takes its axes as an input: from opset 18 on, sums from 13 on.
fn by_input(call: &Call) -> bool {
    match call.operator {
        Operator::Onnx { norm, opset, .. } => {
            opset >= if norm == Norm::Sum { Opset::V13 } else { Opset::V18 }
        }
        _ => false,
    }
}

/// Refuses axes tensors of the wrong type or rank.
pub fn axes_tensor(call: &Call, axes: &AxesTensor, readings: &Readings) -> StepResult<()> {
    let (integer, list) = (axes.dtype.is_integer(), axes.shape.len() == 1);
    let right = match call.operator {
        Operator::OpenVino { .. } => {
            integer && (axes.shape.len() <= 1 || readings.has(Question::AxesTensor2d, Reading::Accept))
        }
        Operator::ArrayApi { .. } => axes.dtype == Dtype::I64 && axes.shape.len() <= 1,
        Operator::Onnx { .. } if by_input(call) => {
            let question =
                if axes.shape.is_empty() { Question::AxesTensorScalar } else { Question::AxesTensor2d };
            axes.dtype == Dtype::I64 && (list || readings.has(question, Reading::Accept))
        }
        Operator::Onnx { .. } | Operator::Bnns { .. } | Operator::WebNn { .. } => {
            axes.dtype == Dtype::I64 && list
        }
        Operator::Blas { .. } => false,
    };
    if right { Ok(()) } else { Err(format!("axes are {} of shape {:?}", axes.dtype, axes.shape)) }
}

/// Returns the meaning of a call that names no axis.
pub fn unnamed(call: &Call, readings: &Readings) -> StepResult<Unnamed> {
    let question = match (&call.operator, &call.axes) {
        (Operator::OpenVino { .. }, Axes::Given(_)) => Question::EmptyAxesIdentity,
        (Operator::OpenVino { .. }, _) => return Err("axes are required".into()),
        (Operator::Onnx { noop_with_empty_axes, .. }, axes) if by_input(call) => {
            let noop = noop_with_empty_axes.unwrap_or(0);
            let question = match axes {
                // An ignored attribute leaves the call without axes.
                Axes::Absent | Axes::OtherForm(_) => Question::NoopAbsentAxes,
                Axes::Null => Question::NoopNullAxes,
                Axes::Given(_) => Question::NoopEmptyAxes,
            };
            // A runtime that follows the function body ignores the attribute.
            let follows_body = call.spec().norm() != Norm::Sum && readings.has(question, Reading::ReduceAll);
            if follows_body || !is_true(noop, Question::BooleanNoop, readings)? {
                return Ok(Unnamed::All);
            }
            question
        }
        (Operator::Onnx { .. }, Axes::Given(_)) => Question::EmptyAxesAttribute,
        (Operator::Onnx { .. }, Axes::Null) => return Err("an attribute cannot be null".into()),
        (Operator::WebNn { .. }, Axes::Null) => return Err("expected a list of axes, got null".into()),
        (_, Axes::Absent | Axes::Null | Axes::OtherForm(_)) => return Ok(Unnamed::All),
        (Operator::ArrayApi { .. } | Operator::WebNn { .. } | Operator::Blas { .. }, Axes::Given(_)) => {
            return Ok(Unnamed::Nothing);
        }
        (Operator::Bnns { output_shape }, Axes::Given(_)) => return by_room(call, output_shape, readings),
    };
    let refuses_nothing = question == Question::EmptyAxesIdentity
        && call.data.is_empty()
        && readings.has(Question::EmptyData, Reading::Reject);
    if refuses_nothing {
        return Err("there is nothing to reduce".into());
    }
    match readings.of(question) {
        // The sum of one element is the element.
        _ if call.spec().norm() == Norm::Sum && question != Question::EmptyAxesAttribute => {
            Ok(Unnamed::Nothing)
        }
        Reading::Unchanged => Ok(Unnamed::Unchanged),
        Reading::NormOfEachElement | Reading::ReduceNone => Ok(Unnamed::Nothing),
        Reading::ReduceAll => Ok(Unnamed::All),
        _ => Err("no axis is named".into()),
    }
}

/// Reads an empty list by the output: the runtime first picks a meaning, then checks that the output fits.
fn by_room(call: &Call, output: &[usize], readings: &Readings) -> StepResult<Unnamed> {
    let each = output.iter().rev().eq(call.data.shape()) || call.data.rank() == 0 && output == [1];
    if readings.has(Question::EmptyAxesBnnsCopy, Reading::ReduceNone) && each {
        return Ok(Unnamed::Nothing);
    }
    if readings.has(Question::EmptyAxesBnns, Reading::ReduceAll) && output == [1] {
        return Ok(Unnamed::All);
    }
    Err("an empty list and this output do not go together".into())
}

/// Returns the numbers that name axes, without those that a reading ignores.
pub fn heeded<'a>(values: &'a [i128], call: &Call, readings: &Readings) -> Cow<'a, [i128]> {
    let rank = call.data.rank() as i128;
    let (count, negative) = match call.operator {
        Operator::Onnx { opset: Opset::V1, .. } => (rank.max(1), Question::AxisRangeOpset1),
        Operator::Bnns { .. } => (rank, Question::NegativeAxesBnns),
        _ => return Cow::Borrowed(values),
    };
    let heeds = |value: &i128| match ((-count..count).contains(value), readings.of(negative)) {
        (_, Reading::Reject) if *value < 0 => true,
        (true, Reading::Ignore) => *value >= 0,
        (true, _) => true,
        (false, _) => readings.has(Question::AxisOutOfRange, Reading::Reject),
    };
    values.iter().copied().filter(heeds).collect()
}

/// Returns the row-major axis that a number names. A scalar counts as having one axis.
pub fn axis(value: i128, call: &Call, readings: &Readings) -> StepResult<usize> {
    let rank = call.data.rank().max(1) as i128;
    let from_the_front = if value < 0 { value + rank } else { value };
    let negative_refused = match call.operator {
        Operator::OpenVino { .. } | Operator::ArrayApi { .. } | Operator::Blas { .. } => false,
        Operator::Onnx { opset, .. } => {
            opset == Opset::V1 && readings.has(Question::AxisRangeOpset1, Reading::Reject)
        }
        Operator::Bnns { .. } => readings.has(Question::NegativeAxesBnns, Reading::Reject),
        Operator::WebNn { .. } => true,
    };
    if from_the_front < 0 || from_the_front >= rank || value < 0 && negative_refused {
        return Err(format!("axis {value} is out of range for rank {}", call.data.rank()));
    }
    let row_major = if call.spec() == Spec::Bnns { rank - 1 - from_the_front } else { from_the_front };
    Ok(row_major as usize)
}

/// Returns the axes that all numbers together name: each once, in their order.
pub fn axes(values: &[i128], named: Vec<usize>, call: &Call, readings: &Readings) -> StepResult<Vec<usize>> {
    let opset_1 = matches!(call.operator, Operator::Onnx { opset: Opset::V1, .. });
    if call.data.rank() == 0 && (!opset_1 || readings.has(Question::AxisOnRankZero, Reading::Reject)) {
        return Err("a scalar has no axis".into());
    }
    refuse_twice(values, &named, call, readings)?;
    Ok(distinct(named))
}

/// Returns each axis once, in order of its first position.
pub fn distinct(named: Vec<usize>) -> Vec<usize> {
    let mut axes = Vec::new();
    for axis in named {
        if !axes.contains(&axis) {
            axes.push(axis);
        }
    }
    axes
}

fn refuse_twice(values: &[i128], named: &[usize], call: &Call, readings: &Readings) -> StepResult<()> {
    let unique = matches!(call.operator, Operator::WebNn { .. });
    for (at, (value, axis)) in values.iter().zip(named).enumerate() {
        for (earlier, same) in values.iter().zip(named).take(at) {
            let refused = match (value == earlier, axis == same) {
                (true, _) => unique || readings.has(Question::DuplicateAxes, Reading::Reject),
                (false, true) => readings.has(Question::DuplicateAxesMixedSign, Reading::Reject),
                (false, false) => false,
            };
            if refused {
                return Err(format!("axis {value} is named twice"));
            }
        }
    }
    Ok(())
}

/// Returns the output's dims. BNNS has no rank 0, so a vector of one replaces it.
pub fn shape(plan: &Plan) -> Vec<usize> {
    let mut shape = Vec::new();
    for (axis, &dim) in plan.data.iter().enumerate() {
        match (plan.reduces(axis), plan.keep) {
            (false, _) => shape.push(dim),
            (true, true) => shape.push(1),
            (true, false) => {}
        }
    }
    if plan.spec == Spec::Bnns && shape.is_empty() {
        shape.push(1);
    }
    shape
}

/// Refuses outputs that do not fit into the caller's memory.
pub fn room(call: &Call, plan: &Plan, shape: &[usize], readings: &Readings) -> StepResult<()> {
    if let Operator::Bnns { output_shape } = &call.operator
        && !output_shape.iter().rev().eq(shape)
    {
        return Err(format!("the output has shape {output_shape:?}, the result {shape:?} reversed"));
    }
    let of_none = match call.operator {
        Operator::WebNn { .. } => {
            return if plan.data.contains(&0) { Err("a dim is 0".into()) } else { Ok(()) };
        }
        Operator::Onnx { opset, .. } if opset != Opset::V11 => return Ok(()),
        Operator::Blas { .. } => return Ok(()),
        Operator::Onnx { .. } => Question::EmptySetOpset11,
        _ => Question::EmptySet,
    };
    // Checks the dims alone, before counting results.
    if plan.terms() == 0 && readings.has(of_none, Reading::Reject) {
        return Err("there is nothing to reduce".into());
    }
    if shape.contains(&0) && readings.has(Question::EmptyData, Reading::Reject) {
        return Err("there is no result".into());
    }
    Ok(())
}

/// Returns the indices of a BLAS vector's elements in its data.
pub fn vector(norm: Norm, n: i32, incx: i32, _: usize, readings: &Readings) -> Vec<usize> {
    let question = if incx < 0 { Question::NegativeIncrement } else { Question::ZeroIncrement };
    if norm == Norm::L1 && incx <= 0 && readings.has(question, Reading::Zero) {
        return Vec::new();
    }
    let (count, apart) = (usize::try_from(n).unwrap_or(0), incx.unsigned_abs() as usize);
    let places = (0..count).map(|at| at * apart);
    if incx < 0 { places.rev().collect() } else { places.collect() }
}

/// Returns the flat indices of the elements of each output, row-major, ascending.
pub fn groups(plan: &Plan) -> Vec<Vec<usize>> {
    let kept: Vec<bool> = (0..plan.data.len()).map(|axis| !plan.reduces(axis)).collect();
    // The distance in the output for one step along each axis.
    let mut strides = vec![0; plan.data.len()];
    let mut outputs = 1;
    for axis in (0..plan.data.len()).rev().filter(|&axis| kept[axis]) {
        strides[axis] = outputs;
        outputs *= plan.data[axis];
    }
    let mut groups: Vec<Vec<usize>> = (0..outputs).map(|_| Vec::with_capacity(plan.terms())).collect();
    let mut index = vec![0; plan.data.len()];
    let mut output = 0;
    for flat in 0..plan.data.iter().product() {
        groups[output].push(flat);
        for axis in (0..index.len()).rev() {
            index[axis] += 1;
            output += strides[axis];
            if index[axis] < plan.data[axis] {
                break;
            }
            output -= strides[axis] * plan.data[axis];
            index[axis] = 0;
        }
    }
    groups
}
