//! Drift of sources, on pages written for these tests in the form of the sources: they are found, read in every
//! format, compared ([`edits`]), accepted and checked.

mod edits;
mod standard;

use std::fs;
use std::path::{Path, PathBuf};

use rstest::rstest;
use tempfile::TempDir;

use crate::common::{RIGHT, Run, corpus, run};

const OPENVINO: &str = include_str!("spec/openvino.rst");
const OPENVINO_HTML: &str = include_str!("spec/openvino.html");
const OPENVINO_TEXT: &str = include_str!("spec/openvino.txt");
const OPENVINO_MARKDOWN: &str = include_str!("spec/openvino.md");
const JAPANESE: &str = include_str!("spec/openvino.ja.html");
const JAPANESE_TEXT: &str = include_str!("spec/openvino.ja.txt");
const BNNS: &str = include_str!("spec/bnns.html");
const BNNS_TEXT: &str = include_str!("spec/bnns.txt");
const ARRAY_API: &str = include_str!("spec/array_api.py");
const WEBNN: &str = include_str!("spec/webnn.bs");
const BLAS: &str = include_str!("spec/blas.f");
/// Six pages of one standard, each behind its path.
const STANDARD: &str = include_str!("spec/standard.txt");
const ONNX: &str = include_str!("spec/onnx.txt");

/// A folder of cases with one source on file. Each sentence has a clause of its own, `s-1`, `s-2` and so on, and every
/// section the clause `silence`.
struct Watched {
    folder: TempDir,
    spec: &'static str,
    document: &'static str,
}

impl Watched {
    fn new(spec: &'static str, ending: &str, page: &str) -> Self {
        let folder = corpus(RIGHT);
        fs::remove_file(folder.path().join("clauses/openvino.yaml")).unwrap();
        let document = match page {
            JAPANESE => "japanese",
            STANDARD => "standard",
            _ => "english",
        };
        let watched = Self { folder, spec, document };
        watched.write_ledger(1);
        fs::create_dir(watched.folder.path().join("sources")).unwrap();
        let head = format!(
            "source: A text\ndocument: {document}\naddress: somewhere\nrevision: \"1\"\nobtain: by hand\n"
        );
        fs::write(watched.source(), format!("{head}specs: [{spec}]\nsections: []\n")).unwrap();
        let page = watched.page(ending, page);
        watched.spec_command("update", &["--against", &page]).exits_with(0);

        let mut sentences = 0;
        let lines: Vec<String> = watched
            .stored()
            .lines()
            .map(|line| {
                let row = line
                    .strip_suffix("], clauses: []}")
                    .and_then(|row| row.strip_prefix("      - {marks: ["));
                if let Some(row) = row {
                    let own = row.split(", ").map(|mark| {
                        sentences += 1;
                        format!("      - {{marks: [{mark}], clauses: [s-{sentences}]}}")
                    });
                    own.collect::<Vec<_>>().join("\n")
                } else if line.starts_with("  - name: ") {
                    format!("{line}\n    silent: [silence]")
                } else {
                    line.to_owned()
                }
            })
            .collect();
        fs::write(watched.source(), lines.join("\n") + "\n").unwrap();
        watched.write_ledger(sentences);
        assert_eq!(watched.lint(), [""; 0]);
        watched
    }

    fn write_ledger(&self, sentences: usize) {
        let place = match self.document {
            "japanese" => "Text\n    where_ja: 本文",
            "standard" => "Purpose and scope",
            _ => "Text",
        };
        let clause = |name: String| {
            format!(
                "  - name: {name}\n    level: determined\n    says: Clause {name} says so.\n    where: {place}\n"
            )
        };
        let clauses = (1..=sentences).map(|at| format!("s-{at}")).chain(["silence".to_owned()]).map(clause);
        let text =
            format!("source: A text\nspecs: [{}]\nclauses:\n{}", self.spec, clauses.collect::<String>());
        fs::write(self.folder.path().join("clauses/text.yaml"), text).unwrap();
    }

    fn source(&self) -> PathBuf {
        self.folder.path().join("sources/text.yaml")
    }

    fn stored(&self) -> String {
        fs::read_to_string(self.source()).unwrap()
    }

    /// Writes a page, or several into a checkout, and returns the path.
    fn page(&self, ending: &str, text: &str) -> String {
        let path = self.folder.path().join(format!("page.{ending}"));
        if ending == "checkout" {
            write_pages(&path.join("spec/2022.12"), text);
        } else {
            fs::write(&path, text).unwrap();
        }
        path.to_str().unwrap().to_owned()
    }

    fn spec_command(&self, command: &str, more: &[&str]) -> Run {
        let folder = self.folder.path().to_str().unwrap();
        run(&[&["spec", command, self.spec], more, &["--cases", folder]].concat())
    }

    /// Returns the findings about clauses and the sentences that they rest on; the ledger has no clause of the cases.
    fn lint(&self) -> Vec<String> {
        let out = run(&["cases", "lint", "--cases", self.folder.path().to_str().unwrap()]).exits_with(1).out;
        let is_one = |line: &&str| line.contains("rests on") || line.contains("#s-");
        out.lines().filter(is_one).map(str::to_owned).collect()
    }

    fn drift(&self, ending: &str, text: &str) -> Run {
        let page = self.page(ending, text);
        self.spec_command("drift", &["--against", &page])
    }

    /// Returns the clause that rests on a sentence, such as `inputs/2, sentence 1`.
    fn clause_of(&self, sentence: &str) -> String {
        let (section, number) = sentence.split_once(", sentence ").unwrap();
        let (stored, name) = (self.stored(), format!("  - name: {section}"));
        let within = stored.lines().skip_while(|line| *line != name).skip(1);
        let within = within.take_while(|line| !line.contains("- name: "));
        let line =
            within.filter(|line| line.contains("clauses: [")).nth(number.parse::<usize>().unwrap() - 1);
        let line = line.unwrap_or_else(|| panic!("no {sentence} in\n{stored}"));
        line.split("clauses: [").nth(1).unwrap().split(']').next().unwrap().to_owned()
    }
}

fn run_lock(watched: &Watched) {
    run(&["cases", "lock", "--cases", watched.folder.path().to_str().unwrap()]).exits_with(0);
}

/// Writes pages that follow their paths in a text, and removes all others.
fn write_pages(folder: &Path, text: &str) {
    let _ = fs::remove_dir_all(folder);
    for page in text.split(">>> ").filter(|page| !page.is_empty()) {
        let (path, text) = page.split_once('\n').unwrap();
        let file = folder.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
}

fn edited(page: &str, from: &str, to: &str) -> String {
    assert_eq!(page.matches(from).count(), 1, "{from:?} has to be there once");
    page.replace(from, to)
}

fn of(page: &str) -> (&'static str, &'static str, &'static str) {
    match page {
        "openvino" => ("openvino/ReduceL1-4", "rst", OPENVINO),
        "openvino-ja" => ("openvino/ReduceL1-4", "html", JAPANESE),
        "onnx" => ("onnx/ReduceL1-13", "txt", ONNX),
        "bnns" => ("bnns/computeNorm", "html", BNNS),
        "array-api" => ("array-api/vector_norm-l2-2022.12", "py", ARRAY_API),
        "standard" => ("array-api/vector_norm-l2-2022.12", "checkout", STANDARD),
        "webnn" => ("webnn/reduceL2-20260122", "bs", WEBNN),
        "blas" => ("blas/asum-3.12", "f", BLAS),
        other => panic!("{other}"),
    }
}

/// Every format of a page gives the same text.
#[rstest]
#[case::html("openvino", "html", OPENVINO_HTML)]
#[case::markdown("openvino", "md", OPENVINO_MARKDOWN)]
#[case::text_without_paragraphs("openvino", "txt", OPENVINO_TEXT)]
#[case::text_in_japanese("openvino-ja", "txt", JAPANESE_TEXT)]
#[case::text_with_glued_headings("bnns", "txt", BNNS_TEXT)]
fn a_source_reads_the_same_in_every_form(#[case] page: &str, #[case] ending: &str, #[case] text: &str) {
    let (spec, first, original) = of(page);
    let watched = Watched::new(spec, first, original);
    watched.drift(ending, text).exits_with(0).prints("0 changed, 1 unchanged\n");
}

#[test]
fn a_version_of_another_number_is_not_mixed_in() {
    let watched = Watched::new("onnx/ReduceL1-13", "txt", ONNX);
    let page = edited(ONNX, "It was the first of all.", "It was the last of all.");
    watched.drift("txt", &page).exits_with(0);
}

#[rstest]
#[case::another_page("html", BNNS, "got a page without its title")]
#[case::nothing("txt", "", "got a page without its title")]
#[case::the_title_alone("txt", "ReduceL1\n\nNothing of it is here. Nor here.", "got 0 of its 26 sentences")]
#[case::another_ending("pdf", OPENVINO, "expected a page whose name ends in")]
fn what_is_not_the_source_is_an_error(#[case] ending: &str, #[case] text: &str, #[case] says: &str) {
    let watched = Watched::new("openvino/ReduceL1-4", "rst", OPENVINO);
    let run = watched.drift(ending, text).exits_with(2);
    assert!(run.err.contains(says), "{}", run.err);
}

#[test]
fn a_page_below_a_folder_is_found_by_its_name() {
    let watched = Watched::new("openvino/ReduceL1-4", "rst", OPENVINO);
    let checkout = watched.folder.path().join("checkout/docs");
    fs::create_dir_all(&checkout).unwrap();
    let against = ["--against", checkout.to_str().unwrap()];
    watched.spec_command("drift", &against).exits_with(2);
    fs::write(checkout.join("reduce-l2-4.rst"), OPENVINO).unwrap();
    watched.spec_command("drift", &against).exits_with(2);
    fs::write(checkout.join("reduce-l1-4.rst"), OPENVINO.replace("f16 or i8", "f16")).unwrap();
    watched.spec_command("drift", &against).exits_with(1).prints("reworded  types/T, sentence 1");
}

#[test]
fn a_module_of_the_array_api_is_found_by_its_version() {
    let watched = Watched::new("array-api/vector_norm-l2-2022.12", "py", ARRAY_API);
    let stubs = watched.folder.path().join("checkout/stubs");
    let write = |version: &str, text: &str| {
        fs::create_dir_all(stubs.join(version)).unwrap();
        fs::write(stubs.join(version).join("linalg.py"), text).unwrap();
    };
    let drift = |folder: &str| {
        let folder = stubs.join(folder);
        watched.spec_command("drift", &["--against", folder.to_str().unwrap()])
    };
    write("_draft", &ARRAY_API.replace("real.", "whole."));
    drift("..").exits_with(2);
    write("_2022_12", ARRAY_API);
    drift("..").exits_with(0).prints("_2022_12/linalg.py, 19 sentences");
    // A named folder is accepted for any version.
    drift("_draft").exits_with(1).prints("reworded  parameters/x, sentence 3");
}

#[test]
fn a_source_of_webnn_is_found_by_its_name() {
    let watched = Watched::new("webnn/reduceL2-20260122", "bs", WEBNN);
    let checkout = watched.folder.path().join("checkout");
    fs::create_dir_all(checkout.join("docs")).unwrap();
    fs::write(checkout.join("docs/explainer.bs"), WEBNN).unwrap();
    let against = ["--against", checkout.to_str().unwrap()];
    watched.spec_command("drift", &against).exits_with(2);
    fs::write(checkout.join("index.bs"), WEBNN.replace("Should others be?", "Should they be?")).unwrap();
    watched
        .spec_command("drift", &against)
        .exits_with(1)
        .prints("reworded  mloperanddescriptor-dictionary, sentence 2");
}

#[test]
fn a_change_is_accepted_once_its_clauses_are_confirmed_or_edited() {
    let watched = Watched::new("openvino/ReduceL1-4", "rst", OPENVINO);
    run_lock(&watched);
    let page = edited(OPENVINO, "f32, f16 or i8", "f32 or f16");
    let page = watched.page("rst", &edited(&page, "axes stay.", "axes stay. It is new."));
    watched.spec_command("drift", &["--against", &page]).exits_with(1).prints("1 reworded, 1 new\n");
    let clause = watched.clause_of("types/T, sentence 1");
    let update = |more: &[&str]| watched.spec_command("update", &[&["--against", &page], more].concat());

    let before = watched.stored();
    let refused = update(&[]).exits_with(2);
    for name in [&clause, "silence"] {
        let says = format!("--confirm {name}");
        assert!(refused.err.contains(&says), "{}", refused.err);
    }
    assert_eq!(watched.stored(), before, "nothing is written");

    // Edit one clause, and confirm the other.
    let ledger = watched.folder.path().join("clauses/text.yaml");
    let text = fs::read_to_string(&ledger).unwrap();
    fs::write(&ledger, text.replace(&format!("Clause {clause} says so."), "T is f32 or f16.")).unwrap();
    update(&["--confirm", "silence"]).exits_with(0).prints("1 reworded, 1 new\n");
    watched.spec_command("drift", &["--against", &page]).exits_with(0);

    // The new sentence gets its clauses by hand.
    assert_eq!(watched.clause_of("attributes/description, sentence 2"), "");
    fs::write(watched.source(), watched.stored().replace("clauses: []", "clauses: [s-1]")).unwrap();
    assert_eq!(watched.lint(), [""; 0]);
    let lock =
        run(&["cases", "lock", "--check", "--cases", watched.folder.path().to_str().unwrap()]).exits_with(1);
    for name in [clause.as_str(), "s-1"] {
        assert!(lock.out.contains(&format!("changed clause openvino/ReduceL1-4#{name}\n")), "{}", lock.out);
    }
}

#[test]
fn a_sentence_that_moved_keeps_its_clauses() {
    let watched = Watched::new("onnx/ReduceL1-13", "txt", ONNX);
    run_lock(&watched);
    let clause = watched.clause_of("summary, sentence 2");
    let page = edited(ONNX, "The sum of nothing is 0.\n", "\n");
    let page = watched.page("txt", &edited(&page, "The tensor.", "The tensor. The sum of nothing is 0."));
    watched.spec_command("drift", &["--against", &page]).exits_with(1).prints("1 new, 1 gone\n");
    let confirmed = ["--confirm", &clause, "--confirm", "silence", "--against", &page];
    watched.spec_command("update", &confirmed).exits_with(0);
    watched.spec_command("drift", &["--against", &page]).exits_with(0);
    assert!(watched.stored().contains(&format!("clauses: [{clause}]")), "{}", watched.stored());
}

#[rstest]
#[case::fingerprint("fingerprint: \"", "fingerprint: \"0", "expected a fingerprint of 16 hexadecimal digits")]
#[case::mark_without_a_length("- {marks: [", "- {marks: [0123456789abcdef, ", "expected FINGERPRINT LENGTH")]
#[case::length("- {marks: [", "- {marks: [0123456789abcdef ten, ", "expected a length in characters")]
#[case::lost_sentence("      - {marks", "      #", "expected the fingerprint of its sentences")]
#[case::spec("specs: [openvino/ReduceL1-4]", "specs: [openvino/ReduceL1-5]", "expected the name of a spec")]
#[case::field("address: ", "adress: ", "unknown field")]
fn a_damaged_source_file_is_an_error(#[case] from: &str, #[case] to: &str, #[case] says: &str) {
    let watched = Watched::new("openvino/ReduceL1-4", "rst", OPENVINO);
    fs::write(watched.source(), watched.stored().replacen(from, to, 1)).unwrap();
    let run = watched.drift("rst", OPENVINO).exits_with(2);
    assert!(run.err.contains(says) && run.err.contains("text.yaml"), "{}", run.err);
}

/// The texts of one spec in two languages are two sources, each compared with its own page.
#[test]
fn a_spec_has_a_source_in_each_language() {
    let watched = Watched::new("openvino/ReduceL1-4", "html", JAPANESE);
    let english = watched.page("rst", OPENVINO);
    let run = watched.spec_command("drift", &["--against", &english]).exits_with(2);
    assert!(run.err.contains("the text of openvino/ReduceL1-4 is not on file"), "{}", run.err);

    let stored = watched.stored();
    let (head, _) = stored.split_once("sections:").unwrap();
    let another = watched.folder.path().join("sources/english.yaml");
    fs::write(&another, format!("{}sections: []\n", head.replace("document: japanese\n", ""))).unwrap();
    watched.spec_command("update", &["--against", &english]).exits_with(0);
    // Every clause must rest on the English text, and those with `where_ja` on the Japanese one too.
    let is_missing =
        |line: &String| line.contains("s-1 rests on no sentence of ") && line.contains("english.yaml");
    assert!(watched.lint().iter().any(is_missing), "{:?}", watched.lint());
    let ledger = watched.folder.path().join("clauses/text.yaml");
    let text = fs::read_to_string(&ledger).unwrap();
    fs::write(&ledger, text.replacen("    where_ja: 本文\n", "", 1)).unwrap();
    let says = "#s-1 rests on this text, and has no where_ja in the ledger";
    assert!(watched.lint().iter().any(|line| line.contains(says)), "{:?}", watched.lint());

    watched
        .spec_command("drift", &["--against", &english])
        .exits_with(0)
        .prints("openvino/ReduceL1-4: unchanged")
        .prints("openvino/ReduceL1-4 in Japanese: not looked at; to get it: by hand\n");
    // A folder may hold the pages of both.
    let pages = watched.folder.path().join("pages");
    fs::create_dir(&pages).unwrap();
    fs::write(pages.join("reduce-l1-4.rst"), OPENVINO).unwrap();
    fs::write(pages.join("reduce-l1-4.ja.html"), JAPANESE.replace("1 個", "2 個")).unwrap();
    watched
        .spec_command("drift", &["--against", pages.to_str().unwrap()])
        .exits_with(1)
        .prints("openvino/ReduceL1-4 in Japanese: changed")
        .prints("1 changed, 1 unchanged\n");
}

#[test]
fn a_clause_that_rests_on_nothing_is_found() {
    let watched = Watched::new("openvino/ReduceL1-4", "rst", OPENVINO);
    fs::write(watched.source(), watched.stored().replacen("clauses: [s-3]", "clauses: [s-99]", 1)).unwrap();
    let found = watched.lint().concat();
    assert!(found.contains("no clause openvino/ReduceL1-4#s-99 in the ledger"), "{found}");
    assert!(found.contains("clause openvino/ReduceL1-4#s-3 rests on no sentence"), "{found}");
}

#[test]
fn every_clause_of_the_corpus_rests_on_its_source() {
    run(&["cases", "lint"]).exits_with(0).prints("nothing to mend\n");
}
