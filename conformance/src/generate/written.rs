//! Writes the choices of a plain form as bytes: those that drawing the form would read.

use normative_reference::spec::AxesForm;
use normative_reference::{Axes, AxesTensor, Call, Dtype, Norm, Operator, Spec, Stance};

use super::form::{
    AXES_DTYPES, INCREMENTS, NO_COUNTS, TAILS, Vector, counts_from_the_end, is_signed, may_be_scalar,
};
use super::shape::spelled_dim;

pub(super) fn place<T: PartialEq>(items: &[T], item: &T) -> Option<u8> {
    items.iter().position(|other| other == item).and_then(|at| u8::try_from(at).ok())
}

/// The bytes of choices, in the form that [`Source`](super::source::Source) reads.
#[derive(Default)]
pub(super) struct Written(Vec<u8>);

impl Written {
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }

    /// Writes a choice among up to 256.
    pub(super) fn below(&mut self, count: usize, choice: usize) {
        if count > 1 {
            self.0.push(choice as u8);
        }
    }

    pub(super) fn pick<T: PartialEq>(&mut self, items: &[T], item: &T) -> Option<()> {
        let place = place(items, item)?;
        self.below(items.len(), place.into());
        Some(())
    }

    /// Writes an event that has any chance, true or false.
    pub(super) fn chance(&mut self, passes: bool) {
        self.0.push(if passes { u8::MAX } else { 0 });
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// The form of a call, before a twist may be applied.
#[derive(Clone)]
pub(super) struct Plain {
    pub(super) spec: Spec,
    pub(super) dtype: Dtype,
    pub(super) shape: Vec<usize>,
    pub(super) axes: Axes,
    pub(super) keep: Option<i64>,
    pub(super) noop: Option<i64>,
    /// True if the array API's order is written although it is the default.
    pub(super) ord: bool,
    /// The vector of BLAS.
    pub(super) vector: Vector,
}

impl Plain {
    pub(super) fn of(call: &Call) -> Self {
        let (keep, noop) = (call.operator.keep_dims(), call.operator.noop_with_empty_axes());
        let (spec, dtype, shape) = (call.spec(), call.data.dtype(), call.data.shape().to_vec());
        let ord = matches!(call.operator, Operator::ArrayApi { ord: Some(Norm::L2), .. });
        let vector = match call.operator {
            Operator::Blas { n, incx, .. } => Vector { n, incx },
            _ => Vector::default(),
        };
        Self { spec, dtype, shape, axes: call.axes.clone(), keep, noop, ord, vector }
    }

    /// Writes the choices of `form::plain`, in its order.
    pub(super) fn write(&self, out: &mut Written, listed: bool) -> Option<()> {
        let (rules, rank) = (self.spec.rules(), self.shape.len());
        if rules.axes == AxesForm::NoAxes {
            return self.write_vector(out);
        }
        let may_be_scalar = !listed
            && rules.axes != AxesForm::RequiredInput
            && rules.ranks.0 == 0
            && rules.rank_zero == Stance::Allows;
        if may_be_scalar {
            out.chance(rank == 0);
        }
        if rank > 0 {
            self.write_shape(out)?;
        } else if !may_be_scalar {
            return None;
        }
        out.pick(rules.dtypes, &self.dtype)?;
        out.pick(&[None, Some(0), Some(1)], &self.keep)?;
        if self.spec == Spec::ArrayApi(Norm::L2) {
            out.below(2, self.ord.into());
        }
        out.bytes(&[self.unlisted()]);
        if let Axes::Given(axes) = &self.axes
            && !axes.values.is_empty()
        {
            self.write_axes(out, axes)?;
        }
        if rules.noop {
            match self.noop {
                None => out.bytes(&[0]),
                Some(0) => out.bytes(&[4]),
                Some(1) => out.bytes(&[6]),
                // Plain forms have no other values.
                Some(_) => return None,
            }
        }
        Some(())
    }

    /// Writes the choices of `form::vector`, and those before it.
    fn write_vector(&self, out: &mut Written) -> Option<()> {
        let Vector { n, incx } = self.vector;
        // The only dim is not longer than usual.
        out.chance(false);
        out.bytes(&spelled_dim(usize::try_from(n).unwrap_or(0))?);
        out.pick(self.spec.rules().dtypes, &self.dtype)?;
        out.pick(&INCREMENTS, &incx)?;
        let reach = Operator::Blas { norm: self.spec.norm(), n, incx }.reach() as usize;
        let tail = self.shape.first()?.checked_sub(reach).filter(|&tail| tail < TAILS)?;
        out.below(TAILS, tail);
        if n <= 0 { out.pick(&NO_COUNTS, &n) } else { Some(()) }
    }

    fn write_shape(&self, out: &mut Written) -> Option<()> {
        const FIRST_OF_RANK: [u8; 6] = [0, 40, 100, 160, 205, 233];
        let rank = self.shape.len();
        let large = self.spec == Spec::Bnns && (7..=8).contains(&rank);
        if self.spec == Spec::Bnns {
            out.chance(large);
        }
        if large {
            out.below(2, rank - 7);
        } else {
            out.bytes(&[*FIRST_OF_RANK.get(rank - 1)?]);
        }
        // Choose no longer dim, and draw the first dim first.
        out.chance(false);
        out.below(rank, 0);
        self.shape.iter().try_for_each(|&dim| spelled_dim(dim).map(|bytes| out.bytes(&bytes)))
    }

    /// Returns the byte of `form::unlisted`.
    fn unlisted(&self) -> u8 {
        match (&self.axes, self.spec.rules().axes) {
            (_, AxesForm::RequiredInput) | (Axes::Absent, _) => 0,
            (Axes::Null, _) => 18,
            (
                Axes::Given(axes),
                AxesForm::OptionalInput | AxesForm::IntegerOrTuple | AxesForm::ListOfUnsigned,
            ) if axes.values.is_empty() => 32,
            // The generator never writes axes in the form of another opset, so this guess fails.
            (Axes::Given(_) | Axes::OtherForm(_), _) => u8::MAX,
        }
    }

    /// Writes the choices of `form::name_axes`.
    fn write_axes(&self, out: &mut Written, axes: &AxesTensor) -> Option<()> {
        let (rank, rules, count) = (self.shape.len(), self.spec.rules(), axes.values.len());
        let row_major = |value: i128| {
            let axis = match self.spec {
                Spec::Bnns => rank as i128 - 1 - value,
                _ if value < 0 => value + rank as i128,
                _ => value,
            };
            usize::try_from(axis).ok()
        };
        if count > rank {
            return None;
        }
        out.bytes(&[7]);
        out.below(rank, count - 1);
        let mut order: Vec<usize> = (0..rank).collect();
        for (at, &value) in axes.values.iter().enumerate() {
            let axis = row_major(value)?;
            let other = order[at..].iter().position(|&other| other == axis)?;
            out.below(rank - at, other);
            order.swap(at, at + other);
        }
        let required = rules.axes == AxesForm::RequiredInput;
        if required {
            out.pick(&AXES_DTYPES, &axes.dtype)?;
        }
        let negative = axes.values.iter().enumerate().filter(|(_, value)| **value < 0);
        let signs = negative.fold(0_u8, |signs, (at, _)| signs | 1 << (at % 8));
        match signs {
            0 => out.bytes(&[0]),
            _ if counts_from_the_end(rules.axis_range) && is_signed(axes.dtype) => {
                out.bytes(&[3, signs]);
            }
            _ => return None,
        }
        if may_be_scalar(rules.axes) && count == 1 {
            out.chance(axes.shape.is_empty());
        }
        Some(())
    }
}
