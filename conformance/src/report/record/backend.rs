//! The description of a backend in the header of a record: its names, and what it claims and declares, as names.

use normative_backend::{Capabilities, Claim, Declared, Extent, Identity};
use normative_reference::{Family, Spec};
use serde::{Deserialize, Serialize};

use super::written::dtype;

/// The backend, as it describes itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RecordedBackend {
    /// The runtime's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The place where its maintainers take bug reports.
    pub report_bugs_to: String,
    /// Pairs of a data type and the float type of its sums.
    pub accumulation: Vec<(String, String)>,
    /// True if it declares itself slow.
    pub slow: bool,
    /// True if it accepts axes in the form of another opset.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub other_forms: bool,
    /// The layouts of data that it accepts, beside row-major.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layouts: Vec<String>,
    /// The operators that it declares, if it lists any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub operators: Vec<String>,
    /// The element types of data that it declares, if it lists any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dtypes: Vec<String>,
    /// The families of specs that it claims.
    pub families: Vec<String>,
    /// Those of them that it claims for values alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values_alone: Vec<String>,
}

impl RecordedBackend {
    /// Returns the backend's description of itself.
    pub fn of(identity: &Identity, capabilities: &Capabilities) -> Self {
        let Identity { name, version, report_bugs_to } = identity.clone();
        let Capabilities { accumulation, slow, claims, other_forms, layouts, declared } = capabilities;
        let values_alone: Vec<&Claim> =
            claims.iter().filter(|claim| claim.extent == Extent::ValuesAlone).collect();
        let family = |claim: &Claim| claim.family.to_string();
        Self {
            name,
            version,
            report_bugs_to,
            accumulation: accumulation
                .iter()
                .map(|(data, sums)| (data.to_string(), sums.to_string()))
                .collect(),
            slow: *slow,
            other_forms: *other_forms,
            layouts: layouts.iter().map(ToString::to_string).collect(),
            operators: declared.specs.iter().map(ToString::to_string).collect(),
            dtypes: declared.dtypes.iter().map(ToString::to_string).collect(),
            families: claims.iter().map(family).collect(),
            values_alone: values_alone.into_iter().map(family).collect(),
        }
    }

    /// Returns its identity.
    pub fn identity(&self) -> Identity {
        let Self { name, version, report_bugs_to, .. } = self.clone();
        Identity { name, version, report_bugs_to }
    }

    /// Returns its claims and limits.
    ///
    /// # Errors
    /// Returns the first unknown name.
    pub(super) fn capabilities(&self) -> Result<Capabilities, String> {
        let pair = |(data, sums): &(String, String)| Ok::<_, String>((dtype(data)?, dtype(sums)?));
        let layout = |name: &String| name.parse().map_err(|_| format!("expected a layout, got {name:?}"));
        let spec =
            |name: &String| Spec::from_name(name).ok_or_else(|| format!("expected a spec, got {name:?}"));
        let claim = |name: &String| {
            let family =
                Family::from_name(name).ok_or_else(|| format!("expected a family of specs, got {name:?}"))?;
            let values_alone = self.values_alone.contains(name);
            let extent = if values_alone { Extent::ValuesAlone } else { Extent::InFull };
            Ok::<_, String>(Claim { family, extent })
        };
        Ok(Capabilities {
            accumulation: self.accumulation.iter().map(pair).collect::<Result<_, _>>()?,
            slow: self.slow,
            claims: self.families.iter().map(claim).collect::<Result<_, _>>()?,
            other_forms: self.other_forms,
            layouts: self.layouts.iter().map(layout).collect::<Result<_, _>>()?,
            declared: Declared {
                specs: self.operators.iter().map(spec).collect::<Result<_, _>>()?,
                dtypes: self.dtypes.iter().map(|name| dtype(name)).collect::<Result<_, _>>()?,
            },
        })
    }
}
