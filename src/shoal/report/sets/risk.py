"""The risk of sets of items as they are: who is found by one, two, three or all of their items. No item is named."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from shoal.report.risk import Grid, Line, RiskAssessment, held, other_attackers, plural, share
from shoal.report.words import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.attacks.risk import Risk

_MOST = 3  # items that are known, as far as they were to be counted


@dataclass(frozen=True)
class KnownItems:
    """What somebody finds who knows up to so many items of a person, the most telling ones; None: all of them."""

    items: int | None
    smallest: int  # records that fit the most recognisable person; the highest chance is 1 in this
    average: float  # mean chance over the records
    unique_records: int  # people whom no other record fits
    records_at_risk: int  # people whom fewer than k records fit
    share_at_risk: float

    @property
    def words(self) -> str:
        """'all items', '1 item', '2 items'."""
        return "all items" if self.items is None else plural(self.items, "item")


@dataclass(frozen=True)
class ItemCounts:
    """How many items there are, and how rare they are."""

    different: int
    held_by_one: int
    held_by_few: int  # fewer than k records
    per_record: float


@dataclass(frozen=True)
class SetAssessment(RiskAssessment):
    """`risk`: of somebody who knows all items of a person. `known`: of those who know some; too many combinations: not there.

    Examples
    --------
    >>> import shoal
    >>> import polars
    >>> baskets = polars.DataFrame({"items": [["a", "b"], ["a", "c"], ["a", "b"]]})
    >>> shoal.risk(baskets, quasi="items").items.different
    3
    """

    column: str
    k: int
    risk: Risk
    known: tuple[KnownItems, ...]
    items: ItemCounts
    empty_rows: int = 0  # without any published value: no records

    def grids(self) -> tuple[Grid, ...]:
        """By how many items are known; and how rare items are."""
        return (*known_grid(self.known, self.k, "items"), items_grid(self.items, self.k))

    @property
    def columns(self) -> tuple[str, ...]:
        """The one column of sets."""
        return (self.column,)

    def to_json(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "columns": [self.column],
            **self.risk.to_json(),
            "empty_rows": self.empty_rows,
            "known": [asdict(one) for one in self.known],
            "items": asdict(self.items),
        }

    def __repr__(self) -> str:
        return (
            f"SetAssessment({self.risk.records:,} records, {self.items.different:,} items; "
            f"{self.risk.sample_uniques:,} records unique by all their items)"
        )

    def lines(self) -> tuple[Line, ...]:
        """As the command prints it."""
        risk = self.risk
        unique = f"{risk.sample_uniques:,} of {risk.records:,} records ({share(risk.sample_uniques, risk.records)})"
        return (
            Line(f"{unique} are unique by all their items in '{self.column}'.", bold=True),
            items_line(self.items, self.k),
            Line("Somebody who knows that the person is in the data, and of their items"),
            *known_lines(self.known, self.k, _MOST),
            *other_attackers(risk),
        )

    def rows(self) -> dict[str, str]:
        """As a notebook shows it."""
        return {
            "records": f"{self.risk.records:,}",
            "items": held(self.items.different, self.items.held_by_one),
            **{f"unique, {known.words} known": f"{known.unique_records:,}" for known in self.known},
        }


def known_grid(known: Sequence[KnownItems], k: int, what: str) -> tuple[Grid, ...]:
    """A row for each attacker. what: they know something of."""
    rows = tuple(
        (
            {None: "all", 0: "none", 1: "one"}.get(one.items, f"up to {one.items}"),
            f"{one.unique_records:,}",
            f"{one.records_at_risk:,}",
            percent(one.share_at_risk),
        )
        for one in known
    )
    heads = (f"somebody knows {what}", "people who are unique", f"people whom fewer than {k} fit", "share")
    return (Grid("What a few items tell", heads, rows),) if rows else ()


def items_grid(items: ItemCounts, k: int) -> Grid:
    """How many items single people out: to be hidden or grouped first."""
    rows = (
        ("different items", f"{items.different:,}"),
        ("held by one person only", f"{items.held_by_one:,}"),
        (f"held by fewer than {k} people", f"{items.held_by_few:,}"),
        ("items of a person, on average", f"{items.per_record:.1f}"),
    )
    note = "Rare items are what to group or to hide first: whoever is known to have one is found at once."
    return Grid("How rare items are", ("items", "number"), rows, note)


def items_line(items: ItemCounts, k: int) -> Line:
    """How many items there are, and how many few records hold."""
    return Line(
        f"{items.different:,} different items, {items.per_record:.1f} to a record; {items.held_by_one:,} of them are held by one "
        f"record only, {items.held_by_few:,} by fewer than {k}."
    )


def known_lines(known: Sequence[KnownItems], k: int, most: int) -> tuple[Line, ...]:
    """A line for each attacker. most: items that were to be counted."""
    lines = []
    for one in known:
        what = {None: "all", 0: "none", 1: "one"}.get(one.items, f"up to {one.items}")
        lines.append(
            Line(
                f"  {what:8}  highest 1 in {one.smallest:,}; average {one.average:.4f}; {one.unique_records:,} unique; "
                f"fewer than {k} records fit {one.records_at_risk:,} people ({one.share_at_risk:.1%})"
            )
        )
    counted = [one.items for one in known if one.items is not None]
    if counted and max(counted) < most:
        lines.append(Line(f"  Combinations of more than {max(counted)} were too many to count."))
    return tuple(lines)
