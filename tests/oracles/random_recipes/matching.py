"""Which published record may be whose: the pairs that lie in some perfect matching."""

from __future__ import annotations


def possible_pairs(fits: list[list[bool]]) -> list[set[int]] | None:
    """By original, the published records that it may be; None when they cannot all have one. fits[original][published]"""
    owner: dict[int, int] = {}  # published → original

    def find(one: int, tried: set[int]) -> bool:
        for at, fit in enumerate(fits[one]):
            if fit and at not in tried:
                tried.add(at)
                if at not in owner or find(owner[at], tried):
                    owner[at] = one
                    return True
        return False

    if any(len(row) != len(fits) for row in fits) or not all(find(one, set()) for one in range(len(fits))):
        return None
    # Whoever takes another's record sends that one on; the pair is possible when the way leads back.
    takes = [{owner[at] for at, fit in enumerate(row) if fit} for row in fits]
    reached = [_reached(one, takes) for one in range(len(fits))]
    return [
        {at for at, fit in enumerate(row) if fit and (owner[at] == one or one in reached[owner[at]])}
        for one, row in enumerate(fits)
    ]


def _reached(start: int, takes: list[set[int]]) -> set[int]:
    reached, open_ = {start}, [start]
    while open_:
        new = takes[open_.pop()] - reached
        reached |= new
        open_ += new
    return reached
