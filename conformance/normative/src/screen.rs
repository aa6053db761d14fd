//! Layout of a report on a terminal: lines wrapped to its width, colours if it has them, and only the end of a long
//! text, which has the defects and the next step.
//!
//! It lays out the text of [`terminal`](normative_present::terminal), only for a terminal; a file or a pipe gets that
//! text byte for byte. Tables keep their lines. So do commands: the terminal breaks them itself, so a user copies one
//! line.

use console::{Style, Term, measure_text_width};
use normative_conformance::report::finding::FindingKind;
use normative_conformance::report::label;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

use crate::home::program;

/// The column where the text of a labelled line begins.
const INDENT: usize = 12;

/// The minimum width of a terminal for wrapping.
const NARROWEST: usize = 40;

/// The minimum number of lines of a terminal for cutting; on fewer lines a cut text is useless.
const SHORTEST: usize = 12;

/// The lines of a screen kept free: for the line about the cut, later messages, and the prompt.
const FREE: usize = 4;

/// The kinds of findings against a backend; a heading begins with the word of one.
const HEADINGS: [FindingKind; 10] = [
    FindingKind::Fail,
    FindingKind::Crash,
    FindingKind::Timeout,
    FindingKind::Nondeterministic,
    FindingKind::Inconsistent,
    FindingKind::UnexpectedPass,
    FindingKind::OtherReason,
    FindingKind::Stale,
    FindingKind::Missing,
    FindingKind::Flaky,
];

/// The kind of a line, by its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// The first line of a finding, or of a defect.
    Heading,
    /// A labelled line below a heading.
    Labelled,
    /// A further line of a labelled text.
    Further,
    /// A command for the next step.
    Command,
    /// A sentence.
    Sentence,
    /// A row of a table, or a line of a list.
    Other,
}

impl Shape {
    fn of(line: &str) -> Self {
        let is_heading =
            |kind: &FindingKind| line.strip_prefix(kind.word()).is_some_and(|rest| rest.starts_with(' '));
        let label = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' '));
        if line.starts_with("DEFECT ") || HEADINGS.iter().any(is_heading) {
            Self::Heading
        } else if ["next: ", "all:  "].iter().any(|before| line.starts_with(before))
            || line.strip_prefix("      ").is_some_and(is_command)
        {
            Self::Command
        } else if label.is_some() && line.as_bytes().get(INDENT - 1) == Some(&b' ') {
            Self::Labelled
        } else if line.starts_with(&" ".repeat(INDENT)) {
            Self::Further
        } else if line.starts_with(' ') || line.contains("  ") {
            Self::Other
        } else {
            Self::Sentence
        }
    }
}

/// Returns true if a text is a command of this program.
fn is_command(text: &str) -> bool {
    text.strip_prefix(program()).is_some_and(|rest| rest.starts_with(' '))
}

/// Returns the text for standard output. If it is longer than the screen, only its end, unless `whole` is set. `shows`
/// is the command that shows the text again, in full.
pub(crate) fn for_stdout(text: &str, shows: &str, whole: bool) -> String {
    let term = Term::stdout();
    if !term.is_term() {
        return text.to_owned();
    }
    let with_colour = term.features().colors_supported();
    match term.size_checked().map(|(rows, columns)| (usize::from(rows), usize::from(columns))) {
        None => laid_out(text, usize::MAX, with_colour),
        Some((_, columns)) if whole => laid_out(text, columns, with_colour),
        Some((rows, columns)) => end_of(&laid_out(text, columns, with_colour), shows, rows, columns),
    }
}

/// Returns the last paragraphs of a text that fit a screen, below a line with the number of omitted lines.
fn end_of(text: &str, shows: &str, rows: usize, columns: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let taken = |line: &str| measure_text_width(line).div_ceil(columns.max(1)).max(1);
    let (mut room, mut from) = (rows.saturating_sub(FREE + taken(shows)), lines.len());
    while let Some(rest) = from.checked_sub(1).and_then(|at| room.checked_sub(taken(lines[at]))) {
        (room, from) = (rest, from - 1);
    }
    if from == 0 || rows < SHORTEST {
        return text.to_owned();
    }
    // Start at a paragraph, unless the last one is longer than the screen.
    let begin = (from..lines.len()).find(|&at| lines[at - 1].is_empty()).unwrap_or(from);
    let shown: String = lines[begin..].iter().flat_map(|line| [line, "\n"]).collect();
    format!("… {begin} lines are left out, which this shows:\n{shows}\n\n{shown}")
}

/// Lays out the text for a terminal of this width.
fn laid_out(text: &str, width: usize, with_colour: bool) -> String {
    let mut out = String::new();
    let mut label = "";
    for line in text.lines() {
        let shape = Shape::of(line);
        match shape {
            Shape::Labelled => label = line.get(2..INDENT - 1).unwrap_or_default().trim_end(),
            Shape::Further => {}
            _ => label = "",
        }
        for (at, part) in wrapped(line, shape, width).iter().enumerate() {
            if with_colour {
                out.push_str(&coloured(part, shape, label, at == 0));
            } else {
                out.push_str(part);
            }
            out.push('\n');
        }
    }
    out
}

/// Splits the line into parts that fit.
fn wrapped(line: &str, shape: Shape, width: usize) -> Vec<String> {
    let (before, text) = match shape {
        Shape::Labelled | Shape::Further => line.split_at_checked(INDENT).unwrap_or(("", line)),
        Shape::Heading | Shape::Command | Shape::Sentence | Shape::Other => ("", line),
    };
    let indent = match shape {
        Shape::Command | Shape::Other => return vec![line.to_owned()],
        Shape::Labelled | Shape::Further if is_command(text) => return vec![line.to_owned()],
        Shape::Labelled | Shape::Further => INDENT,
        Shape::Heading | Shape::Sentence => 2,
    };
    if width < NARROWEST {
        return vec![line.to_owned()];
    }
    let indent = " ".repeat(indent);
    let options = Options::new(width)
        .initial_indent(before)
        .subsequent_indent(&indent)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    textwrap::wrap(text, options).into_iter().map(std::borrow::Cow::into_owned).collect()
}

/// Colours a part of a line.
fn coloured(part: &str, shape: Shape, label: &str, is_first: bool) -> String {
    let paint = |style: Style, text: &str| style.force_styling(true).apply_to(text).to_string();
    match shape {
        Shape::Heading if is_first => {
            let end = part.find(|c: char| c.is_lowercase() || c.is_ascii_digit()).unwrap_or(part.len());
            let (word, rest) = part.split_at(part[..end].trim_end().len());
            format!("{}{}", paint(Style::new().red().bold(), word), paint(Style::new().bold(), rest))
        }
        Shape::Heading => paint(Style::new().bold(), part),
        Shape::Labelled | Shape::Further => {
            let (before, text) = part.split_at_checked(INDENT).unwrap_or((part, ""));
            let text = match label {
                label::EXPECTED | label::EXACT => paint(Style::new().green(), text),
                label::GOT | label::RESULT | label::CRASHED => paint(Style::new().red(), text),
                label::AGAIN | "repro" => paint(Style::new().cyan(), text),
                _ => text.to_owned(),
            };
            let before = match shape {
                Shape::Labelled if is_first => paint(Style::new().dim(), before),
                _ => before.to_owned(),
            };
            before + &text
        }
        Shape::Command => paint(Style::new().cyan(), part),
        Shape::Sentence if !part.is_empty() => paint(Style::new().bold(), part),
        Shape::Sentence | Shape::Other => part.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
DEFECT 1 of 2: wrong values: bits of the greatest integer ≥ 54, axes given, a negative axis, rank ≥ 3, f32 data
  explains  66 cases and 3 generated calls: wrong-value 69
  data      [1, -2]
  result    expected a tensor, got a refusal: [ONNXRuntimeError] : 9 : NOT_IMPLEMENTED : Could not find an implementation
  expected  3  0x1.8p+1  0x40400000
  row       after the others, in one fresh process, the last of these is answered otherwise than alone:
            cargo xtask conformance --backend onnxruntime --case one
  again     cargo xtask conformance --backend onnxruntime --case onnx-l1-integer-sum-past-the-precision-of-f64/ReduceL1-18/i64

spec                 run  conforms  fails  died  unsupported  open  and a column that is there to be wider
onnx/ReduceL1-18     940       940      0     0            0    89  than the screen

unsupported, in the backend's words:
     7  no such type

does not conform: \"onnxruntime 1.31.1\": 5000 conform, 348 fail of 5348 cases; 9000 conform of 9000 generated calls

2 defects explain 348 failures: wrong 69, refused 279
   1      69  wrong values: bits of the greatest integer ≥ 54
next: cargo xtask conformance --backend onnxruntime --case onnx-l1-integer-sum-past-the-precision-of-f64/ReduceL1-18/i64
      cargo xtask repro 1:7 --backend onnxruntime --output DIR
all:  cargo xtask report show target/normative-runs/onnxruntime.ndjson --all | less
";

    const SHOWS: &str = "cargo xtask report show target/normative-runs/onnxruntime.ndjson | less";

    fn words(text: &str) -> Vec<&str> {
        text.split_whitespace().collect()
    }

    #[test]
    fn prose_fits_the_screen_and_tables_and_commands_stay_as_they_are() {
        for width in [40, 80, 120] {
            let shown = laid_out(TEXT, width, false);
            assert_eq!(words(&shown), words(TEXT));
            for line in shown.lines().filter(|line| line.chars().count() > width) {
                assert!(TEXT.lines().any(|whole| whole == line), "{line:?} is cut and does not fit {width}");
                assert!(line.contains("cargo xtask") || matches!(Shape::of(line), Shape::Other), "{line}");
            }
        }
        assert_eq!(laid_out(TEXT, 200, false), TEXT);
        // Below the minimum width, nothing is wrapped.
        assert_eq!(laid_out(TEXT, 20, false), TEXT);
    }

    #[test]
    fn what_goes_on_stands_below_the_text_it_belongs_to() {
        let shown = laid_out(TEXT, 80, false);
        assert!(
            shown.contains(" given, a\n  negative axis, rank ≥ 3, f32 data\n  explains  66 cases"),
            "{shown}"
        );
        assert!(shown.contains(" : 9 :\n            NOT_IMPLEMENTED : Could not find"), "{shown}");
        assert!(shown.contains(" cases;\n  9000 conform of 9000 generated calls\n"), "{shown}");
    }

    #[test]
    fn colours_change_no_letter() {
        for width in [40, 80, 200] {
            let coloured = laid_out(TEXT, width, true);
            assert!(coloured.contains("\u{1b}["));
            let plain: String = coloured
                .split('\u{1b}')
                .enumerate()
                .map(|(at, part)| if at == 0 { part } else { part.split_once('m').unwrap().1 })
                .collect();
            assert_eq!(plain, laid_out(TEXT, width, false));
        }
    }

    #[test]
    fn what_is_longer_than_the_screen_is_cut_before_a_paragraph() {
        let whole = laid_out(TEXT, 80, true);
        let lines =
            |text: &str| text.lines().map(|line| measure_text_width(line).div_ceil(80).max(1)).sum::<usize>();
        for rows in SHORTEST..60 {
            let shown = end_of(&whole, SHOWS, rows, 80);
            let Some((said, end)) = shown.split_once("\n\n").filter(|_| shown != whole) else {
                assert!(lines(&whole) + FREE < rows, "{rows}");
                continue;
            };
            assert!(lines(&shown) < rows, "{rows}:\n{shown}");
            let left_out = whole.strip_suffix(end).unwrap();
            assert_eq!(
                said,
                format!("… {} lines are left out, which this shows:\n{SHOWS}", left_out.lines().count())
            );
            assert!(
                left_out.ends_with("\n\n") && end.contains("2 defects explain 348 failures"),
                "{rows}:\n{shown}"
            );
        }
        // A single long paragraph is cut; below the minimum height, nothing is.
        assert_eq!(end_of(&"a line\n".repeat(40), SHOWS, 20, 80).matches("a line").count(), 15);
        assert_eq!(end_of(&whole, SHOWS, SHORTEST - 1, 80), whole);
    }

    #[test]
    fn any_text_keeps_its_words() {
        for text in
            ["", "\n", "  ", "FAIL", "FAIL x", "  é        é é", "  again", "            ", "DEFECT 1"]
        {
            for width in [0, 40, 80] {
                assert_eq!(words(&laid_out(text, width, false)), words(text), "{text:?}");
                laid_out(text, width, true);
            }
        }
    }
}
