//! Lists the conditions and the holes of the templates: what a call is, and how each language writes it.
//!
//! Beside [`FACTS`], the name of a backend is a condition, and so are an element type (`bf16`), a layout
//! (`sliced`) and the family of the call's spec (`onnx/`).

use normative_conformance::{Observed, display};
use normative_onnx::{AXES, DATA};
use normative_openvino_ir::InputAs;
use normative_reference::{Axes, AxesTensor, Dtype, Norm, Operator, Opset, Setting, Tensor};

use crate::arguments::{Arguments, Axis, tuple};
use crate::literal::{self, IN_LINE, name};
use crate::target::{Input, Language, WEBNN_BASELINE};
use crate::{NoRepro, Subject, template};

/// A call in the words of templates.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    pub(crate) subject: &'a Subject<'a>,
    /// The axes that the model takes as an input.
    pub(crate) fed: Option<&'a Tensor>,
}

/// A condition, and the calls of which it holds.
type Fact = (&'static str, fn(&Words<'_>) -> bool);

const FACTS: &[Fact] = &[
    ("l1", |w| w.norm() == Norm::L1),
    ("l2", |w| w.norm() == Norm::L2),
    ("squares", |w| w.norm() == Norm::SumSquare),
    ("elements", |w| w.norm() == Norm::Sum),
    // The spelling: a sum of terms, with its root, or the library's norm function.
    ("sum", |w| w.is_sum()),
    ("norm", |w| !w.is_sum()),
    ("integer", |w| w.data().dtype().is_integer()),
    ("empty", |w| w.data().is_empty()),
    ("in-file", |w| w.data().len() > IN_LINE),
    ("rank-1", |w| w.data().rank() == 1),
    ("rank-2", |w| w.data().rank() == 2),
    ("beyond-numbers", |w| literal::is_beyond_numbers(w.data())),
    ("axes-given", |w| matches!(w.subject.call.axes, Axes::Given(_))),
    ("axes-in-a-list", |w| match &w.subject.call.axes {
        Axes::Absent => true,
        Axes::Given(axes) => axes.shape.len() == 1,
        Axes::Null | Axes::OtherForm(_) => false,
    }),
    ("axes-fed", |w| w.fed.is_some()),
    ("axes-in-floats", |w| w.given().is_some_and(is_of_floats)),
    ("axes-in-i32", |w| {
        let fit = |axes: &AxesTensor| axes.values.iter().all(|&axis| i32::try_from(axis).is_ok());
        w.given().is_none_or(|axes| is_of_floats(axes) || fit(axes))
    }),
    ("keeps-or-drops", |w| w.arguments().is_ok_and(|arguments| (0..=1).contains(&arguments.keepdims))),
    ("to-rank-0", |w| {
        w.arguments().is_ok_and(|arguments| arguments.keepdims == 0 && w.spans(arguments.axis))
    }),
    ("has-body", |w| matches!(w.subject.call.operator, Operator::Onnx { opset: Opset::V18, .. })),
    // The call is made in processes of its own: in one, because it killed its process, or in up to 20.
    ("child", |w| w.subject.varies() || matches!(w.subject.came, Observed::Died(_))),
    ("until-wrong", |w| w.subject.varies()),
];

fn is_of_floats(axes: &AxesTensor) -> bool {
    !axes.dtype.is_integer() && !axes.values.is_empty()
}

impl<'a> Words<'a> {
    /// Fills in a template.
    pub(crate) fn filled(&self, template: &str) -> Result<String, NoRepro> {
        template::filled(template, |word| self.holds(word), |name| self.hole(name))
    }

    /// Returns true if a condition holds.
    pub(crate) fn holds(&self, word: &str) -> bool {
        let Subject { target, call, .. } = self.subject;
        word == target.name
            || word == self.data().dtype().to_string()
            || word == call.layout.to_string()
            || word.strip_suffix('/') == Some(call.spec().family().name())
            || FACTS.iter().any(|(fact, holds)| *fact == word && holds(self))
    }

    /// Returns the text of a hole; `None` if no hole has this name.
    pub(crate) fn hole(&self, hole: &str) -> Result<Option<String>, NoRepro> {
        let Subject { target, identity, call, .. } = self.subject;
        let (data, language) = (self.data(), target.row.language);
        let rank = data.rank();
        Ok(Some(match hole {
            "VERSION" => identity.version.clone(),
            // The rest names a build: its number, or the kernels in use.
            "RELEASE" => identity.version.split(['+', '-', ' ']).next().unwrap_or_default().to_owned(),
            "WEBNN_BASELINE" => WEBNN_BASELINE.to_owned(),
            "WITH_BODY" => include_str!("templates/with_body.py").trim_end().to_owned() + "\n\n",
            "SPEC" => call.spec().name().to_owned(),
            "CALL" => language.quoted(&display::call(call)),
            "LAYOUT" => self.filled(include_str!("templates/layout.py"))?.trim_end().to_owned(),

            "FEEDS" if matches!(target.row.input, Input::Ir(InputAs::Constant, _)) => "{}".to_owned(),
            "FEEDS" if self.fed.is_some() => {
                format!("{{\"{DATA}\": DATA, \"{AXES}\": np.load(HERE / \"axes.npy\")}}")
            }
            "FEEDS" => format!("{{\"{DATA}\": DATA}}"),
            "AXES_SHAPE" => format!("{:?}", self.fed.map_or(&[][..], Tensor::shape)),
            "AXES_VALUES" => self.fed.map_or_else(String::new, literal::vector_of_i32),
            "AXES_TYPE" => self.given().map_or_else(String::new, |axes| axes.dtype.to_string()),
            "AXIS" => match language {
                Language::Python => self.arguments()?.axis.in_python(),
                Language::JavaScript => self.in_numbers(self.arguments()?.axis)?,
                Language::Rust => format!("{:?}", self.integers()?),
            },
            "ARGUMENTS" => self.named_arguments()?,
            "AXIS_OR_EMPTY" | "EVERY_AXIS" => match self.arguments()?.axis {
                Axis::All if hole == "EVERY_AXIS" => tuple(&(0..rank).collect::<Vec<_>>()),
                Axis::All => "[]".to_owned(),
                axis @ (Axis::Empty | Axis::Given(_)) => axis.in_python(),
            },
            "DIMS" => {
                let dim = |axis: &i128| match axis {
                    0.. => format!("{axis}_usize.to_index(shape, \"sum\")?"),
                    _ => format!("D::Minus({}).to_index(shape, \"sum\")?", axis.unsigned_abs()),
                };
                self.integers()?.iter().map(dim).collect::<Vec<_>>().join(", ")
            }
            "KEEPDIMS" => match (self.arguments()?.keepdims, language) {
                (0, Language::Python) => "False".to_owned(),
                (1, Language::Python) => "True".to_owned(),
                (keep @ 0..=1, _) => (keep == 1).to_string(),
                (other, _) => other.to_string(),
            },
            "KEEP" => self.arguments()?.keepdims.to_string(),
            "SUM" if self.arguments()?.keepdims == 0 => "sum".to_owned(),
            "SUM" => "sum_keepdim".to_owned(),
            "ONES" if self.arguments()?.keepdims == 0 => "vec![]".to_owned(),
            "ONES" => format!("vec![1; {rank}]"),
            "ORD" => self.norm().order().to_string(),
            "OUT" => tuple(&self.arguments()?.result_shape(data.shape())),

            "ROUTINE" | "N" | "INCX" => self.of_blas(hole)?,
            "BNNS_AXIS" => self.of_bnns()?.0.in_python(),
            // An output of one element stands for rank 0.
            "BNNS_OUT" => match self.of_bnns()? {
                (axis, [1]) if self.spans(axis) => tuple::<usize>(&[]),
                (_, output) => tuple(output),
            },
            // BNNS counts axes from the fastest, as NumPy does on `DATA.T`.
            "BNNS_SHAPE" => tuple(&self.of_bnns()?.1.iter().rev().collect::<Vec<_>>()),
            "KEEP_DIMS" => match call.operator {
                Operator::OpenVino { keep_dims: Some(true), .. } => ", keep_dims=True".to_owned(),
                Operator::OpenVino { keep_dims: Some(false), .. } => ", keep_dims=False".to_owned(),
                _ => String::new(),
            },
            "NCNN" => {
                let Arguments { axis, keepdims, .. } = self.arguments()?;
                let axes = axis.listed().map(|axes| format!(" -23303={},{}", axes.len(), joined(axes, ",")));
                format!("1={} 4={keepdims} 5=1{}", u8::from(axes.is_none()), axes.unwrap_or_default())
            }
            "WEBNN_OPTIONS" => self.webnn_options()?,
            "RESULT" | "RESULT_DIMS" => {
                let shape = self.arguments()?.result_shape(data.shape());
                let squeezed = format!("norm.squeeze_dims::<{}>(&axes)", shape.len());
                // burn has no tensor of rank 0, so the result is read as a scalar.
                let (result, dims) = match shape.len() {
                    0 if rank > 0 => ("norm", "vec![]"),
                    left if left < rank => (squeezed.as_str(), "result.shape().as_slice().to_vec()"),
                    _ => ("norm", "result.shape().as_slice().to_vec()"),
                };
                if hole == "RESULT" { result } else { dims }.to_owned()
            }
            _ => return Ok(self.of_data(hole)),
        }))
    }

    /// Writes the axes and the attributes that the call names, as a dictionary of Python.
    fn named_arguments(&self) -> Result<String, NoRepro> {
        let call = self.subject.call;
        let axes = match &call.axes {
            Axes::Absent => None,
            Axes::Null => Some("None".to_owned()),
            Axes::OtherForm(_) => return Err(self.no("its axes are in the form of another opset")),
            Axes::Given(AxesTensor { dtype: Dtype::Bf16, .. }) => {
                return Err(self.no("NumPy has no axes of bfloat16"));
            }
            Axes::Given(AxesTensor { dtype, shape, values }) => {
                let list = format!("np.array([{}], np.{})", joined(values, ", "), name(*dtype));
                let is_list = shape.as_slice() == [values.len()];
                Some(if is_list { list } else { format!("{list}.reshape({})", tuple(shape)) })
            }
        };
        let value = |set: Setting| match set {
            Setting::Boolean(true) => "True".to_owned(),
            Setting::Boolean(false) => "False".to_owned(),
            Setting::Integer(value) => value.to_string(),
            Setting::Dims(dims) => tuple(&dims),
        };
        let attributes = call.operator.attributes().into_iter();
        let attributes = attributes.filter_map(|(name, set)| Some((name, value(set?))));
        let all = axes.map(|axes| ("axes", axes)).into_iter().chain(attributes);
        let all: Vec<String> = all.map(|(name, value)| format!("\"{name}\": {value}")).collect();
        Ok(format!("{{{}}}", all.join(", ")))
    }

    /// Returns the text of a hole about the data and their layout.
    fn of_data(&self, hole: &str) -> Option<String> {
        let (data, language) = (self.data(), self.subject.target.row.language);
        let (dtype, rank) = (data.dtype(), data.rank());
        let word = 8 * dtype.size();
        Some(match hole {
            "TYPE" => dtype.to_string(),
            "UPPER_TYPE" => dtype.to_string().to_uppercase(),
            "DTYPE" => name(dtype).to_owned(),
            "UPPER_DTYPE" => name(dtype).to_uppercase(),
            "SHAPE" if language == Language::Python => tuple(data.shape()),
            "SHAPE" => format!("{:?}", data.shape()),
            "RANK" => rank.to_string(),
            "COUNT" => data.len().to_string(),
            "SIZE" => dtype.size().to_string(),
            "BITS" => word.to_string(),
            "WORDS" => literal::words(data),
            "SHOWN" => display::data(data),
            "ARRAY" => literal::array(data).0,
            "COMMENT" => literal::array(data).1,
            "ML_DTYPE" if dtype == Dtype::Bf16 => ".view(ml_dtypes.bfloat16)".to_owned(),
            "ML_DTYPE" => String::new(),
            "TYPED_ARRAY" => literal::typed_array(dtype).to_owned(),
            "TYPED_ARRAY_OF_DATA" => literal::in_typed_array(data),
            "ELEMENT" => self.element(),
            "FROM_BITS" if dtype.is_integer() => format!("|bits: u{word}| bits as {dtype}"),
            "FROM_BITS" => format!("{}::from_bits", self.element()),
            "CHUNKS" => tuple(&data.shape().iter().map(|dim| dim.div_ceil(2)).collect::<Vec<_>>()),
            "LARGER" => {
                let dims = data.shape().iter().enumerate();
                let dims = dims.map(|(axis, &dim)| if is_cut(rank, axis) { 2 * dim + 1 } else { dim });
                tuple(&dims.collect::<Vec<_>>())
            }
            "CUT" => index(rank, "1::2", |axis| is_cut(rank, axis)),
            "ONCE" => index(rank, ":1", |axis| repeats(data, axis)),
            _ => return None,
        })
    }

    /// Returns the error of a call that its runtime cannot express.
    pub(crate) fn no(&self, why: impl Into<String>) -> NoRepro {
        NoRepro::Call { spec: self.subject.call.spec().name(), why: why.into() }
    }

    fn data(&self) -> &'a Tensor {
        &self.subject.call.data
    }

    fn norm(&self) -> Norm {
        self.subject.call.spec().norm()
    }

    fn arguments(&self) -> Result<Arguments<'a>, NoRepro> {
        Arguments::of(self.subject.call)
    }

    /// Returns true if the norm is written as a sum, false if a function of the library has its name. In Python,
    /// the array API defines one function of this name, so its calls always use that.
    fn is_sum(&self) -> bool {
        let Subject { target, call, .. } = self.subject;
        let by_name =
            matches!(call.operator, Operator::ArrayApi { .. }) && target.row.language == Language::Python;
        !by_name && (!target.name.ends_with("-norm") || matches!(self.norm(), Norm::SumSquare | Norm::Sum))
    }

    /// Returns the axes, if the call lists them.
    fn given(&self) -> Option<&'a AxesTensor> {
        match &self.subject.call.axes {
            Axes::Given(axes) => Some(axes),
            Axes::Absent | Axes::Null | Axes::OtherForm(_) => None,
        }
    }

    /// Returns true if the axes are all that the data have.
    fn spans(&self, axis: Axis<'_>) -> bool {
        let rank = self.data().rank();
        let reduced = axis.counted(rank);
        (0..rank as i128).all(|axis| reduced.contains(&axis))
    }

    /// Returns the axes for libraries that take a list of integers.
    fn integers(&self) -> Result<Vec<i128>, NoRepro> {
        let axis = self.arguments()?.axis;
        if self.given().is_some_and(|axes| !axes.dtype.is_integer() || axes.shape.len() > 1) {
            return Err(self.no("axes that are no list of integers"));
        }
        Ok(axis.listed().map_or_else(|| (0..self.data().rank() as i128).collect(), <[i128]>::to_vec))
    }

    /// Formats axes as JavaScript numbers, which have no integer type and at most 53 bits.
    fn in_numbers(&self, axis: Axis<'_>) -> Result<String, NoRepro> {
        const MOST: u128 = (1 << 53) - 1;
        if let Axis::Given(axes) = axis
            && (!axes.dtype.is_integer() || axes.values.iter().any(|axis| axis.unsigned_abs() > MOST))
        {
            return Err(self.no("no number of JavaScript is this axis alone"));
        }
        Ok(axis.in_javascript())
    }

    fn webnn_options(&self) -> Result<String, NoRepro> {
        let mut options = Vec::new();
        if let Some(axes) = self.given() {
            options.push(format!("axes: {}", self.in_numbers(Axis::of(axes))?));
        }
        if let Operator::WebNn { keep_dimensions: Some(keep), .. } = self.subject.call.operator {
            options.push(format!("keepDimensions: {keep}"));
        }
        Ok(if options.is_empty() { "{}".into() } else { format!("{{ {} }}", options.join(", ")) })
    }

    /// Returns a part of a call of BLAS: the routine's name, with its letter for the precision, or an integer.
    fn of_blas(&self, part: &str) -> Result<String, NoRepro> {
        let Operator::Blas { norm, n, incx } = self.subject.call.operator else {
            return Err(self.no("a BLAS has vectors alone"));
        };
        let letter = match self.data().dtype() {
            Dtype::F32 => 's',
            Dtype::F64 => 'd',
            other => return Err(self.no(format!("BLAS has no routine for {other}"))),
        };
        Ok(match part {
            "N" => n.to_string(),
            "INCX" => incx.to_string(),
            _ => format!("{letter}{}", if norm == Norm::L1 { "asum" } else { "nrm2" }),
        })
    }

    /// Returns the axes of a BNNS call, which has one form of them, and the shape of its output.
    fn of_bnns(&self) -> Result<(Axis<'a>, &'a [usize]), NoRepro> {
        let Operator::Bnns { output_shape } = &self.subject.call.operator else {
            return Err(self.no("the output is not the caller's"));
        };
        Ok((self.given().map_or(Axis::All, Axis::of), output_shape))
    }

    /// Returns the element type in Rust; each crate has its own 16-bit floats, or a name for them.
    fn element(&self) -> String {
        let dtype = self.data().dtype();
        let half = match self.subject.target.name {
            "tract" => "tract_onnx::prelude",
            "burn" => "burn::tensor",
            _ => "half",
        };
        if matches!(dtype, Dtype::F16 | Dtype::Bf16) { format!("{half}::{dtype}") } else { dtype.to_string() }
    }
}

fn joined<T: ToString>(values: &[T], between: &str) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(between)
}

/// Returns true for the axes along which a sliced layout has gaps: the first and the last.
const fn is_cut(rank: usize, axis: usize) -> bool {
    axis == 0 || axis + 1 == rank
}

/// Writes an index of `NumPy` that takes `some` of the axes at which it is said, and all of the others.
fn index(rank: usize, some: &str, is_at: impl Fn(usize) -> bool) -> String {
    let axes: Vec<&str> = (0..rank).map(|axis| if is_at(axis) { some } else { ":" }).collect();
    axes.join(", ")
}

/// Returns true if all elements along an axis are the same.
fn repeats(data: &Tensor, axis: usize) -> bool {
    let (shape, bits) = (data.shape(), data.bits());
    let (dim, step) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    (0..bits.len()).all(|at| bits[at] == bits[at - at / step % dim * step])
}

#[cfg(test)]
mod tests {
    use normative_conformance::Identity;
    use normative_conformance::corpus::Ledger;
    use normative_conformance::report::record::Machine;
    use normative_reference::{Call, Family, Layout, Opset};

    use super::*;
    use crate::Due;
    use crate::target::{ROWS, Target};

    const SHARED: [&str; 4] = [
        include_str!("templates/layout.py"),
        include_str!("templates/script.py"),
        include_str!("templates/script.mjs"),
        include_str!("templates/script.rs.txt"),
    ];

    fn asked() -> (Vec<&'static str>, Vec<&'static str>) {
        let of = |template| template::asked(template);
        let all = ROWS.iter().flat_map(|row| [row.code, row.form]).chain(SHARED).map(of);
        let (facts, holes): (Vec<_>, Vec<_>) = all.unzip();
        (facts.concat(), holes.concat())
    }

    /// A misspelled condition would drop its line from every script.
    #[test]
    fn every_condition_of_a_template_is_known_and_every_fact_is_a_condition() {
        let (asked, _) = asked();
        let is_family = |word: &str| word.strip_suffix('/').and_then(Family::from_name).is_some();
        let is_dtype = |word: &str| Dtype::ALL.iter().any(|dtype| dtype.to_string() == word);
        let is_layout = |word: &str| Layout::UNUSUAL.iter().any(|layout| layout.to_string() == word);
        for &word in &asked {
            let is_known = FACTS.iter().any(|(fact, _)| *fact == word) || Target::of(word).is_some();
            assert!(is_known || is_family(word) || is_dtype(word) || is_layout(word), "{word}");
        }
        for (fact, _) in FACTS {
            assert!(asked.contains(fact), "{fact}");
        }
    }

    /// A misspelled hole would stand in every script as it is.
    #[test]
    fn every_hole_of_a_template_has_a_text() {
        let of_scripts = ["TITLE", "NEEDS", "STANDARD", "IMPORTS", "CODE", "OPEN", "DUE", "CHECK"];
        let of_issues = ["ABOUT", "STEPS", "NAME", "OPERATOR", "CAME", "OS", "ARCHITECTURE", "OPENVINO_OS"];
        let of_machines = ["SYSTEM", "MACHINE", "PROCESSOR", "PYTHON"];
        let operator =
            Operator::Onnx { norm: Norm::L1, opset: Opset::V18, keepdims: None, noop_with_empty_axes: None };
        let data = Tensor::from_bits(Dtype::F32, &[1], &[0]).unwrap();
        let identity =
            Identity { name: String::new(), version: String::new(), report_bugs_to: String::new() };
        let subject = Subject {
            target: Target::of("numpy").unwrap(),
            identity: &identity,
            name: "",
            call: &Call::new(operator, data, Axes::Absent),
            due: &Due { answers: Vec::new(), questions: Vec::new(), whole: false },
            came: &Observed::Rejected(String::new()),
            again: &[],
            defect: None,
            wrong: None,
            clauses: &[],
            ledger: &Ledger::default(),
            releases: &[],
            machine: &Machine::default(),
        };
        let words = Words { subject: &subject, fed: None };
        let elsewhere = [&of_scripts[..], &of_issues, &of_machines].concat();
        for hole in asked().1.into_iter().filter(|hole| !elsewhere.contains(hole)) {
            assert_ne!(words.hole(hole), Ok(None), "{hole}");
        }
    }
}
