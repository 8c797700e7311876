"""What comes back from a run: a release that was verified."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from shoal.io.location import name_of
from shoal.report.kinds import KINDS
from shoal.report.notebook import release_html
from shoal.report.words import floor_words

if TYPE_CHECKING:
    from typing_extensions import TypeVar as DefaultTypeVar

    from shoal.io.location import Location
    from shoal.methods.method import Decision
    from shoal.release.recipe.recipe import Recipe
    from shoal.release.sidecars import Described
    from shoal.report.columns import ColumnFacts
    from shoal.report.facts import Floor
    from shoal.report.worth import Notice
    from shoal.verifier.verdict import Verdict

    Frame = DefaultTypeVar("Frame", default=Any)  # only type checkers need the default
else:
    Frame = TypeVar("Frame")


@dataclass(frozen=True, eq=False)
class Release(Generic[Frame]):
    """A release that was verified. `data` is set when it was made in memory, `files` when it was published.

    Of a frame of some type `anonymize` makes a `Release` of the same type: `release.data` of a Polars frame is one.

    Examples
    --------
    >>> import polars, shoal
    >>> people = polars.DataFrame({"age": [31, 32, 38, 39], "ward": ["A", "B", "A", "B"]})
    >>> release = shoal.anonymize(people, quasi={"age": shoal.intervals(10, start=0, stop=120)}, plain="ward", k=2)
    >>> release.records_out, release.verdict.passed
    (4, True)
    """

    verdict: Verdict
    described: Described
    decision: Decision
    records_in: int
    records_out: int
    suppressed: int
    seconds: float
    data: Frame = None  # type: ignore[assignment]  # of `run`, whose frame is None
    files: tuple[Location, ...] = ()  # a URI is a str
    of_the_input: tuple[str, ...] = ()  # warnings that tell counts of the original, and so are in no published file
    empty_rows: int = 0  # rows of the original without any published value: no records, and left out
    recipe: Recipe | None = None  # by which it was made

    @property
    def warnings(self) -> tuple[str, ...]:
        """Of what is left first, then of the input, then the verifier's."""
        return (*(notice.sentence for notice in self.notices), *self.of_the_input, *self.verdict.warnings)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """That nearly everything is lost or most columns show nothing, with what to drop; none where enough is left."""
        facts = self.described.facts
        return KINDS[facts.kind].notices(facts)

    @property
    def loss(self) -> float:
        """By the loss that was to be small."""
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
        return self.described.facts.floor

    @property
    def sets(self) -> dict[str, Any] | None:
        """Of a release with item sets: what was done to the items, as in the report; None where there are none."""
        return self._figures.get("sets")

    @property
    def trees(self) -> dict[str, Any] | None:
        """Of a release of trees: what was done to the classes of nodes, as in the report; None for all others."""
        return self._figures.get("trees")

    @property
    def _figures(self) -> dict[str, Any]:
        facts = self.described.facts
        return KINDS[facts.kind].figures(facts)

    @property
    def _quasi(self) -> tuple[ColumnFacts, ...]:
        return self.described.facts.quasi

    def to_json(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "verdict": "pass" if self.verdict.passed else "fail",
            "loss": self.loss,
            "loss_name": self.described.loss_name,
            "records_in": self.records_in,
            "records_out": self.records_out,
            "suppressed": self.suppressed,
            "empty_rows": self.empty_rows,
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
            "tried": [asdict(attempt) for attempt in self.described.facts.tried],
            "sets": self.sets,
            "trees": self.trees,
            "losses": dict(self.described.losses),
            "files": [name_of(file) for file in self.files],
            "why": list(self.described.why),
            "warnings": list(self.warnings),
            "notices": [asdict(notice) for notice in self.notices],
        }

    def __repr__(self) -> str:
        facts = self.described.facts
        brief = KINDS[facts.kind].brief(facts, self.verdict.smallest_class)
        close = f", {self._close}" if self._close else ""
        return (
            f"Release({self.records_out:,} of {self.records_in:,} records, {brief}, "
            f"{self.described.loss_name} loss {self.loss:.4f}{close}, verified)"
        )

    def _repr_html_(self) -> str:
        facts = self.described.facts
        rows = {
            "records published": f"{self.records_out:,} of {self.records_in:,}",
            "suppressed": f"{self.suppressed:,}",
            "smallest class": f"{self.verdict.smallest_class:,}",
            f"loss ({self.described.loss_name})": f"{self.loss:.4f}",
        }
        if self._close:
            rows["how good"] = self._close
        checks = ((check.name, check.detail) for check in self.verdict.checks)
        return release_html(checks, rows | KINDS[facts.kind].rows(facts))

    @property
    def _close(self) -> str:
        return "" if self.floor is None else floor_words(self.floor.at_most_above)
