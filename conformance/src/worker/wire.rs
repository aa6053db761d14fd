//! What the frames between a judge and a worker hold, byte by byte.
//!
//! This page is all that is needed to write a worker in any language. A worker is a program whose
//! file descriptor 0 is a stream socket, open both ways. (Where there are no such sockets, it reads
//! standard input and writes standard output.) It sends one *hello*, then answers each *call* with
//! one *answer* carrying the call's number, one at a time and in order, until the stream ends; then
//! it exits with status 0.
//! It may print what it likes on standard output and standard error.
//!
//! Every message is one frame, `u32 length | u8 tag | body`; `length` counts the body. All integers
//! are little-endian, and a body holds nothing beyond what is listed.
//!
//! | tag | message | body |
//! |---|---|---|
//! | 1 | hello, from the worker | the 8 bytes `NORMATIV`, `u32` protocol version (1), `text` name, `text` version, `text` where to report bugs, `list` of accumulations |
//! | 2 | call, from the judge | `u64` number, operator, data `tensor`, axes |
//! | 3 | answer, from the worker | `u64` number of the call answered, outcome |
//!
//! | part | bytes |
//! |---|---|
//! | `list` | `u32` count, then that many items |
//! | `text` | `list` of bytes, which are UTF-8 |
//! | dtype | `u8`: f16 0, bf16 1, f32 2, f64 3, i8 4, i16 5, i32 6, i64 7, u8 8, u16 9, u32 10, u64 11 |
//! | accumulation | dtype of data, dtype its sums are held in |
//! | norm | `u8`: L1 1, L2 2 |
//! | operator | `u8` 1 OpenVINO: norm, `keep_dims` as `u8`: absent 0, false 1, true 2 |
//! | | `u8` 2 ONNX: norm, `u8` opset (1, 11, 13 or 18), keepdims, `noop_with_empty_axes`; each of the two as `u8`: absent 0, or 1 and the `i64` |
//! | | `u8` 3 BNNS: `list` of `u64`, the dims of the output, fastest axis first |
//! | `tensor` | dtype, `list` of `u64` dims (axis 0, the slowest, first), then the elements, row-major |
//! | axes | `u8`: absent 0, null 1, or 2 and: dtype, `list` of `u64` dims, `list` of values, each 16 bytes in two's complement whatever the dtype |
//! | outcome | `u8` 1 a result: `tensor` |
//! | | `u8` 2 rejected as invalid, 3 unsupported, 4 crashed: `text` saying why |
//! | | `u8` 5 timed out: `u64` nanoseconds |
//! | | `u8` 6 the runtime changed the data it was given: `text` saying what is known of it |
//!
//! A worker need not use outcomes 4 and 5; one that does must exit afterwards.
//!
//! Here the judge asks, as call number 7, for OpenVINO ReduceL2-4 of the f32 data
//! [[3, -4], [5, 12]] with axes [-1] as int64 and no `keep_dims`:
//!
//! ```text
//! 52 00 00 00                                        length: 82
//! 02                                                 tag: call
//! 07 00 00 00 00 00 00 00                            number 7
//! 01 02 00                                           OpenVINO, L2, keep_dims absent
//! 02                                                 data are f32
//! 02 00 00 00                                        of rank 2
//! 02 00 00 00 00 00 00 00  02 00 00 00 00 00 00 00   dims [2, 2]
//! 00 00 40 40  00 00 80 c0  00 00 a0 40  00 00 40 41 3, -4, 5, 12
//! 02                                                 axes given
//! 07                                                 as i64
//! 01 00 00 00                                        of rank 1
//! 01 00 00 00 00 00 00 00                            dims [1]
//! 01 00 00 00                                        one value
//! ff ff ff ff ff ff ff ff  ff ff ff ff ff ff ff ff   -1
//! ```
//!
//! and the worker answers [5, 13]:
//!
//! ```text
//! 1e 00 00 00                                        length: 30
//! 03                                                 tag: answer
//! 07 00 00 00 00 00 00 00                            to call 7
//! 01                                                 a result
//! 02                                                 f32
//! 01 00 00 00                                        of rank 1
//! 02 00 00 00 00 00 00 00                            dims [2]
//! 00 00 a0 40  00 00 50 41                           5, 13
//! ```
//!
//! Decoding is total: any bytes give a message or a [`WireError`] naming the byte, and no count is
//! believed before the bytes it promises are there. So a body takes at most [`EXPANSION`] times its size.

use std::time::Duration;

use normative_reference::Call;

pub use super::error::WireError;
use super::parts::{self, Body};
use crate::backend::{Answer, Capabilities, Death, Identity};

/// The first bytes of every hello.
pub const MAGIC: [u8; 8] = *b"NORMATIV";
/// The version of the protocol this module speaks.
pub const VERSION: u32 = 1;

/// Decoding holds at most so many bytes at a time for each byte of the body, and [`SPARE`] bytes.
///
/// The most is what a tensor of 8-bit elements takes on its way: each is a `u64` for a moment.
pub const EXPANSION: usize = 16;

/// What decoding may hold beside that, whatever the body: a message of an error, a list that grows.
pub const SPARE: usize = 1024;

/// The tag of a hello frame.
pub const HELLO: u8 = 1;
/// The tag of a call frame.
pub const CALL: u8 = 2;
/// The tag of an answer frame.
pub const ANSWER: u8 = 3;

/// What a worker says of itself before the first call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// Who it is.
    pub identity: Identity,
    /// What it declares beforehand.
    pub capabilities: Capabilities,
}

/// The body of a hello frame.
pub fn encode_hello(hello: &Hello) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend(VERSION.to_le_bytes());
    parts::put_text(&mut out, &hello.identity.name);
    parts::put_text(&mut out, &hello.identity.version);
    parts::put_text(&mut out, &hello.identity.report_bugs_to);
    parts::put_count(&mut out, hello.capabilities.accumulation.len());
    for &(data, sums) in &hello.capabilities.accumulation {
        out.extend([parts::dtype_code(data), parts::dtype_code(sums)]);
    }
    out
}

/// The hello in a frame's body.
///
/// # Errors
/// [`WireError`].
pub fn decode_hello(body: &[u8]) -> Result<Hello, WireError> {
    let mut body = Body::new(body);
    if body.array("magic")? != MAGIC {
        return Err(WireError::Magic);
    }
    let theirs = body.u32("protocol version")?;
    if theirs != VERSION {
        return Err(WireError::Version { theirs, ours: VERSION });
    }
    let identity = Identity {
        name: body.text("name")?,
        version: body.text("version")?,
        report_bugs_to: body.text("where to report bugs")?,
    };
    let pairs = body.count(2, "list of accumulations")?;
    let accumulation = (0..pairs).map(|_| Ok((body.dtype()?, body.dtype()?))).collect::<Result<_, _>>()?;
    body.end()?;
    Ok(Hello { identity, capabilities: Capabilities { accumulation } })
}

/// The body of a call frame.
pub fn encode_call(number: u64, call: &Call) -> Vec<u8> {
    let mut out = number.to_le_bytes().to_vec();
    parts::put_operator(&mut out, &call.operator);
    parts::put_tensor(&mut out, &call.data);
    parts::put_axes(&mut out, &call.axes);
    out
}

/// The call in a frame's body, with its number.
///
/// # Errors
/// [`WireError`].
pub fn decode_call(body: &[u8]) -> Result<(u64, Call), WireError> {
    let mut body = Body::new(body);
    let number = body.u64("call number")?;
    let call = Call { operator: body.operator()?, data: body.tensor()?, axes: body.axes()? };
    body.end()?;
    Ok((number, call))
}

/// The body of an answer frame. A time of 584 years or more is sent as the longest there is.
pub fn encode_answer(number: u64, answer: &Answer) -> Vec<u8> {
    let mut out = number.to_le_bytes().to_vec();
    let text = |out: &mut Vec<u8>, code, text| {
        out.push(code);
        parts::put_text(out, text);
    };
    match answer {
        Answer::Tensor(tensor) => {
            out.push(1);
            parts::put_tensor(&mut out, tensor);
        }
        Answer::Rejected(why) => text(&mut out, 2, why),
        Answer::Unsupported(why) => text(&mut out, 3, why),
        Answer::ChangedData(how) => text(&mut out, 6, how),
        Answer::Died(Death::Crashed(how)) => text(&mut out, 4, how),
        Answer::Died(Death::TimedOut(after)) => {
            out.push(5);
            out.extend(u64::try_from(after.as_nanos()).unwrap_or(u64::MAX).to_le_bytes());
        }
    }
    out
}

/// The answer in a frame's body, with the number of the call it answers.
///
/// # Errors
/// [`WireError`].
pub fn decode_answer(body: &[u8]) -> Result<(u64, Answer), WireError> {
    let mut body = Body::new(body);
    let number = body.u64("call number")?;
    let answer = match body.u8("outcome")? {
        1 => Answer::Tensor(body.tensor()?),
        2 => Answer::Rejected(body.text("rejection")?),
        3 => Answer::Unsupported(body.text("reason")?),
        4 => Answer::Died(Death::Crashed(body.text("crash")?)),
        5 => Answer::Died(Death::TimedOut(Duration::from_nanos(body.u64("time")?))),
        6 => Answer::ChangedData(body.text("change")?),
        code => return Err(body.code("outcome", code)),
    };
    body.end()?;
    Ok((number, answer))
}
