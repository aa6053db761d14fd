"""The report of a judgement, as the program's `--format json` has it."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Callable, Optional

from .worker import Call, Unsupported, _call


#: The findings beside defects that `print` shows.
SHOWN = 12


@dataclass(frozen=True)
class Defect:
    """Failures with one likely cause, and the smallest call that shows it."""

    name: str
    #: The number of failures.
    failures: int
    #: The clause that the smallest call breaks, and what it says.
    clause: str
    call: Call
    expected: str
    got: str
    #: A line of Python that repeats it, if the judged function can be called so.
    line: Optional[str]
    #: All that is known: pairs of a label and a text.
    lines: tuple

    def __str__(self) -> str:
        shown = [("clause", self.clause), ("expected", self.expected), ("got", self.got)]
        shown += [("repeat", self.line)] if self.line else []
        shown += [(label, text) for label, text in self.lines if label not in ("clause", "expected", "got")]
        return "\n".join([self.name, *(f"  {label:<9} {text}" for label, text in shown)])


class Report:
    """What a judgement found. `print` shows it as text, a notebook as a table."""

    def __init__(self, run: dict, line: Optional[Callable[[Call], str]] = None) -> None:
        #: True if nothing speaks against the backend.
        self.conforms: bool = run["conforms"]
        #: The verdict and the counts, in a line.
        self.outcome: str = run["outcome"]
        #: The defects, the worst first.
        self.defects: tuple = tuple(_defect(group, line) for group in run["defects"])
        #: What speaks against several answers together, the process or the baseline: `kind`, `name` and `lines` of each.
        self.findings: tuple = tuple(run["findings"])
        #: The clauses that were tested: `clause`, `says`, `status`, `defects` (indices), `known` of each.
        self.clauses: tuple = tuple(run["clauses"])
        #: The readings of open questions: `spec`, `question`, `asks`, `readings` and `how` of each.
        self.readings: tuple = tuple(run["questions"])
        #: Hazards, which are allowed and not the norm, and questions that were read in several ways.
        self.hazards: tuple = tuple(run["safety"])
        #: Rows of the accuracy that was reached, by type and number of terms.
        self.accuracy: tuple = tuple(
            {"of": table["of"], **dict(zip(table["header"], row))} for table in run["accuracy"] for row in table["rows"]
        )

    def __bool__(self) -> bool:
        return self.conforms

    def __repr__(self) -> str:
        return f"<Report {self.outcome}>"

    def __str__(self) -> str:
        text = [f"DEFECT {at} of {len(self.defects)}: {defect}\n" for at, defect in enumerate(self.defects, 1)]
        text += [f"{finding_text(finding)}\n" for finding in self.findings[:SHOWN]]
        text += [f"and {len(self.findings) - SHOWN} more findings\n"] if len(self.findings) > SHOWN else []
        text += self.hazards
        read: dict = {}
        for taken in self.readings:
            read.setdefault((taken["question"], " and ".join(taken["readings"])), {})[taken["spec"]] = None
        text += [f"reads {question} as {reading}: {', '.join(specs)}" for (question, reading), specs in read.items()]
        text += [_accuracy(row) for row in self._worst().values()]
        return "\n".join([*text, self.outcome])

    def _worst(self) -> dict:
        """Returns the row of the greatest error of each type."""
        worst: dict = {}
        for row in self.accuracy:
            if row["worst ulp"] != "-" and _error(row) > _error(worst.get(row["type"])):
                worst[row["type"]] = row
        return worst

    def _repr_html_(self) -> str:
        rows = [
            f"<tr><td>{html.escape(defect.name)}</td><td>{defect.failures}</td><td>{html.escape(defect.clause)}</td>"
            f"<td><code>{html.escape(defect.line or '')}</code></td><td>{html.escape(defect.expected)}</td>"
            f"<td>{html.escape(defect.got)}</td></tr>"
            for defect in self.defects
        ]
        head = "<tr><th>defect</th><th>failures</th><th>clause</th><th>repeat</th><th>expected</th><th>got</th></tr>"
        table = f"<table>{head}{''.join(rows)}</table>" if rows else ""
        findings = "".join(f"<li>{html.escape(finding['kind'])} {html.escape(finding['name'])}</li>" for finding in self.findings)
        return f"<p>{html.escape(self.outcome)}</p>{table}" + (f"<ul>{findings}</ul>" if findings else "")


def finding_text(finding: dict) -> str:
    """Returns a finding with its lines."""
    return "\n".join([f"{finding['kind']} {finding['name']}", *(f"  {label:<9} {text}" for label, text in finding["lines"])])


def _error(row: Optional[dict]) -> float:
    return float(row["worst ulp"]) if row else -1.0


def _accuracy(row: dict) -> str:
    return f"accuracy of {row['type']}: {row['class']}, worst {row['worst ulp']} ulp, of {row['terms']} terms ({row['of']})"


def _defect(group: dict, line: Optional[Callable[[Call], str]]) -> Defect:
    _, call = _call(bytes.fromhex(group["call"]))
    lines = tuple((label, text) for label, text in group["lines"])
    clause = next(text for label, text in lines if label == "clause")
    return Defect(
        group["name"], group["failures"], clause, call, group["expected"], group["got"], _repeated(call, line), lines
    )


def _repeated(call: Call, line: Optional[Callable[[Call], str]]) -> Optional[str]:
    try:
        return line(call) if line else None
    except Unsupported:
        return None
