//! The canonical form of a corpus file: the content ([`File`]) determines every character.
//!
//! - First the fields of the head, then the items, with a blank line between two items and nowhere else. Comments
//!   stand at the head of the file or directly above an item. A row of a table of kernels is one line, and the next
//!   follows.
//! - A field is one line if it fits into [`WIDTH`] characters; its lists and maps are in brackets.
//! - Otherwise a map has one field a line, and a list continues below, filled to the width; so do `data` and `expect`,
//!   where a line does not end within a reading that fits one.
//! - A text that does not fit, or has line breaks, is a folded block (`>-`) filled to the width. A text that folding
//!   would change, such as one with two spaces in a row, is one line of any length.
//! - A text has double quotes if YAML would not read it back, or if a reader of YAML 1.1 or 1.2 might take it for
//!   another type. Numbers, booleans and null have no quotes.

use std::fmt::{self, Write as _};

use serde_yaml::Value;

use super::content::{File, Item, Node};

/// The maximum width of a line, except for a longer single word.
const WIDTH: usize = 120;

/// The list of which every item is one line, however long, with no blank line between two.
const ROWS: &str = "rows";

/// The fields whose maps are mostly numbers, and fill lines as lists do.
const TENSORS: [&str; 2] = ["data", "expect"];

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.comments.iter().try_for_each(|comment| writeln!(f, "{comment}"))?;
        self.head.iter().try_for_each(|(name, value)| field(f, "", name, value))?;
        writeln!(f, "{}:", self.list)?;
        if self.list == ROWS {
            return self.items.iter().try_for_each(|row| {
                row.comments.iter().try_for_each(|comment| writeln!(f, "  {comment}"))?;
                writeln!(f, "  - {}", on_one_line(&Node::Map(row.fields.clone()), false))
            });
        }
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

/// Writes a field. Its first line begins with `lead`; the others are indented below it.
fn field(f: &mut fmt::Formatter<'_>, lead: &str, name: &str, value: &Node) -> fmt::Result {
    let below = " ".repeat(lead.len() + 2);
    let line = format!("{lead}{name}: {}", on_one_line(value, false));
    let fits = line.chars().count() <= WIDTH;
    match value {
        Node::Map(_) if !fits && TENSORS.contains(&name) => {
            let is_whole = |word: &str| below.len() + word.chars().count() <= WIDTH;
            let words = joined(value, false, 3);
            let words = words
                .split('\n')
                .map(|word| if is_whole(word) { word.to_owned() } else { word.replace(", ", ",\n") });
            let words = words.collect::<Vec<_>>().join("\n");
            writeln!(f, "{}", filled(&format!("{lead}{name}: "), words.split('\n'), &below))
        }
        Node::Map(fields) if !fits => {
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

/// Writes a value on one line; `inside` is set within brackets.
fn on_one_line(value: &Node, inside: bool) -> String {
    joined(value, inside, 0)
}

/// Writes a value on one line, with a line feed for the blank behind each comma of the `outer` levels of brackets.
fn joined(value: &Node, inside: bool, outer: usize) -> String {
    let (gap, outer) = (if outer > 0 { ",\n" } else { ", " }, outer.saturating_sub(1));
    match value {
        Node::Text(text) if is_plain(text, inside) => text.clone(),
        Node::Text(text) => quoted(text),
        Node::Bare(text) => text.clone(),
        Node::List(items) => {
            let items: Vec<String> = items.iter().map(|item| joined(item, true, outer)).collect();
            format!("[{}]", items.join(gap))
        }
        Node::Map(fields) => {
            let field = |(name, value): &(String, Node)| format!("{name}: {}", joined(value, true, outer));
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(gap))
        }
    }
}

/// Fills lines with words. The first line begins with `lead`; the others are indented.
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

/// Writes a folded block from its header on, without the last line feed. Returns `None` if folding would change the
/// text.
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
        // A folded block needs one more line break than the text has: a single one is read as a space.
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

/// Returns true if a text needs no quotes: the YAML crate reads it back unchanged, and other readers do not take it
/// for a number, a date or a keyword.
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

/// Puts a text in double quotes.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            // All of these are at most U+FFFF. Writing to a string cannot fail.
            c if needs_escape(c) => _ = write!(quoted, "\\u{:04x}", u32::from(c)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// Returns true if a character has to be escaped.
fn needs_escape(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests;
