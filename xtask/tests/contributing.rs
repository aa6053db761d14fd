//! CONTRIBUTING.md does what it says: its commands are run in a copy of the cases, its YAML is filed where it says, and
//! what its tables and quotations point at is there.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

mod common;

use std::fs;
use std::path::PathBuf;

use common::page::{Block, Command, blocks, commands, copy_of_the_cases, is_shown, prints, root};
use common::{Run, run};

#[test]
fn every_block_of_contributing_does_what_it_says() {
    let page = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let cases = copy_of_the_cases(folder.path());
    let here = |text: &str| -> PathBuf { folder.path().join(text.trim_start_matches("../")) };
    let (mut commands_run, mut files_filled, mut quoted) = (0, 0, 0);
    for Block { language, file, text, .. } in blocks(&page) {
        match (language, file) {
            (Some("console"), _) => {
                for Command { text, shown, .. } in commands(&text) {
                    let command = text.strip_prefix("cargo xtask ").unwrap();
                    let mut words: Vec<String> = command
                        .split(' ')
                        .map(|word| match word {
                            _ if word.starts_with("cases/") || word.starts_with("../") => {
                                here(word).display().to_string()
                            }
                            _ => word.to_owned(),
                        })
                        .collect();
                    if ["new-case", "cases"].contains(&words[0].as_str()) {
                        words.extend(["--cases".into(), cases.display().to_string()]);
                    }
                    let Run { out, err, .. } = run(&words.iter().map(String::as_str).collect::<Vec<_>>());
                    // What a person sees, who does all this in the repository.
                    let seen = out
                        .replace(&format!(" --cases {}", cases.display()), "")
                        .replace(&here("../my-runtime").display().to_string(), "../my-runtime")
                        .replace(&format!("{}/", folder.path().display()), "");
                    let lines: Vec<&str> = seen.lines().collect();
                    assert!(prints(&lines, &shown), "{command}\n{seen}{err}");
                    commands_run += 1;
                }
            }
            (Some("yaml"), Some(file)) => {
                let path = here(file);
                // A whole file, or the end of one.
                let text = if text.starts_with("topic") {
                    text
                } else {
                    format!("{}\n{text}", fs::read_to_string(&path).unwrap())
                };
                fs::write(path, text).unwrap();
                files_filled += 1;
            }
            (Some("rust"), Some(file)) => {
                let source = fs::read_to_string(root().join(file)).unwrap();
                assert!(source.contains(text.trim()), "{file} does not hold {text}");
                quoted += 1;
            }
            _ => panic!("nothing tries a block of {language:?} about {file:?}"),
        }
    }
    assert_eq!((commands_run, files_filled, quoted), (6, 2, 1));
}

#[test]
fn everything_that_the_tables_of_contributing_point_at_is_there() {
    let page = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let mut places = 0;
    for row in page.lines().filter(|line| line.starts_with("| ") && line.contains('`')) {
        let place = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        let words: Vec<&str> = place.split('`').filter(|word| !word.trim().is_empty()).collect();
        let [file, text] = words.as_slice() else { panic!("{row}") };
        let source = fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(source.contains(text), "{file} does not hold {text:?}");
        places += 1;
    }
    assert!(places >= 18, "{places}");
}

#[test]
fn a_shown_line_is_not_taken_for_any_other() {
    assert!(
        is_shown("a b c", "a … c") && is_shown("a b", "a …") && !is_shown("a b", "a") && !is_shown("b", "a…")
    );
    assert!(
        prints(&["a", "b", "c"], &["…", "c"])
            && !prints(&["a", "c", "b"], &["…", "c"])
            && !prints(&[], &["a"])
    );
}
