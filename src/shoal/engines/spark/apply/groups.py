"""apply, when every class shows values of its own: a record goes where the parts of its raw tuple go.

A tuple that lies in one class whole goes there as it is. The records of a tuple that lies in several classes are dealt out at
random (`deal.py`), each part exactly as many as it was decided to have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as sql
from pyspark.sql import types

from shoal.engines.driver.groups import Parts, ShownLabels, ranks
from shoal.engines.driver.tuples import raw_values
from shoal.engines.engine import Written
from shoal.engines.spark.apply.levels import Here, label_table, others_of, packed, small
from shoal.engines.spark.assignment import Assigned, assignment_of
from shoal.engines.spark.deal import Deal
from shoal.engines.spark.frames import KEPT, N, to_spark
from shoal.engines.spark.map_blocks import task_count
from shoal.engines.spark.release import Outcome
from shoal.engines.spark.tuples import TupleRelease, classes_in_order
from shoal.engines.spark.words import Words
from shoal.recoding.tables.recoded import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from pyspark.sql import DataFrame, SparkSession

    from shoal.data.schema import Schema
    from shoal.engines.driver.connection import Connection
    from shoal.engines.spark.apply.levels import Map
    from shoal.engines.spark.frames import Loaded
    from shoal.engines.spark.jobs import Jobs
    from shoal.recoding.tables.groups import GroupRecoding

TUPLE = "tuple"


@dataclass(frozen=True, eq=False)
class _Plan:
    """Where the records of each tuple go."""

    parts: Parts
    codes: Words  # of raw tuples
    words: Words  # of what is shown
    shows: NDArray[np.int32]  # (parts, columns): places of what each shows; -1 for suppressed parts
    part_of: NDArray[np.int64]  # (tuples,): the part of a whole tuple, -1 of a divided one

    @classmethod
    def of(cls, recoding: GroupRecoding) -> _Plan:
        recoded, parts = recoding.recoded, Parts.of(recoding.recoded)
        places = np.full((len(recoded.values) + 1, len(recoding.columns)), -1, np.int32)  # the last: of HIDDEN
        for c, shown in enumerate(recoded.shown):
            places[:-1, c] = ranks(shown)[recoded.values[:, c]]
        part_of = np.full(int(parts.tuples.max(initial=-1)) + 1, -1, np.int64)
        part_of[parts.tuples[parts.alone]] = np.flatnonzero(parts.alone)
        return cls(
            parts,
            Words.of("k", [hierarchy.leaf_count for hierarchy in recoding.hierarchies]),
            Words.of("w", [len(shown.labels) for shown in recoded.shown]),
            places[parts.classes],
            part_of,
        )

    @property
    def published(self) -> NDArray[np.bool_]:
        """(parts,)"""
        return np.asarray(self.parts.classes != HIDDEN)

    def deal(self) -> Deal:
        return Deal.of(self.parts, self.words_of_parts())

    def words_of_parts(self) -> dict[str, NDArray[np.int64]]:
        """(parts,) each; -1 for suppressed ones"""
        packed_ = self.words.pack(np.where(self.published[:, None], self.shows, 0))
        return {name: np.where(self.published, word, -1) for name, word in packed_.items()}


def apply(jobs: Jobs, con: Connection, schema: Schema, loaded: Loaded, recoding: GroupRecoding) -> Outcome:
    """Every class shows values of its own."""
    session = jobs.session
    columns, others = recoding.columns, others_of(loaded, recoding.columns)
    maps = [raw_values(con, name, hierarchy) for name, hierarchy in zip(columns, recoding.hierarchies, strict=True)]
    labels = tuple(_labels(session, loaded, recoding, c, maps[c]) for c in range(len(columns)))
    plan = _Plan.of(recoding)
    counted = set(others) <= set(loaded.grouped)
    split = _from_driver if counted else _from_data
    shown, assigned = split(session, con, loaded, columns, maps, plan)
    recoded = recoding.recoded
    places = np.stack([ranks(shown_)[recoded.values[:, c]] for c, shown_ in enumerate(recoded.shown)], axis=1)
    classes, sizes = classes_in_order(plan.words, places, recoded.class_sizes)

    def values(name: str) -> DataFrame:
        return shown.select(*plan.words.names, sql.col(f"o{others.index(name)}").alias("o0"), N)

    release = TupleRelease(shown, counted, plan.words, columns, others, labels, classes, sizes, values)
    assignment = assignment_of(release, assigned)
    return Outcome(Written(release.records, plan.parts.suppressed), release, assignment)


def _from_driver(
    session: SparkSession, con: Connection, loaded: Loaded, columns: Sequence[str], maps: Sequence[Map], plan: _Plan
) -> tuple[DataFrame, Assigned]:
    """The combinations in the driver are all that is published: only those of divided tuples are worked on elsewhere."""
    others = others_of(loaded, columns)
    kinds = [loaded.kind(name) for name in others]
    here = Here.of(con, columns, maps, others)
    tuples = plan.parts.tuples_of(here.numbers, here.counts)
    part = plan.part_of[tuples]
    whole = (part >= 0) & plan.published[part]
    shows = plan.shows[part[whole]]
    seen = to_spark(session, here.only(whole, shows).merged().table(plan.words), [*[None] * plan.words.width, *kinds])
    divided: DataFrame | None = None
    if (part < 0).any():
        table = here.only(part < 0).table(plan.codes).append_column(TUPLE, pa.array(tuples[part < 0].astype(np.int64)))
        rows = to_spark(session, table, [*[None] * plan.codes.width, *kinds])
        divided = dealt(rows, plan.deal(), task_count(session, table.num_rows)).persist(KEPT)
        seen = seen.unionByName(divided.select(seen.columns))

    def all_rows() -> DataFrame:
        table = here.only(whole).table(plan.codes)
        for name, word in plan.words.pack(shows).items():
            table = table.append_column(name, pa.array(word))
        frame = to_spark(session, table, [*[None] * plan.codes.width, *kinds])
        return frame if divided is None else frame.unionByName(divided)

    raw, kept = _raw_labels(session, loaded, columns, maps), () if divided is None else (divided,)
    return seen, Assigned(all_rows, len(here.counts) + len(plan.parts.counts), plan.codes, raw, kept)


def _from_data(
    session: SparkSession, con: Connection, loaded: Loaded, columns: Sequence[str], maps: Sequence[Map], plan: _Plan
) -> tuple[DataFrame, Assigned]:
    """More columns are published than the driver knows: every record is looked up."""
    tuples = Here.of(con, columns, maps)
    plan.parts.tuples_of(tuples.numbers, tuples.counts)  # checks them
    numbers, first = np.unique(plan.parts.tuples, return_index=True)
    part = plan.part_of[numbers]
    known = (part < 0) | plan.published[part]  # whole tuples that are suppressed are looked up in vain
    table = plan.codes.pack(plan.parts.codes[first[known]])
    table |= {name: np.where(part >= 0, word[part], -1)[known] for name, word in plan.words_of_parts().items()}
    table[TUPLE] = numbers[known].astype(np.int64)
    coded = packed(session, loaded, columns, maps, plan.codes)
    joined = coded.join(small(session, pa.table(table)), plan.codes.names)
    rows = joined.drop(TUPLE)
    if (part < 0).any():
        is_divided = sql.col(plan.words.names[0]) < 0
        divided = joined.filter(is_divided).select(*coded.columns, TUPLE)
        rows = rows.filter(~is_divided).unionByName(dealt(divided, plan.deal(), task_count(session, None)))
    rows = rows.persist(KEPT)
    shown = rows.drop(*plan.codes.names)
    raw = _raw_labels(session, loaded, columns, maps)
    return shown, Assigned(lambda: rows, loaded.records, plan.codes, raw, (rows,))


def dealt(rows: DataFrame, deal: Deal, tasks: int) -> DataFrame:
    """Rows of divided tuples, with `tuple` last: with what they show in its place."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from deal(batches)

    # in a total order, of all columns: what is drawn for a record must be drawn again when a task is
    others = [sql.col(name).asc_nulls_last() for name in rows.columns if name.startswith("o")]
    ordered = rows.repartition(tasks, TUPLE).sortWithinPartitions(TUPLE, *others)
    shown = [types.StructField(name, types.LongType()) for name in deal.shows]
    return ordered.mapInArrow(run, types.StructType([*rows.schema.fields[:-1], *shown]))


def _labels(session: SparkSession, loaded: Loaded, recoding: GroupRecoding, c: int, raw: Map) -> DataFrame:
    """place → published value. A column that shows nothing but raw values keeps its type."""
    name = recoding.columns[c]
    shown = ShownLabels.of(recoding.recoded, c, name)
    if shown.leaves is None:
        return label_table(session, c, shown.ranks, pa.array(shown.labels, pa.string()))
    values, leaves = raw
    place = np.full(recoding.hierarchies[c].leaf_count, -1, np.int32)
    place[shown.leaves] = shown.ranks
    used = np.flatnonzero(place[leaves] >= 0)
    return label_table(session, c, place[leaves[used]], values.take(pa.array(used)), loaded.kind(name))


def _raw_labels(
    session: SparkSession, loaded: Loaded, columns: Sequence[str], maps: Sequence[Map]
) -> tuple[DataFrame, ...]:
    return tuple(
        label_table(session, c, leaves, values, loaded.kind(columns[c])) for c, (values, leaves) in enumerate(maps)
    )
