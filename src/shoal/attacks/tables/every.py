"""Every attack on a published table that needs nothing but its classes and what is private in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.attacks.private import private_todo
from shoal.attacks.tables.linkage import journalist, marketer, prosecutor

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from shoal.attacks.attack import Todo
    from shoal.attacks.private import GroupedFacts


def attacks_on(
    sizes: NDArray[np.int64],
    private: Mapping[str, GroupedFacts],
    k: int,
    l: Mapping[str, float],  # noqa: E741
    t: Mapping[str, float],
    population: int | None = None,
) -> Todo:
    """sizes: (classes,) published records; private: by column; k, l, t: as promised."""
    if not len(sizes):
        return ()
    todo = [
        ("prosecutor", lambda: (prosecutor(sizes, k),)),
        ("marketer", lambda: (marketer(sizes, k),)),
    ]
    if population is not None and population >= int(sizes.sum()):
        todo.append(("journalist", lambda: (journalist(sizes, k, population),)))
    return (*todo, *private_todo(private, l, t))
