//! Answers the requests of other programs: a line of JSON for each, as `docs/oracle.md` explains.
//!
//! A request names the clauses of a family, asks for the answers that a call may have, or has an answer to it judged.
//! Nothing is decided here: permitted answers are those of an [`export`], verdicts those of the judge. Any line
//! gets a reply; one that is not a request gets its error.

use normative_reference::{Call, Family};
use serde::{Deserialize, Serialize};

use crate::derived::derive;
use crate::export::{self, ExportedAnswer};
use normative_backend::Capabilities;
use normative_conformance::corpus::{Ledger, Level};
use normative_conformance::judge::verdict::{Demands, Sheet, Verdict};
use normative_conformance::report::finding::{self, FindingKind, Line};
use normative_conformance::report::record::{self, RecordedVerdict, Written, explain};
use normative_conformance::run::{judge_call, property};

/// The longest line that is read, in bytes: the largest tensor has 2^30 bytes, of two digits each, as data and as answer.
pub const LONGEST: u64 = (1 << 32) + (1 << 16);

/// A request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Request {
    /// The answers that this call may have.
    Answers(Hexadecimal),
    /// The verdict on an answer.
    Judge(ToJudge),
    /// The clauses of a family, by its name.
    Clauses(String),
}

/// A call.
#[derive(Debug, Deserialize)]
struct Hexadecimal(#[serde(deserialize_with = "record::read_call")] Call);

/// A call, and the answer to it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct ToJudge {
    #[serde(deserialize_with = "record::read_call")]
    call: Call,
    answer: Written,
}

/// The reply to a request.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Reply {
    /// The permitted answers, as an export has them.
    Answers(Vec<ExportedAnswer>),
    /// The verdict, as a record has it.
    Verdict(RecordedVerdict),
    /// Each clause.
    Clauses(Vec<Stated>),
    /// The reason why the line is not a request.
    Error(String),
}

/// A clause of the ledger.
#[derive(Debug, Serialize)]
struct Stated {
    clause: String,
    level: Level,
    says: String,
}

/// Returns the reply to one line, which has no line feed.
///
/// # Errors
/// The reply cannot be written as JSON.
pub fn reply(line: &[u8], ledger: &Ledger) -> Result<String, serde_json::Error> {
    let reply = match serde_json::from_slice(line) {
        Ok(request) => answered(request, ledger).unwrap_or_else(Reply::Error),
        Err(error) => Reply::Error(error.to_string()),
    };
    serde_json::to_string(&reply)
}

fn answered(request: Request, ledger: &Ledger) -> Result<Reply, String> {
    let sheet = |call: &Call| Sheet::of(call).map_err(|error| error.to_string());
    match request {
        Request::Answers(Hexadecimal(call)) => Ok(Reply::Answers(export::answers(&call, &sheet(&call)?))),
        Request::Judge(ToJudge { call, answer }) => {
            let (sheet, answer) = (sheet(&call)?, answer.read()?);
            let verdict = judge_call(&call, &sheet, &answer, &Demands::default());
            Ok(Reply::Verdict(recorded(&call, &verdict, ledger)))
        }
        Request::Clauses(name) => {
            let family = Family::ALL.into_iter().find(|family| family.name() == name).ok_or_else(|| {
                format!("expected a family of {}, got {name:?}", Family::ALL.map(Family::name).join(", "))
            })?;
            let of_family = ledger.iter().filter(|entry| entry.clause.spec.family() == family);
            let stated = of_family.map(|entry| Stated {
                clause: entry.clause.to_string(),
                level: entry.level,
                says: entry.says.clone(),
            });
            Ok(Reply::Clauses(stated.collect()))
        }
    }
}

/// Returns the verdict with all that explains it: of a failure the clause, the call and the arithmetic of the bound.
fn recorded(call: &Call, verdict: &Verdict, ledger: &Ledger) -> RecordedVerdict {
    let Some(kind) = FindingKind::of(verdict) else { return explain::proven(verdict) };
    let clause = property::clause(call, verdict, ledger);
    let says = ledger.get(clause.spec, &clause.name).map_or("", |entry| entry.says.as_str());
    let mut lines = vec![Line::new("clause", &format!("{clause}: {says}"))];
    lines.extend(finding::of_call(call, verdict));
    derive(&mut lines, call, verdict, &Capabilities::default());
    let lines = lines.into_iter().map(|line| (line.label.to_owned(), line.text)).collect();
    RecordedVerdict::Fails { kind, lines }
}
