//! Converts a backend's claims to and from the header of a record: family names, and those claimed for values alone.

use normative_backend::{Claim, Extent};
use normative_reference::Family;

/// Returns the names of all claimed families, and of those claimed for values alone.
pub(super) fn written(claims: &[Claim]) -> (Vec<String>, Vec<String>) {
    let alone = claims.iter().filter(|claim| claim.extent == Extent::ValuesAlone);
    let name = |claim: &Claim| claim.family.to_string();
    (claims.iter().map(name).collect(), alone.map(name).collect())
}

/// Parses the claims from these names.
///
/// # Errors
/// Returns the first unknown name.
pub(super) fn read(families: &[String], values_alone: &[String]) -> Result<Vec<Claim>, String> {
    let claim = |name: &String| {
        let family = Family::from_name(name).ok_or_else(|| format!("no family of specs is {name:?}"))?;
        let extent = if values_alone.contains(name) { Extent::ValuesAlone } else { Extent::InFull };
        Ok(Claim { family, extent })
    };
    families.iter().map(claim).collect()
}

/// Returns the families that a backend claims by default.
pub(super) fn families_by_default() -> Vec<String> {
    Family::BY_DEFAULT.iter().map(ToString::to_string).collect()
}
