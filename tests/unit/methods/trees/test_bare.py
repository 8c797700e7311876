"""Classes that are always there: what is missing would tell that it was left out."""

from __future__ import annotations

import pytest

from oracles.possible_worlds import Case, World, counts, published, recoded, tree
from shoal.methods.trees.bare import always_there, telling
from shoal.verifier.hierarchies.hierarchy import Hierarchy
from shoal.verifier.trees.behind import Behind
from shoal.verifier.trees.rules import Rules

AB = World({"a": None, "b": "a"}, {"a": 2, "b": 2})
EVERY = [tree("a1>b1")] * 2 + [tree("a2>b2")] * 3 + [tree("a2>b1", "a2>b2")]
ALSO_WITHOUT = [*EVERY, tree("a2"), tree("a2")]


@pytest.mark.parametrize(("people", "always"), [(EVERY, {1}), (ALSO_WITHOUT, set())])
def test_a_class_that_is_always_there(people, always):
    assert always_there(Case(AB, people, 2, 2, 1, strict=True).ground()) == always
    assert always_there(Case(AB, people, 3, 2, 1, strict=True).ground()) == {1}  # two records are too few


@pytest.mark.parametrize(("people", "told"), [(EVERY, {1}), (ALSO_WITHOUT, set())])
def test_what_tells_by_what_is_not_there_is_seen_by_search_and_verifier_alike(people, told):
    case = Case(AB, people, 2, 2, 1, strict=True)
    recoding = recoded(case, {}, [("a1", "b1")])
    assert telling(case.ground(), recoding.shown_as, recoding.out) == told
    hierarchies = {name: Hierarchy.of([(f"{name}{i}", "*") for i in (1, 2)]) for name in "ab"}
    behind = Behind(published(case, recoding), Rules.read(recoding.to_json()), hierarchies)
    assert bool(list(behind.bare(2))) == bool(told)


def test_counts_alone_do_not_see_it():
    case = Case(AB, [*[tree("a1>b1")] * 2, *[tree("a2>b2")] * 2, *[tree("a2>b1")] * 2], 2, 2, 1, strict=True)
    recoding = recoded(case, {}, [("a1", "b1")])
    assert all(judged.check.passed for judged in counts(case, recoding))
    assert telling(case.ground(), recoding.shown_as, recoding.out) == {1}
