//! Answers the requests of other programs: a line of JSON for each, as `docs/python.md` explains.
//!
//! A request names the clauses of a family, asks for the answers that a call may have, or has an answer to it judged.
//! Nothing is decided here: permitted answers are those of an [`export`], verdicts those of the judge. Any line
//! gets a reply; one that is not a request gets its error.

use normative_reference::{Call, Family};
use serde::{Deserialize, Serialize};

use crate::derived::derive;
use crate::export::{self, ExportedAnswer};
use normative_backend::Capabilities;
use normative_conformance::corpus::{Ledger, Level, misread};
use normative_conformance::judge::verdict::{Demands, Sheet, Verdict};
use normative_conformance::report::finding::{self, FindingKind};
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
        Err(error) => Reply::Error(misread::said(error)),
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
    let mut lines = vec![finding::of_clause(&property::clause(call, verdict, ledger), ledger)];
    lines.extend(finding::of_call(call, verdict));
    derive(&mut lines, call, verdict, &Capabilities::default());
    let lines = lines.into_iter().map(|line| (line.label.to_owned(), line.text)).collect();
    RecordedVerdict::Fails { kind, lines }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::LazyLock;

    use normative_conformance::corpus::load_ledger;
    use normative_reference::{Axes, Dtype, Operator, Tensor};
    use proptest::prelude::*;
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    /// Returns the L2 norm of the array API over `[3, -4]`, as a request has it.
    fn call(axes: Axes) -> Value {
        let data = Tensor::from_bits(Dtype::F32, &[2], &[0x4040_0000, 0xc080_0000]).unwrap();
        let call = Call::new(Operator::ArrayApi { ord: None, keepdims: None }, data, axes);
        record::write_call(&call, serde_json::value::Serializer).unwrap()
    }

    fn ask(line: &[u8]) -> Value {
        static LEDGER: LazyLock<Ledger> = LazyLock::new(|| {
            load_ledger(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/clauses")).unwrap()
        });
        let reply = reply(line, &LEDGER).unwrap();
        assert!(!reply.contains('\n'), "{reply}");
        serde_json::from_str(&reply).unwrap()
    }

    fn judged(shape: &[usize], bits: &str) -> Value {
        let answer = json!({"tensor": {"dtype": "f32", "shape": shape, "bits": bits}});
        let request = json!({"judge": {"call": call(Axes::Absent), "answer": answer}});
        ask(request.to_string().as_bytes())["verdict"].take()
    }

    #[test]
    fn the_answers_of_a_call_are_those_of_an_export() {
        let reply = ask(json!({"answers": call(Axes::Absent)}).to_string().as_bytes());
        let near = &reply["answers"][0]["is"]["near"];
        let significand: u64 = near["significands"].as_str().unwrap().parse().unwrap();
        let exponent = near["exponents"][0].as_i64().unwrap() as i32;
        let square = significand as f64 * f64::from(exponent).exp2();
        assert_eq!((square, &near["nearest"]), (25.0, &json!("40a00000")), "{reply:#}");
    }

    #[test]
    fn a_right_answer_conforms_and_a_wrong_one_fails_with_its_arithmetic() {
        assert!(judged(&[], "0000a040")["conforms"].is_object());
        let failure = judged(&[], "0100b040");
        let labels: Vec<&str> = failure["fails"]["lines"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|line| line[0].as_str())
            .collect();
        let due =
            ["clause", "call", "data", "result", "exact", "expected", "got", "error", "bound", "", "above"];
        assert_eq!(labels, due, "{failure:#}");
        assert!(judged(&[1], "0000a040")["fails"].is_object());
    }

    #[test]
    fn the_clauses_of_a_family_are_those_of_its_specs() {
        let reply = ask(br#"{"clauses": "bnns"}"#);
        let clauses = reply["clauses"].as_array().unwrap();
        assert!(clauses.len() > 10);
        assert!(clauses.iter().all(|one| one["clause"].as_str().unwrap().starts_with("bnns/computeNorm#")));
    }

    #[rstest]
    #[case::nothing("")]
    #[case::no_json("answers")]
    #[case::no_object("[]")]
    #[case::no_request(r#"{"answer": "00"}"#)]
    #[case::two_requests(r#"{"clauses": "onnx", "answers": "00"}"#)]
    #[case::no_digits(r#"{"answers": "zz"}"#)]
    #[case::half_a_digit(r#"{"answers": "0"}"#)]
    #[case::a_cut_call(r#"{"answers": "0000000000000000040000"}"#)]
    #[case::a_huge_shape(
        r#"{"answers": "00000000000000000400000202000000ffffffffffffffffffffffffffffffff"}"#
    )]
    #[case::no_answer(r#"{"judge": {"call": "00"}}"#)]
    #[case::an_unknown_field(r#"{"judge": {"call": "00", "answer": {"rejected": ""}, "more": 1}}"#)]
    #[case::no_family(r#"{"clauses": "blass"}"#)]
    fn a_line_that_is_not_a_request_gets_its_error(#[case] line: &str) {
        assert!(ask(line.as_bytes())["error"].is_string(), "{line}");
    }

    #[test]
    fn an_answer_whose_bits_do_not_fill_it_is_an_error() {
        let answer = json!({"tensor": {"dtype": "f32", "shape": [2], "bits": "00"}});
        let request = json!({"judge": {"call": call(Axes::Absent), "answer": answer}});
        assert!(ask(request.to_string().as_bytes())["error"].is_string());
    }

    proptest! {
        #[test]
        fn any_bytes_get_a_reply(line in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(ask(&line)["error"].is_string());
        }

        #[test]
        fn a_changed_call_gets_a_reply(at in 0_usize..60, byte in any::<u8>()) {
            let mut line = json!({"answers": call(Axes::list(&[0]))}).to_string().into_bytes();
            let at = at.min(line.len() - 1);
            line[at] = byte;
            prop_assert!(ask(&line).is_object());
        }
    }
}
