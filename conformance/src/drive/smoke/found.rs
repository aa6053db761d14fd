//! The list of probes, and their results.

use std::fmt;

use normative_backend::Capabilities;
use normative_reference::{Dtype, Family, Spec};

use super::form::Form;
use crate::display;

/// The probes, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// The program starts and says hello.
    Hello,
    /// The worker names its runtime.
    Identity,
    /// Its declared capabilities make sense.
    Capabilities,
    /// An operator with its attributes left out and given.
    Operator(Spec),
    /// Elements of a type come through.
    Elements(Dtype),
    /// Dims and axes come through in order.
    Dims,
    /// A tensor of rank 0.
    RankZero,
    /// Tensors without elements.
    NoElements,
    /// A call of some MiB, and an answer of half a MiB.
    Large,
    /// A call that has to be refused, with a few axes and with many.
    Refusal,
    /// A call, another, and the first again.
    Repeat,
    /// Elements of a vector that lie apart.
    Spacing,
    /// A form beyond the data and the axes to reduce.
    Form(Form),
    /// The program ends when the judge hangs up.
    End,
    /// The operators and element types that the backend lists are all that it has.
    Declared,
}

/// The result of a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The answer is right.
    Right,
    /// The backend does not support this; its own words.
    Unsupported(String),
    /// A mistake of the adapter or of the runtime: the call cannot tell which.
    Doubtful(String),
    /// A mistake of the adapter.
    Wrong(String),
    /// Nothing is wrong, but the adapter's author may want to know this.
    Note(String),
}

/// One line of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The probe.
    pub probe: Probe,
    /// The result.
    pub found: Found,
}

impl Probe {
    /// Returns the probes of a backend with these capabilities, in this process or another: all but those of
    /// operators and types that it declares it has not.
    pub(super) fn of_a_backend(capabilities: &Capabilities) -> impl Iterator<Item = Self> {
        let declared = &capabilities.declared;
        let has = |family: &Family| family.specs().any(|spec| declared.has_spec(spec));
        Self::all().filter(move |probe| match probe {
            Self::Operator(spec) => declared.has_spec(*spec),
            Self::Elements(dtype) => declared.has_dtype(*dtype),
            // Their data are f32.
            Self::Form(_) if !declared.has_dtype(Dtype::F32) => false,
            probe => probe.families().iter().any(has),
        })
    }

    /// Returns the families whose calls the probe makes.
    fn families(self) -> Vec<Family> {
        match self {
            Self::Operator(spec) => vec![spec.family()],
            Self::Spacing => vec![Family::Blas],
            Self::Form(form) => form.families(),
            _ => Family::ALL.to_vec(),
        }
    }

    /// Returns true if the backend claims none of the families whose calls the probe makes.
    pub(super) fn is_unclaimed(self, capabilities: &Capabilities) -> bool {
        !self.families().into_iter().any(|family| capabilities.claims(family))
    }

    /// Returns every probe of a backend.
    fn all() -> impl Iterator<Item = Self> {
        [Self::Identity, Self::Capabilities]
            .into_iter()
            .chain(Spec::ALL.into_iter().map(Self::Operator))
            .chain(Dtype::ALL.into_iter().map(Self::Elements))
            .chain([Self::Dims, Self::RankZero, Self::NoElements, Self::Large, Self::Refusal, Self::Repeat])
            .chain([Self::Spacing])
            .chain(Form::ALL.map(Self::Form))
    }
}

impl fmt::Display for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hello => f.pad("hello"),
            Self::Identity => f.pad("identity"),
            Self::Capabilities => f.pad("capabilities"),
            Self::Operator(spec) => f.pad(spec.name()),
            Self::Elements(dtype) => f.pad(&format!("{dtype} elements")),
            Self::Dims => f.pad("order of dims"),
            Self::RankZero => f.pad("rank 0"),
            Self::NoElements => f.pad("no elements"),
            Self::Large => f.pad("a large call"),
            Self::Refusal => f.pad("a refusal"),
            Self::Repeat => f.pad("a call repeated"),
            Self::Spacing => f.pad("spaced elements"),
            Self::Form(form) => f.pad(form.name()),
            Self::End => f.pad("the end"),
            Self::Declared => f.pad("what is declared"),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { probe, found } = self;
        match found {
            Found::Right => write!(f, "{probe:<20}  ok"),
            Found::Unsupported(why) => write!(f, "{probe:<20}  unsupported: {}", display::said(why)),
            Found::Doubtful(what) => write!(f, "{probe:<20}  doubtful: {}", display::said(what)),
            Found::Wrong(what) => write!(f, "{probe:<20}  wrong: {}", display::said(what)),
            Found::Note(what) => write!(f, "{probe:<20}  note: {}", display::said(what)),
        }
    }
}

/// Returns true if no line names a certain mistake of the adapter.
pub fn passes(lines: &[Line]) -> bool {
    !lines.iter().any(|line| matches!(line.found, Found::Wrong(_)))
}

/// Returns true if no line is wrong or doubtful.
pub fn is_clear(lines: &[Line]) -> bool {
    passes(lines) && doubtful(lines) == 0
}

/// Returns the number of doubtful lines.
pub fn doubtful(lines: &[Line]) -> usize {
    lines.iter().filter(|line| matches!(line.found, Found::Doubtful(_))).count()
}

/// Returns true if any call was answered: a backend that supports none has nothing to check.
pub fn checked_anything(lines: &[Line]) -> bool {
    use Probe::{Capabilities, Declared, End, Hello, Identity};
    let asks = |probe| !matches!(probe, Hello | Identity | Capabilities | End | Declared);
    lines.iter().any(|line| asks(line.probe) && !matches!(line.found, Found::Unsupported(_)))
}

impl Found {
    /// Returns the worse of two results: wrong, then doubtful, then right, then unsupported.
    pub(super) fn worse(one: Self, other: Self) -> Self {
        match (one, other) {
            (wrong @ Self::Wrong(_), _) | (_, wrong @ Self::Wrong(_)) => wrong,
            (doubtful @ Self::Doubtful(_), _) | (_, doubtful @ Self::Doubtful(_)) => doubtful,
            (Self::Right, _) | (_, Self::Right) => Self::Right,
            (note @ Self::Note(_), _) | (_, note @ Self::Note(_)) => note,
            (Self::Unsupported(one), Self::Unsupported(other)) => {
                Self::Unsupported(if one.is_empty() { other } else { one })
            }
        }
    }
}
