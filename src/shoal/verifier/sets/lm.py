"""l^m-diversity: among the records that hold any m or fewer published items, no value is more frequent than 1/l (ERRATA 001-12).

A hidden value (missing, blank, `*`) may be any: it counts as the most frequent one of its combination. The combination of no items
is held by all records. A coarser or larger combination may break the promise where others keep it, so all sizes are counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.verifier.finding import counted
from shoal.verifier.sets.combinations import Judged, judge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.verifier.sets.released import Released


def find(guarantee: Any, released: Released) -> Judged:
    return judge(released, _AtMostOneIn(guarantee, released))


class _AtMostOneIn:
    carried: tuple[str, ...] = ("v",)

    def __init__(self, guarantee: Any, released: Released) -> None:
        self.promise: str = guarantee.technical()
        self.l, self.m, self._column = int(guarantee.l), int(guarantee.m), str(guarantee.column)
        self.table = released.with_values(self._column)

    def counted(self, combinations: str, items: Sequence[str]) -> str:
        keys = "".join(f"{item}, " for item in items)
        by_value = f"SELECT {keys}v, CAST(sum(c) AS BIGINT) AS c FROM {combinations} GROUP BY {keys}v"
        grouped = f" GROUP BY {', '.join(items)}" if items else ""
        return (
            f"SELECT {keys}CAST(sum(c) AS BIGINT) AS n, coalesce(max(c) FILTER (WHERE v >= 0), 0) + "
            f"coalesce(CAST(sum(c) FILTER (WHERE v < 0) AS BIGINT), 0) AS most FROM ({by_value}) AS by_value{grouped}"
        )

    def broken(self) -> str:
        return f"most * {self.l} > n"

    def rank(self) -> str:
        return "CAST(-most AS DOUBLE) / n"

    def reason(self, n: int, most: int) -> str:
        return (
            f"{most:,} of the {counted(n, 'record')} that hold this combination may have one value of '{self._column}'; "
            f"one in {self.l} is promised."
        )

    def kept(self, least: int) -> str:
        return (
            f"Among the records that hold any combination of up to {counted(self.m, 'item')} ({least:,} or more), no value of "
            f"'{self._column}' is held by more than one in {self.l}."
        )
