//! The format version of a record.

/// The version of this format; files of another version are not read.
pub const FORMAT: u32 = 11;
