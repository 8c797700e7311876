"""The codebook of any release: what each published value stands for, for machines.

It says no more about the data than the release does. A value is listed only when the release holds it. The raw values below
it are listed only when a file or the recipe states them; a hierarchy that was drawn from the data (a mask, dates, or no
hierarchy at all) would give away values that nobody published, and even their number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from shoal.report.columns import RoleName  # not only for typing: the JSON Schema is made from these classes
from shoal.report.meaning import CodebookValue

FORMAT: Literal["shoal-codebook"] = "shoal-codebook"
VERSION: Literal[1] = 1
SUPPRESSED_POLICY = "Suppressed records are left out; the release has no row for them."


@dataclass(frozen=True)
class CodebookColumn:
    """A published column. Without a list of values each value stands for itself.

    `level` is null when records differ in how far the column is blurred: one raw value may then be published in several ways.
    """

    name: str
    role: RoleName
    means: str  # the role in words
    type: str
    level: int | None = 0
    levels: int = 0  # the highest level of its hierarchy; 0 when it has none
    values: tuple[CodebookValue, ...] = ()
    title: str = ""  # what a file of SPSS, Stata or SAS says the column is
    codes: dict[str, str] = field(default_factory=dict)  # code → label there, of values that the release holds
    missing_codes: tuple[str, ...] = ()  # codes that the file declares missing; they are published as missing


@dataclass(frozen=True)
class CodebookTrees:
    """Of a release of trees. `rules`: what values became, where these are stated, and which labels are kept apart, or are
    left out below others."""

    parents: dict[str, str | None]  # class → the class below which its nodes hung in the original; null: the record
    absence: str
    rules: dict[str, Any]


@dataclass(frozen=True)
class CodebookText:
    """How a release in CSV is written. `written`: by column, the form of its values; labels are as they are listed."""

    encoding: str
    delimiter: str
    quote: str
    written: dict[str, str]


@dataclass(frozen=True)
class Codebook:
    """What the values of a release of shoal mean."""

    format: Literal["shoal-codebook"]
    version: Literal[1]
    missing: str
    suppressed: str
    columns: tuple[CodebookColumn, ...]
    trees: CodebookTrees | None = None
    text: CodebookText | None = None
    notice: str = ""  # why the release must not be published, where it was made for tests


def without_defaults(value: Any) -> Any:
    """A codebook of thousands of values should not say `members: []` thousands of times."""
    if isinstance(value, dict):
        keep_always = {"value", "values", "level", "levels"} if "levels" in value else {"value"}
        return {
            key: without_defaults(item)
            for key, item in value.items()
            if key in keep_always or not (item is None or item is False or item in ((), "", {}))
        }
    return [without_defaults(item) for item in value] if isinstance(value, (list, tuple)) else value
