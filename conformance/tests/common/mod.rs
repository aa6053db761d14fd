//! One honest implementation of OpenVINO's two operators, and one small edit at a time that makes
//! it wrong. Written with plain loops over f64 and i128, on nothing of the reference but its types.

use half::{bf16, f16};
use normative_conformance::reference::{Axes, Call, Dtype, Kind, Norm, Operator, Tensor};
use normative_conformance::{Answer, Backend, Identity};

/// What an implementer got wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edit {
    None,
    AbsDropped,
    NegativeAxesTakenAsZero,
    SecondAxisIgnored,
    KeepDimsInverted,
    RootDropped,
    SumsHeldInF16,
    NanSkipped,
    EmptyAxesReduceAll,
    SizeOneAxisReturnedUnchanged,
    AxesReversed,
}

/// The honest implementation with one edit.
pub(crate) struct Edited(pub(crate) Edit);

impl Backend for Edited {
    fn identity(&self) -> Identity {
        Identity { name: format!("{:?}", self.0), version: "0".into(), report_bugs_to: "this test".into() }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        let Operator::OpenVino { norm, keep_dims } = call.operator else {
            return Answer::Unsupported("OpenVINO only".into());
        };
        let shape = call.data.shape();
        let axes = match axes_of(&call.axes, shape.len(), self.0) {
            Ok(axes) => axes,
            Err(why) => return Answer::Rejected(why),
        };
        if axes.is_empty() && named_none(&call.axes) {
            return Answer::Tensor(call.data.clone());
        }
        let keep = keep_dims.unwrap_or(false) != (self.0 == Edit::KeepDimsInverted);
        let terms: usize = axes.iter().map(|&axis| shape[axis]).product();
        let unchanged = self.0 == Edit::SizeOneAxisReturnedUnchanged && terms == 1;
        let mut output_shape = Vec::new();
        for (axis, &dim) in shape.iter().enumerate() {
            match (axes.contains(&axis), keep) {
                (false, _) => output_shape.push(dim),
                (true, true) => output_shape.push(1),
                (true, false) => {}
            }
        }
        let (dtype, bits) = (call.data.dtype(), call.data.bits());
        let results: Vec<u64> = groups(shape, &axes)
            .iter()
            .map(|group| {
                let elements: Vec<u64> = group.iter().map(|&flat| bits[flat]).collect();
                if unchanged { elements[0] } else { self.norm(dtype, norm, &elements) }
            })
            .collect();
        Answer::Tensor(Tensor::from_bits(dtype, &output_shape, &results).unwrap())
    }
}

impl Edited {
    fn norm(&self, dtype: Dtype, norm: Norm, elements: &[u64]) -> u64 {
        let bits = match dtype {
            Dtype::F16 => {
                let terms = elements.iter().map(|&b| f16::from_bits(b as u16).to_f64());
                f16::from_f64(self.float_norm(norm, terms)).to_bits().into()
            }
            Dtype::Bf16 => {
                let terms = elements.iter().map(|&b| bf16::from_bits(b as u16).to_f64());
                bf16::from_f64(self.float_norm(norm, terms)).to_bits().into()
            }
            Dtype::F32 => {
                let terms = elements.iter().map(|&b| f64::from(f32::from_bits(b as u32)));
                (self.float_norm(norm, terms) as f32).to_bits().into()
            }
            Dtype::F64 => self.f64_norm(norm, elements).to_bits(),
            Dtype::I8 => self.integer_norm(norm, dtype, elements.iter().map(|&b| (b as i8).into())),
            Dtype::I16 => self.integer_norm(norm, dtype, elements.iter().map(|&b| (b as i16).into())),
            Dtype::I32 => self.integer_norm(norm, dtype, elements.iter().map(|&b| (b as i32).into())),
            Dtype::I64 => self.integer_norm(norm, dtype, elements.iter().map(|&b| (b as i64).into())),
            Dtype::U8 | Dtype::U16 | Dtype::U32 | Dtype::U64 => {
                self.integer_norm(norm, dtype, elements.iter().map(|&b| b.into()))
            }
        };
        bits & u64::MAX >> (64 - 8 * dtype.size())
    }

    /// Squares of f32 and narrower elements cannot leave f64's range.
    fn float_norm(&self, norm: Norm, elements: impl Iterator<Item = f64>) -> f64 {
        let mut sum = 0.0_f64;
        for x in elements.filter(|x| self.0 != Edit::NanSkipped || !x.is_nan()) {
            sum += match norm {
                Norm::L1 if self.0 == Edit::AbsDropped => x,
                Norm::L1 => x.abs(),
                Norm::L2 => x * x,
            };
            if self.0 == Edit::SumsHeldInF16 {
                sum = f16::from_f64(sum).to_f64();
            }
        }
        if norm == Norm::L2 && self.0 != Edit::RootDropped { sum.sqrt() } else { sum }
    }

    /// f64 elements are scaled by the greatest, so that squares stay in range.
    fn f64_norm(&self, norm: Norm, elements: &[u64]) -> f64 {
        let elements = elements.iter().map(|&bits| f64::from_bits(bits));
        let greatest = elements.clone().fold(0.0, |m: f64, x| m.max(x.abs()));
        if norm == Norm::L1 || greatest == 0.0 || greatest.is_infinite() || self.0 == Edit::RootDropped {
            return self.float_norm(norm, elements);
        }
        // A power of two scales without rounding.
        let scale = greatest.log2().floor().clamp(-1000.0, 1000.0).exp2();
        self.float_norm(norm, elements.map(|x| x / scale)) * scale
    }

    /// L1 wraps; the squares of 64-bit integers fill u128, so L2 saturates, on its way and at its end.
    fn integer_norm(&self, norm: Norm, dtype: Dtype, elements: impl Iterator<Item = i128>) -> u64 {
        if norm == Norm::L1 {
            let terms = elements.map(|x| if self.0 == Edit::AbsDropped { x } else { x.abs() });
            return terms.sum::<i128>() as u64;
        }
        let squares = elements.map(|x| x.unsigned_abs().pow(2));
        let sum = squares.fold(0, u128::saturating_add);
        let result = if self.0 == Edit::RootDropped { sum } else { sum.isqrt() };
        let Kind::Integer(range) = dtype.kind() else { return 0 };
        result.min(range.max.unsigned_abs()) as u64
    }
}

fn named_none(axes: &Axes) -> bool {
    matches!(axes, Axes::Given(axes) if axes.values.is_empty())
}

/// Row-major axes, each once; the words of the refusal otherwise.
fn axes_of(axes: &Axes, rank: usize, edit: Edit) -> Result<Vec<usize>, String> {
    let Axes::Given(given) = axes else { return Err("axes are required".into()) };
    if !given.dtype.is_integer() || given.shape.len() > 1 {
        return Err("axes must be a scalar or a list of integers".into());
    }
    if given.values.is_empty() && edit == Edit::EmptyAxesReduceAll {
        return Ok((0..rank).collect());
    }
    let mut axes = Vec::new();
    for &value in &given.values {
        let axis = match value {
            _ if rank == 0 && (value == 0 || value == -1) => continue,
            _ if value < 0 && edit == Edit::NegativeAxesTakenAsZero => 0,
            _ if value < 0 => value + rank as i128,
            _ => value,
        };
        if axis < 0 || axis >= rank as i128 {
            return Err(format!("axis {value} is out of range for rank {rank}"));
        }
        axes.push(if edit == Edit::AxesReversed { rank - 1 - axis as usize } else { axis as usize });
    }
    if edit == Edit::SecondAxisIgnored {
        axes.truncate(1);
    }
    axes.sort_unstable();
    axes.dedup();
    Ok(axes)
}

/// For each output element in row-major order, the flat indices of the elements that go into it.
fn groups(shape: &[usize], axes: &[usize]) -> Vec<Vec<usize>> {
    let kept: Vec<usize> = (0..shape.len()).filter(|axis| !axes.contains(axis)).collect();
    let outputs: usize = kept.iter().map(|&axis| shape[axis]).product();
    let mut groups = vec![Vec::new(); outputs];
    for flat in 0..shape.iter().product() {
        let mut rest = flat;
        let mut index = vec![0; shape.len()];
        for axis in (0..shape.len()).rev() {
            index[axis] = rest % shape[axis];
            rest /= shape[axis];
        }
        let output = kept.iter().fold(0, |output, &axis| output * shape[axis] + index[axis]);
        groups[output].push(flat);
    }
    groups
}
