//! Answers as a record writes them, and back: elements as hexadecimal digits, deadlines in nanoseconds.

use std::time::Duration;

use super::hex::{from_hexadecimal, hexadecimal};
use super::line::{Written, dtype};
use normative_backend::bytes;
use normative_backend::{Answer, Death};

impl Written {
    /// An answer as it is written. A deadline of 584 years or more is written as the longest there is.
    pub fn of(answer: &Answer) -> Self {
        match answer {
            Answer::Tensor(tensor) => Self::Tensor {
                dtype: tensor.dtype().to_string(),
                shape: tensor.shape().to_vec(),
                bits: hexadecimal(&bytes::of(tensor)),
            },
            Answer::Rejected(why) => Self::Rejected(why.clone()),
            Answer::Unsupported(why) => Self::Unsupported(why.clone()),
            Answer::ChangedData(how) => Self::ChangedData(how.clone()),
            Answer::Died(Death::Crashed(how)) => Self::Crashed(how.clone()),
            Answer::Died(Death::TimedOut(after)) => {
                Self::TimedOut(u64::try_from(after.as_nanos()).unwrap_or(u64::MAX))
            }
        }
    }

    /// The answer that was written.
    ///
    /// # Errors
    /// Why it is no tensor.
    pub fn read(self) -> Result<Answer, String> {
        Ok(match self {
            Self::Tensor { dtype: name, shape, bits } => {
                let bits = from_hexadecimal(&bits).ok_or("the bits are not pairs of hexadecimal digits")?;
                let tensor = bytes::tensor(dtype(&name)?, &shape, &bits);
                Answer::Tensor(tensor.map_err(|error| error.to_string())?)
            }
            Self::Rejected(why) => Answer::Rejected(why),
            Self::Unsupported(why) => Answer::Unsupported(why),
            Self::ChangedData(how) => Answer::ChangedData(how),
            Self::Crashed(how) => Answer::Died(Death::Crashed(how)),
            Self::TimedOut(nanos) => Answer::Died(Death::TimedOut(Duration::from_nanos(nanos))),
        })
    }
}
