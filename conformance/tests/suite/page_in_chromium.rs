//! Tests the page in a browser: it loads, filters, opens, and works by mouse and by keyboard. Without a
//! Chromium these tests report that they were not run; `NORMATIVE_DEMAND_CHROMIUM=1` makes that a failure.

use crate::chromium::Chromium;
use crate::page_reports::{cases, columns, written};

const COUNT: &str = "document.getElementById('count').textContent";
const ROWS: &str = "document.querySelectorAll('#list > li').length";
const FIRST: &str = "document.querySelector('#list details')";

/// Opens a browser with a page of four backends, or of three without the hostile one.
fn browser(with_hostile: bool) -> Option<Chromium> {
    let cases = cases();
    // Enough failures for more than one page of the list.
    let mut columns = columns(&cases, 200);
    columns.truncate(if with_hostile { 4 } else { 3 });
    Chromium::over(&written(&columns))
}

/// Returns the number of failures with this condition, counted from the page's data alone.
fn counted(chromium: &mut Chromium, condition: &str) -> u64 {
    let expression = format!(
        "(() => {{ const all = JSON.parse(document.getElementById('data').textContent); \
         const d = {{ ...all, ...all.failures }}; return d.rows.filter(([b, k, c, a]) => {{ const call = d.calls[c]; \
         const said = [d.backends[b].name, d.backends[b].who, d.texts[call[0]], \
         ...call[3].flatMap((at) => d.clauses[at]), \
         ...[...call[4], ...d.answers[a]].filter((_, at) => at % 2 === 1).map((at) => d.texts[at])] \
         .join('\\n').toLowerCase(); return {condition}; }}).length; }})()"
    );
    chromium.value(&expression).as_u64().unwrap()
}

#[test]
fn it_loads_without_a_complaint_and_asks_for_nothing_else() {
    let Some(mut chromium) = browser(false) else { return };
    chromium.open("");
    let all = counted(&mut chromium, "true");
    assert_eq!(chromium.text(COUNT), format!("{all} failures"));
    assert!((51..=100).contains(&all), "expected two pages of failures, got {all}");
    assert_eq!(chromium.value(ROWS), 50);
    chromium.click("#next");
    assert_eq!(chromium.text("document.getElementById('page').textContent"), format!("51–{all} of {all}"));
    assert_eq!(chromium.complaints(), Vec::<&serde_json::Value>::new());
    let address = chromium.address();
    assert!(chromium.requests().iter().all(|asked| *asked == address || *asked == "about:blank"));
}

#[test]
fn filters_leave_what_has_all_of_them_and_the_fragment_brings_the_view_back() {
    let Some(mut chromium) = browser(false) else { return };
    chromium.open("");
    let all = counted(&mut chromium, "true");
    chromium.value(
        "(() => { const one = document.forms[0].elements.backend; one.value = 'wrong'; \
         one.dispatchEvent(new Event('change', { bubbles: true })); })()",
    );
    let wrong = counted(&mut chromium, "d.backends[b].name === 'wrong'");
    assert_eq!(
        chromium.text(COUNT),
        if wrong == all { format!("{all} failures") } else { format!("{wrong} of {all} failures") }
    );
    chromium.value("document.forms[0].elements.q.focus()");
    chromium.write("SIGSEGV f32");
    let both = counted(&mut chromium, "said.includes('sigsegv') && said.includes('f32') && b === 1");
    assert!(0 < both && both < wrong);
    assert_eq!(chromium.text(COUNT), format!("{both} of {all} failures"));
    assert_eq!(
        chromium.text("document.forms[0].elements.backend.selectedOptions[0].text"),
        format!("wrong ({both})")
    );
    chromium.click("#list summary");
    chromium.until(&format!("{FIRST}.children.length === 2 && location.hash.includes('open=')"));
    let (fragment, name) =
        (chromium.text("location.hash"), chromium.text("document.querySelector('#list .name').textContent"));
    chromium.open(&fragment);
    assert_eq!(chromium.text(COUNT), format!("{both} of {all} failures"));
    assert_eq!(chromium.text("document.forms[0].elements.q.value"), "SIGSEGV f32");
    assert_eq!(chromium.text("document.querySelector('#list details[open] .name').textContent"), name);
    assert_eq!(chromium.text("location.hash"), fragment);
    chromium.click("#filters button");
    assert_eq!(
        (chromium.text(COUNT), chromium.text("location.hash")),
        (format!("{all} failures"), String::new())
    );
}

#[test]
fn a_failure_opens_down_to_the_clause_the_exact_value_the_bound_and_the_command() {
    let Some(mut chromium) = browser(false) else { return };
    chromium.open("#backend=wrong&q=sum/");
    assert_eq!(chromium.value(ROWS), 0);
    chromium.open("#backend=wrong&kind=wrong%20value&dtype=f32&clause=openvino/ReduceL1-4%23norm");
    assert_eq!(chromium.text("document.querySelector('#list .name').textContent"), "sum");
    chromium.click("#list summary");
    chromium.until(&format!("{FIRST}.children.length === 2"));
    let shown = chromium.text(&format!("{FIRST}.innerText"));
    for text in [
        "openvino/ReduceL1-4#norm Every output element is an L1 norm",
        "One that takes sum for something else.",
        "openvino/ReduceL1-4 data f32[2, 3], axes i64 [1]",
        "[0.1, -0.7, 0.3, 1, 2, -3]",
        "2 of 2 elements wrong, first at [0]",
        "1.10000000149011611938",
        "0x3f8ccccd",
        "0x400ccccd",
        "allowed 1.100 ulp",
        "n = 3, s = 2 · 2^-24 (additions)",
        "judge --backend wrong --case sum",
    ] {
        assert!(shown.contains(text), "{text} is not in\n{shown}");
    }
    chromium.call("Browser.grantPermissions", &serde_json::json!({ "permissions": ["clipboardReadWrite"] }));
    chromium.click("#list .command button");
    chromium.until("/Copied|Selected/.test(document.querySelector('#list .command button').textContent)");
    assert_eq!(chromium.complaints(), Vec::<&serde_json::Value>::new());
}

#[test]
fn the_keyboard_alone_reaches_a_failure_and_opens_it() {
    let Some(mut chromium) = browser(false) else { return };
    chromium.open("");
    chromium.press("Tab");
    assert_eq!(chromium.text("document.activeElement.textContent"), "Skip to the failures");
    chromium.press("Enter");
    chromium.until("document.activeElement.id === 'failures'");
    let mut stops = Vec::new();
    while chromium.value("document.activeElement.matches('#list summary')") != true {
        chromium.press("Tab");
        stops.push(chromium.text("document.activeElement.name || document.activeElement.textContent"));
        assert!(stops.len() < 12, "{stops:?}");
    }
    assert_eq!(stops[..8], ["backend", "defect", "spec", "dtype", "kind", "clause", "q", "Clear"]);
    let outline = "getComputedStyle(document.activeElement).outlineStyle";
    assert_eq!(chromium.text(outline), "solid", "the focus is to be seen");
    chromium.press("Enter");
    chromium.until(&format!("{FIRST}.open && {FIRST}.children.length === 2"));
    chromium.press(" ");
    chromium.until(&format!("!{FIRST}.open"));
}

#[test]
fn a_cell_of_the_matrix_leads_to_as_many_failures_as_it_counts() {
    let Some(mut chromium) = browser(false) else { return };
    chromium.open("");
    let cells = chromium.value("document.querySelectorAll('.matrix td a').length").as_u64().unwrap();
    assert!(cells > 5);
    for at in 0..cells {
        chromium.value(&format!("document.querySelectorAll('.matrix td a')[{at}].click()"));
        chromium.until("location.hash !== '' && document.activeElement.id === 'failures'");
        let link = format!("document.querySelectorAll('.matrix td a')[{at}]");
        chromium.until(&format!("decodeURIComponent({link}.hash) === decodeURIComponent(location.hash)"));
        let all = chromium.value(&format!(
            "[...{link}.querySelectorAll('b')].reduce((sum, one) => sum + Number(one.textContent), 0)"
        ));
        let shown = chromium.text(COUNT);
        assert_eq!(shown.split(' ').next(), Some(all.to_string().as_str()), "cell {at}");
        chromium.value("document.activeElement.blur()");
    }
}

#[test]
fn hostile_words_do_nothing_and_fit_a_telephone() {
    let Some(mut chromium) = browser(true) else { return };
    chromium.size(360, 740);
    chromium.open("#q=desrever");
    assert_ne!(chromium.value(ROWS), 0);
    chromium.click("#list summary");
    chromium.until(&format!("{FIRST}.children.length === 2"));
    assert_eq!(chromium.text("typeof window.broken"), "undefined");
    assert_eq!(chromium.value("document.querySelectorAll('img, #list script, .matrix script').length"), 0);
    let fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth";
    let wider = "[...document.querySelectorAll('body *')].filter((one) => !one.parentElement.closest('.wide') \
                 && one.scrollWidth > document.documentElement.clientWidth) \
                 .map((one) => one.outerHTML.slice(0, 80)).slice(0, 5).join('\\n')";
    let fits = chromium.value(fits);
    assert_eq!(fits, true, "these reach beyond the screen:\n{}", chromium.text(wider));
    assert_eq!(chromium.complaints(), Vec::<&serde_json::Value>::new());
}

#[test]
fn every_section_says_what_the_data_have() {
    let Some(mut chromium) = browser(false) else { return };
    chromium.open("");
    let mut says = |section: &str, texts: &[&str]| {
        let shown = chromium.text(&format!("document.getElementById('{section}').textContent"));
        for text in texts {
            assert!(shown.contains(text), "{text} is not in\n{shown}");
        }
    };
    says("matrix", &["\"wrong 1.0\"", "conforms", "–unsupported", "≠inconsistent", " died"]);
    says("hazards", &["None was met."]);
    says("defects", &["explain", "failures of this defect", "smallest", "judge --backend wrong --case"]);
    let asks = "empty-axes-identity With axes [], is the output the data or the norm of each element?";
    says(
        "questions",
        &[asks, "x", "right", "nobody", "≠inconsistent", "little: calls not answered", "no roots"],
    );
    says("support", &["little", "openvino/ReduceL1-4", "supported"]);
    says("accuracy", &["worst error, ulp", "10–99", "≤10⁻³", "Errors of f32 in ulp, worst / mean", "beyond"]);
    let outcome = chromium.text("document.querySelector('.outcome').textContent");
    assert_eq!(outcome, "2 of 3 backends conform.");
    // Each link leads to something: a section, or a filter that leaves failures.
    let dead = chromium.value(
        "(() => { const dead = []; for (const link of document.querySelectorAll('main a, nav a')) { \
         const to = link.getAttribute('href'); if (link.hidden) continue; \
         if (!to.includes('=')) { if (!document.querySelector(to)) dead.push(to); continue; } \
         state = read(to); show(); if (shown.length === 0) dead.push(to); } return dead; })()",
    );
    assert_eq!(dead, serde_json::json!([]));
}

/// Names of lines are moved apart, on the panel and in the order of their lines, however many there are.
#[test]
fn names_beside_a_plot_stand_apart_in_the_order_of_their_lines() {
    let Some(mut chromium) = browser(false) else { return };
    chromium.open("");
    let wrong = chromium.value(
        "(() => { for (let count = 0; count < 60; count += 1) { \
         const wanted = Array.from({ length: count }, (_, at) => TOP + ((at * 37 + count * 11) % 97) / 97 * (BOTTOM - TOP)); \
         const heights = apart(wanted); \
         const order = wanted.map((_, at) => at).sort((a, b) => wanted[a] - wanted[b]).map((at) => heights[at]); \
         if (order.some((one, at) => at > 0 && one - order[at - 1] < pitch(count) - 1e-9)) return count; \
         if (heights.some((one) => one < TOP - 1e-9 || one > FOOT + 1e-9)) return count; } return null; })()",
    );
    assert_eq!(wrong, serde_json::Value::Null);
    // Errors keep their order, and stay on the panel.
    let heights =
        chromium.value("[0, 1e-9, 1e-3, 0.5, 1, 40, 1e4, 1e9, null].map((value) => height(value, 4))");
    let heights: Vec<f64> = serde_json::from_value(heights).unwrap();
    assert!(heights.is_sorted_by(|a, b| a >= b) && heights[3] > heights[4], "{heights:?}");
    assert!(heights.iter().all(|height| (14.0..=232.0).contains(height)), "{heights:?}");
}

#[test]
fn without_scripts_the_page_says_so_and_shows_no_empty_section() {
    let Some(mut chromium) = browser(false) else { return };
    chromium.call("Emulation.setScriptExecutionDisabled", &serde_json::json!({ "value": true }));
    chromium.open("");
    let shown = chromium.text("document.body.innerText");
    for text in
        ["Norm reductions, 3 backends", "needs JavaScript", "normative report show", "It loads nothing."]
    {
        assert!(shown.contains(text), "{text} is not in\n{shown}");
    }
    for text in ["Skip", "Matrix", "Failures", "Backend"] {
        assert!(!shown.contains(text), "{text} is in\n{shown}");
    }
}

/// Compares every text with its background, in both themes: 4.5 to 1, as WCAG 2 demands.
#[test]
fn every_text_stands_out_from_its_ground_in_light_and_dark() {
    let Some(mut chromium) = browser(false) else { return };
    for theme in ["light", "dark"] {
        let feature = serde_json::json!([{ "name": "prefers-color-scheme", "value": theme }]);
        chromium.call("Emulation.setEmulatedMedia", &serde_json::json!({ "features": feature }));
        chromium.open("#backend=wrong");
        chromium.click("#list summary");
        chromium.until(&format!("{FIRST}.children.length === 2"));
        let texts = chromium.value(include_str!("faint.js"));
        assert!(texts["seen"].as_u64().unwrap() >= 100, "nothing was seen");
        assert_eq!(texts["faint"], serde_json::json!([]), "{theme}");
    }
}
