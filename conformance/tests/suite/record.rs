//! Tests records: they read back as written, also in part, and malformed ones are reported.

use std::time::Duration;

use normative_backend::bytes;
use normative_conformance::reference::Dtype;
use normative_conformance::report::finding::FindingKind;
use normative_conformance::report::record::{
    self, Counts, End, FORMAT, Header, Line, Machine, Options, Probe, RecordError, RecordedAccuracy,
    RecordedBackend, RecordedEntry, RecordedVerdict, Resettled, WorkerFile, Written, read, read_all, write,
};
use normative_conformance::{Capabilities, Death, Demands, Identity, Observed};
use proptest::prelude::*;
use rstest::rstest;

fn header() -> Header {
    let identity = Identity { name: "möck".into(), version: "1.2".into(), report_bugs_to: "nobody".into() };
    let capabilities =
        Capabilities { accumulation: vec![(Dtype::F16, Dtype::F32)], slow: true, ..Capabilities::default() };
    Header {
        format: FORMAT,
        suite: "0.1.0".into(),
        commit: Some("0123456789ab".into()),
        started: Some("2026-11-23T13:40:52Z".into()),
        name: "a".into(),
        backend: RecordedBackend::of(&identity, &capabilities),
        machines: vec![Machine {
            os: "linux".into(),
            arch: "x86_64".into(),
            cores: 2,
            features: vec!["fma".into()],
            worker: vec![WorkerFile { name: "a".into(), bytes: 3, sha256: "ab".repeat(32) }],
            ..Machine::default()
        }],
        options: Options { timeout: 10, memory: Some(1 << 30), repeat: 500 },
        corpus: 9,
        digest: "0123".into(),
        cases: 7,
        seed: 1,
        calls: Some(5),
        accuracy: Some("faithful".into()),
        readings: vec!["float-range=scaled".into()],
        left_out: vec!["array-api".into()],
        again: "cargo xtask".into(),
    }
}

fn answers() -> impl Strategy<Value = Observed> {
    let tensor = (0..Dtype::ALL.len(), proptest::collection::vec(0_usize..4, 0..4), any::<u64>());
    let tensor = tensor.prop_map(|(dtype, shape, seed)| {
        let dtype = Dtype::ALL[dtype];
        let size = shape.iter().product::<usize>() * dtype.size();
        let bytes: Vec<u8> = (0..size).map(|at| (seed >> (at % 57)) as u8 ^ at as u8).collect();
        Observed::Tensor(bytes::tensor(dtype, &shape, &bytes).unwrap())
    });
    prop_oneof![
        tensor,
        proptest::collection::vec(1..400_usize, 0..4)
            .prop_map(|shape| Observed::Oversized { dtype: Dtype::F16, shape }),
        any::<String>().prop_map(Observed::Rejected),
        any::<String>().prop_map(Observed::Unsupported),
        any::<String>().prop_map(Observed::ChangedData),
        any::<String>().prop_map(|how| Observed::Died(Death::Crashed(how))),
        any::<u64>().prop_map(|nanos| Observed::Died(Death::TimedOut(Duration::from_nanos(nanos)))),
    ]
}

/// Draws verdicts of every kind for any answer: a reader checks only the counts.
fn verdicts() -> impl Strategy<Value = RecordedVerdict> {
    let kinds = vec![FindingKind::Fail, FindingKind::Crash, FindingKind::Timeout];
    let lines = proptest::collection::vec(any::<(String, String)>(), 0..3);
    let failed = (prop::sample::select(kinds), lines);
    let errors = (0.0..=f64::MAX, 0.0..=1e-300_f64, 0_usize..9);
    prop_oneof![
        failed.prop_map(|(kind, lines)| RecordedVerdict::Fails { kind, lines }),
        errors.prop_map(|(worst, mean, terms)| RecordedVerdict::Conforms {
            readings: vec!["float-range=naive".into()],
            accuracy: Some(RecordedAccuracy {
                class: "faithful".into(),
                worst,
                mean,
                elements: 3,
                out_of_range: 1,
                terms,
                against: "sums f32".into(),
            }),
            hazard: Some("gives inf, the norm is 5e30".into()),
        }),
        Just(conforms()),
        Just(RecordedVerdict::Unsupported),
    ]
}

fn conforms() -> RecordedVerdict {
    RecordedVerdict::Conforms { readings: Vec::new(), accuracy: None, hazard: None }
}

fn entry(name: &str, verdict: RecordedVerdict, answer: &Observed) -> RecordedEntry {
    RecordedEntry {
        name: name.into(),
        spec: "onnx/ReduceL1-1".into(),
        dtype: "f32".into(),
        clauses: vec!["norm".into()],
        call: (verdict != RecordedVerdict::Unsupported).then(|| "a call".into()),
        verdict,
        answer: answer.clone(),
        row: None,
    }
}

fn probe(answer: Observed) -> Probe {
    let [key, spec, dtype, call] = ["0", "onnx/ReduceL1-1", "f32", "a call"].map(str::to_owned);
    Probe { key, spec, dtype, call, answer }
}

/// Returns the end line that matches these lines.
fn end(cases: &[RecordedEntry], calls: &[RecordedEntry], nondeterministic: usize) -> End {
    let Header { corpus, cases: wanted, calls: wanted_calls, .. } = header();
    let cases = Counts::of(cases, &[], corpus - wanted, wanted);
    let calls = Counts::of(calls, &[], 0, wanted_calls.unwrap());
    let complete = cases.missing + calls.missing == 0;
    let (inconsistent, mixed, hazards) = (Vec::new(), Vec::new(), Vec::new());
    End { complete, cases, calls, nondeterministic, inconsistent, mixed, hazards, flakes: 0, late: 0 }
}

fn written(lines: &[Line]) -> Vec<u8> {
    let mut bytes = Vec::new();
    lines.iter().try_for_each(|line| write(&mut bytes, line)).unwrap();
    bytes
}

/// Returns the bits of an answer, because tensors with different NaN payloads are equal.
fn bits(answer: &Observed) -> Written {
    Written::of(answer)
}

proptest! {
    #[test]
    fn what_is_written_is_read_back_however_much_of_it_there_is(
        cases in proptest::collection::vec((any::<String>(), verdicts(), answers()), 0..=7),
        calls in proptest::collection::vec((verdicts(), answers()), 0..=5),
        probes in proptest::collection::vec(answers(), 0..2),
        then in proptest::collection::vec(answers(), 0..2),
        cut in any::<prop::sample::Index>(),
    ) {
        let cases: Vec<RecordedEntry> =
            cases.into_iter().map(|(name, verdict, answer)| entry(&name, verdict, &answer)).collect();
        let calls: Vec<RecordedEntry> =
            calls.into_iter().enumerate().map(|(at, (verdict, answer))| entry(&format!("1:{at}"), verdict, &answer)).collect();
        let twice = || RecordedVerdict::Fails { kind: FindingKind::Nondeterministic, lines: Vec::new() };
        let then: Vec<RecordedEntry> = then.iter().map(|answer| entry("1:0", twice(), answer)).collect();
        let mut lines = vec![Line::Run(header())];
        lines.extend(cases.iter().cloned().map(Line::Case));
        lines.extend(calls.iter().cloned().map(Line::Call));
        let probes: Vec<Probe> = probes.into_iter().map(probe).collect();
        lines.extend(probes.iter().cloned().map(Line::Probe));
        let length = written(&lines).len() as u64;
        lines.extend(then.iter().cloned().map(Line::Then));
        let end = end(&cases, &calls, then.len());
        prop_assert_eq!(end.cases.sum(), header().corpus);
        prop_assert_eq!(Some(end.calls.sum()), header().calls);
        lines.push(Line::End(end.clone()));
        let bytes = written(&lines);
        let record = read(&bytes[..]).unwrap();
        prop_assert_eq!(&record.header, &header());
        prop_assert_eq!(record.length, length);
        prop_assert_eq!(&record.probes, &probes);
        prop_assert_eq!(&record.end, &Some(end));
        let kept = [&record.cases, &record.calls, &record.then].into_iter().flatten();
        let all = [&cases, &calls, &then].into_iter().flatten();
        prop_assert_eq!(kept.clone().count(), all.clone().count());
        for (kept, entry) in kept.zip(all) {
            prop_assert_eq!(bits(&kept.answer), bits(&entry.answer));
            prop_assert_eq!(kept, entry);
        }

        let cut = cut.index(bytes.len());
        let whole_lines = bytes[..cut].split(|&byte| byte == b'\n').count() - 1;
        match read(&bytes[..cut]) {
            Ok(part) => {
                let count = part.cases.len() + part.calls.len() + part.probes.len() + part.then.len() + usize::from(part.end.is_some());
                prop_assert_eq!(count + 1, whole_lines);
                let kept: Vec<&RecordedEntry> = [&part.cases, &part.calls, &part.then].into_iter().flatten().collect();
                let full: Vec<&RecordedEntry> = [&record.cases, &record.calls, &record.then].into_iter().flatten().collect();
                prop_assert!(kept.iter().zip(&full).all(|(kept, full)| bits(&kept.answer) == bits(&full.answer)));
            }
            Err(RecordError::NoHeader) => prop_assert_eq!(whole_lines, 0),
            Err(error) => prop_assert!(false, "{}", error),
        }
    }

    #[test]
    fn any_bytes_give_a_record_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes[..]);
        let _ = read(&[written(&[Line::Run(header())]), bytes].concat()[..]);
    }
}

fn after_header(lines: &str) -> Result<record::Record, RecordError> {
    read(format!("{}{lines}", String::from_utf8(written(&[Line::Run(header())])).unwrap()).as_bytes())
}

/// Returns the line of a case with this answer.
fn answered(answer: &str) -> String {
    format!(
        "{{\"case\":{{\"name\":\"a\",\"spec\":\"onnx/ReduceL1-1\",\"dtype\":\"f32\",\"verdict\":\"unsupported\",\"answer\":{answer}}}}}\n"
    )
}

#[rstest]
#[case::garbage("garbage\n", "line 2: expected value")]
#[case::unknown_line("{\"cas\":{}}\n", "line 2: unknown variant `cas`")]
#[case::unknown_field("{\"end\":{\"complete\":true,\"x\":1}}\n", "line 2: unknown field `x`")]
#[case::odd_digits(
    &answered(r#"{"tensor":{"dtype":"u8","shape":[1],"bits":"0"}}"#),
    "line 2: expected bits as pairs of hexadecimal digits"
)]
#[case::too_few_elements(&answered(r#"{"tensor":{"dtype":"u8","shape":[2],"bits":"00"}}"#), "line 2: ")]
#[case::endless_tensor(
    &answered(r#"{"tensor":{"dtype":"u8","shape":[4294967296,4294967296],"bits":""}}"#),
    "line 2: "
)]
#[case::no_dtype(
    &answered(r#"{"tensor":{"dtype":"u9","shape":[],"bits":"00"}}"#),
    "line 2: expected an element type, got \"u9\""
)]
fn what_cannot_be_read_is_named_with_its_line(#[case] lines: &str, #[case] because: &str) {
    let error = after_header(lines).unwrap_err().to_string();
    assert!(error.starts_with(because), "{error}");
}

#[test]
fn nothing_follows_the_end() {
    let end = Line::End(end(&[], &[], 0));
    let error = read(&written(&[Line::Run(header()), end.clone(), end])[..]).unwrap_err().to_string();
    assert_eq!(error, "line 3: expected no line after the end, got one");
}

#[rstest]
#[case::one_more_accepted(|end: &mut End| end.cases.conforms += 1, "of cases expected 1 conforms, as the lines above have, got a count of 2")]
#[case::a_failure_less(|end: &mut End| end.cases.fails = 0, "of cases expected 1 fails, as the lines above have, got a count of 0")]
#[case::a_death_less(|end: &mut End| end.calls.died = 0, "of generated calls expected 1 died, as the lines above have, got a count of 0")]
#[case::nothing_unsupported(|end: &mut End| end.cases.unsupported = 0, "of cases expected 1 unsupported, as the lines above have, got a count of 0")]
#[case::nothing_filtered(|end: &mut End| end.cases.filtered = 0, "of cases expected 2 filtered, as the lines above have, got a count of 0")]
#[case::nothing_missing(|end: &mut End| end.cases.missing = 0, "of cases expected 4 missing, as the lines above have, got a count of 0")]
#[case::missing_calls(|end: &mut End| end.calls.missing = usize::MAX, "of generated calls expected 4 missing, as the lines above have, got a count of 18446744073709551615")]
#[case::filtered_calls(|end: &mut End| end.calls.filtered = 1, "of generated calls expected 0 filtered, as the lines above have, got a count of 1")]
#[case::nobody_changed_its_mind(|end: &mut End| end.nondeterministic = 0, "of calls expected 1 nondeterministic, as the lines above have, got a count of 0")]
#[case::complete(|end: &mut End| end.complete = true, "expected a partial run, as answers are missing, got a complete one")]
fn an_end_that_does_not_add_up_is_refused(#[case] change: fn(&mut End), #[case] because: &str) {
    let no = Observed::Unsupported("no".into());
    let failed = |kind| RecordedVerdict::Fails { kind, lines: Vec::new() };
    let cases = [conforms(), failed(FindingKind::Fail), RecordedVerdict::Unsupported]
        .map(|verdict| entry("a", verdict, &no));
    let calls = [failed(FindingKind::Timeout)].map(|verdict| entry("1:0", verdict, &no));
    let then = entry("1:0", failed(FindingKind::Nondeterministic), &no);
    let mut end = end(&cases, &calls, 1);
    let mut lines = vec![Line::Run(header())];
    lines.extend(cases.map(Line::Case));
    lines.extend(calls.map(Line::Call));
    lines.push(Line::Then(then));
    let with = |end: &End| read(&written(&[lines.as_slice(), &[Line::End(end.clone())]].concat())[..]);
    assert!(with(&end).is_ok());
    change(&mut end);
    let error = with(&end).unwrap_err().to_string();
    assert!(error.starts_with(&format!("line 7: {because}")), "{error}");
}

#[test]
fn a_run_that_was_asked_everything_is_not_partial() {
    let no = Observed::Unsupported("no".into());
    let cases: Vec<RecordedEntry> =
        (0..7).map(|at| entry(&at.to_string(), RecordedVerdict::Unsupported, &no)).collect();
    let calls: Vec<RecordedEntry> =
        (0..5).map(|at| entry(&format!("1:{at}"), RecordedVerdict::Unsupported, &no)).collect();
    let end = end(&cases, &calls, 0);
    assert!(end.complete);
    let lines = cases.into_iter().map(Line::Case).chain(calls.into_iter().map(Line::Call));
    let lines = [Line::Run(header())].into_iter().chain(lines);
    let lines: Vec<Line> = lines.chain([Line::End(End { complete: false, ..end })]).collect();
    let error = read(&written(&lines)[..]).unwrap_err().to_string();
    assert_eq!(error, "line 14: expected a complete run, as nothing is missing, got a partial one");
}

#[test]
fn more_answers_than_were_wanted_do_not_add_up() {
    let (no, wanted) = (Observed::Unsupported("no".into()), header().calls.unwrap());
    let calls: Vec<RecordedEntry> =
        (0..=wanted).map(|at| entry(&format!("1:{at}"), RecordedVerdict::Unsupported, &no)).collect();
    let end = End { complete: false, ..end(&[], &calls, 0) };
    let lines = [Line::Run(header())].into_iter().chain(calls.into_iter().map(Line::Call));
    let lines: Vec<Line> = lines.chain([Line::End(end)]).collect();
    let error = read(&written(&lines)[..]).unwrap_err().to_string();
    assert_eq!(
        error,
        "line 8: of generated calls expected 5 in all, as the lines above have, got a count of 6"
    );
}

#[test]
fn a_verdict_that_was_settled_later_counts_as_settled() {
    let refused = RecordedVerdict::Fails { kind: FindingKind::Fail, lines: Vec::new() };
    let cases = vec![entry("a", refused, &Observed::Rejected("no".into()))];
    let because = Some("refuses the plainest call too".into());
    let settled = Resettled { name: "a".into(), verdict: RecordedVerdict::Unsupported, because };
    let read_with = |counted: End| {
        let lines = [
            Line::Run(header()),
            Line::Case(cases[0].clone()),
            Line::Settled(settled.clone()),
            Line::End(counted),
        ];
        read(&written(&lines)[..])
    };
    let before = end(&cases, &[], 0);
    let after = Counts { fails: 0, unsupported: 1, ..before.cases };
    let record = read_with(End { cases: after, ..before.clone() }).unwrap();
    assert_eq!(record.settled, std::slice::from_ref(&settled));
    assert!(matches!(
        read_with(before),
        Err(RecordError::Counts { what: "fails", counted: 1, there: 0, .. })
    ));
}

#[test]
fn a_second_header_and_another_format_are_refused() {
    let line = Line::Run(header());
    let twice = read(&written(&[line.clone(), line])[..]).unwrap_err().to_string();
    assert_eq!(twice, "line 2: expected the end of the run above, got another header");
    let other = Line::Run(Header { format: FORMAT + 1, ..header() });
    let refused = read(&written(&[other])[..]);
    assert!(matches!(refused, Err(RecordError::Format(format)) if format == u64::from(FORMAT) + 1));
    // Another format has other fields.
    let first = "{\"run\":{\"format\":1,\"name\":\"a\"}}\n";
    assert!(matches!(read(first.as_bytes()), Err(RecordError::Format(1))));
}

#[test]
fn runs_may_stand_one_after_another_where_several_are_wanted() {
    let end = Line::End(end(&[], &[], 0));
    let other = Header { name: "b".into(), ..header() };
    let bytes = written(&[Line::Run(header()), end.clone(), Line::Run(other.clone()), end]);
    let headers: Vec<Header> =
        read_all(&bytes[..]).unwrap().into_iter().map(|record| record.header).collect();
    assert_eq!(headers, [header(), other]);
    assert_eq!(read(&bytes[..]).unwrap_err().to_string(), "expected a record of one run, got 2 runs");
    assert!(matches!(read_all(&b""[..]), Err(RecordError::NoHeader)));
}

#[test]
fn demands_are_those_of_the_header_or_none_are_made() {
    let demands = header().demands().unwrap();
    let expected = Demands {
        capabilities: Capabilities {
            accumulation: vec![(Dtype::F16, Dtype::F32)],
            slow: true,
            ..Capabilities::default()
        },
        accuracy: Some(Demands::class("faithful").unwrap()),
        readings: vec![Demands::reading("float-range=scaled").unwrap()],
    };
    assert_eq!(demands, expected);
    assert!(Header { accuracy: Some("fast".into()), ..header() }.demands().is_err());
    assert!(Header { readings: vec!["x".into()], ..header() }.demands().is_err());
}
