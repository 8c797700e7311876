"""Whether trees show labels on one path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def on_one_path(
    offsets: NDArray[np.int64],
    labels: NDArray[np.int32],
    parents: NDArray[np.int32],
    trees: NDArray[np.int64],
    asked: NDArray[np.int32],
) -> NDArray[np.bool_]:
    """(trees,): whether some path from the root holds all labels. asked: ascending, each once."""
    made = np.zeros(len(trees), np.bool_)
    for i in range(len(trees)):
        start, stop = offsets[trees[i]], offsets[trees[i] + 1]
        for node in range(start, stop):
            number, at = 0, node - start
            while at >= 0:
                place = np.searchsorted(asked, labels[start + at])
                if place < len(asked) and asked[place] == labels[start + at]:
                    number += 1
                at = parents[start + at]
            if number == len(asked):  # a path meets a label once at most
                made[i] = True
                break
    return made
