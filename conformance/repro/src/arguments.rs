//! Translates a call into the arguments `axis` and `keepdims` of a function over an array, which is all that
//! array libraries offer.
//!
//! The adapters translate in the same way (`backends/python/normative/axis_argument.py`, `backends/shared/request`): an
//! attribute left out gets the operator's default, and the library checks the rest. Calls that an adapter
//! declines are never reproduced, so only a call that cannot be spelled is an error here.

use normative_reference::{Axes, AxesTensor, Call, Norm, Operator};

use crate::NoRepro;

/// A call without its operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arguments<'a> {
    /// The norm to compute.
    pub(crate) norm: Norm,
    /// The axes to reduce.
    pub(crate) axis: Axis<'a>,
    /// 1 to keep reduced axes, 0 to drop them; other integers are passed on.
    pub(crate) keepdims: i64,
}

/// The axes to reduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis<'a> {
    /// Every one.
    All,
    /// None of them: an empty list.
    Empty,
    /// The axes as the call lists them.
    Given(&'a AxesTensor),
}

impl<'a> Arguments<'a> {
    /// Returns the arguments of a call. The output of a BNNS call is not among them.
    pub(crate) fn of(call: &'a Call) -> Result<Self, NoRepro> {
        let no = |why: &str| NoRepro::Call { spec: call.spec().name(), why: why.into() };
        let axis = match (&call.operator, &call.axes) {
            (Operator::Bnns { .. }, _) => return Err(no("an output that the caller allocates")),
            (Operator::Blas { .. }, _) => return Err(no("elements that lie apart in their data")),
            (_, Axes::OtherForm(_)) => return Err(no("axes in the form of another opset")),
            (_, Axes::Given(axes)) => Axis::of(axes),
            (Operator::OpenVino { .. }, _) => return Err(no("axes that are left out")),
            (Operator::WebNn { .. }, Axes::Null) => {
                return Err(no("axes that are null, which here would mean all of them"));
            }
            (_, Axes::Absent | Axes::Null) => Axis::All,
        };
        let (spec, rules) = (call.spec(), call.spec().rules());
        let axis = match (axis, call.operator.noop_with_empty_axes()) {
            (Axis::All | Axis::Empty, None | Some(0)) if rules.noop => Axis::All,
            (Axis::All, Some(_)) if rules.noop => Axis::Empty,
            (axis, _) => axis,
        };
        let keepdims = call.operator.keep_dims().unwrap_or(rules.keep_dims_default.into());
        Ok(Self { norm: spec.norm(), axis, keepdims })
    }

    /// Returns the dims of the result, as far as a call that may be invalid has them: a library refuses bad
    /// axes before it looks at an output.
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
    /// Wraps the axes of a tensor.
    pub(crate) fn of(axes: &'a AxesTensor) -> Self {
        if axes.shape.len() == 1 && axes.values.is_empty() { Self::Empty } else { Self::Given(axes) }
    }

    /// Formats the axes for Python: a number for a scalar, a tuple for a list, a tuple of lists for a matrix.
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
        // Group by the inner dims, last one first; the outermost dim becomes the tuple.
        for &dim in inner.iter().rev() {
            values = values.chunks(dim.max(1)).map(|row| format!("[{}]", row.join(", "))).collect();
        }
        tuple(&values)
    }

    /// Formats the axes for JavaScript: a number for a scalar, an array for a list, nested arrays for a matrix.
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

    /// Returns the axes counted from the front; every axis for `All`, none for a matrix or for floats.
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

    /// Returns the listed axes, row-major; `None` stands for all.
    pub(crate) fn listed(&self) -> Option<&'a [i128]> {
        match self {
            Self::All => None,
            Self::Empty => Some(&[]),
            Self::Given(axes) => Some(&axes.values),
        }
    }
}

/// Formats a tuple of Python.
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
