"""What a promise asks of the records that fit what is known, and which combinations do not meet it."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.verifier.finding import WITNESSES

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shoal.verifier.trees.tally import Run


@dataclass(frozen=True)
class Bound:
    """k records; and of their sensitive values l different ones, or none more frequent than one in l."""

    k: int
    l: int | None = None  # noqa: E741  # None: nothing is asked of values
    by_frequency: bool = False
    hidden: int = -1  # the number of the value that may be any; the highest there is

    @classmethod
    def of(cls, guarantee: Any, values: int = 0) -> Bound:
        """values: how many there are that are not hidden."""
        if guarantee.name != "kmn-diversity":
            return cls(guarantee.k)
        return cls(guarantee.k, guarantee.l, guarantee.form == "frequency", values)


@dataclass(frozen=True, order=True)
class Fragment:
    """What somebody may know, and what they find: in the order in which they are shown."""

    pairs: int  # how many
    records: int
    labels: tuple[int, ...]
    related: tuple[tuple[int, int], ...] = field(default=())  # labels, the upper one first
    on_one_path: bool = False
    most: int = 0  # of the records, how many may hold the same sensitive value
    values: int = 0  # different sensitive values among them


@dataclass
class Found:
    """Of one size: how many combinations there are, how many break the promise, and the worst of them."""

    number: int = 0
    broken: int = 0
    least: int | None = None  # the fewest records that fit something
    records: int = 0  # that have the combinations, all in all
    worst: list[Fragment] = field(default_factory=list)

    def note(self, fragments: list[Fragment]) -> None:
        self.worst = sorted([*self.worst, *fragments])[:WITNESSES]


@dataclass(frozen=True, eq=False)
class Meaning:
    """What a key says: a combination, then a value, then pairs."""

    value_bits: int
    pairs: tuple[tuple[int, int], ...]  # by bit, the places of the two labels in the combination
    labels: Callable[[int], tuple[int, ...]]  # of a combination
    on_one_path: bool = False


def judge(found: Found, run: Run, bound: Bound, meaning: Meaning, n: int) -> None:
    """Add to what was found. n: how many pairs may be known."""
    keys, records = run
    if not len(keys):
        return
    bits = len(meaning.pairs)
    pattern = keys & ((1 << bits) - 1)
    valued = keys >> bits
    starts = np.flatnonzero(np.diff(valued, prepend=valued[0] - 1))
    value = valued[starts] & ((1 << meaning.value_bits) - 1)
    combination = valued[starts] >> meaning.value_bits
    groups = np.flatnonzero(np.diff(combination, prepend=combination[0] - 1))
    first_broken = np.full(len(groups), -1, np.int64)
    numbers = np.zeros((3, len(groups)), np.int64)  # of what is broken: records, most, values
    for place, known in enumerate(_subsets(bits, n)):
        asked = sum(1 << bit for bit in known)
        held = np.where(pattern & asked == asked, records, 0) if asked else records
        number, most, values, broken = _asked(np.add.reduceat(held, starts), value, groups, bound)
        if not known:
            found.records += int(number.sum())
        some = number[number > 0]
        if len(some):
            least = int(some.min())
            found.least = least if found.least is None else min(found.least, least)
        new = broken & (number > 0) & (first_broken < 0)
        first_broken[new] = place
        numbers[:, new] = np.stack((number, most, values))[:, new]
    found.number += len(groups)
    found.broken += int((first_broken >= 0).sum())
    found.note(_worst(first_broken, numbers, combination[groups], meaning, list(_subsets(bits, n))))


def _subsets(bits: int, n: int) -> list[tuple[int, ...]]:
    return [known for size in range(min(n, bits) + 1) for known in combinations(range(bits), size)]


def _asked(
    held: NDArray[np.int64], value: NDArray[np.int64], groups: NDArray[np.int64], bound: Bound
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """By group: records, most, values, and whether that breaks the promise. held: (group, value) → records"""
    number = np.add.reduceat(held, groups)
    broken = number < bound.k
    if bound.l is None:
        return number, np.zeros_like(number), np.zeros_like(number), broken
    hidden = value == bound.hidden
    seen = np.where(hidden, 0, held)
    # a hidden value may be any: it counts as the most frequent one, and adds none
    most = np.maximum.reduceat(seen, groups) + np.add.reduceat(np.where(hidden, held, 0), groups)
    values = np.add.reduceat((seen > 0).astype(np.int64), groups)
    broken |= most * bound.l > number if bound.by_frequency else values < bound.l
    return number, most, values, broken


def _worst(
    first_broken: NDArray[np.int64],
    numbers: NDArray[np.int64],
    combination: NDArray[np.int64],
    meaning: Meaning,
    known: list[tuple[int, ...]],
) -> list[Fragment]:
    broken = np.flatnonzero(first_broken >= 0)
    if not len(broken):
        return []
    pairs = np.array([len(one) for one in known], np.int64)[first_broken[broken]]
    order = np.lexsort((combination[broken], numbers[0][broken], pairs))[:WITNESSES]
    made = []
    for at in broken[order].tolist():
        labels = meaning.labels(int(combination[at]))
        related = tuple((labels[x], labels[y]) for x, y in (meaning.pairs[bit] for bit in known[int(first_broken[at])]))
        number, most, values = numbers[:, at].tolist()
        if meaning.on_one_path:
            related = tuple(combinations(labels, 2))
        made.append(Fragment(len(related), number, labels, related, meaning.on_one_path, most, values))
    return made
