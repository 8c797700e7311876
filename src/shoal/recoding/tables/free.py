"""Values that are no labels of the hierarchy: ranges of numbers and sets of values, as small as a class allows.

A range does not end at the least or greatest number of its class: that would publish one person's value (TRUST, tight
intervals). It ends where the groups of the hierarchy's first level end, a grid that does not depend on the records. Where the
labels of these groups say their ends (`20-24`, `[20, 25[`, `>=100`), the range is put together from them; else it is written
with the first and last raw value inside, but only when a file or the recipe states the raw values: otherwise these are values
of the data. A class in which all have the same value shows it.

A set names the values that occur in the class. Where a class holds a missing value, or more values than a person would read, or no
range can be written that says exactly what is meant, the smallest label of the hierarchy stands for them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from shoal.hierarchies.decimals import parse
from shoal.kernels.distinct import distinct
from shoal.recoding.tables.recoded import ShownValues

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from numpy.typing import NDArray

    from shoal.hierarchies.hierarchy import Hierarchy, Label

Leaves = range | tuple[int, ...]  # leaf codes, ascending; a range whenever there is no gap between them

_MOST_IN_A_SET = 12
_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"  # a text that every reader takes for the same number
_BOTH_ENDS = re.compile(rf"(?:({_NUMBER})-({_NUMBER})|\[({_NUMBER}), ({_NUMBER})([\[\]]))")
_ONE_END = re.compile(rf"(<|>=)({_NUMBER})")


def free_values(
    hierarchy: Hierarchy,
    codes: NDArray[np.int32],
    groups: NDArray[np.int32],
    nodes: NDArray[np.int32],
    *,
    stated: bool = False,
) -> tuple[NDArray[np.int32], ShownValues]:
    """codes, groups: (parts,) the leaf and the group of each part; no group is empty. nodes: (groups,) the smallest label around
    each group. stated: whether a file or the recipe states the raw values, whatever the data holds.

    Returns (groups,) numbers of shown values, and the values.
    """
    pairs = distinct(groups.astype(np.int64) * hierarchy.leaf_count + codes)
    owner, leaf = np.divmod(pairs, np.int64(hierarchy.leaf_count))
    begin = np.searchsorted(owner, np.arange(len(nodes) + 1))
    numbers = _in_order(hierarchy)
    ranges = None if numbers is None else _Ranges(hierarchy, numbers, stated)
    number_of: dict[Leaves, int] = {}
    labels: list[Label] = []
    values = np.empty(len(nodes), np.int32)
    for group, node in enumerate(nodes.tolist()):
        held, below = _as_leaves(leaf[begin[group] : begin[group + 1]].tolist()), _below(hierarchy, node)
        shown, label = held, None
        if len(held) > 1 and ranges is not None:
            shown, label = ranges.around(held)
            if label is None:
                shown, label = ranges.around(below)
        elif held != below:
            label = _set(hierarchy, held)
        if label is None:
            shown, label = below, hierarchy.labels[node]
        if shown not in number_of:
            number_of[shown] = len(labels)
            labels.append(label)
        values[group] = number_of[shown]
    sizes = [len(shown) for shown in number_of]
    leaves = np.fromiter((one for shown in number_of for one in shown), np.int32, sum(sizes))
    return values, ShownValues(tuple(labels), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), leaves)


def _as_leaves(codes: list[int]) -> Leaves:
    """codes: ascending."""
    return range(codes[0], codes[-1] + 1) if codes[-1] - codes[0] + 1 == len(codes) else tuple(codes)


def _below(hierarchy: Hierarchy, node: int) -> Leaves:
    return range(int(hierarchy.first[node]), int(hierarchy.last[node]) + 1)


def _says(hierarchy: Hierarchy, label: str, shown: Leaves) -> bool:
    """Whether the hierarchy has no such label, or means the same by it."""
    node = hierarchy.node(label)
    return node is None or shown == _below(hierarchy, node)


# ---- ranges ----------------------------------------------------------------------------------------------------------


def _in_order(hierarchy: Hierarchy) -> tuple[Fraction | None, ...] | None:
    """The numbers that the leaves are, None for missing values; None when they are not all plain numbers in ascending order."""
    labels = hierarchy.labels[: hierarchy.leaf_count]
    if not all(label is None or re.fullmatch(_NUMBER, label) for label in labels):
        return None
    parsed = tuple(None if label is None else parse(label) for label in labels)
    numbers = [number for number in parsed if number is not None]
    return parsed if len(numbers) > 2 and all(a < b for a, b in pairwise(numbers)) else None


@dataclass(frozen=True)
class _Ends:
    """Where a range begins and ends; None: it is open to that side."""

    low: str | None
    high: str | None
    excluded: bool = False  # the high end does not belong to it

    def texts(self) -> Iterator[str]:
        """Ways to write it, the first ones easier to read."""
        if self.low is None:
            yield f"{'<' if self.excluded else '<='}{self.high}"
        elif self.high is None:
            yield f">={self.low}"
        elif self.excluded:
            yield f"[{self.low}, {self.high}["
        else:
            if not self.low.startswith("-"):
                yield f"{self.low}-{self.high}"
            yield f"[{self.low}, {self.high}]"

    def holds(self, number: Fraction) -> bool:
        low = parse(self.low) if self.low is not None else None
        high = parse(self.high) if self.high is not None else None
        above = low is None or number >= low
        return above and (high is None or number < high or (number == high and not self.excluded))


class _Ranges:
    """Ranges of whole groups of the first level."""

    def __init__(self, hierarchy: Hierarchy, numbers: tuple[Fraction | None, ...], stated: bool) -> None:
        self._hierarchy, self._numbers = hierarchy, numbers
        self._stated = stated and hierarchy.bounds is None  # with bounds, the raw values may still be those of the data
        self._known: dict[tuple[int, int], tuple[Leaves, Label]] = {}

    def around(self, held: Leaves) -> tuple[Leaves, Label]:
        """The leaves from the first group that is met to the last, and the range; no label when it cannot be written."""
        level = min(1, self._hierarchy.height)
        cells = int(self._hierarchy.levels[level, held[0]]), int(self._hierarchy.levels[level, held[-1]])
        if cells not in self._known:
            self._known[cells] = self._between(*cells)
        return self._known[cells]

    def _between(self, first: int, last: int) -> tuple[Leaves, Label]:
        hierarchy = self._hierarchy
        shown = range(int(hierarchy.first[first]), int(hierarchy.last[last]) + 1)
        if len(shown) == hierarchy.leaf_count:
            return shown, None  # the top says it, and not where the data ends
        for ends in self._ways(first, last, shown):
            for label in ends.texts():
                if self._exactly(ends, shown) and _says(hierarchy, label, shown):
                    return shown, label
        return shown, None

    def _exactly(self, ends: _Ends, shown: Leaves) -> bool:
        """Whether a range holds these leaves and no other. They are ascending, so the outermost and their neighbours tell."""
        numbers, first, last = self._numbers, shown[0], shown[-1]
        inside = [numbers[first], numbers[last]]
        outside = [numbers[leaf] for leaf in (first - 1, last + 1) if 0 <= leaf < len(numbers)]
        return (
            None not in numbers[first : last + 1]
            and all(number is not None and ends.holds(number) for number in inside)
            and not any(number is not None and ends.holds(number) for number in outside)
        )

    def _ways(self, first: int, last: int, shown: Leaves) -> Iterator[_Ends]:
        labels = self._hierarchy.labels
        low, high = _ends_of(labels[first]), _ends_of(labels[last])
        if low is not None and high is not None and (low.low, high.high) != (None, None):
            yield _Ends(low.low, high.high, high.excluded)
        smallest, greatest = labels[shown[0]], labels[shown[-1]]
        if self._stated and smallest is not None and greatest is not None:
            yield _Ends(smallest, greatest)


def _ends_of(label: Label) -> _Ends | None:
    """The ends that the label of a group says; None when it says none."""
    if label is None:
        return None
    both = _BOTH_ENDS.fullmatch(label)
    if both is not None:
        return _Ends(both[1] or both[3], both[2] or both[4], both[5] == "[")
    one = _ONE_END.fullmatch(label)
    if one is None:
        return None
    return _Ends(None, one[2], excluded=True) if one[1] == "<" else _Ends(one[2], None)


# ---- sets ------------------------------------------------------------------------------------------------------------


def _set(hierarchy: Hierarchy, held: Leaves) -> Label:
    """The values themselves; None when they are too many, one is missing, or the text would be read as something else."""
    if len(held) > _MOST_IN_A_SET:
        return None
    texts = [label for leaf in held if (label := hierarchy.labels[leaf]) is not None]
    if len(texts) < len(held) or not all(map(_plain, texts)):
        return None
    label = "{" + ", ".join(sorted(texts)) + "}"
    return label if _says(hierarchy, label, held) else None


def _plain(text: str) -> bool:
    """Whether a value can stand in a set without being read as something else."""
    return text == text.strip() and bool(text) and not set(text) & set(",{}\"'*")
