//! A call and what is due, as a test that an upstream takes: what a reporter adds to a fix, or offers without one.
//!
//! Such a test says one thing that is right. So the text, or the readings that are demanded, have to leave one answer;
//! of a float it says the best one, and the upstream's own tolerance decides what else passes. It is about the call
//! alone: no runtime is asked.

mod numbers;
mod onnx_node_test;
mod op_tester;
mod wpt;

use normative_reference::{Axes, Call, Spec, Tensor};

use crate::due::{DueAnswer, Form, Is};
use crate::{Due, File, NoRepro};

/// What an upstream takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contribution {
    /// ONNX's backend node tests: a static method `export_…` that ends in `expect(…)`.
    OnnxNodeTest,
    /// The web platform tests of `WebNN`: an object `{name, graph}`.
    Wpt,
    /// ONNX Runtime's own tests in C++: `OpTester`.
    OpTester,
}

impl Contribution {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::OnnxNodeTest, Self::Wpt, Self::OpTester];

    /// What it is called at the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OnnxNodeTest => "onnx-node-test",
            Self::Wpt => "wpt",
            Self::OpTester => "op-tester",
        }
    }

    /// Where the upstream keeps such tests, and what else it asks for.
    pub const fn goes_to(self) -> &'static str {
        match self {
            Self::OnnxNodeTest => {
                "onnx/backend/test/case/node/reducel1.py or reducel2.py of onnx/onnx; its commits are signed off (git commit -s)"
            }
            Self::Wpt => {
                "webnn/conformance_tests/reduce_l1.https.any.js or reduce_l2.https.any.js of web-platform-tests/wpt"
            }
            Self::OpTester => {
                "onnxruntime/test/providers/cpu/reduction/reduction_ops_test.cc of microsoft/onnxruntime"
            }
        }
    }

    /// The file that holds the test of a call, by the name of its case or generated call.
    ///
    /// # Errors
    /// [`NoRepro`] where the form has no place for the call or for what is due.
    pub fn file(self, name: &str, call: &Call, due: &Due) -> Result<File, NoRepro> {
        let test = Test { name, call, answer: only(call, due)? };
        match self {
            Self::OnnxNodeTest => onnx_node_test::file(&test),
            Self::Wpt => wpt::file(&test),
            Self::OpTester => op_tester::file(&test),
        }
    }
}

/// A call with the one answer that is due.
struct Test<'a> {
    name: &'a str,
    call: &'a Call,
    answer: &'a Is,
}

impl Test<'_> {
    /// Why there is no such test.
    fn no(&self, why: impl Into<String>) -> NoRepro {
        NoRepro::Call { spec: self.call.spec().name(), why: why.into() }
    }

    /// The tensor that is due, with the best answer for every element.
    ///
    /// # Errors
    /// Where a refusal is due, and these tests, called `tests`, have no place for one.
    fn tensor(&self, tests: &str) -> Result<Tensor, NoRepro> {
        match self.answer {
            Is::Tensor(form) => best(form).ok_or_else(|| self.no("what is due has no elements to state")),
            Is::Refused(clause) => {
                Err(self.no(format!("a refusal is due ({clause}), and {tests} state a result")))
            }
        }
    }

    /// The name in letters, digits and underscores.
    fn word(&self) -> String {
        let mut word: String = self
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
            .collect();
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            word.insert_str(0, "generated_");
        }
        word
    }

    /// The axes as a list of numbers; `None` where there are none.
    ///
    /// # Errors
    /// Where they are null, or no list.
    fn list(&self) -> Result<Option<&[i128]>, NoRepro> {
        match &self.call.axes {
            Axes::Absent => Ok(None),
            Axes::Given(axes) if axes.shape.len() == 1 => Ok(Some(&axes.values)),
            Axes::Given(axes) => Err(self.no(format!("axes of rank {} are not a list", axes.shape.len()))),
            Axes::Null => Err(self.no("axes cannot be null")),
            Axes::OtherForm(_) => Err(self.no("axes are in the form of another opset")),
        }
    }
}

/// The one answer that is due: also where several readings accept more or less beside the same best one.
fn only<'d>(call: &Call, due: &'d Due) -> Result<&'d Is, NoRepro> {
    let states_the_same = |one: &DueAnswer, other: &DueAnswer| match (&one.is, &other.is) {
        (Is::Tensor(one), Is::Tensor(other)) => best(one).is_some_and(|one| Some(one) == best(other)),
        (Is::Refused(_), Is::Refused(_)) => true,
        _ => false,
    };
    match due.answers.as_slice() {
        [first, others @ ..] if others.iter().all(|other| states_the_same(first, other)) => Ok(&first.is),
        several => {
            let readings: Vec<&str> = several.iter().map(|answer| answer.readings.as_str()).collect();
            let why = format!(
                "{} answers are accepted, and a test states one: --reading leaves one of {}",
                several.len(),
                readings.join("; ")
            );
            Err(NoRepro::Call { spec: call.spec().name(), why })
        }
    }
}

fn best(Form { dtype, shape, elements, .. }: &Form) -> Option<Tensor> {
    let bits: Vec<u64> = elements.iter().map(|element| element.best).collect();
    Tensor::from_bits(*dtype, shape, &bits).ok()
}

/// The operator of ONNX.
fn operator(spec: Spec) -> &'static str {
    match spec.norm() {
        normative_reference::Norm::L1 => "ReduceL1",
        normative_reference::Norm::L2 => "ReduceL2",
    }
}
