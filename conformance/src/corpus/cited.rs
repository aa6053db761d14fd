//! Finds the clause that a failure of a generated call breaks. A case names its clauses; a generated call does not.
//!
//! A wrong tensor breaks the clause about its mistake; wrong dims are a mistake about the axes, unless dims of 1 alone
//! differ. A refusal of a valid call breaks the clause that makes the call valid, so it depends on the special
//! properties of the call: [`VALID`] lists these, the most special first. A call made small has no other. [`Cited`] names all clauses that some answer to a call could break, or that leave its answer open.

use std::collections::{BTreeMap, BTreeSet};

use normative_reference::{
    Axes, AxesTensor, Call, Dtype, Operator, Outcome, Question, Reduction, Spec, rule,
};

use crate::corpus::{ClauseRef, Ledger};
use crate::judge::compare::Mismatch;

/// A special property of a call, and clauses that make it valid. The first of them in the ledger of its spec counts.
type Row = (fn(&Call) -> bool, &'static [&'static str]);

const VALID: [Row; 22] = [
    (|call| vector(call).is_some_and(|(n, _)| n <= 0), &["empty"]),
    (|call| vector(call).is_some_and(|(_, incx)| incx < 0), &["incx-negative"]),
    (|call| vector(call).is_some_and(|(_, incx)| incx == 0), &["incx-zero"]),
    (|call| vector(call).is_some_and(|(_, incx)| incx > 1), &["incx"]),
    (|call| matches!(call.axes, Axes::OtherForm(_)), &["inputs", "attributes"]),
    (|call| call.axes == Axes::Null, &["axes-optional", "axes-nil", "axes-none"]),
    (
        |call| given(call).is_some_and(|axes| axes.shape.is_empty()),
        &["axes-scalar-or-1d", "axes-list", "axes-integer"],
    ),
    (|call| given(call).is_some_and(|axes| axes.shape.len() > 1), &["axes-list"]),
    (
        |call| no_axes(call) && call.operator.noop_with_empty_axes().is_some_and(|noop| noop != 0),
        &["noop-true", "attributes"],
    ),
    (|call| no_axes(call) && call.operator.noop_with_empty_axes().is_some(), &["noop-false", "attributes"]),
    (|call| given(call).is_some() && no_axes(call), &["empty-axes", "noop-false", "axes-empty"]),
    (|call| call.data.rank() == 0, &["rank-zero", "rank-zero-unstated", "data-shape", "ranks"]),
    (has_empty_set, &["empty-set", "empty-set-unstated", "zero-sized-dims", "data-shape"]),
    (|call| call.data.is_empty(), &["zero-sized-dims", "data-shape", "numpy-like"]),
    (
        |call| given(call).is_some_and(|axes| axes.values.iter().any(|&axis| axis < 0)),
        &["axes-negative", "axes-range", "axis-range-unstated"],
    ),
    (repeats_an_axis, &["axes-unique", "axes-repeated"]),
    (|call| call.operator.noop_with_empty_axes().is_some(), &["noop-nonempty", "attributes"]),
    (|call| call.operator.keep_dims().is_some_and(|keep| !(0..=1).contains(&keep)), &["keepdims-values"]),
    (|call| given(call).is_some_and(|axes| axes.dtype != Dtype::I64), &["axes-types"]),
    (|call| call.data.dtype() != Dtype::F32, &["types"]),
    (names_every_axis, &["all-axes", "axes-all"]),
    // The plainest form of all.
    (no_axes, &["axes-default"]),
];

/// Clauses about no elements: the form on which processes end most often.
const EMPTY: [&str; 4] = ["empty", "empty-set", "empty-set-unstated", "zero-sized-dims"];

/// The clause that the axes listed are reduced.
const AXES: [&str; 2] = ["axes", "axes-indices"];

/// Returns the clause of a spec that an answer violates; `None` stands for a backend that broke down.
pub(crate) fn clause(call: &Call, mismatch: Option<&Mismatch>, ledger: &Ledger) -> ClauseRef {
    let spec = call.spec();
    let name = match mismatch {
        Some(Mismatch::NotRejected { clause, .. }) => clause.name,
        Some(Mismatch::Dtype { .. }) => "output-type",
        Some(Mismatch::Shape { expected, got }) => of_shape(call, expected, got, ledger),
        Some(Mismatch::Rejected { .. }) => of_valid(call, ledger),
        Some(
            Mismatch::Element(_) | Mismatch::Class { .. } | Mismatch::Whole(_) | Mismatch::ChangedData(_),
        ) => of_value(call, ledger),
        Some(Mismatch::Reading { wanted, .. }) => {
            let asks = ledger
                .iter()
                .find(|entry| entry.clause.spec == spec && entry.questions.contains(&wanted.question));
            return asks.map_or(ClauseRef { spec, name: "norm".into() }, |entry| entry.clause.clone());
        }
        // The clause that describes the right answer.
        None => match rule(call).alternatives.first().map(|alternative| &alternative.outcome) {
            Some(Outcome::Rejected(clause) | Outcome::OutOfScope(clause)) => clause.name,
            _ => of_value(call, ledger),
        },
    };
    ClauseRef { spec, name: name.to_owned() }
}

/// An index of the clauses that calls concern.
pub(crate) struct Cited<'l> {
    ledger: &'l Ledger,
    /// The clauses of each spec that raise a question.
    raised: BTreeMap<(Spec, Question), Vec<&'l str>>,
}

impl<'l> Cited<'l> {
    /// Makes it from this ledger.
    pub(crate) fn by(ledger: &'l Ledger) -> Self {
        let mut raised: BTreeMap<_, Vec<&str>> = BTreeMap::new();
        for entry in ledger.iter() {
            for &question in &entry.questions {
                raised.entry((entry.clause.spec, question)).or_default().push(&entry.clause.name);
            }
        }
        Self { ledger, raised }
    }

    /// Returns every clause of its spec that a call concerns: one that an answer to it can break (see
    /// [`clause`]), or one that raises a question on which its answer depends.
    pub(crate) fn of(&self, call: &Call) -> BTreeSet<&'l str> {
        let spec = call.spec();
        let mut names: BTreeSet<&str> = BTreeSet::new();
        let mut about: BTreeSet<&str> = BTreeSet::new();
        for alternative in rule(call).alternatives {
            match alternative.outcome {
                Outcome::Rejected(clause) | Outcome::OutOfScope(clause) => {
                    names.insert(clause.name);
                }
                Outcome::Reduce(..) | Outcome::Unchanged => {
                    names.extend(["norm", "output-type", of_keeping(&call.operator)]);
                    names.extend(given(call).map_or(&[][..], |_| &AXES));
                    let stated = |name: &&&str| self.ledger.get(spec, name).is_some();
                    let special = VALID.iter().filter(|(is_special, _)| is_special(call));
                    names.extend(special.filter_map(|(_, names)| names.iter().find(stated)));
                }
            }
            for choice in alternative.choices.iter().chain(&alternative.implied) {
                about.extend(self.raised.get(&(spec, choice.question)).into_iter().flatten());
            }
        }
        let stated = names.into_iter().filter_map(|name| self.ledger.get(spec, name));
        about.extend(stated.map(|entry| entry.clause.name.as_str()));
        about
    }
}

/// Returns the clause about a value: of a call without elements the one about that form.
fn of_value(call: &Call, ledger: &Ledger) -> &'static str {
    special(call, ledger, |name| EMPTY.contains(&name)).unwrap_or("norm")
}

fn of_valid(call: &Call, ledger: &Ledger) -> &'static str {
    special(call, ledger, |_| true).unwrap_or("norm")
}

/// Returns the clause of the most special property of a call, among these clauses.
fn special(call: &Call, ledger: &Ledger, is_among: fn(&str) -> bool) -> Option<&'static str> {
    let stated = |&&name: &&&str| is_among(name) && ledger.get(call.spec(), name).is_some();
    let mut special = VALID.iter().filter(|(is_special, _)| is_special(call));
    special.find_map(|(_, names)| names.iter().find(stated)).copied()
}

/// Returns the clause that wrong dims break: about an attribute or input that the text does not have, about the keeping of
/// dims, if only that can differ, or about the axes. A call that reduces no axis has no dims to keep.
fn of_shape(call: &Call, expected: &[usize], got: &[usize], ledger: &Ledger) -> &'static str {
    let has_noop = ledger.get(call.spec(), "noop-true").is_some();
    if matches!(call.axes, Axes::OtherForm(_)) || call.operator.noop_with_empty_axes().is_some() && !has_noop
    {
        let unknown = special(call, ledger, |name| ["inputs", "attributes"].contains(&name));
        return unknown.unwrap_or("norm");
    }
    // Axes that are no list may be read as other ones, or as none.
    if let Some(form) = special(call, ledger, |name| ["axes-scalar-or-1d", "axes-list"].contains(&name)) {
        return form;
    }
    if no_axes(call) && call.operator.noop_with_empty_axes().is_some_and(|noop| noop != 0) {
        return "noop-true";
    }
    let is_written = matches!(call.operator, Operator::Bnns { .. } | Operator::Blas { .. });
    let others = |dims: &[usize]| dims.iter().copied().filter(|&dim| dim != 1).collect::<Vec<_>>();
    let is_reduced = given(call).is_none() || expected != call.data.shape() || !no_axes(call);
    if is_written || (is_reduced && expected.len() != got.len() && others(expected) == others(got)) {
        return of_keeping(&call.operator);
    }
    // Of another type they could not be read at all.
    let is_about = |name: &str| (name.contains("axes") || name.contains("axis")) && name != "axes-types";
    let about_axes = special(call, ledger, is_about);
    let stated = |&&name: &&&str| ledger.get(call.spec(), name).is_some();
    about_axes.or_else(|| AXES.iter().find(stated).copied()).unwrap_or(of_keeping(&call.operator))
}

/// Returns the clause about the keeping of dims: about the default, if the attribute is left out.
const fn of_keeping(operator: &Operator) -> &'static str {
    match operator {
        Operator::OpenVino { keep_dims: None, .. } | Operator::WebNn { keep_dimensions: None, .. } => {
            "keep-dims-default"
        }
        Operator::OpenVino { keep_dims: Some(true), .. }
        | Operator::WebNn { keep_dimensions: Some(true), .. } => "keep-dims-true",
        Operator::OpenVino { keep_dims: Some(false), .. }
        | Operator::WebNn { keep_dimensions: Some(false), .. } => "output-removed-dims",
        Operator::Onnx { keepdims: None, .. } | Operator::ArrayApi { keepdims: None, .. } => {
            "keepdims-default"
        }
        Operator::Onnx { keepdims: Some(0), .. } | Operator::ArrayApi { keepdims: Some(false), .. } => {
            "reduced-dims-pruned"
        }
        Operator::Onnx { keepdims: Some(1), .. } | Operator::ArrayApi { keepdims: Some(true), .. } => {
            "output-rank-kept"
        }
        Operator::Onnx { keepdims: Some(_), .. } => "keepdims-values",
        Operator::Bnns { .. } => "output-shape",
        Operator::Blas { .. } => "signature",
    }
}

fn given(call: &Call) -> Option<&AxesTensor> {
    if let Axes::Given(axes) = &call.axes { Some(axes) } else { None }
}

/// Returns `n` and `incx` of a BLAS call.
const fn vector(call: &Call) -> Option<(i32, i32)> {
    if let Operator::Blas { n, incx, .. } = call.operator { Some((n, incx)) } else { None }
}

fn no_axes(call: &Call) -> bool {
    given(call).is_none_or(|axes| axes.values.is_empty())
}

/// Returns the reduction of the first reading that reduces.
fn reduction(call: &Call) -> Option<Reduction> {
    rule(call).alternatives.into_iter().find_map(|alternative| match alternative.outcome {
        Outcome::Reduce(reduction, _) => Some(reduction),
        Outcome::Rejected(_) | Outcome::OutOfScope(_) | Outcome::Unchanged => None,
    })
}

fn has_empty_set(call: &Call) -> bool {
    let shape = call.data.shape();
    call.data.is_empty()
        && reduction(call)
            .is_some_and(|reduction| reduction.terms(shape) == 0 && reduction.outputs(shape) > 0)
}

fn repeats_an_axis(call: &Call) -> bool {
    let rank = call.data.rank() as i128;
    given(call).is_some_and(|axes| {
        let axis = |&axis: &i128| if axis < 0 { axis + rank } else { axis };
        axes.values.iter().map(axis).collect::<BTreeSet<_>>().len() < axes.values.len()
    })
}

fn names_every_axis(call: &Call) -> bool {
    !no_axes(call) && reduction(call).is_some_and(|reduction| reduction.axes.len() == call.data.rank())
}

#[cfg(test)]
mod tests {
    use normative_reference::{Norm, Opset, Tensor};
    use rstest::rstest;

    use super::*;
    use crate::corpus::load_ledger;

    const ONNX: Spec = Spec::Onnx(Norm::L1, Opset::V18);
    const OLD: Spec = Spec::Onnx(Norm::L1, Opset::V13);
    const VINO: Spec = Spec::OpenVino(Norm::L2);
    const ARRAY: Spec = Spec::ArrayApi(Norm::L1);

    fn call(spec: Spec, dtype: Dtype, shape: &[usize], axes: Axes) -> Call {
        let bits = vec![0; shape.iter().product()];
        Call::new(spec.operator(), Tensor::from_bits(dtype, shape, &bits).unwrap(), axes)
    }

    fn wrong_dims(expected: &[usize], got: &[usize]) -> Mismatch {
        Mismatch::Shape { expected: expected.to_vec(), got: got.to_vec() }
    }

    fn wrong_value() -> Mismatch {
        Mismatch::ChangedData(String::new())
    }

    fn list() -> AxesTensor {
        AxesTensor { dtype: Dtype::I64, shape: vec![1], values: vec![1] }
    }

    fn scalar() -> Axes {
        Axes::Given(AxesTensor { shape: Vec::new(), ..list() })
    }

    fn refused() -> Mismatch {
        Mismatch::Rejected { message: "no".into() }
    }

    #[rstest]
    #[case::a_negative_axis_that_is_not_reduced(ONNX, Dtype::F32, &[0], Axes::list(&[-1]), wrong_dims(&[1], &[0]), "axes-range")]
    #[case::another_axis_that_is_reduced(ONNX, Dtype::F32, &[2, 3], Axes::list(&[0]), wrong_dims(&[1, 3], &[2, 1]), "axes")]
    #[case::an_axis_more(VINO, Dtype::F32, &[2, 3], Axes::list(&[0]), wrong_dims(&[3], &[]), "axes-indices")]
    #[case::axes_of_a_type(
        VINO,
        Dtype::F32,
        &[2, 3],
        Axes::Given(AxesTensor { dtype: Dtype::I8, shape: vec![1], values: vec![0] }),
        wrong_dims(&[3], &[2]),
        "axes-indices"
    )]
    #[case::a_scalar_taken_for_none(ONNX, Dtype::F32, &[1, 1], scalar(), wrong_dims(&[1, 1], &[1]), "axes-list")]
    #[case::all_axes_but_one(VINO, Dtype::F32, &[2, 3], Axes::list(&[0, 1]), wrong_dims(&[], &[3]), "all-axes")]
    #[case::dims_that_are_left_out(ONNX, Dtype::F32, &[2, 3], Axes::list(&[-2]), wrong_dims(&[1, 3], &[3]), "keepdims-default")]
    #[case::dims_that_are_kept(VINO, Dtype::F32, &[2, 3], Axes::list(&[0]), wrong_dims(&[3], &[1, 3]), "keep-dims-default")]
    #[case::no_axis_that_is_reduced(ARRAY, Dtype::F32, &[1], Axes::list(&[]), wrong_dims(&[1], &[]), "axes-empty")]
    #[case::some_of_all(ONNX, Dtype::F32, &[2, 3], Axes::Absent, wrong_dims(&[1, 1], &[1, 3]), "axes-default")]
    #[case::axes_as_an_attribute(ONNX, Dtype::F32, &[2, 3], Axes::OtherForm(list()), wrong_dims(&[1, 1], &[2, 1]), "attributes")]
    #[case::axes_as_an_input(OLD, Dtype::F32, &[2, 3], Axes::OtherForm(list()), wrong_dims(&[1, 1], &[2, 1]), "inputs")]
    #[case::a_value_over_no_elements(ONNX, Dtype::F32, &[0], Axes::Absent, wrong_value(), "empty-set")]
    #[case::a_value(ONNX, Dtype::F32, &[1], Axes::Absent, wrong_value(), "norm")]
    #[case::a_type(ONNX, Dtype::F16, &[1], Axes::Absent, refused(), "types")]
    #[case::the_plainest(ONNX, Dtype::F32, &[1], Axes::Absent, refused(), "axes-default")]
    #[case::a_negative_axis(ONNX, Dtype::F32, &[1], Axes::list(&[-1]), refused(), "axes-range")]
    #[case::no_elements(VINO, Dtype::F32, &[0, 1], Axes::list(&[1]), refused(), "data-shape")]
    fn the_clause_is_the_one_that_the_failure_points_at(
        #[case] spec: Spec,
        #[case] dtype: Dtype,
        #[case] shape: &[usize],
        #[case] axes: Axes,
        #[case] mismatch: Mismatch,
        #[case] due: &str,
    ) {
        let cases = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases/clauses");
        let (ledger, call) = (load_ledger(&cases).unwrap(), call(spec, dtype, shape, axes));
        let clause = clause(&call, Some(&mismatch), &ledger);
        assert_eq!(clause.name, due);
        assert!(Cited::by(&ledger).of(&call).contains(due), "a call concerns each clause that it can break");
    }

    #[rstest]
    #[case::absent(Axes::Absent)]
    #[case::null(Axes::Null)]
    #[case::empty(Axes::list(&[]))]
    fn wrong_dims_of_a_no_op_break_the_clause_about_these(#[case] axes: Axes) {
        let cases = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases/clauses");
        let (ledger, of) = (load_ledger(&cases).unwrap(), |noop| Operator::Onnx {
            norm: Norm::L1,
            opset: Opset::V18,
            keepdims: None,
            noop_with_empty_axes: noop,
        });
        let call = |noop| Call { operator: of(noop), ..call(ONNX, Dtype::F32, &[0, 2], axes.clone()) };
        let dims = wrong_dims(&[0, 2], &[1, 1]);
        assert_eq!(clause(&call(Some(1)), Some(&dims), &ledger).name, "noop-true");
        assert_ne!(clause(&call(Some(0)), Some(&dims), &ledger).name, "noop-true");
        assert_ne!(clause(&call(None), Some(&dims), &ledger).name, "noop-true");
    }

    #[rstest]
    #[case::a_null_input_on_no_elements(&[0], Axes::Null, "empty-set")]
    #[case::a_negative_axis(&[2], Axes::list(&[-1]), "norm")]
    fn a_call_without_elements_that_ends_the_process_breaks_the_clause_about_these(
        #[case] shape: &[usize],
        #[case] axes: Axes,
        #[case] due: &str,
    ) {
        let cases = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases/clauses");
        let ledger = load_ledger(&cases).unwrap();
        assert_eq!(clause(&call(ONNX, Dtype::F16, shape, axes), None, &ledger).name, due);
    }
}
