//! Whoever reads a spec: asked at each open place, it answers, and remembers what it answered.
//!
//! [`crate::ruling`] runs the same reading once for every combination of answers. The order of asking
//! must therefore depend on nothing but the call and the answers so far.

use crate::question::{Choice, Question, Reading};

/// Answers questions: those decided beforehand in their order, every further one the first way.
pub(crate) struct Reader {
    choices: Vec<Choice>,
    next: usize,
}

impl Reader {
    /// A reader that has decided on these choices.
    pub(crate) fn with(choices: Vec<Choice>) -> Self {
        Self { choices, next: 0 }
    }

    /// Every choice made so far, in the order of asking.
    pub(crate) fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// How `question` is read. Asking again gives the same answer.
    pub(crate) fn ask(&mut self, question: Question) -> Reading {
        if let Some(choice) = self.choices[..self.next].iter().find(|choice| choice.question == question) {
            return choice.reading;
        }
        if self.next == self.choices.len() {
            let reading = question.entry().readings[0];
            self.choices.push(Choice { question, reading });
        }
        self.next += 1;
        self.choices[self.next - 1].reading
    }
}
