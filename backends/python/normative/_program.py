"""Finds the program `normative`, which a wheel installs beside the package.

It is looked for where uv looks for itself: among the scripts of this environment, those of the interpreter that it was
made from, beside a package of `pip install --prefix` or `--target`, and among the user's scripts. A path in the
environment variable NORMATIVE_PROGRAM comes before all.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from typing import Optional


def find_program() -> str:
    """Returns the path of the program.

    Raises `FileNotFoundError`, with all places that were looked at, if it is not installed.
    """
    named = os.environ.get("NORMATIVE_PROGRAM")
    name = "normative" + (sysconfig.get_config_var("EXE") or "")
    package = os.path.dirname(os.path.abspath(__file__))
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", vars={"base": sys.base_prefix}),
        _scripts_of_prefix(package),
        os.path.join(os.path.dirname(package), "bin"),
        sysconfig.get_path("scripts", scheme=_user_scheme()),
    ]
    places = [named] if named else [os.path.join(folder, name) for folder in folders if folder]
    for place in places:
        if os.path.isfile(place):
            return place
    raise FileNotFoundError(
        "expected the program normative in one of these places, got none: " + ", ".join(places) + "; "
        "`pip install .` of a checkout builds it, and NORMATIVE_PROGRAM names one that lies elsewhere"
    )


def _scripts_of_prefix(package: str) -> Optional[str]:
    """Returns the scripts of the prefix that holds the package: `PREFIX/lib/python3.x/site-packages/normative`."""
    folders = package.split(os.sep)
    above, scripts = (3, "Scripts") if sys.platform == "win32" else (4, "bin")
    if len(folders) <= above or folders[-2] != "site-packages":
        return None
    return os.path.join(os.sep.join(folders[:-above]), scripts)


def _user_scheme() -> str:
    if sys.version_info >= (3, 10):
        return sysconfig.get_preferred_scheme("user")
    return "nt_user" if os.name == "nt" else "posix_user"
