//! A call of an operator, spelled as that operator's spec spells it.
//!
//! A call may be one that the spec forbids: this module checks nothing. [`crate::ruling`] decides what a call
//! *means*.

use strum::{Display, EnumString, IntoStaticStr};

use crate::dtype::Dtype;
use crate::spec::{Norm, Opset, Spec};
use crate::tensor::{MAX_ELEMENTS, Tensor};

/// One invocation of one operator version.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The operator, its version, and its attributes as they were set.
    pub operator: Operator,
    /// The tensor to reduce.
    ///
    /// Row-major with axis 0 slowest for every spec. BNNS counts axes from the fastest, so its
    /// shape (width, height, channels) is the row-major array [channels, height, width]: the same
    /// values in memory order, and the shape reversed.
    pub data: Tensor,
    /// Which axes to reduce.
    pub axes: Axes,
    /// The memory layout of the data.
    pub layout: Layout,
}

/// The memory layout of the caller's data, for implementations that take arrays with strides. No text lets an
/// answer depend on it, and nothing in this crate reads it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Layout {
    /// Row-major, without gaps.
    #[default]
    RowMajor,
    /// Axis 0 is the fastest.
    Transposed,
    /// Every axis runs backwards: strides are negative.
    Reversed,
    /// With gaps along the first axis and the last: every second element of a larger array.
    Sliced,
    /// Strides of 0 along each axis on which all elements are equal: memory holds one of them.
    Broadcast,
    /// Row-major, at an address one byte past an aligned one.
    Unaligned,
}

impl Layout {
    /// Every layout but row-major.
    pub const UNUSUAL: [Self; 5] =
        [Self::Transposed, Self::Reversed, Self::Sliced, Self::Broadcast, Self::Unaligned];
}

impl Spec {
    /// Returns true if the family has this operator, at this version.
    pub fn exists(self) -> bool {
        Self::ALL.contains(&self)
    }

    /// Returns its operator with every attribute left out. Two cannot be left out: BNNS gets an output
    /// without dims, and BLAS a vector without elements.
    pub const fn operator(self) -> Operator {
        match self {
            Self::OpenVino(norm) => Operator::OpenVino { norm, keep_dims: None },
            Self::Onnx(norm, opset) => {
                Operator::Onnx { norm, opset, keepdims: None, noop_with_empty_axes: None }
            }
            Self::Bnns => Operator::Bnns { output_shape: Vec::new() },
            Self::ArrayApi(Norm::L2) => Operator::ArrayApi { ord: None, keepdims: None },
            Self::ArrayApi(norm) => Operator::ArrayApi { ord: Some(norm), keepdims: None },
            Self::WebNn(norm) => Operator::WebNn { norm, keep_dimensions: None },
            Self::Blas(norm) => Operator::Blas { norm, n: 0, incx: 1 },
        }
    }
}

impl Call {
    /// Returns a call of data that lie row-major.
    pub const fn new(operator: Operator, data: Tensor, axes: Axes) -> Self {
        Self { operator, data, axes, layout: Layout::RowMajor }
    }

    /// Returns the operator version called.
    pub const fn spec(&self) -> Spec {
        self.operator.spec()
    }

    /// Returns true if the operator reads no element outside the data ([`Operator::reads_within`]).
    pub fn reads_within_data(&self) -> bool {
        self.operator.reads_within(self.data.len())
    }
}

/// An operator version with its attributes; `None` means the attribute was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operator {
    /// OpenVINO ReduceL1-4, ReduceL2-4 or ReduceSum-1.
    OpenVino {
        /// Which of them.
        norm: Norm,
        /// Keep each reduced axis with dim 1.
        keep_dims: Option<bool>,
    },
    /// ONNX `ReduceL1`, `ReduceL2`, `ReduceSumSquare` or `ReduceSum`.
    Onnx {
        /// Which of them.
        norm: Norm,
        /// The version.
        opset: Opset,
        /// Keep each reduced axis with dim 1; any integer can be written.
        keepdims: Option<i64>,
        /// Reduce nothing when axes are empty; any integer can be written, at any opset.
        noop_with_empty_axes: Option<i64>,
    },
    /// BNNS computeNorm.
    Bnns {
        /// The dims of the output the caller allocated, fastest axis first as BNNS writes them.
        output_shape: Vec<usize>,
    },
    /// `vector_norm` of the Python array API standard.
    ArrayApi {
        /// The order: 1 for L1, 2 for L2. Left out, it is 2.
        ord: Option<Norm>,
        /// Keep each reduced axis with dim 1.
        keepdims: Option<bool>,
    },
    /// WebNN `reduceL1`, `reduceL2`, `reduceSumSquare` or `reduceSum`.
    WebNn {
        /// Which of them.
        norm: Norm,
        /// Keep each reduced axis with dim 1.
        keep_dimensions: Option<bool>,
    },
    /// BLAS asum or nrm2. The type of the data selects the single or the double routine.
    Blas {
        /// Which of the two.
        norm: Norm,
        /// The number of elements of the vector.
        n: i32,
        /// The distance between its elements in the data. Negative: the vector is read from its end.
        incx: i32,
    },
}

impl Operator {
    /// Returns the operator version.
    pub const fn spec(&self) -> Spec {
        match *self {
            Self::OpenVino { norm, .. } => Spec::OpenVino(norm),
            Self::Onnx { norm, opset, .. } => Spec::Onnx(norm, opset),
            Self::Bnns { .. } => Spec::Bnns,
            Self::ArrayApi { ord: Some(norm), .. } => Spec::ArrayApi(norm),
            Self::ArrayApi { ord: None, .. } => Spec::ArrayApi(Norm::L2),
            Self::WebNn { norm, .. } => Spec::WebNn(norm),
            Self::Blas { norm, .. } => Spec::Blas(norm),
        }
    }

    /// Returns every attribute by the name that its users write, in the order of its spec, and `None` for one
    /// that was left out.
    pub fn attributes(&self) -> Vec<(&'static str, Option<Setting>)> {
        use Setting::{Boolean, Dims, Integer};
        match self {
            Self::OpenVino { keep_dims, .. } => vec![("keep_dims", keep_dims.map(Boolean))],
            Self::Onnx { keepdims, noop_with_empty_axes, .. } => vec![
                ("keepdims", keepdims.map(Integer)),
                ("noop_with_empty_axes", noop_with_empty_axes.map(Integer)),
            ],
            Self::Bnns { output_shape } => vec![("output_shape", Some(Dims(output_shape.clone())))],
            Self::ArrayApi { ord, keepdims } => vec![
                ("ord", ord.map(|norm| Integer(norm.order().into()))),
                ("keepdims", keepdims.map(Boolean)),
            ],
            Self::WebNn { keep_dimensions, .. } => {
                vec![("keepDimensions", keep_dimensions.map(Boolean))]
            }
            Self::Blas { n, incx, .. } => {
                vec![("n", Some(Integer((*n).into()))), ("incx", Some(Integer((*incx).into())))]
            }
        }
    }

    /// Returns the same operator with this norm; `None` where the family has no such operator.
    pub fn with_norm(&self, norm: Norm) -> Option<Self> {
        let other = match self.clone() {
            Self::OpenVino { keep_dims, .. } => Self::OpenVino { norm, keep_dims },
            Self::Onnx { opset, keepdims, noop_with_empty_axes, .. } => {
                Self::Onnx { norm, opset, keepdims, noop_with_empty_axes }
            }
            Self::ArrayApi { keepdims, .. } => Self::ArrayApi { ord: Some(norm), keepdims },
            Self::WebNn { keep_dimensions, .. } => Self::WebNn { norm, keep_dimensions },
            Self::Blas { n, incx, .. } => Self::Blas { norm, n, incx },
            Self::Bnns { .. } => return None,
        };
        other.spec().exists().then_some(other)
    }

    /// Returns true if the operator has an attribute that keeps reduced dims.
    pub fn has_keep_dims(&self) -> bool {
        self.with_keep_dims(Some(1)).keep_dims().is_some()
    }

    /// Returns the attribute that keeps reduced dims, false as 0 and true as 1; `None` where it was left out
    /// or does not exist. Only tools that compare and vary calls use it: [`rule`](crate::rule) does not.
    pub fn keep_dims(&self) -> Option<i64> {
        match *self {
            Self::OpenVino { keep_dims: keep, .. }
            | Self::ArrayApi { keepdims: keep, .. }
            | Self::WebNn { keep_dimensions: keep, .. } => keep.map(i64::from),
            Self::Onnx { keepdims, .. } => keepdims,
            Self::Bnns { .. } | Self::Blas { .. } => None,
        }
    }

    /// Returns true if data of this length hold every element that the operator reads, and these are at most
    /// [`MAX_ELEMENTS`]. [`rule`](crate::rule) refuses any other call, and no caller may make it: BLAS does
    /// not know the length, and would read memory behind the data.
    pub const fn reads_within(&self, length: usize) -> bool {
        let too_many = matches!(*self, Self::Blas { n, .. } if n > MAX_ELEMENTS as i32);
        !too_many && self.reach() <= length as u64
    }

    /// Returns the least data length that holds every element the operator reads. That is `1 + (n - 1) *
    /// |incx|` in BLAS, where n is positive, and 0 elsewhere.
    pub const fn reach(&self) -> u64 {
        match *self {
            Self::Blas { n, incx, .. } if n > 0 => 1 + (n as u64 - 1) * incx.unsigned_abs() as u64,
            _ => 0,
        }
    }

    /// Returns the attribute `noop_with_empty_axes`; `None` where it was left out or does not exist.
    pub const fn noop_with_empty_axes(&self) -> Option<i64> {
        match *self {
            Self::Onnx { noop_with_empty_axes, .. } => noop_with_empty_axes,
            _ => None,
        }
    }

    /// Returns the same operator with this value of the attribute that keeps reduced dims, where it has one.
    /// A boolean attribute takes every integer but 0 as true.
    #[must_use]
    pub fn with_keep_dims(&self, keep: Option<i64>) -> Self {
        let mut other = self.clone();
        match &mut other {
            Self::OpenVino { keep_dims, .. }
            | Self::ArrayApi { keepdims: keep_dims, .. }
            | Self::WebNn { keep_dimensions: keep_dims, .. } => *keep_dims = keep.map(|keep| keep != 0),
            Self::Onnx { keepdims, .. } => *keepdims = keep,
            Self::Bnns { .. } | Self::Blas { .. } => {}
        }
        other
    }
}

/// The value of an attribute, in the terms of its spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// True or false.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A list of dims, the fastest axis first.
    Dims(Vec<usize>),
}

/// The axes of a call. Absent, null, empty and the form of another version are four different things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Axes {
    /// Not written at all: no such input, attribute or argument.
    Absent,
    /// Written as nothing: an input with the empty name (ONNX), `nil` (BNNS), `None` (array API), `null` (WebNN).
    Null,
    /// A scalar or a list of integers, possibly empty.
    Given(AxesTensor),
    /// The same in the form of another opset of ONNX: an input where this opset has an attribute, or the
    /// reverse. Calls of other specs have no such form.
    OtherForm(AxesTensor),
}

/// An integer tensor that names axes. A list that is not a tensor (an attribute, a tuple, WebNN's list of
/// unsigned integers) has the type i64 here, whatever its text calls the integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxesTensor {
    /// Its element type; the specs want an integer one.
    pub dtype: Dtype,
    /// Its shape: `[]` for a scalar, `[k]` for a list.
    pub shape: Vec<usize>,
    /// Its elements, row-major. Every integer type's values fit.
    pub values: Vec<i128>,
}

impl Axes {
    /// Returns a list of int64 axes.
    pub fn list(values: &[i64]) -> Self {
        Self::Given(AxesTensor {
            dtype: Dtype::I64,
            shape: vec![values.len()],
            values: values.iter().map(|&axis| axis.into()).collect(),
        })
    }

    /// Returns a scalar int64 axis.
    pub fn scalar(axis: i64) -> Self {
        Self::Given(AxesTensor { dtype: Dtype::I64, shape: vec![], values: vec![axis.into()] })
    }

    /// Returns the axes that the call lists, in either form.
    pub const fn written(&self) -> Option<&AxesTensor> {
        match self {
            Self::Absent | Self::Null => None,
            Self::Given(axes) | Self::OtherForm(axes) => Some(axes),
        }
    }
}
