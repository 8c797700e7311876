"""Attacks on published trees: someone knows some values of a person, and for some of them which stands above which.

The attacker knows how the release was made, so that knowing values is knowing labels. What they know is drawn from the original
record: so many values, and so many relations among these, or all if there are fewer. A value that is left out tells nothing, nor
does a relation that the person's published record does not show: that one is missing asserts nothing (ERRATA 000-10). Of the
records that show the rest one is picked, and the attack succeeded if it is the person's. Somebody who knows that values stand on
one path counts only the records that show them so; that is promised in strict mode alone (000-5).

A release that is k^(m,n)-anonymous leaves at least k records to everybody who knows up to m values and n relations; beyond that
nothing is promised, and the rate is measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from math import comb
from operator import and_
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from shoal.attacks.meter import Meter
from shoal.errors import InternalError
from shoal.kernels.trees.one_path import on_one_path
from shoal.recoding.trees.rules import LEFT_OUT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.data.trees import Forest
    from shoal.loss.trees.release import TreeRelease

    Words = NDArray[np.uint64]

ATTACKS = 10_000
T = TypeVar("T")
Pair = tuple[int, int]  # of labels, the upper one first
_LOOKED_AT = 2_000  # records whose risk is told; all, if there are no more
_REMEMBERED = 1 << 28  # bytes of bits
_FRAGMENTS = 2_000_000  # about so many are tried for it, whatever that leaves of the records


class Known(NamedTuple):
    """What somebody knows of a person, as it is shown."""

    labels: tuple[int, ...]
    relations: tuple[Pair, ...]
    path: bool = False  # all labels stand on one path


class ShownRecords:
    """The records of a forest as bits: those that show a label, and those that show one above another."""

    def __init__(self, forest: Forest) -> None:
        self.forest = forest
        self.records = int(forest.records.sum())
        self.everyone = (1 << self.records) - 1
        self.starts = np.concatenate([[0], np.cumsum(forest.records)])
        trees = np.repeat(np.arange(len(forest)), np.diff(forest.offsets))
        self._by_label = _Places(forest.labels.astype(np.int64), trees)
        self._width = int(forest.labels.max(initial=0)) + 1
        self._by_pair = _Places(*_relations(forest, trees, self._width))
        self._told: dict[int | Pair | frozenset[int], int] = {}
        self._words: dict[int | Pair | None, Words] = {}
        self._single = bool((forest.records == 1).all())  # then a record is a tree

    def fitting(self, known: Known) -> int:
        """The records that show all of it, as bits."""
        asked: list[int | Pair] = [*known.labels, *known.relations]
        fits = self.everyone
        for one in asked:
            fits &= self.showing(one)
        if known.path and len(known.labels) > 1 and fits:
            fits &= self._on_one_path(known.labels)
        return fits

    def showing(self, one: int | Pair) -> int:
        """The records that show a label, or a relation."""
        if one not in self._told:
            places, key = (
                (self._by_label, one) if isinstance(one, int) else (self._by_pair, one[0] * self._width + one[1])
            )
            self._remember(one, self._bits(places.at(key)))
        return self._told[one]

    def words(self, one: int | Pair | None) -> Words:
        """The same as words, in which NumPy counts ten times as fast as Python. None: everyone."""
        if one not in self._words:
            bits = self.everyone if one is None else self.showing(one)
            words = np.frombuffer(bits.to_bytes(-(-self.records // 64) * 8, "little"), np.uint64)
            if len(self._words) * self.records > 8 * _REMEMBERED:
                self._words.clear()
            self._words[one] = words
        return self._words[one]

    def tree(self, record: int) -> int:
        return int(np.searchsorted(self.starts, record, "right")) - 1

    def relations(self, tree: int) -> set[Pair]:
        return {pair for path in self.forest.paths(tree) for pair in combinations(path, 2)}

    def _on_one_path(self, labels: tuple[int, ...]) -> int:
        key = frozenset(labels)
        if key not in self._told:
            rarest = min(labels, key=lambda label: self.showing(label).bit_count())
            trees, one = np.unique(self._by_label.at(rarest)), self.forest
            there = on_one_path(one.offsets, one.labels, one.parents, trees, np.array(sorted(key), np.int32))
            self._remember(key, self._bits(trees[there]))
        return self._told[key]

    def _remember(self, key: int | Pair | frozenset[int], bits: int) -> None:
        if len(self._told) * self.records > 8 * _REMEMBERED:
            self._told.clear()
        self._told[key] = bits

    def _bits(self, trees: NDArray[np.int64]) -> int:
        there = np.zeros(len(self.forest), np.bool_)
        there[trees] = True
        packed = np.packbits(there if self._single else np.repeat(there, self.forest.records), bitorder="little")
        return int.from_bytes(packed.tobytes(), "little")


class _Places:
    """The trees that have a key."""

    def __init__(self, keys: NDArray[np.int64], trees: NDArray[np.int64]) -> None:
        order = np.argsort(keys, kind="stable")
        self._keys, self._trees = keys[order], trees[order]

    def at(self, key: int) -> NDArray[np.int64]:
        begin, end = np.searchsorted(self._keys, [key, key + 1])
        trees: NDArray[np.int64] = self._trees[begin:end]
        return trees


def _relations(forest: Forest, trees: NDArray[np.int64], width: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Upper label · width + lower label of every node and each node above it, and the tree."""
    begin = np.repeat(forest.offsets[:-1], np.diff(forest.offsets))
    lower, upper = np.arange(len(forest.labels)), np.where(forest.parents < 0, -1, begin + forest.parents)
    keys, where = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    steps = upper.copy()  # the nodes above, one step further each time
    while (steps >= 0).any():
        lower, steps = lower[steps >= 0], steps[steps >= 0]
        keys.append(forest.labels[steps].astype(np.int64) * width + forest.labels[lower])
        where.append(trees[lower])
        steps = upper[steps]
    return np.concatenate(keys), np.concatenate(where)


@dataclass(frozen=True)
class FragmentAttack:
    """How attacks with so many known values and relations went."""

    m: int
    n: int
    path: bool
    meter: Meter
    chance: float  # mean over the attacked people of one in the records that fit: what the rate comes close to
    least: int  # the fewest records that fitted anyone attacked: the highest chance was one in this many
    fits: NDArray[np.int64]  # (attacks,): the records that fitted

    def keeps(self, k: int) -> bool:
        """Whether no one attacked was left with fewer than k records, and the measured rate does not speak against 1/k."""
        return self.least >= k and self.meter.keeps(1 / k)

    def below(self, k: int) -> Meter:
        """How often fewer than k records fitted."""
        return Meter(len(self.fits), int((self.fits < k).sum()))


class TreeAttacker:
    """Holds what was prepared for one release over several attacks."""

    def __init__(self, release: TreeRelease, generator: np.random.Generator | None = None) -> None:
        if not release.rows:
            raise InternalError("An attack needs a record.")
        self.release = release
        self.shown = ShownRecords(release.shown)
        self.rng = generator or np.random.default_rng()  # no privacy depends on it

    def attack(self, m: int, n: int, *, path: bool = False, attacks: int = ATTACKS) -> FragmentAttack:
        if m < 0 or n < 0 or attacks < 1:
            raise InternalError(
                "No fewer than 0 values and relations can be known, and an attack is made at least once."
            )
        successes, fits = 0, np.empty(attacks, np.int64)
        for number, target in enumerate(self.rng.integers(0, self.shown.records, attacks).tolist()):
            fitting = self.shown.fitting(self.known(self.shown.tree(target), m, n, path=path))
            fits[number] = fitting.bit_count()
            before = (fitting & ((1 << target) - 1)).bit_count()  # of those that fit, the ones before the person's
            successes += int(int(self.rng.integers(fits[number])) == before)
        return FragmentAttack(m, n, path, Meter(attacks, successes), float((1 / fits).mean()), int(fits.min()), fits)

    def known(self, tree: int, m: int, n: int, *, path: bool = False) -> Known:
        """Drawn from an original tree, as the release shows it. With `path` the values stand on one path."""
        one, shows = self.release.originals, self.release.shows
        begin, end = int(one.offsets[tree]), int(one.offsets[tree + 1])
        nodes = list(range(begin, end))
        if path and nodes:
            at, nodes = int(self.rng.integers(begin, end)), []
            while at >= begin:
                nodes.append(at)
                at = begin + int(one.parents[at]) if one.parents[at] >= 0 else -1
        labels = {int(one.labels[node]): node for node in nodes}  # a value that a record holds several times is one
        chosen = self._some(sorted(labels), m)
        as_shown = {label: int(shows[labels[label]]) for label in chosen}
        held = {pair for way in one.paths(tree) for pair in combinations(way, 2)}
        among = self._some(sorted(pair for pair in held if set(pair) <= set(chosen)), n)
        relations = {(as_shown[a], as_shown[b]) for a, b in among} & self.shown.relations(tree)
        seen = tuple(sorted({label for label in as_shown.values() if label != LEFT_OUT}))
        if path and not any(set(seen) <= set(way) for way in ((), *self.release.shown.paths(tree))):
            return Known(seen, tuple(sorted(relations)))  # they were parted: the person's record does not show them so
        return Known(seen, tuple(sorted(relations)), path)

    def _some(self, of: Sequence[T], number: int) -> list[T]:
        if len(of) <= number:
            return list(of)
        return [of[place] for place in self.rng.choice(len(of), number, replace=False).tolist()]


@dataclass(frozen=True)
class FragmentRisk:
    """How many records someone can tell from all but fewer than k, who knows the right m values and n relations."""

    m: int
    n: int
    k: int
    looked_at: int  # records
    at_risk: int  # of these
    exact: bool  # they are all records

    @property
    def share(self) -> Meter:
        """With the interval, where not all records were looked at."""
        return Meter(self.looked_at, self.at_risk)


def fragment_risk(
    records: ShownRecords, k: int, m: int, n: int, generator: np.random.Generator | None = None
) -> FragmentRisk:
    """Of a forest as it is shown, be it the original one or a release."""
    if not records.records:
        raise InternalError("A risk needs a record.")
    forest = records.forest
    rng = generator or np.random.default_rng()  # no privacy depends on it
    nodes = np.repeat(np.diff(forest.offsets), forest.records)
    mean = np.mean(
        [comb(min(int(number), 40), m) * 2 ** min(n, comb(m, 2)) for number in nodes[:: len(nodes) // 1000 + 1]]
    )
    most = int(min(_LOOKED_AT, max(_FRAGMENTS / max(float(mean), 1.0), 100)))
    exact = records.records <= most
    chosen = range(records.records) if exact else rng.choice(records.records, most, replace=False).tolist()
    trees = [records.tree(record) for record in chosen]
    risky = {tree: _has_rare_fragment(records, tree, k, m, n) for tree in set(trees)}
    return FragmentRisk(m, n, k, len(trees), sum(risky[tree] for tree in trees), exact)


def _has_rare_fragment(records: ShownRecords, tree: int, k: int, m: int, n: int) -> bool:
    """Whether fewer than k records show some of a tree's labels, m at most, with some of their relations, n at most."""
    paths = records.forest.paths(tree)
    labels = sorted({label for path in paths for label in path}, key=lambda one: records.showing(one).bit_count())
    related = records.relations(tree)
    if records.fitting(Known(tuple(labels), tuple(related))).bit_count() >= k:
        return False
    shown = [records.words(label) for label in labels]
    place = {label: i for i, label in enumerate(labels)}
    linked = {frozenset((place[upper], place[lower])): records.words((upper, lower)) for upper, lower in related}
    size = min(m, len(labels))

    def rare(chosen: tuple[int, ...], fits: Words, links: tuple[Words, ...]) -> bool:
        """Whether a combination that begins so is rare. fits: who shows these labels; links: who shows each of their relations."""
        if _count(fits) < k:
            return True
        if len(chosen) == size:
            return bool(links) and _too_few(fits, links, k, n)
        for i in range(chosen[-1] + 1 if chosen else 0, len(labels) - size + len(chosen) + 1):
            more = (*links, *(linked[pair] for one in chosen if (pair := frozenset((one, i))) in linked))
            if rare((*chosen, i), fits & shown[i], more):
                return True
        return False

    return rare((), records.words(None), ())


def _too_few(fits: Words, links: tuple[Words, ...], k: int, n: int) -> bool:
    """Whether fewer than k of those who fit show some n of the links, or all if there are fewer."""
    few = _count(reduce(and_, links, fits)) < k
    if not few or len(links) <= n:
        return few
    return any(_count(reduce(and_, some, fits)) < k for some in combinations(links, n))


def _count(words: Words) -> int:
    return int(np.bitwise_count(words).sum())
