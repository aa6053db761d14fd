//! Makes calls for one kernel: dims and axes with its factors, and data that show a dropped, doubled, stale or
//! foreign element.
//!
//! Type and position take turns ([`rows`](super::covering::rows)); bytes decide the rest. Dims are drawn one
//! factor after the other, each within the elements that are left. So long runs beside many columns occur, but
//! rarely.

use normative_reference::{Call, Dtype, Spec};

use super::form;
use super::source::Source;
use super::telling::telling;
use super::{rare, special};
use crate::generate::covering::special::Special;
use crate::generate::covering::{Columns, Kernel, MOST, Position, Rows, Size, rows};

/// One call in this many is a rare one.
const RARELY: usize = 8;

/// The most elements of most calls. The few larger ones are long or wide, for effects of size.
const USUAL: usize = 3000;

/// The factors that take turns; all others are drawn.
#[derive(Clone, Copy)]
struct Loops {
    dtype: Dtype,
    position: Position,
    residue: usize,
}

impl Loops {
    fn of(spec: Spec, place: usize) -> Self {
        Self {
            dtype: rows::dtype(spec, place),
            position: rows::position(spec, place),
            residue: rows::residue(spec, place),
        }
    }
}

/// Returns the element type of the call at this place among those of a spec that cover kernels.
pub(super) fn dtype(spec: Spec, place: usize) -> Dtype {
    if place % RARELY == RARELY - 1 {
        return rare::dtype_at(spec, place / RARELY);
    }
    rows::dtype(spec, place - place / RARELY)
}

/// Returns the call at this place among those of a spec that cover kernels.
pub(super) fn call(source: &mut Source<'_, '_>, spec: Spec, place: usize) -> Call {
    if place % RARELY == RARELY - 1 {
        return rare::call(source, spec, place / RARELY);
    }
    let place = place - place / RARELY;
    let loops = Loops::of(spec, place);
    let most = match source.byte() {
        0..=223 => USUAL,
        224..=250 => 20_000,
        _ => MOST,
    };
    let (shape, reduced) = dims(source, loops, most);
    let form = form::over(source, spec, loops.dtype, shape, reduced);
    let bits = telling(source.word(), &form);
    form.with_bits(&bits)
}

/// Returns the call at this place among those of a spec with special values.
pub(super) fn special_call(source: &mut Source<'_, '_>, spec: Spec, place: usize) -> Call {
    let loops = Loops::of(spec, place);
    let most = if source.byte() < 240 { USUAL } else { 12_000 };
    let (shape, reduced) = dims(source, loops, most);
    let form = form::over(source, spec, loops.dtype, shape, reduced);
    let specials = Special::possible(loops.dtype, spec.norm(), form.scene().terms);
    let special = source.pick(&specials, Special::Zeros);
    let bits = special::fill(source.word(), &form, special);
    form.with_bits(&bits)
}

/// Draws dims for a type and a position with at most `most` elements, and the axes to reduce.
fn dims(source: &mut Source<'_, '_>, loops: Loops, most: usize) -> (Vec<usize>, Vec<usize>) {
    use Position::{All, Inner, Middle, Outer, Several};
    let Loops { dtype, position, residue } = loops;
    let large = most > USUAL;
    let run = run(source, dtype, residue, large);
    // The length of the other place, if there are several.
    let (other, least_rows) = if position == Several { (2 + source.below(2), 2) } else { (1, 1) };
    let room = |elements: usize| most / elements.max(1);
    let has_columns = match position {
        Outer | Middle => true,
        Several => source.chance(144),
        All | Inner => false,
    };
    let inner = if has_columns { columns(source, room(run * other * least_rows), large) } else { 1 };
    let rows = match position {
        Inner | Middle | Several => rows_before(source, room(run * other * inner), large),
        All | Outer => 1,
    };
    let mut dims = match position {
        All => vec![(run, true)],
        Inner => vec![(rows, false), (run, true)],
        Outer => vec![(run, true), (inner, false)],
        Middle => vec![(rows, false), (run, true), (inner, false)],
        Several => vec![(other, true), (rows, false), (run, true), (inner, false)],
    };
    if position == Several && inner == 1 {
        dims.pop();
    }
    // Adjacent axes that are all reduced, or all kept, act as one in a kernel.
    for _ in 0..2 {
        if source.chance(56) && dims.len() < 6 {
            let at = source.below(dims.len());
            let (dim, reduced) = dims[at];
            if let Some(part) = [2, 3, 5, 7].into_iter().find(|part| dim.is_multiple_of(*part) && dim > *part)
            {
                dims[at].0 /= part;
                dims.insert(at, (part, reduced));
            }
        }
    }
    if source.chance(48) && dims.len() < 6 {
        dims.insert(source.below(dims.len() + 1), (1, source.chance(128)));
    }
    let reduced =
        dims.iter().enumerate().filter(|(_, (_, reduced))| *reduced).map(|(axis, _)| axis).collect();
    (dims.into_iter().map(|(dim, _)| dim).collect(), reduced)
}

/// Draws the length of a run: any size, and within it any remainder, prime or not.
fn run(source: &mut Source<'_, '_>, dtype: Dtype, residue: usize, large: bool) -> usize {
    use Size::{Hundreds, Long, One, Short, Thousands, Vector, Vectors};
    const SIZES: [Size; 16] = [
        One, Short, Short, Vector, Vector, Vector, Vectors, Vectors, Vectors, Vectors, Long, Long, Long,
        Hundreds, Hundreds, Thousands,
    ];
    let sizes = if large { &[Long, Hundreds, Thousands][..] } else { &SIZES[..] };
    let run = match source.pick(sizes, One) {
        One => 1,
        Short => 2 + source.below(6),
        Vector => 8 + source.below(8),
        Vectors => 16 + source.below(48),
        Long => 64 + within(source, 128, 192, 72),
        Hundreds => 256 + within(source, 96, 768, 120),
        Thousands => 1024 + within(source, 48, 3200, 120),
    };
    // Sizes of 8 and more begin and end at multiples of 8.
    let run = if run < 8 { run } else { run - run % 8 + residue };
    match dtype {
        // In half types, the error of longer rows may exceed an element. From a greater length on, `telling`
        // gives such rows a single element, which must count.
        Dtype::Bf16 if run > Kernel::longest(dtype) && run < 257 => 64 + run % 16,
        Dtype::Bf16 => run.min(257 + run % 120),
        Dtype::F16 if run > Kernel::longest(dtype) && run < 2049 => 256 + run % 320,
        Dtype::F16 => run.min(2049 + run % 120),
        _ => run,
    }
}

/// Draws a number below `wide` with this chance, and otherwise below `usual`.
fn within(source: &mut Source<'_, '_>, chance: u8, wide: usize, usual: usize) -> usize {
    let below = if source.chance(chance) { wide } else { usual };
    source.below(below)
}

/// Draws the number of columns side by side, at least 2, in some alignment.
fn columns(source: &mut Source<'_, '_>, room: usize, large: bool) -> usize {
    const NUMBERS: [Columns; 8] = {
        use Columns::{Few, Many, Some};
        [Few, Few, Few, Some, Some, Some, Many, Many]
    };
    let numbers = if large { &NUMBERS[4..] } else { &NUMBERS[..] };
    let vectors = match source.pick(numbers, Columns::Few) {
        Columns::One | Columns::Few => 0,
        Columns::Some => 1 + source.below(3),
        // One in eight is wider than any block of columns.
        Columns::Many => 4 + within(source, 112, 32, 5),
    };
    let over = [0, 1, 7, 2, 3, 4, 5, 6][source.below(8)];
    let columns = if vectors == 0 { 2 + source.below(6) } else { 8 * vectors + over };
    if columns <= room { columns } else { 2 + columns % (room.clamp(3, 64) - 1) }
}

/// Draws the number of rows, at least 2.
fn rows_before(source: &mut Source<'_, '_>, room: usize, large: bool) -> usize {
    const NUMBERS: [Rows; 8] = {
        use Rows::{Few, Many, Some};
        [Few, Few, Few, Few, Some, Some, Many, Many]
    };
    let numbers = if large { &NUMBERS[2..] } else { &NUMBERS[..] };
    let rows = match source.pick(numbers, Rows::Few) {
        Rows::One | Rows::Few => 2 + source.below(3),
        Rows::Some => 5 + source.below(11),
        Rows::Many => 16 + within(source, 112, 70, 20),
    };
    if rows <= room { rows } else { 2 + rows % (room.clamp(3, 64) - 1) }
}
