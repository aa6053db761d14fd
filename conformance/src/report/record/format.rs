//! Which format a record has.

/// The version of this format; a file of another is not read.
pub const FORMAT: u32 = 8;
