"""Who knows what a person does not have, beside what she has: attacks from the definition on what searches decide."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.trees_by_hand import FIRST, HIERARCHIES, SHAPE, fits, labels_of, relations_of
from shoal.data.trees import Forest
from shoal.errors import Infeasible
from shoal.guarantees.kmn_anonymity import KMNAnonymity
from shoal.guarantees.kmn_diversity import KMNDiversity
from shoal.methods.trees.acs import Acs
from shoal.methods.trees.cuts import Steps
from shoal.methods.trees.gcs import Gcs
from shoal.methods.trees.ground import Ground, Promise
from shoal.methods.trees.ocs import Ocs
from shoal.methods.trees.problem import TreeProblem
from shoal.methods.trees.repair import repaired
from shoal.recoding.trees.rules import LEFT_OUT, TreeRecoding
from shoal.verifier.trees.denials import passed_over
from shoal.verifier.trees.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hypothesis.strategies import DrawFn

    from shoal.guarantees.guarantee import Guarantee
    from shoal.hierarchies.hierarchy import Hierarchy

PLACE, ILLNESS = (int(FIRST[SHAPE.names.index(name)]) for name in ("place", "illness"))
Negated = dict[str, tuple[str, ...]]


class Given:
    def __init__(self, forest: Forest) -> None:
        self._forest = forest

    def forest(
        self, hierarchies: Mapping[str, Hierarchy], sensitive: str | None = None, *, most: int | None = None
    ) -> Forest:
        return self._forest


@st.composite
def people(draw: DrawFn) -> Forest:
    """Many have the same: what somebody lacks tells as much as what she has."""
    row = st.sets(
        st.tuples(st.integers(0, 2), st.sampled_from([None, 0, 1])).map(
            lambda one: (PLACE + one[0],) if one[1] is None else (PLACE + one[0], ILLNESS + one[1])
        ),
        max_size=4,
    )
    rows = draw(st.lists(row, min_size=1, max_size=5))
    records = draw(st.lists(st.integers(1, 5), min_size=len(rows), max_size=len(rows)))
    values = draw(st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows)))
    return replace(
        Forest.of_paths(rows, SHAPE, FIRST), records=np.array(records, np.int64), values=np.array(values, np.int64)
    )


NEGATED = st.fixed_dictionaries(
    {
        name: st.lists(st.sampled_from([f"{name}{i}" for i in range(4)]), min_size=1, max_size=3, unique=True).map(
            tuple
        )
        for name in ("place", "illness")
    }
)


def decided(method: Any, forest: Forest, guarantee: Guarantee, negated: Negated, **options: Any) -> TreeRecoding:
    engine: Any = Given(forest)
    problem = TreeProblem(HIERARCHIES, {}, (guarantee,), SHAPE, negated)
    recoding = method.decide(engine, problem, lambda _: None, **options).recoding
    assert isinstance(recoding, TreeRecoding)
    return recoding


def original(negated: Negated) -> set[int]:
    return {
        int(FIRST[SHAPE.names.index(name)]) + int(HIERARCHIES[name].labels.index(value))
        for name, values in negated.items()
        for value in values
    }


def withstands(
    forest: Forest, recoding: TreeRecoding, negated: Negated, k: int, m: int, n: int, diverse: tuple[int, str] | None
) -> bool:
    """Whoever knows labels that a record shows, some pairs of them, and values that it does not hold: m together at most."""
    shown_as = recoding.shown_as
    stands_for: dict[int, set[int]] = {}
    for value, label in enumerate(shown_as.tolist()):
        if label != LEFT_OUT:
            stands_for.setdefault(label, set()).add(value)
    shown = recoding.over(forest)
    numbers = np.repeat(np.arange(len(forest)), forest.records).tolist()
    after = [shown.paths(i) for i in numbers]
    published = [(labels_of(paths), relations_of(paths)) for paths in after]
    assert forest.values is not None
    values = forest.values[numbers].tolist()
    for number, (labels, relations) in zip(numbers, published, strict=True):
        lacks = sorted(original(negated) - labels_of(forest.paths(number)))
        for size in range(m + 1):
            for absent in range(min(size, len(lacks)) + 1):
                for known in combinations(sorted(labels), size - absent):
                    pairs = [pair for pair in relations if set(pair) <= set(known)]
                    for told in (chosen for j in range(n + 1) for chosen in combinations(pairs, j)):
                        for without in combinations(lacks, absent):
                            out = {label for label, held in stands_for.items() if held <= set(without)}
                            fitting = [
                                value
                                for value, (a, b) in zip(values, published, strict=True)
                                if set(known) <= a and set(told) <= b and not out & a
                            ]
                            if len(fitting) < k or (diverse and not fits(fitting, k, *diverse)):
                                return False
    return True


@given(people(), NEGATED, st.integers(2, 3), st.integers(1, 3), st.integers(0, 1), st.sampled_from([Gcs(), Ocs()]))
@settings(max_examples=150, deadline=None)
def test_absence_is_no_better_known(forest: Forest, negated: Negated, k: int, m: int, n: int, method: Any) -> None:
    if int(forest.records.sum()) < k:
        return
    recoding = decided(method, forest, KMNAnonymity(k, m, n), negated)
    assert withstands(forest, recoding, negated, k, m, n, None)


@given(people(), NEGATED, st.integers(1, 2), st.sampled_from(["distinct", "frequency"]))
@settings(max_examples=60, deadline=None)
def test_absence_and_diversity(forest: Forest, negated: Negated, m: int, form: Any) -> None:
    try:
        recoding = decided(Gcs(), forest, KMNDiversity(2, m, 1, 2, "ill", form), negated)
    except Infeasible:
        return
    assert withstands(forest, recoding, negated, 2, m, 1, (2, form))


@given(people(), NEGATED)
@settings(max_examples=10, deadline=None)
def test_all_cuts_withstand_absence(forest: Forest, negated: Negated) -> None:
    if int(forest.records.sum()) < 2:
        return
    recoding = decided(Acs(), forest, KMNAnonymity(2, 2, 1), negated, budget="1s")
    assert withstands(forest, recoding, negated, 2, 2, 1, None)


@given(people(), NEGATED, st.integers(1, 3), st.data())
@settings(max_examples=100, deadline=None)
def test_verifier_and_search_pass_over_the_same_labels(
    forest: Forest, negated: Negated, m: int, data: st.DataObject
) -> None:
    """Cut by cut, and each by its own code."""
    ground = Ground(forest, SHAPE, HIERARCHIES, Promise(2, m, 0, False), negated)
    steps = Steps(ground)
    cut = steps.top()
    for _ in range(data.draw(st.integers(1, 8))):
        openings = steps.openings(cut)
        if not openings:
            break
        cut = steps.step(cut, data.draw(st.sampled_from(openings))) or cut
    recoding = ground.recoding(cut.shown_as, ())
    rules = Rules.read(recoding.to_json())
    alone = {
        int(cut.shown_as[ground.denials.values[i - ground.denials.first]]) for i in ground.denials.shown(cut.shown_as)
    }
    together = set(ground.denials.together(cut.shown_as, range(ground.labels), m).tolist())
    assert not alone & together
    held = set(recoding.over(forest).labels.tolist())
    for number, name in enumerate(SHAPE.names):
        labels = [label for label in sorted(held) if recoding.class_of(label) == number]
        texts = [recoding.name_of(label)[1] for label in labels]
        told = passed_over(name, texts, frozenset(negated.get(name, ())), HIERARCHIES[name], rules, m)
        assert told == [recoding.name_of(label)[1] for label in labels if label in alone | together]
    # a label that can be passed over only by several absent values together is in no solution
    assert not cut.is_solution or not together & set(cut.shown_as.tolist())


def test_what_nearly_everybody_has_is_blurred() -> None:
    """One of ten lacks what the others have. Nobody is told by what she has, but who may be known to lack it is."""
    rows = [[(PLACE,), (PLACE + 1,)]] * 9 + [[(PLACE + 1,)]]
    forest = replace(Forest.of_paths(rows, SHAPE, FIRST), values=np.ones(10, np.int64))
    promise, negated = KMNAnonymity(2, 1, 0), {"place": ("place0",)}
    plain = decided(Gcs(), forest, promise, {})
    assert plain.nodes[0][:2].tolist() == [0, 1]
    assert not withstands(forest, plain, negated, 2, 1, 0, None)
    careful = decided(Gcs(), forest, promise, negated)
    assert careful.nodes[0][0] != 0
    assert withstands(forest, careful, negated, 2, 1, 0, None)


def test_several_absent_values_pass_over_their_label() -> None:
    """Both values of a group may be known to be absent: who knows both passes over the group."""
    rows = [[(PLACE,), (PLACE + 2,)], [(PLACE + 1,), (PLACE + 2,)], [(PLACE + 2,)]] * 2
    forest = Forest.of_paths(rows[:5], SHAPE, FIRST)
    negated = {"place": ("place0", "place1")}
    group = HIERARCHIES["place"].node("placea")
    shown_as = np.full(24, LEFT_OUT, np.int32)
    shown_as[:4] = [group, group, 2, 3]
    for m, told in ((1, []), (2, [group])):
        ground = Ground(forest, SHAPE, HIERARCHIES, Promise(2, m, 0, False), negated)
        assert ground.denials.together(shown_as, range(ground.labels), m).tolist() == told
        found = repaired(ground, shown_as, frozenset())
        assert found is not None
        assert found.skewed.tolist() == [[group, *[-1] * (m - 1)] for group in told]
