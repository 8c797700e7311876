"""Whom two releases tell apart, where people are known by some of their things.

Somebody knows a person's class in both releases, if these have classes, and up to m things of theirs. In each release they look for
records that show of these things what the person's own record shows; what it does not show tells nothing. Candidates are the people
whose records in *both* releases fit. The person is told apart when these may be fewer than k, for some choice of m things.

As with lines: where people of a line were dealt out to several classes, those who are certainly there count. A record that shows a
thing otherwise than the person's own does not count, though it might stand for it. So nobody is missed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.attacks.together.lines import Lines, Pairs
from shoal.attacks.together.marks import NONE, Marks, Ragged
from shoal.errors import InternalError
from shoal.kernels.sets.few_fit import FEW, NOT_LOOKED_AT, few_fit

if TYPE_CHECKING:
    from numpy.typing import NDArray

BUDGET = 2_000_000_000  # records that are looked at: a minute or more
ALL = 1 << 30  # as many things as anybody has
_SEED = 20_201_117
_SIDES = 2


@dataclass(frozen=True, eq=False)
class Sight:
    """What a release shows of its people: the classes their lines lie in, and marks of what may be known of them."""

    lines: Lines
    marks: Marks | None = None

    @classmethod
    def nothing(cls, people: int) -> Sight:
        """A release that tells nothing: everybody is in one class."""
        one = np.array([0], np.int64)
        return cls(Lines(np.array([people], np.int64), np.array([0, 1], np.int64), one, np.array([people], np.int64)))


def crowd(
    first: Sight,
    second: Sight,
    ours: NDArray[np.int64],
    theirs: NDArray[np.int64],
    m: int,
    k: int,
    *,
    values: NDArray[np.int64] | None = None,
    l: int = 0,  # noqa: E741  # as the literature calls it
    budget: int = BUDGET,
) -> NDArray[np.int8]:
    """(people,): FEW where fewer than k candidates may be left, or these may have fewer than l values; else ENOUGH.

    ours, theirs: (people,) the line of each in either release. values: (people,) as numbers from 0. People beyond the budget are
    NOT_LOOKED_AT; who is, is chosen at random. Whoever is in one release only has ENOUGH.
    """
    pairs = Pairs.of(first.lines, second.lines, ours, theirs)
    seen = _Seen.of(pairs, (first, second), _kinds(pairs, ours, theirs))
    told = _values(pairs, values)
    asked = np.random.default_rng(_SEED).permutation(len(pairs.owner))
    found = np.zeros(len(pairs.owner), np.int8)
    found[asked] = few_fit(
        asked,
        seen.marks.starts,
        seen.marks.values,
        pairs.certain,
        told.starts,
        told.values,
        seen.holders.starts,
        seen.holders.values,
        seen.always,
        seen.thing_starts,
        seen.things,
        seen.alike,
        seen.chained.starts,
        seen.chain_marks,
        seen.members.starts,
        seen.members.values,
        m,
        k,
        l,
        budget,
    )
    worst = np.zeros(len(pairs.people), np.int8)
    for answer in (NOT_LOOKED_AT, FEW):  # whoever may be in several places is told apart if one of them does it
        worst[pairs.owner[found == answer]] = answer
    return worst[pairs.kind_of]


def _kinds(pairs: Pairs, ours: NDArray[np.int64], theirs: NDArray[np.int64]) -> NDArray[np.int64]:
    """(kinds, 2): the line of each kind of people in either release."""
    lines = np.zeros((len(pairs.people), _SIDES), np.int64)
    lines[pairs.kind_of] = np.stack([ours, theirs], axis=1)
    return lines


def _values(pairs: Pairs, values: NDArray[np.int64] | None) -> Ragged:
    """(places): the values of people who are certainly there, each once."""
    if values is None:
        return Ragged.empty(len(pairs.owner))
    held = Ragged.of_pairs(pairs.kind_of, values, len(pairs.people))
    whole = pairs.certain == pairs.people[pairs.owner]
    taken = held.take(pairs.owner)
    kept = np.repeat(whole, taken.sizes)
    starts = np.concatenate([[0], np.cumsum(taken.sizes * whole)]).astype(np.int64)
    return Ragged(starts, taken.values[kept])


@dataclass(frozen=True, eq=False)
class _Seen:
    """Places as a kernel takes them. Marks of both releases are numbers of one row, and no two classes share one."""

    marks: Ragged  # (places)
    holders: Ragged  # (marks): places
    always: NDArray[np.int64]  # (places, 3)
    thing_starts: NDArray[np.int64]
    things: NDArray[np.int64]  # (things of all places, 2)
    alike: NDArray[np.int64]  # (things of all places,): a number from 1 on for its marks
    chained: Ragged  # (places)
    chain_marks: NDArray[np.int64]
    members: Ragged

    @classmethod
    def of(cls, pairs: Pairs, sights: tuple[Sight, Sight], kinds: NDArray[np.int64]) -> _Seen:
        places = len(pairs.owner)
        sides = [_Side.of(pairs, sight, kinds[:, number], number) for number, sight in enumerate(sights)]
        width = max(side.highest for side in sides) + 1

        def key(place: NDArray[np.int64], mark: NDArray[np.int64], side: int) -> NDArray[np.int64]:
            """The pair of classes itself is the first mark of every place."""
            return pairs.group[place] * (_SIDES * width + 1) + side * width + mark + 1

        alone = pairs.group * (_SIDES * width + 1)
        owners, keys = [np.arange(places)], [alone]
        for number, side in enumerate(sides):
            owners.append(side.shown_by)
            keys.append(key(side.shown_by, side.shown, number))
        known, numbers = np.unique(np.concatenate(keys), return_inverse=True)
        numbers = numbers.reshape(-1).astype(np.int64)
        owner = np.concatenate(owners)
        marks = Ragged.of_pairs(owner, numbers, places)
        holders = Ragged.of_pairs(marks.values, marks.owner, len(known))

        def number_of(place: NDArray[np.int64], mark: NDArray[np.int64], side: int) -> NDArray[np.int64]:
            wanted = key(place, np.maximum(mark, 0), side)
            found = np.minimum(np.searchsorted(known, wanted), len(known) - 1).astype(np.int64)
            if ((known[found] != wanted) & (mark != NONE)).any():
                raise InternalError("Something is known by a mark that no record shows.")
            return np.where(mark == NONE, NONE, found)

        everyone = np.arange(places)
        always = np.stack(
            [
                np.searchsorted(known, alone).astype(np.int64),
                *(number_of(everyone, side.own, number) for number, side in enumerate(sides)),
            ],
            axis=1,
        )
        starts, things = _joined(
            [
                (side.thing_of, side.names, number_of(side.thing_of, side.marks, number))
                for number, side in enumerate(sides)
            ],
            sights,
            places,
        )
        chain_of = np.concatenate([side.chain_of for side in sides])
        chain_marks = np.concatenate(
            [number_of(side.chain_of, side.chains, number) for number, side in enumerate(sides)]
        )
        sizes = np.concatenate([side.members.sizes for side in sides])
        members = np.concatenate(
            [
                number_of(np.repeat(side.chain_of, side.members.sizes), side.members.values, number)
                for number, side in enumerate(sides)
            ]
        )
        order = np.argsort(chain_of, kind="stable")
        ragged = Ragged(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), members).take(order)
        chained = Ragged(np.searchsorted(chain_of[order], np.arange(places + 1)).astype(np.int64), chain_marks[order])
        _, alike = np.unique((things[:, 0] + 1) * (len(known) + 1) + things[:, 1] + 1, return_inverse=True)
        alike = alike.reshape(-1).astype(np.int64) + 1
        return cls(marks, holders, always, starts, things, alike, chained, chained.values, ragged)


@dataclass(frozen=True, eq=False)
class _Side:
    """What one release shows at every place."""

    shown_by: NDArray[np.int64]  # (shown,): the place
    shown: NDArray[np.int64]  # (shown,): the mark
    own: NDArray[np.int64]  # (places,)
    thing_of: NDArray[np.int64]  # (things,): the place
    names: NDArray[np.int64]  # (things,): the number of the thing
    marks: NDArray[np.int64]  # (things,)
    chain_of: NDArray[np.int64]  # (chains,): the place
    chains: NDArray[np.int64]  # (chains,): the mark
    members: Ragged  # (chains): marks

    @property
    def highest(self) -> int:
        return max(int(self.shown.max(initial=0)), int(self.own.max(initial=0)))

    @classmethod
    def of(cls, pairs: Pairs, sight: Sight, line_of: NDArray[np.int64], number: int) -> _Side:
        places = np.arange(len(pairs.owner))
        marks = sight.marks
        if marks is None:
            none = np.zeros(0, np.int64)
            own = np.full(len(places), NONE, np.int64)
            return cls(none, none, own, none, none, none, none, none, Ragged.empty(0))
        line, part = line_of[pairs.owner], (pairs.first_part, pairs.second_part)[number]
        things, shows, also = marks.things.take(line), marks.shows.take(part), marks.also.take(part)
        chained = marks.chained.take(line)
        chains = marks.chain_marks[chained.values]
        there = shows.values != NONE
        return cls(
            np.concatenate([shows.owner[there], also.owner, chained.owner]),
            np.concatenate([shows.values[there], also.values, chains]),
            marks.own[line],
            things.owner,
            things.values,
            shows.values,
            chained.owner,
            chains,
            marks.chains.take(chained.values),
        )


def _joined(
    sides: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]],
    sights: tuple[Sight, Sight],
    places: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Things that both releases know of are one. Those that neither shows tell nothing, and are left out."""
    names = [
        pa.array([], pa.binary()) if sight.marks is None else sight.marks.names.cast(pa.binary()) for sight in sights
    ]
    all_names = pa.concat_arrays(names).unique()
    width = max(len(all_names), 1)
    keys, shown, side_of = [], [], []
    for number, (place, thing, mark) in enumerate(sides):
        code = pc.index_in(names[number], value_set=all_names).to_numpy(zero_copy_only=False).astype(np.int64)
        kept = mark != NONE
        keys.append(place[kept] * width + code[thing[kept]])
        shown.append(mark[kept])
        side_of.append(np.full(int(kept.sum()), number))
    known, at = np.unique(np.concatenate(keys), return_inverse=True)
    things = np.full((len(known), _SIDES), NONE, np.int64)
    things[at.reshape(-1), np.concatenate(side_of)] = np.concatenate(shown)
    starts = np.searchsorted(known // width, np.arange(places + 1)).astype(np.int64)
    return starts, things
