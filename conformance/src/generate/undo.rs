//! Undoes twists: from an open or invalid call, guesses the plain forms it may come from, with the choices of
//! the twist.
//!
//! The caller runs the generator on each guess to check it. A wrong guess costs a little time, and a missing
//! one a seed.

use normative_reference::spec::AxesForm;
use normative_reference::{Axes, AxesTensor, Dtype, Opset, Spec};

use super::form::{AXES_DTYPES, INCREMENTS, ODD, Vector, may_be_scalar};
use super::twist::{CANDIDATES, EMPTY_2D, FAR, FLOATS, Twist};
use super::written::{Plain, Written};

/// A guess.
pub(super) struct Undone {
    /// The form before.
    pub(super) plain: Plain,
    /// True if the twist needs named axes.
    pub(super) listed: bool,
    /// The choices of the twist.
    pub(super) tail: Vec<u8>,
}

/// Returns forms that may have become this form by this twist.
#[allow(clippy::too_many_lines, reason = "a table")]
pub(super) fn undo(twist: Twist, form: &Plain) -> Vec<Undone> {
    let required = form.spec.rules().axes == AxesForm::RequiredInput;
    let unnamed = if required { Axes::list(&[0]) } else { Axes::Absent };
    let tails = |plain: Plain, tails: Vec<Vec<u8>>| -> Vec<Undone> {
        let undone = |tail| Undone { plain: plain.clone(), listed: twist.needs_axes(), tail };
        tails.into_iter().map(undone).collect()
    };
    let one = |plain: Plain, write: &dyn Fn(&mut Written) -> Option<()>| {
        let mut tail = Written::default();
        let written = write(&mut tail);
        tails(plain, written.map(|()| tail.finish()).into_iter().collect())
    };
    match twist {
        Twist::EmptyAxes => {
            let plain = Plain { axes: unnamed, ..form.clone() };
            let Axes::Given(axes) = &form.axes else { return Vec::new() };
            match form.spec {
                Spec::Bnns => tails(plain, vec![vec![0], vec![u8::MAX]]),
                _ if required => one(plain, &|tail| {
                    let two_dims = axes.shape.len() == 2;
                    tail.pick(&AXES_DTYPES, &axes.dtype)?;
                    tail.chance(two_dims);
                    if two_dims { tail.pick(&EMPTY_2D.map(Vec::from), &axes.shape) } else { Some(()) }
                }),
                _ => tails(plain, vec![vec![]]),
            }
        }
        Twist::EmptyOfAnotherType => {
            let Axes::Given(axes) = &form.axes else { return Vec::new() };
            one(Plain { axes: unnamed, ..form.clone() }, &|tail| tail.pick(&FLOATS, &axes.dtype))
        }
        Twist::AxisOfScalar => {
            let plain = Plain { shape: vec![1], axes: unnamed, ..form.clone() };
            one(plain, &|tail| axis_of_scalar(tail, form))
        }
        Twist::ScalarData => tails(Plain { shape: vec![1], ..form.clone() }, vec![vec![]]),
        Twist::EmptySet | Twist::EmptyData => {
            let shape = form.shape.iter().map(|&dim| dim.max(1)).collect();
            tails(Plain { shape, ..form.clone() }, vec![vec![]])
        }
        Twist::OddKeepdims => {
            let Some(keep) = form.keep else { return Vec::new() };
            one(Plain { keep: None, ..form.clone() }, &|tail| tail.pick(&ODD, &keep))
        }
        Twist::OddNoop => {
            let Some(noop) = form.noop else { return Vec::new() };
            let keep = form.keep.filter(|keep| ODD.contains(keep));
            let plain = Plain { noop: None, keep: form.keep.filter(|_| keep.is_none()), ..form.clone() };
            one(plain, &|tail| {
                tail.pick(&ODD, &noop)?;
                tail.chance(keep.is_some());
                keep.map_or(Some(()), |keep| tail.pick(&ODD, &keep))
            })
        }
        Twist::NoopWithoutAxes => one(Plain { axes: Axes::Absent, noop: None, ..form.clone() }, &|tail| {
            let noop = form.noop?;
            tail.chance(noop != 1);
            if noop != 1 {
                tail.pick(&ODD, &noop)?;
            }
            tail.pick(&[Axes::Absent, Axes::Null, Axes::list(&[])], &form.axes)
        }),
        Twist::DataType => {
            let taken = form.spec.rules().dtypes;
            let others: Vec<Dtype> = Dtype::ALL.into_iter().filter(|dtype| !taken.contains(dtype)).collect();
            let Some(&dtype) = taken.first() else { return Vec::new() };
            one(Plain { dtype, ..form.clone() }, &|tail| tail.pick(&others, &form.dtype))
        }
        Twist::NoAxes | Twist::NullAxes => tails(Plain { axes: unnamed, ..form.clone() }, vec![vec![]]),
        Twist::LaterAttribute => {
            one(Plain { noop: None, ..form.clone() }, &|tail| tail.pick(&[0, 1, 2], &form.noop?))
        }
        Twist::KeepWithoutAxis => {
            one(Plain { axes: Axes::list(&[0]), keep: None, ..form.clone() }, &|tail| {
                tail.pick(&[Axes::Absent, Axes::Null], &form.axes)
            })
        }
        Twist::NegativeIncrement => {
            let vector = Vector { incx: -form.vector.incx, ..form.vector };
            tails(Plain { vector, ..form.clone() }, vec![vec![]])
        }
        // Any positive increment may have become 0; those that reach the same data are tried.
        Twist::ZeroIncrement => {
            let spaced = INCREMENTS.into_iter().filter(|&incx| incx > 0);
            let before = spaced.map(|incx| Plain { vector: Vector { incx, ..form.vector }, ..form.clone() });
            before.flat_map(|plain| tails(plain, vec![vec![]])).collect()
        }
        Twist::OutputShape => tails(form.clone(), (0..6).map(|way| vec![way]).collect()),
        Twist::DataRank => one(Plain { shape: vec![1], axes: Axes::Absent, ..form.clone() }, &|tail| {
            tail.chance(form.shape.is_empty());
            form.shape.iter().try_for_each(|&dim| tail.pick(&[1, 2], &dim))
        }),
        Twist::Repeated
        | Twist::NamedFromBothEnds
        | Twist::Negative
        | Twist::AxesRank
        | Twist::OutOfRange
        | Twist::AxesType => {
            let Axes::Given(axes) = &form.axes else { return Vec::new() };
            let undone = |(axes, tail)| Undone {
                plain: Plain { axes: Axes::Given(axes), ..form.clone() },
                listed: true,
                tail,
            };
            of_axes(twist, form, axes).into_iter().map(undone).collect()
        }
    }
}

/// Writes the choices of the twist that names an axis of a scalar.
fn axis_of_scalar(tail: &mut Written, form: &Plain) -> Option<()> {
    let Axes::Given(axes) = &form.axes else { return None };
    let required = form.spec.rules().axes == AxesForm::RequiredInput;
    let value = *axes.values.first()?;
    let far = FAR.contains(&value);
    tail.chance(value == -1);
    if required && value != -1 {
        tail.pick(&AXES_DTYPES, &axes.dtype)?;
    }
    if may_be_scalar(form.spec.rules().axes) {
        tail.chance(axes.shape.is_empty());
    }
    if axes.dtype == Dtype::I64 && !matches!(form.spec, Spec::Onnx(_, Opset::V1)) {
        tail.chance(far);
    }
    if far { tail.pick(&FAR, &value) } else { Some(()) }
}

/// Returns what named axes may have been before, with the choices of the twist.
fn of_axes(twist: Twist, form: &Plain, axes: &AxesTensor) -> Vec<(AxesTensor, Vec<u8>)> {
    let (rank, required) = (form.shape.len() as i128, form.spec.rules().axes == AxesForm::RequiredInput);
    let list = |dtype, values: Vec<i128>| AxesTensor { dtype, shape: vec![values.len()], values };
    let mut guesses = Vec::new();
    // `chosen` is the index, in the old list, of the axis that the twist reads.
    let mut guess = |before: AxesTensor, chosen: usize, more: &[u8]| {
        let mut tail = Written::default();
        tail.below(before.values.len(), chosen);
        tail.bytes(more);
        guesses.push((before, tail.finish()));
    };
    let unsigned = |values: &[i128]| values.iter().all(|&value| value >= 0);
    match twist {
        Twist::AxesRank => {
            let before = list(axes.dtype, axes.values.clone());
            for way in 0..3 {
                match (required, axes.shape.is_empty()) {
                    _ if form.spec.rules().axes == AxesForm::ListOfUnsigned => guess(before.clone(), 0, &[]),
                    (true, _) => guess(before.clone(), 0, &[way]),
                    (false, true) => guess(before.clone(), 0, &[u8::MAX]),
                    (false, false) => guess(before.clone(), 0, &[0, way]),
                }
            }
        }
        Twist::AxesType => {
            let before = AxesTensor { dtype: Dtype::I64, ..axes.clone() };
            for choice in 0..16_u8 {
                let flag = |bit: u8| if choice & bit == 0 { 0 } else { u8::MAX };
                let mut more = vec![flag(4); usize::from(!required)];
                more.extend(unsigned(&axes.values).then_some(flag(8)));
                more.push(choice & 3);
                guess(before.clone(), 0, &more);
            }
        }
        Twist::Negative => {
            for at in 0..axes.values.len() {
                let mut before = axes.clone();
                before.values[at] += rank;
                guess(before, at, &[]);
            }
        }
        Twist::Repeated | Twist::NamedFromBothEnds | Twist::OutOfRange => {
            let out_of_range = twist == Twist::OutOfRange;
            for at in 0..axes.values.len() {
                let mut others = axes.values.clone();
                others.remove(at);
                let before = list(axes.dtype, others);
                let candidates = if out_of_range { 0..CANDIDATES as u8 } else { 0..1 };
                for (chosen, candidate) in
                    (0..before.values.len()).flat_map(|chosen| candidates.clone().map(move |c| (chosen, c)))
                {
                    let mut more = vec![0; usize::from(out_of_range && required && unsigned(&before.values))];
                    if out_of_range {
                        more.push(candidate);
                        more.extend((form.spec != Spec::Bnns).then_some(0));
                    }
                    more.push(at as u8);
                    guess(before.clone(), chosen, &more);
                }
            }
            if out_of_range {
                for at in 0..axes.values.len() {
                    for (axis, candidate) in
                        (-rank..rank).flat_map(|axis| (0..CANDIDATES as u8).map(move |c| (axis, c)))
                    {
                        let mut before = axes.clone();
                        before.values[at] = axis;
                        let mut more = vec![0; usize::from(required && unsigned(&before.values))];
                        more.push(candidate);
                        more.extend((!axes.shape.is_empty()).then_some(u8::MAX));
                        guess(before, at, &more);
                    }
                }
            }
        }
        _ => {}
    }
    guesses
}
