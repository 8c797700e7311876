"""Subtrees that many records have, and what becomes of them in a release.

A record is the set of its paths, so a subtree that begins at the root is a set of paths that holds with each path the one above it.
Paths are numbered, the shorter ones first. A subtree is then reached once, its paths in ascending order, from the subtree without
the last: a depth-first search over sets of records, which are bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.record_bits import ones

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONSTANT = -1  # a charge that all trees with the path have


class Charges(NamedTuple):
    """What changes of the paths cost, and in which trees."""

    starts: NDArray[np.int64]  # (paths + 1,): where those of each path begin
    planes: NDArray[np.int64]  # the row of the trees that have it, or CONSTANT
    weights: NDArray[np.float64]
    bits: NDArray[np.uint64]  # (rows, words)


class Found(NamedTuple):
    above: NDArray[np.int64]  # the subtree without the last path, -1 for the root alone
    paths: NDArray[np.int64]  # the last path
    supports: NDArray[np.int64]
    shown: NDArray[np.int64]  # the records of the release that have it
    distances: NDArray[np.float64]


@kernel
def bit_rows(rows: NDArray[np.int64], trees: NDArray[np.int64], count: int, words: int) -> NDArray[np.uint64]:
    """(count, words): the trees of each row."""
    made = np.zeros((count, words), np.uint64)
    for i in range(len(rows)):
        made[rows[i], trees[i] // 64] |= np.uint64(1) << np.uint64(trees[i] % 64)
    return made


def record_bits(records: NDArray[np.int64], words: int) -> NDArray[np.uint64]:
    """(digits, words): the binary digits of the number of records of each tree."""
    digits = max(int(records.max(initial=1)).bit_length(), 1)
    rows, trees = np.nonzero((records[None, :] >> np.arange(digits)[:, None]) & 1)
    return bit_rows(rows, trees, digits, words)


@kernel
def frequent_subtrees(
    bits: NDArray[np.uint64],
    shown: NDArray[np.uint64],
    records: NDArray[np.uint64],
    children: NDArray[np.int64],
    above: NDArray[np.int64],
    least: int,
    size: int,
    limit: int,
    values: Charges,
    relations: Charges,
) -> tuple[Found, bool]:
    """Subtrees of up to `size` paths in at least `least` records, and whether there are more than `limit`; then it stops.

    bits, shown: (paths, words) the original trees, and those of the release, that have each path; children: (paths + 1, 2) the
    paths directly below each, those below the root last; above: (paths,) how many paths stand above each.
    """
    words, root = bits.shape[1], len(children) - 1
    found_above, found_path = np.empty(1024, np.int64), np.empty(1024, np.int64)
    found_support, found_shown = np.empty(1024, np.int64), np.empty(1024, np.int64)
    found_distance = np.empty(1024, np.float64)
    have = np.full((size + 1, words), ~np.uint64(0), np.uint64)
    show = np.full((size + 1, words), ~np.uint64(0), np.uint64)
    open_ = np.empty(
        (size + 1, len(bits)), np.int64
    )  # paths that may come next, with which the subtree is still frequent
    number, at = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    mine, name = np.empty(size + 1, np.int64), np.full(size + 1, -1, np.int64)
    count, depth, links = 0, 0, 0
    for path in range(children[root, 0], children[root, 1]):
        open_[0, number[0]] = path
        number[0] += 1
    while depth >= 0:
        if at[depth] == number[depth] or depth == size:
            depth -= 1
            if depth >= 0:
                links -= above[mine[depth]]
            continue
        path = open_[depth, at[depth]]
        at[depth] += 1
        if count == limit:
            return Found(found_above, found_path, found_support, found_shown, found_distance), True
        if count == len(found_above):
            found_above, found_path = _longer(found_above), _longer(found_path)
            found_support, found_shown = _longer(found_support), _longer(found_shown)
            found_distance = _longer(found_distance)
        for w in range(words):
            have[depth + 1, w] = have[depth, w] & bits[path, w]
            show[depth + 1, w] = show[depth, w] & shown[path, w]
        mine[depth] = path
        links += above[path]
        support = _records(have[depth + 1], have[depth + 1], records)
        vague, parted = 0.0, 0.0
        for i in range(depth + 1):
            vague += _charged(mine[i], have[depth + 1], support, records, values)
            parted += _charged(mine[i], have[depth + 1], support, records, relations)
        found_above[count], found_path[count], found_support[count] = name[depth], path, support
        found_shown[count] = _records(show[depth + 1], show[depth + 1], records)
        found_distance[count] = vague / (2 * (depth + 1)) + (parted / (2 * links) if links else 0.0)
        depth += 1
        name[depth], number[depth], at[depth] = count, 0, 0
        count += 1
        if depth == size:
            continue
        for i in range(number[depth - 1]):
            if open_[depth - 1, i] > path:
                _offer(open_[depth - 1, i], have[depth], bits, records, least, open_[depth], number, depth)
        for child in range(children[path, 0], children[path, 1]):
            _offer(child, have[depth], bits, records, least, open_[depth], number, depth)
    found = Found(
        found_above[:count], found_path[:count], found_support[:count], found_shown[:count], found_distance[:count]
    )
    return found, False


@kernel
def _offer(
    path: int,
    have: NDArray[np.uint64],
    bits: NDArray[np.uint64],
    records: NDArray[np.uint64],
    least: int,
    row: NDArray[np.int64],
    number: NDArray[np.int64],
    depth: int,
) -> None:
    if _records(have, bits[path], records) >= least:
        row[number[depth]] = path
        number[depth] += 1


@kernel
def _records(one: NDArray[np.uint64], two: NDArray[np.uint64], records: NDArray[np.uint64]) -> int:
    """Of the trees that are in both."""
    made = 0
    for digit in range(len(records)):
        some = 0
        for w in range(len(one)):
            some += ones(one[w] & two[w] & records[digit, w])
        made += some << digit
    return made


@kernel
def _charged(path: int, have: NDArray[np.uint64], support: int, records: NDArray[np.uint64], charges: Charges) -> float:
    """The mean over the records of what the changes of a path cost."""
    made = 0.0
    for i in range(charges.starts[path], charges.starts[path + 1]):
        share = 1.0
        if charges.planes[i] >= 0:
            share = _records(have, charges.bits[charges.planes[i]], records) / support
        made += charges.weights[i] * share
    return made


@kernel
def _longer(made: NDArray[Any]) -> NDArray[Any]:
    longer = np.empty(2 * len(made), made.dtype)
    for i in range(len(made)):
        longer[i] = made[i]
    return longer
