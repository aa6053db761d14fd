//! Finds the shortest row of calls that shows that an answer depends on the calls before it.
//!
//! A row shows it if its last call is answered differently than the same call alone, each by a backend that was
//! [started for it](Driver::ask_afresh). Rows end with the call that differed and grow backwards; unneeded
//! calls are then removed. A fresh start may take seconds, so their number is limited.

use normative_reference::Call;

use super::{Named, RepeatDifference, Sample, Step, Unstable, is_same};
use crate::drive::Driver;
use crate::observed::Observed;

/// The most rows asked afresh in all. A start takes from some milliseconds to some seconds.
const ROWS: usize = 100;

/// Every length up to this one is tried, because an effect of every n-th call shows in no other length. Longer
/// rows double in length.
const EVERY_LENGTH: usize = 8;

/// Traces differences in the given order, up to the limit. `steps` are the calls of all rows that were asked.
pub fn all(steps: &[&Step], differences: Vec<RepeatDifference>, backend: &mut dyn Driver) -> Vec<Unstable> {
    let mut tracer = Tracer { backend, left: ROWS };
    let unstable = |RepeatDifference { at, then }: RepeatDifference| {
        let row = tracer.row(steps, at, &then);
        let row = row.map(|row| row.into_iter().map(|named| named.name).collect());
        Unstable { sample: steps[at].sample.clone(), then, row }
    };
    differences.into_iter().map(unstable).collect()
}

struct Tracer<'b> {
    backend: &'b mut dyn Driver,
    /// The number of rows that may still be asked.
    left: usize,
}

impl Tracer<'_> {
    /// Returns the shortest row found for the call at this place. Empty if no row shows the difference; `None`
    /// if the limit was reached before.
    fn row(&mut self, steps: &[&Step], at: usize, then: &Observed) -> Option<Vec<Named>> {
        let last = named(&steps[at].sample);
        let alone = self.last(std::slice::from_ref(&last))?;
        // If the first answer is the odd one, the call before it in the run is tried.
        let mut rows: Vec<Vec<Named>> = Vec::new();
        if is_same(&alone, then) {
            rows.extend(steps[at].before.clone().map(|before| vec![before, last.clone()]));
        } else {
            let longer = std::iter::successors(Some(2 * EVERY_LENGTH), |length| Some(2 * length));
            let longer = longer.take_while(|&length| length / 2 <= at);
            let lengths = (2..=EVERY_LENGTH.min(at + 1)).chain(longer);
            rows.extend(lengths.map(|length| {
                let begin = (at + 1).saturating_sub(length);
                steps[begin..=at].iter().map(|step| named(&step.sample)).collect()
            }));
        }
        // A call may change the next answer to itself.
        rows.insert(rows.len().min(1), vec![last.clone(), last.clone()]);
        // A call that is nondeterministic alone is reported as such first.
        if !is_same(&alone, &self.last(std::slice::from_ref(&last))?) {
            return Some(vec![last]);
        }
        for row in rows {
            if self.shows(&row, &alone)? {
                return Some(self.shortened(row, &alone));
            }
        }
        Some(Vec::new())
    }

    /// Removes calls as long as the row still shows the difference: halves first, then single ones.
    fn shortened(&mut self, mut row: Vec<Named>, alone: &Observed) -> Vec<Named> {
        let mut chunk = row.len() / 2;
        while chunk > 0 {
            let mut at = 0;
            while at + chunk < row.len() && row.len() > 2 {
                let mut fewer = row.clone();
                fewer.drain(at..at + chunk);
                match self.shows(&fewer, alone) {
                    Some(true) => row = fewer,
                    Some(false) => at += chunk,
                    None => return row,
                }
            }
            chunk /= 2;
        }
        row
    }

    fn shows(&mut self, row: &[Named], alone: &Observed) -> Option<bool> {
        self.last(row).map(|answer| !is_same(&answer, alone))
    }

    /// Returns the answer to the last call of a row; `None` once the limit is reached.
    fn last(&mut self, row: &[Named]) -> Option<Observed> {
        self.left = self.left.checked_sub(1)?;
        let calls: Vec<&Call> = row.iter().map(|named| &named.call).collect();
        self.backend.ask_afresh(&calls).pop()
    }
}

fn named(sample: &Sample) -> Named {
    Named { name: sample.name.clone(), call: sample.call.clone() }
}
