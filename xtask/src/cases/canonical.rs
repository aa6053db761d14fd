//! The one form in which a corpus file is written: what it says ([`File`]) decides every character.
//!
//! - The head's fields, then the items, a blank line between two of them and none elsewhere. Comments
//!   stand at the head of the file or directly above an item.
//! - A field is one line where it fits into [`WIDTH`] characters; its lists and maps are in brackets.
//! - Where it does not fit, a map has one field a line (one with `readings` always, as do the readings),
//!   and a list goes on below, filled to the width.
//! - A text that does not fit, or has line breaks, is a folded block (`>-`) filled to the width; what
//!   folding cannot carry, such as two spaces in a row, is one line, however long.
//! - A text has double quotes where YAML would not read it as it stands, or where any reader of YAML 1.1
//!   or 1.2 might take it for something else than a text. Numbers and the like never have any.

use std::fmt::{self, Write as _};

use serde_yaml::Value;

use super::content::{Fields, File, Item, Node};

/// The most characters on a line, unless a single word has more.
const WIDTH: usize = 120;

/// The field whose map is never on one line: readings are compared, one below the other.
const READINGS: &str = "readings";

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.comments.iter().try_for_each(|comment| writeln!(f, "{comment}"))?;
        self.head.iter().try_for_each(|(name, value)| field(f, "", name, value))?;
        writeln!(f, "{}:", self.list)?;
        for (at, item) in self.items.iter().enumerate() {
            write!(f, "{}{item}", if at == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.comments.iter().try_for_each(|comment| writeln!(f, "  {comment}"))?;
        for (at, (name, value)) in self.fields.iter().enumerate() {
            field(f, if at == 0 { "  - " } else { "    " }, name, value)?;
        }
        Ok(())
    }
}

/// A field, whose first line begins with `lead`, below which the others are indented.
fn field(f: &mut fmt::Formatter<'_>, lead: &str, name: &str, value: &Node) -> fmt::Result {
    let below = " ".repeat(lead.len() + 2);
    let line = format!("{lead}{name}: {}", on_one_line(value, false));
    let fits = line.chars().count() <= WIDTH;
    match value {
        Node::Map(fields) if !fits || name == READINGS || has_readings(fields) => {
            writeln!(f, "{lead}{name}:")?;
            fields.iter().try_for_each(|(name, value)| field(f, &below, name, value))
        }
        Node::List(items) if !fits => {
            let words: Vec<String> = items.iter().map(|item| on_one_line(item, true)).collect();
            let words = words.join(",\n") + "]";
            writeln!(f, "{}", filled(&format!("{lead}{name}: ["), words.split('\n'), &below))
        }
        Node::Text(text) if !fits || text.contains('\n') => match folded(text, &below) {
            Some(block) => writeln!(f, "{lead}{name}: {block}"),
            None => writeln!(f, "{line}"),
        },
        _ => writeln!(f, "{line}"),
    }
}

fn has_readings(fields: &Fields) -> bool {
    fields.iter().any(|(name, _)| name == READINGS)
}

/// A value on one line, inside brackets or not.
fn on_one_line(value: &Node, inside: bool) -> String {
    match value {
        Node::Text(text) if is_plain(text, inside) => text.clone(),
        Node::Text(text) => quoted(text),
        Node::Bare(text) => text.clone(),
        Node::List(items) => {
            let items: Vec<String> = items.iter().map(|item| on_one_line(item, true)).collect();
            format!("[{}]", items.join(", "))
        }
        Node::Map(fields) => {
            let field = |(name, value): &(String, Node)| format!("{name}: {}", on_one_line(value, true));
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Words as many on a line as fit, the first after `lead`, the lines below indented.
fn filled<'a>(lead: &str, words: impl IntoIterator<Item = &'a str>, indent: &str) -> String {
    let (mut text, mut width) = (lead.to_owned(), lead.chars().count());
    for (at, word) in words.into_iter().enumerate() {
        let more = word.chars().count();
        if at > 0 && width + 1 + more > WIDTH {
            text.push('\n');
            text.push_str(indent);
            width = indent.len();
        } else if at > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += more;
    }
    text
}

/// A folded block from its header on, without its last line feed; nothing where folding would change
/// the text.
fn folded(text: &str, indent: &str) -> Option<String> {
    let (header, body) = text.strip_suffix('\n').map_or((">-", text), |body| (">", body));
    let ragged = |line: &str| line.starts_with(' ') || line.ends_with(' ') || line.contains("  ");
    if body.is_empty() || body.ends_with('\n') || body.lines().any(ragged) {
        return None;
    }
    if body.chars().any(|c| c != '\n' && needs_escape(c)) {
        return None;
    }
    let mut block = header.to_owned();
    for (at, line) in body.split('\n').enumerate() {
        // As many line breaks of the text are one more here: a single one would be a space.
        if at > 0 {
            block.push('\n');
        }
        if !line.is_empty() {
            block.push('\n');
            block.push_str(&filled(indent, line.split(' '), indent));
        }
    }
    Some(block)
}

/// Whether a text can stand without quotes: the YAML crate reads it back as this very text, and no
/// other reader takes it for a number, a date or a word of its own.
fn is_plain(text: &str, inside: bool) -> bool {
    const WORDS: [&str; 11] = ["~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "="];
    let like_a_number = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
        && !(text.contains(' ') && text.contains(char::is_alphabetic));
    if like_a_number || WORDS.contains(&text.to_lowercase().as_str()) || text.chars().any(needs_escape) {
        return false;
    }
    let document = if inside { format!("{{a: {text}, b: c}}") } else { format!("a: {text}\nb: c") };
    let read: Result<Value, _> = serde_yaml::from_str(&document);
    read.is_ok_and(|map| map.get("a").and_then(Value::as_str) == Some(text))
}

/// A text in double quotes.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            // None of them is beyond U+FFFF. Writing to a string cannot fail.
            c if needs_escape(c) => _ = write!(quoted, "\\u{:04x}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// Whether a character cannot stand in a file as it is.
fn needs_escape(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests;
