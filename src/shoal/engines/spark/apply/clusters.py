"""apply, when every class shows single values of its own, and its items in its own way: records go through small tables on the
workers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as sql
from pyspark.sql import types

from shoal.engines.driver.clusters import MixedShow, shown_values
from shoal.engines.driver.tuples import raw_values
from shoal.engines.engine import Written
from shoal.engines.spark.apply.levels import others_of
from shoal.engines.spark.files import in_files
from shoal.engines.spark.frames import N
from shoal.engines.spark.release import Assignment, Outcome
from shoal.engines.spark.sets import SetRelease
from shoal.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from pyspark.sql import DataFrame

    from shoal.data.schema import Schema
    from shoal.engines.driver.connection import Connection
    from shoal.engines.spark.frames import Loaded
    from shoal.engines.spark.jobs import Jobs
    from shoal.recoding.mixed.clusters import MixedRecoding

_LISTS = pa.list_(pa.string())


def apply(jobs: Jobs, con: Connection, schema: Schema, loaded: Loaded, recoding: MixedRecoding) -> Outcome:
    """Every class shows single values of its own, and its items in its own way."""
    values = recoding.groups.columns
    if recoding.groups.recoded.rows != loaded.records:
        raise InternalError("A recoding was decided for other records than were loaded; nothing was published.")
    raw = {n: raw_values(con, n, h) for n, h in zip(values, recoding.groups.hierarchies, strict=True)}
    shown = shown_values(recoding, raw)
    columns = (*values, *recoding.columns)
    others = others_of(loaded, columns)
    held = loaded.data.select(
        *(sql.col(loaded.place(name)).alias(f"r{c}") for c, name in enumerate(values)),
        *(sql.col(loaded.place_of_set(name)).alias(f"r{len(values) + c}") for c, name in enumerate(recoding.columns)),
        *(sql.col(loaded.place(name)).alias(f"o{i}") for i, name in enumerate(others)),
    )
    show = _Show(MixedShow.of(recoding, schema, raw), tuple(_by_place(*one) for one in shown))

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from show(batches)

    fields = [
        types.StructField(f"s{c}", loaded.kind(name) if kept.type == raw[name][0].type else types.StringType())
        for c, (name, (_, kept)) in enumerate(zip(values, shown, strict=True))
    ]
    fields += [
        types.StructField(f"s{c}", types.ArrayType(types.StringType())) for c in range(len(values), len(columns))
    ]
    rows = held.mapInArrow(run, types.StructType([*held.schema.fields, *fields]))
    keys = tuple(f"s{c}" for c in range(len(columns)))
    release = SetRelease(rows, keys[: len(values)], columns, others, loaded.records, keys[len(values) :])
    names = [f"{side}:{name}" for name in columns for side in ("raw", "shown")]
    names += [*(f"other:{name}" for name in others), "records"]
    assignment = Assignment(lambda: _assigned(release), tuple(names), loaded.records)
    return Outcome(Written(loaded.records, 0), release, assignment)


def _assigned(release: SetRelease) -> DataFrame:
    others = [f"o{i}" for i in range(len(release.others))]
    shown = [f"s{c}" for c in range(len(release.shown))]
    held = [f"r{c}" for c in range(len(release.shown))]
    counted = release.rows.groupBy(*shown, *others, *held).agg(sql.count(sql.lit(1)).alias(N))
    ordered = in_files(counted, [*shown, *others, *held], release.records)
    pairs = [one for pair in zip(held, shown, strict=True) for one in pair]
    rows = ordered.select(*pairs, *others, N)
    return rows.toDF(*(f"c{place}" for place in range(len(rows.columns))))


def _by_place(places: NDArray[np.int32], values: pa.Array) -> pa.Array:
    """The values in the order of their places; nothing where no value has a place."""
    order = np.full(int(places.max(initial=-1)) + 1, -1, np.int64)
    order[places] = np.arange(len(places))
    return values.take(pa.array(order, mask=order < 0))


@dataclass(frozen=True, eq=False)
class _Show:
    """What a task does: rows with what they hold first, and what each shows added."""

    show: MixedShow
    labels: tuple[pa.Array, ...]  # of each column of single values, by place

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        show = self.show
        names = [*show.columns, *(one.name for one in show.sets)]
        for batch in batches:
            held = pa.RecordBatch.from_arrays(batch.columns[: len(names)], names)
            classes = show.classes(show.leaves(held))
            cells = [one.take(pa.array(show.values[classes, c])) for c, one in enumerate(self.labels)]
            cells += [one.lists().cast(_LISTS) for one in show.shown_items(held, classes)]
            yield pa.RecordBatch.from_arrays(
                [*batch.columns, *cells], [*batch.schema.names, *(f"s{c}" for c in range(len(cells)))]
            )
