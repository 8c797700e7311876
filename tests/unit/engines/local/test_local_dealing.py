"""Records of a tuple that goes to several classes are dealt out in portions; nobody can tell from the result."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from contract.test_apply_groups import grouping
from shoal.data.schema import Column, Role, Schema
from shoal.engines.driver.groups import Parts
from shoal.engines.local import LocalEngine
from shoal.engines.local.apply import groups as apply_groups
from shoal.hierarchies.build import build
from shoal.io.source import from_frame

TUPLES, CLASSES = 40, 7


@pytest.fixture
def split():
    """A table in which most tuples go to two or three classes, and what was decided for each."""
    chance = np.random.default_rng(3)
    parts = [
        (i, int(chance.integers(1, 9)), int(group))
        for i in range(TUPLES)
        for group in chance.choice(CLASSES, chance.integers(1, 4), replace=False)
    ]
    ids = np.repeat([i for i, _, _ in parts], [n for _, n, _ in parts])
    chance.shuffle(ids)
    table = pa.table({"id": ids, "note": [f"n{i % 5}" for i in range(len(ids))], "serial": np.arange(len(ids))})
    return table, parts


def decided(parts):
    """Classes show intervals of one of two widths; the label of each, and the recoding."""
    tree = build({"intervals": [2, 4, 8, 16], "from": 0, "to": 48}, [str(i) for i in range(TUPLES)])
    labels = [tree.label(tree.code(str(16 * (group % 3))), 4 if group < 3 else 5) for group in range(CLASSES)]
    return labels, grouping(
        {"id": tree}, [(label,) for label in labels], [((str(i),), n, group) for i, n, group in parts]
    )


@pytest.mark.parametrize("dealt", [1, 10, 50, 10**9])
def test_every_part_gets_its_records(monkeypatch, split, dealt):
    monkeypatch.setattr(apply_groups, "_DEALT", dealt)
    table, parts = split
    engine = LocalEngine()
    engine.load(
        from_frame(table),
        Schema((Column("id", Role.QUASI), Column("note", Role.SENSITIVE), Column("serial", Role.PLAIN))),
    )
    labels, recoding = decided(parts)
    written = engine.apply(recoding)
    assert (written.records, written.suppressed) == (table.num_rows, 0)
    told = engine.assignment()
    assert sorted(told["other:serial"].to_pylist()) == list(range(table.num_rows))  # each record once
    assert Counter(told["raw:id"].to_pylist()) == Counter(table["id"].to_pylist())
    wanted = Counter()
    for i, n, group in parts:
        wanted[i, labels[group]] += n
    assert Counter(zip(told["raw:id"].to_pylist(), told["shown:id"].to_pylist(), strict=True)) == wanted
    engine.close()


@pytest.mark.parametrize("dealt", [1, 10, 50, 10**9])
def test_portions_are_whole_tuples(monkeypatch, split, dealt):
    monkeypatch.setattr(apply_groups, "_DEALT", dealt)
    made = Parts.of(decided(split[1])[1].recoded)
    portions = list(apply_groups._portions(made))
    assert (len(portions) > 1) == (dealt < 10**9)
    assert sorted(np.concatenate(portions).tolist()) == np.flatnonzero(~made.alone).tolist()
    seen = [set(made.tuples[portion].tolist()) for portion in portions]
    assert sum(map(len, seen)) == len(set().union(*seen))
    largest = max(made.counts[made.tuples == t].sum() for t in range(TUPLES))
    assert all(made.counts[portion].sum() < dealt + largest for portion in portions)


def test_nothing_is_dealt_out_when_every_tuple_is_in_one_class():
    tree = build(None, ["a", "b"])
    recoding = grouping({"id": tree}, [("a",), ("b",)], [(("a",), 3, 0), (("b",), 2, 1)])
    assert list(apply_groups._portions(Parts.of(recoding.recoded))) == []
