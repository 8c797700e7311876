"""Whether what may be known of somebody fits few records, or records that all tell the same.

A record shows marks, as ascending numbers. Somebody knows the marks of `always`, those of up to m things, and each mark of a chain
all of whose members are known then. Fewer known things fit no fewer records: so m of them are tried, or all there are. Of the marks
asked for the rarest says which records are looked at, and the look ends as soon as there are enough. What was found to fit enough
is remembered: most things are had by many, together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.kernels.compiling import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

ENOUGH, FEW, NOT_LOOKED_AT = 0, 1, 2
_HIGHEST = 1 << 61
_REMEMBERED = 1 << 24


@kernel
def few_fit(
    asked: NDArray[np.int64],
    starts: NDArray[np.int64],
    marks: NDArray[np.int64],
    people: NDArray[np.int64],
    value_starts: NDArray[np.int64],
    values: NDArray[np.int64],
    holder_starts: NDArray[np.int64],
    holders: NDArray[np.int64],
    always: NDArray[np.int64],
    thing_starts: NDArray[np.int64],
    things: NDArray[np.int64],
    alike: NDArray[np.int64],
    chain_starts: NDArray[np.int64],
    chains: NDArray[np.int64],
    member_starts: NDArray[np.int64],
    members: NDArray[np.int64],
    m: int,
    k: int,
    l: int,  # noqa: E741  # as the literature calls it
    budget: int,
) -> NDArray[np.int8]:
    """(asked,): ENOUGH, FEW or NOT_LOOKED_AT, for each record that is asked about.

    marks: of record i those from starts[i]; people, values: how many people stand behind each record, and their private values;
    holders: by mark, the records that show it; always: (records, n) marks, -1 for none; things: (things, 2) marks of each, -1 for
    none; alike: (things,) a number from 1 on for its marks; chains: a mark each, and its members. FEW: fewer than k people fit, or
    they have fewer than l values. budget: of looks at records, for all that are asked about.
    """
    found = np.full(len(asked), NOT_LOOKED_AT, np.int8)
    seen = np.empty(max(l, 1), np.int64)
    base = 1
    for number in alike:
        base = max(base, number + 1)
    fitted = {np.int64(0)}  # choices of things, as numbers to this base, that fit enough; 0 is none
    for a in range(len(asked)):
        if budget <= 0:
            break
        one = asked[a]
        first = thing_starts[one]
        count = thing_starts[one + 1] - first
        size = min(m, count)
        wanted = np.empty(always.shape[1] + 2 * size + chain_starts[one + 1] - chain_starts[one], np.int64)
        chosen = np.arange(size)
        result = ENOUGH
        # what somebody else fitted counts where nothing but the things was asked for, and the record itself stands for people
        alone = people[one] > 0 and chain_starts[one] == chain_starts[one + 1]
        for i in range(1, always.shape[1]):
            alone = alone and always[one, i] < 0
        while True:
            budget -= 1
            key = np.int64(0)
            for i in range(size):
                if key > _HIGHEST // base:  # too many things for one number
                    key = np.int64(0)
                    break
                key = key * base + alike[first + chosen[i]]
            if not (alone and key > 0 and key in fitted):
                n = 0
                for i in range(always.shape[1]):
                    if always[one, i] >= 0:
                        wanted[n] = always[one, i]
                        n += 1
                for i in range(size):
                    for side in range(2):
                        mark = things[first + chosen[i], side]
                        if mark >= 0:
                            wanted[n] = mark
                            n += 1
                plain = n
                for chain in range(chain_starts[one], chain_starts[one + 1]):
                    whole = True
                    for i in range(member_starts[chain], member_starts[chain + 1]):
                        known = False
                        for j in range(plain):
                            if wanted[j] == members[i]:
                                known = True
                                break
                        if not known:
                            whole = False
                            break
                    if whole:
                        wanted[n] = chains[chain]
                        n += 1
                rarest = wanted[0]
                for i in range(1, n):
                    mark = wanted[i]
                    if (
                        holder_starts[mark + 1] - holder_starts[mark]
                        < holder_starts[rarest + 1] - holder_starts[rarest]
                    ):
                        rarest = mark
                fitting, told = 0, 0
                for h in range(holder_starts[rarest], holder_starts[rarest + 1]):
                    budget -= 1
                    record = holders[h]
                    fits = True
                    for i in range(n):
                        if wanted[i] == rarest:
                            continue
                        low, high = starts[record], starts[record + 1]
                        while low < high:
                            middle = (low + high) // 2
                            if marks[middle] < wanted[i]:
                                low = middle + 1
                            else:
                                high = middle
                        if low == starts[record + 1] or marks[low] != wanted[i]:
                            fits = False
                            break
                    if not fits:
                        continue
                    fitting += max(people[record], 1) if record == one else people[record]
                    for v in range(value_starts[record], value_starts[record + 1]):
                        if told >= l:
                            break
                        new = True
                        for i in range(told):
                            if seen[i] == values[v]:
                                new = False
                                break
                        if new:
                            seen[told] = values[v]
                            told += 1
                    if fitting >= k and told >= l:
                        break
                if fitting < k or told < l:
                    result = FEW
                    break
                if alone and key > 0 and len(fitted) < _REMEMBERED:
                    fitted.add(key)
            # the next choice of things
            last = size - 1
            while last >= 0 and chosen[last] == count - size + last:
                last -= 1
            if last < 0:
                break
            if budget <= 0:
                result = NOT_LOOKED_AT
                break
            chosen[last] += 1
            for i in range(last + 1, size):
                chosen[i] = chosen[i - 1] + 1
        found[a] = result
    return found
