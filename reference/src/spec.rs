//! The operator versions this project judges, and the one table of where their texts differ.
//!
//! A difference between versions is a cell here, never a branch elsewhere, but for the names of clauses and the
//! direction in which BNNS counts axes. Parts of a call that only one operator has (the vector of BLAS, the output that
//! a BNNS caller allocates, `None` of the array API) are branches in [`crate::ruling`], which also applies each cell.

use std::fmt;

use strum::{Display, EnumCount, EnumString, IntoStaticStr, VariantArray};

use crate::dtype::Dtype;
use crate::question::Question;

/// The norm that an operator computes: the terms of a sum, and the step after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Norm {
    /// Sum of absolute values.
    L1,
    /// Square root of the sum of squares.
    L2,
    /// Sum of squares.
    SumSquare,
    /// Sum of elements, each with its sign. It is no norm: it may be negative, and terms may cancel.
    Sum,
}

/// The number that an operator adds for an element x.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// |x|.
    Magnitude,
    /// x².
    Square,
    /// x, with its sign.
    Element,
}

/// The step between an operator's sum and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Finish {
    /// The sum is the result.
    Nothing,
    /// The result is the square root of the sum.
    Root,
}

impl Norm {
    /// Every operator.
    pub const ALL: [Self; 4] = [Self::L1, Self::L2, Self::SumSquare, Self::Sum];
    /// The operators that every backend is asked for. Others are asked only of backends that list them.
    pub const BY_DEFAULT: [Self; 2] = [Self::L1, Self::L2];

    /// Returns what is added.
    pub const fn term(self) -> Term {
        match self {
            Self::L1 => Term::Magnitude,
            Self::L2 | Self::SumSquare => Term::Square,
            Self::Sum => Term::Element,
        }
    }

    /// Returns the step after the sum.
    pub const fn finish(self) -> Finish {
        match self {
            Self::L1 | Self::SumSquare | Self::Sum => Finish::Nothing,
            Self::L2 => Finish::Root,
        }
    }

    /// Returns the power of x that is added: of a p-norm, its order p.
    pub const fn order(self) -> u8 {
        match self.term() {
            Term::Magnitude | Term::Element => 1,
            Term::Square => 2,
        }
    }
}

/// An ONNX operator-set version at which `ReduceL1`, `ReduceL2`, `ReduceSumSquare` or `ReduceSum` were (re)defined.
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
    /// OpenVINO ReduceL1-4, ReduceL2-4 or ReduceSum-1.
    OpenVino(Norm),
    /// ONNX `ReduceL1`, `ReduceL2`, `ReduceSumSquare` or `ReduceSum` at an opset.
    Onnx(Norm, Opset),
    /// Apple BNNS computeNorm, which is L2.
    Bnns,
    /// `vector_norm` of the Python array API standard, of order 1 or 2. Its text is the same from version 2022.12 on.
    ArrayApi(Norm),
    /// W3C WebNN `reduceL1`, `reduceL2`, `reduceSumSquare` or `reduceSum`, by the Candidate Recommendation Snapshot of 22 January 2026.
    WebNn(Norm),
    /// BLAS asum (L1) or nrm2 (L2), single and double, by release 3.12 of Reference-LAPACK.
    Blas(Norm),
}

/// The specs of one publisher. A library promises to keep to some families, and is judged by those.
#[derive(Display, EnumCount, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// OpenVINO.
    #[strum(to_string = "openvino")]
    OpenVino,
    /// ONNX.
    Onnx,
    /// Apple BNNS.
    Bnns,
    /// The Python array API standard.
    ArrayApi,
    /// The Web Neural Network API of the W3C.
    #[strum(to_string = "webnn")]
    WebNn,
    /// The Basic Linear Algebra Subprograms, level 1.
    Blas,
}

/// The form in which a spec takes its axes.
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
    /// An optional argument, `None` by default: an integer or a tuple of integers.
    IntegerOrTuple,
    /// An optional member of a dictionary, left out by default: a list of unsigned integers.
    ListOfUnsigned,
    /// No axes: a vector has one axis, and all of its elements are reduced.
    NoAxes,
}

/// A spec's row: every cell in which the texts differ.
#[allow(clippy::struct_excessive_bools, reason = "they are cells of a table")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The form of the axes.
    pub axes: AxesForm,
    /// The range of axes that the text states.
    pub axis_range: AxisRange,
    /// An axis that is listed twice.
    pub repeated_axes: Stance,
    /// The value of `keep_dims` if the call leaves it out.
    pub keep_dims_default: bool,
    /// The element types of `data`.
    pub dtypes: &'static [Dtype],
    /// Another element type.
    pub other_dtypes: Stance,
    /// The ranks of `data`, both ends included.
    pub ranks: (usize, usize),
    /// Another rank.
    pub other_ranks: Stance,
    /// A scalar as data, where `ranks` has rank 0 or `other_ranks` lets it pass.
    pub rank_zero: Stance,
    /// An output without elements.
    pub empty_data: Stance,
    /// The norm over no elements, which is 0 where it is allowed.
    pub empty_set: Stance,
    /// True if the operator has an attribute `noop_with_empty_axes`.
    pub noop: bool,
    /// True if the text also defines the operator by a graph of other operators, which casts sums of squares
    /// to float32. ONNX calls that graph the function body.
    pub casts_to_f32: bool,
    /// True if the text says that squares are kept from overflow and underflow. If not, the question
    /// [`FloatRange`](Question::FloatRange) is open.
    pub range_is_stated: bool,
    /// True if the text says that a NaN beside an infinity gives NaN. If not, the question
    /// [`NanWithInfinity`](Question::NanWithInfinity) is open.
    pub nan_is_stated: bool,
    /// The clauses whose violation has consequences that the text puts outside its scope.
    pub out_of_scope: &'static [&'static str],
}

/// The text's attitude to a property of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stance {
    /// A call may have it.
    Allows,
    /// A call that has it is refused.
    Refuses,
    /// The text leaves it open: a call with it raises this question.
    Open(Question),
}

/// The text's statement on the range of axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisRange {
    /// [-r, r-1]: a negative axis counts from the end, and no axis of a scalar is valid.
    Stated,
    /// Nothing, though later versions count from the end.
    NotStated,
    /// Axes are indices of dims; neither negative ones nor those beyond the last are described.
    Indices,
    /// [0, r-1]: no axis counts from the end, and no axis of a scalar is valid.
    FromZero,
}

impl AxisRange {
    /// Returns the name of the clause that an axis beyond the data's rank breaks.
    pub const fn clause(self) -> &'static str {
        match self {
            Self::Stated | Self::FromZero => "axes-range",
            Self::NotStated | Self::Indices => "axes",
        }
    }
}

const ONNX_DTYPES: &[Dtype] =
    &[Dtype::F16, Dtype::F32, Dtype::F64, Dtype::I32, Dtype::I64, Dtype::U32, Dtype::U64];
const ONNX_DTYPES_WITH_BF16: &[Dtype] =
    &[Dtype::F16, Dtype::Bf16, Dtype::F32, Dtype::F64, Dtype::I32, Dtype::I64, Dtype::U32, Dtype::U64];
const WEBNN_DTYPES: &[Dtype] = &[Dtype::F16, Dtype::F32, Dtype::I32, Dtype::I64, Dtype::U32, Dtype::U64];
const WEBNN_FLOATS: &[Dtype] = &[Dtype::F16, Dtype::F32];

impl Opset {
    /// Every version, oldest first.
    pub const ALL: [Self; 4] = [Self::V1, Self::V11, Self::V13, Self::V18];

    /// Returns the opset's number.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

impl Family {
    /// Every family, in the order reports use.
    pub const ALL: [Self; Self::COUNT] = match Self::VARIANTS.first_chunk() {
        Some(all) => *all,
        None => unreachable!(),
    };

    /// The families that a backend claims by default.
    pub const BY_DEFAULT: [Self; 3] = [Self::OpenVino, Self::Onnx, Self::Bnns];

    /// Returns the name used in options and reports; the names of its specs begin with it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the family's usual name, as an adjective.
    pub const fn title(self) -> &'static str {
        match self {
            Self::OpenVino => "OpenVINO",
            Self::Onnx => "ONNX",
            Self::Bnns => "BNNS",
            Self::ArrayApi => "array API",
            Self::WebNn => "WebNN",
            Self::Blas => "BLAS",
        }
    }

    /// Returns the family of that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// Returns its specs, in the order reports use.
    pub fn specs(self) -> impl Iterator<Item = Spec> {
        Spec::ALL.into_iter().filter(move |spec| spec.family() == self)
    }
}

impl Spec {
    /// Every spec, in the order reports use: those of a family stand together.
    pub const ALL: [Self; 27] = [
        Self::OpenVino(Norm::L1),
        Self::OpenVino(Norm::L2),
        Self::OpenVino(Norm::Sum),
        Self::Onnx(Norm::L1, Opset::V1),
        Self::Onnx(Norm::L1, Opset::V11),
        Self::Onnx(Norm::L1, Opset::V13),
        Self::Onnx(Norm::L1, Opset::V18),
        Self::Onnx(Norm::L2, Opset::V1),
        Self::Onnx(Norm::L2, Opset::V11),
        Self::Onnx(Norm::L2, Opset::V13),
        Self::Onnx(Norm::L2, Opset::V18),
        Self::Onnx(Norm::SumSquare, Opset::V1),
        Self::Onnx(Norm::SumSquare, Opset::V11),
        Self::Onnx(Norm::SumSquare, Opset::V13),
        Self::Onnx(Norm::SumSquare, Opset::V18),
        Self::Onnx(Norm::Sum, Opset::V1),
        Self::Onnx(Norm::Sum, Opset::V11),
        Self::Onnx(Norm::Sum, Opset::V13),
        Self::Bnns,
        Self::ArrayApi(Norm::L1),
        Self::ArrayApi(Norm::L2),
        Self::WebNn(Norm::L1),
        Self::WebNn(Norm::L2),
        Self::WebNn(Norm::SumSquare),
        Self::WebNn(Norm::Sum),
        Self::Blas(Norm::L1),
        Self::Blas(Norm::L2),
    ];

    /// Returns the name used in case files, options and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenVino(Norm::SumSquare)
            | Self::Onnx(Norm::Sum, Opset::V18)
            | Self::ArrayApi(Norm::SumSquare | Norm::Sum)
            | Self::Blas(Norm::SumSquare | Norm::Sum) => "no such operator",
            Self::OpenVino(Norm::L1) => "openvino/ReduceL1-4",
            Self::OpenVino(Norm::L2) => "openvino/ReduceL2-4",
            Self::OpenVino(Norm::Sum) => "openvino/ReduceSum-1",
            Self::Onnx(Norm::L1, Opset::V1) => "onnx/ReduceL1-1",
            Self::Onnx(Norm::L1, Opset::V11) => "onnx/ReduceL1-11",
            Self::Onnx(Norm::L1, Opset::V13) => "onnx/ReduceL1-13",
            Self::Onnx(Norm::L1, Opset::V18) => "onnx/ReduceL1-18",
            Self::Onnx(Norm::L2, Opset::V1) => "onnx/ReduceL2-1",
            Self::Onnx(Norm::L2, Opset::V11) => "onnx/ReduceL2-11",
            Self::Onnx(Norm::L2, Opset::V13) => "onnx/ReduceL2-13",
            Self::Onnx(Norm::L2, Opset::V18) => "onnx/ReduceL2-18",
            Self::Onnx(Norm::SumSquare, Opset::V1) => "onnx/ReduceSumSquare-1",
            Self::Onnx(Norm::SumSquare, Opset::V11) => "onnx/ReduceSumSquare-11",
            Self::Onnx(Norm::SumSquare, Opset::V13) => "onnx/ReduceSumSquare-13",
            Self::Onnx(Norm::SumSquare, Opset::V18) => "onnx/ReduceSumSquare-18",
            Self::Onnx(Norm::Sum, Opset::V1) => "onnx/ReduceSum-1",
            Self::Onnx(Norm::Sum, Opset::V11) => "onnx/ReduceSum-11",
            Self::Onnx(Norm::Sum, Opset::V13) => "onnx/ReduceSum-13",
            Self::Bnns => "bnns/computeNorm",
            Self::ArrayApi(Norm::L1) => "array-api/vector_norm-l1-2022.12",
            Self::ArrayApi(Norm::L2) => "array-api/vector_norm-l2-2022.12",
            Self::WebNn(Norm::L1) => "webnn/reduceL1-20260122",
            Self::WebNn(Norm::L2) => "webnn/reduceL2-20260122",
            Self::WebNn(Norm::SumSquare) => "webnn/reduceSumSquare-20260122",
            Self::WebNn(Norm::Sum) => "webnn/reduceSum-20260122",
            Self::Blas(Norm::L1) => "blas/asum-3.12",
            Self::Blas(Norm::L2) => "blas/nrm2-3.12",
        }
    }

    /// Returns the spec of that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|spec| spec.name() == name)
    }

    /// Returns the family it belongs to.
    pub const fn family(self) -> Family {
        match self {
            Self::OpenVino(_) => Family::OpenVino,
            Self::Onnx(..) => Family::Onnx,
            Self::Bnns => Family::Bnns,
            Self::ArrayApi(_) => Family::ArrayApi,
            Self::WebNn(_) => Family::WebNn,
            Self::Blas(_) => Family::Blas,
        }
    }

    /// Returns the norm that the operator computes.
    pub const fn norm(self) -> Norm {
        match self {
            Self::OpenVino(norm)
            | Self::Onnx(norm, _)
            | Self::ArrayApi(norm)
            | Self::WebNn(norm)
            | Self::Blas(norm) => norm,
            Self::Bnns => Norm::L2,
        }
    }

    /// Returns the spec's row of differences.
    #[rustfmt::skip]
    pub fn rules(self) -> Rules {
        use AxesForm::{Argument, Attribute, IntegerOrTuple, ListOfUnsigned, OptionalInput, RequiredInput};
        use AxisRange::{FromZero, Indices, NotStated, Stated};
        use Stance::{Allows, Open, Refuses};
        const ANY: (usize, usize) = (0, usize::MAX);
        // The row of the ONNX versions. Every other row, of any family, lists its differences from this one.
        let onnx = Rules {
            axes: Attribute, axis_range: Stated, repeated_axes: Open(Question::DuplicateAxes), keep_dims_default: true,
            dtypes: ONNX_DTYPES, other_dtypes: Refuses, ranks: ANY, other_ranks: Refuses,
            rank_zero: Allows, empty_data: Allows, empty_set: Allows, noop: false, casts_to_f32: false,
            range_is_stated: false, nan_is_stated: false, out_of_scope: &[],
        };
        match self {
            Self::OpenVino(_) => Rules {
                axes: RequiredInput, keep_dims_default: false, dtypes: &Dtype::ALL,
                empty_data: Open(Question::EmptyData), empty_set: Open(Question::EmptySet), ..onnx
            },
            Self::Onnx(_, Opset::V1) => Rules { axis_range: NotStated, ..onnx },
            Self::Onnx(_, Opset::V11) => Rules {
                rank_zero: Open(Question::RankZeroOpset11), empty_data: Open(Question::EmptyData),
                empty_set: Open(Question::EmptySetOpset11), ..onnx
            },
            // ReduceSum took its axes as an input five versions before the others.
            Self::Onnx(norm, Opset::V13) if norm != Norm::Sum => Rules { dtypes: ONNX_DTYPES_WITH_BF16, ..onnx },
            Self::Onnx(norm, Opset::V13 | Opset::V18) => Rules {
                axes: OptionalInput, dtypes: ONNX_DTYPES_WITH_BF16, noop: true, casts_to_f32: matches!(norm.finish(), Finish::Root), ..onnx
            },
            Self::Bnns => Rules {
                axes: Argument, axis_range: Indices, keep_dims_default: false,
                dtypes: &[Dtype::F32], other_dtypes: Open(Question::SampleTypesBnns),
                ranks: (1, 8), other_ranks: Open(Question::RanksBnns),
                empty_data: Open(Question::EmptyData), empty_set: Open(Question::EmptySet), ..onnx
            },
            Self::ArrayApi(_) => Rules {
                axes: IntegerOrTuple, keep_dims_default: false, dtypes: &[Dtype::F32, Dtype::F64],
                empty_data: Open(Question::EmptyData), empty_set: Open(Question::EmptySet),
                out_of_scope: &["types", "axes-types", "axes-range"], ..onnx
            },
            Self::WebNn(norm) => Rules {
                axes: ListOfUnsigned, axis_range: FromZero, repeated_axes: Refuses, keep_dims_default: false,
                dtypes: if matches!(norm.finish(), Finish::Nothing) { WEBNN_DTYPES } else { WEBNN_FLOATS },
                empty_data: Refuses, empty_set: Refuses, ..onnx
            },
            Self::Blas(_) => Rules {
                axes: AxesForm::NoAxes, keep_dims_default: false, dtypes: &[Dtype::F32, Dtype::F64], ranks: (1, 1),
                range_is_stated: true, nan_is_stated: true, ..onnx
            },
        }
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One testable statement of a spec, by its name in the clause ledger. The operator's ledger in
/// `cases/clauses/` has its wording and its place in the text.
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
