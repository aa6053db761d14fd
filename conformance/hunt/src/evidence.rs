//! From a suspicious call to a find: does it fail alone, and what is the smallest that fails so?
//!
//! A call that fails in its block and not alone has been spoilt by an earlier one; then the find is a
//! sequence. Everything is asked of fresh backends again before it is believed.

use std::collections::BTreeSet;

use normative_reference::Call;

use super::block::{Block, Suspect};
use super::{HuntError, Subject, found};
use normative_conformance::judge::fault::Fault;
use normative_conformance::judge::verdict::{Sheet, Verdict};
use normative_conformance::run::probe::ask_alone;
use normative_conformance::run::property::Id;
use normative_conformance::run::readings::{Place, Split, Statement, Watch};
use normative_conformance::shrink::{Among, Class, Detail, shrink};

/// Something that is wrong, and the smallest that shows it.
#[derive(Clone, Debug)]
pub struct Find {
    /// How it is wrong.
    pub class: Class,
    /// What shows it.
    pub evidence: Evidence,
    /// What is said of the last call of the evidence; of the first subject it was found in.
    pub verdict: Verdict,
    /// The generated call it was found by.
    pub id: Id,
    /// How many calls showed it, as far as that can be told without shrinking each.
    pub seen: usize,
    /// Which subjects are wrong so.
    pub subjects: BTreeSet<usize>,
    /// Whether nothing smaller fails so; otherwise the attempts were used up.
    pub complete: bool,
}

/// What shows that something is wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// One call, alone.
    Call(Call),
    /// Calls in this order, the last of which would be answered rightly by itself.
    Sequence(Vec<Call>),
    /// Calls whose answers no one reading of a question explains, and how each reads it.
    Readings(Vec<String>, Vec<Call>),
    /// One call that failed once, and not when the same was asked again.
    Once(Call),
}

impl Evidence {
    /// The calls, in their order.
    pub fn calls(&self) -> Vec<&Call> {
        match self {
            Self::Call(call) | Self::Once(call) => vec![call],
            Self::Sequence(calls) | Self::Readings(_, calls) => calls.iter().collect(),
        }
    }
}

impl Find {
    /// Whether both are the same find: the same calls but for values of the same kind, failing in the same way.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.class == other.class
            && std::mem::discriminant(&self.evidence) == std::mem::discriminant(&other.evidence)
            && found::outline(&self.evidence) == found::outline(&other.evidence)
    }
}

/// How many smaller calls to try: each may cost nothing, a process, or a deadline.
const fn patience(class: Class) -> usize {
    match class.fault {
        Fault::TimedOut => 60,
        Fault::Crashed => 500,
        _ => 4000,
    }
}

/// Attempts where each takes a fresh backend.
const FRESH_ATTEMPTS: usize = 300;

/// What fresh backends say of the last of some calls.
fn last_verdict(calls: &[Call], subject: &Subject<'_>) -> Result<Option<Verdict>, HuntError> {
    let mut backend = (subject.start)()?;
    let Some((last, before)) = calls.split_last() else { return Ok(None) };
    for call in before {
        backend.ask(call);
    }
    let verdict = ask_alone(last, &Sheet::of(last)?, &mut *backend, &subject.demands);
    if backend.is_halted() { Err(HuntError::Halted) } else { Ok(Some(verdict)) }
}

/// Whether the last of some calls fails so of fresh backends. One that does not start again fails nothing.
fn fails(calls: &[Call], class: Class, subject: &Subject<'_>) -> bool {
    last_verdict(calls, subject).ok().flatten().is_some_and(|verdict| class.is_of(&verdict))
}

/// Finds out what a suspicious call of a block shows. Where it fails only after others, which ones is found
/// out only if `before_too`; else there is no find.
///
/// # Errors
/// [`HuntError`].
pub(super) fn examine(
    block: &Block,
    suspect: &Suspect,
    subject: &Subject<'_>,
    before_too: bool,
) -> Result<Option<Find>, HuntError> {
    let class = suspect.signature.class;
    let id = block.ids[suspect.at];
    let call = id.call();
    let find = |evidence: Evidence, complete| -> Result<Option<Find>, HuntError> {
        let calls: Vec<Call> = evidence.calls().into_iter().cloned().collect();
        let verdict = match evidence {
            Evidence::Once(_) => None,
            _ => last_verdict(&calls, subject)?,
        };
        let verdict = verdict.unwrap_or_else(|| suspect.verdict.clone());
        let subjects = BTreeSet::from([suspect.subject]);
        Ok(Some(Find { class, evidence, verdict, id, seen: 0, subjects, complete }))
    };
    if fails(std::slice::from_ref(&call), class, subject) {
        let (call, complete) = alone(&call, class, subject)?;
        return find(Evidence::Call(call), complete);
    }
    if !before_too {
        return Ok(None);
    }
    let before = &block.ids[..suspect.at];
    match sequence(before, &call, class, subject) {
        Some((calls, complete)) => find(Evidence::Sequence(calls), complete),
        None => find(Evidence::Once(call), true),
    }
}

/// Answers that no one reading of a question explains. Where each of two reads it by itself, the smallest calls that
/// are read so.
pub(super) fn contradiction(
    number: usize,
    place: Place,
    split: &Split<Id>,
    subject: &Subject<'_>,
) -> Result<Find, HuntError> {
    let question = place.question;
    let mut witness: Vec<&Statement<Id>> = split.witness.iter().collect();
    witness.sort_by_key(|statement| statement.answer);
    let class =
        |statement: &Statement<Id>| Class::inconsistent(question, Among::of(question, &statement.reads));
    let mut by_themselves = match witness[..] {
        [one, other] => {
            let apart = !one.reads.iter().any(|reading| other.reads.contains(reading));
            apart && !one.reads.is_empty() && !other.reads.is_empty()
        }
        _ => false,
    };
    let says = witness.iter().map(|statement| statement.says.clone()).collect();
    let mut calls: Vec<Call> = witness.iter().map(|statement| statement.answer.call()).collect();
    // What one answer says may hold only with how others are read, which its verdict alone does not tell.
    by_themselves &=
        witness.iter().zip(&calls).all(|(one, call)| fails(std::slice::from_ref(call), class(one), subject));
    let mut complete = by_themselves;
    if by_themselves {
        for (statement, call) in witness.iter().zip(&mut calls) {
            let (shrunk, done) = alone_at(call, class(statement), Some(place), subject)?;
            complete &= done;
            *call = shrunk;
        }
    }
    let last = witness.last().map_or(Id::first(0, 0), |statement| statement.answer);
    let class = witness
        .last()
        .map_or(Class { fault: Fault::OtherReading, detail: Detail::Question(question) }, |statement| {
            class(statement)
        });
    let evidence = if by_themselves || contradict(&calls, subject)? {
        Evidence::Readings(says, calls)
    } else {
        Evidence::Once(last.call())
    };
    let shown: Vec<Call> = evidence.calls().last().map(|&call| call.clone()).into_iter().collect();
    let verdict = last_verdict(&shown, subject)?.unwrap_or(Verdict::Unsupported(String::new()));
    Ok(Find { class, evidence, verdict, id: last, seen: 0, subjects: BTreeSet::from([number]), complete })
}

/// Whether the answers of fresh backends to some calls cannot go together either.
fn contradict(calls: &[Call], subject: &Subject<'_>) -> Result<bool, HuntError> {
    let mut watch = Watch::default();
    for call in calls {
        if let Some(Verdict::Conforms { accepting, .. }) = last_verdict(std::slice::from_ref(call), subject)?
            && watch.contradicts(call, &accepting)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn alone(call: &Call, class: Class, subject: &Subject<'_>) -> Result<(Call, bool), HuntError> {
    alone_at(call, class, None, subject)
}

/// The smallest call that fails so alone; it goes on putting the question in the same place, if there is one.
fn alone_at(
    call: &Call,
    class: Class,
    place: Option<Place>,
    subject: &Subject<'_>,
) -> Result<(Call, bool), HuntError> {
    let stays = |call: &Call| place.is_none_or(|place| Place::of(call, place.question) == place);
    let mut backend = (subject.start)()?;
    let mut still = |call: &Call| {
        stays(call)
            && Sheet::of(call)
                .is_ok_and(|sheet| class.is_of(&ask_alone(call, &sheet, &mut *backend, &subject.demands)))
    };
    let (shrunk, complete) = as_a_case(call, class, patience(class), &mut still);
    if fails(std::slice::from_ref(&shrunk), class, subject) {
        return Ok((shrunk, complete));
    }
    // The backend remembers, so nobody may be asked twice.
    let mut still = |call: &Call| stays(call) && fails(std::slice::from_ref(call), class, subject);
    Ok(as_a_case(call, class, FRESH_ATTEMPTS.min(patience(class)), &mut still))
}

/// The smallest call that still fails and, once one has been met that a case can state, can be stated too.
fn as_a_case(
    call: &Call,
    class: Class,
    attempts: usize,
    still: &mut dyn FnMut(&Call) -> bool,
) -> (Call, bool) {
    let can_be_stated = |call: &Call| found::claim_of(call, class.question()).is_some();
    let mut stated = can_be_stated(call);
    let shrunk = shrink(std::slice::from_ref(call), attempts, |calls| {
        let [call] = calls else { return false };
        let taken = still(call) && (!stated || can_be_stated(call));
        stated = stated || (taken && can_be_stated(call));
        taken
    });
    (shrunk.calls.into_iter().next().unwrap_or_else(|| call.clone()), shrunk.complete)
}

/// The calls before that spoil this one, and it; nothing where not even all of them do.
fn sequence(before: &[Id], last: &Call, class: Class, subject: &Subject<'_>) -> Option<(Vec<Call>, bool)> {
    let doubling = std::iter::successors(Some(1), |&count| (count < before.len()).then_some(2 * count));
    let mut tails = doubling.map(|count| {
        let tail = &before[before.len().saturating_sub(count)..];
        tail.iter().map(|id| id.call()).chain([last.clone()]).collect::<Vec<_>>()
    });
    let mut calls = tails.find(|calls| fails(calls, class, subject))?;
    // Halves go first, then single calls.
    let mut chunk = calls.len() / 2;
    while chunk > 0 {
        let mut at = 0;
        while at + chunk < calls.len() {
            let mut fewer = calls.clone();
            fewer.drain(at..at + chunk);
            if fails(&fewer, class, subject) {
                calls = fewer;
            } else {
                at += chunk;
            }
        }
        chunk /= 2;
    }
    let shrunk = shrink(&calls, FRESH_ATTEMPTS.min(patience(class)), |calls| fails(calls, class, subject));
    Some((shrunk.calls, shrunk.complete))
}
