"""What comes back from a run: a release that was verified."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from shoal.io.location import name_of
from shoal.report.mixed_facts import MixedFacts
from shoal.report.set_facts import SetFacts
from shoal.report.tree_facts import TreeFacts
from shoal.report.words import at_most

if TYPE_CHECKING:
    from shoal.io.location import Location
    from shoal.methods.method import Decision
    from shoal.release.described import Described
    from shoal.report.facts import ColumnFacts, Floor, Tried
    from shoal.verify.verdict import Verdict


@dataclass(frozen=True, eq=False)
class Release:
    """A release that was verified. `data` is set when it was made in memory, `files` when it was published."""

    verdict: Verdict
    described: Described
    decision: Decision
    records_in: int
    records_out: int
    suppressed: int
    seconds: float
    data: Any = None
    files: tuple[Location, ...] = ()  # a URI is a str
    of_the_input: tuple[str, ...] = ()  # warnings that tell counts of the original, and so are in no published file

    @property
    def warnings(self) -> tuple[str, ...]:
        return (*self.of_the_input, *self.verdict.warnings)

    @property
    def loss(self) -> float:
        return float(self.decision.loss)

    @property
    def levels(self) -> dict[str, int | None]:
        """Column → the level at which every published record shows it; None when records differ (see `level_shares`)."""
        return {column.name: column.level for column in self._quasi}

    @property
    def level_shares(self) -> dict[str, dict[str, float]]:
        """Column → level → share of the published records. `1-2`: ranges and sets that lie between these levels."""
        return {
            column.name: {share.place: share.records / self.records_out for share in column.mix}
            or {str(column.level): 1.0}
            for column in self._quasi
        }

    @property
    def floor(self) -> Floor | None:
        """What no release of these records can lose less than, and how far this one is above it; None when not known."""
        facts = self.described.facts
        return None if isinstance(facts, SetFacts | TreeFacts) else facts.floor

    @property
    def sets(self) -> dict[str, Any] | None:
        """Of a release with item sets: what was done to the items, as in the report; None for a table."""
        facts = self.described.facts
        if isinstance(facts, MixedFacts):
            whole = facts.to_json()
            return {"columns": whole["sets"], "attackers": whole["attackers"]}
        if not isinstance(facts, SetFacts):
            return None
        whole = facts.to_json()
        return {key: whole[key] for key in ("column", "labels", "matching", "attackers")}

    @property
    def trees(self) -> dict[str, Any] | None:
        """Of a release of trees: what was done to the classes of nodes, as in the report; None for all others."""
        facts = self.described.facts
        if not isinstance(facts, TreeFacts):
            return None
        whole = facts.to_json()
        return {key: whole[key] for key in ("classes", "apart", "relations_kept", "attackers")}

    @property
    def _quasi(self) -> tuple[ColumnFacts, ...]:
        facts = self.described.facts
        return () if isinstance(facts, SetFacts | TreeFacts) else facts.quasi

    @property
    def _tried(self) -> tuple[Tried, ...]:
        facts = self.described.facts
        return () if isinstance(facts, SetFacts) else facts.tried

    def to_json(self) -> dict[str, Any]:
        return {
            "verdict": "pass" if self.verdict.passed else "fail",
            "loss": self.loss,
            "loss_name": self.described.loss_name,
            "records_in": self.records_in,
            "records_out": self.records_out,
            "suppressed": self.suppressed,
            "seconds": round(self.seconds, 3),
            "levels": self.levels,
            "level_shares": self.level_shares,
            "classes": self.verdict.classes,
            "smallest_class": self.verdict.smallest_class,
            "evaluated": self.decision.evaluated,
            "lattice": self.decision.lattice,
            "optimal": self.decision.optimal,
            "bound": self.decision.bound if self.decision.lattice else None,
            "floor": None if self.floor is None else asdict(self.floor),
            "tried": [asdict(attempt) for attempt in self._tried],
            "sets": self.sets,
            "trees": self.trees,
            "losses": dict(self.described.losses),
            "files": [name_of(file) for file in self.files],
            "why": list(self.described.why),
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        close = ""
        if self.floor is not None:
            close = f", at most {at_most(self.floor.at_most_above)} above the best possible"
        facts = self.described.facts
        if isinstance(facts, SetFacts):
            return (
                f"Release({self.records_out:,} of {self.records_in:,} records, {facts.column.items:,} items shown as "
                f"{facts.column.published:,}, {', '.join(promise.technical for promise in facts.promises)}, "
                f"{self.described.loss_name} loss {self.loss:.4f}, verified)"
            )
        if isinstance(facts, TreeFacts):
            return (
                f"Release({self.records_out:,} of {self.records_in:,} records, trees of {len(facts.classes)} classes, "
                f"{len(facts.apart):,} pairs of labels kept apart, {', '.join(p.technical for p in facts.promises)}, "
                f"{self.described.loss_name} loss {self.loss:.4f}, verified)"
            )
        promised = ""
        if isinstance(facts, MixedFacts):
            promised = f" {', '.join(promise.technical for promise in facts.promises)},"
        return (
            f"Release({self.records_out:,} of {self.records_in:,} records,{promised} smallest class {self.verdict.smallest_class}, "
            f"{self.described.loss_name} loss {self.loss:.4f}{close}, verified)"
        )

    def _repr_html_(self) -> str:
        from shoal.release.notebook import release_html

        return release_html(self)
