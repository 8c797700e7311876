"""Trees decided on a sample: all records keep the promise, judged from its definition."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.trees_by_hand import HIERARCHIES, SHAPE, forests, keeps
from shoal.data.trees import TREE, Forest
from shoal.guarantees.kmn_anonymity import KMNAnonymity
from shoal.methods.trees import everyone
from shoal.methods.trees.gcs import Gcs
from shoal.methods.trees.ground import Ground, Promise
from shoal.methods.trees.inplace import Inplace
from shoal.methods.trees.ocs import Ocs
from shoal.methods.trees.problem import TreeProblem
from shoal.methods.trees.settle import settled
from shoal.recoding.trees.rules import LEFT_OUT, TreeRecoding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.engines.engine import Counter
    from shoal.hierarchies.hierarchy import Hierarchy


class Sampled:
    """An engine that hands over some of its trees, and counts all of them in two parts."""

    def __init__(self, forest: Forest, chosen: list[int]) -> None:
        self.all, self.chosen = forest, chosen

    def forest(
        self, hierarchies: Mapping[str, Hierarchy], sensitive: str | None = None, *, most: int | None = None
    ) -> Forest:
        packed = self.all.packed().take(pa.array(self.chosen))
        some = Forest.of_packed(packed, self.all.records[self.chosen])
        return replace(some, sampled_from=int(self.all.records.sum()))

    def count_trees(
        self,
        counter: Counter,
        hierarchies: Mapping[str, Hierarchy],
        *,
        at_least: int | None = None,
        at_most: int | None = None,
    ) -> pa.Table:
        records = pa.RecordBatch.from_arrays(
            [self.all.packed().take(pa.array(np.repeat(np.arange(len(self.all)), self.all.records)))], [TREE]
        )
        half = records.num_rows // 2
        parts = [*counter.partials(iter([records.slice(0, half)])), *counter.partials(iter([records.slice(half)]))]
        table = pa.Table.from_batches(parts).group_by(counter.keys.names).aggregate([("records", "sum")])
        table = table.rename_columns([*counter.keys.names, "records"]).sort_by(
            [(n, "ascending") for n in counter.keys.names]
        )
        return table.filter(pa.compute.less_equal(table["records"], at_most))


def all_of(forest: Forest, recoding: TreeRecoding) -> list[set[tuple[int, ...]]]:
    shown = recoding.over(forest)
    return [shown.paths(i) for i in range(len(shown)) for _ in range(int(forest.records[i]))]


@given(
    st.data(),
    forests(9),
    st.integers(2, 3),
    st.integers(1, 3),
    st.integers(0, 2),
    st.booleans(),
    st.sampled_from([Gcs(), Ocs()]),
)
@settings(max_examples=120, deadline=None)
def test_all_records_keep_the_promise(
    data: Any, forest: Forest, k: int, m: int, n: int, strict: bool, method: Any
) -> None:
    if int(forest.records.sum()) < k:
        return
    chosen = data.draw(st.lists(st.integers(0, len(forest) - 1), min_size=1, unique=True))
    engine: Any = Sampled(forest, sorted(chosen))
    problem = TreeProblem(HIERARCHIES, {}, (KMNAnonymity(k, m, n, "strict" if strict else "pairwise"),), SHAPE)
    decision = method.decide(engine, problem, lambda _: None)
    assert keeps(all_of(forest, decision.recoding), k, m, n, strict=strict)
    assert method.name == "gcs" or not decision.recoding.apart
    assert f"all {int(forest.records.sum()):,} records" in decision.tried[0].note


def test_nothing_is_left_out_in_place_by_a_sample() -> None:
    first = np.cumsum([0, *(HIERARCHIES[name].leaf_count for name in SHAPE.names)])
    forest = Forest.of_paths([[(0,)], [(0,), (int(first[1]),)], [(1,)], [(1,)]], SHAPE, first)
    engine: Any = Sampled(forest, [0, 1])
    problem = TreeProblem(HIERARCHIES, {}, (KMNAnonymity(2, 1, 0, "strict"),), SHAPE)
    decision = Inplace().decide(engine, problem, lambda _: None)
    assert isinstance(decision.recoding, TreeRecoding) and not decision.recoding.out
    assert decision.tried[-1].loss is None and "nothing is left out in place" in decision.tried[-1].note


@given(
    forests(8), st.integers(2, 4), st.integers(1, 3), st.integers(0, 2), st.booleans(), st.booleans(), st.integers(0, 5)
)
@settings(max_examples=120, deadline=None)
def test_from_every_value_shown(
    forest: Forest, k: int, m: int, n: int, strict: bool, may_part: bool, gentle: int
) -> None:
    """The cut that shows everything is made coarser until all is well, and no value is shown finer than before."""
    if int(forest.records.sum()) < k:
        return
    promise = Promise(k, m, n, strict)
    engine: Any = Sampled(forest, [0])
    ground = Ground(forest, SHAPE, HIERARCHIES, promise, everyone=everyone.Everyone(engine, promise))
    leaves = np.concatenate(
        [
            np.arange(HIERARCHIES[name].leaf_count) + start
            for name, start in zip(SHAPE.names, ground.whole.first_shown[:-1], strict=True)
        ]
    ).astype(np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.methods.trees.settle.GENTLE", gentle)
        shown_as, apart = settled(ground, leaves, frozenset(), may_part=may_part)
    assert keeps(all_of(forest, ground.recoding(shown_as, apart)), k, m, n, strict=strict)
    assert may_part or not apart


@given(forests(7), st.integers(1, 3), st.integers(0, 2), st.booleans())
@settings(max_examples=80, deadline=None)
def test_breaches_are_those_of_the_definition(forest: Forest, m: int, n: int, strict: bool) -> None:
    """Values alone: every combination that fewer than k records hold comes back, with their number."""
    promise = Promise(3, m, n, strict)
    engine: Any = Sampled(forest, [0])
    ground = Ground(forest, SHAPE, HIERARCHIES, promise)
    roots = np.full(ground.values, LEFT_OUT, np.int32)
    for number in range(len(SHAPE.names)):
        root = ground.children[ground.labels + number][0]
        for child in ground.children[root]:
            roots[ground.span(child)] = child
    found = everyone.Everyone(engine, promise).breaches(ground, roots, frozenset())
    alone = {one.labels: one.records for one in found if not one.relations}
    held = [{label for path in paths for label in path} for paths in all_of(forest, ground.recoding(roots, ()))]
    expected = {}
    for size in range(1, m + 1):
        for some in combinations(sorted(set().union(*held)), size):
            records = sum(set(some) <= labels for labels in held)
            if 0 < records < 3:
                expected[some] = records
    assert alone == expected


def test_a_sample_is_asked_for_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(everyone, "SLACK", 0.0)
    forest = Forest(np.zeros(3, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32), np.array([20, 5]))
    promise = Promise(20, 2, 1, True)
    assert everyone.of_sample(promise, forest) == promise
    assert everyone.of_sample(promise, replace(forest, sampled_from=100)).k == 5
    assert everyone.of_sample(promise, replace(forest, sampled_from=25)).k == 20
