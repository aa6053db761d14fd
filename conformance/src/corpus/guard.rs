//! Scans a file in linear time before the YAML crate sees it.
//!
//! It refuses YAML that the corpus does not use: anchors, aliases, tags, merge keys, directives and document
//! markers, tabs and unusual line breaks, because parsers disagree on them; and deep brackets, which cost
//! parsers quadratic time. It also records the line of every key, because values of the YAML crate do not have
//! lines.
//!
//! It is a scanner, not a parser: it distinguishes quoted, plain and block scalars and comments like YAML 1.2
//! (so `why: a & b` is prose), and leaves every other error to the YAML crate.

use thiserror::Error;

/// The longest file read, in bytes.
pub const MAX_BYTES: usize = 4 << 20;
/// The most brackets open at a time. A case needs four.
pub const MAX_OPEN_BRACKETS: usize = 64;

/// A refused feature of YAML.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// `&name`
    #[error("anchors are not used here")]
    Anchor,
    /// `*name`
    #[error("aliases are not used here")]
    Alias,
    /// `!name`
    #[error("tags are not used here")]
    Tag,
    /// `<<:`
    #[error("merge keys are not used here")]
    MergeKey,
    /// `---` or `...`
    #[error("expected one document, got a document marker")]
    DocumentMarker,
    /// `%YAML`
    #[error("directives are not used here")]
    Directive,
    /// More than [`MAX_OPEN_BRACKETS`].
    #[error("expected at most {MAX_OPEN_BRACKETS} open brackets, got more")]
    Nesting,
    /// A tab, or a control, line-breaking or byte-order character other than the line feed.
    #[error("character U+{:04X} is not used here", *.0 as u32)]
    Character(char),
}

/// The result of a scan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline<'a> {
    /// Every mapping key seen, in file order.
    pub keys: Vec<Key<'a>>,
    /// Every comment, in file order.
    pub comments: Vec<Comment<'a>>,
    /// The first refusal and its line. Later text was not scanned.
    pub refusal: Option<(Refusal, usize)>,
}

/// A mapping key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<'a> {
    /// The name as written.
    pub name: &'a str,
    /// Its line, from 1.
    pub line: usize,
    /// The number of collections around it; keys of one mapping agree.
    pub depth: usize,
}

impl Key<'_> {
    /// Returns true if the key is this word, quoted or not.
    pub fn is(&self, word: &str) -> bool {
        self.name.trim_matches(['"', '\'']) == word
    }
}

/// A comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment<'a> {
    /// The text from its '#' to its last non-blank character.
    pub text: &'a str,
    /// Its line, from 1.
    pub line: usize,
}

/// Scans a whole file.
pub fn scan(text: &str) -> Outline<'_> {
    // The scanner knows only spaces and line feeds, so it stops before similar characters.
    let strange = strange_character(text);
    let mut scanner = Scanner {
        text: strange.map_or(text, |(_, at)| &text[..at]),
        at: 0,
        line: 1,
        line_start: 0,
        flow: 0,
        indents: Vec::new(),
        block_key: None,
        flow_key: None,
        keys: Vec::new(),
        comments: Vec::new(),
    };
    let refusal = match scanner.run() {
        Err(refusal) => Some((refusal, scanner.line)),
        Ok(()) => strange.map(|(refusal, at)| (refusal, text[..at].split('\n').count())),
    };
    Outline { keys: scanner.keys, comments: scanner.comments, refusal }
}

/// Returns the first character that parsers interpret differently, with its position.
fn strange_character(text: &str) -> Option<(Refusal, usize)> {
    let strange = |&(at, character): &(usize, char)| match character {
        '\n' => false,
        '\r' => !text[at..].starts_with("\r\n"),
        '\u{2028}' | '\u{2029}' | '\u{feff}' => true,
        other => other.is_control(),
    };
    text.char_indices().find(strange).map(|(at, character)| (Refusal::Character(character), at))
}

struct Scanner<'a> {
    text: &'a str,
    /// The index of the next byte.
    at: usize,
    line: usize,
    /// The index of the start of the line.
    line_start: usize,
    /// The number of open brackets.
    flow: usize,
    /// The columns of the open block collections, ascending.
    indents: Vec<usize>,
    /// A scalar that becomes a key if a colon follows on its line; one outside brackets, one inside.
    block_key: Option<Candidate<'a>>,
    flow_key: Option<Candidate<'a>>,
    keys: Vec<Key<'a>>,
    comments: Vec<Comment<'a>>,
}

#[derive(Clone, Copy)]
struct Candidate<'a> {
    /// `None` for a key that is itself a collection.
    name: Option<&'a str>,
    line: usize,
    column: usize,
}

impl<'a> Scanner<'a> {
    /// Scans token after token to the end, or to the first character that cannot start one: the YAML crate
    /// describes such errors better.
    fn run(&mut self) -> Result<(), Refusal> {
        loop {
            self.skip_to_token();
            let Some(byte) = self.peek(0) else { return Ok(()) };
            let column = self.column();
            if self.flow == 0 {
                while self.indents.last().is_some_and(|&indent| indent > column) {
                    self.indents.pop();
                }
            }
            if self.document_marker() {
                return Err(Refusal::DocumentMarker);
            }
            let alone = self.blank_at(1);
            match byte {
                b'%' if column == 0 => return Err(Refusal::Directive),
                b'&' => return Err(Refusal::Anchor),
                b'*' => return Err(Refusal::Alias),
                b'!' => return Err(Refusal::Tag),
                b'[' | b'{' => self.open_bracket()?,
                b']' | b'}' => {
                    self.flow = self.flow.saturating_sub(1);
                    self.flow_key = None;
                    self.at += 1;
                }
                b',' => {
                    self.flow_key = None;
                    self.at += 1;
                }
                b'-' if alone => self.open_block(column),
                b'?' if alone || self.flow > 0 => self.open_block(column),
                b':' if alone || self.flow > 0 => self.value()?,
                b'|' | b'>' if self.flow == 0 => {
                    if !self.block_scalar() {
                        return Ok(());
                    }
                }
                b'\'' | b'"' => self.scalar(Self::quoted_scalar),
                b'%' | b'@' | b'`' | b'|' | b'>' => return Ok(()),
                _ => self.scalar(Self::plain_scalar),
            }
        }
    }

    fn open_bracket(&mut self) -> Result<(), Refusal> {
        self.candidate(None, self.line, self.column());
        self.flow += 1;
        self.flow_key = None;
        self.at += 1;
        if self.flow > MAX_OPEN_BRACKETS { Err(Refusal::Nesting) } else { Ok(()) }
    }

    /// Handles `-` or `?`, which open a block collection at their column unless it is open already.
    fn open_block(&mut self, column: usize) {
        if self.flow == 0 {
            self.roll(column);
            self.block_key = None;
        }
        self.at += 1;
    }

    fn roll(&mut self, column: usize) {
        if self.indents.last().is_none_or(|&indent| indent < column) {
            self.indents.push(column);
        }
    }

    /// Handles `:`, which makes a key of the scalar before it on the line.
    fn value(&mut self) -> Result<(), Refusal> {
        let slot = if self.flow == 0 { &mut self.block_key } else { &mut self.flow_key };
        let key = slot.take().filter(|key| key.line == self.line);
        if self.flow == 0 {
            self.roll(key.map_or(self.column(), |key| key.column));
        }
        if let Some(Candidate { name: Some(name), line, .. }) = key {
            if name == "<<" {
                return Err(Refusal::MergeKey);
            }
            self.keys.push(Key { name, line, depth: self.indents.len() + self.flow });
        }
        self.at += 1;
        Ok(())
    }

    fn candidate(&mut self, name: Option<&'a str>, line: usize, column: usize) {
        let slot = if self.flow == 0 { &mut self.block_key } else { &mut self.flow_key };
        *slot = Some(Candidate { name, line, column });
    }

    fn scalar(&mut self, scan: fn(&mut Self)) {
        let (start, line, column) = (self.at, self.line, self.column());
        scan(self);
        // A scalar of several lines is not a key, and its text not a name.
        let name = self.text.get(start..self.at).map(str::trim_end);
        self.candidate(name.filter(|name| !name.contains('\n')), line, column);
    }

    fn quoted_scalar(&mut self) {
        let quote = self.peek(0);
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\\' if quote == Some(b'"') => {
                    // The escaped byte may be a line feed, which must be counted.
                    self.at += 1;
                    self.advance();
                }
                b'\'' if quote == Some(b'\'') && self.peek(1) == Some(b'\'') => self.at += 2,
                _ => {
                    self.advance();
                    if Some(byte) == quote {
                        return;
                    }
                }
            }
        }
    }

    /// Scans words to the end of the scalar: a `: `, a ` #`, a bracket or comma inside brackets, or, outside
    /// them, a line that is not indented beyond the collection.
    fn plain_scalar(&mut self) {
        loop {
            while !self.blank_at(0) {
                let indicator = matches!(self.peek(0), Some(b',' | b'[' | b']' | b'{' | b'}'));
                if self.peek(0) == Some(b':') && self.blank_at(1) || self.flow > 0 && indicator {
                    return;
                }
                self.at += 1;
            }
            while matches!(self.peek(0), Some(b' ' | b'\r' | b'\n')) {
                self.advance();
            }
            let outside =
                self.flow == 0 && self.indents.last().is_some_and(|&indent| self.column() <= indent);
            if matches!(self.peek(0), None | Some(b'#')) || outside || self.document_marker() {
                return;
            }
        }
    }

    /// Scans `|` or `>`, its header, and every line indented at least like its first. Returns false if the
    /// header is invalid.
    fn block_scalar(&mut self) -> bool {
        self.block_key = None;
        self.at += 1;
        let mut explicit = 0;
        while let Some(byte @ (b'+' | b'-' | b'1'..=b'9')) = self.peek(0) {
            if byte.is_ascii_digit() {
                explicit = usize::from(byte - b'0');
            }
            self.at += 1;
        }
        while self.peek(0) == Some(b' ') {
            self.at += 1;
        }
        if self.peek(0) == Some(b'#') {
            self.comment();
        }
        if !matches!(self.peek(0), None | Some(b'\r' | b'\n')) {
            return false;
        }
        let parent = self.indents.last().map_or(0, |&indent| indent + 1);
        let mut indent = match explicit {
            0 => None,
            more => Some(self.indents.last().unwrap_or(&0) + more),
        };
        let mut widest = 0;
        loop {
            // At the end of a line: skips blank lines to the next text or the end of the scalar.
            while matches!(self.peek(0), Some(b'\r' | b'\n')) {
                self.advance();
                if self.column() == 0 {
                    while self.peek(0) == Some(b' ') && indent.is_none_or(|indent| self.column() < indent) {
                        self.at += 1;
                    }
                    widest = widest.max(self.column());
                }
            }
            let indent = *indent.get_or_insert(widest.max(parent).max(1));
            if self.peek(0).is_none() || self.column() < indent {
                return true;
            }
            self.skip_line();
        }
    }

    fn skip_to_token(&mut self) {
        loop {
            match self.peek(0) {
                Some(b' ' | b'\r' | b'\n') => self.advance(),
                Some(b'#') => self.comment(),
                _ => return,
            }
        }
    }

    fn comment(&mut self) {
        let start = self.at;
        self.skip_line();
        let text = self.text.get(start..self.at).map_or("", str::trim_end);
        self.comments.push(Comment { text, line: self.line });
    }

    fn skip_line(&mut self) {
        while !matches!(self.peek(0), None | Some(b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn advance(&mut self) {
        let byte = self.peek(0);
        self.at += usize::from(byte.is_some());
        if byte == Some(b'\n') {
            self.line += 1;
            self.line_start = self.at;
        }
    }

    fn document_marker(&self) -> bool {
        let rest = &self.text.as_bytes()[self.at.min(self.text.len())..];
        self.column() == 0 && (rest.starts_with(b"---") || rest.starts_with(b"...")) && self.blank_at(3)
    }

    /// Returns true if there is a space, the end of the line or the end of the text.
    fn blank_at(&self, offset: usize) -> bool {
        matches!(self.peek(offset), None | Some(b' ' | b'\r' | b'\n'))
    }

    fn peek(&self, offset: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + offset).copied()
    }

    fn column(&self) -> usize {
        self.at - self.line_start
    }
}

#[cfg(test)]
mod tests;
