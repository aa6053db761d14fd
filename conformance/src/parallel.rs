//! Does the same work for each of many items, on all processors.
//!
//! Results are in the order of the items, so they do not depend on timing. If the system refuses a thread, the
//! others do its work, down to the caller's own thread.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Returns the result for each item, in order, with as many threads as processors. A panic is passed to the caller.
pub fn each<'a, T: Sync, R: Send>(all: &'a [T], work: impl Fn(&'a T) -> R + Sync) -> Vec<R> {
    each_on(thread::available_parallelism().map_or(1, usize::from), all, work)
}

/// Does the same on `threads` threads.
pub fn each_on<'a, T: Sync, R: Send>(
    threads: usize,
    all: &'a [T],
    work: impl Fn(&'a T) -> R + Sync,
) -> Vec<R> {
    let results: Vec<Mutex<Option<R>>> = all.iter().map(|_| Mutex::default()).collect();
    in_turn(threads, all.len(), &|at| {
        if let (Some(one), Some(place)) = (all.get(at), results.get(at)) {
            let result = work(one);
            *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    });
    results
        .into_iter()
        .filter_map(|place| place.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect()
}

/// Does the work of each number below `count`. Not generic, so that it is compiled only once.
fn in_turn(threads: usize, count: usize, work: &(dyn Fn(usize) + Sync)) {
    let next = AtomicUsize::new(0);
    let some = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return;
            }
            work(at);
        }
    };
    thread::scope(|scope| {
        let further = (1..threads.min(count)).map(|_| thread::Builder::new().spawn_scoped(scope, some));
        let further: Vec<_> = further.take_while(Result::is_ok).flatten().collect();
        some();
        for thread in further {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_what_they_are_of() {
        let numbers: Vec<u64> = (0..1000).collect();
        let slow_first = |&n: &u64| (0..(1000 - n) * 50).fold(n, |sum, k| sum ^ k ^ k);
        assert_eq!(each(&numbers, slow_first), numbers);
    }
}
