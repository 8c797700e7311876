"""Supports of item pairs: as counted by hand, however the records are cut into batches, on every engine."""

from __future__ import annotations

from collections import Counter
from itertools import chain, pairwise
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.pair_oracle import as_counter, supports
from shoal.data import supports as module
from shoal.data.schema import Column, Role, Schema
from shoal.data.supports import PairSupports
from shoal.engines.local import LocalEngine
from shoal.io.source import Source
from shoal.kernels.sets.pair_supports import Pairs, pair_supports

KINDS = {
    pa.int32(): st.integers(-3, 12) | st.sampled_from([-(2**31), 2**31 - 1]),
    pa.int64(): st.integers(-(2**63), 2**63 - 1) | st.integers(0, 5),
    pa.string(): st.sampled_from(["", "a", "b", "ab", "ä", "B", "*", "\x00"]) | st.text(max_size=2),
}


def baskets_of(items):
    return st.lists(st.none() | st.lists(st.none() | items, max_size=8), max_size=25)


@st.composite
def cases(draw):
    kind = draw(st.sampled_from(list(KINDS)))
    return kind, draw(baskets_of(KINDS[kind]))


def column_of(kind, baskets):
    return pa.array(baskets, pa.list_(kind))


def cut(draw, array):
    """Into batches anywhere, empty ones too."""
    ends = sorted(draw(st.lists(st.integers(0, len(array)), max_size=4)))
    edges = [0, *ends, len(array)]
    return [pa.record_batch({"items": array[a:b]}) for a, b in pairwise(edges)]


def added_up(counter, batches):
    found = Counter()
    for partial in counter.partials(iter(batches)):
        assert partial.schema == counter.keys.append(pa.field("records", pa.int64()))
        for row in partial.to_pylist():
            assert row["records"] > 0
            found[row["first"], row["second"]] += row["records"]
    return found


@settings(deadline=None, max_examples=300)
@given(
    case=cases(),
    data=st.data(),
    items=st.integers(1, 30),
    pairs=st.integers(0, 20),
    records=st.integers(2, 40),
    rows=st.integers(1, 20),
)
def test_partial_counts_add_up(case, data, items, pairs, records, rows):
    kind, baskets = case
    batches = cut(data.draw, column_of(kind, baskets))
    with patch.multiple(module, _ITEMS=items, _PAIRS=pairs, _RECORDS=records, _ROWS=rows):  # handed over now and then
        assert added_up(PairSupports("items", kind), batches) == supports(baskets)


@settings(deadline=None, max_examples=200)
@given(case=cases(), data=st.data(), items=st.integers(1, 30), as_they_are=st.booleans())
def test_items_counted_as_something_else(case, data, items, as_they_are):
    kind, baskets = case
    known = data.draw(st.lists(KINDS[kind], unique=True, max_size=6))
    shown = data.draw(st.lists(st.none() | st.integers(0, 3), min_size=len(known), max_size=len(known)))
    batches = cut(data.draw, column_of(kind, baskets))
    asked = pa.array(known, kind)
    with patch.object(module, "_ITEMS", items):
        if as_they_are:
            found = added_up(PairSupports("items", kind, asked), batches)
            assert found == supports(baskets, dict(zip(known, known, strict=True)))
        else:
            found = added_up(PairSupports("items", pa.int16(), asked, pa.array(shown, pa.int16())), batches)
            assert found == supports(baskets, dict(zip(known, shown, strict=True)))


@settings(deadline=None, max_examples=200)
@given(
    parts=st.lists(baskets_of(st.integers(0, 40)), min_size=1, max_size=3),
    spread=st.sampled_from([1, 7, 1_600, 2_000]),  # beyond 65,535 items the baskets are held in other arrays
)
def test_the_kernel_adds_to_what_was_counted_before(parts, spread):
    pairs = Pairs.none().of(40 * spread + 1)
    for baskets in parts:
        lists = [[-1 if item is None else item * spread for item in basket or ()] for basket in baskets]
        offsets = np.cumsum([0, *map(len, lists)])
        pairs = pair_supports(offsets, np.array([*chain(*lists)], np.int32), pairs)
    found = dict(zip(zip(pairs.smaller, pairs.larger, strict=True), pairs.baskets, strict=True))
    wanted = supports([basket for baskets in parts for basket in baskets])
    assert found == {(a * spread, b * spread): records for (a, b), records in wanted.items()}
    order = pairs.larger.astype(np.int64) << 32 | pairs.smaller
    assert (np.diff(order) > 0).all()


def count_on(engine, kind, baskets, **limits):
    table = pa.table({"items": column_of(kind, baskets), "other": pa.array([1] * len(baskets), pa.int32())})
    try:
        schema = Schema((Column("items", Role.PLAIN), Column("other", Role.PLAIN)))
        assert engine.load(Source("arrow", ("items", "other"), table=table), schema) == len(baskets)
        return engine.count(PairSupports("items", kind), ["items"], **limits)
    finally:
        engine.close()


def within(found, at_least=None, at_most=None):
    return {k: n for k, n in found.items() if (at_least or 0) <= n <= (len(found) + n if at_most is None else at_most)}


@settings(deadline=None, max_examples=40)
@given(
    case=cases(),
    threads=st.integers(1, 3),
    at_least=st.none() | st.integers(0, 4),
    at_most=st.none() | st.integers(0, 4),
)
def test_on_the_local_engine(case, threads, at_least, at_most):
    made = count_on(LocalEngine(threads=threads), *case, at_least=at_least, at_most=at_most)
    assert made.schema == PairSupports("items", case[0]).keys.append(pa.field("records", pa.int64()))
    assert as_counter(made) == within(supports(case[1]), at_least, at_most)


@pytest.mark.spark
@settings(deadline=None, max_examples=8)
@given(case=cases(), at_least=st.none() | st.integers(0, 4), at_most=st.none() | st.integers(0, 4))
def test_on_spark(spark, case, at_least, at_most):
    from shoal.engines.spark import SparkEngine

    made = count_on(SparkEngine(spark), *case, at_least=at_least, at_most=at_most)
    assert made.schema == PairSupports("items", case[0]).keys.append(pa.field("records", pa.int64()))
    assert as_counter(made) == within(supports(case[1]), at_least, at_most)
