//! Tests laws that every ruling obeys, on calls drawn from everything that a caller can write, valid or not.
//!
//! A ruling is a complete decision tree: each combination of answers appears once, in order, and any policy
//! selects exactly one of them.

use std::collections::BTreeSet;

use normative_reference::{
    Alternative, Axes, AxesTensor, Call, Choice, Dtype, Expected, Norm, Operator, Opset, Question, Reading,
    Tensor, expect, rule,
};
use proptest::prelude::*;

use crate::common::{Random, breakable, broken_clauses};

fn random_call(random: &mut Random) -> Call {
    let norm = random.pick(&[Norm::L1, Norm::L2]);
    let rank = random.pick(&[0, 0, 1, 1, 2, 2, 3, 4, 8, 9]);
    let shape: Vec<usize> = (0..rank).map(|_| random.pick(&[0, 1, 1, 2, 2, 3])).collect();
    let integer = |random: &mut Random| random.pick(&[None, Some(0), Some(1), Some(2), Some(-1)]);
    let operator = match random.below(8) {
        0 | 1 => Operator::OpenVino { norm, keep_dims: random.pick(&[None, Some(false), Some(true)]) },
        2 | 3 => Operator::Onnx {
            norm,
            opset: random.pick(&Opset::ALL),
            keepdims: integer(random),
            noop_with_empty_axes: integer(random),
        },
        4 => Operator::ArrayApi {
            ord: random.pick(&[None, Some(Norm::L1), Some(Norm::L2)]),
            keepdims: random.pick(&[None, Some(false), Some(true)]),
        },
        5 => Operator::WebNn { norm, keep_dimensions: random.pick(&[None, Some(false), Some(true)]) },
        6 => Operator::Blas {
            norm,
            n: random.pick(&[-1, 0, 1, 2, 3]),
            incx: random.pick(&[i32::MIN, -1, 0, 1, 2]),
        },
        _ => {
            // The shape of some output, so that not every call is refused for its shape.
            let kept = shape.iter().rev().copied().filter(|_| random.one_in(2)).collect();
            Operator::Bnns { output_shape: if random.one_in(2) { vec![1] } else { kept } }
        }
    };
    let dtype = if random.one_in(3) { Dtype::F32 } else { random.pick(&Dtype::ALL) };
    let count = shape.iter().product();
    let extreme = [0, 1, 0x7f, 0x80, 0x7c00, 0x7c01, 0x7f80_0000, 0xffc0_0000, 1 << 63, 0x7ff << 52, !0];
    let bits: Vec<u64> =
        (0..count).map(|_| if random.one_in(2) { random.pick(&extreme) } else { random.bits() }).collect();
    let data = Tensor::from_bits(dtype, &shape, &bits).unwrap();
    let spelled = matches!(operator, Operator::Blas { .. }) && random.one_in(2);
    let axes = if spelled { Axes::Absent } else { random_axes(random, shape.len() as i128) };
    let axes = match axes {
        Axes::Given(axes) if matches!(operator, Operator::Onnx { .. }) && random.one_in(8) => {
            Axes::OtherForm(axes)
        }
        axes => axes,
    };
    Call::new(operator, data, axes)
}

fn random_axes(random: &mut Random, rank: i128) -> Axes {
    let dtype = if random.one_in(8) { random.pick(&Dtype::ALL) } else { Dtype::I64 };
    let mut axis = |_| match random.below(8) {
        0 => random.pick(&[rank, -rank - 1, i128::MAX, i128::MIN]),
        _ => random.below(2 * rank.max(1) as usize) as i128 - rank.max(1),
    };
    let list: Vec<i128> = (0..3).map(&mut axis).collect();
    match random.below(8) {
        0 => Axes::Absent,
        1 => Axes::Null,
        2 => Axes::Given(AxesTensor { dtype, shape: vec![], values: list[..1].to_vec() }),
        3 => Axes::Given(AxesTensor { dtype, shape: vec![1, 2], values: list[..2].to_vec() }),
        length => {
            let length = length - 4;
            Axes::Given(AxesTensor { dtype, shape: vec![length], values: list[..length].to_vec() })
        }
    }
}

fn place(question: Question, reading: Reading) -> usize {
    question.readings().iter().position(|&other| other == reading).unwrap()
}

/// Returns true if `first` comes before `second`: at the first difference, `second` has a later reading of
/// the same question.
fn precedes(first: &Alternative, second: &Alternative) -> bool {
    let mut pairs = first.choices.iter().zip(&second.choices);
    pairs.find(|(a, b)| a != b).is_some_and(|(a, b)| {
        a.question == b.question && place(a.question, a.reading) < place(b.question, b.reading)
    })
}

fn seeds() -> impl Strategy<Value = u64> {
    any::<u64>().no_shrink()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4000,
        // A failure prints its seed, which is enough to repeat it.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn readings_are_distinct_and_in_order(seed in seeds()) {
        let call = random_call(&mut Random(seed));
        let alternatives = rule(&call).alternatives;
        prop_assert!(!alternatives.is_empty());
        for pair in alternatives.windows(2) {
            prop_assert!(precedes(&pair[0], &pair[1]), "{:?}\n{:?}", pair[0], pair[1]);
        }
        for alternative in &alternatives {
            let asked: BTreeSet<Question> = alternative.choices.iter().map(|choice| choice.question).collect();
            prop_assert_eq!(asked.len(), alternative.choices.len(), "a question is asked once");
        }
    }

    #[test]
    fn any_policy_ends_in_exactly_one_reading(seed in seeds(), policy_seed in seeds()) {
        let call = random_call(&mut Random(seed));
        let ruling = rule(&call);
        let mut random = Random(policy_seed);
        // The policy leaves some questions open: they take the first reading.
        let policy = Question::ALL.map(|question| {
            if random.one_in(3) { None } else { Some(random.pick(question.readings())) }
        });
        // A reading that means the same as the first one in every call of a type is left out.
        let is_there = |choice| ruling.alternatives.iter().any(|alternative| alternative.choices.contains(&choice));
        let answer = |question: Question| {
            policy[question as usize].filter(|&reading| is_there(Choice { question, reading }))
        };
        let fits = |alternative: &&Alternative| {
            alternative.choices.iter().all(|choice| {
                answer(choice.question).unwrap_or(choice.question.readings()[0]) == choice.reading
            })
        };
        let fitting: Vec<&Alternative> = ruling.alternatives.iter().filter(fits).collect();
        prop_assert_eq!(fitting.len(), 1);
        prop_assert_eq!(ruling.under(|question| policy[question as usize]), Some(fitting[0]));
    }

    #[test]
    fn order_of_axes_does_not_matter(seed in seeds()) {
        let call = random_call(&mut Random(seed));
        let mut reversed = call.clone();
        if let Axes::Given(axes) = &mut reversed.axes {
            axes.values.reverse();
        }
        prop_assert_eq!(rule(&call), rule(&reversed));
    }

    #[test]
    fn every_reading_expects_an_answer_of_the_type_of_the_data(seed in seeds()) {
        let call = random_call(&mut Random(seed));
        for alternative in rule(&call).alternatives {
            match expect(&call, &alternative.outcome).unwrap() {
                Expected::Exactly(tensor) => {
                    prop_assert_eq!(tensor.dtype(), call.data.dtype());
                }
                Expected::Converted(converted) => {
                    prop_assert_eq!(converted.best.dtype(), call.data.dtype());
                    prop_assert!(!converted.near.dtype.is_integer());
                }
                Expected::Near(near) => {
                    prop_assert_eq!(near.dtype, call.data.dtype());
                    let rounded = near.rounded().unwrap();
                    prop_assert_eq!(rounded.shape(), near.shape);
                }
                Expected::Rejection(clause) | Expected::Anything(clause) => {
                    prop_assert_eq!(clause.spec, call.spec());
                }
            }
        }
    }
}

#[test]
fn calls_drawn_reach_every_question_and_break_every_clause_and_no_other() {
    let mut random = Random(4);
    let (mut raised, mut broken) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..50_000 {
        let ruling = rule(&random_call(&mut random));
        raised.extend(ruling.questions());
        broken.extend(broken_clauses(&ruling));
    }
    assert_eq!(raised, Question::ALL.into());
    assert_eq!(broken, breakable());
}
