//! The laws themselves, and the calls that they make.

use ndarray::{ArrayD, Axis, Slice, concatenate};
use normative_reference::{
    Axes, AxesTensor, Call, Dims, Dtype, Elements, Finish, Kind, Magnitude, Norm, Operator, Outcome,
    Reduction, Tensor, Term, rule,
};

use crate::generate::power;
use crate::random::{Sequence, splitmix64};
use crate::run::property::Id;
use crate::shrink::named_axis;

/// Every law, those about the spelling of a call first.
#[rustfmt::skip]
pub const LAWS: [Law; 10] = [
    Law { name: "same-call", says: "The same call made again gives the same bits.", sparse: false, make: |subject, _| Some(same(subject.clone())) },
    Law { name: "negative-axes", says: "An axis counted from the other end is the same axis.", sparse: false, make: negative_axes },
    Law { name: "axes-order", says: "The order in which axes are named does not matter.", sparse: true, make: |subject, draw| respelt(subject, |axes| draw.shuffle(&mut axes.values)) },
    Law { name: "keep-dims", says: "Keeping reduced dims changes the output's shape, and no value.", sparse: true, make: keep_dims },
    Law { name: "transposition", says: "Axes of the data may change places: so do those of the output.", sparse: true, make: transposition },
    Law { name: "batch", says: "A slice along a kept axis alone gives its slice of the output.", sparse: true, make: batch },
    Law { name: "signs", says: "Elements of the other sign give the same norm, bit for bit.", sparse: false, make: signs },
    Law { name: "scaling", says: "Elements scaled by a power of two give the norm scaled by it, or by its square, with the same digits.", sparse: true, make: scaling },
    Law { name: "padding", says: "Zeros of either sign (of a sum: -0) added to a reduced axis change nothing.", sparse: true, make: padding },
    Law { name: "one-element", says: "Of data with one element that is not zero the L1 norm is the L2 norm.", sparse: true, make: one_element },
];

/// A statement about two related calls to one backend.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// Its name in reports.
    pub name: &'static str,
    /// The statement, in a sentence.
    pub says: &'static str,
    pub(super) sparse: bool,
    pub(super) make: fn(&Subject, &mut Draw) -> Option<Related>,
}

/// A call whose form its spec allows, with one reduction under all readings.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) call: Call,
    pub(super) reduction: Reduction,
}

/// The second call, and the bits of its output as they follow from those of the first.
pub(super) struct Related {
    pub(super) call: Call,
    pub(super) follows: Box<dyn Fn(ArrayD<u64>) -> ArrayD<u64>>,
}

/// Random numbers that depend on the call alone.
pub(super) struct Draw(Sequence);

impl Draw {
    pub(super) fn of(id: Id) -> Self {
        Self(Sequence::from(splitmix64(id.seed, id.index), 1))
    }

    fn below(&mut self, count: usize) -> usize {
        self.0.below(count)
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        (1..items.len()).for_each(|at| items.swap(at, self.below(at + 1)));
    }
}

impl Subject {
    /// `None` if readings differ over the form of the call, or one of them refuses it.
    pub(super) fn of(call: Call) -> Option<Self> {
        let mut outcomes = rule(&call).alternatives.into_iter().map(|alternative| alternative.outcome);
        let Some(Outcome::Reduce(reduction, _)) = outcomes.next() else { return None };
        let agrees = |other| matches!(other, Outcome::Reduce(other, _) if other == reduction);
        outcomes.all(agrees).then_some(Self { call, reduction })
    }

    /// The call with one element of each output 1, 2, 4 or 8 and the others zeros, so that no algorithm rounds its norms.
    /// `None` for BLAS, which may read an element several times.
    pub(super) fn sparse(&self, draw: &mut Draw) -> Option<Self> {
        let shape = self.call.data.shape();
        let mut bits = vec![0; self.call.data.len()];
        let places = ArrayD::from_shape_vec(shape, (0..bits.len()).collect()).ok();
        let places = places.filter(|_| self.reduction.elements == Elements::All)?;
        // The places of the elements of one output after another.
        let places = places.permuted_axes(self.reduction.outer_to_inner(shape.len()));
        let places: Vec<usize> = places.iter().copied().collect();
        for of_output in places.chunks(self.reduction.terms(shape).max(1)) {
            let (exponent, at) = (draw.below(4) as i32, of_output[draw.below(of_output.len())]);
            bits[at] = match self.call.data.dtype().kind() {
                Kind::Float(format) => power(format, exponent),
                Kind::Integer(range) => range.encode(1 << exponent),
            };
        }
        self.with(&ArrayD::from_shape_vec(shape, bits).ok()?, &self.reduction.axes)
    }

    fn elements(&self) -> ArrayD<u64> {
        ArrayD::from_shape_vec(self.call.data.shape(), self.call.data.bits()).unwrap_or_default()
    }

    /// The same operator over these row-major axes of other elements. Axes are named as before if they were not listed and
    /// all are meant, else as a plain list of the type that names them now.
    fn with(&self, elements: &ArrayD<u64>, axes: &[usize]) -> Option<Self> {
        let (shape, rank) = (elements.shape(), elements.ndim());
        let bits: Vec<u64> = elements.iter().copied().collect();
        let data = Tensor::from_bits(self.call.data.dtype(), shape, &bits).ok()?;
        let mut call = Call { data, ..self.call.clone() };
        if axes != self.reduction.axes && (matches!(call.axes, Axes::Given(_)) || axes.len() != rank) {
            let dtype = call.axes.written().map_or(Dtype::I64, |axes| axes.dtype);
            // BNNS counts axes from the last one, so its name of an axis is also the axis of that name.
            let named = |&axis: &usize| named_axis(call.spec(), rank, axis as i128);
            let values: Vec<i128> = axes.iter().map(named).collect();
            call.axes = Axes::Given(AxesTensor { dtype, shape: vec![values.len()], values });
        }
        if let Operator::Bnns { output_shape } = &mut call.operator {
            let reduction = Reduction { axes: axes.to_vec(), ..self.reduction.clone() };
            *output_shape = reduction.output_shape(shape).into_iter().rev().collect();
        }
        Self::of(call).filter(|subject| subject.reduction.axes == axes)
    }

    /// The place in the output of an axis of the data.
    fn place_in_output(&self, axis: usize) -> Option<usize> {
        let (axes, keeps) = (&self.reduction.axes, self.reduction.dims == Dims::Keep);
        let before = axes.iter().filter(|&&reduced| reduced < axis).count();
        if keeps { Some(axis) } else { (!axes.contains(&axis)).then(|| axis - before) }
    }
}

fn related(subject: Subject, follows: impl Fn(ArrayD<u64>) -> ArrayD<u64> + 'static) -> Related {
    Related { call: subject.call, follows: Box::new(follows) }
}

fn same(subject: Subject) -> Related {
    related(subject, |one| one)
}

/// The call with its axes spelled otherwise, but the same.
fn respelt(subject: &Subject, change: impl FnOnce(&mut AxesTensor)) -> Option<Related> {
    let mut call = subject.call.clone();
    let Axes::Given(axes) = &mut call.axes else { return None };
    change(axes);
    let changed = Subject::of(call).filter(|changed| changed.call != subject.call)?;
    (changed.reduction == subject.reduction).then(|| same(changed))
}

fn negative_axes(subject: &Subject, _: &mut Draw) -> Option<Related> {
    let rank = subject.call.data.rank() as i128;
    respelt(subject, |AxesTensor { dtype, values, .. }| {
        if matches!(dtype.kind(), Kind::Integer(range) if range.is_signed()) {
            for axis in values {
                *axis += if *axis < 0 { rank } else { -rank };
            }
        }
    })
}

fn keep_dims(subject: &Subject, _: &mut Draw) -> Option<Related> {
    let keeps = subject.reduction.dims == Dims::Keep;
    let operator = subject.call.operator.with_keep_dims(Some(i64::from(!keeps)));
    let changes = operator != subject.call.operator && !subject.reduction.axes.is_empty();
    let other = Subject::of(Call { operator, ..subject.call.clone() }).filter(|_| changes)?;
    let shape = other.reduction.output_shape(subject.call.data.shape());
    let reshaped = move |one: ArrayD<u64>| ArrayD::from_shape_vec(&shape[..], one.into_iter().collect());
    Some(related(other, move |one| reshaped(one).unwrap_or_default()))
}

fn transposition(subject: &Subject, draw: &mut Draw) -> Option<Related> {
    let mut order: Vec<usize> = (0..subject.call.data.rank()).collect();
    draw.shuffle(&mut order);
    let mut axes = subject.reduction.axes.clone();
    for axis in &mut axes {
        *axis = order.iter().position(|from| from == axis).unwrap_or_default();
    }
    axes.sort_unstable();
    let moved = subject.with(&subject.elements().permuted_axes(&order[..]), &axes);
    let places: Vec<usize> = order.iter().filter_map(|&axis| subject.place_in_output(axis)).collect();
    // With all axes reduced, BNNS has an axis of its own.
    let follows =
        move |one: ArrayD<u64>| if one.ndim() == places.len() { one.permuted_axes(&places[..]) } else { one };
    Some(related(moved.filter(|_| !order.is_sorted())?, follows))
}

fn batch(subject: &Subject, draw: &mut Draw) -> Option<Related> {
    let (shape, axes) = (subject.call.data.shape(), &subject.reduction.axes);
    let kept: Vec<usize> = (0..shape.len()).filter(|axis| !axes.contains(axis) && shape[*axis] > 1).collect();
    let axis = *kept.get(draw.below(kept.len()))?;
    let (at, place) = (draw.below(shape[axis]), subject.place_in_output(axis)?);
    let slice =
        move |array: &ArrayD<u64>, axis| array.slice_axis(Axis(axis), Slice::from(at..=at)).to_owned();
    Some(related(subject.with(&slice(&subject.elements(), axis), axes)?, move |one| slice(&one, place)))
}

fn signs(subject: &Subject, draw: &mut Draw) -> Option<Related> {
    if subject.reduction.norm.term() == Term::Element {
        return None;
    }
    let flipped = subject.elements().mapv(|bits| match subject.call.data.dtype().kind() {
        Kind::Float(format) => bits ^ (format.sign() * draw.below(2) as u64),
        // The minimum, whose magnitude its type lacks, stays itself.
        Kind::Integer(range) if range.is_signed() && draw.below(2) == 0 => range.encode(-range.decode(bits)),
        Kind::Integer(_) => bits,
    });
    let changes = flipped != subject.elements();
    changes.then(|| subject.with(&flipped, &subject.reduction.axes).map(same))?
}

fn scaling(subject: &Subject, draw: &mut Draw) -> Option<Related> {
    let Kind::Float(format) = subject.call.data.dtype().kind() else { return None };
    // Squares of what is scaled are far from either end of the range, of f32 too, in which f64 may be computed.
    let by = [1, -1][draw.below(2)] * (1 + draw.below(format.max_exponent.min(127) as usize / 7) as i64);
    let scaled = move |by: i64| {
        move |bits| match format.magnitude(bits) {
            Magnitude::Finite { significand: 1.., .. } => {
                bits.wrapping_add_signed(by << (format.precision - 1))
            }
            _ => bits,
        }
    };
    let of_result = match (subject.reduction.norm.term(), subject.reduction.norm.finish()) {
        (Term::Square, Finish::Nothing) => 2 * by,
        (Term::Magnitude | Term::Element, _) | (Term::Square, Finish::Root) => by,
    };
    let larger = subject.with(&subject.elements().mapv(scaled(by)), &subject.reduction.axes)?;
    Some(related(larger, move |one| one.mapv(scaled(of_result))))
}

fn padding(subject: &Subject, draw: &mut Draw) -> Option<Related> {
    let (axes, mut shape) = (&subject.reduction.axes, subject.call.data.shape().to_vec());
    let axis = *axes.get(draw.below(axes.len()))?;
    // Enough to fill a vector and to start another.
    shape[axis] = 1 + draw.below(17);
    let sign = if let Kind::Float(format) = subject.call.data.dtype().kind() { format.sign() } else { 0 };
    // A sum of zeros has a sign, which +0 may change.
    let only_negative = subject.reduction.norm.term() == Term::Element;
    let zeros =
        ArrayD::from_shape_simple_fn(&shape[..], || u64::from(only_negative || draw.below(2) == 1) * sign);
    let elements = subject.elements();
    let parts =
        if draw.below(2) == 0 { [elements.view(), zeros.view()] } else { [zeros.view(), elements.view()] };
    subject.with(&concatenate(Axis(axis), &parts).ok()?, axes).map(same)
}

fn one_element(subject: &Subject, _: &mut Draw) -> Option<Related> {
    let other = match subject.reduction.norm {
        Norm::L1 => Norm::L2,
        Norm::L2 => Norm::L1,
        // The square of one element is not its magnitude, and neither is the element.
        Norm::SumSquare | Norm::Sum => return None,
    };
    let operator = subject.call.operator.with_norm(other)?;
    Subject::of(Call { operator, ..subject.call.clone() }).map(same)
}
