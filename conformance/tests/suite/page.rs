//! Tests the page as a text and its data: they are complete, reproducible and small, and foreign text cannot break
//! out of them.

use std::collections::BTreeSet;

use crate::example::LEDGER;
use crate::page_reports::{cases, columns, hostile, written};
use normative_conformance::display::is_unseen;
use normative_conformance::report::finding;
use normative_present::column::Column;
use serde_json::Value;

/// Returns the data in a page.
fn data(page: &str) -> Value {
    let (_, from) = page.split_once("id=\"data\">").unwrap();
    serde_json::from_str(from.split_once("</script>").unwrap().0).unwrap()
}

fn list<'v>(value: &'v Value, name: &str) -> &'v Vec<Value> {
    value[name].as_array().unwrap()
}

fn place(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

/// A backend, a name, and all lines, each a label and a text.
type Failure = (usize, String, Vec<(String, String)>);

/// Returns the failures in the data of a page.
fn failures(data: &Value) -> Vec<Failure> {
    let data = &data["failures"];
    let text = |at: &Value| list(data, "texts")[place(at)].as_str().unwrap().to_owned();
    let label = |at: &Value| list(data, "labels")[place(at)].as_str().unwrap().to_owned();
    let lines = |numbers: &Value| -> Vec<(String, String)> {
        let numbers = numbers.as_array().unwrap();
        numbers.chunks(2).map(|pair| (label(&pair[0]), text(&pair[1]))).collect()
    };
    let failure = |row: &Value| {
        let call = &list(data, "calls")[place(&row[2])];
        let clauses = call[3].as_array().unwrap().iter().map(|at| {
            let clause = &list(data, "clauses")[place(at)];
            ("clause".into(), format!("{}: {}", clause[0].as_str().unwrap(), clause[1].as_str().unwrap()))
        });
        let all = clauses.chain(lines(&call[4])).chain(lines(&list(data, "answers")[place(&row[3])]));
        (place(&row[0]), text(&call[0]), all.collect())
    };
    list(data, "rows").iter().map(failure).collect()
}

#[test]
fn every_line_of_every_failure_is_on_the_page() {
    let cases = cases();
    let columns = columns(&cases, 400);
    let page = written(&columns);
    let mut failures = failures(&data(&page)).into_iter();
    let mut kinds = BTreeSet::new();
    for (at, Column { report, again, .. }) in columns.iter().enumerate() {
        for expected in finding::all(report, &LEDGER, again) {
            kinds.insert(expected.kind);
            let (backend, name, lines) = failures.next().unwrap();
            assert_eq!((backend, &name), (at, &expected.name));
            for line in &expected.lines {
                let text = match line.label {
                    "again" => match line.text.strip_prefix(again).unwrap().trim() {
                        option if option == format!("--case {name}") => "--case".to_owned(),
                        option => option.to_owned(),
                    },
                    // Texts that are long or invisible are shown in another form.
                    _ if at == 3 && line.text.len() > 2000 => continue,
                    _ => line.text.clone(),
                };
                assert!(lines.contains(&(line.label.into(), text.clone())), "{name}: {text}: {lines:?}");
            }
        }
    }
    assert_eq!(failures.next(), None);
    assert_eq!(kinds.len(), 4, "{kinds:?}");
}

#[test]
fn an_error_comes_with_the_arithmetic_of_its_bound() {
    let cases = cases();
    let page = written(&columns(&cases, 0));
    let failures = failures(&data(&page));
    let (_, _, lines) = failures.iter().find(|(backend, name, _)| *backend == 1 && name == "sum").unwrap();
    let after = |label: &str| {
        let at = lines.iter().position(|(of, _)| of == label).unwrap();
        lines[at..].iter().map(|(of, text)| format!("{of} {text}").trim().to_owned()).collect::<Vec<_>>()
    };
    // Twice the sum of 0.1, 0.7 and 0.3: an error of the whole sum, where two roundings are allowed.
    let error = after("error");
    assert!(error[0].ends_with("allowed 1.100 ulp"), "{error:?}");
    assert_eq!(error[1], "bound n = 3, s = 2 · 2^-24 (additions)");
    assert_eq!(error[2], "γ = s / (1 - s) = 1.1921e-7");
    assert!(
        error[3].starts_with("above 1.1921e-7 · 9.227") && error[3].ends_with("ulp = 1.1000 ulp"),
        "{error:?}"
    );
}

#[test]
fn the_matrix_counts_every_failure_of_a_backend_and_a_spec() {
    let cases = cases();
    let data = data(&written(&columns(&cases, 400)));
    let tables = &data["failures"];
    let mut counted = 0;
    for (at, backend) in list(&data, "backends").iter().enumerate() {
        for (spec, cell) in list(&data, "columns").iter().zip(list(backend, "cells")) {
            let parts = cell["against"]["parts"].as_array();
            let count: usize = parts.into_iter().flatten().map(|part| place(&part[0])).sum();
            let has =
                |row: &&Value| place(&row[0]) == at && list(tables, "calls")[place(&row[2])][1] == *spec;
            assert_eq!(list(tables, "rows").iter().filter(has).count(), count, "{at} {spec}");
            counted += count;
        }
    }
    assert!(counted > 0);
    assert_eq!(counted, list(tables, "rows").len());
}

#[test]
fn runs_of_one_name_are_told_apart() {
    let cases = cases();
    let wrong = || crate::page_reports::wrong(&cases, 0);
    let data = data(&written(&[wrong(), wrong()]));
    let names: Vec<&str> = list(&data, "backends").iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["wrong", "wrong (2)"]);
}

#[test]
fn hostile_words_add_no_element_turn_nothing_around_and_are_cut() {
    let cases = cases();
    let page = written(&columns(&cases, 100));
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    assert_eq!(page.matches("<img").count(), 0);
    assert!(!page.contains(['\u{202e}', '\u{2028}']));
    let said = list(&data(&page), "backends")[3]["name"].as_str().unwrap().to_owned();
    assert!(said.starts_with("</script><script>window.broken = 1") && said.ends_with('…'), "{said}");
    assert!(page.len() < 1_000_000, "{} bytes of {} in each of many places", page.len(), hostile().len());
}

#[test]
fn nothing_is_loaded() {
    let cases = cases();
    let columns = columns(&cases, 0);
    let page = written(&columns[..3]);
    assert!(page.contains("default-src 'none'"));
    for loads in ["src=", "url(", "@import", "<link", "http:", "https:", "import("] {
        assert!(!page.contains(loads), "{loads}");
    }
    for (at, _) in page.match_indices("href=\"") {
        assert!(page[at..].starts_with("href=\"#"));
    }
}

/// Returns all texts in a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(all) => all.iter().flat_map(texts).collect(),
        Value::Object(all) => all.values().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

#[test]
fn every_text_in_the_data_is_visible_and_of_limited_length() {
    let cases = cases();
    let data = data(&written(&columns(&cases, 100)));
    let texts = texts(&data);
    assert!(texts.iter().any(|text| text.contains("desrever")));
    for text in texts {
        let is_ours = |c: char| c == '\n' || !(c.is_control() || is_unseen(c));
        assert!(text.chars().all(is_ours) && text.chars().count() < 2050, "{text}");
    }
}

#[test]
fn the_data_have_the_outcome_the_matrix_the_questions_and_the_errors() {
    let cases = cases();
    let data = data(&written(&columns(&cases, 400)));
    assert_eq!(data["outcome"], "2 of 4 backends conform.");
    let cells = |at: usize| &data["backends"][at]["cells"];
    assert!(texts(cells(0)).iter().all(|&cell| cell == "conforms" || cell == "unsupported"), "{}", cells(0));
    for matter in ["died", "inconsistent"] {
        assert!(texts(cells(1)).contains(&matter), "{}", cells(1));
    }
    let question = list(&data, "questions").iter().find(|one| one["name"] == "empty-axes-identity").unwrap();
    assert_eq!(question["asks"], "With axes [], is the output the data or the norm of each element?");
    let takers: BTreeSet<usize> = list(question, "taken").iter().map(|taken| place(&taken[1])).collect();
    assert!(takers.contains(&0) && takers.contains(&1), "{takers:?}");
    let f32 = list(&data, "accuracy").iter().find(|one| one["dtype"] == "f32").unwrap();
    let (right, wrong) = (&f32["backends"][0][0], &f32["backends"][1][0]);
    assert!(right[1].as_f64().unwrap() < 1.0 && right[4] == false, "{right}");
    assert!(wrong[1].as_f64().unwrap() > 1.0 && wrong[4] == true, "{wrong}");
}

#[test]
fn without_a_script_the_page_has_the_outcome_and_names_the_command_that_prints_it() {
    let cases = cases();
    let page = written(&columns(&cases, 0)[..1]);
    let (markup, _) = page.split_once("<script").unwrap();
    assert!(markup.contains("<h1 id=\"title\">conforms"), "{markup}");
    let (_, without) = markup.split_once("<noscript>").unwrap();
    let without =
        without.split_once("</noscript>").unwrap().0.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        without.contains("needs JavaScript") && without.contains("normative report show FILE"),
        "{without}"
    );
}

/// Sixteen backends with six hundred failures each, on the same calls, each with its own text.
#[test]
fn a_page_of_sixteen_backends_is_less_than_three_megabytes() {
    let cases = cases();
    let wrong = crate::page_reports::wrong(&cases, 2000);
    // The text of a crash does not affect defects, so they are found once.
    let mut grouped = None;
    let columns: Vec<Column<'_>> = (0..16)
        .map(|at| {
            let mut column = wrong.clone();
            column.name = format!("backend-{at}");
            let finds = &mut column.report.generated.as_mut().unwrap().finds;
            assert!(finds.len() >= 600, "{}", finds.len());
            for find in finds {
                let words =
                    format!("error {at} in {}: the operator does not take what it was given", find.id);
                find.verdict = normative_conformance::Verdict::Crashed(words);
            }
            column.report.grouped = Some(grouped.get_or_insert_with(|| column.report.defects()).clone());
            column
        })
        .collect();
    let page = written(&columns);
    assert!(list(&data(&page)["failures"], "rows").len() > 9600);
    assert!(page.len() < 3_000_000, "{}", page.len());
}
