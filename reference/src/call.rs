//! What a user of an operator hands over, spelled as that operator's spec spells it.
//!
//! A call may be one the spec forbids: nothing here checks. What a call *means* is decided in
//! [`crate::ruling`].

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
    /// How the data lie in the caller's memory.
    pub layout: Layout,
}

/// How the elements of data lie in the memory of whoever calls. No text lets an answer depend on it, and nothing here asks it: it is
/// for implementations that take arrays with strides.
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
    /// With gaps along the first axis and the last: every second element of an array that is larger.
    Sliced,
    /// Along axes where all elements are the same there is one of them in memory: strides are 0.
    Broadcast,
    /// Row-major, one byte behind an address that is right for the element type.
    Unaligned,
}

impl Layout {
    /// Every layout but row-major.
    pub const UNUSUAL: [Self; 5] =
        [Self::Transposed, Self::Reversed, Self::Sliced, Self::Broadcast, Self::Unaligned];
}

impl Spec {
    /// Its operator with every attribute left out. Of what cannot be left out, BNNS has an output without
    /// dims, and BLAS a vector without elements.
    pub const fn operator(self) -> Operator {
        match self {
            Self::OpenVino(norm) => Operator::OpenVino { norm, keep_dims: None },
            Self::Onnx(norm, opset) => {
                Operator::Onnx { norm, opset, keepdims: None, noop_with_empty_axes: None }
            }
            Self::Bnns => Operator::Bnns { output_shape: Vec::new() },
            Self::ArrayApi(Norm::L1) => Operator::ArrayApi { ord: Some(Norm::L1), keepdims: None },
            Self::ArrayApi(Norm::L2) => Operator::ArrayApi { ord: None, keepdims: None },
            Self::WebNn(norm) => Operator::WebNn { norm, keep_dimensions: None },
            Self::Blas(norm) => Operator::Blas { norm, n: 0, incx: 1 },
        }
    }
}

impl Call {
    /// A call of data that lie row-major.
    pub const fn new(operator: Operator, data: Tensor, axes: Axes) -> Self {
        Self { operator, data, axes, layout: Layout::RowMajor }
    }

    /// The operator version called.
    pub fn spec(&self) -> Spec {
        match self.operator {
            Operator::OpenVino { norm, .. } => Spec::OpenVino(norm),
            Operator::Onnx { norm, opset, .. } => Spec::Onnx(norm, opset),
            Operator::Bnns { .. } => Spec::Bnns,
            Operator::ArrayApi { ord, .. } => Spec::ArrayApi(ord.unwrap_or(Norm::L2)),
            Operator::WebNn { norm, .. } => Spec::WebNn(norm),
            Operator::Blas { norm, .. } => Spec::Blas(norm),
        }
    }

    /// Whether the operator reads the data alone ([`Operator::reads_within`]).
    pub fn reads_within_data(&self) -> bool {
        self.operator.reads_within(self.data.len())
    }
}

/// An operator version with its attributes; `None` means the attribute was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operator {
    /// OpenVINO ReduceL1-4 or ReduceL2-4.
    OpenVino {
        /// Which of the two.
        norm: Norm,
        /// Keep each reduced axis with dim 1.
        keep_dims: Option<bool>,
    },
    /// ONNX ReduceL1 or ReduceL2.
    Onnx {
        /// Which of the two.
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
    /// WebNN reduceL1 or reduceL2.
    WebNn {
        /// Which of the two.
        norm: Norm,
        /// Keep each reduced axis with dim 1.
        keep_dimensions: Option<bool>,
    },
    /// BLAS asum or nrm2. The type of the data says which of the two routines of that name it is.
    Blas {
        /// Which of the two.
        norm: Norm,
        /// How many elements the vector has.
        n: i32,
        /// How far its elements lie apart in the data. Negative: its first element is the farthest.
        incx: i32,
    },
}

impl Operator {
    /// Every attribute by the name that its users write, in the order in which they are listed; without a setting where it
    /// was left out.
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

    /// The operator of the same spec version and attributes that computes this norm, where there is one.
    pub fn with_norm(&self, norm: Norm) -> Option<Self> {
        Some(match self.clone() {
            Self::OpenVino { keep_dims, .. } => Self::OpenVino { norm, keep_dims },
            Self::Onnx { opset, keepdims, noop_with_empty_axes, .. } => {
                Self::Onnx { norm, opset, keepdims, noop_with_empty_axes }
            }
            Self::ArrayApi { keepdims, .. } => Self::ArrayApi { ord: Some(norm), keepdims },
            Self::WebNn { keep_dimensions, .. } => Self::WebNn { norm, keep_dimensions },
            Self::Blas { n, incx, .. } => Self::Blas { norm, n, incx },
            Self::Bnns { .. } => return None,
        })
    }

    /// Whether there is an attribute that keeps reduced dims.
    pub fn has_keep_dims(&self) -> bool {
        self.with_keep_dims(Some(1)).keep_dims().is_some()
    }

    /// The attribute that keeps reduced dims, false as 0 and true as 1. `None` where it was left out, or there is none. For
    /// tools that compare and vary calls: [`rule`](crate::rule) does not ask it.
    pub fn keep_dims(&self) -> Option<i64> {
        match *self {
            Self::OpenVino { keep_dims: keep, .. }
            | Self::ArrayApi { keepdims: keep, .. }
            | Self::WebNn { keep_dimensions: keep, .. } => keep.map(i64::from),
            Self::Onnx { keepdims, .. } => keepdims,
            Self::Bnns { .. } | Self::Blas { .. } => None,
        }
    }

    /// Whether data of this length hold every element that the operator reads, and it reads no more elements than data may
    /// have. [`rule`](crate::rule) refuses a call that reads more, and nobody may make it: BLAS is not told the length, and
    /// reads what lies behind the data.
    pub const fn reads_within(&self, length: usize) -> bool {
        let too_many = matches!(*self, Self::Blas { n, .. } if n > MAX_ELEMENTS as i32);
        !too_many && self.reach() <= length as u64
    }

    /// The least length of the data that holds every element the operator reads: `1 + (n - 1) * |incx|` in BLAS, where
    /// n is positive, and 0 elsewhere.
    pub const fn reach(&self) -> u64 {
        match *self {
            Self::Blas { n, incx, .. } if n > 0 => 1 + (n as u64 - 1) * incx.unsigned_abs() as u64,
            _ => 0,
        }
    }

    /// The attribute `noop_with_empty_axes`. `None` where it was left out, or there is none.
    pub const fn noop_with_empty_axes(&self) -> Option<i64> {
        match *self {
            Self::Onnx { noop_with_empty_axes, .. } => noop_with_empty_axes,
            _ => None,
        }
    }

    /// The same operator with this attribute that keeps reduced dims, where it has one. Where that is a boolean, every
    /// integer but 0 is true.
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

/// What an attribute was set to, in the terms of its spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// True or false.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A list of dims, the fastest axis first.
    Dims(Vec<usize>),
}

/// The axes of a call. Absent, null and empty are three different things, and so is the form of another version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Axes {
    /// Not written at all: no such input, attribute or argument.
    Absent,
    /// Written as nothing: an input with the empty name (ONNX), `nil` (BNNS), `None` (array API), `null` (WebNN).
    Null,
    /// A scalar or a list of integers, possibly empty.
    Given(AxesTensor),
    /// The same in the form of another opset of ONNX: as an input where this one has an attribute, or as an attribute where
    /// it has an input. Calls of other specs have no such form.
    OtherForm(AxesTensor),
}

/// An integer tensor that names axes. A list that is no tensor (an attribute, a tuple, WebNN's list of unsigned integers) is one of
/// i64, whatever its text calls the integers.
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
    /// A list of int64 axes.
    pub fn list(values: &[i64]) -> Self {
        Self::Given(AxesTensor {
            dtype: Dtype::I64,
            shape: vec![values.len()],
            values: values.iter().map(|&axis| axis.into()).collect(),
        })
    }

    /// A scalar int64 axis.
    pub fn scalar(axis: i64) -> Self {
        Self::Given(AxesTensor { dtype: Dtype::I64, shape: vec![], values: vec![axis.into()] })
    }

    /// What was written, in whichever form.
    pub const fn written(&self) -> Option<&AxesTensor> {
        match self {
            Self::Absent | Self::Null => None,
            Self::Given(axes) | Self::OtherForm(axes) => Some(axes),
        }
    }
}
