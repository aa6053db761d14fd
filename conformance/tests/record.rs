//! Records: what is written is read back, however much of it is there, and what is no record is told so.

#![cfg(feature = "record")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

use std::time::Duration;

use normative_conformance::record::{
    self, Answered, Backend, End, Entry, FORMAT, Header, Line, RecordError, Written, read, read_all, write,
};
use normative_conformance::reference::{Dtype, Tensor};
use normative_conformance::{Answer, Capabilities, Death, Demands, Identity};
use proptest::prelude::*;
use rstest::rstest;

fn header() -> Header {
    let identity = Identity { name: "möck".into(), version: "1.2".into(), report_bugs_to: "nobody".into() };
    let capabilities = Capabilities { accumulation: vec![(Dtype::F16, Dtype::F32)] };
    Header {
        format: FORMAT,
        name: "a".into(),
        backend: Backend::of(&identity, &capabilities),
        corpus: 9,
        digest: "0123".into(),
        cases: 7,
        seed: 1,
        calls: 5,
        part: Some((1, 4)),
        accuracy: Some("faithful".into()),
        readings: vec!["float-range=scaled".into()],
        again: "cargo xtask".into(),
    }
}

fn answers() -> impl Strategy<Value = Answer> {
    let tensor = (0..Dtype::ALL.len(), proptest::collection::vec(0_usize..4, 0..4), any::<u64>());
    let tensor = tensor.prop_map(|(dtype, shape, seed)| {
        let dtype = Dtype::ALL[dtype];
        let size = shape.iter().product::<usize>() * dtype.size();
        let bytes: Vec<u8> = (0..size).map(|at| (seed >> (at % 57)) as u8 ^ at as u8).collect();
        Answer::Tensor(Tensor::from_le_bytes(dtype, &shape, &bytes).unwrap())
    });
    prop_oneof![
        tensor,
        any::<String>().prop_map(Answer::Rejected),
        any::<String>().prop_map(Answer::Unsupported),
        any::<String>().prop_map(Answer::ChangedData),
        any::<String>().prop_map(|how| Answer::Died(Death::Crashed(how))),
        any::<u64>().prop_map(|nanos| Answer::Died(Death::TimedOut(Duration::from_nanos(nanos)))),
    ]
}

fn written(lines: &[Line]) -> Vec<u8> {
    let mut bytes = Vec::new();
    lines.iter().try_for_each(|line| write(&mut bytes, line)).unwrap();
    bytes
}

/// Bit for bit: a tensor equals another whose NaNs have other payloads.
fn bits(answer: &Answer) -> Written {
    Written::of(answer)
}

proptest! {
    #[test]
    fn what_is_written_is_read_back_however_much_of_it_there_is(
        cases in proptest::collection::vec((any::<String>(), answers()), 0..4),
        calls in proptest::collection::vec(answers(), 0..4),
        then in proptest::collection::vec(answers(), 0..2),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut lines = vec![Line::Run(header())];
        lines.extend(cases.iter().map(|(name, answer)| Line::Case(Entry::of(name, "conforms", answer))));
        lines.extend(calls.iter().enumerate().map(|(at, answer)| Line::Call(Entry::of(&format!("1:{at}"), "fails", answer))));
        lines.extend(then.iter().map(|answer| Line::Then(Entry::of("1:0", "nondeterministic", answer))));
        let length = written(&lines).len() as u64;
        lines.push(Line::End(End { complete: true, restarts: 3, unrepeated: 1 }));
        let bytes = written(&lines);
        let record = read(&bytes[..]).unwrap();
        prop_assert_eq!(&record.header, &header());
        prop_assert_eq!(record.length, length);
        prop_assert_eq!(record.end, Some(End { complete: true, restarts: 3, unrepeated: 1 }));
        let kept: Vec<Written> =
            [&record.cases, &record.calls, &record.then].into_iter().flatten().map(|one| bits(&one.answer)).collect();
        let all: Vec<&Answer> = cases.iter().map(|(_, answer)| answer).chain(&calls).chain(&then).collect();
        prop_assert_eq!(&kept, &all.iter().map(|answer| bits(answer)).collect::<Vec<_>>());
        prop_assert!(record.cases.iter().map(|one| &one.name).eq(cases.iter().map(|(name, _)| name)));

        let cut = cut.index(bytes.len());
        let whole_lines = bytes[..cut].split(|&byte| byte == b'\n').count() - 1;
        match read(&bytes[..cut]) {
            Ok(part) => {
                let count = part.cases.len() + part.calls.len() + part.then.len() + usize::from(part.end.is_some());
                prop_assert_eq!(count + 1, whole_lines);
                let kept: Vec<&Answered> = [&part.cases, &part.calls, &part.then].into_iter().flatten().collect();
                let full: Vec<&Answered> = [&record.cases, &record.calls, &record.then].into_iter().flatten().collect();
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

#[rstest]
#[case::garbage("garbage\n", "line 2: expected value")]
#[case::unknown_line("{\"cas\":{}}\n", "line 2: unknown variant `cas`")]
#[case::unknown_field(
    "{\"end\":{\"complete\":true,\"restarts\":0,\"unrepeated\":0,\"x\":1}}\n",
    "line 2: unknown field `x`"
)]
#[case::odd_digits(
    "{\"case\":{\"name\":\"a\",\"verdict\":\"\",\"answer\":{\"tensor\":{\"dtype\":\"u8\",\"shape\":[1],\"bits\":\"0\"}}}}\n",
    "line 2: the bits are not pairs of hexadecimal digits"
)]
#[case::too_few_elements(
    "{\"case\":{\"name\":\"a\",\"verdict\":\"\",\"answer\":{\"tensor\":{\"dtype\":\"u8\",\"shape\":[2],\"bits\":\"00\"}}}}\n",
    "line 2: "
)]
#[case::endless_tensor(
    "{\"case\":{\"name\":\"a\",\"verdict\":\"\",\"answer\":{\"tensor\":{\"dtype\":\"u8\",\"shape\":[4294967296,4294967296],\"bits\":\"\"}}}}\n",
    "line 2: "
)]
#[case::no_dtype(
    "{\"case\":{\"name\":\"a\",\"verdict\":\"\",\"answer\":{\"tensor\":{\"dtype\":\"u9\",\"shape\":[],\"bits\":\"00\"}}}}\n",
    "line 2: no element type is \"u9\""
)]
#[case::after_the_end(
    "{\"end\":{\"complete\":true,\"restarts\":0,\"unrepeated\":0}}\n{\"end\":{\"complete\":true,\"restarts\":0,\"unrepeated\":0}}\n",
    "line 3: a line after the end"
)]
fn what_cannot_be_read_is_named_with_its_line(#[case] lines: &str, #[case] because: &str) {
    let error = after_header(lines).unwrap_err().to_string();
    assert!(error.starts_with(because), "{error}");
}

#[test]
fn a_second_header_and_another_format_are_refused() {
    let line = Line::Run(header());
    let twice = read(&written(&[line.clone(), line])[..]).unwrap_err().to_string();
    assert_eq!(twice, "line 2: a second header, and the run before it has not ended");
    let other = Line::Run(Header { format: FORMAT + 1, ..header() });
    assert!(matches!(read(&written(&[other])[..]), Err(RecordError::Format(2))));
}

#[test]
fn runs_may_stand_one_after_another_where_several_are_wanted() {
    let end = Line::End(End { complete: true, restarts: 0, unrepeated: 0 });
    let other = Header { name: "b".into(), ..header() };
    let bytes = written(&[Line::Run(header()), end.clone(), Line::Run(other.clone()), end]);
    let headers: Vec<Header> =
        read_all(&bytes[..]).unwrap().into_iter().map(|record| record.header).collect();
    assert_eq!(headers, [header(), other]);
    assert_eq!(read(&bytes[..]).unwrap_err().to_string(), "it holds 2 runs, where one is due");
    assert!(matches!(read_all(&b""[..]), Err(RecordError::NoHeader)));
}

#[test]
fn demands_are_those_of_the_header_or_none_are_made() {
    let demands = header().demands().unwrap();
    let expected = Demands {
        capabilities: Capabilities { accumulation: vec![(Dtype::F16, Dtype::F32)] },
        accuracy: Some(Demands::class("faithful").unwrap()),
        readings: vec![Demands::reading("float-range=scaled").unwrap()],
    };
    assert_eq!(demands, expected);
    assert!(Header { accuracy: Some("fast".into()), ..header() }.demands().is_err());
    assert!(Header { readings: vec!["x".into()], ..header() }.demands().is_err());
}
