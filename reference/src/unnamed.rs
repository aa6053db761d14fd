//! Calls that name no axis: an empty list, and absent axes beside `noop_with_empty_axes`.
//!
//! [`crate::ruling`] uses this module for such calls. Names in quotes are clauses of the spec.

use crate::call::{Call, Operator};
use crate::question::{Question, Reading};
use crate::reader::{Reader, Ways};
use crate::spec::{AxesForm, Term};

/// Asks for the meaning of an empty list of axes.
pub(crate) fn empty_axes(
    call: &Call,
    form: AxesForm,
    noop: bool,
    reader: &mut Reader,
) -> Result<Empty, &'static str> {
    Ok(match form {
        AxesForm::RequiredInput => of_each(call, &IDENTITY, reader),
        AxesForm::Attribute => reader.read(&ATTRIBUTE),
        AxesForm::Argument => return room_for_nothing_named(call, reader),
        AxesForm::OptionalInput if noop => of_each(call, &NOOP_EMPTY, reader),
        AxesForm::OptionalInput => Empty::All,
        // Array API: each integer of the tuple removes one axis, so () removes none. WebNN: the text says that [] reduces
        // nothing.
        AxesForm::IntegerOrTuple | AxesForm::ListOfUnsigned | AxesForm::NoAxes => Empty::Nothing,
    })
}

/// Asks what the output is. Where elements themselves are added, no text leaves it open: the sum of one is the element.
pub(crate) fn of_each(call: &Call, ways: &Ways<Empty>, reader: &mut Reader) -> Empty {
    match call.spec().norm().term() {
        Term::Element => Empty::Nothing,
        Term::Magnitude | Term::Square => reader.read(ways),
    }
}

/// Reads an empty list by the output that the caller of BNNS allocated: one value, or one per element. For
/// data of one element both fit, so either reading accepts the call. Any other output fits neither.
fn room_for_nothing_named(call: &Call, reader: &mut Reader) -> Result<Empty, &'static str> {
    let Operator::Bnns { output_shape } = &call.operator else { return Err("output-shape") };
    let of_each = if call.data.rank() == 0 { &[1] } else { call.data.shape() };
    let (for_one, for_each) = (*output_shape == [1], output_shape.iter().eq(of_each.iter().rev()));
    if !for_one && !for_each {
        return Err("output-shape");
    }
    let all = if for_one { reader.read(&ROOM_FOR_ONE) } else { Empty::Refused };
    match all {
        Empty::Refused if for_each => Ok(reader.read(&ROOM_FOR_ALL)),
        all => Ok(all),
    }
}

/// The meaning of axes that name none.
#[derive(Clone, Copy)]
pub(crate) enum Empty {
    /// No computation at all: the output is the data.
    Unchanged,
    /// The norm of each element by itself.
    Nothing,
    All,
    Refused,
}

const IDENTITY: Ways<Empty> = Ways::of(
    Question::EmptyAxesIdentity,
    &[(Reading::Unchanged, Empty::Unchanged), (Reading::NormOfEachElement, Empty::Nothing)],
);
const ATTRIBUTE: Ways<Empty> = Ways::of(
    Question::EmptyAxesAttribute,
    &[
        (Reading::ReduceAll, Empty::All),
        (Reading::ReduceNone, Empty::Nothing),
        (Reading::Reject, Empty::Refused),
    ],
);
const ROOM_FOR_ONE: Ways<Empty> =
    Ways::of(Question::EmptyAxesBnns, &[(Reading::ReduceAll, Empty::All), (Reading::Reject, Empty::Refused)]);
const ROOM_FOR_ALL: Ways<Empty> = Ways::of(
    Question::EmptyAxesBnnsCopy,
    &[(Reading::ReduceNone, Empty::Nothing), (Reading::Reject, Empty::Refused)],
);
pub(crate) const NOOP_ABSENT: Ways<Empty> = noop_ways(Question::NoopAbsentAxes);
pub(crate) const NOOP_NULL: Ways<Empty> = noop_ways(Question::NoopNullAxes);
const NOOP_EMPTY: Ways<Empty> = noop_ways(Question::NoopEmptyAxes);

/// Returns the readings of a question about `noop_with_empty_axes`; one for each way to name no axes.
const fn noop_ways(question: Question) -> Ways<Empty> {
    let each = &[
        (Reading::Unchanged, Empty::Unchanged),
        (Reading::NormOfEachElement, Empty::Nothing),
        (Reading::ReduceAll, Empty::All),
    ];
    Ways::of(question, each)
}
