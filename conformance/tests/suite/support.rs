//! Tests the table of supported types: answered, refused and missing types differ, in every format and from
//! the record alone.

use crate::example::{LEDGER, cases_of};
use crate::reference_backend::{Policy, Reference, otherwise};
use crate::session::{on_record, rebuilt};
use normative_conformance::corpus::{Corpus, Ledger};
use normative_conformance::reference::{Call, Dtype, Family, Norm, Opset, Outcome, Spec, Tensor, rule};
use normative_conformance::report::tables::{self, Grid};
use normative_conformance::report::{Report, tables::support as grid};
use normative_conformance::run::support::State;
use normative_conformance::run::{Prepared, prepare};
use normative_conformance::session::{Calls, Job};
use normative_conformance::{Answer, Backend};
use normative_present::column::Column;
use normative_present::{markdown, page};

/// The reference, except for some types. For ONNX it refuses bf16, dies of u64, answers f16 with the data and
/// takes i64 of one rank only. For OpenVINO it refuses f64 and cannot express u8.
fn choosy(call: &Call) -> Option<Answer> {
    match (call.spec().family(), call.data.dtype()) {
        (Family::Onnx, Dtype::Bf16) => Some(Answer::Rejected("no bf16 here".into())),
        (Family::Onnx, Dtype::U64) => Some(Answer::Crashed("SIGSEGV".into())),
        (Family::Onnx, Dtype::F16) => Some(wrong(call)),
        (Family::Onnx, Dtype::I64) if call.data.rank() != 1 => {
            Some(Answer::Rejected("one dim of i64".into()))
        }
        (Family::OpenVino, Dtype::F64) => Some(Answer::Rejected("f64 is not for us".into())),
        (Family::OpenVino, Dtype::U8) => Some(Answer::Unsupported("u8 cannot be said".into())),
        _ => None,
    }
}

/// Returns an answer of the right form with one more in every element.
fn wrong(call: &Call) -> Answer {
    let refused = rule(call).alternatives.iter().any(|one| matches!(one.outcome, Outcome::Rejected(_)));
    match Reference(Policy::new()).answer(call) {
        Answer::Tensor(tensor) if !refused => {
            let bits: Vec<u64> = tensor.bits().into_iter().map(|bits| bits ^ 0x10).collect();
            Answer::Tensor(Tensor::from_bits(tensor.dtype(), tensor.shape(), &bits).unwrap())
        }
        answer => answer,
    }
}

fn corpus() -> (Corpus, Ledger) {
    let mut corpus = cases_of("onnx/ReduceL1");
    corpus.cases.extend(cases_of("openvino/ReduceL1").cases);
    (corpus, LEDGER.clone())
}

const V18: Spec = Spec::Onnx(Norm::L1, Opset::V18);
const OPENVINO: Spec = Spec::OpenVino(Norm::L1);

fn job<'a>(corpus: &Corpus, prepared: &'a [Prepared<'a>]) -> Job<'a> {
    let calls = Calls::Row { seed: 5, calls: Some(400), specs: vec![V18, OPENVINO] };
    Job { calls, repeat: 0, shrink: 0, ..Job::of(corpus.cases.len(), prepared) }
}

/// Returns the cells of a type's row, after the types.
fn row(grid: &Grid, spec: Spec, dtype: Dtype) -> Vec<&str> {
    let is_it =
        |row: &&Vec<String>| row[0] == spec.name() && row[1].split(' ').any(|one| one == dtype.name());
    let mut rows = grid.rows.iter().filter(is_it);
    let row = rows.next().unwrap();
    assert!(rows.next().is_none(), "a type stands in one row");
    row[2..].iter().map(String::as_str).collect()
}

fn formats(report: &Report<'_>, ledger: &Ledger) -> [String; 2] {
    let column = Column { name: "choosy".into(), report: report.clone(), again: "again".into(), repro: None };
    let [mut marked, mut html] = [const { String::new() }; 2];
    markdown::write(&mut marked, std::slice::from_ref(&column), ledger).unwrap();
    page::write(&mut html, std::slice::from_ref(&column), ledger, "this suite").unwrap();
    [marked, html]
}

#[test]
fn types_are_supported_refused_or_missing_in_its_words() {
    let (corpus, ledger) = corpus();
    let prepared = prepare(&corpus.cases).unwrap();
    let (job, folder) = (job(&corpus, &prepared), tempfile::tempdir().unwrap());
    let path = folder.path().join("record");
    let mut backend = otherwise("choosy", Policy::new(), choosy);
    let report = on_record(&job, &corpus, &ledger, &path, &mut backend, &mut ());
    let grid = grid(&report);

    let of = |spec, dtype| row(&grid, spec, dtype);
    assert_eq!(of(V18, Dtype::F32)[0], "supported");
    assert_eq!(of(V18, Dtype::F32)[2..4], ["0", "correctly-rounded"]);
    let missing = of(V18, Dtype::Bf16);
    assert_eq!((missing[0], missing[2], missing[3]), ("MISSING", "0", "-"));
    assert!(missing[1].starts_with("0/") && missing[5] == "no bf16 here", "{missing:?}");
    assert_eq!(of(V18, Dtype::U64)[0], "died");
    // Wrong answers are answers: the type is supported, and its accuracy is "beyond".
    let wrong = of(V18, Dtype::F16);
    assert_eq!((wrong[0], wrong[3]), ("supported", "beyond"));
    assert_ne!(wrong[2], "0");
    let in_part = of(V18, Dtype::I64);
    assert_eq!(in_part[0], "in part");
    assert!(in_part[5].starts_with("one dim of i64"), "{in_part:?}");
    // OpenVINO leaves its types to the implementation, so an absent type is not missing.
    let refused = of(OPENVINO, Dtype::F64);
    assert_eq!(refused[0], "refused");
    assert!(refused[5].ends_with("f64 is not for us"), "{refused:?}");
    let unsupported = of(OPENVINO, Dtype::U8);
    assert_eq!(unsupported[0], "refused");
    assert!(unsupported[5].starts_with("u8 cannot be said"), "{unsupported:?}");

    // Types that a spec does not list have no row; every other type has one.
    for spec in Spec::ALL {
        let types = grid.rows.iter().filter(|row| row[0] == spec.name());
        let types = types.flat_map(|row| row[1].split(' ')).count();
        let asked = report.tallies().contains_key(&spec);
        assert_eq!(types, if asked { spec.rules().dtypes.len() } else { 0 }, "{spec}");
    }

    let rebuilt = rebuilt(&corpus, &ledger, &prepared, &path).report;
    let shown = formats(&report, &ledger);
    assert_eq!(formats(&rebuilt, &ledger), shown, "the record gives the same");
    for text in &shown {
        for word in ["MISSING", "no bf16 here", "refused", "u8 cannot be said"] {
            assert!(text.contains(word), "{word}: {text}");
        }
    }
}

#[test]
fn what_was_not_asked_says_so() {
    let (corpus, _) = corpus();
    let is_f32 = |case: &&normative_conformance::corpus::Case| {
        case.call.spec() == V18 && case.call.data.dtype() == Dtype::F32
    };
    let prepared = prepare(corpus.cases.iter().filter(is_f32)).unwrap();
    let calls = Calls::Row { seed: 5, calls: Some(0), specs: vec![] };
    let job = Job { calls, repeat: 0, ..Job::of(corpus.cases.len(), &prepared) };
    let report = job.judge(&mut Reference(Policy::new()), None, &mut ()).unwrap();
    let grid = tables::support(&report);
    assert_eq!(row(&grid, V18, Dtype::F32)[0], State::Supported.word());
    assert_eq!(row(&grid, V18, Dtype::Bf16)[..2], [State::NotAsked.word(), "0/0"]);
}
