//! One honest implementation of all operator versions, cut into steps that can be exchanged.
//!
//! It is a plain implementation: read the call, list the input elements of each output element, loop. It
//! shares types with the reference, but no rules and no arithmetic. [`Steps::honest`] is right under the
//! given readings; exchanging a step makes a mutant ([`crate::mutants`]) or another right implementation
//! (the honest rows of the zoo).
//!
//! A mutant here cannot change the caller's data in place, because a backend borrows its call. In a worker
//! the data are the worker's own copy, so no harness on this trait can see such a change.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ptr::fn_addr_eq;

use normative_conformance::reference::tensor::element_count;
use normative_conformance::reference::{
    Axes, AxesTensor, Call, Choice, Layout, Norm, Operator, Question, Reading, Spec, Tensor,
};
use normative_conformance::{Answer, Backend, Capabilities, Declared, Identity, Observed};

use crate::fault::KernelFault;
use crate::floats::Floats;
use crate::form;
use crate::integers::Integers;
use crate::plan::{Plan, Readings, StepResult, Unnamed};

/// Maps the numbers, and the axis that each names, to the axes of the call.
type AxesStep = fn(&[i128], Vec<usize>, &Call, &Readings) -> StepResult<Vec<usize>>;

/// Maps a norm, BLAS's `n` and `incx` and the length of the data to the indices of the elements.
type VectorStep = fn(Norm, i32, i32, usize, &Readings) -> Vec<usize>;

/// The state of an implementation between calls; empty for a right one.
#[derive(Debug, Default)]
pub struct Memory {
    /// The number of calls so far.
    pub calls: usize,
    /// The previous call, if the implementation keeps it.
    pub call: Option<Call>,
    /// The previous answer, if the implementation keeps it.
    pub answer: Option<Tensor>,
    /// One bit about the previous call.
    pub flag: bool,
    /// A cache of answers, by some key.
    pub answers: HashMap<String, Answer>,
    /// A cache of calls, by some key, for the results derived from them.
    pub plans: HashMap<String, Call>,
    /// The size of a buffer.
    pub room: usize,
}

/// The steps of an implementation, in their order.
#[derive(Clone, Debug)]
pub struct Steps {
    /// The readings of open questions.
    pub readings: Readings,
    /// Returns the call as the implementation understands it.
    pub before: for<'a> fn(&mut Memory, &'a Call) -> Cow<'a, Call>,
    /// Refuses types, ranks and attributes that the operator does not have.
    pub admit: fn(&Call, &Readings) -> StepResult<()>,
    /// Returns true if reduced dims are kept.
    pub keep: fn(&Call, &Readings) -> StepResult<bool>,
    /// Refuses axes tensors of the wrong type or rank.
    pub axes_tensor: fn(&Call, &AxesTensor, &Readings) -> StepResult<()>,
    /// Returns the meaning of a call that names no axis.
    pub unnamed: fn(&Call, &Readings) -> StepResult<Unnamed>,
    /// Returns the row-major axis that a number names.
    pub axis: fn(i128, &Call, &Readings) -> StepResult<usize>,
    /// Returns the axes that all numbers together name: each once, in their order.
    pub axes: AxesStep,
    /// Returns the indices of a BLAS vector's elements in its data.
    pub vector: VectorStep,
    /// Changes the axes to reduce, if the data have any.
    pub chosen: fn(&mut Vec<usize>, usize),
    /// Returns the output's dims.
    pub shape: fn(&Plan) -> Vec<usize>,
    /// Refuses outputs that do not fit into the caller's memory.
    pub room: fn(&Call, &Plan, &[usize], &Readings) -> StepResult<()>,
    /// Returns the flat indices of the elements of each output, row-major.
    pub groups: fn(&Plan) -> Vec<Vec<usize>>,
    /// Returns the norm over no elements.
    pub nothing: fn(&Plan) -> u64,
    /// Returns the norm of these elements.
    pub norm: fn(&Steps, &Plan, &[u64]) -> StepResult<u64>,
    /// The steps for floats.
    pub floats: Floats,
    /// The steps for integers.
    pub integers: Integers,
    /// One wrong kernel among many.
    pub fault: Option<KernelFault>,
    /// Returns the answer that is handed over.
    pub after: fn(&mut Memory, &Call, Answer) -> Answer,
}

/// The honest implementation with the first reading of every question.
///
/// Steps are compared by address, and a function may have several; all copies of this table share them.
static PLAIN: Steps = Steps {
    readings: Readings(Vec::new()),
    before: |_, call| Cow::Borrowed(call),
    admit: form::admit,
    keep: form::keep,
    axes_tensor: form::axes_tensor,
    unnamed: form::unnamed,
    axis: form::axis,
    axes: form::axes,
    vector: form::vector,
    chosen: |_, _| {},
    shape: form::shape,
    room: form::room,
    groups: form::groups,
    // Zero has the same bits in all types.
    nothing: |_| 0,
    norm,
    floats: Floats::HONEST,
    integers: Integers::HONEST,
    fault: None,
    after: |_, _, answer| answer,
};

impl Steps {
    /// Returns the honest implementation under these readings.
    pub fn honest(readings: Readings) -> Self {
        Self { readings, ..PLAIN.clone() }
    }

    /// Returns the same steps with another reading of this question.
    #[must_use]
    pub fn reading(&self, question: Question, reading: Reading) -> Self {
        let mut with = self.clone();
        with.readings.0.retain(|choice| choice.question != question);
        with.readings.0.push(Choice { question, reading });
        with
    }

    /// Returns the task of the call; `None` if the data come back unchanged.
    fn plan(&self, call: &Call) -> StepResult<Option<Plan>> {
        (self.admit)(call, &self.readings)?;
        let keep = (self.keep)(call, &self.readings)?;
        if let Axes::Given(given) = &call.axes {
            (self.axes_tensor)(call, given, &self.readings)?;
        }
        let axes = match &call.axes {
            Axes::Given(given) if !given.values.is_empty() => {
                let values = form::heeded(&given.values, call, &self.readings);
                let axis = |&value: &i128| (self.axis)(value, call, &self.readings);
                let named = values.iter().map(axis).collect::<StepResult<Vec<_>>>()?;
                let mut axes = if values.is_empty() {
                    Vec::new()
                } else {
                    (self.axes)(&values, named, call, &self.readings)?
                };
                match call.data.rank() {
                    // Removes the one axis that a scalar was given above.
                    0 => axes.clear(),
                    rank => (self.chosen)(&mut axes, rank),
                }
                axes
            }
            _ => match (self.unnamed)(call, &self.readings)? {
                Unnamed::Unchanged => return Ok(None),
                Unnamed::Nothing => Vec::new(),
                Unnamed::All => (0..call.data.rank()).collect(),
            },
        };
        let spec = call.spec();
        let (norm, dtype) = (spec.norm(), call.data.dtype());
        let vector = match call.operator {
            Operator::Blas { n, incx, .. } => {
                Some((self.vector)(norm, n, incx, call.data.len(), &self.readings))
            }
            _ => None,
        };
        let data = vector.as_ref().map_or_else(|| call.data.shape().to_vec(), |vector| vec![vector.len()]);
        Ok(Some(Plan { spec, norm, dtype, data, vector, axes, keep }))
    }

    fn output(&self, call: &Call, known: Option<&PlainWork>) -> StepResult<Tensor> {
        let Some(plan) = self.plan(call)? else { return Ok(call.data.clone()) };
        let shape = (self.shape)(&plan);
        element_count(&shape).map_err(|error| error.to_string())?;
        (self.room)(call, &plan, &shape, &self.readings)?;
        let known = known.filter(|known| known.plan.as_ref() == Some(&plan));
        let fault = self.fault.as_ref().filter(|fault| fault.is_taken(&plan));
        let listed_as_plain = fault.is_none() && fn_addr_eq(self.groups, PLAIN.groups);
        // Reuse the plain results, because equal elements have equal norms.
        let done = known.and_then(|known| match &known.answer {
            Observed::Tensor(tensor) if tensor.shape() == shape && self.computes_as_plain(&plan) => {
                Some((tensor, &known.groups))
            }
            _ => None,
        });
        if let Some((tensor, _)) = done.filter(|_| listed_as_plain) {
            return Ok(tensor.clone());
        }
        let listed;
        let groups = match known {
            Some(known) if listed_as_plain => &known.groups,
            _ => {
                let mut own = (self.groups)(&plan);
                if let Some(fault) = fault {
                    fault.regroup(&plan, &mut own);
                }
                listed = own;
                &listed
            }
        };
        let done = done
            .filter(|_| fault.is_none_or(|fault| !fault.changes_elements()))
            .map(|(tensor, groups)| (tensor.bits(), groups));
        let bits = known.map_or_else(
            || Cow::Owned(plan.operand(call.data.bits())),
            |known| Cow::Borrowed(&known.bits[..]),
        );
        let bits: &[u64] = &bits;
        // Equal elements have equal norms.
        let alike = known.filter(|_| listed_as_plain).map(|known| &known.alike);
        let mut elements = Vec::new();
        let mut results = Vec::with_capacity(groups.len());
        for (at, group) in groups.iter().enumerate() {
            if let Some((results_of_plain, groups_of_plain)) = &done
                && groups_of_plain.get(at) == Some(group)
            {
                results.push(results_of_plain[at]);
                continue;
            }
            if let Some(first) = alike.map(|alike| alike[at]).filter(|&first| first < at) {
                results.push(results[first]);
                continue;
            }
            elements.clear();
            elements.extend(group.iter().map(|&flat| bits[flat]));
            if let Some(fault) = fault {
                fault.change_elements(&plan, &mut elements);
            }
            results.push(if elements.is_empty() {
                (self.nothing)(&plan)
            } else {
                (self.norm)(self, &plan, &elements)?
            });
        }
        Tensor::from_bits(plan.dtype, &shape, &results).map_err(|error| error.to_string())
    }

    /// Returns true if this plan's norms are computed as in the plain implementation.
    pub fn computes_as_plain(&self, plan: &Plan) -> bool {
        let readings = &self.readings;
        let alike = if plan.dtype.is_integer() {
            self.integers.compute_as(&PLAIN.integers, plan, readings)
        } else {
            self.floats.compute_as(&PLAIN.floats, plan, readings)
        };
        // The norm over no elements does not matter if there are elements.
        let nothing = plan.terms() > 0 || fn_addr_eq(self.nothing, PLAIN.nothing);
        alike && nothing && fn_addr_eq(self.norm, PLAIN.norm)
    }
}

/// Returns the norm of these elements.
pub fn norm(steps: &Steps, plan: &Plan, elements: &[u64]) -> StepResult<u64> {
    if plan.dtype.is_integer() {
        steps.integers.norm(plan, elements, &steps.readings)
    } else {
        Ok(steps.floats.norm(plan, elements, &steps.readings))
    }
}

/// The plain implementation's work on a call, which others reuse where they agree.
pub struct PlainWork {
    plan: Option<Plan>,
    groups: Vec<Vec<usize>>,
    /// For each group, the first group with the same elements.
    alike: Vec<usize>,
    /// The data's bits.
    bits: Vec<u64>,
    /// Its answer.
    pub answer: Observed,
}

impl PlainWork {
    /// Asks the plain implementation.
    pub fn of(call: &Call) -> Self {
        let steps = Steps::honest(Readings::default());
        let plan = steps.plan(call).ok().flatten();
        let groups = plan.as_ref().map_or(Vec::new(), form::groups);
        let bits = call.data.bits();
        let bits = plan.as_ref().map_or_else(|| bits.clone(), |plan| plan.operand(bits.clone()));
        let mut first = HashMap::new();
        let alike = groups.iter().enumerate().map(|(at, group)| {
            let elements: Vec<u64> = group.iter().map(|&flat| bits[flat]).collect();
            *first.entry(elements).or_insert(at)
        });
        let alike = alike.collect();
        Self { plan, groups, alike, bits, answer: Implementation::new("plain", steps).answer(call).into() }
    }
}

/// Steps as a backend.
pub struct Implementation {
    name: String,
    /// Its steps.
    pub steps: Steps,
    memory: Memory,
}

impl Implementation {
    /// Returns an implementation of this name with these steps.
    pub fn new(name: &str, steps: Steps) -> Self {
        Self { name: name.to_owned(), steps, memory: Memory::default() }
    }

    /// Returns its answer to a call, with the plain implementation's work on it.
    pub fn answer_beside(&mut self, call: &Call, known: &PlainWork) -> Observed {
        self.take_steps(call, Some(known)).into()
    }

    fn take_steps(&mut self, call: &Call, known: Option<&PlainWork>) -> Answer {
        self.memory.calls += 1;
        let understood = (self.steps.before)(&mut self.memory, call);
        // That work does not apply to another call.
        let known = known.filter(|_| matches!(understood, Cow::Borrowed(_)));
        let answer = match self.steps.output(&understood, known) {
            Ok(tensor) => Answer::Tensor(tensor),
            Err(why) => Answer::Rejected(why),
        };
        (self.steps.after)(&mut self.memory, call, answer)
    }
}

impl Backend for Implementation {
    fn identity(&self) -> Identity {
        Identity {
            name: self.name.clone(),
            version: "0".into(),
            report_bugs_to: "nobody: it is an exhibit".into(),
        }
    }

    /// Has every operator, and reads data by their indices, in any layout.
    fn capabilities(&self) -> Capabilities {
        let declared = Declared { specs: Spec::ALL.to_vec(), dtypes: Vec::new() };
        Capabilities { declared, layouts: Layout::UNUSUAL.to_vec(), ..Capabilities::default() }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        self.take_steps(call, None)
    }
}
