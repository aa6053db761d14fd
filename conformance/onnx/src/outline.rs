//! Reads a model file without its weights: a file of many gigabytes becomes the bytes of its graph.
//!
//! Of a large initializer the name, the type and the dims stay. Of everything else, what is too large is left out,
//! except a node, whose size is an error. No bytes cause a panic, and the result is at most [`MOST`] long.

use std::io::{Read, Seek, SeekFrom};

use crate::error::ReadError;
use crate::wire::Message;

/// The most bytes of an outline: 512 MiB. The graphs of the largest language models have a few.
pub const MOST: u64 = 512 << 20;

/// The most bytes of an initializer that stays whole. Axes take 8 bytes each.
const SMALL: u64 = 1 << 16;

/// Returns the bytes of a model without its weights.
///
/// # Errors
/// [`ReadError`] if the file cannot be read, is not a model, or its graph is longer than [`MOST`].
pub fn outline<R: Read + Seek>(mut file: R) -> Result<Vec<u8>, ReadError> {
    let end = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    let mut source = Source { file, at: 0, kept: 0 };
    let mut model = Message::default();
    while source.at < end {
        model = match source.field(end)? {
            (7, Part::Bytes(length)) => {
                let graph = graph(&mut source, length)?;
                model.message(7, graph)
            }
            (field, part) => source.copied(model, field, part, SMALL.max(MOST_FUNCTION))?,
        };
    }
    Ok(model.into_bytes())
}

/// The most bytes of a function, or of a node with the graphs within it.
const MOST_FUNCTION: u64 = 64 << 20;

fn graph<R: Read + Seek>(source: &mut Source<R>, length: u64) -> Result<Message, ReadError> {
    let (end, mut graph) = (source.at + length, Message::default());
    while source.at < end {
        graph = match source.field(end)? {
            (1, Part::Bytes(length)) if length > MOST_FUNCTION => return Err(ReadError::TooLarge(length)),
            (5, Part::Bytes(length)) if length > SMALL => {
                let tensor = head_of_tensor(source, length)?;
                graph.message(5, tensor)
            }
            (field, part) => source.copied(graph, field, part, MOST_FUNCTION)?,
        };
    }
    Ok(graph)
}

/// Reads the dims, the type and the name of a tensor.
fn head_of_tensor<R: Read + Seek>(source: &mut Source<R>, length: u64) -> Result<Message, ReadError> {
    let (end, mut tensor) = (source.at + length, Message::default());
    while source.at < end {
        tensor = match source.field(end)? {
            (field @ (1 | 2 | 8), part) => source.copied(tensor, field, part, SMALL)?,
            (_, part) => {
                source.skip(part)?;
                tensor
            }
        };
    }
    Ok(tensor)
}

/// The value of a field, before its bytes are read.
#[derive(Clone, Copy, Debug)]
enum Part {
    Integer(u64),
    Bytes(u64),
    /// A number of 4 or 8 bytes, which no part of an outline is.
    Fixed(u64),
}

/// A file, the place in it, and the number of bytes kept of it.
struct Source<R> {
    file: R,
    at: u64,
    kept: u64,
}

impl<R: Read + Seek> Source<R> {
    /// Reads the next field of a message that ends at `end`.
    fn field(&mut self, end: u64) -> Result<(u64, Part), ReadError> {
        let key = self.varint()?;
        let part = match key & 7 {
            0 => Part::Integer(self.varint()?),
            1 => Part::Fixed(8),
            2 => Part::Bytes(self.varint()?),
            5 => Part::Fixed(4),
            kind => return Err(ReadError::WireType(kind)),
        };
        if key >> 3 == 0 {
            return Err(ReadError::NoField);
        }
        let length = match part {
            Part::Integer(_) => 0,
            Part::Bytes(length) | Part::Fixed(length) => length,
        };
        let fits = self.at.checked_add(length).is_some_and(|after| after <= end);
        if fits { Ok((key >> 3, part)) } else { Err(ReadError::Truncated) }
    }

    /// Appends a field to a message, unless it is longer than `most`.
    fn copied(&mut self, to: Message, field: u64, part: Part, most: u64) -> Result<Message, ReadError> {
        match part {
            Part::Integer(value) => Ok(to.integer(field, value as i64)),
            Part::Bytes(length) if length <= most => {
                self.kept += length;
                if self.kept > MOST {
                    return Err(ReadError::TooLarge(self.kept));
                }
                let mut bytes = Vec::new();
                let read = self.file.by_ref().take(length).read_to_end(&mut bytes)?;
                self.at += length;
                if read as u64 == length { Ok(to.bytes(field, bytes)) } else { Err(ReadError::Truncated) }
            }
            Part::Bytes(_) | Part::Fixed(_) => {
                self.skip(part)?;
                Ok(to)
            }
        }
    }

    fn skip(&mut self, part: Part) -> Result<(), ReadError> {
        if let Part::Bytes(length) | Part::Fixed(length) = part {
            self.at += length;
            self.file.seek(SeekFrom::Start(self.at))?;
        }
        Ok(())
    }

    fn varint(&mut self) -> Result<u64, ReadError> {
        let mut value = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let mut byte = [0];
            if self.file.read(&mut byte)? == 0 {
                return Err(ReadError::Truncated);
            }
            self.at += 1;
            value |= u64::from(byte[0] & 0x7f) << shift;
            if byte[0] < 0x80 {
                return Ok(value);
            }
        }
        Err(ReadError::Truncated)
    }
}
