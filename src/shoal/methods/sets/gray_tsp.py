"""The order in which records are matched: Gray order, made shorter inside segments (paper 003, Section 4.1).

The tour through a segment brings each record next to one like it, and on dense sets that is all to the good. On short lists it
tears apart records that share one item and little else, and blocks of more than a few records then lose more than the tour has
gained. So both are cut into blocks, segment by segment, and what costs less is kept (`the_cheaper` of
`kernels/sets/block_cuts.py`); the ends of a segment stay where they are in either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.kernels.sets.gray_order import gray_order
from shoal.kernels.sets.hamming import steps_along
from shoal.kernels.sets.segments import segments
from shoal.kernels.sets.tour import NEAREST, shorten

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEAST, MOST = 300, 350  # records of a segment, as in the paper
EXCHANGES = 3  # for each record of a segment; see `benchmarks/sets/tour.py`


def gray_tsp(offsets: NDArray[np.int64], items: NDArray[np.int32], universe: int) -> tuple[NDArray[np.int64], ...]:
    """Gray order, the order with a tour through every segment, and where segments begin."""
    gray = gray_order(offsets, items, universe)
    cuts = segments(steps_along(offsets, items, gray), LEAST, MOST)
    return gray, shorten(offsets, items, universe, gray, cuts, NEAREST, EXCHANGES), cuts
