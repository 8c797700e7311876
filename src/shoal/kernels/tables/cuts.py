"""Cuts through groups of tuples: propose the next cut of every group, and divide the groups that are cut.

A cut sets the tuples whose code in one column lies in an interval apart from the others. Groups are stretches of one array of
tuple numbers; inside a stretch the numbers ascend, before and after every cut, so the result depends on no order of work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel
from shoal.kernels.sorting import ordered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.kernels.tables.boxes import Trees

COLUMN, LOW, HIGH, LAST = 0, 1, 2, 3  # of a cut; tuples with the code HIGH are apart only up to the tuple LAST


@kernel
def propose(
    trees: Trees,
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    order: NDArray[np.int64],
    stretches: NDArray[np.int64],
    skip: NDArray[np.int64],
    weights: NDArray[np.float64],
    by_children: NDArray[np.bool_],
    relaxed: bool,
    least: int,
) -> NDArray[np.int64]:
    """(stretches, 4): a cut of each stretch that leaves at least `least` records on both sides; column -1 when there is none.

    stretches: (stretches, 2) start and end in `order`. Columns are tried from the one with the widest range, times its weight, on;
    cuts within a column from the most even on. The first skip[s] of them are left out. A column of `by_children` is cut along
    the hierarchy, one child of the lowest common node against the others; another one in the order of its codes, where
    `relaxed` lets tuples with the same code go to both sides.
    """
    columns = codes.shape[1]
    cuts = np.full((len(stretches), 4), -1, np.int64)
    sizes = np.zeros(len(trees.parents), np.int64)  # of leaves or children, all 0 between uses
    for s in range(len(stretches)):
        members = order[stretches[s, 0] : stretches[s, 1]]
        records = 0
        low, high = codes[members[0]].copy(), codes[members[0]].copy()
        for i in members:
            records += counts[i]
            for c in range(columns):
                low[c] = min(low[c], codes[i, c])
                high[c] = max(high[c], codes[i, c])
        if records < 2 * least:
            continue
        left_out = skip[s]
        widths = np.empty(columns, np.float64)
        for c in range(columns):
            widths[c] = weights[c] * _width(trees, c, low[c], high[c], by_children[c]) if low[c] < high[c] else -1.0
        for _ in range(columns):
            c = int(np.argmax(widths))  # the first of the widest
            if low[c] == high[c]:
                break
            widths[c] = -2.0
            if by_children[c]:
                found = _between_children(trees, codes, counts, members, c, low[c], high[c], sizes)
            elif relaxed:
                found = _between_tuples(codes, counts, members, c)
            else:
                found = _between_codes(codes, counts, members, c, sizes)
            one, allowed = _chosen(found, records, least, left_out)
            if one >= 0:
                cuts[s, COLUMN] = c
                for j in range(3):
                    cuts[s, LOW + j] = found[one, j]
                break
            left_out -= allowed
    return cuts


@kernel
def _chosen(found: NDArray[np.int64], records: int, least: int, left_out: int) -> tuple[int, int]:
    """The most even of the cuts that leave enough on both sides, but for the first `left_out`; and how many cuts do."""
    uneven, which = np.empty(len(found), np.int64), np.empty(len(found), np.int64)
    allowed = best = 0
    for j in range(len(found)):
        apart = found[j, 3]
        if apart >= least and records - apart >= least:
            uneven[allowed], which[allowed] = abs(2 * apart - records), j
            if uneven[allowed] < uneven[best]:
                best = allowed
            allowed += 1
    if left_out >= allowed:
        return -1, allowed
    return which[best if left_out == 0 else ordered(uneven[:allowed])[left_out]], allowed


@kernel
def _width(trees: Trees, column: int, low: int, high: int, by_children: bool) -> float:
    """The range of a column as a share of its domain: of the codes, or of the leaves below the lowest common node."""
    at = trees.offsets[column]
    end = trees.offsets[column + 1] if column + 1 < len(trees.offsets) else len(trees.parents)
    leaves = trees.last[end - 1] + 1  # the root is the last node
    if by_children:
        node = _common(trees, at, low, high)
        low, high = trees.first[at + node], trees.last[at + node]
    return float((high - low) / (leaves - 1))


@kernel
def _common(trees: Trees, at: int, low: int, high: int) -> int:
    node = low
    while trees.last[at + node] < high:
        node = trees.parents[at + node]
    return node


@kernel
def _between_codes(
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    members: NDArray[np.int64],
    column: int,
    sizes: NDArray[np.int64],
) -> NDArray[np.int64]:
    """(cuts, 4): low, high, last and the records apart, of the cuts after each code but the highest."""
    used = np.empty(len(members), np.int64)
    found = 0
    for i in members:
        code = codes[i, column]
        if sizes[code] == 0:
            used[found] = code
            found += 1
        sizes[code] += counts[i]
    by_code = ordered(used[:found])
    cuts = np.empty((found - 1, 4), np.int64)
    apart = 0
    for j in range(found):
        code = used[by_code[j]]
        apart += sizes[code]
        sizes[code] = 0
        if j < found - 1:
            cuts[j, 0], cuts[j, 1], cuts[j, 2], cuts[j, 3] = used[by_code[0]], code, len(codes), apart
    return cuts


@kernel
def _between_tuples(
    codes: NDArray[np.int32], counts: NDArray[np.int64], members: NDArray[np.int64], column: int
) -> NDArray[np.int64]:
    """The same after each tuple but the last, by code and number."""
    values = np.empty(len(members), np.int64)
    for j in range(len(members)):
        values[j] = codes[members[j], column]
    by_code = ordered(values)
    cuts = np.empty((len(members) - 1, 4), np.int64)
    apart = 0
    for j in range(len(members) - 1):
        apart += counts[members[by_code[j]]]
        cuts[j, 0], cuts[j, 1], cuts[j, 2], cuts[j, 3] = (
            values[by_code[0]],
            values[by_code[j]],
            members[by_code[j]],
            apart,
        )
    return cuts


@kernel
def _between_children(
    trees: Trees,
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    members: NDArray[np.int64],
    column: int,
    low: int,
    high: int,
    sizes: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The same for each child of the lowest common node that holds records."""
    at, first, last, parents = trees.offsets[column], trees.first, trees.last, trees.parents
    above = _common(trees, at, low, high)
    used = np.empty(len(members), np.int64)
    found = 0
    for i in members:
        node = codes[i, column]
        while parents[at + node] != above:
            node = parents[at + node]
        if sizes[node] == 0:
            used[found] = node
            found += 1
        sizes[node] += counts[i]
    cuts = np.empty((found, 4), np.int64)
    leaves = np.empty(found, np.int64)
    for j in range(found):
        leaves[j] = first[at + used[j]]
    by_leaf = ordered(leaves)
    for j in range(found):
        node = used[by_leaf[j]]
        cuts[j, 0], cuts[j, 1], cuts[j, 2] = first[at + node], last[at + node], len(codes)
        cuts[j, 3] = sizes[node]
        sizes[node] = 0
    return cuts


@kernel
def divide(
    codes: NDArray[np.int32], order: NDArray[np.int64], stretches: NDArray[np.int64], cuts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Puts the tuples a cut sets apart first in each stretch of `order`; returns where the others begin."""
    middles = np.empty(len(stretches), np.int64)
    others = np.empty(len(order), np.int64)
    for s in range(len(stretches)):
        apart, rest = stretches[s, 0], 0
        for j in range(stretches[s, 0], stretches[s, 1]):
            i = order[j]
            code = codes[i, cuts[s, COLUMN]]
            inside = cuts[s, LOW] <= code <= cuts[s, HIGH]
            if inside and not (code == cuts[s, HIGH] and i > cuts[s, LAST]):
                order[apart] = i
                apart += 1
            else:
                others[rest] = i
                rest += 1
        for j in range(rest):
            order[apart + j] = others[j]
        middles[s] = apart
    return middles
