//! Tests that honest computations never fail at any length, and that errors which public suites accept are
//! caught.

use half::{bf16, f16};
use ndarray::ArrayD;
use normative_conformance::judge::accuracy::Class;
use normative_conformance::judge::accuracy::whole::Excess;
use normative_conformance::judge::compare::Mismatch;
use normative_conformance::reference::{Call, Norm, Tensor};
use normative_conformance::{Demands, Observed, Sheet, Verdict, judge};
use rstest::rstest;

use crate::calls::{answer, openvino, scalar, tensor};

/// The type of a sum, with each step rounded to f32 or to f64.
pub(crate) trait Sums: Copy + 'static {
    fn of(x: f64) -> Self;
    fn to_f64(self) -> f64;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn root(self) -> Self;
}

macro_rules! sums {
    ($($type:ty),*) => {$(
        impl Sums for $type {
            fn of(x: f64) -> Self { x as $type }
            fn to_f64(self) -> f64 { self.into() }
            fn plus(self, other: Self) -> Self { self + other }
            fn minus(self, other: Self) -> Self { self - other }
            fn times(self, other: Self) -> Self { self * other }
            fn root(self) -> Self { self.sqrt() }
        }
    )*};
}

sums!(f32, f64);

type Order<T> = fn(&[T]) -> T;

/// Returns the orders of addition that runtimes use.
fn orders<T: Sums>() -> [(&'static str, Order<T>); 8] {
    [
        ("sequential", |terms| terms.iter().fold(T::of(0.0), |sum, &x| sum.plus(x))),
        ("reversed", |terms| terms.iter().rev().fold(T::of(0.0), |sum, &x| sum.plus(x))),
        ("pairwise", pairwise),
        ("four lanes", lanes::<T, 4>),
        ("eight lanes", lanes::<T, 8>),
        ("sixteen lanes", lanes::<T, 16>),
        ("compensated", compensated),
        ("blocks of a thousand", |terms| {
            terms.chunks(1000).map(|block| lanes::<T, 4>(block)).fold(T::of(0.0), T::plus)
        }),
    ]
}

/// Adds halves of halves.
pub(crate) fn pairwise<T: Sums>(terms: &[T]) -> T {
    match terms {
        [] => T::of(0.0),
        [x] => *x,
        _ => {
            let (left, right) = terms.split_at(terms.len() / 2);
            pairwise(left).plus(pairwise(right))
        }
    }
}

fn lanes<T: Sums, const N: usize>(terms: &[T]) -> T {
    let mut sums = [T::of(0.0); N];
    for (at, &x) in terms.iter().enumerate() {
        sums[at % N] = sums[at % N].plus(x);
    }
    sums.into_iter().reduce(T::plus).unwrap()
}

/// Adds by Kahan's method.
fn compensated<T: Sums>(terms: &[T]) -> T {
    let (mut sum, mut lost) = (T::of(0.0), T::of(0.0));
    for &x in terms {
        let x = x.minus(lost);
        let next = sum.plus(x);
        lost = next.minus(sum).minus(x);
        sum = next;
    }
    sum
}

fn norm<T: Sums>(norm: Norm, elements: &[f64], sum: Order<T>) -> f64 {
    of_sum(norm, sum(&terms(norm, elements)))
}

/// Returns the terms of the sum.
fn terms<T: Sums>(norm: Norm, elements: &[f64]) -> Vec<T> {
    let term = |&x: &f64| match norm {
        Norm::L1 => T::of(x.abs()),
        Norm::L2 | Norm::SumSquare => T::of(x).times(T::of(x)),
        Norm::Sum => T::of(x),
    };
    elements.iter().map(term).collect()
}

fn of_sum<T: Sums>(norm: Norm, sum: T) -> f64 {
    if norm == Norm::L2 { sum.root().to_f64() } else { sum.to_f64() }
}

/// Draws numbers of both f16 and bf16, so that every type holds them. They have at most eight significant
/// bits and magnitudes from 2^-14 to 2^-4, so that sums stay in the narrow types' range too.
pub(crate) type Data = fn(usize, u64) -> f64;

pub(crate) const DATA: [(&str, Data); 5] = [
    ("uniform", |_, random| (random % 255) as f64 / 4096.0),
    ("of either sign", |_, random| ((random % 509) as i64 - 254) as f64 / 8192.0),
    ("of wide range", |_, random| (1 + (random >> 8) % 3) as f64 / f64::from(1 << (5 + random % 9))),
    ("all equal", |_, _| 205.0 / 65536.0),
    // A large sum no longer changes by small terms.
    ("one great, then small", |at, _| if at == 0 { 0.0625 } else { 1.0 / 16384.0 }),
];

/// Like `DATA`, of numbers that f16 and bf16 do not hold: f32 sums round from the second term on.
const FINE: [(&str, Data); 2] = [
    ("of 24 bits", |_, random| ((random >> 40) as f64 - 8_388_608.0) / 16_777_216.0),
    ("over 40 binades", |_, random| (random >> 40) as f64 * 2_f64.powi((random % 41) as i32 - 44)),
];

pub(crate) fn elements(data: Data, n: usize) -> Vec<f64> {
    let mut state = 88_172_645_463_325_252_u64;
    let draw = |at| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        data(at, state)
    };
    (0..n).map(draw).collect()
}

fn call<T: Copy>(norm: Norm, shape: &[usize], elements: &[f64], element: impl Fn(f64) -> T) -> Call
where
    Tensor: From<ArrayD<T>>,
{
    let data: Vec<T> = elements.iter().map(|&x| element(x)).collect();
    openvino(norm, tensor(shape, &data), &[shape.len() as i64 - 1])
}

fn assert_conforms(sheet: &Sheet, answer: &Observed, what: &str) {
    assert_reaches(Class::AnyOrder, sheet, answer, what);
}

fn assert_reaches(class: Class, sheet: &Sheet, answer: &Observed, what: &str) {
    let demands = Demands { accuracy: Some(class), ..Demands::default() };
    let verdict = judge(sheet, answer, &demands);
    assert!(matches!(verdict, Verdict::Conforms { .. }), "{what}: {verdict:?}");
}

#[rstest]
#[case::one(1)]
#[case::a_row(100)]
#[case::a_long_row(4096)]
#[case::a_hundred_thousand(100_000)]
#[ignore = "weekly: it sums 300 million elements"]
#[case::ten_million(10_000_000)]
fn no_honest_sum_raises_an_alarm(#[case] n: usize, #[values(Norm::L1, Norm::L2, Norm::Sum)] l: Norm) {
    for (name, data) in DATA {
        let elements = elements(data, n);
        // The verdict does not depend on the order of elements, so all orders share a sheet.
        let sheet = |call: &Call| Sheet::of(call).unwrap();
        let in_f32 = sheet(&call(l, &[n], &elements, |x| x as f32));
        let in_f64 = sheet(&call(l, &[n], &elements, |x| x));
        let in_f16 = sheet(&call(l, &[n], &elements, f16::from_f64));
        let in_bf16 = sheet(&call(l, &[n], &elements, bf16::from_f64));
        // Computed once, because ten million terms take longer than their sum.
        let in_f32_throughout: Vec<f32> = terms(l, &elements);
        for (order, sum) in orders::<f32>() {
            let what = format!("{order} in f32, {n} elements {name}, {l:?}");
            let norm = of_sum(l, sum(&in_f32_throughout)) as f32;
            assert_conforms(&in_f32, &scalar(norm), &what);
            assert_conforms(&in_f16, &scalar(f16::from_f32(norm)), &what);
            assert_conforms(&in_bf16, &scalar(bf16::from_f32(norm)), &what);
        }
        let in_f64_throughout: Vec<f64> = terms(l, &elements);
        for (order, sum) in orders::<f64>() {
            let what = format!("{order} in f64, {n} elements {name}, {l:?}");
            let norm = of_sum(l, sum(&in_f64_throughout));
            assert_conforms(&in_f64, &scalar(norm), &what);
            assert_conforms(&in_f32, &scalar(norm as f32), &what);
        }
    }
}

#[rstest]
fn no_honest_f32_sum_of_fine_elements_raises_an_alarm(
    #[values(1, 2, 3, 17, 64, 1000, 30_000)] n: usize,
    #[values(Norm::L1, Norm::L2)] l: Norm,
) {
    for (name, data) in FINE {
        let elements = elements(data, n);
        let sheet = Sheet::of(&call(l, &[n], &elements, |x| x as f32)).unwrap();
        let mut terms: Vec<f32> = terms(l, &elements);
        for arranged in ["as drawn", "sorted"] {
            for (order, sum) in orders() {
                let what = format!("{order} in f32, {n} elements {name}, {arranged}, {l:?}");
                assert_conforms(&sheet, &scalar(of_sum(l, sum(&terms)) as f32), &what);
            }
            terms.sort_by(f32::total_cmp);
        }
        let wide = norm::<f64>(l, &elements, orders()[0].1) as f32;
        assert_reaches(Class::Faithful, &sheet, &scalar(wide), "f64 sums round once");
    }
}

/// For L2 the limit is 800 terms: a chain of `hypot` may be off by 2u a step, which is 1e-4 at 840.
#[rstest]
fn a_result_off_by_a_ten_thousandth_fails(
    #[values(1, 10, 100, 1000)] n: usize,
    #[values((Norm::L1, 1000), (Norm::L2, 800))] longest: (Norm, usize),
    #[values(1.0001, 0.9999)] factor: f64,
) {
    let (l, n) = (longest.0, n.min(longest.1));
    let elements = elements(DATA[0].1, n);
    let sheet = Sheet::of(&call(l, &[n], &elements, |x| x as f32)).unwrap();
    let right = norm::<f64>(l, &elements, pairwise);
    assert_conforms(&sheet, &scalar(right as f32), "the norm itself");
    let verdict = judge(&sheet, &scalar((right * factor) as f32), &Demands::default());
    assert!(matches!(verdict, Verdict::Fails(_)), "{verdict:?}");
}

#[rstest]
fn f32_computed_in_f16_throughout_fails(
    #[values(3, 10, 100, 1000)] n: usize,
    #[values(Norm::L1, Norm::L2)] l: Norm,
) {
    let elements = elements(|_, random| (random % 4_000_001) as f64 / 4_194_304.0, n);
    let sheet = Sheet::of(&call(l, &[n], &elements, |x| x as f32)).unwrap();
    let sum = elements.iter().fold(f16::ZERO, |sum, &x| {
        let x = f16::from_f64(x);
        f16::from_f32(
            sum.to_f32() + if l == Norm::L1 { x } else { f16::from_f32(x.to_f32() * x.to_f32()) }.to_f32(),
        )
    });
    let norm = if l == Norm::L1 { sum.to_f32() } else { f16::from_f32(sum.to_f32().sqrt()).to_f32() };
    let verdict = judge(&sheet, &scalar(norm), &Demands::default());
    assert!(matches!(verdict, Verdict::Fails(_)), "{verdict:?}");
}

const OUTPUTS: usize = 10_000;
const TERMS: usize = 100;

/// Returns ten thousand rows of a hundred, and their f32 results under this order of addition.
fn many(l: Norm, sum: Order<f32>) -> (Sheet, Vec<f32>) {
    let elements = elements(|_, random| (random % (1 << 24)) as f64 / 16_777_216.0, OUTPUTS * TERMS);
    let call = call(l, &[OUTPUTS, TERMS], &elements, |x| x as f32);
    let results = elements.chunks(TERMS).map(|row| norm(l, row, sum) as f32).collect();
    (Sheet { whole: true, ..Sheet::of(&call).unwrap() }, results)
}

/// Returns the float that lies `floats` floats up or down.
fn moved(x: f32, floats: i32) -> f32 {
    f32::from_bits(x.to_bits().wrapping_add_signed(floats))
}

/// Returns the verdict on the whole tensor, after checking that each element alone passes.
fn as_a_whole(mut sheet: Sheet, results: &[f32]) -> Verdict {
    let answer = answer(&[OUTPUTS], results);
    let verdict = judge(&sheet, &answer, &Demands::default());
    sheet.whole = false;
    assert_conforms(&sheet, &answer, "element by element");
    verdict
}

#[rstest]
fn no_honest_sum_of_many_rows_is_biased_or_spread(#[values(Norm::L1, Norm::L2, Norm::Sum)] l: Norm) {
    for (order, sum) in orders::<f32>() {
        let (sheet, results) = many(l, sum);
        assert_conforms(&sheet, &answer(&[OUTPUTS], &results), order);
    }
}

#[rstest]
fn a_bias_that_every_element_is_forgiven_fails(
    #[values(Norm::L1, Norm::L2)] l: Norm,
    #[values(-2, 2)] floats: i32,
) {
    let (sheet, results) = many(l, pairwise);
    let biased: Vec<f32> = results.into_iter().map(|x| moved(x, floats)).collect();
    let Verdict::Fails(misses) = as_a_whole(sheet, &biased) else { panic!("{floats} ulp are not seen") };
    let Mismatch::Whole(Excess::Bias { mean, limit }) = misses[0].mismatch else { panic!("{misses:?}") };
    assert!(limit > 0.0 && (mean - f64::from(floats)).abs() < 1.0, "{mean} beyond {limit}");
}

#[rstest]
fn a_spread_that_every_element_is_forgiven_fails(
    #[values((Norm::L1, 25), (Norm::L2, 25))] wide: (Norm, i32),
) {
    let (sheet, results) = many(wide.0, pairwise);
    let spread =
        results.into_iter().zip([1, -1].into_iter().cycle()).map(|(x, sign)| moved(x, sign * wide.1));
    let Verdict::Fails(misses) = as_a_whole(sheet, &spread.collect::<Vec<_>>()) else {
        panic!("no spread is seen")
    };
    assert!(matches!(misses[0].mismatch, Mismatch::Whole(Excess::Spread { .. })), "{misses:?}");
}

#[test]
fn a_class_demanded_and_not_reached_fails_and_names_the_worst_element() {
    let (sheet, results) = many(Norm::L1, orders()[0].1);
    let answer = answer(&[OUTPUTS], &results);
    for (wanted, conforms) in
        [(Class::AnyOrder, true), (Class::Faithful, false), (Class::CorrectlyRounded, false)]
    {
        let demands = Demands { accuracy: Some(wanted), ..Demands::default() };
        match judge(&sheet, &answer, &demands) {
            Verdict::Conforms { .. } => assert!(conforms, "{wanted:?}"),
            Verdict::Fails(misses) => {
                let Mismatch::Class { reached, worst, ref index, .. } = misses[0].mismatch else { panic!() };
                assert!(!conforms && reached == Class::AnyOrder && worst > 1.0 && index.len() == 1);
            }
            verdict => panic!("{verdict:?}"),
        }
    }
}

#[rstest]
fn a_narrow_sum_that_stands_still_is_vacuous_and_fails_where_a_class_is_demanded(
    #[values(Norm::L1, Norm::L2)] l: Norm,
) {
    let sheet = Sheet::of(&call(l, &[2500], &vec![-1.0; 2500], f16::from_f64)).unwrap();
    let stopped = f16::from_f64(if l == Norm::L1 { 2048.0 } else { 45.25 });
    let answer = scalar(stopped);
    let verdict = judge(&sheet, &answer, &Demands::default());
    let Verdict::Conforms { accuracy: Some(accuracy), .. } = verdict else { panic!("{verdict:?}") };
    assert_eq!(accuracy.class, Class::Vacuous);
    let demands = Demands { accuracy: Some(Class::AnyOrder), ..Demands::default() };
    assert!(matches!(judge(&sheet, &answer, &demands), Verdict::Fails(_)));
}
