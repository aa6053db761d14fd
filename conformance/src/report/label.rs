//! The labels of a finding's lines that other files look for.

#![allow(missing_docs, reason = "each says itself what it labels")]

pub const AGAIN: &str = "again";
pub const CALL: &str = "call";
pub const CATCHES: &str = "catches";
pub const CLAUSE: &str = "clause";
pub const CRASHED: &str = "crashed";
pub const DATA: &str = "data";
pub const ERROR: &str = "error";
pub const EXACT: &str = "exact";
pub const EXPECTED: &str = "expected";
pub const EXPLAINS: &str = "explains";
pub const FIRST: &str = "first";
pub const GOT: &str = "got";
pub const NO_ANSWER: &str = "no answer";
pub const PROCESS: &str = "process";
pub const READS: &str = "reads";
pub const RESULT: &str = "result";
pub const THEN: &str = "then";
pub const TOGETHER: &str = "together";
pub const UNDER: &str = "under";
