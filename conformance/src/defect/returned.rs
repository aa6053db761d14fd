//! Finds failures in which the data come back as they are: the first stub of an adapter, or an axis that is never read.

use normative_reference::tensor::same_bits;
use normative_reference::{Alternative, Call, Norm, Outcome, rule};

use super::rules::Likeness;
use crate::judge::compare::Mismatch;
use crate::judge::verdict::Verdict;
use crate::parallel;

/// Returns the failures of each norm whose answers are the data, if nearly no conforming call of it has another answer. Each
/// call has the verdict on its answer if that fails, and `None` if it conforms.
pub(crate) fn likenesses(told: &[(&Call, Option<&Verdict>)]) -> Vec<Likeness> {
    let unchanged = parallel::each(told, |&(call, verdict)| match verdict {
        Some(verdict) => Some(is_data(call, verdict)),
        None => changes_shape(call).then_some(false),
    });
    let of_norm = |norm: Norm| {
        let all = || unchanged.iter().enumerate().filter(move |(at, _)| told[*at].0.spec().norm() == norm);
        let same = all().filter(|(_, one)| **one == Some(true)).map(|(at, _)| at).collect();
        let against = all().filter(|(at, one)| told[*at].1.is_none() && **one == Some(false)).count();
        let sentence = "The data come back as they are.";
        Likeness { sentence, same, similar: Vec::new(), against }
    };
    let holds = |like: &Likeness| !like.same.is_empty() && like.holds();
    let all = Norm::ALL.map(of_norm).into_iter().filter(holds);
    // A stub of several norms is one defect.
    let joined = all.reduce(|one, other| Likeness {
        same: [one.same, other.same].concat(),
        against: one.against + other.against,
        ..one
    });
    joined.into_iter().collect()
}

/// Returns true if a failing answer is the data, as far as its verdict says.
fn is_data(call: &Call, verdict: &Verdict) -> bool {
    match verdict.mismatch() {
        Some(Mismatch::Shape { got: shape, .. } | Mismatch::NotRejected { shape, .. }) => {
            shape == call.data.shape()
        }
        Some(Mismatch::Element(wrong)) => {
            let (shape, dtype) = (call.data.shape(), call.data.dtype());
            let place = wrong.index.iter().zip(shape).fold(0, |flat, (at, dim)| flat * dim + at);
            let element = call.data.bits().get(place).copied();
            wrong.index.len() == shape.len() && element.is_some_and(|bits| same_bits(dtype, bits, wrong.got))
        }
        _ => false,
    }
}

/// Returns true if every right answer to a call has other dims than its data.
fn changes_shape(call: &Call) -> bool {
    rule(call).alternatives.iter().all(|Alternative { outcome, .. }| match outcome {
        Outcome::Reduce(reduction, _) => reduction.output_shape(call.data.shape()) != call.data.shape(),
        Outcome::Unchanged | Outcome::Rejected(_) | Outcome::OutOfScope(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use normative_reference::{Axes, Dtype, Operator, Tensor};

    use super::*;
    use crate::judge::verdict::{Demands, Sheet, judge};
    use crate::observed::Observed;

    #[test]
    fn only_a_backend_that_returns_the_data_is_told_so() {
        let call = |shape: &[usize], axes: &[i64]| {
            let data =
                Tensor::from_bits(Dtype::I32, shape, &vec![u64::from(u32::MAX); shape.iter().product()]);
            Call::new(Operator::OpenVino { norm: Norm::L1, keep_dims: None }, data.unwrap(), Axes::list(axes))
        };
        let verdict = |call: &Call, answer: &Tensor| {
            judge(&Sheet::of(call).unwrap(), &Observed::Tensor(answer.clone()), &Demands::default())
        };
        // A wrong shape, a wrong value of the right shape, and an invalid call that is answered.
        let calls = [call(&[2, 3], &[1]), call(&[1], &[]), call(&[2], &[7])];
        let returned: Vec<Verdict> = calls.iter().map(|call| verdict(call, &call.data)).collect();
        let failing: Vec<_> =
            calls.iter().zip(&returned).filter(|(_, verdict)| verdict.is_failure()).collect();
        assert!(failing.len() >= 2);
        let told: Vec<_> = failing.iter().map(|(call, verdict)| (*call, Some(*verdict))).collect();
        assert_eq!(likenesses(&told)[0].same.len(), told.len());
        let other = Tensor::from_bits(Dtype::I32, &[7], &[0; 7]).unwrap();
        let wrong = verdict(&calls[0], &other);
        assert!(likenesses(&[(&calls[0], Some(&wrong))]).is_empty());
        // A conforming call with other dims than its data contradicts.
        assert!(likenesses(&[told[0], (&calls[0], None)]).is_empty());
        let other = Call::new(
            Operator::OpenVino { norm: Norm::L2, keep_dims: None },
            calls[0].data.clone(),
            Axes::list(&[1]),
        );
        assert_eq!(likenesses(&[told[0], (&other, None)])[0].same, [0], "another norm is another kernel");
    }
}
