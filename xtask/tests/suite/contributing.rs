//! CONTRIBUTING.md does what it says: its changes are made in a copy of the repository, its commands are run there, its
//! YAML is filed where it says, and what its tables and quotations point at is there.

mod patch;
mod tree;

use std::fs;

use crate::common::page::{Block, Command, blocks, commands, prints, root};
use patch::patched;
use tree::{Printed, Tree};

fn contributing() -> String {
    fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap()
}

/// The repository with the page's changes to sources, in memory; the blocks for what is not built; and how many changes and
/// quotations there were.
fn with_changes(page: &str) -> (Tree, Vec<Block<'_>>, (usize, usize)) {
    let mut tree = Tree::of_repository();
    // Cases, and a backend that a command has made, are files that are read as they are.
    let is_read = |file: &str| file.starts_with("cases/") || file.starts_with("../");
    let is_source = |block: &Block<'_>| block.file.is_some_and(|file| !is_read(file));
    let (sources, others): (Vec<_>, Vec<_>) = blocks(page).into_iter().partition(is_source);
    let (mut changed, mut quoted) = (0, 0);
    for Block { language, file, text, .. } in sources {
        let file = file.unwrap();
        match language {
            Some("diff") => {
                tree.change(file, |source| {
                    patched(source, &text).unwrap_or_else(|why| panic!("{file}: {why}"))
                });
                changed += 1;
            }
            Some("rust") if text.starts_with("//!") => {
                tree.add(file, &text);
                changed += 1;
            }
            Some("rust") => {
                assert!(tree.read(file).contains(text.trim()), "{file} does not hold {text}");
                quoted += 1;
            }
            _ => panic!("nothing tries a block of {language:?} about {file}"),
        }
    }
    (tree, others, (changed, quoted))
}

#[test]
fn every_change_of_contributing_fits_the_sources() {
    let page = contributing();
    let (_, others, counts) = with_changes(&page);
    assert_eq!((counts, others.len()), ((2, 1), 6));
}

#[test]
#[ignore = "weekly: it builds the workspace a second time"]
fn every_block_of_contributing_does_what_it_says() {
    let page = contributing();
    let (tree, others, _) = with_changes(&page);
    let (mut commands_run, mut filed) = (0, 0);
    let built = tree.build();
    for Block { language, file, text, .. } in others {
        match (language.unwrap_or("none"), file) {
            ("console", None) => {
                for Command { text, shown, .. } in commands(&text) {
                    let command = text.strip_prefix("cargo xtask ").unwrap();
                    let Printed { out, err } = built.xtask(command);
                    let lines: Vec<&str> = out.lines().collect();
                    assert!(prints(&lines, &shown), "{command}\n{out}{err}");
                    commands_run += 1;
                }
            }
            // A whole file, or the end of one.
            ("yaml" | "markdown", Some(file)) if text.starts_with("topic") || !built.has(file) => {
                built.write(file, &text);
                filed += 1;
            }
            ("yaml", Some(file)) => {
                built.write(file, &format!("{}\n{text}", built.read(file)));
                filed += 1;
            }
            ("diff", Some(file)) => {
                let after = patched(&built.read(file), &text);
                built.write(file, &after.unwrap_or_else(|why| panic!("{file}: {why}")));
                filed += 1;
            }
            _ => panic!("nothing tries a block of {language:?} about {file:?}"),
        }
    }
    assert_eq!((commands_run, filed), (6, 2));
}

#[test]
fn everything_that_the_tables_of_contributing_point_at_is_there() {
    let page = contributing();
    let mut places = 0;
    for row in page.lines().filter(|line| line.starts_with("| ") && line.contains('`')) {
        let place = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        let words: Vec<&str> = place.split('`').filter(|word| !word.trim().is_empty()).collect();
        let [file, text] = words.as_slice() else { panic!("{row}") };
        let source = fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(source.contains(text), "{file} does not hold {text:?}");
        places += 1;
    }
    assert!(places >= 45, "{places}");
}
