//! Whoever reads a spec: asked at each open place, it answers, and remembers what it answered.
//!
//! [`crate::ruling`] runs the same reading once for every combination of answers. The order of asking
//! must therefore depend on nothing but the call and the answers so far.

use crate::question::{Choice, Question, Reading};

/// Answers questions: those decided beforehand in their order, every further one the first way.
pub(crate) struct Reader {
    choices: Vec<Choice>,
    next: usize,
    implied: Vec<Choice>,
}

impl Reader {
    /// A reader that has decided on these choices.
    pub(crate) fn with(choices: Vec<Choice>) -> Self {
        Self { choices, next: 0, implied: Vec::new() }
    }

    /// Every choice made so far, in the order of asking.
    pub(crate) fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// Notes that what was answered so far answers this question too, so that it need not be asked.
    pub(crate) fn imply(&mut self, question: Question, reading: Reading) {
        self.implied.push(Choice { question, reading });
    }

    /// Every choice made so far, in the order of asking, and every one that follows from them.
    pub(crate) fn finish(self) -> (Vec<Choice>, Vec<Choice>) {
        (self.choices, self.implied)
    }

    /// How `question` is read. Asking again gives the same answer.
    pub(crate) fn ask(&mut self, question: Question) -> Reading {
        if let Some(choice) = self.choices[..self.next].iter().find(|choice| choice.question == question) {
            return choice.reading;
        }
        if self.next == self.choices.len() {
            let reading = question.readings()[0];
            self.choices.push(Choice { question, reading });
        }
        self.next += 1;
        self.choices[self.next - 1].reading
    }
}
