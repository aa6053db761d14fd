//! Planted edits of the pages: a change of meaning is named with its clauses, and a change of markup, spaces or
//! typography is not named.

use rstest::rstest;

use super::{Watched, edited, of};
use crate::common::Run;

/// Returns the changes that a run names, such as `reworded  inputs/2, sentence 1`.
fn changes(run: &Run) -> Vec<String> {
    let is_one =
        |line: &&str| ["reworded", "new", "gone"].iter().any(|how| line.trim_start().starts_with(how));
    let named = run.out.lines().filter(is_one).filter(|line| line.contains(", sentence "));
    // Leave out the fingerprint.
    let words = |line: &str| {
        line.split("  ")
            .filter(|word| !word.is_empty())
            .take(2)
            .map(|word| word.trim().to_owned())
            .collect::<Vec<_>>()
    };
    named.map(|line| words(line).join(" ")).collect()
}

/// Changes one sentence of a page.
#[rstest]
#[case::number("openvino", "has 1 element", "has 2 elements", "attributes/description, sentence 2")]
#[case::default(
    "openvino",
    "value**: ``false``",
    "value**: ``true``",
    "attributes/default-value, sentence 1"
)]
#[case::negation("openvino", "axes stay.", "axes do not stay.", "attributes/description, sentence 1")]
#[case::required("openvino", "*no*", "*yes*", "attributes/required, sentence 1")]
#[case::another_type("openvino", "f32, f16 or i8", "f32, f16, bf16 or i8", "types/T, sentence 1")]
#[case::one_type_less("openvino", "i32 or i64", "i64", "types/T_IND, sentence 1")]
#[case::end_of_a_range("openvino", "[-r, r-1]", "[-r, r]", "inputs/2, sentence 1")]
#[case::sign("openvino", "[-r, r-1]", "[r, r-1]", "inputs/2, sentence 1")]
#[case::open_bracket("openvino", "[-r, r-1]", "(-r, r-1]", "inputs/2, sentence 1")]
#[case::uniqueness("openvino", "none of them twice", "any of them twice", "inputs/2, sentence 1")]
#[case::may_and_must("openvino", "They may be", "They must be", "inputs/2, sentence 2")]
#[case::magnitude(
    "openvino",
    "is the sum of the magnitudes",
    "is the sum of the numbers",
    "detailed-description, sentence 1"
)]
#[case::formula("openvino", "S(x[c]))", "S(x[a]))", "detailed-description, sentence 3")]
#[case::after_the_formula("openvino", "c goes along", "c stays along", "detailed-description, sentence 3")]
#[case::empty_axes("openvino", "nothing is added", "all is added", "particular-cases, sentence 1")]
#[case::second_item("openvino", "one number is left", "no number is left", "particular-cases, sentence 2")]
#[case::kept_axes(
    "openvino",
    "axes that are, are dropped",
    "axes that are, are kept",
    "outputs/1, sentence 2"
)]
#[case::dim_of_an_example("openvino", "<dim>7</dim>", "<dim>1</dim>", "examples, sentence 2")]
#[case::attribute_of_an_example(
    "openvino",
    "keep_dims=\"true\"",
    "keep_dims=\"false\"",
    "examples, sentence 1"
)]
#[case::comment_of_an_example("openvino", "the last axis", "the first axis", "examples, sentence 1")]
#[case::japanese_number("openvino-ja", "要素は 1 個", "要素は 2 個", "attributes/description, sentence 2")]
#[case::japanese_negation(
    "openvino-ja",
    "軸は残ります",
    "軸は残りません",
    "attributes/description, sentence 1"
)]
#[case::japanese_uniqueness("openvino-ja", "2 つありません", "2 つあります", "inputs/2, sentence 2")]
#[case::japanese_type("openvino-ja", "f32、f16 または", "f32、f16、bf16 または", "types/T, sentence 1")]
#[case::japanese_type_of_axes("openvino-ja", "i32 または i64", "i64", "types/T_IND, sentence 1")]
#[case::japanese_range("openvino-ja", "[-r, r-1]", "[-r, r]", "inputs/2, sentence 3")]
#[case::japanese_default(
    "openvino-ja",
    "デフォルト値</strong>: <code>false",
    "デフォルト値</strong>: <code>true",
    "attributes/default-value, sentence 1"
)]
#[case::japanese_required("openvino-ja", "いいえ", "はい", "attributes/required, sentence 1")]
#[case::japanese_formula("openvino-ja", "S(x[c]))", "S(x[a]))", "detailed-description, sentence 3")]
#[case::japanese_empty_axes(
    "openvino-ja",
    "何も足しません",
    "すべて足します",
    "particular-cases, sentence 1"
)]
#[case::japanese_type_label("openvino-ja", "boolean", "int", "attributes/type, sentence 1")]
#[case::japanese_dropped_axes("openvino-ja", "取り除かれます", "残ります", "outputs/1, sentence 2")]
#[case::japanese_example("openvino-ja", "&lt;dim&gt;7", "&lt;dim&gt;8", "examples, sentence 2")]
#[case::version("onnx", "since_version: 13", "since_version: 14", "version, sentence 3")]
#[case::function("onnx", "function: False", "function: True", "version, sentence 4")]
#[case::type_of_an_attribute(
    "onnx",
    "• keepdims - INT (default is '1')",
    "• keepdims - FLOAT (default is '1')",
    "attributes/keepdims, sentence 1"
)]
#[case::default_of_an_attribute(
    "onnx",
    "• keepdims - INT (default is '1')",
    "• keepdims - INT (default is '0')",
    "attributes/keepdims, sentence 1"
)]
#[case::option_of_an_input(
    "onnx",
    "• data (heterogeneous) - T",
    "• data (optional, heterogeneous) - T",
    "inputs/data, sentence 1"
)]
#[case::type_of_an_input(
    "onnx",
    "• data (heterogeneous) - T",
    "• data (heterogeneous) - tensor(int64)",
    "inputs/data, sentence 1"
)]
#[case::listed_type(
    "onnx",
    "( tensor(double), tensor(float) )",
    "( tensor(double), tensor(float), tensor(int8) )",
    "type-constraints/T, sentence 1"
)]
#[case::empty_set("onnx", "of nothing is 0", "of nothing is 1", "summary, sentence 2")]
#[case::case_of_a_letter("onnx", "where r is the rank", "where R is the rank", "attributes/axes, sentence 3")]
#[case::body("onnx", "total = Sum (sizes)", "total = Max (sizes)", "function-body, sentence 2")]
#[case::declared_type("bnns", "[Int]?", "[Int32]?", "declaration, sentence 1")]
#[case::declared_default("bnns", "= nil", "= []", "declaration, sentence 1")]
#[case::parameter(
    "bnns",
    "the norm is that of all",
    "the norm is that of none",
    "parameters/axes, sentence 2"
)]
#[case::printed_number("bnns", "// 5.0", "// 5.1", "discussion, sentence 5")]
#[case::signature("array-api", "ord: int = 2,", "ord: int = 1,", "signature, sentence 1")]
#[case::summary("array-api", "Adds up the", "Adds the", "summary, sentence 1")]
#[case::type_of_a_parameter(
    "array-api",
    "    axis: Optional[int]\n        which",
    "    axis: int\n        which",
    "parameters/axis, sentence 1"
)]
#[case::should_and_must("array-api", "Should be real", "Must be real", "parameters/x, sentence 3")]
#[case::row_of_a_table("array-api", "of magnitudes", "of numbers   ", "parameters/ord, sentence 5")]
#[case::power("array-api", "of \\*\\*2 each", "of \\*\\*3 each", "parameters/ord, sentence 6")]
#[case::result("array-api", "that of ``x``", "not that of ``x``", "returns/out, sentence 3")]
#[case::note("array-api", "two were added", "two were removed", "notes, sentence 1")]
#[case::scope("standard", "Sums of `nan`'s", "Sums of `inf`'s", "purpose-and-scope/in-scope, sentence 2")]
#[case::out_of_scope("standard", "a wrong call", "any call", "purpose-and-scope/out-of-scope, sentence 3")]
#[case::convention("standard", "of some types", "of all types", "index/API-specification, sentence 4")]
#[case::rank("standard", "of rank 0 or more", "of rank 1 or more", "array-object/array-object, sentence 2")]
#[case::note_of_four_spaces(
    "standard",
    "has one number",
    "has no number",
    "array-object/array-object, sentence 3"
)]
#[case::bits("standard", "of 64 bits.\n", "of 63 bits.\n", "data-types/float64, sentence 1")]
#[case::tiny_numbers("standard", "may be lost", "may not be lost", "data-types/complex128, sentence 2")]
#[case::category(
    "standard",
    "``float64`` and ``complex128``",
    "``float16`` and ``complex128``",
    "data-types/floating-point-data-types, sentence 1"
)]
#[case::cell_of_a_grid(
    "standard",
    "| **f4** | f4 | f8 |",
    "| **f4** | f8 | f8 |",
    "type-promotion/floating-point-type-promotion-table, sentence 2"
)]
#[case::rounding(
    "standard",
    "the nearest number",
    "a near number",
    "accuracy/arithmetic-operations, sentence 1"
)]
#[case::robustness("standard", "should be robust", "must be robust", "accuracy/linear-algebra, sentence 1")]
#[case::kind_of_a_member("webnn", "unsigned long", "long", "reduction-operations/idl, sentence 2")]
#[case::default_of_a_member("webnn", "= false", "= true", "reduction-operations/idl, sentence 3")]
#[case::term("webnn", "[=MLOperand/rank=]", "[=MLOperand/size=]", "reduction-operations/axes, sentence 2")]
#[case::stress("webnn", "*all*", "*none*", "reduction-operations/axes, sentence 3")]
#[case::cell(
    "webnn",
    "[=/any rank|N=]",
    "[=/any rank|N + 1=]",
    "reduction-operations/tensor-limits, sentence 3"
)]
#[case::step("webnn", "is too long", "is not too long", "reduction-operations/create, sentence 2")]
#[case::product("webnn", "[0] * 2", "[0] + 2", "reduction-operations/create, sentence 3")]
#[case::issue("webnn", "Should others be?", "Should none be?", "mloperanddescriptor-dictionary, sentence 2")]
#[case::call("bnns", "axes: [0]", "axes: [1]", "discussion, sentence 5")]
#[case::prose_behind_code("bnns", "The result has one", "The result has no", "discussion, sentence 6")]
#[case::routine("blas", "adds the magnitudes", "adds the numbers", "purpose, sentence 1")]
#[case::no_elements("blas", "where K is 0", "where K is 1", "purpose, sentence 2")]
#[case::type_of_an_argument("blas", "STEP is INTEGER\n", "STEP is INTEGER*8\n", "arguments/step, sentence 1")]
#[case::what_an_argument_is("blas", "stands behind", "stands before", "arguments/step, sentence 1")]
#[case::condition_in_code("blas", "STEP.LE.0", "STEP.LT.0", "code, sentence 5")]
#[case::magnitude_in_code("blas", "+ ABS(DV(I))", "+ DV(I)", "code, sentence 7")]
#[case::remark_in_code("blas", "nothing behind", "something behind", "code, sentence 4")]
fn a_change_of_meaning_is_named_at_its_clause(
    #[case] page: &str,
    #[case] from: &str,
    #[case] to: &str,
    #[case] at: &str,
) {
    let (spec, ending, text) = of(page);
    let watched = Watched::new(spec, ending, text);
    let run = watched.drift(ending, &edited(text, from, to)).exits_with(1);
    assert_eq!(changes(&run), [format!("reworded {at}")], "{}", run.out);
    run.prints(&format!("clause {}: determined; no case\n", watched.clause_of(at)));
}

/// Adds, removes or moves sentences. Their order within a section does not count.
#[rstest]
#[case::added(
    "openvino", "axes stay. ", "axes stay. It is ignored for i8. ", &["new attributes/description, sentence 2"], &["silence"],
)]
#[case::added_at_the_end("onnx", "of nothing is 0.", "of nothing is 0. NaN gives NaN.", &["new summary, sentence 3"], &["silence"])]
#[case::dropped_in_japanese(
    "openvino-ja", "残る軸の要素は 1 個です。", "", &["gone attributes/description, sentence 2"], &["attributes/description, sentence 2"],
)]
#[case::added_in_japanese("openvino-ja", "合計です。切片", "合計です。ない場合は 0 です。切片", &["new detailed-description, sentence 2"], &["silence"])]
#[case::dropped("openvino", "They may be one number. ", "", &["gone inputs/2, sentence 2"], &["inputs/2, sentence 2", "silence"])]
#[case::convention_added(
    "standard", "types only.\n", "types only.\n-   Libraries may take others.\n",
    &["new index/API-specification, sentence 5"], &["silence"],
)]
#[case::moved_to_another_page(
    "standard", "These types must be there.\n", "\n", &["gone data-types/data-types, sentence 1"], &["data-types/data-types, sentence 1"],
)]
#[case::attribute_added(
    "onnx", "Inputs#", "  • exact - INT (default is '0'):\n\n    Adds exactly.\n\nInputs#",
    &["new attributes/exact, sentence 1", "new attributes/exact, sentence 2"], &["silence"],
)]
#[case::section_dropped(
    "openvino", "* *T_IND*: i32 or i64.\n", "", &["gone types/T_IND, sentence 1"], &["types/T_IND, sentence 1"],
)]
#[case::moved_to_another_section(
    "onnx", "The sum of nothing is 0.\n", "\n", &["gone summary, sentence 2"], &["summary, sentence 2"],
)]
#[case::split(
    "openvino", "and every axis that is not in ``axes``; axes that are, are dropped.", "and every axis that is not in ``axes``. Axes that are, are dropped.",
    &["reworded outputs/1, sentence 2", "new outputs/1, sentence 3"], &["outputs/1, sentence 2", "silence"],
)]
fn a_sentence_that_comes_goes_or_moves_is_named(
    #[case] page: &str,
    #[case] from: &str,
    #[case] to: &str,
    #[case] expected: &[&str],
    #[case] touched: &[&str],
) {
    let (spec, ending, text) = of(page);
    let watched = Watched::new(spec, ending, text);
    let run = watched.drift(ending, &edited(text, from, to)).exits_with(1);
    assert_eq!(changes(&run), expected, "{}", run.out);
    for at in touched {
        let says = match *at {
            "silence" => "may end a silence that these rest on: silence\n".to_owned(),
            at => format!("clause {}: ", watched.clause_of(at)),
        };
        assert!(run.out.contains(&says), "{says} in {}", run.out);
    }
}

/// Changes only markup, spaces or typography.
#[rstest]
#[case::bold_word("openvino", "*Sums*", "**Sums**")]
#[case::no_emphasis("openvino", "type *T*. **Required.**", "type T. Required.")]
#[case::code_word("openvino", "along ``axes``.\n\n**D", "along axes.\n\n**D")]
#[case::line_breaks("openvino", "places in the result, and c goes", "places\nin the\nresult, and c goes")]
#[case::spaces("openvino", "They may be one number.", "They  may be   one number.")]
#[case::spaces_in_a_range("openvino", "[-r, r-1]", "[ -r, r-1 ]")]
#[case::spaces_in_a_heading("openvino", "Particular cases:", "Particular   cases:")]
#[case::japanese_emphasis("openvino-ja", "<strong>必須。</strong>", "必須。")]
#[case::japanese_code("openvino-ja", "c は <code>axes</code>", "c は axes")]
#[case::japanese_line_breaks("openvino-ja", "位置であり、c は", "位置であり、\nc は")]
#[case::japanese_spaces("openvino-ja", "要素は 1 個", "要素は1個")]
#[case::japanese_wide_space("openvino-ja", "要素は 1 個", "要素は\u{3000}1 個")]
#[case::japanese_wide_digit("openvino-ja", "要素は 1 個", "要素は １ 個")]
#[case::japanese_wide_colon("openvino-ja", "<strong>入力</strong>:", "<strong>入力</strong>：")]
#[case::japanese_wide_colon_of_a_label(
    "openvino-ja",
    "説明</strong>: <code>true",
    "説明</strong>：<code>true"
)]
#[case::japanese_quotes("openvino-ja", "「タイプ」は", "タイプは")]
#[case::japanese_full_stop("openvino-ja", "または i64。", "または i64")]
#[case::japanese_link_of_a_heading("openvino-ja", ">¶</a>", ">#</a>")]
#[case::code_in_a_label("onnx", "• data (heterogeneous)", "• `data` (heterogeneous)")]
#[case::bullets("openvino", "* *T*: f32", "- *T*: f32")]
#[case::numbering("openvino", "2. With all", "7. With all")]
#[case::indented_code("openvino", "           <dim>7</dim>", "      <dim>7</dim>")]
#[case::dash("openvino", "``data`` - Numbers", "``data`` – Numbers")]
#[case::minus("openvino", "[-r, r-1]", "[−r, r−1]")]
#[case::heading("openvino", "**Detailed Description**", "Detailed description\n--------------------")]
#[case::metadata("openvino", "An example.", "Another example of it.")]
#[case::comment("openvino", ".. meta::", ".. a comment\n\n.. meta::")]
#[case::role("openvino", "c goes along ``axes``", "c goes along :code:`axes`")]
#[case::list_of_types("onnx", "( tensor(double), tensor(float) )", "( tensor(float), tensor(double) )")]
#[case::quotes("onnx", "of 'data'", "of ‘data’")]
#[case::backticks("onnx", "of 'data'", "of `data`")]
#[case::full_stop("onnx", "The tensor.", "The tensor")]
#[case::no_break_space("onnx", "where r is", "where\u{a0}r is")]
#[case::link_of_a_heading("onnx", "Function Body#", "Function Body¶")]
#[case::hyphen("onnx", "a well-known tensor", "a well‑known tensor")]
#[case::soft_hyphen("onnx", "a well-known tensor", "a well-known ten\u{ad}sor")]
#[case::another_function("array-api", "Returns yet another", "Returns the same")]
#[case::a_wider_table("array-api", "| of magnitudes  |", "|  of magnitudes |")]
#[case::role_of_a_link("array-api", ":ref:`numbers`", "``numbers``")]
#[case::raw_string("array-api", "    r\"\"\"", "    \"\"\"")]
#[case::code_word_of_a_docstring("array-api", "that of ``x``", "that of x")]
#[case::target_of_a_link("standard", "<https://a.example/pep>", "<https://b.example/pep>")]
#[case::page_of_the_contents("standard", "   data_types\n>>>", "   data_types\n   more\n>>>")]
#[case::wider_grid("standard", "+--------+----+----+\n|        |", "+--------+----+-----+\n|        |")]
#[case::stress_in_a_note("standard", "of *no* axes", "of no axes")]
#[case::code_in_a_note("standard", "``ndim``", "`ndim`")]
#[case::narrower_note("standard", "    An array of", "   An array of")]
#[case::rationale("standard", "_Rationale: they are of others._", "*Rationale: they are of others.*")]
#[case::level_of_a_heading("standard", "Notes\n~~~~~", "Notes\n^^^^^")]
#[case::part_that_is_not_read("standard", "Nobody reads of these.", "No one does.")]
#[case::type_that_is_not_asked("standard", "It is not read of.", "It is one bit.")]
#[case::comment_in_a_page("standard", "Mind their order.", "Mind the order.")]
#[case::way_to_a_term("webnn", "{{MLReduceOptions/axes}}", "{{MLOptions/axes}}")]
#[case::variable("webnn", "|list| is too long", "list is too long")]
#[case::strength("webnn", "**Returns:**", "Returns:")]
#[case::spaces_in_code("blas", "1,K*STEP,STEP", "1, K*STEP, STEP")]
#[case::indented_code_of_a_routine("blas", "         DASUM = DASUM", "            DASUM = DASUM")]
#[case::address_of_documentation("blas", "lapack/explore-html/", "lapack/explore/")]
#[case::ruler("blas", "*  Definition:\n*  ===========", "*  Definition:\n*  =====================")]
#[case::wrapped_comment(
    "blas",
    "adds the magnitudes of a vector.",
    "adds the magnitudes\n*>    of a vector."
)]
#[case::another_operation("webnn", "Nothing of it is read either.", "It is not read.")]
#[case::operation_before("webnn", "Nothing of it is read.", "It is not read.")]
#[case::attribute_of_a_block("webnn", "<details open algorithm>", "<details algorithm>")]
#[case::element("bnns", "<em>Euclidean</em>", "<i class=\"x\">Euclidean</i>")]
#[case::entity("bnns", "don’t", "don&#8217;t")]
#[case::straight_apostrophe("bnns", "don’t", "don't")]
#[case::table_of_code("bnns", "<span>let</span> x", "let x")]
#[case::script("bnns", "<main>", "<main><script>track()</script>")]
#[case::navigation("bnns", "<nav>Up</nav>", "<nav>Up and down</nav>")]
#[case::footer("bnns", "All rights", "No rights")]
fn markup_and_typography_are_no_change(#[case] page: &str, #[case] from: &str, #[case] to: &str) {
    let (spec, ending, text) = of(page);
    let watched = Watched::new(spec, ending, text);
    let run = watched.drift(ending, &edited(text, from, to));
    run.exits_with(0).prints("0 changed, 1 unchanged\n");
}
