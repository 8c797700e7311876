"""What a recoding of a mixed table asks of an engine: from what a record holds to what it shows.

A record's class follows from its single values, and what its items are shown as from its class. So records go through small
tables, one after the other, and are never compared. The tables are worked out once, in the driver, from the recoding alone; every
engine carries them to where its records are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.data.itemsets import ItemSets
from shoal.engines.driver.groups import Parts, ShownLabels, ranks
from shoal.errors import InternalError
from shoal.recoding.mixed.clusters import LEFT_OUT
from shoal.recoding.tables.recoded import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from shoal.data.schema import Schema
    from shoal.recoding.mixed.clusters import ClassItems, MixedRecoding

_ELSEWHERE = "Records hold values that no class was decided for; nothing was published."


@dataclass(frozen=True, eq=False)
class Tuples:
    """Tuples of codes, each with its number: column by column, what was met so far and the next code are one number again."""

    steps: tuple[tuple[int, NDArray[np.int64]], ...]  # of each column: how many codes it has, and the pairs that occur
    numbers: NDArray[np.int32]  # of the tuples, as the last step has them

    @classmethod
    def of(cls, codes: NDArray[np.int32], numbers: NDArray[np.int32]) -> Tuples:
        """codes: (tuples, columns), no two equal; numbers: (tuples,)"""
        steps, met = [], np.zeros(len(codes), np.int64)
        for column in codes.T:
            size = int(column.max(initial=0)) + 1
            pairs, met = np.unique(met * size + column, return_inverse=True)
            steps.append((size, pairs))
        if len(np.unique(met)) < len(codes):
            raise InternalError("Records with the same single values are in different classes; nothing was published.")
        return cls(tuple(steps), numbers[np.argsort(met)])

    def number(self, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """(rows,): of each row of codes. Fails for one that is not there."""
        met = np.zeros(len(codes), np.int64)
        for column, (size, pairs) in zip(codes.T, self.steps, strict=True):
            wanted = met * size + column
            met = np.searchsorted(pairs, wanted)
            if (column >= size).any() or (met >= len(pairs)).any() or (pairs[met] != wanted).any():
                raise InternalError(_ELSEWHERE)
        numbers: NDArray[np.int32] = self.numbers[met]
        return numbers


@dataclass(frozen=True, eq=False)
class SetShow:
    """One column of sets."""

    name: str
    start: int  # the code of its first item among those of all columns
    items: pa.Array  # texts by code
    labels: pa.Array  # all that is published in the column, sorted as texts
    place: NDArray[np.int32]  # (labels of the recoding,): where each is among them
    kept: NDArray[np.int32]  # (items,): where each is that is published as it is, or LEFT_OUT

    @classmethod
    def of(cls, recoding: MixedRecoding, number: int, kept: Sequence[str]) -> SetShow:
        start, items = recoding.vocabulary(number)
        texts, shown = items.to_pylist(), recoding.items.labels.labels
        mine = np.flatnonzero(recoding.items.columns == number).tolist()
        open_ = {str(shown[label]) for label in mine}
        hidden = {text for text in texts if text in set(kept)}
        if open_ & hidden:
            raise InternalError("A label of items reads like a sensitive item; nothing was published.")
        labels = sorted(open_ | hidden)
        where = {text: place for place, text in enumerate(labels)}
        place = np.full(len(shown), LEFT_OUT, np.int32)
        place[mine] = [where[str(shown[label])] for label in mine]
        as_they_are = np.array([where[text] if text in hidden else LEFT_OUT for text in texts], np.int32)
        return cls(recoding.columns[number], start, items, pa.array(labels, pa.string()), place, as_they_are)

    def shown(self, lists: pa.Array, classes: NDArray[np.int64], items: ClassItems) -> ItemSets:
        """What each record shows in this column, by number of label. classes: of the records."""
        held = ItemSets.of_lists(lists, self.items, self.name)
        numbers, rows = self.kept[held.items], held.rows
        known = np.flatnonzero(numbers == LEFT_OUT)
        found = items.label_numbers(classes[rows[known]], held.items[known] + np.int32(self.start))
        numbers[known] = np.where(found == LEFT_OUT, LEFT_OUT, self.place[found])
        there = numbers != LEFT_OUT
        return ItemSets.of_pairs(rows[there], numbers[there], len(held), self.labels)


@dataclass(frozen=True, eq=False)
class MixedShow:
    """What is sent to workers."""

    columns: tuple[str, ...]  # of single values
    raw: tuple[pa.Array, ...]  # of each, the different values there are
    codes: tuple[NDArray[np.int32], ...]  # and the code of each of those
    tuples: Tuples  # the class of each
    values: NDArray[np.int32]  # (classes, columns): what is shown, by its place in the order of the release
    sets: tuple[SetShow, ...]
    items: ClassItems

    @classmethod
    def of(
        cls, recoding: MixedRecoding, schema: Schema, raw: Mapping[str, tuple[pa.Array, NDArray[np.int32]]]
    ) -> MixedShow:
        """raw: of each column of single values what an engine met, and the leaf code of each."""
        recoded, parts = recoding.groups.recoded, Parts.of(recoding.groups.recoded)
        if not parts.alone.all() or (parts.classes == HIDDEN).any():
            raise InternalError("Records with the same single values are in different classes, or in none.")
        columns = recoding.groups.columns
        return cls(
            columns,
            tuple(raw[name][0] for name in columns),
            tuple(raw[name][1] for name in columns),
            Tuples.of(parts.codes, parts.classes),
            np.stack([ranks(shown)[recoded.values[:, c]] for c, shown in enumerate(recoded.shown)], axis=1),
            tuple(
                SetShow.of(recoding, number, schema.sensitive_items(name))
                for number, name in enumerate(recoding.columns)
            ),
            recoding.items,
        )

    def leaves(self, batch: pa.RecordBatch) -> NDArray[np.int32]:
        """(rows, columns): the leaf codes of the single values of records."""
        leaves = np.empty((batch.num_rows, len(self.columns)), np.int32)
        for c, (name, raw, codes) in enumerate(zip(self.columns, self.raw, self.codes, strict=True)):
            places = pc.index_in(batch.column(name).cast(raw.type), value_set=raw)
            if places.null_count:
                raise InternalError(_ELSEWHERE)
            leaves[:, c] = codes[places.to_numpy()]
        return leaves

    def classes(self, leaves: NDArray[np.int32]) -> NDArray[np.int64]:
        """(rows,)"""
        return self.tuples.number(leaves).astype(np.int64)

    def shown_items(self, batch: pa.RecordBatch, classes: NDArray[np.int64]) -> list[ItemSets]:
        """Of each column of sets, what the records show."""
        return [one.shown(batch.column(one.name), classes, self.items) for one in self.sets]


def shown_values(
    recoding: MixedRecoding, raw: Mapping[str, tuple[pa.Array, NDArray[np.int32]]]
) -> list[tuple[NDArray[np.int32], pa.Array]]:
    """Of each column of single values: places, and what is shown there. One that shows nothing but raw values keeps its type."""
    columns = []
    for c, name in enumerate(recoding.groups.columns):
        shown = ShownLabels.of(recoding.groups.recoded, c, name)
        values = pa.array(shown.labels, pa.string())
        if shown.leaves is not None:
            held, codes = raw[name]
            place = np.zeros(int(codes.max(initial=0)) + 1, np.int64)
            place[codes] = np.arange(len(codes))
            values = held.take(pa.array(place[shown.leaves]))
        columns.append((shown.ranks, values))
    return columns
