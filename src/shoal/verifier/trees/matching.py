"""The records that fit a fragment, found again by paths: another way than the one by which they were counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.verifier.trees.facts import Facts, Paths
    from shoal.verifier.trees.judging import Fragment


def matching(facts: Facts, fragment: Fragment) -> NDArray[np.int64]:
    """The numbers of the records, ascending."""
    of = np.repeat(np.arange(len(facts.offsets) - 1), np.diff(facts.offsets))
    fits = np.ones(len(facts.offsets) - 1, np.bool_)
    asked: list[tuple[int, ...]] = [(label,) for label in fragment.labels]
    asked += [fragment.labels] if fragment.on_one_path else fragment.related
    for labels in asked:
        held = np.zeros(len(fits), np.bool_)
        held[of[_ending(facts.paths, labels)[facts.held]]] = True
        fits &= held
    return np.flatnonzero(fits[facts.tree])


def _ending(paths: Paths, labels: tuple[int, ...]) -> NDArray[np.bool_]:
    """(paths,): whether the last of these labels ends it and the others stand above, in this order or any other."""
    *others, last = labels
    ends: NDArray[np.bool_] = paths.label == last
    for label in others:
        above, met = paths.parent.copy(), np.zeros(len(paths), np.bool_)
        while (above >= 0).any():
            met |= (above >= 0) & (paths.label[above] == label)
            above = np.where(above >= 0, paths.parent[above], -1)
        ends &= met
    return ends
