"""Which original values a published value covers, within one quasi column.

The label of a hierarchy covers the leaves below it, and the top covers a missing value too. A value that is no label is read as in
`values.py`. A missing value covers a missing value only; every value covers itself.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import takewhile
from typing import TYPE_CHECKING

from shoal.verifier.text import number_of
from shoal.verifier.values import Anything, DatesIn, Mask, Numbers, OneOf, read_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shoal.verifier.hierarchies.hierarchy import Hierarchy


class Domain:
    """The distinct original values of a column, indexed so that a lookup costs what it finds."""

    def __init__(self, texts: Sequence[str | None], hierarchy: Hierarchy | None) -> None:
        self._hierarchy = hierarchy
        self._all = range(len(texts))
        self._missing = [i for i, text in enumerate(texts) if text is None]
        self._same: dict[str, list[int]] = {}
        for i, text in enumerate(texts):
            if text is not None:
                self._same.setdefault(text, []).append(i)
        # (sort key, number of the value), ascending
        self._sorted = sorted((text, i) for i, text in enumerate(texts) if text is not None)
        self._numbers = sorted((number, i) for i, text in enumerate(texts) if (number := number_of(text)) is not None)
        self._bounds = [number for number, _ in self._numbers]
        self._leaves: list[tuple[int, int]] = []
        if hierarchy is not None:
            leaves = ((hierarchy.code(text), i) for i, text in enumerate(texts))
            self._leaves = sorted((leaf, i) for leaf, i in leaves if leaf is not None)

    def covered_by(self, published: str | None) -> set[int]:
        """The numbers of the original values that this published value covers."""
        if published is None:
            return set(self._missing)
        return {*self._same.get(published, ()), *self._meant_by(published)}

    def _meant_by(self, published: str) -> Iterable[int]:
        node = None if self._hierarchy is None else self._hierarchy.node(published)
        if self._hierarchy is not None and node is not None:
            return self._below(self._hierarchy, node, published)
        meaning = read_value(published)
        if isinstance(meaning, Anything):
            return self._all
        if isinstance(meaning, Numbers):
            start = (bisect_left if meaning.with_low else bisect_right)(self._bounds, meaning.low)
            stop = (bisect_right if meaning.with_high else bisect_left)(self._bounds, meaning.high)
            return [i for _, i in self._numbers[start:stop]]
        if isinstance(meaning, Mask):
            return [i for text, i in self._beginning(meaning.pattern.partition("*")[0]) if meaning.fits(text)]
        if isinstance(meaning, DatesIn):
            return [i for text, i in self._beginning(meaning.prefix) if meaning.fits(text)]
        if isinstance(meaning, OneOf):
            return [i for member in meaning.members for i in self._member(member)]
        return ()

    def _member(self, member: str) -> set[int]:
        """A member of a set is a value or a label; a set in a set is not read."""
        if isinstance(read_value(member), OneOf | Anything):
            return set(self._same.get(member, ()))
        return self.covered_by(member)

    def _below(self, hierarchy: Hierarchy, node: int, label: str) -> Iterable[int]:
        start = bisect_left(self._leaves, (int(hierarchy.first[node]), -1))
        stop = bisect_left(self._leaves, (int(hierarchy.last[node]) + 1, -1))
        below = [i for _, i in self._leaves[start:stop]]
        if label != hierarchy.root or hierarchy.leaf_count == len(hierarchy.labels):
            return below
        # the top: what is missing lies below it, and `*` says that it could be anything at all
        return self._all if isinstance(read_value(label), Anything) else [*below, *self._missing]

    def _beginning(self, prefix: str) -> Iterable[tuple[str, int]]:
        start = bisect_left(self._sorted, (prefix, -1))
        from_there = (self._sorted[at] for at in range(start, len(self._sorted)))
        return takewhile(lambda entry: entry[0].startswith(prefix), from_there)
