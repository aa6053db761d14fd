"""A wheel, named by NORMATIVE_WHEEL, in a fresh environment without Rust: the README's lines judge a function."""

import os
import pathlib
import re
import subprocess
import sys
import time
import venv

import pytest

WHEEL = os.environ.get("NORMATIVE_WHEEL")
ROOT = pathlib.Path(__file__).parents[3]

pytestmark = pytest.mark.skipif(not WHEEL, reason="left out: NORMATIVE_WHEEL names no wheel")


def ran(*command, cwd, path=()):
    """Runs a command where neither Rust nor this checkout is found."""
    system = [folder for folder in os.environ["PATH"].split(os.pathsep) if not (pathlib.Path(folder) / "cargo").exists()]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NORMATIVE_", "PYTHON"))}
    environment = {**kept, "PATH": os.pathsep.join([*map(str, path), *system])}
    done = subprocess.run([*map(str, command)], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    return folder, folder / ("Scripts" if sys.platform == "win32" else "bin")


def test_the_lines_of_the_readme_judge_numpy_within_a_minute(environment):
    folder, scripts = environment
    start = time.monotonic()
    ran(scripts / "pip", "install", "--quiet", WHEEL, "numpy", "pytest", cwd=folder)
    (code,) = re.findall(r"```python\n(import numpy.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)[:1]
    (folder / "readme.py").write_text(code)
    said = ran(scripts / "python", "readme.py", cwd=folder)
    took = time.monotonic() - start
    assert "conforms" in said and "Exact(" in said, said
    assert took < 60, took


def test_the_command_the_module_and_the_plugin_are_there(environment):
    folder, scripts = environment
    version = ran(scripts / "normative", "-V", cwd=folder)
    assert version == ran(scripts / "python", "-m", "normative", "-V", cwd=folder)
    assert "--normative-update" in ran(scripts / "python", "-m", "pytest", "--help", cwd=folder)
    listed = ran(scripts / "pip", "show", "--files", "normative-suite", cwd=folder)
    assert "normative/worker.py" in listed and "numpy_backend.py" not in listed


@pytest.mark.parametrize("to", ["--prefix", "--target"])
def test_the_module_finds_the_program_wherever_pip_put_both(environment, tmp_path, to):
    folder, scripts = environment
    ran(scripts / "pip", "install", "--quiet", "--no-deps", "--ignore-installed", to, tmp_path, WHEEL, cwd=folder)
    (module,) = tmp_path.rglob("normative/worker.py")
    # Of the environment that runs the tests, which has no program; nor has it Python's site, which would add packages.
    script = f"import sys; sys.path.insert(0, {str(module.parents[1])!r}); import normative; print(normative.find_program())"
    found = pathlib.Path(ran(sys.executable, "-S", "-c", script, cwd=tmp_path).strip())
    assert found.is_relative_to(tmp_path) and found.stem == "normative"
