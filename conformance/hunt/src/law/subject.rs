//! A call that laws speak of, with what their preconditions ask: what its spec decides of it, and how large
//! its elements are. Follow-up calls are built here too.
//!
//! A call is a subject only where every reading gives it the same reduction and none refuses it. What
//! readings say of values stays: each law sees to it that it holds under all of them.

use ndarray::ArrayD;
use std::collections::BTreeSet;

use normative_reference::arithmetic::{Arithmetic, FloatArithmetic, Range};
use normative_reference::{
    Axes, AxesTensor, Call, Dims, Dtype, Elements, FloatFormat, Kind, Magnitude, Near, Norm, Operator,
    Outcome, Question, Reduction, Spec, Tensor, rule,
};

use normative_conformance::judge::accuracy::slack::Slack;

/// Integers up to this are exact in f64, in which slacks are computed.
const EXACT_IN_F64: u32 = FloatFormat::F64.precision;

/// A call whose form its spec decides and allows.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) call: Call,
    pub(super) reduction: Reduction,
    /// How the values may be computed, under each reading.
    arithmetic: Vec<Arithmetic>,
    questions: BTreeSet<Question>,
    extent: Extent,
}

/// How large the elements are.
#[derive(Clone, Copy, Debug, Default)]
struct Extent {
    /// Of those finite and not zero: floor log2 of the greatest and of the least, and log2 of the greatest
    /// power of two they are all multiples of.
    nonzero: Option<(i32, i32, i32)>,
    /// Whether one is a NaN or an infinity.
    special: bool,
}

impl Extent {
    fn of(dtype: Dtype, bits: &[u64]) -> Self {
        let mut extent = Self::default();
        for &bits in bits {
            match dtype.magnitude(bits) {
                Magnitude::Infinite | Magnitude::Nan => extent.special = true,
                Magnitude::Finite { significand: 0, .. } => {}
                Magnitude::Finite { significand, exponent } => {
                    let log2 = exponent + significand.ilog2() as i32;
                    let step = exponent + significand.trailing_zeros() as i32;
                    let (greatest, least, finest) = extent.nonzero.unwrap_or((log2, log2, step));
                    extent.nonzero = Some((greatest.max(log2), least.min(log2), finest.min(step)));
                }
            }
        }
        extent
    }
}

impl Subject {
    /// The call as a subject; `None` where readings differ over its form, or one of them refuses it.
    pub(super) fn of(call: Call) -> Option<Self> {
        let ruling = rule(&call);
        let questions = ruling.questions();
        let mut reduction = None;
        let mut arithmetic = Vec::new();
        for alternative in ruling.alternatives {
            let Outcome::Reduce(this, how) = alternative.outcome else { return None };
            if *reduction.get_or_insert_with(|| this.clone()) != this {
                return None;
            }
            if !arithmetic.contains(&how) {
                arithmetic.push(how);
            }
        }
        let extent = Extent::of(call.data.dtype(), &call.data.bits());
        Some(Self { reduction: reduction?, call, arithmetic, questions, extent })
    }

    pub(super) fn dtype(&self) -> Dtype {
        self.call.data.dtype()
    }

    pub(super) fn shape(&self) -> &[usize] {
        self.call.data.shape()
    }

    pub(super) fn norm(&self) -> Norm {
        self.reduction.norm
    }

    /// How many elements go into each output.
    pub(super) fn terms(&self) -> usize {
        self.reduction.terms(self.shape())
    }

    pub(super) fn asks(&self, question: Question) -> bool {
        self.questions.contains(&question)
    }

    /// Whether all readings of the values agree, but for what rounding may change of a float.
    pub(super) fn is_decided(&self) -> bool {
        !self.questions.iter().any(|&question| {
            question.concerns_values() && (self.dtype().is_integer() || question == Question::NanWithInfinity)
        })
    }

    /// Whether an element is a NaN or an infinity.
    pub(super) fn is_special(&self) -> bool {
        self.extent.special
    }

    /// The bits of the elements, in their shape.
    pub(super) fn elements(&self) -> ArrayD<u64> {
        arranged(self.shape(), self.call.data.bits()).unwrap_or_default()
    }

    /// Flat indices of all elements, those of one output after another.
    pub(super) fn grouped(&self) -> Vec<usize> {
        if let Elements::Spaced { count, first, step } = self.reduction.elements {
            return (0..count).map(|at| first.wrapping_add_signed(step * at as isize)).collect();
        }
        let flat = ArrayD::from_shape_vec(self.shape(), (0..self.call.data.len()).collect());
        let order = self.reduction.outer_to_inner(self.call.data.rank());
        flat.map(|flat| flat.permuted_axes(order).iter().copied().collect()).unwrap_or_default()
    }

    /// The flat bits as data of the same dims, everything else as it is.
    pub(super) fn with_bits(&self, bits: Vec<u64>) -> Option<Self> {
        self.with(&arranged(self.shape(), bits)?, &self.reduction.axes)
    }

    /// The same operator over these row-major axes of other elements. Axes are named as before where they
    /// were not listed and all are meant, else as a plain list of the type that names them now.
    pub(super) fn with(&self, elements: &ArrayD<u64>, axes: &[usize]) -> Option<Self> {
        let (shape, rank) = (elements.shape().to_vec(), elements.ndim());
        // Data of another length hold another vector.
        if self.reduction.elements != Elements::All && shape != self.shape() {
            return None;
        }
        let bits: Vec<u64> = elements.iter().copied().collect();
        let data = Tensor::from_bits(self.dtype(), &shape, &bits).ok()?;
        let same = axes == self.reduction.axes && rank == self.call.data.rank();
        let (bnns, given) = (self.call.spec() == Spec::Bnns, matches!(self.call.axes, Axes::Given(_)));
        let listed = |&axis: &usize| (if bnns { rank - 1 - axis } else { axis }) as i64;
        let mut call = Call::new(self.call.operator.clone(), data, self.call.axes.clone());
        if !same && (given || axes.len() != rank) {
            let values: Vec<i64> = axes.iter().map(listed).collect();
            call.axes = match &self.call.axes {
                // An implementation that supports one integer type need not support another.
                Axes::Given(AxesTensor { dtype, .. }) => Axes::Given(AxesTensor {
                    dtype: *dtype,
                    shape: vec![values.len()],
                    values: values.into_iter().map(i128::from).collect(),
                }),
                Axes::Absent | Axes::Null | Axes::OtherForm(_) => Axes::list(&values),
            };
        }
        if let Operator::Bnns { output_shape } = &mut call.operator {
            let reduction = Reduction { axes: axes.to_vec(), ..self.reduction.clone() };
            *output_shape = reduction.output_shape(&shape).into_iter().rev().collect();
        }
        let mut meant = axes.to_vec();
        meant.sort_unstable();
        Self::of(call).filter(|subject| subject.reduction.axes == meant)
    }

    /// The same call with its axes spelled otherwise.
    pub(super) fn with_axes(&self, values: Vec<i128>) -> Option<Self> {
        let Axes::Given(given) = &self.call.axes else { return None };
        let axes = Axes::Given(AxesTensor { values, ..given.clone() });
        Self::of(Call { axes, ..self.call.clone() })
            .filter(|subject| subject.reduction.axes == self.reduction.axes)
    }

    /// The same call of another operator.
    pub(super) fn with_operator(&self, operator: Operator) -> Option<Self> {
        Self::of(Call { operator, ..self.call.clone() })
    }

    /// The call's list of axes, where it names some.
    pub(super) fn named_axes(&self) -> Option<&AxesTensor> {
        match &self.call.axes {
            Axes::Given(axes) if !axes.values.is_empty() => Some(axes),
            _ => None,
        }
    }

    /// Where an axis of the data stands in the output, if it does.
    pub(super) fn place_in_output(&self, axis: usize) -> Option<usize> {
        if self.reduction.axes.contains(&axis) {
            return None;
        }
        let before = self.reduction.axes.iter().filter(|&&reduced| reduced < axis).count();
        Some(if self.reduction.dims == Dims::Keep { axis } else { axis - before })
    }

    /// How far from an honest answer the exact norm may lie, under any reading; `None` where no
    /// bound is at hand: numbers may leave the range, or a bound says nothing.
    pub(super) fn slack(&self) -> Option<Slack> {
        match self.dtype().kind() {
            Kind::Integer(_) => self.integer_slack(),
            Kind::Float(output) => self.float_slack(output),
        }
    }

    fn integer_slack(&self) -> Option<Slack> {
        let Some((greatest, _, _)) = self.extent.nonzero else { return Some(Slack::NONE) };
        let settled = |question: &Question| *question == Question::IntegerL2Rounding;
        // Each element is below 2^(greatest + 1), and there are at most 2^growth of them.
        let small = self.power() * (greatest + 1) + self.growth() <= EXACT_IN_F64 as i32;
        let slack = if self.norm() == Norm::L1 { Slack::NONE } else { Slack::ROOT };
        (small && self.questions.iter().all(settled)).then_some(slack)
    }

    fn float_slack(&self, output: FloatFormat) -> Option<Slack> {
        let Some((greatest, _, finest)) = self.extent.nonzero else { return Some(Slack::NONE) };
        self.room().filter(|&(down, up)| down >= 0 && up >= 0)?;
        let steps = greatest + 1 + self.growth() - finest;
        let rounds = |format: FloatFormat| self.norm() == Norm::L2 || steps > format.precision as i32;
        let mut slack = Slack::NONE;
        for arithmetic in self.float_arithmetic() {
            if rounds(arithmetic.coarsest()) || rounds(output) {
                let (shape, values) = (Vec::new(), Vec::new());
                let (dtype, terms, norm) = (self.dtype(), self.terms(), self.norm());
                let near = Near { dtype, shape, terms, norm, arithmetic, values };
                slack = slack.or(Slack::of_floats(&near, output)?);
            }
        }
        Some(slack)
    }

    /// By how many powers of two all elements may be divided, or multiplied, such that no honest operation
    /// leaves its format's normal range, with a factor of `2^p` to spare at the lower end for what
    /// compensated sums hold. Negative where they have left it; `None` without a float that is not zero.
    ///
    /// Sums of terms of one sign stay below their number times the greatest, and roundings add less than
    /// another factor of two wherever the bound says anything.
    ///
    /// Whoever keeps squares in range may keep large ones, small ones and others apart and scale only
    /// the first two, which changes the order of summation with the size of the elements. Blue (ACM Trans.
    /// Math. Softw. 4, 1978) does so from squares of about `2^(emax - p)` on, and below about `2^emin`. So
    /// where squares may be scaled, a factor of `2^p` is spared at the upper end too: all stay in the middle. Nobody does so in
    /// 16 bits, where no middle is left.
    pub(super) fn room(&self) -> Option<(i32, i32)> {
        let (greatest, least, _) = self.extent.nonzero?;
        let Kind::Float(output) = self.dtype().kind() else { return None };
        let (mut down, mut up) = (i32::MAX, i32::MAX);
        let mut within = |format: FloatFormat, power: i32, spared: i32| {
            // power · (greatest + up + 1) + growth ≤ top, and power · (least - down) ≥ bottom.
            let top = format.max_exponent - spared - self.growth();
            let bottom = format.min_exponent + format.precision as i32;
            up = up.min(top.div_euclid(power) - greatest - 1);
            down = down.min(least + (-bottom).div_euclid(power));
        };
        within(output, 1, 0);
        for how in self.float_arithmetic() {
            let coarsest = how.coarsest();
            let keeps_apart = coarsest.precision >= FloatFormat::F32.precision && how.range == Range::Scaled;
            let scaled = self.norm() == Norm::L2 && keeps_apart;
            within(coarsest, self.power(), if scaled { coarsest.precision as i32 } else { 0 });
        }
        Some((down, up))
    }

    fn float_arithmetic(&self) -> impl Iterator<Item = FloatArithmetic> {
        self.arithmetic.iter().filter_map(|arithmetic| match arithmetic {
            Arithmetic::Float(how) => Some(*how),
            Arithmetic::Integer(_) => None,
        })
    }

    /// The power of its elements that a norm sums.
    fn power(&self) -> i32 {
        if self.norm() == Norm::L1 { 1 } else { 2 }
    }

    /// log2 of the number of terms, rounded up.
    fn growth(&self) -> i32 {
        self.terms().max(1).next_power_of_two().ilog2() as i32
    }
}

/// Flat bits in a shape; `None` where they do not fill it.
pub(super) fn arranged(shape: &[usize], bits: Vec<u64>) -> Option<ArrayD<u64>> {
    ArrayD::from_shape_vec(shape, bits).ok()
}
