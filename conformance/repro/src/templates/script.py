"""@TITLE@

Needs: pip install @NEEDS@
Run:   python repro.py
Exit status: 0 where the result is one that is due, 1 where it is not.
"""

@STANDARD@
import struct
@if child@import subprocess
import sys
import traceback
from pathlib import Path

@IMPORTS@

HERE = Path(__file__).resolve().parent
CALL = @CALL@
@CODE@

# What is due: one of these. Of each element, the bits from the first number to the second are accepted, both
# included; where there are four numbers, also from the third to the fourth, and so on.
@OPEN@
DUE = [
@DUE@
]

@CHECK@


@if child@
def alone():
    """The exit status of the call in a process of its own."""
    try:
        return subprocess.run([sys.executable, __file__, "--here"], timeout=60).returncode
    except subprocess.TimeoutExpired:
        return "none, for it ran for more than a minute"


if __name__ == "__main__":
    if sys.argv[1:] == ["--here"]:
        main()
@if !until-wrong@    # When this script was written, the call ended its process, so it is made in one of its own.
@if !until-wrong@    status = alone()
@if until-wrong@    # When this script was written, the answer was not the same each time, so the call is made until it is wrong.
@if until-wrong@    status = next(filter(None, (alone() for _ in range(20))), 0)
    if status not in (0, 1):
        print(f"came   nothing: the process ended with status {status}")
        finish(False)
    sys.exit(status)
@else@
if __name__ == "__main__":
    main()
@end@
