//! Checks with a known number: of the comparisons that every check is made of, and nothing else.

use normative_reference::{Dtype, Kind, Opset, Tensor, TensorError};

use super::kind;
use crate::due::{DueElement, DueTensor};

/// A tensor, the one acceptable answer, and their agreement.
#[derive(Clone, Debug)]
pub struct Control {
    /// Its unique name, which ends in the rule that it tests.
    pub name: String,
    /// The tensor that the graph compares.
    pub tensor: Tensor,
    /// The answer that it is compared with.
    pub due: DueTensor,
    /// True if the tensor is that answer.
    pub is_met: bool,
}

/// A control of one element: the rule, the first and the last bits of its range, its bits, and the agreement.
type Row = (&'static str, (u64, u64), u64, bool);

/// Returns the controls of a type in models of an opset.
///
/// # Errors
/// None: every tensor has as many elements as its dims say.
pub fn controls(opset: Opset, dtype: Dtype) -> Result<Vec<Control>, TensorError> {
    let single = elements(dtype).into_iter().map(|(name, range, bits, is_met)| {
        let tensor = Tensor::from_bits(dtype, &[1], &[bits])?;
        Ok(Control { name: named(opset, dtype, name), tensor, due: due(dtype, &[1], range), is_met })
    });
    let dims: [(&str, &[usize], &[usize]); 5] = [
        ("equal-dims", &[2, 1], &[2, 1]),
        ("another-rank", &[1, 2], &[2]),
        ("another-dim", &[3], &[2]),
        ("no-elements", &[0, 2], &[0, 2]),
        ("no-elements-of-other-dims", &[2, 0], &[0, 2]),
    ];
    let dims = dims.into_iter().map(|(name, shape, expected)| {
        let tensor = Tensor::from_bits(dtype, shape, &vec![0; shape.iter().product()])?;
        let is_met = shape == expected;
        Ok(Control { name: named(opset, dtype, name), tensor, due: due(dtype, expected, (0, 0)), is_met })
    });
    single.chain(dims).collect()
}

fn named(opset: Opset, dtype: Dtype, rule: &str) -> String {
    format!("control.{}.{rule}", kind(opset, dtype))
}

fn due(dtype: Dtype, shape: &[usize], range: (u64, u64)) -> DueTensor {
    let element = DueElement { ranges: vec![range], best: range.0, exact: None };
    let elements = vec![element; shape.iter().product()];
    DueTensor { dtype, shape: shape.to_vec(), elements, single: false }
}

fn elements(dtype: Dtype) -> Vec<Row> {
    match dtype.kind() {
        Kind::Float(format) => {
            let (infinity, minus) = (format.infinity(), format.sign());
            let some = infinity / 2;
            let range = (some, some + 2);
            vec![
                ("least-of-a-range", range, some, true),
                ("greatest-of-a-range", range, some + 2, true),
                ("below-a-range", range, some - 1, false),
                ("above-a-range", range, some + 3, false),
                ("negative-for-positive", (some, some), minus | some, false),
                ("negative-for-negative", (minus | some, minus | some), minus | some, true),
                ("zero-for-zero", (0, 0), 0, true),
                ("minus-zero-for-zero", (0, 0), minus, false),
                ("minus-zero-for-minus-zero", (minus, minus), minus, true),
                ("zero-for-minus-zero", (minus, minus), 0, false),
                ("subnormal-for-subnormal", (1, 1), 1, true),
                ("subnormal-for-zero", (0, 0), 1, false),
                ("zero-for-subnormal", (1, 1), 0, false),
                ("infinity-for-infinity", (infinity, infinity), infinity, true),
                ("greatest-number-for-infinity", (infinity, infinity), infinity - 1, false),
                ("infinity-for-greatest-number", (infinity - 1, infinity - 1), infinity, false),
                ("nan-for-nan", (infinity + 1, minus - 1), format.nan(), true),
                ("number-for-nan", (infinity + 1, minus - 1), some, false),
                ("nan-for-number", (0, infinity), format.nan(), false),
            ]
        }
        Kind::Integer(range) => {
            let (least, most) = (range.encode(range.min), range.encode(range.max));
            let (after, before) = (range.encode(range.min + 1), range.encode(range.max - 1));
            vec![
                ("least-for-least", (least, least), least, true),
                ("next-for-least", (least, least), after, false),
                ("least-for-next", (after, after), least, false),
                ("greatest-for-greatest", (most, most), most, true),
                ("greatest-for-previous", (before, before), most, false),
                ("previous-for-greatest", (most, most), before, false),
            ]
        }
    }
}
