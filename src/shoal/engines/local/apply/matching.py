"""apply, when classes show a base set and how far a record may be from it: a record goes where the parts of its original go.

Records of the same set (and label) that go to several classes are dealt out by the operating system's generator, as in
`apply/groups.py`. The release is ordered by what the classes show, then by the other columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from shoal.data.itemsets import ItemSets
from shoal.data.text import texts
from shoal.engines.driver.connection import Connection, quote
from shoal.engines.driver.matching import Shown, certificate, parts_of, published_names
from shoal.engines.driver.tuples import distinct_tuples
from shoal.engines.engine import Written
from shoal.engines.local.apply.groups import ASSIGNED, assign
from shoal.engines.local.apply.levels import put_in_order
from shoal.engines.local.release import Release
from shoal.engines.local.rows import rows
from shoal.engines.local.sets import Sets, numbers_of
from shoal.engines.local.values import Applied, ListValues, Values
from shoal.errors import InternalError

if TYPE_CHECKING:
    from shoal.data.schema import Schema
    from shoal.engines.local.loaded import Loaded
    from shoal.recoding.sets.matching import MatchingRecoding


def apply(con: Connection, schema: Schema, loaded: Loaded, recoding: MatchingRecoding) -> Release:
    """Leaves `coded`: records by their original and other columns; `assigned`: the part each went to; and `release`."""
    sets, records = loaded.one_set(recoding.column), loaded.number
    others = tuple(name for name in schema.published if name != sets.column)
    _code(con, recoding, sets, others)
    assign(con, parts_of(recoding), ["code_0"], records)
    shown = Shown.of(recoding)
    numbers = np.arange(len(shown.at_most), dtype=np.int32)
    values = (ListValues(shown.base), ListValues(shown.differ), Values.of(numbers, shown.at_most))
    applied = Applied(published_names(sets.column), others, values)
    con.register(
        "shows",
        pa.table(
            {"class": np.arange(len(shown.numbers), dtype=np.int32)} | dict.fromkeys(applied.numbers, shown.numbers)
        ),
    )
    keys = ", ".join([*applied.numbers, *applied.kept])
    con.run(
        f"CREATE TEMP TABLE recoded AS SELECT {keys}, sum(assigned.n)::BIGINT AS n FROM {ASSIGNED} GROUP BY ALL",
        "counting equal records",
    )
    (published,) = con.one("SELECT coalesce(sum(n), 0)::BIGINT FROM recoded")
    if published != records:
        raise InternalError(f"Recoding reached {published:,} of {records:,} records; nothing was published.")
    put_in_order(con, "recoded", applied)
    return Release(Written(published, 0), applied, lambda: rows(con, schema, applied), lambda: certificate(recoding))


def _code(con: Connection, recoding: MatchingRecoding, sets: Sets, others: tuple[str, ...]) -> None:
    """`coded`: code_0: the original of each record; other_0, …: the other columns as they are; n: how many records."""
    con.register("originals", _originals(recoding, sets))
    join = f"JOIN originals ON data.{quote(sets.column)} = originals.items"
    if recoding.label is not None and recoding.labels is not None:
        raw = distinct_tuples(con).column(recoding.label).chunk(0).dictionary
        number = {label: i for i, label in enumerate(dict.fromkeys(texts(recoding.labels)))}
        con.register(
            "label_map", pa.table({"raw": raw, "label": pa.array([number.get(t) for t in texts(raw)], pa.int32())})
        )
        join = (
            f"JOIN label_map ON data.{quote(recoding.label)} IS NOT DISTINCT FROM label_map.raw "
            f"{join} AND label_map.label = originals.label"
        )
    kept = "".join(f", data.{quote(name)} AS other_{i}" for i, name in enumerate(others))
    con.run(
        f"CREATE TEMP TABLE coded AS SELECT original AS code_0{kept}, count(*)::BIGINT AS n FROM data {join} GROUP BY ALL",
        "counting equal records",
    )
    con.unregister("originals")


def _originals(recoding: MatchingRecoding, sets: Sets) -> pa.Table:
    """The originals by the numbers of their items, as `data` has them."""
    place = sets.numbers(recoding.sets.vocabulary)[recoding.sets.items]
    if (place < 0).any():
        raise InternalError("A matching was decided for items that no record has; nothing was published.")
    order = np.lexsort((place, recoding.sets.rows))
    columns = {
        "original": pa.array(np.arange(len(recoding.sets), dtype=np.int32)),
        "items": numbers_of(ItemSets(recoding.sets.offsets, place[order], sets.items)),
    }
    if recoding.labels is not None:
        known = texts(recoding.labels)
        number = {label: i for i, label in enumerate(dict.fromkeys(known))}
        columns["label"] = pa.array([number[label] for label in known], pa.int32())
    return pa.table(columns)
