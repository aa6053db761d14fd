//! The differences between routes of one product, from their records.

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use normative_conformance::corpus::Corpus;
use normative_conformance::report::record::Record;
use normative_conformance::report::routes::{self, RouteDifference};
use normative_conformance::session;
use normative_present::column::Column;

/// Compares the routes in these records.
pub(crate) fn of_records(records: &[Record], corpus: &Corpus) -> Result<Vec<RouteDifference>> {
    routes::differences(records, corpus).map_err(|error| anyhow!(error))
}

/// Compares the routes in these files. It reads one product at a time, to limit memory.
pub(crate) fn of_files(
    columns: &[Column<'_>],
    paths: &[PathBuf],
    corpus: &Corpus,
) -> Result<Vec<RouteDifference>> {
    let product = |column: &Column<'_>| {
        let identity = &column.report.identity;
        (identity.report_bugs_to.clone(), identity.version.clone())
    };
    let mut products: Vec<((String, String), Vec<&PathBuf>)> = Vec::new();
    for (column, path) in columns.iter().zip(paths) {
        let of = product(column);
        match products.iter_mut().find(|(other, _)| *other == of) {
            Some((_, paths)) => paths.push(path),
            None => products.push((of, vec![path])),
        }
    }
    let mut differences = Vec::new();
    for (_, paths) in products.iter().filter(|(_, paths)| paths.len() > 1) {
        let mut records = Vec::with_capacity(paths.len());
        for path in paths {
            records.extend(session::read_all(path)?);
        }
        differences.extend(of_records(&records, corpus)?);
    }
    Ok(differences)
}
