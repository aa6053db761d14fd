"""`judge`: whether a function, or any backend, does what a specification says.

The program judges; it starts `_relay` as the worker, which hands its connection to this process. So a function is
asked where it lives, with the state it has there, and the program does not know the difference.
"""

from __future__ import annotations

import contextlib
import contextvars
import ctypes
import json
import os
import shlex
import socket
import subprocess
import sys
import tempfile
import threading
from typing import Any, Iterator, Optional, Union

from . import worker
from ._adapted import Adapted, adapted, name_of
from ._program import find_program
from ._report import Report


class JudgeError(RuntimeError):
    """The judgement itself went wrong: the program's words."""


def judge(function: Any, spec: str = "array-api", **options: Any) -> Report:
    """Judges a function by a specification, and returns the report.

    `function` is a function with the arguments of the array API's `vector_norm`, one that `array_api` or `onnx`
    adapted, or a backend as the program takes it, such as `"cmd:python3 my_backend.py"`. `spec` is a family, or a
    version such as `onnx/ReduceL2-18`. Options are:

    property       the number of generated calls; left out, 1,000 for each operator
    values_alone   judge values and shapes, and neither types nor refusals
    isolate        ask the function in a process of its own, which imports it by its name
    timeout        the seconds that an answer may take, 10; a function that never answers is given up after 15 times as long
    name, version  what the report calls the function
    baseline       a file of known failures, which do not count; `update` writes it
    record         a file that keeps every answer, as `normative report` reads it
    options        further options of `normative conformance`, a tuple

    Without `isolate`, a function is asked in this process, in threads beside yours. Exceptions and endless loops of
    Python are verdicts on a call. This process does not survive a crash, nor `os._exit`, nor native code that never
    gives back the interpreter's lock, and native code that never returns stays in its thread: `isolate=True` survives
    all of these. A function that remembers earlier calls may fail because of them, and then the line of a defect alone does
    not repeat it: `isolate=True` asks fresh processes as well, and names calls whose answers differ.
    """
    line = None if isinstance(function, str) else adapted(function, spec.partition("/")[0]).line
    return Report(judge_run(function, spec, **options), line)


def judge_run(
    function: Any,
    spec: str,
    *,
    property: Optional[int] = None,
    values_alone: bool = False,
    isolate: bool = False,
    timeout: Optional[int] = None,
    name: Optional[str] = None,
    version: str = "of this process",
    baseline: Union[str, os.PathLike, None] = None,
    update: bool = False,
    record: Union[str, os.PathLike, None] = None,
    options: tuple = (),
) -> dict:
    """Judges a function, and returns the program's report of it."""
    for what, value in (("property", property), ("timeout", timeout)):
        if value is not None and (not isinstance(value, int) or value < (what == "timeout")):
            raise ValueError(f"expected {what} as a whole number, got {value!r}")
    if update and baseline is None:
        raise ValueError("expected a baseline to update, got none")
    with tempfile.TemporaryDirectory(prefix="normative-") as folder:
        record = os.path.join(folder, "record.ndjson") if record is None else os.fspath(record)
        more = ["--record", record, *_options(property, timeout, baseline, update), *options]
        # A function claims its family, and need not be asked for it.
        more += ["--spec", spec] if "/" in spec or isinstance(function, str) else []
        if isinstance(function, str):
            named = ["--name", name] if name else []
            return _run(function, [*named, *more])
        asked = adapted(function, spec.partition("/")[0])
        identity = _identity(asked, name or name_of(asked.function), version, values_alone)
        named = ["--name", identity.name, *more]
        if isolate:
            return _run(_isolated(asked, identity), named)
        with _serving(asked, identity, folder) as command:
            return _run(command, ["--jobs", "1", *named])


def _options(property: Optional[int], timeout: Optional[int], baseline: Any, update: bool) -> Iterator[str]:
    if property is not None:
        yield from ("--property", str(property))
    if timeout is not None:
        yield from ("--timeout", str(timeout))
    if baseline is not None:
        if not update and not os.path.exists(baseline):
            raise JudgeError(f"expected a baseline at {os.fspath(baseline)}, got no file: update=True writes one, and so does pytest --normative-update")
        yield from ("--baseline", os.fspath(baseline))
        if update:
            yield "--baseline-update"


def _run(backend: str, options: list) -> dict:
    """Runs the program, and returns the report of its one run."""
    program = find_program()
    command = [program, "--quiet", "conformance", "--backend", backend, "--format", "json", *options]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    if not done.stdout.startswith("{"):
        said = (done.stderr or done.stdout).strip() or f"expected a report, got an end with {done.returncode}"
        raise JudgeError(f"{program}: {said}")
    (run,) = json.loads(done.stdout)["runs"]
    return run


def _identity(asked: Adapted, name: str, version: str, values_alone: bool) -> worker.Identity:
    claims = {"values_of": (asked.family,)} if values_alone else {"families": (asked.family,)}
    return worker.Identity(name, version, "its author", layouts=asked.layouts, **claims)


@contextlib.contextmanager
def _serving(asked: Adapted, identity: worker.Identity, folder: str) -> Iterator[str]:
    """Answers every conversation that the judge starts, and gives the command that starts one."""
    if not hasattr(socket, "send_fds"):
        raise NotImplementedError("this system hands no connection to another process: isolate=True does without")
    path = os.path.join(folder, "socket")
    context = contextvars.copy_context()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        listening = threading.Thread(target=_listen, args=(server, asked, identity, context), daemon=True)
        listening.start()
        relay = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_relay.py")
        try:
            yield "cmd:" + shlex.join([sys.executable, "-I", "-S", relay, path])
        finally:
            server.shutdown(socket.SHUT_RDWR)
            listening.join()


def _listen(server: socket.socket, asked: Adapted, identity: worker.Identity, context: contextvars.Context) -> None:
    talking: Optional[threading.Thread] = None
    while True:
        try:
            relay, _ = server.accept()
        except OSError:
            relay = None  # The judgement is over.
        if talking is not None:
            _stop(talking)
        if relay is None:
            return
        # A thread of its own: one that is in an endless loop must not keep the judge from starting again.
        talking = threading.Thread(target=context.copy().run, args=(_converse, relay, asked, identity), daemon=True)
        talking.start()


def _stop(thread: threading.Thread) -> None:
    """Ends a thread whose conversation the judge has ended: a loop would take time from those after it."""
    thread.join(0.2)
    if thread.is_alive():
        # Raised where the thread runs Python; native code goes on.
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))


def _converse(relay: socket.socket, asked: Adapted, identity: worker.Identity) -> None:
    with relay:
        try:
            _, (line, *_), _, _ = socket.recv_fds(relay, 1, 1)
        except (ValueError, OSError):
            return  # The relay died first.
        try:
            worker._converse(worker._Line(line, line), identity, asked.answer, worker.Call, told=_nothing)
        except (worker._Broken, OSError, SystemExit, KeyboardInterrupt):
            pass  # The judge ended the relay, because the answer took too long, or the function would end this process.
        finally:
            os.close(line)


def _nothing() -> None:
    """Prints no traceback: the report has the exception."""


def _isolated(asked: Adapted, identity: worker.Identity) -> str:
    """Returns the command of a worker that imports the functions by name."""
    given = {
        "functions": [_importable(function) for function in (asked.function, asked.other) if function is not None],
        "adapted": {"family": asked.family, "library": asked.library, "names": asked.names, "opset": asked.opset},
        "identity": {"name": identity.name, "version": identity.version, "report_bugs_to": identity.report_bugs_to},
        "claims": {"families": identity.families, "values_of": identity.values_of},
        "path": sys.path,
    }
    return "cmd:" + shlex.join([sys.executable, "-m", "normative.isolated", json.dumps(given)])


def _importable(function: Any) -> str:
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "<unknown>")
    if not module or module == "__main__" or "<" in name:
        raise ValueError(f"expected a function of a module, which a child can import, got {function!r}")
    return f"{module}:{name}"
