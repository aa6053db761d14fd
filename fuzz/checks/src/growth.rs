//! Checks that reading time grows linearly with the length of the input, not quadratically.

/// The greatest ratio of times for four times the length: four, and a factor of two for caches. Quadratic
/// growth takes 16 times as long.
const MOST: f64 = 8.0;

/// The most reads of each length; the least time counts.
const ROUNDS: usize = 20;

/// Below this many seconds, a time is mostly the clock's own.
const LEAST: f64 = 2e-5;

/// Reads texts of `n`, 2`n` and 4`n` parts, each made beforehand.
///
/// # Panics
/// If the last takes more than 8 times as long as the first.
pub fn assert_linear<T>(n: usize, make: impl Fn(usize) -> T, read: impl Fn(&T)) {
    let made = [n, 2 * n, 4 * n].map(make);
    let mut least = [f64::INFINITY; 3];
    for _ in 0..ROUNDS {
        for (made, least) in made.iter().zip(&mut least) {
            let start = running();
            read(made);
            *least = least.min(running() - start);
        }
        if is_linear(least) {
            break;
        }
    }
    assert!(is_linear(least), "{n}, {} and {} parts take {least:?} s to read", 2 * n, 4 * n);
}

fn is_linear([once, _, four]: [f64; 3]) -> bool {
    four <= MOST * once.max(LEAST)
}

/// Returns the CPU seconds of this thread, which other processes do not lengthen.
#[cfg(unix)]
fn running() -> f64 {
    use rustix::time::{ClockId, clock_gettime};

    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// Returns the seconds of the clock.
#[cfg(not(unix))]
fn running() -> f64 {
    use std::sync::LazyLock;
    use std::time::Instant;

    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}
