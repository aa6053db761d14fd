//! Reads which modules and items of its own crate a file names: the paths that begin with `crate::`, `super::` or `self::`.
//!
//! Comments and the file's own module of tests are left out. So are bare paths, such as a parent's `child::item`.
//! Nothing here says which of these paths are allowed.

use std::path::Path;

/// A path of modules below the root of a crate.
pub(super) type Module = Vec<String>;

/// The module that a file is.
pub(super) fn module(root: &Path, file: &Path) -> Module {
    let below = file.strip_prefix(root).unwrap_or(file).with_extension("");
    let parts: Module = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.len() == 1 && matches!(parts[0].as_str(), "lib" | "main") { Vec::new() } else { parts }
}

/// Returns the paths that a module's text names, each with the number of its line, from 1. A path goes on to the item it
/// ends in, if any.
pub(super) fn named(module: &Module, text: &str) -> Vec<(usize, Module)> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    // What is left out stays as an empty line, so that lines keep their numbers.
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

/// Adds the paths that a text begins with to `ends`, those of a group each, and gives what follows them.
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
            // `a as b` ends where the group goes on.
            match rest.trim_start().strip_prefix("as ") {
                Some(other) => other.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'),
                None => rest,
            }
        }
    }
}
