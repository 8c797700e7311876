"""Composition: what two releases of the same people tell together (Ganta, Kasiviswanathan and Smith 2008).

Whoever knows a person's values finds their class in both releases, and the person is in both. Only people who lie in that very pair
of classes stay candidates: each release keeps k of them, both together may keep one. Nothing is promised of the pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.attack import SEED, Attack, picking

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Together:
    """People by what two releases show of them: groups that neither of the two, nor both, can tell apart."""

    sizes: NDArray[np.int64]  # (groups,): people
    alone: float = 0.0  # how often the right one is picked with the more telling of the two alone

    @classmethod
    def of(cls, first: NDArray[np.int64], second: NDArray[np.int64], counts: NDArray[np.int64]) -> Together:
        """first, second: (parts,) the class of each part in either release, below 0 where it is not published; counts: people."""
        both = (first >= 0) & (second >= 0)
        width = int(second.max(initial=0)) + 1
        _, group = np.unique(first[both].astype(np.int64) * width + second[both], return_inverse=True)
        sizes = np.bincount(group.reshape(-1), counts[both]).astype(np.int64)
        alone = max(_average(one, counts) for one in (first, second))
        return cls(sizes, alone)

    def below(self, k: int) -> int:
        """People who look like fewer than k in both."""
        return int(self.sizes[self.sizes < k].sum())

    def attack(self) -> Attack | None:
        """None where nobody is in both."""
        if not len(self.sizes):
            return None
        meter = picking(self.sizes, self.sizes, np.random.default_rng(SEED))
        return Attack("linkability", "composition: two releases together", meter, self.alone, public=False)


def _average(classes: NDArray[np.int64], counts: NDArray[np.int64]) -> float:
    """Mean over the people of one in those who show the same."""
    shown = classes >= 0
    people = int(counts[shown].sum())
    return len(np.unique(classes[shown])) / people if people else 0.0
