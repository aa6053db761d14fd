//! CSV that a spreadsheet opens as it is: RFC 4180, UTF-8, and no cell that it would execute.
//!
//! The rule: control characters become blanks, and a cell that begins with `=`, `+`, `-` or `@`, or with the wide form of
//! one of these, gets an apostrophe before it. `evidence.json` has every text as it is.

use anyhow::{Context as _, Result};
use normative_conformance::display::plain;

/// What a formula begins with.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// Writes a table; every row has as many cells as the header.
///
/// # Errors
/// Where one has not.
pub(super) fn csv(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Result<Vec<u8>> {
    // RFC 4180 ends a line by both.
    let mut writer =
        csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).flexible(false).from_writer(Vec::new());
    writer.write_record(header)?;
    for row in rows {
        writer.write_record(row.iter().map(|cell| clean(cell)))?;
    }
    writer.into_inner().context("a table cannot be written")
}

/// A text as a cell.
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
            let header: Vec<&str> = cells.iter().map(|_| "a").collect();
            let bytes = csv(&header, [cells.clone()]).unwrap();
            let rows: Vec<csv::StringRecord> =
                csv::ReaderBuilder::new().from_reader(&bytes[..]).records().collect::<Result<_, _>>().unwrap();
            let due: Vec<String> = cells.iter().map(|cell| clean(cell)).collect();
            // A single empty cell is written in quotes, so that its line is a row.
            prop_assert_eq!(rows.len(), 1);
            prop_assert_eq!(rows[0].iter().collect::<Vec<_>>(), due);
            for cell in &rows[0] {
                prop_assert!(!cell.starts_with(['=', '+', '-', '@', '\t', '\r']));
            }
        }
    }
}
