//! Answers the questions that a ruling asks, and remembers the answers.
//!
//! [`every`] runs the same rules once for every combination of answers. So the order of questions must depend
//! only on the call and the answers so far.
//!
//! Say that a call raises the questions P and Q, in this order and with the readings p, p' and q, q':
//!
//! | run | decided before | reads  | adds to what is left to do |
//! |-----|----------------|--------|----------------------------|
//! | 1   | nothing        | p, q   | [p'] and [p, q']           |
//! | 2   | [p, q']        | p, q'  | nothing                    |
//! | 3   | [p']           | p', q  | [p', q']                   |
//! | 4   | [p', q']       | p', q' | nothing                    |
//!
//! If p' refuses the call, run 3 does not ask Q, and run 4 does not happen. So each possible combination is met once.

use crate::question::{Choice, Question, Reading};

/// The readings of one question, each with its value at the place where the question is asked.
///
/// It is built in a constant, so that a foreign or a missing reading does not compile.
pub(crate) struct Ways<T: 'static> {
    question: Question,
    each: &'static [(Reading, T)],
}

impl<T: Copy> Ways<T> {
    /// Pairs each reading with its value, in the order of the question.
    pub(crate) const fn of(question: Question, each: &'static [(Reading, T)]) -> Self {
        let readings = question.readings();
        assert!(each.len() == readings.len(), "a reading is missing, or one too many");
        let mut at = 0;
        while at < readings.len() {
            assert!(
                each[at].0 as u8 == readings[at] as u8,
                "the readings are not those of the question, in its order"
            );
            at += 1;
        }
        Self { question, each }
    }
}

/// Replays a prefix of decided choices, then answers every further question with its first reading.
pub(crate) struct Reader {
    /// The decided choices, then those made in this run.
    choices: Vec<Choice>,
    /// The number of choices asked in this run. The order of asking is fixed, so the next new question is
    /// that of the next choice.
    asked: usize,
    implied: Vec<Choice>,
    /// Readings that mean the same as another one in every call of this type.
    left_out: Vec<Choice>,
}

/// The outcome of one run of the rules over a call.
pub(crate) struct Read<T> {
    /// The reading of each question that was asked, in the order of asking.
    pub(crate) choices: Vec<Choice>,
    /// The readings of questions that were not asked, because the other answers leave them only one.
    pub(crate) implied: Vec<Choice>,
    /// The result of the rules.
    pub(crate) result: T,
}

/// Runs the rules under every combination of answers to their questions.
pub(crate) fn every<T>(rules: impl Fn(&mut Reader) -> T) -> Vec<Read<T>> {
    let (mut pending, mut all) = (vec![Vec::new()], Vec::new());
    while let Some(choices) = pending.pop() {
        let decided = choices.len();
        let mut reader = Reader { choices, asked: 0, implied: Vec::new(), left_out: Vec::new() };
        let result = rules(&mut reader);
        let Reader { choices, implied, left_out, .. } = reader;
        // Each new question got its first reading. Each other reading is decided in a run of its own.
        for (at, choice) in choices.iter().enumerate().skip(decided) {
            for &reading in choice.question.readings()[1..].iter().rev() {
                let other = Choice { reading, ..*choice };
                if !left_out.contains(&other) {
                    pending.push([&choices[..at], &[other]].concat());
                }
            }
        }
        all.push(Read { choices, implied, result });
    }
    all
}

impl Reader {
    /// Notes that the answers so far leave this question one reading. The question is not asked; the choice is listed in
    /// [`Alternative::implied`](crate::Alternative::implied).
    pub(crate) fn imply(&mut self, question: Question, reading: Reading) {
        self.implied.push(Choice { question, reading });
    }

    /// Asks a question and returns the value of the reading. Asking again gives the same answer.
    pub(crate) fn read<T: Copy>(&mut self, ways: &Ways<T>) -> T {
        let reading = self.ask(ways.question);
        let found = ways.each.iter().find(|(way, _)| *way == reading);
        // The reading is always found: `Ways::of` lists all readings of the question.
        found.unwrap_or(&ways.each[0]).1
    }

    /// Does the same without one reading, which means the same as another in every call of this type.
    pub(crate) fn read_without<T: Copy>(&mut self, ways: &Ways<T>, reading: Reading) -> T {
        self.left_out.push(Choice { question: ways.question, reading });
        self.read(ways)
    }

    /// Asks a question and returns true if its reading is to refuse the call.
    pub(crate) fn refuses(&mut self, question: Question) -> bool {
        self.ask(question) == Reading::Reject
    }

    fn ask(&mut self, question: Question) -> Reading {
        if let Some(choice) = self.choices[..self.asked].iter().find(|choice| choice.question == question) {
            return choice.reading;
        }
        if self.asked == self.choices.len() {
            let reading = question.readings()[0];
            self.choices.push(Choice { question, reading });
        }
        let choice = self.choices[self.asked];
        debug_assert_eq!(choice.question, question, "the order of asking changed between two runs");
        self.asked += 1;
        choice.reading
    }
}
