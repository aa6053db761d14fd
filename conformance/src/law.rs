//! Laws: the agreement of two related calls to one backend, whatever the right answer is.
//!
//! A law makes another call of a call (axes spelled otherwise, signs changed) and derives the second answer from the first,
//! bit for bit. It computes no expected value, so it judges a backend even for a reader who doubts the reference. Of the
//! reference it uses the ruling alone: the axes that a call reduces, and the dims of its output. Where an honest
//! implementation may round the two calls differently, the law first fills in data whose norms need no rounding.
//!
//! A law that does not apply to a call has not held: [`Tally`] keeps the two apart.

mod table;

use std::fmt::{self, Write};

use ndarray::ArrayD;
use normative_backend::Declared;
use normative_reference::tensor::same_bits;
use normative_reference::{Call, Spec, Tensor};

use self::table::{Draw, Related, Subject};
use crate::display;
use crate::drive::Driver;
use crate::generate::Profile;
use crate::observed::Observed;
use crate::run::property::{self, Id};

pub use self::table::{LAWS, Law};

/// A law broken on a call.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The law's name.
    pub law: &'static str,
    /// The generated call it was tried on.
    pub id: Id,
    /// The two related calls, with the answers.
    pub asked: [(Call, Observed); 2],
    /// The disagreement of the answers, in words.
    pub because: String,
}

/// The outcomes of one law over a row of calls.
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

/// The outcomes of all laws.
#[derive(Clone, Debug)]
pub struct Report {
    /// Each law, in the order of the table.
    pub tallies: Vec<(Law, Tally)>,
    /// Every law broken, in the order of the row.
    pub broken: Vec<Broken>,
}

/// The calls of these specs on which laws are tried: those meant to be valid, and declared by the backend.
pub fn row<'a>(seed: u64, specs: &[Spec], declared: &'a Declared) -> impl Iterator<Item = Id> + use<'a> {
    property::declared_row(seed, specs, declared).filter(|id| id.profile() == Profile::Valid)
}

/// Tries each law on each call. The outcome of a call depends on its id and the backend alone.
pub fn run(calls: impl IntoIterator<Item = Id>, backend: &mut dyn Driver) -> Report {
    let mut report = Report { tallies: LAWS.map(|law| (law, Tally::default())).to_vec(), broken: Vec::new() };
    for id in calls {
        let subject = Subject::of(id.call());
        for (law, tally) in &mut report.tallies {
            let mut draw = Draw::of(id);
            let first = if law.sparse {
                subject.as_ref().and_then(|on| on.sparse(&mut draw))
            } else {
                subject.clone()
            };
            let related = first.and_then(|first| Some(((law.make)(&first, &mut draw)?, first)));
            let Some((Related { call, follows }, first)) = related else {
                tally.not_applicable += 1;
                continue;
            };
            let asked = [first.call.clone(), call].map(|call| {
                let answer = backend.ask(&call);
                (call, answer)
            });
            match breach(&first, &asked, &*follows) {
                Ok(()) => tally.held += 1,
                Err(None) => tally.declined += 1,
                Err(Some(because)) => {
                    tally.broken += 1;
                    report.broken.push(Broken { law: law.name, id, asked, because });
                }
            }
        }
    }
    report
}

/// Compares the second answer with the first. The error is their disagreement; `None` if the backend declines.
fn breach(
    first: &Subject,
    asked: &[(Call, Observed); 2],
    follows: &dyn Fn(ArrayD<u64>) -> ArrayD<u64>,
) -> Result<(), Option<String>> {
    let [(call, one), (related, other)] = asked;
    let (one, other) = match (one, other) {
        (Observed::Tensor(one), Observed::Tensor(other)) => (one, other),
        (Observed::Rejected(_), Observed::Rejected(_))
        | (Observed::Unsupported(_), _)
        | (_, Observed::Unsupported(_)) => return Err(None),
        // The other norm may be missing.
        (Observed::Rejected(_), _) | (_, Observed::Rejected(_)) if call.spec() != related.spec() => {
            return Err(None);
        }
        (Observed::Tensor(_), wrong) | (wrong, _) => {
            return Err(Some(format!("one of two equally valid calls got: {}", display::answer(wrong))));
        }
    };
    let dtype = call.data.dtype();
    let array = |tensor: &Tensor| {
        let array = ArrayD::from_shape_vec(tensor.shape(), tensor.bits()).ok();
        array.filter(|_| tensor.dtype() == dtype)
    };
    let shape = first.reduction.output_shape(call.data.shape());
    let wanted = array(one).filter(|one| *one.shape() == shape).map(follows);
    let formed = wanted.zip(array(other)).filter(|(wanted, got)| wanted.shape() == got.shape());
    let Some((wanted, got)) = formed else {
        return Err(Some("an output has another type or other dims than its call gives".to_owned()));
    };
    let mut pairs = wanted.iter().zip(&got).enumerate();
    match pairs.find(|(_, (wanted, got))| !same_bits(dtype, **wanted, **got)) {
        None => Ok(()),
        Some((at, (&wanted, &got))) => {
            let [got, wanted] = [got, wanted]
                .map(|bits| format!("{} ({})", display::element(dtype, bits), display::bits(dtype, bits)));
            Err(Some(format!("element {at} is {got}, from the first answer follows {wanted}")))
        }
    }
}

impl Report {
    /// Writes the first breach of each law, then the counts. `again` is the command, without the
    /// option that names a call.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn write(&self, out: &mut dyn Write, again: &str) -> fmt::Result {
        for (law, _) in &self.tallies {
            let Some(first) = self.broken.iter().find(|broken| broken.law == law.name) else { continue };
            writeln!(out, "BROKEN {}: {}\n  because   {}", law.name, law.says, first.because)?;
            for (call, answer) in &first.asked {
                let (named, data) = (display::call(call), display::data(&call.data));
                let answer = display::answer(answer);
                writeln!(out, "  call      {named}\n    data    {data}\n    answer  {answer}")?;
            }
            writeln!(out, "  again     {again} --case {}\n", first.id)?;
        }
        writeln!(out, "law                 held  broken  declined  does not apply")?;
        for (law, Tally { not_applicable, declined, held, broken }) in &self.tallies {
            writeln!(out, "{:<16} {held:>7} {broken:>7} {declined:>9} {not_applicable:>15}", law.name)?;
        }
        Ok(())
    }
}
