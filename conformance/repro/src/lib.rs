//! A call and what is due, as a folder that somebody who never heard of this project can run.
//!
//! [`folder`] decides which files there are and what they say, and does no more: it reads no file, asks no backend and
//! judges nobody. What came was answered before, and what is due is [`Due`], the judge's own rules as ranges of bits,
//! so that a script never comes to another verdict than the judge.
//!
//! A script prints the call, what is due, what came, and PASS or FAIL, and ends with 0 or 1. It needs the runtime that
//! is judged and nothing of ours. A call that ended its process, or was answered in more than one way, is made in processes
//! of its own. A refusal is one where the runtime's adapter calls it so; what else goes wrong ends
//! the script with the runtime's own message and a status that is not 0.

mod arguments;
mod arrays;
mod blas;
pub mod due;
mod issue;
mod javascript;
mod layers;
mod models;
mod python;
mod rust;
mod script;
pub mod target;

use normative_conformance::corpus::{ClauseRef, Ledger};
use normative_conformance::display;
use normative_conformance::{Identity, Observed};
use normative_reference::{Call, Layout};
use thiserror::Error;

pub use due::Due;
use target::Library;
pub use target::Target;

/// What is to be reproduced.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The runtime, and the way in which it is asked.
    pub target: Target,
    /// Who answered; its version is the one that the reproduction asks for.
    pub identity: &'a Identity,
    /// The case, or the generated call.
    pub name: &'a str,
    /// The call.
    pub call: &'a Call,
    /// What is due.
    pub due: &'a Due,
    /// What came.
    pub came: &'a Observed,
    /// The answers to the same call, asked again. If one differs from [`came`](Self::came), the script repeats the call until an
    /// answer is wrong: the runtime may read memory that it did not write.
    pub again: &'a [Observed],
    /// What is wrong with it, in a line; `None` where nothing is.
    pub wrong: Option<&'a str>,
    /// The clauses it is about, the main one first.
    pub clauses: &'a [ClauseRef],
    /// What the clauses say.
    pub ledger: &'a Ledger,
    /// The operating system and the instruction set, such as `linux` and `x86_64`.
    pub platform: (&'a str, &'a str),
}

/// A file of the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path within the folder, with `/` between the parts.
    pub path: &'static str,
    /// What it holds.
    pub bytes: Vec<u8>,
}

impl File {
    fn text(path: &'static str, text: String) -> Self {
        Self { path, bytes: text.into_bytes() }
    }
}

/// Why there is nothing to write.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoRepro {
    /// The way in which the runtime is asked has no place for the call.
    #[error("a call of {spec} cannot be spelled there: {why}")]
    Call {
        /// Its spec.
        spec: &'static str,
        /// What there is no place for.
        why: String,
    },
    /// The demanded readings contradict each other, or the call.
    #[error("the demanded readings leave no answer that is accepted")]
    NothingAccepted,
    /// The text leaves the call to its implementations.
    #[error("what the call leads to is outside the scope of its text, by {0}: nothing is due")]
    NothingDue(String),
    /// What is wrong shows in no element by itself.
    #[error("each element is right, the errors of all together are not: no script looks at those yet")]
    Whole,
}

/// The files of a reproduction. `repro.py`, `repro.mjs` beside `package.json`, or `src/main.rs` beside `Cargo.toml`, is the
/// one to run.
///
/// # Errors
/// [`NoRepro`] where the call cannot be spelled for the target.
pub fn folder(subject: &Subject<'_>) -> Result<Vec<File>, NoRepro> {
    if let Observed::Tensor(tensor) = subject.came
        && subject.wrong.is_some()
        && subject.due.accepts(tensor)
    {
        return Err(NoRepro::Whole);
    }
    let takes_arrays =
        matches!(subject.target, Target::Array(Library::Numpy | Library::Torch | Library::Dask, _));
    if subject.call.layout != Layout::RowMajor && !takes_arrays {
        let why = format!("no script for it makes data that lie {} in memory", subject.call.layout);
        return Err(NoRepro::Call { spec: subject.call.spec().name(), why });
    }
    // It stands in code, in manifests and in a text for others.
    let identity = &harmless(subject.identity);
    let subject = &Subject { identity, ..*subject };
    let mut files = match subject.target {
        Target::Crate(krate) => rust::files(subject, krate)?,
        Target::Package(package) => javascript::files(subject, package)?,
        _ => python::files(subject)?,
    };
    files.push(File::text("ISSUE.md", issue::text(subject)));
    Ok(files)
}

/// What a backend says of itself, without what could end a string, a comment or a line of any of the files.
fn harmless(Identity { name, version, report_bugs_to }: &Identity) -> Identity {
    let of = |text: &str| {
        let is_kept = |c: &char| c.is_alphanumeric() || " .-+_~!/(),:@=#%?&".contains(*c);
        display::short(text).chars().filter(is_kept).collect()
    };
    Identity { name: of(name), version: of(version), report_bugs_to: of(report_bugs_to) }
}
