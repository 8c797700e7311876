"""People whom two releases, or what changed between them, tell apart: counted, not guessed.

A *line* holds the people who have the same raw values in the columns that a release blurs. Most lines lie in one class whole. The
people of the others were dealt out at random, and nobody knows who went where: of these the least that is certain counts. So nobody
is missed, and where every line lies in one class the counts are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Lines:
    """How the lines of a release lie in its classes. Whoever of a line is in no class was suppressed."""

    people: NDArray[np.int64]  # (lines,), at least 1
    offsets: NDArray[np.int64]  # (lines + 1,): the parts of line i are those from offsets[i] to offsets[i + 1]
    classes: NDArray[np.int64]  # (parts,)
    records: NDArray[np.int64]  # (parts,): people of the line in that class, at least 1


@dataclass(frozen=True, eq=False)
class Pairs:
    """Where people may be in two releases: kinds of people (a line of either), and the pairs of classes each kind may be in."""

    kind_of: NDArray[np.int64]  # (people,)
    people: NDArray[np.int64]  # (kinds,)
    owner: NDArray[np.int64]  # (places,): the kind, ascending
    first: NDArray[np.int64]  # (places,): the class in the first release
    second: NDArray[np.int64]  # (places,)
    certain: NDArray[np.int64]  # (places,): people of the kind who are there however they were dealt out
    group: NDArray[np.int64]  # (places,): the pair of classes as a number
    groups: int
    first_part: NDArray[np.int64]  # (places,): the part of the line in the first release
    second_part: NDArray[np.int64]  # (places,)

    @classmethod
    def of(cls, first: Lines, second: Lines, ours: NDArray[np.int64], theirs: NDArray[np.int64]) -> Pairs:
        """ours, theirs: (people,) the line of each in the first and in the second release."""
        width = len(second.people) + 1
        kinds, kind_of, people = np.unique(ours * width + theirs, return_inverse=True, return_counts=True)
        line, other = np.divmod(kinds, width)
        here, there = np.diff(first.offsets)[line], np.diff(second.offsets)[other]
        owner = np.repeat(np.arange(len(kinds)), here * there)
        place = np.arange(len(owner)) - np.repeat(np.cumsum(here * there) - here * there, here * there)
        one = first.offsets[line[owner]] + place // there[owner]
        two = second.offsets[other[owner]] + place % there[owner]
        # of n people of a line, of whom r are in a class, at least r less those of other kinds are of this kind
        in_first = np.maximum(0, first.records[one] - first.people[line[owner]] + people[owner])
        in_second = np.maximum(0, second.records[two] - second.people[other[owner]] + people[owner])
        certain = np.maximum(0, in_first + in_second - people[owner])
        a, b = first.classes[one], second.classes[two]
        pairs, group = np.unique(a * (int(b.max(initial=0)) + 1) + b, return_inverse=True)
        return cls(kind_of.reshape(-1), people, owner, a, b, certain, group.reshape(-1), len(pairs), one, two)

    def smallest(self, per_group: NDArray[np.int64]) -> NDArray[np.int64]:
        """(people,): the least figure of a group that each person may be in; -1 where they are not in both releases."""
        least = np.full(len(self.people), np.iinfo(np.int64).max)
        np.minimum.at(least, self.owner, per_group[self.group])
        least[np.bincount(self.owner, minlength=len(least)) == 0] = -1
        return least[self.kind_of]

    def sizes(self) -> NDArray[np.int64]:
        """(groups,): people who are certainly in both classes; of a group that somebody is in at least that one."""
        return np.maximum(1, np.bincount(self.group, self.certain, self.groups).astype(np.int64))

    def different(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """(groups,): values that people of the group certainly have. values: (people,) as numbers from 0."""
        width = int(values.max(initial=0)) + 1
        held = np.unique(self.kind_of * width + values)  # of each kind
        whole = np.flatnonzero(self.certain == self.people[self.owner])
        kinds, kept = held // width, held % width
        begin, end = (np.searchsorted(kinds, self.owner[whole], side) for side in ("left", "right"))
        pick = np.arange((end - begin).sum()) - np.repeat(np.cumsum(end - begin) - (end - begin), end - begin)
        value = kept[np.repeat(begin, end - begin) + pick]
        met = np.unique(np.repeat(self.group[whole], end - begin) * width + value)
        return np.maximum(1, np.bincount(met // width, minlength=self.groups))


def below(first: Lines, second: Lines, ours: NDArray[np.int64], theirs: NDArray[np.int64], k: int) -> NDArray[np.bool_]:
    """(people,): who is in both releases, and may lie with fewer than k people, themselves included, in the same two classes."""
    pairs = Pairs.of(first, second, ours, theirs)
    least = pairs.smallest(pairs.sizes())
    return (least >= 0) & (least < k)


def given_away(
    first: Lines,
    second: Lines,
    ours: NDArray[np.int64],
    theirs: NDArray[np.int64],
    values: NDArray[np.int64],
    l: int,  # noqa: E741  # as the literature calls it
) -> NDArray[np.bool_]:
    """(people,): who is in both releases, in two classes whose common people may have fewer than l values."""
    pairs = Pairs.of(first, second, ours, theirs)
    least = pairs.smallest(pairs.different(values))
    return (least >= 0) & (least < l)


def left(first: Lines, second: Lines, line: NDArray[np.int64], other: NDArray[np.int64], k: int) -> NDArray[np.bool_]:
    """(people,): who is in the first release only, and is given away by the difference of the two.

    line: (people,) of everybody in the first release; other: the line in the second, -1 where they are not in it.

    Whoever subtracts one release from the other needs classes of the first and classes of the second that hold the same people but
    for those who left. The smallest such choices are the connected parts of the graph that joins two classes when somebody is in
    both. What remains of a part are the records of those who left it; they are given away when they are fewer than k.
    """
    stays = other >= 0
    pairs = Pairs.of(first, second, line[stays], other[stays])
    sure = pairs.certain > 0
    part = _connected(pairs.first[sure], pairs.second[sure], int(first.classes.max(initial=-1)) + 1)
    shown, missing = np.diff(first.offsets) > 0, first.people - _added(first)
    partly = second.people - _added(second)
    gone = ~stays | (partly[other] > 0)  # or may be: of some lines only so many are in no class, and nobody knows who
    surely = (missing[line] == 0) & (~stays | (np.diff(second.offsets)[other] == 0))
    parts = part[first.classes]
    lowest, highest = (_over(one, parts, first.offsets) for one in (np.minimum, np.maximum))
    counted = surely & shown[line] & (lowest[line] == highest[line])
    few = np.bincount(lowest[line[counted]], minlength=len(part) + 1)  # of each part, those who certainly left it
    least = _over(np.minimum, few[parts], first.offsets)
    found: NDArray[np.bool_] = shown[line] & gone & (least[line] + ~counted < k)
    return found


def _added(lines: Lines) -> NDArray[np.int64]:
    """(lines,): people of each who are in some class."""
    return np.diff(np.concatenate([[0], np.cumsum(lines.records)])[lines.offsets])


def _over(choose: np.ufunc, values: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """(lines,): the least or greatest figure of the parts of each line; 0 where it has none."""
    some = np.diff(offsets) > 0
    chosen = np.zeros(len(some), np.int64)
    if some.any():
        chosen[some] = choose.reduceat(values, offsets[:-1][some])
    return chosen


def _connected(first: NDArray[np.int64], second: NDArray[np.int64], classes: int) -> NDArray[np.int64]:
    """(classes,): a number for each class of the first release, the same for those that are joined through the second."""
    part = np.arange(classes)
    while True:
        least = np.full(int(second.max(initial=-1)) + 1, classes)
        np.minimum.at(least, second, part[first])
        joined = part.copy()
        np.minimum.at(joined, first, least[second])
        joined = joined[joined]
        if np.array_equal(joined, part):
            return part
        part = joined
