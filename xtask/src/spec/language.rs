//! The language that a page is in: a source of one spec may be published in several, which need not say the same.

use std::fmt;
use std::str::FromStr;

use normative_conformance::reference::Spec;

/// A language that some source is read in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Language {
    /// Any source that is not in Japanese.
    #[default]
    English,
    Japanese,
}

/// A word that names no language of these.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a language, en or ja, got {0:?}")]
pub(crate) struct NotALanguage(String);

impl Language {
    /// The language of a page: hiragana is written in Japanese alone.
    pub(crate) fn of_page(page: &str) -> Self {
        let is_hiragana = |c: char| ('\u{3041}'..='\u{309f}').contains(&c);
        if page.contains(is_hiragana) { Self::Japanese } else { Self::English }
    }

    /// A spec and the language of its text, for people.
    pub(crate) fn named(self, spec: Spec) -> String {
        match self {
            Self::English => spec.name().to_owned(),
            Self::Japanese => format!("{} in Japanese", spec.name()),
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::English => "en",
            Self::Japanese => "ja",
        })
    }
}

impl FromStr for Language {
    type Err = NotALanguage;

    fn from_str(text: &str) -> Result<Self, NotALanguage> {
        [Self::English, Self::Japanese]
            .into_iter()
            .find(|language| language.to_string() == text)
            .ok_or_else(|| NotALanguage(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_reads_back() {
        for language in [Language::English, Language::Japanese] {
            assert_eq!(language.to_string().parse(), Ok(language));
        }
        assert_eq!("jp".parse::<Language>(), Err(NotALanguage("jp".to_owned())));
    }

    #[test]
    fn a_japanese_page_is_known_by_its_hiragana() {
        assert_eq!(Language::of_page("ReduceL1 は合計です。"), Language::Japanese);
        assert_eq!(Language::of_page("ReduceL1 adds. 日本語 | English"), Language::English);
    }
}
