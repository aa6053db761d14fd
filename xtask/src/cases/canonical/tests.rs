//! Tests that content determines the text: by table, over random spellings of the corpus's cases, and over arbitrary
//! texts.

use std::path::Path;
use std::sync::LazyLock;

use normative_conformance::corpus::{load, load_ledger, load_text};
use normative_conformance::reference::Question;
use proptest::prelude::*;
use rstest::rstest;

use super::super::content::{Fields, Source};
use super::super::files::{files, said};
use super::*;
use normative::select::workspace_root;

const HERE: &str = "a.yaml";

fn canonical(text: &str) -> anyhow::Result<String> {
    File::read(Source::Cases, Path::new(HERE), text).map(|file| file.to_string())
}

const RIGHT: &str = "\
# Why this file.
topic: T
specs: [onnx/ReduceL1-18]
cases:
  # Why this case.
  - id: onnx-l1-x
    clauses: [norm]
    why: One that is, wrong.
    dtypes: [f32]
    data: {shape: [2], values: [1.0, -0x1p0]}
    axes: [0]
    keep_dims: 2
    expect: {shape: [1], values: [2e0]}

  - id: onnx-l1-y
    clauses: [norm]
    why: Another.
    dtypes: [f32]
    data: {shape: [], random: {seed: 1, low: -1, high: 1}, except: {0: .nan}}
    axes: null
    expect: {shape: [], open: {axis-on-rank-0: {accept: [.nan], reject: {rejected: norm}}}}
";

#[test]
fn the_canonical_form_stays_as_it_is() {
    assert_eq!(canonical(RIGHT).unwrap(), RIGHT);
}

#[test]
fn a_line_ends_between_readings_and_within_one_only_where_it_is_too_long() {
    let many = |count| vec!["1000000"; count].join(", ");
    let of = |count| canonical(&RIGHT.replace("[.nan]", &format!("[{}]", many(count)))).unwrap();
    let (open, reject) = ("open: {axis-on-rank-0: {accept:", "reject: {rejected: norm}}}}\n");
    let whole =
        |gap, count| format!("    expect: {{shape: [],{gap}{open} [{}],\n      {reject}", many(count));
    assert!(of(7).ends_with(&whole(" ", 7)), "{}", of(7));
    assert!(of(8).ends_with(&whole("\n      ", 8)), "{}", of(8));
    let broken = format!("    expect: {{shape: [], {open} [{},\n      {}], {reject}", many(7), many(5));
    assert!(of(12).ends_with(&broken), "{}", of(12));
}

#[rstest]
#[case::blanks_at_the_end("One that is, wrong.\n", "One that is, wrong.  \n")]
#[case::no_blank_line_between("\n\n  - id", "\n  - id")]
#[case::two_blank_lines("\n\n  - id", "\n\n\n  - id")]
#[case::a_blank_line_inside("    dtypes", "\n    dtypes")]
#[case::no_line_end("norm}}}}\n", "norm}}}}")]
#[case::fields_out_of_order("id: onnx-l1-x\n    clauses: [norm]", "clauses: [norm]\n    id: onnx-l1-x")]
#[case::head_out_of_order("topic: T\nspecs: [onnx/ReduceL1-18]", "specs: [onnx/ReduceL1-18]\ntopic: T")]
#[case::part_out_of_order("{shape: [1], values: [2e0]}", "{values: [2e0], shape: [1]}")]
#[case::single_quotes("One that is, wrong.", "'One that is, wrong.'")]
#[case::double_quotes("One that is, wrong.", "\"One that \\x69s, wrong.\"")]
#[case::quoted_key("    why: Another", "    'why': Another")]
#[case::quoted_number("2e0", "'2e0'")]
#[case::wrapped("One that is, wrong.", "One\n      that is,\n      wrong.")]
#[case::folded("One that is, wrong.", ">-\n      One that\n      is, wrong.")]
#[case::literal("One that is, wrong.", "|-\n      One that is, wrong.")]
#[case::block_map("{shape: [1], values: [2e0]}", "\n      shape: [1]\n      values: [2e0]")]
#[case::block_list("clauses: [norm]", "clauses:\n      - norm")]
#[case::list_without_indentation("clauses: [norm]", "clauses:\n    - norm")]
#[case::readings_below_each_other(
    "{shape: [], open: {axis-on-rank-0: {accept: [.nan], reject: {rejected: norm}}}}",
    "\n      shape: []\n      open:\n        axis-on-rank-0:\n          accept: [.nan]\n          reject: {rejected: norm}"
)]
#[case::spelling_of_an_integer("keep_dims: 2", "keep_dims: +0x2")]
#[case::spelling_of_an_index("{0: .nan}", "{0x0: .nan}")]
#[case::spelling_of_null("axes: null", "axes: ~")]
#[case::nothing_for_null("axes: null", "axes:")]
#[case::default_scale("high: 1}", "high: 1, scale: 0}")]
#[case::default_except("values: [1.0, -0x1p0]}", "values: [1.0, -0x1p0], except: {}}")]
fn other_spellings_are_brought_to_it(#[case] right: &str, #[case] other: &str) {
    let text = RIGHT.replacen(right, other, 1);
    assert_ne!(text, RIGHT);
    let said = |text| said(Source::Cases, Path::new(HERE), text).unwrap();
    assert_eq!(said(&text), said(RIGHT), "the spelling means the same");
    assert_eq!(canonical(&text).unwrap(), RIGHT);
}

#[rstest]
#[case::decimal_places("2e0", "2.0")]
#[case::hexadecimal("2e0", "0x1p1")]
#[case::order_of_a_list("specs: [onnx/ReduceL1-18]", "specs: [onnx/ReduceL1-18, onnx/ReduceL1-13]")]
#[case::empty_axes("axes: null", "axes: []")]
#[case::absent_is_not_null("axes: null\n", "keep_dims: false\n")]
fn what_is_content_is_kept(#[case] right: &str, #[case] other: &str) {
    let text = RIGHT.replacen(right, other, 1);
    assert_ne!(text, RIGHT);
    assert_eq!(canonical(&text).unwrap(), text);
}

#[rstest]
#[case::inside_an_item("    why: Another", "    # no\n    why: Another", 17)]
#[case::after_a_value("why: Another.", "why: Another. # no", 17)]
#[case::after_the_last_value("values: [2e0]}", "values: [2e0]} # no", 13)]
#[case::after_the_header_of_a_block("why: Another.", "why: >- # no\n      Another.", 17)]
#[case::in_brackets("{shape: [1], values", "{shape: [1],\n      # no\n      values", 14)]
#[case::between_the_fields_of_the_head("specs", "# no\nspecs", 3)]
#[case::at_the_end("norm}}}}\n", "norm}}}}\n# no\n", 22)]
#[case::in_a_list("axes: [0]", "axes:\n      - 0\n      # no\n      - 1", 13)]
fn a_comment_that_belongs_to_no_item_is_named(#[case] right: &str, #[case] other: &str, #[case] line: usize) {
    let text = RIGHT.replacen(right, other, 1);
    let error = canonical(&text).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{HERE}:{line}: ")), "{error}");
}

#[test]
fn hashes_in_a_block_are_its_text() {
    let text = RIGHT.replacen("why: Another.", "why: |\n      # Another.\n\n      # And one.", 1);
    let why = "why: >\n      # Another.\n\n\n      # And one.\n";
    assert_eq!(canonical(&text).unwrap(), RIGHT.replacen("why: Another.\n", why, 1));
}

fn why(text: &str) -> String {
    let fields = vec![("why".to_owned(), Node::Text(text.to_owned()))];
    Item { comments: Vec::new(), fields }.to_string()
}

#[rstest]
#[case::words("One that adds: never, or does [it] {so} - not # at all?", false)]
#[case::words_without("One that adds, or does [it] {so} - not at all?", true)]
#[case::colon_inside("a:b", true)]
#[case::colon_at_the_end("a:", false)]
#[case::colon_at_the_start(": a", false)]
#[case::hash("a #b", false)]
#[case::hash_inside("a#b", true)]
#[case::hash_at_the_start("#a", false)]
#[case::list("- a", false)]
#[case::dash_at_the_start("-a", false)]
#[case::negative_number_in_words("-1 is last", true)]
#[case::question("? a", false)]
#[case::bracket("[a] b", false)]
#[case::brace("{a", false)]
#[case::anchor("&a", false)]
#[case::alias("*a", false)]
#[case::tag("!a b", false)]
#[case::block("| a", false)]
#[case::fold(">-", false)]
#[case::directive("%a", false)]
#[case::at("@a", false)]
#[case::backtick("`a`", false)]
#[case::double_quotes("\"a\" is quoted", false)]
#[case::single_quotes("'a' is quoted", false)]
#[case::quotes_inside("one's \"own\"", true)]
#[case::null("Null", false)]
#[case::tilde("~", false)]
#[case::yes("yes", false)]
#[case::off("OFF", false)]
#[case::boolean("true", false)]
#[case::integer("12", false)]
#[case::sexagesimal("1:30", false)]
#[case::hexadecimal("0x1F", false)]
#[case::float(".5", false)]
#[case::infinity("-.inf", false)]
#[case::date("2020-01-01", false)]
#[case::time("2020-01-01 10:00:00 +1", false)]
#[case::number_in_words("181² is 32761, six below", true)]
#[case::empty("", false)]
#[case::blank_at_the_end("a ", false)]
#[case::tab("a\tb", false)]
#[case::line_separator("a\u{2028}b", false)]
#[case::japanese("詳細説明、第1段落", true)]
#[case::japanese_with_a_colon("詳細説明: 第1段落", false)]
#[case::document("---", false)]
fn a_text_has_quotes_only_where_a_reader_wants_them(#[case] text: &str, #[case] plain: bool) {
    let written = why(text);
    let read: Vec<Value> = serde_yaml::from_str(&written).unwrap();
    assert_eq!(read[0]["why"], Value::String(text.to_owned()));
    let begins = if plain { format!("  - why: {text}\n") } else { "  - why: \"".to_owned() };
    assert!(written.starts_with(&begins), "{written}");
}

#[rstest]
#[case::one_line_break("One.\n", true)]
#[case::paragraphs("\nOne.\nTwo.\n\n\nThree and four.", true)]
#[case::many_words("word ".repeat(50) + "word", true)]
#[case::two_line_breaks_at_the_end("One.\n\n", false)]
#[case::a_line_break_alone("\n", false)]
#[case::nothing_but_line_breaks("\n\n", false)]
#[case::blank_before_a_line("One.\n Two.", false)]
#[case::blank_after_a_line("One. \nTwo.", false)]
#[case::wide_gaps("word  ".repeat(50) + "word", false)]
#[case::escapes("One.\n\tTwo.", false)]
fn what_folding_cannot_carry_is_one_line(#[case] text: impl AsRef<str>, #[case] folds: bool) {
    let (text, written) = (text.as_ref(), why(text.as_ref()));
    let read: Vec<Value> = serde_yaml::from_str(&written).unwrap();
    assert_eq!(read[0]["why"], Value::String(text.to_owned()));
    assert_eq!(written.starts_with("  - why: >"), folds, "{written}");
    assert_eq!(written.lines().count() == 1, !folds, "{written}");
}

#[rstest]
#[case::words(120 - 9, " a", true)]
#[case::a_word_too_many(121 - 9, " a", false)]
fn a_text_that_fits_is_one_line_and_one_that_does_not_is_filled(
    #[case] length: usize,
    #[case] end: &str,
    #[case] fits: bool,
) {
    let text = "é".repeat(length - end.len()) + end;
    let folded = format!("  - why: >-\n      {text}\n");
    assert_eq!(why(&text), if fits { format!("  - why: {text}\n") } else { folded });
    let longer = format!("{}{text}", "ab ".repeat(3));
    let lines: Vec<usize> = why(&longer).lines().map(|line| line.chars().count()).collect();
    assert!(lines.iter().all(|&line| line <= WIDTH) && lines.len() == 3, "{lines:?}");
}

#[test]
fn data_that_do_not_fit_are_filled_and_another_map_has_a_line_for_each_field() {
    let many = |count| vec!["-1.25"; count].join(", ");
    let text = RIGHT.replace("[2]", "[60]").replace("[1.0, -0x1p0]", &format!("[{}]", many(60)));
    let lines = format!(
        "data: {{shape: [60], values: [{},\n      {},\n      {},\n      {}]}}\n",
        many(12),
        many(16),
        many(16),
        many(16)
    );
    let canonical = canonical(&text).unwrap();
    assert!(canonical.contains(&format!("    {lines}")), "{canonical}");
    let part = |text: &str| {
        text.replacen("    data:", "    l1: {data:", 1).replacen("]}\n    axes", "]}}\n    axes", 1)
    };
    let canonical = self::canonical(&part(&text)).unwrap();
    assert!(canonical.contains("    l1:\n      data: {shape: [60], values: ["), "{canonical}");
}

static CORPUS: LazyLock<Vec<(Source, String, File)>> = LazyLock::new(|| {
    let folder = workspace_root().join("cases");
    let (corpus, ledger) = (load(&folder).unwrap(), load_ledger(&folder.join("clauses")).unwrap());
    let read = |(source, path)| {
        let text = std::fs::read_to_string(path).unwrap();
        let file = File::read(source, path, &text).unwrap();
        (source, text, file)
    };
    files(&corpus, &ledger).into_iter().map(read).collect()
});

#[test]
fn the_corpus_is_in_its_canonical_form() {
    for (source, text, file) in CORPUS.iter() {
        assert_eq!(file.to_string(), *text, "run cargo xtask cases fmt");
        let is_table = matches!(source, Source::Kernels);
        assert!(is_table || text.lines().all(|line| line.chars().count() <= WIDTH));
    }
}

/// A writer that spells the same content in random ways.
struct Author<'a> {
    /// True if its numbers are never elements, which may have quotes.
    is_of_integers: bool,
    choices: std::iter::Cycle<std::slice::Iter<'a, u8>>,
}

impl Author<'_> {
    fn pick(&mut self, ways: usize) -> usize {
        usize::from(*self.choices.next().unwrap()) % ways
    }

    fn one_of<'b>(&mut self, ways: &[&'b str]) -> &'b str {
        ways[self.pick(ways.len())]
    }

    fn shuffled(&mut self, fields: &Fields) -> Fields {
        let mut fields = fields.clone();
        for at in (1..fields.len()).rev() {
            fields.swap(at, self.pick(at + 1));
        }
        fields
    }

    fn key(&mut self, name: &str) -> String {
        let quote = if name.parse::<u64>().is_ok() { "" } else { self.one_of(&["", "", "'", "\""]) };
        format!("{quote}{name}{quote}")
    }

    /// Writes a value after its colon, on that line or below it, indented by at least `indent`.
    fn value(&mut self, name: &str, value: &Node, indent: usize, inside: bool) -> String {
        let inside = inside || self.pick(2) == 0;
        let below = format!("\n{}", " ".repeat(indent));
        let gap = if inside { self.one_of(&["", " ", "   ", "\n                      "]) } else { "" };
        match value {
            Node::Text(text) => self.text(text, &below, inside),
            Node::Bare(text) => self.bare(name, text),
            Node::List(items) if inside || items.is_empty() => {
                let item = |item| format!("{gap}{}", self.value(name, item, indent, true));
                let list: Vec<String> = items.iter().map(item).collect();
                format!("[{}{gap}]", list.join(self.one_of(&[",", " , "])))
            }
            Node::List(items) => {
                let item = |item| format!("{below}- {}", self.value(name, item, indent + 2, true));
                items.iter().map(item).collect()
            }
            Node::Map(fields) => {
                let is_question = Question::from_name(name).is_some();
                let mut fields = if is_question { fields.clone() } else { self.shuffled(fields) };
                // Fields with their default, which may be omitted.
                let extra = match name {
                    "random" => Some(("scale", Node::Bare("0".to_owned()))),
                    "data" => Some(("except", Node::Map(Fields::new()))),
                    "expect" => Some(("at", Node::Map(Fields::new()))),
                    _ => None,
                };
                let extra = extra.filter(|(extra, _)| fields.iter().all(|(name, _)| name != extra));
                if let Some((name, value)) = extra.filter(|_| self.pick(3) == 0) {
                    fields.insert(0, (name.to_owned(), value));
                }
                let inside = inside || fields.is_empty();
                let lead = if inside { gap } else { &below };
                let mut field = |(name, value): &(String, Node)| {
                    let is_list = is_question && matches!(value, Node::List(_));
                    let kind = if is_list { "values" } else { name };
                    format!("{lead}{}: {}", self.key(name), self.value(kind, value, indent + 2, inside))
                };
                let map: Vec<String> = fields.iter().map(&mut field).collect();
                if inside { format!("{{{}}}", map.join(",")) } else { map.concat() }
            }
        }
    }

    fn text(&mut self, text: &str, below: &str, inside: bool) -> String {
        let broken = text.replacen(' ', below, self.pick(3));
        match self.pick(4) {
            0 if is_plain(text, inside) => broken,
            1 => format!("'{}'", broken.replace('\'', "''")),
            2 if !inside => format!("{}{below}{text}", self.one_of(&["|-", ">-"])),
            _ => format!("\"{}\"", broken.replace('\\', "\\\\").replace('"', "\\\"")),
        }
    }

    fn bare(&mut self, name: &str, text: &str) -> String {
        let numbers = ["values", "roots", "repeat", "cycle", "axes", "printed", "at", "roots_at", "except"];
        match (text, text.parse::<u64>()) {
            ("null", _) => self.one_of(&["null", "~", "Null"]).to_owned(),
            ("true" | "false", _) => self.one_of(&[text, &text.to_uppercase()]).to_owned(),
            // Indices of single elements are keys.
            _ if !self.is_of_integers && (numbers.contains(&name) || name.parse::<u64>().is_ok()) => {
                let quote = self.one_of(&["", "", "'", "\""]);
                format!("{quote}{text}{quote}")
            }
            (_, Ok(integer)) => {
                self.one_of(&[text, &format!("{integer:#x}"), &format!("+{integer}")]).to_owned()
            }
            _ => text.to_owned(),
        }
    }

    fn file(&mut self, file: &File) -> String {
        let fields = self.shuffled(&file.head);
        let field = |(name, value): &(String, Node)| {
            format!("{}: {}\n", self.key(name), self.value(name, value, 3, false))
        };
        let mut head: Vec<String> = fields.iter().map(field).collect();
        let comments = |comments: &[String], blanks: &str| comments.join(blanks) + blanks;
        let mut list = vec![format!("{}:\n", file.list)];
        for item in &file.items {
            let blanks = self.one_of(&["\n", "\n\n", "\n  \n"]);
            list.push(comments(&item.comments, blanks) + "-");
            for (at, (name, value)) in self.shuffled(&item.fields).iter().enumerate() {
                let lead = if at == 0 { " " } else { "  " };
                list.push(format!("{lead}{}: {}{blanks}", self.key(name), self.value(name, value, 4, false)));
            }
        }
        head.insert(self.pick(head.len() + 1), list.concat());
        let text = comments(&file.comments, "\n\n") + &head.concat();
        // Within a block, blanks at the end of a line are part of the text.
        let ways = if text.contains("|-") || text.contains(">-") { 2 } else { 3 };
        text.replace('\n', self.one_of(&["\n", "\r\n", "   \n"][..ways]))
    }
}

proptest! {
    #[test]
    fn however_an_author_spells_a_case_its_canonical_form_is_the_same(
        which in any::<prop::sample::Index>(),
        first in any::<prop::sample::Index>(),
        comments in prop::collection::vec(prop::option::of("# [ -~]{0,8}[!-~]"), 4),
        choices in prop::collection::vec(any::<u8>(), 1..400),
    ) {
        let (source, _, file) = which.get(&CORPUS);
        let (source, mut file) = (*source, file.clone());
        let first = first.index(file.items.len());
        file.items = file.items.into_iter().skip(first).take(3).collect();
        let places = std::iter::once(&mut file.comments).chain(file.items.iter_mut().map(|item| &mut item.comments));
        places.zip(comments).for_each(|(place, comment)| place.extend(comment));
        let right = file.to_string();
        let is_of_integers = matches!(source, Source::Kernels);
        let other = Author { is_of_integers, choices: choices.iter().cycle() }.file(&file);
        let path = Path::new(if is_of_integers { "kernels.yaml" } else { HERE });
        prop_assert_eq!(said(source, path, &other).unwrap(), said(source, path, &right).unwrap(), "{}", other);
        prop_assert_eq!(File::read(source, path, &other).unwrap().to_string(), right, "{}", other);
    }

    #[test]
    fn any_text_is_read_back_as_it_was_and_stays_as_it_is_written(
        text in r#"\PC{0,20}|[ -~]{0,200}|([a-z,]{1,9}[ \n]){0,60}|([a-z]{0,6}[ \n]{1,2}){0,50}[a-z]\n?|[a \n\t\r:#\-?'"\\\u{85}\u{2028}\u{feff}\u{fffe}]{0,30}"#,
    ) {
        prop_assume!(!text.trim().is_empty());
        let file = RIGHT.replacen("    why: Another.\n", &why(&text).replacen("  - ", "    ", 1), 1);
        let cases = load_text(Path::new(HERE), &file);
        prop_assert!(cases.is_ok(), "{:?}\n{}", cases, file);
        prop_assert_eq!(&cases.unwrap()[1].why, &text);
        prop_assert_eq!(canonical(&file).unwrap(), file);
    }
}
