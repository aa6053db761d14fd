//! Fills the data of a generated call, by patterns that provoke errors in sums.
//!
//! The elements of small tensors may be spelled by bytes; otherwise they are drawn from a seed among the bytes,
//! so that long tensors do not use them up. The patterns know which elements go into one output: a large
//! element stagnates a sum only together with small ones.

use normative_reference::dtype::IntegerRange;
use normative_reference::{Dtype, Finish, FloatFormat, Kind, Norm, Term};

use super::CallLimits;
use super::source::Source;
use super::values::{edge, element, narrowed, negated, scaled, signed, whole};
use crate::random::Sequence;

/// The most elements that are spelled by bytes of their own. In larger tensors, a NaN or an infinity would hide
/// most of them, and the bytes would run out.
const SPELLED: usize = 48;

/// The properties of the call that patterns need.
pub(super) struct Scene {
    pub(super) dtype: Dtype,
    pub(super) norm: Norm,
    /// The number of elements.
    pub(super) count: usize,
    /// The number of elements of one output.
    pub(super) terms: usize,
    /// True if the fastest axis is reduced, so that the elements of one output are adjacent.
    pub(super) inner: bool,
}

/// Returns the bits of every element, row-major.
pub(super) fn fill(source: &mut Source<'_, '_>, scene: &Scene, limits: CallLimits) -> Vec<u64> {
    let choice = source.byte();
    let pattern = match choice.checked_sub(limits.spelled) {
        _ if scene.count > SPELLED => choice,
        None => return each(scene, |_| any(source, scene.dtype)),
        // Scaled to the patterns from 48 on; those below are for large tensors only.
        Some(other) => 48 + (u16::from(other) * 208 / (256 - u16::from(limits.spelled))) as u8,
    };
    let mut random = Sequence::from(source.word(), 0);
    let random = &mut random;
    match pattern {
        48..=111 => each(scene, |_| small(scene.dtype, random.number())),
        112..=143 => each(scene, |_| full(scene.dtype, random.number(), 12)),
        144..=151 => each(scene, |_| full(scene.dtype, random.number(), 4096)),
        152..=163 => ramp(scene, random),
        164..=171 => equal(source, scene, random, false),
        172..=177 => equal(source, scene, random, true),
        0..=47 | 178..=203 => among_small_ones(source, scene, random),
        204..=221 => stagnation(scene, random),
        222..=237 => threshold(scene, random),
        238..=249 => squares(scene, random),
        _ => each(scene, |_| subnormal(scene.dtype, random.number())),
    }
}

fn each(scene: &Scene, draw: impl FnMut(usize) -> u64) -> Vec<u64> {
    (0..scene.count).map(draw).collect()
}

impl Scene {
    /// Returns the index of an element in its output; approximate if both outer and inner axes are reduced.
    fn place(&self, flat: usize) -> usize {
        let terms = self.terms.max(1);
        if self.inner { flat % terms } else { flat / (self.count / terms).max(1) }
    }
}

/// Returns a small integer, an edge or any bits.
fn any(source: &mut Source<'_, '_>, dtype: Dtype) -> u64 {
    match source.byte() {
        choice @ 0..=143 => small(dtype, u64::from(choice)),
        144..=229 => edge(source, dtype),
        _ => element(dtype, source.word()),
    }
}

/// Returns an integer from -9 to 9: their sums are exact in every type, so that any error shows.
fn small(dtype: Dtype, choice: u64) -> u64 {
    let step = (choice % 19) as i64;
    whole(dtype, if step % 2 == 1 { (step + 1) / 2 } else { -step / 2 })
}

/// Returns a number with all its digits: floats within `2^±span` of 1, integers of any width.
fn full(dtype: Dtype, choice: u64, span: i32) -> u64 {
    match dtype.kind() {
        Kind::Float(format) => {
            let span = span.min(format.max_exponent - 1);
            // The top 53 of the 64 bits are the digits, one is the sign.
            let (digits, rest) = (choice >> 11 | 1 << 52, (choice & 0x3ff) as i32);
            let exponent = rest * (2 * span + 1) / 0x400 - span;
            signed(format, choice & 0x400 != 0, scaled(format, digits, exponent - 52))
        }
        Kind::Integer(range) => {
            // The lowest bits choose the width, the highest are the digits.
            let width = 8 * dtype.size() as u64;
            let narrower = (choice & 63) % width;
            if range.is_signed() {
                range.encode(i128::from((choice as i64) >> (64 - width) >> narrower))
            } else {
                choice >> (64 - width) >> narrower
            }
        }
    }
}

/// Returns 1, 2, 3, …, so that the elements of a small tensor differ. Signs: positive, negative or alternating.
fn ramp(scene: &Scene, random: &mut Sequence) -> Vec<u64> {
    let signs = random.number();
    each(scene, |flat| {
        let value = flat as i64 + 1;
        let negative = signs & 1 == 1 || signs & 2 == 2 && value % 2 == 0;
        whole(scene.dtype, if negative { -value } else { value })
    })
}

/// Returns one value throughout, possibly with alternating signs.
fn equal(source: &mut Source<'_, '_>, scene: &Scene, random: &mut Sequence, alternating: bool) -> Vec<u64> {
    let value = match random.below(4) {
        0 => edge(source, scene.dtype),
        1 => full(scene.dtype, random.number(), 12),
        2 => whole(scene.dtype, 1),
        _ => small(scene.dtype, random.number()),
    };
    each(scene, |flat| negated(scene.dtype, alternating && flat % 2 == 1, value))
}

/// Returns one or two edges among small integers; half of them at the last element.
fn among_small_ones(source: &mut Source<'_, '_>, scene: &Scene, random: &mut Sequence) -> Vec<u64> {
    let mut elements = each(scene, |_| small(scene.dtype, random.number()));
    for _ in 0..=random.below(2) {
        let at = if random.below(2) == 0 { scene.count.saturating_sub(1) } else { random.below(scene.count) };
        if let Some(element) = elements.get_mut(at) {
            *element = edge(source, scene.dtype);
        }
    }
    elements
}

/// Returns one large element and many small ones, each about half an ulp of it or less.
fn stagnation(scene: &Scene, random: &mut Sequence) -> Vec<u64> {
    let (large, tiny) = match scene.dtype.kind() {
        Kind::Float(format) => {
            let tiny = random.below(9) as i32 - 4;
            let apart = format.precision as i32 + random.below(3) as i32 - 1;
            let apart = if scene.norm.term() == Term::Square { apart / 2 } else { apart };
            (scaled(format, 1, tiny + apart), scaled(format, 1, tiny))
        }
        Kind::Integer(range) => {
            let room = range.max - (scene.terms as i128).min(range.max);
            (range.encode(room + random.below(3) as i128), range.encode(1))
        }
    };
    let at = match random.below(3) {
        0 => 0,
        1 => scene.terms.saturating_sub(1),
        _ => random.below(scene.terms),
    };
    each(scene, |flat| {
        let value = if scene.place(flat) == at { large } else { tiny };
        negated(scene.dtype, random.below(8) == 0, value)
    })
}

/// Returns elements whose norm, or sum of squares, lies at one of the ends of the type.
fn threshold(scene: &Scene, random: &mut Sequence) -> Vec<u64> {
    let terms = scene.terms.max(1);
    let choice = random.number();
    let value = match scene.dtype.kind() {
        Kind::Float(format) => float_threshold(format, scene.norm, terms, choice),
        Kind::Integer(range) => integer_threshold(range, scene.norm, terms, choice),
    };
    // Vary by up to two steps to either side, together or each its own.
    let step = |choice: u64| value.saturating_add(choice % 5).saturating_sub(2);
    let (common, own) = (step(choice >> 8), choice >> 16 & 1 == 1);
    each(scene, |_| {
        let drawn = random.number();
        let bits = if own { step(drawn) } else { common };
        let bits = match scene.dtype.kind() {
            Kind::Float(format) => bits.min(format.infinity() - 1),
            Kind::Integer(range) => bits.min(range.encode(range.max)),
        };
        negated(scene.dtype, drawn >> 8 & 1 == 1, bits)
    })
}

fn float_threshold(format: FloatFormat, norm: Norm, terms: usize, choice: u64) -> u64 {
    let terms = terms as f64;
    let end = match choice & 3 {
        0 | 1 => power(format.max_exponent) * (2.0 - power(1 - format.precision as i32)),
        2 => power(format.min_exponent),
        _ => f64::from_bits(1).max(power(format.quantum())),
    };
    match (norm.term(), norm.finish()) {
        (Term::Magnitude | Term::Element, _) => narrowed(format, end / terms),
        // For half of the choices, the sum of squares leaves the type, although the norm does not.
        (Term::Square, Finish::Root) if choice & 4 != 0 => narrowed(format, end / terms.sqrt()),
        (Term::Square, _) => narrowed(format, (end / terms).sqrt()),
    }
}

fn integer_threshold(range: IntegerRange, norm: Norm, terms: usize, choice: u64) -> u64 {
    let terms = terms as i128;
    range.encode(match (norm.term(), norm.finish()) {
        (Term::Magnitude | Term::Element, _) => range.max / terms,
        (Term::Square, Finish::Root) if choice & 4 != 0 => {
            range.max / (terms.isqrt() + i128::from(terms.isqrt().pow(2) < terms))
        }
        (Term::Square, _) => (range.max / terms).isqrt(),
    })
}

/// Returns `2^exponent`, zero below f64's range.
fn power(exponent: i32) -> f64 {
    f64::from_bits(scaled(FloatFormat::F64, 1, exponent))
}

/// Returns elements whose squares sum to a perfect square, one less, or one more.
fn squares(scene: &Scene, random: &mut Sequence) -> Vec<u64> {
    let most = match scene.dtype.kind() {
        Kind::Float(format) => 1_i64 << format.precision.min(40),
        // Half of the range, so that most of these sums have a root that the type holds.
        Kind::Integer(range) => (range.max / 2).min(1 << 62) as i64,
    };
    let most = most >> (random.below(8) * most.ilog2() as usize / 8);
    // (k² + 1)² = k⁴ + k² + k² + 1.
    let k = 1 + random.below(most.isqrt() as usize) as i64;
    let m = 1 + random.below((most / 5) as usize) as i64;
    let run: &[i64] = match random.below(8) {
        0 => &[k * k, k, k],
        1 => &[k * k, k, k, 1],
        2 => &[k * k, k, k, 1, 1],
        3 => &[3 * m, 4 * m],
        4 => &[3 * m, 4 * m, 1],
        5 => &[m, 2 * m, 2 * m],
        6 => &[k * k],
        _ => &[m, 1],
    };
    each(scene, |flat| {
        let value = run.get(scene.place(flat)).copied().unwrap_or(0);
        whole(scene.dtype, if random.number() & 1 == 1 { -value } else { value })
    })
}

/// Returns a number below the smallest normal one or just beyond it; for integers, 0, 1 or -1.
fn subnormal(dtype: Dtype, choice: u64) -> u64 {
    match dtype.kind() {
        Kind::Float(format) => {
            let width = format.precision;
            let bits = choice >> 8 & ((1 << width) - 1);
            signed(format, choice & 1 == 1, bits >> ((choice >> 1 & 127) % u64::from(width)))
        }
        Kind::Integer(_) => whole(dtype, (choice % 3) as i64 - 1),
    }
}
