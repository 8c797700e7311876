"""Who is in one of two releases only, and is given away by their difference, where people are known by some of their things.

Whoever knows that a person left, and up to m things of theirs, takes the records that the first release has and the second lacks.
At best all these are told from the others, one by one. Candidates are those who left, lay in the person's class, and whose records
show of these things what the person's own showed. The person is given away when these may be fewer than k.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.together.crowds import Sight, crowd
from shoal.kernels.sets.few_fit import FEW

if TYPE_CHECKING:
    from numpy.typing import NDArray


def left_by_things(
    first: Sight, second: Sight, line: NDArray[np.int64], other: NDArray[np.int64], m: int, k: int
) -> NDArray[np.int8]:
    """(people,): as `crowd` says it, of those who are in the first release only; ENOUGH of all others.

    line: (people,) of everybody in the first release; other: the line in the second, -1 where they are not in it.
    """
    found = np.zeros(len(line), np.int8)
    added = np.concatenate([[0], np.cumsum(second.lines.records)])
    shown = np.diff(added[second.lines.offsets])
    stays, shown = other >= 0, np.append(shown, 0)
    gone = shown[other] == 0  # the last one is of those who are not there
    number = int(gone.sum())
    found[gone] = crowd(first, Sight.nothing(number), line[gone], np.zeros(number, np.int64), m, k)
    # some of a line are in no class of the second release, and nobody knows who: they count, and hide nobody
    partly = stays & ~gone & (shown[other] < np.append(second.lines.people, 0)[other])
    found[partly & (np.diff(first.lines.offsets)[line] > 0)] = FEW
    return found
