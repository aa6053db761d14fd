//! One honest implementation of all operator versions, cut into steps that can be exchanged.
//!
//! It is what a plain implementer writes: read the call, list for each output element the input
//! elements that go into it, loop. It shares types with the reference and none of its rules or
//! arithmetic. [`Steps::honest`] is right under the readings it is told; a step exchanged
//! makes a mutant ([`crate::mutants`]) or another right implementation (the honest rows of the zoo).
//!
//! What a mutant cannot do here is change the caller's data in place: a backend is lent its call. In
//! a worker the data are the worker's own copy, so no harness on this trait can see that.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ptr::fn_addr_eq;

use normative_conformance::reference::tensor::element_count;
use normative_conformance::reference::{
    Axes, AxesTensor, Call, Choice, Layout, Norm, Operator, Question, Reading, Tensor,
};
use normative_conformance::{Answer, Backend, Capabilities, Identity, Observed};

use crate::fault::Fault;
use crate::floats::Floats;
use crate::form;
use crate::integers::Integers;
use crate::plan::{Plan, Readings, Step, Unnamed};

/// From numbers and the axis each names to the axes they name together.
type AxesStep = fn(&[i128], Vec<usize>, &Call, &Readings) -> Step<Vec<usize>>;

/// From a norm, `n` and `incx` of BLAS and the length of the data to where the elements stand in them.
type VectorStep = fn(Norm, i32, i32, usize, &Readings) -> Vec<usize>;

/// What an implementation keeps from call to call: nothing, if it is a right one.
#[derive(Debug, Default)]
pub struct Memory {
    /// Calls so far.
    pub calls: usize,
    /// The call before, kept by those who keep it.
    pub call: Option<Call>,
    /// The answer before, kept by those who keep it.
    pub answer: Option<Tensor>,
    /// One bit about the call before, of those who keep one.
    pub flag: bool,
    /// Answers by some key, kept by those who keep a cache of them.
    pub answers: HashMap<String, Answer>,
    /// Calls by some key, kept by those who keep a cache of what they worked out for them.
    pub plans: HashMap<String, Call>,
    /// The size of a buffer, of those who keep one.
    pub room: usize,
}

/// The steps of an implementation, in the order they are taken.
#[derive(Clone, Debug)]
pub struct Steps {
    /// How open questions are read.
    pub readings: Readings,
    /// The call as it is understood.
    pub before: for<'a> fn(&mut Memory, &'a Call) -> Cow<'a, Call>,
    /// Refuses types, ranks and attributes that the operator does not have.
    pub admit: fn(&Call, &Readings) -> Step<()>,
    /// Whether reduced dims are kept.
    pub keep: fn(&Call, &Readings) -> Step<bool>,
    /// Refuses axes tensors of the wrong type or rank.
    pub axes_tensor: fn(&Call, &AxesTensor, &Readings) -> Step<()>,
    /// What a call asks for that names no axis.
    pub unnamed: fn(&Call, &Readings) -> Step<Unnamed>,
    /// The row-major axis that a number names.
    pub axis: fn(i128, &Call, &Readings) -> Step<usize>,
    /// The axes that all numbers together name: each once, in their order.
    pub axes: AxesStep,
    /// Where the elements of a BLAS call stand in its data.
    pub vector: VectorStep,
    /// The axes that are then reduced, where the data have any.
    pub chosen: fn(&mut Vec<usize>, usize),
    /// The output's dims.
    pub shape: fn(&Plan) -> Vec<usize>,
    /// Refuses outputs that the caller left no room for.
    pub room: fn(&Call, &Plan, &[usize], &Readings) -> Step<()>,
    /// For each output element, row-major, the flat indices of what goes into it.
    pub groups: fn(&Plan) -> Vec<Vec<usize>>,
    /// The norm of no elements.
    pub nothing: fn(&Plan) -> u64,
    /// The norm of these elements.
    pub norm: fn(&Steps, &Plan, &[u64]) -> Step<u64>,
    /// How floats are computed.
    pub floats: Floats,
    /// How integers are computed.
    pub integers: Integers,
    /// One kernel among many that is wrong.
    pub fault: Option<Fault>,
    /// The answer as it is handed over.
    pub after: fn(&mut Memory, &Call, Answer) -> Answer,
}

/// The honest implementation that reads everything the first way.
///
/// Steps are compared by address, and a function may have several: whoever takes them from here has the same.
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
    // All types' zeros have the same bits.
    nothing: |_| 0,
    norm,
    floats: Floats::HONEST,
    integers: Integers::HONEST,
    fault: None,
    after: |_, _, answer| answer,
};

impl Steps {
    /// The honest implementation under these readings.
    pub fn honest(readings: Readings) -> Self {
        Self { readings, ..PLAIN.clone() }
    }

    /// The same, but for how it reads this question.
    pub fn reading(&self, question: Question, reading: Reading) -> Self {
        let mut with = self.clone();
        with.readings.0.retain(|choice| choice.question != question);
        with.readings.0.push(Choice { question, reading });
        with
    }

    /// What the call asks for; `None` where the data are to come back as they are.
    fn plan(&self, call: &Call) -> Step<Option<Plan>> {
        (self.admit)(call, &self.readings)?;
        let keep = (self.keep)(call, &self.readings)?;
        if let Axes::Given(given) = &call.axes {
            (self.axes_tensor)(call, given, &self.readings)?;
        }
        let axes = match &call.axes {
            Axes::Given(given) if !given.values.is_empty() => {
                let values = form::heeded(&given.values, call, &self.readings);
                let axis = |&value: &i128| (self.axis)(value, call, &self.readings);
                let named = values.iter().map(axis).collect::<Step<Vec<_>>>()?;
                let mut axes = if values.is_empty() {
                    Vec::new()
                } else {
                    (self.axes)(&values, named, call, &self.readings)?
                };
                match call.data.rank() {
                    // The one axis that a scalar was taken to have.
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

    fn output(&self, call: &Call, known: Option<&Known>) -> Step<Tensor> {
        let Some(plan) = self.plan(call)? else { return Ok(call.data.clone()) };
        let shape = (self.shape)(&plan);
        element_count(&shape).map_err(|error| error.to_string())?;
        (self.room)(call, &plan, &shape, &self.readings)?;
        let known = known.filter(|known| known.plan.as_ref() == Some(&plan));
        let fault = self.fault.as_ref().filter(|fault| fault.is_taken(&plan));
        let listed_as_plain = fault.is_none() && fn_addr_eq(self.groups, PLAIN.groups);
        // The plain one's results, where equal elements have equal norms.
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

    /// Whether this plan's norms are computed as the plain implementation computes them.
    pub fn computes_as_plain(&self, plan: &Plan) -> bool {
        let readings = &self.readings;
        let alike = if plan.dtype.is_integer() {
            self.integers.compute_as(&PLAIN.integers, plan, readings)
        } else {
            self.floats.compute_as(&PLAIN.floats, plan, readings)
        };
        // What the norm of nothing is matters to nobody who has elements.
        let nothing = plan.terms() > 0 || fn_addr_eq(self.nothing, PLAIN.nothing);
        alike && nothing && fn_addr_eq(self.norm, PLAIN.norm)
    }
}

/// The norm of these elements.
pub fn norm(steps: &Steps, plan: &Plan, elements: &[u64]) -> Step<u64> {
    if plan.dtype.is_integer() {
        steps.integers.norm(plan, elements, &steps.readings)
    } else {
        Ok(steps.floats.norm(plan, elements, &steps.readings))
    }
}

/// What the plain implementation makes of a call, for others to spare themselves the part that they do alike.
pub struct Known {
    plan: Option<Plan>,
    groups: Vec<Vec<usize>>,
    /// For each group the first that holds the same elements.
    alike: Vec<usize>,
    /// The data's bits.
    bits: Vec<u64>,
    /// Its answer.
    pub answer: Observed,
}

impl Known {
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
    /// An implementation of that name that takes these steps.
    pub fn new(name: &str, steps: Steps) -> Self {
        Self { name: name.to_owned(), steps, memory: Memory::default() }
    }

    /// Its answer to a call of which it is known what the plain one makes.
    pub fn answer_beside(&mut self, call: &Call, known: &Known) -> Observed {
        self.take_steps(call, Some(known)).into()
    }

    fn take_steps(&mut self, call: &Call, known: Option<&Known>) -> Answer {
        self.memory.calls += 1;
        let understood = (self.steps.before)(&mut self.memory, call);
        // Of another call nothing is known.
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

    /// Data are read by their places, however they lie.
    fn capabilities(&self) -> Capabilities {
        Capabilities { layouts: Layout::UNUSUAL.to_vec(), ..Capabilities::default() }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        self.take_steps(call, None)
    }
}
