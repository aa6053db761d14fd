//! The known mistakes of adapters, and their effects.
//!
//! A mistake is a guess of the call that the runtime was really asked, and its real answer. If the reference
//! accepts that answer to that call, the mistake explains the wrong answer. So no wrong value is written down
//! here.

use normative_reference::{Dtype, Norm, Spec, Tensor, TensorError};

use super::ask::{Ask, converted};
use super::fault::Fault;
use crate::judge::verdict::{Demands, Sheet, Verdict, judge};
use crate::observed::Observed;

/// A guessed mistake.
struct Mistake {
    /// The description for the adapter's author.
    says: String,
    /// The call that the runtime would have been asked.
    asked: Ask,
    /// The answer that it would have given.
    gave: Tensor,
    /// The kind of fault.
    fault: Fault,
}

/// Returns the mistake that explains this wrong answer, with its kind of fault; `None` if no known one does.
/// `ask` leaves nothing out, and `due` are the dims of the right answer.
pub(super) fn explain(
    ask: &Ask,
    due: &[usize],
    got: &Tensor,
) -> Result<Option<(Fault, String)>, TensorError> {
    for mistake in known(ask, due, got) {
        if mistake.explains()? {
            return Ok(Some((mistake.fault, mistake.says)));
        }
    }
    Ok(None)
}

/// Returns the mistake that explains this wrong norm of a spaced vector in `data`; `None` if no known one does.
pub(super) fn in_spacing(
    norm: Norm,
    data: &Tensor,
    meant: &Tensor,
    got: &Tensor,
) -> Result<Option<String>, TensorError> {
    let first = &data.bits()[..meant.len()];
    let beside = Tensor::from_bits(data.dtype(), meant.shape(), first)?;
    let guesses = [
        ("the spacing is ignored: elements that lie side by side are taken", beside),
        ("the number of elements is ignored: all are taken", data.clone()),
    ];
    for (says, data) in guesses {
        let asked = Ask { norm, data, axes: Some(vec![0]), keep: Some(false) };
        let mistake = Mistake { says: says.to_owned(), asked, gave: got.clone(), fault: Fault::Result };
        if mistake.explains()? {
            return Ok(Some(mistake.says));
        }
    }
    Ok(None)
}

impl Mistake {
    /// Returns true if the runtime's guessed answer is right for the guessed call.
    fn explains(&self) -> Result<bool, TensorError> {
        // OpenVINO's call accepts any type, any rank, and dims kept or dropped.
        let Some(call) = self.asked.spelled(Spec::OpenVino(self.asked.norm)) else { return Ok(false) };
        let verdict = judge(&Sheet::of(&call)?, &Observed::Tensor(self.gave.clone()), &Demands::default());
        Ok(matches!(verdict, Verdict::Conforms { .. }))
    }
}

/// Returns the guesses, the likeliest first: guesses that explain more answers come last.
fn known(ask: &Ask, due: &[usize], got: &Tensor) -> Vec<Mistake> {
    let mut mistakes = Vec::from_iter(answer_type(ask, got));
    mistakes.extend(bytes(ask, got));
    mistakes.extend(types(ask, got));
    mistakes.extend(dims(ask, got));
    mistakes.extend(arguments(ask, got));
    mistakes.extend(answer_shape(ask, due, got));
    mistakes
}

/// Guesses the mistake in the data, in the answer, or in both.
fn both_ways(
    ask: &Ask,
    got: &Tensor,
    (fault, what): (Fault, &str),
    change: impl Fn(&Tensor) -> Option<Tensor>,
) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    let (data, gave) = (change(&ask.data), change(got));
    let mut guess = |says: String, data: Option<&Tensor>, gave: Option<&Tensor>| {
        if let (Some(data), Some(gave)) = (data, gave) {
            let asked = Ask { data: data.clone(), ..ask.clone() };
            mistakes.push(Mistake { says, asked, gave: gave.clone(), fault });
        }
    };
    guess(format!("{what} in the data and in the answer"), data.as_ref(), gave.as_ref());
    guess(format!("{what} in the data"), data.as_ref(), Some(got));
    guess(format!("{what} in the answer"), Some(&ask.data), gave.as_ref());
    mistakes
}

fn bytes(ask: &Ask, got: &Tensor) -> Vec<Mistake> {
    let swap = |tensor: &Tensor| {
        let unused = 64 - 8 * tensor.dtype().size() as u32;
        let bits: Vec<u64> = tensor.bits().iter().map(|bits| bits.swap_bytes() >> unused).collect();
        Tensor::from_bits(tensor.dtype(), tensor.shape(), &bits).ok()
    };
    let says = "the bytes of each element are in the wrong order (they are little-endian)";
    both_ways(ask, got, (Fault::Carried, says), swap)
}

fn types(ask: &Ask, got: &Tensor) -> Vec<Mistake> {
    let dtype = ask.data.dtype();
    let mut mistakes = Vec::new();
    for other in Dtype::ALL.into_iter().filter(|other| *other != dtype && other.size() == dtype.size()) {
        let sign = match (dtype.is_integer(), other.is_integer()) {
            (true, true) => " (the sign bit is lost or made)",
            _ => "",
        };
        let taken = format!("{dtype} elements are taken for {other}{sign}");
        let reread = |tensor: &Tensor| {
            let same_size = tensor.dtype().size() == other.size();
            same_size.then(|| Tensor::from_bits(other, tensor.shape(), &tensor.bits()).ok())?
        };
        mistakes.extend(both_ways(ask, got, (Fault::Result, &taken), reread));
    }
    let narrower: &[Dtype] = match dtype {
        Dtype::I32 | Dtype::U32 | Dtype::F64 => &[Dtype::F32],
        Dtype::I64 | Dtype::U64 => &[Dtype::F64, Dtype::F32],
        _ => &[],
    };
    for &through in narrower {
        let says = format!("{dtype} elements pass through {through}");
        if let (Some(data), Some(gave)) = (converted(&ask.data, through), converted(got, through)) {
            mistakes.push(Mistake { says, asked: Ask { data, ..ask.clone() }, gave, fault: Fault::Result });
        }
    }
    mistakes
}

fn dims(ask: &Ask, got: &Tensor) -> Vec<Mistake> {
    let reversed = |tensor: &Tensor| {
        let shape: Vec<usize> = tensor.shape().iter().rev().copied().collect();
        Tensor::from_bits(tensor.dtype(), &shape, &tensor.bits()).ok()
    };
    // Column-major elements, read as if row-major.
    let column_major = |tensor: &Tensor| {
        let reversed = reversed(tensor)?;
        let order: Vec<usize> = (0..tensor.rank()).rev().collect();
        Tensor::from_bits(tensor.dtype(), tensor.shape(), &reversed.bits_by(&order)).ok()
    };
    let mut mistakes = both_ways(ask, got, (Fault::Carried, "the dims are in reverse order"), reversed);
    mistakes.extend(both_ways(
        ask,
        got,
        (Fault::Carried, "the elements are column-major (row-major is due: axis 0 the slowest)"),
        column_major,
    ));
    let rank = ask.data.rank();
    let mut from_fastest: Vec<usize> =
        ask.all_axes().iter().filter_map(|axis| (rank - 1).checked_sub(*axis)).collect();
    from_fastest.sort_unstable();
    mistakes.push(Mistake {
        says: "axes are counted from the other end".to_owned(),
        asked: Ask { axes: Some(from_fastest), ..ask.clone() },
        gave: got.clone(),
        fault: Fault::Carried,
    });
    mistakes
}

fn arguments(ask: &Ask, got: &Tensor) -> Vec<Mistake> {
    let keep = ask.keep == Some(true);
    let norm = if ask.norm == Norm::L1 { Norm::L2 } else { Norm::L1 };
    let all = (0..ask.data.rank()).collect();
    let first = ask.axes.as_ref().map(|axes| axes.iter().copied().take(1).collect());
    let guess =
        |says: &str, asked| Mistake { says: says.to_owned(), asked, gave: got.clone(), fault: Fault::Result };
    vec![
        guess(
            if keep {
                "the reduced dims are dropped where they are to be kept"
            } else {
                "the reduced dims are kept where they are to be dropped"
            },
            Ask { keep: Some(!keep), ..ask.clone() },
        ),
        guess(
            &format!("it is {norm:?} of the data where {:?} was asked", ask.norm),
            Ask { norm, ..ask.clone() },
        ),
        guess("the axes are ignored: all are reduced", Ask { axes: Some(all), ..ask.clone() }),
        guess("the axes are ignored: none is reduced", Ask { axes: Some(Vec::new()), ..ask.clone() }),
        guess("only the first axis is reduced", Ask { axes: first, ..ask.clone() }),
    ]
}

/// Guesses an answer in another type.
fn answer_type(ask: &Ask, got: &Tensor) -> Option<Mistake> {
    let (came, due) = (got.dtype(), ask.data.dtype());
    let gave = converted(got, due).filter(|_| came != due)?;
    let says = format!("the values are right, but of type {came} where {due} is due");
    Some(Mistake { says, asked: ask.clone(), gave, fault: Fault::Result })
}

/// Guesses an answer in another shape.
fn answer_shape(ask: &Ask, due: &[usize], got: &Tensor) -> Option<Mistake> {
    let gave = Tensor::from_bits(got.dtype(), due, &got.bits()).ok()?;
    let says = format!("the elements are right, but the shape is {:?} where {due:?} is due", got.shape());
    Some(Mistake { says, asked: ask.clone(), gave, fault: Fault::Result })
}
