"""Every attack on a published mixed table that needs nothing but the release: all single values, and some items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.attacks.sets.linkage import known_items
from shoal.attacks.tables.every import attacks_on as on_values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from shoal.attacks.attack import Todo
    from shoal.attacks.private import GroupedFacts
    from shoal.attacks.sets.crowds import Fitting

_BESIDE = "all single values"


def attacks_on(
    sizes: NDArray[np.int64],
    private: Mapping[str, GroupedFacts],
    crowds: Sequence[tuple[int | None, Fitting | None]],
    k: int,
    m: int,
    l: Mapping[str, float],  # noqa: E741
    t: Mapping[str, float],
    population: int | None = None,
) -> Todo:
    """sizes: (classes,) of the single values; crowds: by the items that somebody knows beside them; k, m, l, t: as promised."""
    if not len(sizes):
        return ()
    return (
        *on_values(sizes, private, k, l, t, population),
        ("known items", lambda: known_items(crowds, k, m, beside=_BESIDE)),
    )
