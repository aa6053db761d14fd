//! Writes ONNX models that judge themselves: the output says which acceptable answers the runtime gave.
//!
//! A check is one call. Its number has bit `k` set if the answer is the `k`-th acceptable one of [`Due`]; the number 0
//! says that the answer is wrong. A refused call gives no number, because the runtime fails. A wrong element type is
//! not seen, because the types of a graph are fixed.
//!
//! Bits cannot be compared in a graph before opset 26. A number is compared with the ends of its range in f32, f64 or an
//! integer type that holds it, a zero also by its reciprocal, which has its sign. [`controls`] are checks of these
//! comparisons alone: a runtime that gets one wrong cannot be judged so.

mod controls;

use std::collections::HashMap;

use normative_onnx::graph::{Attribute, Graph, Node};
use normative_onnx::{Imports, Inexpressible, data_type, node_of, versions};
use normative_present::export::shortest;
use normative_reference::textbook::to_f64;
use normative_reference::{Call, Dtype, FloatFormat, Kind, Magnitude, Opset, Tensor};

use crate::Due;
use crate::due::{DueCondition, DueElement, DueTensor};

pub use controls::{Control, controls};

/// The name of the output: f32, a number for each check.
pub const OUTPUT: &str = "verdict";
/// The name of the only input, a scalar 0 of i64, if data are [`DataAs::Picked`].
pub const INPUT: &str = "pick";

/// The acceptable answers that fit into one number: f32 holds their bits exactly.
pub const MOST_ANSWERS: usize = 24;

/// The fewest elements of a tensor that a model holds as a repeated start.
const LONG: usize = 512;

/// The form of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataAs {
    /// Constants of the model, which a runtime may reduce when it loads the model.
    Constant,
    /// Constants that [`INPUT`] picks, so that a runtime reduces them when it runs.
    Picked,
}

/// A tensor, and the answers that are acceptable.
#[derive(Clone, Debug)]
pub struct Check<'a> {
    /// Its origin.
    pub of: CheckOf<'a>,
    /// The acceptable tensors, and `None` for each other acceptable answer, which no number stands for.
    pub answers: Vec<Option<&'a DueTensor>>,
}

/// The origin of a tensor.
#[derive(Clone, Copy, Debug)]
pub enum CheckOf<'a> {
    /// The result of a call.
    Call(&'a Call),
    /// This tensor itself.
    Given(&'a Tensor),
}

impl<'a> Check<'a> {
    /// Returns the check of a call.
    ///
    /// # Errors
    /// [`Inexpressible`] if ONNX cannot express it.
    pub fn of_call(call: &'a Call, due: &'a Due) -> Result<Self, Inexpressible> {
        node_of(call, "", "", "")?;
        let answers = due.answers.iter().map(|answer| match &answer.is {
            DueCondition::Tensor(due) => Some(due),
            DueCondition::Refused(_) => None,
        });
        Ok(Self { of: CheckOf::Call(call), answers: answers.collect() })
    }

    /// Returns the check of a control; its number is 1 or 0.
    pub fn of_control(control: &'a Control) -> Self {
        Self { of: CheckOf::Given(&control.tensor), answers: vec![Some(&control.due)] }
    }
}

/// Returns the name of a case as the name of a file without its ending.
pub fn file_stem(case: &str) -> String {
    case.replace('/', ".")
}

/// Names what models of an opset compare in one type.
pub fn kind(opset: Opset, dtype: Dtype) -> String {
    format!("{}.{dtype}", opset as u8)
}

/// Returns a graph that makes these checks, in a model of the opset.
///
/// # Errors
/// [`Inexpressible`] if ONNX cannot express a call of a check that was not made by [`Check::of_call`].
pub fn graph(checks: &[Check<'_>], opset: Opset, data_as: DataAs) -> Result<Graph, Inexpressible> {
    // Comparisons of all types came with opset 9, and the same operator is in opset 10.
    let imports = if opset == Opset::V1 { Imports::Last } else { Imports::First };
    let (ir_version, opset) = versions(opset, imports);
    let inputs = match data_as {
        DataAs::Constant => Vec::new(),
        DataAs::Picked => vec![(INPUT.to_owned(), Dtype::I64, Vec::new())],
    };
    let output = (OUTPUT.to_owned(), Dtype::F32, Some(vec![checks.len()]));
    let (nodes, constants) = (Vec::new(), Vec::new());
    let graph = Graph { name: "selfcheck", ir_version, opset, nodes, constants, inputs, output };
    let mut writer = Writer { graph, data_as, lists: HashMap::new() };
    let numbers = checks.iter().map(|check| writer.number(check)).collect::<Result<Vec<_>, _>>()?;
    let along = vec![("axis", Attribute::Integer(0))];
    writer.graph.nodes.push(Node {
        op_type: "Concat",
        inputs: numbers,
        output: OUTPUT.to_owned(),
        attributes: along,
    });
    Ok(writer.graph)
}

/// Writes nodes. Each method returns the name of the value that it wrote.
struct Writer {
    graph: Graph,
    data_as: DataAs,
    /// The lists that stand in the graph already, by type and bits.
    lists: HashMap<(Dtype, Vec<u64>), String>,
}

impl Writer {
    fn name(&self) -> String {
        format!("v{}", self.graph.nodes.len() + self.graph.constants.len())
    }

    fn constant(&mut self, dtype: Dtype, shape: &[usize], bits: &[u64]) -> Result<String, Inexpressible> {
        let name = self.name();
        self.graph.constants.push((name.clone(), Tensor::from_bits(dtype, shape, bits)?));
        Ok(name)
    }

    /// Writes a list of these bits, to be compared with others: equal ones stand once, and operators repeat them. The
    /// same list is written once a graph.
    fn list(&mut self, dtype: Dtype, bits: &[u64]) -> Result<String, Inexpressible> {
        let are_equal = bits.iter().all(|one| bits.first() == Some(one));
        let key = (dtype, bits[..if are_equal { bits.len().min(1) } else { bits.len() }].to_vec());
        if let Some(written) = self.lists.get(&key) {
            return Ok(written.clone());
        }
        let name = self.constant(dtype, &[key.1.len()], &key.1)?;
        self.lists.insert(key, name.clone());
        Ok(name)
    }

    fn node(
        &mut self,
        op_type: &'static str,
        inputs: &[&str],
        attribute: Option<(&'static str, i64)>,
    ) -> String {
        let output = self.name();
        let inputs = inputs.iter().map(|&input| input.to_owned()).collect();
        let attributes = attribute.map(|(name, value)| (name, Attribute::Integer(value)));
        let attributes = attributes.into_iter().collect();
        self.graph.nodes.push(Node { op_type, inputs, output: output.clone(), attributes });
        output
    }

    fn cast(&mut self, value: &str, to: Dtype) -> String {
        self.node("Cast", &[value], Some(("to", data_type(to))))
    }

    /// Writes a tensor of the call. A long one that repeats its start is that start, and repeated by the runtime.
    fn data(&mut self, tensor: &Tensor) -> Result<String, Inexpressible> {
        let (dtype, bits) = (tensor.dtype(), tensor.bits());
        let start = shortest(&bits);
        if bits.len() < LONG || 4 * start.len() > bits.len() {
            return self.kept(dtype, tensor.shape(), &bits);
        }
        let kept = self.kept(dtype, &[start.len()], start)?;
        let times = self.list(Dtype::I64, &[bits.len().div_ceil(start.len()) as u64])?;
        let longer = self.node("Tile", &[&kept, &times], None);
        let list = self.cut(&longer, bits.len())?;
        let shape: Vec<u64> = tensor.shape().iter().map(|&dim| dim as u64).collect();
        let shape = self.constant(Dtype::I64, &[shape.len()], &shape)?;
        Ok(self.node("Reshape", &[&list, &shape], None))
    }

    /// Writes elements that the model holds.
    fn kept(&mut self, dtype: Dtype, shape: &[usize], bits: &[u64]) -> Result<String, Inexpressible> {
        match self.data_as {
            DataAs::Constant => self.constant(dtype, shape, bits),
            DataAs::Picked => {
                let row = self.constant(dtype, &[&[1], shape].concat(), bits)?;
                Ok(self.node("Gather", &[&row, INPUT], None))
            }
        }
    }

    /// Writes a result whose dims a runtime cannot know before it runs, where it may be wrong about them: ONNX Runtime
    /// 1.32.0 infers other dims than its kernel returns for `noop_with_empty_axes` beyond 0 and 1.
    fn as_run(&mut self, result: String, call: &Call) -> Result<String, Inexpressible> {
        if self.data_as == DataAs::Constant
            || matches!(call.operator.noop_with_empty_axes(), None | Some(0 | 1))
        {
            return Ok(result);
        }
        // The input is 0, so the list is empty, and expanded to no dims a tensor stays as it is.
        let (from, along) = (self.list(Dtype::I64, &[0])?, self.list(Dtype::I64, &[u64::MAX])?);
        let to = self.node("Reshape", &[INPUT, &along], None);
        let no_dims = self.node("Slice", &[&from, &from, &to], None);
        Ok(self.node("Expand", &[&result, &no_dims], None))
    }

    /// Writes the number of a check, in a list of one element.
    fn number(&mut self, check: &Check<'_>) -> Result<String, Inexpressible> {
        let (answer, dtype) = match check.of {
            CheckOf::Given(tensor) => (self.data(tensor)?, tensor.dtype()),
            CheckOf::Call(call) => {
                let data = self.data(&call.data)?;
                let (axes, output) = (format!("axes of {data}"), format!("result of {data}"));
                let (node, constant) = node_of(call, &data, &axes, &output)?;
                self.graph.constants.extend(constant.map(|tensor| (axes, tensor)));
                self.graph.nodes.push(node);
                (self.as_run(output, call)?, call.data.dtype())
            }
        };
        let minus_one = self.list(Dtype::I64, &[u64::MAX])?;
        let flat = self.node("Reshape", &[&answer, &minus_one], None);
        let dims = self.node("Shape", &[&answer], None);
        let compared = compared_in(dtype);
        let elements = if compared == dtype { flat } else { self.cast(&flat, compared) };
        let mut number: Option<String> = None;
        for (bit, due) in check.answers.iter().enumerate() {
            let Some(due) = due else { continue };
            let shape: Vec<u64> = due.shape.iter().map(|&dim| dim as u64).collect();
            let mut wrong = vec![self.differs_in_dims(&dims, &shape)?];
            if !due.elements.is_empty() {
                wrong.push(self.differs_in_elements(&elements, due)?);
            }
            let wrong = self.any(&wrong);
            let weight = self.list(Dtype::F32, &[((1_u32 << bit) as f32).to_bits().into()])?;
            let is_wrong = if bit == 0 { wrong } else { self.node("Mul", &[&wrong, &weight], None) };
            let weighed = self.node("Sub", &[&weight, &is_wrong], None);
            number = Some(match number {
                Some(others) => self.node("Add", &[&others, &weighed], None),
                None => weighed,
            });
        }
        if let Some(number) = number {
            return Ok(number);
        }
        // No tensor is acceptable. Dims of -2, which no tensor has, keep the call in the graph.
        let differs = self.differs_in_dims(&dims, &[u64::MAX - 1])?;
        let one = self.list(Dtype::F32, &[1_f32.to_bits().into()])?;
        Ok(self.node("Sub", &[&one, &differs], None))
    }

    /// Writes 1 if a number of these lists of 0 and 1 is 1, in a list of one element.
    fn any(&mut self, lists: &[String]) -> String {
        let lists: Vec<&str> = lists.iter().map(String::as_str).collect();
        let all = self.node("Concat", &lists, Some(("axis", 0)));
        self.node("ReduceMax", &[&all], None)
    }

    /// Writes the first `count` elements of a list that goes on with `filler`. A list of another length cannot be
    /// compared with constants, and would end the run.
    fn first(
        &mut self,
        list: &str,
        count: usize,
        (dtype, filler): (Dtype, u64),
    ) -> Result<String, Inexpressible> {
        let (filler, shape) = (self.list(dtype, &[filler])?, self.list(Dtype::I64, &[count as u64])?);
        let filler = self.node("Expand", &[&filler, &shape], None);
        let longer = self.node("Concat", &[list, &filler], Some(("axis", 0)));
        self.cut(&longer, count)
    }

    /// Writes the first `count` elements of a list of at least as many.
    fn cut(&mut self, list: &str, count: usize) -> Result<String, Inexpressible> {
        let from = self.list(Dtype::I64, &[0])?;
        let to = self.list(Dtype::I64, &[count as u64])?;
        Ok(self.node("Slice", &[list, &from, &to], None))
    }

    /// Writes 0 and 1 for each element of a list: 1 if it is not between two others, which are inclusive. A NaN is
    /// never outside.
    fn outside(&mut self, list: &str, low: &str, high: &str) -> String {
        let below = self.node("Less", &[list, low], None);
        let above = self.node("Greater", &[list, high], None);
        self.node("Or", &[&below, &above], None)
    }

    /// Writes 1 for each dim that differs. One place beyond the last dim is compared, for the rank.
    fn differs_in_dims(&mut self, dims: &str, shape: &[u64]) -> Result<String, Inexpressible> {
        let due = [shape, &[u64::MAX]].concat();
        let dims = self.first(dims, due.len(), (Dtype::I64, u64::MAX))?;
        let due = self.list(Dtype::I64, &due)?;
        let differs = self.outside(&dims, &due, &due);
        Ok(self.any_of(&differs))
    }

    fn any_of(&mut self, differs: &str) -> String {
        let numbers = self.cast(differs, Dtype::F32);
        self.node("ReduceMax", &[&numbers], None)
    }

    /// Writes 1 if an element is outside all its ranges.
    fn differs_in_elements(&mut self, elements: &str, due: &DueTensor) -> Result<String, Inexpressible> {
        let compared = compared_in(due.dtype);
        let list = self.first(elements, due.elements.len(), (compared, 0))?;
        let most = due.elements.iter().map(|element| element.ranges.len()).max().unwrap_or_default();
        let mut outside_all: Option<String> = None;
        for slot in 0..most {
            let ranges: Vec<(u64, u64)> =
                due.elements.iter().filter_map(|element| range_of(element, slot)).collect();
            let mut outside = match due.dtype.kind() {
                Kind::Float(format) => self.outside_floats(&list, (due.dtype, format), &ranges)?,
                Kind::Integer(_) => self.outside_ranges(&list, due.dtype, &ranges)?,
            };
            if due.single && slot == 0 {
                let narrow = self.cast(&list, Dtype::F32);
                let held = self.cast(&narrow, Dtype::F64);
                let not_held = self.outside(&list, &held, &held);
                outside = self.node("Or", &[&outside, &not_held], None);
            }
            outside_all = Some(match outside_all {
                Some(others) => self.node("And", &[&others, &outside], None),
                None => outside,
            });
        }
        // Every element has a range.
        Ok(outside_all.map(|outside| self.any_of(&outside)).unwrap_or_default())
    }

    /// Writes true for each element outside its range of numbers.
    fn outside_ranges(
        &mut self,
        list: &str,
        dtype: Dtype,
        ranges: &[(u64, u64)],
    ) -> Result<String, Inexpressible> {
        let compared = compared_in(dtype);
        let ends = |end: fn(&(u64, u64)) -> u64| -> Vec<u64> {
            ranges.iter().map(|range| widened(dtype, end(range))).collect()
        };
        let (low, high) =
            (self.list(compared, &ends(|range| range.0))?, self.list(compared, &ends(|range| range.1))?);
        Ok(self.outside(list, &low, &high))
    }

    /// Writes true for each float outside its range: in value, in its zero's sign, or in being a NaN.
    fn outside_floats(
        &mut self,
        list: &str,
        (dtype, format): (Dtype, FloatFormat),
        ranges: &[(u64, u64)],
    ) -> Result<String, Inexpressible> {
        let compared = compared_in(dtype);
        let is_nan = |&(low, _): &(u64, u64)| format.magnitude(low) == Magnitude::Nan;
        let infinity = format.infinity();
        let any = (format.sign() | infinity, infinity);
        let numbers: Vec<(u64, u64)> =
            ranges.iter().map(|range| if is_nan(range) { any } else { in_order(format, *range) }).collect();
        let mut outside = self.outside_ranges(list, dtype, &numbers)?;
        let is_positive = |bits: u64| bits & format.sign() == 0;
        let is_zero = |bits: u64| bits & (format.sign() - 1) == 0;
        // Without a zero as an end of a range, no comparison depends on the sign of a zero.
        if numbers.iter().any(|&(low, high)| is_zero(low) || is_zero(high)) {
            let sign = |positive: bool, end: f64| float(compared, if positive { 0.0 } else { end });
            let low: Vec<u64> =
                numbers.iter().map(|&(low, _)| sign(is_positive(low), f64::NEG_INFINITY)).collect();
            let high: Vec<u64> =
                numbers.iter().map(|&(_, high)| sign(!is_positive(high), f64::INFINITY)).collect();
            let (low, high) = (self.list(compared, &low)?, self.list(compared, &high)?);
            let one = self.list(compared, &[float(compared, 1.0)])?;
            let reciprocals = self.node("Div", &[&one, list], None);
            let of_other_sign = self.outside(&reciprocals, &low, &high);
            outside = self.node("Or", &[&outside, &of_other_sign], None);
        }
        let is_a_nan = self.node("IsNaN", &[list], None);
        let nan_or_not = if ranges.iter().any(is_nan) {
            let is_a_nan = self.cast(&is_a_nan, Dtype::F32);
            let due: Vec<u64> =
                ranges.iter().map(|range| float(Dtype::F32, f64::from(u8::from(is_nan(range))))).collect();
            let due = self.list(Dtype::F32, &due)?;
            self.outside(&is_a_nan, &due, &due)
        } else {
            is_a_nan
        };
        Ok(self.node("Or", &[&outside, &nan_or_not], None))
    }
}

/// Returns the type in which the elements of a type are compared: one that holds them, and that runtimes compare.
const fn compared_in(dtype: Dtype) -> Dtype {
    match dtype {
        Dtype::F16 | Dtype::Bf16 | Dtype::F32 => Dtype::F32,
        Dtype::F64 => Dtype::F64,
        Dtype::I8 | Dtype::I16 | Dtype::I32 | Dtype::U8 | Dtype::U16 => Dtype::I32,
        Dtype::U32 | Dtype::I64 => Dtype::I64,
        Dtype::U64 => Dtype::U64,
    }
}

/// Returns the bits of a number in the type in which it is compared.
fn widened(dtype: Dtype, bits: u64) -> u64 {
    let compared = compared_in(dtype);
    match (dtype.kind(), compared.kind()) {
        (Kind::Integer(from), Kind::Integer(to)) => to.encode(from.decode(bits)),
        (Kind::Float(_), _) if compared != dtype => float(compared, to_f64(dtype, bits)),
        _ => bits,
    }
}

/// Returns the bits of a number that f32 or f64 holds.
fn float(dtype: Dtype, value: f64) -> u64 {
    if dtype == Dtype::F32 { (value as f32).to_bits().into() } else { value.to_bits() }
}

/// Returns a range of floats from its least number to its greatest: the bits of negative ones run the other way.
const fn in_order(format: FloatFormat, (low, high): (u64, u64)) -> (u64, u64) {
    if low & format.sign() == 0 { (low, high) } else { (high, low) }
}

/// Returns a range of an element, the first again where it has no more.
fn range_of(element: &DueElement, slot: usize) -> Option<(u64, u64)> {
    element.ranges.get(slot).or(element.ranges.first()).copied()
}
