//! The bodies of the frames between a judge and a worker, byte by byte.
//!
//! The text below is the protocol for implementers; the code says the same in Rust. Decoding is total: any
//! bytes give a message or a [`WireError`] naming the byte. A count is not trusted before its bytes are
//! there, so a body takes at most [`EXPANSION`] times its size.
//!
//! A judge needs little of a long answer. Texts are cut ([`MAX_TEXT`], [`MAX_NAME`]), and of a result larger
//! than any reading of its call gives ([`ResultBound`]) only the dims are kept. So [`decode_answer_start`] needs
//! only the first [`ResultBound::bytes`] bytes of a body.
//!
#![doc = include_str!("../PROTOCOL.md")]

use std::time::Duration;

use normative_reference::{Call, Family, Layout, Norm, Spec, Tensor};

use super::bound::ROOM;
pub use super::bound::{MAX_HELLO, MAX_LINES, MAX_NAME, MAX_TEXT, ResultBound};
pub use super::error::WireError;
use super::parts::{self, Body};
pub use super::reply::Reply;
use crate::{Answer, Capabilities, Claim, Declared, Identity, Unavailable};

/// The first bytes of every hello.
pub const MAGIC: [u8; 8] = *b"NORMATIV";
/// The version of the protocol this module speaks.
pub const VERSION: u32 = 1;

/// The most bytes that decoding holds at a time for each byte of the body, beside [`SPARE`] bytes.
///
/// A long list of dims needs the most, because a tensor holds it more than once.
pub const EXPANSION: usize = 16;

/// The bytes that decoding may hold for any body: an error message, a growing list.
pub const SPARE: usize = 1024;

/// The tag of a hello frame.
pub const HELLO: u8 = 1;
/// The tag of a call frame.
pub const CALL: u8 = 2;
/// The tag of an answer frame.
pub const ANSWER: u8 = 3;
/// The tag of a frame that replaces the hello where no backend is available.
pub const UNAVAILABLE: u8 = 4;

/// The tag of a frame that holds an ONNX call as a model.
pub const MODEL: u8 = 5;

/// A worker's introduction before the first call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The names of its runtime.
    pub identity: Identity,
    /// Its declared claims and limits.
    pub capabilities: Capabilities,
}

/// Returns the body of a hello frame.
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
    let Capabilities { accumulation: _, slow, claims, other_forms, layouts, declared } = &hello.capabilities;
    // The parts from here on are left out from the last that differs from its default, so the hello of a default
    // worker equals that of an older version.
    let mut end = out.len();
    let mut part = |differs: bool, put: &dyn Fn(&mut Vec<u8>)| {
        put(&mut out);
        if differs {
            end = out.len();
        }
    };
    part(*slow, &|out| out.push((*slow).into()));
    part(*claims != Claim::in_full(&Family::BY_DEFAULT), &|out| {
        parts::put_count(out, claims.len());
        out.extend(claims.iter().copied().map(parts::claim_code));
    });
    part(*other_forms, &|out| out.push((*other_forms).into()));
    part(!layouts.is_empty(), &|out| {
        parts::put_count(out, layouts.len());
        out.extend(layouts.iter().copied().map(parts::layout_code));
    });
    part(!declared.specs.is_empty(), &|out| {
        parts::put_count(out, declared.specs.len());
        declared.specs.iter().for_each(|spec| parts::put_text(out, spec.name()));
    });
    part(!declared.dtypes.is_empty(), &|out| {
        parts::put_count(out, declared.dtypes.len());
        out.extend(declared.dtypes.iter().copied().map(parts::dtype_code));
    });
    out.truncate(end);
    out
}

/// Decodes a hello and checks it; its texts are cut to [`MAX_NAME`] bytes.
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
        name: body.text("name", MAX_NAME)?,
        version: body.text("version", MAX_NAME)?,
        report_bugs_to: body.text("where to report bugs", MAX_NAME)?,
    };
    let pairs = body.count(2, "list of accumulations")?;
    let accumulation = (0..pairs).map(|_| Ok((body.dtype()?, body.dtype()?))).collect::<Result<_, _>>()?;
    let slow = flag(&mut body, "whether it is slow")?;
    let claims = if body.is_at_end() {
        Claim::in_full(&Family::BY_DEFAULT)
    } else {
        let count = body.count(1, "list of families")?;
        (0..count).map(|_| body.claim()).collect::<Result<_, _>>()?
    };
    let other_forms = flag(&mut body, "whether it takes forms of another opset")?;
    let layouts = rest(&mut body, 1, "list of layouts", Body::layout)?;
    let names = rest(&mut body, 4, "list of operators", |body| body.text("operator", MAX_NAME))?;
    let dtypes = rest(&mut body, 1, "list of element types", Body::dtype)?;
    body.end()?;
    let specs = specs(&names).ok_or(WireError::Hello("that lists an operator of no known name"))?;
    let declared = Declared { specs, dtypes };
    let capabilities = Capabilities { accumulation, slow, claims, other_forms, layouts, declared };
    let hello = Hello { identity, capabilities };
    forbidden(&hello).map_or(Ok(hello), |why| Err(WireError::Hello(why)))
}

/// Reads a byte that is 0 or 1; returns false if the body ends before it.
fn flag(body: &mut Body<'_>, what: &'static str) -> Result<bool, WireError> {
    if body.is_at_end() {
        return Ok(false);
    }
    match body.u8(what)? {
        0 => Ok(false),
        1 => Ok(true),
        code => Err(body.code(what, code)),
    }
}

/// Reads a list of items of at least so many bytes each; returns an empty one if the body ends before it.
fn rest<'a, T>(
    body: &mut Body<'a>,
    least: usize,
    what: &'static str,
    item: impl Fn(&mut Body<'a>) -> Result<T, WireError>,
) -> Result<Vec<T>, WireError> {
    let count = if body.is_at_end() { 0 } else { body.count(least, what)? };
    (0..count).map(|_| item(body)).collect()
}

/// Returns the specs of these names, each of a spec, of an operator (all its versions) or of a family (all its operators
/// [by default](Norm::BY_DEFAULT)); `None` if a name is neither.
fn specs(names: &[String]) -> Option<Vec<Spec>> {
    let mut specs = Vec::new();
    for name in names {
        let of = |spec: &Spec| match Family::from_name(name) {
            Some(family) => spec.family() == family && Norm::BY_DEFAULT.contains(&spec.norm()),
            None => {
                spec.name().strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
            }
        };
        let before = specs.len();
        specs.extend(Spec::ALL.iter().filter(|spec| of(spec)));
        if specs.len() == before {
            return None;
        }
    }
    Some(specs)
}

/// Returns the reason why the protocol forbids this hello, or `None`.
fn forbidden(Hello { identity, capabilities }: &Hello) -> Option<&'static str> {
    let Identity { name, version, report_bugs_to } = identity;
    let sums = &capabilities.accumulation;
    let claims = &capabilities.claims;
    let twice = |at: usize| claims[..at].iter().any(|claim| claim.family == claims[at].family);
    let again = |at: usize| sums[..at].iter().any(|(data, _)| *data == sums[at].0);
    let layouts = &capabilities.layouts;
    let Declared { specs, dtypes } = &capabilities.declared;
    let rules = [
        (name.trim().is_empty(), "with a name"),
        (version.trim().is_empty(), "with a version"),
        (report_bugs_to.trim().is_empty(), "that says where bugs are reported"),
        ((0..sums.len()).any(again), "that lists the sums of each element type once"),
        (sums.iter().any(|(_, held)| held.is_integer()), "whose sums are held in float types"),
        (claims.is_empty(), "that claims a family of specs"),
        ((0..claims.len()).any(twice), "that claims each family of specs once"),
        (repeats(layouts), "that lists each layout once"),
        (repeats(specs), "that lists each operator once"),
        (repeats(dtypes), "that lists each element type once"),
    ];
    rules.into_iter().find_map(|(is_broken, why)| is_broken.then_some(why))
}

/// Returns true if an item occurs twice.
fn repeats<T: PartialEq>(items: &[T]) -> bool {
    (0..items.len()).any(|at| items[..at].contains(&items[at]))
}

/// Returns the body of the frame that replaces a hello.
pub fn encode_unavailable(Unavailable(why): &Unavailable) -> Vec<u8> {
    let mut out = Vec::new();
    parts::put_text(&mut out, why);
    out
}

/// Decodes the reason why no backend is available, cut to [`MAX_TEXT`] bytes and [`MAX_LINES`] lines.
///
/// # Errors
/// [`WireError`].
pub fn decode_unavailable(body: &[u8]) -> Result<Unavailable, WireError> {
    let mut body = Body::new(body);
    let unavailable = Unavailable(body.text("reason", MAX_TEXT)?);
    body.end()?;
    Ok(unavailable)
}

/// Returns the body of a call frame.
pub fn encode_call(number: u64, call: &Call) -> Vec<u8> {
    let mut out = Vec::with_capacity(ROOM + call.data.len() * call.data.dtype().size());
    put_call(&mut out, number, call);
    out
}

/// Appends the body of a call frame.
pub fn put_call(out: &mut Vec<u8>, number: u64, call: &Call) {
    out.extend(number.to_le_bytes());
    parts::put_operator(out, &call.operator);
    parts::put_tensor(out, &call.data);
    parts::put_axes(out, &call.axes);
    // Row-major is left out, so a worker that takes no other layout need not know the field.
    if call.layout != Layout::RowMajor {
        out.push(parts::layout_code(call.layout));
    }
}

/// Appends the body of a model frame: a call as a serialised model, and the tensors to feed it, by name.
pub fn put_model(out: &mut Vec<u8>, number: u64, model: &[u8], inputs: &[(&str, &Tensor)]) {
    out.extend(number.to_le_bytes());
    parts::put_count(out, model.len());
    out.extend(model);
    parts::put_count(out, inputs.len());
    for (name, tensor) in inputs {
        parts::put_text(out, name);
        parts::put_tensor(out, tensor);
    }
}

/// Decodes a call and its number.
///
/// # Errors
/// [`WireError`].
pub fn decode_call(body: &[u8]) -> Result<(u64, Call), WireError> {
    let mut body = Body::new(body);
    let number = body.u64("call number")?;
    let mut call = Call::new(body.operator()?, body.tensor()?, body.axes()?);
    if !body.is_at_end() {
        call.layout = body.layout()?;
    }
    body.end()?;
    // The worker passes the data to libraries that check no bounds.
    if !call.reads_within_data() {
        return Err(WireError::BeyondData { reach: call.operator.reach(), length: call.data.len() });
    }
    Ok((number, call))
}

/// Returns the body of an answer frame.
pub fn encode_answer(number: u64, answer: &Answer) -> Vec<u8> {
    let mut out = Vec::with_capacity(ROOM);
    put_answer(&mut out, number, answer);
    out
}

/// Appends the body of an answer frame.
pub fn put_answer(out: &mut Vec<u8>, number: u64, answer: &Answer) {
    out.extend(number.to_le_bytes());
    let mut text = |code, text| {
        out.push(code);
        parts::put_text(out, text);
    };
    match answer {
        Answer::Tensor(tensor) => {
            out.push(1);
            parts::put_tensor(out, tensor);
        }
        Answer::Rejected(why) => text(2, why),
        Answer::Unsupported(why) => text(3, why),
        Answer::Crashed(how) => text(4, how),
    }
}

/// Appends the body of an answer frame that reports changed data.
pub fn put_changed_data(out: &mut Vec<u8>, number: u64, how: &str) {
    out.extend(number.to_le_bytes());
    out.push(6);
    parts::put_text(out, how);
}

/// Decodes a reply and the number of its call. Texts are cut to [`MAX_TEXT`] bytes and [`MAX_LINES`] lines.
///
/// # Errors
/// [`WireError`].
pub fn decode_answer(body: &[u8]) -> Result<(u64, Reply), WireError> {
    decode_answer_start(body, body.len(), ResultBound::NONE)
}

/// Decodes a reply from the start of a body of `length` bytes; `start` holds at least [`ResultBound::bytes`] of them.
///
/// # Errors
/// [`WireError`].
pub fn decode_answer_start(
    start: &[u8],
    length: usize,
    bound: ResultBound,
) -> Result<(u64, Reply), WireError> {
    let mut body = Body::start(start, length);
    let number = body.u64("call number")?;
    let reply = match body.u8("outcome")? {
        1 => body.result(bound)?,
        2 => Reply::Answer(Answer::Rejected(body.text("rejection", MAX_TEXT)?)),
        3 => Reply::Answer(Answer::Unsupported(body.text("reason", MAX_TEXT)?)),
        4 => Reply::Answer(Answer::Crashed(body.text("crash", MAX_TEXT)?)),
        5 => Reply::TimedOut(Duration::from_nanos(body.u64("time")?)),
        6 => Reply::ChangedData(body.text("change", MAX_TEXT)?),
        code => return Err(body.code("outcome", code)),
    };
    body.end()?;
    Ok((number, reply))
}
