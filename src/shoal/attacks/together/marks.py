"""What may be known of people one thing at a time, and what the records of a release show of it.

A *thing* is an item that somebody has, or a value in their tree. What a record shows of a thing is a *mark*: a label that stands
for it, or nothing. A record may show more: of trees, which labels stand on one path (a *chain* of marks, known when its members
are); of a matching, all originals that it may stand for. Marks are numbers that mean the same in one class of a release only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from shoal.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

NONE = -1  # the mark of what is not shown


@dataclass(frozen=True, eq=False)
class Ragged:
    """Lists of numbers, one after the other."""

    starts: NDArray[np.int64]  # (lists + 1,)
    values: NDArray[np.int64]

    def __post_init__(self) -> None:
        if not len(self.starts) or self.starts[0] != 0 or self.starts[-1] != len(self.values):
            raise InternalError("Lists of numbers do not begin at 0, or do not end with the numbers.")

    @classmethod
    def of(cls, lists: Iterable[Sequence[int]]) -> Ragged:
        """From few lists."""
        held = [list(one) for one in lists]
        starts = np.cumsum([0, *map(len, held)], dtype=np.int64)
        return cls(starts, np.array([value for one in held for value in one], np.int64))

    @classmethod
    def empty(cls, lists: int) -> Ragged:
        """So many lists without a number."""
        return cls(np.zeros(lists + 1, np.int64), np.zeros(0, np.int64))

    @classmethod
    def of_pairs(cls, owner: NDArray[np.int64], values: NDArray[np.int64], lists: int) -> Ragged:
        """Numbers with the list each belongs to, in whatever order; in a list they ascend, each once."""
        width = int(values.max(initial=0)) + 1
        keys = np.unique(owner * width + values)
        starts = np.concatenate([[0], np.cumsum(np.bincount(keys // width, minlength=lists))]).astype(np.int64)
        return cls(starts, keys % width)

    def __len__(self) -> int:
        """How many lists there are."""
        return len(self.starts) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """(lists,)"""
        return np.diff(self.starts)

    @property
    def owner(self) -> NDArray[np.int64]:
        """(numbers,): the list that each is of."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def take(self, lists: NDArray[np.int64]) -> Ragged:
        """Some of the lists, in this order."""
        return Ragged(*self._taken(lists))

    def places(self, lists: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where the numbers of these lists stand, one list after the other."""
        sizes = self.sizes[lists]
        ends = np.cumsum(sizes)
        places: NDArray[np.int64] = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(
            self.starts[lists] - (ends - sizes), sizes
        )
        return places

    def _taken(self, lists: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        starts = np.concatenate([[0], np.cumsum(self.sizes[lists])]).astype(np.int64)
        return starts, self.values[self.places(lists)]


@dataclass(frozen=True, eq=False)
class Marks:
    """Of the lines of a release, and their parts: see `shoal.attacks.together.lines`."""

    names: pa.Array  # of things, no two equal; the same in every release of a ledger
    things: Ragged  # (lines): numbers of names
    shows: Ragged  # (parts): of each thing of the line, in the same order, a mark or NONE
    also: Ragged  # (parts): marks that records show besides
    own: NDArray[np.int64]  # (lines,): a mark that is known of everybody in the line, or NONE
    chains: Ragged = field(default_factory=lambda: Ragged.empty(0))  # (chains): the members of each
    chain_marks: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  # (chains,)
    chains_of: Ragged | None = None  # (lines): numbers of the chains that each shows; None: there are none

    def __post_init__(self) -> None:
        if len(self.shows) != len(self.also) or len(self.things) != len(self.own):
            raise InternalError("Marks do not speak of every line and part.")

    @cached_property
    def chained(self) -> Ragged:
        """(lines): numbers of chains."""
        return Ragged.empty(len(self.things)) if self.chains_of is None else self.chains_of
