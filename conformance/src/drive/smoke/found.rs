//! What is probed, and what comes of each probe.

use std::fmt;

use normative_reference::{Dtype, Spec};

use super::form::Form;
use crate::display;

/// What is probed, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// The program starts and says hello.
    Hello,
    /// It says whose it is.
    Identity,
    /// What it declares makes sense.
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
    /// What a call says besides its data and the axes to reduce.
    Form(Form),
    /// The program ends when the judge hangs up.
    End,
}

/// What came of a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// As it should be.
    Right,
    /// The backend says it cannot do this; its own words.
    Unsupported(String),
    /// What is wrong, in the adapter or in the runtime: the call cannot tell which.
    Doubtful(String),
    /// What is wrong.
    Wrong(String),
}

/// One line of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What was probed.
    pub probe: Probe,
    /// What came of it.
    pub found: Found,
}

impl Probe {
    /// The probes of any backend, wherever it runs.
    pub(super) fn of_a_backend() -> impl Iterator<Item = Self> {
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
        }
    }
}

/// Whether nothing is wrong with the adapter, as far as is certain.
pub fn passes(lines: &[Line]) -> bool {
    !lines.iter().any(|line| matches!(line.found, Found::Wrong(_)))
}

/// Whether nothing is wrong or doubtful: no mistake was named that is the adapter's, or may be.
pub fn is_clear(lines: &[Line]) -> bool {
    passes(lines) && doubtful(lines) == 0
}

/// How many lines name a mistake that the adapter or the runtime made.
pub fn doubtful(lines: &[Line]) -> usize {
    lines.iter().filter(|line| matches!(line.found, Found::Doubtful(_))).count()
}

/// Whether any call was answered: a backend that says it supports none has nothing that could be checked.
pub fn checked_anything(lines: &[Line]) -> bool {
    let asks = |probe| !matches!(probe, Probe::Hello | Probe::Identity | Probe::Capabilities | Probe::End);
    lines.iter().any(|line| asks(line.probe) && !matches!(line.found, Found::Unsupported(_)))
}

impl Found {
    /// What two results make together: something wrong outweighs what is right, and that what could not be asked.
    pub(super) fn worse(one: Self, other: Self) -> Self {
        match (one, other) {
            (wrong @ Self::Wrong(_), _) | (_, wrong @ Self::Wrong(_)) => wrong,
            (doubtful @ Self::Doubtful(_), _) | (_, doubtful @ Self::Doubtful(_)) => doubtful,
            (Self::Right, _) | (_, Self::Right) => Self::Right,
            (Self::Unsupported(one), Self::Unsupported(other)) => {
                Self::Unsupported(if one.is_empty() { other } else { one })
            }
        }
    }
}
