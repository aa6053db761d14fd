//! Twists: single changes that make a call open or invalid.
//!
//! A table ([`of`]) lists the twists of each spec. Each is applied to an otherwise plain form, so that nothing
//! else can be the reason for an answer.

use normative_reference::spec::AxesForm;
use normative_reference::{Axes, AxesTensor, Dtype, Kind, Norm, Opset, Spec};

use super::form::{self, AXES_DTYPES, Form, Vector, is_signed, may_be_scalar, odd};
use super::source::Source;
use super::{CallLimits, Profile};

/// One change to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Twist {
    /// Axes are an empty list.
    EmptyAxes,
    /// An axis is named twice with the same number.
    Repeated,
    /// An axis is named from both ends.
    NamedFromBothEnds,
    /// An axis of a scalar is named.
    AxisOfScalar,
    /// An axis counts from the end.
    Negative,
    /// The tensor of axes is not a list.
    AxesRank,
    /// The data are a scalar.
    ScalarData,
    /// There is an output, and nothing to reduce for it.
    EmptySet,
    /// The output has no elements.
    EmptyData,
    /// keepdims is neither 0 nor 1.
    OddKeepdims,
    /// `noop_with_empty_axes` is neither 0 nor 1, and axes are named.
    OddNoop,
    /// `noop_with_empty_axes` is not 0, and no axis is named.
    NoopWithoutAxes,
    /// The data have a type that the operator does not accept.
    DataType,
    /// An axis is not one of the data's.
    OutOfRange,
    /// Axes have a type that the operator does not accept.
    AxesType,
    /// Axes are an empty list of a type that the operator does not accept.
    EmptyOfAnotherType,
    /// No axes are given.
    NoAxes,
    /// Axes are given as null.
    NullAxes,
    /// There is an attribute that only later versions have.
    LaterAttribute,
    /// The caller allocated another shape.
    OutputShape,
    /// The data have a rank that the operator does not accept.
    DataRank,
    /// Dims are to be kept, and no axis is given.
    KeepWithoutAxis,
    /// The elements of a vector lie in the data from the last to the first.
    NegativeIncrement,
    /// All elements of a vector are the same element.
    ZeroIncrement,
}

/// Returns the twists of a spec that make calls of this profile.
pub(super) const fn of(spec: Spec, profile: Profile) -> &'static [Twist] {
    use Twist::{
        AxesRank, AxesType, AxisOfScalar, DataRank, DataType, EmptyAxes, EmptyData, EmptyOfAnotherType,
        EmptySet, KeepWithoutAxis, LaterAttribute, NamedFromBothEnds, Negative, NegativeIncrement, NoAxes,
        NoopWithoutAxes, NullAxes, OddKeepdims, OddNoop, OutOfRange, OutputShape, Repeated, ScalarData,
        ZeroIncrement,
    };
    match (profile, spec) {
        // The array API puts invalid input out of its scope, so it refuses nothing. Invalid BLAS vectors cannot
        // be expressed as calls. nrm2 and WebNN have no open forms.
        (Profile::Valid, _)
        | (Profile::Invalid, Spec::ArrayApi(_) | Spec::Blas(_))
        | (Profile::Open, Spec::Blas(Norm::L2 | Norm::SumSquare | Norm::Sum) | Spec::WebNn(_)) => &[],
        (Profile::Open, Spec::Blas(Norm::L1)) => &[NegativeIncrement, ZeroIncrement],
        (Profile::Open, Spec::OpenVino(_)) => {
            &[EmptyAxes, Repeated, NamedFromBothEnds, AxesRank, EmptyData, EmptySet]
        }
        (Profile::Open, Spec::Onnx(_, Opset::V1)) => &[
            EmptyAxes,
            Repeated,
            NamedFromBothEnds,
            AxisOfScalar,
            Negative,
            OutOfRange,
            OddKeepdims,
            LaterAttribute,
        ],
        (Profile::Open, Spec::Onnx(_, Opset::V11)) => &[
            EmptyAxes,
            Repeated,
            NamedFromBothEnds,
            AxisOfScalar,
            ScalarData,
            EmptyData,
            EmptySet,
            OddKeepdims,
            LaterAttribute,
        ],
        // Without axes a sum is the data, which no text questions.
        (Profile::Open, Spec::Onnx(Norm::Sum, Opset::V13 | Opset::V18)) => {
            &[Repeated, NamedFromBothEnds, AxesRank, OddKeepdims, OddNoop]
        }
        (Profile::Open, Spec::Onnx(_, Opset::V18)) => {
            &[NoopWithoutAxes, NoopWithoutAxes, Repeated, NamedFromBothEnds, AxesRank, OddKeepdims, OddNoop]
        }
        (Profile::Open, Spec::Onnx(_, Opset::V13)) => {
            &[EmptyAxes, Repeated, NamedFromBothEnds, OddKeepdims, LaterAttribute]
        }
        (Profile::Open, Spec::Bnns) => {
            &[EmptyAxes, Repeated, Negative, OutOfRange, DataType, DataType, DataRank, EmptyData, EmptySet]
        }
        (Profile::Open, Spec::ArrayApi(_)) => {
            &[KeepWithoutAxis, Repeated, NamedFromBothEnds, OutOfRange, AxisOfScalar, EmptyData, EmptySet]
        }
        (Profile::Invalid, Spec::WebNn(_)) => &[
            OutOfRange,
            OutOfRange,
            Negative,
            Repeated,
            AxisOfScalar,
            AxesRank,
            NullAxes,
            DataType,
            DataType,
            EmptyData,
            EmptySet,
        ],
        (Profile::Invalid, Spec::OpenVino(_)) => {
            &[OutOfRange, OutOfRange, AxisOfScalar, AxesType, NoAxes, NullAxes, EmptyOfAnotherType]
        }
        (Profile::Invalid, Spec::Onnx(_, Opset::V1)) => &[AxesRank, AxesType, NullAxes, DataType],
        (Profile::Invalid, Spec::Onnx(_, Opset::V11)) => {
            &[OutOfRange, OutOfRange, AxesRank, AxesType, NullAxes, DataType]
        }
        (Profile::Invalid, Spec::Onnx(_, Opset::V18) | Spec::Onnx(Norm::Sum, Opset::V13)) => {
            &[OutOfRange, OutOfRange, AxisOfScalar, AxesType, DataType, EmptyOfAnotherType]
        }
        (Profile::Invalid, Spec::Onnx(_, Opset::V13)) => {
            &[OutOfRange, OutOfRange, AxisOfScalar, AxesRank, AxesType, NullAxes, DataType]
        }
        (Profile::Invalid, Spec::Bnns) => &[AxesRank, AxesType, OutputShape, OutputShape],
    }
}

/// Draws a form: a plain one, or one with a twist if the profile is open or invalid.
pub(super) fn draw(
    source: &mut Source<'_, '_>,
    spec: Spec,
    profile: Profile,
    limits: CallLimits,
    shape: Option<&[usize]>,
) -> Form {
    let twists = of(spec, profile);
    let twist = (!twists.is_empty()).then(|| source.pick(twists, twists[0]));
    let mut form = form::plain(source, spec, twist.is_some_and(Twist::needs_axes), limits, shape);
    if let Some(twist) = twist {
        twist.apply(source, &mut form);
    }
    form
}

impl Twist {
    /// Returns true if it changes named axes.
    const fn needs_axes(self) -> bool {
        match self {
            Self::AxesRank
            | Self::AxesType
            | Self::EmptyData
            | Self::EmptySet
            // A scalar would have nothing to keep.
            | Self::KeepWithoutAxis
            | Self::NamedFromBothEnds
            | Self::Negative
            | Self::OddNoop
            | Self::OutOfRange
            | Self::Repeated => true,
            Self::EmptyAxes
            | Self::EmptyOfAnotherType
            | Self::AxisOfScalar
            | Self::ScalarData
            | Self::OddKeepdims
            | Self::NoopWithoutAxes
            | Self::DataType
            | Self::NoAxes
            | Self::NullAxes
            | Self::LaterAttribute
            | Self::OutputShape
            | Self::DataRank
            | Self::NegativeIncrement
            | Self::ZeroIncrement => false,
        }
    }

    /// Applies the change to a form.
    pub(super) fn apply(self, source: &mut Source<'_, '_>, form: &mut Form) {
        let rank = form.shape.len();
        match self {
            Self::EmptyAxes => empty_axes(source, form),
            Self::EmptyOfAnotherType => {
                let dtype = source.pick(&FLOATS, Dtype::F32);
                form.axes = Axes::Given(AxesTensor { dtype, shape: vec![0], values: vec![] });
            }
            Self::AxisOfScalar => axis_of_scalar(source, form),
            Self::ScalarData => {
                (form.shape, form.reduced, form.axes) = (vec![], vec![], Axes::Absent);
            }
            Self::EmptySet => {
                form.shape.iter_mut().for_each(|dim| *dim = (*dim).max(1));
                if let Some(&axis) = form.reduced.first() {
                    form.shape[axis] = 0;
                }
            }
            Self::EmptyData => {
                let kept = (0..rank).find(|axis| !form.reduced.contains(axis));
                // If every axis is named, the output has an element, and nothing to reduce for it.
                if let Some(axis) = kept.or(form.reduced.first().copied()) {
                    form.shape[axis] = 0;
                }
            }
            Self::OddKeepdims => form.keep = Some(odd(source)),
            Self::OddNoop => {
                form.noop = Some(odd(source));
                if source.chance(64) {
                    form.keep = Some(odd(source));
                }
            }
            Self::NoopWithoutAxes => {
                form.noop = Some(if source.chance(64) { odd(source) } else { 1 });
                let spellings = [Axes::Absent, Axes::Null, Axes::list(&[])];
                form.axes = spellings[source.below(3)].clone();
                form.reduced = (0..rank).collect();
            }
            Self::DataType => {
                let taken = form.spec.rules().dtypes;
                let others: Vec<Dtype> =
                    Dtype::ALL.into_iter().filter(|dtype| !taken.contains(dtype)).collect();
                form.dtype = source.pick(&others, form.dtype);
            }
            Self::NoAxes => form.axes = Axes::Absent,
            Self::NullAxes => form.axes = Axes::Null,
            Self::LaterAttribute => form.noop = Some(source.pick(&[0, 1, 2], 0)),
            Self::OutputShape => form.allocated = Some(wrong_shape(source, form)),
            Self::DataRank => data_rank(source, form),
            Self::NegativeIncrement | Self::ZeroIncrement => {
                let Vector { n, incx } = form.vector;
                form.vector =
                    Vector { n: n.max(1), incx: if self == Self::ZeroIncrement { 0 } else { -incx } };
                form.shape = vec![form.shape.first().copied().unwrap_or(0).max(1)];
            }
            Self::KeepWithoutAxis => {
                form.keep = Some(1);
                form.axes = [Axes::Absent, Axes::Null][source.below(2)].clone();
                form.reduced = (0..rank).collect();
            }
            Self::Repeated
            | Self::NamedFromBothEnds
            | Self::Negative
            | Self::AxesRank
            | Self::OutOfRange
            | Self::AxesType => {
                let spec = form.spec;
                if let Axes::Given(axes) = &mut form.axes {
                    self.apply_to_axes(source, axes, spec, rank as i128);
                }
            }
        }
    }

    fn apply_to_axes(self, source: &mut Source<'_, '_>, axes: &mut AxesTensor, spec: Spec, rank: i128) {
        let form = spec.rules().axes;
        let at = source.below(axes.values.len());
        let axis = axes.values[at];
        match self {
            Self::Repeated => insert(source, axes, axis),
            Self::NamedFromBothEnds => {
                if !is_signed(axes.dtype) {
                    axes.dtype = Dtype::I64;
                }
                insert(source, axes, if axis < 0 { axis + rank } else { axis - rank });
            }
            // BNNS names the same axis, so that only its sign is wrong.
            Self::Negative => axes.values[at] = axis - rank,
            Self::AxesRank => {
                let scalar = match form {
                    AxesForm::RequiredInput => false,
                    // JavaScript converts a list of one to a number, so only a scalar is wrong.
                    AxesForm::ListOfUnsigned => true,
                    _ => source.chance(128),
                };
                axes.shape = match axes.values.len() {
                    count if !scalar => {
                        [vec![1, count], vec![count, 1], vec![1, 1, count]][source.below(3)].clone()
                    }
                    _ => {
                        axes.values.truncate(1);
                        vec![]
                    }
                };
            }
            Self::OutOfRange => {
                let unsigned = axes.values.iter().all(|&value| value >= 0);
                if form == AxesForm::RequiredInput && unsigned && source.chance(64) {
                    // Read as signed, its greatest values are the last axes.
                    axes.dtype = source.pick(&UNSIGNED, Dtype::U64);
                }
                let outside = out_of_range(source, axes.dtype, axis, rank);
                // A caller of BNNS allocates for all axes that exist.
                if axes.shape.is_empty() || (form != AxesForm::Argument && source.chance(128)) {
                    axes.values[at] = outside;
                } else {
                    insert(source, axes, outside);
                }
            }
            Self::AxesType => axes.dtype = wrong_type(source, form, &axes.values),
            _ => {}
        }
    }
}

/// Inserts one more axis at a random place; a scalar becomes a list.
fn insert(source: &mut Source<'_, '_>, axes: &mut AxesTensor, axis: i128) {
    let at = source.below(axes.values.len() + 1);
    axes.values.insert(at, axis);
    axes.shape = vec![axes.values.len()];
}

/// Shapes of two dims without elements.
const EMPTY_2D: [[usize; 2]; 2] = [[0, 1], [1, 0]];

fn empty_axes(source: &mut Source<'_, '_>, form: &mut Form) {
    let required = form.spec.rules().axes == AxesForm::RequiredInput;
    let dtype = if required { source.pick(&AXES_DTYPES, Dtype::I64) } else { Dtype::I64 };
    // A list of two dims raises two questions at once; of a sum of elements, its dims are the only one.
    let two_dims = required && (source.chance(48) || form.spec.norm() == Norm::Sum);
    let shape = if two_dims { EMPTY_2D[source.below(2)].to_vec() } else { vec![0] };
    form.axes = Axes::Given(AxesTensor { dtype, shape, values: vec![] });
    let all = form.spec != Spec::Bnns || source.chance(128);
    form.reduced = if all && !required { (0..form.shape.len()).collect() } else { vec![] };
}

fn axis_of_scalar(source: &mut Source<'_, '_>, form: &mut Form) {
    (form.shape, form.reduced) = (vec![], vec![]);
    let required = form.spec.rules().axes == AxesForm::RequiredInput;
    // A negative axis is a question of its own at opset 1.
    let opset_1 = matches!(form.spec, Spec::Onnx(_, Opset::V1));
    let mut values = vec![if source.chance(128) && !opset_1 { -1 } else { 0 }];
    let dtype = if required && values[0] >= 0 { source.pick(&AXES_DTYPES, Dtype::I64) } else { Dtype::I64 };
    let shape = if may_be_scalar(form.spec.rules().axes) && source.chance(96) { vec![] } else { vec![1] };
    // At opset 1, far axes are not a separate question.
    if dtype == Dtype::I64 && !opset_1 && source.chance(96) {
        values[0] = source.pick(&FAR, 1);
    }
    form.axes = Axes::Given(AxesTensor { dtype, shape, values });
}

/// The number of candidates for an axis out of range.
const CANDIDATES: usize = 16;

/// Axes of a scalar far from 0 and -1.
const FAR: [i128; 6] = [1, -2, 7, i32::MAX as i128, u32::MAX as i128, i64::MIN as i128];

/// Draws an axis out of range that the type holds. Some are valid if only their low bits are read.
fn out_of_range(source: &mut Source<'_, '_>, dtype: Dtype, axis: i128, rank: i128) -> i128 {
    let (min, max) = match dtype.kind() {
        Kind::Integer(range) => (range.min, range.max),
        Kind::Float(_) => (0, 0),
    };
    let candidates: [i128; CANDIDATES] = [
        rank,
        -rank - 1,
        rank + 1,
        2 * rank,
        -2 * rank,
        axis + (1 << 8),
        axis + (1 << 16),
        axis + (1 << 32),
        axis - (1 << 32),
        max,
        max + 1 - rank,
        min,
        // Values that other libraries use for "all" or "to the end".
        i32::MAX.into(),
        u32::MAX.into(),
        (u32::MAX - 1).into(),
        (1 << 31) + axis,
    ];
    let candidate = candidates[source.below(CANDIDATES)];
    if (min..=max).contains(&candidate) && !(-rank..rank).contains(&candidate) { candidate } else { rank }
}

const FLOATS: [Dtype; 4] = [Dtype::F32, Dtype::F64, Dtype::F16, Dtype::Bf16];

const UNSIGNED: [Dtype; 4] = [Dtype::U64, Dtype::U32, Dtype::U16, Dtype::U8];

/// Draws a type for axes that the spec does not accept, but that holds them.
fn wrong_type(source: &mut Source<'_, '_>, form: AxesForm, values: &[i128]) -> Dtype {
    const INTEGERS: [Dtype; 4] = [Dtype::I32, Dtype::I32, Dtype::I16, Dtype::I8];
    let float = form == AxesForm::RequiredInput || source.chance(64);
    let unsigned = values.iter().all(|&value| value >= 0) && source.chance(96);
    let types = if float {
        FLOATS
    } else if unsigned {
        UNSIGNED
    } else {
        INTEGERS
    };
    source.pick(&types, Dtype::F32)
}

/// Returns a shape for BNNS's output that the result does not fit.
fn wrong_shape(source: &mut Source<'_, '_>, form: &Form) -> Vec<usize> {
    let right = form.result();
    let kept = form.shape.iter().enumerate();
    let kept = kept.map(|(axis, &dim)| if form.reduced.contains(&axis) { 1 } else { dim }).rev().collect();
    let mut wrong: Vec<usize> = match source.below(6) {
        0 => kept,
        1 => right.iter().rev().copied().collect(),
        2 => [right.as_slice(), &[1]].concat(),
        3 => vec![right.iter().product()],
        4 => vec![],
        _ => form.shape.iter().rev().copied().collect(),
    };
    if wrong == right {
        wrong[0] += 1;
    }
    wrong
}

/// Sets rank 0, or one more than BNNS has.
fn data_rank(source: &mut Source<'_, '_>, form: &mut Form) {
    let rank = if source.chance(128) { 0 } else { 9 };
    form.shape = (0..rank).map(|_| 1 + source.below(2)).collect();
    form.reduced = (0..rank).collect();
    form.axes = Axes::Absent;
}
