//! Asks several workers of one backend at once, and passes the verdicts on in the order of the row.
//!
//! Calls are dealt to the workers in turn, [`HAND`] at a time, by their places in the row alone, so the deal
//! depends on no clock. A call that must follow another is in its hand. Each worker has a thread, which makes
//! its calls, asks, judges, and puts verdicts into a bounded queue. The queues are read in the order of the
//! deal. So later stages (the record, faults in a row, and stops) see the row as from one worker.

use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use super::SessionError;
use crate::drive::{Flake, Halt, Worker};
use crate::judge::verdict::Demands;
use crate::run::{Asked, Judged, Run};

/// The calls in a row for one worker. Nearby calls are similar, so runtimes that cache compiled code are faster
/// on them. A larger number would make other workers wait longer for a slow one.
const HAND: usize = 32;

/// The most verdicts of one worker that wait for earlier ones of another.
const WAITING: usize = 512;

/// The judged call, and earlier faults that no call explains.
type Told<T> = Result<(Judged<T>, Vec<Flake>), SessionError>;

/// Deals the calls of a row: returns the hand of each place's call. `follows` returns true if a place's call
/// must be asked right after the one before it.
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

/// Asks the calls at these places of a row, [dealt](deal) in these hands. `make` makes the call of a place.
/// `take` gets every verdict in order, with its worker, and returns true to stop.
///
/// # Errors
/// Returns the errors of `make` and `take`, and [`Halt::Judge`] if a worker cannot get a thread.
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
    // Faults in a row are counted over the whole row.
    let mut patience = first.patience.take().unwrap_or_default();
    let count = workers.len();
    let asked = thread::scope(|scope| {
        let mut lanes = Vec::with_capacity(count);
        for (lane, worker) in workers.iter_mut().enumerate() {
            let (to, told) = sync_channel(WAITING);
            let made = places.clone().filter(move |&place| of(place, count) == lane).map(make);
            // Every call belongs to one worker, so the run fails if a worker has no thread.
            let thread = move || ask_one(worker, demands, made, &to);
            thread::Builder::new()
                .spawn_scoped(scope, thread)
                .map_err(|error| Halt::Judge(error.to_string()))?;
            lanes.push(told);
        }
        for place in places {
            let lane = of(place, count);
            // A halted worker sends no more; the caller must check it.
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

/// Asks one worker all of its calls, until the receiver is gone.
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
