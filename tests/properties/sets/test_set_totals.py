"""Numbers of sets counted in parts, from their definitions; and what report and risk say where the sets stay where they are."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from oracles.random_trees import hierarchies
from samples.set_release import baskets, set_recipe
from shoal.data.itemsets import ItemSets
from shoal.hierarchies.hierarchy import depth_cuts
from shoal.loss.sets.release import Generalized
from shoal.loss.sets.ul import utility_loss
from shoal.recoding.sets.items import ItemRecoding
from shoal.release.kinds.sets import assess, describe, losses
from shoal.release.kinds.sets.losses import losses_of, losses_of_totals
from shoal.release.kinds.sets.same import SameSets
from shoal.release.kinds.sets.totals import SetTotals
from shoal.release.run import run

ITEMS = 6


@dataclass(frozen=True)
class ByLength:
    """Two parts: sets with an even and with an odd number of items."""

    def __call__(self, batch):
        return pa.array([len(one) % 2 for one in batch.column(0).to_pylist()], pa.int64())


@st.composite
def recoded(draw):
    """Records one by one, and a recoding in one part or in two that leaves some items out."""
    tree = draw(hierarchies(most=ITEMS).filter(lambda one: None not in one.labels))
    cuts = list(depth_cuts(tree.parents, tree.leaf_count))
    parts = draw(st.integers(1, 2))
    nodes = np.array([draw(st.sampled_from(cuts)) for _ in range(parts)], np.int32).reshape(parts, -1)
    for part in range(parts):
        nodes[part, list(draw(st.sets(st.integers(0, tree.leaf_count - 1), max_size=1)))] = -1
    leaf = st.integers(0, tree.leaf_count - 1)
    records = draw(st.lists(st.sets(leaf, max_size=5).map(sorted), min_size=1, max_size=12))
    return ItemRecoding("items", tree, nodes, ByLength() if parts > 1 else None), records


class InParts:
    """An engine that counts its records in several batches and several workers."""

    def __init__(self, recoding, records, cuts):
        lists = ItemSets.of_codes(records, recoding.items).lists()
        self.records = pa.RecordBatch.from_arrays([lists], ["items"])
        self.edges = sorted({0, *(cut % (len(records) + 1) for cut in cuts), len(records)})

    def count(self, counter, columns):
        parts = [
            self.records.slice(start, stop - start) for start, stop in zip(self.edges[:-1], self.edges[1:], strict=True)
        ]
        handed = [*counter.partials(iter(parts[::2])), *counter.partials(iter(parts[1::2]))]
        table = pa.Table.from_batches(handed).group_by(counter.keys.names).aggregate([("records", "sum")])
        return table.rename_columns([*counter.keys.names, "records"]).sort_by(
            [(name, "ascending") for name in counter.keys.names]
        )

    def map_blocks(self, columns, block_of, kernel, schema):
        different = Counter(tuple(one) for one in self.records.column(0).to_pylist())
        lists = pa.array(sorted(different), self.records.column(0).type)
        numbers = block_of(pa.RecordBatch.from_arrays([lists], columns)).to_numpy()
        table = pa.table({"items": lists, "records": [different[one] for one in sorted(different)]})
        return pa.concat_tables(kernel(table.filter(pa.array(numbers == one))) for one in np.unique(numbers))


def everyone(recoding, records, cuts=(), blocks=1):
    engine = InParts(recoding, records, cuts)
    return SetTotals.of_everyone(engine, recoding, SameSets.of(engine, recoding, blocks * 50_000 - 1))


def by_size(fitting):
    return {size: number for size, number in fitting.by_size.items() if number}


def by_label(sets):
    found = Counter()
    for item, number in zip(sets.items.tolist(), sets.weights.tolist(), strict=True):
        found[item] += number
    return found


@settings(deadline=None)
@given(recoded(), st.lists(st.integers(0, 30), max_size=4), st.integers(1, 3))
def test_all_is_as_defined(case, cuts, blocks):
    recoding, records = case
    part = [len(record) % 2 if recoding.part_of else 0 for record in records]
    nodes = [[int(recoding.nodes[p, item]) for item in record] for p, record in zip(part, records, strict=True)]
    shown = [frozenset(node for node in one if node >= 0) for one in nodes]
    held = [frozenset(record) for record in records]
    holders, showing = (Counter(item for one in sets for item in one) for sets in (held, shown))
    totals = everyone(recoding, records, cuts, blocks)

    assert totals.before == Counter(map(len, held)) and totals.after == Counter(map(len, shown))
    assert by_label(totals.release.originals) == holders and by_label(totals.shown) == showing
    became, pairs = Counter(), Counter()
    for record, one in zip(records, nodes, strict=True):
        became.update(zip(record, one, strict=True))
    release = totals.release
    for item, node, number in zip(release.originals.items, release.nodes, release.originals.counts, strict=True):
        pairs[int(item), int(node)] += int(number)
    assert pairs == became
    for (one, *some, every), sets, supports in (
        (totals.knowing_before, held, holders),
        (totals.knowing_after, shown, showing),
    ):
        assert by_size(one) == Counter(min([len(records), *(supports[item] for item in mine)]) for mine in sets)
        assert some == [None, None]
        same = Counter(sets)
        assert by_size(every) == Counter(same[mine] for mine in sets)

    width = (recoding.hierarchy.last - recoding.hierarchy.first + 1).tolist()
    sizes = [
        [width[node] for node in mine] + [recoding.hierarchy.leaf_count] * (-1 in one)
        for mine, one in zip(shown, nodes, strict=True)
    ]
    exact = sum(map(utility_loss, sizes), Fraction(0)) / len(records)
    assert abs(totals.losses["ul"] - exact) < 1e-8


@settings(deadline=None)
@given(recoded(), st.lists(st.integers(0, 30), max_size=4), st.integers(1, 3))
def test_however_records_are_divided_the_numbers_are_the_same(case, cuts, blocks):
    recoding, records = case
    whole, parts = everyone(recoding, records, blocks=blocks), everyone(recoding, records, cuts, blocks)
    assert parts.losses == whole.losses
    assert (parts.before, parts.after) == (whole.before, whole.after)


@settings(deadline=None)
@given(recoded())
def test_losses_are_those_of_sets_at_hand(case):
    """But for the queries of ARE, which are drawn from a sample in another order."""
    recoding, records = case
    counts, parts = np.ones(len(records), np.int64), np.zeros(len(records), np.int64)
    if recoding.part_of:
        parts = np.array([len(record) % 2 for record in records])
    sets = ItemSets.of_codes(records, recoding.items)
    plain = losses_of(Generalized.of(sets, counts, recoding, parts))
    made = losses_of_totals(everyone(recoding, records))
    assert made.keys() == plain.keys()
    assert all(made[name] == pytest.approx(plain[name], abs=1e-7) for name in plain if name != "are")


def test_a_report_of_sets_that_stay_where_they_are_tells_the_same_numbers(monkeypatch, tmp_path):
    described = []
    describe_sets = describe.describe_sets
    monkeypatch.setattr(describe, "describe_sets", lambda *a: described.append(describe_sets(*a)) or described[-1])
    for limit in (losses.MOST, 3):
        monkeypatch.setattr(losses, "MOST", limit)
        assert run(set_recipe(tmp_path, "apriori")).verdict.passed
    whole, some = described
    for name in ("records", "column", "set_sizes", "supports", "labels", "private_facts"):
        assert getattr(some.facts, name) == getattr(whole.facts, name), name
        if name in ("set_sizes", "supports"):
            assert getattr(some.public, name) == getattr(whole.public, name), name
    assert some.book == whole.book
    assert len(some.facts.attackers) == 4 == len(whole.facts.attackers)
    for one, other in zip(some.facts.attackers, whole.facts.attackers, strict=True):
        if other.knows in (2, 3):
            assert one.before is one.after is None and other.before is not None
        else:
            assert one == other
    assert {name: some.losses[name] for name in ("item-ncp", "ul", "qe")} == pytest.approx(
        {name: whole.losses[name] for name in ("item-ncp", "ul", "qe")}, abs=1e-7
    )


def test_the_risk_of_sets_that_stay_where_they_are_is_the_same(monkeypatch):
    table = pa.table({"items": [items for items, _ in baskets()]})
    whole = shoal.risk(table, quasi="items")
    monkeypatch.setattr(assess, "MOST", 3)
    some = shoal.risk(table, quasi="items")
    assert replace(some, known=()) == replace(whole, known=())
    plain = [one for one in whole.known if one.items in (None, 1)]
    assert [asdict(one) for one in some.known] == [pytest.approx(asdict(one)) for one in plain]
    assert any("more than 1 were too many" in line.text for line in some.lines())
