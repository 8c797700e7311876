"""Tuples at a lattice node, told apart by sums: each hierarchy node has a random 64-bit number, and a tuple's signature is the
sum of those it shows.

Should two classes ever share a sum, they are taken for one, and a box may seem to be shared by more records than it is. What
follows from that (a lower bound, a start for a search, whose boxes are made from the members) stays true, if a little weaker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


@kernel
def random_numbers(count: int, seed: int) -> NDArray[np.uint64]:
    """splitmix64, the same everywhere."""
    made = np.empty(count, np.uint64)
    x = np.uint64(seed)
    for i in range(count):
        x += np.uint64(0x9E3779B97F4A7C15)
        z = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        made[i] = z ^ (z >> np.uint64(31))
    return made


@kernel
def slots_for(tuples: int) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.int64]]:
    """Room to number the classes of so many tuples, again and again: signature, class number and round of each slot."""
    size = 16
    while size < 2 * tuples:
        size *= 2
    return np.zeros(size, np.uint64), np.zeros(size, np.int32), np.zeros(size, np.int64)


@kernel
def number_classes(
    signed: NDArray[np.uint64],
    slots: tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.int64]],
    turn: int,
    class_of: NDArray[np.int32],
) -> int:
    """Fill class_of with 0, 1, … in the order in which signatures are met; returns how many there are.

    turn: a number above 0 that these slots have not been used with yet, so that they need not be cleared.
    """
    held, numbers, turns = slots
    last = len(held) - 1
    found = 0
    for i in range(len(signed)):
        key = signed[i]
        slot = np.int64(key >> np.uint64(20)) & last
        while turns[slot] == turn and held[slot] != key:
            slot = (slot + 1) & last
        if turns[slot] != turn:
            turns[slot], held[slot], numbers[slot] = turn, key, found
            found += 1
        class_of[i] = numbers[slot]
    return found
