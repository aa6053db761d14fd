//! Checks that the files of a crate do not use each other in a circle, and that commands do not use each other.
//!
//! A file uses another if one of its [paths](super::names) leads to a module or item there. A `mod` declaration or a
//! bare path does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::names::{Module, module, named};

/// The crates of commands, which must not use each other.
const OF_COMMANDS: [&str; 2] = ["conformance/normative/src", "xtask/src"];

/// Returns a line for each circle, and for each command that uses another.
pub(super) fn findings(files: &[(PathBuf, String)]) -> Vec<String> {
    let mut crates: BTreeMap<&Path, Vec<(&Path, &str)>> = BTreeMap::new();
    for (file, text) in files {
        let root = file.ancestors().find(|folder| folder.ends_with("src"));
        if let Some(root) = root.filter(|_| file.extension().is_some_and(|ending| ending == "rs")) {
            crates.entry(root).or_default().push((file, text));
        }
    }
    crates.into_iter().flat_map(|(root, files)| of_crate(root, &files)).collect()
}

fn of_crate(root: &Path, files: &[(&Path, &str)]) -> Vec<String> {
    let modules: BTreeMap<Module, &str> =
        files.iter().map(|(file, text)| (module(root, file), *text)).collect();
    let named: BTreeMap<&Module, BTreeSet<&Module>> =
        modules.iter().map(|(module, text)| (module, files_named(module, text, &modules))).collect();
    let name = |module: &Module| if module.is_empty() { "lib".to_owned() } else { module.join("::") };
    let mut found = Vec::new();
    for (module, others) in &named {
        if let Some(way) = way_back(module, &named) {
            let way: Vec<String> = way.into_iter().map(name).collect();
            found.push(format!("{}: a circle of files: {}", root.display(), way.join(" -> ")));
        }
        if OF_COMMANDS.iter().any(|folder| root == Path::new(folder)) {
            let siblings = others.iter().filter(|other| is_of_another_command(module, other));
            found.extend(siblings.map(|other| {
                format!("{}: {} names the command {}", root.display(), name(module), name(other))
            }));
        }
    }
    found
}

/// Returns the modules on a way from a file back to itself. Each circle is found from its first file only.
fn way_back<'a>(
    from: &'a Module,
    named: &BTreeMap<&'a Module, BTreeSet<&'a Module>>,
) -> Option<Vec<&'a Module>> {
    let mut reached: BTreeMap<&Module, &Module> = BTreeMap::new();
    let mut next = vec![from];
    while let Some(at) = next.pop() {
        for &other in named.get(at).into_iter().flatten() {
            if other == from {
                let mut way = vec![from, at];
                while let Some(&before) = way.last().and_then(|last| reached.get(last)) {
                    way.push(before);
                }
                way.reverse();
                // A circle with an earlier file is reported from that one.
                return (way.iter().min() == Some(&from)).then_some(way);
            }
            if !reached.contains_key(other) {
                reached.insert(other, at);
                next.push(other);
            }
        }
    }
    None
}

fn is_of_another_command(module: &Module, other: &Module) -> bool {
    let command = |module: &Module| match module.as_slice() {
        [commands, command, ..] if commands == "commands" => Some(command.clone()),
        _ => None,
    };
    let is_shared = module.first().is_some_and(|first| first != "commands");
    match (command(module), command(other)) {
        (Some(one), Some(other)) => one != other,
        (None, Some(_)) => is_shared,
        (_, None) => false,
    }
}

/// Returns the files that a text uses, none for a module of tests.
fn files_named<'a>(module: &Module, text: &str, modules: &'a BTreeMap<Module, &str>) -> BTreeSet<&'a Module> {
    if module.last().is_some_and(|name| name == "tests") {
        return BTreeSet::new();
    }
    let files = named(module, text).into_iter().filter_map(|(_, end)| nearest(&end, modules));
    files.filter(|file| *file != module && !file.is_empty()).collect()
}

/// Returns the file that a path ends in.
fn nearest<'a>(end: &Module, modules: &'a BTreeMap<Module, &str>) -> Option<&'a Module> {
    (0..=end.len()).rev().find_map(|length| modules.get_key_value(&end[..length]).map(|(module, _)| module))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> =
            files.iter().map(|(file, text)| (PathBuf::from(file), (*text).to_owned())).collect();
        findings(&files)
    }

    #[rstest]
    #[case::of_two("use crate::b::B;", "use crate::a::A;", &["x/src: a circle of files: a -> b -> a"])]
    #[case::by_super("use super::b::B;", "use super::a::A;", &["x/src: a circle of files: a -> b -> a"])]
    #[case::in_a_group("use crate::{c, b::{B, D as E}};", "use super::a;", &["x/src: a circle of files: a -> b -> a"])]
    #[case::in_code("use crate::b;", "fn f() { crate::a::g(); }", &["x/src: a circle of files: a -> b -> a"])]
    #[case::in_words("use crate::b;", "/// As [`crate::a`].", &[])]
    #[case::in_a_test("use crate::b;", "#[cfg(test)]\nmod tests {\n    use crate::a;\n}", &[])]
    #[case::one_way("use crate::b;", "use std::fmt;", &[])]
    #[case::of_another_crate("use crate::b;", "use other_crate::a;", &[])]
    fn a_circle_of_files_is_named_by_the_way_round(
        #[case] a: &str,
        #[case] b: &str,
        #[case] expected: &[&str],
    ) {
        assert_eq!(found(&[("x/src/a.rs", a), ("x/src/b.rs", b), ("x/src/c.rs", "")]), expected);
    }

    #[test]
    fn a_circle_of_three_and_of_parent_and_child_is_found() {
        let three = [
            ("x/src/a.rs", "use crate::b;"),
            ("x/src/b.rs", "use crate::c;"),
            ("x/src/c.rs", "use crate::a;"),
        ];
        assert_eq!(found(&three), ["x/src: a circle of files: a -> b -> c -> a"]);
        let family = [("x/src/a.rs", "mod b;\nuse self::b::B;"), ("x/src/a/b.rs", "use super::A;")];
        assert_eq!(found(&family), ["x/src: a circle of files: a -> a::b -> a"]);
    }

    #[rstest]
    #[case::another("xtask/src/commands/a.rs", "use crate::commands::b;", &["xtask/src: commands::a names the command commands::b"])]
    #[case::its_own_part("xtask/src/commands/b/c.rs", "use crate::commands::b::X;", &[])]
    #[case::shared_by_all("xtask/src/a.rs", "use crate::commands::b;", &["xtask/src: a names the command commands::b"])]
    #[case::the_list("xtask/src/commands.rs", "use self::b::command;", &[])]
    fn a_command_is_named_by_the_list_alone(
        #[case] file: &str,
        #[case] text: &str,
        #[case] expected: &[&str],
    ) {
        assert_eq!(found(&[(file, text), ("xtask/src/commands/b.rs", "")]), expected);
    }
}
