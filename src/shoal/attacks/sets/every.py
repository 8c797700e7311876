"""Every attack on published sets of items that needs nothing but the release."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from shoal.attacks.attack import ATTACKS
from shoal.attacks.private import NEGATED
from shoal.attacks.sets.linkage import absent_items, known_items

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from shoal.attacks.attack import Attack, Todo
    from shoal.attacks.sets.crowds import Fitting


def attacks_on(
    crowds: Sequence[tuple[int | None, Fitting | None]],
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    counts: NDArray[np.int64],
    k: int,
    m: int,
    attacks: int = ATTACKS,
) -> Todo:
    """crowds: by known items; offsets, items, counts: the published sets; k, m: as promised."""
    if not len(counts):
        return ()
    return (
        ("known items", lambda: known_items(crowds, k, m)),
        *(
            (f"negation of {number}", partial(_absent, offsets, items, counts, m, number, attacks))
            for number in NEGATED
        ),
    )


def _absent(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    counts: NDArray[np.int64],
    present: int,
    absent: int,
    attacks: int,
) -> tuple[Attack, ...]:
    one = absent_items(offsets, items, counts, present, absent, attacks)
    return () if one is None else (one,)
