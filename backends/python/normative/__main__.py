"""`python -m normative …`: the program `normative`, with these arguments."""

import os
import subprocess
import sys

from ._program import find_program


def main() -> None:
    """Runs the program in place of this process, where the system can do that."""
    command = [find_program(), *sys.argv[1:]]
    # The commands that it prints are as its user calls it.
    os.environ["NORMATIVE_CALLED"] = f"{os.path.basename(sys.executable)} -m normative"
    if sys.platform == "win32":
        sys.exit(subprocess.run(command).returncode)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
