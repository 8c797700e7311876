"""Searches over cuts keep the promise, judged from its definition, and find what there is to find on small data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.trees_by_hand import FIRST, HIERARCHIES, SHAPE, forests, keeps, labels_of, relations_of
from shoal.data.trees import Forest, TreeShape
from shoal.errors import Infeasible
from shoal.guarantees.kmn_anonymity import KMNAnonymity
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.methods.trees import counting
from shoal.methods.trees.acs import Acs
from shoal.methods.trees.cuts import Steps
from shoal.methods.trees.gcs import Gcs
from shoal.methods.trees.ground import Ground, Promise
from shoal.methods.trees.ocs import Ocs
from shoal.methods.trees.problem import TreeProblem
from shoal.methods.trees.repair import mended
from shoal.recoding.trees.rules import LEFT_OUT, TreeRecoding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.methods.method import Decision


class Given:
    """An engine that has trees at hand."""

    def __init__(self, forest: Forest) -> None:
        self._forest = forest

    def forest(
        self, hierarchies: Mapping[str, Hierarchy], sensitive: str | None = None, *, most: int | None = None
    ) -> Forest:
        return self._forest


def asked(
    guarantee: KMNAnonymity, shape: TreeShape = SHAPE, trees: Mapping[str, Hierarchy] = HIERARCHIES
) -> TreeProblem:
    return TreeProblem(trees, {}, (guarantee,), shape)


def decide(method: Any, forest: Forest, guarantee: KMNAnonymity, **options: Any) -> Decision:
    engine: Any = Given(forest)
    decision: Decision = method.decide(engine, asked(guarantee), lambda _: None, **options)
    return decision


def shown_records(forest: Forest, recoding: TreeRecoding) -> list[set[tuple[int, ...]]]:
    made = recoding.over(forest)
    return [made.paths(i) for i in range(len(made)) for _ in range(int(forest.records[i]))]


@given(
    forests(8), st.integers(2, 3), st.integers(1, 3), st.integers(0, 2), st.booleans(), st.sampled_from([Gcs(), Ocs()])
)
@settings(max_examples=150, deadline=None)
def test_keep_the_promise(forest: Forest, k: int, m: int, n: int, strict: bool, method: Any) -> None:
    guarantee = KMNAnonymity(k, m, n, "strict" if strict else "pairwise")
    if len(forest) < k:
        with pytest.raises(Infeasible):
            decide(method, forest, guarantee)
        return
    recoding = decide(method, forest, guarantee).recoding
    assert isinstance(recoding, TreeRecoding)
    assert keeps(shown_records(forest, recoding), k, m, n, strict=strict)
    assert method.name == "gcs" or not recoding.apart


@given(forests(6), st.integers(1, 2), st.booleans())
@settings(max_examples=15, deadline=None)
def test_all_cuts_are_no_worse(forest: Forest, m: int, strict: bool) -> None:
    if len(forest) < 2:
        return
    guarantee = KMNAnonymity(2, m, 1, "strict" if strict else "pairwise")
    every = decide(Acs(), forest, guarantee, budget="2s")
    recoding = every.recoding
    assert isinstance(recoding, TreeRecoding)
    assert keeps(shown_records(forest, recoding), 2, m, 1, strict=strict)
    if "nothing was left" in every.tried[0].note:
        # what is taken apart depends on the way to a cut, so not to the last digit
        assert float(every.loss) <= float(decide(Gcs(), forest, guarantee).loss) + 0.1


@given(forests(8), st.integers(2, 3), st.integers(1, 3), st.integers(0, 3), st.booleans())
@settings(max_examples=150, deadline=None)
def test_repair_ends_and_parts_only_what_is_rare(forest: Forest, k: int, m: int, n: int, strict: bool) -> None:
    """At the finest cut whose values keep the promise: nothing that breaks it is left, and no label is lost."""
    if len(forest) < k:
        return  # whoever knows nothing finds fewer than k
    ground = Ground(forest, SHAPE, HIERARCHIES, Promise(k, m, n, strict))
    whole = ground.whole.first_shown
    finest = np.concatenate([np.arange(4) + int(start) for start in whole[:-1]]).astype(np.int32)
    apart = mended(ground, finest, frozenset())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_FEW", 1)
        assert mended(ground, finest, frozenset()) == apart  # counted in two threads
    for name, value in (("_FEW_TRIPLES", -1), ("fit", lambda *_: False)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(counting, name, value)
            assert mended(ground, finest, frozenset()) == apart  # as in large trees, and with very many labels
    bare = ground.recoding(finest, ())
    before = shown_records(forest, bare)
    valid = keeps(before, k, m, 0, strict=False)
    assert (apart is not None) == valid
    if apart is not None:
        after = shown_records(forest, ground.recoding(finest, apart))
        assert keeps(after, k, m, n, strict=strict)
        assert [labels_of(one) for one in after] == [labels_of(one) for one in before]
        assert all(relations_of(one) <= relations_of(other) for one, other in zip(after, before, strict=True))


@given(forests(8))
@settings(max_examples=50, deadline=None)
def test_gains_add_up_to_the_loss_of_values(forest: Forest) -> None:
    """From everything left out to everything shown as it is."""
    ground = Ground(forest, SHAPE, HIERARCHIES, Promise(2, 1, 0, False))
    nodes = np.diff(forest.offsets) > 0
    assert ground.gains.sum() == pytest.approx(float((forest.records * nodes).sum() / forest.records.sum()))
    steps = Steps(ground)
    top = steps.top()
    assert set(top.shown_as.tolist()) == {LEFT_OUT}
    assert len(FIRST) == len(SHAPE.names) + 1


@given(forests(10), st.integers(2, 3), st.integers(2, 3), st.integers(1, 2), st.booleans())
@settings(max_examples=60, deadline=None)
def test_gcs_never_loses_more_than_ocs(forest: Forest, k: int, m: int, n: int, strict: bool) -> None:
    """A cut that needs nothing parted is an answer of gcs as well (ERRATA 000-12)."""
    if len(forest) < k:
        return
    guarantee = KMNAnonymity(k, m, n, "strict" if strict else "pairwise")
    assert decide(Gcs(), forest, guarantee).loss <= decide(Ocs(), forest, guarantee).loss
