//! The pages on all functions of a standard: those found below a checkout, and the clauses that rest on them.

use std::fs;

use super::{ARRAY_API, STANDARD, Watched, edited, run_lock, write_pages};

#[test]
fn pages_for_all_functions_are_found_by_path_and_version() {
    let watched = Watched::new("array-api/vector_norm-l2-2022.12", "checkout", STANDARD);
    let checkout = watched.folder.path().join("page.checkout");
    let drift = |folder: &str| {
        let folder = checkout.join(folder);
        watched.spec_command("drift", &["--against", folder.to_str().unwrap()])
    };
    let later = edited(STANDARD, "These types must be there.", "These types may be there.");
    write_pages(&checkout.join("spec/2099.12"), &later);
    let name = "array-api/vector_norm-l2-2022.12, pages for all functions";
    drift("").exits_with(0).prints(&format!("{name}: unchanged in ")).prints("spec/2022.12, 29 sentences");
    // A named folder is accepted for any version, and a missing page adds no text.
    drift("spec/2099.12").exits_with(1).prints("  reworded  data-types/data-types, sentence 1");
    fs::remove_file(checkout.join("spec/2099.12/design_topics/accuracy.rst")).unwrap();
    drift("spec/2099.12").exits_with(1).prints("  gone      accuracy/linear-algebra, sentence 1");
    drift("spec/2099.12/API_specification").exits_with(2);
    // A change is accepted in the document that has it, even if the checkout has others.
    let stubs = checkout.join("stubs/_2022_12");
    fs::create_dir_all(&stubs).unwrap();
    fs::write(stubs.join("linalg.py"), ARRAY_API).unwrap();
    let function = watched.folder.path().join("sources/function.yaml");
    let (head, _) = watched.stored().split_once("sections:").map(|(a, b)| (a.to_owned(), b.len())).unwrap();
    fs::write(&function, format!("{}sections: []\n", head.replace("document: standard\n", ""))).unwrap();
    let against = ["--against", checkout.to_str().unwrap()];
    watched
        .spec_command("update", &against)
        .exits_with(0)
        .prints("array-api/vector_norm-l2-2022.12: accepted: 0 unchanged, ");
    write_pages(&checkout.join("spec/2022.12"), &later);
    watched.spec_command("drift", &against).exits_with(1).prints("1 changed, 1 unchanged\n");
    let clause = watched.clause_of("data-types/data-types, sentence 1");
    let accept = ["--confirm", &clause, "--confirm", "silence"];
    run_lock(&watched);
    watched
        .spec_command("update", &[&accept[..], &against].concat())
        .exits_with(0)
        .prints(&format!("{name}: accepted: 28 unchanged, 1 reworded\n"));
    watched.spec_command("drift", &against).exits_with(0).prints("0 changed, 2 unchanged\n");
}

#[test]
fn a_clause_rests_on_the_documents_that_it_cites() {
    let watched = Watched::new("array-api/vector_norm-l2-2022.12", "checkout", STANDARD);
    let ledger = watched.folder.path().join("clauses/text.yaml");
    let text = fs::read_to_string(&ledger).unwrap();
    fs::write(&ledger, text.replacen("where: Purpose and scope", "where: vector_norm, Notes", 1)).unwrap();
    let says = "#s-1 rests on this text, and has no title of its page in `where` in the ledger";
    assert!(watched.lint().concat().contains(says), "{:?}", watched.lint());
    fs::write(watched.source(), watched.stored().replace("clauses: [s-2]", "clauses: []")).unwrap();
    assert!(watched.lint().concat().contains("#s-2 rests on no sentence of "), "{:?}", watched.lint());
}
