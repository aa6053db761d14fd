//! Writes a folder with a call and its acceptable answers, which a user can run without knowing this project.
//!
//! [`folder`] decides on the files and their content, and does nothing else: it reads no file, runs no
//! backend and judges nothing. The answer is given. [`Due`] has the judge's own rules as ranges of bits, so
//! that a script never reaches another verdict than the judge.
//!
//! A script prints the call, the acceptable answers, the answer, and PASS or FAIL; its exit status is 0 or 1.
//! It needs only the judged runtime. A call that killed its process, or got different answers, runs in child
//! processes. An error is a refusal if the runtime's adapter takes it as one; any other error ends the script
//! with the runtime's own message and a nonzero status.

mod arguments;
pub mod due;
mod issue;
mod literal;
mod script;
pub mod selfcheck;
mod snippet;
pub mod target;
mod template;
mod words;

use normative_conformance::corpus::{ClauseRef, Ledger};
use normative_conformance::display;
use normative_conformance::report::finding::Line;
use normative_conformance::report::record::Machine;
use normative_conformance::{Identity, Observed};
use normative_reference::{Call, Layout};
use thiserror::Error;

pub use due::Due;
use target::Language;
pub use target::Target;

/// The call to reproduce, with its answer and context.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The runtime, and the way of calling it.
    pub target: Target,
    /// The backend's names; the reproduction installs its version.
    pub identity: &'a Identity,
    /// The case, or the generated call.
    pub name: &'a str,
    /// The call.
    pub call: &'a Call,
    /// The acceptable answers.
    pub due: &'a Due,
    /// The answer.
    pub came: &'a Observed,
    /// The answers to the same call, asked again. If one differs from [`came`](Self::came), the script
    /// repeats the call until an answer is wrong: the runtime may read memory that it did not write.
    pub again: &'a [Observed],
    /// The defect that the call shows, if known: its name, and what is known of its extent.
    pub defect: Option<(&'a str, &'a [Line])>,
    /// The failure in a line; `None` if the answer is right.
    pub wrong: Option<&'a str>,
    /// The clauses it is about, the main one first.
    pub clauses: &'a [ClauseRef],
    /// The statements of the clauses.
    pub ledger: &'a Ledger,
    /// The releases with the failure, and its reports, as far as known.
    pub releases: &'a [Line],
    /// The machine of the answer.
    pub machine: &'a Machine,
}

impl Subject<'_> {
    /// Returns true if the call got different answers.
    pub(crate) fn varies(&self) -> bool {
        self.again.iter().any(|again| again != self.came)
    }
}

/// A file of the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReproFile {
    /// Its path within the folder, with `/` between the parts.
    pub path: &'static str,
    /// Its content.
    pub bytes: Vec<u8>,
}

impl ReproFile {
    fn text(path: &'static str, text: String) -> Self {
        Self { path, bytes: text.into_bytes() }
    }
}

/// The reason why there is no reproduction.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoRepro {
    /// This way of calling the runtime cannot express the call.
    #[error("a call of {spec} cannot be spelled there: {why}")]
    Call {
        /// Its spec.
        spec: &'static str,
        /// The part that it cannot express.
        why: String,
    },
    /// The demanded readings contradict each other, or the call.
    #[error("the demanded readings leave no answer that is accepted")]
    NothingAccepted,
    /// The text leaves the answer to implementations.
    #[error("what the call leads to is outside the scope of its text, by {0}: nothing is due")]
    NothingDue(String),
    /// Each element by itself is right.
    #[error("each element is right, the errors of all together are not: no script looks at those yet")]
    Whole,
}

/// Returns the files of a reproduction. The user runs `repro.py`, `repro.mjs` (beside `package.json`), or
/// `src/main.rs` (beside `Cargo.toml`).
///
/// # Errors
/// [`NoRepro`] if the target cannot express the call.
pub fn folder(subject: &Subject<'_>) -> Result<Vec<ReproFile>, NoRepro> {
    if let Observed::Tensor(tensor) = subject.came
        && subject.wrong.is_some()
        && subject.due.accepts(tensor)
    {
        return Err(NoRepro::Whole);
    }
    if subject.call.layout != Layout::RowMajor && !subject.target.row.code.contains("@LAYOUT@") {
        let why = format!("no script for it makes data that lie {} in memory", subject.call.layout);
        return Err(NoRepro::Call { spec: subject.call.spec().name(), why });
    }
    // The names go into code, manifests and a text for others.
    let identity = &harmless(subject.identity);
    let subject = &Subject { identity, ..*subject };
    let (script, scripts, beside) = script::files(subject)?;
    let is_python = subject.target.row.language == Language::Python;
    let snippet = if is_python { snippet::python(subject, &script, &beside) } else { None };
    let mut files = if is_python { [beside, scripts] } else { [scripts, beside] }.concat();
    let issue = issue::text(subject, &files, snippet.as_deref())?;
    files.push(ReproFile::text("ISSUE.md", issue));
    Ok(files)
}

/// Removes characters that could end a string, a comment or a line in any of the files.
fn harmless(Identity { name, version, report_bugs_to }: &Identity) -> Identity {
    let of = |text: &str| {
        let is_kept = |c: &char| c.is_alphanumeric() || " .-+_~!/(),:@=#%?&".contains(*c);
        display::short(text).chars().filter(is_kept).collect()
    };
    Identity { name: of(name), version: of(version), report_bugs_to: of(report_bugs_to) }
}
