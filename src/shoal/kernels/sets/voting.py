"""What a group of item sets shows: the items most of them hold, those in which they differ, and by how many at most.

Where just as many hold an item as do not, a fixed hash of item and group decides (003-10): it is known before anyone is
assigned to anything, and about half of all ties go each way, so that counts are not drawn to one side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Shown(NamedTuple):
    """By group; the items of each ascending."""

    base_starts: NDArray[np.int64]  # (groups + 1,)
    base: NDArray[np.int32]
    differ_starts: NDArray[np.int64]  # (groups + 1,)
    differ: NDArray[np.int32]
    at_most: NDArray[np.int32]  # (groups,): the largest distance of a member from the base
    apart: NDArray[np.int64]  # (members,): the distance of each member from the base of its group


def vote(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    universe: int,
    starts: NDArray[np.int64],
    members: NDArray[np.int64],
    names: NDArray[np.int64],
) -> Shown:
    """starts: (groups + 1,) where the members of each group begin; members: sets; names: (groups,) what ties are broken by."""
    base_sizes, differ_sizes = _sizes(offsets, items, universe, starts, members, names)
    base_starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(base_sizes)])
    differ_starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(differ_sizes)])
    shown = Shown(
        base_starts,
        np.empty(base_starts[-1], np.int32),
        differ_starts,
        np.empty(differ_starts[-1], np.int32),
        np.zeros(len(names), np.int32),
        np.zeros(len(members), np.int64),
    )
    _fill(offsets, items, universe, starts, members, names, shown)
    return shown


@kernel
def tie(item: int, name: int) -> bool:
    """Whether a group with this name shows an item that exactly half of it holds."""
    mixed = (np.uint64(item) << np.uint64(40)) ^ np.uint64(name)
    mixed = (mixed + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xD1342543DE82EF95)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bool(mixed >> np.uint64(63))


@kernel
def _count(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    members: NDArray[np.int64],
    votes: NDArray[np.int64],
    met: NDArray[np.int32],
) -> int:
    """Votes of a group, added to zeros. Returns how many items were met."""
    found = 0
    for member in members:
        for at in range(offsets[member], offsets[member + 1]):
            if votes[items[at]] == 0:
                met[found] = items[at]
                found += 1
            votes[items[at]] += 1
    return found


@kernel
def _wins(item: int, votes: int, size: int, name: int) -> bool:
    return 2 * votes > size or (2 * votes == size and tie(item, name))


@kernel
def _sizes(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    universe: int,
    starts: NDArray[np.int64],
    members: NDArray[np.int64],
    names: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    bases, differs = np.zeros(len(names), np.int64), np.zeros(len(names), np.int64)
    votes, met = np.zeros(universe, np.int64), np.empty(universe, np.int32)
    for group in range(len(names)):
        inside = members[starts[group] : starts[group + 1]]
        for item in met[: _count(offsets, items, inside, votes, met)]:
            bases[group] += _wins(item, votes[item], len(inside), names[group])
            differs[group] += votes[item] < len(inside)
            votes[item] = 0
    return bases, differs


@kernel
def _fill(
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    universe: int,
    starts: NDArray[np.int64],
    members: NDArray[np.int64],
    names: NDArray[np.int64],
    shown: Shown,
) -> None:
    votes, met = np.zeros(universe, np.int64), np.empty(universe, np.int32)
    won = np.zeros(universe, np.bool_)
    for group in range(len(names)):
        inside = members[starts[group] : starts[group + 1]]
        found = np.sort(met[: _count(offsets, items, inside, votes, met)])
        base, differ = shown.base_starts[group], shown.differ_starts[group]
        for item in found:
            won[item] = _wins(item, votes[item], len(inside), names[group])
            if won[item]:
                shown.base[base] = item
                base += 1
            if votes[item] < len(inside):
                shown.differ[differ] = item
                differ += 1
            votes[item] = 0
        size = base - shown.base_starts[group]
        for at in range(starts[group], starts[group + 1]):
            # the base without what they share, and the set without it
            apart = size
            for i in range(offsets[members[at]], offsets[members[at] + 1]):
                apart += -1 if won[items[i]] else 1
            shown.apart[at] = apart
            shown.at_most[group] = max(shown.at_most[group], apart)
        for item in found:
            won[item] = False
