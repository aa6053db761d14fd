//! Checks JUnit XML against the common part of Ant's reports, Jenkins and Surefire, restated in a table.
//!
//! A Rust build has no XSD validator, and the published schemas disagree: Ant's demands time stamps and host
//! names, Surefire's a time. The table has the demands that all share, and the sums, which no XSD can state.

use roxmltree::{Document, Node};

/// An element: its required attributes, optional ones, possible children, and true if it holds text.
struct Element {
    name: &'static str,
    required: &'static [&'static str],
    optional: &'static [&'static str],
    children: &'static [&'static str],
    text: bool,
}

const COUNTS: [&str; 4] = ["tests", "failures", "errors", "skipped"];

const ELEMENTS: [Element; 6] = [
    Element {
        name: "testsuites",
        required: &["tests", "failures", "errors"],
        optional: &["name", "skipped", "disabled", "time"],
        children: &["testsuite"],
        text: false,
    },
    Element {
        name: "testsuite",
        required: &["name", "tests", "failures", "errors"],
        optional: &["skipped", "disabled", "time", "timestamp", "hostname", "id", "package"],
        children: &["testcase"],
        text: false,
    },
    Element {
        name: "testcase",
        required: &["name", "classname"],
        optional: &["time", "assertions", "status"],
        children: &["skipped", "error", "failure"],
        text: false,
    },
    Element { name: "failure", required: &["type"], optional: &["message"], children: &[], text: true },
    Element { name: "error", required: &[], optional: &["message", "type"], children: &[], text: true },
    Element { name: "skipped", required: &[], optional: &["message"], children: &[], text: true },
];

/// Returns every violation of JUnit XML in a text.
pub(crate) fn errors(text: &str) -> Vec<String> {
    let document = match Document::parse(text) {
        Ok(document) => document,
        Err(error) => return vec![error.to_string()],
    };
    let root = document.root_element();
    let mut errors = Vec::new();
    if root.tag_name().name() != "testsuites" {
        errors.push("the root is no testsuites".to_owned());
    }
    root.descendants().filter(Node::is_element).for_each(|node| check(node, &mut errors));
    errors
}

fn check(node: Node<'_, '_>, errors: &mut Vec<String>) {
    let name = node.tag_name().name();
    let Some(element) = ELEMENTS.iter().find(|element| element.name == name) else {
        return errors.push(format!("an unknown element {name}"));
    };
    let mut error = |what: String| errors.push(format!("{name} {:?}: {what}", node.attribute("name")));
    for required in element.required.iter().filter(|required| !node.has_attribute(**required)) {
        error(format!("no {required}"));
    }
    for attribute in node.attributes().map(|attribute| attribute.name()) {
        if !element.required.contains(&attribute) && !element.optional.contains(&attribute) {
            error(format!("an unknown attribute {attribute}"));
        }
    }
    for child in node.children() {
        let known = element.children.contains(&child.tag_name().name());
        let blank = child.text().is_none_or(|text| text.trim().is_empty());
        if child.is_element() && !known {
            error(format!("it holds {}", child.tag_name().name()));
        }
        if child.is_text() && !blank && !element.text {
            error("it holds text".to_owned());
        }
    }
    if name == "testcase" && node.children().filter(Node::is_element).count() > 1 {
        error("it has two outcomes".to_owned());
    }
    let under = |tag: &str| node.descendants().filter(|one| one.has_tag_name(tag)).count();
    let there = [under("testcase"), under("failure"), under("error"), under("skipped")];
    for (count, there) in COUNTS.into_iter().zip(there) {
        let counted = node.attribute(count);
        if counted.is_some_and(|counted| counted.parse() != Ok(there)) {
            error(format!("{count} is {counted:?}, there are {there}"));
        }
    }
    let mut names: Vec<Option<&str>> =
        node.children().filter(|one| one.has_tag_name("testcase")).map(|one| one.attribute("name")).collect();
    names.sort_unstable();
    if names.windows(2).any(|two| two[0] == two[1]) {
        error("two of its test cases have one name".to_owned());
    }
}
