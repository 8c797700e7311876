"""What guarantees ask of a matching, and whether the records can give it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.data.hidden import known_counts
from shoal.errors import Infeasible, RecipeError
from shoal.guarantees.k_matching import KMatching
from shoal.guarantees.l_matching import LMatching

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.engines.engine import Engine
    from shoal.guarantees.guarantee import Guarantee


@dataclass(frozen=True)
class MatchingPromise:
    """Everyone matches `k` published records; with labels, those show `l` labels, none of which more often than one in l."""

    k: int
    l: int  # noqa: E741  # 0: labels do not matter
    label: str | None

    @classmethod
    def of(cls, method: str, guarantees: Sequence[Guarantee]) -> MatchingPromise:
        others = [g.name for g in guarantees if not isinstance(g, KMatching | LMatching)]
        if others or not guarantees:
            note = f" It cannot keep {', '.join(others)}." if others else ""
            raise RecipeError(f"Method '{method}' keeps {KMatching.name} and {LMatching.name}.{note}")
        diverse = [g for g in guarantees if isinstance(g, LMatching)]
        columns = sorted({g.column for g in diverse})
        if len(columns) > 1:
            raise RecipeError(
                f"Method '{method}' keeps {LMatching.name} of one column; the recipe asks it of {', '.join(columns)}."
            )
        l = max([g.l for g in diverse], default=0)  # noqa: E741
        k = max([g.k for g in guarantees if isinstance(g, KMatching)] + [l])
        return cls(k, l, columns[0] if columns else None)

    def check(self, engine: Engine, records: int) -> None:
        """Refuse what cannot be had, before any work (G2)."""
        if records < self.k:
            raise Infeasible(
                f"There are {records:,} records, fewer than the {self.k:,} that everyone has to match. Ask for less: lower k."
            )
        if self.label is not None:
            counts, _ = known_counts(engine.domain(self.label).counts)
            known, most = sum(counts.values()), max(counts.values(), default=0)
            if most == 0 or most * self.l > known:
                raise Infeasible(
                    f"{most:,} of the {known:,} records with a value in '{self.label}' have the same one, more than one in "
                    f"{self.l}: they cannot be divided into groups of {self.l} different ones. Ask for less: lower l."
                )
