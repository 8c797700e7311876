"""A million different trees: what the verifier holds of each is a few numbers, however many nodes a tree has."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from shoal.verifier.files import aside
from shoal.verifier.trees import telling_apart
from shoal.verifier.trees.reading import Stream, read_facts
from shoal.verifier.trees.shape import TreeShape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shoal.verifier.trees.facts import Facts

CLASSES, BATCH = 20, 20_000  # a record holds the value of class i or not
NUMBERS = 8 * 8  # bytes of a record: eight numbers, and no node


def planted(records: int) -> Iterator[pa.RecordBatch]:
    """Record i has the nodes that its bits say: they all differ."""
    for first in range(0, records, BATCH):
        number = np.arange(first, min(first + BATCH, records))
        columns = []
        for place in range(CLASSES):
            held = (number >> place & 1).astype(np.int32)
            ends = pa.array(np.concatenate((np.zeros(1, np.int32), np.cumsum(held, dtype=np.int32))))
            nodes = pa.StructArray.from_arrays([pa.array(np.full(int(held.sum()), "x"))], ["value"])
            columns.append(pa.ListArray.from_arrays(ends, nodes))
        yield pa.RecordBatch.from_arrays(columns, [f"c{place:02}" for place in range(CLASSES)])


def read(records: int) -> tuple[Facts, int]:
    """The facts, and the most bytes that were held to find them."""
    shape = TreeShape.of({f"c{place:02}": None for place in range(CLASSES)})
    form = next(planted(1)).schema
    tracemalloc.start()
    _, facts = read_facts("release", Stream(form, planted(records)), shape, ())
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return facts, most


@pytest.mark.slow
def test_a_million_different_trees(monkeypatch):
    few, many = 1 << 17, 1 << 20
    _, small = read(few)
    facts, large = read(many)
    assert len(facts.counts) == many and facts.nodes == CLASSES // 2 * many
    assert isinstance(facts.held, aside.Aside)
    assert facts.tree.tolist() == list(range(many))
    # 10 nodes of a record take 40 bytes aside
    assert (large - small) / (many - few) <= NUMBERS
    # fewer, with everything in memory, would not pass
    monkeypatch.setattr(aside, "_FEW", 1 << 40)
    monkeypatch.setattr(telling_apart, "MEMBERS", 1 << 40)
    assert (read(2 * few)[1] - read(few)[1]) / few > NUMBERS
