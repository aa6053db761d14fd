//! Writes the call as a few lines of Python that fail, for an issue: no file beside it, and an assertion at the end.
//!
//! The script of the folder says more: all that is due, what came, and PASS or FAIL.

use std::fmt::Write as _;

use normative_conformance::{Observed, display};
use normative_reference::{Dtype, Tensor};

use crate::arguments::tuple;
use crate::due::{DueCondition, DueTensor};
use crate::literal::{IN_LINE, array_in_line, decimals, name};
use crate::script::Script;
use crate::{ReproFile, Subject};

/// The most bytes of a file that are written out.
const IN_TEXT: usize = 4096;

/// Returns the lines; `None` if a file is too long for them, or if one assertion cannot say what is due.
pub(crate) fn python(subject: &Subject<'_>, script: &Script, files: &[ReproFile]) -> Option<String> {
    let [due] = subject.due.answers.as_slice() else { return None };
    let data = &subject.call.data;
    let (mut code, mut written) = (script.code.clone(), String::new());
    for file in files {
        if file.path == "data.npy" && data.len() <= IN_LINE {
            code = code.replace("np.load(HERE / \"data.npy\")", &array_in_line(data).0);
        } else if file.bytes.len() <= IN_TEXT {
            let hex = file.bytes.iter().fold(String::new(), |mut hex, byte| {
                let _ = write!(hex, "{byte:02x}");
                hex
            });
            let _ = writeln!(written, "(HERE / \"{}\").write_bytes(bytes.fromhex(\"{hex}\"))", file.path);
        } else {
            return None;
        }
    }
    let mut standard = script.standard.join("\n");
    if code.contains("HERE") {
        written.insert_str(0, "HERE = Path()\n");
        standard += if standard.is_empty() { "" } else { "\n" };
        standard += "from pathlib import Path";
    }
    standard += if standard.is_empty() { "" } else { "\n\n" };
    let (needs, imports) = (script.needs.join(" "), script.imports.join("\n"));
    let checked = checked(&due.is, subject.came)?;
    // It cannot end its comment: a call in words has no line feed.
    let call = display::call(subject.call);
    Some(format!("# {call}\n# pip install {needs}\n{standard}{imports}\n\n{written}{code}\n\n\n{checked}"))
}

/// Returns the lines that ask the call and check its answer.
fn checked(due: &DueCondition, came: &Observed) -> Option<String> {
    let form = match due {
        DueCondition::Refused(clause) => {
            return Some(format!(
                "try:\n    came = call()\nexcept REFUSALS:\n    pass\nelse:\n    raise AssertionError(f\"expected a refusal, by {clause}, \
                 got {{came}}\")\n"
            ));
        }
        DueCondition::Tensor(form) if form.elements.len() <= IN_LINE && !form.single => form,
        DueCondition::Tensor(_) => return None,
    };
    let mut text = String::from("dtype, shape, raw = call()");
    if let Observed::Rejected(_) = came {
        let best = Tensor::from_bits(form.dtype, &form.shape, &best(form)).ok()?;
        let _ = write!(text, "  # expected: {}", display::data(&best));
    }
    let _ = writeln!(
        text,
        "\nassert (dtype, tuple(shape)) == (\"{}\", {}), (dtype, shape)",
        name(form.dtype),
        tuple(&form.shape)
    );
    text += &elements(form)?;
    Some(text)
}

fn best(form: &DueTensor) -> Vec<u64> {
    form.elements.iter().map(|element| element.best).collect()
}

/// Returns the lines that check the elements.
fn elements(form: &DueTensor) -> Option<String> {
    let DueTensor { dtype, shape, elements, .. } = form;
    if elements.is_empty() {
        return Some(String::new());
    }
    let best = Tensor::from_bits(*dtype, shape, &best(form)).ok()?;
    let is_one =
        elements.iter().all(|element| matches!(element.ranges.as_slice(), [(low, high)] if low == high));
    if let (true, Some(values)) = (is_one, decimals(&best)) {
        let name = name(*dtype);
        return Some(format!(
            "np.testing.assert_array_equal(np.frombuffer(raw, np.{name}), np.array([{values}], np.{name}))\n"
        ));
    }
    let ranges = elements.iter().map(|element| {
        let ends = element.ranges.iter();
        let ends = ends
            .map(|&(low, high)| format!("({}, {})", display::bits(*dtype, low), display::bits(*dtype, high)));
        format!("[{}]", ends.collect::<Vec<_>>().join(", "))
    });
    let ranges: Vec<String> = ranges.collect();
    let shown = if *dtype == Dtype::Bf16 {
        "raw.hex()".to_owned()
    } else {
        format!("np.frombuffer(raw, np.{})", name(*dtype))
    };
    Some(format!(
        "# The bits that each element may have, from the first to the second of a pair; best: {}\nDUE = [{}]\nbits = \
         np.frombuffer(raw, np.uint{}).tolist()\nassert all(any(low <= one <= high for low, high in due) for one, due in zip(bits, \
         DUE)), {shown}\n",
        display::data(&best),
        ranges.join(", "),
        8 * dtype.size()
    ))
}
