//! What a call asks of a function over an array with the arguments `axis` and `keepdims`, which is all that array
//! libraries have for it.
//!
//! The same translation as that of the adapters (`backends/python/axis_argument.py`, `backends/shared/request`): an
//! attribute left out is the operator's default, and nothing is checked that the library could check. What an adapter
//! calls unsupported is never to be reproduced, so only what cannot be spelled at all is an error here.

use normative_reference::{Axes, AxesTensor, Call, Norm, Operator, Opset};

use crate::NoRepro;

/// A call without its operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arguments<'a> {
    /// Which norm.
    pub(crate) norm: Norm,
    /// What to reduce.
    pub(crate) axis: Axis<'a>,
    /// Whether reduced axes stay; an integer that is neither 0 nor 1 is handed on.
    pub(crate) keepdims: i64,
}

/// Which axes are to be reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis<'a> {
    /// Every one.
    All,
    /// None of them: an empty list.
    Empty,
    /// These, as they were written.
    Given(&'a AxesTensor),
}

/// What nothing but a model of ONNX can say.
const OTHER_FORM: &str = "axes in the form of another opset";

impl<'a> Arguments<'a> {
    /// What a call asks; a call of BNNS brings an output, which is no argument here.
    pub(crate) fn of(call: &'a Call) -> Result<Self, NoRepro> {
        let no = |why: &str| NoRepro::Call { spec: call.spec().name(), why: why.into() };
        match call.operator {
            Operator::OpenVino { norm, keep_dims } => {
                let Axes::Given(axes) = &call.axes else { return Err(no("axes that are left out")) };
                Ok(Self { norm, axis: Axis::of(axes), keepdims: keep_dims.unwrap_or(false).into() })
            }
            Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes } => {
                let noop = noop_with_empty_axes.unwrap_or(0);
                let axis = match &call.axes {
                    Axes::Given(axes) => Axis::of(axes),
                    Axes::Absent | Axes::Null => Axis::All,
                    Axes::OtherForm(_) => return Err(no(OTHER_FORM)),
                };
                let axis = match axis {
                    Axis::All | Axis::Empty if opset >= Opset::V18 => {
                        if noop == 0 {
                            Axis::All
                        } else {
                            Axis::Empty
                        }
                    }
                    axis => axis,
                };
                let by_default = call.spec().rules().keep_dims_default;
                Ok(Self { norm, axis, keepdims: keepdims.unwrap_or(by_default.into()) })
            }
            Operator::ArrayApi { ord, keepdims } => {
                let axis = match &call.axes {
                    Axes::Given(axes) => Axis::of(axes),
                    Axes::Absent | Axes::Null => Axis::All,
                    Axes::OtherForm(_) => return Err(no(OTHER_FORM)),
                };
                let norm = ord.unwrap_or(Norm::L2);
                Ok(Self { norm, axis, keepdims: keepdims.unwrap_or(false).into() })
            }
            Operator::WebNn { norm, keep_dimensions } => {
                let axis = match &call.axes {
                    Axes::Given(axes) => Axis::of(axes),
                    Axes::Absent => Axis::All,
                    Axes::Null => return Err(no("axes that are null, which here would mean all of them")),
                    Axes::OtherForm(_) => return Err(no(OTHER_FORM)),
                };
                Ok(Self { norm, axis, keepdims: keep_dimensions.unwrap_or(false).into() })
            }
            Operator::Bnns { .. } => Err(no("an output that the caller allocates")),
            Operator::Blas { .. } => Err(no("elements that lie apart in their data")),
        }
    }

    /// `keepdims` in Python.
    pub(crate) fn keepdims_in_python(&self) -> String {
        match self.keepdims {
            0 => "False".into(),
            1 => "True".into(),
            other => other.to_string(),
        }
    }

    /// The dims of the result, as far as they can be told of a call that may be invalid: a library refuses axes
    /// that it cannot use before it looks at an output.
    pub(crate) fn result_shape(&self, shape: &[usize]) -> Vec<usize> {
        let gone = self.axis.counted(shape.len());
        let dims = shape.iter().copied().enumerate();
        if self.keepdims == 0 {
            dims.filter(|(at, _)| !gone.contains(&(*at as i128))).map(|(_, dim)| dim).collect()
        } else {
            dims.map(|(at, dim)| if gone.contains(&(at as i128)) { 1 } else { dim }).collect()
        }
    }
}

impl<'a> Axis<'a> {
    /// The axes of a tensor.
    pub(crate) fn of(axes: &'a AxesTensor) -> Self {
        if axes.shape.len() == 1 && axes.values.is_empty() { Self::Empty } else { Self::Given(axes) }
    }

    /// As Python takes them: a number for a scalar, a tuple for a list, a tuple of lists for a matrix.
    pub(crate) fn in_python(&self) -> String {
        let axes = match self {
            Self::All => return "None".into(),
            Self::Empty => return "()".into(),
            Self::Given(axes) => axes,
        };
        let is_integer = axes.dtype.is_integer();
        let number = |axis: &i128| if is_integer { axis.to_string() } else { format!("{axis}.0") };
        let mut values: Vec<String> = axes.values.iter().map(number).collect();
        let Some((_, inner)) = axes.shape.split_first() else {
            return values.into_iter().next().unwrap_or_else(|| "()".into());
        };
        // The innermost dim first: what is left after the last is the tuple.
        for &dim in inner.iter().rev() {
            values = values.chunks(dim.max(1)).map(|row| format!("[{}]", row.join(", "))).collect();
        }
        tuple(&values)
    }

    /// As JavaScript takes them: a number for a scalar, an array for a list, an array of arrays for a matrix.
    pub(crate) fn in_javascript(&self) -> String {
        if *self == Self::All {
            return "undefined".into();
        }
        let text = self.in_python();
        match text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            Some(values) => format!("[{}]", values.trim_end_matches(',')),
            None => text,
        }
    }

    /// The axes counted from the front where they are in range; of All, every one. Of a matrix, none is an axis.
    pub(crate) fn counted(&self, rank: usize) -> Vec<i128> {
        let rank = rank as i128;
        match self {
            Self::All => (0..rank).collect(),
            Self::Given(axes) if axes.dtype.is_integer() && axes.shape.len() <= 1 => {
                axes.values.iter().map(|&axis| if axis < 0 { axis + rank } else { axis }).collect()
            }
            Self::Empty | Self::Given(_) => Vec::new(),
        }
    }

    /// The axes as they were written, where they are integers in a list; `None` stands for all.
    pub(crate) fn listed(&self) -> Option<&'a [i128]> {
        match self {
            Self::All => None,
            Self::Empty => Some(&[]),
            Self::Given(axes) => Some(&axes.values),
        }
    }
}

/// A tuple of Python's.
pub(crate) fn tuple<T: ToString>(values: &[T]) -> String {
    let values: Vec<String> = values.iter().map(T::to_string).collect();
    let comma = if values.len() == 1 { "," } else { "" };
    format!("({}{comma})", values.join(", "))
}

#[cfg(test)]
mod tests {
    use normative_reference::Dtype;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_scalar(Dtype::I64, &[], &[-1], "-1", "-1")]
    #[case::a_list_of_one(Dtype::I32, &[1], &[0], "(0,)", "[0]")]
    #[case::a_list(Dtype::I64, &[2], &[0, -2], "(0, -2)", "[0, -2]")]
    #[case::an_empty_list(Dtype::I64, &[0], &[], "()", "[]")]
    #[case::a_matrix(Dtype::I64, &[2, 2], &[0, 1, 2, 3], "([0, 1], [2, 3])", "[[0, 1], [2, 3]]")]
    #[case::floats(Dtype::F32, &[1], &[1], "(1.0,)", "[1.0]")]
    #[case::beyond_i64(
        Dtype::U64,
        &[1],
        &[18_446_744_073_709_551_615],
        "(18446744073709551615,)",
        "[18446744073709551615]"
    )]
    fn axes_are_spelled_as_each_language_spells_them(
        #[case] dtype: Dtype,
        #[case] shape: &[usize],
        #[case] values: &[i128],
        #[case] python: &str,
        #[case] javascript: &str,
    ) {
        let axes = AxesTensor { dtype, shape: shape.to_vec(), values: values.to_vec() };
        assert_eq!(Axis::of(&axes).in_python(), python);
        assert_eq!(Axis::of(&axes).in_javascript(), javascript);
    }
}
