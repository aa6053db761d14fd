//! Tests the bytes of tensors and messages, which other languages read and write.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may, and so may what tests call"
)]

mod bytes;
mod documented;
mod hello;
mod wire;
