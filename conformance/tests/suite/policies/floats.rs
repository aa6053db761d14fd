//! Norms of floats as libraries compute them: every step is an f64, rounded to the format of the step.

use normative_conformance::reference::{Finish, FloatFormat, Norm, Term};

use crate::example::Draw;
use crate::reference_backend::{cut, narrow};

/// The order in which the terms of a sum are added.
#[derive(Clone, Copy, Debug)]
enum Order {
    Forwards,
    Backwards,
    Pairwise,
    Lanes,
}

/// The way in which squares are kept in range.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Naive,
    /// Divided by a power of two, or by the greatest element.
    PowerOfTwo,
    Greatest,
    /// Divided by a power of two if the greatest element is beyond a threshold.
    Threshold,
    /// Computed again, divided by a power of two, if the result is infinite; with `AgainWhereLost` also if it is 0.
    AgainWhereInfinite,
    AgainWhereLost,
    /// Divided by the greatest element if its square times the number of terms overflows, or the square vanishes.
    GreatestSquare,
    /// A chain of `hypot`.
    Hypot,
}

/// The subnormals that are flushed to zero.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Flush {
    None,
    Results,
    All,
}

/// A way to compute the norms of floats.
#[derive(Clone, Copy, Debug)]
pub(super) struct Floats {
    own: FloatFormat,
    squares: FloatFormat,
    sums: FloatFormat,
    root: FloatFormat,
    order: Order,
    way: Way,
    /// The number of rows that are computed again together.
    block: usize,
    flush: Flush,
    cut: bool,
    infinity_over_nan: bool,
}

const F32: FloatFormat = FloatFormat::F32;
const F64: FloatFormat = FloatFormat::F64;

impl Floats {
    /// Draws a way for a type and a norm. `blas`: squares in range, a NaN wins. `casts`: the sum may be cast to f32.
    pub(super) fn draw(own: FloatFormat, blas: bool, casts: bool, draw: &mut Draw) -> Self {
        use Way::{
            AgainWhereInfinite, AgainWhereLost, Greatest, GreatestSquare, Hypot, Naive, PowerOfTwo, Threshold,
        };
        let half = own.precision < F32.precision;
        let narrow = draw.one_of(if half { &[0, 1, 2, 3, 4] } else { &[0, 1] });
        let [squares, sums, root] = match (half, narrow) {
            (true, 0) => [F32; 3],
            (true, 1) => [F64; 3],
            (true, 2) => [own, F32, F32],
            (true, 3) => [own, F32, own],
            (true, _) | (false, 0) => [own; 3],
            (false, _) if casts => [F64, F64, F32],
            (false, _) => [F64; 3],
        };
        let way = match (half, narrow) {
            (true, 2 | 3) => Naive,
            (false, 1) if casts => Naive,
            _ if blas => draw.one_of(&[PowerOfTwo, Greatest, Threshold, Hypot]),
            _ => draw.one_of(&[
                Naive,
                PowerOfTwo,
                Greatest,
                Threshold,
                AgainWhereInfinite,
                AgainWhereLost,
                GreatestSquare,
                Hypot,
            ]),
        };
        let order = draw.one_of(&[Order::Forwards, Order::Backwards, Order::Pairwise, Order::Lanes]);
        let flush = draw.one_of(&[Flush::None, Flush::None, Flush::Results, Flush::All]);
        let cut = half && root.precision > own.precision && draw.one_of(&[false, true]);
        Self {
            own,
            squares,
            sums,
            root,
            order,
            way,
            block: draw.one_of(&[1, 2, 8]),
            flush,
            cut,
            infinity_over_nan: !blas && draw.one_of(&[false, true]),
        }
    }

    /// Returns the norms of the rows of a call.
    pub(super) fn norms(&self, norm: Norm, rows: &[Vec<f64>]) -> Vec<f64> {
        let term = |x: f64| if norm.term() == Term::Element { x } else { x.abs() };
        let read = |x: &f64| if self.flush == Flush::All { flushed(term(*x), self.own) } else { term(*x) };
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.iter().map(read).collect()).collect();
        let norms = rows.chunks(self.block).flat_map(|block| {
            let again = norm.finish() == Finish::Root && block.iter().any(|row| self.is_lost(row));
            block.iter().map(move |row| self.norm(norm, row, again))
        });
        let signed = norm.term() == Term::Element;
        norms.zip(&rows).map(|(norm, row)| self.finish(norm, row, signed)).collect()
    }

    /// Returns true if a row makes its block be computed again.
    fn is_lost(&self, x: &[f64]) -> bool {
        if !x.iter().all(|x| x.is_finite()) {
            return false;
        }
        let vanishes = || self.scaled(x, 1.0) == 0.0 && x.iter().any(|x| *x > 0.0);
        match self.way {
            Way::AgainWhereInfinite => self.scaled(x, 1.0).is_infinite(),
            Way::AgainWhereLost => self.scaled(x, 1.0).is_infinite() || vanishes(),
            _ => false,
        }
    }

    fn norm(&self, norm: Norm, x: &[f64], again: bool) -> f64 {
        match (norm.term(), norm.finish()) {
            (Term::Magnitude | Term::Element, _) => return self.sum(x.to_vec()),
            (Term::Square, Finish::Nothing) => return self.sum(self.squares(x, 1.0)),
            (Term::Square, Finish::Root) => {}
        }
        let greatest = x.iter().fold(0.0, |greatest: f64, x| greatest.max(*x));
        let finite = x.iter().all(|x| x.is_finite());
        let naive = || self.scaled(x, 1.0);
        match self.way {
            _ if !finite => naive(),
            Way::PowerOfTwo => self.scaled(x, power_below(x)),
            Way::Greatest => self.scaled(x, if greatest == 0.0 { 1.0 } else { greatest }),
            // Between these, no square of the greatest element overflows, even 2^20 of them, or loses a digit.
            Way::Threshold => {
                let narrowest =
                    if self.squares.max_exponent < self.sums.max_exponent { self.squares } else { self.sums };
                let most = 2_f64.powi(narrowest.max_exponent / 2 - 10 - 1);
                let least = 2_f64.powi(i32::midpoint(narrowest.min_exponent, narrowest.precision as i32) + 1);
                if (least..most).contains(&greatest) { naive() } else { self.scaled(x, power_below(x)) }
            }
            Way::AgainWhereInfinite | Way::AgainWhereLost if again => self.scaled(x, power_below(x)),
            Way::Naive | Way::AgainWhereInfinite | Way::AgainWhereLost => naive(),
            Way::GreatestSquare => {
                let all = self.held(self.held(x.len() as f64 * greatest, self.sums) * greatest, self.sums);
                let leaves = all.is_infinite() || self.held(greatest * greatest, self.squares) == 0.0;
                if leaves && greatest > 0.0 { self.scaled(x, greatest) } else { naive() }
            }
            Way::Hypot => x.iter().fold(0.0, |norm: f64, x| self.held(norm.hypot(*x), self.root)),
        }
    }

    fn scaled(&self, x: &[f64], scale: f64) -> f64 {
        let root = self.held(self.held(self.sum(self.squares(x, scale)), self.root).sqrt(), self.root);
        self.held(root * scale, self.root)
    }

    fn squares(&self, x: &[f64], scale: f64) -> Vec<f64> {
        let of = |x: &f64| self.held(x / scale, self.squares);
        x.iter().map(|x| self.held(of(x) * of(x), self.squares)).collect()
    }

    fn sum(&self, mut terms: Vec<f64>) -> f64 {
        let add = |a: f64, b: f64| self.held(a + b, self.sums);
        match self.order {
            Order::Forwards => terms.into_iter().fold(0.0, add),
            Order::Backwards => terms.into_iter().rev().fold(0.0, add),
            Order::Pairwise => {
                while terms.len() > 1 {
                    terms = terms.chunks(2).map(|two| two.iter().copied().fold(0.0, add)).collect();
                }
                terms.into_iter().fold(0.0, add)
            }
            Order::Lanes => {
                let lanes = (0..4).map(|lane| terms.iter().skip(lane).step_by(4).copied().fold(0.0, add));
                lanes.collect::<Vec<_>>().into_iter().fold(0.0, add)
            }
        }
    }

    fn finish(&self, norm: f64, row: &[f64], signed: bool) -> f64 {
        if self.infinity_over_nan && !signed && row.iter().any(|x| x.is_infinite()) {
            return f64::INFINITY;
        }
        let result = if self.cut && norm.is_finite() { cut(norm, self.own) } else { narrow(self.own, norm) };
        if self.flush == Flush::None { result } else { flushed(result, self.own) }
    }

    fn held(&self, x: f64, format: FloatFormat) -> f64 {
        let x = narrow(format, x);
        if self.flush == Flush::None { x } else { flushed(x, format) }
    }
}

fn flushed(x: f64, format: FloatFormat) -> f64 {
    if x.abs() < 2_f64.powi(format.min_exponent) { 0.0 } else { x }
}

/// Returns the greatest power of two up to the greatest element, or 1.
fn power_below(x: &[f64]) -> f64 {
    let greatest = x.iter().fold(0.0, |greatest: f64, x| greatest.max(*x));
    if greatest == 0.0 || !greatest.is_finite() { 1.0 } else { power(log2(greatest)) }
}

/// Returns floor log2 of a positive finite number.
fn log2(x: f64) -> i32 {
    if x < f64::MIN_POSITIVE { log2(x * 2_f64.powi(60)) - 60 } else { (x.to_bits() >> 52) as i32 - 1023 }
}

/// Returns 2^exponent, in two steps because it may be subnormal.
fn power(exponent: i32) -> f64 {
    2_f64.powi(exponent / 2) * 2_f64.powi(exponent - exponent / 2)
}
