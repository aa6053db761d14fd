//! Splits a stream of bytes into frames, one per message.
//!
//! A frame is `u32 length | u8 tag | body`, little-endian; `length` counts the body alone. [`super::wire`]
//! defines the bodies. No input makes [`read`] panic, or allocate more than about twice the bytes that really
//! came: it does not trust `length`.

use std::io::{self, Read, Write};

use thiserror::Error;

/// The longest body either end accepts by default, in bytes: 1 GiB.
///
/// The largest tensor ([`normative_reference::MAX_ELEMENTS`] elements of 8 bytes) fits.
pub const MAX_BODY: usize = 1 << 30;

/// The size of `length` and `tag` together, in bytes.
pub const HEADER: usize = 5;

/// The size of a small body, in bytes.
const SMALL: usize = 512;

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The kind of message.
    pub tag: u8,
    /// The message.
    pub body: Vec<u8>,
}

/// The reason why a frame could not be read or written.
#[derive(Debug, Error)]
pub enum FrameError {
    /// The stream ended inside the length or the tag.
    #[error("expected the {HEADER} bytes that open a frame, got {got}")]
    CutHeader {
        /// Bytes that came.
        got: usize,
    },
    /// The stream ended inside the body.
    #[error("expected the {length} bytes of a frame, got {got}")]
    CutBody {
        /// Bytes promised.
        length: usize,
        /// Bytes that came.
        got: usize,
    },
    /// The body is longer than the reader accepts, or than a frame can be.
    #[error("expected a frame of at most {limit} bytes, got {length}")]
    TooLong {
        /// The body's length in bytes.
        length: usize,
        /// The most that would have been accepted.
        limit: usize,
    },
    /// The stream itself failed.
    #[error("the stream failed: {0}")]
    Stream(#[from] io::Error),
}

/// Writes one frame. The caller flushes a buffered writer.
///
/// # Errors
/// [`FrameError::TooLong`] beyond [`MAX_BODY`], with nothing written; [`FrameError::Stream`].
pub fn write(to: &mut impl Write, tag: u8, body: &[u8]) -> Result<(), FrameError> {
    to.write_all(&header(tag, body.len())?)?;
    Ok(to.write_all(body)?)
}

/// Appends one frame; `put_body` appends its body.
///
/// # Errors
/// [`FrameError::TooLong`] beyond [`MAX_BODY`], with nothing put.
pub fn put(frames: &mut Vec<u8>, tag: u8, put_body: impl FnOnce(&mut Vec<u8>)) -> Result<(), FrameError> {
    let start = frames.len();
    frames.extend([0; HEADER]);
    put_body(frames);
    match header(tag, frames.len() - start - HEADER) {
        Ok(header) => {
            frames[start..start + HEADER].copy_from_slice(&header);
            Ok(())
        }
        Err(error) => {
            frames.truncate(start);
            Err(error)
        }
    }
}

fn header(tag: u8, length: usize) -> Result<[u8; HEADER], FrameError> {
    match u32::try_from(length).map(u32::to_le_bytes) {
        Ok([a, b, c, d]) if length <= MAX_BODY => Ok([a, b, c, d, tag]),
        _ => Err(FrameError::TooLong { length, limit: MAX_BODY }),
    }
}

/// Returns the tag and the body length that a header announces.
fn announced([a, b, c, d, tag]: [u8; HEADER], max_body: usize) -> Result<(u8, usize), FrameError> {
    match u32::from_le_bytes([a, b, c, d]) as usize {
        length if length > max_body => Err(FrameError::TooLong { length, limit: max_body }),
        length => Ok((tag, length)),
    }
}

/// Reads one frame; `None` where the stream ends between frames.
///
/// # Errors
/// [`FrameError`]; after one, the stream is not at the start of a frame and cannot be used any further.
pub fn read(from: &mut impl Read, max_body: usize) -> Result<Option<Frame>, FrameError> {
    let mut body = Vec::new();
    Ok(read_into(from, max_body, &mut body)?.map(|tag| Frame { tag, body }))
}

/// Reads one frame into `body` and returns its tag.
pub(super) fn read_into(
    from: &mut impl Read,
    max_body: usize,
    body: &mut Vec<u8>,
) -> Result<Option<u8>, FrameError> {
    read_at_most(from, HEADER, body)?;
    let Some((header, _)) = body.split_first_chunk() else {
        return if body.is_empty() { Ok(None) } else { Err(FrameError::CutHeader { got: body.len() }) };
    };
    let (tag, length) = announced(*header, max_body)?;
    read_at_most(from, length, body)?;
    if body.len() < length {
        return Err(FrameError::CutBody { length, got: body.len() });
    }
    Ok(Some(tag))
}

/// Returns the tag and body length of the first frame in these bytes; `None` before its header is complete.
///
/// # Errors
/// [`FrameError::TooLong`].
pub fn opening(bytes: &[u8], max_body: usize) -> Result<Option<(u8, usize)>, FrameError> {
    bytes.first_chunk().map(|header| announced(*header, max_body)).transpose()
}

/// Returns the tag and body of the first frame in these bytes; `None` before it is complete.
///
/// # Errors
/// [`FrameError::TooLong`].
pub fn first(bytes: &[u8], max_body: usize) -> Result<Option<(u8, &[u8])>, FrameError> {
    let Some((header, rest)) = bytes.split_first_chunk() else { return Ok(None) };
    let (tag, length) = announced(*header, max_body)?;
    Ok(rest.get(..length).map(|body| (tag, body)))
}

/// Returns true if these bytes begin with a whole frame, so that reading one from them would not block.
pub(super) fn is_whole(bytes: &[u8]) -> bool {
    matches!(first(bytes, usize::MAX), Ok(Some(_)))
}

/// Reads `length` bytes, or fewer if the stream ends. Memory grows with the bytes that come, not with `length`.
fn read_at_most(from: &mut impl Read, length: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
    bytes.clear();
    // Reserve no more than a small body at once.
    bytes.reserve(length.min(SMALL));
    from.take(length as u64).read_to_end(bytes)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    fn read_all(mut bytes: &[u8]) -> Result<Option<Frame>, FrameError> {
        read(&mut bytes, 100)
    }

    #[test]
    fn the_length_is_little_endian_and_counts_the_body_alone() {
        let mut bytes = Vec::new();
        write(&mut bytes, 7, b"abc").unwrap();
        assert_eq!(bytes, b"\x03\0\0\0\x07abc");
    }

    #[rstest]
    #[case::nothing(b"", "Ok(None)")]
    #[case::inside_the_length(b"\x01\0", "CutHeader { got: 2 }")]
    #[case::before_the_tag(b"\0\0\0\0", "CutHeader { got: 4 }")]
    #[case::before_the_body(b"\x02\0\0\0\x01", "CutBody { length: 2, got: 0 }")]
    #[case::inside_the_body(b"\x02\0\0\0\x01a", "CutBody { length: 2, got: 1 }")]
    #[case::beyond_the_limit(b"\x65\0\0\0\x01", "TooLong { length: 101, limit: 100 }")]
    #[case::the_greatest_length(b"\xff\xff\xff\xff\x01", "TooLong { length: 4294967295, limit: 100 }")]
    fn a_cut_or_oversize_frame_is_named_with_its_bytes(#[case] bytes: &[u8], #[case] expected: &str) {
        let got = format!("{:?}", read_all(bytes));
        assert!(got.contains(expected), "{got}");
    }

    #[test]
    fn a_lying_length_allocates_nothing() {
        struct Counting<'a>(&'a [u8], usize);
        impl Read for Counting<'_> {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                self.1 = self.1.max(into.len());
                self.0.read(into)
            }
        }
        let mut stream = Counting(b"\xff\xff\xff\x3f\x01abc", 0);
        let got = read(&mut stream, MAX_BODY);
        assert!(matches!(got, Err(FrameError::CutBody { length: 0x3fff_ffff, got: 3 })), "{got:?}");
        assert!(stream.1 <= 64 * 1024, "offered a buffer of {} bytes", stream.1);
    }

    #[test]
    fn a_body_that_no_reader_would_accept_is_not_written() {
        let mut bytes = Vec::new();
        let error = write(&mut bytes, 1, &vec![0; MAX_BODY + 1]).unwrap_err();
        assert!(matches!(error, FrameError::TooLong { .. }));
        assert!(bytes.is_empty());
    }

    #[test]
    fn a_body_that_no_reader_would_accept_is_not_put() {
        let mut frames = b"before".to_vec();
        // The body is zero-filled memory that is never touched, so the test needs no 1 GiB of RAM.
        let error = put(&mut frames, 1, |out| *out = vec![0; b"before".len() + HEADER + MAX_BODY + 1]);
        assert!(matches!(error, Err(FrameError::TooLong { length, .. }) if length == MAX_BODY + 1));
        assert_eq!(frames.len(), b"before".len());
    }

    proptest! {
        #[test]
        fn what_is_put_behind_others_is_what_is_written(
            tag: u8, body in proptest::collection::vec(any::<u8>(), 0..100), before: Vec<u8>,
        ) {
            let (mut put_there, mut written) = (before.clone(), before);
            put(&mut put_there, tag, |out| out.extend(&body)).unwrap();
            write(&mut written, tag, &body).unwrap();
            prop_assert_eq!(put_there, written);
        }

        #[test]
        fn what_is_written_is_read_back_and_the_stream_stands_at_the_next_frame(
            tag: u8, body in proptest::collection::vec(any::<u8>(), 0..100), next: u8,
        ) {
            let mut bytes = Vec::new();
            write(&mut bytes, tag, &body).unwrap();
            bytes.push(next);
            let mut stream = &bytes[..];
            prop_assert_eq!(read(&mut stream, 100).unwrap(), Some(Frame { tag, body }));
            prop_assert_eq!(stream, &[next]);
        }

        #[test]
        fn what_lies_in_a_buffer_is_read_as_from_a_stream(
            length in 0_u32..120, bytes in proptest::collection::vec(any::<u8>(), 0..120),
        ) {
            let bytes = [&length.to_le_bytes()[..], &bytes].concat();
            let opened = opening(&bytes, 100).ok().flatten();
            let whole = bytes.len() >= HEADER && length <= 100;
            prop_assert_eq!(opened, whole.then(|| (bytes[4], length as usize)));
            match (first(&bytes, 100), read_all(&bytes)) {
                (Ok(Some((tag, body))), Ok(read)) => {
                    prop_assert!(is_whole(&bytes));
                    prop_assert_eq!(Some(Frame { tag, body: body.to_vec() }), read);
                }
                (Ok(None), Err(FrameError::CutBody { .. } | FrameError::CutHeader { .. })) => {
                    prop_assert!(!is_whole(&bytes));
                }
                (Err(FrameError::TooLong { .. }), Err(FrameError::TooLong { .. })) => {}
                other => prop_assert!(false, "{:?}", other),
            }
        }

        #[test]
        fn any_bytes_give_a_frame_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            match read_all(&bytes) {
                Ok(None) => prop_assert!(bytes.is_empty()),
                Ok(Some(frame)) => prop_assert_eq!(&bytes[HEADER..HEADER + frame.body.len()], &frame.body[..]),
                Err(error) => prop_assert!(!matches!(error, FrameError::Stream(_))),
            }
        }
    }
}
