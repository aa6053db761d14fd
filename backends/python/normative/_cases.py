"""`cases`: a pytest item for each clause of a specification, over one judgement of the decorated function's result.

The plugin imports this module when a decorated function is collected. All items of a function share a judgement, which
the first that runs makes; under pytest-xdist, the first of all workers, and the others wait for its report.
"""

from __future__ import annotations

import inspect
import json
import os
import time
import traceback
from typing import Any, Callable, Iterator, Optional, Union

import pytest

from ._adapted import adapted
from ._judge import JudgeError, judge_run
from ._report import Defect, Report, finding_text

#: Of one clause, the defects that a failure prints in full.
SHOWN = 3


class Cases:
    """What a decorated function is judged by."""

    def __init__(self, spec: str, baseline: Union[str, os.PathLike, None], options: dict) -> None:
        self.spec, self.baseline, self.options = spec, baseline, options


def cases(spec: str = "array-api", baseline: Union[str, os.PathLike, None] = None, **options: Any) -> Callable:
    """Decorates a test function that returns what is to be judged, as `normative.judge` takes it.

    `baseline` is a file of known failures, beside the test file: a clause that only these break is an expected failure.
    `pytest --normative-update` writes it. The other options are those of `normative.judge`. Marks of the function are those of
    every item, and `pytest.skip` in it skips all of them. It takes no fixtures: what it needs, it makes.
    """
    if callable(spec):
        return cases()(spec)
    if not isinstance(spec, str):
        raise TypeError(f"expected the name of a spec, got {spec!r}")

    def decorate(function: Callable) -> Callable:
        function.__normative__ = Cases(spec, baseline, options)
        return function

    return decorate


class Clauses(pytest.Collector):
    """The items of one decorated function."""

    def __init__(self, *, function: Callable, **more: Any) -> None:
        super().__init__(**more)
        self.function, self.cases = function, function.__normative__
        self.own_markers.extend(getattr(function, "pytestmark", ()))
        self._report: Optional[Report] = None
        #: The reason why there is no report: every item fails by it, or is skipped.
        self._ended: Optional[BaseException] = None

    def collect(self) -> Iterator[pytest.Item]:
        from ._oracle import OracleError, ask

        signature = inspect.signature(self.function)
        if signature.parameters:
            raise self.CollectError(f"{self.name}: expected a function of a module without arguments, got {signature}")
        family, _, version = self.cases.spec.partition("/")
        try:
            clauses = ask({"clauses": family})
        except OracleError as error:
            raise self.CollectError(f"{self.name}: {error}") from None
        for stated in clauses:
            spec, _, name = stated["clause"].partition("#")
            if stated["level"] != "informative" and (not version or spec == self.cases.spec):
                yield Clause.from_parent(self, name=f"{spec.partition('/')[2]}#{name}", clause=stated["clause"])
        yield Together.from_parent(self, name="together")

    def report(self) -> Report:
        """Returns the report of the judgement, which is made once, as is its error: every item is told that one."""
        if self._ended is not None:
            raise self._ended
        if self._report is None:
            try:
                self._report = self._judged()
            except pytest.skip.Exception as skipped:
                self._ended = pytest.skip.Exception(skipped.msg)
                raise self._ended from None
            except (JudgeError, OSError, TypeError, ValueError) as error:
                self._ended = _Breaks(f"there is no judgement: {error}")
                raise self._ended from None
        return self._report

    def _judged(self) -> Report:
        try:
            function = self.function()
        except Exception as error:
            self._ended = _Breaks(f"there is no judgement: {self.name} raised {type(error).__name__}: {error}")
            # Of the traceback, what is of the user.
            shown = traceback.format_exception(type(error), error, error.__traceback__.tb_next)
            raise _Breaks(f"there is no judgement: {self.name} raised an exception\n" + "".join(shown)) from None
        line = None if isinstance(function, str) else adapted(function, self.cases.spec.partition("/")[0]).line
        return Report(_shared(self.config, self.nodeid, lambda: judge_run(function, **self._arguments())), line)

    def _arguments(self) -> dict:
        baseline = self.cases.baseline
        path = None if baseline is None else self.path.parent / baseline
        update = path is not None and self.config.getoption("--normative-update")
        return {"spec": self.cases.spec, "baseline": path, "update": update, **self.cases.options}


class _Item(pytest.Item):
    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        return str(excinfo.value) if excinfo.errisinstance(_Breaks) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple:
        return self.path, self.parent.function.__code__.co_firstlineno - 1, f"{self.parent.name}[{self.name}]"


class _Breaks(AssertionError):
    """The function breaks a clause."""


class Clause(_Item):
    """A clause of a specification."""

    def __init__(self, *, clause: str, **more: Any) -> None:
        super().__init__(**more)
        self.clause = clause

    def runtest(self) -> None:
        report = self.parent.report()
        tested = next((tested for tested in report.clauses if tested["clause"] == self.clause), None)
        if tested is None:
            pytest.skip("no call that was asked tests it")
        if tested["defects"]:
            self._fail(report, [report.defects[at] for at in tested["defects"]])
        if tested["known"]:
            pytest.xfail(f"{tested['known']} known failures")
        if tested["status"] == "unsupported":
            pytest.skip("the function supports no call that tests it")

    def _fail(self, report: Report, defects: list) -> None:
        """Fails for the defects that are this clause's own. Those of others fail their items, and leave this one open."""
        own = [defect for defect in defects if _owner(report, defect) == self.clause]
        if not own:
            others = ", ".join(sorted({_owner(report, defect) for defect in defects}))
            pytest.skip(f"calls that test it fail by a defect of {others}")
        more = [f"and {len(own) - SHOWN} more defects"] if len(own) > SHOWN else []
        raise _Breaks("\n\n".join([*map(str, own[:SHOWN]), *more]))


def _owner(report: Report, defect: Defect) -> str:
    """Returns the clause that the smallest call of a defect breaks, or else the first that its calls test."""
    tested = [clause["clause"] for clause in report.clauses if defect in (report.defects[at] for at in clause["defects"])]
    broken = defect.clause.partition(":")[0]
    return broken if broken in tested else tested[0]


class Together(_Item):
    """What speaks against several answers together, the process or the baseline."""

    def runtest(self) -> None:
        report = self.parent.report()
        if report.findings:
            stale = ["pytest --normative-update writes the baseline anew"] if self.parent.cases.baseline is not None else []
            raise _Breaks("\n\n".join([*map(finding_text, report.findings), *stale]))
        if not report.conforms and not report.defects:
            raise _Breaks(report.outcome)


def _shared(config: Any, nodeid: str, made: Callable[[], dict]) -> dict:
    """Returns what `made` returns in the first worker of a session of pytest-xdist that asks for it."""
    if not hasattr(config, "workerinput"):
        return made()
    # The workers of a session have their folders in one, which pytest removes some sessions later.
    folder = config._tmp_path_factory.getbasetemp().parent
    path = folder / ("normative-" + "".join(c if c.isalnum() else "-" for c in nodeid)[-200:])
    lock, part = path.with_suffix(".lock"), path.with_suffix(".part")
    while not path.exists():
        try:
            lock.touch(exist_ok=False)
        except FileExistsError:
            time.sleep(0.05)
            continue
        try:
            part.write_text(json.dumps(made()), encoding="utf-8")
            part.replace(path)
        finally:
            # After an error another worker tries, and has the same error.
            lock.unlink()
    return json.loads(path.read_text(encoding="utf-8"))
