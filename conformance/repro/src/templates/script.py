"""@TITLE@

Needs: pip install @PACKAGES@
Run:   python repro.py
Exit status: 0 where the result is one that is due, 1 where it is not.
"""

@STANDARD@
from pathlib import Path

@IMPORTS@

HERE = Path(__file__).resolve().parent
CALL = @CALL@
@CODE@

@DUE@

@CHECK@


@MAIN@
