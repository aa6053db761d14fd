//! The layout of a corpus file: which lines belong to which field of which item, and the one order
//! they stand in.
//!
//! Works on lines, never on values: whatever a field says is kept letter for letter, so nothing can be
//! rounded or requoted on the way. What a field means is the loader's business.
//!
//! The canonical layout: the head's fields in order; one blank line before each item but the first;
//! an item's fields in order, indented by four, the first after `- `; no blank line inside an item, no
//! blanks at a line's end. Comments stand at the head of the file or directly above an item.

use std::fmt;

/// The order of fields at the head of a file: of cases, and of a ledger.
const HEAD: [&str; 5] = ["topic", "source", "specs", "cases", "clauses"];

/// The order of fields in an item: a case's, then a clause's.
const ITEM: [&str; 18] = [
    "id",
    "name",
    "clauses",
    "why",
    "level",
    "says",
    "where",
    "where_ja",
    "specs",
    "questions",
    "dtypes",
    "data",
    "axes",
    "keep_dims",
    "keepdims",
    "noop_with_empty_axes",
    "output_shape",
    "expect",
];

/// A corpus file, taken apart into lines.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct File {
    comments: Vec<String>,
    head: Vec<Field>,
    /// The cases or clauses.
    pub(super) items: Vec<Item>,
}

/// One case or clause.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Item {
    comments: Vec<String>,
    fields: Vec<Field>,
}

/// A key, what follows it on its line, and the lines below that belong to it.
#[derive(Debug, PartialEq, Eq)]
struct Field {
    key: String,
    value: String,
    more: Vec<String>,
}

/// Takes a file apart.
///
/// # Errors
/// The number of the first line, from 1, that belongs to nothing: no field, or a comment inside an item.
pub(super) fn parse(text: &str) -> Result<File, usize> {
    let mut file = File { comments: Vec::new(), head: Vec::new(), items: Vec::new() };
    let mut comments = Vec::new();
    for (at, line) in text.lines().map(str::trim_end).enumerate() {
        let indent = line.len() - line.trim_start().len();
        let in_items = file.head.last().is_some_and(|field| field.key == "cases" || field.key == "clauses");
        // A block scalar's lines are its text, blank ones and those that look like comments too.
        if let Some(block) =
            file.items.last_mut().and_then(|item| item.fields.last_mut()).filter(|f| f.is_block())
            && comments.is_empty()
            && (line.is_empty() || indent > 4)
        {
            block.more.push(line.to_owned());
            continue;
        }
        if line.is_empty() {
            continue;
        }
        if line.trim_start().starts_with('#') {
            comments.push(line.trim_start().to_owned());
        } else if let Some(first) = line.strip_prefix("  - ").filter(|_| in_items) {
            let fields = vec![field(first).ok_or(at + 1)?];
            file.items.push(Item { comments: std::mem::take(&mut comments), fields });
        } else if !comments.is_empty() && !file.head.is_empty() {
            return Err(at);
        } else if indent == 0 {
            file.comments.append(&mut comments);
            file.head.push(field(line).ok_or(at + 1)?);
        } else {
            let fields = file.items.last_mut().map_or(&mut file.head, |item| &mut item.fields);
            match (field(line.trim_start()), fields.last_mut()) {
                (Some(new), _) if in_items && indent == 4 => fields.push(new),
                (_, Some(last)) if !in_items || indent > 4 => last.more.push(line.to_owned()),
                _ => return Err(at + 1),
            }
        }
    }
    if comments.is_empty() { Ok(file) } else { Err(text.lines().count()) }
}

/// `key: value`, or nothing where a line does not begin with a key.
fn field(line: &str) -> Option<Field> {
    let (key, value) = line.split_once(':')?;
    let plain = !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    (plain && (value.is_empty() || value.starts_with(' '))).then(|| Field {
        key: key.to_owned(),
        value: value.trim_start().to_owned(),
        more: Vec::new(),
    })
}

impl Field {
    /// Whether the value is a literal or folded block scalar.
    fn is_block(&self) -> bool {
        self.value.starts_with(['|', '>'])
    }
}

impl File {
    /// Puts every field in its place. Fields nobody knows go last, for the loader to refuse.
    pub(super) fn sort(&mut self) {
        let place =
            |order: &[&str], key: &str| order.iter().position(|known| *known == key).unwrap_or(order.len());
        self.head.sort_by_key(|field| place(&HEAD, &field.key));
        for item in &mut self.items {
            item.fields.sort_by_key(|field| place(&ITEM, &field.key));
        }
    }
}

impl Item {
    /// The case's id or the clause's name.
    pub(super) fn name(&self) -> Option<&str> {
        let named = self.fields.iter().find(|field| field.key == "id" || field.key == "name");
        named.map(|field| field.value.as_str())
    }
}

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.comments.iter().try_for_each(|comment| writeln!(f, "{comment}"))?;
        self.head.iter().try_for_each(|field| write!(f, "{field}"))?;
        for (at, item) in self.items.iter().enumerate() {
            write!(f, "{}{item}", if at == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.comments.iter().try_for_each(|comment| writeln!(f, "  {comment}"))?;
        for (at, field) in self.fields.iter().enumerate() {
            write!(f, "{}{field}", if at == 0 { "  - " } else { "    " })?;
        }
        Ok(())
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.value.is_empty() { "" } else { " " };
        writeln!(f, "{}:{space}{}", self.key, self.value)?;
        // Blank lines below a block are not its text, but those between items.
        let end = self.more.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        self.more[..end].iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn canonical(text: &str) -> Result<String, usize> {
        let mut file = parse(text)?;
        file.sort();
        Ok(file.to_string())
    }

    const RIGHT: &str = "# Why this file.\ntopic: T\nspecs: [a,\n  b]\ncases:\n  # Why this case.\n  - id: x\n    why: w\n    data:\n      shape: [2]\n      values: [1,\n        2]\n    expect: {}\n\n  - id: y\n    why: v\n";

    #[test]
    fn the_canonical_layout_stays_as_it_is() {
        assert_eq!(canonical(RIGHT).as_deref(), Ok(RIGHT));
    }

    #[rstest]
    #[case::literal("why: |\n      First.\n\n      # Second.")]
    #[case::folded("why: >-\n      First.\n\n      # Second.")]
    #[case::comment_inside("why: |\n      First.\n      # Second.\n      Third.")]
    fn the_text_of_a_block_is_kept_with_its_blank_lines_and_hashes(#[case] block: &str) {
        // At the end of an item, where the next item's blank line follows, and of the file.
        let text = RIGHT.replacen("expect: {}", block, 1).replacen("why: v", block, 1);
        let text = text.replacen("    why: w\n", "", 1).replacen(
            "    data:\n      shape: [2]\n      values: [1,\n        2]\n",
            "",
            1,
        );
        assert_eq!(canonical(&text).as_deref(), Ok(text.as_str()));
    }

    #[rstest]
    #[case::blanks_at_the_end("why: w\n", "why: w  \n")]
    #[case::no_blank_line_between("{}\n\n  - id: y", "{}\n  - id: y")]
    #[case::two_blank_lines("{}\n\n  - id: y", "{}\n\n\n  - id: y")]
    #[case::a_blank_line_inside("    why: w\n    data:", "    why: w\n\n    data:")]
    #[case::fields_out_of_order("  - id: x\n    why: w\n", "  - why: w\n    id: x\n")]
    #[case::head_out_of_order("topic: T\nspecs: [a,\n  b]\n", "specs: [a,\n  b]\ntopic: T\n")]
    #[case::no_line_end("why: v\n", "why: v")]
    fn other_layouts_are_brought_to_it(#[case] right: &str, #[case] other: &str) {
        let text = RIGHT.replacen(right, other, 1);
        assert_ne!(text, RIGHT);
        assert_eq!(canonical(&text).as_deref(), Ok(RIGHT));
    }

    #[rstest]
    #[case::comment_inside_an_item("    why: w\n", "    # no\n    why: w\n", 8)]
    #[case::comment_at_the_end("why: v\n", "why: v\n# no\n", 17)]
    #[case::no_key("    why: w\n", "    why\n", 8)]
    #[case::too_little_indented("    why: w\n", "   why: w\n", 8)]
    fn a_line_that_belongs_to_nothing_is_named(
        #[case] right: &str,
        #[case] wrong: &str,
        #[case] line: usize,
    ) {
        let text = RIGHT.replacen(right, wrong, 1);
        assert_ne!(text, RIGHT);
        assert_eq!(canonical(&text), Err(line));
    }
}
