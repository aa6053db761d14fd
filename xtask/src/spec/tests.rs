//! Checks that this repository contains no sentence of a source: no text in a file has the mark of a stored one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use super::sources;
use super::words::{CLOSING, Fingerprint, Mark, wording};
use normative::select::workspace_root;

/// The minimum length of a checked sentence: shorter ones, such as types or labels, occur in any text on norms.
const SHORTEST: usize = 24;

/// Finds the stored sentences in a text. A candidate begins with a capital or a letter that is not ASCII, at the
/// beginning of a word, and ends at the end of a word. The Japanese full stop ends a word.
fn occurring(text: &str, stored: &BTreeMap<usize, BTreeSet<Fingerprint>>) -> Vec<String> {
    let text = text.replace('。', "。 ");
    let begins = |c: char| c.is_uppercase() || (c.is_alphabetic() && !c.is_ascii());
    // The signs at the beginning of a line of a comment, a list or a quotation do not interrupt a sentence.
    let marks = |c: char| c.is_whitespace() || "/!#*->|".contains(c);
    let lines = text.lines().map(|line| line.trim_start_matches(marks));
    // `wording` removes a full stop at the end; keep it, because within a sentence it counts.
    let whole = |word: &str| wording(&format!("{word}x")).strip_suffix('x').unwrap_or_default().to_owned();
    let words: Vec<String> =
        lines.flat_map(str::split_whitespace).filter(|word| *word != "-").map(whole).collect();
    let longest = stored.last_key_value().map_or(0, |(length, _)| *length);
    let mut found = Vec::new();
    for from in (0..words.len()).filter(|&from| words[from].starts_with(begins)) {
        let mut said = String::new();
        for word in &words[from..] {
            said.push_str(word);
            let ended = said.trim_end_matches(CLOSING);
            let length = ended.chars().count();
            if length > longest {
                break;
            }
            let of_this_length = stored.get(&length);
            if of_this_length.is_some_and(|all| all.contains(&Mark::of_wording(ended).fingerprint)) {
                found.push(ended.to_owned());
            }
        }
    }
    found
}

#[test]
fn no_sentence_of_a_source_is_in_this_repository() {
    let root = workspace_root();
    let mut stored: BTreeMap<usize, BTreeSet<Fingerprint>> = BTreeMap::new();
    for source in sources::load(&root.join("cases")).unwrap() {
        let sections = source.texts.iter().flat_map(|text| &text.sections);
        let marks = sections.flat_map(|section| &section.sentences).map(|sentence| sentence.mark);
        let long: Vec<Mark> = marks.filter(|mark| mark.length >= SHORTEST).collect();
        assert!(!long.is_empty(), "no sentence of {} is looked for", source.file.display());
        for mark in long {
            stored.entry(mark.length).or_default().insert(mark.fingerprint);
        }
    }
    assert!(stored.len() > 20, "{} lengths", stored.len());
    let arguments = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let listed = Command::new("git").args(arguments).current_dir(root).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.lines().count() > 100, "git lists the files:\n{listed}");
    let mut found = Vec::new();
    for file in listed.lines() {
        // Git lists a deleted file until the deletion is committed. A binary file has no text.
        let Ok(text) = fs::read_to_string(root.join(file)) else { continue };
        found.extend(occurring(&text, &stored).into_iter().map(|text| format!("{file}: {text}")));
    }
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_copied_sentence_is_found_in_a_comment() {
    let sentence = "Every slice of the data is added up on its own.";
    let mark = Mark::of(sentence);
    let stored = BTreeMap::from([(mark.length, BTreeSet::from([mark.fingerprint]))]);
    let comment =
        "/// Adds.\n///\n/// Every slice of the `data` is added\n/// up on its own, which is said here.\n";
    assert_eq!(occurring(comment, &stored), [wording(sentence)]);
    assert_eq!(occurring("Every slice of the data is added up.", &stored), [""; 0]);
    let japanese = "足した軸はすべて結果に残り、要素は 1 個です。";
    let mark = Mark::of(japanese);
    let stored = BTreeMap::from([(mark.length, BTreeSet::from([mark.fingerprint]))]);
    let comment = "//! 合計です。足した軸はすべて結果に\n//! 残り、要素は 1 個です。必須。";
    assert_eq!(occurring(comment, &stored), [wording(japanese)]);
}
