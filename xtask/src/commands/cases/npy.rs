//! A case as `NumPy` arrays: `case.json`, and a [file](npy()) for `numpy.load` for every tensor that it names.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use normative_conformance::judge::accuracy::Class;
use normative_conformance::judge::accuracy::accepted::accepted;
use normative_conformance::judge::accuracy::converted::ends;
use normative_conformance::reference::{Expected, Kind, Near, Tensor, TensorError, Value};
use normative_conformance::run::Prepared;
use normative_present::export::{Exported, ExportedCondition};
use normative_present::npy::npy;

/// Writes the folder of a case.
pub(super) fn write(folder: &Path, one: &Prepared<'_>) -> Result<()> {
    fs::create_dir_all(folder)?;
    let save = |name: &str, tensor: &Tensor| {
        fs::write(folder.join(name), npy(tensor)).with_context(|| name.to_owned())
    };
    let mut exported = Exported::of(&[(one.case, &one.sheet)]).context("a case without a call")?;
    let asked = exported.calls.first_mut().context("a case without a call")?;
    save("data.npy", &one.case.call.data)?;
    asked.data.in_file();
    for (at, (entry, answer)) in one.sheet.entries.iter().zip(&mut asked.answers).enumerate() {
        match (&entry.expected, &mut answer.is) {
            (Expected::Exactly(tensor), ExportedCondition::Exactly(array)) => {
                save(&format!("expected-{at}.npy"), tensor)?;
                array.in_file();
            }
            (Expected::Converted(converted), ExportedCondition::Between { low, high }) => {
                save(&format!("expected-{at}.npy"), &converted.best)?;
                let ends = ends(converted).context("ends of a tensor that is too large")?;
                for ((array, tensor), end) in [low, high].into_iter().zip(&ends).zip(["low", "high"]) {
                    save(&format!("{end}-{at}.npy"), tensor)?;
                    array.in_file();
                }
            }
            (Expected::Near(near), ExportedCondition::Near(reals)) => {
                save(&format!("expected-{at}.npy"), &near.rounded()?)?;
                for class in Class::DEMANDED {
                    let (low, high) = bounds(near, class)?;
                    save(&format!("low-{at}-{}.npy", class.name()), &low)?;
                    save(&format!("high-{at}-{}.npy", class.name()), &high)?;
                }
                reals.nearest = None;
            }
            _ => {}
        }
    }
    let text = serde_json::to_string(&exported)?;
    Ok(fs::write(folder.join("case.json"), text + "\n")?)
}

/// Returns the least and the greatest float that a class accepts. Both are NaN if it accepts no float, or only NaN.
fn bounds(near: &Near, class: Class) -> Result<(Tensor, Tensor), TensorError> {
    let (mut low, mut high) = (Vec::new(), Vec::new());
    if let Kind::Float(format) = near.dtype.kind() {
        for value in &near.values {
            let bounds = match value {
                Value::Finite(real) => accepted(real, format, near, None, class)
                    .map_or((format.nan(), format.nan()), |bounds| (bounds.low, bounds.high)),
                Value::Infinite | Value::Nan => (value.round(format), value.round(format)),
            };
            low.push(bounds.0);
            high.push(bounds.1);
        }
    }
    let tensor = |bits: &[u64]| Tensor::from_bits(near.dtype, &near.shape, bits);
    Ok((tensor(&low)?, tensor(&high)?))
}
