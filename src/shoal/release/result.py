"""What comes back from a run: a release that was verified."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.methods.method import Decision
    from shoal.release.describe import Described
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
    files: tuple[Path, ...] = ()

    @property
    def loss(self) -> float:
        return float(self.decision.loss)

    @property
    def levels(self) -> dict[str, int]:
        return dict(zip(self.decision.recoding.columns, self.decision.recoding.levels, strict=True))

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
            "classes": self.verdict.classes,
            "smallest_class": self.verdict.smallest_class,
            "evaluated": self.decision.evaluated,
            "lattice": self.decision.lattice,
            "optimal": self.decision.optimal,
            "bound": self.decision.bound,
            "losses": dict(self.decision.losses),
            "files": [path.name for path in self.files],
            "why": list(self.described.why),
            "warnings": list(self.verdict.warnings),
        }

    def __repr__(self) -> str:
        return (
            f"Release({self.records_out:,} of {self.records_in:,} records, smallest class {self.verdict.smallest_class}, "
            f"{self.described.loss_name} loss {self.loss:.4f}, verified)"
        )

    def _repr_html_(self) -> str:
        from shoal.release.notebook import release_html

        return release_html(self)
