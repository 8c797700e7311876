"""What `shoal init` knows of a column before anyone has said anything about it, and what it proposes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shoal.data.schema import Role
from shoal.hierarchies import decimals
from shoal.release.suggest import patterns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.data.schema import CellKind

PHRASES = {
    Role.IDENTIFYING: "removed",
    Role.QUASI: "could be recognised by others",
    Role.SENSITIVE: "private fact, protected",
    Role.PLAIN: "left as it is",
}
SAMPLED = 200  # values in sample_values
COMMON = 500  # values in most_common


@dataclass(frozen=True)
class ColumnSummary:
    """One pass over a column. Values that only stand for a missing one (`?`, `NA`) still count as values here."""

    name: str
    type_name: str  # the Arrow type, for example "string", "int64", "date32[day]"
    records: int
    distinct: int  # different values; missing is none
    missing: int  # records without a value
    numeric: bool  # every value is a number, apart from those that stand for a missing one
    integer: bool  # … a whole number
    low: float | None  # of the numbers
    high: float | None
    sample_values: tuple[str, ...]  # of some records, spread over all of them; repeats are wanted
    most_common: tuple[tuple[str, int], ...]  # with their counts, the most frequent first
    kind: CellKind = "scalar"  # of a set, values are items
    # In CSV, when cells may be sets: the mark between items, and the items with the records that hold each.
    mark: str | None = None
    items: ColumnSummary | None = None
    codes: tuple[str, ...] = ()  # values that seem to stand for a missing one in this column; they count as missing

    @classmethod
    def of_counts(
        cls, name: str, type_name: str, counts: Mapping[str, int], missing: int = 0, codes: Sequence[str] = ()
    ) -> ColumnSummary:
        """From the values of a column as text, each with the number of records that have it."""
        missing += sum(counts[code] for code in codes)
        counts = {value: records for value, records in counts.items() if value not in codes}
        numbers = {v: decimals.parse(v) for v in counts if not patterns.stands_for_missing(v)}
        known = [number for number in numbers.values() if number is not None]
        numeric = bool(numbers) and len(known) == len(numbers)
        ordered = sorted(counts, key=lambda v: (numbers.get(v) or 0, v)) if numeric else sorted(counts)
        records = sum(counts.values())
        common = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        return cls(
            name,
            type_name,
            records + missing,
            len(counts),
            missing,
            numeric,
            numeric and all(number.denominator == 1 for number in known),
            decimals.as_float(min(known)) if numeric else None,
            decimals.as_float(max(known)) if numeric else None,
            _every_nth(ordered, counts, records),
            tuple(common[:COMMON]),
            codes=tuple(codes),
        )


def _every_nth(ordered: list[str], counts: Mapping[str, int], records: int) -> tuple[str, ...]:
    """The values of evenly spaced records, once the records are sorted by value."""
    sample: list[str] = []
    passed = 0
    wanted = min(SAMPLED, records)
    for value in ordered:
        passed += counts[value]
        while len(sample) < wanted and (2 * len(sample) + 1) * records < 2 * wanted * passed:
            sample.append(value)
    return tuple(sample)


@dataclass(frozen=True)
class Advice:
    """What a person should know before confirming a column."""

    text: str
    doubt: bool = False  # the role itself is unclear: `--accept` leaves the column to a person


@dataclass(frozen=True)
class Suggestion:
    """A proposal for one column, with the reason in words for the person who has to confirm it."""

    name: str
    role: Role
    hierarchy: dict[str, Any] | None  # as in a recipe; None: the value, or nothing
    what: str  # the column is, in words
    missing: tuple[str, ...] = field(default=())  # values that only stand for a missing one
    codes: tuple[str, ...] = ()  # … in this column
    kind: CellKind = "scalar"
    path: str = ""  # in nested records
    parent: str | None = None  # of a class of nodes
    mark: str | None = None  # between the items of a set, in CSV
    written: tuple[str, ...] = ()  # how numbers or dates are written; several: a person has to say which it is
    blur: str = ""  # what the hierarchy does, in words
    advice: tuple[Advice, ...] = ()
    values: str = ""  # what they are, in words
    distinct: int | None = None  # different values; of sets, items
    empty: int | None = None  # records without a value, or with one that stands for none

    @property
    def unclear(self) -> bool:
        """Only a person can say what the column is."""
        return any(one.doubt for one in self.advice)

    @property
    def reason(self) -> str:
        """All there is to say of the column, in one line."""
        phrases = (f"{self.what}: {PHRASES[self.role]}", self.blur, *(one.text for one in self.advice))
        return "; ".join(phrase for phrase in phrases if phrase)
