//! Metamorphic laws: what holds between related calls to one backend, whatever the right answer is.
//!
//! A law takes a call, makes others of it (the data negated, the axes spelled otherwise, a row cut in two)
//! and holds the answers against each other. No expected value is computed, so a law judges even where
//! somebody doubts the reference; only the ruling is used, which says what a call means. Each law holds of
//! every honest implementation, in every order of summation and under every reading: where bits may
//! differ, the bound of [`accuracy::slack`](normative_conformance::judge::accuracy::slack) decides, and where that says nothing, so
//! does the law.
//!
//! A law that does not apply to a call has not held. [`Tally`] keeps the two apart, and a law that never
//! applied is an error of the run.

mod answers;
mod asking;
mod layout;
mod spelling;
mod subject;
mod values;

use std::fmt::{self, Write};

use normative_reference::{Call, Spec};

use self::answers::Stop;
use self::asking::Asking;
use self::subject::Subject;
use normative_conformance::display;
use normative_conformance::drive::Driver;
use normative_conformance::generate::Profile;
use normative_conformance::observed::Observed;
use normative_conformance::random::splitmix64;
use normative_conformance::run::property::{self, Id};

pub use self::answers::Breach;

/// A statement about related calls to one backend.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// Its name in options and reports.
    pub name: &'static str,
    /// What it says, in a sentence.
    pub says: &'static str,
    check: fn(&Subject, &mut Asking<'_>) -> Result<(), Stop>,
}

/// Every law, those about the spelling of a call first.
#[rustfmt::skip]
pub const LAWS: [Law; 14] = [
    Law { name: "same-call", says: "The same call made again gives the same bits.", check: spelling::same_call },
    Law { name: "negative-axes", says: "An axis counted from the other end is the same axis: the same bits.", check: spelling::negative_axes },
    Law { name: "axes-order", says: "The order in which axes are named does not matter.", check: spelling::axes_order },
    Law { name: "keep-dims", says: "Keeping reduced dims changes the output's shape, and no value.", check: spelling::keep_dims },
    Law { name: "permutation", says: "Elements of one output may change places.", check: layout::permutation },
    Law { name: "transposition", says: "Axes of the data may change places: so do those of the output.", check: layout::transposition },
    Law { name: "batch", says: "A slice along a kept axis alone gives its slice of the output.", check: layout::batch },
    Law { name: "negation", says: "Elements of the other sign give the same bits.", check: values::negation },
    Law { name: "scaling", says: "Elements scaled by a power of two give the norm scaled by it, with the same digits.", check: values::scaling },
    Law { name: "padding", says: "Zeros of either sign added to a reduced axis change nothing.", check: layout::padding },
    Law { name: "concatenation", says: "L1 norms of two parts add up to that of the whole, and so do squares of L2 norms.", check: values::concatenation },
    Law { name: "splitting", says: "Reducing some axes, and then the others, is reducing all of them.", check: values::splitting },
    Law { name: "monotonicity", says: "A greater element does not make the norm less.", check: values::monotonicity },
    Law { name: "order-of-norms", says: "An L1 norm is at least the L2 norm, and at most that times the root of the number of terms.", check: values::order_of_norms },
];

/// What became of one law on one call.
enum Outcome {
    DoesNotApply,
    Declined,
    Holds,
    Broken(Broken),
}

/// A law broken on a call.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The law's name.
    pub law: &'static str,
    /// The call it was tried on.
    pub id: Id,
    /// The related calls, in the order in which they were made, with the answers.
    pub asked: Vec<(Call, Observed)>,
    /// How the answers disagree.
    pub breach: Breach,
}

/// What became of one law over a row of calls. The four counts add up to the calls tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Calls of which the law does not speak.
    pub not_applicable: usize,
    /// Calls that the backend refused, or does not implement.
    pub declined: usize,
    /// Calls on which it held.
    pub held: usize,
    /// Calls on which it was broken.
    pub broken: usize,
}

impl Tally {
    /// Calls to which the law applied and that were answered.
    pub const fn applied(self) -> usize {
        self.held + self.broken
    }

    /// All calls.
    pub const fn tried(self) -> usize {
        self.not_applicable + self.declined + self.applied()
    }
}

impl Law {
    /// The law of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        LAWS.into_iter().find(|law| law.name == name)
    }

    /// Tries the law on a call. What is drawn for its related calls depends on `id` alone.
    fn check(&self, subject: &Subject, id: Id, backend: &mut dyn Driver) -> Outcome {
        let mut asking = Asking::new(backend, splitmix64(id.seed, id.index));
        match (self.check)(subject, &mut asking) {
            Ok(()) => Outcome::Holds,
            Err(Stop::DoesNotApply) => Outcome::DoesNotApply,
            Err(Stop::Declined) => Outcome::Declined,
            Err(Stop::Broken(breach)) => {
                let asked = asking.into_asked();
                Outcome::Broken(Broken { law: self.name, id, asked, breach: *breach })
            }
        }
    }
}

/// The calls of these specs on which laws are tried: those meant to be valid.
pub fn row(seed: u64, specs: &[Spec]) -> impl Iterator<Item = Id> + '_ {
    property::row(seed, specs).filter(|id| id.profile() == Profile::Valid)
}

/// What came of some laws.
#[derive(Clone, Debug)]
pub struct Report {
    /// Each law, in the order it was given.
    pub tallies: Vec<(Law, Tally)>,
    /// Every law broken, in the order of the row.
    pub broken: Vec<Broken>,
}

/// Tries each law on each call. What comes of a call depends on its id and the backend alone.
pub fn run(laws: &[Law], calls: impl IntoIterator<Item = Id>, backend: &mut dyn Driver) -> Report {
    let mut tallies: Vec<(Law, Tally)> = laws.iter().map(|&law| (law, Tally::default())).collect();
    let mut broken = Vec::new();
    for id in calls {
        let subject = Subject::of(id.call());
        for (law, tally) in &mut tallies {
            let outcome = subject.as_ref().map_or(Outcome::DoesNotApply, |on| law.check(on, id, backend));
            match outcome {
                Outcome::DoesNotApply => tally.not_applicable += 1,
                Outcome::Declined => tally.declined += 1,
                Outcome::Holds => tally.held += 1,
                Outcome::Broken(one) => {
                    tally.broken += 1;
                    broken.push(one);
                }
            }
        }
    }
    Report { tallies, broken }
}

impl Report {
    /// Laws that never applied: nothing is known of them.
    pub fn never_applied(&self) -> impl Iterator<Item = Law> {
        self.tallies.iter().filter(|(_, tally)| tally.applied() == 0).map(|(law, _)| *law)
    }

    /// Writes the first breach of each law and the ids of the others, then the counts. `again` is the
    /// command, without what narrows it to a law and a call.
    ///
    /// # Errors
    /// As `out` has them.
    pub fn write(&self, out: &mut dyn Write, again: &str) -> fmt::Result {
        for (law, _) in &self.tallies {
            let mut of_law = self.broken.iter().filter(|broken| broken.law == law.name);
            let Some(first) = of_law.next() else { continue };
            first.write(out, law, again)?;
            let more: Vec<String> = of_law.map(|broken| broken.id.to_string()).collect();
            if !more.is_empty() {
                writeln!(out, "  also      --call {}", more.join(", "))?;
            }
            writeln!(out)?;
        }
        writeln!(
            out,
            "{:<16} {:>7} {:>7} {:>7} {:>9} {:>15}",
            "law", "applied", "held", "broken", "declined", "does not apply"
        )?;
        for (law, tally) in &self.tallies {
            let Tally { not_applicable, declined, held, broken } = *tally;
            let applied = tally.applied();
            writeln!(
                out,
                "{:<16} {applied:>7} {held:>7} {broken:>7} {declined:>9} {not_applicable:>15}",
                law.name
            )?;
        }
        Ok(())
    }
}

impl Broken {
    fn write(&self, out: &mut dyn Write, law: &Law, again: &str) -> fmt::Result {
        writeln!(out, "BROKEN {}: {}", law.name, law.says)?;
        writeln!(out, "  because   {}", self.breach)?;
        for (call, answer) in &self.asked {
            writeln!(out, "  call      {}", display::call(call))?;
            writeln!(out, "    data    {}", display::data(&call.data))?;
            writeln!(out, "    answer  {}", display::answer(answer))?;
        }
        writeln!(out, "  again     {again} --law {} --call {}", self.law, self.id)
    }
}
