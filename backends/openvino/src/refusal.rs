//! The error that OpenVINO returns in place of a result: a refusal of the call, or "not supported".

use openvino::{InferenceError, InferenceErrorKind};

/// The reason why there is no result.
pub(crate) enum Refusal {
    OpenVino(InferenceError),
    Result(String),
}

impl From<InferenceError> for Refusal {
    fn from(error: InferenceError) -> Self {
        Self::OpenVino(error)
    }
}

impl Refusal {
    /// Returns true if OpenVINO reports that it does not support the call, rather than that the call is invalid.
    pub(crate) fn declines(&self) -> bool {
        let Self::OpenVino(InferenceError { kind, message }) = self else { return false };
        let text = message.as_deref().unwrap_or_default().to_lowercase();
        matches!(kind, InferenceErrorKind::NotImplemented | InferenceErrorKind::NotImplementCMethod)
            || ["not supported", "n't support", "unsupported", "not implemented"]
                .iter()
                .any(|words| text.contains(words))
    }

    /// Returns the message in one line, without OpenVINO's stack of source places, which differs between builds.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Result(what) => what.clone(),
            Self::OpenVino(InferenceError { kind, message }) => {
                let message = message.as_deref().unwrap_or_default();
                let lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
                let said: Vec<&str> = lines.filter(|line| !line.starts_with("Exception from ")).collect();
                if said.is_empty() { kind.to_string() } else { said.join(" ") }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_bad_argument(
        InferenceErrorKind::GeneralError,
        "Exception from a.cpp:1:\nAxis 7 out of range\n",
        false
    )]
    #[case::a_missing_kernel(
        InferenceErrorKind::GeneralError,
        "Unsupported operation of type: ReduceL1",
        true
    )]
    #[case::by_kind(InferenceErrorKind::NotImplemented, "no", true)]
    fn only_what_openvino_says_it_does_not_do_is_unsupported(
        #[case] kind: InferenceErrorKind,
        #[case] message: &str,
        #[case] declines: bool,
    ) {
        let refusal = Refusal::OpenVino(InferenceError { kind, message: Some(message.into()) });
        assert_eq!(refusal.declines(), declines);
    }

    #[test]
    fn a_message_is_told_without_the_places_it_came_through() {
        let message =
            "Exception from src/core.cpp:84:\nException from src/op.cpp:9:\nAxis 7\n  out of range\n";
        let error = InferenceError { kind: InferenceErrorKind::GeneralError, message: Some(message.into()) };
        assert_eq!(Refusal::OpenVino(error).words(), "Axis 7 out of range");
    }
}
