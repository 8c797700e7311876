"""The guarantees straight from their definitions, record by record, in plain Python. Slow, and without a formula where the
definition can be tried out: hidden values are filled in in every possible way, and earth is moved along cheapest paths.

A table is a list of records; a record is (tuple of quasi values, sensitive value). A hidden sensitive value is None.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

P = TypeVar("P")
O = TypeVar("O")
Quasi = tuple[str | None, ...]
Table = list[tuple[Quasi, str | None]]
Distance = dict[tuple[str | None, str | None], Fraction]


def classes(table: Table) -> dict[Quasi, list[str | None]]:
    """The sensitive values of the records that share their quasi values."""
    found: dict[Quasi, list[str | None]] = {}
    for quasi, value in table:
        found.setdefault(quasi, []).append(value)
    return found


def broken(table: Table, is_kept: Callable[[list[str | None]], bool]) -> set[Quasi]:
    return {quasi for quasi, values in classes(table).items() if not is_kept(values)}


# ---- k-anonymity -----------------------------------------------------------------------------------------------------


def k_anonymity(table: Table, k: int) -> set[Quasi]:
    return broken(table, lambda values: len(values) >= k)


# ---- l-diversity -----------------------------------------------------------------------------------------------------


def distinct(table: Table, l: int) -> set[Quasi]:
    return broken(table, lambda values: whatever_is_hidden(values, lambda counts: len(counts) >= l))


def entropy(table: Table, l: float) -> set[Quasi]:
    """−Σ p log p ≥ log l  ⇔  Π (1/p)^p ≥ l  ⇔  Π (n/r)^r ≥ l^n."""

    def diverse(counts: Sequence[int]) -> bool:
        n = sum(counts)
        product = Fraction(1)
        for r in counts:
            product *= Fraction(n, r) ** r
        return product >= Fraction(str(l)) ** n

    return broken(table, lambda values: whatever_is_hidden(values, diverse))


def recursive(table: Table, c: str, l: int) -> set[Quasi]:
    def diverse(counts: Sequence[int]) -> bool:
        r = sorted(counts, reverse=True)
        return r[0] < Fraction(c) * sum(r[l - 1 :])

    return broken(table, lambda values: whatever_is_hidden(values, diverse))


def whatever_is_hidden(values: list[str | None], diverse: Callable[[Sequence[int]], bool]) -> bool:
    """Diverse in every reading: hidden values filled in in any way, taken for a value of their own, or left out."""
    seen = Counter(value for value in values if value is not None)
    hidden = sum(value is None for value in values)
    if not seen:
        return False
    names = [*seen, "a value of its own"]
    for filled in combinations_with_replacement(names, hidden):
        if not diverse(list((seen + Counter(filled)).values())):
            return False
    return diverse(list(seen.values()))


# ---- t-closeness -----------------------------------------------------------------------------------------------------


def t_closeness(table: Table, t: str, distances: Iterable[Distance]) -> set[Quasi]:
    """Every class must be close for each of the given distances between values."""
    whole = [value for _, value in table]
    return {
        quasi
        for distance in distances
        for quasi in broken(table, lambda values, d=distance: earth_movers(values, whole, d) <= Fraction(t))
    }


def equal_distance(values: Iterable[str | None]) -> Distance:
    found = set(values)
    return {(a, b): Fraction(int(a != b)) for a in found for b in found}


def ordered_distance(order: Sequence[str | None]) -> Distance:
    """Of values in order, the first to the last being 1 apart."""
    steps = max(len(order) - 1, 1)
    return {(a, b): Fraction(abs(i - j), steps) for i, a in enumerate(order) for j, b in enumerate(order)}


def hierarchical_distance(values: Iterable[str | None], paths: dict[str, tuple[str, ...]]) -> Distance:
    """`paths[leaf]`: the leaf, then its ancestors up to the root. A hidden value hangs directly below the root."""
    root = next(iter(paths.values()))[-1]
    height: dict[str, int] = {}
    for path in paths.values():
        for steps, node in enumerate(path):
            height[node] = max(height.get(node, 0), steps)
    tall = max(height[root], 1)

    def apart(a: str | None, b: str | None) -> Fraction:
        if a == b:
            return Fraction(0)
        if a is None or b is None:
            return Fraction(1)
        return Fraction(next(height[node] for node in paths[a] if node in paths[b]), tall)

    found = set(values)
    return {(a, b): apart(a, b) for a in found for b in found}


def earth_movers(part: list[str | None], whole: list[str | None], distance: Distance) -> Fraction:
    """The least work to turn the distribution of `part` into that of `whole`: successive cheapest paths."""
    p, q = Counter(part), Counter(whole)
    extra = {value: p[value] * len(whole) - q[value] * len(part) for value in q}
    givers = {value: amount for value, amount in extra.items() if amount > 0}
    takers = {value: -amount for value, amount in extra.items() if amount < 0}
    sent = {(a, b): 0 for a in givers for b in takers}
    work = Fraction(0)
    while any(givers.values()):
        cost: dict[tuple[str, str | None], Fraction] = {("gives", a): Fraction(0) for a in givers if givers[a]}
        came: dict[tuple[str, str | None], tuple[str, str | None]] = {}
        changed = True
        while changed:
            changed = False
            for (a, b), amount in sent.items():
                step = distance[a, b]
                for start, end, price, usable in (
                    (("gives", a), ("takes", b), step, True),
                    (("takes", b), ("gives", a), -step, amount > 0),
                ):
                    if usable and start in cost and (end not in cost or cost[start] + price < cost[end]):
                        cost[end] = cost[start] + price
                        came[end] = start
                        changed = True
        end = min((("takes", b) for b in takers if takers[b]), key=lambda node: cost[node])
        path = [end]
        while path[-1] in came:
            path.append(came[path[-1]])
        path.reverse()
        steps = list(pairwise(path))
        amount = min([givers[path[0][1]], takers[end[1]]] + [sent[y[1], x[1]] for x, y in steps if x[0] == "takes"])
        for x, y in steps:
            if x[0] == "gives":
                sent[x[1], y[1]] += amount
            else:
                sent[y[1], x[1]] -= amount
        givers[path[0][1]] -= amount
        takers[end[1]] -= amount
        work += cost[end] * amount
    return work / (len(part) * len(whole)) if whole else Fraction(0)


# ---- nothing lost or invented ----------------------------------------------------------------------------------------


def each_has_its_own(published: Sequence[P], originals: Sequence[O], covers: Callable[[P, O], bool]) -> bool:
    """Whether every published record can be given an original record of its own that it covers."""
    owner: dict[int, int] = {}

    def find(record: int, tried: set[int]) -> bool:
        for i, original in enumerate(originals):
            if i not in tried and covers(published[record], original):
                tried.add(i)
                if i not in owner or find(owner[i], tried):
                    owner[i] = record
                    return True
        return False

    return all(find(record, set()) for record in range(len(published)))
