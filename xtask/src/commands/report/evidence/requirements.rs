//! The reader's own scheme of requirements: which clauses each of them rests on.
//!
//! CSV with the header `requirement,clause`; a clause is `SPEC#NAME`, as the ledger and every report name it, and a
//! requirement has a line for each. A clause that is not in the ledger is an error.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, bail};
use normative_conformance::corpus::Ledger;
use normative_present::evidence::Requirement;

/// What the file begins with.
const HEADER: [&str; 2] = ["requirement", "clause"];

/// The requirements in the order of the file, then every clause that none of them names. `file` is what messages name.
///
/// # Errors
/// Everything wrong with the file, each with its line.
pub(super) fn read(file: &str, bytes: &[u8], ledger: &Ledger) -> Result<Vec<Requirement>> {
    // A spreadsheet may begin UTF-8 with a mark.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(bytes);
    let header = reader.headers().with_context(|| file.to_owned())?;
    if header.iter().ne(HEADER) {
        let got = header.iter().collect::<Vec<_>>().join(",");
        bail!("{file}:1: expected the header {}, got {got:?}", HEADER.join(","));
    }
    let known: BTreeSet<String> = ledger.iter().map(|entry| entry.clause.to_string()).collect();
    let (mut requirements, mut wrong) = (Vec::new(), Vec::new());
    for record in reader.records() {
        let record = record.with_context(|| file.to_owned())?;
        let line = record.position().map_or(0, csv::Position::line);
        let cells: Vec<&str> = record.iter().collect();
        match cells[..] {
            [id, clause] if !id.is_empty() && known.contains(clause) => {
                let one = Requirement { id: id.to_owned(), clause: clause.to_owned() };
                if requirements.contains(&one) {
                    wrong.push(format!("{file}:{line}: {id} names {clause} twice"));
                }
                requirements.push(one);
            }
            ["", _] => wrong.push(format!("{file}:{line}: expected the name of a requirement, got nothing")),
            [_, clause] => wrong.push(format!(
                "{file}:{line}: expected a clause of the ledger, such as {}, got {clause:?}",
                known.first().map_or("onnx/ReduceL1-18#norm", String::as_str)
            )),
            _ => wrong.push(format!("{file}:{line}: expected two cells, got {}", cells.len())),
        }
    }
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    let named: BTreeSet<&str> = requirements.iter().map(|one| one.clause.as_str()).collect();
    let unnamed =
        ledger.iter().map(|entry| entry.clause.to_string()).filter(|clause| !named.contains(clause.as_str()));
    let unnamed: Vec<Requirement> = unnamed.map(|clause| Requirement { id: String::new(), clause }).collect();
    requirements.extend(unnamed);
    Ok(requirements)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use normative_conformance::corpus::load_ledger_text;
    use rstest::rstest;

    use super::*;

    fn ledger() -> Ledger {
        let clause = |name: &str| {
            format!("  - name: {name}\n    level: determined\n    says: It says so.\n    where: Text\n")
        };
        let text = format!(
            "source: A text\nspecs: [onnx/ReduceL1-18]\nclauses:\n{}{}{}",
            clause("norm"),
            clause("axes"),
            clause("types")
        );
        load_ledger_text(Path::new("a.yaml"), &text).unwrap()
    }

    #[test]
    fn clauses_that_no_requirement_names_come_last() {
        let text =
            "\u{feff}requirement,clause\r\nR-1,onnx/ReduceL1-18#types\r\n\"R,2\", onnx/ReduceL1-18#norm\r\n";
        let read = read("r.csv", text.as_bytes(), &ledger()).unwrap();
        let rows: Vec<(&str, &str)> = read.iter().map(|one| (one.id.as_str(), one.clause.as_str())).collect();
        let due = [
            ("R-1", "onnx/ReduceL1-18#types"),
            ("R,2", "onnx/ReduceL1-18#norm"),
            ("", "onnx/ReduceL1-18#axes"),
        ];
        assert_eq!(rows, due);
    }

    #[rstest]
    #[case::unknown(
        "requirement,clause\nR,onnx/ReduceL1-18#norms\n",
        "r.csv:2: expected a clause of the ledger"
    )]
    #[case::spec("requirement,clause\nR,onnx/ReduceL1-18#norm\nR,onnx#norm\n", "r.csv:3: ")]
    #[case::nameless(
        "requirement,clause\n,onnx/ReduceL1-18#norm\n",
        "r.csv:2: expected the name of a requirement"
    )]
    #[case::three("requirement,clause\na,b,c\n", "r.csv:2: expected two cells, got 3")]
    #[case::one("requirement,clause\na\n", "r.csv:2: expected two cells, got 1")]
    #[case::header("id,clause\n", "r.csv:1: expected the header requirement,clause, got \"id,clause\"")]
    #[case::nothing("", "r.csv:1: expected the header")]
    #[case::twice(
        "requirement,clause\nR,onnx/ReduceL1-18#norm\nR,onnx/ReduceL1-18#norm\n",
        "r.csv:3: R names "
    )]
    #[case::bytes("requirement,clause\nR,\u{0}\n", "r.csv:2: ")]
    fn what_is_wrong_is_named_with_its_line(#[case] text: &str, #[case] because: &str) {
        let error = format!("{:#}", read("r.csv", text.as_bytes(), &ledger()).unwrap_err());
        assert!(error.contains(because), "{error}");
    }
}
