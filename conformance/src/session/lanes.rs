//! Asks several workers of one backend at once, and hands on what came in the order of the row.
//!
//! Calls are dealt to the workers in turn, [`HAND`] at a time, by their places in the row alone, so which worker is asked
//! what depends on no clock. A call that is to be asked right after another is in its hand. Each worker has a thread, which makes its calls, asks, judges, and puts verdicts into a queue of
//! bounded length. The queues are read in the order in which calls were dealt. So what comes after sees the row as one worker
//! would have answered it: the record, faults in a row, and whatever stops a run.

use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use super::SessionError;
use crate::drive::{Flake, Halt, Worker};
use crate::judge::verdict::Demands;
use crate::run::{Asked, Judged, Run};

/// Calls in a row that one worker is asked. Neighbours in a row resemble each other, which runtimes that keep what they
/// compiled are faster by. What one worker is behind, others have to wait for, so it is not many.
const HAND: usize = 32;

/// Most verdicts of one worker that wait for those of another before them.
const WAITING: usize = 512;

/// What came of a call, and the faults that were met before it and put down to no call.
type Told<T> = Result<(Judged<T>, Vec<Flake>), SessionError>;

/// Deals the calls of a row: for each place, the hand that its call is in. `follows` says whether the call of a place is to be
/// asked right after the one before it.
pub(super) fn deal(count: usize, follows: impl Fn(usize) -> bool) -> Vec<usize> {
    let (mut hand, mut held) = (0, 0);
    let dealt = (0..count).map(|place| {
        if held >= HAND && !follows(place) {
            (hand, held) = (hand + 1, 0);
        }
        held += 1;
        hand
    });
    dealt.collect()
}

/// Asks the calls at these places of a row, which is [dealt](deal) in these hands. `make` makes the call of a place; `take` is given every verdict, in order, with
/// the worker that answered, and tells whether that was enough.
///
/// # Errors
/// As `make` and `take`, and [`Halt::Judge`] where there is no thread for a worker.
pub(super) fn ask<T: Asked + Send>(
    workers: &mut [Worker],
    demands: &Demands,
    places: Range<usize>,
    hands: &[usize],
    make: &(impl Fn(usize) -> Result<T, SessionError> + Sync),
    mut take: impl FnMut(usize, &[Flake], Judged<T>) -> Result<bool, SessionError>,
) -> Result<(), SessionError> {
    let of = |place: usize, count: usize| hands[place] % count;
    let Some(first) = workers.first_mut() else { return Ok(()) };
    let given_up = Arc::clone(&first.given_up);
    // Faults in a row are those of the whole row.
    let mut patience = first.patience.take().unwrap_or_default();
    let count = workers.len();
    let asked = thread::scope(|scope| {
        let mut lanes = Vec::with_capacity(count);
        for (lane, worker) in workers.iter_mut().enumerate() {
            let (to, told) = sync_channel(WAITING);
            let made = places.clone().filter(move |&place| of(place, count) == lane).map(make);
            // No call may be asked of another worker than its own, so a run without a thread for each ends.
            let thread = move || ask_one(worker, demands, made, &to);
            thread::Builder::new()
                .spawn_scoped(scope, thread)
                .map_err(|error| Halt::Judge(error.to_string()))?;
            lanes.push(told);
        }
        for place in places {
            let lane = of(place, count);
            // A worker that is halted has no more to tell, and whoever asked it has to check.
            let Ok(told) = lanes[lane].recv() else { break };
            let (mut judged, flakes) = told?;
            if let Some(unusable) = patience.lost() {
                judged = Judged::of(judged.asked, unusable, demands);
            } else {
                patience.count(&judged.answer);
                if let Some(unusable) = patience.lost() {
                    given_up.get_or_init(|| unusable);
                }
            }
            if take(lane, &flakes, judged)? {
                break;
            }
        }
        Ok(())
    });
    workers[0].patience = Some(patience);
    asked
}

/// Asks one worker all of its calls, unless nobody wants the verdicts any more.
fn ask_one<T: Asked>(
    worker: &mut Worker,
    demands: &Demands,
    made: impl Iterator<Item = Result<T, SessionError>>,
    to: &SyncSender<Told<T>>,
) {
    let mut unmade = None;
    let made = made.map_while(|made| made.map_err(|error| unmade = Some(error)).ok());
    let mut run = Run::over(made, worker, demands);
    while let Some(judged) = run.next() {
        let flakes = run.backend().take_flakes();
        if to.send(Ok((judged, flakes))).is_err() {
            return;
        }
    }
    drop(run);
    if let Some(error) = unmade {
        let _nobody_listens = to.send(Err(error));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_follows_another_is_in_its_hand() {
        let follows = |place| place == HAND || place == HAND + 1 || place == 2 * HAND + 1;
        let hands = deal(4 * HAND, follows);
        assert!((1..hands.len()).all(|place| !follows(place) || hands[place] == hands[place - 1]));
        let length = |hand| hands.iter().filter(|&&other| other == hand).count();
        assert_eq!([length(0), length(1), length(2)], [HAND + 2, HAND, HAND]);
        assert_eq!(deal(2 * HAND, |_| false)[HAND - 1..=HAND], [0, 1]);
    }
}
