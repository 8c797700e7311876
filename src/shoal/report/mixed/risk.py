"""The risk of a mixed table as it is: who is found by all single values, and none, one, two or all items besides.

No value and no item is named.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from shoal.report.risk import Grid, Line, RiskAssessment, held, other_attackers, share, without_grid
from shoal.report.sets.risk import ItemCounts, KnownItems, items_line, known_grid, known_lines
from shoal.report.tables.risk import riskiest_grid, riskiest_json, riskiest_lines

if TYPE_CHECKING:
    from shoal.attacks.risk import Risk
    from shoal.attacks.tables.combinations import Riskiest
    from shoal.attacks.without import Without

MOST = 2  # items that are known besides the values


@dataclass(frozen=True)
class MixedAssessment(RiskAssessment):
    """`risk`: of somebody who knows all values and all items of a person. `known`: of those who know all values and up to so many
    items; too many combinations: not there. `riskiest`: combinations of columns of single values. Sensitive items do not count.

    Examples
    --------
    >>> import shoal
    >>> import polars
    >>> both = polars.DataFrame({"sex": ["f", "m", "f"], "items": [["a", "b"], ["a"], ["a", "b"]]})
    >>> shoal.risk(both, quasi=["sex", "items"]).risk.records
    3
    """

    values: tuple[str, ...]
    sets: tuple[str, ...]
    k: int
    risk: Risk
    known: tuple[KnownItems, ...]
    items: ItemCounts
    riskiest: Riskiest
    empty_rows: int = 0  # without any published value: no records
    without: tuple[Without, ...] = ()  # each column of single values left out, by the others alone

    def grids(self) -> tuple[Grid, ...]:
        """By how much is known; and of the single values what leaving one out would buy."""
        return (
            *known_grid(self.known, self.k, "all values, and of their items"),
            *without_grid(self.without, self.known[0].average, self.known[0].unique_records),
            *riskiest_grid(self.riskiest),
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """Of single values, then of sets."""
        return (*self.values, *self.sets)

    def to_json(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "columns": list(self.columns),
            "sets": list(self.sets),
            **self.risk.to_json(),
            "empty_rows": self.empty_rows,
            "known": [asdict(one) for one in self.known],
            "items": asdict(self.items),
            **riskiest_json(self.riskiest),
            "without": [asdict(one) for one in self.without],
        }

    def __repr__(self) -> str:
        return (
            f"MixedAssessment({self.risk.records:,} records, {self.items.different:,} items; {self.known[0].unique_records:,} "
            f"records unique on {', '.join(self.values)}, {self.risk.sample_uniques:,} with all their items)"
        )

    def lines(self) -> tuple[Line, ...]:
        """As the command prints it."""
        risk, alone = self.risk, self.known[0].unique_records
        by_values = f"{alone:,} of {risk.records:,} records ({share(alone, risk.records)})"
        by_all = f"{risk.sample_uniques:,} ({share(risk.sample_uniques, risk.records)})"
        return (
            Line(
                f"{by_values} are unique on {', '.join(self.values)}; {by_all} with all their items in {', '.join(self.sets)}.",
                bold=True,
            ),
            items_line(self.items, self.k),
            Line("Somebody who knows that the person is in the data, all their values, and of their items"),
            *known_lines(self.known, self.k, MOST),
            *other_attackers(risk),
            *riskiest_lines(self.riskiest),
        )

    def rows(self) -> dict[str, str]:
        """As a notebook shows it."""
        known = {
            f"unique, {'values' if one.items == 0 else f'values and {one.words}'} known": f"{one.unique_records:,}"
            for one in self.known
        }
        return {
            "records": f"{self.risk.records:,}",
            "items": held(self.items.different, self.items.held_by_one),
            **known,
        }
