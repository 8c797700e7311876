"""apply, when every class shows values of its own: a record goes where the parts of its raw tuple go.

A tuple that lies in one class whole is joined as it is. The records of a tuple that lies in several classes are dealt out by chance
(`deal.py`), each part exactly as many as it was decided to have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as sql

from shoal.engines.engine import Written
from shoal.engines.local.mapped import raw_values
from shoal.engines.parts import Parts, ShownLabels, ranks
from shoal.engines.spark.apply import Here, Release, in_order, label_table, others_of, packed, small
from shoal.engines.spark.deal import Deal
from shoal.engines.spark.load import KEPT, N, to_spark
from shoal.engines.spark.map_blocks import task_count
from shoal.engines.spark.words import Words
from shoal.recoding.recoded import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from shoal.engines.local.connection import Connection
    from shoal.engines.spark.apply import Map
    from shoal.engines.spark.load import Loaded
    from shoal.recoding.groups import GroupRecoding


@dataclass(frozen=True, eq=False)
class Assigned:
    """Which records went to which part."""

    rows: DataFrame  # words of the raw tuple, o0, o1, …: the other columns, part, and n; kept
    most: int  # there are no more of those rows
    words: Words
    raw: tuple[DataFrame, ...]  # of each quasi-identifier: number, label
    shows: DataFrame  # part, and the words of what it shows; suppressed parts show nothing


def apply(
    session: SparkSession, con: Connection, loaded: Loaded, recoding: GroupRecoding
) -> tuple[Release, Assigned, Written]:
    columns, recoded, others = recoding.columns, recoding.recoded, others_of(loaded, recoding.columns)
    maps = [raw_values(con, name, tree) for name, tree in zip(columns, recoding.hierarchies, strict=True)]
    parts = Parts.of(recoded)
    tuples = Here.of(con, columns, maps)
    parts.check_tuples(tuples.numbers, tuples.counts)
    words = Words.of("w", [len(shown.labels) for shown in recoded.shown])
    places = np.stack([ranks(shown)[recoded.values[:, c]] for c, shown in enumerate(recoded.shown)], axis=1)
    labels = tuple(_labels(session, loaded, recoding, c, maps[c]) for c in range(len(columns)))
    published = np.flatnonzero(parts.classes != HIDDEN)
    shows = small(session, pa.table({"part": published, **words.pack(places[parts.classes[published]])}))
    codes = Words.of("k", [tree.leaf_count for tree in recoding.hierarchies])
    coded, most, counted = _coded(session, con, loaded, columns, maps, codes)
    rows = _assigned(session, coded, codes, parts).persist(KEPT)
    shown = rows.join(shows, "part").select(*words.names, *(f"o{i}" for i in range(len(others))), N)
    classes, sizes = in_order(words, places, recoded.class_sizes)
    values: Callable[[str], DataFrame] = lambda name: shown.select(  # noqa: E731
        *words.names, sql.col(f"o{others.index(name)}").alias("value"), N
    )
    release = Release(shown, counted, words, columns, others, labels, classes, sizes, values)
    raw = tuple(label_table(session, c, leaves, held, loaded.kind(columns[c])) for c, (held, leaves) in enumerate(maps))
    assigned = Assigned(rows, most + len(parts.counts), codes, raw, shows)
    return release, assigned, Written(release.records, parts.suppressed)


def _coded(
    session: SparkSession, con: Connection, loaded: Loaded, columns: Sequence[str], maps: Sequence[Map], codes: Words
) -> tuple[DataFrame, int, bool]:
    """Records as words of leaf codes, o0, o1, …, and n; how many at most; and whether they are counted."""
    others = others_of(loaded, columns)
    if not set(others) <= set(loaded.grouped):
        return packed(session, loaded, columns, maps, codes), loaded.records, False
    here = Here.of(con, columns, maps, others)
    table = here.table(codes, [f"o{i}" for i in range(len(others))], np.ones(len(here.counts), np.bool_))
    kinds = [*[None] * codes.width, *map(loaded.kind, others)]
    return to_spark(session, table, kinds), table.num_rows, True


def _assigned(session: SparkSession, coded: DataFrame, codes: Words, parts: Parts) -> DataFrame:
    """The records with the part each went to; a row of a divided tuple may be cut."""
    _, first = np.unique(parts.tuples, return_index=True)
    whole = parts.alone[first]
    numbers = {"tuple": parts.tuples[first].astype(np.int64), "part": np.where(whole, first, -1)}
    found = coded.join(small(session, pa.table({**codes.pack(parts.codes[first]), **numbers})), codes.names)
    if whole.all():
        return found.drop("tuple")
    deal = Deal.of(parts)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from deal(batches)

    # in a total order, of all columns: what is drawn for a record must be drawn again when a task is
    divided = found.filter(sql.col("part") < 0).repartition(task_count(session, len(first)), "tuple")
    others = [sql.col(name).asc_nulls_last() for name in coded.columns if name.startswith("o")]
    dealt = divided.sortWithinPartitions("tuple", *others).mapInArrow(run, found.schema)
    return found.filter(sql.col("part") >= 0).unionByName(dealt).drop("tuple")


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
