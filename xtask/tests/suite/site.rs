//! The site: its data answer as `ask` does, and its page works in a browser, by mouse and by keyboard.
//!
//! Without a Chromium the tests of the page report that they were not run; see `chromium`.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use rstest::rstest;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::chromium::Chromium;
use crate::common::page::root;
use crate::common::run;

/// The site, made once.
static SITE: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    run(&["site", "--output", folder.path().to_str().unwrap()]).exits_with(0).prints("index.html");
    folder
});

fn text(name: &str) -> String {
    fs::read_to_string(SITE.path().join(name)).unwrap()
}

fn value(name: &str) -> Value {
    serde_json::from_str(&text(name)).unwrap()
}

/// Returns the state of a spec and type in a release, and the names of its defects and hazards.
fn state(runtime: &Value, release: &str, spec: &str, dtype: &str) -> (String, Vec<String>) {
    let place = |release: &Value| {
        runtime["releases"].as_array().unwrap().iter().position(|one| one["release"] == *release)
    };
    let types = runtime["types"].as_array().unwrap();
    let row = types.iter().find(|row| row["spec"] == spec && row["dtype"] == dtype).unwrap();
    let changes = row["changes"].as_array().unwrap();
    let cell = changes.iter().rfind(|change| place(&change["since"]) <= place(&json!(release))).unwrap();
    let matters = cell["matters"].as_array().unwrap().iter();
    let name = |at: &Value| {
        let matter = &runtime["matters"][usize::try_from(at.as_u64().unwrap()).unwrap()];
        format!(
            "{}  {}",
            matter["label"].as_str().unwrap(),
            matter.get("title").unwrap_or(&matter["name"]).as_str().unwrap()
        )
    };
    (cell["state"].as_str().unwrap().to_owned(), matters.map(name).collect())
}

#[rstest]
#[case::newest("onnxruntime", "1.32.0", "onnx/ReduceL1-18", "i64")]
#[case::of_a_hazard("onnxruntime", "1.26.0", "onnx/ReduceL2-18", "i64")]
#[case::of_crashes("onnxruntime", "1.22.1", "onnx/ReduceL2-18", "f16")]
#[case::the_oldest("onnxruntime", "1.19.0", "onnx/ReduceL2-18", "f64")]
#[case::a_refused_type("onnxruntime", "1.22.1", "onnx/ReduceL1-18", "u32")]
#[case::of_opset_1("onnxruntime", "1.28.0", "onnx/ReduceL2-1", "f16")]
#[case::conforming("onnxruntime", "1.32.0", "onnx/ReduceL2-18", "f16")]
#[case::a_type_that_the_text_excludes("onnx-reference", "1.23.2", "onnx/ReduceL2-18", "i8")]
#[case::another_runtime("openvino", "2025.1.0", "openvino/ReduceL1-4", "i32")]
#[case::of_the_array_api("numpy", "2.3.0", "array-api/vector_norm-l2-2022.12", "f32")]
fn a_cell_answers_as_ask_does(
    #[case] backend: &str,
    #[case] release: &str,
    #[case] spec: &str,
    #[case] dtype: &str,
) {
    let asked = run(&["ask", &format!("{backend}@{release}"), spec, dtype]);
    let (state, matters) = state(&value(&format!("data/{backend}.json")), release, spec, dtype);
    let verdict = asked.out.lines().next().unwrap();
    let said = match state.as_str() {
        "defects" => "NOT SAFE",
        "hazards" => "no defect known, ",
        "conforms" => "no defect and no hazard known",
        "refused" => "not supported",
        other => panic!("{other}"),
    };
    assert!(verdict.contains(said), "{state}: {}", asked.out);
    let of_ask: Vec<&str> = asked
        .out
        .lines()
        .filter(|line| line.starts_with("defect  ") || line.starts_with("hazard  "))
        .collect();
    assert_eq!(matters, of_ask);
}

#[test]
fn everything_is_small_and_every_address_of_the_index_is_there() {
    let index = value("data/index.json");
    for row in index["runtimes"].as_array().unwrap() {
        let (data, badge) = (row["data"].as_str().unwrap(), text(row["badge"].as_str().unwrap()));
        let runtime = value(data);
        let newest = runtime["releases"].as_array().unwrap().last().unwrap();
        assert_eq!((&newest["release"], &newest["judged"]), (&row["newest"], &row["judged"]));
        let document = roxmltree::Document::parse(&badge).unwrap();
        let says = document.root_element().attribute("aria-label").unwrap();
        assert!(
            says.contains(&format!("{}: {} defect", row["newest"].as_str().unwrap(), row["defects"])),
            "{says}"
        );
    }
    let hands = index["by-hand"].as_array().unwrap();
    assert!(hands.iter().any(|hand| hand["backend"] == "tvm" && hand["findings"][0]["state"] == "reported"));
    let findings = hands.iter().flat_map(|hand| hand["findings"].as_array().unwrap());
    let unplaced: Vec<&Value> = findings.filter(|one| one["spec"] == "" || one["dtype"] == "").collect();
    assert!(unplaced.is_empty(), "a filter cannot say if these are meant: {unplaced:?}");
    assert!(index["clauses"].as_array().unwrap().len() > 100);
    let size = |folder: &Path| -> u64 {
        fs::read_dir(folder)
            .unwrap()
            .flatten()
            .filter_map(|file| file.metadata().ok())
            .map(|of| of.len())
            .sum()
    };
    let all = ["", "data", "badges"].map(|folder| size(&SITE.path().join(folder)));
    assert!(all.iter().sum::<u64>() < 1_500_000, "{all:?}");
}

#[test]
fn the_reported_defect_has_its_issue_beside_it() {
    let runtime = value("data/onnxruntime.json");
    let refused =
        runtime["matters"].as_array().unwrap().iter().find(|one| one["reports"][0].is_object()).unwrap();
    assert!(refused["name"].as_str().unwrap().contains("opset = 1"), "{refused}");
    assert_eq!(refused["reports"][0]["link"], "https://github.com/microsoft/onnxruntime/issues/16449");
}

// ---- in a browser ----

const TITLE: &str = "document.getElementById('title').textContent";
const VIEW: &str = "document.getElementById('view').textContent";

fn browser() -> Option<Chromium> {
    Chromium::over(&text("index.html"))
}

/// Chooses a value in a filter, as a click on the option does.
fn choose(chromium: &mut Chromium, name: &str, value: &str) {
    chromium.value(&format!(
        "(() => {{ const one = document.querySelector('select[name={name}]'); one.value = {value:?}; \
         one.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()"
    ));
    let hash = format!("new URLSearchParams(location.hash.slice(1)).get({name:?})");
    chromium.until(&format!("{hash} === {value:?}"));
}

#[test]
fn two_choices_answer_for_every_release_and_the_address_keeps_them() {
    let Some(mut chromium) = browser() else { return };
    chromium.open("");
    choose(&mut chromium, "operator", "ReduceL2");
    choose(&mut chromium, "type", "f16");
    chromium.until(&format!("{TITLE} === 'Is ReduceL2 f16 safe?'"));
    let chip = "[...document.querySelectorAll('[data-runtime=onnxruntime] .chips a')].find((one) => one.textContent.startsWith('1.22.1 '))";
    let said = chromium.text(&format!("{chip}.textContent"));
    assert!(said.contains("✕") && said.ends_with("defects"), "{said}");
    assert_eq!(chromium.value(&format!("{chip}.checkVisibility()")), true);
    let hash = chromium.text("location.hash");
    chromium.open(&hash);
    assert_eq!(chromium.text("document.forms[0].elements.type.value"), "f16");
    chromium.click("[data-runtime=onnxruntime] .chips a[href*='release=1.22.1']");
    chromium.until(&format!("{TITLE} === 'ONNX Runtime 1.22.1, ReduceL2 f16'"));
    let shown = chromium.text(VIEW);
    for text in [
        "NOT SAFE: 6 defects",
        "Take 1.32.0",
        "judged 2026-",
        "9,755 cases",
        "crashed (SIGSEGV)",
        "in onnx/ReduceL1-18 f32: due shape [1], came shape [0]",
        "mended in 1.30.0",
        "suite 0.1.0",
    ] {
        assert!(shown.contains(text), "{text} is not in\n{shown}");
    }
    let legend = chromium.text("document.querySelector('.legend').textContent");
    assert!(!legend.contains("without it"), "a cell has none of this: {legend}");
    assert_eq!(chromium.complaints(), Vec::<&Value>::new());
    let address = chromium.address();
    assert!(chromium.requests().iter().all(|asked| asked.starts_with(&address) || *asked == "about:blank"));
}

#[rstest]
#[case::an_unknown_view("#view=constructor", "Expected view to be one of table, ")]
#[case::an_unknown_operator("#view=table&operator=ReduceL7", "vector_norm-l2, got ReduceL7.")]
#[case::an_unknown_type("#view=runtime&runtime=numpy&type=f17", "u64, got f17.")]
#[case::an_unknown_runtime_by_its_name("#view=runtime&runtime=nosuch", "tract, tvm")]
#[case::an_unknown_field(
    "#view=table&op=ReduceL2",
    "Expected view, operator, type, runtime, release, clause, a, b in the address, got op."
)]
#[case::an_unknown_clause(
    "#view=clauses&clause=nosuch",
    "No judged runtime and no finding has a clause of this name."
)]
#[case::an_unknown_runtime("#view=runtime&runtime=nosuch", "No runtime with a history has this")]
#[case::an_unknown_pair(
    "#view=compare&a=nosuch&b=onnxruntime@1.32.0",
    "Expected two runs that are here, got nosuch."
)]
#[case::a_release_that_was_not_judged(
    "#view=runtime&runtime=onnxruntime&release=1.18.0",
    "1.18.0 was not judged. Judged releases:"
)]
#[case::an_unknown_release_of_a_pair("#view=compare&a=onnxruntime@9.9&b=numpy", "here, got onnxruntime@9.9.")]
fn an_address_that_names_nothing_says_so(#[case] hash: &str, #[case] due: &str) {
    let Some(mut chromium) = browser() else { return };
    chromium.open(hash);
    let shown = chromium.text(&format!("{TITLE} + {VIEW}"));
    assert!(shown.contains(due), "{shown}");
    assert_eq!(chromium.complaints(), Vec::<&Value>::new());
}

#[rstest]
#[case::in_other_capitals("#view=table&operator=reducel2&type=F16", "Is ReduceL2 f16 safe?", "")]
#[case::a_minor_version("#view=runtime&runtime=ONNXRuntime&release=1.22", "ONNX Runtime 1.22.1", "1.22.1")]
fn an_address_names_a_choice_as_people_spell_it(
    #[case] hash: &str,
    #[case] title: &str,
    #[case] release: &str,
) {
    let Some(mut chromium) = browser() else { return };
    chromium.open(hash);
    assert_eq!(chromium.text(TITLE), title);
    assert_eq!(chromium.value("document.forms.filters.elements.release.value"), release);
    assert_eq!(chromium.complaints(), Vec::<&Value>::new());
}

#[test]
fn a_refusal_of_valid_calls_breaks_its_clause_and_a_hazard_links_to_no_clause() {
    let Some(mut chromium) = browser() else { return };
    chromium.open("#view=clauses&clause=rank-zero");
    let shown = chromium.text(VIEW);
    assert!(shown.contains("✕ ONNX Runtime"), "{shown}");
    chromium.open("#view=runtime&runtime=onnxruntime&operator=ReduceL2&type=f32");
    let links = "document.querySelectorAll('a[href*=\"clause=float-range\"]').length";
    assert_eq!(chromium.value(links), 0);
}

#[test]
fn a_choice_keeps_the_focus_when_the_view_is_made_anew() {
    let Some(mut chromium) = browser() else { return };
    chromium.open("#view=compare&a=numpy&b=numpy-norm");
    chromium.value("document.querySelector('select[name=b]').focus()");
    choose(&mut chromium, "b", "jax@0.10.2");
    assert_eq!(chromium.value("document.activeElement.name"), "b");
}

/// True if the heads of types stand apart, and names of operators break behind / and - alone.
const APART: &str = "(() => {
    const over = (node) => { const range = document.createRange(); range.selectNodeContents(node); return range; };
    const boxesOf = ({ cells }) => [...cells].slice(1).map((head) => over(head).getBoundingClientRect());
    const parts = [...document.querySelectorAll('.grid tbody th')].flatMap(({ childNodes }) => [...childNodes]);
    return [...document.querySelectorAll('.grid thead tr')].map(boxesOf)
            .every((row) => row.every(({ left }, at) => at === 0 || left - row[at - 1].right >= 2))
        && parts.every((part) => over(part).getClientRects().length <= 1);
})()";

#[test]
fn a_strip_of_one_text_of_several_says_which() {
    let Some(mut chromium) = browser() else { return };
    chromium.open("#view=runtime&runtime=burn");
    let labels = chromium.text("document.querySelector('.strips').textContent");
    assert!(labels.contains("onnx/ReduceL2-1 ") && labels.contains("openvino/ReduceL2-4 "), "{labels}");
}

#[test]
fn findings_by_hand_are_of_the_runtime_that_is_chosen() {
    let Some(mut chromium) = browser() else { return };
    for (hash, due) in [("#view=table", true), ("#view=table&runtime=onnxruntime", false)] {
        chromium.open(hash);
        assert_eq!(chromium.text(VIEW).contains("Read by hand"), due, "{hash}");
    }
}

/// Every view fits both widths, and its text stands out from its ground by 4.5 to 1 in both themes, as WCAG 2 demands.
#[test]
fn every_view_fits_its_screen_and_is_legible_in_light_and_dark() {
    let Some(mut chromium) = browser() else { return };
    let faint = include_str!("../../../conformance/tests/suite/faint.js");
    let views = [
        "",
        "#view=table&operator=ReduceL2&type=f16",
        "#view=runtime&runtime=onnxruntime",
        "#view=runtime&runtime=openvino",
        "#view=runtime&runtime=torch",
        "#view=clauses",
        "#view=clauses&clause=norm",
        "#view=compare&a=onnxruntime@1.22.1&b=onnxruntime@1.32.0",
        "#view=compare&a=onnxruntime@1.22.1&b=openvino@2026.4.1",
        "#view=record",
    ];
    for (width, theme) in [(1280, "light"), (390, "dark")] {
        chromium.size(width, 900);
        let feature = json!([{ "name": "prefers-color-scheme", "value": theme }]);
        chromium.call("Emulation.setEmulatedMedia", &json!({ "features": feature }));
        for view in views {
            chromium.open(view);
            chromium.value("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
            let fits = chromium.value(
                "[document.documentElement, ...document.querySelectorAll('.wide:has(.grid)')]
                    .every((one) => one.scrollWidth <= one.clientWidth)",
            );
            assert_eq!(fits, true, "{view} reaches beyond {width} px, or a table beyond its frame");
            assert_eq!(chromium.value(APART), true, "{view}: heads run together, or a name breaks within");
            let texts = chromium.value(faint);
            assert!(texts["seen"].as_u64().unwrap() >= 10, "nothing was seen of {view}");
            assert_eq!(texts["faint"], json!([]), "{view} in {theme}");
        }
    }
    assert_eq!(chromium.complaints(), Vec::<&Value>::new());
}

#[test]
fn the_keyboard_alone_reaches_the_answer() {
    let Some(mut chromium) = browser() else { return };
    chromium.open("");
    let mut stops = Vec::new();
    while chromium.value("document.activeElement.matches('.grid a')") != true {
        chromium.press("Tab");
        stops.push(chromium.text("document.activeElement.name || document.activeElement.textContent"));
        assert!(stops.len() < 20, "{stops:?}");
    }
    for stop in ["Skip to the answer", "Clauses", "operator", "type", "runtime", "Clear"] {
        assert!(stops.iter().any(|one| one == stop), "{stop}: {stops:?}");
    }
    assert_eq!(chromium.text("getComputedStyle(document.activeElement).outlineStyle"), "solid");
    chromium.press("Enter");
    chromium.until("document.activeElement.id === 'title' && location.hash.includes('view=runtime')");
}

#[rstest]
#[case::whole("judged.ndjson", &[], "Whole run: ")]
#[case::filtered("filtered.ndjson", &["--case", "onnx-norm-over-no-elements-is-zero"], "PARTIAL RUN: filters left cases out")]
fn a_dropped_record_is_read_beside_a_runtime(#[case] name: &str, #[case] words: &[&str], #[case] due: &str) {
    let Some(mut chromium) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join(name);
    let command =
        ["conformance", "--backend", "ndarray", "--property", "20", "--record", record.to_str().unwrap()];
    run(&[&command, words].concat()).exits_with(0);
    chromium.open("#view=record");
    let root = chromium.call("DOM.getDocument", &json!({}))["root"]["nodeId"].clone();
    let input =
        chromium.call("DOM.querySelector", &json!({ "nodeId": root, "selector": "#file" }))["nodeId"].clone();
    chromium.call("DOM.setFileInputFiles", &json!({ "nodeId": input, "files": [record] }));
    chromium.until(&format!("{TITLE} !== 'Your record'"));
    let shown = chromium.text(VIEW);
    assert!(
        shown.contains(due) && shown.contains("suite 0.1.0") && shown.contains("0 wrong, 0 died"),
        "{shown}"
    );
    chromium.value("document.querySelector('#view a[href*=\"b=onnxruntime\"]').click()");
    chromium.until(&format!("{VIEW}.includes('that both were asked differ')"));
    assert!(chromium.value("document.querySelectorAll('.grid .differs').length").as_u64().unwrap() > 0);
    assert!(chromium.text(VIEW).contains(due), "a partial run is called so beside another as well");
    assert_eq!(chromium.complaints(), Vec::<&Value>::new());
}

#[test]
fn a_file_that_is_not_a_record_is_refused_in_words() {
    let Some(mut chromium) = browser() else { return };
    chromium.open("#view=record");
    let says = |text: &str| {
        format!(
            "(() => {{ try {{ recordOf({text:?}); return ''; }} catch (error) {{ return error.message; }} }})()"
        )
    };
    for (text, due) in [
        ("", "expected the head of a run's record on the first line"),
        ("{}\n", "expected the head of a run's record on the first line"),
        ("# words\n", "line 1: expected a JSON object"),
        ("{\"run\":{\"format\":1}}\n", "expected a record of format 11, got format 1"),
    ] {
        assert_eq!(chromium.text(&says(text)), due);
    }
    let page = root().join("docs/reports.md");
    assert!(fs::read_to_string(page).unwrap().contains("cargo xtask site --output"));
}
