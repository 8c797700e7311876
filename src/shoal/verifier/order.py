"""The order of the rows of a file, which may be that of the original: the tenth row is then the tenth person of the register.

What makes a release sorts it by what it shows, so that records that show the same stand together. In the order of the original they
are scattered. So are they in a file that somebody shuffled; that it was cannot be seen, and so does not pass unless it is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.verifier.verdict import Check

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from shoal.verifier.source import Source

NAME = "row order"
_ROWS = 1_000_000  # that are looked at: scattered records show soon


def check_order(source: Source, keys: Sequence[str]) -> list[Check]:
    """keys: the SQL of what records of one class share. No check where rows have no places, as in a frame of Spark."""
    if source.numbered is None or source.records < 2:
        return []
    picked = ", ".join(f"{key} AS k{i}" for i, key in enumerate(keys))
    names = ", ".join(f"k{i}" for i in range(len(keys)))
    rows = f"SELECT {picked}, pos, {source.part} AS part FROM {source.numbered} WHERE pos <= {_ROWS}"
    same = " AND ".join(f"k{i} IS NOT DISTINCT FROM lag(k{i}) OVER w" for i in range(len(keys)))
    marked = (
        f"SELECT CASE WHEN lag(pos) OVER w IS NOT NULL AND {same} THEN 0 ELSE 1 END AS fresh FROM ({rows}) AS r "
        "WINDOW w AS (PARTITION BY part ORDER BY pos)"
    )
    ((runs,),) = source.sql.rows(f"SELECT CAST(sum(fresh) AS BIGINT) AS n FROM ({marked}) AS m")
    ((classes,),) = source.sql.rows(
        f"SELECT count(*) AS n FROM (SELECT DISTINCT part, {names} FROM ({rows}) AS r) AS d"
    )
    return [_judged(int(runs), int(classes))]


def check_tree_order(trees: NDArray[np.int64]) -> list[Check]:
    """trees: (records,) which tree a record shows, in the order of the file: a small whole number."""
    import numpy as np

    if len(trees) < 2:
        return []
    runs = 1 + int(np.count_nonzero(trees[1:] != trees[:-1]))
    return [_judged(runs, int(np.count_nonzero(np.bincount(trees))))]


def _judged(runs: int, classes: int) -> Check:
    if runs == classes:
        return Check(NAME, True, "Records that show the same stand together.")
    return Check(
        NAME,
        False,
        f"Records that show the same do not stand together ({runs:,} runs of {classes:,} classes): their order may be that of the "
        "original, and tell who is who. Sort the rows by what they show. If they were shuffled, say so (--any-order).",
    )
