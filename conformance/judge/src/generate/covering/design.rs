//! Covering designs: every pair and every triple of values of some factors.
//!
//! *Kernels.* Norm, element type, position, the length modulo 8, its size, its remainders by 3 and 5, the
//! alignment of the inner dim, columns, rows, and the attribute for reduced dims: all pairs and triples of
//! their values that a call can have. The spec is a further factor in pairs only: its triples would be ten
//! times as many, and versions of one operator differ in form but rarely in loops.
//!
//! *Special values.* Value, norm, element type, position and size: all pairs and triples.
//!
//! Impossible combinations are left out: types that a spec does not accept, an inner dim if nothing is kept inside, a
//! length of 2 to 7 divisible by 8, more than [`MOST`] elements, and runs too long to show an element.

use std::fmt::{self, Write as _};

use normative_reference::{Call, Dtype, Norm, Spec, TensorError, Term};

use super::special::{self, Special};
use super::{Columns, Inner, Keep, Kernel, MOST, Placement, Position, Rows, Size, tells};

/// A factor, by its index among the levels of a design.
type Factor = usize;

/// The number of values of each factor of a kernel; the spec is the last.
const KERNEL: [usize; 12] = [2, Dtype::ALL.len(), 5, 8, 7, 3, 5, 5, 4, 4, 3, Spec::ALL.len()];

/// The number of values of each factor of a special value.
const SPECIAL: [usize; 5] = [Special::ALL.len(), 2, Dtype::ALL.len(), 5, 7];

/// Factors for which every combination of values is wanted.
#[derive(Clone, Debug)]
struct Together {
    /// Each factor, and the stride of its value in the number of a combination.
    strides: Vec<(Factor, usize)>,
    /// The number of its first combination.
    offset: usize,
}

impl Together {
    /// Returns the number of the combination of these values.
    fn number(&self, values: &[usize]) -> usize {
        self.strides.iter().fold(self.offset, |number, &(factor, stride)| number + stride * values[factor])
    }
}

/// The combinations of two or three values of a design, and those that calls meet.
#[derive(Clone, Debug)]
pub struct Combinations {
    levels: &'static [usize],
    value: fn(Factor, usize) -> String,
    together: Vec<Together>,
    /// The number of pairs, which come first.
    pairs: usize,
    possible: Vec<bool>,
    met: Vec<bool>,
}

impl Combinations {
    /// Returns the pairs of all of these factors, and the triples of the first `in_triples`.
    fn new(levels: &'static [usize], in_triples: usize, value: fn(Factor, usize) -> String) -> Self {
        let all = levels.len();
        let pairs = (0..all).flat_map(|a| (a + 1..all).map(move |b| vec![a, b]));
        let triples = (0..in_triples).flat_map(|a| {
            (a + 1..in_triples).flat_map(move |b| (b + 1..in_triples).map(move |c| vec![a, b, c]))
        });
        let (mut together, mut count, mut count_of_pairs) = (Vec::new(), 0, 0);
        for factors in pairs.chain(triples) {
            let (mut strides, mut combinations) = (Vec::new(), 1);
            for &factor in &factors {
                strides.push((factor, combinations));
                combinations *= levels[factor];
            }
            together.push(Together { strides, offset: count });
            count += combinations;
            if factors.len() == 2 {
                count_of_pairs = count;
            }
        }
        let none = vec![false; count];
        Self { levels, value, together, pairs: count_of_pairs, possible: none.clone(), met: none }
    }

    fn allow(&mut self, values: &[usize]) {
        self.together.iter().for_each(|together| self.possible[together.number(values)] = true);
    }

    /// Returns true if these values have a new combination.
    fn is_new(&self, values: &[usize]) -> bool {
        self.together.iter().any(|together| !self.met[together.number(values)])
    }

    fn add(&mut self, values: &[usize]) {
        self.together.iter().for_each(|together| self.met[together.number(values)] = true);
    }

    /// Returns the values of a combination, by name.
    fn name(&self, number: usize) -> String {
        let mut name = String::new();
        if let Some(Together { strides, offset }) =
            self.together.iter().rev().find(|together| together.offset <= number)
        {
            for &(factor, stride) in strides {
                let level = (number - offset) / stride % self.levels[factor];
                let comma = if name.is_empty() { "" } else { ", " };
                let _ = write!(name, "{comma}{}", (self.value)(factor, level));
            }
        }
        name
    }

    /// Returns the share of pairs that are met.
    pub fn pairs(&self) -> Share {
        self.share(0, self.pairs)
    }

    /// Returns the share of triples that are met.
    pub fn triples(&self) -> Share {
        self.share(self.pairs, self.met.len())
    }

    fn share(&self, from: usize, to: usize) -> Share {
        let count = |those: &[bool]| those[from..to].iter().filter(|&&one| one).count();
        let met = (from..to).filter(|&at| self.met[at] && self.possible[at]).count();
        Share { met, possible: count(&self.possible) }
    }

    /// Returns the combinations that no call meets, by name.
    pub fn missing(&self) -> Vec<String> {
        let missing = (0..self.met.len()).filter(|&at| self.possible[at] && !self.met[at]);
        missing.map(|number| self.name(number)).collect()
    }

    /// Returns true if every pair is met, and 95 % of the triples.
    pub fn is_enough(&self) -> bool {
        let (pairs, triples) = (self.pairs(), self.triples());
        pairs.met == pairs.possible && 100 * triples.met >= 95 * triples.possible
    }
}

/// The combinations of both designs that calls meet.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// Those of kernels, by calls whose data show wrong kernels.
    pub kernels: Combinations,
    /// Those of special values.
    pub specials: Combinations,
}

/// The number of possible combinations, and of those met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The number of combinations met.
    pub met: usize,
    /// The number that calls can have.
    pub possible: usize,
}

impl Default for Coverage {
    /// Returns the coverage of no call.
    fn default() -> Self {
        let mut kernels = Combinations::new(&KERNEL, KERNEL.len() - 1, kernel_value);
        possible_kernels(|kernel| kernels.allow(&values_of_kernel(kernel)));
        let mut specials = Combinations::new(&SPECIAL, SPECIAL.len(), special_value);
        possible_specials(|values| specials.allow(&values));
        Self { kernels, specials }
    }
}

impl Coverage {
    /// Adds the combinations of a call.
    ///
    /// # Errors
    /// Returns [`TensorError`] when the reference cannot hold a result.
    pub fn add(&mut self, call: &Call) -> Result<(), TensorError> {
        let Some(kernel) = Kernel::of(call) else { return Ok(()) };
        let values = values_of_kernel(kernel);
        if self.kernels.is_new(&values) && tells(call)? {
            self.kernels.add(&values);
        }
        for special in special::of(call) {
            self.specials.add(&values_of_special(kernel, special));
        }
        Ok(())
    }

    /// Returns the combinations that these calls meet.
    ///
    /// # Errors
    /// Fails like [`add`](Self::add).
    pub fn of(calls: impl IntoIterator<Item = Call>) -> Result<Self, TensorError> {
        let mut coverage = Self::default();
        calls.into_iter().try_for_each(|call| coverage.add(&call))?;
        Ok(coverage)
    }

    /// Returns true if every pair of either design is met, and 95 % of the triples.
    pub fn is_enough(&self) -> bool {
        self.kernels.is_enough() && self.specials.is_enough()
    }
}

/// Returns the index of each factor's value among all its values.
fn values_of_kernel(kernel: Kernel) -> [usize; KERNEL.len()] {
    let Kernel { spec, dtype, placement: Placement { position, run, inner, rows }, keep } = kernel;
    [
        usize::from(spec.norm().term() == Term::Square),
        dtype as usize,
        position as usize,
        run % 8,
        Size::of(run) as usize,
        run % 3,
        run % 5,
        Inner::of(inner) as usize,
        Columns::of(inner) as usize,
        Rows::of(rows) as usize,
        keep as usize,
        Spec::ALL.iter().position(|other| *other == spec).unwrap_or(0),
    ]
}

/// Returns the name of a factor's value.
fn kernel_value(factor: Factor, level: usize) -> String {
    match factor {
        0 => ["magnitudes", "squares"][level].to_owned(),
        1 => Dtype::ALL[level].to_string(),
        2 => format!("position {:?}", Position::ALL[level]),
        3 => format!("length {level} mod 8"),
        4 => format!("length {:?}", Size::ALL[level]),
        5 => format!("length {level} mod 3"),
        6 => format!("length {level} mod 5"),
        7 => format!("inner dim {:?}", Inner::ALL[level]),
        8 => format!("columns {:?}", Columns::ALL[level]),
        9 => format!("rows {:?}", Rows::ALL[level]),
        10 => format!("reduced dims {:?}", Keep::ALL[level]),
        _ => Spec::ALL[level].to_string(),
    }
}

fn values_of_special(kernel: Kernel, special: Special) -> [usize; SPECIAL.len()] {
    let Kernel { spec, dtype, placement, .. } = kernel;
    let norm = usize::from(spec.norm().term() == Term::Square);
    [special as usize, norm, dtype as usize, placement.position as usize, Size::of(placement.run) as usize]
}

/// Returns the name of a factor's value.
fn special_value(factor: Factor, level: usize) -> String {
    match factor {
        0 => format!("value {:?}", Special::ALL[level]),
        1 => ["magnitudes", "squares"][level].to_owned(),
        2 => Dtype::ALL[level].to_string(),
        3 => format!("position {:?}", Position::ALL[level]),
        _ => format!("length {:?}", Size::ALL[level]),
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * self.met as f64 / self.possible.max(1) as f64;
        // Rounded down, so that 100 % means all.
        write!(f, "{} of {} ({:.1} %)", self.met, self.possible, (percent * 10.0).floor() / 10.0)
    }
}

/// Returns runs of every size, and in the longer sizes of every remainder by 8, 3 and 5.
fn runs() -> impl Iterator<Item = usize> {
    (1..64 + 120).chain(256..256 + 40).chain(1024..1024 + 40)
}

/// Returns every position with the least columns of each number and alignment, and the fewest rows of each number.
fn placements(run: usize) -> impl Iterator<Item = Placement> {
    const COLUMNS: [usize; 11] = [1, 2, 7, 8, 9, 15, 10, 32, 33, 39, 34];
    const ROWS: [usize; 4] = [1, 2, 5, 16];
    let lies = Position::ALL.into_iter().flat_map(|position| {
        COLUMNS.into_iter().flat_map(move |inner| ROWS.map(|rows| (position, inner, rows)))
    });
    lies.map(move |(position, inner, rows)| Placement { position, run, inner, rows }).filter(|placement| {
        let Placement { position, run, inner, rows } = *placement;
        let stands = match position {
            Position::All => (inner, rows) == (1, 1),
            Position::Inner => inner == 1 && rows > 1,
            Position::Outer => inner > 1 && rows == 1,
            Position::Middle => inner > 1 && rows > 1,
            // A run of 1 is ignored, and a single place would be left.
            Position::Several => rows > 1 && run > 1,
        };
        // With several places, the other one has at least two elements.
        stands && run * inner * rows * if position == Position::Several { 2 } else { 1 } <= MOST
    })
}

/// Returns kernels that together have every pair or triple of values that a call can have. Such a combination
/// leaves one of type, placement, length and keeping free, so one of them may be the plainest. OpenVINO allows
/// every type, position and form of keeping dims; other specs count in pairs only.
fn possible_kernels(mut allow: impl FnMut(Kernel)) {
    let plainest = Placement { position: Position::Inner, run: 16, inner: 1, rows: 2 };
    for spec in Spec::ALL {
        let all = matches!(spec, Spec::OpenVino(_));
        for run in runs().filter(|run| all || *run < 24 || run % 64 < 8) {
            for placement in
                placements(run).filter(|placement| Position::of(spec).contains(&placement.position))
            {
                let dtypes = spec.rules().dtypes.iter().filter(|&&dtype| run <= Kernel::longest(dtype));
                for &dtype in dtypes {
                    for &keep in Keep::sayable(spec) {
                        let plain = [
                            dtype == Dtype::F32,
                            keep == Keep::Unsaid,
                            run == plainest.run,
                            Placement { run, ..plainest } == placement,
                        ];
                        if plain.contains(&true) {
                            allow(Kernel { spec, dtype, placement, keep });
                        }
                    }
                }
            }
        }
    }
}

fn possible_specials(mut allow: impl FnMut([usize; SPECIAL.len()])) {
    for spec in [Spec::OpenVino(Norm::L1), Spec::OpenVino(Norm::L2)] {
        for (run, dtype) in
            [1, 2, 8, 16, 64, 256, 1024].into_iter().flat_map(|run| Dtype::ALL.map(|dtype| (run, dtype)))
        {
            for placement in placements(run) {
                let kernel = Kernel { spec, dtype, placement, keep: Keep::Unsaid };
                let specials =
                    Special::ALL.into_iter().filter(|special| special.is_possible(dtype, spec.norm(), run));
                specials.for_each(|special| allow(values_of_special(kernel, special)));
            }
        }
    }
}
