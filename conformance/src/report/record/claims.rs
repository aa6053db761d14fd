//! What a backend claims, as the head of a record has it: names of families, and those of which the values alone are claimed.

use normative_backend::{Claim, Extent};
use normative_reference::Family;

/// The names of all families that are claimed, and of those of which the values alone are.
pub(super) fn written(claims: &[Claim]) -> (Vec<String>, Vec<String>) {
    let alone = claims.iter().filter(|claim| claim.extent == Extent::ValuesAlone);
    let name = |claim: &Claim| claim.family.to_string();
    (claims.iter().map(name).collect(), alone.map(name).collect())
}

/// The claims that these names say.
///
/// # Errors
/// The name that is none.
pub(super) fn read(families: &[String], values_alone: &[String]) -> Result<Vec<Claim>, String> {
    let claim = |name: &String| {
        let family = Family::from_name(name).ok_or_else(|| format!("no family of specs is {name:?}"))?;
        let extent = if values_alone.contains(name) { Extent::ValuesAlone } else { Extent::InFull };
        Ok(Claim { family, extent })
    };
    families.iter().map(claim).collect()
}

/// The families that a backend claims unless it says otherwise.
pub(super) fn families_by_default() -> Vec<String> {
    Family::BY_DEFAULT.iter().map(ToString::to_string).collect()
}
