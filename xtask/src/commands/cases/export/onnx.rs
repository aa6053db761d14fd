//! Cases as directories of ONNX models: those for a runner of the standard's backend tests, and those of calls that
//! must be refused.

use std::fs;
use std::path::Path;

use anyhow::Result;
use normative_conformance::corpus::{Case, CaseClaim, Ledger};
use normative_conformance::judge::accuracy::Class;
use normative_conformance::judge::accuracy::accepted::{Accepted, accepted};
use normative_conformance::reference::textbook::to_f64;
use normative_conformance::reference::{Expected, Kind, Operator, Tensor, Value};
use normative_conformance::run::Prepared;
use normative_onnx::{AxesAs, Model, model, model_of_test, tensor};

const OTHER_STANDARD: &str = "of another standard than ONNX";
const NO_PLACE: &str = "a model has no place for the axes";

/// Writes a case as `model.onnx` and `test_data_set_0`, or returns the reason why it cannot.
pub(super) fn test_directory(output: &Path, one: &Prepared<'_>) -> Result<Option<&'static str>> {
    let Case { name, call, claim, .. } = one.case;
    if !matches!(call.operator, Operator::Onnx { .. }) {
        return Ok(Some(OTHER_STANDARD));
    }
    if matches!(claim, CaseClaim::Open { .. }) {
        return Ok(Some("open: a runner of such directories knows one answer"));
    }
    let result = match one.sheet.entries.first().map(|entry| &entry.expected) {
        Some(Expected::Near(near)) => near.rounded()?,
        Some(Expected::Exactly(tensor)) => tensor.clone(),
        Some(Expected::Converted(converted)) => converted.best.clone(),
        // The texts of ONNX do not declare anything outside their scope.
        Some(Expected::Rejection(_) | Expected::Anything(_)) | None => {
            return Ok(Some("to be refused: a runner of such directories knows results alone"));
        }
    };
    let Ok(Model { bytes, axes }) = model_of_test(call, result.shape()) else {
        return Ok(Some(NO_PLACE));
    };
    let folder = output.join(directory(name));
    let inputs: Vec<Tensor> = std::iter::once(call.data.clone()).chain(axes).collect();
    write_model(&folder, &bytes, &inputs)?;
    fs::write(folder.join(DATA_SET).join("output_0.pb"), tensor(normative_onnx::OUTPUT, &result))?;
    let (rtol, atol) = tolerances(&result, one);
    fs::write(folder.join("data.json"), format!("{{\"rtol\": {rtol:e}, \"atol\": {atol:e}}}\n"))?;
    Ok(None)
}

/// Writes a call that must be refused as a model that a runtime must not load or run, or returns the reason why it
/// cannot. Axes are a constant of the model, so that a runtime can find the mistake when it loads the model.
pub(super) fn refusal_directory(
    output: &Path,
    one: &Prepared<'_>,
    ledger: &Ledger,
) -> Result<Option<&'static str>> {
    let Case { name, call, claim, why, .. } = one.case;
    if !matches!(call.operator, Operator::Onnx { .. }) {
        return Ok(Some(OTHER_STANDARD));
    }
    if matches!(claim, CaseClaim::Open { .. }) {
        return Ok(Some("open: under another reading it need not be refused"));
    }
    let [only] = one.sheet.entries.as_slice() else { return Ok(Some("to be answered")) };
    let Expected::Rejection(clause) = &only.expected else { return Ok(Some("to be answered")) };
    let Ok(Model { bytes, .. }) = model(call, AxesAs::Initializer) else { return Ok(Some(NO_PLACE)) };
    let folder = output.join(directory(name));
    write_model(&folder, &bytes, std::slice::from_ref(&call.data))?;
    let says = ledger.get(clause.spec, clause.name).map(|clause| &clause.says);
    let refusal = serde_json::json!({ "name": name, "clause": clause.to_string(), "says": says, "why": why });
    fs::write(folder.join("refusal.json"), format!("{refusal:#}\n"))?;
    Ok(None)
}

const DATA_SET: &str = "test_data_set_0";

/// Returns the name of a case's directory, in the style of ONNX's own.
fn directory(name: &str) -> String {
    format!("test_{}", name.replace(['-', '/'], "_"))
}

/// Writes a model and its inputs.
fn write_model(folder: &Path, model: &[u8], inputs: &[Tensor]) -> Result<()> {
    let data_set = folder.join(DATA_SET);
    fs::create_dir_all(&data_set)?;
    fs::write(folder.join("model.onnx"), model)?;
    for (at, input) in inputs.iter().enumerate() {
        let name = if at == 0 { normative_onnx::DATA } else { normative_onnx::AXES };
        fs::write(data_set.join(format!("input_{at}.pb")), tensor(name, input))?;
    }
    Ok(())
}

/// Returns the tolerances of a runner, one pair for all elements. They are the least that every allowed answer passes:
/// relative for elements whose nearest float is not zero, absolute for the others.
fn tolerances(result: &Tensor, one: &Prepared<'_>) -> (f64, f64) {
    let Kind::Float(format) = result.dtype().kind() else { return (0.0, 0.0) };
    // The runner subtracts and multiplies in the type of the result, so leave room for its rounding.
    let room = 1.0 + 8.0 * 2_f64.powi(-(format.precision as i32));
    let (mut rtol, mut atol) = (0_f64, 0_f64);
    for entry in &one.sheet.entries {
        let Expected::Near(near) = &entry.expected else { continue };
        for (value, bits) in near.values.iter().zip(result.bits()) {
            let Value::Finite(real) = value else { continue };
            let Some(Accepted { low, high, .. }) = accepted(real, format, near, None, Class::Vacuous) else {
                continue;
            };
            let float = |bits: u64| to_f64(result.dtype(), bits);
            let (nearest, low) = (float(bits), float(low));
            // Infinity is not within any tolerance, so a runner fails it unless the nearest float is infinite.
            let high = float(high.min(format.infinity() - 1));
            let off = (nearest - low).max(high - nearest);
            if nearest == 0.0 { atol = atol.max(off) } else { rtol = rtol.max(off / nearest.abs() * room) }
        }
    }
    (rtol, atol)
}
