"""k^m-anonymity: every combination of m or fewer published items that a record holds is held by k records at least."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.verifier.finding import counted
from shoal.verifier.sets.combinations import Judged, judge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.verifier.sets.released import Released


def find(guarantee: Any, released: Released) -> Judged:
    return judge(released, _AtLeast(guarantee, released))


class _AtLeast:
    carried: tuple[str, ...] = ()

    def __init__(self, guarantee: Any, released: Released) -> None:
        self.promise: str = guarantee.technical()
        self.k, self.m = int(guarantee.k), int(guarantee.m)
        self._released = released

    @property
    def table(self) -> str:
        return self._released.sets[0]

    def counted(self, combinations: str, items: Sequence[str]) -> str:
        keys = "".join(f"{item}, " for item in items)
        grouped = f" GROUP BY {', '.join(items)}" if items else ""
        return f"SELECT {keys}CAST(sum(c) AS BIGINT) AS n, 0 AS most FROM {combinations}{grouped}"

    def broken(self) -> str:
        return f"n < {self.k}"

    def rank(self) -> str:
        return "n"

    def reason(self, n: int, most: int) -> str:
        held = "is held by 1 record" if n == 1 else f"is held by {n:,} records"
        return f"This combination {held}; {self.k} are promised."

    def kept(self, least: int) -> str:
        return (
            f"Every combination of up to {counted(self.m, 'item')} that a record holds is held by {least:,} records or more; "
            f"{self.k} are promised."
        )
