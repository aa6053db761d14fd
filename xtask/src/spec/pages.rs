//! Reduces a page to lines of text: HTML, Markdown, reStructuredText, Python, Bikeshed, Fortran, or plain text.
//!
//! `html5gum` parses HTML, and `pulldown-cmark` parses Markdown. The reStructuredText of OpenVINO's pages is also
//! valid Markdown, except for directives, comments and roles, which are removed first. Markup never becomes text, and
//! visible text is never dropped.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use normative_conformance::outside;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::bikeshed;
use super::html::{self, HEADING};
use super::sentences::BREAK;
use super::{fortran, python};

/// The maximum size of a page in bytes. The longest known page has a tenth of that.
const LONGEST: usize = 1 << 24;

/// The format of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Html,
    Markdown,
    Rst,
    Python,
    Bikeshed,
    Fortran,
    Plain,
}

impl Format {
    /// Returns the format of a file, by the ending of its name.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "html" | "htm" => Some(Self::Html),
            "md" => Some(Self::Markdown),
            "rst" => Some(Self::Rst),
            "py" => Some(Self::Python),
            "bs" => Some(Self::Bikeshed),
            "f" | "f90" => Some(Self::Fortran),
            "txt" => Some(Self::Plain),
            _ => None,
        }
    }
}

/// Reads the lines of the page in a file.
///
/// # Errors
/// The file cannot be read, is too long or not UTF-8, or its name has another ending.
pub(crate) fn read(path: &Path) -> Result<String> {
    let name = || path.display().to_string();
    let Some(format) = Format::of(path) else {
        bail!(
            "{}: expected a page whose name ends in .html, .htm, .md, .rst, .py, .bs, .f, .f90 or .txt",
            name()
        );
    };
    Ok(lines(format, &outside::text(path, LONGEST).with_context(name)?))
}

/// Returns the lines of a page.
pub(crate) fn lines(format: Format, page: &str) -> String {
    match format {
        Format::Html => html::lines(page),
        Format::Markdown => markdown(page, false),
        Format::Rst => markdown(&without_directives(page), true),
        // Docstrings only have roles and directives of reStructuredText.
        Format::Python => without_directives(&python::lines(page)),
        Format::Bikeshed => bikeshed::lines(page),
        Format::Fortran => fortran::lines(page),
        Format::Plain => page.replace("[Image]", &format!("{BREAK}[Image]{BREAK}")),
    }
}

/// Returns the lines of Markdown. `code_is_bare` is set if text like HTML is code.
fn markdown(page: &str, code_is_bare: bool) -> String {
    let mut lines = String::new();
    for event in Parser::new(page) {
        match event {
            Event::Text(text) | Event::Code(text) => lines.push_str(&text),
            Event::Html(text) | Event::InlineHtml(text) if code_is_bare => lines.push_str(&text),
            Event::Html(text) | Event::InlineHtml(text) => lines.push_str(&html::lines(&text)),
            Event::SoftBreak => lines.push(' '),
            Event::HardBreak | Event::Rule => lines.push('\n'),
            Event::Start(Tag::Heading { .. }) => lines.extend(['\n', HEADING]),
            Event::Start(tag) if is_block(tag.to_end()) => lines.push('\n'),
            Event::End(tag) if is_block(tag) => lines.push('\n'),
            _ => {}
        }
    }
    lines
}

const fn is_block(tag: TagEnd) -> bool {
    !matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
}

/// Removes reStructuredText that Markdown lacks. A comment, `.. meta::` and `.. toctree::` go with the indented lines
/// below. Other directives lose their name and options, and keep their content.
fn without_directives(page: &str) -> String {
    let mut kept = String::new();
    let (mut dropped, mut options, mut prose, mut above) = (false, false, false, "");
    for line in page.lines() {
        let said = line.trim();
        let within = line.starts_with(' ') || said.is_empty();
        let option = options && said.starts_with(':');
        if let Some(directive) =
            line.strip_prefix("..").filter(|rest| rest.is_empty() || rest.starts_with(' '))
        {
            let held = directive.split_once("::").filter(|(name, _)| !name.trim().contains([' ', '{']));
            let name = held.map_or("", |(name, _)| name.trim());
            dropped = ["", "meta", "toctree"].contains(&name);
            options = !dropped;
            prose = !dropped && name != "math" && !name.ends_with("code-block");
            if let Some((_, text)) = held.filter(|_| !dropped && !name.ends_with("code-block")) {
                kept.push_str(text.trim());
            }
        } else if !(dropped && within || option) {
            dropped = false;
            options &= said.is_empty();
            prose &= within;
            if is_adornment(said) && !above.trim().is_empty() {
                // Markdown would take the other signs for code.
                kept.push_str("---");
            } else if let Some(row) = python::row(said) {
                kept.push_str(&row);
            } else if !(said.starts_with('+') && python::is_ruler(said)) {
                // Markdown would take prose indented by four for code.
                kept.push_str(&without_links(&without_roles(if prose { said } else { line })));
            }
        }
        kept.push('\n');
        above = line;
    }
    kept
}

/// Returns true if a line underlines a heading with a sign that Markdown does not know.
fn is_adornment(line: &str) -> bool {
    line.len() > 2 && ['~', '^', '"'].into_iter().any(|sign| line.chars().all(|c| c == sign))
}

/// Removes the targets of links: `` `text <target>`_ `` becomes `` `text` ``.
fn without_links(line: &str) -> String {
    let (mut kept, mut rest, mut code) = (String::new(), line, None);
    while let Some(end) = rest.find(">`_") {
        let from = kept.len();
        kept.push_str(&rest[..end]);
        code = code.or_else(|| Some(from + kept[from..].find('`')?));
        rest = &rest[end..];
        let begin = kept.rfind(" <").filter(|&begin| code.is_some_and(|code| code < begin));
        let Some(begin) = begin else { break };
        kept.truncate(begin);
        kept.push('`');
        rest = rest[2..].trim_start_matches('_');
    }
    kept + rest
}

/// Removes the names of roles: ``:math:`x` `` becomes `` `x` ``.
fn without_roles(line: &str) -> String {
    let line = line.replace("\\ ", "");
    let (mut kept, mut rest) = (String::new(), &line[..]);
    while let Some(end) = rest.find(":`") {
        kept.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        // Removing a name may join another role's colon to the code, so repeat.
        loop {
            let is_name =
                |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
            let Some(begin) = kept.rfind(':').filter(|&begin| is_name(&kept[begin + 1..])) else {
                return kept + ":" + rest;
            };
            kept.truncate(begin);
            if !kept.ends_with(':') {
                break;
            }
            kept.pop();
        }
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;
    use crate::spec::words::wording;
    use normative_fuzz_checks::growth::assert_linear;

    /// Returns the lines with text, trimmed.
    fn said(format: Format, page: &str) -> Vec<String> {
        let shown = lines(format, page).replace(BREAK, "\n").replace(HEADING, "");
        shown.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    #[rstest]
    #[case::html(
        Format::Html,
        "<h1>A title<a>#</a></h1><p>If <code>axes</code> is <b>an\nempty</b> list.</p><ul><li>One<li>Two</ul>"
    )]
    #[case::markdown(
        Format::Markdown,
        "A title#\n=====\n\nIf `axes` is **an\nempty** list.\n\n* One\n* Two\n"
    )]
    #[case::rst(
        Format::Rst,
        ".. {#anchor}\n\nA title#\n=====\n\n.. meta::\n  :description: Unseen.\n\nIf ``axes`` is **an\nempty** list.\n\n* One\n* Two\n"
    )]
    #[case::roles(Format::Rst, "A title#\n\nIf :math:`axes` is :strong:`an` empty list.\n\nOne\n\nTwo")]
    fn every_format_gives_the_same_lines(#[case] format: Format, #[case] page: &str) {
        let expected = ["A title#", "If axes is an empty list.", "One", "Two"];
        let lines: Vec<String> = said(format, page).iter().map(|line| wording(line)).collect();
        assert_eq!(lines, expected.map(wording));
    }

    #[test]
    fn what_stands_around_an_article_is_not_read() {
        let page = "<head><title>T</title></head><nav>Way</nav><article><nav>Up</nav><p>Text.</p><script>s()</script></article><p>Foot.";
        assert_eq!(said(Format::Html, page), ["Text."]);
    }

    #[rstest]
    #[case::html(Format::Html, "<pre>a = &lt;x&gt;\nb</pre>")]
    #[case::markdown(Format::Markdown, "```\na = <x>\nb\n```\n")]
    #[case::rst(Format::Rst, ".. code-block:: xml\n   :force:\n\n    a = <x>\n    b\n")]
    #[case::plain(Format::Plain, "a = <x>\nb")]
    fn code_keeps_its_lines(#[case] format: Format, #[case] page: &str) {
        assert_eq!(said(format, page), ["a = <x>", "b"]);
    }

    #[rstest]
    #[case::html(Format::Html, "<h1>One</h1><h3>Two</h3><p>Three</p>")]
    #[case::markdown(Format::Markdown, "# One\n\n### Two\n\nThree")]
    #[case::rst(Format::Rst, ".. _one:\n\nOne\n===\n\nTwo\n~~~\n\nThree")]
    fn headings_of_any_level_are_marked(#[case] format: Format, #[case] page: &str) {
        let shown = lines(format, page).replace(HEADING, "@");
        let said: Vec<&str> = shown.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        assert_eq!(said, ["@One", "@Two", "Three"]);
    }

    #[test]
    fn a_note_a_link_and_a_table_are_their_words() {
        let page = ".. note::\n    A *note*.\n\nA `word <https://a.example/_b>`_ and `another <c>`__.\n\n+---+------+\n| a | **b** |\n+===+======+\n| 1 | 2 |\n+---+------+\n\n.. toctree::\n   :maxdepth: 3\n\n   unseen\n\nThe end.";
        assert_eq!(said(Format::Rst, page), ["A note.", "A word and another.", "a b", "1 2", "The end."]);
    }

    #[test]
    fn the_text_of_a_directive_stays() {
        let page =
            ".. note::\n\n   Mind this.\n\n.. math:: x = 1\n\n.. A comment\n   of two lines.\n\nThe end.";
        assert_eq!(said(Format::Rst, page), ["Mind this.", "x = 1", "The end."]);
    }

    #[rstest]
    #[case::html(Format::Html, "One<img src=x>Two")]
    #[case::plain(Format::Plain, "One[Image]Two")]
    fn a_picture_stands_alone(#[case] format: Format, #[case] page: &str) {
        assert_eq!(said(format, page), ["One", "[Image]", "Two"]);
    }

    /// The definition of both functions: remove the first link, or role, until there is none.
    fn one_by_one(line: &str) -> (String, String) {
        let (mut links, mut roles) = (line.to_owned(), line.replace("\\ ", ""));
        while let Some(end) = links.find(">`_") {
            let Some(begin) = links[..end].rfind(" <").filter(|&begin| links[..begin].contains('`')) else {
                break;
            };
            let signs = links[end + 2..].bytes().take_while(|&sign| sign == b'_').count();
            links.replace_range(begin..end + 2 + signs, "`");
        }
        while let Some(end) = roles.find(":`") {
            let name = roles[..end].rfind(':').filter(|&begin| {
                begin + 1 < end
                    && roles[begin + 1..end].chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
            });
            let Some(begin) = name else { break };
            roles.replace_range(begin..=end, "");
        }
        (links, roles)
    }

    #[rstest]
    #[case::roles(Format::Rst, ":math:`x` ")]
    #[case::roles_of_roles(Format::Rst, ":a")]
    #[case::links(Format::Rst, "`a <b>`_ ")]
    #[case::directives(Format::Rst, ".. note::\n\n   a\n")]
    #[case::rows(Format::Rst, "| a | b |\n")]
    #[case::docstring(Format::Python, "def a():\n    \"\"\"A. :math:`x`\"\"\"\n")]
    #[case::emphasis(Format::Markdown, "**a* ")]
    #[case::brackets(Format::Markdown, "[a](")]
    #[case::headings(Format::Markdown, "# a\n")]
    #[case::elements(Format::Html, "<p>a<ul><li>b")]
    #[case::comments(Format::Html, "<!-- a ")]
    #[case::tables(Format::Html, "<table><tr><td>a")]
    #[case::dictionaries(Format::Bikeshed, "<dfn>{{a}}</dfn> |b|\n")]
    #[case::comments_of_code(Format::Fortran, "*> \\verbatim a\n")]
    #[case::pictures(Format::Plain, "[Image] ")]
    fn a_page_is_read_in_linear_time(#[case] format: Format, #[case] part: &str) {
        assert_linear(500, |n| part.repeat(n), |page| _ = lines(format, page));
    }

    proptest! {
        #[test]
        fn links_and_roles_go_one_by_one(line in "[a<>`: _-]{0,40}") {
            prop_assert_eq!((without_links(&line), without_roles(&line)), one_by_one(&line));
        }

        #[test]
        fn no_page_is_too_odd(page: String, markup in "[<>a-z/=\"&;*`:.# \n_-]{0,200}") {
            let formats =
                [Format::Html, Format::Markdown, Format::Rst, Format::Python, Format::Bikeshed, Format::Fortran, Format::Plain];
            for format in formats {
                lines(format, &page);
                lines(format, &markup);
            }
        }
    }
}
