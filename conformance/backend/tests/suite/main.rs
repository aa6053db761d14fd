//! The bytes of tensors and of messages, as other languages read and write them.

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
