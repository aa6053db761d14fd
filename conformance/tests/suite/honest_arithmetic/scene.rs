//! A small arithmetic: formats of four bits, and every result that some order of honest roundings gives.

use normative_conformance::judge::accuracy::measure;
use normative_conformance::reference::arithmetic::{FloatArithmetic, Narrowing, Range, Subnormals};
use normative_conformance::reference::exact::norm_of;
use normative_conformance::reference::{Dtype, FloatFormat, Magnitude, Near, Norm, Real, Value};
use std::collections::BTreeSet;

/// A four-bit significand with a wide range of exponents.
pub(super) const SMALL: FloatFormat = FloatFormat { precision: 4, min_exponent: -62, max_exponent: 63 };
/// The same significand with a range that squares soon leave.
pub(super) const NARROW: FloatFormat = FloatFormat { precision: 4, min_exponent: -6, max_exponent: 7 };
/// Two bits wider than these: near enough that the sum's error shows in the output.
pub(super) const WIDER: FloatFormat = FloatFormat { precision: 6, min_exponent: -62, max_exponent: 63 };

/// A way to compute a norm and to round it at the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene {
    pub(super) output: FloatFormat,
    pub(super) norm: Norm,
    pub(super) arithmetic: FloatArithmetic,
}

impl Scene {
    /// Returns a scene with all steps in one format.
    pub(super) const fn new(norm: Norm, output: FloatFormat, steps: FloatFormat, range: Range) -> Self {
        let arithmetic = FloatArithmetic {
            squares: steps,
            sums: steps,
            root: steps,
            range,
            subnormals: Subnormals::Kept,
            narrowing: Narrowing::Nearest,
            infinity_over_nan: false,
        };
        Self { output, norm, arithmetic }
    }

    /// Returns a scene with naive squares, sums and roots in their own formats.
    pub(super) const fn of_steps(
        output: FloatFormat,
        squares: FloatFormat,
        sums: FloatFormat,
        root: FloatFormat,
    ) -> Self {
        let mut scene = Self::new(Norm::L2, output, sums, Range::Naive);
        (scene.arithmetic.squares, scene.arithmetic.root) = (squares, root);
        scene
    }

    pub(super) const fn with(mut self, subnormals: Subnormals) -> Self {
        self.arithmetic.subnormals = subnormals;
        self
    }

    pub(super) const fn cut(mut self) -> Self {
        self.arithmetic.narrowing = Narrowing::TowardZero;
        self
    }

    pub(super) fn near(self, terms: usize) -> Near {
        let Self { norm, arithmetic, .. } = self;
        // Only the terms, the norm and the arithmetic matter for a single element.
        Near { dtype: Dtype::F32, shape: vec![], values: vec![], terms, norm, arithmetic, parts: vec![] }
    }

    pub(super) fn exact(self, elements: &[f64]) -> Real {
        let magnitudes = elements.iter().map(|x| FloatFormat::F64.magnitude(x.to_bits()));
        match norm_of(self.norm, magnitudes) {
            Value::Finite(real) => real,
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn accepts(self, exact: &Real, terms: usize, result: f64) -> bool {
        let bits = bits_of(result, self.output);
        measure(exact, bits, self.output, &self.near(terms), None).class.is_some()
    }

    #[track_caller]
    pub(super) fn assert_accepts_all(self, elements: &[f64], results: impl IntoIterator<Item = Ordered>) {
        let exact = self.exact(elements);
        for result in results {
            assert!(self.accepts(&exact, elements.len(), result.0), "{self:?} {elements:?}: {}", result.0);
        }
    }

    /// Returns every honest result for the norm of these elements, computed from a sum.
    pub(super) fn results(self, elements: &[f64]) -> BTreeSet<Ordered> {
        let Self { norm, arithmetic, .. } = self;
        let FloatArithmetic { squares, root, range, .. } = arithmetic;
        let greatest = elements.iter().copied().fold(0.0, f64::max);
        let with_scale = |scale: f64| {
            let mut terms: Vec<BTreeSet<Ordered>> = Vec::new();
            for &x in elements {
                let scaled = match scale {
                    0.0 => vec![0.0],
                    1.0 => vec![x],
                    _ => self.held(x / scale, squares),
                };
                terms.push(match norm {
                    Norm::L1 | Norm::Sum => set([x]),
                    Norm::L2 | Norm::SumSquare => {
                        set(scaled.into_iter().flat_map(|x| self.held(x * x, squares)))
                    }
                });
            }
            let finish = |sum: &Ordered| -> Vec<f64> {
                let norms = match norm {
                    Norm::L1 | Norm::SumSquare | Norm::Sum => vec![sum.0],
                    Norm::L2 => {
                        let sums = self.held(sum.0, root).into_iter();
                        let roots = sums.flat_map(|sum| self.held(sum.sqrt(), root));
                        roots.flat_map(|root_of| self.held(root_of * scale, root)).collect::<Vec<_>>()
                    }
                };
                norms.into_iter().flat_map(|norm| self.narrowed(norm)).collect()
            };
            set(self.sums(&terms).iter().flat_map(finish))
        };
        match range {
            Range::Scaled if norm == Norm::L2 => with_scale(greatest),
            Range::Scaled | Range::Naive => with_scale(1.0),
            Range::Rescued => {
                let naive = with_scale(1.0);
                if naive.contains(&Ordered(f64::INFINITY)) { with_scale(greatest) } else { naive }
            }
        }
    }

    /// Returns the results of a chain of `hypot` in every order; each step is either float around the exact value.
    pub(super) fn chains_of_hypot(self, elements: &[f64]) -> BTreeSet<Ordered> {
        let root = self.arithmetic.root;
        let mut all = BTreeSet::new();
        for first in 0..elements.len() {
            let mut order = elements.to_vec();
            order.rotate_left(first);
            let mut results = set([order[0]]);
            for &x in &order[1..] {
                let step = |r: &Ordered| {
                    let exact = r.0.hypot(x);
                    let around = [toward_zero(exact, root), away_from_zero(exact, root)];
                    around.map(|around| self.flushed(around, root))
                };
                results = set(results.iter().flat_map(step));
            }
            all.extend(results);
        }
        set(all.into_iter().flat_map(|norm| self.narrowed(norm.0)))
    }

    /// Returns the outputs of a norm.
    pub(super) fn narrowed(self, norm: f64) -> Vec<f64> {
        let results = match self.arithmetic.narrowing {
            Narrowing::TowardZero => vec![toward_zero(norm, self.output)],
            Narrowing::Nearest => nearest(norm, self.output),
        };
        results.into_iter().map(|result| self.flushed(result, self.output)).collect()
    }

    /// Returns the sums in every order: every split of the terms in two parts, recursively summed and added.
    pub(super) fn sums(self, terms: &[BTreeSet<Ordered>]) -> BTreeSet<Ordered> {
        let all = (1_usize << terms.len()) - 1;
        let mut sums: Vec<BTreeSet<Ordered>> = vec![BTreeSet::new(); all + 1];
        sums[0] = set([0.0]);
        for subset in 1..=all {
            if subset.is_power_of_two() {
                sums[subset].clone_from(&terms[subset.ilog2() as usize]);
                continue;
            }
            let mut found = BTreeSet::new();
            let mut part = (subset - 1) & subset;
            while part > 0 {
                for a in &sums[part] {
                    for b in &sums[subset ^ part] {
                        found.extend(self.held(a.0 + b.0, self.arithmetic.sums).into_iter().map(Ordered));
                    }
                }
                part = (part - 1) & subset;
            }
            sums[subset] = found;
        }
        sums.swap_remove(all)
    }

    pub(super) fn held(self, x: f64, format: FloatFormat) -> Vec<f64> {
        nearest(x, format).into_iter().map(|x| self.flushed(x, format)).collect()
    }

    pub(super) fn flushed(self, x: f64, format: FloatFormat) -> f64 {
        let subnormal = x < f64::from(format.min_exponent).exp2();
        if subnormal && self.arithmetic.subnormals != Subnormals::Kept { 0.0 } else { x }
    }
}

/// A non-negative f64 with an order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ordered(pub(super) f64);
impl Eq for Ordered {}
impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

pub(super) fn set(values: impl IntoIterator<Item = f64>) -> BTreeSet<Ordered> {
    values.into_iter().map(Ordered).collect()
}

/// Returns the floats nearest to a non-negative number: two for a tie, because IEEE 754 has two tie rules.
pub(super) fn nearest(x: f64, format: FloatFormat) -> Vec<f64> {
    if x == 0.0 || x.is_infinite() {
        return vec![x];
    }
    let exponent = (x.log2().floor() as i32).max(format.min_exponent);
    let ulp = f64::from(exponent + 1 - format.precision as i32).exp2();
    let steps = x / ulp;
    let down = steps.floor();
    let rounded = match steps - down {
        below if below < 0.5 => vec![down],
        above if above > 0.5 => vec![down + 1.0],
        _ => vec![down, down + 1.0],
    };
    let beyond = f64::from(format.max_exponent + 1).exp2();
    rounded.into_iter().map(|n| if n * ulp >= beyond { f64::INFINITY } else { n * ulp }).collect()
}

/// Returns the next float towards zero; the greatest for a number beyond it.
pub(super) fn toward_zero(x: f64, format: FloatFormat) -> f64 {
    let beyond = f64::from(format.max_exponent + 1).exp2();
    if x == 0.0 || x.is_infinite() {
        return x;
    }
    let exponent = (x.log2().floor() as i32).clamp(format.min_exponent, format.max_exponent);
    let ulp = f64::from(exponent + 1 - format.precision as i32).exp2();
    (x / ulp).floor().mul_add(ulp, 0.0).min(beyond - ulp)
}

/// Returns the next float away from zero; infinity beyond the greatest.
pub(super) fn away_from_zero(x: f64, format: FloatFormat) -> f64 {
    let below = toward_zero(x, format);
    if below.to_bits() == x.to_bits() { x } else { number(bits_of(below, format) + 1, format) }
}

/// Returns the bits of a number that the format holds.
pub(super) fn bits_of(x: f64, format: FloatFormat) -> u64 {
    if x.is_infinite() {
        return format.infinity();
    }
    let Magnitude::Finite { significand, exponent } = FloatFormat::F64.magnitude(x.to_bits()) else {
        panic!("{x}")
    };
    Real { significand: significand.into(), exponent, root: false, negative: false }.round(format)
}

pub(super) fn number(bits: u64, format: FloatFormat) -> f64 {
    match format.magnitude(bits) {
        Magnitude::Finite { significand, exponent } => significand as f64 * f64::from(exponent).exp2(),
        _ => f64::INFINITY,
    }
}

/// Visits every multiset of `n` of the values.
pub(super) fn multisets(values: &[f64], n: usize, visit: &mut impl FnMut(&[f64])) {
    fn choose(values: &[f64], n: usize, chosen: &mut Vec<f64>, visit: &mut impl FnMut(&[f64])) {
        if n == 0 {
            return visit(chosen);
        }
        for (at, &value) in values.iter().enumerate() {
            chosen.push(value);
            choose(&values[at..], n - 1, chosen, visit);
            chosen.pop();
        }
    }
    choose(values, n, &mut Vec::new(), visit);
}

/// Returns the positive floats from `2^low` up to `2^high`.
pub(super) fn between(format: FloatFormat, low: i32, high: i32) -> Vec<f64> {
    let bits = |log2: i32| bits_of(f64::from(log2).exp2(), format);
    (bits(low)..bits(high)).map(|bits| number(bits, format)).collect()
}
