//! A call in one line, as commands take it: the fields of a case that say the call, as a flow mapping.
//!
//! `{specs: [onnx/ReduceL1-18], dtypes: [i64], data: {shape: [1], values: [7]}}` is such a line. It becomes a case
//! whose name is the line, so that every command printed for it can be copied. It claims nothing about its answer.

use std::path::{Path, PathBuf};

use normative_reference::{Call, Layout, Spec};

use super::{Case, CaseClaim, Statement, load_text, prefix, stated, write};

/// The most elements of data that a line spells out.
const SPELLED: usize = 64;

/// Returns the line of a call; `None` if its data are too large for a line, or if no case can state it.
pub fn of(call: &Call) -> Option<String> {
    let bits = call.data.bits();
    let is_short = bits.len() <= SPELLED || bits.iter().all(|one| *one == bits[0]);
    let line = text(call);
    // A call may have a form that files do not have.
    let reads_back = || cases(&line).is_ok_and(|cases| cases.iter().all(|case| case.call == *call));
    (is_short && call.layout == Layout::RowMajor && reads_back()).then_some(line)
}

fn text(call: &Call) -> String {
    let fields: Vec<String> =
        write::fields(call).into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
    format!("{{{}}}", fields.join(", "))
}

/// Returns true if a word is such a line, not the name of a call.
pub fn is_one(word: &str) -> bool {
    word.trim_start().starts_with('{')
}

/// Reads the calls of a line: one for each spec and type.
///
/// # Errors
/// Returns the reason why it states no call.
pub fn cases(line: &str) -> Result<Vec<Case>, String> {
    let example = || {
        format!(
            "expected a call, such as {{specs: [onnx/ReduceL1-18], dtypes: [f32], data: {{shape: [2], values: [3, -4]}}}}, got {line}"
        )
    };
    let fields = line.trim().strip_prefix('{').filter(|rest| !rest.contains('\n')).ok_or_else(example)?;
    let spec = Spec::ALL.into_iter().find(|spec| fields.contains(spec.name())).ok_or_else(example)?;
    // The other fields of a file, which say nothing of the call.
    let besides =
        format!("id: {}call, clauses: [norm], why: it is asked, expect: {{unchanged: true}}", prefix(spec));
    let file = format!("topic: a call\nspecs: [{spec}]\ncases:\n  - {{{besides}, {fields}\n");
    let cases = load_text(Path::new("call"), &file);
    let cases = cases.map_err(|errors| {
        let problems: Vec<String> = errors.iter().map(|error| error.problem.to_string()).collect();
        problems.join("; ")
    })?;
    Ok(cases.into_iter().map(|case| asked(text(&case.call), case.call)).collect())
}

/// Makes a case of this name that claims nothing about its answer.
pub fn asked(name: String, call: Call) -> Case {
    let claim = stated::claim_of(&call).unwrap_or(CaseClaim::Determined(Statement::Unchanged));
    let (file, why) = (PathBuf::new(), String::new());
    Case { id: name.clone(), name, file, line: 0, clauses: Vec::new(), why, call, random: None, claim }
}

#[cfg(test)]
mod tests {
    use normative_reference::{Axes, AxesTensor, Dtype, Norm, Operator, Opset, Tensor};
    use rstest::rstest;

    use super::*;

    fn call(spec: Spec, dtype: Dtype, shape: &[usize], bits: &[u64], axes: Axes) -> Call {
        Call::new(spec.operator(), Tensor::from_bits(dtype, shape, bits).unwrap(), axes)
    }

    const L1: Spec = Spec::Onnx(Norm::L1, Opset::V18);
    const ARRAY: Spec = Spec::ArrayApi(Norm::L2);

    #[rstest]
    #[case::plain(
        call(L1, Dtype::I64, &[1], &[7], Axes::Absent),
        "{specs: [onnx/ReduceL1-18], dtypes: [i64], data: {shape: [1], values: [7]}}"
    )]
    #[case::no_elements(
        call(L1, Dtype::F32, &[0, 2], &[], Axes::list(&[-1])),
        "{specs: [onnx/ReduceL1-18], dtypes: [f32], data: {shape: [0, 2], values: []}, axes: [-1]}"
    )]
    #[case::one_element_many_times(
        call(L1, Dtype::U8, &[99], &[3; 99], Axes::Null),
        "{specs: [onnx/ReduceL1-18], dtypes: [u8], data: {shape: [99], repeat: 3}, axes: null}"
    )]
    #[case::axes_of_another_form(
        call(L1, Dtype::F32, &[1], &[0x7fc0_0001], Axes::OtherForm(AxesTensor { dtype: Dtype::I32, shape: vec![], values: vec![0] })),
        "{specs: [onnx/ReduceL1-18], dtypes: [f32], data: {shape: [1], values: [bits:0x7fc00001]}, axes: {dtypes: [i32], \
         shape: [], values: [0], other_form: true}}"
    )]
    #[case::attributes(
        Call {
            operator: Operator::Onnx { norm: Norm::L1, opset: Opset::V18, keepdims: Some(2), noop_with_empty_axes: Some(0) },
            ..call(L1, Dtype::F16, &[], &[0x7c00], Axes::list(&[]))
        },
        "{specs: [onnx/ReduceL1-18], dtypes: [f16], data: {shape: [], values: [.inf]}, axes: [], keep_dims: 2, \
         noop_with_empty_axes: 0}"
    )]
    #[case::the_fastest_axis_first(
        Call {
            operator: Operator::Bnns { output_shape: vec![2, 1] },
            ..call(Spec::Bnns, Dtype::F32, &[1, 2], &[0, 1], Axes::Absent)
        },
        "{specs: [bnns/computeNorm], dtypes: [f32], data: {shape: [2, 1], values: [0, tiny]}, output_shape: [2, 1]}"
    )]
    fn a_line_reads_back_as_its_call(#[case] call: Call, #[case] line: &str) {
        assert_eq!(of(&call).as_deref(), Some(line));
        let cases = cases(line).unwrap();
        assert_eq!(cases.len(), 1);
        assert_eq!((&cases[0].call, &cases[0].call.data.bits()), (&call, &call.data.bits()));
        assert_eq!((cases[0].name.as_str(), cases[0].clauses.len()), (line, 0));
    }

    #[rstest]
    #[case::too_many_elements(call(L1, Dtype::U8, &[65], &(0..65).collect::<Vec<_>>(), Axes::Absent))]
    #[case::a_layout(Call { layout: Layout::Sliced, ..call(L1, Dtype::U8, &[2], &[1, 2], Axes::Absent) })]
    #[case::a_type_that_no_file_of_its_family_has(call(ARRAY, Dtype::I32, &[1], &[1], Axes::Absent))]
    fn what_a_line_cannot_say_has_none(#[case] call: Call) {
        assert_eq!(of(&call), None);
    }

    #[test]
    fn a_line_of_several_specs_and_types_is_several_calls() {
        let line = "{dtypes: [f32, f64], specs: [onnx/ReduceL1-11, onnx/ReduceL1-18], data: {shape: [1], values: [1]}}";
        let names: Vec<String> = cases(line).unwrap().into_iter().map(|case| case.name).collect();
        assert_eq!(names.len(), 4);
        assert_eq!(names[3], "{specs: [onnx/ReduceL1-18], dtypes: [f64], data: {shape: [1], values: [1]}}");
    }

    #[rstest]
    #[case::no_spec("{dtypes: [f32], data: {shape: [1], values: [1]}}", "expected a call, such as")]
    #[case::an_unknown_field("{specs: [onnx/ReduceL1-18], colour: red}", "unknown field `colour`")]
    #[case::too_few_elements(
        "{specs: [onnx/ReduceL1-18], dtypes: [f32], data: {shape: [2], values: [1]}}",
        "2"
    )]
    #[case::a_second_case("{specs: [onnx/ReduceL1-18], dtypes: [f32]}\n  - {}", "expected a call, such as")]
    fn what_is_no_call_is_refused(#[case] line: &str, #[case] due: &str) {
        let error = cases(line).unwrap_err();
        assert!(error.contains(due), "{error}");
    }
}
