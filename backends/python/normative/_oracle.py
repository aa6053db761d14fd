"""The program as an oracle: one process a session, started with the first request, that answers a line of JSON each.

The process is started again if it died. Requests of several threads wait for each other. A forked process starts an
oracle of its own.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import threading
from typing import Any, Optional

from ._program import find_program


class OracleError(RuntimeError):
    """The program refused a request, or ended."""


class _Oracle:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: Optional[subprocess.Popen] = None

    def ask(self, request: dict) -> Any:
        """Returns the content of the reply."""
        line = json.dumps(request, separators=(",", ":")).encode() + b"\n"
        with self._lock:
            said = self._exchange(line) or self._exchange(line)
        if not said:
            raise OracleError("expected a reply of `normative oracle`, got the end of its output, twice")
        ((kind, content),) = json.loads(said).items()
        if kind == "error":
            raise OracleError(content)
        return content

    def _exchange(self, line: bytes) -> bytes:
        """Returns the reply; empty if the process died, which is then gone."""
        if self._process is None or self._process.poll() is not None:
            self.close()
            command = [find_program(), "oracle"]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
            said = self._process.stdout.readline()
        except (BrokenPipeError, OSError):
            said = b""
        except BaseException:
            # An interrupted exchange would leave its reply to the next request.
            self.close()
            raise
        if not said:
            self.close()
        return said

    def close(self) -> None:
        """Ends the process, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            try:
                pipe.close()
            except OSError:
                pass  # What was not written yet has no reader.


_ORACLE = _Oracle()
ask = _ORACLE.ask
atexit.register(_ORACLE.close)


def _after_fork() -> None:
    _ORACLE._lock = threading.Lock()
    _ORACLE._process = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
