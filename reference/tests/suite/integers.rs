//! Checks every pair of 8-bit integers, under every reading of overflow, rounding and the sum of squares,
//! against arithmetic on machine words that is written out here.
//!
//! A question that a call does not raise must not change its answer. So each pair is checked under all 384
//! policies, including those for questions that it does not raise.

use normative_reference::{
    Axes, Call, Clause, Dtype, Element, Expected, Norm, Operator, Opset, Question, Reading, Ruling, Tensor,
    expect, rule,
};
use rstest::rstest;

use crate::common::{openvino, tensor};

/// One answer to each question about integers. No sum of two squares of bytes exceeds the exact range of f32.
#[derive(Clone, Copy, Debug)]
struct Policy {
    overflow: Reading,
    rounding: Reading,
    intermediate: Reading,
    wider: Reading,
    negative: Reading,
}

impl Policy {
    fn all() -> Vec<Self> {
        let mut policies = Vec::new();
        let each = |question: Question| question.readings();
        for &overflow in each(Question::IntegerOverflow) {
            for &rounding in each(Question::IntegerL2Rounding) {
                for &intermediate in each(Question::IntegerL2Intermediate) {
                    for &wider in each(Question::IntegerL2Wider) {
                        for &negative in each(Question::IntegerL2Negative) {
                            policies.push(Self { overflow, rounding, intermediate, wider, negative });
                        }
                    }
                }
            }
        }
        policies
    }

    fn answer(self, question: Question) -> Option<Reading> {
        match question {
            Question::IntegerOverflow => Some(self.overflow),
            Question::IntegerL2Rounding => Some(self.rounding),
            Question::IntegerL2Intermediate => Some(self.intermediate),
            Question::IntegerL2Wider => Some(self.wider),
            Question::IntegerL2Negative => Some(self.negative),
            _ => None,
        }
    }

    /// Returns the sum of two squares, in the type that holds it.
    fn held(self, ty: Type, a: i64, b: i64) -> i64 {
        let unsigned = self.negative == Reading::Unsigned;
        let wraps_in: [fn(i64) -> i64; 2] = match (self.intermediate, unsigned) {
            (Reading::Exact, false) => [|x| i64::from(x as i16), |x| x.min(i16::MAX.into())],
            (Reading::Exact, true) => [|x| i64::from(x as u16), |x| x.min(u16::MAX.into())],
            (Reading::Saturates, _) => [|x| x, if ty.min < 0 { |x| x.min(127) } else { |x| x.min(255) }],
            (_, true) => [|x| i64::from(x as u8), |x| x],
            (_, false) => [ty.wrap, |x| x],
        };
        let [wrap, stop] = wraps_in;
        let beyond = if self.intermediate == Reading::Exact { self.wider } else { self.intermediate };
        match beyond {
            Reading::Wraps => wrap(a * a + b * b),
            Reading::Saturates => stop(a * a + b * b),
            Reading::SquaresWrap => wrap(a * a) + wrap(b * b),
            _ => a * a + b * b,
        }
    }
}

/// An 8-bit integer type, by Rust's own operations on it.
#[derive(Clone, Copy)]
struct Type {
    min: i64,
    max: i64,
    wrap: fn(i64) -> i64,
}

const I8: Type = Type { min: -128, max: 127, wrap: |x| i64::from(x as i8) };
const U8: Type = Type { min: 0, max: 255, wrap: |x| i64::from(x as u8) };

/// Returns the norm of the pair under a policy; `None` where it is refused.
fn norm(norm: Norm, ty: Type, a: i64, b: i64, policy: Policy) -> Option<i64> {
    let fitted = |exact: i64| match policy.overflow {
        _ if exact <= ty.max => Some(exact),
        // C cuts a byte out of an int, whatever the int was converted from.
        Reading::Wrap | Reading::Indefinite => Some((ty.wrap)(exact)),
        Reading::Saturate => Some(ty.max),
        _ => None,
    };
    if norm == Norm::L1 {
        return fitted(a.abs() + b.abs());
    }
    let squares = policy.held(ty, a, b);
    if squares < 0 {
        return Some(if policy.negative == Reading::Indefinite { ty.min } else { 0 });
    }
    // √(255² + 255²) < 361.
    let below = (0..361).rev().find(|root| root * root <= squares)?;
    // The root is above below + 1/2 if four times its square is above (2·below + 1)².
    let up = policy.rounding == Reading::Nearest && 4 * squares > (2 * below + 1).pow(2);
    let root = below + i64::from(up);
    fitted(root)
}

/// Returns the value that the policy's reading of the call expects, or `None` for a refusal.
fn expected<T: Element>(ruling: &Ruling, answers: &[Option<T>], policy: Policy) -> Option<T> {
    let alternative = ruling.under(|question| policy.answer(question)).unwrap();
    let at = ruling.alternatives.iter().position(|other| std::ptr::eq(other, alternative)).unwrap();
    answers[at]
}

fn answer<T: Element>(expected: &Expected) -> Option<T> {
    match expected {
        Expected::Exactly(tensor) => Some(*T::array(tensor).unwrap().first().unwrap()),
        Expected::Rejection(clause) => {
            assert!(["output-type", "empty-set"].contains(&clause.name), "{clause}");
            None
        }
        Expected::Near(_) | Expected::Converted(_) | Expected::Anything(_) => {
            panic!("bytes are expected exactly")
        }
    }
}

fn every_pair<T>(kind: Norm, ty: Type)
where
    T: Element + Into<i64> + TryFrom<i64>,
    Tensor: From<ndarray::ArrayD<T>>,
{
    let policies = Policy::all();
    let all: Vec<T> = (ty.min..=ty.max).filter_map(|x| T::try_from(x).ok()).collect();
    assert_eq!(all.len(), 256);
    for (&a, &b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
        let call = openvino(kind, Axes::list(&[0]), tensor(&[2], &[a, b]));
        let ruling = rule(&call);
        let answers: Vec<Option<T>> = ruling
            .alternatives
            .iter()
            .map(|alternative| answer(&expect(&call, &alternative.outcome).unwrap()))
            .collect();
        let (a, b) = (a.into(), b.into());
        for &policy in &policies {
            let given = expected(&ruling, &answers, policy).map(Into::into);
            assert_eq!(given, norm(kind, ty, a, b, policy), "{kind:?} of [{a}, {b}] under {policy:?}");
        }
    }
}

#[rstest]
#[ignore = "weekly: 65,536 pairs under every reading"]
fn every_pair_of_i8_has_its_norm_under_every_reading(#[values(Norm::L1, Norm::L2)] kind: Norm) {
    every_pair::<i8>(kind, I8);
}

#[rstest]
#[ignore = "weekly: 65,536 pairs under every reading"]
fn every_pair_of_u8_has_its_norm_under_every_reading(#[values(Norm::L1, Norm::L2)] kind: Norm) {
    every_pair::<u8>(kind, U8);
}

/// Returns the answer to a call under each of its readings, `None` for a refusal.
fn answers<T: Element>(norm: Norm, elements: &[T]) -> Vec<(String, Option<T>)>
where
    Tensor: From<ndarray::ArrayD<T>>,
{
    let call = openvino(norm, Axes::list(&[0]), tensor(&[elements.len()], elements));
    let alternatives = rule(&call).alternatives;
    let readings = alternatives.iter().map(|alternative| {
        let choices: Vec<String> = alternative.choices.iter().map(ToString::to_string).collect();
        let best = match expect(&call, &alternative.outcome).unwrap() {
            Expected::Converted(converted) => Expected::Exactly(converted.best),
            expected => expected,
        };
        (choices.join(", "), answer(&best))
    });
    readings.collect()
}

#[test]
fn sums_within_64_bits_are_exact_beyond_what_f64_holds() {
    // A call near the limit may raise the question of overflow; a result that fits is the same under all readings.
    let all_give = |given: Vec<(String, Option<i64>)>, value| {
        assert!(given.iter().all(|(_, given)| *given == Some(value)), "{given:?}, not {value}");
    };
    let odd = (1_i64 << 53) + 1;
    all_give(answers(Norm::L1, &[odd, -2]), odd + 2);
    all_give(answers(Norm::L1, &[i64::MAX - 1, -1]), i64::MAX);
    all_give(answers(Norm::L1, &[1, i64::MIN + 2]), i64::MAX);
    let unsigned = answers(Norm::L1, &[u64::MAX - 1, 1]);
    assert!(unsigned.iter().all(|(_, given)| *given == Some(u64::MAX)), "{unsigned:?}");
}

#[test]
fn absolute_value_of_the_minimum_overflows() {
    let expected = [
        ("integer-overflow=wrap", Some(i64::MIN)),
        ("integer-overflow=saturate", Some(i64::MAX)),
        ("integer-overflow=reject", None),
        ("integer-overflow=indefinite", Some(i64::MIN)),
    ];
    assert_eq!(answers(Norm::L1, &[i64::MIN]), expected.map(|(choice, value)| (choice.to_owned(), value)));
}

#[test]
fn root_of_64_bit_squares_is_exact_under_the_exact_reading() {
    // 2^63 - 1 is its own norm, although its square has 126 bits.
    let [(choices, value), ..] = &answers(Norm::L2, &[i64::MAX])[..] else { panic!("no reading") };
    assert_eq!(
        choices,
        "integer-l2-rounding=truncate, integer-l2-intermediate=exact, integer-l2-precision=exact"
    );
    assert_eq!(*value, Some(i64::MAX));
    // Four times the greatest square, whose sum a 128-bit word cannot hold: twice the norm.
    let [(_, value), ..] = &answers(Norm::L2, &[u64::MAX; 4])[..] else { panic!("no reading") };
    assert_eq!(*value, Some(u64::MAX.wrapping_mul(2)));
}

#[rstest]
// √(k² + k) is below k + 1/2 and √(k² + k + 1) above it; k² + k = 1 + 1 + ... as sums of squares.
#[case::below_half(&[2, 1, 1], 2, 2)]
#[case::above_half(&[2, 1, 1, 1], 2, 3)]
#[case::perfect_square(&[3, -4], 5, 5)]
#[case::one_less_than_a_square(&[1, 3, 3, 2, 1], 4, 5)]
fn root_is_truncated_or_nearest(#[case] elements: &[i32], #[case] truncated: i32, #[case] nearest: i32) {
    let expected = [
        ("integer-l2-rounding=truncate".to_owned(), Some(truncated)),
        ("integer-l2-rounding=nearest".to_owned(), Some(nearest)),
    ];
    assert_eq!(answers(Norm::L2, elements), expected);
}

#[test]
fn root_that_rounds_up_beyond_the_type_overflows() {
    // 127² + 127 + 1 ones: the root is just beyond 127.5.
    let given = answers(Norm::L2, &[1_i8; 127 * 127 + 127 + 1]);
    let under = |choices: &str| given.iter().find(|(given, _)| given == choices).map(|(_, value)| *value);
    let exact = |rounding, overflow| {
        let rounding = format!("integer-l2-rounding={rounding}");
        under(&format!("{rounding}, integer-l2-intermediate=exact, integer-overflow={overflow}"))
    };
    assert_eq!(exact("nearest", "wrap"), Some(Some(-128)));
    assert_eq!(exact("nearest", "saturate"), Some(Some(127)));
    assert_eq!(exact("nearest", "reject"), Some(None));
    assert_eq!(exact("truncate", "reject"), Some(Some(127)));
}

#[rstest]
fn norm_over_nothing_is_zero_or_refused(#[values(Norm::L1, Norm::L2)] norm: Norm) {
    let [zero, reject] = &answers::<i32>(norm, &[])[..] else { panic!("two readings") };
    assert_eq!(*zero, ("empty-set=zero".to_owned(), Some(0)));
    assert_eq!(*reject, ("empty-set=reject".to_owned(), None));
    assert_eq!(answers::<u64>(norm, &[0, 0]), [(String::new(), Some(0))]);
}

#[test]
fn one_overflowing_output_refuses_the_whole_call() {
    let call = openvino(Norm::L1, Axes::list(&[1]), tensor(&[2, 2], &[1_i8, 2, 100, 100]));
    let ruling = rule(&call);
    let reject = ruling.under(|_| Some(Reading::Reject)).unwrap();
    let clause = Clause { spec: call.spec(), name: "output-type" };
    assert_eq!(expect(&call, &reject.outcome), Ok(Expected::Rejection(clause)));
    let saturate = ruling.under(|_| Some(Reading::Saturate)).unwrap();
    assert_eq!(expect(&call, &saturate.outcome), Ok(Expected::Exactly(tensor(&[2], &[3_i8, 127]))));
    assert_eq!(call.data.dtype(), Dtype::I8);
}

/// The sum of squares, 2.5e9, wraps to a negative i32 and fits into u32.
#[rstest]
#[case::as_c_on_x86(Reading::Wraps, Reading::Indefinite, i32::MIN)]
#[case::as_c_on_arm(Reading::Wraps, Reading::Zero, 0)]
#[case::without_a_sign(Reading::Wraps, Reading::Unsigned, 50_000)]
#[case::stops(Reading::Saturates, Reading::Zero, 46_340)]
#[case::each_square_fits(Reading::SquaresWrap, Reading::Zero, 50_000)]
fn a_sum_of_squares_beyond_the_type_is_held_in_it(
    #[case] intermediate: Reading,
    #[case] negative: Reading,
    #[case] norm: i32,
) {
    let call = openvino(Norm::L2, Axes::list(&[0]), tensor(&[2], &[40_000_i32, -30_000]));
    let ruling = rule(&call);
    let alternative = ruling.under(|question| match question {
        Question::IntegerL2Intermediate => Some(intermediate),
        Question::IntegerL2Negative => Some(negative),
        _ => None,
    });
    let expected = expect(&call, &alternative.unwrap().outcome);
    assert_eq!(expected, Ok(Expected::Exactly(tensor(&[], &[norm]))));
}

/// The processor's own f32, whose conversions and root round correctly.
#[test]
fn root_in_single_precision_is_the_processors() {
    let data: Vec<i64> = [1 << 11, 46_341, 16_777_217, 33_554_431, 3_037_000_499, i64::MAX / 3]
        .into_iter()
        .chain((0..2000).map(|i| 3001 + i * 977_777_777_777))
        .collect();
    let data = ndarray::Array1::from(data);
    let operator =
        Operator::Onnx { norm: Norm::L2, opset: Opset::V18, keepdims: None, noop_with_empty_axes: Some(1) };
    let one_by_one = data.clone().insert_axis(ndarray::Axis(1));
    let call = Call::new(operator, one_by_one.into_dyn().into(), Axes::list(&[1]));
    let ruling = rule(&call);
    let single = |question| (question == Question::IntegerL2Precision).then_some(Reading::Single);
    let outcome = &ruling.under(single).unwrap().outcome;
    let Expected::Converted(answer) = expect(&call, outcome).unwrap() else {
        panic!("integers are converted")
    };
    // Whole numbers below 2^64 squared do not overflow u128, and Rust's casts to f32 round to nearest.
    let right = data.mapv(|x| (i128::from(x).pow(2) as f32).sqrt() as i64).insert_axis(ndarray::Axis(1));
    assert_eq!(answer.best, right.into_dyn().into());
}
