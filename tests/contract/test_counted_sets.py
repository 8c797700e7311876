"""What report and risk of very many different sets are made of is the same on every engine."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pyarrow as pa

from shoal.data.itemsets import ItemSets
from shoal.data.schema import Column, Role, Schema
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.io.source import Source
from shoal.loss.sets.release import Generalized
from shoal.recoding.sets.items import ItemRecoding
from shoal.release.kinds.sets.losses import losses_of, losses_of_totals
from shoal.release.kinds.sets.same import SameSets
from shoal.release.kinds.sets.totals import SetTotals

TREE = Hierarchy.from_paths(
    [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cde", "*"), ("d", "cde", "*"), ("e", "cde", "*")]
)
SHOWN = np.array([[TREE.code("a"), TREE.code("b"), *[TREE.parents[TREE.code("c")]] * 2, -1]], np.int32)
RECODING = ItemRecoding("items", TREE, SHOWN)


def test_sets_are_counted_where_they_are(engine):
    rng = np.random.default_rng(4)
    records = [np.unique(rng.integers(0, 5, size)).tolist() for size in rng.integers(0, 5, 200)]
    sets = ItemSets.of_codes(records, RECODING.items)
    table = pa.table({"items": sets.lists()})
    engine.load(Source("arrow", ("items",), table=table), Schema((Column("items", Role.QUASI, "set"),)))
    with patch("shoal.release.kinds.sets.same._IN_BLOCK", 70):
        same = SameSets.of(engine, RECODING, len(records))
    assert same.different == len(set(map(tuple, records)))
    taken = [tuple(sorted(one)) for one in np.split(same.sample.items, same.sample.offsets[1:-1])]
    assert {tuple(map(int, one)): n for one, n in zip(taken, same.sample.counts.tolist(), strict=True)} == {
        tuple(one): records.count(one) for one in records
    }
    made = SetTotals.of_everyone(engine, RECODING, same)
    counts = np.ones(len(records), np.int64)
    whole = SetTotals.of(Generalized.of(sets, counts, RECODING, np.zeros(len(records), np.int64)))
    assert (made.before, made.after) == (whole.before, whole.after)
    for mine, plain in ((made.knowing_before, whole.knowing_before), (made.knowing_after, whole.knowing_after)):
        assert [mine[0].by_size, mine[3].by_size] == [plain[0].by_size, plain[3].by_size]
    losses, plain = losses_of_totals(made), losses_of(whole.release)
    assert losses.keys() == plain.keys()
    assert all(abs(losses[name] - plain[name]) < 1e-7 for name in ("item-ncp", "ul", "qe"))
