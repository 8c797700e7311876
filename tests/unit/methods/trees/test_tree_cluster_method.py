"""What the method `tree-cluster` decides and refuses."""

from __future__ import annotations

from fractions import Fraction

import pytest

from oracles.trees_by_hand import FIRST, HIERARCHIES, SHAPE
from shoal.data.trees import Forest
from shoal.errors import Infeasible, RecipeError
from shoal.guarantees.kmn_anonymity import KMNAnonymity
from shoal.guarantees.kmn_diversity import KMNDiversity
from shoal.methods.trees.cluster import TreeCluster
from shoal.methods.trees.problem import TreeProblem


class Engine:
    """Three people at two places of one group."""

    def forest(self, hierarchies):
        assert list(hierarchies) == list(SHAPE.names)
        return Forest.of_paths([{(0,)}, {(1,)}, {(0,), (int(FIRST[1]),)}], SHAPE, FIRST)


def decided(*guarantees, **options):
    trees = {name: HIERARCHIES[name] for name in SHAPE.names}
    problem = TreeProblem(trees, {}, guarantees, SHAPE)
    return TreeCluster().decide(Engine(), problem, lambda _: None, **options)


def test_decides_classes_and_their_loss():
    made = decided(KMNAnonymity(3, 2, 1), KMNAnonymity(2, 3, 2))
    assert made.classes == 1
    assert made.recoding.shown.records.tolist() == [3]
    # a third up at every place; the third person loses the other node besides
    assert made.loss == (2 * Fraction(1, 3) + (Fraction(1, 3) + 1) / 2) / 3 / 2


def test_refuses_what_it_cannot_promise():
    with pytest.raises(Infeasible, match="3 records"):
        decided(KMNAnonymity(4, 1, 0))
    with pytest.raises(RecipeError, match="kmn-anonymity alone"):
        decided(KMNDiversity(2, 1, 0, 2, "disease"))


def test_refuses_keys_it_does_not_have():
    method = TreeCluster()
    assert method.problems({"blocks": 500}) == []
    assert len(method.problems({"blocks": 0})) == 1
    assert len(method.problems({"blocks": -1})) == 1
    assert len(method.problems({"seed": 1})) == 1
