"""Which counts a public report may show.

A count of people below k is not printed. That alone is not enough: the totals (records in, published, hidden) are public, so
a single missing number could be worked out by subtraction. `mask_cells` therefore masks a whole table at once, in such a way
that nobody who knows the total *and this code* can work out a masked cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

Count = int | Literal["below k", "withheld"]
"""A number that may be shown; or `below k`; or `withheld`, because it would give away a number below k beside it."""

BELOW_K: Literal["below k"] = "below k"
WITHHELD: Literal["withheld"] = "withheld"


def mask(count: int, k: int) -> Count:
    """A count that stands alone: nothing else in the report adds up with it to a public total."""
    return BELOW_K if 0 < count < k else count


def mask_cells(
    counts: Sequence[int], k: int, *, never_small: Collection[int] = (), prefer: Collection[int] = ()
) -> tuple[Count, ...]:
    """The cells of a table whose total is public.

    When one cell lies between 1 and k-1, every cell below k is masked, zeros too: a zero left in sight would tell which
    cells are not zero. When that leaves a cell that can still be worked out (it is the only one masked, or all masked
    cells must have their largest possible value, k-1), the smallest of the other cells is withheld as well, and nothing
    tells which of them are the small ones. Only a table whose cells are all k-1 cannot be hidden: its total says so.

    `never_small` names cells that cannot lie between 1 and k-1 by construction, so a zero there says nothing new;
    `prefer` names cells to withhold first.
    """
    if any(count < 0 for count in counts):
        raise ValueError("A count of records cannot be negative.")
    if not any(0 < count < k for count in counts):
        return tuple(counts)
    cells: list[Count] = list(counts)
    small = [i for i, count in enumerate(counts) if count < k and not (count == 0 and i in never_small)]
    for i in small:
        cells[i] = BELOW_K
    total = sum(counts[i] for i in small)
    if len(small) == 1 or total == len(small) * (k - 1):
        others = [i for i, count in enumerate(counts) if count >= k]
        if others:
            # All that tie: to take the first of them would tell that the small cell does not stand before it.
            least = min((i not in prefer, counts[i]) for i in others)
            small += [i for i in others if (i not in prefer, counts[i]) == least]
        for i in small:
            cells[i] = WITHHELD
    return tuple(cells)


def refuse_small(name: str, count: Count, k: int) -> None:
    """A number between 1 and k-1 in a field that must be masked is a mistake of ours; nothing may be rendered from it."""
    if isinstance(count, int) and not isinstance(count, bool) and (count < 0 or 0 < count < k):
        raise ValueError(f"`{name}` of the report must be masked: it is a count of records between 1 and k-1, k = {k}.")
