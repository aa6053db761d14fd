//! Writes answers and calls as in a record, and reads them back: elements and calls as hexadecimal digits,
//! deadlines in nanoseconds.

use std::time::Duration;

use data_encoding::HEXLOWER_PERMISSIVE as HEX;

use normative_reference::{Call, Dtype};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::observed::{Death, Observed};
use normative_backend::bytes;
use normative_backend::wire::{decode_call, encode_call};
use normative_reference::tensor::element_count;

/// An answer in its written form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Written {
    /// A tensor.
    Tensor {
        /// The name of its element type.
        dtype: String,
        /// Its dims.
        shape: Vec<usize>,
        /// Its elements; empty if it has more of them than any reading gives.
        bits: String,
    },
    /// A refusal, in the runtime's words.
    Rejected(String),
    /// The reason why the backend does not support it.
    Unsupported(String),
    /// The details of the change.
    ChangedData(String),
    /// The details of the crash.
    Crashed(String),
    /// The deadline, in nanoseconds.
    TimedOut(u64),
}

impl Written {
    /// Converts an answer. A deadline of 584 years or more becomes the longest one, 2^64 - 1 ns.
    pub fn of(answer: &Observed) -> Self {
        match answer {
            Observed::Tensor(tensor) => Self::Tensor {
                dtype: tensor.dtype().to_string(),
                shape: tensor.shape().to_vec(),
                bits: HEX.encode(&bytes::of(tensor)),
            },
            // Elements that were not kept are written as none, so that reading tells the answer from a tensor.
            Observed::Oversized { dtype, shape } => {
                Self::Tensor { dtype: dtype.to_string(), shape: shape.clone(), bits: String::new() }
            }
            Observed::Rejected(why) => Self::Rejected(why.clone()),
            Observed::Unsupported(why) => Self::Unsupported(why.clone()),
            Observed::ChangedData(how) => Self::ChangedData(how.clone()),
            Observed::Died(Death::Crashed(how)) => Self::Crashed(how.clone()),
            Observed::Died(Death::TimedOut(after)) => {
                Self::TimedOut(u64::try_from(after.as_nanos()).unwrap_or(u64::MAX))
            }
        }
    }

    /// Reads the answer back.
    ///
    /// # Errors
    /// Returns the reason why it is not a tensor.
    pub fn read(self) -> Result<Observed, String> {
        Ok(match self {
            Self::Tensor { dtype: name, shape, bits }
                if bits.is_empty() && element_count(&shape).is_ok_and(|count| count > 0) =>
            {
                Observed::Oversized { dtype: dtype(&name)?, shape }
            }
            Self::Tensor { dtype: name, shape, bits } => {
                let bits = HEX
                    .decode(bits.as_bytes())
                    .map_err(|_| "expected bits as pairs of hexadecimal digits")?;
                let tensor = bytes::tensor(dtype(&name)?, &shape, &bits);
                Observed::Tensor(tensor.map_err(|error| error.to_string())?)
            }
            Self::Rejected(why) => Observed::Rejected(why),
            Self::Unsupported(why) => Observed::Unsupported(why),
            Self::ChangedData(how) => Observed::ChangedData(how),
            Self::Crashed(how) => Observed::Died(Death::Crashed(how)),
            Self::TimedOut(nanos) => Observed::Died(Death::TimedOut(Duration::from_nanos(nanos))),
        })
    }
}

pub(super) fn write_answer<S: Serializer>(answer: &Observed, to: S) -> Result<S::Ok, S::Error> {
    Written::of(answer).serialize(to)
}

pub(super) fn read_answer<'de, D: Deserializer<'de>>(from: D) -> Result<Observed, D::Error> {
    Written::deserialize(from)?.read().map_err(D::Error::custom)
}

/// Writes a call in the protocol of workers, numbered 0, in hexadecimal digits.
///
/// # Errors
/// Errors of the serializer.
pub fn write_call<S: Serializer>(call: &Call, to: S) -> Result<S::Ok, S::Error> {
    HEX.encode(&encode_call(0, call)).serialize(to)
}

/// Reads such a call.
///
/// # Errors
/// The digits are not those of a call.
pub fn read_call<'de, D: Deserializer<'de>>(from: D) -> Result<Call, D::Error> {
    let digits = String::deserialize(from)?;
    let bytes = HEX
        .decode(digits.as_bytes())
        .map_err(|_| D::Error::custom("expected pairs of hexadecimal digits"))?;
    decode_call(&bytes).map(|(_, call)| call).map_err(D::Error::custom)
}

pub(super) fn dtype(name: &str) -> Result<Dtype, String> {
    Dtype::from_name(name).ok_or_else(|| format!("expected an element type, got {name:?}"))
}
