"""k-matching and l-matching without a certificate: the graph of everything that fits, and its edges that lie in perfect matchings.

An original set S fits a published record when S xor base ⊆ differ and |S xor base| ≤ at most. This graph holds every graph that
the maker of the release may have had in mind, so it shows what an attacker can rule out and not how the assignment was drawn:
that is what the certificate is for. It is built up to the sizes below, and beyond them nothing passes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.sets.matched import Fewest, Matching
from shoal.verifier.sets.perfect import in_perfect_matchings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.verifier.sets.matched import Bounds
    from shoal.verifier.sets.published import Published
    from shoal.verifier.sets.released import Released

_WORK = 2_000_000_000  # 64-bit words that are compared at most
_EDGES = 2_000_000
_ADVICE = "Give the certificate of the release (--assignment)."


def judge(release: Published, original: Released, words: Sequence[str], bounds: Bounds) -> Matching:
    """words: all items there are."""
    _, sets = original.sets
    width = (len(words) + 63) // 64
    if sets * release.number * max(width, 1) > _WORK:
        return _too_large(f"{sets:,} sets against {release.number:,} published forms are too many to compare.")
    place = {word: i for i, word in enumerate(words)}
    sql, texts = release.source.sql, release.lists.texts
    sql.bring("graph_original", f"SELECT {texts('s')} AS s, c FROM {original.sets[0]} AS g")
    originals = sql.driver.execute("SELECT s, c FROM graph_original").fetchall()
    sql.bring("graph_shown", f"SELECT {texts('b')} AS b, {texts('d')} AS d, t, c FROM {release.shown} AS g")
    shown = sql.driver.execute("SELECT b, d, t, c FROM graph_shown").fetchall()
    edges = _edges(
        _bits([row[0] for row in originals], place, width),
        _bits([row[0] for row in shown], place, width),
        _bits([row[1] for row in shown], place, width),
        np.array([row[2] for row in shown], np.int64),
    )
    if edges is None:
        return _too_large(f"More than {_EDGES:,} pairs of a set and a published form fit.")
    left, right = [int(row[1]) for row in originals], [int(row[3]) for row in shown]
    counted = in_perfect_matchings(left, right, edges)
    if counted is None:
        return Matching("There is no perfect matching: the published records cannot each be an original of their own.")
    degree = np.zeros(len(left), np.int64)
    for (giver, taker), counts in zip(edges, counted, strict=True):
        degree[giver] += right[taker] if counts else 0
    records = np.array(left, np.int64)
    kept = [edge for edge, counts in zip(edges, counted, strict=True) if counts]
    values = {
        name: _fewest(_labels(release, name, shown, kept, len(left)), records, asked)
        for name, asked in bounds.values.items()
    }
    return Matching(None, _fewest(degree, records, bounds.records), values)


def _fewest(ways: NDArray[np.int64], records: NDArray[np.int64], bounds: Sequence[int]) -> Fewest:
    return Fewest(int(ways.min()), {bound: int(records[ways < bound].sum()) for bound in bounds})


def _too_large(why: str) -> Matching:
    return Matching(f"Could not be decided, and so does not pass. {why} {_ADVICE}")


def _bits(sets: Sequence[Sequence[str]], place: dict[str, int], width: int) -> NDArray[np.uint64]:
    """(sets, words): one bit an item."""
    bits = np.zeros((len(sets), max(width, 1)), np.uint64)
    for number, items in enumerate(sets):
        for item in items:
            word, bit = divmod(place[item], 64)
            bits[number, word] |= np.uint64(1 << bit)
    return bits


def _edges(
    originals: NDArray[np.uint64], base: NDArray[np.uint64], differ: NDArray[np.uint64], at_most: NDArray[np.int64]
) -> list[tuple[int, int]] | None:
    """(original, published form) of all that fit; None when they are too many."""
    edges: list[tuple[int, int]] = []
    for form in range(len(base)):
        apart = originals ^ base[form]  # (originals, words)
        inside = ~((apart & ~differ[form]).any(axis=1))
        near = np.bitwise_count(apart).sum(axis=1, dtype=np.int64) <= at_most[form]
        edges += [(int(giver), form) for giver in np.flatnonzero(inside & near)]
        if len(edges) > _EDGES:
            return None
    return edges


def _labels(
    release: Published,
    name: str,
    shown: Sequence[tuple[list[str], list[str], int, int]],
    edges: Sequence[tuple[int, int]],
    originals: int,
) -> NDArray[np.int64]:
    """(originals,): the different values that each may have."""
    texts = release.lists.texts
    table = f"graph_values_{release.others.index(name)}"
    release.source.sql.bring(
        table,
        f"SELECT DISTINCT {texts('b')} AS b, {texts('d')} AS d, t, v FROM {release.values(name)} AS g WHERE v >= 0",
    )
    held: dict[tuple[tuple[str, ...], tuple[str, ...], int], set[int]] = {}
    for base, differ, at_most, value in release.source.sql.driver.execute(f"SELECT b, d, t, v FROM {table}").fetchall():
        held.setdefault((tuple(base), tuple(differ), at_most), set()).add(value)
    by_form = [held.get((tuple(row[0]), tuple(row[1]), row[2]), set()) for row in shown]
    seen: list[set[int]] = [set() for _ in range(originals)]
    for giver, taker in edges:
        seen[giver] |= by_form[taker]
    return np.array([len(one) for one in seen], np.int64)
