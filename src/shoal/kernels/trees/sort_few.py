"""Sorting a few numbers inside a loop over very many trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.kernels.compiling import kernel
from shoal.kernels.sorting import sort_stretch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@kernel
def sort_few(numbers: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Put the first so many in order, in place, and return them."""
    sort_stretch(numbers, 0, count)
    return numbers[:count]
