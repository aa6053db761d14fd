//! What a user of an operator hands over, spelled as that operator's spec spells it.
//!
//! A call may be one the spec forbids: nothing here checks. What a call *means* is decided in
//! [`crate::ruling`].

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
}

impl Call {
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
        let few = match *self {
            Self::Blas { n, .. } => n <= MAX_ELEMENTS as i32,
            Self::OpenVino { .. }
            | Self::Onnx { .. }
            | Self::Bnns { .. }
            | Self::ArrayApi { .. }
            | Self::WebNn { .. } => true,
        };
        few && self.reach() <= length as u64
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
            Self::OpenVino { .. }
            | Self::Bnns { .. }
            | Self::ArrayApi { .. }
            | Self::WebNn { .. }
            | Self::Blas { .. } => None,
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

/// The axes of a call. Absent, null and empty are three different things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Axes {
    /// Not written at all: no such input, attribute or argument.
    Absent,
    /// Written as nothing: an input with the empty name (ONNX), `nil` (BNNS), `None` (array API), `null` (WebNN).
    Null,
    /// A scalar or a list of integers, possibly empty.
    Given(AxesTensor),
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
}
