"""Attacks on a mixed table: someone knows all single values of a person, and some of the items.

The attacker knows how the release was made: the values tell the class of the person, and known items the labels that they are shown
as. Which items they know is drawn at random, or they are the most telling ones: of all combinations of up to so many labels that
the person shows, the one that fewest records of the class hold. Somebody who shows fewer is known by all of them. Of the records of
the class that hold these one is picked, and the attack succeeded if it is the person's.

A release that is (k,k^m)-anonymous keeps the chance of every person at 1/k for up to m items, whichever they are (ERRATA 001-1);
beyond m nothing is promised, and the rate is measured. Sensitive items are outside the model (001-2).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from shoal.attacks.meter import Meter
from shoal.errors import InternalError
from shoal.recoding.tables.recoded import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from shoal.recoding.mixed.clusters import MixedRecoding

ATTACKS = 10_000
Choice = Literal["telling", "random"]


@dataclass(frozen=True, eq=False)
class PublishedRecords:
    """What a release shows of every record: its class, which is all that the single values tell, and labels of items."""

    classes: NDArray[np.int64]  # (records,): numbered from 0
    offsets: NDArray[np.int64]  # (records + 1,)
    labels: NDArray[np.int64]  # numbers, ascending and distinct in each record

    def __post_init__(self) -> None:
        if len(self.offsets) != len(self.classes) + 1 or self.offsets[-1] != len(self.labels):
            raise InternalError("Published records have values without items, or the other way round.")

    @classmethod
    def of_recoding(cls, recoding: MixedRecoding) -> PublishedRecords:
        """As it was decided. Suppressed records are not published."""
        recoded, shown = recoding.groups.recoded, recoding.shown
        parts = np.flatnonzero(recoded.classes != HIDDEN)
        rows = np.repeat(parts, recoded.counts[parts])
        sizes = np.diff(shown.offsets)[rows]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        within = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - shown.offsets[rows], sizes)
        return cls(recoded.classes[rows].astype(np.int64), offsets, shown.items[within].astype(np.int64))

    @classmethod
    def of_table(cls, table: pa.Table, values: Sequence[str], sets: Mapping[str, Sequence[str]]) -> PublishedRecords:
        """As it was written. values: the columns of single values; sets: those of items, with the sensitive items of each."""
        numbers: dict[tuple[str, ...], int] = {}
        # by what is read of a number: 0.0 is not -0.0, and one NaN is like another
        shown = zip(*(map(repr, table.column(name).to_pylist()) for name in values), strict=True)
        classes = np.array([numbers.setdefault(one, len(numbers)) for one in shown], np.int64)
        labels: dict[tuple[str, str], int] = {}
        kept = {name: frozenset(items) for name, items in sets.items()}
        labels_of: list[list[int]] = [[] for _ in range(table.num_rows)]
        for name in sets:
            for row, held in zip(labels_of, table.column(name).to_pylist(), strict=True):
                row += [labels.setdefault((name, text), len(labels)) for text in held or () if text not in kept[name]]
        offsets = np.cumsum([0, *map(len, labels_of)], dtype=np.int64)
        return cls(classes, offsets, np.array([label for row in labels_of for label in sorted(row)], np.int64))

    def __len__(self) -> int:
        return len(self.classes)

    def held(self, record: int) -> tuple[int, ...]:
        return tuple(self.labels[self.offsets[record] : self.offsets[record + 1]].tolist())

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """(records,): the place of each within its class."""
        order, starts = self._order
        places = np.empty(len(self), np.int64)
        places[order] = np.arange(len(self)) - np.repeat(starts[:-1], np.diff(starts))
        return places

    @cached_property
    def _order(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The records class by class, and where each begins."""
        order = np.argsort(self.classes, kind="stable")
        return order, np.searchsorted(self.classes[order], np.arange(int(self.classes.max(initial=-1)) + 2))

    def members(self, number: int) -> NDArray[np.int64]:
        order, starts = self._order
        return order[starts[number] : starts[number + 1]]


class _Class:
    """The records of a class as bits: all of them, and those that hold each label."""

    def __init__(self, published: PublishedRecords, number: int) -> None:
        members = published.members(number)
        self.everyone = (1 << len(members)) - 1
        holders: dict[int, list[int]] = {}
        for place, record in enumerate(members.tolist()):
            for label in published.held(record):
                holders.setdefault(label, []).append(place)
        self.holding = {label: _bits(places, len(members)) for label, places in holders.items()}

    def fitting(self, labels: Sequence[int]) -> int:
        """The records that hold all of these, as bits."""
        fits = self.everyone
        for label in labels:
            fits &= self.holding[label]
        return fits

    def most_telling(self, labels: Sequence[int], known: int) -> int:
        """Of all combinations of up to so many of the labels, the records that hold the one which fewest hold, as bits."""
        if len(labels) <= known:
            return self.fitting(labels)  # knowing more never leaves more
        bits = sorted((self.holding[label] for label in labels), key=int.bit_count)
        rest = [*bits, self.everyone]  # what is left when a combination is completed by all that follow
        for place in range(len(bits) - 1, -1, -1):
            rest[place] = bits[place] & rest[place + 1]
        best, fewest, least = self.everyone, self.everyone.bit_count(), rest[0].bit_count()
        waiting = [(self.everyone, 0, 0)]
        while waiting and fewest > least:
            fits, place, used = waiting.pop()
            if (number := fits.bit_count()) < fewest:
                best, fewest = fits, number
            if used == known or place == len(bits) or (fits & rest[place]).bit_count() >= fewest:
                continue
            waiting += [(fits, place + 1, used), (fits & bits[place], place + 1, used + 1)]
        return best


def _bits(places: list[int], length: int) -> int:
    there = np.zeros(length, np.bool_)
    there[places] = True
    return int.from_bytes(np.packbits(there, bitorder="little").tobytes(), "little")


@dataclass(frozen=True)
class MixedAttack:
    """How attacks with so many known items went."""

    known: int  # items at most
    choice: Choice
    meter: Meter
    chance: float  # mean over the attacked people of one in the records that fit: what the rate comes close to
    least: int  # the fewest records that fitted anyone attacked: the highest chance was one in this many

    def keeps(self, k: int) -> bool:
        """Whether no one attacked was left with fewer than k records, and the measured rate does not speak against 1/k."""
        return self.least >= k and self.meter.keeps(1 / k)


class MixedAttacker:
    """Holds what was prepared for one release over several attacks."""

    def __init__(self, published: PublishedRecords, generator: np.random.Generator | None = None) -> None:
        if not len(published):
            raise InternalError("An attack needs a record.")
        self._published = published
        self._rng = generator or np.random.default_rng()  # no privacy depends on it
        self._classes: dict[int, _Class] = {}
        self._told: dict[tuple[int, tuple[int, ...], int], int] = {}

    def fits(self, known: int) -> NDArray[np.int64]:
        """(records,): how many records fit what is known of each by the most telling labels. Nothing is drawn here."""
        counts = [self._telling(record, known).bit_count() for record in range(len(self._published))]
        return np.array(counts, np.int64)

    def attack(self, known: int, choice: Choice = "telling", attacks: int = ATTACKS) -> MixedAttack:
        if known < 0:
            raise InternalError("No fewer than 0 items can be known.")
        published, rng = self._published, self._rng
        successes, chances, least = 0, 0.0, len(published)
        for target in rng.integers(0, len(published), attacks).tolist():
            fits = self._telling(target, known) if choice == "telling" else self._random(target, known)
            number = fits.bit_count()
            before = fits & (
                (1 << int(published.places[target])) - 1
            )  # of those that fit, the ones before the person's
            successes += int(int(rng.integers(number)) == before.bit_count())
            chances += 1 / number
            least = min(least, number)
        return MixedAttack(known, choice, Meter(attacks, successes), chances / attacks, least)

    def _class(self, record: int) -> _Class:
        number = int(self._published.classes[record])
        if number not in self._classes:
            self._classes[number] = _Class(self._published, number)
        return self._classes[number]

    def _telling(self, record: int, known: int) -> int:
        held = self._published.held(record)
        key = (int(self._published.classes[record]), held, known)
        if key not in self._told:
            self._told[key] = self._class(record).most_telling(held, known)
        return self._told[key]

    def _random(self, record: int, known: int) -> int:
        held = self._published.held(record)
        known_items = held if len(held) <= known else self._rng.choice(held, known, replace=False).tolist()
        return self._class(record).fitting(known_items)
