"""The risk of trees as they are: who is found by some of their values and how these belong together. No value is named."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from shoal.report.risk import Grid, Line, RiskAssessment, held, other_attackers, plural, share, without_grid
from shoal.report.words import percent

if TYPE_CHECKING:
    from shoal.attacks.risk import Risk
    from shoal.attacks.without import Without


@dataclass(frozen=True)
class KnownTree:
    """Of somebody who knows so many values of a person, the most telling ones, and of so many of their pairs which is above."""

    values: int
    relations: int
    records_at_risk: int  # people of whom something of this kind fits fewer than k records, among those looked at
    looked_at: int
    share_at_risk: float


@dataclass(frozen=True)
class NodeCounts:
    """Values of all classes."""

    different: int
    held_by_one: int
    held_by_few: int  # fewer than k records
    per_record: float  # nodes


@dataclass(frozen=True)
class TreeAssessment(RiskAssessment):
    """`risk`: of somebody who knows the whole tree of a person. `known`: of those who know some of it; not of too many records.

    Examples
    --------
    >>> import shoal
    >>> roles = {"columns": {"ward": {"role": "quasi", "kind": "node", "path": "stays[].ward"}}}
    >>> promise = {"guarantee": [shoal.KMNAnonymity(k=2, m=1, n=0)]}
    >>> import pyarrow
    >>> people = pyarrow.table({"stays": [[{"ward": "A"}], [{"ward": "A"}, {"ward": "B"}]]})
    >>> shoal.risk(people, {**roles, **promise}).risk.records
    2
    """

    columns: tuple[str, ...]  # the classes
    k: int
    risk: Risk
    known: tuple[KnownTree, ...]
    nodes: NodeCounts
    empty_rows: int = 0  # without any published value: no records
    without: tuple[Without, ...] = ()  # each class left out with all below it, the one that buys most first

    def grids(self) -> tuple[Grid, ...]:
        """By how much is known, and what leaving a class out would buy."""
        rows = tuple(
            (
                plural(one.values, "value")
                + (f", and how {one.relations} of their pairs belong together" if one.relations else ""),
                f"{one.records_at_risk:,}",
                percent(one.share_at_risk),
            )
            for one in self.known
        )
        heads = ("somebody knows", f"people whom fewer than {self.k} fit", "share")
        known = (Grid("What a few values tell", heads, rows),) if rows else ()
        return (*without_grid(self.without, self.risk.average, self.risk.sample_uniques, "class"), *known)

    def to_json(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "columns": list(self.columns),
            **self.risk.to_json(),
            "empty_rows": self.empty_rows,
            "known": [asdict(one) for one in self.known],
            "nodes": asdict(self.nodes),
            "without": [asdict(one) for one in self.without],
        }

    def __repr__(self) -> str:
        return (
            f"TreeAssessment({self.risk.records:,} records, {self.nodes.different:,} values in {len(self.columns)} classes; "
            f"{self.risk.sample_uniques:,} records unique by their whole tree)"
        )

    def lines(self) -> tuple[Line, ...]:
        """As the command prints it."""
        risk, nodes = self.risk, self.nodes
        unique = f"{risk.sample_uniques:,} of {risk.records:,} records ({share(risk.sample_uniques, risk.records)})"
        return (
            Line(f"{unique} are unique by their whole tree of {', '.join(self.columns)}.", bold=True),
            Line(
                f"{nodes.different:,} different values, {nodes.per_record:.1f} nodes to a record; {nodes.held_by_one:,} of the "
                f"values are held by one record only, {nodes.held_by_few:,} by fewer than {self.k}."
            ),
            Line("Somebody who knows that the person is in the data, and, if these are the right ones,"),
            *(self._line(known) for known in self.known),
            *other_attackers(risk),
        )

    def _line(self, known: KnownTree) -> Line:
        pairs = f", {known.relations} of their pairs" if known.relations else ""
        sampled = "" if known.looked_at == self.risk.records else f" of {known.looked_at:,} looked at"
        return Line(
            f"  {plural(known.values, 'value') + pairs:24}  fewer than {self.k} records fit {known.records_at_risk:,} "
            f"people{sampled} ({known.share_at_risk:.1%})"
        )

    def rows(self) -> dict[str, str]:
        """As a notebook shows it."""
        rows = {
            "records": f"{self.risk.records:,}",
            "unique by their whole tree": f"{self.risk.sample_uniques:,}",
            "values": held(self.nodes.different, self.nodes.held_by_one),
        }
        for known in self.known:
            pairs = f" and {known.relations} of their pairs" if known.relations else ""
            rows[f"at risk, {plural(known.values, 'value')}{pairs} known"] = f"{known.share_at_risk:.1%}"
        return rows
