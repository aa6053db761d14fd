//! Checks on the words of a file: titles, ids, lists of names.

use std::collections::BTreeSet;

use normative_reference::{Dtype, Norm, Spec};

use super::error::Problem;
use crate::display;

/// Checks that a text is not empty and has one line.
pub(crate) fn title(field: &'static str, text: &str) -> Result<(), Problem> {
    if text.trim().contains('\n') { Err(Problem::Text { field }) } else { filled(field, text) }
}

/// Checks that a text is not empty.
pub(crate) fn filled(field: &'static str, text: &str) -> Result<(), Problem> {
    if text.trim().is_empty() { Err(Problem::Text { field }) } else { Ok(()) }
}

/// Reads distinct specs, at least one: names, and words that [name](is_named) several. The versions of an operator stand
/// together, otherwise in the order of the list.
pub(super) fn specs(field: &'static str, names: &[String]) -> Result<Vec<Spec>, Problem> {
    distinct(field, names)?;
    let mut found: Vec<Spec> = Vec::new();
    for name in names {
        let before = found.len();
        let of_it = Spec::ALL.into_iter().filter(|&spec| spec.name() == name || is_named(spec, name));
        for spec in of_it {
            if found[..before].contains(&spec) {
                return Err(Problem::Repeated { field, name: spec.name().to_owned() });
            }
            found.push(spec);
        }
        if found.len() == before {
            return Err(Problem::UnknownSpec { field, name: name.clone() });
        }
    }
    let operator = |spec: &Spec| (spec.family(), spec.norm());
    let listed = found.clone();
    found.sort_by_key(|spec| listed.iter().position(|other| operator(other) == operator(spec)));
    Ok(found)
}

/// Checks that there is at least one name, and none twice.
pub(crate) fn distinct(field: &'static str, names: &[String]) -> Result<(), Problem> {
    if names.is_empty() {
        return Err(Problem::EmptyList { field });
    }
    let mut seen = BTreeSet::new();
    match names.iter().find(|name| !seen.insert(*name)) {
        Some(name) => Err(Problem::Repeated { field, name: name.clone() }),
        None => Ok(()),
    }
}

/// Checks for lower-case words and digits joined by '-'.
pub(super) fn well_formed(field: &'static str, name: &str) -> Result<(), Problem> {
    let word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    if name.split('-').all(word) { Ok(()) } else { Err(Problem::BadName { field, name: name.to_owned() }) }
}

/// Reads distinct element types, at least one.
pub(super) fn dtypes(field: &'static str, names: &[String]) -> Result<Vec<Dtype>, Problem> {
    distinct(field, names)?;
    let known = |name: &String| {
        Dtype::from_name(name).ok_or_else(|| Problem::UnknownDtype { field, name: name.clone() })
    };
    names.iter().map(known).collect()
}

/// The forms of `expect`; the last one is not allowed inside a reading.
pub(super) const FORMS: &[&str] =
    &["values", "roots", "repeat", "reference", "unchanged", "rejected", "outside", "open"];

/// Returns the prefix of the ids of an operator's cases.
pub fn prefix(spec: Spec) -> &'static str {
    match spec {
        Spec::OpenVino(Norm::SumSquare)
        | Spec::ArrayApi(Norm::SumSquare | Norm::Sum)
        | Spec::Blas(Norm::SumSquare | Norm::Sum) => "none-",
        Spec::OpenVino(Norm::L1) => "openvino-l1-",
        Spec::OpenVino(Norm::L2) => "openvino-l2-",
        Spec::OpenVino(Norm::Sum) => "openvino-sum-",
        Spec::Onnx(Norm::L1, _) => "onnx-l1-",
        Spec::Onnx(Norm::L2, _) => "onnx-l2-",
        Spec::Onnx(Norm::SumSquare, _) => "onnx-sum-square-",
        Spec::Onnx(Norm::Sum, _) => "onnx-sum-",
        Spec::Bnns => "bnns-",
        Spec::ArrayApi(Norm::L1) => "array-api-l1-",
        Spec::ArrayApi(Norm::L2) => "array-api-l2-",
        Spec::WebNn(Norm::L1) => "webnn-l1-",
        Spec::WebNn(Norm::L2) => "webnn-l2-",
        Spec::WebNn(Norm::SumSquare) => "webnn-sum-square-",
        Spec::WebNn(Norm::Sum) => "webnn-sum-",
        Spec::Blas(Norm::L1) => "blas-asum-",
        Spec::Blas(Norm::L2) => "blas-nrm2-",
    }
}

/// The norms and families that a case may have a part for. The other families write calls in a way of their own.
pub(super) const PARTS: [&str; 8] =
    ["l1", "l2", "sum-square", "sum", "openvino", "onnx", "array-api", "webnn"];

/// Returns true if a word names a spec by its family, by family and version, or by its operator: `onnx`, `onnx-13` or
/// `onnx/ReduceL2`.
pub(super) fn is_named(spec: Spec, word: &str) -> bool {
    words(spec).iter().any(|one| one == word)
}

fn words(spec: Spec) -> Vec<String> {
    let (family, version) = (spec.family().name(), version(spec).unwrap_or_default());
    vec![family.to_owned(), format!("{family}{version}"), display::operator(spec).to_owned()]
}

/// Returns the version of a spec, with the hyphen before it.
fn version(spec: Spec) -> Option<&'static str> {
    let name = display::version(spec);
    name.rfind('-').map(|at| &name[at..])
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::family(&["blas"], &["blas/asum-3.12", "blas/nrm2-3.12"])]
    #[case::version(&["onnx-13"], &["onnx/ReduceL1-13", "onnx/ReduceL2-13", "onnx/ReduceSumSquare-13", "onnx/ReduceSum-13"])]
    #[case::operator(&["onnx/ReduceL2"], &["onnx/ReduceL2-1", "onnx/ReduceL2-11", "onnx/ReduceL2-13", "onnx/ReduceL2-18"])]
    #[case::operator_of_one_version(&["array-api/vector_norm-l1"], &["array-api/vector_norm-l1-2022.12"])]
    #[case::versions_of_an_operator_together(&["onnx-11", "bnns", "onnx-1"], &["onnx/ReduceL1-11", "onnx/ReduceL1-1", "onnx/ReduceL2-11", "onnx/ReduceL2-1", "onnx/ReduceSumSquare-11", "onnx/ReduceSumSquare-1", "onnx/ReduceSum-11", "onnx/ReduceSum-1", "bnns/computeNorm"])]
    fn a_word_stands_for_all_specs_that_it_names(#[case] words: &[&str], #[case] due: &[&str]) {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let found: Vec<&str> = specs("specs", &words).unwrap().iter().map(|spec| spec.name()).collect();
        assert_eq!(found, due);
    }
}
