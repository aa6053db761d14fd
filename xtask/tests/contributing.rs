//! CONTRIBUTING.md does what it says: its commands are run in a copy of the cases, its YAML is filed where it says, and
//! what its tables and quotations point at is there.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Run, run};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// A block, with the file that is named in the line above it.
struct Block<'a> {
    language: &'a str,
    file: Option<&'a str>,
    text: String,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let (mut blocks, mut file) = (Vec::new(), None);
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push(Block { language, file: file.take(), text: text.join("\n") + "\n" });
        } else if !line.is_empty() {
            file = line
                .strip_prefix('`')
                .and_then(|line| line.strip_suffix('`'))
                .filter(|line| !line.contains('`'));
        }
    }
    blocks
}

/// Commands, each with the lines it is shown to print.
fn commands(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut commands: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("$ cargo xtask "), commands.last_mut()) {
            (Some(command), _) => commands.push((command, Vec::new())),
            (None, Some((_, shown))) => shown.push(line),
            (None, None) => panic!("a block begins with {line:?}"),
        }
    }
    commands
}

/// Whether `line` is what is shown, `…` standing for anything.
fn is_shown(line: &str, shown: &str) -> bool {
    let mut parts = shown.split('…');
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or("")) else { return false };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.is_empty() || shown.ends_with('…')
}

/// Whether what was printed is what is shown, a line `…` standing for any number of lines.
fn prints(printed: &[&str], shown: &[&str]) -> bool {
    match (printed, shown) {
        ([], []) => true,
        (_, ["…", rest @ ..]) => (0..=printed.len()).any(|skipped| prints(&printed[skipped..], rest)),
        ([line, lines @ ..], [first, rest @ ..]) => is_shown(line, first) && prints(lines, rest),
        _ => false,
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn every_block_of_contributing_does_what_it_says() {
    let page = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let cases = folder.path().join("cases");
    copy(&root().join("cases"), &cases);
    fs::remove_dir_all(cases.join("found")).ok();
    let here = |text: &str| -> PathBuf { folder.path().join(text.trim_start_matches("../")) };
    let (mut commands_run, mut files_filled, mut quoted) = (0, 0, 0);
    for Block { language, file, text } in blocks(&page) {
        match (language, file) {
            ("console", _) => {
                for (command, shown) in commands(&text) {
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
            ("yaml", Some(file)) => {
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
            ("rust", Some(file)) => {
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
