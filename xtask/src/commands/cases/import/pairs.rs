//! Pairs of numbers, two a line, as CORE-MATH lists those whose `hypot` is hardest to round: the L2 norm of two.
//!
//! A pair is read exactly and rounded once to the type asked for. Pairs with an infinity or a NaN are left out: what is due
//! of them is a question of its own, about which the corpus has cases.

use normative_conformance::Sheet;
use normative_conformance::corpus::number;
use normative_conformance::reference::textbook::to_f64;
use normative_conformance::reference::{
    Axes, Call, Dtype, Expected, Kind, Magnitude, Norm, Operator, Opset, Tensor, TensorError,
};

/// Pairs of one call. A case is read by a person, and a failure names one of them.
const TOGETHER: usize = 64;

/// What a file holds.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// The bits of the finite pairs, in their order.
    pub(super) finite: Vec<[u64; 2]>,
    /// How many others there are.
    pub(super) others: usize,
}

/// Reads a file of pairs.
///
/// # Errors
/// The first line that holds something else, in words.
pub(super) fn read(text: &str, dtype: Dtype) -> Result<Pairs, String> {
    let mut pairs = Pairs::default();
    for (at, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let wrong = |what: String| format!("line {}: {what}", at + 1);
        let Some((a, b)) = line.split_once(',') else {
            return Err(wrong(format!("expected two numbers with a comma between them, got {line}")));
        };
        let bits = |text| bits(text, dtype).map_err(&wrong);
        match (bits(a)?, bits(b)?) {
            (Some(a), Some(b)) => pairs.finite.push([a, b]),
            _ => pairs.others += 1,
        }
    }
    Ok(pairs)
}

/// The bits of a number; none where it is not finite.
fn bits(text: &str, dtype: Dtype) -> Result<Option<u64>, String> {
    let plain = text.trim();
    let magnitude = plain.strip_prefix(['+', '-']).unwrap_or(plain);
    if ["inf", "nan", "snan"].contains(&magnitude) {
        return Ok(None);
    }
    // The corpus writes no plus before a number, and a digit before the point.
    let magnitude = magnitude.replacen("0x.", "0x0.", 1);
    let spelled = if plain.starts_with('-') { format!("-{magnitude}") } else { magnitude };
    let bits = number::parse(&spelled, dtype).map_err(|error| format!("{plain} {error}"))?;
    let Kind::Float(format) = dtype.kind() else { return Err(format!("{dtype} is no float type")) };
    Ok(matches!(format.magnitude(bits), Magnitude::Finite { .. }).then_some(bits))
}

/// The calls that take the norm of each pair, in rows.
///
/// # Errors
/// [`TensorError`] of no type that pairs are read as.
pub(super) fn calls(pairs: &[[u64; 2]], dtype: Dtype) -> Result<Vec<Call>, TensorError> {
    let call = |rows: &[[u64; 2]]| {
        let data = Tensor::from_bits(dtype, &[rows.len(), 2], rows.as_flattened())?;
        let operator = Operator::Onnx {
            norm: Norm::L2,
            opset: Opset::V13,
            keepdims: Some(0),
            noop_with_empty_axes: None,
        };
        Ok(Call::new(operator, data, Axes::list(&[1])))
    };
    pairs.chunks(TOGETHER).map(call).collect()
}

/// Counts the pairs of a call whose norm is correctly rounded where squares, sum and root are computed in f64 and the root
/// is rounded to the type.
///
/// # Errors
/// [`TensorError`] of a call whose result is too large.
pub(super) fn right_in_f64(call: &Call) -> Result<usize, TensorError> {
    let (dtype, sheet) = (call.data.dtype(), Sheet::of(call)?);
    let Some(Expected::Near(near)) = sheet.entries.first().map(|entry| &entry.expected) else { return Ok(0) };
    let norm = |pair: &[u64]| {
        let squares: f64 = pair.iter().map(|&bits| to_f64(dtype, bits).powi(2)).sum();
        if dtype == Dtype::F32 {
            u64::from((squares.sqrt() as f32).to_bits())
        } else {
            squares.sqrt().to_bits()
        }
    };
    let (data, due) = (call.data.bits(), near.rounded()?.bits());
    Ok(data.chunks(2).zip(due).filter(|&(pair, due)| norm(pair) == due).count())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn pairs_are_read_exactly_and_rounded_once() {
        let text = "# worst cases\n+0x1.8p+1,-0x.8p-1 # why\n\n0x1p-150,-0\n+snan,1\n-1,+inf\n";
        let Pairs { finite, others } = read(text, Dtype::F32).unwrap();
        let bits = |x: f32| u64::from(x.to_bits());
        // Half of the least f32 is halfway to 0, which is even.
        assert_eq!(finite, [[bits(3.0), bits(-0.25)], [bits(0.0), bits(-0.0)]]);
        assert_eq!(others, 2);
        assert!(read("1,1e39\n", Dtype::F32).unwrap_err().starts_with("line 1: 1e39 "));
        let wider = read(text, Dtype::F64).unwrap();
        assert_eq!(wider.finite[1], [2_f64.powi(-150).to_bits(), (-0.0_f64).to_bits()]);
        assert_eq!((wider.finite.len(), wider.others), (2, 2));
    }

    #[rstest]
    #[case::one_number("1\n", "line 1: expected two numbers with a comma between them, got 1")]
    #[case::no_number("1,2\n1,x\n", "line 2: x is not a number")]
    #[case::three("1,2,3\n", "line 1: 2,3 is not a number")]
    fn a_line_that_is_no_pair_is_named(#[case] text: &str, #[case] error: &str) {
        assert_eq!(read(text, Dtype::F64).unwrap_err(), error);
    }

    #[test]
    fn a_call_takes_the_norm_of_each_pair_in_order() {
        let pairs: Vec<[u64; 2]> = (0..65_u64).map(|at| [at, 2 * at]).collect();
        let calls = calls(&pairs, Dtype::F64).unwrap();
        let shapes: Vec<&[usize]> = calls.iter().map(|call| call.data.shape()).collect();
        assert_eq!(shapes, [[64, 2], [1, 2]]);
        assert_eq!(calls[0].data.bits()[..4], [0, 0, 1, 2]);
        assert_eq!(calls[1].data.bits(), [64, 128]);
        assert!(calls.iter().all(|call| call.axes == Axes::list(&[1])));
    }

    #[test]
    fn a_norm_in_f64_is_right_where_no_rounding_decides() {
        let right = |text: &str, dtype| {
            let calls = calls(&read(text, dtype).unwrap().finite, dtype).unwrap();
            calls.iter().map(|call| right_in_f64(call).unwrap()).sum::<usize>()
        };
        assert_eq!(right("3,4\n1,0x1p-40\n", Dtype::F32), 2);
        // The root lies above the middle of two f32, and so near it that f64 rounds it to the middle. From there f32 rounds
        // down, to even.
        assert_eq!(right("0x1.6a1d8ep-12,0x1.001bccp+0\n", Dtype::F32), 0);
        assert_eq!(right("0x1p600,0\n3,4\n", Dtype::F64), 1, "the first square overflows");
    }
}
