//! Tests the whole corpus: it agrees with the reference, open cases tell their readings apart, rejections cite
//! clauses of the ledger, and files are in the folders of their specs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use normative_conformance::corpus::{Case, CaseClaim, load};
use normative_conformance::reference::newest::newest;
use normative_conformance::reference::{Question, Spec};
use normative_conformance::run::prepare;

use crate::example::{CORPUS, LEDGER, folder};

#[test]
fn every_case_agrees_with_the_reference_and_every_open_case_tells_its_readings_apart() {
    assert!(CORPUS.cases.iter().any(|case| matches!(case.claim, CaseClaim::Open { .. })));
    if let Err(errors) = prepare(&CORPUS.cases) {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{}", errors.join("\n"));
    }
}

#[test]
fn every_spec_has_cases_and_every_question_is_put() {
    for spec in Spec::ALL {
        assert!(CORPUS.cases.iter().any(|case| case.call.spec() == spec), "{spec}");
    }
    for question in Question::ALL {
        let put =
            |case: &&Case| matches!(case.claim, CaseClaim::Open { question: put, .. } if put == question);
        assert!(CORPUS.cases.iter().any(|case| put(&case)), "{question}");
    }
}

#[test]
fn every_clause_a_rejection_cites_is_in_the_ledger() {
    use normative_conformance::reference::{Outcome, rule};
    for case in &CORPUS.cases {
        for alternative in rule(&case.call).alternatives {
            if let Outcome::Rejected(clause) = alternative.outcome {
                assert!(LEDGER.get(clause.spec, clause.name).is_some(), "{clause}, cited for {}", case.name);
            }
        }
    }
}

#[test]
fn every_clause_of_the_text_that_exists_in_japanese_says_where_it_stands_there() {
    for entry in LEDGER.iter().filter(|entry| entry.clause.spec.name() == "openvino/ReduceL1-4") {
        assert!(entry.place_ja.is_some(), "{}", entry.clause);
    }
}

#[test]
fn files_lie_in_the_folder_of_their_family_or_outside_if_they_have_several() {
    let mut families: BTreeMap<&Path, BTreeSet<&str>> = BTreeMap::new();
    for case in &CORPUS.cases {
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
    assert!(!CORPUS.cases.iter().any(|case| case.file.starts_with(&large)));
}

#[test]
fn what_a_newer_text_settles_is_open_in_the_specs_of_that_text_alone() {
    for settled in newest() {
        assert!(settled.question.readings().contains(&settled.reading), "{settled}");
        let raising = LEDGER.iter().filter(|entry| entry.questions.contains(&settled.question));
        let specs: BTreeSet<String> = raising.map(|entry| entry.clause.spec.to_string()).collect();
        let due = ["onnx/ReduceL1-18", "onnx/ReduceL2-18", "onnx/ReduceSumSquare-18"];
        assert_eq!(specs, due.map(str::to_owned).into(), "{settled}");
    }
}
