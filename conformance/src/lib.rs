//! Judges implementations of the norm reductions.
//!
//! This crate is not an implementation of any norm, and it knows no runtime: what is right comes
//! from [`normative_reference`], and whoever is judged implements [`Backend`].

pub mod backend;
pub mod worker;

pub use backend::{Answer, Backend, Capabilities, Death, Identity};
pub use normative_reference as reference;
pub use worker::{Worker, serve};
