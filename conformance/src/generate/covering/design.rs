//! The covering design: every pair and every triple of values of the factors of a [`Kernel`].
//!
//! The universe is norm, element type, position, residue, size and inner dim: all pairs and all triples of their
//! values that some call can have. The spec is a further factor in pairs only: its triples would be ten times as
//! many, and versions of one operator differ in their form, seldom in their loops. What cannot be is left out by
//! [`Kernel::is_possible`] alone: types a spec does not take, an inner dim where nothing is kept inside, a length of
//! 2 to 7 that is a multiple of 8.

use std::fmt::{self, Write as _};

use normative_reference::{Call, Dtype, Norm, Spec, TensorError};

use super::{Inner, Kernel, Position, Size, tells};

/// A factor, by its place among the levels of a kernel.
type Factor = usize;

const NORM: Factor = 0;
const SPEC: Factor = 6;

/// How many values each factor has.
const LEVELS: [usize; 7] = [2, Dtype::ALL.len(), 5, 8, 5, 5, Spec::ALL.len()];

/// Factors of which every combination of values is wanted.
#[derive(Clone, Debug)]
struct Together {
    factors: Vec<Factor>,
    /// What each factor's value counts in the number of a combination; nothing for the others.
    strides: [usize; 7],
    /// The number of its first combination.
    offset: usize,
}

/// A number for each combination of two or three values.
#[derive(Clone, Debug)]
pub(super) struct Combinations {
    together: Vec<Together>,
    /// How many combinations there are.
    pub(super) count: usize,
    /// Those of two come first; how many.
    pairs: usize,
}

impl Combinations {
    pub(super) fn new() -> Self {
        let pairs = (0..=SPEC).flat_map(|a| (a + 1..=SPEC).map(move |b| vec![a, b]));
        let triples = (0..SPEC)
            .flat_map(|a| (a + 1..SPEC).flat_map(move |b| (b + 1..SPEC).map(move |c| vec![a, b, c])));
        let mut all = Self { together: Vec::new(), count: 0, pairs: 0 };
        for factors in pairs.chain(triples) {
            let (mut strides, mut combinations) = ([0; 7], 1);
            for &factor in factors.iter().rev() {
                strides[factor] = combinations;
                combinations *= LEVELS[factor];
            }
            let offset = all.count;
            all.count += combinations;
            if factors.len() == 2 {
                all.pairs = all.count;
            }
            all.together.push(Together { factors, strides, offset });
        }
        all
    }

    /// The numbers of the combinations that a kernel has.
    pub(super) fn of(&self, kernel: Kernel) -> impl Iterator<Item = usize> {
        let levels = levels(kernel);
        self.together.iter().map(move |Together { strides, offset, .. }| {
            strides.iter().zip(levels).fold(*offset, |number, (stride, level)| number + stride * level)
        })
    }

    /// The values of a combination, by name.
    fn name(&self, number: usize) -> String {
        let mut name = String::new();
        if let Some(Together { factors, strides, offset }) =
            self.together.iter().rev().find(|together| together.offset <= number)
        {
            for &factor in factors {
                let level = (number - offset) / strides[factor] % LEVELS[factor];
                let _ = write!(name, "{}{}", if name.is_empty() { "" } else { ", " }, value(factor, level));
            }
        }
        name
    }
}

/// The place of each factor's value among all its values.
fn levels(kernel: Kernel) -> [usize; 7] {
    let place = |spec: &Spec| Spec::ALL.iter().position(|other| other == spec).unwrap_or(0);
    [
        usize::from(kernel.spec.norm() == Norm::L2),
        kernel.dtype as usize,
        kernel.position as usize,
        kernel.residue.into(),
        kernel.size as usize,
        kernel.inner as usize,
        place(&kernel.spec),
    ]
}

/// The name of a factor's value.
fn value(factor: Factor, level: usize) -> String {
    match factor {
        NORM => ["L1", "L2"][level].to_owned(),
        1 => Dtype::ALL[level].to_string(),
        2 => format!("position {:?}", Position::ALL[level]),
        3 => format!("length {level} mod 8"),
        4 => format!("length {:?}", Size::ALL[level]),
        5 => format!("inner dim {:?}", Inner::ALL[level]),
        _ => Spec::ALL[level].to_string(),
    }
}

/// What of the design some calls meet.
#[derive(Clone, Debug)]
pub struct Coverage {
    combinations: Combinations,
    possible: Vec<bool>,
    met: Vec<bool>,
    /// How many calls it took: those that met something, and whose data tell.
    pub calls: usize,
}

/// How many combinations there are, and how many of them are met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Those met.
    pub met: usize,
    /// All that some call can have.
    pub possible: usize,
}

impl Coverage {
    /// What these calls meet.
    ///
    /// # Errors
    /// [`TensorError`] when the reference cannot hold a result.
    pub fn of<'a>(calls: impl IntoIterator<Item = &'a Call>) -> Result<Self, TensorError> {
        let combinations = Combinations::new();
        let (mut possible, met) = (vec![false; combinations.count], vec![false; combinations.count]);
        for kernel in all() {
            combinations.of(kernel).for_each(|number| possible[number] = true);
        }
        let mut coverage = Self { combinations, possible, met, calls: 0 };
        for call in calls {
            if let Some(kernel) = Kernel::of(call)
                && coverage.combinations.of(kernel).any(|number| !coverage.met[number])
                && tells(call)?
            {
                coverage.add(kernel);
            }
        }
        Ok(coverage)
    }

    pub(super) fn add(&mut self, kernel: Kernel) {
        self.calls += 1;
        self.combinations.of(kernel).for_each(|number| self.met[number] = true);
    }

    /// Of pairs.
    pub fn pairs(&self) -> Share {
        self.share(0, self.combinations.pairs)
    }

    /// Of triples.
    pub fn triples(&self) -> Share {
        self.share(self.combinations.pairs, self.combinations.count)
    }

    fn share(&self, from: usize, to: usize) -> Share {
        let count = |those: &[bool]| those[from..to].iter().filter(|&&one| one).count();
        Share { met: count(&self.met), possible: count(&self.possible) }
    }

    /// What is met by none, by name.
    pub fn missing(&self) -> Vec<String> {
        let missing = (0..self.combinations.count).filter(|&at| self.possible[at] && !self.met[at]);
        missing.map(|number| self.combinations.name(number)).collect()
    }

    /// Whether every pair is met, and 95 of 100 triples.
    pub fn is_enough(&self) -> bool {
        let (pairs, triples) = (self.pairs(), self.triples());
        pairs.met == pairs.possible && 100 * triples.met >= 95 * triples.possible
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * self.met as f64 / self.possible.max(1) as f64;
        // Rounded down, so that 100 means all.
        write!(f, "{} of {} ({:.1} %)", self.met, self.possible, (percent * 10.0).floor() / 10.0)
    }
}

/// Every kernel that a call can run through.
pub(super) fn all() -> impl Iterator<Item = Kernel> {
    Spec::ALL.into_iter().flat_map(|spec| {
        let dtypes = spec.rules().dtypes.iter();
        dtypes.flat_map(move |&dtype| of_type(spec, dtype))
    })
}

/// Every kernel of a spec and a type that it takes.
pub(super) fn of_type(spec: Spec, dtype: Dtype) -> impl Iterator<Item = Kernel> {
    let lies = Position::ALL.into_iter().flat_map(|position| Inner::ALL.map(|inner| (position, inner)));
    let measures = move || (0..8).flat_map(|residue| Size::ALL.map(|size| (residue, size)));
    lies.flat_map(move |(position, inner)| {
        measures().map(move |(residue, size)| Kernel { spec, dtype, position, residue, size, inner })
    })
    .filter(Kernel::is_possible)
}
