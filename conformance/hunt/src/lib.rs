//! Asks generated calls until a limit, and finds the smallest call for each new way to fail.
//!
//! Calls stand in the row that [`property`](normative_conformance::run::property) judges too. A hunt asks them in blocks, each
//! of a fresh backend, on as many threads as wanted; what is found is taken up in the order of the row. So
//! the same seed and number of calls give the same finds with any number of jobs, even of a backend that
//! remembers what it was asked. A hunt that is ended by a deadline has seen as many calls as there was time for.
//!
//! It judges by the reference alone. Two backends may be hunted side by side; where they differ, the
//! reference says who is wrong.

pub mod law;

mod block;
mod evidence;
pub mod found;
pub mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use normative_reference::{Question, Spec, TensorError};
use thiserror::Error;

use normative_conformance::drive::{Driver, StartError};
use normative_conformance::generate::Profile;
use normative_conformance::judge::fault::Fault;
use normative_conformance::judge::verdict::Demands;
use normative_conformance::run::property::{Id, row};
use normative_conformance::run::readings::Answers;
use normative_conformance::run::tally::Tally;

pub use block::Difference;
use block::{Block, Signature};
pub use evidence::{Evidence, Find};

/// Calls asked of one fresh backend. Starting a process takes as long as some hundred calls, so blocks should
/// be long; the first are short, because most that is wrong shows at once.
const BLOCK: usize = 1024;

/// Calls of the first block. Each further one has twice as many, up to [`BLOCK`].
const FIRST_BLOCK: usize = 64;

/// Calls of one signature that are shrunk without giving a new find, before further ones are only counted.
const FRUITLESS: usize = 3;

/// Finds that a backend's memory makes of one backend, before further ones are only counted: what it takes to
/// spoil a call is dear to find out, and one that remembers spoils many.
const SPOILT: usize = 6;

/// A backend that is hunted.
pub struct Subject<'a> {
    /// Starts it: a worker, or a backend in this process. Fresh ones remember nothing.
    pub start: &'a (dyn Fn() -> Result<Box<dyn Driver>, StartError> + Sync),
    /// What is asked of it beyond the specs.
    pub demands: Demands,
}

/// Which calls to make, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The row.
    pub seed: u64,
    /// The specs called.
    pub specs: Vec<Spec>,
    /// The kinds of calls made.
    pub profiles: Vec<Profile>,
    /// How many, where that is limited.
    pub calls: Option<usize>,
    /// When to stop, where that is limited.
    pub deadline: Option<Instant>,
    /// After how many finds to stop, where that is limited.
    pub finds: Option<usize>,
    /// Threads that ask.
    pub jobs: usize,
}

/// What came of a hunt.
#[derive(Clone, Debug, Default)]
pub struct Catch {
    /// Calls made.
    pub calls: usize,
    /// What came of them, for each subject.
    pub tallies: Vec<Tally>,
    /// Every find, in the order of the row.
    pub finds: Vec<Find>,
    /// The questions that were told or put.
    pub questions: BTreeSet<Question>,
    /// Calls that fail only after others, beyond the finds that say so: it was not looked into why.
    pub unexplained: usize,
    /// Of two subjects: how often they differed, and in what.
    pub differences: BTreeMap<Difference, usize>,
}

/// Why a hunt could not go on.
#[derive(Debug, Error)]
pub enum HuntError {
    /// A backend could not be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A backend cannot be asked any more, for a reason that says nothing of any call.
    #[error("a backend could not be asked any more, for want of something that is the judge's own")]
    Halted,
    /// The reference cannot hold a result, which no call that is generated asks for.
    #[error(transparent)]
    TooLarge(#[from] TensorError),
}

/// Hunts. `on_progress` hears of what there is after every block.
///
/// # Errors
/// [`HuntError`]; what was found before is lost, because a hunt that cannot ask shows nothing.
pub fn hunt(
    plan: &Plan,
    subjects: &[Subject<'_>],
    mut on_progress: impl FnMut(&Catch),
) -> Result<Catch, HuntError> {
    // Without a spec or a profile the row has no end and no call.
    let calls =
        if plan.specs.is_empty() || plan.profiles.is_empty() { 0 } else { plan.calls.unwrap_or(usize::MAX) };
    let ids = row(plan.seed, &plan.specs).filter(|id| plan.profiles.contains(&id.profile())).take(calls);
    let source = Mutex::new((0_usize, ids));
    let next = || {
        let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
        let length = FIRST_BLOCK << source.0.min(u8::BITS as usize);
        let ids: Vec<Id> = source.1.by_ref().take(length.min(BLOCK)).collect();
        source.0 += 1;
        (!ids.is_empty()).then_some((source.0 - 1, ids))
    };
    let stop = AtomicBool::new(false);
    let mut pack = Pack::new(plan, subjects);
    thread::scope(|scope| {
        let (to, from) = sync_channel(plan.jobs.max(1));
        let (mut jobs, mut no_thread) = (0, None);
        for _ in 0..plan.jobs.max(1) {
            let (to, next, stop) = (to.clone(), &next, &stop);
            let job = move || ask(next, stop, plan.deadline, subjects, &to);
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, job) {
                no_thread = Some(error);
                break;
            }
            jobs += 1;
        }
        drop(to);
        // Fewer jobs find the same.
        if let Some(error) = no_thread.filter(|_| jobs == 0) {
            return Err(StartError::Judge(error).into());
        }
        let done = pack.gather(&from, &mut on_progress);
        // Whoever still asks is heard out, so that no one waits to be.
        stop.store(true, Ordering::Relaxed);
        from.into_iter().for_each(drop);
        done
    })?;
    Ok(pack.catch)
}

type Asked = (usize, Result<Block, HuntError>);

/// One job: block after block, until there is none, time is up or nobody wants more.
fn ask(
    next: &(dyn Fn() -> Option<(usize, Vec<Id>)> + Sync),
    stop: &AtomicBool,
    deadline: Option<Instant>,
    subjects: &[Subject<'_>],
    to: &SyncSender<Asked>,
) {
    let over = || stop.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    while !over() {
        let Some((number, ids)) = next() else { return };
        if to.send((number, Block::ask(ids, subjects, &over))).is_err() {
            return;
        }
    }
}

/// Takes up what the jobs bring, in the order of the row.
struct Pack<'a> {
    plan: &'a Plan,
    subjects: &'a [Subject<'a>],
    catch: Catch,
    /// Of each signature: how many calls in a row gave no new find, and the find its calls count for.
    known: BTreeMap<(usize, Signature), (usize, Option<usize>)>,
    /// What the answers of each subject say of readings.
    readings: Vec<Answers<Id>>,
    /// Questions whose readings have been held against each other.
    settled: BTreeSet<(usize, Spec, Question)>,
}

impl<'a> Pack<'a> {
    fn new(plan: &'a Plan, subjects: &'a [Subject<'a>]) -> Self {
        let catch = Catch { tallies: vec![Tally::default(); subjects.len()], ..Catch::default() };
        let readings = vec![Answers::default(); subjects.len()];
        let (known, settled) = (BTreeMap::new(), BTreeSet::new());
        Self { plan, subjects, catch, known, readings, settled }
    }

    fn gather(
        &mut self,
        from: &Receiver<Asked>,
        on_progress: &mut impl FnMut(&Catch),
    ) -> Result<(), HuntError> {
        let (mut early, mut due) = (BTreeMap::new(), 0);
        for (number, block) in from {
            early.insert(number, block?);
            while let Some(block) = early.remove(&due) {
                self.take(&block)?;
                due += 1;
                on_progress(&self.catch);
                if self.is_enough() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn is_enough(&self) -> bool {
        self.plan.finds.is_some_and(|finds| self.catch.finds.len() >= finds)
    }

    fn take(&mut self, block: &Block) -> Result<(), HuntError> {
        self.catch.calls += block.calls;
        self.catch.questions.extend(&block.questions);
        for (sum, tally) in self.catch.tallies.iter_mut().zip(&block.tallies) {
            *sum = Tally::sum([&*sum, tally]);
        }
        for (&difference, count) in &block.differences {
            *self.catch.differences.entry(difference).or_default() += count;
        }
        for suspect in &block.suspects {
            if self.is_enough() {
                break;
            }
            let key = (suspect.subject, suspect.signature);
            let (fruitless, _) = self.known.get(&key).copied().unwrap_or_default();
            if fruitless >= if suspect.signature.class.fault == Fault::TimedOut { 1 } else { FRUITLESS } {
                continue;
            }
            let spoilt = |find: &&Find| {
                matches!(find.evidence, Evidence::Sequence(_) | Evidence::Once(_))
                    && find.subjects.contains(&suspect.subject)
            };
            let before_too = self.catch.finds.iter().filter(spoilt).count() < SPOILT;
            let subject = &self.subjects[suspect.subject];
            let (find, new) = match evidence::examine(block, suspect, subject, before_too)? {
                Some(find) => {
                    let (place, new) = self.add(find);
                    (Some(place), new)
                }
                None => (self.known.get(&key).and_then(|&(_, find)| find), false),
            };
            self.known.insert(key, (if new { 0 } else { fruitless + 1 }, find));
        }
        for (key, count) in &block.seen {
            match self.known.get(key) {
                Some(&(_, Some(find))) => self.catch.finds[find].seen += count,
                _ => self.catch.unexplained += count,
            }
        }
        self.hold_readings_together(block)
    }

    /// Where no one reading of a question explains the answers, the smallest set of them.
    fn hold_readings_together(&mut self, block: &Block) -> Result<(), HuntError> {
        for (subject, answers) in block.readings.iter().enumerate() {
            let known = &mut self.readings[subject];
            let before = known.len();
            known.add_all(answers, |id| id);
            // Who says nothing new contradicts nobody.
            if known.len() == before {
                continue;
            }
            for (place, row) in known.profile() {
                let Some(split) = row.inconsistent(&place) else { continue };
                if self.is_enough() || !self.settled.insert((subject, place.spec, place.question)) {
                    continue;
                }
                let find = evidence::contradiction(subject, place, split, &self.subjects[subject])?;
                let (find, _) = self.add(find);
                self.catch.finds[find].seen += 1;
            }
        }
        Ok(())
    }

    /// Where the find is among the finds, and whether it is new there.
    fn add(&mut self, find: Find) -> (usize, bool) {
        let same = self.catch.finds.iter().position(|known| known.is_like(&find));
        if let Some(place) = same {
            let known = &mut self.catch.finds[place];
            known.subjects.extend(find.subjects);
            return (place, false);
        }
        self.catch.finds.push(find);
        (self.catch.finds.len() - 1, true)
    }
}
