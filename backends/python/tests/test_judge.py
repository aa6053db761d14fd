"""Judged functions: what is planted is found, and the line of Python that repeats it does."""

import pathlib
import sys

import numpy as np
import planted
import pytest

import normative

#: Few generated calls: the cases alone find what is planted.
FEW = {"property": 50}

#: A planted bug, and words of the cause that its first defect names.
BUGS = [
    (planted.axes_out_of_order, "axes out of order"),
    (planted.negative_axes_from_the_front, "a negative axis"),
    (planted.sums_in_half_precision, "wrong values"),
    (planted.signs_kept_in_l1, "L1"),
    (planted.scalars_of_rank_one, "wrong dims of the output"),
]


def test_what_is_right_conforms_and_the_report_says_how():
    report = normative.judge(planted.good, **FEW)
    assert report and report.conforms and not report.defects and not report.findings
    assert "float-range" in str(report) and "accuracy of f32" in str(report)
    assert report.outcome.startswith("conforms with ") and "conforms with " in report._repr_html_()
    assert {row["type"] for row in report.accuracy} == {"f32", "f64"}


@pytest.mark.parametrize("function, cause", BUGS, ids=[function.__name__ for function, _ in BUGS])
def test_a_planted_bug_is_found_and_its_line_repeats_it(function, cause):
    report = normative.judge(function, **FEW)
    assert not report.conforms
    first = report.defects[0]
    assert cause in "\n".join(str(first).splitlines()[:10])
    assert first.line in report._repr_html_().replace("&quot;", '"').replace("&#x27;", "'")
    with np.errstate(all="ignore"):
        right = eval(first.line, {"np": np, function.__name__: planted.good})
        try:
            wrong = eval(first.line, {"np": np, function.__name__: function})
        except ValueError:
            return
    assert (right.shape, right.dtype) != (wrong.shape, wrong.dtype) or not np.array_equal(right, wrong, equal_nan=True)


def test_data_that_are_overwritten_are_a_failure():
    report = normative.judge(planted.overwrites_its_data, **FEW)
    assert "of its input is another after the call" in report.defects[0].got


def test_data_that_are_overwritten_in_another_layout_are_a_failure_and_the_line_says_which():
    report = normative.judge(planted.overwrites_what_has_gaps, **FEW)
    (first,) = report.defects
    assert first.name.startswith("data overwritten") and first.expected == "the data as they were"
    assert "2" in str(first.call.data.shape) and "# with data " in first.line, first.line


def test_a_function_of_pytorch_is_asked_in_other_layouts():
    torch = pytest.importorskip("torch")

    def reads_memory_in_its_order(x, *, dim=None, keepdim=False, ord=2):
        return torch.linalg.vector_norm(x.as_strided(x.shape, torch.empty(x.shape).stride()), dim=dim, keepdim=keepdim, ord=ord)

    adapted = normative.array_api(reads_memory_in_its_order, library="torch")
    report = normative.judge(adapted, values_alone=True, property=200)
    assert any(defect.call.layout != "row-major" and "# with data " in defect.line for defect in report.defects), str(report)


def test_a_list_that_is_overwritten_is_a_failure():
    def sorts(x, *, axis=None, keepdims=False, ord=2):
        result = np.linalg.vector_norm(np.array(x, "f8"), axis=axis, keepdims=keepdims, ord=ord).tolist()
        if isinstance(x, list) and x and isinstance(x[0], float):
            x.sort()
        return result

    report = normative.judge(normative.array_api(sorts, library="list"), **FEW)
    assert any(defect.name.startswith("data overwritten") for defect in report.defects)


@pytest.mark.parametrize(
    "function, says",
    [
        (planted.raises_always, "KeyError: 'of everything'"),
        (planted.exits, "SystemExit: 3"),
        (planted.raises_no_exception, "Deep: down"),
        (planted.returns_nothing, "TypeError: expected an array of numbers, got NoneType"),
        pytest.param(
            planted.is_awaited,
            "TypeError: expected an array of numbers, got coroutine",
            marks=pytest.mark.filterwarnings("ignore:coroutine"),
        ),
    ],
)
def test_what_never_answers_fails_with_its_reason_in_the_first_lines(function, says, capfd):
    report = normative.judge(function, property=0)
    (first,) = report.defects
    assert says in "\n".join(str(first).splitlines()[:6])
    assert "not asked" not in str(first)
    assert " 0 conform" not in report.outcome and " conform of 815" not in report.outcome
    assert capfd.readouterr().err == ""


def test_a_function_without_a_name_is_judged():
    report = normative.judge(planted.has_no_name_for_a_line(), **FEW)
    assert report.conforms and "function" in report.outcome


@pytest.mark.parametrize("what", [42, None, planted])
def test_what_is_no_function_is_refused_at_once(what):
    with pytest.raises(TypeError, match="expected a function, or the text of a backend"):
        normative.judge(what)


@pytest.mark.parametrize(
    "options, says",
    [
        ({"timeout": 1.5}, "expected timeout as a whole number, got 1.5"),
        ({"timeout": 0}, "expected timeout as a whole number, got 0"),
        ({"property": -1}, "expected property as a whole number, got -1"),
        ({"update": True}, "expected a baseline to update, got none"),
    ],
)
def test_options_without_sense_are_refused_at_once(options, says):
    with pytest.raises(ValueError, match=says):
        normative.judge(planted.good, **options)


def test_a_baseline_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(Exception, match="expected a baseline at .*known.yaml, got no file"):
        normative.judge(planted.good, baseline=tmp_path / "known.yaml", **FEW)


def test_an_exception_is_a_crash_of_one_call():
    report = normative.judge(planted.raises, **FEW)
    assert [defect.got for defect in report.defects] == ["a crash: KeyError: 'rank 5'"]


def test_a_child_aborts_and_this_process_goes_on():
    report = normative.judge(planted.aborts, isolate=True, **FEW)
    assert len(report.defects) == 1 and "SIGABRT" in report.defects[0].got


def test_a_child_and_this_process_find_the_same():
    reports = [normative.judge(planted.signs_kept_in_l1, isolate=isolate, **FEW) for isolate in (False, True)]
    assert len({str(report) for report in reports}) == 1


def test_a_backend_is_judged_by_the_spec_that_is_named():
    root = pathlib.Path(__file__).parents[1]
    report = normative.judge(f"cmd:{sys.executable} {root}/numpy_backend.py", spec="bnns", property=0, name="by-numpy")
    assert {clause["clause"].partition("#")[0] for clause in report.clauses} == {"bnns/computeNorm"}
    assert all(defect.line is None for defect in report.defects)


def test_a_function_without_a_module_is_not_isolated():
    with pytest.raises(ValueError, match="expected a function of a module"):
        normative.judge(lambda x: x, isolate=True)


def test_values_alone_asks_for_no_refusal():
    def lenient(x, *, axis=None, keepdims=False, ord=2):
        return planted.good(x, axis=axis if axis != 7 else None, keepdims=keepdims, ord=ord)

    assert normative.judge(lenient, values_alone=True, **FEW).conforms


def test_a_function_of_lists_is_judged_in_f64():
    def of_lists(x, *, axis=None, keepdims=False, ord=2):
        assert isinstance(x, (list, float))
        return planted.good(np.array(x, "f8"), axis=axis, keepdims=keepdims, ord=ord).tolist()

    report = normative.judge(normative.array_api(of_lists, library="list"), **FEW)
    assert {row["type"] for row in report.accuracy} == {"f64"}
    # The dims of nothing are lost in lists.
    assert all("0" in str(defect.call.data.shape) for defect in report.defects)


def test_functions_of_onnx_are_judged_by_one_opset():
    def reduce_l2(data, axes=None, keepdims=1, noop_with_empty_axes=0):
        axis = None if axes is None else tuple(axes.tolist()) if axes.ndim else int(axes)
        if axis == () and not noop_with_empty_axes:
            axis = None
        return np.sqrt(np.sum(np.square(data), axis=axis, keepdims=bool(keepdims), dtype=data.dtype)).astype(data.dtype)

    report = normative.judge(normative.onnx(reduce_l2), spec="onnx/ReduceL2-18", property=0)
    assert report.clauses and {clause["clause"].partition("#")[0] for clause in report.clauses} == {"onnx/ReduceL2-18"}
    assert any(clause["status"] == "conforms" for clause in report.clauses)


def test_another_family_of_a_function_is_refused_with_the_way_out():
    with pytest.raises(ValueError, match="normative.worker"):
        normative.judge(planted.good, spec="blas")


def test_what_the_program_refuses_is_an_error_in_its_words():
    with pytest.raises(Exception, match="vector_norm-l3"):
        normative.judge(planted.good, spec="array-api/vector_norm-l3")


def test_a_baseline_is_written_and_then_holds(tmp_path):
    known = tmp_path / "known.yaml"
    normative.judge(planted.raises, baseline=known, update=True, **FEW)
    assert "KeyError" in known.read_text() or known.read_text().strip()
    assert normative.judge(planted.raises, baseline=known, **FEW).defects == ()
