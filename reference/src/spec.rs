//! The operator versions this project judges, and the one table of where their texts differ.
//!
//! A difference between versions is a cell here, never a branch elsewhere. What a cell means for a
//! call is spelled out in [`crate::ruling`].

use std::fmt;

use crate::dtype::Dtype;

/// Which norm an operator computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Norm {
    /// Sum of absolute values.
    L1,
    /// Square root of the sum of squares.
    L2,
}

/// An ONNX operator-set version at which ReduceL1 and ReduceL2 were (re)defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Opset {
    /// Opset 1.
    V1 = 1,
    /// Opset 11: states the axis range, drops two sentences.
    V11 = 11,
    /// Opset 13: adds bfloat16, restores the sentences.
    V13 = 13,
    /// Opset 18: axes become an input, `noop_with_empty_axes` appears.
    V18 = 18,
}

/// One operator version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Spec {
    /// OpenVINO ReduceL1-4 or ReduceL2-4.
    OpenVino(Norm),
    /// ONNX ReduceL1 or ReduceL2 at an opset.
    Onnx(Norm, Opset),
    /// Apple BNNS computeNorm, which is L2.
    Bnns,
}

/// How a spec takes its axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxesForm {
    /// A required input tensor of any integer type.
    RequiredInput,
    /// An optional attribute, a list of int64.
    Attribute,
    /// An optional input tensor of int64.
    OptionalInput,
    /// An optional list argument, `nil` by default.
    Argument,
}

/// Whether a text makes a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stated {
    /// The text says so, or what it says leaves no other meaning.
    Yes,
    /// A sentence that other versions of the same operator have is missing.
    Missing,
}

/// A spec's row: every cell in which the texts differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How axes are given.
    pub axes: AxesForm,
    /// Whether an axis may count from the end.
    pub negative_axes: NegativeAxes,
    /// What `keep_dims` is when the call does not say.
    pub keep_dims_default: bool,
    /// The element types of `data`.
    pub dtypes: &'static [Dtype],
    /// The ranks of `data`, both ends included.
    pub ranks: (usize, usize),
    /// "Input tensors of rank zero are valid."
    pub rank_zero: Stated,
    /// "Reduction over an empty set of values yields 0."
    pub empty_set: Stated,
    /// Whether there is an attribute `noop_with_empty_axes`.
    pub noop: bool,
    /// Whether there is a function body that casts sums of squares to float32.
    pub casts_to_f32: bool,
}

/// What a text says of negative axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NegativeAxes {
    /// The range is [-r, r-1].
    CountFromTheEnd,
    /// No range is stated, and later versions count from the end.
    NotStated,
    /// Axes are indices of dims; there are no negative ones.
    None,
}

const ONNX_DTYPES: &[Dtype] =
    &[Dtype::F16, Dtype::F32, Dtype::F64, Dtype::I32, Dtype::I64, Dtype::U32, Dtype::U64];
const ONNX_DTYPES_WITH_BF16: &[Dtype] =
    &[Dtype::F16, Dtype::Bf16, Dtype::F32, Dtype::F64, Dtype::I32, Dtype::I64, Dtype::U32, Dtype::U64];

impl Opset {
    /// Every version, oldest first.
    pub const ALL: [Self; 4] = [Self::V1, Self::V11, Self::V13, Self::V18];

    /// The opset's number.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

impl Spec {
    /// Every spec, in the order reports use.
    pub const ALL: [Self; 11] = [
        Self::OpenVino(Norm::L1),
        Self::OpenVino(Norm::L2),
        Self::Onnx(Norm::L1, Opset::V1),
        Self::Onnx(Norm::L1, Opset::V11),
        Self::Onnx(Norm::L1, Opset::V13),
        Self::Onnx(Norm::L1, Opset::V18),
        Self::Onnx(Norm::L2, Opset::V1),
        Self::Onnx(Norm::L2, Opset::V11),
        Self::Onnx(Norm::L2, Opset::V13),
        Self::Onnx(Norm::L2, Opset::V18),
        Self::Bnns,
    ];

    /// The name used in case files, options and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenVino(Norm::L1) => "openvino/ReduceL1-4",
            Self::OpenVino(Norm::L2) => "openvino/ReduceL2-4",
            Self::Onnx(Norm::L1, Opset::V1) => "onnx/ReduceL1-1",
            Self::Onnx(Norm::L1, Opset::V11) => "onnx/ReduceL1-11",
            Self::Onnx(Norm::L1, Opset::V13) => "onnx/ReduceL1-13",
            Self::Onnx(Norm::L1, Opset::V18) => "onnx/ReduceL1-18",
            Self::Onnx(Norm::L2, Opset::V1) => "onnx/ReduceL2-1",
            Self::Onnx(Norm::L2, Opset::V11) => "onnx/ReduceL2-11",
            Self::Onnx(Norm::L2, Opset::V13) => "onnx/ReduceL2-13",
            Self::Onnx(Norm::L2, Opset::V18) => "onnx/ReduceL2-18",
            Self::Bnns => "bnns/computeNorm",
        }
    }

    /// The spec of that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|spec| spec.name() == name)
    }

    /// Which norm the operator computes.
    pub const fn norm(self) -> Norm {
        match self {
            Self::OpenVino(norm) | Self::Onnx(norm, _) => norm,
            Self::Bnns => Norm::L2,
        }
    }

    /// The spec's row of differences.
    #[rustfmt::skip]
    pub fn rules(self) -> Rules {
        use AxesForm::{Argument, Attribute, OptionalInput, RequiredInput};
        use NegativeAxes::{CountFromTheEnd, NotStated};
        use Stated::{Missing, Yes};
        const ANY: (usize, usize) = (0, usize::MAX);
        let row = |axes, negative_axes, keep_dims_default, dtypes, ranks, rank_zero, empty_set, noop, casts_to_f32| Rules {
            axes, negative_axes, keep_dims_default, dtypes, ranks, rank_zero, empty_set, noop, casts_to_f32,
        };
        match self {
            //                             axes           negative axes    keep   T                      ranks   rank 0   empty    noop   casts
            Self::OpenVino(_)           => row(RequiredInput, CountFromTheEnd, false, &Dtype::ALL,           ANY,    Yes,     Yes,     false, false),
            Self::Onnx(_, Opset::V1)    => row(Attribute,     NotStated,       true,  ONNX_DTYPES,           ANY,    Yes,     Yes,     false, false),
            Self::Onnx(_, Opset::V11)   => row(Attribute,     CountFromTheEnd, true,  ONNX_DTYPES,           ANY,    Missing, Missing, false, false),
            Self::Onnx(_, Opset::V13)   => row(Attribute,     CountFromTheEnd, true,  ONNX_DTYPES_WITH_BF16, ANY,    Yes,     Yes,     false, false),
            Self::Onnx(_, Opset::V18)   => row(OptionalInput, CountFromTheEnd, true,  ONNX_DTYPES_WITH_BF16, ANY,    Yes,     Yes,     true,  true),
            Self::Bnns                  => row(Argument,      NegativeAxes::None, false, &[Dtype::F32],      (1, 8), Yes,     Yes,     false, false),
        }
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One testable statement of a spec, by the name the clause ledger (`cases/clauses/`) gives it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Clause {
    /// The spec whose text makes the statement.
    pub spec: Spec,
    /// The statement's name within that spec.
    pub name: &'static str,
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.spec, self.name)
    }
}
