//! Progress bars on standard error, if it is a terminal. Several runs at once have a bar each.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use indicatif::{FormattedDuration, MultiProgress, ProgressBar, ProgressStyle};

use crate::quiet::is_quiet;

/// All bars.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// The interval between updates of the text beside a bar.
const RENEWED: Duration = Duration::from_millis(200);

/// Returns true if standard error is a terminal and `--quiet` is not set.
pub fn is_watched() -> bool {
    std::io::stderr().is_terminal() && !is_quiet()
}

/// Writes lines to standard error, above the bars. A closed terminal is ignored.
pub fn write_lines(text: &str) {
    let _nobody_reads = if BARS.is_hidden() { writeln!(io::stderr(), "{text}") } else { BARS.println(text) };
}

/// A bar that counts verdicts.
pub struct Progress {
    bar: ProgressBar,
    failed: usize,
    renewed: Option<Instant>,
}

impl Progress {
    /// Makes a bar for this many verdicts, with a name if there are other bars. It is as wide as the line lets it be.
    pub fn new(verdicts: usize, name: Option<&str>) -> Self {
        let counted = "{prefix}{wide_bar} {pos}/{len} {per_sec}, {eta} left{msg}";
        Self::shown(if verdicts > 0 { counted } else { "{prefix}{pos} {per_sec}{msg}" }, verdicts, name)
    }

    /// Shows that a step of unknown length goes on, and for how long.
    pub fn step(text: String, name: Option<&str>) -> Self {
        let step = Self::shown("{prefix}{spinner} {wide_msg} {elapsed}", 0, name);
        step.bar.set_message(text);
        step.bar.enable_steady_tick(RENEWED);
        step
    }

    fn shown(template: &str, verdicts: usize, name: Option<&str>) -> Self {
        let bar = if is_watched() {
            let style = ProgressStyle::with_template(template);
            let bar = ProgressBar::new(verdicts as u64)
                .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
                .with_prefix(name.map(|name| format!("{name} ")).unwrap_or_default());
            BARS.add(bar)
        } else {
            ProgressBar::hidden()
        };
        Self { bar, failed: 0, renewed: None }
    }

    /// Counts one verdict. `until` is the time at which a run without a number of calls ends.
    pub fn count(&mut self, fails: bool, until: Option<Instant>) {
        self.failed += usize::from(fails);
        self.bar.inc(1);
        if self.bar.is_hidden() || self.renewed.is_some_and(|renewed| renewed.elapsed() < RENEWED) {
            return;
        }
        self.renewed = Some(Instant::now());
        let left = until.map(|until| FormattedDuration(until.saturating_duration_since(Instant::now())));
        let left = left.map(|left| format!(", {left} left")).unwrap_or_default();
        let failed = if self.failed > 0 { format!(", {} failed", self.failed) } else { String::new() };
        self.bar.set_message(left + &failed);
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
        BARS.remove(&self.bar);
    }
}
