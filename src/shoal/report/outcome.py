"""What came of a run, whatever was released: which files, whether the verifier passed them, how many records they hold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import zip_longest

from shoal.io.publishing.names import TABLES
from shoal.report.masking import Count


@dataclass(frozen=True)
class ReleasedFile:
    """A file of the release: its name, what it is, and its SHA-256. Only tables of trees lie in a folder, `….tables`."""

    name: str
    what: str  # "data", "codebook", …
    sha256: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[0-9a-f]{64}", self.sha256):
            raise ValueError("`sha256` of a released file must be 64 hexadecimal digits in lower case.")
        folder, _, file = self.name.rpartition("/")
        if "/" in folder or "\\" in self.name or not file or (folder and not folder.endswith(f".{TABLES}")):
            raise ValueError("`name` of a released file must be a file name without folders, but for that of tables.")


@dataclass(frozen=True)
class Identity:
    """What exactly was released, by which programs, on which day (UTC, YYYY-MM-DD)."""

    files: tuple[ReleasedFile, ...]  # the data first
    recipe_sha256: str
    versions: tuple[tuple[str, str], ...]  # ("shoal", "0.1.0"), ("Python", "3.11.7"), …
    day: str

    def __post_init__(self) -> None:
        if not self.files:
            raise ValueError("`files` of the identity must name at least the released data.")
        if not re.fullmatch(r"[0-9a-f]{64}", self.recipe_sha256):
            raise ValueError("`recipe_sha256` of the identity must be 64 hexadecimal digits in lower case.")
        date.fromisoformat(self.day)


@dataclass(frozen=True)
class CheckFacts:
    """One question the verifier asked of the published file. `compared`: the detail was found by a look at the original."""

    name: str
    passed: bool
    detail: str
    compared: bool = False


@dataclass(frozen=True)
class VerdictFacts:
    """The verifier's answer: it passed only when every check passed."""

    passed: bool
    checks: tuple[CheckFacts, ...]
    warnings: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()  # of the warnings, in their order; empty where nobody has to recognise one

    def warnings_but(self, code: str | None) -> tuple[str, ...]:
        """Without those of this code."""
        coded = zip_longest(self.warnings, self.codes[: len(self.warnings)], fillvalue="")
        return tuple(sentence for sentence, own in coded if not own or own != code)

    def __post_init__(self) -> None:
        if self.passed and not all(check.passed for check in self.checks):
            raise ValueError("A verdict with a failed check cannot have passed.")
        if self.passed and not self.checks:
            raise ValueError("A verdict without a check cannot have passed.")


@dataclass(frozen=True)
class Records:
    """Records read = records published + records suppressed (hidden).

    None: not told. In the public edition `fewer_than` stands for the number suppressed: a multiple of k that it lies below.
    """

    read: int | None
    published: int
    suppressed: int | None
    limit: str  # share of the records that may be suppressed, as written in the recipe: "0.01"
    limit_records: int | None
    suppressed_cells: int = 0  # single cells hidden in published records
    fewer_than: int | None = None
    empty_rows: int = 0  # rows without any published value, which are no records; rounded down to a multiple of k
    no_quasi_value: Count = 0  # published records in which every quasi-identifying column is missing

    def __post_init__(self) -> None:
        counts = (
            self.read,
            self.published,
            self.suppressed,
            self.limit_records,
            self.suppressed_cells,
            self.fewer_than,
            self.empty_rows,
        )
        if any(count is not None and count < 0 for count in counts):
            raise ValueError("Counts of the records must not be negative.")
        if (self.read is None) != (self.suppressed is None):
            raise ValueError("Records read and records suppressed are told together, or neither of them is.")
        if self.suppressed is not None and self.read != self.published + self.suppressed:
            raise ValueError("Records read must equal records published plus records suppressed.")
        if self.suppressed is not None and self.fewer_than is not None:
            raise ValueError("A bound stands only for a number of suppressed records that is not told.")
        if not 0 <= Fraction(self.limit) <= 1:
            raise ValueError(f"`limit` of the records must be a fraction between 0 and 1; got {self.limit}.")
