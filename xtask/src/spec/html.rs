//! The text lines of an HTML page, without navigation.

use std::convert::Infallible;

use html5gum::{Token, Tokenizer};

use super::sentences::BREAK;

/// A mark before a line that is a heading of any level.
pub(super) const HEADING: char = '\u{1c}';

/// Elements that start and end lines.
const BLOCKS: [&[u8]; 32] = [
    b"address",
    b"article",
    b"aside",
    b"blockquote",
    b"br",
    b"dd",
    b"div",
    b"dl",
    b"dt",
    b"figcaption",
    b"figure",
    b"footer",
    b"form",
    b"h1",
    b"h2",
    b"h3",
    b"h4",
    b"h5",
    b"h6",
    b"header",
    b"hr",
    b"li",
    b"main",
    b"nav",
    b"ol",
    b"p",
    b"pre",
    b"section",
    b"table",
    b"td",
    b"tr",
    b"ul",
];

/// The headings among them.
const HEADINGS: [&[u8]; 6] = [b"h1", b"h2", b"h3", b"h4", b"h5", b"h6"];

/// Elements whose text is not part of the page's text.
const UNSEEN: [&[u8]; 9] =
    [b"button", b"footer", b"head", b"nav", b"noscript", b"script", b"style", b"svg", b"template"];

/// Returns the lines of an HTML page, or of a part of one.
pub(super) fn lines(page: &str) -> String {
    // If the page has an `article` or a `main`, read only that.
    let inside = [b"article" as &[u8], b"main"].into_iter().find(|name| element_is_there(page, name));
    let (mut lines, mut within, mut unseen, mut code) = (String::new(), 0_usize, 0_usize, 0_usize);
    for token in tokens(page) {
        let seen = unseen == 0 && (within > 0 || inside.is_none());
        match token {
            Token::StartTag(tag) if !tag.self_closing || &**tag.name == b"br" || &**tag.name == b"img" => {
                let name: &[u8] = &tag.name;
                within += usize::from(Some(name) == inside);
                unseen += usize::from(UNSEEN.contains(&name));
                code += usize::from(name == b"pre");
                if seen && name == b"img" {
                    lines.extend([BREAK].iter().chain(&['[', 'I', 'm', 'a', 'g', 'e', ']']).chain(&[BREAK]));
                } else if seen && BLOCKS.contains(&name) {
                    lines.push('\n');
                    lines.extend(HEADINGS.contains(&name).then_some(HEADING));
                }
            }
            Token::EndTag(tag) => {
                let name: &[u8] = &tag.name;
                within = within.saturating_sub(usize::from(Some(name) == inside));
                unseen = unseen.saturating_sub(usize::from(UNSEEN.contains(&name)));
                code = code.saturating_sub(usize::from(name == b"pre"));
                if seen && name == b"pre" {
                    // End the sentence, in case code and prose run together.
                    lines.push(BREAK);
                }
                if seen && BLOCKS.contains(&name) {
                    lines.push('\n');
                }
            }
            Token::String(text) if seen => {
                let text = String::from_utf8_lossy(&text);
                if code > 0 {
                    lines.push_str(&text);
                } else {
                    lines.extend(text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }));
                }
            }
            _ => {}
        }
    }
    lines
}

fn tokens(page: &str) -> impl Iterator<Item = Token> {
    Tokenizer::new(page).map(|token: Result<Token, Infallible>| match token {
        Ok(token) => token,
        Err(never) => match never {},
    })
}

fn element_is_there(page: &str, name: &[u8]) -> bool {
    tokens(page).any(|token| matches!(token, Token::StartTag(tag) if &**tag.name == name))
}
