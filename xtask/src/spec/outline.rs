//! Cuts the lines of a page into named sections, by the headings and labels of the family's pages.
//!
//! A section is named after its heading and, if any, its label: `inputs/axes`. Sections of a Japanese page have the
//! English names. Lines before the page's title are not read. This module neither normalises nor interprets sentences.

use std::collections::BTreeMap;

use normative_conformance::reference::{Family, Spec};

use super::document::Document;
use super::html::HEADING;
use super::python::LABEL;
use super::sentences::{BREAK, sentences};

/// The text of a source about one spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    /// The operator and its version, such as `ReduceL1-13`.
    pub(crate) version: String,
    /// The sections, in the order of the source.
    pub(crate) sections: Vec<Section>,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) name: String,
    pub(crate) sentences: Vec<String>,
}

/// The kind of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pages {
    Onnx,
    OpenVino,
    OpenVinoInJapanese,
    Bnns,
    ArrayApi,
    WebNn,
    Blas,
}

/// Headings and labels in Japanese, with the English ones.
const JAPANESE: [(&str, &str); 16] = [
    ("バージョン名", "Versioned name"),
    ("カテゴリー", "Category"),
    ("簡単な説明", "Short description"),
    ("詳細説明", "Detailed Description"),
    ("詳細な説明", "Detailed Description"),
    ("特定のケース", "Particular cases"),
    ("属性", "Attributes"),
    ("説明", "Description"),
    ("値の範囲", "Range of values"),
    ("タイプ", "Type"),
    ("デフォルト値", "Default value"),
    ("必須", "Required"),
    ("入力", "Inputs"),
    ("出力", "Outputs"),
    ("タイプ", "Types"),
    ("例", "Examples"),
];
/// The name of a section that does not belong to any text here.
const ELSEWHERE: &str = "elsewhere";

/// Sections in which every line is a sentence.
const BY_LINE: [&str; 3] = ["version", "function-body", "code"];

impl Pages {
    /// Returns the kind of a spec's English pages.
    pub(crate) fn of(spec: Spec) -> Self {
        match spec.family() {
            Family::Onnx => Self::Onnx,
            Family::OpenVino => Self::OpenVino,
            Family::Bnns => Self::Bnns,
            Family::ArrayApi => Self::ArrayApi,
            Family::WebNn => Self::WebNn,
            Family::Blas => Self::Blas,
        }
    }

    /// Returns the kind for another document: a Japanese page has its own headings.
    pub(crate) fn of_document(self, document: Document) -> Self {
        match (self, document) {
            (Self::OpenVino, Document::Japanese) => Self::OpenVinoInJapanese,
            (pages, _) => pages,
        }
    }

    /// Returns the headings that stand on a line of their own.
    const fn headings(self) -> &'static [&'static str] {
        match self {
            Self::Onnx => &[
                "Version",
                "Summary",
                "Function Body",
                "Attributes",
                "Inputs",
                "Outputs",
                "Type Constraints",
            ],
            Self::OpenVino | Self::OpenVinoInJapanese => &[
                "Detailed Description",
                "Particular cases",
                "Attributes",
                "Inputs",
                "Outputs",
                "Types",
                "Examples",
            ],
            Self::Bnns => &["Declaration", "Parameters", "Discussion", "See Also"],
            Self::WebNn => &["MLOperandDescriptor dictionary", "Reduction operations"],
            Self::Blas => {
                &["Definition", "Purpose", "Arguments", "Authors", "Contributors", "Further Details", "Code"]
            }
            Self::ArrayApi => &["Signature", "Summary", "Parameters", "Returns", "Raises", "Notes"],
        }
    }

    /// Returns the heading that a line is.
    fn heading(self, line: &str) -> Option<&'static str> {
        let words = line.trim_end_matches([':', '：']);
        let is_it = |name: &&&'static str| match self {
            Self::OpenVinoInJapanese => JAPANESE.contains(&(words, **name)),
            _ => name.eq_ignore_ascii_case(words),
        };
        self.headings().iter().find(is_it).copied()
    }

    /// Returns true if a line is the title of this version.
    fn titled(self, line: &str, version: &str) -> bool {
        match self {
            Self::Onnx => line
                .split_once(" - ")
                .is_some_and(|(name, number)| version.split_once('-') == Some((name.trim(), number.trim()))),
            Self::OpenVino | Self::OpenVinoInJapanese => {
                version.split_once('-').is_some_and(|(name, _)| line == name)
            }
            Self::Bnns => line.strip_prefix(version).is_some_and(|rest| rest.starts_with('(')),
            // The versions of a function are those of its standard, each in a folder of its own.
            Self::ArrayApi => line.strip_prefix("def ") == version.split('-').next(),
            // The routine in double precision; the text of the single-precision one is the same.
            Self::Blas => {
                let name = version.split('-').next().unwrap_or_default().to_uppercase();
                line.strip_prefix('D') == Some(&name)
            }
            // One page has all operators.
            Self::WebNn => line == "Title: Web Neural Network API",
        }
    }

    /// Returns the name of the section between the title and the first heading.
    const fn first(self) -> &'static str {
        match self {
            Self::Onnx | Self::OpenVino | Self::OpenVinoInJapanese | Self::ArrayApi | Self::Blas => "title",
            Self::Bnns => "abstract",
            Self::WebNn => ELSEWHERE,
        }
    }

    /// Returns the section that the label at the start of a line opens, and the rest of the line.
    fn label(self, heading: &str, line: &str) -> Option<(String, String)> {
        match self {
            Self::Onnx => onnx_label(heading, line),
            Self::OpenVino => {
                let (name, rest) = line.split_once(':')?;
                Some((openvino_label(heading, name.trim())?, rest.trim().to_owned()))
            }
            Self::OpenVinoInJapanese => {
                let (name, rest) = line.split_once([':', '：'])?;
                let name = name.trim();
                let labels = JAPANESE.iter().filter(|(label, _)| *label == name).map(|(_, english)| *english);
                let label = labels.chain([name]).find_map(|label| openvino_label(heading, label));
                Some((label?, rest.trim().to_owned()))
            }
            Self::Bnns => {
                let name = line.trim_end_matches(':').trim();
                let known = heading == "parameters" && ["input", "output", "axes"].contains(&name);
                known.then(|| (format!("{heading}/{name}"), String::new()))
            }
            Self::WebNn => {
                let (_, name) = WEBNN_LABELS.into_iter().find(|(begins, _)| line.starts_with(begins))?;
                (heading == "reduction-operations").then(|| (format!("{heading}/{name}"), line.to_owned()))
            }
            Self::Blas => {
                let name = line.strip_prefix(LABEL)?.trim().to_lowercase();
                Some((format!("{heading}/{name}"), String::new()))
            }
            Self::ArrayApi => {
                let (name, kind) = line.strip_prefix(LABEL)?.split_once(':')?;
                Some((format!("{heading}/{}", name.trim()), format!("{}:", kind.trim())))
            }
        }
    }

    /// Returns true if a line begins a sentence although nothing ends the one before.
    fn begins_anew(self, line: &str) -> bool {
        match self {
            Self::OpenVino | Self::OpenVinoInJapanese => line.starts_with("<layer "),
            // The meaning of each spacing has a line of its own, without a full stop.
            Self::Blas => line.starts_with("If INC"),
            Self::Onnx | Self::Bnns | Self::ArrayApi | Self::WebNn => false,
        }
    }

    /// Returns true if a line is only on this form of the page, and not in other forms of the source.
    fn leaves_out(self, section: &str, line: &str) -> bool {
        match (self, section) {
            // The page adds lines to those of the package.
            (Self::Onnx, "version") => !line.contains(": "),
            (Self::Onnx, "function-body") => !line.contains(" = "),
            (Self::Bnns, "see-also") => true,
            _ => false,
        }
    }
}

/// The beginnings of the parts of the section on reductions, and their names.
const WEBNN_LABELS: [(&str, &str); 12] = [
    ("dictionary ", "idl"),
    ("MLReduceOptions has", "members"),
    ("keepDimensions", "keepDimensions"),
    ("axes", "axes"),
    ("Arguments:", "arguments"),
    ("Returns:", "returns"),
    ("Tensor limits", "tensor-limits"),
    ("MLOpSupportLimits has", "support-limits"),
    ("Reduction types:", "types"),
    ("To calculate ", "output-sizes"),
    ("To create ", "create"),
    ("The following ", "methods"),
];

fn openvino_label(heading: &str, name: &str) -> Option<String> {
    const IN_FRONT: [&str; 3] = ["versioned-name", "category", "short-description"];
    const OF_AN_ATTRIBUTE: [&str; 5] =
        ["description", "range-of-values", "type", "default-value", "required"];
    let label = slug(name);
    let is_one = match heading {
        "title" => return IN_FRONT.contains(&label.as_str()).then_some(label),
        "attributes" => OF_AN_ATTRIBUTE.contains(&label.as_str()),
        "inputs" | "outputs" => !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit()),
        "types" => !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'),
        _ => false,
    };
    is_one.then(|| format!("{heading}/{label}"))
}

/// Parses `axes (optional, heterogeneous) - tensor(int64):` and `T in ( tensor(float), … ):`.
fn onnx_label(heading: &str, line: &str) -> Option<(String, String)> {
    let word = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let line = line.strip_suffix(':')?.trim_end();
    match heading {
        "attributes" | "inputs" | "outputs" => {
            let (name, kind) = line.split_once(" - ")?;
            let (name, notes) = name.split_once('(').unwrap_or((name, ""));
            let name = name.trim();
            // Every input has the note `heterogeneous`, though it has one type, so leave it out.
            let notes =
                notes.trim_end_matches([')', ' ']).split(", ").filter(|note| *note != "heterogeneous");
            let said: Vec<&str> = notes.filter(|note| !note.is_empty()).chain([kind.trim()]).collect();
            word(name).then(|| (format!("{heading}/{name}"), format!("{}:", said.join(" "))))
        }
        "type-constraints" => {
            let (name, types) = line.split_once(" in ")?;
            let types = types.trim().strip_prefix('(')?.strip_suffix(')')?;
            let mut types: Vec<&str> = types.split(',').map(str::trim).collect();
            types.sort_unstable();
            let name = name.trim();
            word(name).then(|| (format!("{heading}/{name}"), format!("{}:", types.join(", "))))
        }
        _ => None,
    }
}

/// Returns the text of each of these versions on a page. Versions without a title are left out.
pub(crate) fn texts(pages: Pages, versions: &[&str], page: &str) -> Vec<Text> {
    let mut texts: Vec<Cutter> = Vec::new();
    let mut heading = String::new();
    for line in page.lines().flat_map(|line| unglued(pages, line)) {
        // In other families, unknown headings are ordinary lines.
        let is_heading = pages == Pages::WebNn && line.starts_with(HEADING);
        // Spaces and backticks are not wording, and headings and labels match without them.
        let line = line.replace(['`', HEADING], "").split_whitespace().collect::<Vec<_>>().join(" ");
        let line = bare(&line).trim_end_matches(" (GitHub)");
        if let Some(version) = versions.iter().find(|version| pages.titled(line, version)) {
            // Navigation names the page too, so the title is the last such line before the first heading.
            texts.retain(|text| text.version != *version || text.sections.len() > 1);
            if !texts.iter().any(|text| text.version == *version) {
                pages.first().clone_into(&mut heading);
                texts.push(Cutter::new(version, &heading));
                continue;
            }
        }
        // The title of a version that was not requested ends the one before.
        let is_another = match pages {
            Pages::Onnx => is_other_title(line),
            Pages::ArrayApi => line.starts_with("def ") && !line.contains('('),
            Pages::OpenVino | Pages::OpenVinoInJapanese | Pages::Bnns | Pages::WebNn | Pages::Blas => false,
        };
        if is_another {
            heading.clear();
            continue;
        }
        let Some(text) = texts.last_mut().filter(|_| !heading.is_empty()) else { continue };
        // A word may be a label in one section and a heading of another, so try labels first.
        if let Some((section, rest)) = pages.label(&heading, line) {
            text.open(&section);
            text.add(&rest);
        } else if let Some(name) = pages.heading(line) {
            heading = slug(name);
            text.open(&heading);
        } else if is_heading || heading == ELSEWHERE {
            ELSEWHERE.clone_into(&mut heading);
        } else if !pages.leaves_out(text.section(), line) {
            if pages.begins_anew(line) {
                text.add(&BREAK.to_string());
            }
            text.add(line);
        }
    }
    texts.into_iter().map(Cutter::cut).collect()
}

fn is_other_title(line: &str) -> bool {
    line.split_once(" - ").is_some_and(|(name, number)| {
        name.chars().all(char::is_alphanumeric)
            && !number.is_empty()
            && number.bytes().all(|b| b.is_ascii_digit())
    })
}

/// Makes a text from separate sections, as a package has them.
pub(crate) fn text<'a>(version: &str, sections: impl IntoIterator<Item = (&'a str, &'a str)>) -> Text {
    let mut cutter = Cutter { version: version.to_owned(), ..Cutter::default() };
    for (name, said) in sections {
        cutter.open(name);
        said.lines().for_each(|line| cutter.add(line));
    }
    cutter.cut()
}

/// A text under construction: the lines of its sections.
#[derive(Default)]
struct Cutter {
    version: String,
    /// The sections by name: the order of the last opening, and the lines.
    sections: BTreeMap<String, (usize, String)>,
    opened: usize,
    /// The name of the section opened last.
    last: String,
}

impl Cutter {
    fn new(version: &str, first: &str) -> Self {
        let mut cutter = Self { version: version.to_owned(), ..Self::default() };
        cutter.open(first);
        cutter
    }

    fn section(&self) -> &str {
        &self.last
    }

    /// Opens a section, or continues it.
    fn open(&mut self, name: &str) {
        self.opened += 1;
        self.sections.entry(name.to_owned()).or_default().0 = self.opened;
        name.clone_into(&mut self.last);
    }

    fn add(&mut self, line: &str) {
        if let Some((_, said)) = self.sections.get_mut(&self.last) {
            said.push_str(line);
            said.push('\n');
        }
    }

    fn cut(self) -> Text {
        let section = |(name, (_, said)): (String, (usize, String))| {
            let by_line = BY_LINE.contains(&name.as_str());
            let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned);
            let sentences = if by_line { lines().collect() } else { sentences(&said) };
            Section { name, sentences }
        };
        let mut sections: Vec<_> = self.sections.into_iter().collect();
        sections.sort_by_key(|(_, (opened, _))| *opened);
        let sections = sections.into_iter().map(section);
        // A title is a section only if it has sentences.
        let sections = sections.filter(|section| {
            !["title", ELSEWHERE].contains(&&*section.name) || !section.sentences.is_empty()
        });
        Text { version: self.version, sections: sections.collect() }
    }
}

/// Removes the bullet or number before a line, and the link mark after a heading.
fn bare(line: &str) -> &str {
    let line = line.trim().trim_end_matches(['#', '¶']).trim_end();
    let after = |rest: &'_ str| rest.starts_with(char::is_whitespace);
    if let Some(rest) = line.strip_prefix(['-', '*', '+', '•', '◦', '▪']).filter(|rest| after(rest)) {
        return rest.trim_start();
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    match line[digits..].strip_prefix(['.', ')']).filter(|rest| (1..3).contains(&digits) && after(rest)) {
        Some(rest) => rest.trim_start(),
        None => line,
    }
}

/// Splits a line that a saved page has joined: before a heading that follows a word, or after a full stop before a
/// label.
fn unglued(pages: Pages, line: &str) -> Vec<String> {
    let line = line.trim_end();
    for heading in pages.headings() {
        if let Some(before) = line.strip_suffix(heading).filter(|before| before.ends_with(char::is_lowercase))
        {
            return vec![before.to_owned(), (*heading).to_owned()];
        }
    }
    let stop = match pages {
        Pages::OpenVino => '.',
        Pages::OpenVinoInJapanese => '。',
        Pages::Onnx | Pages::Bnns | Pages::ArrayApi | Pages::WebNn | Pages::Blas => {
            return vec![line.to_owned()];
        }
    };
    if let Some((before, item)) = line.rsplit_once(stop)
        && ["inputs", "attributes"].into_iter().any(|heading| pages.label(heading, item).is_some())
    {
        return vec![format!("{before}{stop}"), item.to_owned()];
    }
    vec![line.to_owned()]
}

/// Returns a heading as a name: lower-case words joined by '-'.
pub(super) fn slug(heading: &str) -> String {
    let words = heading.split_whitespace().map(|word| {
        // Names without small letters, such as those of types, stay unchanged.
        if word.len() > 1 && word.chars().any(char::is_lowercase) {
            word.to_lowercase()
        } else {
            word.to_owned()
        }
    });
    words.collect::<Vec<_>>().join("-")
}
