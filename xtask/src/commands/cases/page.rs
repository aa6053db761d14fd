//! The page that explains cases, `docs/case-format.md`, which `cargo xtask cases lock` writes beside the lock: fields
//! from the schemas, examples from the corpus, and the prose of a template.
//!
//! A type that the page omits, a field without a
//! description, and a field without an example are errors.
//!
//! In the template a line `@fields TYPE@` stands for the table of a type, `@entry FILE NAME@` for a case or a clause,
//! `@head FILE@` for the beginning of a file (of so many lines, if a number follows), and `@questions@` for their table.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use normative_conformance::corpus::{MAX_FILE_ELEMENTS, guard, number};
use normative_conformance::display::grouped;
use normative_conformance::outside;
use normative_conformance::reference::Question;
use serde_json::{Map, Value};

use crate::cases::content::{File, Source};
use crate::cases::schemas::{case_file, kernel_file, ledger_file};
use crate::made;
use normative::select::workspace_root;

const TEMPLATE: &str = include_str!("../../../templates/case-format.txt");

/// The heading on the page that describes each type of a [`Value`].
const PLACES: [(&str, &str); 12] = [
    ("Case", "a-case"),
    ("Part", "a-part"),
    ("Data", "data"),
    ("Random", "random"),
    ("Pairs", "pairs"),
    ("Sparse", "single-elements"),
    ("Axes", "axes"),
    ("AxesTensor", "axes"),
    ("Expect", "expect"),
    ("Number", "numbers"),
    ("Clause", "a-clause"),
    ("Row", "a-row"),
];

/// The page's path from the root of this repository.
const FILE: &str = "docs/case-format.md";

/// Writes the page, or with `check` only says that it is out of date. Returns true if it was.
pub(super) fn write(check: bool) -> Result<bool> {
    let page = page(&workspace_root().join("cases"))?;
    made::write(&workspace_root().join(FILE), &page, check, "schemas", "cases lock")
}

/// Returns the page, with examples from the corpus in this folder.
fn page(cases: &Path) -> Result<String> {
    let types = types()?;
    let mut page = String::new();
    for line in TEMPLATE.lines() {
        let words: Vec<&str> = line.trim_matches('@').split(' ').collect();
        let made = match words.as_slice() {
            _ if !line.starts_with('@') => line.to_owned(),
            ["fields", name] => fields(types.get(*name).with_context(|| format!("no type {name}"))?)?,
            ["entry", file, name] => fenced(&entry(cases, file, name)?),
            ["head", file] => fenced(&head(cases, file, usize::MAX)?),
            ["head", file, lines] => fenced(&head(cases, file, lines.parse()?)?),
            ["questions"] => questions(),
            _ => bail!("{line} means nothing"),
        };
        page.push_str(&made);
        page.push('\n');
    }
    for (name, value) in [
        ("MAX_BYTES", guard::MAX_BYTES),
        ("MAX_FILE_ELEMENTS", MAX_FILE_ELEMENTS),
        ("MAX_LENGTH", number::MAX_LENGTH),
    ] {
        page = page.replace(&format!("@{name}@"), &grouped(value));
    }
    complete(&types, &page)?;
    Ok(page)
}

/// Returns every type that has fields, by name.
fn types() -> Result<Map<String, Value>> {
    let mut types = Map::new();
    for schema in [case_file()?, kernel_file()?, ledger_file()?] {
        let title = schema["title"].as_str().context("a schema has no title")?.to_owned();
        types.extend(
            schema["$defs"].as_object().into_iter().flatten().map(|(name, one)| (name.clone(), one.clone())),
        );
        types.insert(title, schema);
    }
    types.retain(|_, one| one["properties"].is_object());
    Ok(types)
}

/// Checks that the template has every type, and the page an example of every field.
fn complete(types: &Map<String, Value>, page: &str) -> Result<()> {
    for (name, one) in types {
        if !TEMPLATE.contains(&format!("@fields {name}@")) {
            bail!("the page of the case format leaves out {name}");
        }
        for field in one["properties"].as_object().into_iter().flatten().map(|(field, _)| field) {
            let begins = [
                format!(" {field}: "),
                format!("{{{field}: "),
                format!(" {field}:\n"),
                format!("\n{field}:"),
            ];
            if !begins.iter().any(|text| page.contains(text)) {
                bail!("the page of the case format has no example with {field} of {name}");
            }
        }
    }
    Ok(())
}

/// Returns the table of a type's fields.
fn fields(one: &Value) -> Result<String> {
    let required: Vec<&str> =
        one["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut table = String::from("| field | is | left out | means |\n|---|---|---|---|\n");
    for (name, field) in one["properties"].as_object().into_iter().flatten() {
        let says = field["description"].as_str().with_context(|| format!("{name} says nothing of itself"))?;
        // A row of a table is one line, wherever the comment breaks.
        let says = says.replace('\n', " ");
        let (says, default) = match (says.split_once(" Default: "), field.get("default")) {
            (Some((says, default)), _) => (says, default.trim_end_matches('.').to_owned()),
            (None, Some(default)) if default.is_number() => (says.as_str(), default.to_string()),
            (None, _) if required.contains(&name.as_str()) => (says.as_str(), "an error".to_owned()),
            (None, _) => (says.as_str(), "none".to_owned()),
        };
        let says = says.replace('|', "\\|");
        writeln!(table, "| `{name}` | {} | {default} | {says} |", kind(field)?)?;
    }
    table.pop();
    Ok(table)
}

/// Describes the type of a value in words.
fn kind(schema: &Value) -> Result<String> {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        if name == "Level" {
            return Ok("`determined`, `open` or `informative`".to_owned());
        }
        let (_, place) = PLACES
            .iter()
            .find(|(known, _)| *known == name)
            .with_context(|| format!("no place for {name}"))?;
        let words = if name == "Number" { "number".to_owned() } else { place.replace('-', " ") };
        return Ok(format!("[{words}](#{place})"));
    }
    if schema["const"] == true {
        return Ok("`true`".to_owned());
    }
    if schema["maxProperties"] == 1 {
        return Ok("map of a [question](#readings) to its readings".to_owned());
    }
    let of_names = |first: &str| match first {
        "f16" => "element types",
        "array-api" => "families, or their versions",
        name if name.contains('/') => "specs",
        _ => "[questions](#readings)",
    };
    if schema["anyOf"].is_array() {
        return Ok("`true`, `false` or an integer".to_owned());
    }
    if schema["properties"].is_object() {
        return Ok("map of families to lists of names".to_owned());
    }
    Ok(match (schema["type"].as_str(), schema["items"]["enum"][0].as_str()) {
        (Some("array"), Some(first)) => format!("list of {}, at least one", of_names(first)),
        (Some("array"), None) => {
            let least = if schema["minItems"] == 1 { ", at least one" } else { "" };
            format!("list of {}{least}", plural(&kind(&schema["items"])?))
        }
        (Some("integer"), _) if schema["minimum"] == 0 => "integer, 0 or more".to_owned(),
        (Some("string"), _)
            if schema["pattern"].as_str().is_some_and(|pattern| pattern.contains("a-z0-9")) =>
        {
            "name".to_owned()
        }
        (Some("string"), _) => "text".to_owned(),
        (Some(other @ ("integer" | "boolean")), _) => other.to_owned(),
        _ => bail!("no words for {schema}"),
    })
}

fn plural(kind: &str) -> String {
    match kind {
        "integer, 0 or more" => "integers, 0 or more".to_owned(),
        "name" => "names".to_owned(),
        "integer" => "integers".to_owned(),
        other => {
            let singular_and_plural = [
                ("[a case]", "[cases]"),
                ("[a row]", "[rows]"),
                ("[a clause]", "[clauses]"),
                ("[number]", "[numbers]"),
            ];
            singular_and_plural.iter().fold(other.to_owned(), |text, (one, many)| text.replace(one, many))
        }
    }
}

/// Returns a case or a clause as its file has it.
fn entry(cases: &Path, file: &str, name: &str) -> Result<String> {
    let path = cases.join(file);
    let source = if file.starts_with("clauses/") { Source::Ledger } else { Source::of_cases(&path) };
    let text = outside::text(&path, outside::WRITTEN).with_context(|| path.display().to_string())?;
    let items = File::read(source, &path, &text)?.items;
    let found = items.iter().find(|item| item.name() == Some(name));
    Ok(found.with_context(|| format!("{file} has no {name}"))?.to_string())
}

/// Returns a file's beginning, to the end of its first case or clause, of at most so many lines.
fn head(cases: &Path, file: &str, lines: usize) -> Result<String> {
    let path = cases.join(file);
    let text = outside::text(&path, outside::WRITTEN).with_context(|| path.display().to_string())?;
    let first = text.split("\n\n").next().unwrap_or_default();
    Ok(first.lines().take(lines).collect::<Vec<_>>().join("\n"))
}

fn fenced(text: &str) -> String {
    format!("```yaml\n{}\n```", text.trim_end())
}

/// Returns the table of questions and their readings.
fn questions() -> String {
    let row = |question: Question| {
        let readings: Vec<String> =
            question.readings().iter().map(|reading| format!("`{}`", reading.name())).collect();
        format!("| `{}` | {} | {} |", question.name(), question.asks(), readings.join(", "))
    };
    let head = "| question | asks | readings |\n|---|---|---|".to_owned();
    std::iter::once(head).chain(Question::ALL.map(row)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn committed_page_is_what_the_schemas_say() {
        let committed = fs::read_to_string(workspace_root().join(FILE)).unwrap();
        let made = page(&workspace_root().join("cases")).unwrap();
        assert!(committed == made, "{FILE} is stale: run cargo xtask cases lock");
    }

    #[test]
    fn a_row_of_a_table_is_one_line_that_says_what_a_field_left_out_is() {
        let page = page(&workspace_root().join("cases")).unwrap();
        let is_row = |line: &&str| line.starts_with('|');
        assert!(page.lines().filter(is_row).all(|line| line.ends_with('|')));
        let kept = page.lines().find(|line| line.starts_with("| `keep_dims` |")).unwrap();
        assert!(kept.contains("| absent, which is not the same as false |"), "{kept}");
    }
}
