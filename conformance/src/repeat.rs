//! Some calls asked again, in another order.
//!
//! Calls are independent, so the same call has the same answer, bit for bit. A backend that keeps something
//! from call to call, reads memory it did not write, or lets chance decide, gives itself away here and
//! possibly nowhere else. Whether an answer is right is not asked again.

use normative_reference::Call;

use crate::backend::{Answer, Backend};
use crate::random::splitmix64;

/// Calls asked again, unless somebody wants another number.
pub const USUAL: usize = 500;

/// What draws the sample and its order. Any number would do.
const SEED: u64 = 0x005e_ed0f_a9a1;

/// A call and its first answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// What the call is called in reports.
    pub name: String,
    /// The call.
    pub call: Call,
    /// The first answer.
    pub first: Answer,
}

/// A call that was answered in two ways.
#[derive(Clone, Debug, PartialEq)]
pub struct Unstable {
    /// What was asked and answered first.
    pub sample: Sample,
    /// The answer to the same call among other calls.
    pub then: Answer,
}

/// Whether the call at `place` of a run of `calls` is among the about `wanted` that are asked again.
pub fn is_sampled(place: usize, calls: usize, wanted: usize) -> bool {
    splitmix64(SEED, place as u64) % (calls.max(1) as u64) < wanted as u64
}

/// Asks again, in an order that has nothing to do with the first. Only answers that a runtime gave of its own
/// accord can be held against it, so whoever died or declined is left out.
pub fn ask_again(samples: Vec<Sample>, backend: &mut dyn Backend) -> Vec<Unstable> {
    let answered = |sample: &Sample| matches!(sample.first, Answer::Tensor(_) | Answer::Rejected(_));
    let mut shuffled: Vec<(u64, Sample)> = samples
        .into_iter()
        .filter(answered)
        .enumerate()
        .map(|(place, sample)| (splitmix64(!SEED, place as u64), sample))
        .collect();
    shuffled.sort_by_key(|(key, _)| *key);
    let calls: Vec<&Call> = shuffled.iter().map(|(_, sample)| &sample.call).collect();
    let answers = backend.answer_all(&calls);
    let mut unstable: Vec<Unstable> = shuffled
        .into_iter()
        .zip(answers)
        .filter(|((_, sample), then)| !is_same(&sample.first, then))
        .map(|((_, sample), then)| Unstable { sample, then })
        .collect();
    unstable.sort_by(|a, b| a.sample.name.cmp(&b.sample.name));
    unstable
}

/// Bit for bit; one NaN is like another, and one refusal like another.
fn is_same(first: &Answer, then: &Answer) -> bool {
    match (first, then) {
        (Answer::Rejected(_), Answer::Rejected(_)) => true,
        _ => first == then,
    }
}

#[cfg(test)]
mod tests {
    use normative_reference::{Axes, Norm, Operator};
    use rstest::rstest;

    use super::*;
    use crate::backend::{Death, Identity};

    /// Answers with the data, and does something else over the second of each.
    struct Twice<F>(F, Vec<Call>);

    impl<F: Fn(&Call) -> Answer> Backend for Twice<F> {
        fn identity(&self) -> Identity {
            Identity { name: "twice".into(), version: "0".into(), report_bugs_to: "this test".into() }
        }

        fn answer(&mut self, call: &Call) -> Answer {
            self.1.push(call.clone());
            (self.0)(call)
        }
    }

    fn samples(first: impl Fn(&Call) -> Answer) -> Vec<Sample> {
        let operator = Operator::OpenVino { norm: Norm::L1, keep_dims: None };
        let call = |value| Call {
            operator: operator.clone(),
            data: ndarray::arr1(&[value]).into_dyn().into(),
            axes: Axes::Absent,
        };
        let sample = |n| {
            let call = call(f32::from(n));
            Sample { name: format!("{n:03}"), first: first(&call), call }
        };
        (0..50_u16).map(sample).collect()
    }

    fn echo(call: &Call) -> Answer {
        Answer::Tensor(call.data.clone())
    }

    fn other(call: &Call) -> Answer {
        let bits: Vec<u64> = call.data.bits().iter().map(|bits| bits ^ 1).collect();
        Answer::Tensor(
            normative_reference::Tensor::from_bits(call.data.dtype(), call.data.shape(), &bits).unwrap(),
        )
    }

    fn refused(_: &Call) -> Answer {
        Answer::Rejected("no".into())
    }

    fn died(_: &Call) -> Answer {
        Answer::Died(Death::Crashed("SIGSEGV".into()))
    }

    fn declined(_: &Call) -> Answer {
        Answer::Unsupported("no".into())
    }

    #[rstest]
    #[case::the_same_bits(echo, echo, 0)]
    #[case::a_last_bit(echo, other, 50)]
    #[case::a_refusal_instead(echo, refused, 50)]
    #[case::refused_twice(refused, refused, 0)]
    #[case::a_death_instead(refused, died, 50)]
    #[case::dead_before(died, echo, 0)]
    #[case::declined_before(declined, echo, 0)]
    fn only_what_a_runtime_answered_is_held_against_it(
        #[case] first: fn(&Call) -> Answer,
        #[case] then: fn(&Call) -> Answer,
        #[case] expected: usize,
    ) {
        let unstable = ask_again(samples(first), &mut Twice(then, Vec::new()));
        assert_eq!(unstable.len(), expected);
        assert!(unstable.is_sorted_by_key(|one| one.sample.name.clone()));
    }

    #[test]
    fn the_order_is_another() {
        let mut backend = Twice(echo, Vec::new());
        let samples = samples(echo);
        ask_again(samples.clone(), &mut backend);
        let first: Vec<&Call> = samples.iter().map(|sample| &sample.call).collect();
        let again: Vec<&Call> = backend.1.iter().collect();
        assert_ne!(first, again);
        assert!(first.iter().all(|call| again.contains(call)) && first.len() == again.len());
        let neighbours = |calls: &[&Call]| -> Vec<(Call, Call)> {
            calls.windows(2).map(|two| (two[0].clone(), two[1].clone())).collect()
        };
        let kept = neighbours(&first).iter().filter(|two| neighbours(&again).contains(two)).count();
        assert!(kept < 10, "{kept} of 49 calls follow the call they followed before");
    }

    #[test]
    fn about_as_many_as_wanted_are_sampled_and_all_where_there_are_fewer() {
        let sampled = |calls, wanted| (0..calls).filter(|&place| is_sampled(place, calls, wanted)).count();
        assert_eq!(sampled(300, 500), 300);
        assert_eq!(sampled(10_000, 0), 0);
        assert!((400..600).contains(&sampled(10_000, 500)), "{}", sampled(10_000, 500));
    }
}
