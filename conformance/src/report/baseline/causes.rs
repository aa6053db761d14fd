//! Makes new entries of unknown failures: one for each defect, and one for each failure of a small defect.

use std::collections::BTreeMap;

use super::known::{How, Key, Name};
use crate::report::Report;
use crate::report::defect::Defect;

/// The fewest failures of a defect that get one entry together; fewer are named one by one.
const FEW: usize = 3;

/// Returns the calls of each new entry, by the name of the entry.
pub(super) fn entries(
    report: &Report<'_>,
    unknown: BTreeMap<Name, (Key, How)>,
) -> BTreeMap<String, BTreeMap<Key, How>> {
    let mut entries: BTreeMap<String, BTreeMap<Key, How>> = BTreeMap::new();
    let defects = report.defects_among(&|name| unknown.contains_key(&Name::of(name)));
    let by_failure = report.by_failure(&defects);
    for (name, (key, how)) in unknown {
        let defect = by_failure.get(name.text()).and_then(|&at| defects.get(at));
        let defect = defect.filter(|defect| defect.failures.len() >= FEW);
        let title = defect.map_or_else(|| name.text().to_owned(), Defect::name);
        entries.entry(title).or_default().insert(key, how);
    }
    entries
}
