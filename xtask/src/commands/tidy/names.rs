//! Finds the modules and items of its own crate that a file uses: paths from `crate::`, `super::` or `self::`.
//!
//! It skips comments, the file's own module of tests, and bare paths such as a parent's `child::item`. The callers
//! decide which paths are allowed.

use std::path::Path;

/// A path of modules below the root of a crate.
pub(super) type Module = Vec<String>;

/// Returns the module of a file.
pub(super) fn module(root: &Path, file: &Path) -> Module {
    let below = file.strip_prefix(root).unwrap_or(file).with_extension("");
    let parts: Module = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.len() == 1 && matches!(parts[0].as_str(), "lib" | "main") { Vec::new() } else { parts }
}

/// Returns the paths that a module's text uses, each with its line from 1. A path includes the item that it ends in,
/// if any.
pub(super) fn named(module: &Module, text: &str) -> Vec<(usize, Module)> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    // A skipped line becomes an empty one, so that line numbers stay right.
    let lines = code.lines().map(|line| if line.trim_start().starts_with("//") { "" } else { line });
    let code = lines.collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    for (start, from) in [("crate::", Vec::new()), ("self::", module.clone()), ("super::", above(module))] {
        let places = code.match_indices(start).map(|(at, _)| at);
        let begins = |&at: &usize| !code[..at].ends_with(|c: char| c.is_alphanumeric() || "_:".contains(c));
        for at in places.filter(begins) {
            let (mut rest, mut from) = (&code[at + start.len()..], from.clone());
            while let Some(further) = rest.strip_prefix("super::") {
                (rest, from) = (further, above(&from));
            }
            let line = 1 + code[..at].matches('\n').count();
            let mut ends = Vec::new();
            paths(rest, &from, &mut ends);
            found.extend(ends.into_iter().map(|end| (line, end)));
        }
    }
    found
}

fn above(module: &Module) -> Module {
    module.split_last().map(|(_, above)| above.to_vec()).unwrap_or_default()
}

/// Adds the paths at the start of a text to `ends`, one for each item of a group, and returns the rest of the text.
fn paths<'t>(text: &'t str, from: &Module, ends: &mut Vec<Module>) -> &'t str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = paths(rest, from, ends).trim_start();
            match rest.strip_prefix(',') {
                Some(further) if !further.trim_start().starts_with('}') => rest = further,
                Some(further) => return further.trim_start().strip_prefix('}').unwrap_or(further),
                None => return rest.strip_prefix('}').unwrap_or(rest),
            }
        }
    }
    let length = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(length);
    let mut end = from.clone();
    end.extend((!name.is_empty()).then(|| name.to_owned()));
    match rest.strip_prefix("::") {
        Some(further) if !name.is_empty() => paths(further, &end, ends),
        _ => {
            ends.push(end);
            // Skip the new name of `a as b`.
            match rest.trim_start().strip_prefix("as ") {
                Some(other) => other.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'),
                None => rest,
            }
        }
    }
}
