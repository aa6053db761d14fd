//! A defect of a backend, as commands name it: by its number or name in the report of the last full run.
//!
//! Commands ask its smallest call. The report is rebuilt from the record without starting the backend, so the numbers
//! are those of `cargo xtask report show`.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, anyhow, bail};
use normative_conformance::corpus::{Corpus, line};
use normative_conformance::display::operator;
use normative_conformance::reference::{Dtype, Spec};
use normative_conformance::report::defect::{Defect, Witness};
use normative_conformance::report::finding::{Line, of_defect};
use normative_conformance::run::support::Support;

use crate::named::Named;
use crate::rebuild::Rebuilder;
use crate::records::{path_of_run, usual_path};
use crate::select::{Folder, list};
use normative_conformance::display::shell::quoted;

/// Returns true if a word names a defect: a number, or text with a blank, which names of cases and generated calls do
/// not have.
pub(crate) fn is_named(word: &str) -> bool {
    !line::is_one(word) && word.contains(' ') || word.parse::<usize>().is_ok()
}

/// A defect of the last full run.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Its name.
    pub(crate) name: String,
    /// Its smallest call.
    pub(crate) smallest: Named,
    /// The lines of a report about its extent.
    pub(crate) extent: Vec<Line>,
    /// The names of its failures, as the option `--case` takes them.
    pub(crate) failures: Vec<String>,
}

/// Lists the defects of a backend's last full run, the worst first.
///
/// # Errors
/// There is no record of a full run.
pub(crate) fn all(backend: &str, corpus: &Corpus, folder: &Folder) -> Result<Vec<Known>> {
    let path = usual_path(backend)?;
    let narrowed = path_of_run(backend, true)?;
    let first = || {
        let of_part =
            if narrowed.exists() { "; a run of a part is on file, of which repro takes a CALL" } else { "" };
        let backend = quoted(backend);
        format!(
            "a defect is one of the last full run: cargo xtask conformance --backend {backend} makes one{of_part}"
        )
    };
    let rebuilder = Rebuilder::over(corpus, folder)?;
    let columns = rebuilder.read(&path).with_context(first)?;
    let [column] = columns.as_slice() else { bail!("{}: expected one run, got several", path.display()) };
    let support = column.report.support();
    let named = |defect: &Defect<'_>| {
        let smallest = Named::of(&defect.asked_by()).map_err(|why| anyhow!(why))?;
        let failures = defect.failures.iter().map(Witness::asked_by).collect();
        let mut extent = of_defect(defect);
        extent.extend(right(defect.specs.keys().copied(), &defect.dtypes, &support));
        Ok(Known { name: defect.name(), smallest, extent, failures })
    };
    column.report.defects().iter().map(named).collect()
}

/// Returns the operators, and of those of the defect the types, of which no answer is wrong: a maintainer asks for them
/// first.
fn right(specs: impl Iterator<Item = Spec>, dtypes: &BTreeSet<Dtype>, support: &Support) -> Option<Line> {
    let of_defect: BTreeSet<&str> = specs.map(operator).collect();
    let (mut answered, mut wrong) = (BTreeSet::new(), BTreeSet::new());
    for (spec, dtype, served) in support.listed() {
        let of = operator(spec);
        let name = if of_defect.contains(of) { dtype.name() } else { of };
        if served.answered > 0 {
            answered.insert(name);
        }
        if served.wrong > 0 || dtypes.contains(&dtype) && of_defect.contains(of) {
            wrong.insert(name);
        }
    }
    let right: Vec<&str> = answered.difference(&wrong).copied().collect();
    (!right.is_empty()).then(|| Line::new("never wrong", &right.join(" ")))
}

/// Returns one defect.
///
/// # Errors
/// Those of [`all`], and a name that fits no defect or several.
pub(crate) fn one(backend: &str, wanted: &str, corpus: &Corpus, folder: &Folder) -> Result<Known> {
    let mut all = all(backend, corpus, folder)?;
    let names: Vec<String> = all.iter().map(|known| known.name.clone()).collect();
    let at = find(&names, wanted).with_context(|| backend.to_owned())?;
    Ok(all.swap_remove(at))
}

/// Finds a defect by its number from 1, by its full name, or by a part that only its name contains.
fn find(names: &[String], wanted: &str) -> Result<usize> {
    let numbered = |expected: &str, these: &[usize]| {
        let names: Vec<String> = these.iter().map(|&at| format!("{}  {}", at + 1, names[at])).collect();
        let found = if names.is_empty() { "no call failed in that run".to_owned() } else { list(&names) };
        anyhow!("expected {expected}, got {wanted:?}:\n{found}")
    };
    let every: Vec<usize> = (0..names.len()).collect();
    let unknown = || numbered("a defect of the last full run", &every);
    if let Ok(number) = wanted.parse::<usize>() {
        return number.checked_sub(1).filter(|at| *at < names.len()).ok_or_else(unknown);
    }
    if let Some(at) = names.iter().position(|name| name == wanted) {
        return Ok(at);
    }
    let near: Vec<usize> = (0..names.len()).filter(|&at| names[at].contains(wanted)).collect();
    match near.as_slice() {
        [at] => Ok(*at),
        [] => Err(unknown()),
        several => Err(numbered("a part of one defect's name", several)),
    }
}

#[cfg(test)]
mod tests {
    use normative_conformance::observed::Observed;
    use normative_conformance::reference::{Axes, Call, Norm, Operator, Tensor};
    use normative_conformance::{Demands, Sheet, judge};
    use rstest::rstest;

    use super::*;

    /// Of L1, f32 is wrong and f64 right; L2 of f32 is right; i32 is refused.
    #[test]
    fn what_is_right_is_the_other_types_and_operators_that_are_answered() {
        let mut support = Support::default();
        let mut count = |norm, dtype, came: Option<u64>| {
            let data = Tensor::from_bits(dtype, &[1], &[0]).unwrap();
            let call = Call::new(Operator::OpenVino { norm, keep_dims: None }, data, Axes::list(&[0]));
            let came = came.map_or(Observed::Rejected("no".into()), |bits| {
                Observed::Tensor(Tensor::from_bits(dtype, &[], &[bits]).unwrap())
            });
            let verdict = judge(&Sheet::of(&call).unwrap(), &came, &Demands::default());
            support.count(&call, true, &verdict);
            call.spec()
        };
        let spec = count(Norm::L1, Dtype::F32, Some(1));
        count(Norm::L1, Dtype::F64, Some(0));
        count(Norm::L1, Dtype::I32, None);
        count(Norm::L2, Dtype::F32, Some(0));
        let line = right([spec].into_iter(), &BTreeSet::from([Dtype::F32]), &support);
        assert_eq!(line, Some(Line::new("never wrong", "f64 openvino/ReduceL2")));
    }

    #[rstest]
    #[case::by_number("2", Some(1))]
    #[case::by_name("no answer", Some(0))]
    #[case::by_a_part_that_is_nobody_elses("f16", Some(1))]
    #[case::by_the_whole_name_though_it_is_part_of_another("wrong values", Some(2))]
    #[case::by_a_part_of_several("values: ", None)]
    #[case::no_such_number("5", None)]
    #[case::numbers_begin_with_one("0", None)]
    #[case::no_such_name("valid calls refused", None)]
    fn a_defect_is_found(#[case] wanted: &str, #[case] due: Option<usize>) {
        let names = ["no answer", "wrong values: f16 data", "wrong values", "wrong values: a NaN"];
        let names = names.map(str::to_owned);
        match find(&names, wanted) {
            Ok(at) => assert_eq!(Some(at), due),
            Err(error) => {
                assert_eq!(due, None, "{error}");
                assert!(error.to_string().contains("2  wrong values: f16 data"), "{error}");
                let lists_all = error.to_string().contains("1  no answer");
                assert_eq!(lists_all, wanted != "values: ", "{error}");
            }
        }
    }
}
