"""Values that somebody may know a person *not* to have (paper 000, section 3.5), as labels of the records that lack them.

Whoever knows that a person was never in some hospital passes over the records that show this hospital. A record shows it where a
label stands for this value and for no other. So as soon as a value is shown by a label of its own, "not this value" is a label of
every record without it: one of the m that may be known, and counted with all others. Where the value is shown together with others,
or is left out, nobody can tell the records that lack it, and there is nothing to count.

A label that stands for several values is passed over by whoever knows that the person has none of them. If they are no more than m,
and all of them may be known to be absent, such a cut is no solution; it may be opened further.

These labels are counted and never published. The paper would put them into the records, to be blurred or left out like values. Left
out they would protect nobody: who lacks a value is seen by the value itself. And published beside a blurred value they would tell
who has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.trees.placing import Trees
from shoal.kernels.trees.supports import trees_with
from shoal.recoding.trees.rules import LEFT_OUT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Denials:
    """Values whose absence may be known: labels of their own, after all others."""

    values: NDArray[np.int64]  # (denials,): the original label of each value that may be known to be absent
    first: int  # the shown label of the first of them; the others follow

    def shown(self, shown_as: NDArray[np.int32]) -> frozenset[int]:
        """The labels of those that can be told in a cut. In a finer one they still can."""
        return frozenset((np.flatnonzero(self._alone(shown_as)) + self.first).tolist())

    def extended(self, shown_as: NDArray[np.int32]) -> NDArray[np.int32]:
        """What every label is shown as, and after them every denial."""
        if not len(self.values):
            return shown_as
        labels = np.arange(self.first, self.first + len(self.values))
        denied = np.where(self._alone(shown_as), labels, LEFT_OUT)
        return np.concatenate([shown_as, denied]).astype(np.int32)

    def together(self, shown_as: NDArray[np.int32], labels: Iterable[int], most: int) -> NDArray[np.int64]:
        """Those of these labels that stand for several values, but no more than most, and can be passed over all the same."""
        if not len(self.values):
            return _NONE
        stand_for = np.bincount(shown_as[shown_as != LEFT_OUT], minlength=self.first)
        absent = shown_as[self.values]
        denied = np.bincount(absent[absent != LEFT_OUT], minlength=self.first)
        asked = np.array([label for label in labels if label < self.first], np.int64)
        several = (stand_for[asked] > 1) & (stand_for[asked] <= most)
        merged: NDArray[np.int64] = asked[several & (stand_for[asked] == denied[asked])]
        return merged

    def over(self, trees: Trees, values: int) -> Trees:
        """The same trees with a node below the root for every value that may be known to be absent, and is."""
        if not len(self.values):
            return trees
        lacks = np.ones((len(trees.records), len(self.values)), np.bool_)
        for place, value in enumerate(self.values.tolist()):
            asked = np.zeros(values, np.bool_)
            asked[value] = True
            lacks[trees_with(trees, asked), place] = False
        more = np.concatenate([[0], np.cumsum(lacks.sum(axis=1))])
        offsets = trees.offsets + more
        labels, parents = np.empty(offsets[-1], np.int32), np.full(offsets[-1], -1, np.int32)
        own = np.arange(len(trees.labels)) + np.repeat(more[:-1], np.diff(trees.offsets))
        labels[own], parents[own] = trees.labels, trees.parents
        others = np.ones(len(labels), np.bool_)
        others[own] = False
        labels[others] = values + np.nonzero(lacks)[1]  # after a tree's own nodes, tree by tree
        return trees._replace(offsets=offsets, labels=labels, parents=parents)

    def _alone(self, shown_as: NDArray[np.int32]) -> NDArray[np.bool_]:
        """(denials,): whether the value has a label of its own."""
        stand_for = np.bincount(shown_as[shown_as != LEFT_OUT], minlength=self.first)
        labels = shown_as[self.values]
        alone: NDArray[np.bool_] = (labels != LEFT_OUT) & (stand_for[np.maximum(labels, 0)] == 1)
        return alone
