"""apply, when classes show a base set and how far a record may be from it: a record goes where the parts of its original go.

Records of the same set (and label) that go to several classes are dealt out at random (`deal.py`). The originals, their classes and
what those show are in the driver already, where they were decided; they are sent as tables and joined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as sql

from shoal.data.text import texts
from shoal.engines.driver.matching import Shown, certificate, parts_of, published_names
from shoal.engines.driver.tuples import distinct_tuples
from shoal.engines.engine import Written
from shoal.engines.spark.apply.groups import TUPLE, dealt
from shoal.engines.spark.apply.levels import others_of, small
from shoal.engines.spark.deal import Deal
from shoal.engines.spark.frames import KEPT, N, to_spark
from shoal.engines.spark.map_blocks import task_count
from shoal.engines.spark.release import Assignment, Outcome
from shoal.engines.spark.sets import SetRelease
from shoal.errors import InternalError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from shoal.data.schema import Schema
    from shoal.engines.driver.connection import Connection
    from shoal.engines.spark.frames import Loaded
    from shoal.engines.spark.jobs import Jobs
    from shoal.recoding.sets.matching import MatchingRecoding

_CLASS, _TOTAL, _LABEL, _ITEMS = "class", "total", "label", "items"
_LIGHT = 32 << 20  # bytes of a table that each worker can be given whole


def apply(jobs: Jobs, con: Connection, schema: Schema, loaded: Loaded, recoding: MatchingRecoding) -> Outcome:
    """Classes show a base set, and how far a record may be from it."""
    session = jobs.session
    parts = parts_of(recoding)
    others = [f"o{i}" for i in range(len(others_of(loaded, (recoding.column,))))]
    placed = _with_originals(session, con, loaded, recoding)
    _check(placed, recoding, loaded.records)
    rows = placed.filter(sql.col(_CLASS) >= 0).select(*others, N, _CLASS)
    if not parts.alone.all():
        divided = placed.filter(sql.col(_CLASS) < 0).select(*others, N, TUPLE)
        deal = Deal.of(parts, {_CLASS: parts.classes.astype(np.int64)})
        from_deal = dealt(divided, deal, task_count(session, None))
        rows = rows.unionByName(from_deal.select(*others, N, _CLASS))
    rows = rows.persist(KEPT)
    shown = Shown.of(recoding)
    numbers = pa.table({_CLASS: pa.array(np.arange(len(shown.numbers))), "number": pa.array(shown.numbers)})
    shows = pa.table(
        {
            "number": pa.array(np.arange(len(shown.at_most), dtype=np.int32)),
            "s0": shown.base,
            "s1": shown.differ,
            "s2": shown.at_most,
        }
    )
    seen = rows.join(_sent(session, numbers), _CLASS).join(_sent(session, shows), "number").drop(_CLASS, N)
    names = published_names(recoding.column)
    release = SetRelease(seen, ("number",), names, others_of(loaded, (recoding.column,)), loaded.records)
    edges = recoding.members if recoding.edges is None else recoding.edges
    columns = certificate(recoding).schema.names

    def certified() -> DataFrame:
        table = certificate(recoding).read_all().rename_columns([f"c{place}" for place in range(len(columns))])
        return to_spark(session, table)

    assignment = Assignment(certified, tuple(columns), len(edges.counts), (rows,))
    return Outcome(Written(loaded.records, 0), release, assignment)


def _with_originals(session: SparkSession, con: Connection, loaded: Loaded, recoding: MatchingRecoding) -> DataFrame:
    """Each record with its original (`tuple`), the records that should have (`total`), and its class; -1 where it has several."""
    members = recoding.members
    alone = np.bincount(members.sets, minlength=len(recoding.sets)) == 1
    classes = np.full(len(recoding.sets), -1, np.int64)
    whole = alone[members.sets]
    classes[members.sets[whole]] = members.classes[whole]
    totals = np.bincount(members.sets, weights=members.counts, minlength=len(recoding.sets)).astype(np.int64)
    originals = {
        _ITEMS: recoding.sets.lists(),
        TUPLE: pa.array(np.arange(len(recoding.sets))),
        _TOTAL: pa.array(totals),
        _CLASS: pa.array(classes),
    }
    keys = [_ITEMS]
    kept = [sql.col(loaded.place(name)).alias(f"o{i}") for i, name in enumerate(others_of(loaded, (recoding.column,)))]
    held = loaded.data.select(
        *kept, sql.lit(1).cast("long").alias(N), sql.col(loaded.place_of_set(recoding.column)).alias(_ITEMS)
    )
    if recoding.label is not None and recoding.labels is not None:
        known = texts(recoding.labels)
        number = {label: i for i, label in enumerate(dict.fromkeys(known))}
        originals[_LABEL] = pa.array([number[label] for label in known], pa.int32())
        keys.append(_LABEL)
        raw = distinct_tuples(con).column(recoding.label).chunk(0).dictionary
        table = pa.table({"raw": raw, _LABEL: pa.array([number.get(text, -1) for text in texts(raw)], pa.int32())})
        labels = small(session, table, [loaded.kind(recoding.label)])
        place = sql.col(f"o{others_of(loaded, (recoding.column,)).index(recoding.label)}")
        held = held.join(labels, place.eqNullSafe(sql.col("raw"))).drop("raw")
    return held.join(_sent(session, pa.table(originals)), keys)


def _check(placed: DataFrame, recoding: MatchingRecoding, records: int) -> None:
    """Fails unless every original has the records that were decided on, and every record an original."""
    counted = placed.groupBy(TUPLE, _TOTAL).agg(sql.count(sql.lit(1)).alias(N))
    wrong = sql.sum(sql.when(sql.col(N) != sql.col(_TOTAL), 1).otherwise(0))
    originals, reached, other = counted.agg(sql.count(sql.lit(1)), sql.sum(N), wrong).collect()[0]
    if other or originals != len(recoding.sets) or (reached or 0) != records:
        raise InternalError(
            f"{other or 0:,} of {len(recoding.sets):,} originals have other records than were decided on, and {reached or 0:,} of "
            f"{records:,} records were reached; nothing was published."
        )


def _sent(session: SparkSession, table: pa.Table) -> DataFrame:
    frame = to_spark(session, table)
    return sql.broadcast(frame) if table.nbytes <= _LIGHT else frame
