//! States what each reading of a question means, in a sentence: a table for readers of a report.
//!
//! This table decides nothing: [`crate::ruling`] and [`crate::arithmetic`] apply the readings.

use crate::question::{Choice, Question, Reading};

impl Choice {
    /// Returns a sentence about the call, or its norm, under this reading.
    pub const fn meaning(self) -> &'static str {
        use Question as Q;
        use Reading as R;
        match (self.question, self.reading) {
            (_, R::Reject) => "The call is refused.",
            (_, R::Unchanged) => "The output is the data as they are.",
            (_, R::NormOfEachElement) => {
                "The output has the norm of each element: its magnitude, or its square if squares are summed."
            }
            (_, R::ReduceAll) => "Every axis is reduced.",
            (_, R::ReduceNone) => "No axis is reduced: the output has the norm of each element.",
            (_, R::Collapse) => "The axis is reduced once.",
            (_, R::FromTheEnd) => "A negative axis counts from the end.",
            (_, R::AsLaterOpsets) => "A negative axis counts from the end, as it does from opset 11 on.",
            (Q::EmptySetOpset11, R::AsOtherOpsets) => {
                "The norm over no elements is 0, as at opsets 1, 13 and 18."
            }
            (_, R::AsOtherOpsets) => "A scalar is valid, as it is at opsets 1, 13 and 18.",
            (_, R::Accept) => "The call is valid.",
            (Q::UnknownAttribute, R::Ignore) => "The attribute changes nothing.",
            (Q::UnknownInput, R::Ignore) => "The input changes nothing.",
            (_, R::Ignore) => "The axis names nothing to reduce.",
            (_, R::NonzeroIsTrue) => "Every integer but 0 is true.",
            (_, R::Only1IsTrue) => "Only 1 is true.",
            (Q::EmptySet, R::Zero) => "The norm over no elements is 0.",
            (Q::IntegerL2Negative, R::Zero) => {
                "The sum of squares has a sign, and the root of a negative one is 0."
            }
            (_, R::Zero) => "The result is 0.",
            (_, R::OfElements) => "The result is the norm of the n elements.",
            (Q::KeepdimsWithoutAxis, R::Kept) => "Every axis is kept, with dim 1.",
            (_, R::ZeroDimensional) => "The result has no axes.",
            (_, R::Wrap) => "The result is taken modulo 2^width.",
            (_, R::Saturate) => "The result is the nearest value of the type.",
            (Q::IntegerOverflow, R::Indefinite) => {
                "The result is what x86 converts a float beyond the type to: the least i32 or i64, or 2^63 of u64."
            }
            (_, R::Indefinite) => {
                "The root is what x86 converts a NaN to: the least of a signed type, 2^63 of u64, and 0 otherwise."
            }
            (_, R::Unsigned) => "The sum of squares has no sign, and its root is taken.",
            (_, R::Truncate) => "The fraction of the root is dropped.",
            (Q::IntegerL2Rounding, R::Nearest) => "The root is rounded to the nearest integer.",
            (Q::IntegerL2Intermediate, R::Exact) => "The sum of squares is held in a wider type.",
            (Q::IntegerL2Wider, R::Exact) => "The sum of squares is held in a type that is wide enough.",
            (Q::IntegerL2Wider, R::Wraps) => {
                "The sum of squares is held in twice the width of the data's type, modulo 2^width."
            }
            (_, R::Wraps) => "The sum of squares is held in the data's type, modulo 2^width.",
            (Q::IntegerL2Wider, R::Saturates) => {
                "The sum of squares is held in twice the width of the data's type, and is at most the greatest value."
            }
            (_, R::Saturates) => {
                "The sum of squares is held in the data's type, and is at most its greatest value."
            }
            (Q::IntegerL2Wider, R::SquaresWrap) => {
                "Each square is held in twice the width of the data's type, modulo 2^width, and their sum is exact."
            }
            (_, R::SquaresWrap) => {
                "Each square is held in the data's type, modulo 2^width, and their sum in a wider one."
            }
            (_, R::Exact) => "Elements, squares, sum and root are exact.",
            (Q::IntegerL2Precision, R::Double) => {
                "The root is rounded to f64, and so are elements, squares and sums that no integer type holds."
            }
            (Q::IntegerL2Precision, R::Single) => {
                "The root is rounded to f32, and so are elements, squares and sums that no integer type holds."
            }
            (_, R::Scaled) => "Elements are scaled before they are squared: no square leaves its range.",
            (_, R::Rescued) => {
                "The norm is computed again with scaling where squares overflow, and maybe where all of them underflow."
            }
            (_, R::Naive) => "Elements are squared as they are: squares may overflow and underflow.",
            (_, R::Wide) => {
                "Squares, sum and root are held in f32; the result is rounded to the 16-bit type."
            }
            (_, R::SquaresInType) => {
                "Each square is rounded to the 16-bit type; sum and root are held in f32."
            }
            (_, R::ByOperator) => {
                "Squares, the finished sum and the root are each rounded to the 16-bit type; partial sums are held in f32."
            }
            (_, R::InType) => {
                "Squares, every partial sum and the root, or each step of a chain of hypot, are rounded to the 16-bit type."
            }
            (_, R::Double) => "The sum of squares is held in f64.",
            (_, R::Single) => "The sum of squares is rounded to f32, and its root is taken there.",
            (_, R::Kept) => "Subnormal numbers are what they are.",
            (_, R::Flushed) => "Subnormal elements are zero, and so is a subnormal result of any step.",
            (_, R::ResultsFlushed) => {
                "Subnormal elements are what they are; a subnormal result of any step may be zero."
            }
            (_, R::Nan) => "The norm is NaN.",
            (_, R::Inf) => "The norm is infinity.",
            (_, R::Nearest) => "The result is the nearest number of the 16-bit type.",
            (_, R::TowardZero) => "The result is cut to the next number of the 16-bit type towards zero.",
        }
    }
}
