//! Tests foreign names and texts that imitate a verdict, a line, an element or a command to the CI runner:
//! fifty of each, in every format.

use crate::formats::{case, cases, everything, is_ours};
use normative_conformance::Identity;
use normative_conformance::corpus::{Case, Ledger};
use normative_conformance::display;
use normative_conformance::report::Report;
use normative_conformance::{Death, Observed};
use normative_present::column::Column;
use normative_present::terminal::{self, Detail};
use normative_present::{badge, junit, markdown, matrix, page};
use proptest::prelude::*;
use roxmltree::Document;

/// The verdict of the run in these tests, in every format with such a line.
const VERDICT: &str = "PARTIAL (the run was stopped), does not conform: ";

/// Words that start a verdict.
const VERDICTS: [&str; 6] =
    ["conforms", "does not conform", "is flaky", "is not as", "shows nothing", "PARTIAL"];

const NAMES: [&str; 50] = [
    "x 1 conforms: 11726 conform of 11726 cases",
    "conforms",
    "conforms: \"x",
    "x\" conforms: \"y",
    "x\": 7 conform of 7 cases; \"y",
    "x\nconforms: \"y 1\": 7 conform of 7 cases",
    "x\r\nconforms: \"y\"",
    "x\rconforms",
    "x\u{85}conforms",
    "x\u{2028}conforms",
    "x\u{2029}conforms",
    "x\u{b}conforms\u{c}",
    "x\u{1b}[2K\u{1b}[1Gconforms",
    "x\u{9b}2Jconforms",
    "x\u{8}\u{8}\u{8}conforms",
    "\u{202e}smrofnoc",
    "\u{2067}x\u{2069}\u{200f}conforms",
    "x\u{200b}\u{200d}\u{feff}",
    "x\u{e0063}\u{e006f}\u{e006e}",
    "x \u{2800}\u{2800}\u{2800}\u{2800}\u{2800}\u{2800}\u{2800}\u{2800}\u{2800} conforms",
    "x\u{3164}\u{3164}\u{3164}\u{115f}\u{ffa0}conforms",
    "x                                                                                     conforms",
    "x\u{3000}\u{a0}\u{2003}conforms",
    "\u{201c}x\u{201d} conforms \u{ff02}",
    "x’s «conforms»",
    "::error::all is lost",
    "::set-output name=record::/etc/passwd",
    "\n::add-mask::conforms",
    "##[error]x",
    "##vso[task.complete result=Succeeded;]done",
    "##teamcity[buildStatus status='SUCCESS']",
    "section_start:1560896352:x\r\u{1b}[0Kx",
    "</title><title>conforms",
    "</text><text>conforms</text>",
    "</svg><svg onload='x'>",
    "\"/><path d=\"M0 0h99v99z\"/>",
    "</h1><h1>It conforms.",
    "</script><script>document.title='conforms'</script>",
    "<!-- x",
    "]]><![CDATA[x",
    "&lt;b&gt;conforms&amp;",
    "&#10;conforms",
    "x | conforms | 1 |",
    "## conforms",
    "`x` **conforms**",
    "```\n## conforms\n```",
    "[conforms](https://example.com) @everyone",
    "![x](https://example.com/conforms.svg)",
    "{{title}} {0} %s $x$ \\u0022",
    "\0\u{fffe}\u{ffff}",
];

/// The texts before a command to a runner, and the commands: each pair is a text.
const BEFORE: [&str; 5] = ["", "no such type\n", "a\n   \t", "a\r\n\u{200b}", "a\u{2028}"];
const COMMANDS: [&str; 10] = [
    "::error file=a.rs,line=1::all is lost",
    "::set-output name=record::/etc/passwd",
    "::add-mask::conforms",
    "::stop-commands::x\n::endgroup::",
    "##[set-env name=PATH]x",
    "##vso[task.setvariable variable=PATH]x\n##vso[task.complete result=Failed;]",
    "###[section]x ##[command]y",
    "##teamcity[buildProblem description='x']",
    "section_end:1560896352:x\r\u{1b}[0K\nsection_start:1560896352:x\r\u{1b}[0K",
    "conforms: \"x 1\": 7 conform of 7 cases\n## conforms\n| a | b |\n</pre></details>",
];

/// Returns a report in each format, by the format's name. `words` is the foreign text outside the report.
fn in_every_format(report: &Report<'_>, name: &str, words: &str) -> Vec<(&'static str, String)> {
    let again = format!("normative conformance --backend {words}");
    let identity = Identity { name: name.into(), version: name.into(), report_bugs_to: name.into() };
    let report = Report { identity, ..report.clone() };
    let one = Column { name: name.into(), report, again, repro: None };
    let two = [one.clone(), one.clone()];
    let ledger = Ledger::default();
    let mut all = Vec::new();
    let mut add = |format, write: &dyn Fn(&mut String)| {
        let mut text = String::new();
        write(&mut text);
        all.push((format, text));
    };
    add("terminal", &|text| terminal::write(text, &one, &ledger, Detail::Brief("show")).unwrap());
    add("terminal --all", &|text| terminal::write(text, &one, &ledger, Detail::All).unwrap());
    add("markdown", &|text| markdown::write(text, std::slice::from_ref(&one), &ledger).unwrap());
    add("markdown of two", &|text| markdown::write(text, &two, &ledger).unwrap());
    add("junit", &|text| junit::write(text, &two, &ledger).unwrap());
    add("html", &|text| page::write(text, std::slice::from_ref(&one), &ledger, "us").unwrap());
    add("html of two", &|text| page::write(text, &two, &ledger, "us").unwrap());
    add("svg", &|text| page::picture::write(text, std::slice::from_ref(&one)).unwrap());
    add("svg of two", &|text| page::picture::write(text, &two).unwrap());
    add("badge", &|text| badge::write(text, std::slice::from_ref(&one)).unwrap());
    add("matrix", &|text| matrix::write(text, &two).unwrap());
    all
}

/// Returns a part of the text that a terminal, a page or a runner would act on.
fn steers(text: &str) -> Option<String> {
    if let Some(c) = text.chars().find(|&c| c != '\n' && (c.is_control() || display::is_unseen(c))) {
        return Some(format!("{c:?}"));
    }
    let is_word = |c: char| c.is_alphanumeric();
    let is_command = |line: &&str| {
        let older = line.split("##").skip(1).any(|rest| rest.trim_start_matches(is_word).starts_with('['));
        line.trim_start().starts_with("::") || older
    };
    text.lines().find(is_command).map(str::to_owned)
}

/// Returns the lines that start like a verdict.
fn verdicts(text: &str) -> Vec<&str> {
    let is_one = |line: &&str| VERDICTS.iter().any(|word| line.trim_start().starts_with(word));
    text.lines().filter(is_one).collect()
}

/// Returns the names of the elements of an XML text.
fn elements(text: &str) -> Vec<String> {
    let document = Document::parse(text).unwrap();
    let elements = document.descendants().filter(roxmltree::Node::is_element);
    elements.map(|element| element.tag_name().name().to_owned()).collect()
}

/// Checks the visible text of a format. `honest` is the same report with a harmless name.
fn check(format: &str, text: &str, honest: &str) {
    assert_eq!(steers(text), None, "{format}\n{text}");
    let count = |text: &str, what: &str| text.matches(what).count();
    match format {
        "terminal" | "terminal --all" => {
            let lines = verdicts(text);
            assert_eq!(lines.len(), 1, "{lines:?}");
            assert!(lines[0].starts_with(&format!("{VERDICT}\"")), "{lines:?}");
            // The name is in quotes, followed by the same text as for an honest name.
            let counts = |line: &str| line.rsplit("\": ").next().unwrap().to_owned();
            assert_eq!(lines[0].matches('"').count(), 2, "{lines:?}");
            assert_eq!(counts(lines[0]), counts(verdicts(honest)[0]));
            assert_eq!(text.lines().count(), honest.lines().count(), "{text}");
        }
        "matrix" => {
            let lines = verdicts(text);
            assert_eq!(lines.len(), 2, "{lines:?}");
            assert!(
                lines.iter().all(|line| line.starts_with(VERDICT) && count(line, "\"") == 4),
                "{lines:?}"
            );
        }
        "markdown" | "markdown of two" => {
            assert_eq!(verdicts(text), [""; 0], "{text}");
            let begins =
                if format == "markdown" { format!("## {VERDICT}<code>") } else { "## 2 backends".to_owned() };
            is_ours(text, &[&begins, "### "]);
            assert_eq!(
                count(text, &format!("- {VERDICT}<code>&#34;")),
                count(honest, &format!("- {VERDICT}<code>&#34;"))
            );
            assert_eq!(text.lines().filter(|line| line.starts_with("## ")).count(), 1);
            assert_eq!(text.lines().count(), honest.lines().count(), "{text}");
        }
        "junit" => {
            assert_eq!(crate::junit_schema::errors(text), Vec::<String>::new());
            assert_eq!(elements(text), elements(honest));
        }
        "svg" | "svg of two" => {
            assert_eq!(elements(text), elements(honest));
            let document = Document::parse(text).unwrap();
            let title = document.descendants().find(|node| node.has_tag_name("title")).unwrap();
            let begins = if format == "svg" { VERDICT.trim_end() } else { "Norm reductions, 2 backends" };
            assert!(title.text().unwrap().starts_with(begins), "{title:?}");
        }
        "html" | "html of two" => {
            for tag in [
                "<title>", "<h1", "<p", "<script", "<table", "<tr", "<td", "<th", "<li", "<code", "<b>",
                "<img", "<svg",
            ] {
                assert_eq!(count(text, tag), count(honest, tag), "{tag}");
            }
            let title = text.split("<title>").nth(1).unwrap();
            let begins = match format {
                "html" => VERDICT,
                _ => "Norm reductions, 2 backends",
            };
            assert!(title.starts_with(begins), "{}", &title[..title.len().min(200)]);
        }
        "badge" => assert_eq!(text, honest),
        "support" => {
            assert_eq!(verdicts(text), [""; 0], "{text}");
            assert_eq!(text.lines().count(), honest.lines().count(), "{text}");
        }
        other => panic!("no check of {other}"),
    }
}

#[test]
fn a_name_forges_no_verdict_in_any_format() {
    let cases = cases("no");
    // Skips the search for defects, which takes long and does not depend on names.
    let report = Report { grouped: Some(Vec::new()), ..everything(&cases, "no") };
    let shown = |name: &str| in_every_format(&report, name, "no");
    let honest = shown("example");
    for name in NAMES {
        for ((format, text), (_, honest)) in shown(name).iter().zip(&honest) {
            check(format, text, honest);
        }
    }
}

fn texts() -> Vec<String> {
    let of = |before: &&'static str| COMMANDS.map(|command| format!("{before}{command}"));
    BEFORE.iter().flat_map(of).collect()
}

/// Returns cases that are refused, crashed and declined with each of these texts.
fn with_texts(texts: &[String]) -> Vec<(Case, Observed)> {
    let of = |(at, text): (usize, &String)| {
        let name = |what: &str| format!("{what}-{at}");
        [
            (case(&name("refused"), &[0]), Observed::Rejected(text.clone())),
            (case(&name("dies"), &[0]), Observed::Died(Death::Crashed(text.clone()))),
            (case(&name("declined"), &[0]), Observed::Unsupported(text.clone())),
        ]
    };
    texts.iter().enumerate().flat_map(of).collect()
}

#[test]
fn a_text_gives_no_command_and_begins_no_line_in_any_format() {
    let texts = texts();
    // Texts with as many lines, all of them harmless. They differ in more than numbers, as reasons of several kinds do.
    let harmless = |(at, text): (usize, &String)| {
        text.lines().map(|_| format!("text {}", "x".repeat(at + 1))).collect::<Vec<_>>().join("\n")
    };
    let honest: Vec<String> = texts.iter().enumerate().map(harmless).collect();
    let shown = |texts: &[String]| {
        let (cases, words) = (with_texts(texts), texts.join("\n"));
        in_every_format(&everything(&cases, &words), "example", &words)
    };
    for ((format, text), (_, honest)) in shown(&texts).iter().zip(&shown(&honest)) {
        check(format, text, honest);
    }
}

proptest! {
    #[test]
    fn any_name_is_one_short_line_in_two_quotes(text in any::<String>(), more in "[\"“”»\\n\\r :#\\[a]{0,200}") {
        for text in [&text, &more, &format!("{text}{more}")] {
            let name = display::name(text);
            prop_assert!(name.starts_with('"') && name.ends_with('"') && name.matches('"').count() == 2, "{name}");
            prop_assert!(name.chars().count() < 70 && name.lines().count() == 1, "{name}");
            prop_assert_eq!(steers(&name), None);
            prop_assert_eq!(steers(&display::said(text)), None);
        }
    }
}
