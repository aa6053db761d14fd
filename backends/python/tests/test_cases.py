"""The pytest plugin, in sessions of their own."""

import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent

SUITE = """
import sys

sys.path.insert(0, {here!r})
import normative
import planted


@normative.cases("array-api", baseline={baseline!r}, property=50)
def test_mynorm():
    return planted.{function}
"""


def session(folder, function, *options, baseline=None):
    if baseline is None and ("--normative-update" in options or (folder / "known.yaml").exists()):
        baseline = "known.yaml"
    (folder / "test_norms.py").write_text(SUITE.format(here=str(HERE), function=function, baseline=baseline))
    plugin = ["-p", "normative.pytest_plugin"] if not _is_installed() else []
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", *plugin, *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def _is_installed():
    import importlib.metadata

    found = importlib.metadata.entry_points()
    found = found.select(group="pytest11") if hasattr(found, "select") else found.get("pytest11", ())
    return any(one.value == "normative.pytest_plugin" for one in found)


def test_each_clause_is_an_item_and_all_pass_for_what_is_right(tmp_path):
    code, text = session(tmp_path, "good")
    assert code == 0, text
    assert "test_norms.py::test_mynorm::vector_norm-l2-2022.12#norm" in text
    assert " failed" not in text and "passed" in text


def test_a_bug_fails_one_clause_with_its_cause_in_the_first_lines(tmp_path):
    code, text = session(tmp_path, "signs_kept_in_l1")
    assert code == 1, text
    head = text.partition("FAILURES")[2].splitlines()[:12]
    assert any("expected" in line for line in head) and any("repeat" in line and "ord=1" in line for line in head), text


def test_known_failures_are_expected_and_new_ones_are_not(tmp_path):
    code, text = session(tmp_path, "raises", "--normative-update")
    assert code == 0 and "xfailed" in text, text
    code, text = session(tmp_path, "raises")
    assert code == 0 and "known failures" in text, text
    code, text = session(tmp_path, "signs_kept_in_l1")
    assert code == 1, text


@pytest.mark.parametrize(
    "baseline, options, says",
    [
        ("known.yaml", (), "expected a baseline at "),
        ("missing/known.yaml", ("--normative-update",), "missing/known.yaml"),
        ("broken.yaml", (), "broken.yaml"),
    ],
)
def test_a_judgement_that_cannot_be_made_is_told_in_a_line_an_item(tmp_path, baseline, options, says):
    (tmp_path / "broken.yaml").write_text("known: [")
    code, text = session(tmp_path, "raises", *options, baseline=baseline)
    failures = text.partition("FAILURES")[2]
    assert code == 1 and says in failures, text
    assert "there is no judgement" in failures and "runtest" not in failures and "Traceback" not in failures, text
    assert failures.count("there is no judgement") >= 40 and len(failures.splitlines()) < 4 * 60, text


SKIPPING = """
import pytest


@pytest.mark.skip(reason="by a mark")
@normative.cases("array-api", property=50)
def test_marked():
    raise RuntimeError


@normative.cases("array-api", property=50)
def test_inside():
    pytest.skip("by itself")


@normative.cases
def test_that_raises():
    return planted.not_there


@normative.cases()
def test_with_a_fixture(tmp_path):
    return planted.good


@normative.cases("aray-api")
def test_misspelt():
    return planted.good
"""


def test_marks_skips_and_mistakes_of_the_function_are_those_of_its_items(tmp_path):
    head = SUITE.partition("@normative")[0].format(here=str(HERE))
    (tmp_path / "test_norms.py").write_text(head + SKIPPING)
    plugin = ["-p", "normative.pytest_plugin"] if not _is_installed() else []
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "--continue-on-collection-errors", *plugin]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    text = done.stdout + done.stderr
    assert "86 skipped" in text and "43 failed" in text and "2 errors" in text, text
    assert "by a mark" in text and "by itself" in text
    assert "test_with_a_fixture: expected a function of a module without arguments, got (tmp_path)" in text
    assert "test_misspelt: " in text and "_oracle.py" not in text
    raised = "test_that_raises raised AttributeError: module 'planted' has no attribute 'not_there'"
    assert text.count(f"there is no judgement: {raised}") >= 42 and "return planted.not_there" in text
    assert "_cases.py" not in text.partition("FAILURES")[2].partition("short test summary")[0]


def test_words_pick_clauses(tmp_path):
    code, text = session(tmp_path, "good", "-k", "keepdims")
    assert code == 0 and "deselected" in text and "#keepdims" in text, text


def test_workers_of_xdist_share_one_judgement(tmp_path):
    pytest.importorskip("xdist")
    code, text = session(tmp_path, "signs_kept_in_l1", "-n", "2")
    one, alone = session(tmp_path, "signs_kept_in_l1")
    assert (code, one) == (1, 1), text
    counts = [line.rpartition(" in ")[0].strip("= ") for line in (text.splitlines()[-1], alone.splitlines()[-1])]
    assert counts[0] == counts[1]


def test_the_plugin_imports_nothing_before_it_is_used():
    script = "import sys; before = set(sys.modules); import normative.pytest_plugin; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert eval(done.stdout) == ["__future__", "normative", "normative.pytest_plugin"]
