//! The documents that define a spec: its own page, that page in another language, and a standard's pages on all its
//! functions. They may differ, so each is a source of its own.

use std::fmt;
use std::str::FromStr;

use normative_conformance::reference::Spec;

/// A document that clauses rest on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Document {
    /// The page of the spec itself, in English.
    #[default]
    English,
    /// The same page in Japanese.
    Japanese,
    /// The pages of a standard on all its functions.
    Standard,
}

/// A word that does not name a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a document, english, japanese or standard, got {0:?}")]
pub(crate) struct NotADocument(String);

impl Document {
    /// Returns the document that a page is. Only Japanese has hiragana.
    pub(crate) fn of_page(page: &str) -> Self {
        let is_hiragana = |c: char| ('\u{3041}'..='\u{309f}').contains(&c);
        if page.contains(is_hiragana) { Self::Japanese } else { Self::English }
    }

    /// Names a spec and its document, for messages.
    pub(crate) fn named(self, spec: Spec) -> String {
        match self {
            Self::English => spec.name().to_owned(),
            Self::Japanese => format!("{} in Japanese", spec.name()),
            Self::Standard => format!("{}, pages for all functions", spec.name()),
        }
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::English => "english",
            Self::Japanese => "japanese",
            Self::Standard => "standard",
        })
    }
}

impl FromStr for Document {
    type Err = NotADocument;

    fn from_str(text: &str) -> Result<Self, NotADocument> {
        [Self::English, Self::Japanese, Self::Standard]
            .into_iter()
            .find(|document| document.to_string() == text)
            .ok_or_else(|| NotADocument(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_reads_back() {
        for document in [Document::English, Document::Japanese, Document::Standard] {
            assert_eq!(document.to_string().parse(), Ok(document));
        }
        assert_eq!("jp".parse::<Document>(), Err(NotADocument("jp".to_owned())));
    }

    #[test]
    fn a_japanese_page_is_known_by_its_hiragana() {
        assert_eq!(Document::of_page("ReduceL1 は合計です。"), Document::Japanese);
        assert_eq!(Document::of_page("ReduceL1 adds. 日本語 | English"), Document::English);
    }
}
