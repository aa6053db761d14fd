//! The data of the plots: per element type and backend, the error at each length of reduction.

use std::collections::{BTreeMap, BTreeSet};

use normative_reference::Dtype;

use crate::column::Column;
use normative_conformance::run::measured::{Decade, Precision};

/// The precision of each backend at each decade, for one element type.
pub(super) type Series = Vec<BTreeMap<Decade, Precision>>;

/// Returns one entry per column for each element type, over cases and generated calls together.
pub(super) fn of(columns: &[Column<'_>]) -> BTreeMap<Dtype, Series> {
    let mut all: BTreeMap<Dtype, Series> = BTreeMap::new();
    for (at, column) in columns.iter().enumerate() {
        let generated = column.report.generated.iter().flat_map(|generated| generated.measured.precision());
        let cases = column.report.precision().into_iter();
        for ((dtype, decade), precision) in cases.chain(generated) {
            if precision.elements == 0 {
                continue;
            }
            let series = all.entry(dtype).or_insert_with(|| vec![BTreeMap::new(); columns.len()]);
            series[at].entry(decade).and_modify(|sum| *sum = sum.and(precision)).or_insert(precision);
        }
    }
    all
}

/// Returns the decades with measurements.
pub(super) fn decades(series: &Series) -> BTreeSet<Decade> {
    series.iter().flat_map(BTreeMap::keys).copied().collect()
}
