//! Tests the look of a matrix: one snapshot with every kind of cell, and the rules of its layout.

use crate::page_reports::{cases, columns, report};
use crate::reference_backend::{Policy, otherwise};
use normative_conformance::reference::{Question, Reading};
use normative_present::column::Column;
use normative_present::matrix::write;

#[test]
fn every_kind_of_cell_has_its_words() {
    let cases = cases();
    let policy = Policy::from([
        (Question::EmptyAxesIdentity, Reading::NormOfEachElement),
        (Question::FloatRange, Reading::Naive),
    ]);
    let mut columns = columns(&cases, 40);
    let report = report(&cases, 40, &mut otherwise("example", policy, |_| None));
    columns[3] =
        Column { name: "other-readings".into(), report, again: "judge other-readings".into(), repro: None };
    let mut text = String::new();
    write(&mut text, &columns).unwrap();
    insta::assert_snapshot!(text);
}

#[test]
fn what_has_no_room_beside_the_others_stands_below_with_the_same_rows() {
    let cases = cases();
    let right = columns(&cases, 0).swap_remove(0);
    let names: Vec<String> = (0..12).map(|at| format!("backend-with-a-long-name@{at}")).collect();
    let columns: Vec<Column<'_>> =
        names.iter().map(|name| Column { name: name.clone(), ..right.clone() }).collect();
    let mut text = String::new();
    write(&mut text, &columns).unwrap();
    let (tables, lines) = text.split_once("N defects, M calls").unwrap();
    assert!(tables.lines().all(|line| line.chars().count() <= 110), "{tables}");
    for name in &names {
        let headers = tables.lines().filter(|line| line.split_whitespace().any(|word| word == name));
        assert_eq!(headers.count(), 3, "{name} has a column in each of three tables");
        assert_eq!(lines.lines().filter(|line| line.contains(&format!(": \"{name}\" (\""))).count(), 1);
    }
    let rows = tables.lines().filter(|line| line.starts_with("openvino/ReduceL1-4 "));
    assert_eq!(rows.count(), tables.lines().filter(|line| line.starts_with("spec ")).count());
}
