//! The content of a corpus file: its fields in order, texts without their quotes, numbers as spelled, and the comments
//! above each item.
//!
//! Two files that differ only in formatting give the same [`File`]. The way a tensor is filled and the spelling of a
//! number (`1.0`, `0x1p0`) are content, because cases test spellings. The spelling of an integer that is not an
//! element (a dim, an index, a seed) is not content, and a field with its default value is the same as a missing one.
//!
//! The JSON Schemas give the fields, their order and their kinds. Numbers stay text, so they are never rounded to a float.

use std::fmt;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use normative_conformance::corpus::guard;
use normative_conformance::corpus::kernels;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::schemas::{case_file, kernel_file, ledger_file};

/// The kind of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    Cases,
    /// A table of kernels.
    Kernels,
    Ledger,
}

impl Source {
    /// Returns the kind of a file that has cases.
    pub(crate) fn of_cases(file: &Path) -> Self {
        if kernels::is_table(file) { Self::Kernels } else { Self::Cases }
    }
}

/// A case file, a table of kernels or a clause ledger.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// The comments at the head.
    pub(crate) comments: Vec<String>,
    /// The fields above the list.
    pub(crate) head: Fields,
    /// The list's name.
    pub(crate) list: String,
    /// The cases, rows or clauses.
    pub(crate) items: Vec<Item>,
}

/// A case, a row or a clause.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// The comments above it.
    pub(crate) comments: Vec<String>,
    /// Its fields.
    pub(crate) fields: Fields,
}

/// Names and values, in the order of writing.
pub(crate) type Fields = Vec<(String, Node)>;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// A text, which may need quotes.
    Text(String),
    /// A number, an integer, a boolean or null, without quotes.
    Bare(String),
    List(Vec<Node>),
    Map(Fields),
}

impl File {
    /// Reads a file that the loader accepts.
    ///
    /// # Errors
    /// The file differs from the schema, or a comment stands neither at the head nor above an item.
    pub(crate) fn read(source: Source, path: &Path, text: &str) -> Result<Self> {
        let schema = match source {
            Source::Cases => case_file()?,
            Source::Kernels => kernel_file()?,
            Source::Ledger => ledger_file()?,
        };
        let kind = Kind { root: &schema, schema: &schema };
        let node = kind
            .deserialize(serde_yaml::Deserializer::from_str(text))
            .with_context(|| path.display().to_string())?;
        let Node::Map(mut head) = node else { bail!("{}: no map", path.display()) };
        let Some((list, Node::List(nodes))) = head.pop() else { bail!("{}: no list", path.display()) };
        let item = |node| match node {
            Node::Map(fields) => Ok(Item { comments: Vec::new(), fields }),
            _ => bail!("{}: an item without fields", path.display()),
        };
        let items = nodes.into_iter().map(item).collect::<Result<_>>()?;
        let mut file = Self { comments: Vec::new(), head, list, items };
        file.take_comments(text).map_err(|line| {
            anyhow!(
                "{}:{line}: expected comments at the head and directly above items, got one elsewhere",
                path.display()
            )
        })?;
        Ok(file)
    }

    /// Puts every comment where it belongs, or gives the line of one that belongs nowhere.
    fn take_comments(&mut self, text: &str) -> Result<(), usize> {
        let outline = guard::scan(text);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let name = self.items.first().and_then(|item| item.fields.first()).map_or("", |(name, _)| name);
        // Every item has its name field exactly once, in any position.
        let names: Vec<usize> = outline.keys.iter().filter(|key| key.is(name)).map(|key| key.line).collect();
        for comment in &outline.comments {
            let mut below = lines.iter().enumerate().skip(comment.line);
            let next = below.find(|(_, line)| !line.is_empty() && !line.starts_with('#'));
            // Only items are maps in a list.
            let above_item = next.is_some_and(|(at, line)| {
                line.starts_with("- ") && outline.keys.iter().any(|key| key.line == at + 1)
            });
            let place = if lines.get(comment.line - 1) != Some(&comment.text) {
                None
            } else if outline.keys.first().is_none_or(|key| comment.line < key.line) {
                Some(&mut self.comments)
            } else if above_item && names.len() == self.items.len() {
                let before = names.iter().filter(|&&line| line < comment.line).count();
                self.items.get_mut(before).map(|item| &mut item.comments)
            } else {
                None
            };
            place.ok_or(comment.line)?.push(comment.text.to_owned());
        }
        Ok(())
    }
}

impl Item {
    /// Returns the case's id or the clause's name.
    pub(crate) fn name(&self) -> Option<&str> {
        match self.fields.first() {
            Some((_, Node::Text(name))) => Some(name),
            _ => None,
        }
    }
}

/// The kind of a value, by its schema.
#[derive(Clone, Copy)]
struct Kind<'s> {
    /// The whole schema, which references are relative to.
    root: &'s Value,
    schema: &'s Value,
}

impl<'s> Kind<'s> {
    /// Returns the kind of a part, with its reference resolved.
    fn part(self, schema: &'s Value) -> Self {
        let named = schema["$ref"].as_str().and_then(|name| self.root.pointer(name.strip_prefix('#')?));
        Self { schema: named.unwrap_or(schema), ..self }
    }

    /// Returns this kind, or the one of its alternatives, that is of this JSON type.
    fn of_type(self, name: &str) -> Option<Self> {
        let others = self.schema["oneOf"].as_array().into_iter().flatten().map(|other| self.part(other));
        std::iter::once(self).chain(others).find(|kind| kind.schema["type"] == name)
    }

    /// Returns true if a field with this value means the same as a missing one.
    fn is_default(self, value: &Node) -> bool {
        match value {
            Node::Bare(text) => {
                let default = &self.schema["default"];
                default.as_i64().is_some_and(|default| text.parse() == Ok(default))
                    || default.as_bool().is_some_and(|default| text.parse() == Ok(default))
            }
            Node::Map(fields) => fields.is_empty(),
            Node::List(items) => items.is_empty() && self.schema["default"].is_array(),
            Node::Text(_) => false,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Kind<'_> {
    type Value = Node;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Node, D::Error> {
        use serde::Deserialize as _;
        let text = String::deserialize;
        let is_flag_or_integer = self.schema["anyOf"][0]["type"] == "boolean";
        if self.of_type("array").or(self.of_type("object")).is_some() || is_flag_or_integer {
            from.deserialize_any(self)
        } else if self.of_type("integer").is_some() {
            i128::deserialize(from).map(|integer| Node::Bare(integer.to_string()))
        } else if self.of_type("boolean").is_some() || self.schema["const"].is_boolean() {
            bool::deserialize(from).map(|flag| Node::Bare(flag.to_string()))
        } else if self.schema["anyOf"].is_array() {
            // A number: JSON writes some of them as strings.
            text(from).map(Node::Bare)
        } else {
            text(from).map(Node::Text)
        }
    }
}

impl<'de> Visitor<'de> for Kind<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what the schema says")
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Node, E> {
        Ok(Node::Bare(flag.to_string()))
    }

    fn visit_i64<E: Error>(self, integer: i64) -> Result<Node, E> {
        Ok(Node::Bare(integer.to_string()))
    }

    fn visit_u64<E: Error>(self, integer: u64) -> Result<Node, E> {
        Ok(Node::Bare(integer.to_string()))
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        Ok(Node::Bare("null".to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        let array = self.of_type("array").ok_or_else(|| A::Error::custom("no list belongs here"))?;
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(array.part(&array.schema["items"]))? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let object = self.of_type("object").ok_or_else(|| A::Error::custom("no map belongs here"))?;
        let (known, others) =
            (object.schema["properties"].as_object(), &object.schema["additionalProperties"]);
        let mut fields: Vec<(usize, String, Node)> = Vec::new();
        loop {
            // Known fields are sorted by the schema, indices ascend.
            let (place, name, schema) = if object.schema["propertyNames"].is_object() {
                let Some(index) = map.next_key::<usize>()? else { break };
                (index, index.to_string(), others)
            } else {
                let Some(name) = map.next_key::<String>()? else { break };
                match known.into_iter().flatten().enumerate().find(|(_, (key, _))| **key == name) {
                    Some((place, (_, schema))) => (place, name, schema),
                    None => return Err(A::Error::custom(format_args!("no field is named {name}"))),
                }
            };
            let kind = object.part(schema);
            let value = map.next_value_seed(kind)?;
            if !kind.is_default(&value) {
                fields.push((place, name, value));
            }
        }
        fields.sort_by_key(|(place, ..)| *place);
        Ok(Node::Map(fields.into_iter().map(|(_, name, value)| (name, value)).collect()))
    }
}
