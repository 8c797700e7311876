"""Attack a matching: some people's published records are known, and one more is looked for."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.attacks.sets.identities import identities_in_blocks, identities_on_a_ring
from shoal.release.kinds.sets.dialect import is_matching
from shoal.release.kinds.sets.opened import open_matching

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.attacks.attack import Attack, Todo
    from shoal.data.itemsets import ItemSets
    from shoal.release.kinds.sets.opened import OpenedRelease
    from shoal.release.recipe.recipe import Recipe

NAME = "known identities"


def identified(recipe: Recipe, release: Any, *, here: bool) -> Todo:
    """None but of a matching. here: whether the release is read in this process, not by a cluster."""
    if not here or not is_matching(recipe.guarantees):
        return ()
    return ((NAME, lambda: _attacks(recipe, release)),)


def _attacks(recipe: Recipe, release: Any) -> tuple[Attack, ...]:
    (column,) = recipe.schema_.quasi
    opened = open_matching(release, column=column)
    if not len(opened):
        return ()
    if recipe.method.options.get("mode") == "ring":
        return identities_on_a_ring(len(opened), recipe.smallest_class)
    return identities_in_blocks(_blocks(opened), recipe.smallest_class)


def _blocks(opened: OpenedRelease) -> NDArray[np.int64]:
    """(blocks,): records that show the same, and so cannot be told apart."""
    sizes = Counter(
        (base.tobytes(), differ.tobytes(), limit)
        for base, differ, limit in zip(_each(opened.base), _each(opened.differ), opened.at_most.tolist(), strict=True)
    )
    return np.array(list(sizes.values()), np.int64)


def _each(sets: ItemSets) -> list[NDArray[np.int32]]:
    return [sets.record(number) for number in range(len(sets))]
