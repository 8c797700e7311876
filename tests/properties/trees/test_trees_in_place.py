"""Labels left out in place betray nobody: held against every tree that could stand behind a published one."""

from __future__ import annotations

import random

import numpy as np
import pytest

from oracles.possible_worlds import Case, accepted, by_chance, recoded
from shoal.kernels.trees.behind import behind
from shoal.kernels.trees.blurring import OUT, apart_table
from shoal.kernels.trees.placing import Showing, Trees
from shoal.methods.trees.certifying import certified
from shoal.methods.trees.cuts import Steps


@pytest.mark.slow
def test_what_the_verifier_accepts_betrays_nobody() -> None:
    """Rules by chance: of what passes all three counts, everything true of somebody may stand behind k records, whichever values
    are known to occur once. More cases: `benchmarks/trees/worlds.py`."""
    rng = random.Random(1)
    passed = refused = 0
    for _ in range(1600):
        case = Case.drawn(rng)
        recoding = by_chance(case, rng)
        if recoding.out and accepted(case, recoding):
            passed += 1
            assert case.betrayal(recoding) is None, (case, recoding.to_json())
        elif recoding.out and refused < 100:
            refused += case.betrayal(recoding) is not None
    assert passed >= 200
    assert refused == 100  # there was something to refuse


@pytest.mark.slow
def test_what_the_search_certifies_is_accepted_and_betrays_nobody() -> None:
    rng = random.Random(2)
    released = 0
    for _ in range(400):
        case = Case.drawn(rng)
        ground = case.ground()
        cut = recoded(case, {}, []) if rng.random() < 0.6 else by_chance(case, rng)
        way = certified(Steps(ground), cut.shown_as, frozenset())
        if way is None or not way[1]:
            continue
        released += 1
        recoding = ground.recoding(*way)
        assert accepted(case, recoding), (case, recoding.to_json())
        assert case.betrayal(recoding) is None, (case, recoding.to_json())
    assert released >= 20


def test_the_kernel_finds_the_largest_tree_that_shows_the_same() -> None:
    """Labels 0 = a1, 1 = a2, 2 = b: b is left out below a1, so it may be below it, also where a2 shows it."""
    trees = Trees(
        np.array([0, 2, 5]),
        np.array([0, 1, 0, 1, 2], np.int32),
        np.array([-1, -1, -1, -1, 1], np.int32),
        np.ones(2, np.int64),
        np.zeros(2, np.int64),
        1,
    )
    none = np.zeros((0, 2), np.int64)
    as_it_is = Showing(np.arange(3, dtype=np.int32), *apart_table(none, 3))
    rules = Showing(np.arange(3, dtype=np.int32), *apart_table(np.array([[0, 2]]), 3, OUT))
    may_hang = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], np.bool_)
    offsets, labels, parents = behind(trees, as_it_is, rules, may_hang, np.array([9, 9, 9]))
    assert (offsets.tolist(), labels.tolist(), parents.tolist()) == (
        [0, 3, 7],
        [0, 1, 2, 0, 1, 2, 2],
        [-1, -1, 0, -1, -1, 1, 0],
    )
    once, _, _ = behind(trees, as_it_is, rules, may_hang, np.array([0, 0, 0]))
    assert once.tolist() == [0, 3, 6]  # the second shows it already
