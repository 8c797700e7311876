"""Searches over cuts keep diversity of a sensitive value, judged from the definition."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.trees_by_hand import FIRST, HIERARCHIES, SHAPE, fits, keeps, keeps_diversity
from shoal.data.trees import Forest
from shoal.errors import Infeasible, RecipeError
from shoal.guarantees.kmn_anonymity import KMNAnonymity
from shoal.guarantees.kmn_diversity import KMNDiversity
from shoal.methods.trees.acs import Acs
from shoal.methods.trees.cuts import Steps
from shoal.methods.trees.decision import promise_of
from shoal.methods.trees.gcs import Gcs
from shoal.methods.trees.ground import Ground, Promise
from shoal.methods.trees.ocs import Ocs
from shoal.methods.trees.problem import TreeProblem
from shoal.methods.trees.repair import mended
from shoal.recoding.trees.rules import TreeRecoding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hypothesis.strategies import DrawFn

    from shoal.guarantees.guarantee import Guarantee
    from shoal.hierarchies.hierarchy import Hierarchy
    from shoal.methods.method import Decision


class Given:
    """An engine that has trees at hand."""

    def __init__(self, forest: Forest) -> None:
        self._forest = forest

    def forest(
        self, hierarchies: Mapping[str, Hierarchy], sensitive: str | None = None, *, most: int | None = None
    ) -> Forest:
        assert sensitive == "ill"
        return self._forest


@st.composite
def with_values(draw: DrawFn) -> Forest:
    """Records that have much in common, and values that mostly differ: most promises can be kept, and cost something."""
    rows = draw(st.sampled_from([overlapping, rearranged]).flatmap(lambda one: one()))
    number = draw(st.integers(2, 5))
    hidden = draw(st.sampled_from([0, 1, 1, 1]))  # the least value: mostly none is hidden
    values = draw(st.lists(st.integers(hidden, number), min_size=len(rows), max_size=len(rows)))
    records = draw(st.lists(st.integers(1, 2), min_size=len(rows), max_size=len(rows)))
    forest = Forest.of_paths(rows, SHAPE, FIRST)
    return replace(forest, records=np.array(records, np.int64), values=np.array(values, np.int64))


PLACE, ILLNESS, CURE = (int(FIRST[SHAPE.names.index(name)]) for name in ("place", "illness", "cure"))


@st.composite
def overlapping(draw: DrawFn) -> list[set[tuple[int, ...]]]:
    """Few paths, of which each record has some."""
    path = st.tuples(*(st.sampled_from([None, first, first + 1, first + 2]) for first in (PLACE, ILLNESS, CURE)))
    paths = [tuple(label for label in one if label is not None) for one in draw(st.lists(path, min_size=2, max_size=5))]
    return draw(st.lists(st.sets(st.sampled_from(paths), max_size=3), min_size=2, max_size=9))


@st.composite
def rearranged(draw: DrawFn) -> list[set[tuple[int, ...]]]:
    """All records have the same values, hung below one another in different ways."""
    made = []
    for _ in range(draw(st.integers(4, 10))):
        places = [(), (PLACE,), (PLACE + 1,)]
        illnesses = [(*draw(st.sampled_from(places)), ILLNESS + i) for i in range(2)]
        cure = (*draw(st.sampled_from([*places, *illnesses])), CURE)
        made.append({*places, *illnesses, cure})
    return made


def decide(method: Any, forest: Forest, *guarantees: Guarantee, **options: Any) -> Decision:
    engine: Any = Given(forest)
    problem = TreeProblem(HIERARCHIES, {}, guarantees, SHAPE)
    decision: Decision = method.decide(engine, problem, lambda _: None, **options)
    return decision


def every(forest: Forest, recoding: TreeRecoding) -> tuple[list[set[tuple[int, ...]]], list[int]]:
    """What each record shows, and its value."""
    made = recoding.over(forest)
    assert made.values is not None
    numbers = np.repeat(np.arange(len(made)), forest.records)
    return [made.paths(int(i)) for i in numbers], made.values[numbers].tolist()


@given(
    with_values(),
    st.integers(2, 3),
    st.integers(1, 3),
    st.integers(0, 2),
    st.integers(2, 3),
    st.sampled_from(["distinct", "frequency"]),
    st.sampled_from(["strict", "pairwise"]),
    st.sampled_from([Gcs(), Ocs()]),
)
@settings(max_examples=250, deadline=None)
def test_keep_diversity(
    forest: Forest,
    k: int,
    m: int,
    n: int,
    l: int,
    form: Any,
    mode: Any,
    method: Any,
) -> None:
    guarantee = KMNDiversity(k, m, n, l, "ill", form, mode)
    whole = np.repeat(forest.values, forest.records).tolist()
    if not fits(whole, k, l, form):
        with pytest.raises(Infeasible):
            decide(method, forest, guarantee)
        return
    recoding = decide(method, forest, guarantee).recoding
    assert isinstance(recoding, TreeRecoding)
    records, values = every(forest, recoding)
    assert keeps_diversity(records, values, k, m, n, l, form, strict=mode == "strict")
    assert method.name == "gcs" or not recoding.apart


@given(with_values(), st.integers(1, 2), st.sampled_from(["distinct", "frequency"]))
@settings(max_examples=12, deadline=None)
def test_all_cuts_keep_diversity(forest: Forest, m: int, form: Any) -> None:
    if not fits(np.repeat(forest.values, forest.records).tolist(), 2, 2, form):
        return
    guarantee = KMNDiversity(2, m, 1, 2, "ill", form)
    decision = decide(Acs(), forest, guarantee, budget="1s")
    assert isinstance(decision.recoding, TreeRecoding)
    records, values = every(forest, decision.recoding)
    assert keeps_diversity(records, values, 2, m, 1, 2, form, strict=True)
    if "nothing was left" in decision.tried[0].note:
        # what is taken apart depends on the way to a cut, so not to the last digit
        assert float(decision.loss) <= float(decide(Gcs(), forest, guarantee).loss) + 0.1


@given(
    with_values(),
    st.integers(2, 3),
    st.integers(1, 3),
    st.integers(0, 3),
    st.sampled_from(["distinct", "frequency"]),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_repair_is_possible_when_values_alone_are_diverse(
    forest: Forest, k: int, m: int, n: int, form: str, strict: bool
) -> None:
    """At the finest cut, and only then."""
    if not fits(np.repeat(forest.values, forest.records).tolist(), k, 2, form):
        return
    promise = Promise(k, m, n, strict, 2 if form == "distinct" else 0, 2 if form == "frequency" else 0)
    ground = Ground(forest, SHAPE, HIERARCHIES, promise)
    finest = np.concatenate([np.arange(4) + int(start) for start in ground.whole.first_shown[:-1]]).astype(np.int32)
    apart = mended(ground, finest, frozenset())
    before, values = every(forest, ground.recoding(finest, ()))
    assert (apart is not None) == keeps_diversity(before, values, k, m, 0, 2, form, strict=False)
    if apart is not None:
        after, values = every(forest, ground.recoding(finest, apart))
        assert keeps_diversity(after, values, k, m, n, 2, form, strict=strict)


@given(with_values(), st.integers(1, 2), st.sampled_from(["distinct", "frequency"]), st.booleans(), st.data())
@settings(max_examples=150, deadline=None)
def test_a_walk_knows_where_it_may_stop(forest: Forest, m: int, form: str, may_part: bool, data: st.DataObject) -> None:
    """However one goes from cut to cut: what the steps say of the values of a cut is what counting all of it says."""
    if not fits(np.repeat(forest.values, forest.records).tolist(), 2, 2, form):
        return
    promise = Promise(2, m, 1, False, 2 if form == "distinct" else 0, 2 if form == "frequency" else 0)
    ground = Ground(forest, SHAPE, HIERARCHIES, promise)
    steps = Steps(ground, may_part)
    cut = steps.top()
    for _ in range(data.draw(st.integers(1, 8))):
        openings = steps.openings(cut)
        if not openings:
            break
        finer = steps.step(cut, data.draw(st.sampled_from(openings)))
        if finer is None:
            continue
        cut = finer
        records, values = every(forest, ground.recoding(cut.shown_as, ()))
        asked = 0 if may_part else 1  # relations can be taken apart, or they count
        assert cut.is_solution == keeps_diversity(records, values, 2, m, asked, 2, form, strict=False)
        assert keeps(records, 2, m, asked, strict=False)


def test_several_promises_are_one() -> None:
    made = promise_of(
        [
            KMNAnonymity(5, 2, 1, "pairwise"),
            KMNDiversity(3, 1, 0, 4, "ill", "distinct", "pairwise"),
            KMNDiversity(2, 1, 0, 2, "ill", "frequency"),
        ]
    )
    assert made == Promise(5, 2, 1, True, 4, 2)
    assert made.bounds == (5, 4, 2)


def test_two_columns_are_refused() -> None:
    promises = KMNDiversity(2, 1, 0, 2, "ill"), KMNDiversity(2, 1, 0, 2, "wage")
    with pytest.raises(RecipeError, match="one sensitive column, not of 'ill', 'wage'"):
        decide(Gcs(), Forest.of_paths([[]], SHAPE, FIRST), *promises)


@pytest.mark.parametrize(("form", "told"), [("distinct", "has 1 different"), ("frequency", "3 of 4 records may")])
def test_the_whole_data_must_be_diverse(form: Any, told: str) -> None:
    forest = replace(Forest.of_paths([[]] * 4, SHAPE, FIRST), values=np.array([1, 1, 0, 2 * (form != "distinct")]))
    with pytest.raises(Infeasible, match=told) as found:
        decide(Gcs(), forest, KMNDiversity(2, 1, 0, 2, "ill", form))
    assert "'ill'" in str(found.value)
