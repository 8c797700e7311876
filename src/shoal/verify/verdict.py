"""The verifier's answer."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Witness:
    """One class of the published file that breaks a promise, and the rows it stands in."""

    guarantee: str  # technical name, e.g. "5-anonymity"
    reason: str  # a sentence: "3 records share this combination; 5 are promised."
    values: tuple[tuple[str, str | None], ...]  # published values of the class, by column
    size: int
    rows: tuple[int, ...]  # positions in the published file, counted from 1 (a header does not count); the first few
    drawn: tuple[str, ...] = ()  # of trees: what is known of a record as a small text tree, line by line


@dataclass(frozen=True)
class Check:
    """One question the verifier asked."""

    name: str  # "5-anonymity", "nothing lost or invented", …
    passed: bool
    detail: str  # a sentence with figures


@dataclass(frozen=True)
class Verdict:
    """`passed` is True only when every check passed."""

    passed: bool
    checks: tuple[Check, ...]
    witnesses: tuple[Witness, ...] = ()
    warnings: tuple[str, ...] = ()
    records: int = 0
    classes: int = 0
    smallest_class: int = 0
    facts: dict[str, Any] = field(default_factory=dict)  # further measured figures, e.g. {"suppressed": 12}

    def to_json(self) -> dict[str, Any]:
        return {"verdict": "pass" if self.passed else "fail", **asdict(self)}
