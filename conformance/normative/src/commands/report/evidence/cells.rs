//! CSV that is safe to open in a spreadsheet: RFC 4180, UTF-8, and no cell that is executed as a formula.
//!
//! Control characters become blanks. A cell that begins with `=`, `+`, `-` or `@`, or the wide form of one, gets an
//! apostrophe before it. `evidence.json` has every text unchanged.

use anyhow::{Result, ensure};
use normative_conformance::display::plain;

/// The first characters of formulas, also in their wide forms.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// Writes a table below this line of names, none of which needs quotes. Every row must have as many cells.
///
/// # Errors
/// A row has another number of cells.
pub(super) fn csv(header: &str, rows: impl IntoIterator<Item = Vec<String>>) -> Result<Vec<u8>> {
    let columns = header.split(',').count();
    let mut table = format!("{header}\r\n");
    for row in rows {
        ensure!(row.len() == columns, "expected {columns} cells, got {}", row.len());
        table += &line(row.iter().map(|cell| clean(cell)));
    }
    Ok(table.into_bytes())
}

/// Writes one row, which RFC 4180 ends by carriage return and line feed.
fn line(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.map(quoted).collect();
    // An empty line would not be read as a row.
    let cells = if cells == [""] { "\"\"".to_owned() } else { cells.join(",") };
    cells + "\r\n"
}

/// Quotes a cell that has a comma or a quote. [`clean`] has removed its line ends.
fn quoted(cell: String) -> String {
    if cell.contains([',', '"']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

/// Returns a text as a cell.
fn clean(text: &str) -> String {
    let text = plain(text);
    let quote = if text.starts_with(FORMULA) { "'" } else { "" };
    format!("{quote}{text}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::words("a clause", "a clause")]
    #[case::formula("=HYPERLINK(\"x\")", "'=HYPERLINK(\"x\")")]
    #[case::plus("+1", "'+1")]
    #[case::minus("-1 is an axis", "'-1 is an axis")]
    #[case::at("@SUM(A1)", "'@SUM(A1)")]
    #[case::wide("\u{ff1d}1", "'\u{ff1d}1")]
    #[case::within("a=b", "a=b")]
    #[case::tab("\t=1", " =1")]
    #[case::two_lines("a\r\nb", "a  b")]
    fn no_cell_is_executed(#[case] text: &str, #[case] cell: &str) {
        assert_eq!(clean(text), cell);
    }

    proptest! {
        #[test]
        fn a_table_reads_back_cell_by_cell(cells in prop::collection::vec(any::<String>(), 1..8)) {
            let header = vec!["a"; cells.len()].join(",");
            let bytes = csv(&header, [cells.clone()]).unwrap();
            let rows: Vec<csv::StringRecord> =
                csv::ReaderBuilder::new().from_reader(&bytes[..]).records().collect::<Result<_, _>>().unwrap();
            let due: Vec<String> = cells.iter().map(|cell| clean(cell)).collect();
            // A single empty cell is written as `""`, so its line is a row.
            prop_assert_eq!(rows.len(), 1);
            prop_assert_eq!(rows[0].iter().collect::<Vec<_>>(), due);
            for cell in &rows[0] {
                prop_assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']));
            }
        }
    }
}
