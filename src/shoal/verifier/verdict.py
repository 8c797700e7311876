"""The verifier's answer."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from html import escape
from typing import Any


@dataclass(frozen=True)
class Witness:
    """One class of the published file that breaks a promise, and the rows it stands in.

    Examples
    --------
    >>> import shoal
    >>> verdict = shoal.verify("demo/patients.csv", quasi=["age", "sex"], k=100)
    >>> verdict.witnesses[0].guarantee
    '100-anonymity'
    """

    guarantee: str  # technical name, e.g. "5-anonymity"
    reason: str  # a sentence: "3 records share this combination; 5 are promised."
    values: tuple[tuple[str, str | None], ...]  # published values of the class, by column
    size: int
    rows: tuple[int, ...]  # positions in the published file, counted from 1 (a header does not count); the first few
    drawn: tuple[str, ...] = ()  # of trees: what is known of a record as a small text tree, line by line


@dataclass(frozen=True)
class Check:
    """One question the verifier asked. `compared`: its answer was found by a look at the original, and stays private.

    Examples
    --------
    >>> import shoal
    >>> shoal.verify("demo/patients.csv", quasi=["age", "sex"], k=100).checks[0].name
    'columns'
    """

    name: str  # "5-anonymity", "nothing lost or invented", …
    passed: bool
    detail: str  # a sentence with figures
    compared: bool = False


KEPT_APART = "kept-apart"  # labels were: the place of what was moved may tell who is hidden

ADDED = "added"  # a promise was checked by another package
SEEDED = "seeded"  # records were dealt out by a number that anyone may guess: the release is for tests


class Caution(str):
    """A warning that somebody has to recognise: a sentence with a code, which stays when its words change."""

    code: str

    def __new__(cls, code: str, sentence: str) -> Caution:
        caution = super().__new__(cls, sentence)
        caution.code = code
        return caution

    def __reduce__(self) -> tuple[type[Caution], tuple[str, str]]:  # for copies
        return Caution, (self.code, str(self))


@dataclass(frozen=True)
class Verdict:
    """`passed` is True only when every check passed.

    Examples
    --------
    >>> import shoal
    >>> import polars
    >>> shoal.verify(polars.DataFrame({"sex": ["f", "f", "m", "m"]}), quasi="sex", k=2)
    Verdict(passed; 2 checks, 4 records, smallest class 2)
    """

    passed: bool
    checks: tuple[Check, ...]
    witnesses: tuple[Witness, ...] = ()
    warnings: tuple[str, ...] = ()
    records: int = 0
    classes: int = 0
    smallest_class: int = 0
    facts: dict[str, Any] = field(default_factory=dict)  # further measured figures, e.g. {"suppressed": 12}
    kind: str = ""  # of the data: "tables", "sets", "mixed" or "trees"
    promise: tuple[tuple[Any, ...], ...] = ()  # what was checked, as the verifier read it in the recipe

    @property
    def codes(self) -> tuple[str, ...]:
        """Of the warnings, in their order; empty where nobody has to recognise one."""
        return tuple(warning.code if isinstance(warning, Caution) else "" for warning in self.warnings)

    def to_json(self) -> dict[str, Any]:
        """For a machine; what the recipe says itself is left out."""
        values = {name: value for name, value in asdict(self).items() if name not in ("kind", "promise")}
        return {"verdict": "pass" if self.passed else "fail", **values}

    def __repr__(self) -> str:
        """Short, and without a value: what was checked may be an original."""
        failed = ", ".join(check.name for check in self.checks if not check.passed)
        answer = "passed" if self.passed else f"failed: {failed}"
        return f"Verdict({answer}; {len(self.checks)} checks, {self.records:,} records, smallest class {self.smallest_class:,})"

    def _repr_html_(self) -> str:
        heading = f"{'Meets' if self.passed else 'Does not meet'} the stated guarantee"
        rows = "".join(
            f"<tr><td>{'✓' if check.passed else '✗'}</td><th style='text-align:left'>{escape(check.name)}</th>"
            f"<td style='text-align:left'>{escape(check.detail)}</td></tr>"
            for check in self.checks
        )
        noticed = "".join(f"<li>{escape(warning)}</li>" for warning in self.warnings)
        return f"<p><b>{heading}</b></p><table>{rows}</table>{f'<ul>{noticed}</ul>' if noticed else ''}"
