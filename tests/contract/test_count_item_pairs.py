"""count carries counters of item sets: pairs that occur together in a column of lists."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from oracles.pair_oracle import as_counter, supports
from samples.kernels import EveryNumber
from shoal.data.schema import Column, Role, Schema
from shoal.data.supports import PairSupports
from shoal.errors import DataError
from shoal.io.source import Source

NAME = 'what "was" bought.x'
BASKETS = [["egg", "ham", "ham"], ["tea", "egg", "ham"], None, [], [None, "tea"], ["tea", "egg"], ["ham"]]
ROLES = Schema((Column(NAME, Role.PLAIN), Column("n", Role.PLAIN)))


def load(engine, column):
    table = pa.table({NAME: column, "n": pa.array(range(len(column)), pa.int64())})
    assert engine.load(Source("arrow", (NAME, "n"), table=table), ROLES) == len(column)
    return engine


def test_pairs_of_texts(engine):
    load(engine, pa.array(BASKETS))
    made = engine.count(PairSupports(NAME, pa.string()), [NAME])
    assert made.to_pydict() == {
        "first": ["egg", "egg", "ham"],
        "second": ["ham", "tea", "tea"],
        "records": [2, 2, 1],
    }
    assert engine.count(PairSupports(NAME, pa.string()), [NAME], at_most=1).to_pylist() == [
        {"first": "ham", "second": "tea", "records": 1}
    ]
    assert engine.count(PairSupports(NAME, pa.string()), [NAME], at_least=3).num_rows == 0


def test_pairs_of_what_items_are_shown_as(engine):
    load(engine, pa.array(BASKETS))
    counter = PairSupports(NAME, pa.int32(), pa.array(["ham", "egg", "tea"]), pa.array([5, 5, 2], pa.int32()))
    made = engine.count(counter, ["n", NAME])  # beside another column
    assert made.to_pydict() == {"first": [2], "second": [5], "records": [2]}
    assert made.schema == counter.keys.append(pa.field("records", pa.int64()))


def test_many_baskets_of_numbers(engine):
    rng = np.random.default_rng(5)
    baskets = [(rng.zipf(1.5, rng.integers(0, 9)) % 50).tolist() for _ in range(30_000)]
    load(engine, pa.array(baskets * 6, pa.list_(pa.int32())))  # more than come in one batch, to more than one worker
    wanted = {pair: 6 * records for pair, records in supports(baskets).items()}
    assert as_counter(engine.count(PairSupports(NAME, pa.int32()), [NAME])) == wanted


def test_what_a_counter_refuses_comes_back(engine):
    load(engine, pa.array(BASKETS))
    with pytest.raises(DataError, match="'n' does not hold lists of items: it is of type int64"):
        engine.count(PairSupports("n", pa.int64()), ["n"])


@pytest.mark.long
@pytest.mark.spark
def test_more_keys_than_the_driver_may_have_are_refused(spark):
    from shoal.engines.spark import SparkEngine

    engine = SparkEngine(spark)  # whose driver takes 16 MB at most
    load(engine, pa.array([[1]], pa.list_(pa.int64())))
    with pytest.raises(DataError, match="more keys than may come back"):
        engine.count(EveryNumber(1_500_000), ["n"])
    assert engine.count(EveryNumber(1_500_000), ["n"], at_least=2).num_rows == 0  # limits are Spark's work
    engine.close()
