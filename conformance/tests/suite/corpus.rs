//! Tests the whole corpus: it agrees with the reference, open cases tell their readings apart, every clause
//! has a case and every case its clauses, and files are in the folders of their specs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use normative_conformance::corpus::clauses::{Level, load_ledger};
use normative_conformance::corpus::{Case, CaseClaim, load};
use normative_conformance::reference::newest::newest;
use normative_conformance::reference::{Question, Spec};
use normative_conformance::run::prepare;

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("cases")
}

fn cases() -> Vec<Case> {
    load(&folder()).unwrap().cases
}

#[test]
fn every_case_agrees_with_the_reference_and_every_open_case_tells_its_readings_apart() {
    let cases = cases();
    assert!(cases.iter().any(|case| matches!(case.claim, CaseClaim::Open { .. })));
    if let Err(errors) = prepare(&cases) {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{}", errors.join("\n"));
    }
}

#[test]
fn there_are_more_than_four_hundred_cases_before_expansion() {
    let ids: BTreeSet<String> = cases().into_iter().map(|case| case.id).collect();
    assert!(ids.len() > 400, "{}", ids.len());
}

#[test]
fn no_two_cases_have_one_name() {
    let cases = cases();
    let mut names = BTreeSet::new();
    let twice: Vec<&str> =
        cases.iter().map(|case| case.name.as_str()).filter(|name| !names.insert(*name)).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn every_spec_has_cases_and_every_question_is_put() {
    let cases = cases();
    for spec in Spec::ALL {
        assert!(cases.iter().any(|case| case.call.spec() == spec), "{spec}");
    }
    for question in Question::ALL {
        let put =
            |case: &&Case| matches!(case.claim, CaseClaim::Open { question: put, .. } if put == question);
        assert!(cases.iter().any(|case| put(&case)), "{question}");
    }
}

#[test]
fn every_clause_that_decides_or_opens_has_a_case_and_every_cited_clause_is_in_the_ledger() {
    let (cases, ledger) = (cases(), load_ledger(&folder().join("clauses")).unwrap());
    let cited: BTreeSet<_> = cases.iter().flat_map(|case| &case.clauses).collect();
    let known: BTreeSet<_> = ledger.iter().map(|entry| &entry.clause).collect();
    assert_eq!(cited.difference(&known).collect::<Vec<_>>(), Vec::<&&_>::new());
    let testable = ledger.iter().filter(|entry| entry.level != Level::Informative);
    let without: Vec<String> = testable
        .filter(|entry| !cited.contains(&entry.clause))
        .map(|entry| entry.clause.to_string())
        .collect();
    assert!(without.is_empty(), "{without:?}");
}

#[test]
fn every_clause_a_rejection_cites_is_in_the_ledger() {
    use normative_conformance::reference::{Outcome, rule};
    let ledger = load_ledger(&folder().join("clauses")).unwrap();
    for case in cases() {
        for alternative in rule(&case.call).alternatives {
            if let Outcome::Rejected(clause) = alternative.outcome {
                assert!(ledger.get(clause.spec, clause.name).is_some(), "{clause}, cited for {}", case.name);
            }
        }
    }
}

#[test]
fn each_source_is_taken_apart_into_its_statements() {
    let ledger = load_ledger(&folder().join("clauses")).unwrap();
    let mut per_source: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in ledger.iter() {
        *per_source.entry(&entry.source).or_default() += 1;
    }
    let count = |source: &str| {
        per_source.iter().filter(|(name, _)| name.contains(source)).map(|(_, count)| count).sum::<usize>()
    };
    assert!(count("ReduceL1-4") > 20 && count("ReduceL2-4") > 20, "{per_source:?}");
    assert!(count("ONNX ReduceL1") > 40 && count("BNNS") > 12, "{per_source:?}");
}

#[test]
fn every_clause_of_the_text_that_exists_in_japanese_says_where_it_stands_there() {
    let ledger = load_ledger(&folder().join("clauses")).unwrap();
    for entry in ledger.iter().filter(|entry| entry.clause.spec.name() == "openvino/ReduceL1-4") {
        assert!(entry.place_ja.is_some(), "{}", entry.clause);
    }
}

#[test]
fn files_lie_in_the_folder_of_their_family_or_outside_if_they_have_several() {
    let cases = cases();
    let mut families: BTreeMap<&Path, BTreeSet<&str>> = BTreeMap::new();
    for case in &cases {
        families.entry(&case.file).or_default().insert(case.call.spec().family().name());
    }
    for (file, families) in families {
        let file = file.strip_prefix(folder()).expect("a case's file is below the folder loaded");
        let folders: Vec<_> =
            file.iter().take(file.iter().count() - 1).filter_map(|name| name.to_str()).collect();
        let due = if families.len() == 1 { families.into_iter().collect() } else { Vec::new() };
        assert_eq!(folders, due, "{}", file.display());
    }
}

#[test]
fn large_cases_come_only_from_their_own_folder() {
    let large = folder().join("large");
    assert!(load(&large).unwrap().cases.len() > 30);
    let usual = load(&folder()).unwrap().cases;
    assert!(!usual.iter().any(|case| case.file.starts_with(&large)));
}

#[test]
fn what_a_newer_text_settles_is_open_in_the_specs_of_that_text_alone() {
    let ledger = load_ledger(&folder().join("clauses")).unwrap();
    for settled in newest() {
        assert!(settled.question.readings().contains(&settled.reading), "{settled}");
        let raising = ledger.iter().filter(|entry| entry.questions.contains(&settled.question));
        let specs: BTreeSet<String> = raising.map(|entry| entry.clause.spec.to_string()).collect();
        let due = ["onnx/ReduceL1-18", "onnx/ReduceL2-18", "onnx/ReduceSumSquare-18"];
        assert_eq!(specs, due.map(str::to_owned).into(), "{settled}");
    }
}
