//! Writes cases as the text of a file: the inverse of the loader, for generated calls.
//!
//! The output loads as the same cases, whatever their names: data and results are spelled out, each number the
//! shortest that reads back as its bits. A [`Case`] does not have the comments or the data rules of its file,
//! so these are lost. `cargo xtask cases fmt` decides the layout.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use normative_reference::{Axes, Call, Dtype, Kind, Norm, Operator, Spec};

use super::{Case, CaseClaim, Statement, TensorStatement};
use crate::display::{self, joined};

/// Returns the text of a file with these cases. Cases with another spec than the first one's name theirs.
pub fn file(topic: &str, cases: &[Case]) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_file(&mut text, topic, cases);
    text
}

fn write_file(out: &mut String, topic: &str, cases: &[Case]) -> fmt::Result {
    let Some(first) = cases.first() else { return Ok(()) };
    let spec = first.call.spec();
    writeln!(out, "topic: {}", quoted(topic))?;
    writeln!(out, "specs: [{spec}]")?;
    writeln!(out, "cases:")?;
    cases.iter().try_for_each(|case| write_case(out, case, spec))
}

fn write_case(out: &mut String, case: &Case, file: Spec) -> fmt::Result {
    let (call, dtype) = (&case.call, case.call.data.dtype());
    let reversed = call.spec() == Spec::Bnns;
    writeln!(out, "  - id: {}", case.id)?;
    writeln!(out, "    clauses: [{}]", joined(case.clauses.iter().map(|clause| &clause.name)))?;
    writeln!(out, "    why: {}", quoted(&case.why))?;
    if call.spec() != file {
        writeln!(out, "    specs: [{}]", call.spec())?;
    }
    fields(call).into_iter().skip(1).try_for_each(|(name, value)| writeln!(out, "    {name}: {value}"))?;
    match &case.claim {
        CaseClaim::Determined(stated) => {
            let (shape, rest) = statement(stated, dtype, reversed);
            writeln!(out, "    expect: {{{shape}{rest}}}")
        }
        CaseClaim::Open { question, readings } => {
            let stated: Vec<_> = readings
                .iter()
                .map(|(reading, stated)| (reading, statement(stated, dtype, reversed)))
                .collect();
            let shapes: BTreeSet<&str> = stated
                .iter()
                .map(|(_, (shape, _))| shape.as_str())
                .filter(|shape| !shape.is_empty())
                .collect();
            // A shape that all tensors have stands beside the question, and a list is then enough for a reading.
            let shared = shapes.first().filter(|_| shapes.len() == 1);
            let reading = |(reading, (shape, rest)): &(_, (String, String))| {
                let values = rest.strip_prefix("values: ").filter(|values| !values.contains("printed"));
                match (shared, values) {
                    (Some(_), Some(values)) => format!("{reading}: {values}"),
                    (Some(_), None) => format!("{reading}: {{{rest}}}"),
                    (None, _) => format!("{reading}: {{{shape}{rest}}}"),
                }
            };
            let (shape, readings) = (shared.unwrap_or(&""), joined(stated.iter().map(reading)));
            writeln!(out, "    expect: {{{shape}open: {{{question}: {{{readings}}}}}}}")
        }
    }
}

/// Returns the fields of a case that say its call, each with its value in one line; the spec is the first.
pub(super) fn fields(call: &Call) -> Vec<(&'static str, String)> {
    let (dtype, reversed, bits) = (call.data.dtype(), call.spec() == Spec::Bnns, call.data.bits());
    let filling = match bits.split_first() {
        Some((first, rest)) if !rest.is_empty() && rest.iter().all(|bits| bits == first) => {
            format!("repeat: {}", number(dtype, *first))
        }
        _ => format!("values: [{}]", joined(bits.iter().map(|&bits| number(dtype, bits)))),
    };
    let data = format!("{{shape: {}, {filling}}}", shape(call.data.shape(), reversed));
    let axes = match &call.axes {
        Axes::Absent => None,
        Axes::Null => Some("null".to_owned()),
        Axes::Given(axes) if axes.dtype == Dtype::I64 && axes.shape.len() == 1 => {
            Some(format!("{:?}", axes.values))
        }
        Axes::Given(axes) | Axes::OtherForm(axes) => {
            let (dtype, shape, values) = (axes.dtype, &axes.shape, &axes.values);
            let form = if matches!(call.axes, Axes::OtherForm(_)) { ", other_form: true" } else { "" };
            Some(format!("{{dtypes: [{dtype}], shape: {shape:?}, values: {values:?}{form}}}"))
        }
    };
    let integer = |value: Option<i64>| value.map(|value| value.to_string());
    let attributes = match &call.operator {
        Operator::OpenVino { keep_dims: keep, .. } | Operator::WebNn { keep_dimensions: keep, .. } => {
            vec![("keep_dims", keep.map(|keep| keep.to_string()))]
        }
        &Operator::Onnx { keepdims, noop_with_empty_axes, .. } => {
            let keep = match keepdims {
                Some(flag @ 0..=1) => Some((flag == 1).to_string()),
                other => integer(other),
            };
            vec![("keep_dims", keep), ("noop_with_empty_axes", integer(noop_with_empty_axes))]
        }
        Operator::Blas { n, incx, .. } => vec![("n", Some(n.to_string())), ("incx", Some(incx.to_string()))],
        Operator::Bnns { output_shape } => vec![("output_shape", Some(format!("{output_shape:?}")))],
        // The order of L1 is always written in a call, so a file can omit it.
        Operator::ArrayApi { ord, keepdims } => vec![
            ("keep_dims", keepdims.map(|keep| keep.to_string())),
            ("ord", integer(ord.and_then(|norm| (norm == Norm::L2).then_some(2)))),
        ],
    };
    let known = vec![
        ("specs", Some(format!("[{}]", call.spec()))),
        ("dtypes", Some(format!("[{dtype}]"))),
        ("data", Some(data)),
        ("axes", axes),
    ];
    let all = known.into_iter().chain(attributes);
    all.filter_map(|(name, value)| Some((name, value?))).collect()
}

/// Returns the shape of a statement, with a comma behind it, or nothing for one without; then the rest of it.
fn statement(stated: &Statement, dtype: Dtype, reversed: bool) -> (String, String) {
    let TensorStatement { shape: dims, elements, printed, unbiased } = match stated {
        Statement::Unchanged => return (String::new(), "unchanged: true".to_owned()),
        Statement::Rejected { clause } => return (String::new(), format!("rejected: {clause}")),
        Statement::Outside { clause } => return (String::new(), format!("outside: {clause}")),
        Statement::Tensor(stated) => stated,
    };
    let mut text = String::new();
    let complete = elements.len() == dims.iter().product::<usize>();
    if complete && !unbiased {
        let _ = write!(text, "values: [{}]", joined(elements.iter().map(|&(_, bits)| number(dtype, bits))));
    } else {
        text.push_str("reference: true");
        if !elements.is_empty() {
            let at = joined(elements.iter().map(|&(at, bits)| format!("{at}: {}", number(dtype, bits))));
            let _ = write!(text, ", at: {{{at}}}");
        }
    }
    if *unbiased {
        text.push_str(", unbiased: true");
    }
    if !printed.is_empty() {
        let _ = write!(text, ", printed: [{}]", joined(printed));
    }
    (format!("shape: {}, ", shape(dims, reversed)), text)
}

/// Returns dims in the order of files: the fastest first for BNNS.
fn shape(dims: &[usize], reversed: bool) -> String {
    let dims: Vec<usize> = if reversed { dims.iter().rev().copied().collect() } else { dims.to_vec() };
    format!("{dims:?}")
}

/// Returns a number that reads back as these bits.
pub(super) fn number(dtype: Dtype, bits: u64) -> String {
    let Kind::Float(format) = dtype.kind() else { return display::element(dtype, bits) };
    let magnitude = bits & (format.sign() - 1);
    let sign = if bits == magnitude { "" } else { "-" };
    match magnitude {
        _ if bits == format.nan() => ".nan".to_owned(),
        nan if nan > format.infinity() => format!("bits:{}", display::bits(dtype, bits)),
        infinity if infinity == format.infinity() => format!("{sign}.inf"),
        1 if sign.is_empty() => "tiny".to_owned(),
        _ if bits == format.infinity() - 1 => "max".to_owned(),
        _ => display::element(dtype, bits),
    }
}

/// Quotes a text; generated texts have no control characters.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::number::parse;
    use super::*;

    #[rstest]
    fn every_element_reads_back_as_its_bits(
        #[values(Dtype::F16, Dtype::Bf16, Dtype::I16, Dtype::U16)] dtype: Dtype,
    ) {
        for bits in 0..=u64::from(u16::MAX) {
            assert_eq!(parse(&number(dtype, bits), dtype), Ok(bits), "{bits:#x}");
        }
    }

    #[rstest]
    fn elements_at_the_edges_of_wide_types_read_back(
        #[values(Dtype::F32, Dtype::F64, Dtype::I64, Dtype::U64)] dtype: Dtype,
    ) {
        let width = 8 * dtype.size();
        for bit in 0..width {
            let power = 1_u64 << bit;
            let mask = u64::MAX >> (64 - width);
            for bits in [power, power - 1, !power & mask, power.wrapping_neg() & mask] {
                assert_eq!(parse(&number(dtype, bits), dtype), Ok(bits), "{bits:#x}");
            }
        }
    }
}
