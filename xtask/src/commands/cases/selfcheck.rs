//! Writes models that judge themselves: a folder for a device or a converter on which no backend can run.
//!
//! [`normative_repro::selfcheck`] makes the models. This module names and bundles them, and says what their numbers mean.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use normative_conformance::Demands;
use normative_conformance::corpus::Case;
use normative_conformance::display::counted;
use normative_conformance::reference::{Operator, Opset};
use normative_conformance::run::Prepared;
use normative_repro::Due;
use normative_repro::due::DueCondition;
use normative_repro::selfcheck::{Check, DataAs, MOST_ANSWERS, controls, file_stem, graph, kind};

/// The most checks of one bundle, because one that fails ends its bundle.
const BUNDLE: usize = 100;

/// The files that are the same in every folder.
const FIXED: [(&str, &str); 2] = [
    ("README.md", include_str!("../../../templates/selfcheck/README.md")),
    ("run.py", include_str!("../../../templates/selfcheck/run.py")),
];

/// A check and its name.
type Named<'a> = (String, Check<'a>);

/// Writes the folder. `suite` identifies the cases. Returns a summary in words.
///
/// # Errors
/// A file cannot be written, or no case is of ONNX.
pub(super) fn write(prepared: &[Prepared<'_>], suite: &str, output: &Path) -> Result<String> {
    let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
    let mut cases: Vec<(&Case, Opset, Due)> = Vec::new();
    for Prepared { case, sheet } in prepared {
        let Operator::Onnx { opset, .. } = case.call.operator else {
            *left_out.entry("it is not of ONNX".to_owned()).or_default() += 1;
            continue;
        };
        let reason = match Due::of(sheet, case.call.spec(), &Demands::default()) {
            Ok(due) if due.whole => {
                "it is about the errors of all elements together, which no graph judges".into()
            }
            Ok(due) if due.answers.len() > MOST_ANSWERS => {
                "more acceptable answers than a number has bits".into()
            }
            Ok(due) => match Check::of_call(&case.call, &due) {
                Ok(_) => {
                    cases.push((case, opset, due));
                    continue;
                }
                Err(error) => error.to_string(),
            },
            Err(error) => error.to_string(),
        };
        *left_out.entry(reason).or_default() += 1;
    }
    if cases.is_empty() {
        bail!("expected cases of ONNX, which have models, got none");
    }
    let mut kinds: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for of_case @ (case, opset, _) in &cases {
        kinds.entry((*opset, case.call.data.dtype())).or_default().push(of_case);
    }
    for (name, content) in FIXED {
        fs::write(output.join(name), content)?;
    }
    let (single, together) = (output.join("single"), output.join("bundles"));
    fs::create_dir(&single)?;
    fs::create_dir(&together)?;
    let (mut answers, mut bundles) = (String::from("name\tnumber\tacceptable\n"), 0);
    let (mut all_single, mut all_bundled) = (0, 0);
    for ((opset, dtype), of_kind) in kinds {
        let known = controls(opset, dtype).context("a control without a tensor")?;
        let mut alone: Vec<Vec<Named<'_>>> = vec![Vec::new()];
        for control in &known {
            writeln!(answers, "{}\t{}\tcontrol", control.name, u8::from(control.is_met))?;
            alone[0].push((control.name.clone(), Check::of_control(control)));
        }
        let mut bundled = alone[0].clone();
        for (case, _, due) in of_kind {
            let named = (file_stem(&case.name), Check::of_call(&case.call, due)?);
            tell(&mut answers, &named.0, due)?;
            if !due.accepts_refusal() {
                bundled.push(named.clone());
            }
            alone.push(vec![named]);
        }
        all_single += alone.iter().map(Vec::len).sum::<usize>();
        all_bundled += bundled.len();
        let kind = kind(opset, dtype);
        for checks in &alone {
            let stem = if let [(name, _)] = checks.as_slice() { name } else { &format!("control.{kind}") };
            save(&single.join(stem), checks, opset, DataAs::Picked)?;
        }
        for (nth, checks) in bundled.chunks(BUNDLE).enumerate() {
            save(&together.join(format!("{kind}.{nth}")), checks, opset, DataAs::Constant)?;
            bundles += 1;
        }
    }
    fs::write(output.join("answers.tsv"), answers)?;
    fs::write(output.join("suite.txt"), format!("{suite} {all_single} {all_bundled}\n"))?;
    let (cases, bundles) = (counted(cases.len(), "case", "cases"), counted(bundles, "bundle", "bundles"));
    let mut text = format!("{cases} written to {}, {bundles}\n", output.display());
    for (reason, count) in left_out {
        writeln!(text, "left out: {}: {reason}", counted(count, "case", "cases"))?;
    }
    Ok(text)
}

/// Writes a line for each acceptable answer of a case.
fn tell(answers: &mut String, name: &str, due: &Due) -> Result<()> {
    for (bit, answer) in due.answers.iter().enumerate() {
        let number = match answer.is {
            DueCondition::Tensor(_) => (1_u32 << bit).to_string(),
            DueCondition::Refused(_) => "refused".to_owned(),
        };
        let readings = if answer.readings.is_empty() { "under any reading" } else { &answer.readings };
        writeln!(answers, "{name}\t{number}\t{readings}")?;
    }
    Ok(())
}

/// Writes the model of these checks, and their names if there are several.
fn save(stem: &Path, checks: &[Named<'_>], opset: Opset, data_as: DataAs) -> Result<()> {
    let (names, checks): (Vec<&str>, Vec<Check<'_>>) =
        checks.iter().map(|(name, check)| (name.as_str(), check.clone())).unzip();
    // A stem has dots of its own, so its ending is added, not replaced.
    let with = |ending: &str| format!("{}.{ending}", stem.display());
    fs::write(with("onnx"), graph(&checks, opset, data_as)?.into_model())?;
    if checks.len() > 1 {
        fs::write(with("txt"), names.join("\n") + "\n")?;
    }
    Ok(())
}
