"""Attacks on a private fact: what somebody concludes who knows which records a person's may be.

- *homogeneity*: all of them have the same value. Whoever finds the group knows it, and picks nobody out.
- *negation*: the same, when the attacker also knows of some values that the person does not have them: the most frequent others.
  Whatever the person has, l different values leave two of them to somebody who rules out l − 2.
- *inference*: the attacker guesses the most frequent value of the group. The baseline is the most frequent value of all. The
  control is the same guess for each person with their own record taken out (Anonymeter attacks people who are not in the data):
  what is inferred there too is true of people like them, whether they take part or not.

Everybody is attacked once, so nothing is drawn. A missing value may stand for any other, and does not make a group differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shoal.attacks.attack import Attack
from shoal.attacks.meter import Meter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from shoal.attacks.attack import Todo

NEGATED = (1, 2, 3, 4)


@dataclass(frozen=True, eq=False)
class GroupedFacts:
    """How often each value occurs in each group of records that cannot be told apart, in long form without repeats."""

    groups: NDArray[np.int64]  # (entries,)
    values: NDArray[np.int64]  # (entries,)
    counts: NDArray[np.int64]  # (entries,)
    missing: int | None = None  # the value that stands for none

    @classmethod
    def of(
        cls, groups: NDArray[np.int64], values: NDArray[np.int64], counts: NDArray[np.int64], missing: int | None = None
    ) -> GroupedFacts:
        """Of entries that may repeat."""
        width = int(values.max(initial=0)) + 1
        keys, place = np.unique(groups.astype(np.int64) * width + values, return_inverse=True)
        summed = np.bincount(place.reshape(-1), counts, len(keys)).astype(np.int64)
        return cls(keys // width, keys % width, summed, missing)

    @property
    def people(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def _dense(self) -> NDArray[np.int64]:
        return np.unique(self.groups, return_inverse=True)[1].reshape(-1)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """(groups,)"""
        return np.bincount(self._dense, self.counts).astype(np.int64)

    @cached_property
    def different(self) -> NDArray[np.int64]:
        """(groups,): values that occur in each. A missing value may be any of them, and where there is no other it is one."""
        known = self.values != (-1 if self.missing is None else self.missing)
        return np.maximum(np.bincount(self._dense[known], minlength=len(self.sizes)), 1)

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """(values,): records that have each, in all groups."""
        return np.bincount(np.unique(self.values, return_inverse=True)[1].reshape(-1), self.counts).astype(np.int64)

    @cached_property
    def _ranked(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Entries, group by group, the most frequent first and of equal ones the lower value; and where each group begins."""
        order = np.lexsort((self.values, -self.counts, self._dense))
        return order, np.searchsorted(self._dense[order], np.arange(len(self.sizes)))

    def guessed(self) -> int:
        """People who have the most frequent value of their group."""
        order, starts = self._ranked
        return int(self.counts[order[starts]].sum())

    def guessed_without_oneself(self) -> int:
        """The same, when the own record does not count; of whoever is alone the most frequent value of all others is guessed."""
        order, starts = self._ranked
        first = order[starts]
        many = np.bincount(self._dense) > 1
        second = order[np.minimum(starts + 1, len(order) - 1)]
        rest = self.counts[first] - 1
        next_best = np.where(many, self.counts[second], 0)
        stays = (rest > next_best) | ((rest == next_best) & (self.values[first] < self.values[second]) & many)
        alone = self.sizes == 1
        guessed = int(self.counts[first][stays & ~alone].sum())
        if alone.any():
            values, totals = np.unique(self.values), self.totals
            for value in self.values[first][alone].tolist():
                left = totals - (values == value)
                guessed += int(values[int(np.argmax(left))] == value and bool(left.any()))
        return guessed


def homogeneity(facts: GroupedFacts, column: str, l: float | None) -> Attack:  # noqa: E741
    """l: values that are promised to differ; None: nothing is promised."""
    meter = Meter(facts.people, int(facts.sizes[facts.different == 1].sum()))
    return Attack("inference", f"homogeneity: '{column}' is certain", meter, _certain(facts, 1), _bound(l, 2))


def negation(facts: GroupedFacts, column: str, ruled_out: int, l: float | None) -> Attack:  # noqa: E741
    """ruled_out: values that the person is known not to have."""
    meter = Meter(facts.people, int(facts.sizes[facts.different <= ruled_out + 1].sum()))
    words = f"'{column}' is certain once {ruled_out} other value{'s are' if ruled_out > 1 else ' is'} ruled out"
    bound = _bound(l, ruled_out + 2)
    return Attack("inference", f"negation: {words}", meter, _certain(facts, ruled_out + 1), bound)


def inference(facts: GroupedFacts, column: str, t: float | None = None) -> Attack:
    """t: how far the values of a group may be from those of all, where all values are equally far from each other."""
    people = facts.people
    baseline = int(facts.totals.max()) / people
    control = Meter(people, facts.guessed_without_oneself())
    bound = None if t is None else min(1.0, baseline + t)
    return Attack("inference", f"guessing '{column}'", Meter(people, facts.guessed()), baseline, bound, control)


def private_attacks(
    facts: GroupedFacts,
    column: str,
    l: float | None,  # noqa: E741
    t: float | None = None,
) -> tuple[Attack, ...]:
    """All of them."""
    return (
        homogeneity(facts, column, l),
        *(negation(facts, column, number, l) for number in NEGATED),
        inference(facts, column, t),
    )


def private_todo(
    private: Mapping[str, GroupedFacts],
    l: Mapping[str, float],  # noqa: E741
    t: Mapping[str, float],
) -> Todo:
    """By column."""
    return tuple(
        (
            f"private fact '{name}'",
            lambda name=name, facts=facts: private_attacks(facts, name, l.get(name), t.get(name)),
        )
        for name, facts in private.items()
        if len(facts.counts)
    )


def _certain(facts: GroupedFacts, values: int) -> float:
    """Without the release: all of it is one group."""
    return float(len(facts.totals) <= values)


def _bound(l: float | None, needed: int) -> float | None:  # noqa: E741
    return 0.0 if l is not None and l >= needed else None
